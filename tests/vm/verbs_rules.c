// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_rules DEV-A DEV-B: what the verbs say about full queues, bad requests,
 * errors, events, resets and shared receive queues. The expected statuses are
 * those of the InfiniBand specification's completion and NAK rules.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "verbs_lab.h"

static struct dev dev_a, dev_b;
static struct end a, b;

static void up(const struct link_attr *attr)
{
	ends_open(&a, &dev_a, &b, &dev_b, attr);
}

static void down(void)
{
	end_close(&a);
	end_close(&b);
}

/* One SEND from a to b works. */
static bool works(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	pattern(&dev_a, 0, 100, 3);
	memset(dev_b.buf, 0, 100);
	return !post_recv(&b, 1, 0, 100) && !post_send(&a, &wr, 0, 100) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) &&
	       expect(&a, IBV_WC_SUCCESS, &wc) && matches(&dev_b, 0, 100, 3);
}

static void bad_requests(void)
{
	struct ibv_sge sge[64] = {};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .sg_list = sge };
	struct ibv_send_wr next = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad = NULL;
	struct ibv_recv_wr rwr = { .sg_list = sge, .num_sge = 64 };
	struct ibv_recv_wr *rbad = NULL;
	char big[4096];
	int i, n = 0;

	printf("# bad requests\n");
	end_open(&a, &dev_a, &rc_link);
	end_open(&b, &dev_b, &rc_link);
	check(ibv_post_send(a.qp, &wr, &bad) == EINVAL && bad == &wr,
	      "no send in INIT");
	connect_ends(&a, &b, &rc_link);

	wr.num_sge = 64;
	bad = NULL;
	check(ibv_post_send(a.qp, &wr, &bad) == EINVAL && bad == &wr,
	      "too many pieces to send");
	check(ibv_post_recv(b.qp, &rwr, &rbad) == EINVAL && rbad == &rwr,
	      "too many pieces to receive");

	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_INLINE;
	sge[0].addr = (uintptr_t)big;
	sge[0].length = sizeof(big);
	check(ibv_post_send(a.qp, &wr, &bad) == EINVAL, "too much inline data");
	wr.send_flags = 0;
	wr.opcode = IBV_WR_TSO;
	check(ibv_post_send(a.qp, &wr, &bad) == EINVAL, "an unknown operation");

	/* Of a list, what stands before the bad request is done. */
	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.num_sge = 0;
	wr.next = &next;
	remote(&wr, &b, 0);
	next.num_sge = 64;
	next.sg_list = sge;
	check(ibv_post_send(a.qp, &wr, &bad) == EINVAL && bad == &next,
	      "the bad request of a list is named");
	{
		struct ibv_wc wc;

		check(expect(&a, IBV_WC_SUCCESS, &wc) &&
		      wc.opcode == IBV_WC_RDMA_WRITE, "the one before it ran");
	}

	/* The granted depth is a power of two of at least what was wanted. */
	while (n <= 1024 && !(i = post_recv(&b, n, 0, 8)))
		n++;
	check(i == ENOMEM && n >= DEPTH && n <= 2 * DEPTH,
	      "a full receive queue says so, after %d", n);
	down();
}

/*
 * A request that fails, the state that follows, and the flush: on the side
 * that posted it, two more sends follow the failing one.
 */
static void failure(const char *what, struct ibv_send_wr *wr, uint32_t len,
		    enum ibv_wc_status here, enum ibv_wc_status there)
{
	struct ibv_send_wr follow = { .wr_id = 3, .opcode = IBV_WR_SEND };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;
	bool good;

	wr->wr_id = 2;
	good = !post_send(&a, wr, 0, len);
	good = good && !post_send(&a, &follow, 0, 1);
	check(good && expect(&a, here, &wc) && wc.wr_id == 2 &&
	      wc.qp_num == a.qp->qp_num, "%s: %s", what,
	      ibv_wc_status_str(here));
	check(expect(&a, IBV_WC_WR_FLUSH_ERR, &wc) && wc.wr_id == 3,
	      "%s: what follows is flushed", what);
	check(!ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init) &&
	      attr.qp_state == IBV_QPS_ERR, "%s: the queue pair has failed",
	      what);
	if (there != IBV_WC_SUCCESS)
		check(expect(&b, there, &wc) && wc.wr_id == 7,
		      "%s: the receiver's %s", what, ibv_wc_status_str(there));
}

static void failures(void)
{
	struct link_attr quick = rc_link;
	struct ibv_send_wr wr;

	printf("# failures\n");
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_WRITE };
	up(&rc_link);
	remote(&wr, &b, 0);
	wr.wr.rdma.rkey ^= 0x5500;
	failure("write with a wrong key", &wr, 100, IBV_WC_REM_ACCESS_ERR,
		IBV_WC_SUCCESS);
	down();

	wr = (struct ibv_send_wr){ .opcode = IBV_WR_RDMA_READ };
	up(&rc_link);
	remote(&wr, &b, BUF_SIZE - 99);
	failure("read beyond the end", &wr, 100, IBV_WC_REM_ACCESS_ERR,
		IBV_WC_SUCCESS);
	down();

	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND };
	up(&rc_link);
	check(!post_recv(&b, 7, 0, 4096), "a receive is posted");
	failure("send from beyond the region", &wr, BUF_SIZE + 1,
		IBV_WC_LOC_PROT_ERR, IBV_WC_SUCCESS);
	down();

	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND };
	up(&rc_link);
	post_recv(&b, 7, 0, 99);
	failure("send into too small a buffer", &wr, 100,
		IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR);
	down();

	quick.rnr_retry = 0;
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND };
	up(&quick);
	failure("send without a receive", &wr, 100, IBV_WC_RNR_RETRY_EXC_ERR,
		IBV_WC_SUCCESS);
	down();

	/* Timeout 10 is 4 ms; there are two retries. */
	quick = rc_link;
	quick.timeout = 10;
	quick.retry = 2;
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND };
	up(&quick);
	end_to(&b, &a, &quick, IBV_QPS_RESET);
	failure("send to a peer that is gone", &wr, 100,
		IBV_WC_RETRY_EXC_ERR, IBV_WC_SUCCESS);
	down();
}

static void receiver_waits(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	printf("# receiver not ready\n");
	up(&rc_link);
	pattern(&dev_a, 0, 5000, 9);
	memset(dev_b.buf, 0, 5000);
	check(!post_send(&a, &wr, 0, 5000) && quiet(&a, 20) &&
	      !post_recv(&b, 5, 0, 5000) &&
	      expect(&b, IBV_WC_SUCCESS, &wc) && wc.wr_id == 5 &&
	      expect(&a, IBV_WC_SUCCESS, &wc) && matches(&dev_b, 0, 5000, 9),
	      "a send waits for a late receive");
	down();
}

static void reset_and_error(void)
{
	struct ibv_wc wc;
	int i;

	printf("# reset and error\n");
	up(&rc_link);
	check(works(), "before the reset");
	for (i = 0; i < 5; i++)
		post_recv(&b, 100 + i, 0, 8);
	check(!end_to(&a, NULL, &rc_link, IBV_QPS_RESET) &&
	      !end_to(&b, NULL, &rc_link, IBV_QPS_RESET) &&
	      !end_to(&a, NULL, &rc_link, IBV_QPS_INIT) &&
	      !end_to(&b, NULL, &rc_link, IBV_QPS_INIT), "reset");
	connect_ends(&a, &b, &rc_link);
	check(works(), "after it, without the receives of before");

	for (i = 0; i < 3; i++)
		post_recv(&b, 200 + i, 0, 8);
	check(!end_to(&b, NULL, &rc_link, IBV_QPS_ERR), "to the error state");
	for (i = 0; i < 3; i++)
		check(expect(&b, IBV_WC_WR_FLUSH_ERR, &wc) &&
		      wc.wr_id == 200u + i, "receive %d is flushed", i);
	check(!post_recv(&b, 300, 0, 8) &&
	      expect(&b, IBV_WC_WR_FLUSH_ERR, &wc) && wc.wr_id == 300,
	      "a receive posted in the error state is flushed");
	{
		struct ibv_send_wr wr = { .wr_id = 301, .opcode = IBV_WR_SEND };

		check(!post_send(&b, &wr, 0, 8) &&
		      expect(&b, IBV_WC_WR_FLUSH_ERR, &wc) && wc.wr_id == 301,
		      "and so is a send");
	}
	down();
}

static void unsignalled(void)
{
	struct link_attr some = rc_link;
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_wc wc;
	bool good = true;
	int i, n = 0;

	printf("# unsignalled sends\n");
	some.sig_all = false;
	up(&some);
	remote(&wr, &b, 0);
	for (i = 0; i < 10 * DEPTH && good; i++) {
		wr.wr_id = i;
		wr.send_flags = i % 8 == 7 ? IBV_SEND_SIGNALED : 0;
		good = !post_send(&a, &wr, 0, 64);
		if (i % 8 == 7) {
			good &= expect(&a, IBV_WC_SUCCESS, &wc) &&
				wc.wr_id == (uint64_t)i;
			n++;
		}
	}
	check(good && n == 20, "one completion in eight");
	check(!ibv_poll_cq(a.cq, 1, &wc), "and no other");

	wr.opcode = IBV_WR_SEND;
	wr.send_flags = 0;
	wr.wr_id = 999;
	check(!post_send(&a, &wr, 1, BUF_SIZE) &&
	      expect(&a, IBV_WC_LOC_PROT_ERR, &wc) && wc.wr_id == 999,
	      "but one that fails completes");
	down();
}

static void events(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;
	int i;

	printf("# completion events\n");
	up(&rc_link);
	for (i = 0; i < 6; i++)
		post_recv(&b, i, 0, 8);

	ibv_req_notify_cq(b.cq, 0);
	post_send(&a, &wr, 0, 8);
	check(!quiet(&b, 60000), "armed: an event");
	check(ibv_poll_cq(b.cq, 1, &wc) == 1, "and a completion");
	post_send(&a, &wr, 0, 8);
	expect(&a, IBV_WC_SUCCESS, &wc);
	expect(&a, IBV_WC_SUCCESS, &wc);
	check(quiet(&b, 0) && ibv_poll_cq(b.cq, 1, &wc) == 1,
	      "not armed again: a completion without event");

	ibv_req_notify_cq(b.cq, 1);
	post_send(&a, &wr, 0, 8);
	expect(&a, IBV_WC_SUCCESS, &wc);
	check(quiet(&b, 0) && ibv_poll_cq(b.cq, 1, &wc) == 1,
	      "armed for solicited: no event for another");
	wr.send_flags = IBV_SEND_SOLICITED;
	post_send(&a, &wr, 0, 8);
	check(!quiet(&b, 60000) && ibv_poll_cq(b.cq, 1, &wc) == 1,
	      "but for a solicited one");
	expect(&a, IBV_WC_SUCCESS, &wc);

	ibv_req_notify_cq(b.cq, 0);
	ibv_req_notify_cq(b.cq, 1);
	wr.send_flags = 0;
	post_send(&a, &wr, 0, 8);
	check(!quiet(&b, 60000), "the wider request is not narrowed");
	down();
}

static void shared_receive_queue(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = DEPTH, .max_sge = 1 },
	};
	struct ibv_srq_attr limit = { .srq_limit = 3 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_async_event ev;
	struct ibv_srq *srq;
	struct pollfd fd;
	struct end a2 = {}, b2 = {};
	struct ibv_wc wc;
	int i;

	printf("# shared receive queue\n");
	srq = ibv_create_srq(dev_b.pd, &init);
	if (!check(srq && init.attr.max_wr >= DEPTH, "it is made"))
		return;
	b.srq = srq;
	b2.srq = srq;
	up(&rc_link);
	end_open(&a2, &dev_a, &rc_link);
	end_open(&b2, &dev_b, &rc_link);
	connect_ends(&a2, &b2, &rc_link);
	for (i = 0; i < 4; i++)
		post_recv(&b, 50 + i, i * 64, 64);
	check(!ibv_modify_srq(srq, &limit, IBV_SRQ_LIMIT) &&
	      !ibv_query_srq(srq, &limit) && limit.srq_limit == 3,
	      "a limit is set");

	check(!post_send(&a, &wr, 0, 8) && expect(&b, IBV_WC_SUCCESS, &wc) &&
	      wc.wr_id == 50 && wc.qp_num == b.qp->qp_num,
	      "one queue pair takes the first");
	check(!post_send(&a2, &wr, 0, 8) && expect(&b2, IBV_WC_SUCCESS, &wc) &&
	      wc.wr_id == 51 && wc.qp_num == b2.qp->qp_num,
	      "the other one the second");

	fd = (struct pollfd){ .fd = dev_b.ctx->async_fd, .events = POLLIN };
	if (check(poll(&fd, 1, 60000) == 1 &&
		  !ibv_get_async_event(dev_b.ctx, &ev) &&
		  ev.event_type == IBV_EVENT_SRQ_LIMIT_REACHED &&
		  ev.element.srq == srq, "the limit is reported"))
		ibv_ack_async_event(&ev);
	check(!ibv_query_srq(srq, &limit) && limit.srq_limit == 0, "once");

	expect(&a, IBV_WC_SUCCESS, &wc);
	expect(&a2, IBV_WC_SUCCESS, &wc);
	end_close(&a2);
	end_close(&b2);
	check(ibv_destroy_srq(srq) == EBUSY, "it does not go while in use");
	down();
	check(!ibv_destroy_srq(srq), "it goes");
}

static void extended_sends(void)
{
	struct link_attr ex = rc_link;
	struct ibv_qp_ex *qp;
	struct ibv_wc wc;
	char text[8] = "1234567";
	int i;

	printf("# sends by the extended interface\n");
	ex.ex = true;
	up(&ex);
	qp = ibv_qp_to_qp_ex(a.qp);
	if (!check(qp, "the queue pair has it"))
		return;
	for (i = 0; i < 2; i++)
		post_recv(&b, i, 64 * i, 64);
	memset(dev_b.buf, 0, 4096);
	pattern(&dev_a, 0, 64, 4);

	ibv_wr_start(qp);
	qp->wr_id = 90;
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, dev_a.mr->lkey, (uintptr_t)dev_a.buf, 64);
	ibv_wr_abort(qp);
	check(quiet(&b, 20) && !poll(NULL, 0, 0), "an aborted send is not sent");

	ibv_wr_start(qp);
	qp->wr_id = 91;
	ibv_wr_send(qp);
	ibv_wr_set_sge(qp, dev_a.mr->lkey, (uintptr_t)dev_a.buf, 64);
	qp->wr_id = 92;
	ibv_wr_send_imm(qp, 77);
	ibv_wr_set_inline_data(qp, text, sizeof(text));
	qp->wr_id = 93;
	ibv_wr_rdma_write(qp, dev_b.mr->rkey, (uintptr_t)dev_b.buf + 2048);
	ibv_wr_set_sge(qp, dev_a.mr->lkey, (uintptr_t)dev_a.buf, 64);
	check(!ibv_wr_complete(qp), "three at a time");
	memset(text, 0, sizeof(text));
	for (i = 0; i < 3; i++)
		check(expect(&a, IBV_WC_SUCCESS, &wc) && wc.wr_id == 91u + i,
		      "completion %d", i);
	check(expect(&b, IBV_WC_SUCCESS, &wc) && wc.byte_len == 64 &&
	      matches(&dev_b, 0, 64, 4), "a send with its data");
	check(expect(&b, IBV_WC_SUCCESS, &wc) && wc.byte_len == 8 &&
	      wc.imm_data == 77 && !memcmp(dev_b.buf + 64, "1234567", 8),
	      "one with immediate and inline data");
	check(matches(&dev_b, 2048, 64, 4), "a write");

	ibv_wr_start(qp);
	ibv_wr_send(qp);
	ibv_wr_set_inline_data(qp, dev_a.buf, 4096);
	check(ibv_wr_complete(qp) == EINVAL, "too much inline data");
	ibv_wr_start(qp);
	for (i = 0; i < 4 * DEPTH; i++) {
		ibv_wr_rdma_write(qp, dev_b.mr->rkey, (uintptr_t)dev_b.buf);
		ibv_wr_set_sge(qp, dev_a.mr->lkey, (uintptr_t)dev_a.buf, 1);
	}
	check(ibv_wr_complete(qp) == ENOMEM, "a full queue");
	check(works(), "and the queue pair still works");
	down();
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "Usage: %s DEV-A DEV-B\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	bad_requests();
	failures();
	receiver_waits();
	reset_and_error();
	unsignalled();
	events();
	shared_receive_queue();
	extended_sends();
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
