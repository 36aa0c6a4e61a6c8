// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Traces as CSV: a line for each message that is done, for each step of a packet. */
#include <inttypes.h>

#include "model/sim/sim_int.h"

static const char *const types[SUO_PACKET_TYPES] = {
	"data", "ack", "nack", "cnp", "pull", "rts",
};

void suo_trace_begin(struct suo_sim *sim)
{
	if (sim->trace.messages)
		fputs("flow,src,dst,bytes,start_ps,data_ps,done_ps,flow_packets,flow_again,flow_cnps,flow_timeouts\n",
		      sim->trace.messages);
	if (sim->trace.packets)
		fputs("time_ps,what,where,node,port,type,flow,number,prio,bytes\n",
		      sim->trace.packets);
}

void suo_trace_message(struct suo_sim *sim, const struct suo_msg *msg)
{
	static const struct suo_flow_count none;
	const struct suo_flow_count *count = msg->flow ? &msg->flow->count : &none;

	if (msg->flow)
		fprintf(sim->trace.messages, "%u", msg->flow->id);
	fprintf(sim->trace.messages, ",%u,%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
		msg->src, msg->dst, msg->bytes, msg->start_ps, msg->data_ps,
		msg->done_ps, count->sent, count->again, count->cnps,
		count->timeouts);
}

void suo_trace_packet(struct suo_sim *sim, const char *what, const char *where,
		      u32 node, u32 port, const struct suo_frame *frame)
{
	const struct suo_packet *packet = (const struct suo_packet *)frame;

	fprintf(sim->trace.packets, "%" PRIu64 ",%s,%s,%u,%u", sim->now_ps, what,
		where, node, port);
	if (packet)
		fprintf(sim->trace.packets, ",%s,%u,%" PRIu64 ",%u,%u\n",
			types[packet->type], packet->flow->id, packet->number,
			frame->prio, frame->bytes);
	else
		fputs(",pfc,,,,\n", sim->trace.packets);
}
