// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/calibrate/held.h"

/* Logarithms: 0.3 is a factor of 1.35 either way, 2 a factor of 7. */
#define FREE		2.0	/* the vendor has no figure that says much */
#define VENDOR		0.3	/* a figure of the vendor's tuner */
#define SIBLING		0.7	/* from one generation to the next */
#define LIBRARY		0.5	/* RCCL, to its own tuner */
#define FRACTION	0.1	/* between 0 and 1, and traded for others by the data */
#define GOODPUT		0.03	/* of NICs: headers are what they are */

static struct suo_cal_held held_gen(enum suo_nccl_gen gen, unsigned int c)
{
	struct suo_cal_held held = { -1, FREE };

	switch (gen) {
	case SUO_NCCL_HOPPER:
		if (c == SUO_NCCL_HOP_LL || c == SUO_NCCL_HOP_LL128 ||
		    c == SUO_NCCL_HOP_SIMPLE)
			held.loose = VENDOR;
		break;
	case SUO_NCCL_CDNA:
		held.loose = LIBRARY;
		if (c == SUO_NCCL_EXPOSED)
			held.parent = SUO_CAL_GEN(SUO_NCCL_HOPPER, c);
		break;
	default:
		held.parent = SUO_CAL_GEN(SUO_NCCL_HOPPER, c);
		held.loose = SIBLING;
	}
	if (c == SUO_NCCL_EXPOSED || c == SUO_NCCL_COPY ||
	    c == SUO_NCCL_LINK_SIMPLE)
		held.loose = FRACTION;
	return held;
}

static struct suo_cal_held held_net(enum suo_nccl_transport t, unsigned int c)
{
	struct suo_cal_held held = { -1, VENDOR };

	/* TCPXO is NCCL's; RCCL's latencies are its own, NICs are alike. */
	if (t == SUO_NCCL_TCPXO ||
	    (t == SUO_NCCL_RCCL_VERBS && c == SUO_NCCL_NET_LINK))
		held.parent = SUO_CAL_NET(SUO_NCCL_VERBS, c);
	if (c == SUO_NCCL_NET_LINK)
		held.loose = GOODPUT;
	return held;
}

struct suo_cal_held suo_cal_held(unsigned int constant)
{
	unsigned int net = SUO_CAL_NET(0, 0);

	if (constant < net)
		return held_gen(constant / SUO_NCCL_GEN_CONSTANTS,
				constant % SUO_NCCL_GEN_CONSTANTS);
	constant -= net;
	return held_net(constant / SUO_NCCL_NET_CONSTANTS,
			constant % SUO_NCCL_NET_CONSTANTS);
}

static const double *find(const struct suo_nccl_constants *k, unsigned int constant)
{
	unsigned int net = SUO_CAL_NET(0, 0);

	if (constant < net)
		return &k->gen[constant / SUO_NCCL_GEN_CONSTANTS]
			      [constant % SUO_NCCL_GEN_CONSTANTS];
	constant -= net;
	return &k->net[constant / SUO_NCCL_NET_CONSTANTS]
		      [constant % SUO_NCCL_NET_CONSTANTS];
}

double *suo_cal_constant(struct suo_nccl_constants *k, unsigned int constant)
{
	return (double *)find(k, constant);
}

double suo_cal_value(const struct suo_nccl_constants *k, unsigned int constant)
{
	return *find(k, constant);
}

unsigned int suo_cal_used(const struct suo_cal_row *row,
			  const struct suo_nccl_pick *pick,
			  unsigned int used[SUO_CAL_USED])
{
	enum suo_nccl_gen gen = row->sys.gpu->gen;
	enum suo_nccl_protocol p = pick->protocol;
	unsigned int n = 0;

	switch (pick->algorithm) {
	case SUO_NCCL_P2P:
		for (unsigned int c = SUO_NCCL_P2P_BASE;
		     c <= SUO_NCCL_P2P_COPY; c++)
			used[n++] = SUO_CAL_GEN(gen, c);
		break;
	case SUO_NCCL_NVLS:
	case SUO_NCCL_NVLS_TREE:
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_BASE);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_NVLS_BASE);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_NVLS_LOOP);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_NVLS_LINK);
		break;
	default:
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_BASE);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_HOP_LL + p);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_CHANNEL_LL + p);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_LINK_LL + p);
		used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_COPY);
		if (p == SUO_NCCL_SIMPLE) {
			used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_BASE_SIMPLE);
			used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_EXPOSED);
		} else {
			used[n++] = SUO_CAL_GEN(gen, SUO_NCCL_GATHER);
		}
	}

	if (row->sys.ranks == row->sys.domain)
		return n;
	used[n++] = SUO_CAL_NET(row->sys.transport, SUO_NCCL_NET_LINK);
	used[n++] = SUO_CAL_NET(row->sys.transport,
				pick->algorithm == SUO_NCCL_NVLS_TREE ?
				SUO_NCCL_NET_NVLS_TREE : SUO_NCCL_NET_LL + p);
	return n;
}
