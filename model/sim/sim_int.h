/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the simulator's files share. */
#ifndef SUO_SIM_INT_H
#define SUO_SIM_INT_H

#include "model/sim/sim.h"

/* What happens; see the object and the argument in happen(), sim.c. */
enum suo_sim_kind {
	SUO_AT_SWITCH,
	SUO_AT_HOST,
	SUO_SWITCH_TIMER,	/* SUO_SWITCH_TIMER + enum suo_switch_timer */
	SUO_HEAR_SWITCH = SUO_SWITCH_TIMER + 4,
	SUO_HEAR_HOST,
	SUO_HOST_SENT,
	SUO_HOST_RESUME,
	SUO_FLOW_PACED,
	SUO_FLOW_TIMEOUT,
	SUO_FLOW_POST,
	SUO_HOST_PULL,
	SUO_UP_SENT,
	SUO_UP_ASKED,
	SUO_UP_ARRIVED,
	SUO_UP_DONE,
	SUO_SIM_KINDS,
};

static inline void suo_sim_at(struct suo_sim *sim, u64 at_ps, u32 kind, void *object,
			      u64 arg)
{
	suo_heap_add(&sim->heap, at_ps, kind, object, arg);
}

/* pool.c; NULL without memory, and the simulation has failed. */
struct suo_packet *suo_packet_get(struct suo_sim *sim);
void suo_packet_put(struct suo_sim *sim, struct suo_packet *packet);
struct suo_msg *suo_msg_get(struct suo_sim *sim);
void suo_msg_put(struct suo_sim *sim, struct suo_msg *msg);

/* host.c */
u64 suo_host_ser_ps(const struct suo_sim *sim, u64 wire_bytes);
void suo_host_ready(struct suo_sim *sim, struct suo_flow *flow);
void suo_host_control(struct suo_sim *sim, u32 host, struct suo_packet *packet);
void suo_host_send(struct suo_sim *sim, struct suo_host *host);
void suo_host_hear(struct suo_sim *sim, struct suo_host *host, u32 prio, u32 quanta);
void suo_flow_paced(struct suo_sim *sim, struct suo_flow *flow);

/* flow.c */
struct suo_packet *suo_flow_data(struct suo_sim *sim, struct suo_flow *flow,
				 struct suo_msg *msg, u64 number);
struct suo_packet *suo_flow_control(struct suo_sim *sim, struct suo_flow *flow,
				    u32 type, bool back);
void suo_flow_posted(struct suo_sim *sim, struct suo_msg *msg);
void suo_flow_cnp(struct suo_sim *sim, struct suo_flow *flow);
void suo_flow_progress(struct suo_sim *sim, struct suo_flow *flow);
void suo_flow_watch(struct suo_sim *sim, struct suo_flow *flow);
void suo_flow_timeout(struct suo_sim *sim, struct suo_flow *flow);
void suo_msg_arrived(struct suo_sim *sim, struct suo_msg *msg);
void suo_msg_done(struct suo_sim *sim, struct suo_msg *msg);

/* pull.c: a host's time for the next credit has come */
void suo_pull_turn(struct suo_sim *sim, struct suo_host *host);
void suo_pull_free(struct suo_flow *flow);

/* domain.c */
int suo_domain_init(struct suo_sim *sim);
void suo_domain_free(struct suo_sim *sim);
void suo_domain_post(struct suo_sim *sim, struct suo_msg *msg);
void suo_domain_sent(struct suo_sim *sim, u32 host);
void suo_domain_arrived(struct suo_sim *sim, struct suo_msg *msg);

/* trace.c */
void suo_trace_begin(struct suo_sim *sim);
void suo_trace_message(struct suo_sim *sim, const struct suo_msg *msg);
void suo_trace_packet(struct suo_sim *sim, const char *what, const char *where,
		      u32 node, u32 port, const struct suo_frame *frame);

#endif /* SUO_SIM_INT_H */
