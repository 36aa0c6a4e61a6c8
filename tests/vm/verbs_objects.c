// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_objects DEV-A DEV-B: objects that change while they are in use, by the
 * rules of the InfiniBand specification: completion queues that are resized or
 * overflow, memory windows, regions that are registered anew.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verbs_lab.h"

#define PAGE	4096u

static struct dev dev_a, dev_b;
static struct end a, b;

static void up(void)
{
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
}

static void down(void)
{
	end_close(&a);
	end_close(&b);
}

/* One SEND from a to b, which completes on a. */
static bool send_one(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	return !post_send(&a, &wr, 0, 8) && expect(&a, IBV_WC_SUCCESS, &wc);
}

static bool next_event(struct dev *dev, struct ibv_async_event *ev)
{
	struct pollfd fd = { .fd = dev->ctx->async_fd, .events = POLLIN };

	if (poll(&fd, 1, 60000) != 1 || ibv_get_async_event(dev->ctx, ev))
		return false;
	ibv_ack_async_event(ev);
	return true;
}

static bool in_state(struct end *end, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(end->qp, &attr, IBV_QP_STATE, &init) &&
	       attr.qp_state == state;
}

static void resize(void)
{
	struct ibv_wc wc;
	bool good = true;
	int i;

	printf("# a completion queue is resized\n");
	up();
	for (i = 0; i < 6; i++)
		post_recv(&b, 10 + i, 0, 8);
	for (i = 0; i < 5; i++)
		good &= send_one();
	check(good && ibv_resize_cq(b.cq, 4) == EINVAL,
	      "not to less than what waits in it");
	check(!ibv_resize_cq(b.cq, 6) && b.cq->cqe >= 6 && b.cq->cqe <= 8,
	      "to 6 entries, or the power of two above");
	check(ibv_resize_cq(b.cq, 0) == EINVAL &&
	      ibv_resize_cq(b.cq, dev_b.attr.max_cqe + 1) == EINVAL,
	      "neither to none nor to more than a queue can have");
	for (i = 0; i < 5; i++)
		good &= ibv_poll_cq(b.cq, 1, &wc) == 1 &&
			wc.status == IBV_WC_SUCCESS && wc.wr_id == 10u + i;
	check(good && !ibv_poll_cq(b.cq, 1, &wc),
	      "what waited is there, in order, and nothing else");

	ibv_req_notify_cq(b.cq, 0);
	check(!ibv_resize_cq(b.cq, 100) && send_one() && !quiet(&b, 60000) &&
	      expect(&b, IBV_WC_SUCCESS, &wc) && wc.wr_id == 15,
	      "armed before, it raises its event after");
	down();
}

static void *resizer(void *arg)
{
	const bool *stop = arg;
	long failed = 0;
	int n = 0;

	/* What waits is never more than the receives that are posted. Whoever
	 * polls needs a chance to take the lock.
	 */
	while (!__atomic_load_n(stop, __ATOMIC_RELAXED)) {
		failed += ibv_resize_cq(b.cq, ++n & 1 ? DEPTH : 8 * DEPTH) != 0;
		usleep(100);
	}
	return (void *)failed;
}

static void resize_in_use(void)
{
	struct ibv_wc wc;
	pthread_t thread;
	bool stop = false, good = true;
	void *failed;
	int i;

	printf("# a completion queue is resized by one thread, polled by another\n");
	up();
	for (i = 0; i < DEPTH / 2; i++)
		post_recv(&b, i, 0, 8);
	if (!check(!pthread_create(&thread, NULL, resizer, &stop), "a thread"))
		return;
	for (i = 0; i < 300 && good; i++) {
		good = send_one() && expect(&b, IBV_WC_SUCCESS, &wc) &&
		       wc.wr_id == (uint64_t)i;
		post_recv(&b, i + DEPTH / 2, 0, 8);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &failed);
	check(good, "300 completions in order, event by event (%d)", i);
	check(!failed, "each resize succeeded");
	down();
}

/*
 * A completion that finds no room is lost, and nobody may wait for it: the queue
 * and the queue pair both say so.
 */
static void overflow_of(struct end *end, const char *what)
{
	struct ibv_async_event cq_ev = {}, qp_ev = {};
	struct ibv_wc wc;

	check(next_event(end->dev, &cq_ev) &&
	      cq_ev.event_type == IBV_EVENT_CQ_ERR &&
	      cq_ev.element.cq == end->cq, "%s: the queue is in error", what);
	check(next_event(end->dev, &qp_ev) &&
	      qp_ev.event_type == IBV_EVENT_QP_FATAL &&
	      qp_ev.element.qp == end->qp, "%s: so is its queue pair", what);
	check(in_state(end, IBV_QPS_ERR), "%s: whose state says so", what);
	check(ibv_poll_cq(end->cq, 1, &wc) == 1 &&
	      wc.status == IBV_WC_SUCCESS && !ibv_poll_cq(end->cq, 1, &wc),
	      "%s: what had found room is still there", what);
	check(ibv_resize_cq(end->cq, 64) == EINVAL,
	      "%s: it cannot be mended", what);
}

static void overflow(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_wc wc;

	printf("# a completion queue overflows\n");
	up();
	post_recv(&b, 1, 0, 8);
	post_recv(&b, 2, 0, 8);
	check(!ibv_resize_cq(b.cq, 1) && b.cq->cqe == 1, "one entry");
	wr.opcode = IBV_WR_SEND;
	check(!post_send(&a, &wr, 0, 8) && !post_send(&a, &wr, 0, 8) &&
	      expect(&a, IBV_WC_SUCCESS, &wc), "two completions");
	overflow_of(&b, "receives");
	down();

	up();
	check(!ibv_resize_cq(a.cq, 1), "one entry");
	wr.opcode = IBV_WR_RDMA_WRITE;
	remote(&wr, &b, 0);
	check(!post_send(&a, &wr, 0, 8) && !post_send(&a, &wr, 0, 8),
	      "two completions");
	overflow_of(&a, "sends");
	check(in_state(&b, IBV_QPS_RTS), "the peer does not notice");
	down();
}

/* What happens to a queue pair without a completion that tells of it. */
static void queue_pair_events(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_async_event ev = {};
	struct ibv_wc wc;

	printf("# events of queue pairs\n");
	end_open(&a, &dev_a, &rc_link);
	end_open(&b, &dev_b, &rc_link);
	post_recv(&b, 1, 0, 8);
	post_recv(&b, 2, 0, 8);
	check(!end_to(&a, &b, &rc_link, IBV_QPS_RTR) &&
	      !end_to(&b, &a, &rc_link, IBV_QPS_RTR) &&
	      !end_to(&a, &b, &rc_link, IBV_QPS_RTS), "one side is ready to send");
	check(send_one() && next_event(&dev_b, &ev) &&
	      ev.event_type == IBV_EVENT_COMM_EST &&
	      ev.element.qp == b.qp, "the other one hears of it when it does");
	check(send_one() && !end_to(&b, &a, &rc_link, IBV_QPS_RTS), "once");

	wr.opcode = IBV_WR_RDMA_WRITE;
	remote(&wr, &b, 0);
	wr.wr.rdma.rkey ^= 1;
	check(!post_send(&a, &wr, 0, 8) &&
	      expect(&a, IBV_WC_REM_ACCESS_ERR, &wc), "a wrong key");
	check(next_event(&dev_b, &ev) &&
	      ev.event_type == IBV_EVENT_QP_ACCESS_ERR &&
	      ev.element.qp == b.qp && in_state(&b, IBV_QPS_ERR),
	      "whose holder hears of it");
	down();

	up();
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	wr.wr.atomic.remote_addr = (uintptr_t)dev_b.buf + 4;
	wr.wr.atomic.rkey = dev_b.mr->rkey;
	check(!post_send(&a, &wr, 0, 8) &&
	      expect(&a, IBV_WC_REM_INV_REQ_ERR, &wc), "an odd address");
	check(next_event(&dev_b, &ev) &&
	      ev.event_type == IBV_EVENT_QP_REQ_ERR &&
	      ev.element.qp == b.qp && in_state(&b, IBV_QPS_ERR),
	      "is an event too");
	down();
}

/* ---- windows ---- */

/* All of b's buffer without remote rights; windows give them. */
static struct ibv_mr *bare;

static int bind(struct ibv_mw *mw, struct ibv_mr *mr, size_t at, size_t len,
		int access)
{
	struct ibv_mw_bind req = {
		.wr_id = 70, .send_flags = IBV_SEND_SIGNALED,
		.bind_info = {
			.mr = mr, .addr = (uintptr_t)dev_b.buf + at,
			.length = len, .mw_access_flags = access,
		},
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = 70, .opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = mw, .rkey = ibv_inc_rkey(mw->rkey),
			     .bind_info = req.bind_info },
	};
	int ret;

	if (mw->type == IBV_MW_TYPE_1)
		return ibv_bind_mw(b.qp, mw, &req);
	ret = ibv_post_send(b.qp, &wr, &bad);
	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}

static bool bound(struct ibv_mw *mw, struct ibv_mr *mr, size_t at, size_t len,
		  int access)
{
	struct ibv_wc wc;

	return !bind(mw, mr, at, len, access) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) && wc.wr_id == 70 &&
	       wc.opcode == IBV_WC_BIND_MW;
}

/* An access by a; one that is refused ends the connection: it is made anew. */
static void access_by(const char *what, enum ibv_wr_opcode opcode,
		      uint32_t rkey, size_t at, uint32_t len,
		      enum ibv_wc_status want)
{
	struct ibv_send_wr wr = { .opcode = opcode };
	struct ibv_wc wc;
	bool good;

	pattern(&dev_a, 0, len, 9);
	memset(dev_b.buf + at, 0, len);
	remote(&wr, &b, at);
	wr.wr.rdma.rkey = rkey;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)dev_b.buf + at;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	}
	good = !post_send(&a, &wr, 0, len) && expect(&a, want, &wc);
	if (opcode == IBV_WR_RDMA_WRITE)
		good = good && matches(&dev_b, at, len, 9) ==
			       (want == IBV_WC_SUCCESS);
	check(good, "%s: %s", what, ibv_wc_status_str(want));
}

static void reconnect(void)
{
	bool good;

	good = !end_to(&a, NULL, &rc_link, IBV_QPS_RESET) &&
	       !end_to(&b, NULL, &rc_link, IBV_QPS_RESET) &&
	       !end_to(&a, NULL, &rc_link, IBV_QPS_INIT) &&
	       !end_to(&b, NULL, &rc_link, IBV_QPS_INIT);
	check(good, "the connection is made anew");
	connect_ends(&a, &b, &rc_link);
}

static void refused_by(const char *what, enum ibv_wr_opcode opcode,
		       uint32_t rkey, size_t at, uint32_t len)
{
	access_by(what, opcode, rkey, at, len, IBV_WC_REM_ACCESS_ERR);
	reconnect();
}

static void no_bind(const char *what, struct ibv_mw *mw, struct ibv_mr *mr,
		    size_t at, size_t len, int access)
{
	uint32_t rkey = mw->rkey;
	struct ibv_wc wc;

	check(!bind(mw, mr, at, len, access) &&
	      expect(&b, IBV_WC_MW_BIND_ERR, &wc) && wc.wr_id == 70 &&
	      in_state(&b, IBV_QPS_ERR), "no binding %s", what);
	mw->rkey = rkey;
	reconnect();
}

static void windows_type_1(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev_b.pd, IBV_MW_TYPE_1);
	const int wr = IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *no_mw, *read_only;
	uint32_t old;

	printf("# memory windows of type 1\n");
	up();
	if (!check(mw, "a window"))
		return;
	refused_by("not bound yet", IBV_WR_RDMA_WRITE, mw->rkey, PAGE, 8);
	check(bound(mw, bare, PAGE, PAGE, wr), "it is bound");
	access_by("all of it", IBV_WR_RDMA_WRITE, mw->rkey, PAGE, PAGE,
		  IBV_WC_SUCCESS);
	refused_by("a byte before", IBV_WR_RDMA_WRITE, mw->rkey, PAGE - 1, 2);
	refused_by("a byte behind", IBV_WR_RDMA_WRITE, mw->rkey, 2 * PAGE - 1, 2);
	refused_by("a read", IBV_WR_RDMA_READ, mw->rkey, PAGE, 8);
	refused_by("an atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, mw->rkey, PAGE, 8);
	refused_by("the region's own key", IBV_WR_RDMA_WRITE, bare->rkey, PAGE, 8);
	check(ibv_dereg_mr(bare) == EBUSY, "the region stays while it is bound");
	check(ibv_rereg_mr(bare, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_LOCAL_WRITE) && errno == EBUSY,
	      "and as it is");

	old = mw->rkey;
	check(bound(mw, bare, 4 * PAGE, 10, IBV_ACCESS_REMOTE_READ |
		    IBV_ACCESS_REMOTE_ATOMIC), "it is bound elsewhere");
	access_by("a read", IBV_WR_RDMA_READ, mw->rkey, 4 * PAGE, 10,
		  IBV_WC_SUCCESS);
	access_by("an atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, mw->rkey, 4 * PAGE,
		  8, IBV_WC_SUCCESS);
	refused_by("the key of before", IBV_WR_RDMA_READ, old, 4 * PAGE, 8);

	no_bind("beyond the region", mw, bare, BUF_SIZE - 8, 9, wr);
	no_bind("based at zero", mw, bare, 0, 8, wr | IBV_ACCESS_ZERO_BASED);
	no_mw = ibv_reg_mr(dev_b.pd, dev_b.buf, PAGE, IBV_ACCESS_LOCAL_WRITE);
	no_bind("to a region that does not allow it", mw, no_mw, 0, 8, wr);
	ibv_dereg_mr(no_mw);
	read_only = ibv_reg_mr(dev_b.pd, dev_b.buf, PAGE, IBV_ACCESS_MW_BIND);
	no_bind("that could write where the region cannot", mw, read_only, 0, 8,
		wr);
	ibv_dereg_mr(read_only);
	access_by("what failed has changed nothing", IBV_WR_RDMA_READ, mw->rkey,
		  4 * PAGE, 10, IBV_WC_SUCCESS);

	check(bound(mw, bare, 0, 0, 0), "it is unbound");
	refused_by("an unbound window", IBV_WR_RDMA_READ, mw->rkey, 4 * PAGE, 8);
	check(!ibv_dealloc_mw(mw), "it goes");
	down();
}

static void windows_type_2(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev_b.pd, IBV_MW_TYPE_2);
	const int wr = IBV_ACCESS_REMOTE_WRITE;
	struct end a_1, b_1;
	struct ibv_wc wc;
	struct ibv_send_wr inv = {
		.wr_id = 71, .opcode = IBV_WR_LOCAL_INV,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_send_wr *bad;

	printf("# memory windows of type 2\n");
	up();
	if (!check(mw, "a window"))
		return;
	no_bind("to nothing", mw, NULL, 0, 0, wr);
	check(bound(mw, bare, PAGE, PAGE, wr), "it is bound");
	access_by("a write", IBV_WR_RDMA_WRITE, mw->rkey, PAGE, PAGE,
		  IBV_WC_SUCCESS);
	no_bind("while it is bound", mw, bare, 0, 8, wr);
	access_by("the binding holds", IBV_WR_RDMA_WRITE, mw->rkey, PAGE, 8,
		  IBV_WC_SUCCESS);

	/* Another connection of the same protection domain */
	a_1 = a;
	b_1 = b;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	up();
	refused_by("another queue pair", IBV_WR_RDMA_WRITE, mw->rkey, PAGE, 8);
	inv.invalidate_rkey = mw->rkey;
	check(!ibv_post_send(b.qp, &inv, &bad) &&
	      expect(&b, IBV_WC_MW_BIND_ERR, &wc), "which cannot invalidate it");
	down();
	a = a_1;
	b = b_1;

	check(!ibv_post_send(b.qp, &inv, &bad) &&
	      expect(&b, IBV_WC_SUCCESS, &wc) && wc.wr_id == 71 &&
	      wc.opcode == IBV_WC_LOCAL_INV, "its own can");
	refused_by("an invalidated window", IBV_WR_RDMA_WRITE, mw->rkey, PAGE, 8);
	check(bound(mw, bare, 0, 8, wr), "it is bound again");
	check(!ibv_dealloc_mw(mw), "it goes while it is bound");
	refused_by("its key", IBV_WR_RDMA_WRITE, inv.invalidate_rkey + 1, 0, 8);
	down();
}

static void windows(void)
{
	bare = ibv_reg_mr(dev_b.pd, dev_b.buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE |
			  IBV_ACCESS_MW_BIND);
	if (!check(bare, "a region for windows"))
		return;
	windows_type_1();
	windows_type_2();
	check(!ibv_dereg_mr(bare), "the region goes once nothing is bound to it");
}

/* ---- regions ---- */

static void register_anew(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_mr *mr;
	struct ibv_wc wc;
	uint8_t *mem;

	printf("# a region is registered anew\n");
	up();
	mem = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mr = ibv_reg_mr(dev_b.pd, mem, PAGE, IBV_ACCESS_REMOTE_READ);
	if (!check(mr, "memory that can only be read"))
		return;
	check(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
	      "it does not become writable");
	wr.opcode = IBV_WR_RDMA_READ;
	wr.wr.rdma.remote_addr = (uintptr_t)mem;
	wr.wr.rdma.rkey = mr->rkey;
	check(!post_send(&a, &wr, 0, 16) && expect(&a, IBV_WC_SUCCESS, &wc),
	      "and is as it was");

	mprotect(mem, 2 * PAGE, PROT_READ | PROT_WRITE);
	check(!ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS |
			    IBV_REREG_MR_CHANGE_TRANSLATION, NULL, mem,
			    2 * PAGE, IBV_ACCESS_LOCAL_WRITE |
			    IBV_ACCESS_REMOTE_WRITE),
	      "once the memory is, it does, and longer too");
	pattern(&dev_a, 0, 2 * PAGE, 5);
	wr.opcode = IBV_WR_RDMA_WRITE;
	wr.wr.rdma.rkey = mr->rkey;
	check(!post_send(&a, &wr, 0, 2 * PAGE) &&
	      expect(&a, IBV_WC_SUCCESS, &wc) &&
	      !memcmp(mem, dev_a.buf, 2 * PAGE), "all of it is written");
	wr.opcode = IBV_WR_RDMA_READ;
	check(!post_send(&a, &wr, 0, 16) &&
	      expect(&a, IBV_WC_REM_ACCESS_ERR, &wc), "but not read any more");
	check(!ibv_dereg_mr(mr), "it goes");
	munmap(mem, 2 * PAGE);
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
	resize();
	resize_in_use();
	overflow();
	queue_pair_events();
	windows();
	register_anew();
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
