/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers with units, as people write them. */
#ifndef SUO_CLUSTER_UNITS_H
#define SUO_CLUSTER_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum suo_dimension {
	SUO_RATE,	/* in Mb/s, 10^6 bit/s */
	SUO_TIME,	/* in picoseconds */
	SUO_BYTES,
	SUO_NUMBER,
	SUO_SHARE,	/* in 10^-15, such as "1e-9" or "0.1%" */
	SUO_RATIO,	/* in thousandths, such as "1.5" */
	SUO_LENGTH,	/* in millimetres */
};

/**
 * struct suo_quantity - what may be written somewhere
 * @dimension: what is measured
 * @plain: the unit of a bare number; NULL: a unit has to be written. SUO_NUMBER,
 *	SUO_SHARE and SUO_RATIO have none, and no use for it.
 * @min: least value, in the dimension's own unit
 * @max: largest value
 */
struct suo_quantity {
	enum suo_dimension	dimension;
	const char		*plain;
	uint64_t		min;
	uint64_t		max;
};

/**
 * suo_quantity_parse() - read a number with its unit
 * @text: such as "450GB/s", "2.5 us" or "4MiB"
 * @what: what is expected
 * @value: in the dimension's own unit, exactly
 * @why: room for a reason
 * @why_size: its size in bytes
 *
 * Return: 0, or -EINVAL with the reason in @why.
 */
int suo_quantity_parse(const char *text, const struct suo_quantity *what,
		       uint64_t *value, char *why, size_t why_size);

#endif /* SUO_CLUSTER_UNITS_H */
