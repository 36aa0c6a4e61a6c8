// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What both transports share: flows, messages and the packets made of them. */
#include <stdlib.h>

#include "model/analytic/net.h"
#include "model/sim/sim_int.h"

struct suo_flow *suo_sim_flow(struct suo_sim *sim, u32 src, u32 dst)
{
	struct suo_flow *flow = calloc(1, sizeof(*flow));

	if (!flow)
		goto err_flow;
	if (sim->flows == sim->flows_cap) {
		u32 cap = sim->flows_cap ? 2 * sim->flows_cap : 256;
		struct suo_flow **all = realloc(sim->flow, cap * sizeof(*all));

		if (!all)
			goto err_all;
		sim->flow = all;
		sim->flows_cap = cap;
	}

	flow->id = sim->flows;
	flow->src = src;
	flow->dst = dst;
	flow->hash = suo_ecmp_hash_u64(flow->id, sim->config->seed + 7);
	suo_cc_init(&flow->cc, sim->config->cc, &sim->config->cc_law,
		    sim->config->tier[0].rate_mbps * 1000, sim->base_rtt_ps, sim->now_ps);
	if (sim->transport->init && sim->transport->init(sim, flow))
		goto err_all;
	sim->flow[sim->flows++] = flow;
	return flow;

err_all:
	free(flow);
err_flow:
	sim->failed = true;
	return NULL;
}

static u32 train_bytes(const struct suo_sim *sim)
{
	return sim->config->mtu_bytes * sim->config->train;
}

/* It is the flow's turn to carry a message. */
void suo_flow_posted(struct suo_sim *sim, struct suo_msg *msg)
{
	struct suo_flow *flow = msg->flow;
	u32 most = train_bytes(sim);

	msg->start_ps = sim->now_ps;
	msg->first = flow->end;
	msg->trains = msg->bytes ? (msg->bytes - 1) / most + 1 : 1;
	flow->end += msg->trains;
	if (flow->msg_head)
		flow->msg_tail->next = msg;
	else
		flow->msg_head = msg;
	flow->msg_tail = msg;
	if (!flow->msg_now)
		flow->msg_now = msg;
	sim->transport->posted(sim, flow);
}

static struct suo_msg *make_msg(struct suo_sim *sim, struct suo_flow *flow, u64 bytes,
				u64 tag)
{
	struct suo_msg *msg = suo_msg_get(sim);

	if (!msg)
		return NULL;
	msg->flow = flow;
	msg->src = flow->src;
	msg->dst = flow->dst;
	msg->bytes = bytes;
	msg->tag = tag;
	sim->posted_bytes += bytes;
	sim->open++;
	return msg;
}

void suo_sim_post(struct suo_sim *sim, struct suo_flow *flow, u64 bytes, u64 tag)
{
	struct suo_msg *msg = make_msg(sim, flow, bytes, tag);

	if (msg)
		suo_flow_posted(sim, msg);
}

void suo_sim_post_at(struct suo_sim *sim, struct suo_flow *flow, u64 bytes, u64 tag,
		     u64 at_ps)
{
	struct suo_msg *msg = make_msg(sim, flow, bytes, tag);

	if (msg)
		suo_sim_at(sim, at_ps, SUO_FLOW_POST, msg, 0);
}

/*
 * Train number @number, which is of message @msg. An RDMA write with immediate data:
 * RETH in the first packet, the immediate in the last one.
 */
struct suo_packet *suo_flow_data(struct suo_sim *sim, struct suo_flow *flow,
				 struct suo_msg *msg, u64 number)
{
	struct suo_packet *packet = suo_packet_get(sim);
	u32 mtu = sim->config->mtu_bytes, most = train_bytes(sim);
	u64 done = (number - msg->first) * most;
	u32 payload = msg->bytes - done < most ? msg->bytes - done : most;
	u32 packets = payload ? (payload - 1) / mtu + 1 : 1;
	u32 extra = 0, last;

	if (!packet)
		return NULL;
	last = payload - (packets - 1) * mtu;
	packet->last = number + 1 == msg->first + msg->trains;
	if (number == msg->first)
		extra += SUO_RETH_LEN;
	packet->frame.last_bytes = suo_sim_frame_bytes(last);
	if (packet->last) {
		extra += SUO_IMM_LEN;
		packet->frame.last_bytes += SUO_IMM_LEN;
	}
	packet->frame.bytes = (packets - 1) * suo_sim_frame_bytes(mtu) +
			      suo_sim_frame_bytes(last) + extra;
	if (packets == 1)
		packet->frame.last_bytes = packet->frame.bytes;
	packet->frame.packets = packets;
	packet->frame.flow = flow->hash;
	packet->frame.dst = flow->dst;
	packet->frame.prio = sim->config->prio;
	packet->frame.flags = SUO_FRAME_ECT;
	packet->flow = flow;
	packet->msg = msg;
	packet->number = number;
	packet->sent_ps = sim->now_ps;
	packet->posted = flow->end;
	packet->payload_bytes = payload;
	packet->type = SUO_PACKET_DATA;

	flow->on_way_bytes += payload;
	flow->count.sent += packets;
	sim->count.sent += packets;
	if (number < flow->most) {
		flow->count.again += packets;
		sim->count.again += packets;
	} else {
		flow->most = number + 1;
	}
	return packet;
}

/* What carries no data, from the receiver back to the sender, or from the sender. */
struct suo_packet *suo_flow_control(struct suo_sim *sim, struct suo_flow *flow,
				    u32 type, bool back)
{
	const struct suo_sim_config *config = sim->config;
	struct suo_packet *packet = suo_packet_get(sim);
	bool ack = type == SUO_PACKET_ACK || type == SUO_PACKET_NACK;

	if (!packet)
		return NULL;
	packet->frame.bytes = suo_sim_frame_bytes(SUO_AETH_LEN);
	packet->frame.last_bytes = packet->frame.bytes;
	packet->frame.packets = 1;
	packet->frame.flow = back ? ~flow->hash : flow->hash;
	packet->frame.dst = back ? flow->src : flow->dst;
	packet->frame.prio = ack ? config->ack_prio : config->ctl_prio;
	packet->flow = flow;
	packet->type = type;
	return packet;
}

void suo_flow_cnp(struct suo_sim *sim, struct suo_flow *flow)
{
	struct suo_packet *packet;

	if (!flow->cc.ops->cnp ||
	    !suo_dcqcn_np_marked(&sim->config->cc_law.dcqcn, &flow->np, sim->now_ps))
		return;
	packet = suo_flow_control(sim, flow, SUO_PACKET_CNP, true);
	if (packet)
		suo_host_control(sim, flow->dst, packet);
}

/* A sender that has something on the way waits for no longer than this. */
void suo_flow_watch(struct suo_sim *sim, struct suo_flow *flow)
{
	if (flow->timed)
		return;
	flow->timed = true;
	flow->progress_ps = sim->now_ps;
	suo_sim_at(sim, sim->now_ps + sim->config->rto_ps, SUO_FLOW_TIMEOUT, flow, 0);
}

void suo_flow_progress(struct suo_sim *sim, struct suo_flow *flow)
{
	flow->progress_ps = sim->now_ps;
	flow->retries = 0;
}

void suo_flow_timeout(struct suo_sim *sim, struct suo_flow *flow)
{
	u64 rto_ps = sim->config->rto_ps << flow->retries;

	flow->timed = false;
	if (!flow->msg_head || !flow->most)
		return;
	if (sim->now_ps - flow->progress_ps < rto_ps) {
		flow->timed = true;
		suo_sim_at(sim, flow->progress_ps + rto_ps, SUO_FLOW_TIMEOUT, flow, 0);
		return;
	}
	flow->count.timeouts++;
	sim->count.timeouts++;
	if (flow->retries == SUO_SIM_RETRIES) {
		sim->dead = flow;
		return;
	}
	flow->retries++;
	suo_flow_watch(sim, flow);
	sim->transport->timeout(sim, flow);
}

void suo_msg_arrived(struct suo_sim *sim, struct suo_msg *msg)
{
	msg->data_ps = sim->now_ps;
	sim->arrived_bytes += msg->bytes;
	if (sim->user.arrived)
		sim->user.arrived(sim, msg, sim->user.arg);
}

void suo_msg_done(struct suo_sim *sim, struct suo_msg *msg)
{
	msg->done_ps = sim->now_ps;
	sim->open--;
	if (sim->trace.messages)
		suo_trace_message(sim, msg);
	if (sim->user.done)
		sim->user.done(sim, msg, sim->user.arg);
	suo_msg_put(sim, msg);
}
