// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>

#include "model/cluster/fabric_fit.h"

/* Ports, switches and links of a tier: the product of two is a u64 still. */
#define MAX_OF_TIER	(1u << 30)

const char *suo_tier_key(const struct suo_tier_load *t, const char *key)
{
	static char full[96];

	snprintf(full, sizeof(full), "%s.%s", t->path, key);
	return full;
}

static uint64_t div_up(uint64_t a, uint64_t b)
{
	return a / b + !!(a % b);
}

static bool count_is_possible(struct suo_load *load, const struct suo_tier_load *t,
			      const char *key, uint64_t n, const char *of_what)
{
	if (n && n <= MAX_OF_TIER)
		return true;
	suo_load_fault(load, suo_tier_key(t, key),
		       "comes to %" PRIu64 " %s; from 1 to %u are possible", n, of_what,
		       MAX_OF_TIER);
	return false;
}

/*
 * Ports of a tier for so many links from below, by number or by ratio. Return: false
 * if there can be none of them, which is told.
 */
static bool share_ports(struct suo_load *load, struct suo_tier_load *t,
			uint64_t links)
{
	struct suo_tier *tier = t->tier;
	uint64_t up, switches;
	uint64_t milli = tier->oversub_milli ? tier->oversub_milli : 1000;
	uint64_t given = tier->count;

	tier->down = tier->radix * milli / (1000 + milli);
	if (given && !tier->oversub_milli && div_up(links, given) < tier->radix)
		tier->down = div_up(links, given);
	if (tier->down >= tier->radix)
		tier->down = tier->radix - 1;
	if (!tier->down)
		tier->down = 1;
	up = (uint64_t)(tier->radix - tier->down) * tier->rate_mbps / tier->up_rate_mbps;
	if (!up) {
		suo_load_fault(load, suo_tier_key(t, "radix"),
			       "no port of %" PRIu64 " Mb/s is left for the tier above",
			       tier->up_rate_mbps);
		return false;
	}
	if (!count_is_possible(load, t, "rate_gbps", up, "ports for the tier above"))
		return false;
	tier->up = up;
	switches = given ? given : div_up(links, tier->down);
	if (!count_is_possible(load, t, "count", switches, "switches") ||
	    !count_is_possible(load, t, "count", switches * up, "links to the tier above"))
		return false;
	tier->count = switches;
	return true;
}

static void check_room(struct suo_load *load, struct suo_tier_load *t,
		       uint64_t links)
{
	const struct suo_tier *tier = t->tier;

	if ((uint64_t)tier->count * tier->down >= links)
		return;
	suo_load_fault(load, suo_tier_key(t, tier->count > 1 || t->raw->count ?
					  "count" : "radix"),
		       "%" PRIu32 " of %" PRIu32 " ports have no room for %" PRIu64 " links from below",
		       tier->count, tier->down, links);
}

static void fit_last(struct suo_load *load, struct suo_tier_load *t,
		     uint64_t links)
{
	struct suo_tier *tier = t->tier;

	if (!t->level && !tier->count) {
		/* A single switch, as large as it must be unless that is given. */
		if (t->any_radix)
			tier->radix = links;
		tier->count = 1;
	}
	tier->down = tier->radix;
	if (!tier->count)
		tier->count = div_up(links, tier->down);
	tier->oversub_milli = 1000;
	/* Else fit_above() takes from what is below what there is no room for. */
	if (!t->level)
		check_room(load, t, links);
}

/* What is above may have fewer ports than a switch has links to offer. */
static void fit_above(struct suo_load *load, struct suo_tier_load *t,
		      const struct suo_tier_load *above)
{
	struct suo_tier *tier = t->tier;
	uint64_t room = (uint64_t)above->tier->count * above->tier->radix / tier->count;
	uint64_t milli;

	if (above->raw->count && room < tier->up)
		tier->up = room;
	if (!tier->up) {
		suo_load_fault(load, suo_tier_key(above, "count"),
			       "%" PRIu32 " of %" PRIu32 " ports have no room for %" PRIu32 " switches below",
			       above->tier->count, above->tier->radix, tier->count);
		return;
	}
	milli = tier->down * tier->rate_mbps * 1000 / (tier->up * tier->up_rate_mbps);
	if (tier->oversub_milli && milli > tier->oversub_milli + tier->oversub_milli / 10)
		suo_load_fault(load, suo_tier_key(t, "oversubscription"),
			       "%" PRIu32 " links below and %" PRIu32 " above are %g",
			       tier->down, tier->up, milli / 1000.0);
	tier->oversub_milli = milli ? milli : 1;
}

/* Every switch of the last tier is joined to all that is below: leaves, or pods. */
static void check_mesh(struct suo_load *load, struct suo_tier_load *t, uint32_t n)
{
	const struct suo_tier *last = t[n - 1].tier;
	uint64_t groups = t[0].tier->count;

	for (uint32_t i = 1; i + 1 < n; i++)
		groups = div_up(groups, t[i].tier->down);
	if (groups <= last->radix)
		return;
	suo_load_fault(load, suo_tier_key(&t[n - 1], "radix"),
		       "%" PRIu64 " groups of switches below do not fit on %" PRIu32 " ports; a further tier is needed",
		       groups, last->radix);
}

void suo_fabric_fit(struct suo_load *load, struct suo_tier_load *t, uint32_t n)
{
	struct suo_fabric *fabric = &load->cluster->out.fabric;
	uint64_t links = fabric->endpoints;
	uint64_t reach = 1;

	for (uint32_t i = 0; i < n; i++) {
		struct suo_tier *tier = t[i].tier;
		uint64_t each = div_up(links, fabric->rails);

		if (!i && tier->count % fabric->rails) {
			suo_load_fault(load, suo_tier_key(t, "count"),
				       "%" PRIu32 " leaves cannot be of %" PRIu32 " rails, as many of each",
				       tier->count, fabric->rails);
			return;
		}
		if (i == n - 1) {
			fit_last(load, &t[i], links);
		} else if (!i && fabric->rails > 1 && !tier->count) {
			/* A leaf is of one rail. */
			if (!share_ports(load, &t[i], each))
				return;
			tier->count *= fabric->rails;
		} else {
			if (!share_ports(load, &t[i], links))
				return;
			check_room(load, &t[i], links);
		}
		links = (uint64_t)tier->count * tier->up;
		reach *= tier->down;
		tier->reach = i == n - 1 ? div_up(fabric->endpoints, fabric->rails) :
					   reach;
	}
	for (uint32_t i = 0; i + 1 < n; i++)
		fit_above(load, &t[i], &t[i + 1]);
	if (n > 1)
		check_mesh(load, t, n);
}
