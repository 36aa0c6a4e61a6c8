/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_MR_H
#define SUO_MR_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <rdma/ib_verbs.h>

struct suo_dev;
struct suo_pd;
struct suo_payload;

/**
 * struct suo_mr - memory region, or the entry of a memory window among the keys
 * @ibmr: the core's part; lkey == rkey, index in the upper 24 bits
 * @key: the key in force
 * @valid: it may be used; a fast-registration region is not before REG_MR and
 *	after its key was invalidated, a window is not unless it is bound, and
 *	no region is while it is registered anew
 * @fast: fast-registration region
 * @max_pages: entries of @pages, fast registration
 * @npages: entries in use, fast registration
 * @pd: its protection domain
 * @ref: one for the region itself, one for each copy under way
 * @gone: completed when the last copy ends
 * @access: IB_ACCESS_*
 * @umem: pinned memory of a process
 * @pages: the pages; NULL for a kernel DMA region, whose addresses are kernel
 *	virtual addresses (virtual DMA)
 * @page_off: offset of iova within the first page
 * @windows: windows bound to it; protected by the lock of mw.c
 * @window: memory window: everything but @ref and @gone is protected by the lock
 *	of mw.c
 * @type: window: type
 * @shows: window: the region that it is bound to, which lasts as long
 * @qpn: window of type 2: the queue pair that has bound it
 * @shared: it was bound to a window of the domain, or exported: see window.h
 * @rcu: for freeing under lookups
 */
struct suo_mr {
	struct ib_mr		ibmr;
	u32			key;
	bool			valid;
	bool			fast;
	u32			max_pages;
	u32			npages;
	struct suo_pd		*pd;
	refcount_t		ref;
	struct completion	gone;
	int			access;
	struct ib_umem		*umem;
	struct page		**pages;
	u32			page_off;
	u32			windows;
	bool			window;
	enum ib_mw_type		type;
	struct suo_mr		*shows;
	u32			qpn;
	bool			shared;
	struct rcu_head		rcu;
};

struct ib_mr *suo_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *suo_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
struct ib_mr *suo_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *ibpd, struct ib_udata *udata);
int suo_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *suo_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg);
int suo_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset);

int suo_mr_add(struct suo_mr *mr, struct suo_dev *dev, struct suo_pd *pd,
	       int access);
void suo_mr_del(struct suo_mr *mr);
struct suo_mr *suo_mr_find(u32 key);
bool suo_mr_allows(struct suo_mr *mr, struct suo_dev *dev, struct suo_pd *pd,
		   u32 key, u64 va, u64 len, int access);
struct suo_mr *suo_mr_get(struct suo_dev *dev, struct suo_pd *pd, u32 key,
			  u64 va, u64 len, int access);
struct suo_mr *suo_mr_get_remote(struct suo_dev *dev, struct suo_pd *pd,
				 u32 qpn, u32 key, u64 va, u64 len, int access);
bool suo_mr_holds(const struct suo_mr *mr, u64 va, u64 len);
void suo_mr_put(struct suo_mr *mr);
void suo_mr_let_go(void);
int suo_mr_fast_register(struct suo_mr *mr, struct suo_pd *pd, u32 key,
			 int access);
int suo_mr_invalidate(struct suo_dev *dev, struct suo_pd *pd, u32 qpn, u32 key);
void suo_mr_exit(void);

/* mr_io.c */
void suo_mr_read(struct suo_mr *mr, u64 va, void *buf, u32 len);
void suo_mr_copy(struct suo_mr *to, u64 to_va, struct suo_mr *from, u64 from_va,
		 u32 len);
int suo_mr_write(struct suo_mr *mr, u64 va, const struct suo_payload *pay,
		 u32 off, u32 len);
int suo_mr_atomic(struct suo_mr *mr, u64 va, bool swap, u64 operand,
		  u64 compare, u64 *orig);

#endif /* SUO_MR_H */
