// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "wred.h"
#include "rand.h"

u64 suo_wred_threshold(const struct suo_wred_law *law, u64 depth_bytes)
{
	u64 above_bytes, range_bytes;

	if (depth_bytes <= law->kmin_bytes)
		return 0;
	if (depth_bytes > law->kmax_bytes)
		return U64_MAX;
	above_bytes = depth_bytes - law->kmin_bytes;
	range_bytes = law->kmax_bytes - law->kmin_bytes;
	return suo_mul_div(U64_MAX, suo_mul_sat(above_bytes, law->pmax_ppm),
			   suo_mul_sat(range_bytes, SUO_WRED_PPM));
}

bool suo_wred_hit(const struct suo_wred_law *law, struct suo_wred *queue,
		  u64 depth_bytes)
{
	u64 threshold;

	if (law->weight) {
		u64 depth_q16 = depth_bytes << 16;

		/* A shift right of what is negative would round the other way. */
		if (depth_q16 >= queue->average_q16)
			queue->average_q16 += (depth_q16 - queue->average_q16) >>
					      law->weight;
		else
			queue->average_q16 -= (queue->average_q16 - depth_q16) >>
					      law->weight;
		depth_bytes = queue->average_q16 >> 16;
	}
	threshold = suo_wred_threshold(law, depth_bytes);
	if (!threshold || threshold == U64_MAX)
		return threshold;
	return suo_rand(&queue->random) < threshold;
}
