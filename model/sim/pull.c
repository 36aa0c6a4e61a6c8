// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A transport that the receiver drives: Olteanu et al., "An edge-queued datagram
 * service for all datacenter traffic" (EQDS), NSDI 2022, after Handley et al., "NDP",
 * SIGCOMM 2017; UEC's receiver-credit mode is of the same kind. A sender may send a
 * bandwidth-delay product at once; for all that follows the receiver hands out credit,
 * a train each, at the rate of its link and to its flows in turn. Packets go any way.
 * A switch that has no room for one cuts it to its headers, which arrive early and tell
 * the receiver what to ask for again.
 *
 * Without credit and without trimming (SUO_SIM_SELECTIVE) this is RC with selective
 * repeat: what NICs do that put packets in order, so that they can be sprayed. What is
 * lost is repeated after a timeout.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/sim/sim_int.h"

/**
 * struct suo_pull - what such a flow has besides
 * @have: receiver: bit n: train n has arrived
 * @sure: sender: bit n: train n is acknowledged
 * @bits: room in both
 * @again: sender: trains to be sent again, a ring
 * @again_cap: room in it, a power of two
 * @again_head: of the ring; counts up
 * @again_tail: of the ring; counts up
 * @credit: sender: trains it may send
 * @free: receiver: credit that the sender had without being given it
 * @posted: receiver: trains that it knows of
 * @trimmed: receiver: trains to be sent again
 * @given: receiver: credit given
 * @next: behind it among the flows that are to be given credit
 * @listed: it is among them
 */
struct suo_pull {
	u64		*have;
	u64		*sure;
	u64		bits;
	u64		*again;
	u64		again_cap;
	u64		again_head;
	u64		again_tail;
	u64		credit;
	u64		free;
	u64		posted;
	u64		trimmed;
	u64		given;
	struct suo_flow	*next;
	bool		listed;
};

static bool has_bit(const u64 *bits, u64 n)
{
	return bits[n / 64] >> n % 64 & 1;
}

static void set_bit(u64 *bits, u64 n)
{
	bits[n / 64] |= 1ull << n % 64;
}

static bool grow_bits(u64 **bits, u64 from, u64 to)
{
	u64 *more = realloc(*bits, to / 8);

	if (!more)
		return false;
	memset(more + from / 64, 0, (to - from) / 8);
	*bits = more;
	return true;
}

static int init(struct suo_sim *sim, struct suo_flow *flow)
{
	flow->pull = calloc(1, sizeof(*flow->pull));
	return flow->pull ? 0 : -ENOMEM;
}

void suo_pull_free(struct suo_flow *flow)
{
	if (!flow->pull)
		return;
	free(flow->pull->have);
	free(flow->pull->sure);
	free(flow->pull->again);
	free(flow->pull);
}

static u64 train_wire_bytes(const struct suo_sim *sim)
{
	return (u64)sim->config->train * (suo_sim_frame_bytes(sim->config->mtu_bytes) +
					  SUO_SWITCH_GAP_BYTES);
}

/* Trains of a bandwidth-delay product, rounded up. */
static u64 free_trains(const struct suo_sim *sim)
{
	return sim->base_rtt_ps / suo_host_ser_ps(sim, train_wire_bytes(sim)) + 1;
}

/* Does the receiver hand out credit? */
static bool is_pulled(const struct suo_sim *sim)
{
	return sim->config->transport == SUO_SIM_PULL;
}

static bool has_more(const struct suo_flow *flow)
{
	return flow->next < flow->end ||
	       flow->pull->again_head != flow->pull->again_tail;
}

static void posted(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_pull *pull = flow->pull;
	struct suo_packet *packet;

	if (flow->end > pull->bits) {
		u64 bits = suo_max(2 * pull->bits, (flow->end + 63) / 64 * 64);

		if (!grow_bits(&pull->have, pull->bits, bits) ||
		    !grow_bits(&pull->sure, pull->bits, bits)) {
			sim->failed = true;
			return;
		}
		pull->bits = bits;
	}
	if (!is_pulled(sim)) {
		suo_host_ready(sim, flow);
		return;
	}
	/* Idle, it may begin as it did at first. */
	if (flow->msg_head == flow->msg_tail && pull->credit < free_trains(sim)) {
		pull->free += free_trains(sim) - pull->credit;
		pull->credit = free_trains(sim);
	}
	if (!pull->credit) {
		packet = suo_flow_control(sim, flow, SUO_PACKET_RTS, false);
		if (packet) {
			packet->posted = flow->end;
			suo_host_control(sim, flow->src, packet);
		}
		return;
	}
	suo_host_ready(sim, flow);
}

static struct suo_msg *message_of(const struct suo_flow *flow, u64 number)
{
	struct suo_msg *msg = flow->msg_head;

	while (msg && number >= msg->first + msg->trains)
		msg = msg->next;
	return msg;
}

static struct suo_packet *next(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_pull *pull = flow->pull;
	struct suo_packet *packet;
	u64 number;

	/* What has been acknowledged meanwhile need not be sent again. */
	while (pull->again_head != pull->again_tail &&
	       has_bit(pull->sure, pull->again[pull->again_head % pull->again_cap]))
		pull->again_head++;
	if ((is_pulled(sim) && !pull->credit) || !has_more(flow) ||
	    flow->on_way_bytes >= flow->cc.window_bytes)
		return NULL;

	if (pull->again_head != pull->again_tail)
		number = pull->again[pull->again_head % pull->again_cap];
	else
		number = flow->next;
	packet = suo_flow_data(sim, flow, message_of(flow, number), number);
	if (!packet)
		return NULL;
	if (is_pulled(sim)) {
		packet->frame.flags |= SUO_FRAME_TRIMMABLE | SUO_FRAME_SPRAY;
		pull->credit--;
	}
	if (pull->again_head != pull->again_tail)
		pull->again_head++;
	else
		flow->next++;
	suo_flow_watch(sim, flow);
	return packet;
}

/* Does the sender have more than it was given credit for? */
static bool wants(const struct suo_pull *pull)
{
	return pull->given + pull->free < pull->posted + pull->trimmed;
}

static void list(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_host *host = &sim->host[flow->dst];
	struct suo_pull *pull = flow->pull;

	if (pull->listed || !wants(pull))
		return;
	pull->listed = true;
	pull->next = NULL;
	if (host->pulls)
		host->pulls_tail->pull->next = flow;
	else
		host->pulls = flow;
	host->pulls_tail = flow;
	if (!host->pull_busy)
		suo_pull_turn(sim, host);
}

void suo_pull_turn(struct suo_sim *sim, struct suo_host *host)
{
	struct suo_flow *flow = host->pulls;
	struct suo_packet *packet;

	host->pull_busy = flow;
	if (!flow)
		return;
	host->pulls = flow->pull->next;
	flow->pull->listed = false;
	flow->pull->given++;
	sim->count.pulls++;
	suo_sim_at(sim, sim->now_ps + suo_host_ser_ps(sim, train_wire_bytes(sim)),
		   SUO_HOST_PULL, host, 0);
	packet = suo_flow_control(sim, flow, SUO_PACKET_PULL, true);
	if (packet) {
		packet->frame.flags |= SUO_FRAME_SPRAY;
		suo_host_control(sim, host->id, packet);
	}
	list(sim, flow);
}

static void send_again(struct suo_sim *sim, struct suo_flow *flow, u64 number)
{
	struct suo_pull *pull = flow->pull;

	if (pull->again_tail - pull->again_head == pull->again_cap) {
		u64 cap = pull->again_cap ? 2 * pull->again_cap : 64;
		u64 *ring = malloc(cap * sizeof(*ring));
		u64 i;

		if (!ring) {
			sim->failed = true;
			return;
		}
		for (i = pull->again_head; i != pull->again_tail; i++)
			ring[i % cap] = pull->again[i % pull->again_cap];
		free(pull->again);
		pull->again = ring;
		pull->again_cap = cap;
	}
	pull->again[pull->again_tail++ % pull->again_cap] = number;
}

/* Messages that are acknowledged leave from the head of the list, in order. */
static void acknowledge(struct suo_sim *sim, struct suo_flow *flow,
			const struct suo_packet *packet)
{
	struct suo_msg *msg = message_of(flow, packet->number);

	flow->on_way_bytes = suo_sub_sat(flow->on_way_bytes, packet->payload_bytes);
	suo_flow_progress(sim, flow);
	if (flow->cc.ops->ack)
		flow->cc.ops->ack(&flow->cc, packet->payload_bytes,
				  sim->now_ps - packet->sent_ps, packet->marked,
				  sim->now_ps);
	if (!msg || packet->number < msg->first || has_bit(flow->pull->sure,
							   packet->number))
		return;
	set_bit(flow->pull->sure, packet->number);
	msg->acked++;
	while ((msg = flow->msg_head) && msg->acked == msg->trains) {
		flow->msg_head = msg->next;
		suo_msg_done(sim, msg);
	}
}

static void at_sender(struct suo_sim *sim, struct suo_packet *packet)
{
	struct suo_flow *flow = packet->flow;

	switch (packet->type) {
	case SUO_PACKET_PULL:
		flow->pull->credit++;
		break;
	case SUO_PACKET_CNP:
		flow->count.cnps++;
		sim->count.cnps++;
		if (flow->cc.ops->cnp)
			flow->cc.ops->cnp(&flow->cc, sim->now_ps);
		break;
	case SUO_PACKET_NACK:
		flow->count.nacks++;
		flow->on_way_bytes = suo_sub_sat(flow->on_way_bytes,
						 packet->payload_bytes);
		if (flow->cc.ops->lost)
			flow->cc.ops->lost(&flow->cc, packet->payload_bytes,
					   sim->now_ps);
		send_again(sim, flow, packet->number);
		break;
	default:
		acknowledge(sim, flow, packet);
		break;
	}
	if ((flow->pull->credit || !is_pulled(sim)) && has_more(flow))
		suo_host_ready(sim, flow);
}

static void answer(struct suo_sim *sim, struct suo_flow *flow,
		   const struct suo_packet *data, u32 type)
{
	struct suo_packet *packet = suo_flow_control(sim, flow, type, true);

	if (!packet)
		return;
	packet->number = data->number;
	packet->sent_ps = data->sent_ps;
	packet->payload_bytes = data->payload_bytes;
	packet->marked = data->frame.flags & SUO_FRAME_CE;
	if (is_pulled(sim))
		packet->frame.flags |= SUO_FRAME_SPRAY;
	suo_host_control(sim, flow->dst, packet);
}

static void at_receiver(struct suo_sim *sim, struct suo_packet *packet)
{
	struct suo_flow *flow = packet->flow;
	struct suo_pull *pull = flow->pull;

	pull->posted = suo_max(pull->posted, packet->posted);
	if (packet->type == SUO_PACKET_DATA) {
		if (packet->frame.flags & SUO_FRAME_CE)
			suo_flow_cnp(sim, flow);
		if (packet->frame.flags & SUO_FRAME_TRIMMED) {
			pull->trimmed++;
			answer(sim, flow, packet, SUO_PACKET_NACK);
		} else {
			answer(sim, flow, packet, SUO_PACKET_ACK);
			if (!has_bit(pull->have, packet->number)) {
				set_bit(pull->have, packet->number);
				if (++packet->msg->got == packet->msg->trains)
					suo_msg_arrived(sim, packet->msg);
			}
		}
	}
	if (is_pulled(sim))
		list(sim, flow);
}

static void receive(struct suo_sim *sim, struct suo_packet *packet)
{
	if (packet->type == SUO_PACKET_DATA || packet->type == SUO_PACKET_RTS)
		at_receiver(sim, packet);
	else
		at_sender(sim, packet);
	suo_packet_put(sim, packet);
}

/* Headers, credit or acknowledgments were lost: all that is not sure goes again. */
static void timeout(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_pull *pull = flow->pull;
	u64 n;

	pull->again_head = pull->again_tail;
	for (n = flow->msg_head->first; n < flow->next; n++)
		if (!has_bit(pull->sure, n))
			send_again(sim, flow, n);
	flow->on_way_bytes = 0;
	if (is_pulled(sim) && pull->credit < free_trains(sim)) {
		pull->free += free_trains(sim) - pull->credit;
		/* What is sent again is no less to be asked for. */
		pull->trimmed += free_trains(sim) - pull->credit;
		pull->credit = free_trains(sim);
	}
	suo_host_ready(sim, flow);
}

const struct suo_transport_ops suo_pull_ops = {
	.init		= init,
	.posted		= posted,
	.next		= next,
	.receive	= receive,
	.timeout	= timeout,
};
