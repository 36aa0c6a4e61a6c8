// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets and messages: allocated by the thousand, used again and again. */
#include <stdlib.h>

#include "model/sim/sim_int.h"

#define AT_ONCE	1024

struct suo_chunk {
	struct suo_chunk	*next;
	union {
		struct suo_packet	packet[AT_ONCE];
		struct suo_msg		msg[AT_ONCE];
	};
};

static struct suo_chunk *add_chunk(struct suo_sim *sim)
{
	struct suo_chunk *chunk = malloc(sizeof(*chunk));

	if (!chunk) {
		sim->failed = true;
		return NULL;
	}
	chunk->next = sim->chunks;
	sim->chunks = chunk;
	return chunk;
}

struct suo_packet *suo_packet_get(struct suo_sim *sim)
{
	struct suo_packet *packet = sim->free_packets;

	if (!packet) {
		struct suo_chunk *chunk = add_chunk(sim);

		if (!chunk)
			return NULL;
		for (int i = 0; i < AT_ONCE; i++)
			suo_packet_put(sim, &chunk->packet[i]);
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
		struct suo_chunk *chunk = add_chunk(sim);

		if (!chunk)
			return NULL;
		for (int i = 0; i < AT_ONCE; i++)
			suo_msg_put(sim, &chunk->msg[i]);
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

void suo_pool_free(struct suo_sim *sim)
{
	struct suo_chunk *chunk, *next;

	for (chunk = sim->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	sim->chunks = NULL;
}
