// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two programs in two VMs, with a reliable connection between them: every
 * operation, with the data looked at where it arrives; and errors. What the ends
 * have to tell each other goes by TCP.
 *
 *	shm_data DEV serve PORT
 *	shm_data DEV all HOST PORT	the tests, as TAP
 *	shm_data DEV until HOST PORT	write until it fails; say how it did
 *	shm_data DEV churn HOST PORT S	for S seconds: connect, write, and again
 *					whatever becomes of it
 *	shm_data DEV steady HOST PORT S	for S seconds: write, without a failure
 *	shm_data DEV rate HOST PORT	what writes and sends take
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/vm/verbs_lab.h"

#define HALF	(BUF_SIZE / 2)

enum op {
	OP_CONNECT,	/* a new queue pair, connected to the one named */
	OP_FILL,	/* memory with a pattern */
	OP_CHECK,	/* is the pattern there? */
	OP_RECV,	/* post a receive */
	OP_WAIT,	/* for its completion */
	OP_BARE,	/* a region that lets nobody read: its key */
	OP_DEREG,	/* that region goes */
	OP_QUIT,
};

struct request {
	uint32_t op, seed;
	uint64_t at, len;
	uint32_t qpn, timeout;
	union ibv_gid gid;
};

struct reply {
	uint32_t good, status;
	uint32_t qpn, rkey;
	uint64_t buf;
	uint32_t byte_len, imm;
	union ibv_gid gid;
};

/* The other end, as far as it has to be known here */
struct far {
	int fd;
	struct ibv_qp qp;
	struct ibv_mr mr;
	struct dev dev;
	struct end end;
};

static struct dev dev;
static struct end end;
static struct link_attr attr;

static void __attribute__((noreturn)) die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static bool transfer(int fd, void *buf, size_t len, bool out)
{
	ssize_t n;

	for (; len; len -= n, buf = (char *)buf + n) {
		n = out ? write(fd, buf, len) : read(fd, buf, len);
		if (n <= 0)
			return false;
	}
	return true;
}

static struct reply ask(struct far *far, struct request req)
{
	struct reply rep;

	if (!transfer(far->fd, &req, sizeof(req), true) ||
	    !transfer(far->fd, &rep, sizeof(rep), false))
		die("the other end does not answer");
	return rep;
}

static void far_init(struct far *far)
{
	far->dev.mr = &far->mr;
	far->end.dev = &far->dev;
	far->end.qp = &far->qp;
}

static void renew(void)
{
	if (end.qp && (ibv_destroy_qp(end.qp) || ibv_destroy_cq(end.cq) ||
		       ibv_destroy_comp_channel(end.channel)))
		die("cannot let go of a queue pair");
	memset(&end, 0, sizeof(end));
	end_open(&end, &dev, &attr);
}

/* A new connection. False if there is none to be had. */
static bool join(struct far *far)
{
	struct reply rep;

	renew();
	rep = ask(far, (struct request){
		.op = OP_CONNECT, .qpn = end.qp->qp_num,
		.timeout = attr.timeout, .gid = dev.gid,
	});
	far->qp.qp_num = rep.qpn;
	far->mr.rkey = rep.rkey;
	far->dev.buf = (uint8_t *)(uintptr_t)rep.buf;
	far->dev.gid = rep.gid;
	return rep.good && !end_to(&end, &far->end, &attr, IBV_QPS_RTR) &&
	       !end_to(&end, &far->end, &attr, IBV_QPS_RTS);
}

static bool far_fill(struct far *far, size_t at, size_t len, unsigned int seed)
{
	return ask(far, (struct request){ .op = OP_FILL, .at = at, .len = len,
					  .seed = seed }).good;
}

static bool far_has(struct far *far, size_t at, size_t len, unsigned int seed)
{
	return ask(far, (struct request){ .op = OP_CHECK, .at = at, .len = len,
					  .seed = seed }).good;
}

static bool post(struct far *far, enum ibv_wr_opcode opcode, size_t at,
		 size_t to, uint32_t len)
{
	struct ibv_send_wr wr = {
		.opcode = opcode, .imm_data = htonl(0x12345678),
	};

	remote(&wr, &far->end, to);
	return !post_send(&end, &wr, at, len);
}

static bool done(enum ibv_wc_status status)
{
	struct ibv_wc wc;

	return expect(&end, status, &wc);
}

static void one_size(struct far *far, uint32_t len, unsigned int seed)
{
	const size_t at = 64 + seed, to = HALF + 8 * seed;
	struct reply rep;
	bool good;

	pattern(&dev, at, len, seed);
	good = post(far, IBV_WR_RDMA_WRITE, at, to, len) && done(IBV_WC_SUCCESS);
	check(good && far_has(far, to, len, seed),
	      "a write of %u bytes is there when it is done", len);

	good = far_fill(far, to, len, seed + 1) &&
	       post(far, IBV_WR_RDMA_READ, to, to, len) && done(IBV_WC_SUCCESS);
	check(good && matches(&dev, to, len, seed + 1),
	      "a read of %u bytes brings what stands there", len);

	ask(far, (struct request){ .op = OP_RECV, .at = to, .len = len });
	good = post(far, IBV_WR_SEND, at, 0, len) && done(IBV_WC_SUCCESS);
	rep = ask(far, (struct request){ .op = OP_WAIT });
	check(good && rep.good && rep.status == IBV_WC_SUCCESS &&
	      rep.byte_len == len && far_has(far, to, len, seed),
	      "a send of %u bytes is received whole", len);

	ask(far, (struct request){ .op = OP_RECV, .at = 0, .len = 0 });
	pattern(&dev, at, len, seed + 2);
	good = post(far, IBV_WR_RDMA_WRITE_WITH_IMM, at, to, len) &&
	       done(IBV_WC_SUCCESS);
	rep = ask(far, (struct request){ .op = OP_WAIT });
	check(good && rep.good && rep.byte_len == len &&
	      rep.imm == 0x12345678 && far_has(far, to, len, seed + 2),
	      "a write of %u bytes with immediate data, too", len);
}

static void atomics(struct far *far)
{
	uint64_t *here = (uint64_t *)(dev.buf + 8);
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD };
	bool good = true;
	uint64_t i, sum = 0;

	memset(dev.buf, 0, 16);
	good = post(far, IBV_WR_RDMA_WRITE, 0, 4096, 8) && done(IBV_WC_SUCCESS);
	wr.wr.atomic.remote_addr = (uintptr_t)far->dev.buf + 4096;
	wr.wr.atomic.rkey = far->mr.rkey;
	for (i = 1; i <= 100 && good; i++) {
		wr.wr.atomic.compare_add = i;
		good = !post_send(&end, &wr, 8, 8) && done(IBV_WC_SUCCESS) &&
		       *here == sum;
		sum += i;
	}
	check(good, "100 fetch-and-adds find the sum of those before");
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 1;
	wr.wr.atomic.swap = 7;
	good = !post_send(&end, &wr, 8, 8) && done(IBV_WC_SUCCESS) &&
	       *here == 5050;
	wr.wr.atomic.compare_add = 5050;
	good = good && !post_send(&end, &wr, 8, 8) && done(IBV_WC_SUCCESS) &&
	       *here == 5050 && post(far, IBV_WR_RDMA_READ, 8, 4096, 8) &&
	       done(IBV_WC_SUCCESS) && *here == 7;
	check(good, "a compare-and-swap swaps if it compares");
}

static void errors(struct far *far)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct reply bare;

	check(join(far), "another connection");
	remote(&wr, &far->end, 0);
	wr.wr.rdma.rkey ^= 0x5a;
	check(!post_send(&end, &wr, 0, 8) && done(IBV_WC_REM_ACCESS_ERR),
	      "a write by a wrong key is refused");

	check(join(far), "another connection");
	remote(&wr, &far->end, BUF_SIZE - 4);
	check(!post_send(&end, &wr, 0, 8) && done(IBV_WC_REM_ACCESS_ERR),
	      "a write beyond the region is refused");

	bare = ask(far, (struct request){ .op = OP_BARE });
	check(join(far), "another connection");
	wr.opcode = IBV_WR_RDMA_READ;
	remote(&wr, &far->end, 0);
	wr.wr.rdma.rkey = bare.rkey;
	check(!post_send(&end, &wr, 0, 8) && done(IBV_WC_REM_ACCESS_ERR),
	      "a read of what may not be read is refused");
	ask(far, (struct request){ .op = OP_DEREG });
	check(join(far), "another connection");
	wr.opcode = IBV_WR_RDMA_WRITE;
	check(!post_send(&end, &wr, 0, 8) && done(IBV_WC_REM_ACCESS_ERR),
	      "a write to a region that has gone is refused");

	attr.rnr_retry = 0;
	check(join(far), "another connection, which does not wait for receives");
	check(post(far, IBV_WR_SEND, 0, 0, 8) && done(IBV_WC_RNR_RETRY_EXC_ERR),
	      "a send without a receive is told so");
	attr = rc_link;

	check(join(far), "another connection");
	ask(far, (struct request){ .op = OP_RECV, .at = 0, .len = 4 });
	check(post(far, IBV_WR_SEND, 0, 0, 8) && done(IBV_WC_REM_INV_REQ_ERR),
	      "a send that is longer than the receive fails");
	bare = ask(far, (struct request){ .op = OP_WAIT });
	check(bare.good && bare.status == IBV_WC_LOC_LEN_ERR,
	      "so does the receive");
}

/* As many at a time as fit, so that the ring fills and has to be waited for. */
static void many(struct far *far)
{
	struct ibv_wc wc;
	bool good = true;
	int i, sent = 0, seen = 0;

	pattern(&dev, 0, HALF, 9);
	while (seen < 64 && good) {
		for (; sent < 64 && sent - seen < DEPTH && good; sent++)
			good = post(far, IBV_WR_RDMA_WRITE, 0, HALF, HALF);
		good = good && expect(&end, IBV_WC_SUCCESS, &wc);
		seen++;
	}
	check(good && far_has(far, HALF, HALF, 9),
	      "64 MiB of writes, 16 MiB at a time");
	for (i = 0; i < 8 && good; i++)
		good = post(far, IBV_WR_RDMA_READ, HALF, HALF, HALF);
	for (i = 0; i < 8 && good; i++)
		good = expect(&end, IBV_WC_SUCCESS, &wc);
	check(good && matches(&dev, HALF, HALF, 9), "8 MiB of reads, all at a time");
}

static int run_all(struct far *far)
{
	static const uint32_t sizes[] = {
		1, 63, 64, 4096, 16383, 16384, 16385, 65537, 1000003,
	};
	unsigned int i;

	check(join(far), "a connection");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		one_size(far, sizes[i], 3 * i + 1);
	atomics(far);
	many(far);
	errors(far);
	return tap_done();
}

static int run_until(struct far *far)
{
	struct ibv_wc wc = {};
	double begin = now_us(), last = begin;
	uint64_t n = 0;

	if (!join(far))
		die("cannot connect");
	while (post(far, IBV_WR_RDMA_WRITE, 0, HALF, 65536) &&
	       wait_wc(&end, &wc) && wc.status == IBV_WC_SUCCESS) {
		last = now_us();
		if (!n++) {
			printf("under way\n");
			fflush(stdout);
		}
	}
	printf("after %llu writes: %s, %.1f s after the last\n",
	       (unsigned long long)n, ibv_wc_status_str(wc.status),
	       (now_us() - last) / 1e6);
	return !(n && wc.status == IBV_WC_RETRY_EXC_ERR);
}

static int run_churn(struct far *far, int seconds)
{
	double begin = now_us();
	unsigned int good = 0, bad = 0;
	struct ibv_wc wc;
	int i;

	attr.timeout = 10;
	attr.retry = 3;
	while (now_us() - begin < seconds * 1e6) {
		if (!join(far)) {
			bad++;
			continue;
		}
		for (i = 0; i < 64; i++) {
			if (!post(far, i & 1 ? IBV_WR_RDMA_READ :
					       IBV_WR_RDMA_WRITE, 0, HALF,
				  1 << (i % 20)) || !wait_wc(&end, &wc) ||
			    wc.status != IBV_WC_SUCCESS)
				break;
			good++;
		}
		bad += i < 64;
	}
	printf("%u operations, %u failures\n", good, bad);
	return 0;
}

static int run_steady(struct far *far, int seconds)
{
	double begin = now_us();
	uint64_t n = 0;

	attr.timeout = 18;
	if (!join(far))
		die("cannot connect");
	for (; now_us() - begin < seconds * 1e6; n++)
		if (!post(far, IBV_WR_RDMA_WRITE, 0, HALF, 65536) ||
		    !done(IBV_WC_SUCCESS))
			return 1;
	printf("%llu writes\n", (unsigned long long)n);
	return 0;
}

static double rate(struct far *far, uint32_t len, int n)
{
	double begin = now_us();
	int i, sent = 0;
	struct ibv_wc wc;

	for (i = 0; i < n; i++) {
		for (; sent < n && sent - i < DEPTH; sent++)
			if (!post(far, IBV_WR_RDMA_WRITE, 0, 0, len))
				die("cannot post");
		if (!expect(&end, IBV_WC_SUCCESS, &wc))
			die("a write failed");
	}
	return now_us() - begin;
}

/* A million bytes takes no less than the law says; how much more is the machine's. */
static int run_rate(struct far *far)
{
	double one, us;

	/* 1 s: longer than what is to be measured */
	attr.timeout = 18;
	if (!join(far))
		die("cannot connect");
	rate(far, 8, 10);
	one = rate(far, 8, 1);
	us = rate(far, 1000000, 1);
	printf("us_8_bytes=%.0f us_1000000_bytes=%.0f MB_per_s=%.0f\n", one, us,
	       50e6 / rate(far, 1000000, 50));
	return 0;
}

static struct reply answer(struct far *far, const struct request *req)
{
	static struct ibv_mr *bare;
	struct reply rep = { .good = 1 };
	struct ibv_wc wc = {};

	switch (req->op) {
	case OP_CONNECT:
		attr.timeout = req->timeout;
		far->qp.qp_num = req->qpn;
		far->dev.gid = req->gid;
		renew();
		rep.good = !end_to(&end, &far->end, &attr, IBV_QPS_RTR) &&
			   !end_to(&end, &far->end, &attr, IBV_QPS_RTS);
		rep.qpn = end.qp->qp_num;
		rep.rkey = dev.mr->rkey;
		rep.buf = (uintptr_t)dev.buf;
		rep.gid = dev.gid;
		break;
	case OP_FILL:
		pattern(&dev, req->at, req->len, req->seed);
		break;
	case OP_CHECK:
		rep.good = matches(&dev, req->at, req->len, req->seed);
		break;
	case OP_RECV:
		rep.good = !post_recv(&end, 1, req->at, req->len);
		break;
	case OP_WAIT:
		rep.good = wait_wc(&end, &wc);
		rep.status = wc.status;
		rep.byte_len = wc.byte_len;
		rep.imm = ntohl(wc.imm_data);
		break;
	case OP_BARE:
		bare = ibv_reg_mr(dev.pd, dev.buf, 4096, IBV_ACCESS_LOCAL_WRITE);
		rep.rkey = bare->rkey;
		break;
	case OP_DEREG:
		rep.good = !ibv_dereg_mr(bare);
		break;
	}
	return rep;
}

static int run_serve(struct far *far, int port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
	struct request req;
	struct reply rep;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1))
		die("cannot listen");
	far->fd = accept(fd, NULL, NULL);
	setsockopt(far->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (transfer(far->fd, &req, sizeof(req), false) &&
	       req.op != OP_QUIT) {
		rep = answer(far, &req);
		if (!transfer(far->fd, &rep, sizeof(rep), true))
			break;
	}
	return 0;
}

static void dial(struct far *far, const char *host, int port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};
	int one = 1;

	far->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (!inet_aton(host, &addr.sin_addr) ||
	    connect(far->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("cannot reach the other end");
	setsockopt(far->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

int main(int argc, char **argv)
{
	static struct far far;
	int status = 2;

	setlinebuf(stdout);
	if (argc < 4)
		return 2;
	attr = rc_link;
	far_init(&far);
	dev_open(&dev, argv[1]);
	if (!strcmp(argv[2], "serve"))
		return run_serve(&far, atoi(argv[3]));
	if (argc < 5)
		return 2;
	dial(&far, argv[3], atoi(argv[4]));
	if (!strcmp(argv[2], "all"))
		status = run_all(&far);
	else if (!strcmp(argv[2], "until"))
		status = run_until(&far);
	else if (!strcmp(argv[2], "churn") && argc == 6)
		status = run_churn(&far, atoi(argv[5]));
	else if (!strcmp(argv[2], "steady") && argc == 6)
		status = run_steady(&far, atoi(argv[5]));
	else if (!strcmp(argv[2], "rate"))
		status = run_rate(&far);
	return status;
}
