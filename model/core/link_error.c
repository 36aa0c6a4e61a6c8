// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Bit errors. A port counts down the bits to its next one, so that a transmission
 * that none of them hits costs a subtraction. How far it is to the next error
 * does not depend on when the last one was, so the count begins anew wherever
 * that is convenient: behind the packet that was hit.
 */
#include "link.h"
#include "rand.h"

static void draw(const struct suo_link_law *law, struct suo_link_clock *src)
{
	src->error_bits = suo_rand_gap(&src->random, law->errors_per_pbit);
}

/* A port's first errors, or the first ones of a new law. */
static void begin(const struct suo_link_law *law, struct suo_link_clock *src)
{
	u64 seed = law->seed;

	if (src->errors_per_pbit == law->errors_per_pbit &&
	    src->seed == law->seed)
		return;
	src->errors_per_pbit = law->errors_per_pbit;
	src->seed = law->seed;
	/* Neither neighbouring seeds nor neighbouring ports resemble each other. */
	seed = suo_rand(&seed) + src->id;
	src->random = suo_rand(&seed);
	draw(law, src);
}

/* Do the next so many bits pass unhurt? They have gone in any case. */
static bool pass(const struct suo_link_law *law, struct suo_link_clock *src,
		 u64 bits)
{
	if (src->error_bits > bits) {
		src->error_bits -= bits;
		return true;
	}
	draw(law, src);
	return false;
}

/* Send a packet until it gets through. Return: how often. */
static u32 repeat(const struct suo_link_law *law, struct suo_link_clock *src,
		  u64 bits, struct suo_link_result *res)
{
	u32 times = 0;
	bool good;

	do {
		times++;
		good = pass(law, src, bits);
	} while (!good && times < SUO_LINK_MAX_TRIES - 1);
	if (!good)
		res->lost = true;
	res->retries += times;
	return times;
}

u64 suo_link_errors(const struct suo_link_law *law, struct suo_link_clock *src,
		    u64 start_ps, u64 packet_bytes, struct suo_link_result *res)
{
	u64 packet_bits = suo_mul_sat(packet_bytes, 8);
	u64 bits = suo_mul_sat(res->wire_bytes, 8);
	u64 done = 0, more_ps = 0;
	u32 hits = 0;

	begin(law, src);
	while (src->error_bits <= bits - done) {
		u64 hit = done + src->error_bits - 1;
		u64 from = suo_div(hit, packet_bits) * packet_bits;
		u64 size = bits - from < packet_bits ? bits - from : packet_bits;
		u64 ser_ps, end_ps;
		u32 times;

		draw(law, src);
		done = from + size;
		if (law->retry == SUO_LINK_NONE || ++hits > SUO_LINK_MAX_HITS) {
			res->lost = true;
			return more_ps;
		}
		times = repeat(law, src, size, res);

		/* Going back, what was sent meanwhile was sent in vain; else it
		 * waits at the far end until the packet is there.
		 */
		ser_ps = suo_link_ser_ps(law, size / 8);
		if (law->retry == SUO_LINK_GBN) {
			ser_ps = suo_add_sat(ser_ps, law->retry_ps);
		} else {
			end_ps = suo_add_sat(start_ps, more_ps);
			end_ps = suo_add_sat(end_ps,
					     suo_link_ser_ps(law, done / 8));
			end_ps = suo_add_sat(end_ps,
					     suo_mul_sat(times, ser_ps +
							 law->retry_ps));
			src->held_ps = suo_max(src->held_ps, end_ps);
		}
		more_ps = suo_add_sat(more_ps, suo_mul_sat(times, ser_ps));
	}
	src->error_bits -= bits - done;
	return more_ps;
}
