// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The provider's ring and work request code. Expected values come from
 * suo-abi.h's description of the layout and from ibv_post_send(3).
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "userspace/verbs/ring.h"
#include "userspace/verbs/wqe.h"

#define ENTRIES	8
#define STRIDE	64

struct fixture {
	struct suo_ring_info info;
	struct suo_ring_hdr *hdr;
	struct suo_ring ring;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->info = (struct suo_ring_info){
		.mmap_size	= 4096,
		.entries	= ENTRIES,
		.stride		= STRIDE,
	};
	f->hdr = aligned_alloc(4096, 4096);
	memset(f->hdr, 0, 4096);
	suo_ring_attach(&f->ring, f->hdr, &f->info);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	free(f->hdr);
	free(f);
	return 0;
}

static void head_layout(void **state)
{
	/* Each index has a cache line of its own, in this order. */
	assert_int_equal(offsetof(struct suo_ring_hdr, prod), 0);
	assert_int_equal(offsetof(struct suo_ring_hdr, cons), 64);
	assert_int_equal(offsetof(struct suo_ring_hdr, arm), 128);
	assert_int_equal(sizeof(struct suo_ring_hdr), 192);
	assert_int_equal(offsetof(struct suo_sq_wqe, sge), 64);
	assert_int_equal(offsetof(struct suo_rq_wqe, sge), 16);
	assert_int_equal(sizeof(struct suo_sge), 16);
	assert_int_equal(sizeof(struct suo_cqe), 64);
}

static void check_refuses(void **state)
{
	struct suo_ring_info info = {
		.mmap_size = 4096, .entries = ENTRIES, .stride = STRIDE,
	};
	struct suo_ring_info bad;

	assert_int_equal(suo_ring_check(&info, STRIDE), 0);
	assert_int_equal(suo_ring_check(&info, STRIDE + 1), EPROTO);

	bad = info;
	bad.entries = 0;
	assert_int_equal(suo_ring_check(&bad, STRIDE), EPROTO);
	bad.entries = 6;
	assert_int_equal(suo_ring_check(&bad, STRIDE), EPROTO);

	/* 192 + 8 * 64 bytes are needed, not one less. */
	bad = info;
	bad.mmap_size = 704;
	assert_int_equal(suo_ring_check(&bad, STRIDE), 0);
	bad.mmap_size = 703;
	assert_int_equal(suo_ring_check(&bad, STRIDE), EPROTO);

	/* A product that would wrap in 32 bits. */
	bad = info;
	bad.entries = 1u << 31;
	bad.stride = 1u << 31;
	assert_int_equal(suo_ring_check(&bad, STRIDE), EPROTO);
}

static void producer_fills_and_stops(void **state)
{
	struct fixture *f = *state;
	int i;

	for (i = 0; i < ENTRIES; i++) {
		assert_ptr_equal(suo_ring_next_free(&f->ring),
				 (char *)f->hdr + 192 + i * STRIDE);
		f->ring.pos++;
	}
	assert_null(suo_ring_next_free(&f->ring));

	assert_int_equal(f->hdr->prod, 0);
	suo_ring_publish(&f->ring);
	assert_int_equal(f->hdr->prod, ENTRIES);

	/* One slot comes back, and it is the first one. */
	f->hdr->cons = 1;
	assert_ptr_equal(suo_ring_next_free(&f->ring), (char *)f->hdr + 192);
	f->ring.pos++;
	assert_null(suo_ring_next_free(&f->ring));
}

static void consumer_reads_and_stops(void **state)
{
	struct fixture *f = *state;

	assert_null(suo_ring_next_used(&f->ring));
	f->hdr->prod = 2;
	assert_ptr_equal(suo_ring_next_used(&f->ring), (char *)f->hdr + 192);
	f->ring.pos++;
	assert_ptr_equal(suo_ring_next_used(&f->ring),
			 (char *)f->hdr + 192 + STRIDE);
	f->ring.pos++;
	assert_null(suo_ring_next_used(&f->ring));

	assert_int_equal(f->hdr->cons, 0);
	suo_ring_release(&f->ring);
	assert_int_equal(f->hdr->cons, 2);
}

static void indices_wrap(void **state)
{
	struct fixture *f = *state;
	uint32_t start = UINT32_MAX - 2;
	int i;

	f->ring.pos = f->ring.seen = start;
	f->hdr->prod = f->hdr->cons = start;

	for (i = 0; i < ENTRIES; i++) {
		/* -3 & 7 is 5. */
		assert_ptr_equal(suo_ring_next_free(&f->ring),
				 (char *)f->hdr + 192 + (5 + i) % 8 * STRIDE);
		f->ring.pos++;
	}
	assert_null(suo_ring_next_free(&f->ring));
	suo_ring_publish(&f->ring);
	assert_int_equal(f->hdr->prod, 5);
	f->hdr->cons = 5;
	assert_non_null(suo_ring_next_free(&f->ring));
}

static void resync_drops_the_queued(void **state)
{
	struct fixture *f = *state;

	f->ring.pos = 5;
	suo_ring_publish(&f->ring);
	f->hdr->cons = 3;
	suo_ring_resync(&f->ring);
	assert_int_equal(f->hdr->prod, 3);
	assert_int_equal(f->ring.pos, 3);
}

static void arming(void **state)
{
	struct fixture *f = *state;

	suo_ring_arm(&f->ring, true);
	assert_int_equal(f->hdr->arm, SUO_ARM_SOLICITED);
	suo_ring_arm(&f->ring, false);
	assert_int_equal(f->hdr->arm, SUO_ARM_NEXT);
	/* IBTA: a request for any completion is not replaced by a weaker one. */
	suo_ring_arm(&f->ring, true);
	assert_int_equal(f->hdr->arm, SUO_ARM_NEXT);
}

#define STREAM	200000

static void *stream_producer(void *arg)
{
	struct suo_ring *ring = arg;
	uint64_t *slot;
	uint64_t i;

	for (i = 0; i < STREAM; i++) {
		while (!(slot = suo_ring_next_free(ring)))
			sched_yield();
		slot[0] = i;
		slot[7] = ~i;
		ring->pos++;
		suo_ring_publish(ring);
	}
	return NULL;
}

/* Two threads, an end each: every entry arrives once, whole and in order. */
static void stream(void **state)
{
	struct fixture *f = *state;
	struct suo_ring prod = f->ring;
	pthread_t thread;
	uint64_t *slot;
	uint64_t i;

	assert_int_equal(pthread_create(&thread, NULL, stream_producer, &prod),
			 0);
	for (i = 0; i < STREAM; i++) {
		while (!(slot = suo_ring_next_used(&f->ring)))
			sched_yield();
		if (slot[0] != i || slot[7] != ~i)
			break;
		f->ring.pos++;
		suo_ring_release(&f->ring);
	}
	if (i < STREAM)
		fail_msg("entry %lu is wrong", (unsigned long)i);
	pthread_join(thread, NULL);
	assert_null(suo_ring_next_used(&f->ring));
}

/* A slot of the send queue, with bytes behind it that must not change. */
struct send_slot {
	struct suo_sq_wqe wqe;
	char data[64];
	char guard[16];
};

static struct suo_sq_limits rc_limits(void)
{
	return (struct suo_sq_limits){
		.max_sge	= 4,
		.max_inline	= 64,
		.opcodes	= suo_opcodes(IBV_QPT_RC),
	};
}

static void fill_write(void **state)
{
	const struct suo_sq_limits limits = rc_limits();
	struct ibv_sge sge[2] = {
		{ .addr = 0x1000, .length = 10, .lkey = 7 },
		{ .addr = 0x2000, .length = 20, .lkey = 8 },
	};
	struct ibv_send_wr wr = {
		.wr_id = 0x1122334455667788, .sg_list = sge, .num_sge = 2,
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE,
		.imm_data = 0x01020304,
		.wr.rdma = { .remote_addr = 0x99aabbcc00, .rkey = 42 },
	};
	struct send_slot slot;

	memset(&slot, 0xee, sizeof(slot));
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	assert_true(slot.wqe.wr_id == 0x1122334455667788);
	assert_int_equal(slot.wqe.opcode, 1);
	assert_int_equal(slot.wqe.num_sge, 2);
	assert_int_equal(slot.wqe.flags, 3);
	assert_int_equal(slot.wqe.inline_len, 0);
	assert_int_equal(slot.wqe.imm_data, 0x01020304);
	assert_int_equal(slot.wqe.rkey, 42);
	assert_true(slot.wqe.remote_addr == 0x99aabbcc00);
	assert_int_equal(slot.wqe.reserved, 0);
	assert_int_equal(slot.wqe.sge[1].addr, 0x2000);
	assert_int_equal(slot.wqe.sge[1].length, 20);
	assert_int_equal(slot.wqe.sge[1].lkey, 8);
	assert_int_equal((unsigned char)slot.data[32], 0xee);
}

static void fill_atomic(void **state)
{
	const struct suo_sq_limits limits = rc_limits();
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_CMP_AND_SWP,
		.wr.atomic = { .remote_addr = 8, .compare_add = 1, .swap = 2,
			       .rkey = 3 },
	};
	struct send_slot slot;

	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	assert_int_equal(slot.wqe.opcode, 5);
	assert_int_equal(slot.wqe.remote_addr, 8);
	assert_int_equal(slot.wqe.compare_add, 1);
	assert_int_equal(slot.wqe.swap, 2);
	assert_int_equal(slot.wqe.rkey, 3);
}

static void fill_bind(void **state)
{
	const struct suo_sq_limits limits = rc_limits();
	struct ibv_mr mr = { .lkey = 0x500 };
	struct ibv_mw mw = { .rkey = 0x601 };
	struct ibv_send_wr wr = {
		.wr_id = 9, .opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = &mw, .rkey = 0x602,
			.bind_info = { .mr = &mr, .addr = 0x1000,
				       .length = 1ull << 33,
				       .mw_access_flags = IBV_ACCESS_REMOTE_READ },
		},
	};
	struct suo_bind *bind;
	struct send_slot slot;

	memset(&slot, 0xee, sizeof(slot));
	bind = (struct suo_bind *)slot.wqe.sge;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	assert_int_equal(slot.wqe.wr_id, 9);
	assert_int_equal(slot.wqe.opcode, 8);
	assert_int_equal(slot.wqe.num_sge, 0);
	assert_int_equal(slot.wqe.inline_len, 0);
	assert_true(bind->addr == 0x1000);
	assert_true(bind->length == 1ull << 33);
	assert_int_equal(bind->lkey, 0x500);
	assert_int_equal(bind->mw_rkey, 0x601);
	assert_int_equal(bind->rkey, 0x602);
	assert_int_equal(bind->access, 4);
	assert_int_equal((unsigned char)((char *)slot.wqe.sge)[32], 0xee);

	wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	wr.send_flags = 0;
	wr.bind_mw.bind_info.mr = NULL;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	wr.bind_mw.bind_info.length = 0;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	assert_int_equal(bind->lkey, 0);
	wr.bind_mw.mw = NULL;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
}

static void fill_inline(void **state)
{
	const struct suo_sq_limits limits = rc_limits();
	char text[] = "0123456789";
	char long_text[65] = "";
	struct ibv_sge sge[2] = {
		{ .addr = (uintptr_t)text, .length = 3 },
		{ .addr = (uintptr_t)text + 5, .length = 5 },
	};
	struct ibv_send_wr wr = {
		.sg_list = sge, .num_sge = 2, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_INLINE,
	};
	struct send_slot slot;

	memset(&slot, 0xee, sizeof(slot));
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	assert_int_equal(slot.wqe.inline_len, 8);
	assert_int_equal(slot.wqe.num_sge, 0);
	assert_int_equal(slot.wqe.flags, SUO_SEND_INLINE);
	assert_memory_equal(slot.wqe.sge, "01256789", 8);
	assert_int_equal((unsigned char)((char *)slot.wqe.sge)[8], 0xee);

	/* Up to the limit, not a byte more, and nothing is written outside. */
	sge[0].addr = (uintptr_t)long_text;
	sge[0].length = 64;
	wr.num_sge = 1;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	sge[0].length = 65;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	assert_int_equal((unsigned char)slot.guard[0], 0xee);

	/* Lengths whose sum wraps in 32 bits. */
	sge[0].length = UINT32_MAX;
	sge[1].length = 2;
	wr.num_sge = 2;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);

	/* What is read cannot be inline. */
	sge[0].length = 8;
	wr.num_sge = 1;
	wr.opcode = IBV_WR_RDMA_READ;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
}

static void fill_refuses(void **state)
{
	const struct suo_sq_limits limits = rc_limits();
	struct ibv_sge sge[5] = {};
	struct ibv_send_wr wr = { .sg_list = sge, .num_sge = 4,
				  .opcode = IBV_WR_SEND };
	struct send_slot slot;

	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	wr.num_sge = 5;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	wr.num_sge = -1;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	wr.num_sge = 0;
	wr.opcode = IBV_WR_TSO;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	wr.opcode = 200;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
	wr.opcode = IBV_WR_SEND;
	wr.send_flags = IBV_SEND_IP_CSUM;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
}

/* InfiniBand specification, operations by transport service. */
static void opcodes_by_transport(void **state)
{
	uint32_t rc = suo_opcodes(IBV_QPT_RC);
	uint32_t uc = suo_opcodes(IBV_QPT_UC);
	uint32_t ud = suo_opcodes(IBV_QPT_UD);

	assert_true(rc & 1u << IBV_WR_RDMA_READ);
	assert_true(rc & 1u << IBV_WR_ATOMIC_FETCH_AND_ADD);
	assert_true(uc & 1u << IBV_WR_RDMA_WRITE);
	assert_false(uc & 1u << IBV_WR_RDMA_READ);
	assert_false(uc & 1u << IBV_WR_ATOMIC_CMP_AND_SWP);
	assert_true(ud & 1u << IBV_WR_SEND);
	assert_true(rc & uc & 1u << IBV_WR_BIND_MW);
	assert_false(ud & 1u << IBV_WR_RDMA_WRITE);
	assert_false(ud & 1u << IBV_WR_BIND_MW);
	assert_int_equal(suo_opcodes(IBV_QPT_XRC_SEND), 0);
}

static void fill_ud(void **state)
{
	const struct suo_sq_limits limits = {
		.max_sge = 1, .opcodes = suo_opcodes(IBV_QPT_UD), .ud = true,
		.flags = SUO_SEND_SIGNALED,
	};
	struct suo_ah ah = { .ah_id = 77 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND,
		.wr.ud = { .ah = &ah.ibv, .remote_qpn = 5, .remote_qkey = 6 },
	};
	struct send_slot slot;

	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), 0);
	assert_int_equal(slot.wqe.ah_id, 77);
	assert_int_equal(slot.wqe.remote_qpn, 5);
	assert_int_equal(slot.wqe.remote_qkey, 6);
	assert_int_equal(slot.wqe.flags, SUO_SEND_SIGNALED);

	wr.wr.ud.ah = NULL;
	assert_int_equal(suo_wqe_fill_send(&slot.wqe, &wr, &limits), EINVAL);
}

static void fill_recv(void **state)
{
	struct {
		struct suo_rq_wqe wqe;
		struct suo_sge sge[2];
	} slot;
	struct ibv_sge sge[3] = {
		{ .addr = 1, .length = 2, .lkey = 3 },
		{ .addr = 4, .length = 5, .lkey = 6 },
	};
	struct ibv_recv_wr wr = { .wr_id = 9, .sg_list = sge, .num_sge = 2 };

	memset(&slot, 0xee, sizeof(slot));
	assert_int_equal(suo_wqe_fill_recv(&slot.wqe, &wr, 2), 0);
	assert_int_equal(slot.wqe.wr_id, 9);
	assert_int_equal(slot.wqe.num_sge, 2);
	assert_int_equal(slot.wqe.reserved, 0);
	assert_memory_equal(slot.sge, sge, 32);

	wr.num_sge = 3;
	assert_int_equal(suo_wqe_fill_recv(&slot.wqe, &wr, 2), EINVAL);
}

static void slot_sizes(void **state)
{
	/* 64 bytes of header, then the largest of 16 a piece, the data, and the
	 * 32 bytes of a binding.
	 */
	assert_int_equal(suo_sq_slot_size(1, 0), 64 + 32);
	assert_int_equal(suo_sq_slot_size(4, 0), 64 + 64);
	assert_int_equal(suo_sq_slot_size(1, 100), 64 + 100);
	assert_int_equal(suo_rq_slot_size(3), 16 + 48);
}

static void completion(void **state)
{
	struct suo_cqe cqe = {
		.wr_id = 1, .status = IBV_WC_REM_ACCESS_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM, .byte_len = 2,
		.vendor_err = 3, .imm_data = 4, .qpn = 5, .src_qp = 6,
		.wc_flags = IBV_WC_WITH_IMM, .pkey_index = 7, .sl = 8,
	};
	struct ibv_wc wc;

	memset(&wc, 0xee, sizeof(wc));
	suo_cqe_to_wc(&cqe, &wc);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.status, IBV_WC_REM_ACCESS_ERR);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 2);
	assert_int_equal(wc.vendor_err, 3);
	assert_int_equal(wc.imm_data, 4);
	assert_int_equal(wc.qp_num, 5);
	assert_int_equal(wc.src_qp, 6);
	assert_int_equal(wc.wc_flags, IBV_WC_WITH_IMM);
	assert_int_equal(wc.pkey_index, 7);
	assert_int_equal(wc.slid, 0);
	assert_int_equal(wc.sl, 8);
	assert_int_equal(wc.dlid_path_bits, 0);
}

#define RING_TEST(f)	cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_layout),
		cmocka_unit_test(check_refuses),
		RING_TEST(producer_fills_and_stops),
		RING_TEST(consumer_reads_and_stops),
		RING_TEST(indices_wrap),
		RING_TEST(resync_drops_the_queued),
		RING_TEST(arming),
		RING_TEST(stream),
		cmocka_unit_test(fill_write),
		cmocka_unit_test(fill_atomic),
		cmocka_unit_test(fill_bind),
		cmocka_unit_test(fill_inline),
		cmocka_unit_test(fill_refuses),
		cmocka_unit_test(opcodes_by_transport),
		cmocka_unit_test(fill_ud),
		cmocka_unit_test(fill_recv),
		cmocka_unit_test(slot_sizes),
		cmocka_unit_test(completion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
