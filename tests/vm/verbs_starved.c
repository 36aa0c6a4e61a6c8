// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_starved DEBUGFS DEV-A DEV-B PERCENT ROUNDS LEAST: transfers while that share
 * of all allocations that may not sleep fails, in whatever context, and LEAST of them
 * at least; DEBUGFS is where that file system is. What cannot be sent
 * for want of memory is lost; a reliable connection makes up for it, and of
 * datagrams those that arrive are right.
 *
 * Nothing here waits for an event: the kernel may have no memory for that either.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verbs_lab.h"

#define LEN		20000u
#define SLOT		(64u << 10)
#define TO		(1u << 20)
#define MANY		1000000
#define UD_LEN		1000u
#define GRH		40u
#define BURST		120
#define NOBODY		0xfffffe

static const char *debugfs;
static const char *const kinds[] = { "failslab", "fail_page_alloc" };
static struct dev dev_a, dev_b;
static struct end a, b, ud_a, ud_b;
static struct ibv_ah *ah;

static FILE *attr(const char *kind, const char *name, const char *mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", debugfs, kind, name);
	f = fopen(path, mode);
	if (f)
		return f;
	printf("Bail out! cannot open %s\n", path);
	exit(1);
}

static void put(const char *kind, const char *name, const char *value)
{
	FILE *f = attr(kind, name, "w");

	if (fputs(value, f) < 0 || fclose(f)) {
		printf("Bail out! %s/%s: cannot write %s\n", kind, name, value);
		exit(1);
	}
}

static void starve(const char *percent)
{
	char many[16];
	size_t i;

	snprintf(many, sizeof(many), "%d", MANY);
	for (i = 0; i < 2; i++) {
		put(kinds[i], "ignore-gfp-wait", "Y");
		put(kinds[i], "times", many);
		put(kinds[i], "probability", percent);
	}
}

/* Return: allocations that have failed. */
static int feed(void)
{
	int left, failed = 0;
	size_t i;
	FILE *f;

	for (i = 0; i < 2; i++)
		put(kinds[i], "probability", "0");
	for (i = 0; i < 2; i++) {
		f = attr(kinds[i], "times", "r");
		if (fscanf(f, "%d", &left) == 1)
			failed += MANY - left;
		fclose(f);
		put(kinds[i], "ignore-gfp-wait", "N");
	}
	return failed;
}

/* Modelled or real, no time is so long. */
static bool take(struct end *end, struct ibv_wc *wc)
{
	int tries;

	for (tries = 0; tries < 100000; tries++) {
		if (ibv_poll_cq(end->cq, 1, wc) == 1) {
			if (wc->status == IBV_WC_SUCCESS)
				return true;
			printf("# wr_id %llu: %s\n",
			       (unsigned long long)wc->wr_id,
			       ibv_wc_status_str(wc->status));
			return false;
		}
		usleep(1000);
	}
	printf("# no completion\n");
	return false;
}

/* A SEND, a WRITE and a READ, each of other data, and a FETCH AND ADD. */
static bool round_of(unsigned int seed)
{
	struct ibv_send_wr send = { .wr_id = 1, .opcode = IBV_WR_SEND };
	struct ibv_send_wr write = { .wr_id = 2, .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_send_wr read = { .wr_id = 3, .opcode = IBV_WR_RDMA_READ };
	struct ibv_send_wr add = {
		.wr_id = 4, .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = {
			.remote_addr = (uintptr_t)dev_b.buf + 8 * SLOT,
			.rkey = dev_b.mr->rkey, .compare_add = 1,
		},
	};
	uint64_t was, is;
	struct ibv_wc wc;
	int i;

	pattern(&dev_a, 0, LEN, seed);
	pattern(&dev_a, SLOT, LEN, seed + 1);
	pattern(&dev_b, 2 * SLOT, LEN, seed + 2);
	memset(dev_b.buf + TO, 0, 2 * SLOT);
	memset(dev_a.buf + TO, 0, SLOT);
	remote(&write, &b, TO + SLOT);
	remote(&read, &b, 2 * SLOT);
	if (post_recv(&b, 5, TO, LEN) || post_send(&a, &send, 0, LEN) ||
	    post_send(&a, &write, SLOT, LEN) || post_send(&a, &read, TO, LEN) ||
	    post_send(&a, &add, 8 * SLOT, 8))
		return false;
	for (i = 1; i <= 4; i++)
		if (!take(&a, &wc) || wc.wr_id != (uint64_t)i)
			return false;
	memcpy(&was, dev_a.buf + 8 * SLOT, 8);
	memcpy(&is, dev_b.buf + 8 * SLOT, 8);
	return take(&b, &wc) && wc.byte_len == LEN && is == was + 1 &&
	       matches(&dev_b, TO, LEN, seed) &&
	       matches(&dev_b, TO + SLOT, LEN, seed + 1) &&
	       matches(&dev_a, TO, LEN, seed + 2);
}

/* Return: 1 if the datagram has arrived, 0 if it is lost, -1 if it is wrong. */
static int datagram(unsigned int seed)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.wr.ud = { .ah = ah, .remote_qpn = ud_b.qp->qp_num,
			   .remote_qkey = QKEY },
	};
	static bool posted;
	struct ibv_wc wc;

	if (!posted && post_recv(&ud_b, 6, 10 * SLOT, UD_LEN + GRH))
		return -1;
	posted = true;
	pattern(&dev_a, 10 * SLOT, UD_LEN, seed);
	if (post_send(&ud_a, &wr, 10 * SLOT, UD_LEN) || !take(&ud_a, &wc))
		return -1;
	usleep(5000);
	if (ibv_poll_cq(ud_b.cq, 1, &wc) != 1)
		return 0;
	posted = false;
	if (wc.status != IBV_WC_SUCCESS || wc.byte_len != UD_LEN + GRH ||
	    memcmp(dev_b.buf + 10 * SLOT + GRH, dev_a.buf + 10 * SLOT, UD_LEN))
		return -1;
	return 1;
}

/* So many datagrams at once, to nobody, that what processors keep for the next packet
 * does not do for all of them. False: one did not leave.
 */
static bool burst(void)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)dev_a.buf + 10 * SLOT, .length = UD_LEN,
		.lkey = dev_a.mr->lkey,
	};
	struct ibv_send_wr wr[BURST], *bad;
	struct ibv_wc wc;
	int i;

	memset(wr, 0, sizeof(wr));
	for (i = 0; i < BURST; i++) {
		wr[i].opcode = IBV_WR_SEND;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].wr.ud.ah = ah;
		wr[i].wr.ud.remote_qpn = NOBODY;
		wr[i].wr.ud.remote_qkey = QKEY;
		if (i)
			wr[i - 1].next = &wr[i];
	}
	if (ibv_post_send(ud_a.qp, wr, &bad))
		return false;
	for (i = 0; i < BURST; i++)
		if (!take(&ud_a, &wc))
			return false;
	return true;
}

/* Return: rounds that went right. */
static int rounds_of(int rounds, int *arrived)
{
	int i, got;

	for (i = 0, *arrived = 0; i < rounds; i++) {
		/* The connection's packets come after those of the burst. */
		if (!burst() || !round_of(i))
			break;
		got = datagram(i);
		if (got < 0)
			break;
		*arrived += got;
	}
	return i;
}

int main(int argc, char **argv)
{
	const struct link_attr ud = {
		.type = IBV_QPT_UD, .sig_all = true, .depth = BURST,
	};
	int rounds, right, arrived, failed;

	if (argc != 7) {
		fprintf(stderr,
			"Usage: %s DEBUGFS DEV-A DEV-B PERCENT ROUNDS LEAST\n",
			argv[0]);
		return 2;
	}
	debugfs = argv[1];
	rounds = atoi(argv[5]);
	dev_open(&dev_a, argv[2]);
	dev_open(&dev_b, argv[3]);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	ends_open(&ud_a, &dev_a, &ud_b, &dev_b, &ud);
	ah = ah_to(&ud_a, &ud_b);
	check(ah && !mlockall(MCL_CURRENT | MCL_FUTURE), "an address handle");
	/* Neighbours are known, pages are there. */
	check(rounds_of(5, &arrived) == 5 && arrived == 5,
	      "with memory, all arrives");

	starve(argv[4]);
	right = rounds_of(rounds, &arrived);
	failed = feed();
	check(right == rounds, "%d of %d rounds went right", right, rounds);
	check(failed >= atoi(argv[6]), "while %d allocations failed", failed);
	check(arrived > 0, "%d datagrams of %d arrived", arrived, right);

	right = rounds_of(20, &arrived);
	check(right == 20 && arrived == 20, "with memory, all arrives again");
	check(!ibv_destroy_ah(ah), "the address handle goes");
	end_close(&a);
	end_close(&b);
	end_close(&ud_a);
	end_close(&ud_b);
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
