// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_limits DEV: what ibv_query_device() says can be had, and one more cannot:
 * ENOMEM for an object too many, EINVAL for a size that is too large.
 *
 * Regions and windows are too many to be made here; they are counted as the others.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "verbs_lab.h"

static struct dev dev;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_qp *mcast_qp;

static struct ibv_qp_init_attr qp_init(enum ibv_qp_type type)
{
	return (struct ibv_qp_init_attr){
		.send_cq = cq, .recv_cq = cq, .qp_type = type,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
}

static void *make_pd(int i)
{
	(void)i;
	return ibv_alloc_pd(dev.ctx);
}

static int drop_pd(void *pd)
{
	return ibv_dealloc_pd(pd);
}

static void *make_cq(int i)
{
	(void)i;
	return ibv_create_cq(dev.ctx, 1, NULL, NULL, 0);
}

static int drop_cq(void *p)
{
	return ibv_destroy_cq(p);
}

static void *make_srq(int i)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 1, .max_sge = 1 } };

	(void)i;
	return ibv_create_srq(dev.pd, &init);
}

static int drop_srq(void *p)
{
	return ibv_destroy_srq(p);
}

/* With a shared receive queue, each has one ring only. */
static void *make_qp(int i)
{
	struct ibv_qp_init_attr init = qp_init(IBV_QPT_RC);

	(void)i;
	init.srq = srq;
	return ibv_create_qp(dev.pd, &init);
}

static int drop_qp(void *p)
{
	return ibv_destroy_qp(p);
}

static void *make_ah(int i)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = dev.gid, .sgid_index = dev.gid_index },
	};

	(void)i;
	return ibv_create_ah(dev.pd, &attr);
}

static int drop_ah(void *p)
{
	return ibv_destroy_ah(p);
}

static union ibv_gid group(uintptr_t i)
{
	union ibv_gid gid = {};

	gid.raw[10] = 0xff;
	gid.raw[11] = 0xff;
	gid.raw[12] = 239;
	gid.raw[13] = 1;
	gid.raw[14] = i >> 8;
	gid.raw[15] = i;
	return gid;
}

static void *make_group(int i)
{
	union ibv_gid gid = group(i);

	errno = ibv_attach_mcast(mcast_qp, &gid, 0);
	return errno ? NULL : (void *)(uintptr_t)(i + 1);
}

static int drop_group(void *p)
{
	union ibv_gid gid = group((uintptr_t)p - 1);

	return ibv_detach_mcast(mcast_qp, &gid, 0);
}

/**
 * number() - as many as there can be, and one more
 * @what: of what
 * @max: what the device says
 * @have: how many of these exist already
 * @make: makes the i-th
 * @drop: undoes it
 */
static void number(const char *what, int max, int have, void *(*make)(int i),
		   int (*drop)(void *p))
{
	void **all = calloc(max + 1, sizeof(*all));
	int n = 0, bad = 0, i;

	errno = 0;
	while (n < max + 1 && (all[n] = make(n)))
		n++;
	check(n + have == max && errno == ENOMEM, "%s: %d, and no more (%d: %s)",
	      what, max, n + have, strerror(errno));
	for (i = 0; i < n; i++)
		bad += !!drop(all[i]);
	check(!bad, "%s: all go", what);
	all[0] = make(0);
	check(all[0] && !drop(all[0]), "%s: there is room again", what);
	free(all);
}

static bool can_have(struct ibv_qp_init_attr init)
{
	struct ibv_qp *qp;

	errno = 0;
	qp = ibv_create_qp(dev.pd, &init);
	return qp && !ibv_destroy_qp(qp);
}

static void queue_pair_sizes(void)
{
	struct ibv_qp_init_attr init;
	unsigned int i;
	static const char * const names[] = {
		"requests to send", "requests to receive", "pieces to send",
		"pieces to receive", "bytes inline",
	};

	for (i = 0; i < 5; i++) {
		uint32_t *size, max;

		init = qp_init(IBV_QPT_RC);
		size = (uint32_t *[]){
			&init.cap.max_send_wr, &init.cap.max_recv_wr,
			&init.cap.max_send_sge, &init.cap.max_recv_sge,
			&init.cap.max_inline_data }[i];
		max = (uint32_t []){ dev.attr.max_qp_wr, dev.attr.max_qp_wr,
				     dev.attr.max_sge, dev.attr.max_sge, 512 }[i];
		*size = max;
		check(can_have(init), "a queue pair with %u %s", max, names[i]);
		*size = max + 1;
		check(!can_have(init) && errno == EINVAL, "not with %u", max + 1);
	}
}

static void other_sizes(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = dev.attr.max_srq_wr, .max_sge = 1 },
	};
	struct ibv_port_attr port;
	union ibv_gid gid;
	struct ibv_srq *s;
	struct ibv_cq *c;
	__be16 pkey;

	s = ibv_create_srq(dev.pd, &init);
	check(s && !ibv_destroy_srq(s), "a shared receive queue of %u",
	      dev.attr.max_srq_wr);
	init.attr.max_wr = dev.attr.max_srq_wr + 1;
	check(!ibv_create_srq(dev.pd, &init) && errno == EINVAL, "not of one more");
	init.attr.max_wr = 1;
	init.attr.max_sge = dev.attr.max_srq_sge;
	s = ibv_create_srq(dev.pd, &init);
	check(s && !ibv_destroy_srq(s), "or with %u pieces", dev.attr.max_srq_sge);
	init.attr.max_sge = dev.attr.max_srq_sge + 1;
	check(!ibv_create_srq(dev.pd, &init) && errno == EINVAL, "not with one more");

	c = ibv_create_cq(dev.ctx, dev.attr.max_cqe, NULL, NULL, 0);
	check(c && !ibv_destroy_cq(c), "a completion queue of %u", dev.attr.max_cqe);
	check(!ibv_create_cq(dev.ctx, dev.attr.max_cqe + 1, NULL, NULL, 0) &&
	      errno == EINVAL, "not of one more");

	check(!ibv_reg_mr(dev.pd, dev.buf, dev.attr.max_mr_size + 1, 0) &&
	      errno == EINVAL, "no region of more than %llu bytes",
	      (unsigned long long)dev.attr.max_mr_size);
	/* This much memory there is not, which is another matter. */
	check(!ibv_reg_mr(dev.pd, dev.buf, dev.attr.max_mr_size, 0) &&
	      errno != EINVAL, "of so many there could be (%s)", strerror(errno));

	check(!ibv_query_port(dev.ctx, 1, &port), "the port");
	check(!ibv_query_gid(dev.ctx, 1, port.gid_tbl_len - 1, &gid) &&
	      ibv_query_gid(dev.ctx, 1, port.gid_tbl_len, &gid), "has %d GIDs",
	      port.gid_tbl_len);
	check(!ibv_query_pkey(dev.ctx, 1, port.pkey_tbl_len - 1, &pkey) &&
	      ibv_query_pkey(dev.ctx, 1, port.pkey_tbl_len, &pkey), "and %d keys",
	      port.pkey_tbl_len);
	check(ibv_query_port(dev.ctx, 2, &port), "there is no other");
}

/* So many reads may be under way, and a message may have so many bytes. */
static void connection_sizes(void)
{
	size_t size = (64 << 20) + 4096;
	struct link_attr attr = rc_link;
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE };
	struct ibv_send_wr *bad;
	struct ibv_sge sge[16];
	struct end a = {}, b = {};
	struct ibv_mr *mr;
	struct ibv_wc wc;
	void *p;
	int i;

	attr.rd_atomic = dev.attr.max_qp_rd_atom;
	end_open(&a, &dev, &attr);
	end_open(&b, &dev, &attr);
	check(!end_to(&a, &b, &attr, IBV_QPS_RTR) &&
	      !end_to(&a, &b, &attr, IBV_QPS_RTS), "%d reads under way",
	      attr.rd_atomic);
	attr.rd_atomic = dev.attr.max_qp_rd_atom + 1;
	check(end_to(&b, &a, &attr, IBV_QPS_RTR) == EINVAL, "not one more to answer");
	attr.rd_atomic = 1;
	check(!end_to(&b, &a, &attr, IBV_QPS_RTR), "but one");
	attr.rd_atomic = dev.attr.max_qp_init_rd_atom + 1;
	check(end_to(&b, &a, &attr, IBV_QPS_RTS) == EINVAL, "not one more to ask");
	end_close(&b);
	end_close(&a);

	attr = rc_link;
	end_open(&a, &dev, &attr);
	ibv_destroy_qp(a.qp);
	{
		struct ibv_qp_init_attr init = qp_init(IBV_QPT_RC);

		init.send_cq = a.cq;
		init.recv_cq = a.cq;
		init.cap.max_send_sge = 16;
		init.sq_sig_all = 1;
		a.qp = ibv_create_qp(dev.pd, &init);
	}
	check(a.qp && !end_to(&a, NULL, &attr, IBV_QPS_INIT), "16 pieces");
	end_open(&b, &dev, &attr);
	connect_ends(&a, &b, &attr);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		 -1, 0);
	mr = ibv_reg_mr(dev.pd, p, size, 0);
	for (i = 0; i < 16; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)p, size, mr ? mr->lkey : 0 };
	wr.sg_list = sge;
	wr.num_sge = 16;
	remote(&wr, &b, 0);
	check(mr && !ibv_post_send(a.qp, &wr, &bad) &&
	      expect(&a, IBV_WC_LOC_LEN_ERR, &wc),
	      "a message of more than 1 GiB fails at once");
	ibv_dereg_mr(mr);
	munmap(p, size);
	end_close(&a);
	end_close(&b);
}

int main(int argc, char **argv)
{
	struct ibv_qp_init_attr init;

	if (argc != 2) {
		fprintf(stderr, "Usage: %s DEV\n", argv[0]);
		return 2;
	}
	dev_open(&dev, argv[1]);
	cq = make_cq(0);
	queue_pair_sizes();
	other_sizes();
	connection_sizes();

	number("protection domains", dev.attr.max_pd, 1, make_pd, drop_pd);
	number("address handles", dev.attr.max_ah, 0, make_ah, drop_ah);
	number("completion queues", dev.attr.max_cq, 1, make_cq, drop_cq);
	number("shared receive queues", dev.attr.max_srq, 0, make_srq, drop_srq);
	srq = make_srq(0);
	number("queue pairs", dev.attr.max_qp, 0, make_qp, drop_qp);
	ibv_destroy_srq(srq);
	init = qp_init(IBV_QPT_UD);
	mcast_qp = ibv_create_qp(dev.pd, &init);
	number("groups", dev.attr.max_mcast_grp, 0, make_group, drop_group);
	ibv_destroy_qp(mcast_qp);
	ibv_destroy_cq(cq);
	dev_close(&dev);
	return tap_done();
}
