// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>

#include "model/cluster/load.h"

void suo_load_fault(struct suo_load *load, const char *key, const char *fmt, ...)
{
	char reason[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	suo_report_fault(&load->report, suo_marks_line(&load->marks, key), key,
			 "%s", reason);
}

uint64_t suo_load_get(struct suo_load *load, const char *key, const char *text,
		      const struct suo_quantity *what, uint64_t otherwise)
{
	uint64_t value = otherwise;
	char why[256];

	if (text && suo_quantity_parse(text, what, &value, why, sizeof(why)))
		suo_load_fault(load, key, "%s", why);
	return value;
}

const struct suo_profile *suo_load_profile(struct suo_load *load,
					   const char *key, const char *name,
					   bool out)
{
	const struct suo_profile *profile = suo_profile_find(name);
	const char *meant;

	if (profile && (!out || suo_profile_is_out(profile)))
		return profile;

	meant = suo_nearest(name, suo_profile_candidate, out ? &out : NULL);
	if (profile)
		suo_load_fault(load, key, "'%s' is a scale-up profile", name);
	else if (meant)
		suo_load_fault(load, key, "unknown profile '%s'; did you mean '%s'?",
			       name, meant);
	else
		suo_load_fault(load, key, "unknown profile '%s'; see: suo profile list",
			       name);
	return NULL;
}
