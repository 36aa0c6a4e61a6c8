/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Windows of a scale-up domain, for programs: see suo_window(3). Link with
 * -lsuo-rdmav34 -libverbs.
 */
#ifndef SUO_WINDOW_H
#define SUO_WINDOW_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>
#include <rdma/suo-abi.h>

#ifdef __cplusplus
extern "C" {
#endif

struct suo_window;
struct suo_export;
struct suo_import;

/**
 * suo_window_create() - make a window: memory of many members behind one key
 * @context: a device in a domain
 * @attr: its length, number of members, operation and type
 * @token: what others need to join
 *
 * Return: the window; NULL and errno.
 */
struct suo_window *suo_window_create(struct ibv_context *context,
				     const struct suo_window_attr *attr,
				     struct suo_token *token);

/**
 * suo_window_join() - have a share in a window that another process has made
 * @context: another device of the domain
 * @token: of the window
 *
 * Return: the window; NULL and errno.
 */
struct suo_window *suo_window_join(struct ibv_context *context,
				   const struct suo_token *token);

/**
 * suo_window_bind() - put memory into a window
 * @window: the window
 * @mr: region of the same context, with IBV_ACCESS_REMOTE_WRITE and
 *	IBV_ACCESS_REMOTE_READ; its protection domain is that of the queue pairs
 *	which will use the window
 * @addr: first byte, an address as in scatter lists
 * @index: place in the window, from 0 to one less than its number of members
 *
 * Return: 0 or an errno.
 */
int suo_window_bind(struct suo_window *window, const struct ibv_mr *mr,
		    uint64_t addr, uint32_t index);

/* suo_window_unbind() - take it out again. Return: 0 or an errno. */
int suo_window_unbind(struct suo_window *window);

/**
 * suo_window_query() - what a window is, and how many members have bound memory
 * @window: the window
 * @info: to be filled
 *
 * Return: 0 or an errno.
 */
int suo_window_query(const struct suo_window *window,
		     struct suo_window_info *info);

/* suo_window_destroy() - give up a share. Return: 0 or an errno. */
int suo_window_destroy(struct suo_window *window);

/**
 * suo_export() - let processes of other members map memory of ours
 * @mr: region with IBV_ACCESS_REMOTE_READ
 * @addr: first byte, an address as in scatter lists; begins a page
 * @length: bytes, whole pages
 * @flags: SUO_EXPORT_WRITE: they may write; wants IBV_ACCESS_REMOTE_WRITE
 * @token: what others need to map it
 *
 * Return: the export; NULL and errno.
 */
struct suo_export *suo_export(const struct ibv_mr *mr, uint64_t addr,
			      size_t length, uint32_t flags,
			      struct suo_token *token);

/* suo_unexport() - take it back: they get SIGBUS. Return: 0 or an errno. */
int suo_unexport(struct suo_export *export);

/**
 * suo_import() - map what another member's process has exported
 * @context: another device of the domain
 * @token: of the export
 * @offset: first byte of it, whole pages
 * @length: bytes, whole pages; 0: all from @offset on
 * @flags: SUO_EXPORT_WRITE: to write too
 *
 * Return: the import; NULL and errno.
 */
struct suo_import *suo_import(struct ibv_context *context,
			      const struct suo_token *token, uint64_t offset,
			      size_t length, uint32_t flags);

/* Where it is mapped, and how many bytes there are. */
void *suo_import_addr(const struct suo_import *import);
size_t suo_import_length(const struct suo_import *import);

/* suo_unimport() - unmap it. Return: 0 or an errno. */
int suo_unimport(struct suo_import *import);

#ifdef __cplusplus
}
#endif

#endif /* SUO_WINDOW_H */
