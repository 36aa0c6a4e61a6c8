/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Mutated packets (tests/mutants.py) against a device, and what should become of
 * each.
 */
#ifndef MUTANTS_H
#define MUTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#include "verbs_lab.h"

/* Queue pairs that mutants are for: SLOTS in mutants.py. */
enum slot_nr {
	SLOT_RC,
	SLOT_RC_SRQ,
	SLOT_RC_REQ,		/* with requests that wait for an answer */
	SLOT_RC_V6,
	SLOT_RC_SMALL,		/* path MTU 256 */
	SLOT_RC_EMPTY,		/* no receive posted */
	SLOT_RC_INIT,		/* does not receive yet */
	SLOT_UC,
	SLOT_UC_V6,
	SLOT_UD,		/* listens to the groups, too */
	SLOT_GSI,
	SLOT_BARRIER,		/* ours: tells that all before has arrived */
	SLOTS
};

/**
 * struct slot - a live queue pair
 * @type: kind
 * @qp: NULL for queue pair 1
 * @cq: for both queues
 * @qpn: its number
 * @rq_psn: the packet that it expects
 * @sq_psn: the number of its next packet
 * @state: when last looked at
 * @recvs: receives that are posted
 * @requests: requests that are posted
 * @made: times that it had to be replaced
 */
struct slot {
	enum ibv_qp_type type;
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	uint32_t qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	enum ibv_qp_state state;
	unsigned int recvs;
	unsigned int requests;
	unsigned int made;
};

/**
 * struct victim - the device under test
 * @dev: device
 * @gid6: its IPv6 address
 * @gid6_index: index of it
 * @srq: used by SLOT_RC_SRQ
 * @srq_recvs: posted there
 * @read_only: region without the right to write
 * @gone_rkey: of a region that is no more
 * @slots: queue pairs
 * @drain: wait until all that was sent has arrived
 */
struct victim {
	struct dev dev;
	union ibv_gid gid6;
	int gid6_index;
	struct ibv_srq *srq;
	unsigned int srq_recvs;
	struct ibv_mr *read_only;
	uint32_t gone_rkey;
	struct slot slots[SLOTS];
	void (*drain)(void);
};

void victim_open(struct victim *v, const char *name);
void victim_close(struct victim *v);
/* Look at a queue pair again, replace it if it has failed. */
void slot_refresh(struct victim *v, enum slot_nr nr);
/* Take completions, post receives and requests again. */
void victim_tend(struct victim *v);
struct slot *victim_find(struct victim *v, uint32_t qpn);

/* What should become of a packet. */
enum fate {
	FATE_NOWHERE,		/* does not come as far as the device */
	FATE_DROP,		/* malformed: rx_drops */
	FATE_STRAY,		/* for no queue pair: rx_strays */
	FATE_ICRC,		/* rx_icrc_encapsulated */
	FATE_TAKEN,		/* rcvd_pkts */
	FATE_REFUSED,		/* rcvd_pkts and rx_drops */
	FATE_DEPENDS,		/* rcvd_pkts; on the queue pair's state, more */
	FATES
};

/**
 * struct addresses - where the victim is
 * @mac: Ethernet address
 * @ip4: its IPv4 address
 * @ip6: its IPv6 address
 * @peer4: that of the peer that connections have
 * @peer6: likewise
 * @group4: multicast group that SLOT_UD listens to
 * @group6: likewise
 */
struct addresses {
	uint8_t mac[6];
	uint8_t ip4[4];
	uint8_t ip6[16];
	uint8_t peer4[4];
	uint8_t peer6[16];
	uint8_t group4[4];
	uint8_t group6[16];
};

extern const struct addresses lab;

enum fate judge_frame(struct victim *v, const uint8_t *frame, size_t len);
/* From the BTH on; @ip: the IP header it would have; not @checked: the ICRC. */
enum fate judge_bth(struct victim *v, const uint8_t *ip, const uint8_t *bth,
		    size_t len, bool checked);

uint32_t get_be(const uint8_t *p, unsigned int bytes);
void put_be(uint8_t *p, uint64_t v, unsigned int bytes);
uint16_t ip_checksum(const uint8_t *p, size_t len, uint32_t sum);
uint32_t pseudo_sum(const uint8_t *ip, uint32_t len);
uint32_t icrc_of(const uint8_t *ip, const uint8_t *udp, size_t bth_len);

#endif /* MUTANTS_H */
