// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * shm_latency N: 8 bytes to and fro through libfabric's shm provider, polled. One
 * process holds both ends, as in verbs_latency.c and for the same reason. Prints
 * half a round trip in microseconds.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE	8
#define WARM_UP	100

struct end {
	struct fid_ep *ep;
	struct fid_cq *cq;
	struct fid_av *av;
	fi_addr_t peer;
	uint64_t buf;
};

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static void must(const char *what, long ret)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, fi_strerror(-ret));
	exit(1);
}

static struct fi_info *find(void)
{
	struct fi_info *hints = fi_allocinfo(), *info;

	if (!hints)
		must("fi_allocinfo", -FI_ENOMEM);
	hints->caps = FI_MSG;
	hints->mode = FI_CONTEXT;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_LOCAL |
				      FI_MR_HMEM;
	hints->fabric_attr->prov_name = strdup("shm");
	must("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints,
				      &info));
	fi_freeinfo(hints);
	return info;
}

static void end_open(struct end *end, struct fid_fabric *fabric,
		     struct fi_info *info)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG,
				 .wait_obj = FI_WAIT_NONE };
	struct fi_av_attr av = { .type = FI_AV_TABLE, .count = 2 };
	struct fid_domain *domain;

	must("fi_domain", fi_domain(fabric, info, &domain, NULL));
	must("fi_cq_open", fi_cq_open(domain, &cq, &end->cq, NULL));
	must("fi_av_open", fi_av_open(domain, &av, &end->av, NULL));
	must("fi_endpoint", fi_endpoint(domain, info, &end->ep, NULL));
	must("fi_ep_bind", fi_ep_bind(end->ep, &end->av->fid, 0));
	must("fi_ep_bind", fi_ep_bind(end->ep, &end->cq->fid,
				      FI_TRANSMIT | FI_RECV));
	must("fi_enable", fi_enable(end->ep));
}

static void know(struct end *end, const struct end *peer)
{
	char name[512];
	size_t len = sizeof(name);

	must("fi_getname", fi_getname(&peer->ep->fid, name, &len));
	if (fi_av_insert(end->av, name, 1, &end->peer, 0, NULL) != 1)
		must("fi_av_insert", -FI_EINVAL);
}

/* A completion is that of a send or of a receive; it shows which. */
static uint64_t completion(struct end *end, struct end *other)
{
	struct fi_cq_msg_entry entry;
	ssize_t n;

	while ((n = fi_cq_read(end->cq, &entry, 1)) == -FI_EAGAIN)
		/* Each end makes progress when it is asked. */
		fi_cq_read(other->cq, NULL, 0);
	must("fi_cq_read", n);
	return entry.flags;
}

static void receive(struct end *end, struct fi_context *ctx)
{
	must("fi_recv", fi_recv(end->ep, &end->buf, SIZE, NULL,
				FI_ADDR_UNSPEC, ctx));
}

/* Send, and take what has come, which the other is then to answer. */
static void turn(struct end *from, struct end *to, struct fi_context *ctx)
{
	bool sent = false, came = false;
	ssize_t ret;

	/* At first they have to get to know each other. */
	while ((ret = fi_send(from->ep, &from->buf, SIZE, NULL, from->peer,
			      ctx)) == -FI_EAGAIN) {
		fi_cq_read(from->cq, NULL, 0);
		fi_cq_read(to->cq, NULL, 0);
	}
	must("fi_send", ret);
	while (!came)
		came = completion(to, from) & FI_RECV;
	while (!sent)
		sent = completion(from, to) & FI_SEND;
}

int main(int argc, char **argv)
{
	struct fi_context recv_ctx[2], send_ctx[2];
	struct fid_fabric *fabric;
	struct fi_info *info;
	struct end a = {}, b = {};
	double start = 0;
	uint64_t i, n;

	if (argc != 2 || (n = strtoull(argv[1], NULL, 0)) == 0) {
		fprintf(stderr, "usage: %s N\n", argv[0]);
		return 2;
	}
	info = find();
	must("fi_fabric", fi_fabric(info->fabric_attr, &fabric, NULL));
	end_open(&a, fabric, info);
	end_open(&b, fabric, info);
	know(&a, &b);
	know(&b, &a);
	for (i = 0; i < WARM_UP + n; i++) {
		if (i == WARM_UP)
			start = now_us();
		receive(&b, &recv_ctx[1]);
		turn(&a, &b, &send_ctx[0]);
		receive(&a, &recv_ctx[0]);
		turn(&b, &a, &send_ctx[1]);
	}
	printf("%.2f\n", (now_us() - start) / n / 2);
	/* The process ends: nothing of it outlives that but its shared memory. */
	fi_close(&a.ep->fid);
	fi_close(&b.ep->fid);
	return 0;
}
