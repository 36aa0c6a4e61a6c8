/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the suo provider can do beyond libfabric's own calls: for programs, by
 * fi_open_ops() on a domain, and fi_setopt() on an endpoint. See fi_suo(7).
 */
#ifndef FI_SUO_H
#define FI_SUO_H

#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Level FI_OPT_ENDPOINT; a string with its NUL: an algorithm of collectives. */
#define FI_SUO_OPT_COLL_ALGO	0x53554f01

/* Name for fi_open_ops() on a domain: struct fi_suo_ops_window. */
#define FI_SUO_OPS_WINDOW	"suo_window_1"

enum fi_suo_window_op {
	FI_SUO_WINDOW_SUM,
	FI_SUO_WINDOW_MIN,
	FI_SUO_WINDOW_MAX,
};

enum fi_suo_window_type {
	FI_SUO_WINDOW_INT32,
	FI_SUO_WINDOW_UINT32,
	FI_SUO_WINDOW_INT64,
	FI_SUO_WINDOW_UINT64,
	FI_SUO_WINDOW_FLOAT16,
	FI_SUO_WINDOW_BFLOAT16,
	FI_SUO_WINDOW_FLOAT32,
	FI_SUO_WINDOW_FLOAT64,
};

#define FI_SUO_TOKEN_SIZE	16

struct fi_suo_window;

/**
 * struct fi_suo_ops_window - memory of many members of a scale-up domain behind
 * one key: suo_window(3) by libfabric
 * @size: of this structure
 * @create: make a window of @length bytes for @members members, of which reads
 *	bring what @op makes of all their elements; @token is what others need
 * @join: have a share in a window that another process has made
 * @bind: put memory into it, from @addr on, as member @index; the region must
 *	allow remote reads and writes
 * @key: the window's key, for fi_read() and fi_write() over any connection
 *	inside the domain; addresses begin at 0
 * @destroy: give up a share
 *
 * All return 0 or a negative error number.
 */
struct fi_suo_ops_window {
	size_t	size;
	int	(*create)(struct fid_domain *domain, uint64_t length, uint32_t members,
			  enum fi_suo_window_op op, enum fi_suo_window_type type,
			  uint8_t token[FI_SUO_TOKEN_SIZE], struct fi_suo_window **window);
	int	(*join)(struct fid_domain *domain, const uint8_t token[FI_SUO_TOKEN_SIZE],
			struct fi_suo_window **window);
	int	(*bind)(struct fi_suo_window *window, struct fid_mr *mr, const void *addr,
			uint32_t index);
	int	(*key)(struct fi_suo_window *window, uint64_t *key);
	int	(*destroy)(struct fi_suo_window *window);
};

#ifdef __cplusplus
}
#endif

#endif /* FI_SUO_H */
