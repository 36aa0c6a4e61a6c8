// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_flow DEV-A DEV-B FILE: datagrams and connections between two devices of one
 * machine, with flow labels and traffic classes. What their packets must then look
 * like goes to FILE, for tests/interop/judge_wire.py.
 *
 * The UDP source port is that of the kernel's rdma_get_udp_sport(), written here once
 * more: 14 bits, into which the flow label is folded; or, where there is none, the
 * product of both queue pairs' numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_lab.h"

#define QPS	12

static const struct {
	uint32_t flow_label;
	uint8_t tclass;
} cases[] = {
	{ 0, 0 }, { 1, 0x02 }, { 0x3fff, 0x69 }, { 0x4000, 0xb8 },
	{ 0xabcde, 0xff & ~1 }, { 0xfffff, 0x28 },
};
#define CASES	(sizeof(cases) / sizeof(cases[0]))

static struct dev dev_a, dev_b;
static FILE *judge;
static bool ours_a;

static unsigned int port_of(uint64_t label, uint64_t qpn_1, uint64_t qpn_2)
{
	if (!label) {
		label = qpn_1 * qpn_2;
		label ^= label >> 20;
		label ^= label >> 40;
		label &= 0xfffff;
	}
	return 0xc000 | ((label & 0x3fff) ^ (label >> 14));
}

/* Use the GID for an address of IPv6, which begins with fd. */
static void use_ipv6(struct dev *dev)
{
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < 128; i++) {
		if (ibv_query_gid_ex(dev->ctx, 1, i, &entry, 0) ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    entry.gid.raw[0] != 0xfd)
			continue;
		dev->gid = entry.gid;
		dev->gid_index = i;
		return;
	}
}

static void open_end(struct end *end, struct dev *dev, enum ibv_qp_type type)
{
	struct link_attr attr = rc_link;

	attr.type = type;
	end_open(end, dev, &attr);
}

static struct ibv_ah_attr path(const struct end *from, const struct end *to,
			       unsigned int i)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = to->dev->gid, .hop_limit = 64,
			 .sgid_index = from->dev->gid_index,
			 .flow_label = cases[i].flow_label,
			 .traffic_class = cases[i].tclass },
	};
}

static int connect_to(struct end *end, const struct end *peer, unsigned int i)
{
	struct ibv_qp_attr qp = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.rq_psn = peer->qp->qp_num, .dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = rc_link.rd_atomic, .min_rnr_timer = 1,
		.ah_attr = path(end, peer, i),
	};

	return ibv_modify_qp(end->qp, &qp, IBV_QP_STATE | IBV_QP_AV |
			     IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) ?:
	       end_to(end, peer, &rc_link, IBV_QPS_RTS);
}

static bool say(struct end *from, struct end *to, struct ibv_ah *ah)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_wc wc;

	if (ah) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = to->qp->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	}
	return !post_recv(to, 1, 4096, 1000) && !post_send(from, &wr, 0, 500) &&
	       expect(from, IBV_WC_SUCCESS, &wc) &&
	       expect(to, IBV_WC_SUCCESS, &wc);
}

/* All that one queue pair sends to another. rdma_rxe has ports of its own, one for
 * each queue pair, and no flow label; the class is what was asked for.
 */
static void expect_on_wire(const struct end *from, const struct end *to,
			   unsigned int i, bool ours, bool v6)
{
	unsigned int port = port_of(cases[i].flow_label, from->qp->qp_num,
				    to->qp->qp_num);
	uint8_t last = from->dev->gid.raw[15];
	char src[64];

	snprintf(src, sizeof(src), v6 ? "ipv6.src == fd09::%u" :
		 "ip.src == 10.9.0.%u", last);
	fprintf(judge, "all %s == %u", v6 ? "ipv6.tclass" : "ip.dsfield",
		cases[i].tclass);
	if (ours)
		fprintf(judge, " && udp.srcport == %u", port);
	if (ours && v6)
		fprintf(judge, " && ipv6.flow == %u", cases[i].flow_label);
	fprintf(judge, " && udp.srcport >= 49152 && %s == 64",
		v6 ? "ipv6.hlim" : "ip.ttl");
	fprintf(judge, " if infiniband.bth.destqp == %u && %s\n", to->qp->qp_num,
		src);
	if (!ours)
		fprintf(judge,
			"distinct 1 udp.srcport if infiniband.bth.destqp == %u && %s\n",
			to->qp->qp_num, src);
}

static void connection(unsigned int i, bool v6)
{
	struct end a = {}, b = {};
	bool good = true;
	int n;

	open_end(&a, &dev_a, IBV_QPT_RC);
	open_end(&b, &dev_b, IBV_QPT_RC);
	check(!connect_to(&a, &b, i) && !connect_to(&b, &a, i), "connected");
	for (n = 0; n < 3; n++)
		good = good && say(&a, &b, NULL) && say(&b, &a, NULL);
	check(good, "IPv%c, flow label %#x, traffic class %#x: RC", v6 ? '6' : '4',
	      cases[i].flow_label, cases[i].tclass);
	expect_on_wire(&a, &b, i, ours_a, v6);
	expect_on_wire(&b, &a, i, true, v6);
	end_close(&a);
	end_close(&b);
}

static void datagrams(unsigned int i, bool v6)
{
	struct link_attr ud = { .type = IBV_QPT_UD, .sig_all = true };
	struct ibv_ah_attr there, back;
	struct ibv_ah *ah_a, *ah_b;
	struct end a = {}, b = {};
	bool good = true;
	int n;

	open_end(&a, &dev_a, IBV_QPT_UD);
	open_end(&b, &dev_b, IBV_QPT_UD);
	connect_ends(&a, &b, &ud);
	there = path(&a, &b, i);
	back = path(&b, &a, i);
	ah_a = ibv_create_ah(dev_a.pd, &there);
	ah_b = ibv_create_ah(dev_b.pd, &back);
	for (n = 0; n < 3; n++)
		good = good && ah_a && ah_b && say(&a, &b, ah_a) &&
		       say(&b, &a, ah_b);
	check(good, "IPv%c, flow label %#x, traffic class %#x: UD", v6 ? '6' : '4',
	      cases[i].flow_label, cases[i].tclass);
	expect_on_wire(&a, &b, i, ours_a, v6);
	expect_on_wire(&b, &a, i, true, v6);
	ibv_destroy_ah(ah_a);
	ibv_destroy_ah(ah_b);
	end_close(&a);
	end_close(&b);
}

/* Connections without flow label differ, as far as the rule has them differ. */
static void many(void)
{
	static struct end a[QPS], b[QPS];
	bool seen[65536] = {}, good = true;
	unsigned int i, ports = 0;

	for (i = 0; i < QPS; i++) {
		open_end(&a[i], &dev_a, IBV_QPT_RC);
		open_end(&b[i], &dev_b, IBV_QPT_RC);
		good = good && !connect_to(&a[i], &b[i], 0) &&
		       !connect_to(&b[i], &a[i], 0) && say(&b[i], &a[i], NULL);
	}
	check(good, "%d connections", QPS);
	fprintf(judge, "distinct ");
	for (i = 0; i < QPS; i++) {
		unsigned int port = port_of(0, a[i].qp->qp_num, b[i].qp->qp_num);

		ports += !seen[port];
		seen[port] = true;
	}
	fprintf(judge, "%u udp.srcport if ip.src == 10.9.0.%u && (", ports,
		dev_b.gid.raw[15]);
	for (i = 0; i < QPS; i++)
		fprintf(judge, "%sinfiniband.bth.destqp == %u", i ? " || " : "",
			a[i].qp->qp_num);
	fprintf(judge, ")\n");
	check(ports > QPS / 2, "have %u source ports", ports);
	for (i = 0; i < QPS; i++) {
		end_close(&a[i]);
		end_close(&b[i]);
	}
}

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 4) {
		fprintf(stderr, "Usage: %s DEV-A DEV-B FILE\n", argv[0]);
		return 2;
	}
	judge = fopen(argv[3], "a");
	if (!judge) {
		perror(argv[3]);
		return 1;
	}
	ours_a = !strncmp(argv[1], "suo", 3);
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	many();
	for (i = 0; i < CASES; i++) {
		connection(i, false);
		datagrams(i, false);
	}
	use_ipv6(&dev_a);
	use_ipv6(&dev_b);
	for (i = 0; i < CASES; i++) {
		connection(i, true);
		datagrams(i, true);
	}
	fclose(judge);
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
