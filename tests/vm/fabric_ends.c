// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/fabric_ends.h"

static void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, fi_strerror(err < 0 ? -err : err));
	exit(1);
}

static void must(const char *what, int err)
{
	if (err)
		die(what, err);
}

void check_at(struct end *end, bool good, const char *what, const char *file, int line)
{
	if (good)
		return;
	end->failed = true;
	printf("# rank %d: %s:%d: %s\n", end->rank, file, line, what);
	fflush(stdout);
}

static void exchange(struct end *end, const void *in, void *both, size_t len)
{
	if (boot_allgather(&end->boot, in, both, len)) {
		fprintf(stderr, "rank %d: %s\n", end->rank, end->boot.why);
		exit(1);
	}
}

void barrier(struct end *end)
{
	uint8_t in = 0, both[2];

	exchange(end, &in, both, 1);
}

void endpoint_open(struct end *end, struct fid_ep **ep, struct fid_cq **cq,
		   enum fi_wait_obj wait_obj)
{
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = wait_obj };

	must("fi_cq_open", fi_cq_open(end->domain, &attr, cq, NULL));
	must("fi_endpoint", fi_endpoint(end->domain, end->info, ep, NULL));
	must("fi_ep_bind", fi_ep_bind(*ep, &end->av->fid, 0));
	must("fi_ep_bind", fi_ep_bind(*ep, &(*cq)->fid, FI_TRANSMIT | FI_RECV));
	must("fi_enable", fi_enable(*ep));
}

static void open_domain(struct end *end, const char *device)
{
	struct fi_av_attr av_attr = { .type = FI_AV_MAP };
	struct fi_info *hints = fi_allocinfo();

	hints->caps = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_MULTI_RECV |
		      FI_DIRECTED_RECV | FI_SOURCE;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				      FI_MR_PROV_KEY;
	hints->domain_attr->name = strdup(device);
	hints->fabric_attr->prov_name = strdup("suo");
	must("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &end->info));
	fi_freeinfo(hints);
	must("fi_fabric", fi_fabric(end->info->fabric_attr, &end->fabric, NULL));
	must("fi_domain", fi_domain(end->fabric, end->info, &end->domain, NULL));
	must("fi_av_open", fi_av_open(end->domain, &av_attr, &end->av, NULL));
}

void end_open(struct end *end, int rank, const char *device, const char *rendezvous)
{
	const struct boot_attr attr = {
		.where	= rendezvous,
		.rank	= rank,
		.nranks	= 2,
	};
	size_t len = sizeof(end->name);
	uint8_t names[2][sizeof(end->name)];
	struct window own, both[2];

	memset(end, 0, sizeof(*end));
	end->rank = rank;
	if (boot_open(&end->boot, &attr)) {
		fprintf(stderr, "%s\n", end->boot.why);
		exit(1);
	}
	open_domain(end, device);
	endpoint_open(end, &end->ep, &end->cq, FI_WAIT_FD);
	must("fi_getname", fi_getname(&end->ep->fid, end->name, &len));
	exchange(end, end->name, names, sizeof(end->name));
	if (fi_av_insert(end->av, names[rank], 1, &end->self, 0, NULL) != 1 ||
	    fi_av_insert(end->av, names[!rank], 1, &end->peer, 0, NULL) != 1)
		die("fi_av_insert", FI_EINVAL);

	if (posix_memalign((void **)&end->tx, 4096, MAX_MSG) ||
	    posix_memalign((void **)&end->rx, 4096, MAX_MSG))
		die("memory", FI_ENOMEM);
	must("fi_mr_reg", fi_mr_reg(end->domain, end->tx, MAX_MSG, FI_SEND | FI_WRITE, 0, 0, 0,
				    &end->tx_mr, NULL));
	must("fi_mr_reg", fi_mr_reg(end->domain, end->rx, MAX_MSG, FI_RECV | FI_READ |
				    FI_REMOTE_READ | FI_REMOTE_WRITE, 0, 0, 0, &end->rx_mr, NULL));
	own.addr = (uintptr_t)end->rx;
	own.key = fi_mr_key(end->rx_mr);
	exchange(end, &own, both, sizeof(own));
	end->window = both[!rank];
}

void end_close(struct end *end)
{
	barrier(end);
	must("close endpoint", fi_close(&end->ep->fid));
	must("close MR", fi_close(&end->tx_mr->fid));
	must("close MR", fi_close(&end->rx_mr->fid));
	must("close CQ", fi_close(&end->cq->fid));
	must("close AV", fi_close(&end->av->fid));
	must("close domain", fi_close(&end->domain->fid));
	must("close fabric", fi_close(&end->fabric->fid));
	fi_freeinfo(end->info);
	free(end->tx);
	free(end->rx);
	boot_close(&end->boot);
}

void test(struct end *end, const char *name, void (*fn)(struct end *end))
{
	uint8_t bad, both[2];

	end->failed = false;
	barrier(end);
	fn(end);
	bad = end->failed;
	exchange(end, &bad, both, 1);
	end->tests++;
	bad = both[0] || both[1];
	end->failures += bad;
	if (!end->rank)
		printf("%s %d - %s\n", bad ? "not ok" : "ok", end->tests, name);
	fflush(stdout);
}

bool next_comp(struct end *end, struct fid_cq *cq, struct fi_cq_err_entry *e, int timeout_ms)
{
	struct fi_cq_tagged_entry entry;
	ssize_t ret = fi_cq_sread(cq, &entry, 1, NULL, timeout_ms);

	memset(e, 0, sizeof(*e));
	if (ret == -FI_EAVAIL) {
		ret = fi_cq_readerr(cq, e, 0);
	} else if (ret == 1) {
		e->op_context = entry.op_context;
		e->flags = entry.flags;
		e->len = entry.len;
		e->buf = entry.buf;
		e->data = entry.data;
		e->tag = entry.tag;
	}
	return ret == 1;
}

void want_comp(struct end *end, void *context, uint64_t flags, struct fi_cq_err_entry *e)
{
	struct fi_cq_err_entry unused;

	e = e ? e : &unused;
	if (!next_comp(end, end->cq, e, PEER_TIMEOUT_MS)) {
		check(end, !"a completion");
		return;
	}
	check(end, !e->err);
	check(end, e->op_context == context);
	check(end, (e->flags & flags) == flags);
}

void fill(uint8_t *buf, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++)
		buf[i] = (i + seed) * 2654435761u >> 24;
}

bool filled(const uint8_t *buf, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++)
		if (buf[i] != (uint8_t)((i + seed) * 2654435761u >> 24))
			return false;
	return true;
}
