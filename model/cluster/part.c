// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Looking parts up in the catalogue, whose figures are in part_*.c. */
#include <stddef.h>
#include <string.h>

#include "model/cluster/figures.h"
#include "model/cluster/part.h"

static const struct suo_part *const files[] = {
	suo_parts_switch,
	suo_parts_nic,
	suo_parts_cable,
};

#define SWITCH	(1 << SUO_PART_SWITCH)
#define NIC	(1 << SUO_PART_NIC)
#define CABLE	(1 << SUO_PART_CABLE)

#define FIELD(kinds, field)	{ kinds, #field, offsetof(struct suo_part, field) }

static const struct {
	unsigned int	kinds;
	const char	*name;
	size_t		offset;
} fields[] = {
	FIELD(SWITCH, capacity_mbps),
	FIELD(SWITCH | NIC | CABLE, rate_mbps),
	FIELD(SWITCH, ports),
	FIELD(SWITCH, buffer_bytes),
	FIELD(SWITCH | NIC | CABLE, latency_ps),
	FIELD(SWITCH, reduce),
	FIELD(NIC, host_mbps),
	FIELD(NIC, kmessages),
	FIELD(CABLE, fec_ps),
	FIELD(CABLE, ps_per_m),
	FIELD(CABLE, reach_m),
	FIELD(CABLE, errors_per_pbit),
	FIELD(CABLE, power_mw),
};

const struct suo_part *suo_part_get(unsigned int i)
{
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++)
		for (const struct suo_part *p = files[f]; p->name; p++)
			if (!i--)
				return p;
	return NULL;
}

const struct suo_part *suo_part_find(const char *name)
{
	const struct suo_part *p;

	for (unsigned int i = 0; (p = suo_part_get(i)); i++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const struct suo_figure *suo_part_figure(const struct suo_part *part,
					 unsigned int i, const char **name)
{
	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
		if (!(fields[f].kinds & 1 << part->kind) || i--)
			continue;
		*name = fields[f].name;
		return (const void *)((const char *)part + fields[f].offset);
	}
	return NULL;
}

uint64_t suo_cable_ps(const struct suo_part *cable, uint64_t length_mm)
{
	if (!cable)
		return 5 * length_mm;	/* 5 ps/mm */
	return cable->latency_ps.value + cable->ps_per_m.value * length_mm / 1000;
}

const char *suo_part_candidate(unsigned int i, const void *arg)
{
	const enum suo_part_kind *kind = arg;
	const struct suo_part *p;

	for (unsigned int n = 0; (p = suo_part_get(n)); n++)
		if ((!kind || p->kind == *kind) && !i--)
			return p->name;
	return NULL;
}

const char *suo_part_kind_name(enum suo_part_kind kind)
{
	static const char *const names[] = {
		[SUO_PART_SWITCH]	= "switch",
		[SUO_PART_NIC]		= "nic",
		[SUO_PART_CABLE]	= "cable",
	};

	return names[kind];
}
