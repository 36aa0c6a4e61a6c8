// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <string.h>

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

void suo_load_lab_fault(struct suo_load *load, const char *key, const char *fmt, ...)
{
	char reason[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	suo_report_fault(&load->lab, suo_marks_line(&load->marks, key), key,
			 "%s", reason);
}

const struct suo_part *suo_load_part(struct suo_load *load, const char *key,
				     const char *name, enum suo_part_kind kind)
{
	const struct suo_part *part = name ? suo_part_find(name) : NULL;
	const char *meant;

	if (!name || (part && part->kind == kind))
		return part;
	meant = suo_nearest(name, suo_part_candidate, &kind);
	if (part)
		suo_load_fault(load, key, "'%s' is a %s, not a %s", name,
			       suo_part_kind_name(part->kind),
			       suo_part_kind_name(kind));
	else if (meant)
		suo_load_fault(load, key, "unknown %s '%s'; did you mean '%s'?",
			       suo_part_kind_name(kind), name, meant);
	else
		suo_load_fault(load, key, "unknown %s '%s'; see: suo profile list",
			       suo_part_kind_name(kind), name);
	return NULL;
}

uint64_t suo_load_word(struct suo_load *load, const char *key, const char *text,
		       const char *const *words, uint64_t otherwise)
{
	char known[128] = "";

	for (unsigned int i = 0; text && words[i]; i++) {
		if (!strcmp(text, words[i]))
			return i;
		snprintf(known + strlen(known), sizeof(known) - strlen(known),
			 "%s%s", i ? ", " : "", words[i]);
	}
	if (text)
		suo_load_fault(load, key, "'%s' is none of %s", text, known);
	return otherwise;
}
