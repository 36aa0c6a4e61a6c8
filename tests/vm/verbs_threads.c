// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_threads DEV-A DEV-B: several threads post to one queue pair and poll one
 * completion queue. Each request carries its number, and each must arrive and
 * complete exactly once.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_lab.h"

#define THREADS		4
#define PER_THREAD	2000
#define TOTAL		(THREADS * PER_THREAD)
#define SLOT		64

static struct dev dev_a, dev_b;
static struct end a, b;
static unsigned char arrived[TOTAL], completed[TOTAL];
static int n_arrived, n_completed, n_bad;

static void bad(const char *what)
{
	if (!__atomic_fetch_add(&n_bad, 1, __ATOMIC_RELAXED))
		printf("# %s\n", what);
}

/* Take what has completed on one side; true if there was something. */
static bool drain(struct end *end, unsigned char *seen, int *count)
{
	struct ibv_wc wc[4];
	int i, n;

	n = ibv_poll_cq(end->cq, 4, wc);
	if (n < 0)
		bad("poll failed");
	for (i = 0; i < n; i++) {
		uint64_t number = wc[i].wr_id;

		if (wc[i].status != IBV_WC_SUCCESS) {
			bad(ibv_wc_status_str(wc[i].status));
			continue;
		}
		if (end == &b) {
			size_t at = wc[i].wr_id * SLOT;

			memcpy(&number, dev_b.buf + at, sizeof(number));
			if (post_recv(&b, wc[i].wr_id, at, SLOT))
				bad("a receive does not fit where one came out");
		}
		if (number >= TOTAL ||
		    __atomic_fetch_add(&seen[number], 1, __ATOMIC_RELAXED))
			bad("a number came twice, or was never sent");
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	}
	return n > 0;
}

static void *sender(void *arg)
{
	uint64_t number = (uintptr_t)arg * PER_THREAD;
	uint64_t end = number + PER_THREAD;

	while (number < end && !__atomic_load_n(&n_bad, __ATOMIC_RELAXED)) {
		struct ibv_sge sge = { (uintptr_t)&number, sizeof(number), 0 };
		struct ibv_send_wr wr = {
			.wr_id = number, .sg_list = &sge, .num_sge = 1,
			.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE,
		};
		struct ibv_send_wr *bad_wr;

		switch (ibv_post_send(a.qp, &wr, &bad_wr)) {
		case 0:
			number++;
			break;
		case ENOMEM:
			sched_yield();
			break;
		default:
			bad("post failed");
		}
	}
	return NULL;
}

static void *poller(void *arg)
{
	while ((__atomic_load_n(&n_arrived, __ATOMIC_RELAXED) < TOTAL ||
		__atomic_load_n(&n_completed, __ATOMIC_RELAXED) < TOTAL) &&
	       !__atomic_load_n(&n_bad, __ATOMIC_RELAXED)) {
		drain(&a, completed, &n_completed);
		drain(&b, arrived, &n_arrived);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t send[THREADS], poll[2];
	uintptr_t i;

	if (argc != 3) {
		fprintf(stderr, "Usage: %s DEV-A DEV-B\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	for (i = 0; i < DEPTH; i++)
		post_recv(&b, i, i * SLOT, SLOT);

	for (i = 0; i < 2; i++)
		pthread_create(&poll[i], NULL, poller, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&send[i], NULL, sender, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(send[i], NULL);
	for (i = 0; i < 2; i++)
		pthread_join(poll[i], NULL);

	check(!n_bad, "nothing went wrong");
	check(n_completed == TOTAL && n_arrived == TOTAL &&
	      !memchr(completed, 0, TOTAL) && !memchr(arrived, 0, TOTAL),
	      "%d sends of %d threads arrived and completed, once each", TOTAL,
	      THREADS);
	end_close(&a);
	end_close(&b);
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
