// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What must not get across the border of a domain, and what may not hold up a machine.
 *
 * Usage: verbs_border cross	suo0 and suo1 are in one domain, suo2 and suo3 in another
 *	  verbs_border leave FILE	suo0 leaves the domain of suo1 when FILE is there
 *	  verbs_border flood	much of suo0's for suo1 arrives at the same moment
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_lab.h"

#define LEN	65536u
#define WRITES	8
/* Queue pairs, requests of each, bytes of a request: a second of copying */
#define FLOWS	4
#define REQUESTS	500
#define REQUEST_LEN	BUF_SIZE

static struct dev dev[4];

static size_t bytes_of(const struct dev *d, size_t len, uint8_t byte)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++)
		n += d->buf[i] == byte;
	return n;
}

static void write_to(struct end *end, const struct dev *to, size_t at)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { .remote_addr = (uintptr_t)to->buf + at,
			     .rkey = to->mr->rkey },
	};

	check(!post_send(end, &wr, 0, LEN), "a write is posted");
}

/* Two queue pairs name each other's number, but a member of their own domain. */
static void cross(void)
{
	struct link_attr attr = rc_link;
	struct end a = { 0 }, b = { 0 }, of_a, of_b;
	struct ibv_wc wc;

	attr.retry = 1;
	end_open(&a, &dev[0], &attr);
	end_open(&b, &dev[2], &attr);
	of_a = b;
	of_a.dev = &dev[1];
	of_b = a;
	of_b.dev = &dev[3];
	check(!end_to(&a, &of_a, &attr, IBV_QPS_RTR) &&
	      !end_to(&b, &of_b, &attr, IBV_QPS_RTR) &&
	      !end_to(&a, &of_a, &attr, IBV_QPS_RTS) &&
	      !end_to(&b, &of_b, &attr, IBV_QPS_RTS), "they connect");
	memset(dev[0].buf, 0xab, LEN);
	memset(dev[2].buf, 0, LEN);
	write_to(&a, &dev[2], 0);
	check(wait_wc(&a, &wc) && wc.status == IBV_WC_RETRY_EXC_ERR,
	      "a write into another domain ends as if nobody were there");
	check(!bytes_of(&dev[2], LEN, 0xab), "none of it gets there");
	end_close(&a);
	end_close(&b);
}

static void leave(const char *file)
{
	struct end a = { 0 }, b = { 0 };
	struct ibv_wc wc;
	unsigned int i, failed = 0;

	ends_open(&a, &dev[0], &b, &dev[1], &rc_link);
	memset(dev[0].buf, 0xab, LEN);
	memset(dev[1].buf, 0, WRITES * LEN);
	printf("# ready\n");
	fflush(stdout);
	while (access(file, F_OK))
		usleep(10000);
	for (i = 0; i < WRITES; i++)
		write_to(&a, &dev[1], i * LEN);
	for (i = 0; i < WRITES; i++)
		failed += wait_wc(&a, &wc) && wc.status;
	check(failed == WRITES, "what a member writes that has left fails");
	check(!bytes_of(&dev[1], WRITES * LEN, 0xab), "none of it gets there");
	end_close(&a);
	end_close(&b);
}

static void deep_qp(struct end *end, struct dev *d, unsigned int depth)
{
	struct ibv_qp_init_attr init = {
		.send_cq = end->cq, .recv_cq = end->cq,
		.cap = { .max_send_wr = depth, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	ibv_destroy_qp(end->qp);
	end->qp = ibv_create_qp(d->pd, &init);
	check(end->qp && !end_to(end, NULL, &rc_link, IBV_QPS_INIT),
	      "a queue pair for %u requests", depth);
}

/* None of these requests is signalled; what counts is that others get to run. */
static void flood(void)
{
	struct end a[FLOWS] = { 0 }, b[FLOWS] = { 0 };
	struct link_attr attr = rc_link;
	double begin, now, last, longest = 0;
	struct ibv_send_wr *bad;
	unsigned int i, k, posted = 0, done = 0;
	struct ibv_wc wc;

	attr.timeout = 0;
	attr.sig_all = false;
	for (i = 0; i < FLOWS; i++) {
		struct ibv_sge sge = {
			.addr = (uintptr_t)dev[0].buf, .length = REQUEST_LEN,
			.lkey = dev[0].mr->lkey,
		};
		struct ibv_send_wr wr = {
			.opcode = IBV_WR_RDMA_WRITE,
			.sg_list = &sge, .num_sge = 1,
			.wr.rdma = { .remote_addr = (uintptr_t)dev[1].buf,
				     .rkey = dev[1].mr->rkey },
		};

		end_open(&a[i], &dev[0], &attr);
		end_open(&b[i], &dev[1], &attr);
		deep_qp(&a[i], &dev[0], REQUESTS);
		connect_ends(&a[i], &b[i], &attr);
		for (k = 0; k < REQUESTS; k++) {
			if (k == REQUESTS - 1)
				wr.send_flags = IBV_SEND_SIGNALED;
			posted += !ibv_post_send(a[i].qp, &wr, &bad);
		}
	}
	check(posted == FLOWS * REQUESTS, "%u writes are posted", posted);
	begin = now_us();
	last = begin;
	while (done < FLOWS && last - begin < 300e6) {
		usleep(1000);
		for (i = 0; i < FLOWS; i++)
			done += ibv_poll_cq(a[i].cq, 1, &wc) == 1 &&
				wc.status == IBV_WC_SUCCESS;
		now = now_us();
		if (now - last > longest)
			longest = now - last;
		last = now;
	}
	printf("# the longest that 1 ms took: %.1f ms\n", longest / 1000);
	check(longest < 100e3, "others run meanwhile");
	check(done == FLOWS, "all writes are done");
}

int main(int argc, char **argv)
{
	static const char *const name[] = { "suo0", "suo1", "suo2", "suo3" };
	const char *what = argc > 1 ? argv[1] : "";
	unsigned int i, n = strcmp(what, "cross") ? 2 : 4;

	for (i = 0; i < n; i++)
		dev_open(&dev[i], name[i]);
	if (n == 4)
		cross();
	else if (!strcmp(what, "leave") && argc > 2)
		leave(argv[2]);
	else if (!strcmp(what, "flood"))
		flood();
	return tap_done();
}
