// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "verbs_lab.h"

/* By the guest's clock, by which a lab with a large time scale is slow: a transport
 * timeout is 67 s at a time scale of 1000, and 8 of them are an error.
 */
#define PATIENCE_MS	3000000

const struct link_attr rc_link = {
	.type		= IBV_QPT_RC,
	.timeout	= 14,
	.retry		= 7,
	.rnr_retry	= 7,
	.rd_atomic	= 4,
	.sig_all	= true,
};

/* Microseconds, of the guest */
double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static void __attribute__((noreturn)) bail(const char *what, const char *name)
{
	printf("Bail out! %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

double time_scale(void)
{
	static const char path[] = "/sys/kernel/config/suo/time_scale";
	FILE *f = fopen(path, "r");
	double scale;

	if (!f || fscanf(f, "%lf", &scale) != 1)
		bail("cannot read", path);
	fclose(f);
	return scale;
}

static uint64_t rng_state = 1;

void rnd_seed(uint64_t seed)
{
	rng_state = seed ? seed : 1;
}

/* xorshift64* */
uint32_t rnd(void)
{
	rng_state ^= rng_state >> 12;
	rng_state ^= rng_state << 25;
	rng_state ^= rng_state >> 27;
	return (rng_state * 0x2545f4914f6cdd1dull) >> 32;
}

/* The first RoCE v2 GID that is an IPv4 address. */
static void find_gid(struct dev *dev, const char *name)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < 128; i++) {
		if (ibv_query_gid_ex(dev->ctx, 1, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(entry.gid.raw, mapped, sizeof(mapped)))
			continue;
		dev->gid = entry.gid;
		dev->gid_index = i;
		return;
	}
	errno = ENOENT;
	bail("no RoCE v2 GID for an IPv4 address on", name);
}

/* A device without a buffer */
void dev_find(struct dev *dev, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			dev->ctx = ibv_open_device(list[i]);
	if (!dev->ctx)
		bail("cannot open", name);
	ibv_free_device_list(list);

	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd || ibv_query_device(dev->ctx, &dev->attr))
		bail("cannot use", name);
	find_gid(dev, name);
}

void dev_open(struct dev *dev, const char *name)
{
	dev_find(dev, name);
	dev->buf = aligned_alloc(4096, BUF_SIZE);
	if (!dev->buf)
		bail("no memory for", name);
	dev->mr = ibv_reg_mr(dev->pd, dev->buf, BUF_SIZE,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	if (!dev->mr)
		bail("cannot register memory on", name);
}

void dev_close(struct dev *dev)
{
	check(!ibv_dereg_mr(dev->mr) && !ibv_dealloc_pd(dev->pd) &&
	      !ibv_close_device(dev->ctx), "the device closes with nothing left");
	free(dev->buf);
}

static uint32_t depth_of(const struct link_attr *attr)
{
	return attr->depth ? attr->depth : DEPTH;
}

static struct ibv_qp *make_qp(struct end *end, const struct link_attr *attr)
{
	struct ibv_qp_init_attr_ex init = {
		.send_cq = end->cq, .recv_cq = end->cq, .srq = end->srq,
		.cap = {
			.max_send_wr = depth_of(attr), .max_recv_wr = DEPTH,
			.max_send_sge = MAX_SGE, .max_recv_sge = MAX_SGE,
			.max_inline_data = MAX_INLINE,
		},
		.qp_type = attr->type, .sq_sig_all = attr->sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD, .pd = end->dev->pd,
	};

	if (attr->ex) {
		init.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		init.send_ops_flags = IBV_QP_EX_WITH_SEND |
				      IBV_QP_EX_WITH_SEND_WITH_IMM;
		if (attr->type == IBV_QPT_RC)
			init.send_ops_flags |= IBV_QP_EX_WITH_RDMA_WRITE |
					       IBV_QP_EX_WITH_RDMA_READ;
	}
	/* Without the mask bit this is ibv_create_qp(). */
	return ibv_create_qp_ex(end->dev->ctx, &init);
}

/**
 * end_open() - make the queues of an end, in the state INIT
 * @end: zeroed, but for @end->srq
 * @dev: device
 * @attr: how it will be connected
 */
void end_open(struct end *end, struct dev *dev, const struct link_attr *attr)
{
	struct ibv_cq_init_attr_ex cq = {
		.cqe = 4 * depth_of(attr),
		.wc_flags = IBV_WC_EX_WITH_BYTE_LEN | IBV_WC_EX_WITH_IMM |
			    IBV_WC_EX_WITH_QP_NUM,
	};

	end->dev = dev;
	end->channel = ibv_create_comp_channel(dev->ctx);
	if (!end->channel)
		bail("cannot make", "a completion channel");
	if (attr->ex) {
		cq.channel = end->channel;
		end->cq_ex = ibv_create_cq_ex(dev->ctx, &cq);
		if (end->cq_ex)
			end->cq = ibv_cq_ex_to_cq(end->cq_ex);
	} else {
		end->cq = ibv_create_cq(dev->ctx, 4 * depth_of(attr), NULL,
					end->channel, 0);
	}
	if (!end->cq)
		bail("cannot make", "a completion queue");
	end->qp = make_qp(end, attr);
	if (!end->qp)
		bail("cannot make", "a queue pair");
	errno = end_to(end, NULL, attr, IBV_QPS_INIT);
	if (errno)
		bail("cannot initialise", "a queue pair");
}

void end_close(struct end *end)
{
	check(!ibv_destroy_qp(end->qp) && !ibv_destroy_cq(end->cq) &&
	      !ibv_destroy_comp_channel(end->channel), "the end closes");
	memset(end, 0, sizeof(*end));
}

static int to_rtr(struct end *end, const struct end *peer,
		  const struct link_attr *attr)
{
	struct ibv_qp_attr qp = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_4096,
		.rq_psn = peer->qp->qp_num & 0xffffff,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = attr->rd_atomic,
		.min_rnr_timer = 1,
		.ah_attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = peer->dev->gid, .hop_limit = 64,
				 .sgid_index = end->dev->gid_index },
		},
	};
	int mask = IBV_QP_STATE;

	if (attr->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (attr->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(end->qp, &qp, mask);
}

/**
 * end_to() - move an end's queue pair to a state
 * @end: the end
 * @peer: RTR only: whom it talks to
 * @attr: how
 * @state: RESET, INIT, RTR, RTS or ERR
 *
 * A queue pair's own number is its first packet sequence number.
 *
 * Return: 0 or an errno.
 */
int end_to(struct end *end, const struct end *peer,
	   const struct link_attr *attr, enum ibv_qp_state state)
{
	struct ibv_qp_attr qp = {
		.qp_state = state,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		.qkey = QKEY,
		.sq_psn = end->qp->qp_num & 0xffffff,
		.timeout = attr->timeout,
		.retry_cnt = attr->retry,
		.rnr_retry = attr->rnr_retry,
		.max_rd_atomic = attr->rd_atomic,
	};
	int mask = IBV_QP_STATE;

	if (state == IBV_QPS_RTR)
		return to_rtr(end, peer, attr);
	if (state == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			(attr->type == IBV_QPT_UD ? IBV_QP_QKEY :
						    IBV_QP_ACCESS_FLAGS);
	if (state == IBV_QPS_RTS) {
		mask |= IBV_QP_SQ_PSN;
		if (attr->type == IBV_QPT_RC)
			mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	return ibv_modify_qp(end->qp, &qp, mask);
}

void connect_ends(struct end *a, struct end *b, const struct link_attr *attr)
{
	errno = end_to(a, b, attr, IBV_QPS_RTR);
	if (!errno)
		errno = end_to(b, a, attr, IBV_QPS_RTR);
	if (!errno)
		errno = end_to(a, b, attr, IBV_QPS_RTS);
	if (!errno)
		errno = end_to(b, a, attr, IBV_QPS_RTS);
	if (errno)
		bail("cannot connect", "queue pairs");
}

/**
 * ends_open() - both ends of a connection
 * @a: one
 * @dev_a: its device
 * @b: the other
 * @dev_b: its device
 * @attr: how
 */
void ends_open(struct end *a, struct dev *dev_a, struct end *b,
	       struct dev *dev_b, const struct link_attr *attr)
{
	end_open(a, dev_a, attr);
	end_open(b, dev_b, attr);
	connect_ends(a, b, attr);
}

struct ibv_ah *ah_to(struct end *end, const struct end *peer)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = peer->dev->gid, .hop_limit = 64,
			 .sgid_index = end->dev->gid_index },
	};

	return ibv_create_ah(end->dev->pd, &attr);
}

int post_recv(struct end *end, uint64_t wr_id, size_t at, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->dev->buf + at, .length = len,
		.lkey = end->dev->mr->lkey,
	};
	struct ibv_recv_wr wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1,
	};
	struct ibv_recv_wr *bad;

	if (end->srq)
		return ibv_post_srq_recv(end->srq, &wr, &bad);
	return ibv_post_recv(end->qp, &wr, &bad);
}

/* Post @wr, with a single piece of memory in place of its list. */
int post_send(struct end *end, struct ibv_send_wr *wr, size_t at, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)end->dev->buf + at, .length = len,
		.lkey = end->dev->mr->lkey,
	};
	struct ibv_send_wr *bad;

	wr->sg_list = &sge;
	wr->num_sge = 1;
	return ibv_post_send(end->qp, wr, &bad);
}

void remote(struct ibv_send_wr *wr, const struct end *peer, size_t at)
{
	wr->wr.rdma.remote_addr = (uintptr_t)peer->dev->buf + at;
	wr->wr.rdma.rkey = peer->dev->mr->rkey;
}

static bool poll_one(struct end *end, struct ibv_wc *wc)
{
	struct ibv_poll_cq_attr attr = {};

	if (!end->cq_ex)
		return ibv_poll_cq(end->cq, 1, wc) == 1;

	if (ibv_start_poll(end->cq_ex, &attr))
		return false;
	memset(wc, 0, sizeof(*wc));
	wc->wr_id = end->cq_ex->wr_id;
	wc->status = end->cq_ex->status;
	wc->opcode = ibv_wc_read_opcode(end->cq_ex);
	wc->byte_len = ibv_wc_read_byte_len(end->cq_ex);
	wc->imm_data = ibv_wc_read_imm_data(end->cq_ex);
	wc->qp_num = ibv_wc_read_qp_num(end->cq_ex);
	wc->wc_flags = ibv_wc_read_wc_flags(end->cq_ex);
	ibv_end_poll(end->cq_ex);
	return true;
}

static bool wait_event(struct end *end, int ms)
{
	struct pollfd fd = { .fd = end->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, ms) != 1)
		return false;
	if (ibv_get_cq_event(end->channel, &cq, &context) || cq != end->cq)
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

/**
 * wait_wc() - take one completion
 * @end: where
 * @wc: the completion
 *
 * Arms, polls, and only then sleeps, as the verbs want it.
 *
 * Return: false if none comes.
 */
bool wait_wc(struct end *end, struct ibv_wc *wc)
{
	for (;;) {
		if (poll_one(end, wc))
			return true;
		if (ibv_req_notify_cq(end->cq, 0))
			return false;
		if (poll_one(end, wc))
			return true;
		if (!wait_event(end, PATIENCE_MS)) {
			printf("# no completion\n");
			return false;
		}
	}
}

bool expect(struct end *end, enum ibv_wc_status status, struct ibv_wc *wc)
{
	if (!wait_wc(end, wc))
		return false;
	if (wc->status == status)
		return true;
	printf("# wr_id %llu: status %s (vendor_err %#x), not %s\n",
	       (unsigned long long)wc->wr_id, ibv_wc_status_str(wc->status),
	       wc->vendor_err, ibv_wc_status_str(status));
	return false;
}

/* No event for so long: returns at once if there is one. */
bool quiet(struct end *end, int ms)
{
	return !wait_event(end, ms);
}

static uint8_t pattern_byte(size_t i, unsigned int seed)
{
	return (i * 167 + (i >> 8) * 13 + seed * 101) & 0xff;
}

void pattern(struct dev *dev, size_t at, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		dev->buf[at + i] = pattern_byte(i, seed);
}

bool matches(const struct dev *dev, size_t at, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (dev->buf[at + i] != pattern_byte(i, seed)) {
			printf("# byte %zu of %zu is wrong\n", i, len);
			return false;
		}
	}
	return true;
}
