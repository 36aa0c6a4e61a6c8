// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* verbs_faults: contexts, memory, completion queues and shared receive queues. */
#include <errno.h>
#include <string.h>

#include "faults.h"
#include "verbs_faults.h"

#define SMALL	(16u << 10)
#define CQES	1000

/* What the step is about */
static struct ibv_context *ctx;
static struct ibv_comp_channel *channel;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_mw *mw;
static struct ibv_cq *cq;
static struct ibv_srq *srq;

/* ---- contexts and what needs nothing but one ---- */

static int open_device(void)
{
	ctx = ibv_open_device(dev_a.ctx->device);
	/* The library does not say why, and the last errno may be of a step
	 * that it has done without.
	 */
	return ctx ? 0 : ENOMEM;
}

static bool before_close_device(void)
{
	return !open_device();
}

static int close_device(void)
{
	return ibv_close_device(ctx);
}

static bool after_open_device(int err)
{
	return err ? !ctx : !close_device();
}

static bool after_close_device(int err)
{
	return !err;
}

static int query_device(void)
{
	struct ibv_device_attr attr;

	return ibv_query_device(dev_a.ctx, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return ibv_query_port(dev_a.ctx, 1, &attr);
}

static bool nothing_done(int err)
{
	return true;
}

static int create_comp_channel(void)
{
	channel = ibv_create_comp_channel(dev_a.ctx);
	return ended(channel);
}

static bool after_create_comp_channel(int err)
{
	return !!err == !channel && (err || !ibv_destroy_comp_channel(channel));
}

static int alloc_pd(void)
{
	pd = ibv_alloc_pd(dev_a.ctx);
	return ended(pd);
}

static bool before_dealloc_pd(void)
{
	return !alloc_pd();
}

static int dealloc_pd(void)
{
	return ibv_dealloc_pd(pd);
}

static bool after_alloc_pd(int err)
{
	return err || !dealloc_pd();
}

static bool after_dealloc_pd(int err)
{
	return !err || !dealloc_pd();
}

/* ---- memory ---- */

static int reg_mr(void)
{
	mr = ibv_reg_mr(dev_a.pd, dev_a.buf + 100, SMALL, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_READ | IBV_ACCESS_MW_BIND);
	return ended(mr);
}

static bool before_dereg_mr(void)
{
	return !reg_mr();
}

static int dereg_mr(void)
{
	return ibv_dereg_mr(mr);
}

static bool after_reg_mr(int err)
{
	return err || !dereg_mr();
}

static bool after_dereg_mr(int err)
{
	return !err || !dereg_mr();
}

/* Of other memory, which holds something else. */
static int rereg_mr(void)
{
	int ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION |
			       IBV_REREG_MR_CHANGE_ACCESS, NULL, dev_a.buf + AT_B,
			       2 * SMALL, IBV_ACCESS_LOCAL_WRITE |
			       IBV_ACCESS_REMOTE_READ);

	return ret ? errno : 0;
}

static bool before_rereg_mr(void)
{
	return !reg_mr() && open_ends();
}

/* The peer reads by the same key: of the region as it was, or as it is. */
static bool after_rereg_mr(int err)
{
	size_t at = err ? 100 : AT_B, len = err ? SMALL : 2 * SMALL;
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ };
	struct ibv_wc wc;
	bool good;

	pattern(&dev_a, 0, BUF_SIZE, ++seed);
	wr.wr.rdma.remote_addr = (uintptr_t)dev_a.buf + at;
	wr.wr.rdma.rkey = mr->rkey;
	good = !post_send(&b, &wr, 0, len) && expect(&b, IBV_WC_SUCCESS, &wc) &&
	       !memcmp(dev_b.buf, dev_a.buf + at, len);
	good &= close_ends();
	return good && !dereg_mr();
}

static int alloc_mw(void)
{
	mw = ibv_alloc_mw(dev_a.pd, IBV_MW_TYPE_1);
	return ended(mw);
}

static bool before_dealloc_mw(void)
{
	return !alloc_mw();
}

static int dealloc_mw(void)
{
	return ibv_dealloc_mw(mw);
}

static bool after_alloc_mw(int err)
{
	return err || !dealloc_mw();
}

static bool after_dealloc_mw(int err)
{
	return !err || !dealloc_mw();
}

static bool before_bind_mw(void)
{
	return !reg_mr() && !alloc_mw() && open_ends();
}

static int bind_mw(void)
{
	struct ibv_mw_bind bind = {
		.wr_id = 9, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = mr, .addr = (uintptr_t)mr->addr, .length = SMALL,
			.mw_access_flags = IBV_ACCESS_REMOTE_READ,
		},
	};

	return ibv_bind_mw(a.qp, mw, &bind);
}

static bool after_bind_mw(int err)
{
	struct ibv_wc wc;
	bool good;

	good = err || (expect(&a, IBV_WC_SUCCESS, &wc) && wc.wr_id == 9);
	good &= !dealloc_mw();
	good &= close_ends();
	return good && !dereg_mr();
}

/* ---- queues ---- */

static int create_cq(void)
{
	cq = ibv_create_cq(dev_a.ctx, CQES, NULL, NULL, 0);
	return ended(cq);
}

static int create_cq_ex(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = CQES };
	struct ibv_cq_ex *ex = ibv_create_cq_ex(dev_a.ctx, &attr);

	cq = ex ? ibv_cq_ex_to_cq(ex) : NULL;
	return ended(cq);
}

static bool before_destroy_cq(void)
{
	return !create_cq();
}

static int destroy_cq(void)
{
	return ibv_destroy_cq(cq);
}

static bool after_create_cq(int err)
{
	return err || !destroy_cq();
}

static bool after_destroy_cq(int err)
{
	return !err || !destroy_cq();
}

static int resize_cq(void)
{
	return ibv_resize_cq(b.cq, CQES);
}

/* A completion waits in it. */
static bool before_resize_cq(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	open_ends();
	return !post_recv(&b, 77, 0, 8) && !post_send(&a, &wr, 0, 8) &&
	       expect(&a, IBV_WC_SUCCESS, &wc);
}

static bool after_resize_cq(int err)
{
	bool good = err ? b.cq->cqe < CQES : b.cq->cqe >= CQES;
	struct ibv_wc wc;

	good &= expect(&b, IBV_WC_SUCCESS, &wc) && wc.wr_id == 77 && passes();
	good &= close_ends();
	return good;
}

static int create_srq(void)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = 300, .max_sge = 2 },
	};

	srq = ibv_create_srq(dev_a.pd, &attr);
	return ended(srq);
}

static bool before_destroy_srq(void)
{
	return !create_srq();
}

static int destroy_srq(void)
{
	return ibv_destroy_srq(srq);
}

static bool after_create_srq(int err)
{
	return err || !destroy_srq();
}

static bool after_destroy_srq(int err)
{
	return !err || !destroy_srq();
}

static int modify_srq(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

static bool after_modify_srq(int err)
{
	struct ibv_srq_attr attr;

	return !ibv_query_srq(srq, &attr) && attr.srq_limit == (err ? 0 : 3) &&
	       !destroy_srq();
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return ibv_query_srq(srq, &attr);
}

static bool after_query_srq(int err)
{
	return !destroy_srq();
}

static const struct fault_step steps[] = {
	{ "open_device", NULL, open_device, after_open_device },
	{ "close_device", before_close_device, close_device, after_close_device },
	{ "query_device", NULL, query_device, nothing_done },
	{ "query_port", NULL, query_port, nothing_done },
	{ "create_comp_channel", NULL, create_comp_channel,
	  after_create_comp_channel },
	{ "alloc_pd", NULL, alloc_pd, after_alloc_pd },
	{ "dealloc_pd", before_dealloc_pd, dealloc_pd, after_dealloc_pd },
	{ "reg_mr", NULL, reg_mr, after_reg_mr },
	{ "rereg_mr", before_rereg_mr, rereg_mr, after_rereg_mr },
	{ "dereg_mr", before_dereg_mr, dereg_mr, after_dereg_mr },
	{ "alloc_mw", NULL, alloc_mw, after_alloc_mw },
	{ "bind_mw", before_bind_mw, bind_mw, after_bind_mw },
	{ "dealloc_mw", before_dealloc_mw, dealloc_mw, after_dealloc_mw },
	{ "create_cq", NULL, create_cq, after_create_cq },
	{ "create_cq_ex", NULL, create_cq_ex, after_create_cq },
	{ "resize_cq", before_resize_cq, resize_cq, after_resize_cq },
	{ "destroy_cq", before_destroy_cq, destroy_cq, after_destroy_cq },
	{ "create_srq", NULL, create_srq, after_create_srq },
	{ "modify_srq", before_destroy_srq, modify_srq, after_modify_srq },
	{ "query_srq", before_destroy_srq, query_srq, after_query_srq },
	{ "destroy_srq", before_destroy_srq, destroy_srq, after_destroy_srq },
};

void fault_objects(void)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		faults_through(&steps[i], works);
}
