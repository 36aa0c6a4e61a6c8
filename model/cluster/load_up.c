// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The scale-up ports of a cluster file. */
#include <inttypes.h>
#include <string.h>

#include "model/cluster/load.h"
#include "model/cluster/upfield.h"

static const struct suo_quantity a_link_count = { SUO_NUMBER, NULL, 1, 1024 };
static const struct suo_quantity a_lane_count = { SUO_NUMBER, NULL, 1, 64 };

/* Of a cable within a rack. */
#define DEFAULT_LENGTH_MM	1000

/* Enough packets for the share that each has of a frame's last byte not to count. */
#define MANY_PACKETS	4096

static const char *text_of(const struct suo_up_field *field,
			   const struct suo_raw_up *raw)
{
	const char *text;

	memcpy(&text, (const char *)raw + field->raw, sizeof(text));
	return text;
}

static const char *full_key(const char *key)
{
	static char full[64];

	snprintf(full, sizeof(full), "scale_up.%s", key);
	return full;
}

static void get_field(struct suo_load *load, const struct suo_up_field *field,
		      const struct suo_raw_up *raw)
{
	struct suo_link_law *law = &load->cluster->up;
	uint64_t value = suo_up_get(field, law);
	const char *text = text_of(field, raw);

	if (field->words)
		value = suo_load_word(load, full_key(field->key), text,
				      field->words, value);
	else
		value = suo_load_get(load, full_key(field->key), text,
				     &field->what, value);
	suo_up_set(field, law, value);
}

/* The whole latency, or its parts. */
static void get_latency(struct suo_load *load, const struct suo_raw_up *raw)
{
	struct suo_link_law *law = &load->cluster->up;
	const struct suo_up_field *field;
	uint64_t whole;

	if (!raw->latency_ns)
		return;
	for (unsigned int i = 0; (field = suo_up_field(i)); i++)
		if (field->is_latency && text_of(field, raw))
			suo_load_fault(load, full_key(field->key),
				       "only latency_ns or its parts can be given");
	whole = suo_load_get(load, "scale_up.latency_ns", raw->latency_ns,
			     &suo_load_latency, 0);
	for (unsigned int i = 0; (field = suo_up_field(i)); i++)
		if (field->is_latency)
			suo_up_set(field, law, 0);
	law->endpoint_ps = whole;
}

/*
 * The raw rate at which whole link packets carry the wanted payload rate,
 * rounded to the nearest Mb/s.
 */
static uint64_t raw_rate(const struct suo_link_law *law, uint64_t payload_mbps)
{
	uint64_t payload = MANY_PACKETS * (uint64_t)law->max_payload_bytes;
	uint64_t wire = suo_link_wire_bytes(law, payload);

	return ((unsigned __int128)payload_mbps * wire + payload / 2) / payload;
}

/* Return: whether there is a rate that makes sense. */
static bool get_rate(struct suo_load *load, const struct suo_raw_up *raw)
{
	const struct suo_profile *p = load->cluster->up_profile;
	struct suo_link_law *law = &load->cluster->up;
	bool by_links = raw->links || raw->lanes || raw->lane_rate_gbps;
	unsigned int faults = load->report.faults;
	uint64_t links, lanes, lane;

	if (by_links + !!raw->bandwidth + !!raw->rate_gbps > 1) {
		suo_load_fault(load, raw->rate_gbps ? "scale_up.rate_gbps" :
						      "scale_up.bandwidth",
			       "only one of links, bandwidth and rate_gbps can be given");
		return false;
	}
	links = suo_load_get(load, "scale_up.links", raw->links, &a_link_count,
			     p->links.value);
	lanes = suo_load_get(load, "scale_up.lanes", raw->lanes, &a_lane_count,
			     p->lanes.value);
	lane = suo_load_get(load, "scale_up.lane_rate_gbps", raw->lane_rate_gbps,
			    &suo_load_rate, p->lane_rate_mbps.value);
	law->rate_mbps = suo_load_get(load, "scale_up.rate_gbps", raw->rate_gbps,
				      &suo_load_rate, links * lanes * lane);
	if (raw->bandwidth)
		law->rate_mbps = raw_rate(law, suo_load_get(load, "scale_up.bandwidth",
							    raw->bandwidth,
							    &suo_load_bandwidth, 1));
	if (law->rate_mbps > SUO_LINK_MAX_RATE_MBPS)
		suo_load_fault(load, raw->bandwidth ? "scale_up.bandwidth" :
						      "scale_up.links",
			       "%" PRIu64 " Mb/s on the wire; at most %llu are possible",
			       law->rate_mbps, SUO_LINK_MAX_RATE_MBPS);
	return faults == load->report.faults;
}

/* What profiles have for each link, for as much as there is of it. */
static void scale_to_rate(struct suo_load *load, const struct suo_raw_up *raw)
{
	const struct suo_profile *p = load->cluster->up_profile;
	struct suo_link_law *law = &load->cluster->up;
	uint64_t link_mbps = suo_profile_link_mbps(p);
	const struct suo_up_field *field;

	for (unsigned int i = 0; (field = suo_up_field(i)); i++) {
		uint64_t value;

		if (!field->per_link || text_of(field, raw))
			continue;
		value = (suo_up_figure(field, p)->value * law->rate_mbps +
			 link_mbps - 1) / link_mbps;
		suo_up_set(field, law, value < field->what.max ? value :
							       field->what.max);
	}
}

static void check_framing(struct suo_load *load)
{
	const struct suo_link_law *law = &load->cluster->up;
	uint64_t packet;

	if (load->report.faults)
		return;
	if (law->frame_bytes && (!law->frame_payload_bytes ||
				 law->frame_payload_bytes > law->frame_bytes)) {
		suo_load_fault(load, "scale_up.frame_payload_bytes",
			       "%" PRIu32 " of a frame of %" PRIu32 " bytes cannot be",
			       law->frame_payload_bytes, law->frame_bytes);
		return;
	}
	packet = suo_link_wire_bytes(law, law->max_payload_bytes);
	if (law->credit_bytes && law->credit_bytes < packet)
		suo_load_fault(load, "scale_up.credit_bytes",
			       "%" PRIu32 " bytes are less than a packet takes, %" PRIu64,
			       law->credit_bytes, packet);
}

/* A switch and cables that the file names stand for the profile's figures. */
static void get_parts(struct suo_load *load, const struct suo_raw_up *raw)
{
	struct suo_cluster *c = load->cluster;
	uint64_t length_mm;

	c->up_switch = suo_load_part(load, "scale_up.switch", raw->switch_part,
				     SUO_PART_SWITCH);
	c->up_cable = suo_load_part(load, "scale_up.cable", raw->cable,
				    SUO_PART_CABLE);
	length_mm = suo_load_get(load, "scale_up.length_m", raw->length_m,
				 &suo_load_length, DEFAULT_LENGTH_MM);
	if (raw->latency_ns && (raw->switch_part || raw->cable || raw->length_m))
		suo_load_fault(load, "scale_up.latency_ns",
			       "stands for the latency of switch and cable, too; give it or them");
	if (c->up_switch) {
		c->up.switch_ps = c->up_switch->latency_ps.value;
		c->up_reduce = c->up_switch->reduce.value;
	}
	if (c->up_cable) {
		c->up.fec_ps = c->up_cable->fec_ps.value;
		c->up.errors_per_pbit = c->up_cable->errors_per_pbit.value;
		suo_load_reach(load, "scale_up.length_m", c->up_cable, length_mm);
	}
	if (c->up_cable || raw->length_m)
		c->up.propagation_ps = suo_cable_ps(c->up_cable, length_mm);
}

/* In-network reduction: by the profile's or the part's switch, unless told. */
static void get_reduce(struct suo_load *load, const struct suo_raw_up *raw)
{
	static const char *const words[] = { "no", "yes", NULL };
	struct suo_cluster *c = load->cluster;

	if (!c->up_switch)
		c->up_reduce = suo_profile_reduces(c->up_profile);
	c->up_reduce = suo_load_word(load, "scale_up.in_network_reduction",
				     raw->in_network_reduction, words,
				     c->up_reduce);
}

void suo_load_up(struct suo_load *load, const struct suo_raw_up *raw)
{
	struct suo_cluster *c = load->cluster;
	const struct suo_up_field *field;

	c->up_profile = suo_load_profile(load, "scale_up.profile", raw->profile,
					 false);
	if (!c->up_profile)
		return;

	suo_up_law(c->up_profile, &c->up);
	c->up.seed = 1;
	get_parts(load, raw);
	get_reduce(load, raw);
	for (unsigned int i = 0; (field = suo_up_field(i)); i++)
		get_field(load, field, raw);
	get_latency(load, raw);
	if (get_rate(load, raw))
		scale_to_rate(load, raw);
	check_framing(load);
}
