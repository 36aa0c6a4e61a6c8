// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/cluster/units.h"

static const struct {
	const char	*noun;
	const char	*unit;		/* the dimension's own */
	const char	*examples;
} dimensions[] = {
	[SUO_RATE]	= { "a rate", "Mb/s", "Gb/s, GB/s" },
	[SUO_TIME]	= { "a time", "ps", "ns, us" },
	[SUO_BYTES]	= { "a number of bytes", "bytes", "B, KiB, MiB" },
	[SUO_NUMBER]	= { "a number", "", NULL },
	[SUO_SHARE]	= { "a share", "e-15", NULL },
	[SUO_RATIO]	= { "a ratio", "thousandths", NULL },
	[SUO_LENGTH]	= { "a length", "mm", "m, km" },
};

static const struct unit {
	enum suo_dimension	dimension;
	const char		*name;
	uint64_t		factor;
} units[] = {
	{ SUO_RATE, "Mb/s", 1 },
	{ SUO_RATE, "Gb/s", 1000 },
	{ SUO_RATE, "Tb/s", 1000000 },
	{ SUO_RATE, "Mbps", 1 },
	{ SUO_RATE, "Gbps", 1000 },
	{ SUO_RATE, "Tbps", 1000000 },
	{ SUO_RATE, "MB/s", 8 },
	{ SUO_RATE, "GB/s", 8000 },
	{ SUO_RATE, "TB/s", 8000000 },
	{ SUO_TIME, "ps", 1 },
	{ SUO_TIME, "ns", 1000 },
	{ SUO_TIME, "us", 1000000 },
	{ SUO_TIME, "ms", 1000000000 },
	{ SUO_TIME, "s", 1000000000000 },
	{ SUO_BYTES, "B", 1 },
	{ SUO_BYTES, "KB", 1000 },
	{ SUO_BYTES, "kB", 1000 },
	{ SUO_BYTES, "MB", 1000000 },
	{ SUO_BYTES, "GB", 1000000000 },
	{ SUO_BYTES, "KiB", 1ull << 10 },
	{ SUO_BYTES, "MiB", 1ull << 20 },
	{ SUO_BYTES, "GiB", 1ull << 30 },
	{ SUO_LENGTH, "mm", 1 },
	{ SUO_LENGTH, "m", 1000 },
	{ SUO_LENGTH, "km", 1000000 },
};

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/*
 * Digits with at most one point, as mantissa / scale. 18 digits fit, and with
 * them every product below fits in 128 bits.
 */
static const char *parse_decimal(const char *text, uint64_t *mantissa,
				 uint64_t *scale)
{
	int digits = 0;
	bool point = false;

	*mantissa = 0;
	*scale = 1;
	for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
		if (*text == '.') {
			point = true;
			continue;
		}
		if (++digits > 18)
			return NULL;
		*mantissa = *mantissa * 10 + (*text - '0');
		if (point)
			*scale *= 10;
	}
	return digits ? text : NULL;
}

/* The power of ten in "1e-9". What does not fit is left for others to refuse. */
static const char *parse_power(const char *text, uint64_t *scale)
{
	const char *digit = text + 2;
	unsigned int power = 0;

	if (text[0] != 'e' || text[1] != '-' || *digit < '0' || *digit > '9')
		return text;
	for (; *digit >= '0' && *digit <= '9' && power < 100; digit++)
		power = power * 10 + (*digit - '0');
	for (; power; power--) {
		if (*scale > UINT64_MAX / 10)
			return text;
		*scale *= 10;
	}
	return digit;
}

static int unit_factor(const char *text, const char *unit_name,
		       const struct suo_quantity *what, uint64_t *factor,
		       char *why, size_t why_size)
{
	const char *noun = dimensions[what->dimension].noun;
	const char *examples = dimensions[what->dimension].examples;
	const struct unit *unit;

	*factor = what->dimension == SUO_SHARE ? 1000000000000000 :
		  what->dimension == SUO_RATIO ? 1000 : 1;
	if (what->dimension == SUO_SHARE && !strcmp(unit_name, "%")) {
		*factor /= 100;
		return 0;
	}
	if (!examples && !*unit_name)
		return 0;
	if (!examples) {
		snprintf(why, why_size, "'%s' is not a bare number", text);
		return -EINVAL;
	}
	if (!*unit_name && !what->plain) {
		snprintf(why, why_size, "'%s' needs a unit, such as %s", text,
			 examples);
		return -EINVAL;
	}

	unit = find_unit(*unit_name ? unit_name : what->plain);
	if (!unit) {
		snprintf(why, why_size, "'%s': no such unit as '%s'; possible are %s and their like",
			 text, unit_name, examples);
		return -EINVAL;
	}
	if (unit->dimension != what->dimension) {
		snprintf(why, why_size, "'%s' is %s, not %s", text,
			 dimensions[unit->dimension].noun, noun);
		return -EINVAL;
	}
	*factor = unit->factor;
	return 0;
}

int suo_quantity_parse(const char *text, const struct suo_quantity *what,
		       uint64_t *value, char *why, size_t why_size)
{
	const char *unit = dimensions[what->dimension].unit;
	const char *space = *unit ? " " : "";
	uint64_t mantissa, scale, factor;
	unsigned __int128 product;
	const char *end;

	if (*text == '-') {
		snprintf(why, why_size, "'%s' is negative; the least is %" PRIu64
			 "%s%s", text, what->min, space, unit);
		return -EINVAL;
	}
	end = parse_decimal(text, &mantissa, &scale);
	if (!end) {
		snprintf(why, why_size, "'%s' is not %s", text,
			 *text >= '0' && *text <= '9' ?
			 "a number of at most 18 digits" :
			 dimensions[what->dimension].noun);
		return -EINVAL;
	}
	if (what->dimension == SUO_SHARE)
		end = parse_power(end, &scale);
	while (*end == ' ')
		end++;
	if (unit_factor(text, end, what, &factor, why, why_size))
		return -EINVAL;

	product = (unsigned __int128)mantissa * factor;
	if (product / scale > what->max) {
		snprintf(why, why_size, "'%s' is too much; the most is %" PRIu64
			 "%s%s", text, what->max, space, unit);
		return -EINVAL;
	}
	if (product < (unsigned __int128)what->min * scale) {
		snprintf(why, why_size, "'%s' is too little; the least is %"
			 PRIu64 "%s%s", text, what->min, space, unit);
		return -EINVAL;
	}
	if (product % scale) {
		snprintf(why, why_size, "'%s' is not a whole number%s%s", text,
			 *unit ? " of " : "", unit);
		return -EINVAL;
	}
	*value = product / scale;
	return 0;
}
