// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory windows of types 1 and 2B. A window has an entry among the keys of the
 * regions, but no memory: an access through it is an access to the region that
 * it is bound to, by what the window allows. A region cannot go, or change, while
 * windows are bound to it, so a binding needs no reference.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "mr.h"
#include "mw.h"
#include "suo.h"

/* Protects bindings, on both ends. */
static DEFINE_SPINLOCK(mw_lock);

/* What a window may allow; local access through it is not a thing. */
#define MW_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

int suo_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct suo_mw *mw = container_of(ibmw, struct suo_mw, ibmw);
	int err;

	mw->mr = kzalloc(sizeof(*mw->mr), GFP_KERNEL);
	if (!mw->mr)
		return -ENOMEM;
	mw->mr->window = true;
	mw->mr->type = ibmw->type;
	err = suo_mr_add(mw->mr, to_sdev(ibmw->device), to_spd(ibmw->pd), 0);
	if (err) {
		kfree(mw->mr);
		return err;
	}
	ibmw->rkey = mw->mr->key;
	return 0;
}

static void mw_unbind(struct suo_mr *mw)
{
	lockdep_assert_held(&mw_lock);
	if (mw->shows)
		mw->shows->windows--;
	mw->shows = NULL;
	mw->valid = false;
}

int suo_dealloc_mw(struct ib_mw *ibmw)
{
	struct suo_mw *mw = container_of(ibmw, struct suo_mw, ibmw);
	unsigned long flags;

	suo_mr_del(mw->mr);
	spin_lock_irqsave(&mw_lock, flags);
	mw_unbind(mw->mr);
	spin_unlock_irqrestore(&mw_lock, flags);
	kfree_rcu(mw->mr, rcu);
	return 0;
}

/* IBA C10-72 to C10-75: may this window be bound to this region (NULL: to none)? */
static bool mw_may_bind(const struct suo_mr *mw, struct suo_mr *mr,
			const struct suo_bind *bind)
{
	if (mw->type == IB_MW_TYPE_2 && (mw->shows || !mr))
		return false;
	if (!mr)
		return true;
	/* Not to a region of the kernel's, to a window, or based at zero. */
	if (!mr->umem || !(mr->access & IB_ACCESS_MW_BIND) ||
	    (bind->access & ~MW_ACCESS))
		return false;
	if ((bind->access & (IB_ACCESS_REMOTE_WRITE |
			     IB_ACCESS_REMOTE_ATOMIC)) &&
	    !(mr->access & IB_ACCESS_LOCAL_WRITE))
		return false;
	return suo_mr_allows(mr, to_sdev(mw->ibmr.device), mw->pd, bind->lkey,
			     bind->addr, bind->length, 0);
}

/**
 * suo_mw_bind() - BIND_MW
 * @dev: device of the queue pair
 * @pd: its protection domain
 * @qpn: its number
 * @bind: the request, copied from the ring but not checked
 *
 * Return: 0 or -EINVAL, and nothing has changed.
 */
int suo_mw_bind(struct suo_dev *dev, struct suo_pd *pd, u32 qpn,
		const struct suo_bind *bind)
{
	struct suo_mr *mw, *mr = NULL;
	unsigned long flags;
	int err = -EINVAL;

	mw = suo_mr_find(bind->mw_rkey);
	if (!mw)
		return -EINVAL;
	if (bind->length) {
		mr = suo_mr_find(bind->lkey);
		if (!mr)
			goto out;
	}
	spin_lock_irqsave(&mw_lock, flags);
	if (mw->window && mw->ibmr.device == &dev->ibdev && mw->pd == pd &&
	    !((bind->rkey ^ mw->key) & ~0xffu) && mw_may_bind(mw, mr, bind)) {
		mw_unbind(mw);
		mw->key = bind->rkey;
		if (mr) {
			mw->ibmr.iova = bind->addr;
			mw->ibmr.length = bind->length;
			mw->access = bind->access;
			mw->qpn = qpn;
			mw->shows = mr;
			mr->windows++;
			mw->valid = true;
		}
		err = 0;
	}
	spin_unlock_irqrestore(&mw_lock, flags);
out:
	if (mr)
		suo_mr_put(mr);
	suo_mr_put(mw);
	return err;
}

static bool mw_allows(struct suo_mr *mw, struct suo_dev *dev,
		      struct suo_pd *pd, u32 qpn, u32 key, u64 va, u64 len,
		      int access)
{
	return suo_mr_allows(mw, dev, pd, key, va, len, access) &&
	       (mw->type == IB_MW_TYPE_1 || mw->qpn == qpn);
}

/* LOCAL_INV or a peer's SEND with invalidate: windows of type 2 only. */
int suo_mw_invalidate(struct suo_mr *mw, struct suo_dev *dev,
		      struct suo_pd *pd, u32 qpn, u32 key)
{
	unsigned long flags;
	int err = -EINVAL;

	spin_lock_irqsave(&mw_lock, flags);
	if (mw->type == IB_MW_TYPE_2 &&
	    mw_allows(mw, dev, pd, qpn, key, 0, 0, 0)) {
		mw_unbind(mw);
		err = 0;
	}
	spin_unlock_irqrestore(&mw_lock, flags);
	return err;
}

/**
 * suo_mw_follow() - the region behind a window, for one access of a peer
 * @mw: the window, with a reference, which this takes over
 * @dev: the rest is as suo_mr_get_remote() has it
 * @pd: same
 * @qpn: same
 * @key: same
 * @va: same
 * @len: same
 * @access: same
 *
 * Return: the region with a reference, or NULL.
 */
struct suo_mr *suo_mw_follow(struct suo_mr *mw, struct suo_dev *dev,
			     struct suo_pd *pd, u32 qpn, u32 key, u64 va,
			     u64 len, int access)
{
	struct suo_mr *mr = NULL;
	unsigned long flags;

	spin_lock_irqsave(&mw_lock, flags);
	if (mw_allows(mw, dev, pd, qpn, key, va, len, access)) {
		mr = mw->shows;
		refcount_inc(&mr->ref);
	}
	spin_unlock_irqrestore(&mw_lock, flags);
	suo_mr_put(mw);
	return mr;
}

/**
 * suo_mw_region_disable() - let no more accesses to a region begin
 * @mr: the region
 *
 * Return: 0, or -EBUSY if windows are bound to it.
 */
int suo_mw_region_disable(struct suo_mr *mr)
{
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&mw_lock, flags);
	if (mr->windows)
		err = -EBUSY;
	else
		WRITE_ONCE(mr->valid, false);
	spin_unlock_irqrestore(&mw_lock, flags);
	return err;
}
