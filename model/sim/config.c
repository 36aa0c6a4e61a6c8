// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "model/analytic/net.h"
#include "model/sim/config.h"

#define NS		1000ull
#define US		1000000ull
#define KiB		1024ull
#define MIN_FRAME_BYTES	64u

u32 suo_sim_frame_bytes(u32 payload_bytes)
{
	u32 bytes = payload_bytes + SUO_ROCE_PACKET_BYTES - SUO_SWITCH_GAP_BYTES;

	return bytes < MIN_FRAME_BYTES ? MIN_FRAME_BYTES : bytes;
}

/* Light needs 5 ns for a metre of fibre. */
static u32 length_m(u64 hop_ps)
{
	u64 m = hop_ps / (5 * NS);

	return m > 100000 ? 100000 : m;
}

void suo_sim_config_lossless(struct suo_sim_config *config, bool lossless)
{
	struct suo_switch_class *class = config->sw.class;
	struct suo_pfc_cable cable = {
		.mtu_bytes = suo_sim_frame_bytes(config->mtu_bytes) * config->train,
		.lossless_mtu_bytes = suo_sim_frame_bytes(config->mtu_bytes) *
				      config->train,
		.cell_bytes = 256,
	};

	for (u32 t = 0; t < SUO_SIM_TIERS; t++) {
		cable.rate_mbps = suo_max(cable.rate_mbps, config->tier[t].rate_mbps);
		cable.length_m = suo_max(cable.length_m,
					 length_m(config->tier[t].hop_ps));
	}
	for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++)
		class[q].pfc = (struct suo_pfc_law){ .dynamic_th = 0 };
	if (!lossless)
		return;
	class[config->prio].pfc = (struct suo_pfc_law){
		.headroom_bytes = suo_pfc_late_bytes(&cable),
		.xon_bytes = 2ull * cable.mtu_bytes,
		.dynamic_th = 0,
	};
	class[config->ack_prio].pfc = class[config->prio].pfc;
}

void suo_sim_config_trains(struct suo_sim_config *config)
{
	u64 frame_bytes = suo_sim_frame_bytes(config->mtu_bytes);

	/* One that has begun, and one that the pause frame waits for. */
	for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++)
		if (config->sw.class[q].pfc.headroom_bytes)
			config->sw.class[q].pfc.headroom_bytes +=
				2 * (config->train - 1) * frame_bytes;
}

void suo_sim_config_ecn(struct suo_sim_config *config, u64 kmin_bytes,
			u64 kmax_bytes, u32 pmax_ppm)
{
	struct suo_switch_class *class = &config->sw.class[config->prio];

	class->ecn = true;
	class->wred = (struct suo_wred_law){
		.kmin_bytes = kmin_bytes,
		.kmax_bytes = kmax_bytes,
		.pmax_ppm = pmax_ppm,
	};
}

void suo_sim_config_pull(struct suo_sim_config *config)
{
	config->transport = SUO_SIM_PULL;
	config->ack_prio = config->ctl_prio;
	config->sw.path = SUO_ECMP_SPRAY;
	suo_sim_config_lossless(config, false);
	/* A little more than what arrives until the sender hears of it. */
	config->sw.class[config->prio].queue_bytes =
		16ull * suo_sim_frame_bytes(config->mtu_bytes) * config->train;
	config->sw.trim_bytes = MIN_FRAME_BYTES;
	config->sw.trim_prio = config->ctl_prio;
}

void suo_sim_config_init(struct suo_sim_config *config, u64 rate_mbps)
{
	*config = (struct suo_sim_config){
		.topology	= SUO_SIM_SINGLE,
		.hosts		= 32,
		.hosts_per_leaf	= 16,
		.spines		= 16,
		.rails		= 1,
		.domain_size	= 1,
		.spine_links	= 1,
		.sw		= {
			.sched = {
				.strict = 1u << 6,
				.weight = { 4, 4, 4, 4, 4, 4, 4, 4 },
			},
			.path = SUO_ECMP_HASH,
		},
		.transport	= SUO_SIM_ROCE,
		.mtu_bytes	= 4096,
		.train		= 1,
		.ack_every	= 1,
		.prio		= 3,
		.ack_prio	= 3,
		.ctl_prio	= 6,
		.cc		= &suo_cc_none,
		.rto_ps		= 1000 * US,
		.seed		= 1,
	};
	for (u32 t = 0; t < SUO_SIM_TIERS; t++)
		config->tier[t] = (struct suo_sim_tier){
			.rate_mbps = rate_mbps,
			.hop_ps = 500 * NS,
			.switch_ps = 500 * NS,
			.buffer_bytes = 2048 * KiB,
		};
	suo_cc_default(&config->cc_law);
	suo_sim_config_lossless(config, true);
}

struct reason {
	char	*text;
	size_t	size;
};

__attribute__((format(printf, 2, 3)))
static int refuse(const struct reason *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->text, why->size, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int suo_sim_config_check(const struct suo_sim_config *c, char *text, size_t size)
{
	const struct reason why = { text, size };
	u32 k;

	if (c->hosts < 2 || c->hosts > SUO_SIM_MAX_HOSTS)
		return refuse(&why, "%u hosts: from 2 to %u", c->hosts,
			      SUO_SIM_MAX_HOSTS);
	for (u32 t = 0; t < SUO_SIM_TIERS; t++) {
		const struct suo_sim_tier *tier = &c->tier[t];

		if (!tier->rate_mbps || tier->rate_mbps > SUO_LINK_MAX_RATE_MBPS)
			return refuse(&why, "a rate must be above 0 and at most %llu Mb/s",
				      SUO_LINK_MAX_RATE_MBPS);
		if (suo_max(tier->hop_ps, tier->switch_ps) > SUO_LINK_MAX_LATENCY_PS)
			return refuse(&why, "a latency is above 1 s");
		if (tier->buffer_bytes > 1ull << 40)
			return refuse(&why, "a buffer is above 1 TiB a port");
	}
	if (c->nic_ps > SUO_LINK_MAX_LATENCY_PS)
		return refuse(&why, "a latency is above 1 s");
	if (c->mtu_bytes < 256 || c->mtu_bytes > 4096 ||
	    c->mtu_bytes & (c->mtu_bytes - 1))
		return refuse(&why, "MTU %u: 256, 512, 1024, 2048 or 4096",
			      c->mtu_bytes);
	if (!c->train || c->train > SUO_SIM_MAX_TRAIN)
		return refuse(&why, "a train has from 1 to %u packets",
			      SUO_SIM_MAX_TRAIN);
	if (!c->ack_every)
		return refuse(&why, "no acknowledgements would come");
	if (!c->domain_size || c->hosts % c->domain_size)
		return refuse(&why, "%u hosts cannot be split into domains of %u",
			      c->hosts, c->domain_size);
	if (c->rto_ps < US)
		return refuse(&why, "a timeout must be at least 1 us");

	switch (c->topology) {
	case SUO_SIM_SINGLE:
		if (c->hosts > SUO_SWITCH_MAX_PORTS)
			return refuse(&why, "a switch has at most %u ports",
				      SUO_SWITCH_MAX_PORTS);
		return 0;
	case SUO_SIM_RAIL:
	case SUO_SIM_LEAF_SPINE:
		if (!c->hosts_per_leaf || !c->spines || !c->spine_links)
			return refuse(&why, "a leaf needs hosts and spines");
		if (c->topology == SUO_SIM_RAIL &&
		    (!c->rails || c->hosts % c->rails))
			return refuse(&why, "%u hosts cannot have %u rails", c->hosts,
				      c->rails);
		if ((u64)c->spines * c->spine_links > SUO_ECMP_MAX_PATHS)
			return refuse(&why, "a leaf has at most %u links up",
				      SUO_ECMP_MAX_PATHS);
		if ((u64)c->hosts_per_leaf + c->spines * c->spine_links >
		    SUO_SWITCH_MAX_PORTS ||
		    (c->hosts / c->hosts_per_leaf + (u64)c->rails) *
		    c->spine_links > SUO_SWITCH_MAX_PORTS)
			return refuse(&why, "a switch has at most %u ports",
				      SUO_SWITCH_MAX_PORTS);
		return 0;
	default:
		for (k = 2; k * k * k / 4 < c->hosts; )
			k += 2;
		if (k * k * k / 4 != c->hosts)
			return refuse(&why, "%u hosts: a fat tree of k ports has k^3/4, such as %u",
				      c->hosts, k * k * k / 4);
		return 0;
	}
}
