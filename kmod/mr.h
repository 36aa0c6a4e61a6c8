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
 * struct suo_mr - memory region
 * @ibmr: the core's part; lkey == rkey, index in the upper 24 bits
 * @key: the key in force
 * @valid: it may be used; a fast-registration region is not before REG_MR and
 *	after its key was invalidated
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
	struct rcu_head		rcu;
};

struct ib_mr *suo_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *suo_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata);
int suo_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *suo_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg);
int suo_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset);

struct suo_mr *suo_mr_get(struct suo_dev *dev, struct suo_pd *pd, u32 key,
			  u64 va, u64 len, int access);
void suo_mr_put(struct suo_mr *mr);
void suo_mr_let_go(void);
int suo_mr_read(struct suo_mr *mr, u64 va, void *buf, u32 len);
int suo_mr_write(struct suo_mr *mr, u64 va, const struct suo_payload *pay,
		 u32 off, u32 len);
int suo_mr_atomic(struct suo_mr *mr, u64 va, bool swap, u64 operand,
		  u64 compare, u64 *orig);
int suo_mr_fast_register(struct suo_mr *mr, struct suo_pd *pd, u32 key,
			 int access);
int suo_mr_invalidate(struct suo_dev *dev, struct suo_pd *pd, u32 key);
void suo_mr_exit(void);

#endif /* SUO_MR_H */
