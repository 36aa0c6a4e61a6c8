// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_turns DEV-A DEV-B: queue pairs that take turns. An acknowledgment may
 * then wait for the answer that it can go along with, but nobody is to notice:
 * neither who gets no answer, nor who waits for the acknowledgment before the
 * other side may answer, nor whose peer is gone. A transport timeout, which
 * would hide a lost acknowledgment, is 67 ms of modelled time or more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_lab.h"

#define FROM	0
#define TO	4096
#define SIZE	8
#define TURNS	200
#define SOON_US	50000.0

static struct dev dev_a, dev_b;
static struct end a, b;

static bool give(struct end *from, struct end *to)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};

	return !post_recv(to, 1, TO, SIZE) && !post_send(from, &wr, FROM, SIZE);
}

/* The next two completions of an end are of a send and a receive. */
static bool take_both(struct end *end)
{
	unsigned int seen = 0;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 2; i++) {
		if (!expect(end, IBV_WC_SUCCESS, &wc))
			return false;
		seen |= wc.opcode == IBV_WC_SEND ? 1 : 2;
	}
	return seen == 3;
}

static bool got(struct end *end)
{
	struct ibv_wc wc;

	return expect(end, IBV_WC_SUCCESS, &wc) && wc.opcode == IBV_WC_RECV;
}

static bool sent(struct end *end)
{
	struct ibv_wc wc;

	return expect(end, IBV_WC_SUCCESS, &wc) && wc.opcode == IBV_WC_SEND;
}

/* Whose turn it is answers before it looks for its last send's completion. It
 * ends with a message of a's that has been received.
 */
static bool turns(int n)
{
	if (!give(&a, &b) || !got(&b))
		return false;
	while (n--) {
		if (!give(&b, &a) || !take_both(&a) || !give(&a, &b) ||
		    !take_both(&b))
			return false;
	}
	return true;
}

/* Whose send has to be complete before the other side answers. */
static bool one_by_one(struct end *there, struct end *back, int n)
{
	while (n--) {
		if (!give(there, back) || !got(back) || !sent(there) ||
		    !give(back, there) || !got(there) || !sent(back))
			return false;
	}
	return true;
}

static bool one_way(int n)
{
	while (n--) {
		if (!give(&a, &b) || !got(&b) || !sent(&a))
			return false;
	}
	return true;
}

/* Of n calls, in microseconds */
static void compare(void)
{
	double start = now_us(), alone, both;

	if (!check(one_way(2 * TURNS), "a send is complete before the next one"))
		return;
	alone = now_us() - start;
	start = now_us();
	if (!check(one_by_one(&a, &b, TURNS),
		   "a send is complete before it is answered"))
		return;
	both = now_us() - start;
	if (!check(both < 1.5 * alone, "which takes no longer"))
		printf("# %.0f us, and %.0f us if nobody answers\n", both, alone);
}

int main(int argc, char **argv)
{
	double start;

	if (argc != 3) {
		fprintf(stderr, "usage: %s DEV-A DEV-B\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);

	check(turns(TURNS), "%d turns", TURNS);
	start = now_us();
	check(sent(&a), "the last message gets no answer, but is complete");
	if (!check(now_us() - start < SOON_US, "soon"))
		printf("# after %.0f us\n", now_us() - start);
	compare();

	end_close(&a);
	end_close(&b);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	check(turns(TURNS), "%d turns", TURNS);
	start = now_us();
	end_close(&b);
	check(sent(&a), "the last message is complete though its receiver is gone");
	if (!check(now_us() - start < SOON_US, "soon"))
		printf("# after %.0f us\n", now_us() - start);
	end_close(&a);
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
