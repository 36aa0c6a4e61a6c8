/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of the simulator share. 8000 Mb/s are a nanosecond a byte. A full packet
 * is 4096 + 82 bytes of the line, 16 more in a message's first and 4 more in its last
 * (contracts.rst); an acknowledgment is 86.
 */
#ifndef SUO_TEST_SIM_LAB_H
#define SUO_TEST_SIM_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/sim/sim_int.h"
#include "model/sim/workload.h"

#define NS	1000ull		/* picoseconds */
#define US	1000000ull
#define RATE	8000		/* Mb/s: 1 byte a nanosecond */
#define FULL	4178u		/* bytes of a full packet, gap included */
#define ACK	86u

struct result {
	struct suo_outcome	out;
	struct suo_sim_count	count;
	u64			dropped;
	u64			trimmed;
	u64			pauses;
	u64			nacks;
	u64			headroom_max;
};

static inline struct suo_sim_config network(void)
{
	struct suo_sim_config config;

	suo_sim_config_init(&config, RATE);
	config.hosts = 16;
	/* So that acknowledgments of all but the last do not share the links. */
	config.ack_every = 1u << 20;
	/* The default is made for 400 Gb/s. */
	config.rto_ps = 1000000 * US;
	return config;
}

static inline struct result run(const struct suo_sim_config *config,
			 const struct suo_workload *work, FILE *trace)
{
	struct result r = { 0 };
	struct suo_sim sim;
	char why[256] = "";

	assert_int_equal(suo_sim_config_check(config, why, sizeof(why)), 0);
	assert_int_equal(suo_workload_check(work, config, why, sizeof(why)), 0);
	assert_int_equal(suo_sim_init(&sim, config), 0);
	sim.trace.messages = trace;
	sim.trace.packets = trace;
	assert_int_equal(suo_workload_run(&sim, work, &r.out), 0);
	r.count = sim.count;
	for (u32 i = 0; i < sim.flows; i++)
		r.nacks += sim.flow[i]->count.nacks;
	for (u32 i = 0; i < sim.topo.nodes; i++) {
		const struct suo_switch *sw = &sim.topo.node[i].sw;
		const struct suo_pfc_pg *pg;

		/* All room has been given back. */
		assert_int_equal(sw->pool.used_bytes, 0);
		for (u32 p = 0; p < sw->nports; p++) {
			for (u32 d = 0; d < SUO_DROPS; d++)
				r.dropped += sw->port[p].count.dropped[d];
			r.trimmed += sw->port[p].count.trimmed;
			for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++) {
				r.pauses += sw->port[p].count.pause_tx[q];
				pg = &sw->port[p].group[q].pg;
				r.headroom_max = suo_max(r.headroom_max,
							 pg->headroom_max_bytes);
			}
		}
	}
	suo_sim_free(&sim);
	return r;
}

/* Messages of n full packets: bytes of the line. */
static inline u64 wire(u64 packets)
{
	return packets * FULL + 16 + 4;
}

#define work_of(...)	((struct suo_workload){ .flows_per_pair = 1, .elem_bytes = 4, \
						.seed = 1, __VA_ARGS__ })

static inline u64 within(u64 value, u64 expected, u32 permille)
{
	u64 off = value > expected ? value - expected : expected - value;

	return off * 1000 <= expected * permille;
}

/* For struct suo_sim_user: arg is a struct suo_outcome. */
static inline void keep_times(struct suo_sim *sim, struct suo_msg *msg, void *arg)
{
	suo_outcome_add(arg, msg);
}

#endif /* SUO_TEST_SIM_LAB_H */
