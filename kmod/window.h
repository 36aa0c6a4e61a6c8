/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows of a scale-up domain, Documentation/design/windows.rst: memory of many
 * members behind one key (window.c, window_data.c), and memory of one member that
 * processes of others map (window_mmap.c). window_uapi.c is the way in.
 *
 * suo_windows_lock is taken inside of everything that a command holds, and outside
 * of suo_import.sem. What the data path reads is under RCU.
 */
#ifndef SUO_WINDOW_H
#define SUO_WINDOW_H

#include <rdma/ib_verbs.h>
#include <rdma/suo-abi.h>
#include <rdma/uverbs_ioctl.h>

#include "pkt.h"

struct suo_domain;
struct suo_export;
struct suo_import;
struct suo_member;
struct suo_mr;
struct suo_port;
struct suo_qp;

#define SUO_MAX_WINDOWS		65536
#define SUO_MAX_WINDOW_MEMBERS	1024
#define SUO_MAX_EXPORTS		65536
#define SUO_MAX_IMPORTS		65536

/* Keys of windows and of regions do not meet: suo_mr_add() stays below. */
#define SUO_WINDOW_KEY		0x80000000u

static inline bool suo_key_is_window(u32 key)
{
	return key & SUO_WINDOW_KEY;
}

/**
 * struct suo_window_slot - the memory of one member
 * @member: where it is, held
 * @mr: the region; it parts with the slot before it goes
 * @pd: its protection domain, whose queue pairs may use the window
 * @va: first byte, in the region's address space
 * @rcu: the data path may still look at it
 */
struct suo_window_slot {
	struct suo_member	*member;
	struct suo_mr		*mr;
	struct suo_pd		*pd;
	u64			va;
	struct rcu_head		rcu;
};

/**
 * struct suo_window - memory of many members behind one key
 * @node: in the list of windows; so that all but @slot is protected by
 *	suo_windows_lock, or does not change
 * @shares: processes that have it
 * @domain: its domain, held
 * @token: who knows it may join
 * @length: bytes
 * @op: enum suo_reduce_op
 * @type: enum suo_reduce_type
 * @size: bytes of an element
 * @key: remote key
 * @bound: slots that are filled
 * @rcu: the data path may still look at it
 * @members: number of slots
 * @slot: the members' memory by their number, NULL if there is none yet
 */
struct suo_window {
	struct list_head		node;
	u32				shares;
	struct suo_domain		*domain;
	struct suo_token		token;
	u64				length;
	u32				op;
	u32				type;
	u32				size;
	u32				key;
	u32				bound;
	struct rcu_head			rcu;
	u32				members;
	struct suo_window_slot __rcu	*slot[];
};

/**
 * struct suo_window_share - a process's hold on a window
 * @window: the window
 * @member: the member whose process it is, held
 * @slot: what it has bound, NULL if nothing; protected by suo_windows_lock
 * @index: where
 * @node: among the shares that have bound something
 */
struct suo_window_share {
	struct suo_window	*window;
	struct suo_member	*member;
	struct suo_window_slot	*slot;
	u32			index;
	struct list_head	node;
};

/* Does a packet of the scale-up path go to, or come from, all members of a window? */
static inline bool suo_pkt_is_window(const struct suo_pkt *pkt)
{
	if (pkt->pay.kind == SUO_PAYLOAD_WINDOW)
		return true;
	return suo_key_is_window(pkt->hdr.rkey) && pkt->pay.len &&
	       (suo_op_flags(pkt->hdr.opcode) & SUO_F_WRITE);
}

extern struct mutex suo_windows_lock;

/* window.c */
struct suo_window_share *suo_window_create(struct suo_dev *dev,
					   const struct suo_window_attr *attr,
					   struct suo_token *token);
struct suo_window_share *suo_window_join(struct suo_dev *dev,
					 const struct suo_token *token);
int suo_window_bind(struct suo_window_share *share, struct suo_mr *mr,
		    const struct suo_window_bind *bind);
void suo_window_unbind(struct suo_window_share *share);
void suo_window_query(struct suo_window_share *share,
		      struct suo_window_info *info);
void suo_window_leave(struct suo_window_share *share);
struct suo_window *suo_window_find(u32 key);
void suo_windows_part(struct suo_mr *mr);
void suo_windows_exit(void);

/* window_data.c */
int suo_window_check(struct suo_qp *qp, u32 key, u64 va, u64 len);
int suo_window_write(u32 key, u64 va, const struct suo_payload *pay);
int suo_window_read(u32 key, u64 va, void *buf, u32 len);
u64 suo_window_reserve(struct suo_port *port, struct suo_pkt *pkt,
		       u64 ready_ps);

/* window_mmap.c */
struct suo_export *suo_export_create(struct suo_dev *dev, struct suo_mr *mr,
				     const struct suo_export_attr *attr,
				     struct suo_token *token);
void suo_export_destroy(struct suo_export *ex);
struct suo_import *suo_import_create(struct ib_ucontext *ibuc,
				     const struct suo_token *token,
				     const struct suo_import_attr *attr,
				     struct suo_import_resp *resp);
void suo_import_destroy(struct suo_import *im);
int suo_import_mmap(struct suo_import *im, struct vm_area_struct *vma);
void suo_import_put(struct suo_import *im);
void suo_exports_part(struct suo_mr *mr);
void suo_exports_leave(struct suo_member *member);

/* window_uapi.c */
extern const struct uapi_definition suo_uapi_defs[];

#endif /* SUO_WINDOW_H */
