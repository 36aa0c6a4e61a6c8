/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which of several equal paths a packet takes: by a hash of its flow (ECMP, RFC
 * 2992), each in turn (spraying), or the one with the least to send (adaptive).
 */
#ifndef SUO_CORE_ECMP_H
#define SUO_CORE_ECMP_H

#include "types.h"

#define SUO_ECMP_MAX_PATHS	256u

enum suo_ecmp_mode {
	SUO_ECMP_HASH,
	SUO_ECMP_SPRAY,
	SUO_ECMP_ADAPTIVE,
	SUO_ECMP_MODES,
};

/**
 * struct suo_flow_key - what a flow is told by
 * @src: source address, network order; IPv4 in the first word, the rest 0
 * @dst: destination address
 * @src_port: UDP source port, which RoCE chooses by queue pair
 * @dst_port: UDP destination port
 * @proto: IP protocol
 */
struct suo_flow_key {
	u32	src[4];
	u32	dst[4];
	u16	src_port;
	u16	dst_port;
	u32	proto;
};

/**
 * suo_ecmp_hash() - the hash of a flow at one switch
 * @key: the flow
 * @seed: of the switch. Where all have the same, the choices of one tier decide
 *	those of the next (polarisation): Cao, Wang and Zegura, INFOCOM 2000.
 *
 * The words go through the mixing function of SplitMix64, one after the other.
 */
u64 suo_ecmp_hash(const struct suo_flow_key *key, u64 seed);

/* The same for a flow that is told by one number. */
u64 suo_ecmp_hash_u64(u64 flow, u64 seed);

/* Return: one of @paths, by the hash; each equally often to within 2^-32. */
static inline u32 suo_ecmp_choose(u64 hash, u32 paths)
{
	return (hash >> 32) * paths >> 32;
}

/**
 * struct suo_spray - packets spread over paths
 * @random: state of the generator; what it begins with is its seed
 * @order: the paths in the order in which they take their turns
 * @paths: how many there are; 0 at first
 * @next: whose turn it is
 */
struct suo_spray {
	u64	random;
	u32	paths;
	u32	next;
	u8	order[SUO_ECMP_MAX_PATHS];
};

/**
 * suo_spray_next() - the path of the next packet
 * @spray: the state
 * @paths: how many there are, 1 to SUO_ECMP_MAX_PATHS
 *
 * Each path has its turn once in a round, and the order of each round is drawn anew
 * (Fisher and Yates; Knuth, volume 2, 3.4.2), so that the rounds of several switches
 * do not fall into step.
 */
u32 suo_spray_next(struct suo_spray *spray, u32 paths);

/**
 * suo_ecmp_least() - the path with the least to send
 * @load_bytes: of each path
 * @paths: how many there are, from 1 on
 * @random: state of a generator: among equals each has the same chance
 */
u32 suo_ecmp_least(const u64 *load_bytes, u32 paths, u64 *random);

#endif /* SUO_CORE_ECMP_H */
