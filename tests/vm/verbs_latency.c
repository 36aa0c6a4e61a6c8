// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_latency DEV-A DEV-B N [send]: RDMA write of 8 bytes to and fro, each end in
 * the order of ib_write_lat: see the other's data, post, wait for the completion of
 * what was posted. Or a send, and the completion of a receive. One process holds
 * both ends, so that what is measured is the path from the doorbell to the other
 * side's memory, and back to the completion; not which of two polling processes a
 * scheduler prefers on the lab's one processor. Prints half a round trip in
 * microseconds.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_lab.h"

#define FROM	0
#define TO	4096
#define SIZE	8

static struct dev dev_a, dev_b;
static struct end a, b;

/* The kernel may do its part in threads: let them run. */
static void wait_data(const struct end *end, uint64_t n)
{
	volatile uint64_t *there = (uint64_t *)(end->dev->buf + TO);

	while (*there != n)
		sched_yield();
}

static void post_write(struct end *from, struct end *to, uint64_t n)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};

	*(uint64_t *)(from->dev->buf + FROM) = n;
	remote(&wr, to, TO);
	if (post_send(from, &wr, FROM, SIZE)) {
		perror("ibv_post_send");
		exit(1);
	}
}

static void wait_completion(struct end *end)
{
	struct ibv_wc wc;
	int done;

	while (!(done = ibv_poll_cq(end->cq, 1, &wc)))
		sched_yield();
	if (done < 0 || wc.status != IBV_WC_SUCCESS) {
		fprintf(stderr, "completion: %s\n", ibv_wc_status_str(wc.status));
		exit(1);
	}
}

static double writes(uint64_t warm, uint64_t n)
{
	double start = 0;
	uint64_t i;

	post_write(&a, &b, 1);
	for (i = 1; i <= warm + n; i++) {
		if (i == warm + 1)
			start = now_us();
		wait_data(&b, i);
		post_write(&b, &a, i);
		wait_completion(&a);
		wait_data(&a, i);
		post_write(&a, &b, i + 1);
		wait_completion(&b);
	}
	start = now_us() - start;
	wait_completion(&a);
	return start;
}

static void must_post_recv(struct end *end)
{
	if (post_recv(end, 0, TO, SIZE)) {
		perror("ibv_post_recv");
		exit(1);
	}
}

/* Two completions, and a receive request for the next message to @to. */
static void send_turn(struct end *from, struct end *to)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};

	if (post_send(from, &wr, FROM, SIZE)) {
		perror("ibv_post_send");
		exit(1);
	}
	wait_completion(to);
	must_post_recv(to);
	wait_completion(from);
}

static double sends(uint64_t warm, uint64_t n)
{
	double start = 0;
	uint64_t i;

	must_post_recv(&a);
	must_post_recv(&b);
	for (i = 0; i < warm + n; i++) {
		if (i == warm)
			start = now_us();
		send_turn(&a, &b);
		send_turn(&b, &a);
	}
	return now_us() - start;
}

int main(int argc, char **argv)
{
	bool send = argc == 5 && !strcmp(argv[4], "send");
	uint64_t warm = 100, n;
	double us;

	if ((argc != 4 && !send) || (n = strtoull(argv[3], NULL, 0)) == 0) {
		fprintf(stderr, "usage: %s DEV-A DEV-B N [send]\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	us = send ? sends(warm, n) : writes(warm, n);
	printf("%.2f\n", us / n / 2);
	end_close(&b);
	end_close(&a);
	dev_close(&dev_b);
	dev_close(&dev_a);
	return 0;
}
