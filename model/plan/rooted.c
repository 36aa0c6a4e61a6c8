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
	return suo_group_head(b->plan->nranks, b->plan->root + first, count);
}

struct suo_place suo_rooted_block(const struct suo_build *b,
				  const struct suo_place *scratch, uint32_t rank)
{
	uint32_t g = b->plan->domain_size;
	struct suo_range block = suo_build_block(b, rank);
	struct suo_place piece = { SUO_PLAN_SCRATCH,
				   suo_range_part(&scratch->range, g, rank % g) };

	/* Blocks are not cut as their sum would be. */
	piece.range.off = scratch->range.off + block.off -
			  suo_build_block(b, rank / g * g).off;
	piece.range.len = block.len;
	return piece;
}

struct suo_place suo_rooted_data(const struct suo_build *b, uint32_t first,
				 uint32_t count)
{
	return suo_data(suo_range_span(&b->all, b->plan->nranks,
				       suo_rooted_rank(b, first), count));
}
