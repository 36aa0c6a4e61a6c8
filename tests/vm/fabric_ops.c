// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the suo provider has besides plain transfers: buffers for several messages,
 * peek, claim and discard, counters, poll sets; and what is left when a peer dies.
 *
 * Usage: fabric_ops RANK DEVICE RENDEZVOUS [death]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fi_atomic.h>

#include "tests/vm/fabric_ends.h"

static int ctx[16];

static void send_len(struct end *end, size_t at, size_t len)
{
	fill(end->tx + at, len, at);
	check(end, !fi_send(end->ep, end->tx + at, len, fi_mr_desc(end->tx_mr), end->peer,
			    &ctx[0]));
}

/* Posts room bytes for several messages. */
static void post_multi(struct end *end, size_t room, void *context)
{
	struct iovec iov = { end->rx, room };
	void *desc = fi_mr_desc(end->rx_mr);
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &desc, .iov_count = 1, .addr = FI_ADDR_UNSPEC,
		.context = context,
	};

	check(end, !fi_recvmsg(end->ep, &msg, FI_MULTI_RECV));
}

/*
 * 1000 bytes, which end when less than 200 are left, take messages of 190: after
 * four 240 are left, after five 50. The last two were there before the buffer.
 */
static void multi_recv(struct end *end)
{
	size_t min = 200, got = 0, len = sizeof(got);
	struct fi_cq_err_entry e;

	check(end, !fi_setopt(&end->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &min,
			      sizeof(min)));
	check(end, !fi_getopt(&end->ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &got,
			      &len) && got == 200);
	if (!end->rank) {
		for (int i = 0; i < 2; i++)
			send_len(end, i * 190, 190);
		barrier(end);	/* the buffer is there */
		for (int i = 2; i < 7; i++)
			send_len(end, i * 190, 190);
		for (int i = 0; i < 7; i++)
			want_comp(end, &ctx[0], FI_SEND, NULL);
		return;
	}
	sleep(1);
	post_multi(end, 1000, &ctx[1]);
	barrier(end);
	for (int i = 0; i < 5; i++) {
		want_comp(end, &ctx[1], FI_RECV | FI_MSG, &e);
		check(end, e.len == 190 && e.buf == end->rx + i * 190);
		check(end, filled(e.buf, 190, i * 190));
		check(end, !(e.flags & FI_MULTI_RECV) == (i < 4));
	}
	check(end, !next_comp(end, end->cq, &e, 100));
	post_multi(end, 1000, &ctx[2]);
	for (int i = 0; i < 2; i++) {
		want_comp(end, &ctx[2], FI_RECV | FI_MSG, &e);
		check(end, filled(end->rx + i * 190, 190, (5 + i) * 190));
	}
	/* What is left of it comes back when it is taken back. */
	check(end, !fi_cancel(&end->ep->fid, &ctx[2]));
	check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
	check(end, e.err == FI_ECANCELED && (e.flags & FI_MULTI_RECV));
}

/* Large messages, which are read by the receiver; the third has not enough room. */
static void multi_recv_large(struct end *end)
{
	struct fi_cq_err_entry e;
	int last = 0;

	if (!end->rank) {
		barrier(end);
		for (int i = 0; i < 3; i++)
			send_len(end, i * 40000, 40000);
		for (int i = 0; i < 3; i++)
			want_comp(end, &ctx[0], FI_SEND, NULL);
		return;
	}
	post_multi(end, 100000, &ctx[1]);
	barrier(end);
	for (int i = 0; i < 3; i++) {
		size_t at;

		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
		at = (uint8_t *)e.buf - end->rx;
		check(end, at == (size_t)i * 40000);
		check(end, e.err == (i == 2 ? FI_ETRUNC : 0));
		check(end, e.len == (i == 2 ? 20000 : 40000) && e.olen == (i == 2 ? 20000 : 0));
		check(end, filled(e.buf, e.len, at));
		last += !!(e.flags & FI_MULTI_RECV);
	}
	check(end, last == 1 && (e.flags & FI_MULTI_RECV));
}

static ssize_t search(struct end *end, uint64_t tag, uint64_t flags, void *context)
{
	struct iovec iov = { end->rx, MAX_MSG };
	void *desc = fi_mr_desc(end->rx_mr);
	struct fi_msg_tagged msg = {
		.msg_iov = &iov, .desc = &desc, .iov_count = 1, .addr = end->peer,
		.tag = tag, .context = context,
	};

	return fi_trecvmsg(end->ep, &msg, flags);
}

static void no_such(struct end *end, uint64_t tag, uint64_t flags)
{
	struct fi_cq_err_entry e;

	check(end, !search(end, tag, FI_PEEK | flags, &ctx[5]));
	check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
	check(end, e.err == FI_ENOMSG && e.op_context == &ctx[5]);
}

/* Small and large messages are looked at, claimed, thrown away. */
static void peek(struct end *end)
{
	static const size_t len[2] = { 100, 70000 };
	struct fi_cq_err_entry e;

	for (int k = 0; k < 2; k++) {
		if (!end->rank) {
			for (int i = 0; i < 4; i++) {
				fill(end->tx + i * len[k], len[k], i);
				check(end, !fi_tsenddata(end->ep, end->tx + i * len[k], len[k],
							 fi_mr_desc(end->tx_mr), 70 + i, end->peer,
							 10 + i, &ctx[i]));
			}
			barrier(end);
			/* All are done, received or not. */
			for (int i = 0; i < 4; i++)
				check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
			barrier(end);
			continue;
		}
		barrier(end);
		sleep(1);
		no_such(end, 99, 0);
		no_such(end, 99, FI_CLAIM);
		no_such(end, 99, FI_DISCARD);
		for (int i = 0; i < 2; i++) {
			check(end, !search(end, 10, FI_PEEK, &ctx[6]));
			want_comp(end, &ctx[6], FI_RECV | FI_TAGGED | FI_REMOTE_CQ_DATA, &e);
			check(end, e.len == len[k] && e.tag == 10 && e.data == 70);
		}
		check(end, !search(end, 11, FI_PEEK | FI_CLAIM, &ctx[7]));
		want_comp(end, &ctx[7], FI_RECV | FI_TAGGED, &e);
		check(end, e.len == len[k] && e.tag == 11);
		no_such(end, 11, 0);
		check(end, !search(end, 12, FI_PEEK | FI_DISCARD, &ctx[8]));
		want_comp(end, &ctx[8], FI_RECV | FI_TAGGED, NULL);
		no_such(end, 12, 0);
		check(end, !search(end, 13, FI_PEEK | FI_CLAIM, &ctx[9]));
		want_comp(end, &ctx[9], FI_RECV | FI_TAGGED, NULL);

		check(end, search(end, 0, FI_CLAIM, &ctx[10]) == -FI_EINVAL);
		check(end, search(end, 0, FI_DISCARD, &ctx[10]) == -FI_EINVAL);
		check(end, !search(end, 0, FI_CLAIM, &ctx[7]));
		want_comp(end, &ctx[7], FI_RECV | FI_TAGGED, &e);
		check(end, e.len == len[k] && e.tag == 11 && filled(end->rx, len[k], 1));
		check(end, !search(end, 0, FI_CLAIM | FI_DISCARD, &ctx[9]));
		want_comp(end, &ctx[9], FI_RECV | FI_TAGGED, NULL);
		check(end, !fi_trecv(end->ep, end->rx, MAX_MSG, fi_mr_desc(end->rx_mr),
				     end->peer, 10, 0, &ctx[6]));
		want_comp(end, &ctx[6], FI_RECV | FI_TAGGED, &e);
		check(end, e.len == len[k] && filled(end->rx, len[k], 0));
		/* The sender's completions come while we wait for something else. */
		check(end, !next_comp(end, end->cq, &e, 2000));
		barrier(end);
	}
}

/* An endpoint with nothing but counters; the peer does not notice. */
static void counters(struct end *end)
{
	struct fi_cntr_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	static const uint64_t bits[4] = { FI_SEND, FI_RECV, FI_READ, FI_WRITE };
	uint8_t name[256], both[2][256];
	size_t len = sizeof(name);
	struct fid_cntr *cntr[4];
	uint64_t one = 1, old;
	fi_addr_t peer, gone;
	struct fid_ep *ep;

	check(end, !fi_endpoint(end->domain, end->info, &ep, NULL));
	check(end, !fi_ep_bind(ep, &end->av->fid, 0));
	for (int i = 0; i < 4; i++) {
		check(end, !fi_cntr_open(end->domain, &attr, &cntr[i], NULL));
		check(end, !fi_ep_bind(ep, &cntr[i]->fid, bits[i]));
	}
	check(end, fi_ep_bind(ep, &cntr[0]->fid, FI_SEND) == -FI_EINVAL);
	check(end, fi_ep_bind(ep, &cntr[0]->fid, FI_REMOTE_WRITE) == -FI_ENOSYS);
	check(end, !fi_enable(ep));
	check(end, !fi_getname(&ep->fid, name, &len));
	check(end, !boot_allgather(&end->boot, name, both, sizeof(name)));
	check(end, fi_av_insert(end->av, both[!end->rank], 1, &peer, 0, NULL) == 1);

	for (int i = 0; i < 10; i++)
		check(end, !fi_recv(ep, end->rx, 100, fi_mr_desc(end->rx_mr), peer, NULL));
	barrier(end);
	for (int i = 0; i < 9; i++)
		check(end, !fi_send(ep, end->tx, 100, fi_mr_desc(end->tx_mr), peer, NULL));
	check(end, !fi_inject(ep, end->tx, 100, peer));
	check(end, !fi_cntr_wait(cntr[0], 10, PEER_TIMEOUT_MS));
	check(end, !fi_cntr_wait(cntr[1], 10, PEER_TIMEOUT_MS));
	check(end, fi_cntr_read(cntr[0]) == 10 && fi_cntr_read(cntr[1]) == 10);
	check(end, fi_cntr_wait(cntr[1], 11, 50) == -FI_ETIMEDOUT);

	for (int i = 0; i < 3; i++) {
		check(end, !fi_write(ep, end->tx, 100, fi_mr_desc(end->tx_mr), peer,
				     end->window.addr + 4096, end->window.key, NULL));
		check(end, !fi_read(ep, end->rx, 100, fi_mr_desc(end->rx_mr), peer,
				    end->window.addr + 4096, end->window.key, NULL));
		check(end, !fi_fetch_atomic(ep, &one, 1, NULL, &old, NULL, peer,
					    end->window.addr + 8192, end->window.key, FI_UINT64,
					    FI_SUM, NULL));
	}
	check(end, !fi_cntr_wait(cntr[3], 3, PEER_TIMEOUT_MS));
	check(end, !fi_cntr_wait(cntr[2], 6, PEER_TIMEOUT_MS));
	check(end, !fi_cntr_readerr(cntr[2]) && !fi_cntr_readerr(cntr[3]));

	check(end, !fi_cntr_add(cntr[2], 4) && fi_cntr_read(cntr[2]) == 10);
	check(end, !fi_cntr_set(cntr[2], 1) && fi_cntr_read(cntr[2]) == 1);
	check(end, !fi_cntr_adderr(cntr[2], 2) && fi_cntr_readerr(cntr[2]) == 2);
	check(end, !fi_cntr_seterr(cntr[2], 0) && fi_cntr_readerr(cntr[2]) == 0);

	/* Errors are counted apart, and end a wait. */
	memcpy(name, both[!end->rank], sizeof(name));
	name[17] ^= 0x5a;
	check(end, fi_av_insert(end->av, name, 1, &gone, 0, NULL) == 1);
	check(end, !fi_send(ep, end->tx, 100, fi_mr_desc(end->tx_mr), gone, NULL));
	check(end, fi_cntr_wait(cntr[0], 11, PEER_TIMEOUT_MS) == -FI_EAVAIL);
	check(end, fi_cntr_read(cntr[0]) == 10 && fi_cntr_readerr(cntr[0]) == 1);
	check(end, !fi_av_remove(end->av, &gone, 1, 0));

	barrier(end);
	check(end, fi_close(&cntr[0]->fid) == -FI_EBUSY);
	check(end, !fi_close(&ep->fid));
	for (int i = 0; i < 4; i++)
		check(end, !fi_close(&cntr[i]->fid));
	check(end, !fi_av_remove(end->av, &peer, 1, 0));
}

static void poll_set(struct end *end)
{
	struct fi_poll_attr attr = { 0 };
	struct fid_poll *set;
	struct fi_cq_err_entry e;
	void *found[2];
	int n = 0;

	end->cq->fid.context = &ctx[11];
	check(end, !fi_poll_open(end->domain, &attr, &set));
	check(end, !fi_poll_add(set, &end->cq->fid, 0));
	check(end, fi_poll_add(set, &end->cq->fid, 0) == -FI_EINVAL);
	check(end, fi_poll_add(set, &end->ep->fid, 0) == -FI_EINVAL);
	check(end, fi_poll(set, found, 2) == 0);
	check(end, !fi_recv(end->ep, end->rx, 8, fi_mr_desc(end->rx_mr), end->peer, &ctx[1]));
	barrier(end);
	check(end, !fi_inject(end->ep, end->tx, 8, end->peer));
	while (!n)
		n = fi_poll(set, found, 2);
	check(end, n == 1 && found[0] == &ctx[11]);
	want_comp(end, &ctx[1], FI_RECV, &e);
	check(end, fi_poll(set, found, 2) == 0);
	check(end, !fi_poll_del(set, &end->cq->fid, 0));
	check(end, fi_poll_del(set, &end->cq->fid, 0) == -FI_EINVAL);
	check(end, !fi_close(&set->fid));
	barrier(end);
}

/*
 * The peer dies and owes us answers: it has taken the announcement of a large
 * message and an atomic operation, and nothing is on its way that would fail.
 */
static int death(struct end *end)
{
	uint32_t one = 1;
	struct fi_cq_err_entry e;

	check(end, !fi_recv(end->ep, end->rx, 8, fi_mr_desc(end->rx_mr), end->peer, &ctx[0]));
	barrier(end);
	check(end, !fi_inject(end->ep, end->tx, 8, end->peer));
	want_comp(end, &ctx[0], FI_RECV, NULL);
	/* From here on the peer does not look at its queue any more. */
	barrier(end);
	if (end->rank) {
		/* Let the device take them, and do nothing about it. */
		barrier(end);
		sleep(2);
		_exit(0);
	}
	check(end, !fi_tsend(end->ep, end->tx, 100000, fi_mr_desc(end->tx_mr), end->peer, 1,
			     &ctx[1]));
	check(end, !fi_atomic(end->ep, &one, 1, NULL, end->peer, end->window.addr,
			      end->window.key, FI_UINT32, FI_SUM, &ctx[2]));
	check(end, !next_comp(end, end->cq, &e, 500));
	barrier(end);
	for (int i = 1; i <= 2; i++) {
		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
		check(end, e.op_context == &ctx[i] && e.err == FI_EHOSTUNREACH);
		printf("# %s: %s\n", fi_strerror(e.err),
		       fi_cq_strerror(end->cq, e.prov_errno, NULL, NULL, 0));
	}
	/* And so does what comes later. */
	check(end, !fi_send(end->ep, end->tx, 8, fi_mr_desc(end->tx_mr), end->peer, &ctx[3]));
	check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS));
	check(end, e.op_context == &ctx[3] && e.err == FI_EHOSTUNREACH);
	printf("%s 1 - a dead peer owes an answer\n1..1\n", end->failed ? "not ok" : "ok");
	return end->failed;
}

int main(int argc, char **argv)
{
	struct end end;

	if (argc < 4 || argc > 5 || (argc == 5 && strcmp(argv[4], "death"))) {
		fprintf(stderr, "Usage: fabric_ops RANK DEVICE RENDEZVOUS [death]\n");
		return 2;
	}
	end_open(&end, atoi(argv[1]), argv[2], argv[3]);
	if (argc == 5)
		return death(&end);
	test(&end, "a buffer for several messages", multi_recv);
	test(&end, "a buffer for several large messages", multi_recv_large);
	test(&end, "peek, claim, discard", peek);
	test(&end, "counters", counters);
	test(&end, "poll set", poll_set);
	end_close(&end);
	if (!end.rank)
		printf("1..%d\n", end.tests);
	return end.failures ? 1 : 0;
}
