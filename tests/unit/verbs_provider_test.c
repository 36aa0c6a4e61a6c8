// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The provider's calls, on a kernel that is a file: rings are parts of a memory
 * file, which the test maps a second time to play the kernel's side, and a
 * doorbell is a write at its beginning. What the calls must return is in
 * ibv_post_send(3), ibv_poll_cq(3) and their neighbours.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "userspace/verbs/suo.h"

#define RINGS_AT	(1 << 20)
#define RING_SIZE	8192
#define ENTRIES		4
#define CQ_STRIDE	sizeof(struct suo_cqe)
#define SQ_STRIDE	192
#define RQ_STRIDE	64

/* The kernel's side */
static int fd;
static off_t next_ring;
static int destroyed;
static bool break_cq, break_rq;
static const struct verbs_device_ops *device_ops;
static const struct verbs_context_ops *ops;

void verbs_register_driver_34(const struct verbs_device_ops *d)
{
	device_ops = d;
}

void *_verbs_init_and_alloc_context(struct ibv_device *device, int cmd_fd,
				    size_t size, struct verbs_context *offset,
				    uint32_t driver_id)
{
	struct verbs_context *ctx = calloc(1, size);

	assert_null(offset);
	assert_int_equal(driver_id, 0x53554f);
	ctx->context.cmd_fd = cmd_fd;
	ctx->context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	return ctx;
}

void verbs_uninit_context(struct verbs_context *context)
{
	destroyed++;
}

void verbs_set_ops(struct verbs_context *context,
		   const struct verbs_context_ops *o)
{
	ops = o;
}

int ibv_cmd_get_context(struct verbs_context *context,
			struct ibv_get_context *cmd, size_t cmd_size,
			struct ib_uverbs_get_context_resp *resp,
			size_t resp_size)
{
	return mock_type(int);
}

static struct suo_ring_info new_ring(uint32_t stride)
{
	struct suo_ring_info info = {
		.mmap_offset = next_ring, .mmap_size = RING_SIZE,
		.entries = ENTRIES, .stride = stride,
	};

	next_ring += RING_SIZE;
	assert_int_equal(ftruncate(fd, next_ring), 0);
	return info;
}

/* The driver's part of a response follows the core's. */
int ibv_cmd_create_cq(struct ibv_context *context, int cqe,
		      struct ibv_comp_channel *channel, int comp_vector,
		      struct ibv_cq *cq, struct ibv_create_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_create_cq_resp *resp,
		      size_t resp_size)
{
	struct suo_create_cq_resp *driver = (void *)(resp + 1);

	assert_int_equal(resp_size, sizeof(*resp) + sizeof(*driver));
	driver->cq = new_ring(break_cq ? 8 : CQ_STRIDE);
	return 0;
}

int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	struct suo_create_cq_resp *driver = (void *)(resp + 1);

	assert_int_equal(resp_size, sizeof(*resp) + sizeof(*driver));
	driver->cq = new_ring(CQ_STRIDE);
	return 0;
}

/* What the kernel does of it is the test's business. */
int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_resize_cq_resp *resp,
		      size_t resp_size)
{
	struct suo_resize_cq_resp *driver = (void *)(resp + 1);
	int ret = mock_type(int);

	assert_int_equal(resp_size, sizeof(*resp) + sizeof(*driver));
	if (!ret)
		driver->cq = new_ring(CQ_STRIDE);
	return ret;
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	destroyed++;
	return 0;
}

static void grant(struct ibv_qp_cap *cap, struct suo_create_qp_resp *driver)
{
	cap->max_send_sge = 2;
	cap->max_recv_sge = 2;
	cap->max_inline_data = 128;
	driver->sq = new_ring(SQ_STRIDE);
	driver->rq = new_ring(break_rq ? 8 : RQ_STRIDE);
}

int ibv_cmd_create_qp(struct ibv_pd *pd, struct ibv_qp *qp,
		      struct ibv_qp_init_attr *attr, struct ibv_create_qp *cmd,
		      size_t cmd_size, struct ib_uverbs_create_qp_resp *resp,
		      size_t resp_size)
{
	struct suo_create_qp_resp *driver = (void *)(resp + 1);

	assert_int_equal(resp_size, sizeof(*resp) + sizeof(*driver));
	grant(&attr->cap, driver);
	qp->context = pd->context;
	qp->handle = 0x55;
	return 0;
}

int ibv_cmd_create_qp_ex2(struct ibv_context *context, struct verbs_qp *qp,
			  struct ibv_qp_init_attr_ex *attr,
			  struct ibv_create_qp_ex *cmd, size_t cmd_size,
			  struct ib_uverbs_ex_create_qp_resp *resp,
			  size_t resp_size)
{
	struct suo_create_qp_resp *driver = (void *)(resp + 1);

	assert_int_equal(resp_size, sizeof(*resp) + sizeof(*driver));
	grant(&attr->cap, driver);
	qp->qp.context = context;
	return 0;
}

int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd, size_t size)
{
	return 0;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	destroyed++;
	return 0;
}

struct fixture {
	struct verbs_device *device;
	struct ibv_context *ctx;
	struct ibv_pd pd;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct verbs_context *vctx;

	fd = memfd_create("suo", 0);
	next_ring = RINGS_AT;
	break_cq = break_rq = false;
	will_return(ibv_cmd_get_context, 0);
	f->device = device_ops->alloc_device(NULL);
	vctx = device_ops->alloc_context(&f->device->device, fd, NULL);
	assert_non_null(vctx);
	f->ctx = &vctx->context;
	f->pd.context = f->ctx;
	destroyed = 0;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ops->free_context(f->ctx);
	device_ops->uninit_device(f->device);
	free(f);
	close(fd);
	return 0;
}

/* The kernel's view of the ring at an offset. */
static struct suo_ring_hdr *kernel_map(off_t at)
{
	struct suo_ring_hdr *hdr = mmap(NULL, RING_SIZE, PROT_READ | PROT_WRITE,
					MAP_SHARED, fd, at);

	assert_ptr_not_equal(hdr, MAP_FAILED);
	return hdr;
}

static int doorbells(void)
{
	/* A command is a header of 8 bytes and 24 bytes of request. */
	return lseek(fd, 0, SEEK_CUR) / 32;
}

static void context_fails(void **state)
{
	struct verbs_device *device = device_ops->alloc_device(NULL);

	destroyed = 0;
	will_return(ibv_cmd_get_context, EPERM);
	errno = 0;
	assert_null(device_ops->alloc_context(&device->device, 3, NULL));
	assert_int_equal(errno, EPERM);
	assert_int_equal(destroyed, 1);
	device_ops->uninit_device(device);
}

static void cq_polls(void **state)
{
	struct fixture *f = *state;
	struct ibv_cq *cq = ops->create_cq(f->ctx, ENTRIES, NULL, 0);
	struct suo_ring_hdr *hdr = kernel_map(RINGS_AT);
	struct suo_cqe *cqe = (struct suo_cqe *)(hdr + 1);
	struct ibv_wc wc[8];
	int i;

	assert_non_null(cq);
	assert_int_equal(ops->poll_cq(cq, 8, wc), 0);
	for (i = 0; i < 3; i++)
		cqe[i].wr_id = 70 + i;
	hdr->prod = 3;
	assert_int_equal(ops->poll_cq(cq, 2, wc), 2);
	assert_int_equal(hdr->cons, 2);
	assert_int_equal(wc[1].wr_id, 71);
	assert_int_equal(ops->poll_cq(cq, 8, wc), 1);
	assert_int_equal(wc[0].wr_id, 72);
	assert_int_equal(hdr->cons, 3);

	assert_int_equal(ops->req_notify_cq(cq, 1), 0);
	assert_int_equal(hdr->arm, SUO_ARM_SOLICITED);
	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_cq(cq), 0);
}

static void cq_moves(void **state)
{
	struct fixture *f = *state;
	struct ibv_cq *cq = ops->create_cq(f->ctx, ENTRIES, NULL, 0);
	struct suo_ring_hdr *hdr = kernel_map(RINGS_AT);
	struct suo_cqe *cqe;
	struct ibv_wc wc[8];

	cq->context = f->ctx;
	hdr->prod = 3;
	assert_int_equal(ops->poll_cq(cq, 2, wc), 2);
	will_return(ibv_cmd_resize_cq, EINVAL);
	assert_int_equal(ops->resize_cq(cq, 8), EINVAL);
	hdr->prod = 4;
	assert_int_equal(ops->poll_cq(cq, 1, wc), 1);

	/* Indices go on where they were, in the new ring. */
	will_return(ibv_cmd_resize_cq, 0);
	assert_int_equal(ops->resize_cq(cq, 8), 0);
	munmap(hdr, RING_SIZE);
	hdr = kernel_map(RINGS_AT + RING_SIZE);
	hdr->cons = 3;
	hdr->prod = 5;
	cqe = (struct suo_cqe *)(hdr + 1);
	cqe[3].wr_id = 73;
	cqe[0].wr_id = 74;
	assert_int_equal(ops->poll_cq(cq, 8, wc), 2);
	assert_int_equal(wc[0].wr_id, 73);
	assert_int_equal(wc[1].wr_id, 74);
	assert_int_equal(hdr->cons, 5);
	assert_int_equal(ops->req_notify_cq(cq, 0), 0);
	assert_int_equal(hdr->arm, SUO_ARM_NEXT);
	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_cq(cq), 0);
}

static void cq_ex_polls(void **state)
{
	struct fixture *f = *state;
	struct ibv_cq_init_attr_ex attr = {
		.cqe = ENTRIES, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN,
	};
	struct ibv_poll_cq_attr poll = {};
	struct suo_ring_hdr *hdr;
	struct suo_cqe *cqe;
	struct ibv_cq_ex *cq;

	attr.wc_flags |= IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	errno = 0;
	assert_null(ops->create_cq_ex(f->ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.wc_flags = IBV_WC_EX_WITH_BYTE_LEN;
	cq = ops->create_cq_ex(f->ctx, &attr);
	assert_non_null(cq);
	hdr = kernel_map(RINGS_AT);
	cqe = (struct suo_cqe *)(hdr + 1);

	assert_int_equal(ibv_start_poll(cq, &poll), ENOENT);
	cqe[0].wr_id = 1;
	cqe[0].byte_len = 11;
	cqe[1].wr_id = 2;
	cqe[1].byte_len = 22;
	hdr->prod = 2;
	assert_int_equal(ibv_start_poll(cq, &poll), 0);
	assert_int_equal(cq->wr_id, 1);
	assert_int_equal(ibv_wc_read_byte_len(cq), 11);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(ibv_wc_read_byte_len(cq), 22);
	assert_int_equal(hdr->cons, 0);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	ibv_end_poll(cq);
	assert_int_equal(hdr->cons, 2);

	/* Ended while an entry is looked at: that one is taken. */
	cqe[2].wr_id = 3;
	cqe[3].wr_id = 4;
	hdr->prod = 4;
	assert_int_equal(ibv_start_poll(cq, &poll), 0);
	ibv_end_poll(cq);
	assert_int_equal(hdr->cons, 3);
	assert_int_equal(ibv_start_poll(cq, &poll), 0);
	assert_int_equal(cq->wr_id, 4);
	ibv_end_poll(cq);
	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

static void bad_rings(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };

	break_cq = true;
	assert_null(ops->create_cq(f->ctx, ENTRIES, NULL, 0));
	assert_int_equal(errno, EPROTO);
	assert_int_equal(destroyed, 1);

	break_rq = true;
	assert_null(ops->create_qp(&f->pd, &attr));
	assert_int_equal(errno, EPROTO);
	assert_int_equal(destroyed, 2);

	attr.qp_type = IBV_QPT_XRC_SEND;
	assert_null(ops->create_qp(&f->pd, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
}

static struct ibv_qp *new_qp(struct fixture *f, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };
	struct ibv_qp *qp = ops->create_qp(&f->pd, &attr);

	assert_non_null(qp);
	qp->state = state;
	return qp;
}

static void sends(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp *qp = new_qp(f, IBV_QPS_INIT);
	struct suo_ring_hdr *hdr = kernel_map(RINGS_AT);
	struct ibv_send_wr wr[6] = {}, *bad = NULL;
	struct ib_uverbs_post_send cmd;
	struct suo_ring_hdr *cq_hdr;
	struct suo_sq_wqe *wqe;
	struct suo_cqe *cqe;
	struct ibv_wc wc[8];
	int i;

	for (i = 0; i < 6; i++) {
		wr[i].wr_id = i;
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 5 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(ops->post_send(qp, wr, &bad), EINVAL);
	assert_ptr_equal(bad, wr);
	assert_int_equal(doorbells(), 0);

	/* Four go in, one doorbell, and the fifth is named. */
	qp->state = IBV_QPS_RTS;
	assert_int_equal(ops->post_send(qp, wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[4]);
	assert_int_equal(hdr->prod, 4);
	assert_int_equal(doorbells(), 1);
	wqe = (struct suo_sq_wqe *)((char *)(hdr + 1) + 3 * SQ_STRIDE);
	assert_int_equal(wqe->wr_id, 3);
	assert_int_equal(pread(fd, &cmd, sizeof(cmd), 8), sizeof(cmd));
	assert_int_equal(cmd.qp_handle, 0x55);
	assert_int_equal(cmd.wr_count, 0);

	/* Still full: nothing happens at all. */
	assert_int_equal(ops->post_send(qp, &wr[4], &bad), ENOMEM);
	assert_int_equal(doorbells(), 1);

	hdr->cons = 2;
	assert_int_equal(ops->post_send(qp, &wr[4], &bad), 0);
	assert_int_equal(hdr->prod, 6);

	/* Reset: both indices are what the kernel left, and of completions the
	 * others' are, in order.
	 */
	hdr->cons = 6;
	qp->state = IBV_QPS_ERR;
	qp->qp_num = 20;
	qp->send_cq = ops->create_cq(f->ctx, ENTRIES, NULL, 0);
	qp->recv_cq = qp->send_cq;
	cq_hdr = kernel_map(RINGS_AT + 2 * RING_SIZE);
	cqe = (struct suo_cqe *)(cq_hdr + 1);
	for (i = 0; i < ENTRIES; i++) {
		cqe[i].wr_id = i;
		cqe[i].qpn = i & 1 ? 20 : 30;
	}
	cq_hdr->prod = ENTRIES;
	ops->modify_qp(qp, &(struct ibv_qp_attr){ .qp_state = IBV_QPS_RESET },
		       IBV_QP_STATE);
	assert_int_equal(hdr->prod, 6);
	assert_int_equal(cq_hdr->cons, 2);
	assert_int_equal(ops->poll_cq(qp->send_cq, ENTRIES, wc), 2);
	assert_int_equal(wc[0].wr_id, 0);
	assert_int_equal(wc[1].wr_id, 2);
	munmap(cq_hdr, RING_SIZE);
	ops->destroy_cq(qp->send_cq);
	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_qp(qp), 0);
}

/* While the kernel says that it looks by itself, small requests in a row do not
 * ring; large ones, and those that follow a look for completions, do.
 */
static void quiet_doorbells(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp *qp = new_qp(f, IBV_QPS_RTS);
	struct suo_ring_hdr *hdr = kernel_map(RINGS_AT);
	struct ibv_sge large = { .length = 1 << 20 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;

	to_suo_qp(qp)->sq.send_cq = NULL;
	to_suo_qp(qp)->sq.recv_cq = NULL;
	assert_int_equal(ops->post_send(qp, &wr, &bad), 0);
	assert_int_equal(doorbells(), 1);
	assert_int_equal(hdr->hint, SUO_HINT_ROW);

	hdr->arm = SUO_ARM_QUIET;
	assert_int_equal(ops->post_send(qp, &wr, &bad), 0);
	assert_int_equal(hdr->prod, 2);
	assert_int_equal(doorbells(), 1);

	/* As if there had been a poll */
	to_suo_qp(qp)->sq.send_polls--;
	assert_int_equal(ops->post_send(qp, &wr, &bad), 0);
	assert_int_equal(doorbells(), 2);
	assert_int_equal(hdr->hint, SUO_HINT_NONE);

	hdr->cons = 3;
	wr.sg_list = &large;
	wr.num_sge = 1;
	assert_int_equal(ops->post_send(qp, &wr, &bad), 0);
	assert_int_equal(doorbells(), 3);

	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_qp(qp), 0);
}

static void receives(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp *qp = new_qp(f, IBV_QPS_RESET);
	struct suo_ring_hdr *hdr = kernel_map(RINGS_AT + RING_SIZE);
	struct ibv_sge sge[3] = { { .addr = 9, .length = 8, .lkey = 7 } };
	struct ibv_recv_wr wr = { .wr_id = 5, .sg_list = sge, .num_sge = 1 };
	struct ibv_recv_wr *bad = NULL;
	struct suo_rq_wqe *wqe = (struct suo_rq_wqe *)(hdr + 1);
	int i;

	assert_int_equal(ops->post_recv(qp, &wr, &bad), EINVAL);
	qp->state = IBV_QPS_INIT;
	for (i = 0; i < ENTRIES; i++)
		assert_int_equal(ops->post_recv(qp, &wr, &bad), 0);
	assert_int_equal(ops->post_recv(qp, &wr, &bad), ENOMEM);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(hdr->prod, 4);
	assert_int_equal(wqe->wr_id, 5);
	assert_int_equal(wqe->sge[0].lkey, 7);
	assert_int_equal(doorbells(), 0);

	wr.num_sge = 3;
	hdr->cons = 1;
	assert_int_equal(ops->post_recv(qp, &wr, &bad), EINVAL);
	wr.num_sge = 0;
	assert_int_equal(doorbells(), 0);
	/* The kernel has asked to be told. */
	hdr->arm = SUO_ARM_NEXT;
	assert_int_equal(ops->post_recv(qp, &wr, &bad), 0);
	assert_int_equal(doorbells(), 1);
	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_qp(qp), 0);
}

static void doorbell_fails(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp *qp = new_qp(f, IBV_QPS_RTS);
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad = NULL;

	f->ctx->cmd_fd = open("/dev/full", O_WRONLY);
	assert_int_equal(ops->post_send(qp, &wr, &bad), ENOSPC);
	assert_ptr_equal(bad, &wr);
	close(f->ctx->cmd_fd);
	assert_int_equal(ops->destroy_qp(qp), 0);
}

static void sends_ex(void **state)
{
	struct fixture *f = *state;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_UC, .pd = &f->pd,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ,
	};
	struct suo_ring_hdr *hdr;
	struct ibv_qp_ex *ex;
	struct ibv_qp *qp;
	int i;

	assert_null(ops->create_qp_ex(f->ctx, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(destroyed, 1);

	attr.send_ops_flags = IBV_QP_EX_WITH_SEND;
	hdr = kernel_map(next_ring);
	qp = ops->create_qp_ex(f->ctx, &attr);
	assert_non_null(qp);
	qp->state = IBV_QPS_RTS;
	ex = (struct ibv_qp_ex *)qp;

	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	assert_int_equal(hdr->prod, 0);
	assert_int_equal(doorbells(), 0);

	ibv_wr_start(ex);
	for (i = 0; i < 2; i++) {
		ex->wr_id = i;
		ibv_wr_send(ex);
	}
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(hdr->prod, 2);
	assert_int_equal(doorbells(), 1);

	/* All or nothing. */
	ibv_wr_start(ex);
	for (i = 0; i < 3; i++)
		ibv_wr_send(ex);
	assert_int_equal(ibv_wr_complete(ex), ENOMEM);
	assert_int_equal(hdr->prod, 2);
	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 2);
	assert_int_equal(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_inline_data(ex, hdr, 129);
	assert_int_equal(ibv_wr_complete(ex), EINVAL);
	assert_int_equal(hdr->prod, 2);
	assert_int_equal(doorbells(), 1);
	munmap(hdr, RING_SIZE);
	assert_int_equal(ops->destroy_qp(qp), 0);
}

#define TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(context_fails),
		TEST(cq_polls),
		TEST(cq_moves),
		TEST(cq_ex_polls),
		TEST(bad_rings),
		TEST(sends),
		TEST(quiet_doorbells),
		TEST(receives),
		TEST(doorbell_fails),
		TEST(sends_ex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
