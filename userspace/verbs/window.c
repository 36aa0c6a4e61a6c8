// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Windows: the commands of suo-abi.h. This file uses nothing of libibverbs but its
 * public structures, so that a program can have it without the provider.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "suo_window.h"

#define PUBLIC	__attribute__((visibility("default")))

#define MAX_ATTRS	4

/**
 * struct object - what the kernel has made for us
 * @context: where
 * @handle: its name there
 */
struct object {
	struct ibv_context *context;
	uint32_t handle;
};

struct suo_window {
	struct object object;
};

struct suo_export {
	struct object object;
};

struct suo_import {
	struct object object;
	void *addr;
	size_t length;
};

/* A command with its attributes, in the kernel's form */
struct command {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[MAX_ATTRS];
};
_Static_assert(offsetof(struct command, attr) ==
	       offsetof(struct ib_uverbs_ioctl_hdr, attrs), "attributes");

static struct ib_uverbs_attr *add(struct command *cmd, uint16_t id)
{
	struct ib_uverbs_attr *attr = &cmd->attr[cmd->hdr.num_attrs++];

	attr->attr_id = id;
	attr->flags = UVERBS_ATTR_F_MANDATORY;
	return attr;
}

static void add_handle(struct command *cmd, uint16_t id, uint32_t handle)
{
	add(cmd, id)->data = handle;
}

/* Data goes by its address; none of ours is so short that it would go inline. */
static void add_data(struct command *cmd, uint16_t id, const void *data, uint16_t len)
{
	struct ib_uverbs_attr *attr = add(cmd, id);

	attr->len = len;
	attr->data = (uintptr_t)data;
}

/* Return: 0 or an errno. */
static int run(struct ibv_context *context, struct command *cmd,
	       uint16_t object, uint16_t method)
{
	cmd->hdr.object_id = object;
	cmd->hdr.method_id = method;
	cmd->hdr.driver_id = SUO_DRIVER_ID;
	cmd->hdr.length = sizeof(cmd->hdr) +
			  cmd->hdr.num_attrs * sizeof(cmd->attr[0]);
	return ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &cmd->hdr) ? errno : 0;
}

/* Make an object of so many bytes, which begins with a struct object. The command's
 * first attribute is the handle that the kernel gives. Return: NULL, with errno set,
 * if there is none.
 */
static void *object_make(size_t size, struct ibv_context *context,
			 struct command *cmd, uint16_t kind, uint16_t method)
{
	struct object *object = calloc(1, size);
	int ret;

	if (!object)
		return NULL;
	ret = run(context, cmd, kind, method);
	if (ret)
		goto err_cmd;
	object->context = context;
	object->handle = cmd->attr[0].data;
	return object;

err_cmd:
	free(object);
	errno = ret;
	return NULL;
}

static int run_destroy(const struct object *object, uint16_t kind, uint16_t method)
{
	struct command cmd = {};
	int ret;

	add_handle(&cmd, SUO_ATTR_HANDLE, object->handle);
	ret = run(object->context, &cmd, kind, method);
	/* The device has gone, and what was made on it went first. */
	return ret == EIO ? 0 : ret;
}

PUBLIC struct suo_window *suo_window_create(struct ibv_context *context,
					    const struct suo_window_attr *attr,
					    struct suo_token *token)
{
	struct command cmd = {};

	add_handle(&cmd, SUO_ATTR_HANDLE, 0);
	add_data(&cmd, SUO_ATTR_ATTR, attr, sizeof(*attr));
	add_data(&cmd, SUO_ATTR_TOKEN, token, sizeof(*token));
	return object_make(sizeof(struct suo_window), context, &cmd,
			   SUO_OBJECT_WINDOW, SUO_METHOD_WINDOW_CREATE);
}

PUBLIC struct suo_window *suo_window_join(struct ibv_context *context,
					  const struct suo_token *token)
{
	struct command cmd = {};

	add_handle(&cmd, SUO_ATTR_HANDLE, 0);
	add_data(&cmd, SUO_ATTR_TOKEN, token, sizeof(*token));
	return object_make(sizeof(struct suo_window), context, &cmd,
			   SUO_OBJECT_WINDOW, SUO_METHOD_WINDOW_JOIN);
}

PUBLIC int suo_window_bind(struct suo_window *window, const struct ibv_mr *mr,
			   uint64_t addr, uint32_t index)
{
	const struct suo_window_bind bind = { .addr = addr, .index = index };
	struct command cmd = {};

	/* A handle of another context would be another object here. */
	if (mr->context != window->object.context)
		return EINVAL;
	add_handle(&cmd, SUO_ATTR_HANDLE, window->object.handle);
	add_handle(&cmd, SUO_ATTR_MR, mr->handle);
	add_data(&cmd, SUO_ATTR_ATTR, &bind, sizeof(bind));
	return run(window->object.context, &cmd, SUO_OBJECT_WINDOW,
		   SUO_METHOD_WINDOW_BIND);
}

PUBLIC int suo_window_unbind(struct suo_window *window)
{
	struct command cmd = {};

	add_handle(&cmd, SUO_ATTR_HANDLE, window->object.handle);
	return run(window->object.context, &cmd, SUO_OBJECT_WINDOW,
		   SUO_METHOD_WINDOW_UNBIND);
}

PUBLIC int suo_window_query(const struct suo_window *window,
			    struct suo_window_info *info)
{
	struct command cmd = {};

	memset(info, 0, sizeof(*info));
	add_handle(&cmd, SUO_ATTR_HANDLE, window->object.handle);
	add_data(&cmd, SUO_ATTR_RESP, info, sizeof(*info));
	return run(window->object.context, &cmd, SUO_OBJECT_WINDOW,
		   SUO_METHOD_WINDOW_QUERY);
}

PUBLIC int suo_window_destroy(struct suo_window *window)
{
	int ret = run_destroy(&window->object, SUO_OBJECT_WINDOW,
			      SUO_METHOD_WINDOW_DESTROY);

	if (!ret)
		free(window);
	return ret;
}

PUBLIC struct suo_export *suo_export(const struct ibv_mr *mr, uint64_t addr,
				     size_t length, uint32_t flags,
				     struct suo_token *token)
{
	const struct suo_export_attr attr = {
		.addr = addr, .length = length, .flags = flags,
	};
	struct command cmd = {};

	add_handle(&cmd, SUO_ATTR_HANDLE, 0);
	add_handle(&cmd, SUO_ATTR_MR, mr->handle);
	add_data(&cmd, SUO_ATTR_ATTR, &attr, sizeof(attr));
	add_data(&cmd, SUO_ATTR_TOKEN, token, sizeof(*token));
	return object_make(sizeof(struct suo_export), mr->context, &cmd,
			   SUO_OBJECT_EXPORT, SUO_METHOD_EXPORT_CREATE);
}

PUBLIC int suo_unexport(struct suo_export *export)
{
	int ret = run_destroy(&export->object, SUO_OBJECT_EXPORT,
			      SUO_METHOD_EXPORT_DESTROY);

	if (!ret)
		free(export);
	return ret;
}

PUBLIC struct suo_import *suo_import(struct ibv_context *context,
				     const struct suo_token *token,
				     uint64_t offset, size_t length,
				     uint32_t flags)
{
	const struct suo_import_attr attr = {
		.offset = offset, .length = length, .flags = flags,
	};
	struct suo_import_resp resp = {};
	struct suo_import *import;
	struct command cmd = {};
	int err;

	add_handle(&cmd, SUO_ATTR_HANDLE, 0);
	add_data(&cmd, SUO_ATTR_TOKEN, token, sizeof(*token));
	add_data(&cmd, SUO_ATTR_ATTR, &attr, sizeof(attr));
	add_data(&cmd, SUO_ATTR_RESP, &resp, sizeof(resp));
	import = object_make(sizeof(*import), context, &cmd,
			     SUO_OBJECT_IMPORT, SUO_METHOD_IMPORT_CREATE);
	if (!import)
		return NULL;
	import->length = resp.length;
	import->addr = mmap(NULL, resp.length, PROT_READ |
			    (flags & SUO_EXPORT_WRITE ? PROT_WRITE : 0),
			    MAP_SHARED, context->cmd_fd, resp.mmap_offset);
	if (import->addr == MAP_FAILED)
		goto err_map;
	return import;

err_map:
	err = errno;
	run_destroy(&import->object, SUO_OBJECT_IMPORT, SUO_METHOD_IMPORT_DESTROY);
	free(import);
	errno = err;
	return NULL;
}

PUBLIC void *suo_import_addr(const struct suo_import *import)
{
	return import->addr;
}

PUBLIC size_t suo_import_length(const struct suo_import *import)
{
	return import->length;
}

PUBLIC int suo_unimport(struct suo_import *import)
{
	int ret = run_destroy(&import->object, SUO_OBJECT_IMPORT,
			      SUO_METHOD_IMPORT_DESTROY);

	if (ret)
		return ret;
	munmap(import->addr, import->length);
	free(import);
	return 0;
}
