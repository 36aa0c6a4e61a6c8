// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A NIC sends one packet after the other: first what answers others, then its flows,
 * one packet each in turn, as far as their rates, windows and pauses allow.
 */
#include "model/sim/sim_int.h"

/* The rate of a flow that waits is looked at so often: 20 us. */
#define LOOK_PS	20000000ull

u64 suo_host_ser_ps(const struct suo_sim *sim, u64 wire_bytes)
{
	u64 rate = sim->config->tier[0].rate_mbps;

	return (wire_bytes * 8000000 + rate - 1) / rate;
}

static void transmit(struct suo_sim *sim, struct suo_host *host,
		     struct suo_packet *packet)
{
	struct suo_frame *frame = &packet->frame;
	const struct suo_peer *peer = &sim->topo.host[host->id];
	u64 end_ps = sim->now_ps +
		     suo_host_ser_ps(sim, frame->bytes +
					  frame->packets * SUO_SWITCH_GAP_BYTES);
	u64 head_ps = end_ps;

	if (frame->packets > 1)
		head_ps = sim->now_ps +
			  suo_host_ser_ps(sim, (frame->bytes - frame->last_bytes) /
					       (frame->packets - 1) +
					       SUO_SWITCH_GAP_BYTES);
	frame->tail_ps = end_ps + peer->hop_ps;
	host->busy = true;
	if (sim->trace.packets)
		suo_trace_packet(sim, "send", "host", host->id, 0, frame);
	suo_sim_at(sim, end_ps, SUO_HOST_SENT, host, 0);
	suo_sim_at(sim, head_ps + peer->hop_ps, SUO_AT_SWITCH, packet,
		   (u64)peer->node << 16 | peer->port);
}

/* Return: an answer that may be sent now, taken out; or NULL. */
static struct suo_packet *take_control(struct suo_sim *sim, struct suo_host *host)
{
	u32 left = host->control_mask;

	while (left) {
		u32 q = suo_top_bit(left);
		struct suo_packets *list = &host->control[q];
		struct suo_packet *packet = list->head;

		left &= ~(1u << q);
		if (suo_pfc_is_paused(&host->heard, q, sim->now_ps))
			continue;
		list->head = (struct suo_packet *)packet->frame.next;
		if (!list->head)
			host->control_mask &= ~(1u << q);
		return packet;
	}
	return NULL;
}

static void add_ready(struct suo_host *host, struct suo_flow *flow)
{
	flow->ready = true;
	flow->ready_next = NULL;
	if (host->ready)
		host->ready_tail->ready_next = flow;
	else
		host->ready = flow;
	host->ready_tail = flow;
}

/* Wait for the next turn, but look at the rate now and then. */
static void pace(struct suo_sim *sim, struct suo_flow *flow)
{
	u64 look_ps = sim->now_ps + LOOK_PS;

	flow->paced = true;
	suo_sim_at(sim, flow->next_ps < look_ps ? flow->next_ps : look_ps,
		   SUO_FLOW_PACED, flow, 0);
}

/* The flow has sent so much: it takes its next turn at once, or when its rate says. */
static void take_turn(struct suo_sim *sim, struct suo_host *host,
		      struct suo_flow *flow, const struct suo_frame *frame)
{
	u64 wire = frame->bytes + frame->packets * SUO_SWITCH_GAP_BYTES;
	u64 rate_kbps = flow->cc.rate_kbps;

	if (flow->cc.ops->sent) {
		flow->cc.ops->sent(&flow->cc, wire, sim->now_ps);
		rate_kbps = flow->cc.rate_kbps;
	}
	if (rate_kbps >= sim->config->tier[0].rate_mbps * 1000) {
		add_ready(host, flow);
		return;
	}
	flow->next_ps = sim->now_ps + wire * 8000000000ull / rate_kbps;
	pace(sim, flow);
}

/* A slow flow may have become faster while it waited. */
void suo_flow_paced(struct suo_sim *sim, struct suo_flow *flow)
{
	u64 before_kbps = flow->cc.rate_kbps;

	flow->paced = false;
	if (flow->next_ps <= sim->now_ps) {
		suo_host_ready(sim, flow);
		return;
	}
	if (flow->cc.ops->sent)
		flow->cc.ops->sent(&flow->cc, 0, sim->now_ps);
	flow->next_ps = sim->now_ps + suo_mul_div(flow->next_ps - sim->now_ps,
						  before_kbps, flow->cc.rate_kbps);
	pace(sim, flow);
}

void suo_host_send(struct suo_sim *sim, struct suo_host *host)
{
	struct suo_packet *packet;

	if (host->busy)
		return;
	packet = host->control_mask ? take_control(sim, host) : NULL;
	if (packet) {
		transmit(sim, host, packet);
		return;
	}
	if (!host->ready)
		return;
	if (suo_pfc_is_paused(&host->heard, sim->config->prio, sim->now_ps)) {
		if (!host->waits_ps)
			host->waits_ps = sim->now_ps;
		return;
	}
	if (host->waits_ps) {
		host->paused_ps += sim->now_ps - host->waits_ps;
		host->waits_ps = 0;
	}
	while (host->ready) {
		struct suo_flow *flow = host->ready;

		host->ready = flow->ready_next;
		flow->ready = false;
		packet = sim->transport->next(sim, flow);
		if (!packet)
			continue;
		take_turn(sim, host, flow, &packet->frame);
		transmit(sim, host, packet);
		return;
	}
}

void suo_host_ready(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_host *host = &sim->host[flow->src];

	if (!flow->ready && !flow->paced)
		add_ready(host, flow);
	suo_host_send(sim, host);
}

void suo_host_control(struct suo_sim *sim, u32 number, struct suo_packet *packet)
{
	struct suo_host *host = &sim->host[number];
	struct suo_packets *list = &host->control[packet->frame.prio];

	packet->frame.next = NULL;
	if (list->head)
		list->tail->frame.next = &packet->frame;
	else
		list->head = packet;
	list->tail = packet;
	host->control_mask |= 1u << packet->frame.prio;
	suo_host_send(sim, host);
}

void suo_host_hear(struct suo_sim *sim, struct suo_host *host, u32 prio, u32 quanta)
{
	host->pause_rx++;
	suo_pfc_hear(&host->heard, sim->config->tier[0].rate_mbps, prio, quanta,
		     sim->now_ps);
	if (quanta)
		suo_sim_at(sim, host->heard.until_ps[prio], SUO_HOST_RESUME, host, 0);
	suo_host_send(sim, host);
}
