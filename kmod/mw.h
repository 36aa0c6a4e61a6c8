/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory windows: remote keys for a part of a region, given by a work request. */
#ifndef SUO_MW_H
#define SUO_MW_H

#include <rdma/ib_verbs.h>
#include <rdma/suo-abi.h>

struct suo_dev;
struct suo_mr;
struct suo_pd;

/**
 * struct suo_mw - memory window
 * @ibmw: the core's part, which it frees at once
 * @mr: its entry among the keys, which lookups may still hold
 */
struct suo_mw {
	struct ib_mw	ibmw;
	struct suo_mr	*mr;
};

int suo_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);
int suo_dealloc_mw(struct ib_mw *ibmw);

int suo_mw_bind(struct suo_dev *dev, struct suo_pd *pd, u32 qpn,
		const struct suo_bind *bind);
int suo_mw_invalidate(struct suo_mr *mw, struct suo_dev *dev,
		      struct suo_pd *pd, u32 qpn, u32 key);
struct suo_mr *suo_mw_follow(struct suo_mr *mw, struct suo_dev *dev,
			     struct suo_pd *pd, u32 qpn, u32 key, u64 va,
			     u64 len, int access);
int suo_mw_region_disable(struct suo_mr *mr);

#endif /* SUO_MW_H */
