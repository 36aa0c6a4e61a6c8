// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Traffic between the members of a domain, and how long it takes in modelled time.
 *
 * Usage: verbs_traffic [-d DEVICES] [-n ROUNDS] [-e] PATTERN SIZE...
 *
 *	one	suo0 writes to suo1
 *	two	suo0 and suo1 write to suo2
 *	first	suo0 writes to suo2
 *	second	suo1 writes to suo2
 *	both	suo0 and suo1 write to each other
 *	across	suo0 and suo2 do
 *	all	each device writes to each other one, in the order of a rotation
 *	read	suo0 reads from suo1
 *
 * A line for each size: PATTERN SIZE NS FLOWS. NS is the modelled time from the first
 * doorbell until the last receiver has its completion (write with immediate), or the
 * reader; of the last of ROUNDS. The program waits for events, so that nothing of it
 * runs meanwhile. All data is compared afterwards. -e: errors are expected: at the
 * first one say who has it, and which, flush all other work, and exit with 3.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verbs_lab.h"

#define MAX_DEVS	128
#define NONE		UINT32_MAX

/**
 * struct member - a device
 * @dev: the device; its own buffer is not used
 * @channel: of @cq
 * @cq: for all queues of the device
 * @mr: over all of @buf
 * @buf: what it sends, then a slot for each device that it receives from
 * @qp: towards each other device, or NULL
 * @sends: completions that senders are to get in a round, still
 * @recvs: completions that receivers are to get in a round, still
 * @gone: the device was deleted
 */
struct member {
	struct dev dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *buf;
	struct ibv_qp *qp[MAX_DEVS];
	uint32_t sends;
	uint32_t recvs;
	bool gone;
};

struct flow {
	uint32_t from;
	uint32_t to;
};

static struct member member[MAX_DEVS];
static struct flow flow[MAX_DEVS * MAX_DEVS];
static uint32_t num_members = 2, num_flows;
static size_t slot_bytes;
static bool errors_told, failed;

static void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "verbs_traffic: ");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "\n");
	exit(1);
}

static void plan(const char *pattern)
{
	uint32_t i, k;

	if (!strcmp(pattern, "one") || !strcmp(pattern, "read")) {
		flow[num_flows++] = (struct flow){ 0, 1 };
	} else if (!strcmp(pattern, "two")) {
		flow[num_flows++] = (struct flow){ 0, 2 };
		flow[num_flows++] = (struct flow){ 1, 2 };
	} else if (!strcmp(pattern, "first")) {
		flow[num_flows++] = (struct flow){ 0, 2 };
	} else if (!strcmp(pattern, "second")) {
		flow[num_flows++] = (struct flow){ 1, 2 };
	} else if (!strcmp(pattern, "both")) {
		flow[num_flows++] = (struct flow){ 0, 1 };
		flow[num_flows++] = (struct flow){ 1, 0 };
	} else if (!strcmp(pattern, "across")) {
		flow[num_flows++] = (struct flow){ 0, 2 };
		flow[num_flows++] = (struct flow){ 2, 0 };
	} else if (!strcmp(pattern, "all")) {
		for (k = 1; k < num_members; k++)
			for (i = 0; i < num_members; i++)
				flow[num_flows++] = (struct flow){
					i, (i + k) % num_members };
	} else {
		die("no pattern '%s'", pattern);
	}
	for (i = 0; i < num_flows; i++)
		if (flow[i].from >= num_members || flow[i].to >= num_members)
			die("%s takes more than %u devices", pattern,
			    num_members);
}

static void open_members(void)
{
	char name[16];
	uint32_t i;
	size_t bytes;

	for (i = 0; i < num_members; i++) {
		struct member *m = &member[i];

		snprintf(name, sizeof(name), "suo%u", i);
		dev_find(&m->dev, name);
		bytes = slot_bytes * (num_members + 1);
		m->buf = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (m->buf == MAP_FAILED)
			die("no memory");
		m->channel = ibv_create_comp_channel(m->dev.ctx);
		if (!m->channel)
			die("%s: %s", name, strerror(errno));
		m->cq = ibv_create_cq(m->dev.ctx, 4 * num_members, NULL,
				      m->channel, 0);
		m->mr = ibv_reg_mr(m->dev.pd, m->buf, bytes,
				   IBV_ACCESS_LOCAL_WRITE |
				   IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ);
		if (!m->cq || !m->mr)
			die("%s: %s", name, strerror(errno));
	}
}

static void make_qp(struct member *m, uint32_t peer)
{
	struct ibv_qp_init_attr init = {
		.send_cq = m->cq, .recv_cq = m->cq,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
	};

	if (!m->qp[peer])
		m->qp[peer] = ibv_create_qp(m->dev.pd, &init);
	if (!m->qp[peer])
		die("cannot make a queue pair: %s", strerror(errno));
}

static void connect_qp(struct member *m, const struct member *to,
		       const struct ibv_qp *peer, struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ,
	};
	int err;

	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (err)
		die("INIT: %s", strerror(err));
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_4096,
		.dest_qp_num = peer->qp_num, .rq_psn = peer->qp_num & 0xffffff,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .dgid = to->dev.gid, .hop_limit = 64,
				      .sgid_index = m->dev.gid_index } },
	};
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV |
			    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (err)
		die("RTR: %s", strerror(err));
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7,
		.rnr_retry = 7, .sq_psn = qp->qp_num & 0xffffff,
		.max_rd_atomic = 1,
	};
	err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
			    IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			    IBV_QP_MAX_QP_RD_ATOMIC);
	if (err)
		die("RTS: %s", strerror(err));
}

static void connect_members(void)
{
	uint32_t i;

	for (i = 0; i < num_flows; i++) {
		struct member *a = &member[flow[i].from];
		struct member *b = &member[flow[i].to];

		if (a->qp[flow[i].to])
			continue;
		make_qp(a, flow[i].to);
		make_qp(b, flow[i].from);
		connect_qp(a, b, b->qp[flow[i].from], a->qp[flow[i].to]);
		connect_qp(b, a, a->qp[flow[i].to], b->qp[flow[i].from]);
	}
}

/* Bytes that tell the sender and the round apart, eight at a time */
static void fill(uint8_t *buf, size_t size, uint64_t seed)
{
	uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15ull;
	size_t i;

	for (i = 0; i < size; i += 8) {
		x += 0x9e3779b97f4a7c15ull;
		memcpy(buf + i, &x, size - i < 8 ? size - i : 8);
	}
}

static uint8_t *slot(const struct flow *f)
{
	return member[f->to].buf + (f->from + 1) * slot_bytes;
}

/* The first thing that fails is told; what else is under way is flushed. */
static void fail(const struct member *m, const char *what)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	uint32_t i;

	if (failed)
		return;
	if (!errors_told)
		die("suo%td: %s", m - member, what);
	failed = true;
	printf("suo%td: %s\n", m - member, what);
	fflush(stdout);
	for (i = 0; i < num_flows; i++) {
		ibv_modify_qp(member[flow[i].from].qp[flow[i].to], &attr,
			      IBV_QP_STATE);
		ibv_modify_qp(member[flow[i].to].qp[flow[i].from], &attr,
			      IBV_QP_STATE);
	}
}

static void lost(struct member *m)
{
	m->gone = true;
	m->sends = 0;
	m->recvs = 0;
	fail(m, "device removed");
}

static void post_receive(const struct flow *f)
{
	struct member *m = &member[f->to];
	struct ibv_recv_wr wr = { .wr_id = f->from }, *bad;
	int err = ibv_post_recv(m->qp[f->from], &wr, &bad);

	if (err)
		fail(m, "no receive posted");
	else
		m->recvs++;
}

static void post(const struct flow *f, size_t size, bool read)
{
	struct member *m = &member[f->from];
	uint8_t *remote = read ? member[f->to].buf : slot(f);
	struct ibv_sge sge = {
		.addr = (uintptr_t)m->buf, .length = size, .lkey = m->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = NONE, .sg_list = &sge, .num_sge = 1,
		.opcode = read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE_WITH_IMM,
		.wr.rdma = { .remote_addr = (uintptr_t)remote,
			     .rkey = member[f->to].mr->rkey },
	}, *bad;
	int err;

	if (read)
		sge.addr += slot_bytes;
	err = ibv_post_send(m->qp[f->to], &wr, &bad);
	if (err)
		fail(m, "no request posted");
	else
		m->sends++;
}

/* Take what has completed. Return: whether a receiver, or a reader, got something */
static bool reap(struct member *m, bool read)
{
	struct ibv_wc wc[16];
	bool got = false;
	int i, n;

	while ((n = ibv_poll_cq(m->cq, 16, wc)) > 0)
		for (i = 0; i < n; i++) {
			if (wc[i].wr_id == NONE)
				m->sends--;
			else
				m->recvs--;
			if (wc[i].status)
				fail(m, ibv_wc_status_str(wc[i].status));
			else if (read || wc[i].wr_id != NONE)
				got = true;
		}
	if (n < 0)
		die("cannot poll");
	return got;
}

static bool busy(void)
{
	uint32_t i;

	for (i = 0; i < num_members; i++)
		if (member[i].sends || member[i].recvs)
			return true;
	return false;
}

/* Sleep until something has come; false: the device is no more. */
static bool take_event(struct member *m)
{
	struct ibv_cq *cq;
	void *context;

	if (ibv_get_cq_event(m->channel, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return !ibv_req_notify_cq(cq, 0);
}

/* Return: when the last completion came that counts, microseconds of the guest */
static double drain(bool read)
{
	static struct pollfd fds[MAX_DEVS];
	double last = 0, at;
	uint32_t i;

	for (i = 0; i < num_members; i++) {
		fds[i] = (struct pollfd){ .fd = member[i].channel->fd,
					  .events = POLLIN };
		if (ibv_req_notify_cq(member[i].cq, 0))
			lost(&member[i]);
		else if (reap(&member[i], read))
			last = now_us();
	}
	while (busy()) {
		if (poll(fds, num_members, -1) < 0)
			die("poll: %s", strerror(errno));
		for (i = 0; i < num_members; i++) {
			if (!fds[i].revents)
				continue;
			at = now_us();
			if (!take_event(&member[i])) {
				fds[i].fd = -1;
				lost(&member[i]);
			} else if (reap(&member[i], read)) {
				last = at;
			}
		}
	}
	return last;
}

/* Return: microseconds of the guest */
static double run(size_t size, unsigned int round, bool read)
{
	double begin, end;
	uint32_t i;

	for (i = 0; i < num_members; i++)
		fill(member[i].buf, size, round * MAX_DEVS + i);
	for (i = 0; i < num_flows; i++) {
		if (read) {
			memset(member[flow[i].from].buf + slot_bytes, 0, size);
			continue;
		}
		memset(slot(&flow[i]), 0, size);
		post_receive(&flow[i]);
	}
	begin = now_us();
	for (i = 0; i < num_flows; i++)
		post(&flow[i], size, read);
	end = drain(read);
	if (failed)
		exit(3);
	for (i = 0; i < num_flows; i++) {
		const struct flow *f = &flow[i];
		const uint8_t *at = read ? member[f->from].buf + slot_bytes :
				    slot(f);

		if (memcmp(at, member[read ? f->to : f->from].buf, size))
			die("wrong data from suo%u to suo%u", f->from, f->to);
	}
	return end - begin;
}

static size_t to_size(const char *arg)
{
	char *end;
	unsigned long long val = strtoull(arg, &end, 0);

	if (*end || end == arg || !val || val > 1ull << 30)
		die("'%s' is no size", arg);
	return val;
}

int main(int argc, char **argv)
{
	const char *pattern;
	unsigned int round = 0, rounds = 1, n;
	double scale, took = 0;
	bool read;
	int opt, i;

	while ((opt = getopt(argc, argv, "d:n:e")) != -1)
		switch (opt) {
		case 'd':
			num_members = to_size(optarg);
			break;
		case 'n':
			rounds = to_size(optarg);
			break;
		case 'e':
			errors_told = true;
			break;
		default:
			return 2;
		}
	if (argc - optind < 2 || num_members < 2 || num_members > MAX_DEVS)
		die("usage: verbs_traffic [-d DEVICES] [-n ROUNDS] [-e] PATTERN SIZE...");
	pattern = argv[optind++];
	read = !strcmp(pattern, "read");
	for (i = optind; i < argc; i++)
		if (to_size(argv[i]) > slot_bytes)
			slot_bytes = to_size(argv[i]);
	slot_bytes = (slot_bytes + 63) & ~63ull;
	scale = time_scale();
	plan(pattern);
	open_members();
	connect_members();
	for (i = optind; i < argc; i++) {
		size_t size = to_size(argv[i]);

		for (n = 0; n < rounds; n++)
			took = run(size, round++, read);
		printf("%s %zu %.3f %u\n", pattern, size, took * 1000 / scale,
		       num_flows);
		fflush(stdout);
	}
	return 0;
}
