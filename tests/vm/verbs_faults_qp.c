// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* verbs_faults: queue pairs, what is sent by them, and the end of a process. */
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "verbs_faults.h"

/* What the step is about */
static struct ibv_qp *qp;
static struct ibv_ah *ah;

static int create_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = a.cq, .recv_cq = a.cq,
		.cap = { .max_send_wr = 200, .max_recv_wr = 200,
			 .max_send_sge = 4, .max_recv_sge = 4 },
		.qp_type = IBV_QPT_RC,
	};

	qp = ibv_create_qp(dev_a.pd, &attr);
	return ended(qp);
}

static int create_qp_ex(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = a.cq, .recv_cq = a.cq,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = dev_a.pd, .send_ops_flags = IBV_QP_EX_WITH_SEND,
	};

	qp = ibv_create_qp_ex(dev_a.ctx, &attr);
	return ended(qp);
}

static bool before_destroy_qp(void)
{
	return open_ends() && !create_qp();
}

static int destroy_qp(void)
{
	return ibv_destroy_qp(qp);
}

static bool after_create_qp(int err)
{
	bool good = err || !destroy_qp();

	return close_ends() && good;
}

static bool after_destroy_qp(int err)
{
	bool good = !err || !destroy_qp();

	return close_ends() && good;
}

static int to_init(void)
{
	struct end end = { .dev = &dev_a, .qp = qp };

	return end_to(&end, NULL, &rc_link, IBV_QPS_INIT);
}

/* What failed can be done now. */
static bool after_init(int err)
{
	bool good = qp->state == (err ? IBV_QPS_RESET : IBV_QPS_INIT) &&
		    (!err || !to_init());

	return after_destroy_qp(1) && good;
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init);
}

static bool in_state(enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return !ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init) &&
	       attr.qp_state == state && a.qp->state == state;
}

/* Both ends up to INIT, b up to RTR if it is needed. */
static bool before_rtr(void)
{
	end_open(&a, &dev_a, &rc_link);
	end_open(&b, &dev_b, &rc_link);
	return true;
}

static int to_rtr(void)
{
	return end_to(&a, &b, &rc_link, IBV_QPS_RTR);
}

/* What failed can be done now; and then data passes. */
static bool go_on(int err, enum ibv_qp_state from, enum ibv_qp_state to)
{
	enum ibv_qp_state state;

	if (!in_state(err ? from : to))
		return false;
	for (state = (err ? from : to) + 1; state <= IBV_QPS_RTS; state++)
		if (end_to(&a, &b, &rc_link, state))
			return false;
	return true;
}

static bool after_rtr(int err)
{
	bool good = go_on(err, IBV_QPS_INIT, IBV_QPS_RTR) &&
		    !end_to(&b, &a, &rc_link, IBV_QPS_RTR) &&
		    !end_to(&b, &a, &rc_link, IBV_QPS_RTS);

	if (good)
		good = passes();
	return close_ends() && good;
}

static bool before_rts(void)
{
	return before_rtr() && !to_rtr();
}

static int to_rts(void)
{
	return end_to(&a, &b, &rc_link, IBV_QPS_RTS);
}

static bool after_rts(int err)
{
	bool good = go_on(err, IBV_QPS_RTR, IBV_QPS_RTS) &&
		    !end_to(&b, &a, &rc_link, IBV_QPS_RTR) &&
		    !end_to(&b, &a, &rc_link, IBV_QPS_RTS) && passes();

	return close_ends() && good;
}

static int to_reset(void)
{
	return end_to(&a, NULL, &rc_link, IBV_QPS_RESET);
}

static bool after_reset(int err)
{
	bool good = in_state(err ? IBV_QPS_RTS : IBV_QPS_RESET);

	return close_ends() && good;
}

static int to_error(void)
{
	return end_to(&a, NULL, &rc_link, IBV_QPS_ERR);
}

static bool before_error(void)
{
	return open_ends() && !post_recv(&a, 5, 0, 8);
}

static bool after_error(int err)
{
	bool good = in_state(err ? IBV_QPS_RTS : IBV_QPS_ERR);
	struct ibv_wc wc;

	if (!err)
		good &= expect(&a, IBV_WC_WR_FLUSH_ERR, &wc) && wc.wr_id == 5;
	return close_ends() && good;
}

/* ---- datagrams ---- */

static bool before_ud(void)
{
	const struct link_attr ud = { .type = IBV_QPT_UD, .sig_all = true };

	ends_open(&a, &dev_a, &b, &dev_b, &ud);
	return true;
}

static bool after_ud(int err)
{
	return close_ends();
}

static int create_ah(void)
{
	ah = ah_to(&a, &b);
	return ended(ah);
}

static bool before_destroy_ah(void)
{
	return before_ud() && !create_ah();
}

static int destroy_ah(void)
{
	return ibv_destroy_ah(ah);
}

static bool after_create_ah(int err)
{
	bool good = err || !destroy_ah();

	return close_ends() && good;
}

static bool after_destroy_ah(int err)
{
	bool good = !err || !destroy_ah();

	return close_ends() && good;
}

/* 239.3.2.1, and an IPv6 group */
static union ibv_gid group4 = { .raw = { [10] = 0xff, 0xff, 239, 3, 2, 1 } };
static union ibv_gid group6 = { .raw = { 0xff, 0x0e, [15] = 0x77 } };

static bool joined(const char *file, const char *group)
{
	char line[256];
	bool found = false;
	FILE *f = fopen(file, "r");

	while (f && fgets(line, sizeof(line), f))
		found |= strstr(line, group) != NULL;
	if (f)
		fclose(f);
	return found;
}

static int attach_4(void)
{
	return ibv_attach_mcast(a.qp, &group4, 0);
}

static int attach_6(void)
{
	return ibv_attach_mcast(a.qp, &group6, 0);
}

static int detach_4(void)
{
	return ibv_detach_mcast(a.qp, &group4, 0);
}

static int detach_6(void)
{
	return ibv_detach_mcast(a.qp, &group6, 0);
}

/* The netdev has the group in exactly as many cases as the queue pair. */
static bool in_4(bool want)
{
	return joined("/proc/net/igmp", "010203EF") == want;
}

static bool in_6(bool want)
{
	return joined("/proc/net/igmp6", "ff0e0000000000000000000000000077") ==
	       want;
}

static bool after_attach_4(int err)
{
	bool good = in_4(!err) && (err || !detach_4()) && in_4(false);

	return close_ends() && good;
}

static bool after_attach_6(int err)
{
	bool good = in_6(!err) && (err || !detach_6()) && in_6(false);

	return close_ends() && good;
}

static bool before_detach_4(void)
{
	return before_ud() && !attach_4();
}

static bool before_detach_6(void)
{
	return before_ud() && !attach_6();
}

static bool after_detach_4(int err)
{
	bool good = in_4(!!err) && (!err || !detach_4());

	return close_ends() && good && in_4(false);
}

static bool after_detach_6(int err)
{
	bool good = in_6(!!err) && (!err || !detach_6());

	return close_ends() && good && in_6(false);
}

static bool before_send_ud(void)
{
	return before_ud() && !create_ah() && !post_recv(&b, 2, AT_B, 2000);
}

static int send_ud(void)
{
	struct ibv_send_wr wr = {
		.wr_id = 3, .opcode = IBV_WR_SEND,
		.wr.ud = { .ah = ah, .remote_qpn = b.qp->qp_num,
			   .remote_qkey = QKEY },
	};

	return post_send(&a, &wr, 0, 1000);
}

/* It may be lost; but it has been sent, once. */
static bool after_send_ud(int err)
{
	struct ibv_wc wc;
	bool good;

	good = (!err || !send_ud()) && (expect(&a, IBV_WC_SUCCESS, &wc) && wc.wr_id == 3);
	good = good && !ibv_poll_cq(a.cq, 1, &wc);
	good &= !destroy_ah();
	good &= close_ends();
	return good;
}

/* ---- requests ---- */

static enum ibv_wr_opcode opcode;

/* Rings the doorbell, under which packets are made. */
static int post(void)
{
	struct ibv_send_wr wr = { .wr_id = 10, .opcode = opcode };

	remote(&wr, &b, AT_B);
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)dev_b.buf + AT_B;
		wr.wr.atomic.rkey = dev_b.mr->rkey;
		wr.wr.atomic.compare_add = 1;
		return post_send(&a, &wr, 0, 8);
	}
	return post_send(&a, &wr, 0, LEN);
}

static bool before_post(void)
{
	open_ends();
	pattern(&dev_a, 0, LEN, ++seed);
	pattern(&dev_b, AT_B, LEN, seed + 1000);
	return opcode != IBV_WR_SEND || !post_recv(&b, 1, AT_B, LEN);
}

/* Done once: the transport makes up for what could not be sent. */
static bool done_once(void)
{
	struct ibv_wc wc;
	uint64_t sum;

	if (!expect(&a, IBV_WC_SUCCESS, &wc) || wc.wr_id != 10 ||
	    ibv_poll_cq(a.cq, 1, &wc))
		return false;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		memcpy(&sum, dev_a.buf, sizeof(sum));
		return !memcmp(dev_b.buf + AT_B, &(uint64_t){ sum + 1 }, 8);
	}
	if (opcode == IBV_WR_RDMA_READ)
		return matches(&dev_b, AT_B, LEN, seed + 1000) &&
		       !memcmp(dev_a.buf, dev_b.buf + AT_B, LEN);
	if (opcode == IBV_WR_SEND && !expect(&b, IBV_WC_SUCCESS, &wc))
		return false;
	return matches(&dev_b, AT_B, LEN, seed);
}

/* What could not be posted is posted now, and done once. */
static bool after_post(int err)
{
	bool good = (!err || !post()) && done_once();

	return close_ends() && good;
}

/* ---- the end of a process that has left everything to the kernel ---- */

static bool abandon(void)
{
	struct dev dev = {};
	struct end end = {};
	const struct link_attr ud = { .type = IBV_QPT_UD };

	dev_open(&dev, ibv_get_device_name(dev_a.ctx->device));
	end_open(&end, &dev, &ud);
	return ah_to(&end, &b) && ibv_alloc_mw(dev.pd, IBV_MW_TYPE_1) &&
	       !ibv_attach_mcast(end.qp, &group4, 0);
}

static bool abandoned_works(void)
{
	return in_4(false) && works();
}

static const struct fault_step steps[] = {
	{ "create_qp", open_ends, create_qp, after_create_qp },
	{ "create_qp_ex", open_ends, create_qp_ex, after_create_qp },
	{ "query_qp", open_ends, query_qp, after_ud },
	{ "modify_qp to INIT", before_destroy_qp, to_init, after_init },
	{ "modify_qp to RTR", before_rtr, to_rtr, after_rtr },
	{ "modify_qp to RTS", before_rts, to_rts, after_rts },
	{ "modify_qp to ERR", before_error, to_error, after_error },
	{ "modify_qp to RESET", open_ends, to_reset, after_reset },
	{ "destroy_qp", before_destroy_qp, destroy_qp, after_destroy_qp },
	{ "create_ah", before_ud, create_ah, after_create_ah },
	{ "destroy_ah", before_destroy_ah, destroy_ah, after_destroy_ah },
	{ "attach_mcast, IPv4", before_ud, attach_4, after_attach_4 },
	{ "detach_mcast, IPv4", before_detach_4, detach_4, after_detach_4 },
	{ "attach_mcast, IPv6", before_ud, attach_6, after_attach_6 },
	{ "detach_mcast, IPv6", before_detach_6, detach_6, after_detach_6 },
	{ "a datagram", before_send_ud, send_ud, after_send_ud },
};

static void posts(void)
{
	static const struct {
		const char *what;
		enum ibv_wr_opcode opcode;
	} kinds[] = {
		{ "a SEND", IBV_WR_SEND },
		{ "an RDMA WRITE", IBV_WR_RDMA_WRITE },
		{ "an RDMA READ", IBV_WR_RDMA_READ },
		{ "a FETCH AND ADD", IBV_WR_ATOMIC_FETCH_AND_ADD },
	};
	struct fault_step step = {
		.before = before_post, .call = post, .after = after_post,
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		step.what = kinds[i].what;
		opcode = kinds[i].opcode;
		faults_through(&step, works);
	}
}

void fault_queue_pairs(void)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		faults_through(&steps[i], works);
	posts();
	/* Somebody to send to */
	end_open(&b, &dev_b, &rc_link);
	faults_at_exit("a process ends", abandon, abandoned_works);
	end_close(&b);
}
