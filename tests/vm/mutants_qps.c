// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The live queue pairs that mutants are for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutants.h"

#define RECVS		128
#define REQUESTS	8
#define SRQ_RECVS	256
#define CQES		4096
#define RECV_LEN	8192
#define HALF		(BUF_SIZE / 2)
/* Nobody has it: numbers are given out from below. */
#define PEER_QPN	0x800000
#define FIRST_PSN	0xfffff0

static void __attribute__((noreturn)) bail(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(1);
}

static void must(int err, const char *what)
{
	if (!err)
		return;
	errno = err > 0 ? err : errno;
	bail(what);
}

static bool is_v6(enum slot_nr nr)
{
	return nr == SLOT_RC_V6 || nr == SLOT_UC_V6;
}

static void slot_recv(struct victim *v, enum slot_nr nr)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)v->dev.buf + HALF, .length = RECV_LEN,
		.lkey = v->dev.mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = nr, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;
	struct slot *s = &v->slots[nr];

	if (nr == SLOT_RC_SRQ) {
		for (; v->srq_recvs < SRQ_RECVS; v->srq_recvs++)
			must(ibv_post_srq_recv(v->srq, &wr, &bad), "SRQ");
		return;
	}
	for (; nr != SLOT_RC_EMPTY && s->recvs < RECVS; s->recvs++)
		must(ibv_post_recv(s->qp, &wr, &bad), "a receive");
}

/* Requests that nobody answers: a read of several packets among them. */
static void slot_request(struct victim *v, struct slot *s)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	unsigned int i;

	for (i = 0; i < REQUESTS; i++) {
		struct ibv_sge sge = {
			.addr = (uintptr_t)v->dev.buf + HALF + 4096 * (4 + i),
			.length = 3000, .lkey = v->dev.mr->lkey,
		};
		struct ibv_send_wr *bad, wr = {
			.wr_id = SLOTS + i, .sg_list = &sge, .num_sge = 1,
			.opcode = ops[(i + s->made) % 4],
			.send_flags = IBV_SEND_SIGNALED,
		};

		if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			sge.length = 8;
			wr.wr.atomic.remote_addr = 0x1000;
		} else {
			wr.wr.rdma.remote_addr = 0x1000;
		}
		must(ibv_post_send(s->qp, &wr, &bad), "a request");
	}
	s->requests = REQUESTS;
}

static int to_rtr(struct victim *v, enum slot_nr nr)
{
	struct slot *s = &v->slots[nr];
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = nr == SLOT_RC_SMALL ? IBV_MTU_256 : IBV_MTU_1024,
		.rq_psn = FIRST_PSN, .dest_qp_num = PEER_QPN + nr,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .hop_limit = 64,
				      .sgid_index = v->dev.gid_index } },
	};
	int mask = IBV_QP_STATE;

	if (is_v6(nr)) {
		attr.ah_attr.grh.sgid_index = v->gid6_index;
		memcpy(attr.ah_attr.grh.dgid.raw, lab.peer6, 16);
	} else {
		attr.ah_attr.grh.dgid.raw[10] = 0xff;
		attr.ah_attr.grh.dgid.raw[11] = 0xff;
		memcpy(attr.ah_attr.grh.dgid.raw + 12, lab.peer4, 4);
	}
	if (s->type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (s->type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return ibv_modify_qp(s->qp, &attr, mask);
}

static void slot_connect(struct victim *v, enum slot_nr nr)
{
	struct slot *s = &v->slots[nr];
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
		/* The timeout is never: what waits for an answer, waits. */
		.sq_psn = FIRST_PSN, .retry_cnt = 7, .rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	must(ibv_modify_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			   IBV_QP_PORT | (s->type == IBV_QPT_UD ? IBV_QP_QKEY :
					  IBV_QP_ACCESS_FLAGS)), "INIT");
	if (nr == SLOT_RC_INIT)
		return;
	must(to_rtr(v, nr), "RTR");
	attr.qp_state = IBV_QPS_RTS;
	if (s->type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	must(ibv_modify_qp(s->qp, &attr, mask), "RTS");
}

static void slot_look(struct slot *s)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	must(ibv_query_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_RQ_PSN |
			  IBV_QP_SQ_PSN, &init), "query");
	s->state = attr.qp_state;
	s->rq_psn = attr.rq_psn;
	s->sq_psn = attr.sq_psn;
}

static void slot_make(struct victim *v, enum slot_nr nr)
{
	struct slot *s = &v->slots[nr];
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq, .recv_cq = s->cq, .qp_type = s->type,
		.srq = nr == SLOT_RC_SRQ ? v->srq : NULL,
		.cap = { .max_send_wr = REQUESTS, .max_recv_wr = RECVS,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	s->qp = ibv_create_qp(v->dev.pd, &init);
	if (!s->qp)
		bail("a queue pair");
	s->qpn = s->qp->qp_num;
	s->recvs = 0;
	slot_connect(v, nr);
	slot_recv(v, nr);
	if (nr == SLOT_RC_REQ)
		slot_request(v, s);
	slot_look(s);
	s->made++;
}

/* Completions tell how many receives are gone; what else they say was the
 * mutants' doing.
 */
static void slot_reap(struct victim *v, enum slot_nr nr)
{
	struct slot *s = &v->slots[nr];
	struct ibv_wc wc[16];
	int n, i;

	while ((n = ibv_poll_cq(s->cq, 16, wc)) > 0) {
		for (i = 0; i < n; i++) {
			if (wc[i].wr_id == SLOT_RC_SRQ)
				v->srq_recvs--;
			else if (wc[i].wr_id < SLOTS)
				s->recvs--;
			else
				s->requests--;
		}
	}
	must(n, "poll");
}

static void slot_replace(struct victim *v, enum slot_nr nr)
{
	struct slot *s = &v->slots[nr];

	slot_reap(v, nr);
	must(ibv_destroy_qp(s->qp), "destroy");
	slot_make(v, nr);
}

void slot_refresh(struct victim *v, enum slot_nr nr)
{
	struct slot *s = &v->slots[nr];

	if (!s->qp || s->type == IBV_QPT_UD)
		return;
	slot_look(s);
	if (s->state != IBV_QPS_ERR)
		return;
	/* What is on its way is for this queue pair, not for none. */
	v->drain();
	slot_replace(v, nr);
}

void victim_tend(struct victim *v)
{
	struct slot *req = &v->slots[SLOT_RC_REQ];
	enum slot_nr nr;

	for (nr = 0; nr < SLOTS; nr++) {
		if (!v->slots[nr].qp)
			continue;
		slot_refresh(v, nr);
		slot_reap(v, nr);
		slot_recv(v, nr);
	}
	/* Some answers may have been right. */
	if (req->requests < REQUESTS / 2)
		slot_replace(v, SLOT_RC_REQ);
}

struct slot *victim_find(struct victim *v, uint32_t qpn)
{
	enum slot_nr nr;

	for (nr = 0; nr < SLOTS; nr++)
		if (v->slots[nr].qpn == qpn)
			return &v->slots[nr];
	return NULL;
}

static void find_gid6(struct victim *v)
{
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < 128; i++) {
		if (ibv_query_gid_ex(v->dev.ctx, 1, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    memcmp(entry.gid.raw, lab.ip6, 16))
			continue;
		v->gid6_index = i;
		return;
	}
	errno = ENOENT;
	bail("the IPv6 address");
}

/* @change: ibv_attach_mcast or ibv_detach_mcast */
static int change_groups(struct victim *v,
			 int (*change)(struct ibv_qp *, const union ibv_gid *,
				       uint16_t))
{
	struct ibv_qp *qp = v->slots[SLOT_UD].qp;
	union ibv_gid mgid = { .raw = { [10] = 0xff, [11] = 0xff } };
	int err;

	memcpy(mgid.raw + 12, lab.group4, 4);
	err = change(qp, &mgid, 0);
	memcpy(mgid.raw, lab.group6, 16);
	return err ? err : change(qp, &mgid, 0);
}

void victim_open(struct victim *v, const char *name)
{
	struct ibv_srq_init_attr srq = {
		.attr = { .max_wr = SRQ_RECVS, .max_sge = 1 },
	};
	struct ibv_mr *gone;
	enum slot_nr nr;

	dev_open(&v->dev, name);
	find_gid6(v);
	v->srq = ibv_create_srq(v->dev.pd, &srq);
	v->read_only = ibv_reg_mr(v->dev.pd, v->dev.buf, HALF,
				  IBV_ACCESS_REMOTE_READ);
	gone = ibv_reg_mr(v->dev.pd, v->dev.buf, HALF, IBV_ACCESS_LOCAL_WRITE |
			  IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!v->srq || !v->read_only || !gone)
		bail("memory");
	v->gone_rkey = gone->rkey;
	must(ibv_dereg_mr(gone), "a region");
	for (nr = 0; nr < SLOTS; nr++) {
		struct slot *s = &v->slots[nr];

		s->type = nr < SLOT_UC ? IBV_QPT_RC :
			  nr < SLOT_UD ? IBV_QPT_UC :
			  nr == SLOT_GSI ? IBV_QPT_DRIVER : IBV_QPT_UD;
		if (nr == SLOT_GSI) {
			s->qpn = 1;
			continue;
		}
		s->cq = ibv_create_cq(v->dev.ctx, CQES, NULL, NULL, 0);
		if (!s->cq)
			bail("a completion queue");
		slot_make(v, nr);
	}
	must(change_groups(v, ibv_attach_mcast), "groups");
}

void victim_close(struct victim *v)
{
	enum slot_nr nr;
	int err = change_groups(v, ibv_detach_mcast);

	for (nr = 0; nr < SLOTS; nr++) {
		struct slot *s = &v->slots[nr];

		if (s->qp)
			err |= ibv_destroy_qp(s->qp) || ibv_destroy_cq(s->cq);
	}
	err |= ibv_destroy_srq(v->srq) || ibv_dereg_mr(v->read_only);
	check(!err, "the queue pairs go");
	dev_close(&v->dev);
}
