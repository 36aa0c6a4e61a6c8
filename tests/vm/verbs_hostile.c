// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_hostile DEV-A DEV-B [ROUNDS [SEED]]: a process that scribbles over the
 * rings that it shares with the kernel, while requests are under way. Whatever
 * becomes of its own queue pairs, the kernel must neither stumble nor hang, and
 * a well-behaved pair must work afterwards. The kernel's log is for the caller
 * to judge.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/verbs/suo.h"
#include "verbs_lab.h"

#define SCRIBBLES	200

static struct dev dev_a, dev_b;

/* Values near what is checked are the likeliest to be checked wrongly. */
static uint32_t nasty(void)
{
	static const uint32_t edge[] = {
		0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe,
		0xffffffff, MAX_SGE, MAX_SGE + 1, MAX_INLINE, MAX_INLINE + 1,
		1u << 30, (1u << 30) + 1, 4096, 4097, DEPTH, DEPTH + 1,
	};

	if (rnd() % 2)
		return edge[rnd() % (sizeof(edge) / sizeof(edge[0]))];
	return rnd();
}

static void scribble(struct suo_ring *ring)
{
	uint32_t *slot = suo_ring_slot(ring, rnd());
	uint32_t *head = (uint32_t *)ring->hdr;

	switch (rnd() % 8) {
	case 0:
		ring->hdr->prod = nasty();
		break;
	case 1:
		ring->hdr->prod += rnd() % (2 * DEPTH);
		break;
	case 2:
		ring->hdr->cons = nasty();
		break;
	case 3:
		ring->hdr->arm = nasty();
		break;
	case 4:
		head[rnd() % (sizeof(*ring->hdr) / 4)] = nasty();
		break;
	default:
		slot[rnd() % (ring->stride / 4)] = nasty();
		ring->hdr->prod++;
	}
}

/* Honest requests, so that there is something to disturb. */
static void disturb_work(struct end *a, struct end *b)
{
	struct ibv_send_wr wr = {
		.opcode = rnd() % (IBV_WR_RDMA_READ + 1),
		.send_flags = rnd() % 2 ? IBV_SEND_SIGNALED : 0,
	};
	struct ibv_wc wc[8];

	remote(&wr, b, rnd() % 65536);
	post_recv(b, 1, rnd() % 65536, 4096);
	post_send(a, &wr, rnd() % 65536, rnd() % 9000);
	suo_ring_doorbell(a->qp);
	if (rnd() % 8 == 0)
		poll(NULL, 0, 1);
	ibv_poll_cq(a->cq, 8, wc);
	ibv_poll_cq(b->cq, 8, wc);
}

static void hostile_round(const struct link_attr *attr, bool with_srq)
{
	struct ibv_srq_init_attr srq = {
		.attr = { .max_wr = DEPTH, .max_sge = 2 },
	};
	struct end a = {}, b = {};
	int i;

	if (with_srq)
		b.srq = ibv_create_srq(dev_b.pd, &srq);
	ends_open(&a, &dev_a, &b, &dev_b, attr);
	for (i = 0; i < SCRIBBLES; i++) {
		struct suo_ring *rings[] = {
			&to_suo_qp(a.qp)->sq.ring, &to_suo_qp(b.qp)->sq.ring,
			&to_suo_cq(a.cq)->ring, &to_suo_cq(b.cq)->ring,
			with_srq ? &to_suo_srq(b.srq)->rq.ring :
				   &to_suo_qp(b.qp)->rq.ring,
		};

		scribble(rings[rnd() % 5]);
		disturb_work(&a, &b);
		suo_ring_doorbell(b.qp);
	}
	if (rnd() % 2)
		end_to(&a, NULL, attr, IBV_QPS_ERR);
	if (rnd() % 2)
		end_to(&b, NULL, attr, IBV_QPS_RESET);
	if (ibv_destroy_qp(a.qp) || ibv_destroy_cq(a.cq) ||
	    ibv_destroy_qp(b.qp) || ibv_destroy_cq(b.cq) ||
	    (with_srq && ibv_destroy_srq(b.srq)))
		check(false, "a queue does not go");
	ibv_destroy_comp_channel(a.channel);
	ibv_destroy_comp_channel(b.channel);
}

static bool honest_pair_works(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct end a = {}, b = {};
	struct ibv_wc wc;
	bool good;

	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	pattern(&dev_a, 0, 9000, 1);
	memset(dev_b.buf, 0, 9000);
	good = !post_recv(&b, 1, 0, 9000) && !post_send(&a, &wr, 0, 9000) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) &&
	       expect(&a, IBV_WC_SUCCESS, &wc) && matches(&dev_b, 0, 9000, 1);
	end_close(&a);
	end_close(&b);
	return good;
}

int main(int argc, char **argv)
{
	const struct link_attr ud = { .type = IBV_QPT_UD };
	int rounds = argc > 3 ? atoi(argv[3]) : 30;
	struct link_attr rc = rc_link;
	uint64_t seed;
	int i;

	if (argc < 3 || argc > 5 || rounds < 1) {
		fprintf(stderr, "Usage: %s DEV-A DEV-B [ROUNDS [SEED]]\n",
			argv[0]);
		return 2;
	}
	seed = argc > 4 ? strtoull(argv[4], NULL, 0) | 1 : 88172645463325252;
	rnd_seed(seed);
	printf("# seed %" PRIu64 "\n", seed);

	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	rc.timeout = 8;
	rc.retry = 1;
	rc.rnr_retry = 1;
	for (i = 0; i < rounds; i++)
		hostile_round(i % 4 == 3 ? &ud : &rc, i % 4 == 2);
	check(true, "%d rounds", rounds);
	check(honest_pair_works(), "an honest pair works");
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
