// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * windows_time SCALE RATE_MBPS LATENCY_PS REDUCE_PS: how long what is done by a
 * window's key takes, against the closed forms of windows.rst, which are worked out
 * here from the domain's parameters: 16 bytes of header for each 256 of payload, all
 * in flits of 16 bytes; segments of 16 KiB.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "windows_lab.h"

#define SEGMENT	16384

static double scale, ps_per_byte, latency_ps, reduce_ps;

static struct group group;
static struct end a, b;

static double wire_bytes(uint32_t len)
{
	uint32_t rest = len % 256;
	double bytes = len / 256 * 272.0;

	if (rest || !len)
		bytes += (16 + rest + 15) / 16 * 16;
	return bytes;
}

/* Each segment for itself, by whole picoseconds */
static double ser_ps(uint32_t len)
{
	double ps = 0;

	do {
		uint32_t n = len < SEGMENT ? len : SEGMENT;

		ps += ceil(wire_bytes(n) * ps_per_byte);
		len -= n;
	} while (len);
	return ps;
}

/* Modelled nanoseconds since start, which is what the guest's clock was */
static double since_ns(double start_us)
{
	return (now_us() - start_us) * 1e3 / scale;
}

static void judge(double ns, double want_ps, const char *what, uint32_t len)
{
	double want = want_ps / 1e3;

	check(fabs(ns - want) <= 20 || fabs(ns - want) <= want / 100,
	      "%s, %u bytes: %.3f ns, by the closed form %.3f", what, len, ns, want);
}

static double timed(enum ibv_wr_opcode opcode, uint32_t len)
{
	double start = now_us();

	if (transfer(&a, opcode, group.info.rkey, 0, ASIDE, len) != IBV_WC_SUCCESS)
		return -1;
	return since_ns(start);
}

static const uint32_t lengths[] = { 4, 60, 252, 4096, 16384, 65540, 1u << 20 };

/* To all members at once; then the acknowledgment, a header. */
static void writes(void)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		judge(timed(IBV_WR_RDMA_WRITE, lengths[i]),
		      ser_ps(lengths[i]) + latency_ps + ser_ps(0) + latency_ps,
		      "multicast write", lengths[i]);
}

/* A header there; all members send at once, and what comes of it comes back. */
static void reads(const char *what)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		judge(timed(IBV_WR_RDMA_READ, lengths[i]),
		      ser_ps(0) + latency_ps + ser_ps(lengths[i]) + latency_ps +
		      reduce_ps, what, lengths[i]);
}

/* Two requests of two connections at once; when the later one is done. */
static double both(struct end *x, enum ibv_wr_opcode op_x, uint32_t key_x, uint64_t at_x,
		   struct end *y, enum ibv_wr_opcode op_y, uint32_t key_y, uint64_t at_y,
		   uint32_t len)
{
	struct ibv_send_wr wr_x = {
		.opcode = op_x, .wr.rdma = { .remote_addr = at_x, .rkey = key_x },
	};
	struct ibv_send_wr wr_y = {
		.opcode = op_y, .wr.rdma = { .remote_addr = at_y, .rkey = key_y },
	};
	double start = now_us();
	struct ibv_wc wc;

	if (post_send(x, &wr_x, ASIDE, len) || post_send(y, &wr_y, ASIDE, len) ||
	    !expect(x, IBV_WC_SUCCESS, &wc) || !expect(y, IBV_WC_SUCCESS, &wc))
		return -1;
	return since_ns(start);
}

/* Each member's receiving direction has to take in both: the second one waits. */
static void two_writers(void)
{
	struct end c = {}, d = {};
	uint32_t len = 65536;

	ends_open(&c, &member[2], &d, &member[3], &rc_link);
	judge(both(&a, IBV_WR_RDMA_WRITE, group.info.rkey, 0,
		   &c, IBV_WR_RDMA_WRITE, group.info.rkey, 0, len),
	      2 * ser_ps(len) + latency_ps + ser_ps(0) + latency_ps,
	      "two members write to one window", len);
	end_close(&d);
	end_close(&c);
}

/* Each member's sending direction has to serve both readers. */
static void two_readers(void)
{
	struct end c = {}, d = {};
	uint32_t len = 65536;

	ends_open(&c, &member[2], &d, &member[3], &rc_link);
	judge(both(&a, IBV_WR_RDMA_READ, group.info.rkey, 0,
		   &c, IBV_WR_RDMA_READ, group.info.rkey, 0, len),
	      ser_ps(0) + latency_ps + 2 * ser_ps(len) + latency_ps + reduce_ps,
	      "two members read one window", len);
	end_close(&d);
	end_close(&c);
}

/* Take the completion of each of two, as it comes. */
static bool each_done(struct end *end[2], double start, double ns[2])
{
	struct pollfd fd[2] = {
		{ .fd = end[0]->channel->fd, .events = POLLIN },
		{ .fd = end[1]->channel->fd, .events = POLLIN },
	};
	bool done[2] = { false, false };
	struct ibv_wc wc;
	int i;

	while (!done[0] || !done[1]) {
		if (poll(fd, 2, -1) < 0)
			return false;
		for (i = 0; i < 2; i++) {
			if (!fd[i].revents)
				continue;
			ns[i] = since_ns(start);
			if (!expect(end[i], IBV_WC_SUCCESS, &wc))
				return false;
			done[i] = true;
			fd[i].fd = -1;
			fd[i].revents = 0;
		}
	}
	return true;
}

/* A member that writes to another one, from member 4 to member 5, while member 0 reads:
 * both take 4's sending direction, which is never idle from the first bit of the write
 * on. The last bit of either leaves when both have passed. Which of the two that is
 * nobody says; so each is judged without what follows its last bit.
 */
static void beside_a_write(void)
{
	uint32_t len = 1u << 20;
	struct end c = {}, d = {};
	struct ibv_send_wr read = {
		.opcode = IBV_WR_RDMA_READ, .wr.rdma.rkey = group.info.rkey,
	};
	struct ibv_send_wr write = {
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = {
			.remote_addr = (uintptr_t)member[5].buf + ASIDE,
			.rkey = member[5].mr->rkey,
		},
	};
	struct end *end[2] = { &a, &c };
	double start, ns[2];

	ends_open(&c, &member[4], &d, &member[5], &rc_link);
	ibv_req_notify_cq(a.cq, 0);
	ibv_req_notify_cq(c.cq, 0);
	start = now_us();
	if (check(!post_send(&a, &read, ASIDE, len) && !post_send(&c, &write, ASIDE, len) &&
		  each_done(end, start, ns), "a reduced read beside a member's write")) {
		ns[0] -= (latency_ps + reduce_ps) / 1e3;
		ns[1] -= (2 * latency_ps + ser_ps(0)) / 1e3;
		judge(ns[0] > ns[1] ? ns[0] : ns[1], 2 * ser_ps(len),
		      "the member's link carries both", len);
	}
	end_close(&d);
	end_close(&c);
}

/* Who is not in the window is not held up: it has two members, and two others have
 * something of their own to do.
 */
static void outside(void)
{
	const struct suo_window_attr attr = {
		.length = WINDOW_SIZE, .members = 2, .type = SUO_WINDOW_INT32,
	};
	uint64_t at = (uintptr_t)member[7].buf + ASIDE;
	struct suo_window *w0, *w1;
	struct suo_window_info info;
	struct end c = {}, d = {};
	struct suo_token token;
	uint32_t len = 1u << 20;

	w0 = suo_window_create(member[0].ctx, &attr, &token);
	w1 = suo_window_join(member[1].ctx, &token);
	ends_open(&c, &member[4], &d, &member[7], &rc_link);
	if (!check(w0 && w1 && !suo_window_bind(w0, member[0].mr, (uintptr_t)member[0].buf, 0) &&
		   !suo_window_bind(w1, member[1].mr, (uintptr_t)member[1].buf, 1) &&
		   !suo_window_query(w0, &info), "a window of two members"))
		return;
	judge(both(&a, IBV_WR_RDMA_READ, info.rkey, 0,
		   &c, IBV_WR_RDMA_WRITE, member[7].mr->rkey, at, len),
	      ser_ps(0) + latency_ps + ser_ps(len) + latency_ps + reduce_ps,
	      "a reduced read beside a write of others", len);
	end_close(&d);
	end_close(&c);
	suo_window_destroy(w1);
	suo_window_destroy(w0);
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: %s SCALE RATE_MBPS LATENCY_PS REDUCE_PS\n", argv[0]);
		return 2;
	}
	scale = atof(argv[1]);
	ps_per_byte = 8e6 / atof(argv[2]);
	latency_ps = atof(argv[3]);
	reduce_ps = atof(argv[4]);
	members_open();
	if (!check(group_open(&group, SUO_WINDOW_SUM, SUO_WINDOW_FLOAT32, WINDOW_SIZE,
			      MEMBERS), "a window of float32 over %d members", MEMBERS))
		return tap_done();
	ends_open(&a, &member[0], &b, &member[1], &rc_link);
	/* What is done once only: the first fault of a page, say. */
	timed(IBV_WR_RDMA_WRITE, 1u << 20);
	writes();
	reads("reduced read");
	two_writers();
	two_readers();
	beside_a_write();
	outside();
	end_close(&b);
	end_close(&a);
	check(group_close(&group), "the window closes");
	members_close();
	return tap_done();
}
