// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The switches of a cluster file: which tiers there are, and what each is made of. */
#include <inttypes.h>
#include <string.h>

#include "model/cluster/fabric_fit.h"
#include "model/cluster/load.h"

#define DEFAULT_RADIX	64
#define MAX_SWITCHES	(1u << 20)

const char *const suo_topology_names[] = {
	[SUO_TOPOLOGY_SINGLE]		= "single",
	[SUO_TOPOLOGY_LEAF_SPINE]	= "leaf-spine",
	[SUO_TOPOLOGY_RAIL]		= "rail-optimised",
	[SUO_TOPOLOGY_FAT_TREE]		= "fat-tree",
	[SUO_TOPOLOGY_TORUS]		= "torus",
	[SUO_TOPOLOGY_TIERS]		= "tiers",
	[SUO_TOPOLOGIES]		= NULL,
};

static const struct suo_quantity a_switch_count = {
	SUO_NUMBER, NULL, 1, MAX_SWITCHES
};
static const struct suo_quantity a_radix = { SUO_NUMBER, NULL, 2, 4096 };
static const struct suo_quantity a_ratio = { SUO_RATIO, NULL, 100, 1000000 };
static const struct suo_quantity a_buffer = { SUO_BYTES, "B", 1, 1ull << 36 };
static const struct suo_quantity a_dimension = {
	SUO_NUMBER, NULL, 1, SUO_CLUSTER_MAX_ACCELS
};

/* Cables between tiers: within a rack, a row, a hall. */
static const uint64_t usual_mm[SUO_FABRIC_MAX_TIERS] = {
	5000, 30000, 100000, 100000
};

static uint64_t get(struct suo_load *load, const struct suo_tier_load *t,
		    const char *key, const char *text,
		    const struct suo_quantity *what, uint64_t otherwise)
{
	return suo_load_get(load, suo_tier_key(t, key), text, what, otherwise);
}

static void get_cable(struct suo_load *load, struct suo_tier_load *t)
{
	const struct suo_profile *p = load->cluster->out.profile;
	const struct suo_raw_tier *raw = t->raw;
	struct suo_tier *tier = t->tier;
	uint64_t propagation_ps = p->propagation_ps.value;

	tier->cable = suo_load_part(load, suo_tier_key(t, "cable"), raw->cable,
				    SUO_PART_CABLE);
	tier->length_mm = get(load, t, "length_m", raw->length_m, &suo_load_length,
			      usual_mm[t->level]);
	if (tier->cable || raw->length_m || t->level)
		propagation_ps = suo_cable_ps(tier->cable, tier->length_mm);
	tier->propagation_ps = get(load, t, "propagation_ns", raw->propagation_ns,
				   &suo_load_latency, propagation_ps);
	tier->fec_ps = get(load, t, "fec_ns", raw->fec_ns, &suo_load_latency,
			   tier->cable ? tier->cable->fec_ps.value :
					 p->fec_ps.value);
	if (!tier->cable)
		return;
	suo_load_reach(load, suo_tier_key(t, "length_m"), tier->cable, tier->length_mm);
	if (tier->rate_mbps > tier->cable->rate_mbps.value)
		suo_load_fault(load, suo_tier_key(t, "cable"),
			       "'%s' carries %" PRIu64 " Mb/s, not %" PRIu64,
			       tier->cable->name, tier->cable->rate_mbps.value,
			       tier->rate_mbps);
}

/* Ports of a chip at a rate: as many as share its capacity, if it has them. */
static uint64_t ports_at(const struct suo_part *sw, uint64_t rate_mbps)
{
	uint64_t n = sw->capacity_mbps.value / rate_mbps;

	return n < sw->ports.value ? n : sw->ports.value;
}

static void get_switch(struct suo_load *load, struct suo_tier_load *t)
{
	const struct suo_profile *p = load->cluster->out.profile;
	const struct suo_raw_tier *raw = t->raw;
	struct suo_tier *tier = t->tier;
	uint64_t most = DEFAULT_RADIX;

	tier->sw = suo_load_part(load, suo_tier_key(t, "switch"),
				 raw->switch_part, SUO_PART_SWITCH);
	if (tier->sw)
		most = ports_at(tier->sw, tier->rate_mbps);
	t->any_radix = !tier->sw && !raw->radix;
	tier->radix = get(load, t, "radix", raw->radix, &a_radix, most);
	if (tier->sw && tier->radix > most)
		suo_load_fault(load, suo_tier_key(t, "radix"),
			       "'%s' has at most %" PRIu64 " ports of %" PRIu64 " Mb/s",
			       tier->sw->name, most, tier->rate_mbps);
	else if (tier->sw && most < 2)
		suo_load_fault(load, suo_tier_key(t, "switch"),
			       "'%s' has no two ports of %" PRIu64 " Mb/s",
			       tier->sw->name, tier->rate_mbps);
	tier->switch_ps = get(load, t, "switch_ns", raw->switch_ns, &suo_load_latency,
			      tier->sw ? tier->sw->latency_ps.value :
					 p->switch_ps.value);
	tier->buffer_bytes = get(load, t, "buffer_bytes", raw->buffer_bytes,
				 &a_buffer, tier->sw ?
				 tier->sw->buffer_bytes.value :
				 p->buffer_bytes.value * tier->radix);
	tier->reduce = tier->sw && tier->sw->reduce.value;
}

/* Rates first: what a switch has depends on that of its links. */
static void get_rates(struct suo_load *load, struct suo_tier_load *t, uint32_t n)
{
	uint64_t rate_mbps = load->cluster->out.rate_mbps;

	for (uint32_t i = 0; i < n; i++) {
		const char *text = t[i].raw->rate_gbps;

		if (!i && text)
			suo_load_fault(load, suo_tier_key(&t[i], "rate_gbps"),
				       "links of the lowest tier are as fast as NICs: scale_out.rate_gbps");
		rate_mbps = get(load, &t[i], "rate_gbps", text, &suo_load_rate, rate_mbps);
		t[i].tier->rate_mbps = rate_mbps;
		if (i)
			t[i - 1].tier->up_rate_mbps = rate_mbps;
	}
}

static void get_tiers(struct suo_load *load, struct suo_tier_load *t, uint32_t n)
{
	unsigned int faults = load->report.faults;

	get_rates(load, t, n);
	for (uint32_t i = 0; i < n; i++) {
		get_switch(load, &t[i]);
		get_cable(load, &t[i]);
		t[i].tier->count = get(load, &t[i], "count", t[i].raw->count,
				       &a_switch_count, 0);
		t[i].tier->oversub_milli =
			get(load, &t[i], "oversubscription",
			    t[i].raw->oversubscription, &a_ratio, 0);
		if (i == n - 1 && t[i].raw->oversubscription)
			suo_load_fault(load, suo_tier_key(&t[i], "oversubscription"),
				       "there is no tier above");
	}
	if (load->report.faults == faults)
		suo_fabric_fit(load, t, n);
}

/* The tiers that a topology has by its nature. */
static void named_tiers(struct suo_load *load, const struct suo_raw_out *raw,
			uint32_t n)
{
	static const struct suo_raw_tier nothing;
	static const char *const names[] = { "leaf", "spine", "core" };
	const struct suo_raw_tier *given[] = { raw->leaf, raw->spine, raw->core };
	struct suo_fabric *fabric = &load->cluster->out.fabric;
	struct suo_tier_load t[3] = { 0 };

	for (uint32_t i = 0; i < 3; i++) {
		snprintf(t[i].path, sizeof(t[i].path), "scale_out.%s", names[i]);
		if (i >= n && given[i]) {
			suo_load_fault(load, t[i].path, "a topology '%s' has none",
				       suo_topology_names[fabric->topology]);
			return;
		}
		if (i >= n)
			continue;
		t[i].raw = given[i] ? given[i] : &nothing;
		t[i].level = i;
		t[i].tier = &fabric->tier[i];
		strcpy(t[i].tier->name, names[i]);
	}
	fabric->ntiers = n;
	get_tiers(load, t, n);
}

/* The tier that a name means. Return: its place in the list, or the list's length. */
static uint32_t find_tier(const struct suo_raw_out *raw, const char *name)
{
	uint32_t i;

	for (i = 0; i < raw->tiers_count; i++)
		if (!strcmp(raw->tiers[i].name, name))
			break;
	return i;
}

static void tier_fault(struct suo_load *load, uint32_t i, const char *key,
		       const char *what, const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "scale_out.tiers[%" PRIu32 "].%s", i, key);
	suo_load_fault(load, full, what, name);
}

/* Names are different, and each other than the last has one of them above it. */
static bool check_names(struct suo_load *load, const struct suo_raw_out *raw)
{
	unsigned int faults = load->report.faults;

	for (uint32_t i = 0; i < raw->tiers_count; i++) {
		const struct suo_raw_tier *tier = &raw->tiers[i];

		if (strlen(tier->name) >= sizeof(load->cluster->out.fabric.tier[0].name))
			tier_fault(load, i, "name", "'%s' is too long", tier->name);
		if (find_tier(raw, tier->name) != i)
			tier_fault(load, i, "name", "'%s' is listed twice",
				   tier->name);
		if (tier->above && find_tier(raw, tier->above) == raw->tiers_count)
			tier_fault(load, i, "above", "there is no tier '%s'",
				   tier->above);
	}
	return load->report.faults == faults;
}

/* The tier that nothing is below. Return: its place, or -1 after a fault. */
static int find_lowest(struct suo_load *load, const struct suo_raw_out *raw)
{
	int lowest = -1;

	for (uint32_t i = 0; i < raw->tiers_count; i++) {
		bool is_above = false;

		for (uint32_t j = 0; j < raw->tiers_count; j++)
			if (raw->tiers[j].above &&
			    !strcmp(raw->tiers[j].above, raw->tiers[i].name))
				is_above = true;
		if (is_above)
			continue;
		if (lowest >= 0) {
			tier_fault(load, i, "name",
				   "'%s' is a second tier with nothing below it",
				   raw->tiers[i].name);
			return -1;
		}
		lowest = i;
	}
	if (lowest < 0)
		tier_fault(load, 0, "above",
			   "the tiers are a circle: each is above another, '%s' too",
			   raw->tiers[0].name);
	return lowest;
}

static void listed_tiers(struct suo_load *load, const struct suo_raw_out *raw)
{
	struct suo_fabric *fabric = &load->cluster->out.fabric;
	struct suo_tier_load t[SUO_FABRIC_MAX_TIERS] = { 0 };
	uint32_t n = 0, at;
	int lowest;

	if (!raw->tiers_count) {
		suo_load_fault(load, "scale_out.tiers", "missing: a topology 'tiers' lists them");
		return;
	}
	if (raw->tiers_count > SUO_FABRIC_MAX_TIERS) {
		suo_load_fault(load, "scale_out.tiers", "%u tiers; at most %d are possible",
			       raw->tiers_count, SUO_FABRIC_MAX_TIERS);
		return;
	}
	if (!check_names(load, raw))
		return;
	lowest = find_lowest(load, raw);
	if (lowest < 0)
		return;

	for (at = lowest; ; at = find_tier(raw, raw->tiers[at].above)) {
		if (n == raw->tiers_count) {
			tier_fault(load, at, "above", "the tiers above '%s' are a circle",
				   raw->tiers[at].name);
			return;
		}
		snprintf(t[n].path, sizeof(t[n].path), "scale_out.tiers[%" PRIu32 "]", at);
		t[n].raw = &raw->tiers[at];
		t[n].level = n;
		t[n].tier = &fabric->tier[n];
		strcpy(t[n].tier->name, raw->tiers[at].name);
		n++;
		if (!raw->tiers[at].above)
			break;
	}
	if (n < raw->tiers_count) {
		suo_load_fault(load, "scale_out.tiers", "%" PRIu32 " of %u tiers are above one another",
			       n, raw->tiers_count);
		return;
	}
	fabric->ntiers = n;
	get_tiers(load, t, n);
}

static void torus(struct suo_load *load, const struct suo_raw_out *raw)
{
	const struct suo_profile *p = load->cluster->out.profile;
	struct suo_fabric *fabric = &load->cluster->out.fabric;
	uint32_t ranks = suo_cluster_ranks(load->cluster);
	uint64_t nodes = 1;

	if (!raw->torus_count || raw->torus_count > SUO_FABRIC_MAX_DIMS) {
		suo_load_fault(load, "scale_out.torus", "a torus has 1 to %d dimensions",
			       SUO_FABRIC_MAX_DIMS);
		return;
	}
	fabric->ndims = raw->torus_count;
	for (uint32_t i = 0; i < fabric->ndims; i++) {
		fabric->dim[i] = suo_load_get(load, "scale_out.torus",
					      raw->torus[i], &a_dimension, 1);
		nodes *= fabric->dim[i];
		if (nodes > SUO_CLUSTER_MAX_ACCELS)
			break;
	}
	if (nodes != ranks)
		suo_load_fault(load, "scale_out.torus", "its size is not that of the cluster, %" PRIu32 " accelerators",
			       ranks);
	fabric->torus_pass_ps = p->switch_ps.value;
	fabric->torus_link_ps = p->fec_ps.value + p->propagation_ps.value;
}

void suo_load_fabric(struct suo_load *load, const struct suo_raw_out *raw)
{
	struct suo_cluster *c = load->cluster;
	struct suo_fabric *fabric = &c->out.fabric;

	fabric->topology = suo_load_word(load, "scale_out.topology", raw->topology,
					 suo_topology_names, SUO_TOPOLOGY_SINGLE);
	fabric->endpoints = (uint64_t)c->hosts * c->out.host_nics;
	fabric->rails = fabric->topology == SUO_TOPOLOGY_RAIL ? c->out.host_nics : 1;
	if (fabric->topology == SUO_TOPOLOGY_TORUS ||
	    fabric->topology == SUO_TOPOLOGY_TIERS)
		suo_load_lab_fault(load, "scale_out.topology",
				   "the lab's scale-out network is no '%s'",
				   suo_topology_names[fabric->topology]);
	if (raw->tiers_count && fabric->topology != SUO_TOPOLOGY_TIERS)
		suo_load_fault(load, "scale_out.tiers", "only a topology 'tiers' has such a list");
	if (raw->torus_count && fabric->topology != SUO_TOPOLOGY_TORUS)
		suo_load_fault(load, "scale_out.torus", "the topology is '%s'",
			       suo_topology_names[fabric->topology]);

	switch (fabric->topology) {
	case SUO_TOPOLOGY_TIERS:
		listed_tiers(load, raw);
		break;
	case SUO_TOPOLOGY_TORUS:
		named_tiers(load, raw, 0);
		torus(load, raw);
		break;
	case SUO_TOPOLOGY_SINGLE:
		named_tiers(load, raw, 1);
		break;
	case SUO_TOPOLOGY_FAT_TREE:
		named_tiers(load, raw, 3);
		break;
	default:
		named_tiers(load, raw, 2);
		break;
	}
}
