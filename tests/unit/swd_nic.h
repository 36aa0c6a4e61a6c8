/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * NICs at a suo-switch of swd_helper.h: they send RoCEv2 packets at the rate of their
 * link, stop where they are paused, acknowledge, complain of gaps, and go back to what
 * was lost. No congestion control: what switches do to traffic shall show.
 */
#ifndef TESTS_UNIT_SWD_NIC_H
#define TESTS_UNIT_SWD_NIC_H

#include "tests/unit/swd_helper.h"

#define NIC_MTU		4096u
#define NIC_FLOWS	64u
#define NIC_MSGS	4096u

struct lab;

/* What is sent besides data, in order. */
struct nic_answer {
	u32	flow;
	u32	psn;
	bool	nak;
};

/* As a device counts. */
struct nic_count {
	u64	out_of_sequence;
	u64	duplicate_request;
	u64	packet_seq_err;
	u64	local_ack_timeout_err;
	u64	rx_icrc_encapsulated;
};

struct nic {
	struct lab		*lab;
	u32			id;
	struct suo_pfc_tx	heard;
	struct swd_timer	timer;		/* the frame is sent, or a pause is over */
	bool			busy;
	u32			turn;
	struct nic_answer	answer[1024];
	u32			answers;
	u32			answered;
	u32			len;		/* of what is being sent */
	u8			frame[SWD_FRAME_ROOM];
	struct nic_count	count;
};

/* Packets of one queue pair; numbers count from 0. */
struct nic_flow {
	struct lab		*lab;
	u32			src;
	u32			dst;
	u16			sport;
	u8			dscp;
	u32			next;		/* to be sent */
	u32			una;		/* oldest not acknowledged */
	u32			end;		/* posted */
	u32			expected;	/* receiver */
	bool			complained;
	struct swd_timer	timer;
	u32			msg_end[NIC_MSGS];
	u32			msgs;
	u32			arrived;	/* messages */
};

/**
 * struct lab - a network with its NICs
 * @s: the switches
 * @nic: one for each endpoint
 * @flow: queue pairs
 * @flows: of them
 * @window: packets that a flow has on the way
 * @got: a message has arrived: its number in its flow
 * @ready: frames are for NICs, not for the learning of addresses
 */
struct lab {
	struct swd	*s;
	struct nic	nic[16];
	struct nic_flow	flow[NIC_FLOWS];
	u32		flows;
	u32		window;
	void		(*got)(struct lab *lab, u32 flow, u32 msg);
	bool		ready;
};

/* Return: a network of a cluster file, its addresses learned; s->now_ps is the time. */
struct lab *lab_make(const char *text);
void lab_free(struct lab *lab);

/* A queue pair. Return: its number. */
u32 lab_flow(struct lab *lab, u32 src, u32 dst, u8 dscp);

/* Post a message of so many full packets. */
void lab_post(struct lab *lab, u32 flow, u32 packets);

/* Have a flow leave its leaf by the way up of this number, by its UDP source port. */
void lab_by_way(struct lab *lab, u32 flow, u32 way);

#endif /* TESTS_UNIT_SWD_NIC_H */
