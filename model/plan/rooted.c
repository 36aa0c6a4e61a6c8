// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/plan/rooted.h"

uint32_t suo_rooted_rank(const struct suo_build *b, uint32_t place)
{
	return (b->plan->root + place) % b->plan->nranks;
}

uint32_t suo_rooted_size(const struct suo_build *b, uint32_t place)
{
	uint32_t n = b->plan->nranks, size = place & -place;

	return place && size < n - place ? size : n - place;
}

uint32_t suo_rooted_distance(const struct suo_build *b)
{
	uint32_t d = 1;

	while (d < b->plan->nranks)
		d *= 2;
	return d / 2;
}

/* Elements of the blocks of places [first, first + count). */
static uint64_t length(const struct suo_build *b, uint32_t first, uint32_t count)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < count; i++)
		len += suo_build_block(b, suo_rooted_rank(b, first + i)).len;
	return len;
}

struct suo_place suo_rooted_scratch(struct suo_build *b, uint32_t place)
{
	return suo_build_scratch(b, suo_rooted_rank(b, place),
				 length(b, place, suo_rooted_size(b, place)));
}

struct suo_place suo_rooted_piece(const struct suo_build *b,
				  const struct suo_place *scratch, uint32_t place,
				  uint32_t first, uint32_t count)
{
	uint64_t width = (scratch->range.hi - scratch->range.lo) /
			 suo_rooted_size(b, place);
	struct suo_place piece = *scratch;

	piece.range.off += length(b, place, first - place);
	piece.range.len = length(b, first, count);
	piece.range.lo += width * (first - place);
	piece.range.hi = piece.range.lo + width * count;
	return piece;
}

uint32_t suo_rooted_head(const struct suo_build *b, uint32_t first, uint32_t count)
{
	uint32_t left = b->plan->nranks - suo_rooted_rank(b, first);

	return left < count ? left : count;
}

struct suo_place suo_rooted_data(const struct suo_build *b, uint32_t first,
				 uint32_t count)
{
	return suo_data(suo_range_span(&b->all, b->plan->nranks,
				       suo_rooted_rank(b, first), count));
}
