// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_data [-r] DEV-A DEV-B: data transfers between two devices, by every
 * operation, each byte checked; -r: only what a wire that loses packets must
 * still deliver. Expected completion fields are those of
 * ibv_poll_cq(3) and the InfiniBand specification. RoCE devices may or may not
 * report the GRH of a connected receive.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "verbs_lab.h"

#define FROM	0
#define TO	(1u << 20)

static struct dev dev_a, dev_b;
static struct end a, b;

static const uint32_t sizes[] = { 0, 1, 1024, 4096, 4097, 65536, 1u << 20 };
#define N_SIZES	(sizeof(sizes) / sizeof(sizes[0]))

static void prepare(uint32_t len, unsigned int seed)
{
	pattern(&dev_a, FROM, len, seed);
	pattern(&dev_b, FROM, len, seed + 1);
	memset(dev_a.buf + TO, 0, BUF_SIZE - TO);
	memset(dev_b.buf + TO, 0, BUF_SIZE - TO);
}

static void send_recv(uint32_t len, unsigned int seed)
{
	struct ibv_send_wr wr = { .wr_id = 21, .opcode = IBV_WR_SEND };
	struct ibv_wc sent, got;

	prepare(len, seed);
	check(!post_recv(&b, 22, TO, len) && !post_send(&a, &wr, FROM, len) &&
	      expect(&b, IBV_WC_SUCCESS, &got) &&
	      expect(&a, IBV_WC_SUCCESS, &sent) &&
	      got.wr_id == 22 && got.opcode == IBV_WC_RECV &&
	      got.byte_len == len && got.qp_num == b.qp->qp_num &&
	      !(got.wc_flags & ~IBV_WC_GRH) &&
	      sent.wr_id == 21 && sent.opcode == IBV_WC_SEND &&
	      sent.qp_num == a.qp->qp_num &&
	      matches(&dev_b, TO, len, seed),
	      "SEND of %u bytes", len);
}

static void send_imm(uint32_t len, unsigned int seed)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htonl(0x01020304),
	};
	struct ibv_wc sent, got;

	prepare(len, seed);
	check(!post_recv(&b, 23, TO, len) && !post_send(&a, &wr, FROM, len) &&
	      expect(&b, IBV_WC_SUCCESS, &got) &&
	      expect(&a, IBV_WC_SUCCESS, &sent) &&
	      got.opcode == IBV_WC_RECV && got.byte_len == len &&
	      (got.wc_flags & ~IBV_WC_GRH) == IBV_WC_WITH_IMM &&
	      got.imm_data == htonl(0x01020304) &&
	      matches(&dev_b, TO, len, seed),
	      "SEND with immediate of %u bytes", len);
}

static void write_plain(uint32_t len, unsigned int seed)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_wc sent;

	prepare(len, seed);
	remote(&wr, &b, TO);
	check(!post_send(&a, &wr, FROM, len) &&
	      expect(&a, IBV_WC_SUCCESS, &sent) &&
	      sent.opcode == IBV_WC_RDMA_WRITE &&
	      matches(&dev_b, TO, len, seed) && !dev_b.buf[TO + len],
	      "RDMA WRITE of %u bytes", len);
}

static void write_imm(uint32_t len, unsigned int seed)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htonl(0xa0b0c0d0),
	};
	struct ibv_wc sent, got;

	prepare(len, seed);
	remote(&wr, &b, TO);
	/* The receive is used up, its memory is not. */
	check(!post_recv(&b, 24, 0, 0) && !post_send(&a, &wr, FROM, len) &&
	      expect(&b, IBV_WC_SUCCESS, &got) &&
	      expect(&a, IBV_WC_SUCCESS, &sent) &&
	      got.wr_id == 24 && got.opcode == IBV_WC_RECV_RDMA_WITH_IMM &&
	      got.byte_len == len && (got.wc_flags & ~IBV_WC_GRH) == IBV_WC_WITH_IMM &&
	      got.imm_data == htonl(0xa0b0c0d0) &&
	      sent.opcode == IBV_WC_RDMA_WRITE &&
	      matches(&dev_b, TO, len, seed),
	      "RDMA WRITE with immediate of %u bytes", len);
}

static void read_plain(uint32_t len, unsigned int seed)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_READ };
	struct ibv_wc sent;

	prepare(len, seed);
	remote(&wr, &b, FROM);
	check(!post_send(&a, &wr, TO, len) &&
	      expect(&a, IBV_WC_SUCCESS, &sent) &&
	      sent.opcode == IBV_WC_RDMA_READ && sent.byte_len == len &&
	      matches(&dev_a, TO, len, seed + 1) && !dev_a.buf[TO + len],
	      "RDMA READ of %u bytes", len);
}

/* Pieces of odd sizes on both sides, none of which match. */
static void gather_scatter(void)
{
	static const uint32_t from[MAX_SGE] = { 1, 5003, 8, 4090 };
	static const uint32_t to[MAX_SGE] = { 4096, 3, 4999, 100 };
	struct ibv_sge send_sge[MAX_SGE], recv_sge[MAX_SGE];
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .sg_list = send_sge, .num_sge = MAX_SGE,
	};
	struct ibv_recv_wr rwr = { .sg_list = recv_sge, .num_sge = MAX_SGE };
	size_t at_a = FROM, at_b = TO, off = 0;
	struct ibv_send_wr *bad;
	struct ibv_recv_wr *rbad;
	struct ibv_wc wc;
	bool good = true;
	uint8_t *whole;
	int i;

	prepare(0, 0);
	pattern(&dev_a, TO, 9102, 77);
	for (i = 0; i < MAX_SGE; i++) {
		send_sge[i] = (struct ibv_sge){ (uintptr_t)dev_a.buf + at_a,
						from[i], dev_a.mr->lkey };
		recv_sge[i] = (struct ibv_sge){ (uintptr_t)dev_b.buf + at_b,
						to[i], dev_b.mr->lkey };
		memcpy(dev_a.buf + at_a, dev_a.buf + TO + off, from[i]);
		off += from[i];
		at_a += from[i] + 11;
		at_b += to[i] + 7;
	}
	good = !ibv_post_recv(b.qp, &rwr, &rbad) &&
	       !ibv_post_send(a.qp, &wr, &bad) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) && wc.byte_len == 9102 &&
	       expect(&a, IBV_WC_SUCCESS, &wc);
	whole = dev_a.buf + TO;
	for (i = 0, off = 0; i < MAX_SGE && good; i++) {
		uint32_t n = to[i] < 9102 - off ? to[i] : 9102 - off;

		good = !memcmp((void *)(uintptr_t)recv_sge[i].addr, whole + off,
			       n);
		off += n;
	}
	check(good, "four pieces into four others");
}

/* Inline data is taken at once, from memory that needs no key. */
static void inline_data(void)
{
	char text[MAX_INLINE];
	struct ibv_sge sge = { (uintptr_t)text, sizeof(text), 0 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_INLINE,
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	bool posted;

	prepare(0, 0);
	memset(text, 'x', sizeof(text));
	posted = !post_recv(&b, 0, TO, 4096) &&
		 !ibv_post_send(a.qp, &wr, &bad);
	memset(text, 'y', sizeof(text));
	check(posted && expect(&b, IBV_WC_SUCCESS, &wc) &&
	      wc.byte_len == MAX_INLINE && expect(&a, IBV_WC_SUCCESS, &wc) &&
	      dev_b.buf[TO] == 'x' && dev_b.buf[TO + MAX_INLINE - 1] == 'x' &&
	      !dev_b.buf[TO + MAX_INLINE], "inline SEND");

	wr.opcode = IBV_WR_RDMA_WRITE;
	remote(&wr, &b, TO + 100);
	posted = !ibv_post_send(a.qp, &wr, &bad);
	memset(text, 'z', sizeof(text));
	check(posted && expect(&a, IBV_WC_SUCCESS, &wc) &&
	      dev_b.buf[TO + 100] == 'y' && dev_b.buf[TO + 163] == 'y',
	      "inline RDMA WRITE");
}

/* Sends stay in order, and a list is one post. */
static void in_order(void)
{
	struct ibv_send_wr wr[DEPTH] = {};
	struct ibv_sge sge[DEPTH];
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	bool good = true;
	int round, i;

	for (round = 0; round < 10; round++) {
		for (i = 0; i < DEPTH; i++) {
			uint32_t len = 1 + (i * 1777 + round * 311) % 9000;

			pattern(&dev_a, i * 16384, len, i + round);
			sge[i] = (struct ibv_sge){
				(uintptr_t)dev_a.buf + i * 16384, len,
				dev_a.mr->lkey };
			wr[i].wr_id = i;
			wr[i].opcode = IBV_WR_SEND;
			wr[i].sg_list = &sge[i];
			wr[i].num_sge = 1;
			wr[i].next = i < DEPTH - 1 ? &wr[i + 1] : NULL;
			good &= !post_recv(&b, i, TO + i * 16384, 16384);
		}
		good &= !ibv_post_send(a.qp, wr, &bad);
		for (i = 0; i < DEPTH && good; i++) {
			good &= expect(&b, IBV_WC_SUCCESS, &wc) &&
				wc.wr_id == (uint64_t)i &&
				wc.byte_len == sge[i].length &&
				matches(&dev_b, TO + i * 16384, sge[i].length,
					i + round);
			good &= expect(&a, IBV_WC_SUCCESS, &wc) &&
				wc.wr_id == (uint64_t)i;
		}
	}
	check(good, "lists of 16 sends arrive in order, 10 times");
}

static void atomics(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD };
	uint64_t *target = (uint64_t *)(dev_b.buf + TO);
	uint64_t *old = (uint64_t *)(dev_a.buf + TO);
	struct ibv_wc wc;

	if (dev_a.attr.atomic_cap == IBV_ATOMIC_NONE) {
		skip("atomics", "the device has none");
		return;
	}
	*target = 40;
	*old = 0;
	wr.wr.atomic.remote_addr = (uintptr_t)target;
	wr.wr.atomic.rkey = dev_b.mr->rkey;
	wr.wr.atomic.compare_add = 2;
	check(!post_send(&a, &wr, TO, 8) && expect(&a, IBV_WC_SUCCESS, &wc) &&
	      wc.opcode == IBV_WC_FETCH_ADD && *old == 40 && *target == 42,
	      "fetch and add");

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 41;
	wr.wr.atomic.swap = 7;
	check(!post_send(&a, &wr, TO, 8) && expect(&a, IBV_WC_SUCCESS, &wc) &&
	      wc.opcode == IBV_WC_COMP_SWAP && *old == 42 && *target == 42,
	      "compare and swap that does not match");
	wr.wr.atomic.compare_add = 42;
	check(!post_send(&a, &wr, TO, 8) && expect(&a, IBV_WC_SUCCESS, &wc) &&
	      *old == 42 && *target == 7, "compare and swap that matches");
}

static void all_operations(const char *how)
{
	unsigned int seed = 1;
	size_t i;

	printf("# %s\n", how);
	for (i = 0; i < N_SIZES; i++) {
		send_recv(sizes[i], seed++);
		send_imm(sizes[i], seed++);
		write_plain(sizes[i], seed++);
		write_imm(sizes[i], seed++);
		read_plain(sizes[i], seed++);
	}
	gather_scatter();
	inline_data();
	in_order();
	atomics();
}

static void datagrams(void)
{
	const struct link_attr ud = { .type = IBV_QPT_UD, .sig_all = true };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM, .imm_data = htonl(5),
	};
	struct ibv_ah *ah;
	struct ibv_wc wc;
	uint32_t len;

	printf("# datagrams\n");
	ends_open(&a, &dev_a, &b, &dev_b, &ud);
	ah = ah_to(&a, &b);
	if (!check(ah, "an address handle"))
		return;
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = b.qp->qp_num;
	for (len = 1; len <= 4096; len *= 64) {
		/* 40 bytes in front are for the header. */
		prepare(len, len);
		wr.wr.ud.remote_qkey = QKEY;
		check(!post_recv(&b, 9, TO, 4096 + 40) &&
		      !post_send(&a, &wr, FROM, len) &&
		      expect(&a, IBV_WC_SUCCESS, &wc) &&
		      expect(&b, IBV_WC_SUCCESS, &wc) &&
		      wc.byte_len == len + 40 && wc.wr_id == 9 &&
		      wc.wc_flags == (IBV_WC_GRH | IBV_WC_WITH_IMM) &&
		      wc.imm_data == htonl(5) && wc.src_qp == a.qp->qp_num &&
		      matches(&dev_b, TO + 40, len, len),
		      "datagram of %u bytes", len);
	}

	/* One with a wrong key is not received; the next one is. */
	wr.wr.ud.remote_qkey = QKEY + 1;
	prepare(8, 1);
	post_recv(&b, 10, TO, 4096);
	check(!post_send(&a, &wr, FROM, 8) && expect(&a, IBV_WC_SUCCESS, &wc),
	      "a datagram with a wrong Q_Key leaves");
	wr.wr.ud.remote_qkey = QKEY;
	prepare(16, 2);
	check(!post_send(&a, &wr, FROM, 16) && expect(&a, IBV_WC_SUCCESS, &wc) &&
	      expect(&b, IBV_WC_SUCCESS, &wc) && wc.byte_len == 56,
	      "and does not arrive");
	check(!ibv_destroy_ah(ah), "the address handle goes");
	end_close(&a);
	end_close(&b);
}

int main(int argc, char **argv)
{
	bool reliable = argc == 4 && !strcmp(argv[1], "-r");
	struct link_attr ex = rc_link;

	if (argc - reliable != 3) {
		fprintf(stderr, "usage: %s [-r] DEV-A DEV-B\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[argc - 2]);
	dev_open(&dev_b, argv[argc - 1]);

	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	all_operations("plain interfaces");
	end_close(&a);
	end_close(&b);

	ex.ex = true;
	ends_open(&a, &dev_a, &b, &dev_b, &ex);
	all_operations("completions by the extended interface");
	end_close(&a);
	end_close(&b);

	if (!reliable)
		datagrams();
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
