// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ecmp.h"
#include "rand.h"

static u64 mix(u64 hash, u64 word)
{
	u64 state = hash ^ word;

	return suo_rand(&state);
}

static u64 two(const u32 *words)
{
	return (u64)words[0] << 32 | words[1];
}

u64 suo_ecmp_hash(const struct suo_flow_key *key, u64 seed)
{
	u64 hash = mix(seed, two(key->src));

	hash = mix(hash, two(key->src + 2));
	hash = mix(hash, two(key->dst));
	hash = mix(hash, two(key->dst + 2));
	return mix(hash, (u64)key->proto << 32 | (u32)key->src_port << 16 |
			 key->dst_port);
}

u64 suo_ecmp_hash_u64(u64 flow, u64 seed)
{
	/* Twice, as flows and seeds may both be small numbers. */
	return mix(mix(0, seed), flow);
}

static void shuffle(struct suo_spray *spray)
{
	u32 i;

	for (i = spray->paths - 1; i > 0; i--) {
		u32 j = suo_ecmp_choose(suo_rand(&spray->random), i + 1);
		u8 path = spray->order[i];

		spray->order[i] = spray->order[j];
		spray->order[j] = path;
	}
}

u32 suo_spray_next(struct suo_spray *spray, u32 paths)
{
	u32 i;

	if (spray->paths != paths) {
		spray->paths = paths;
		spray->next = paths;
		for (i = 0; i < paths; i++)
			spray->order[i] = i;
	}
	if (spray->next == paths) {
		shuffle(spray);
		spray->next = 0;
	}
	return spray->order[spray->next++];
}

u32 suo_ecmp_least(const u64 *load_bytes, u32 paths, u64 *random)
{
	u32 best = 0, equals = 1, i;

	for (i = 1; i < paths; i++) {
		if (load_bytes[i] < load_bytes[best]) {
			best = i;
			equals = 1;
		} else if (load_bytes[i] == load_bytes[best]) {
			/* The n-th of equals replaces the choice with chance 1/n. */
			equals++;
			if (!suo_ecmp_choose(suo_rand(random), equals))
				best = i;
		}
	}
	return best;
}
