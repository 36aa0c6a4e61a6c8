// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets and messages: allocated by the thousand, used again and again. */
#include "model/sim/sim_int.h"

#define AT_ONCE	1024

static void *get_many(struct suo_sim *sim, size_t bytes)
{
	void *many = suo_arena_get(&sim->arena, AT_ONCE, bytes);

	if (!many)
		sim->failed = true;
	return many;
}

struct suo_packet *suo_packet_get(struct suo_sim *sim)
{
	struct suo_packet *packet = sim->free_packets;

	if (!packet) {
		struct suo_packet *many = get_many(sim, sizeof(*many));

		if (!many)
			return NULL;
		for (int i = 0; i < AT_ONCE; i++)
			suo_packet_put(sim, &many[i]);
		packet = sim->free_packets;
	}
	sim->free_packets = (struct suo_packet *)packet->frame.next;
	*packet = (struct suo_packet){ 0 };
	return packet;
}

void suo_packet_put(struct suo_sim *sim, struct suo_packet *packet)
{
	packet->frame.next = (struct suo_frame *)sim->free_packets;
	sim->free_packets = packet;
}

struct suo_msg *suo_msg_get(struct suo_sim *sim)
{
	struct suo_msg *msg = sim->free_msgs;

	if (!msg) {
		struct suo_msg *many = get_many(sim, sizeof(*many));

		if (!many)
			return NULL;
		for (int i = 0; i < AT_ONCE; i++)
			suo_msg_put(sim, &many[i]);
		msg = sim->free_msgs;
	}
	sim->free_msgs = msg->next;
	*msg = (struct suo_msg){ 0 };
	return msg;
}

void suo_msg_put(struct suo_sim *sim, struct suo_msg *msg)
{
	msg->next = sim->free_msgs;
	sim->free_msgs = msg;
}
