// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_mcast DEV: who hears what is sent to a group, among the queue pairs of one
 * device. As IBA 10.5.2 has it, each that is attached gets a copy, the sender's own
 * too unless it was made with IBV_QP_CREATE_BLOCK_SELF_MCAST_LB.
 *
 * verbs_mcast DEV hold: two queue pairs in groups of each kind, until standard input
 * ends; then they leave, one by one. What the network is told shows on the wire.
 *
 * verbs_mcast DEV send|hear GROUP: one datagram; GROUP is an IPv6 address.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_lab.h"

#define GRH	40
#define LEN	100

static const struct link_attr ud = { .type = IBV_QPT_UD, .sig_all = true };
static struct dev dev;
static struct end q[4];

static union ibv_gid group(const char *text)
{
	union ibv_gid gid;

	if (inet_pton(AF_INET6, text, &gid) != 1)
		memset(&gid, 0, sizeof(gid));
	return gid;
}

static void end_up(struct end *end)
{
	end_open(end, &dev, &ud);
	check(!end_to(end, end, &ud, IBV_QPS_RTR) &&
	      !end_to(end, end, &ud, IBV_QPS_RTS), "a queue pair is ready");
}

/* In place of the ordinary one */
static void end_up_blocking(struct end *end)
{
	struct ibv_qp_init_attr_ex init = {
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD, .sq_sig_all = 1,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB,
	};

	end_open(end, &dev, &ud);
	ibv_destroy_qp(end->qp);
	init.pd = dev.pd;
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp_ex(dev.ctx, &init);
	check(end->qp && !end_to(end, NULL, &ud, IBV_QPS_INIT) &&
	      !end_to(end, end, &ud, IBV_QPS_RTR) &&
	      !end_to(end, end, &ud, IBV_QPS_RTS),
	      "a queue pair that does not hear itself is ready");
}

/* Send one datagram to a group and wait until it has left. */
static bool send_to(struct end *end, const char *to, uint32_t imm)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = group(to), .hop_limit = 1,
			 .sgid_index = dev.gid_index },
	};
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_IMM };
	struct ibv_wc wc;
	bool good;

	if (!strchr(to, '.')) {
		struct ibv_gid_entry entry;
		int i;

		/* A group of IPv6 wants a source of IPv6. */
		for (i = 0; i < 128; i++)
			if (!ibv_query_gid_ex(dev.ctx, 1, i, &entry, 0) &&
			    entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
			    entry.gid.raw[0] == 0xfd)
				attr.grh.sgid_index = i;
	}
	pattern(&dev, 0, LEN, imm);
	wr.imm_data = htonl(imm);
	wr.wr.ud.ah = ibv_create_ah(dev.pd, &attr);
	wr.wr.ud.remote_qpn = 0xffffff;
	wr.wr.ud.remote_qkey = QKEY;
	if (!wr.wr.ud.ah)
		return false;
	good = !post_send(end, &wr, 0, LEN) && expect(end, IBV_WC_SUCCESS, &wc);
	ibv_destroy_ah(wr.wr.ud.ah);
	return good;
}

/* Where an end's datagram goes */
static size_t place(int i)
{
	return 4096 * (i + 1);
}

static bool heard(int i, const char *to, uint32_t imm)
{
	const uint8_t *grh = dev.buf + place(i);
	union ibv_gid gid = group(to);
	struct ibv_wc wc;

	return wait_wc(&q[i], &wc) && wc.status == IBV_WC_SUCCESS &&
	       wc.opcode == IBV_WC_RECV && ntohl(wc.imm_data) == imm &&
	       (wc.wc_flags & IBV_WC_GRH) && wc.byte_len == GRH + LEN &&
	       (strchr(to, '.') ? !memcmp(grh + 36, gid.raw + 12, 4) :
				  !memcmp(grh + 24, gid.raw, 16)) &&
	       matches(&dev, place(i) + GRH, LEN, imm);
}

/* One datagram from @from to a group; those whose bit is set in @who get it. */
static void told(const char *what, int from, const char *to, unsigned int who)
{
	static uint32_t imm;
	int i, n = 0;

	imm++;
	for (i = 0; i < 4; i++)
		if (post_recv(&q[i], i, place(i), GRH + LEN))
			n = 100;
	check(!n && send_to(&q[from], to, imm), "%s: sent", what);
	for (i = 0; i < 4; i++) {
		struct ibv_wc wc;

		if (who & 1 << i)
			check(heard(i, to, imm), "%s: %d gets it", what, i);
		if (!i)
			usleep(50000);
		check(!ibv_poll_cq(q[i].cq, 1, &wc), "%s: %d gets no more", what, i);
	}
	/* What was not used is taken back, and not left for the next datagram. */
	for (i = 0; i < 4; i++) {
		struct ibv_wc wc;

		if (who & 1 << i)
			continue;
		end_to(&q[i], NULL, &ud, IBV_QPS_RESET);
		end_to(&q[i], NULL, &ud, IBV_QPS_INIT);
		end_to(&q[i], &q[i], &ud, IBV_QPS_RTR);
		end_to(&q[i], &q[i], &ud, IBV_QPS_RTS);
		while (ibv_poll_cq(q[i].cq, 1, &wc))
			;
	}
}

static int attach(int i, const char *to)
{
	union ibv_gid gid = group(to);

	return ibv_attach_mcast(q[i].qp, &gid, 0);
}

static int detach(int i, const char *to)
{
	union ibv_gid gid = group(to);

	return ibv_detach_mcast(q[i].qp, &gid, 0);
}

static void within(const char *g1, const char *g2)
{
	struct end rc = {};
	union ibv_gid gid;
	int i;

	for (i = 0; i < 3; i++)
		end_up(&q[i]);
	end_up_blocking(&q[3]);

	check(!attach(0, g1) && !attach(1, g1) && !attach(3, g1) &&
	      !attach(1, g2) && !attach(2, g2), "0, 1 and 3 are in %s, 1 and 2 in %s",
	      g1, g2);
	told("0 to its group", 0, g1, 1 | 2 | 8);
	told("2 to a group that it is not in", 2, g1, 1 | 2 | 8);
	told("0 to the other", 0, g2, 2 | 4);
	told("3, which does not hear itself, to its group", 3, g1, 1 | 2);
	check(!attach(0, g1), "attached twice");
	told("one copy only", 1, g1, 1 | 2 | 8);
	check(!detach(1, g1), "1 leaves");
	told("0 to its group without 1", 0, g1, 1 | 8);
	told("1 is in the other still", 0, g2, 2 | 4);
	check(detach(1, g1) == EINVAL, "it cannot leave twice");
	check(ibv_destroy_qp(q[2].qp) == EBUSY, "2 cannot go while it is in a group");
	gid = group(strchr(g1, '.') ? "::ffff:10.9.0.1" : "fd09::1");
	check(ibv_attach_mcast(q[0].qp, &gid, 0) == EINVAL, "that is no group");
	end_open(&rc, &dev, &rc_link);
	gid = group(g1);
	check(ibv_attach_mcast(rc.qp, &gid, 0) == EINVAL,
	      "connected queue pairs have no groups");
	end_close(&rc);
	check(!detach(0, g1) && !detach(3, g1) && !detach(1, g2) && !detach(2, g2),
	      "all leave");
	told("nobody listens", 0, g1, 0);
	for (i = 0; i < 4; i++)
		end_close(&q[i]);
}

static void hold(void)
{
	static const char * const groups[] = {
		"::ffff:239.9.0.1", "::ffff:239.9.0.2", "ff1e::9:1",
	};
	unsigned int i;
	char c;

	end_up(&q[0]);
	end_up(&q[1]);
	for (i = 0; i < 3; i++)
		check(!attach(0, groups[i]) && !attach(1, groups[i]), "both are in %s",
		      groups[i]);
	while (read(0, &c, 1) == 1)
		;
	/* One stays in the second group for a while: nobody is told of it. */
	check(!detach(0, groups[1]), "one leaves");
	sleep(5);
	for (i = 0; i < 3; i++)
		check((i == 1 || !detach(0, groups[i])) && !detach(1, groups[i]),
		      "both have left %s", groups[i]);
	end_close(&q[0]);
	end_close(&q[1]);
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 4) {
		fprintf(stderr, "Usage: %s DEV [hold | send GROUP | hear GROUP]\n",
			argv[0]);
		return 2;
	}
	dev_open(&dev, argv[1]);
	if (argc == 2) {
		within("::ffff:239.9.0.1", "::ffff:239.9.0.2");
		within("ff1e::9:1", "ff1e::9:2");
	} else if (argc == 3) {
		hold();
	} else if (!strcmp(argv[2], "send")) {
		end_up(&q[0]);
		check(send_to(&q[0], argv[3], 1), "sent");
		end_close(&q[0]);
	} else {
		end_up(&q[0]);
		check(!attach(0, argv[3]) &&
		      !post_recv(&q[0], 0, place(0), GRH + LEN), "listening");
		check(heard(0, argv[3], 1), "heard");
		check(!detach(0, argv[3]), "left");
		end_close(&q[0]);
	}
	dev_close(&dev);
	return tap_done();
}
