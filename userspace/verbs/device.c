// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finding, opening and describing a suo device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "suo.h"

struct suo_get_context_resp {
	struct ib_uverbs_get_context_resp core;
	struct suo_alloc_ucontext_resp driver;
};
static_assert(offsetof(struct suo_get_context_resp, driver) ==
	      sizeof(struct ib_uverbs_get_context_resp), "response");

/**
 * suo_ring_map() - map a ring that the kernel has made
 * @ring: to be set up; untouched after an error
 * @cmd_fd: the context's command descriptor
 * @info: from the create response
 * @slot_size: bytes that we want to put into a slot
 *
 * Return: 0 or an errno; EPROTO if the ring does not fit @slot_size.
 */
int suo_ring_map(struct suo_ring *ring, int cmd_fd,
		 const struct suo_ring_info *info, size_t slot_size)
{
	void *map;
	int ret;

	ret = suo_ring_check(info, slot_size);
	if (ret)
		return ret;

	map = mmap(NULL, info->mmap_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   cmd_fd, info->mmap_offset);
	if (map == MAP_FAILED)
		return errno;

	suo_ring_attach(ring, map, info);
	return 0;
}

/* A ring that was never mapped is all right. */
void suo_ring_unmap(struct suo_ring *ring)
{
	if (ring->hdr)
		munmap(ring->hdr, ring->map_size);
	ring->hdr = NULL;
}

static int suo_query_device(struct ibv_context *context,
			    const struct ibv_query_device_ex_input *input,
			    struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	size_t resp_size = sizeof(resp);
	uint64_t fw;
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp,
				       &resp_size);
	if (ret)
		return ret;

	fw = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%u.%u.%u", (unsigned int)(fw >> 32) & 0xffff,
		 (unsigned int)(fw >> 16) & 0xffff, (unsigned int)fw & 0xffff);
	return 0;
}

static int suo_query_port(struct ibv_context *context, uint8_t port_num,
			  struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd = {};

	return ibv_cmd_query_port(context, port_num, attr, &cmd, sizeof(cmd));
}

static void suo_free_context(struct ibv_context *context)
{
	struct suo_context *ctx = to_suo_context(context);

	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

static const struct verbs_context_ops suo_context_ops = {
	.alloc_mw		= suo_alloc_mw,
	.alloc_pd		= suo_alloc_pd,
	.attach_mcast		= ibv_cmd_attach_mcast,
	.bind_mw		= suo_bind_mw,
	.create_ah		= suo_create_ah,
	.create_cq		= suo_create_cq,
	.create_cq_ex		= suo_create_cq_ex,
	.create_qp		= suo_create_qp,
	.create_qp_ex		= suo_create_qp_ex,
	.create_srq		= suo_create_srq,
	.dealloc_mw		= suo_dealloc_mw,
	.dealloc_pd		= suo_dealloc_pd,
	.dereg_mr		= suo_dereg_mr,
	.destroy_ah		= suo_destroy_ah,
	.destroy_cq		= suo_destroy_cq,
	.destroy_qp		= suo_destroy_qp,
	.destroy_srq		= suo_destroy_srq,
	.detach_mcast		= ibv_cmd_detach_mcast,
	.free_context		= suo_free_context,
	.modify_qp		= suo_modify_qp,
	.modify_srq		= suo_modify_srq,
	.poll_cq		= suo_poll_cq,
	.post_recv		= suo_post_recv,
	.post_send		= suo_post_send,
	.post_srq_recv		= suo_post_srq_recv,
	.query_device_ex	= suo_query_device,
	.query_port		= suo_query_port,
	.query_qp		= suo_query_qp,
	.query_srq		= suo_query_srq,
	.reg_mr			= suo_reg_mr,
	.req_notify_cq		= suo_req_notify_cq,
	.rereg_mr		= suo_rereg_mr,
	.resize_cq		= suo_resize_cq,
};

/*
 * With one processor to run on, whoever polls keeps the one it waits for from
 * running, until the scheduler takes the processor away: yield at once. With
 * more, polling is what the processor is there for, but there may be more
 * pollers than processors: yield now and then.
 */
#define SUO_YIELD_AFTER_MANY	64

static unsigned int suo_yield_after(void)
{
	const char *text = getenv("SUO_POLL_YIELD");
	unsigned long value;
	cpu_set_t cpus;
	char *end;

	if (text) {
		errno = 0;
		value = strtoul(text, &end, 10);
		if (*text >= '0' && *text <= '9' && !*end && !errno &&
		    value <= UINT_MAX)
			return value;
		fprintf(stderr,
			"libsuo: SUO_POLL_YIELD=%s ignored: not a count of polls\n",
			text);
	}

	/* Fails on machines with more processors than the set has room for. */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return SUO_YIELD_AFTER_MANY;
	return CPU_COUNT(&cpus) == 1 ? 1 : SUO_YIELD_AFTER_MANY;
}

static struct verbs_context *suo_alloc_context(struct ibv_device *device,
					       int cmd_fd, void *private_data)
{
	struct suo_get_context_resp resp = {};
	struct suo_context *ctx;
	int ret;

	ctx = _verbs_init_and_alloc_context(device, cmd_fd, sizeof(*ctx), NULL,
					    SUO_DRIVER_ID);
	if (!ctx)
		return NULL;

	ret = ibv_cmd_get_context(&ctx->vctx, NULL, 0, &resp.core,
				  sizeof(resp));
	if (ret)
		goto err_get_context;

	ctx->yield_after = suo_yield_after();
	verbs_set_ops(&ctx->vctx, &suo_context_ops);
	return &ctx->vctx;

err_get_context:
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = ret;
	return NULL;
}

static struct verbs_device *suo_alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	return calloc(1, sizeof(struct verbs_device));
}

static void suo_uninit_device(struct verbs_device *device)
{
	free(device);
}

static const struct verbs_match_ent suo_match_table[] = {
	{ .u.driver_id = SUO_DRIVER_ID, .kind = VERBS_MATCH_DRIVER_ID },
	{ .kind = VERBS_MATCH_SENTINEL },
};

/* The kernel's ABI is append-only, so whatever version it has will do. */
static const struct verbs_device_ops suo_device_ops = {
	.name			= "suo",
	.match_min_abi_version	= SUO_ABI_VERSION,
	.match_max_abi_version	= UINT32_MAX,
	.match_table		= suo_match_table,
	.alloc_context		= suo_alloc_context,
	.alloc_device		= suo_alloc_device,
	.uninit_device		= suo_uninit_device,
};

static __attribute__((constructor)) void suo_register(void)
{
	verbs_register_driver_34(&suo_device_ops);
}
