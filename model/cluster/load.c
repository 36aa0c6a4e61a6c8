// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "model/cluster/load.h"

const struct suo_quantity suo_load_rate = {
	SUO_RATE, "Gb/s", 1, SUO_LINK_MAX_RATE_MBPS
};
const struct suo_quantity suo_load_bandwidth = {
	SUO_RATE, NULL, 1, SUO_LINK_MAX_RATE_MBPS
};
const struct suo_quantity suo_load_latency = {
	SUO_TIME, "ns", 0, SUO_LINK_MAX_LATENCY_PS
};
const struct suo_quantity suo_load_length = {
	SUO_LENGTH, "m", 1, SUO_MAX_LENGTH_MM
};

void suo_load_fault(struct suo_load *load, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	suo_report_vfault(&load->report, suo_marks_line(&load->marks, key), key, fmt, ap);
	va_end(ap);
}

void suo_load_lab_fault(struct suo_load *load, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	suo_report_vfault(&load->lab, suo_marks_line(&load->marks, key), key, fmt, ap);
	va_end(ap);
}

void suo_load_unknown(struct suo_load *load, const char *key, const char *what,
		      const char *name, const char *meant, const char *list)
{
	if (meant)
		suo_load_fault(load, key, "unknown %s '%s'; did you mean '%s'?", what,
			       name, meant);
	else
		suo_load_fault(load, key, "unknown %s '%s'; see: %s", what, name, list);
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

	if (profile && (!out || suo_profile_is_out(profile)))
		return profile;

	if (profile)
		suo_load_fault(load, key, "'%s' is a scale-up profile", name);
	else
		suo_load_unknown(load, key, "profile", name,
				 suo_nearest(name, suo_profile_candidate,
					     out ? &out : NULL),
				 "suo profile list");
	return NULL;
}

const struct suo_part *suo_load_part(struct suo_load *load, const char *key,
				     const char *name, enum suo_part_kind kind)
{
	const struct suo_part *part = name ? suo_part_find(name) : NULL;

	if (!name || (part && part->kind == kind))
		return part;
	if (part)
		suo_load_fault(load, key, "'%s' is a %s, not a %s", name,
			       suo_part_kind_name(part->kind),
			       suo_part_kind_name(kind));
	else
		suo_load_unknown(load, key, suo_part_kind_name(kind), name,
				 suo_nearest(name, suo_part_candidate, &kind),
				 "suo profile list");
	return NULL;
}

void suo_load_reach(struct suo_load *load, const char *key,
		    const struct suo_part *cable, uint64_t length_mm)
{
	if (length_mm > 1000 * cable->reach_m.value)
		suo_load_fault(load, key, "'%s' reaches %" PRIu64 " m, not %g m",
			       cable->name, cable->reach_m.value, length_mm / 1000.0);
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
