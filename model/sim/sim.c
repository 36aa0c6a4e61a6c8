// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What happens, and to whom. */
#include <errno.h>
#include <stdlib.h>

#include "model/sim/sim_int.h"

/* Between two looks at the stop flag and at the progress. */
#define LOOK_EVERY	65536u

static void at_peer(struct suo_sim *sim, const struct suo_peer *peer, u64 at_ps,
		    u64 tail_ps, struct suo_frame *frame)
{
	frame->tail_ps = tail_ps + peer->hop_ps;
	if (peer->is_host)
		/* A NIC needs all of it. */
		suo_sim_at(sim, tail_ps + peer->hop_ps + sim->config->nic_ps,
			   SUO_AT_HOST, frame, peer->node);
	else
		suo_sim_at(sim, at_ps + peer->hop_ps, SUO_AT_SWITCH, frame,
			   (u64)peer->node << 16 | peer->port);
}

static void switch_transmit(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			    u64 start_ps, u64 head_ps, u64 end_ps)
{
	struct suo_sim *sim = sw->owner;

	if (sim->trace.packets)
		suo_trace_packet(sim, "send", "switch", sw->id, port, frame);
	at_peer(sim, &sim->topo.node[sw->id].peer[port], head_ps, end_ps, frame);
}

/* A pause frame goes before all others, but after the one that is being sent. */
static void switch_pause(struct suo_switch *sw, u32 port, u32 prio, u32 quanta,
			 u64 now_ps)
{
	struct suo_sim *sim = sw->owner;
	const struct suo_peer *peer = &sim->topo.node[sw->id].peer[port];
	struct suo_switch_port *p = &sw->port[port];
	u64 at_ps = suo_max(now_ps, p->free_ps) + peer->hop_ps +
		    SUO_SWITCH_PAUSE_BYTES * 8000000ull / p->rate_mbps;

	if (sim->trace.packets)
		suo_trace_packet(sim, quanta ? "pause" : "resume", "switch", sw->id,
				 port, NULL);
	suo_sim_at(sim, at_ps, peer->is_host ? SUO_HEAR_HOST : SUO_HEAR_SWITCH,
		   NULL, (u64)peer->node << 40 | (u64)peer->port << 24 |
			 (u64)prio << 16 | quanta);
}

static void switch_drop(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			u32 why, u64 now_ps)
{
	struct suo_sim *sim = sw->owner;

	sim->count.dropped[why] += frame->packets;
	if (sim->trace.packets)
		suo_trace_packet(sim, "drop", "switch", sw->id, port, frame);
	suo_packet_put(sim, (struct suo_packet *)frame);
}

static void switch_timer(struct suo_switch *sw, u64 at_ps, u32 what, u32 arg,
			 struct suo_frame *frame)
{
	struct suo_sim *sim = sw->owner;

	suo_sim_at(sim, at_ps, SUO_SWITCH_TIMER + what, frame, (u64)sw->id << 32 | arg);
}

static void switch_queued(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			  u64 now_ps)
{
	struct suo_sim *sim = sw->owner;
	const char *what = "queue";

	if (!sim->trace.packets)
		return;
	if (frame->flags & SUO_FRAME_TRIMMED)
		what = "trim";
	else if (frame->flags & SUO_FRAME_CE)
		what = "mark";
	suo_trace_packet(sim, what, "switch", sw->id, port, frame);
}

static const struct suo_switch_ops switch_ops = {
	.transmit	= switch_transmit,
	.pause		= switch_pause,
	.drop		= switch_drop,
	.timer		= switch_timer,
	.queued		= switch_queued,
};

int suo_sim_init(struct suo_sim *sim, const struct suo_sim_config *config)
{
	int ret;

	*sim = (struct suo_sim){ .config = config };
	sim->transport = config->transport == SUO_SIM_ROCE ? &suo_roce_ops :
							     &suo_pull_ops;
	ret = suo_topo_build(&sim->topo, config, &switch_ops, sim);
	if (ret)
		return ret;
	sim->base_rtt_ps = suo_topo_rtt_ps(&sim->topo, config);
	sim->host = calloc(config->hosts, sizeof(*sim->host));
	if (!sim->host)
		return -ENOMEM;
	for (u32 h = 0; h < config->hosts; h++)
		sim->host[h].id = h;
	return config->domain_size > 1 ? suo_domain_init(sim) : 0;
}

void suo_sim_free(struct suo_sim *sim)
{
	for (u32 i = 0; i < sim->flows; i++) {
		suo_pull_free(sim->flow[i]);
		free(sim->flow[i]);
	}
	free(sim->flow);
	suo_domain_free(sim);
	free(sim->host);
	suo_heap_free(&sim->heap);
	suo_topo_free(&sim->topo);
	suo_arena_free(&sim->arena);
}

static void hear(struct suo_sim *sim, const struct suo_happening *what, bool is_host)
{
	u32 node = what->arg >> 40, port = what->arg >> 24 & 0xffff;
	u32 prio = what->arg >> 16 & 0xff, quanta = what->arg & 0xffff;

	if (is_host)
		suo_host_hear(sim, &sim->host[node], prio, quanta);
	else
		suo_switch_hear(&sim->topo.node[node].sw, port, prio, quanta,
				sim->now_ps);
}

static void happen(struct suo_sim *sim, const struct suo_happening *what)
{
	u32 kind = suo_happening_kind(what);
	struct suo_host *host = what->object;

	switch (kind) {
	case SUO_AT_SWITCH:
		suo_switch_receive(&sim->topo.node[what->arg >> 16].sw,
				   what->arg & 0xffff, what->object, sim->now_ps);
		return;
	case SUO_AT_HOST:
		if (sim->trace.packets)
			suo_trace_packet(sim, "receive", "host", what->arg, 0,
					 what->object);
		sim->transport->receive(sim, what->object);
		return;
	case SUO_HEAR_SWITCH:
	case SUO_HEAR_HOST:
		hear(sim, what, kind == SUO_HEAR_HOST);
		return;
	case SUO_HOST_SENT:
		host->busy = false;
		suo_host_send(sim, host);
		return;
	case SUO_HOST_RESUME:
		suo_host_send(sim, host);
		return;
	case SUO_FLOW_PACED:
		suo_flow_paced(sim, what->object);
		return;
	case SUO_FLOW_TIMEOUT:
		suo_flow_timeout(sim, what->object);
		return;
	case SUO_FLOW_POST:
		suo_flow_posted(sim, what->object);
		return;
	case SUO_HOST_PULL:
		suo_pull_turn(sim, host);
		return;
	case SUO_UP_SENT:
		suo_domain_sent(sim, what->arg);
		return;
	case SUO_UP_ASKED:
		suo_domain_post(sim, what->object);
		return;
	case SUO_UP_ARRIVED:
		suo_domain_arrived(sim, what->object);
		return;
	case SUO_UP_DONE:
		suo_msg_done(sim, what->object);
		return;
	default:
		suo_switch_timer(&sim->topo.node[what->arg >> 32].sw,
				 kind - SUO_SWITCH_TIMER, what->arg, what->object,
				 sim->now_ps);
		return;
	}
}

static void fetch_port(const struct suo_sim *sim, const struct suo_switch_port *port)
{
	__builtin_prefetch(port);
	__builtin_prefetch(&port->queue[sim->config->prio]);
	__builtin_prefetch(&port->queue[sim->config->ctl_prio]);
}

/* Most of the time of a large network is spent waiting for memory. */
static void prepare(void *arg, const struct suo_happening *what)
{
	const struct suo_sim *sim = arg;
	const struct suo_switch *sw;

	switch (suo_happening_kind(what)) {
	case SUO_AT_SWITCH:
		sw = &sim->topo.node[what->arg >> 16].sw;
		__builtin_prefetch(what->object);
		__builtin_prefetch(&sw->port[what->arg & 0xffff].group[sim->config->prio]);
		return;
	case SUO_SWITCH_TIMER + SUO_TIMER_FORWARD:
		__builtin_prefetch(what->object);
		/* fallthrough */
	case SUO_SWITCH_TIMER + SUO_TIMER_SENT:
		sw = &sim->topo.node[what->arg >> 32].sw;
		fetch_port(sim, &sw->port[what->arg & U32_MAX]);
		return;
	default:
		__builtin_prefetch(what->object);
		return;
	}
}

int suo_sim_run(struct suo_sim *sim)
{
	struct suo_happening what;

	suo_trace_begin(sim);
	sim->heap.prepare = prepare;
	sim->heap.arg = sim;
	while (suo_heap_next(&sim->heap, &what)) {
		sim->now_ps = what.at_ps;
		happen(sim, &what);
		if (sim->dead)
			return -ETIMEDOUT;
		if (++sim->count.happenings % LOOK_EVERY)
			continue;
		if (sim->failed || sim->heap.full)
			break;
		if (sim->stop && *sim->stop)
			return -EINTR;
		if (sim->tick)
			sim->tick(sim);
	}
	if (sim->failed || sim->heap.full)
		return -ENOMEM;
	return sim->open ? -EDEADLK : 0;
}
