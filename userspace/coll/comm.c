// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "userspace/coll/comm.h"

#define API_VERSION	FI_VERSION(1, 17)
#define CQ_SIZE		8192
#define MAX_NAME	256
/* Reading is what a reduction in the network does. */
#define ACCESS		(FI_WRITE | FI_READ | FI_REMOTE_WRITE | FI_REMOTE_READ)

int suo_comm_fail(struct suo_comm *comm, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(comm->why, sizeof(comm->why), fmt, ap);
	va_end(ap);
	return err;
}

static int call_failed(struct suo_comm *comm, const char *call, int err)
{
	return suo_comm_fail(comm, err, "%s: %s", call, fi_strerror(-err));
}

static int find_device(struct suo_comm *comm, const struct suo_comm_attr *attr)
{
	struct fi_info *hints = fi_allocinfo();
	int err;

	if (!hints)
		return suo_comm_fail(comm, -ENOMEM, "no memory");
	hints->caps = FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
	hints->mode = FI_CONTEXT | FI_CONTEXT2;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED |
				      FI_MR_PROV_KEY;
	hints->domain_attr->cq_data_size = sizeof(uint32_t);
	hints->domain_attr->name = attr->device ? strdup(attr->device) : NULL;
	hints->fabric_attr->prov_name = strdup(attr->provider);
	err = fi_getinfo(API_VERSION, NULL, NULL, 0, hints, &comm->info);
	fi_freeinfo(hints);
	if (err)
		return suo_comm_fail(comm, err,
			"fi_getinfo: provider %s, device %s: %s", attr->provider,
			attr->device ? attr->device : "any", fi_strerror(-err));
	return 0;
}

static int open_endpoint(struct suo_comm *comm)
{
	struct fi_cq_attr cq_attr = {
		.size		= CQ_SIZE,
		.format		= FI_CQ_FORMAT_DATA,
		.wait_obj	= FI_WAIT_FD,
	};
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE, .count = comm->nranks };
	int err;

	err = fi_fabric(comm->info->fabric_attr, &comm->fabric, NULL);
	if (err)
		return call_failed(comm, "fi_fabric", err);
	err = fi_domain(comm->fabric, comm->info, &comm->domain, NULL);
	if (err)
		return call_failed(comm, "fi_domain", err);
	err = fi_av_open(comm->domain, &av_attr, &comm->av, NULL);
	if (err)
		return call_failed(comm, "fi_av_open", err);
	err = fi_cq_open(comm->domain, &cq_attr, &comm->cq, NULL);
	if (err)
		return call_failed(comm, "fi_cq_open", err);
	err = fi_control(&comm->cq->fid, FI_GETWAIT, &comm->cq_fd);
	if (err)
		return call_failed(comm, "fi_control(FI_GETWAIT)", err);
	err = fi_endpoint(comm->domain, comm->info, &comm->ep, NULL);
	if (err)
		return call_failed(comm, "fi_endpoint", err);
	err = fi_ep_bind(comm->ep, &comm->av->fid, 0);
	if (!err)
		err = fi_ep_bind(comm->ep, &comm->cq->fid, FI_TRANSMIT | FI_RECV);
	if (err)
		return call_failed(comm, "fi_ep_bind", err);
	err = fi_enable(comm->ep);
	return err ? call_failed(comm, "fi_enable", err) : 0;
}

static int exchange_names(struct suo_comm *comm)
{
	struct { uint64_t len; uint8_t name[MAX_NAME]; } own = { .len = MAX_NAME }, *all;
	size_t len = MAX_NAME;
	int err;

	err = fi_getname(&comm->ep->fid, own.name, &len);
	if (err)
		return call_failed(comm, "fi_getname", err);
	own.len = len;
	all = calloc(comm->nranks, sizeof(*all));
	comm->addr = calloc(comm->nranks, sizeof(*comm->addr));
	if (!all || !comm->addr) {
		err = suo_comm_fail(comm, -ENOMEM, "no memory");
		goto out;
	}
	err = comm->boot.allgather(comm->boot.ctx, &own, all, sizeof(own));
	if (err) {
		suo_comm_fail(comm, err, "the exchange of addresses failed");
		goto out;
	}
	for (uint32_t r = 0; r < comm->nranks && !err; r++)
		if (fi_av_insert(comm->av, all[r].name, 1, &comm->addr[r], 0, NULL) != 1)
			err = suo_comm_fail(comm, -EINVAL,
					    "fi_av_insert: the address of rank %u is refused", r);
out:
	free(all);
	return err;
}

int suo_comm_create(const struct suo_comm_attr *attr, struct suo_comm **out)
{
	struct suo_comm *comm = calloc(1, sizeof(*comm));
	int err;

	*out = comm;
	if (!comm)
		return -ENOMEM;
	comm->rank = attr->rank;
	comm->nranks = attr->nranks;
	comm->boot = attr->boot;
	err = find_device(comm, attr);
	if (!err)
		err = open_endpoint(comm);
	if (!err)
		err = exchange_names(comm);
	return err;
}

int suo_comm_expose(struct suo_comm *comm, void *const mem[SUO_NUM_REGIONS],
		    const size_t len[SUO_NUM_REGIONS])
{
	bool virt = comm->info->domain_attr->mr_mode & (FI_MR_VIRT_ADDR | FI_MR_BASIC);
	struct suo_remote own[SUO_NUM_REGIONS] = { 0 };
	int err;

	for (int w = 0; w < SUO_NUM_REGIONS; w++) {
		if (!mem[w])
			continue;
		err = fi_mr_reg(comm->domain, mem[w], len[w], ACCESS, 0, w + 1, 0,
				&comm->mr[w], NULL);
		if (err)
			return suo_comm_fail(comm, err, "fi_mr_reg: %zu bytes: %s", len[w],
					     fi_strerror(-err));
		own[w].addr = virt ? (uintptr_t)mem[w] : 0;
		own[w].key = fi_mr_key(comm->mr[w]);
		own[w].len = len[w];
	}
	comm->remote = calloc(comm->nranks, sizeof(own));
	if (!comm->remote)
		return suo_comm_fail(comm, -ENOMEM, "no memory");
	err = comm->boot.allgather(comm->boot.ctx, own, comm->remote, sizeof(own));
	return err ? suo_comm_fail(comm, err, "the exchange of keys failed") : 0;
}

int suo_comm_wait(struct suo_comm *comm)
{
	struct pollfd pfd[2] = {
		{ .fd = comm->cq_fd, .events = POLLIN },
		{ .fd = comm->boot.abort_fd, .events = POLLIN },
	};
	struct fid *fid = &comm->cq->fid;
	int err;

	err = fi_trywait(comm->fabric, &fid, 1);
	if (err == -FI_EAGAIN)
		return 0;
	if (err)
		return call_failed(comm, "fi_trywait", err);
	if (poll(pfd, 2, -1) < 0 && errno != EINTR)
		return suo_comm_fail(comm, -errno, "poll: %s", strerror(errno));
	if (pfd[1].revents)
		return suo_comm_fail(comm, -ECONNABORTED, "another rank is gone");
	return 0;
}

/* Every fid_* begins with its struct fid. */
static void close_fid(void *fid)
{
	if (fid)
		fi_close(fid);
}

void suo_comm_free(struct suo_comm *comm)
{
	if (!comm)
		return;
	close_fid(comm->ep);
	for (int w = 0; w < SUO_NUM_REGIONS; w++)
		close_fid(comm->mr[w]);
	close_fid(comm->cq);
	close_fid(comm->av);
	close_fid(comm->domain);
	close_fid(comm->fabric);
	if (comm->info)
		fi_freeinfo(comm->info);
	free(comm->remote);
	free(comm->addr);
	free(comm);
}
