// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_stale DEV-A DEV-B: a write is under way in a domain, where data stay in the
 * sender's memory until they arrive, when its queue pair fails and its slot in the
 * send queue is given to another request, whose few bytes are in the slot itself.
 * What arrives may be cut short, but is the sender's data at its place. The caller
 * has made the domain's latency 100 ms of the guest, in which all of this happens.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verbs_lab.h"

#define SIZE		(1u << 20)
#define UNTOUCHED	0xb5

static struct dev dev_a, dev_b;
static struct end a, b;

static void sleep_ms(int ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&ts, NULL);
}

static int post(enum ibv_wr_opcode opcode, int flags, uint32_t len)
{
	struct ibv_send_wr wr = { .opcode = opcode, .send_flags = flags };

	remote(&wr, &b, 0);
	return post_send(&a, &wr, 0, len);
}

/* One slot has been used; as many again as there are come round to it. */
static bool reuse_slots(int flags, uint32_t len)
{
	struct ibv_wc wc;
	int i;

	if (!expect(&a, IBV_WC_WR_FLUSH_ERR, &wc))
		return false;
	for (i = 0; i < DEPTH; i++)
		if (post(IBV_WR_RDMA_WRITE, flags, len) ||
		    !expect(&a, IBV_WC_WR_FLUSH_ERR, &wc))
			return false;
	return true;
}

/* Bytes that are neither what was there before nor what was sent there */
static size_t strangers(void)
{
	size_t i, n = 0;

	for (i = 0; i < SIZE; i++)
		n += dev_b.buf[i] != UNTOUCHED && dev_b.buf[i] != dev_a.buf[i];
	return n;
}

static void stale(const char *what, int flags, uint32_t len)
{
	double start;

	memset(dev_b.buf, UNTOUCHED, SIZE);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	start = now_us();
	check(!post(IBV_WR_RDMA_WRITE, 0, SIZE), "%s: a long write", what);
	sleep_ms(20);
	check(!end_to(&a, NULL, &rc_link, IBV_QPS_ERR) &&
	      reuse_slots(flags, len), "%s: its slot is used again", what);
	check(now_us() - start < 100000 && dev_b.buf[0] == UNTOUCHED,
	      "%s: while it is under way", what);
	sleep_ms(300);
	check(!strangers(), "%s: nothing arrives but what was sent", what);
	end_close(&b);
	end_close(&a);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 3) {
		fprintf(stderr, "usage: %s DEV-A DEV-B\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	for (i = 0; i < SIZE; i++)
		dev_a.buf[i] = i % 31 + 1;
	stale("inline", IBV_SEND_INLINE, 8);
	/* Then another place may be taken for it, of the same region. */
	memset(dev_a.buf, 7, SIZE);
	stale("by reference", 0, SIZE);
	dev_close(&dev_b);
	dev_close(&dev_a);
	return tap_done();
}
