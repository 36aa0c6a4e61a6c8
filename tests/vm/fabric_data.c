// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The suo provider between two processes: every kind of transfer with its data
 * checked, and every kind of failure with its error.
 *
 * Usage: fabric_data RANK DEVICE RENDEZVOUS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/vm/fabric_ends.h"

static const size_t sizes[] = {
	0, 1, 255, 256, 257, 4096, EAGER - 1, EAGER, EAGER + 1, 100001, MAX_MSG,
};

#define NSIZES	(sizeof(sizes) / sizeof(sizes[0]))

static int ctx[16];

/* Rank 0 sends, rank 1 has posted before. */
static void msg_expected(struct end *end)
{
	struct fi_cq_err_entry e;

	for (size_t i = 0; i < NSIZES; i++) {
		if (end->rank) {
			memset(end->rx, 0xee, sizes[i] + 1 < MAX_MSG ? sizes[i] + 1 : MAX_MSG);
			check(end, !fi_recv(end->ep, end->rx, sizes[i], fi_mr_desc(end->rx_mr),
					    FI_ADDR_UNSPEC, &ctx[0]));
			barrier(end);
			want_comp(end, &ctx[0], FI_RECV | FI_MSG, &e);
			check(end, e.len == sizes[i]);
			check(end, filled(end->rx, sizes[i], i));
			check(end, sizes[i] == MAX_MSG || end->rx[sizes[i]] == 0xee);
		} else {
			fill(end->tx, sizes[i], i);
			barrier(end);
			check(end, !fi_send(end->ep, end->tx, sizes[i], fi_mr_desc(end->tx_mr),
					    end->peer, &ctx[1]));
			want_comp(end, &ctx[1], FI_SEND | FI_MSG, NULL);
		}
	}
}

/* Rank 1 sends all sizes up to 100001 before rank 0 posts any receive. */
static void msg_unexpected(struct end *end)
{
	struct fi_cq_err_entry e;
	uint8_t *at = end->tx;

	if (end->rank) {
		for (size_t i = 0; i < NSIZES - 1; at += sizes[i++]) {
			fill(at, sizes[i], i);
			check(end, !fi_senddata(end->ep, at, sizes[i], fi_mr_desc(end->tx_mr),
						0xfffffff0 + i, end->peer, &ctx[i]));
		}
		barrier(end);
		for (size_t i = 0; i < NSIZES - 1; i++)
			check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
		return;
	}
	barrier(end);
	for (size_t i = 0; i < NSIZES - 1; i++) {
		check(end, !fi_recv(end->ep, end->rx, MAX_MSG, fi_mr_desc(end->rx_mr),
				    end->peer, &ctx[i]));
		want_comp(end, &ctx[i], FI_RECV | FI_MSG | FI_REMOTE_CQ_DATA, &e);
		check(end, e.len == sizes[i] && e.data == 0xfffffff0 + i);
		check(end, filled(end->rx, sizes[i], i));
	}
}

/* Receives pick by tag, by mask and by sender, whatever came first. */
static void tagged(struct end *end)
{
	struct fi_cq_err_entry e;

	if (!end->rank) {
		for (uint64_t tag = 1; tag <= 3; tag++) {
			end->tx[tag] = tag;
			check(end, !fi_tsend(end->ep, end->tx + tag, 1, fi_mr_desc(end->tx_mr),
					     end->peer, tag << 60 | tag, &ctx[tag]));
			want_comp(end, &ctx[tag], FI_SEND | FI_TAGGED, NULL);
		}
		barrier(end);
		return;
	}
	/* Never matched: another sender; another tag. */
	check(end, !fi_trecv(end->ep, end->rx, 1, fi_mr_desc(end->rx_mr), end->self,
			     0, UINT64_MAX, &ctx[8]));
	check(end, !fi_trecv(end->ep, end->rx, 1, fi_mr_desc(end->rx_mr), end->peer,
			     3, 0, &ctx[9]));
	barrier(end);
	check(end, !fi_trecv(end->ep, end->rx, 1, fi_mr_desc(end->rx_mr), end->peer,
			     3ull << 60 | 3, 0, &ctx[0]));
	want_comp(end, &ctx[0], FI_RECV | FI_TAGGED, &e);
	check(end, e.tag == (3ull << 60 | 3) && end->rx[0] == 3);
	check(end, !fi_trecv(end->ep, end->rx, 1, fi_mr_desc(end->rx_mr), FI_ADDR_UNSPEC,
			     2, 0xfull << 60, &ctx[1]));
	want_comp(end, &ctx[1], FI_RECV | FI_TAGGED, &e);
	check(end, e.tag == (2ull << 60 | 2) && end->rx[0] == 2);
	check(end, !fi_trecv(end->ep, end->rx, 1, fi_mr_desc(end->rx_mr), FI_ADDR_UNSPEC,
			     0, UINT64_MAX, &ctx[2]));
	want_comp(end, &ctx[2], FI_RECV | FI_TAGGED, &e);
	check(end, e.tag == (1ull << 60 | 1) && end->rx[0] == 1);

	for (int i = 8; i <= 9; i++) {
		check(end, !fi_cancel(&end->ep->fid, &ctx[i]));
		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
		check(end, e.err == FI_ECANCELED && e.op_context == &ctx[i]);
	}
	check(end, fi_cancel(&end->ep->fid, &ctx[8]) == -FI_ENOENT);
}

/* A receive that is too small reports what is lost; the sender succeeds. */
static void truncated(struct end *end)
{
	static const size_t full[2] = { 5000, 50000 };
	struct fi_cq_err_entry e;

	for (int i = 0; i < 2; i++) {
		if (end->rank) {
			memset(end->rx, 0xee, full[i]);
			check(end, !fi_trecv(end->ep, end->rx, 4000, fi_mr_desc(end->rx_mr),
					     end->peer, 5, 0, &ctx[0]));
			barrier(end);
			check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
			check(end, e.err == FI_ETRUNC && e.op_context == &ctx[0]);
			check(end, e.len == 4000 && e.olen == full[i] - 4000 && e.tag == 5);
			check(end, filled(end->rx, 4000, 9) && end->rx[4000] == 0xee);
		} else {
			fill(end->tx, full[i], 9);
			barrier(end);
			check(end, !fi_tsend(end->ep, end->tx, full[i], fi_mr_desc(end->tx_mr),
					     end->peer, 5, &ctx[1]));
			want_comp(end, &ctx[1], FI_SEND | FI_TAGGED, NULL);
		}
	}
}

/* Four pieces at each end, cut differently; small and large. */
static void pieces(struct end *end)
{
	static const size_t out[2][4] = { { 10, 0, 300, 90 }, { 30000, 1, 0, 9999 } };
	static const size_t in[2][4] = { { 0, 100, 200, 100 }, { 1, 19999, 10000, 10000 } };
	struct iovec iov[4];
	void *desc[4];

	for (int k = 0; k < 2; k++) {
		size_t at = 0, sum = 0;

		for (int i = 0; i < 4; i++) {
			iov[i].iov_len = end->rank ? in[k][i] : out[k][i];
			/* With gaps, so that pieces are not by chance one. */
			iov[i].iov_base = (end->rank ? end->rx : end->tx) + at + 64 * i;
			desc[i] = fi_mr_desc(end->rank ? end->rx_mr : end->tx_mr);
			if (!end->rank)
				fill(iov[i].iov_base, iov[i].iov_len, at);
			at += iov[i].iov_len;
		}
		sum = at;
		if (!end->rank) {
			barrier(end);
			check(end, !fi_sendv(end->ep, iov, desc, 4, end->peer, &ctx[0]));
			want_comp(end, &ctx[0], FI_SEND, NULL);
			continue;
		}
		check(end, !fi_recvv(end->ep, iov, desc, 4, FI_ADDR_UNSPEC, &ctx[1]));
		barrier(end);
		want_comp(end, &ctx[1], FI_RECV, NULL);
		for (int i = 0, done = 0; i < 4; done += in[k][i++])
			check(end, filled(iov[i].iov_base, iov[i].iov_len, done));
		check(end, sum == (k ? 40000 : 400));
	}
}

/* Both send to each other at once, with and without a registration. */
static void both_ways(struct end *end)
{
	struct fi_cq_err_entry e;

	for (int i = 0; i < 12; i++) {
		size_t len = i % 3 == 0 ? 65536 : i % 3 == 1 ? 100001 : MAX_MSG / 2;
		void *tx_desc = i % 2 ? fi_mr_desc(end->tx_mr) : NULL;
		void *rx_desc = i % 2 ? fi_mr_desc(end->rx_mr) : NULL;

		memset(end->rx, 0, len);
		fill(end->tx, len, 2 * i + end->rank);
		check(end, !fi_trecv(end->ep, end->rx, len, rx_desc, end->peer, i, 0, &ctx[0]));
		check(end, !fi_tsend(end->ep, end->tx, len, tx_desc, end->peer, i, &ctx[1]));
		for (int k = 0; k < 2; k++)
			check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
		check(end, filled(end->rx, len, 2 * i + !end->rank));
	}
}

/* Without descriptors the provider finds its own way. */
static void no_descriptor(struct end *end)
{
	static const size_t len[3] = { 100, 10000, 100000 };
	uint8_t *heap = malloc(100000);

	for (int i = 0; i < 3; i++) {
		if (end->rank) {
			check(end, !fi_recv(end->ep, heap, len[i], NULL, end->peer, &ctx[0]));
			barrier(end);
			want_comp(end, &ctx[0], FI_RECV, NULL);
			check(end, filled(heap, len[i], i));
		} else {
			fill(heap, len[i], i);
			barrier(end);
			check(end, !fi_send(end->ep, heap, len[i], NULL, end->peer, &ctx[1]));
			want_comp(end, &ctx[1], FI_SEND, NULL);
		}
	}
	free(heap);
}

/* Injected data is the caller's again at once, and has no completion. */
static void inject(struct end *end)
{
	struct fi_cq_err_entry e;
	uint8_t small[256];

	check(end, end->info->tx_attr->inject_size >= sizeof(small));
	if (!end->rank) {
		for (int i = 0; i < 100; i++) {
			fill(small, sizeof(small), i);
			check(end, !retry(end, fi_tinject(end->ep, small, sizeof(small),
							  end->peer, i)));
			memset(small, 0, sizeof(small));
		}
		check(end, fi_inject(end->ep, end->tx, end->info->tx_attr->inject_size + 1,
				     end->peer) == -FI_EMSGSIZE);
		check(end, !next_comp(end, end->cq, &e, 0));
		barrier(end);
		return;
	}
	barrier(end);
	for (int i = 99; i >= 0; i--) {
		check(end, !fi_trecv(end->ep, end->rx, 256, fi_mr_desc(end->rx_mr), end->peer,
				     i, 0, &ctx[0]));
		want_comp(end, &ctx[0], FI_RECV | FI_TAGGED, &e);
		check(end, filled(end->rx, 256, i));
	}
}

/* Delivered means: the receiver has it in its buffer. */
static void delivery_complete(struct end *end)
{
	struct iovec iov = { end->tx, 64 };
	void *desc = fi_mr_desc(end->tx_mr);
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &desc, .iov_count = 1, .addr = end->peer,
		.context = &ctx[0],
	};
	struct fi_cq_err_entry e;

	if (!end->rank) {
		fill(end->tx, 64, 3);
		check(end, !fi_sendmsg(end->ep, &msg, FI_DELIVERY_COMPLETE | FI_COMPLETION));
		check(end, !next_comp(end, end->cq, &e, 500));	/* nobody receives yet */
		barrier(end);
		want_comp(end, &ctx[0], FI_SEND, NULL);
		return;
	}
	barrier(end);
	check(end, !fi_recv(end->ep, end->rx, 64, fi_mr_desc(end->rx_mr), end->peer, &ctx[1]));
	want_comp(end, &ctx[1], FI_RECV, NULL);
	check(end, filled(end->rx, 64, 3));
	/* The confirmation must go out though this process sleeps now. */
}

/* Writes of all sizes, then a read back. */
static void rma(struct end *end)
{
	for (size_t i = 0; i < NSIZES; i++) {
		if (end->rank) {
			barrier(end);
			check(end, filled(end->rx, sizes[i], i + 50));
			barrier(end);
			continue;
		}
		fill(end->tx, sizes[i], i + 50);
		check(end, !fi_write(end->ep, end->tx, sizes[i], fi_mr_desc(end->tx_mr),
				     end->peer, end->window.addr, end->window.key, &ctx[0]));
		want_comp(end, &ctx[0], FI_RMA | FI_WRITE, NULL);
		barrier(end);
		memset(end->rx, 0, sizes[i]);
		check(end, !fi_read(end->ep, end->rx, sizes[i], fi_mr_desc(end->rx_mr),
				    end->peer, end->window.addr, end->window.key, &ctx[1]));
		want_comp(end, &ctx[1], FI_RMA | FI_READ, NULL);
		check(end, filled(end->rx, sizes[i], i + 50));
		barrier(end);
	}
}

/* One completion at the target a write with data, even an empty one. */
static void rma_data(struct end *end)
{
	static const size_t len[4] = { 0, 8, 4096, 1 << 20 };
	struct fi_cq_err_entry e;

	for (int i = 0; i < 4; i++) {
		if (end->rank) {
			want_comp(end, NULL, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, &e);
			check(end, e.data == 0x80000001u + i && e.len == len[i]);
			check(end, filled(end->rx, len[i], i));
			barrier(end);
			continue;
		}
		fill(end->tx, len[i], i);
		check(end, !fi_writedata(end->ep, end->tx, len[i], fi_mr_desc(end->tx_mr),
					 0x80000001u + i, end->peer, end->window.addr,
					 end->window.key, &ctx[0]));
		want_comp(end, &ctx[0], FI_RMA | FI_WRITE, NULL);
		barrier(end);
	}
	/* Injected: nothing at the initiator. */
	if (end->rank) {
		want_comp(end, NULL, FI_REMOTE_CQ_DATA, &e);
		check(end, e.data == 7 && filled(end->rx + 100, 9, 1));
	} else {
		fill(end->tx, 9, 1);
		check(end, !fi_inject_writedata(end->ep, end->tx, 9, 7, end->peer,
						end->window.addr + 100, end->window.key));
		memset(end->tx, 0, 9);
		check(end, !next_comp(end, end->cq, &e, 100));
	}
}

/* A wrong key or a wrong place is an error, and the next transfer works. */
static void rma_refused(struct end *end)
{
	const struct window bad[2] = {
		{ end->window.addr, end->window.key + 0x1111 },
		{ end->window.addr + MAX_MSG - 4, end->window.key },
	};
	struct fi_cq_err_entry e;

	/* The peer must make progress, for the connection is made anew. */
	if (end->rank) {
		check(end, !fi_recv(end->ep, end->rx, 8, fi_mr_desc(end->rx_mr), end->peer, &ctx[8]));
		want_comp(end, &ctx[8], FI_RECV, NULL);
		check(end, filled(end->rx, 8, 77));
		return;
	}
	for (int i = 0; i < 4; i++) {
		const struct window *w = &bad[i / 2];

		if (i % 2)
			check(end, !fi_write(end->ep, end->tx, 8, fi_mr_desc(end->tx_mr),
					     end->peer, w->addr, w->key, &ctx[i]));
		else
			check(end, !fi_read(end->ep, end->rx, 8, fi_mr_desc(end->rx_mr),
					    end->peer, w->addr, w->key, &ctx[i]));
		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
		check(end, e.err == FI_EACCES && e.op_context == &ctx[i]);
		if (e.err != FI_EACCES)
			printf("# %s: %s\n", fi_strerror(e.err),
			       fi_cq_strerror(end->cq, e.prov_errno, NULL, NULL, 0));
	}
	fill(end->tx, 8, 77);
	check(end, !fi_send(end->ep, end->tx, 8, fi_mr_desc(end->tx_mr), end->peer, &ctx[9]));
	want_comp(end, &ctx[9], FI_SEND, NULL);
}

/* More small messages than there are buffers, and nobody waits for them yet. */
static void flood(struct end *end)
{
	struct fi_cq_err_entry e;
	uint32_t n = 3000;

	if (!end->rank) {
		uint32_t last = n - 1;

		for (uint32_t i = 0; i < last; i++)
			check(end, !retry(end, fi_inject(end->ep, &i, sizeof(i), end->peer)));
		check(end, !retry(end, fi_send(end->ep, &last, sizeof(last), NULL, end->peer, &ctx[1])));
		want_comp(end, &ctx[1], FI_SEND, NULL);
		return;
	}
	sleep(1);
	for (uint32_t i = 0; i < n && !end->failed; i++) {
		uint32_t got = UINT32_MAX;

		check(end, !fi_recv(end->ep, &got, sizeof(got), NULL, end->peer, &ctx[0]));
		want_comp(end, &ctx[0], FI_RECV, &e);
		check(end, got == i);
	}
}

static void to_itself(struct end *end)
{
	static const size_t len[3] = { 5, 5000, 50000 };
	struct fi_cq_err_entry e;

	for (int i = 0; i < 3; i++) {
		fill(end->tx, len[i], i);
		check(end, !fi_recv(end->ep, end->rx, len[i], fi_mr_desc(end->rx_mr), end->self, &ctx[0]));
		check(end, !fi_send(end->ep, end->tx, len[i], fi_mr_desc(end->tx_mr), end->self, &ctx[1]));
		for (int k = 0; k < 2; k++)
			check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
		check(end, filled(end->rx, len[i], i));
	}
}

/* Pairs of new endpoints whose first messages cross. */
static void crossing(struct end *end)
{
	for (int i = 0; i < 5; i++) {
		uint8_t name[256], both[2][256];
		struct fi_cq_err_entry e;
		struct fid_ep *ep;
		struct fid_cq *cq;
		size_t len = sizeof(name);
		fi_addr_t peer;
		uint32_t got = 0, mine = 100 + end->rank;

		endpoint_open(end, &ep, &cq, FI_WAIT_UNSPEC);
		check(end, !fi_getname(&ep->fid, name, &len));
		check(end, !boot_allgather(&end->boot, name, both, sizeof(name)));
		check(end, fi_av_insert(end->av, both[!end->rank], 1, &peer, 0, NULL) == 1);
		check(end, !fi_recv(ep, &got, sizeof(got), NULL, peer, &ctx[0]));
		barrier(end);
		check(end, !fi_inject(ep, &mine, sizeof(mine), peer));
		check(end, next_comp(end, cq, &e, PEER_TIMEOUT_MS) && !e.err);
		check(end, got == 100u + !end->rank);
		barrier(end);
		check(end, !fi_close(&ep->fid));
		check(end, !fi_close(&cq->fid));
		check(end, !fi_av_remove(end->av, &peer, 1, 0));
	}
}

/* An endpoint that is gone: an error for each operation, and no other harm. */
static void unreachable(struct end *end)
{
	uint8_t name[256];
	struct fi_cq_err_entry e;
	fi_addr_t gone;

	memcpy(name, end->name, sizeof(name));
	name[17] ^= 0x5a;	/* another queue pair's number */
	check(end, fi_av_insert(end->av, name, 1, &gone, 0, NULL) == 1);
	check(end, !fi_send(end->ep, end->tx, 8, fi_mr_desc(end->tx_mr), gone, &ctx[0]));
	check(end, !fi_tsend(end->ep, end->tx, 50000, fi_mr_desc(end->tx_mr), gone, 1, &ctx[1]));
	check(end, !fi_write(end->ep, end->tx, 8, fi_mr_desc(end->tx_mr), gone, 0, 0, &ctx[2]));
	for (int i = 0; i < 3; i++) {
		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
		check(end, e.err == FI_EHOSTUNREACH && e.op_context == &ctx[i]);
	}
	check(end, !fi_av_remove(end->av, &gone, 1, 0));
	check(end, fi_send(end->ep, end->tx, 8, NULL, gone, NULL) == -FI_EINVAL);
}

static void addresses(struct end *end)
{
	uint8_t name[256] = { 0 };
	char text[128];
	size_t len = sizeof(text);
	fi_addr_t addr = 0;

	check(end, fi_av_insert(end->av, name, 1, &addr, 0, NULL) == 0);
	check(end, addr == FI_ADDR_NOTAVAIL);
	len = 4;
	check(end, fi_getname(&end->ep->fid, name, &len) == -FI_ETOOSMALL && len > 4);
	len = sizeof(name);
	check(end, !fi_av_lookup(end->av, end->peer, name, &len));
	len = sizeof(text);
	fi_av_straddr(end->av, name, text, &len);
	check(end, !strncmp(text, "fi_addr_suo://[::ffff:10.0.", 27));
	check(end, fi_av_insertsvc(end->av, text, NULL, &addr, 0, NULL) == 1);
	check(end, !fi_av_remove(end->av, &addr, 1, 0));
	check(end, fi_av_insertsvc(end->av, "10.0.0.1", "5", &addr, 0, NULL) == -FI_EINVAL);
}

/* What cannot be done is refused, not ignored. */
static void refusals(struct end *end)
{
	struct fi_cq_attr set = { .wait_obj = FI_WAIT_MUTEX_COND };
	struct fi_info *info = fi_dupinfo(end->info);
	struct iovec iov[5] = { { end->tx, 1 } };
	struct fid_cq *cq;
	struct fid_ep *ep;

	check(end, fi_cq_open(end->domain, &set, &cq, NULL) == -FI_ENOSYS);
	info->ep_attr->type = FI_EP_DGRAM;
	check(end, fi_endpoint(end->domain, info, &ep, NULL) == -FI_EINVAL);
	fi_freeinfo(info);
	check(end, !fi_endpoint(end->domain, end->info, &ep, NULL));
	check(end, fi_enable(ep) == -FI_ENOAV);
	check(end, !fi_ep_bind(ep, &end->av->fid, 0));
	check(end, fi_enable(ep) == -FI_ENOCQ);
	check(end, fi_send(ep, end->tx, 1, NULL, end->peer, NULL) == -FI_EOPBADSTATE);
	check(end, !fi_close(&ep->fid));
	check(end, fi_sendv(end->ep, iov, NULL, 5, end->peer, NULL) == -FI_EINVAL);
	check(end, fi_send(end->ep, end->tx, 1, NULL, 12345, NULL) == -FI_EINVAL);
	check(end, fi_close(&end->cq->fid) == -FI_EBUSY);
	check(end, fi_close(&end->av->fid) == -FI_EBUSY);
	check(end, fi_close(&end->domain->fid) == -FI_EBUSY);
}

int main(int argc, char **argv)
{
	struct end end;

	if (argc != 4) {
		fprintf(stderr, "Usage: fabric_data RANK DEVICE RENDEZVOUS\n");
		return 2;
	}
	end_open(&end, atoi(argv[1]), argv[2], argv[3]);
	test(&end, "addresses", addresses);
	test(&end, "first messages cross", crossing);
	test(&end, "messages, receives posted", msg_expected);
	test(&end, "messages with data, unexpected", msg_unexpected);
	test(&end, "tags, masks, directed receives, cancel", tagged);
	test(&end, "truncation", truncated);
	test(&end, "pieces", pieces);
	test(&end, "both ways at once", both_ways);
	test(&end, "memory without descriptors", no_descriptor);
	test(&end, "inject", inject);
	test(&end, "delivery complete", delivery_complete);
	test(&end, "write and read", rma);
	test(&end, "write with data", rma_data);
	test(&end, "wrong key, out of range", rma_refused);
	test(&end, "3000 unexpected messages", flood);
	test(&end, "to itself", to_itself);
	test(&end, "unreachable endpoint", unreachable);
	test(&end, "refusals", refusals);
	end_close(&end);
	if (!end.rank)
		printf("1..%d\n", end.tests);
	return end.failures ? 1 : 0;
}
