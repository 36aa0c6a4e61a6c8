/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an atomic operation does to memory: every operation and type of fi_atomic.h. */
#ifndef SUO_FI_AMO_H
#define SUO_FI_AMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_atomic.h>

enum suo_amo_kind {
	SUO_AMO_WRITE	= 0,	/* fi_atomic() */
	SUO_AMO_FETCH	= 1,	/* fi_fetch_atomic() */
	SUO_AMO_COMPARE	= 2,	/* fi_compare_atomic() */
};

/* Bytes of an element of the type, 0 if there is no such type. */
size_t suo_amo_size(enum fi_datatype type);

/**
 * suo_amo_valid() - is there such an operation?
 * @kind: which call it is for
 * @type: of the elements
 * @op: the operation
 *
 * fi_atomic(3) says which operations go with which call. The bitwise ones are
 * there for integers; those that order values are not for complex types.
 */
bool suo_amo_valid(enum suo_amo_kind kind, enum fi_datatype type, enum fi_op op);

/* What an element's address must be a multiple of: its size, 8 at most. */
size_t suo_amo_align(enum fi_datatype type);

/**
 * suo_amo_apply() - do it
 * @type: of the elements
 * @op: valid for it
 * @dst: @count elements, aligned as suo_amo_align() says
 * @operand: @count elements, however aligned; not read by FI_ATOMIC_READ
 * @compare: the same, for the operations that compare
 * @result: what stood in @dst before; NULL: not wanted
 * @count: elements
 *
 * Each element of up to 8 bytes is changed by one atomic instruction of the
 * processor, so that other threads, other processes that share the memory, and
 * the device's own operations never see or undo half of it. Longer ones are the
 * caller's to serialise.
 */
void suo_amo_apply(enum fi_datatype type, enum fi_op op, void *dst, const void *operand,
		   const void *compare, void *result, size_t count);

#endif /* SUO_FI_AMO_H */
