// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RC over RoCEv2: packets in order, acknowledged in order, and sent again from the
 * first that is missing (IBA volume 1, 9.7: go-back-N).
 */
#include "model/sim/sim_int.h"

static void posted(struct suo_sim *sim, struct suo_flow *flow)
{
	suo_host_ready(sim, flow);
}

static struct suo_packet *next(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_msg *msg = flow->msg_now;
	struct suo_packet *packet;

	if (flow->next == flow->end)
		return NULL;
	if (flow->on_way_bytes >= flow->cc.window_bytes)
		return NULL;
	while (flow->next >= msg->first + msg->trains)
		msg = msg->next;
	flow->msg_now = msg;
	packet = suo_flow_data(sim, flow, msg, flow->next);
	if (packet) {
		flow->next++;
		suo_flow_watch(sim, flow);
	}
	return packet;
}

/* Payload of the trains from una up to, but without, number. */
static u64 payload_up_to(const struct suo_sim *sim, const struct suo_flow *flow,
			 u64 number)
{
	u64 most = (u64)sim->config->mtu_bytes * sim->config->train;
	const struct suo_msg *msg;
	u64 bytes = 0;

	for (msg = flow->msg_head; msg && msg->first < number; msg = msg->next) {
		u64 from = suo_max(flow->una, msg->first) - msg->first;
		u64 to = number - msg->first;

		if (to >= msg->trains)
			bytes += msg->bytes - from * most;
		else
			bytes += (to - from) * most;
	}
	return bytes;
}

/* All before this train has arrived. */
static void acknowledge(struct suo_sim *sim, struct suo_flow *flow, u64 number)
{
	struct suo_msg *msg;

	if (number <= flow->una)
		return;
	flow->on_way_bytes = suo_sub_sat(flow->on_way_bytes,
					 payload_up_to(sim, flow, number));
	flow->una = number;
	flow->next = suo_max(flow->next, number);
	suo_flow_progress(sim, flow);
	while ((msg = flow->msg_head) && msg->first + msg->trains <= number) {
		flow->msg_head = msg->next;
		if (flow->msg_now == msg)
			flow->msg_now = msg->next;
		suo_msg_done(sim, msg);
	}
}

/* Send again what is not acknowledged. */
static void go_back(struct suo_sim *sim, struct suo_flow *flow)
{
	flow->next = flow->una;
	flow->msg_now = flow->msg_head;
	if (flow->cc.ops->lost)
		flow->cc.ops->lost(&flow->cc, sim->config->mtu_bytes, sim->now_ps);
	flow->on_way_bytes = 0;
	suo_host_ready(sim, flow);
}

static void at_sender(struct suo_sim *sim, struct suo_packet *packet)
{
	struct suo_flow *flow = packet->flow;
	u64 before = flow->on_way_bytes;

	switch (packet->type) {
	case SUO_PACKET_CNP:
		flow->count.cnps++;
		sim->count.cnps++;
		if (flow->cc.ops->cnp)
			flow->cc.ops->cnp(&flow->cc, sim->now_ps);
		break;
	case SUO_PACKET_NACK:
		flow->count.nacks++;
		if (packet->number < flow->una)
			break;
		acknowledge(sim, flow, packet->number);
		go_back(sim, flow);
		break;
	default:
		acknowledge(sim, flow, packet->number);
		if (flow->cc.ops->ack)
			flow->cc.ops->ack(&flow->cc, before - flow->on_way_bytes,
					  sim->now_ps - packet->sent_ps,
					  packet->marked, sim->now_ps);
		if (flow->cc.window_bytes != U64_MAX && flow->next < flow->end)
			suo_host_ready(sim, flow);
		break;
	}
}

static void answer(struct suo_sim *sim, struct suo_flow *flow,
		   const struct suo_packet *data, u32 type)
{
	struct suo_packet *packet = suo_flow_control(sim, flow, type, true);

	if (!packet)
		return;
	packet->number = flow->expected;
	packet->sent_ps = data->sent_ps;
	packet->marked = data->frame.flags & SUO_FRAME_CE;
	suo_host_control(sim, flow->dst, packet);
}

static void at_receiver(struct suo_sim *sim, struct suo_packet *packet)
{
	struct suo_flow *flow = packet->flow;

	if (packet->frame.flags & SUO_FRAME_CE)
		suo_flow_cnp(sim, flow);
	if (packet->number > flow->expected) {
		/* One complaint for each gap. */
		if (!flow->nacked)
			answer(sim, flow, packet, SUO_PACKET_NACK);
		flow->nacked = true;
		return;
	}
	if (packet->number < flow->expected) {
		answer(sim, flow, packet, SUO_PACKET_ACK);
		return;
	}

	flow->nacked = false;
	flow->expected++;
	if (++flow->unacked >= sim->config->ack_every || packet->last) {
		flow->unacked = 0;
		answer(sim, flow, packet, SUO_PACKET_ACK);
	}
	if (packet->last)
		suo_msg_arrived(sim, packet->msg);
}

static void receive(struct suo_sim *sim, struct suo_packet *packet)
{
	if (packet->type == SUO_PACKET_DATA)
		at_receiver(sim, packet);
	else
		at_sender(sim, packet);
	suo_packet_put(sim, packet);
}

const struct suo_transport_ops suo_roce_ops = {
	.posted		= posted,
	.next		= next,
	.receive	= receive,
	.timeout	= go_back,
};
