// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: keys and lookup. A key is looked up for every access (mr_io.c),
 * so a region can be deregistered while requests that name it are under way; they
 * then fail with a key error.
 */
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "compat.h"
#include "mr.h"
#include "mw.h"
#include "suo.h"
#include "trace.h"
#include "window.h"

/* What a process may ask for. */
#define MR_USER_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_MW_BIND | IB_ACCESS_OPTIONAL)

static DEFINE_XARRAY_ALLOC1(suo_mrs);

/* The region that was last looked up, with a reference: packets come in rows
 * that use the same one. Given up when ports are released, see port.c.
 */
static DEFINE_PER_CPU(struct suo_mr *, cpu_mr);

static atomic_t *mr_count(struct suo_dev *dev, const struct suo_mr *mr)
{
	return mr->window ? &dev->num_mw : &dev->num_mr;
}

/**
 * suo_mr_add() - give a region or a window its keys
 * @mr: the region, complete but for what this sets
 * @dev: its device
 * @pd: its protection domain
 * @access: IB_ACCESS_*
 *
 * The low eight bits of a key are random: a stale key does not fit.
 *
 * Return: 0 or -ENOMEM.
 */
int suo_mr_add(struct suo_mr *mr, struct suo_dev *dev, struct suo_pd *pd,
	       int access)
{
	u32 index;
	int err;

	if (!atomic_add_unless(mr_count(dev, mr), 1,
			       mr->window ? SUO_MAX_MW : SUO_MAX_MR))
		return -ENOMEM;
	mr->ibmr.device = &dev->ibdev;
	mr->pd = pd;
	mr->access = access;
	refcount_set(&mr->ref, 1);
	init_completion(&mr->gone);
	err = xa_alloc(&suo_mrs, &index, NULL, XA_LIMIT(1, (SUO_WINDOW_KEY >> 8) - 1),
		       GFP_KERNEL);
	if (err) {
		atomic_dec(mr_count(dev, mr));
		return err;
	}
	mr->ibmr.lkey = index << 8 | (get_random_u32() & 0xff);
	mr->ibmr.rkey = mr->ibmr.lkey;
	mr->key = mr->ibmr.lkey;
	xa_store(&suo_mrs, index, mr, GFP_KERNEL);
	return 0;
}

/* Take the keys back; nobody uses @mr any more after this. */
void suo_mr_del(struct suo_mr *mr)
{
	/* Whoever has it at hand uses it no more. */
	WRITE_ONCE(mr->valid, false);
	xa_erase(&suo_mrs, mr->key >> 8);
	suo_mr_put(mr);
	wait_for_completion(&mr->gone);
	atomic_dec(mr_count(to_sdev(mr->ibmr.device), mr));
}

struct ib_mr *suo_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct suo_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->ibmr.length = U64_MAX;
	mr->valid = true;
	err = suo_mr_add(mr, to_sdev(ibpd->device), to_spd(ibpd), access);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	return &mr->ibmr;
}

static int mr_pin(struct suo_mr *mr, struct ib_device *ibdev, u64 start,
		  u64 length, int access)
{
	struct sg_page_iter iter;
	size_t npages, i = 0;
	int err = -ENOMEM;

	mr->umem = ib_umem_get_va(ibdev, start, length, access);
	if (IS_ERR(mr->umem))
		return PTR_ERR(mr->umem);
	npages = ib_umem_num_pages(mr->umem);
	mr->pages = kvmalloc_array(npages, sizeof(*mr->pages),
				   GFP_KERNEL | __GFP_NOWARN);
	if (!mr->pages)
		goto err_pages;
	for_each_sgtable_page(&mr->umem->sgt_append.sgt, &iter, 0) {
		if (i == npages)
			break;
		mr->pages[i++] = sg_page_iter_page(&iter);
	}
	err = -EFAULT;
	if (i != npages)
		goto err_count;
	return 0;

err_count:
	kvfree(mr->pages);
err_pages:
	ib_umem_release(mr->umem);
	return err;
}

/* It goes, or is another from here on: out of what it is part of in its domain. */
static void mr_part(struct suo_mr *mr)
{
	if (!mr->shared)
		return;
	suo_windows_part(mr);
	suo_exports_part(mr);
	mr->shared = false;
}

static bool mr_range_ok(u64 length, u64 iova)
{
	return length && length <= SUO_MAX_MR_SIZE && iova + length >= iova;
}

struct ib_mr *suo_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibpd->device);
	struct suo_mr *mr;
	int err;

	if (access & ~MR_USER_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!mr_range_ok(length, iova))
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = mr_pin(mr, ibpd->device, start, length, access);
	if (err)
		goto err_pin;
	mr->ibmr.iova = iova;
	mr->ibmr.length = length;
	mr->page_off = start & ~PAGE_MASK;
	mr->valid = true;
	err = suo_mr_add(mr, dev, to_spd(ibpd), access);
	if (err)
		goto err_add;
	trace_suo_mr(&mr->ibmr, mr->key, SUO_MR_OP_REG, access);
	return &mr->ibmr;

err_add:
	kvfree(mr->pages);
	ib_umem_release(mr->umem);
err_pin:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * suo_rereg_user_mr() - change a region; its keys stay
 * @ibmr: the region; nobody may access it meanwhile, whoever does is refused
 * @flags: IB_MR_REREG_*: what to change
 * @start: TRANS: address in the process
 * @length: TRANS: bytes
 * @iova: TRANS: address for requests
 * @access: ACCESS
 * @ibpd: PD
 * @udata: none
 *
 * Return: NULL; or an error, -EBUSY if windows are bound to it, and the region is
 * as it was.
 */
struct ib_mr *suo_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *ibpd, struct ib_udata *udata)
{
	struct suo_mr *mr = container_of(ibmr, struct suo_mr, ibmr);
	struct suo_mr new = {};
	int err;

	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (!mr->umem)
		return ERR_PTR(-EINVAL);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (access & ~MR_USER_ACCESS)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_TRANS)) {
		start = mr->umem->address;
		length = mr->umem->length;
		iova = ibmr->iova;
	}
	if (!mr_range_ok(length, iova))
		return ERR_PTR(-EINVAL);
	/* Pages that were pinned to be read may not be written to. */
	if ((flags & IB_MR_REREG_TRANS) ||
	    (ib_access_writable(access) && !mr->umem->writable)) {
		err = mr_pin(&new, ibmr->device, start, length, access);
		if (err)
			return ERR_PTR(err);
	}
	err = suo_mw_region_disable(mr);
	if (err)
		goto out;
	mr_part(mr);
	suo_mr_put(mr);
	wait_for_completion(&mr->gone);

	if (new.umem) {
		swap(mr->umem, new.umem);
		swap(mr->pages, new.pages);
		mr->page_off = start & ~PAGE_MASK;
		ibmr->iova = iova;
		ibmr->length = length;
	}
	mr->access = access;
	if (flags & IB_MR_REREG_PD)
		mr->pd = to_spd(ibpd);
	trace_suo_mr(ibmr, mr->key, SUO_MR_OP_REREG, access);
	reinit_completion(&mr->gone);
	refcount_set(&mr->ref, 1);
	/* Pairs with the acquire in suo_mr_allows(). */
	smp_store_release(&mr->valid, true);
out:
	kvfree(new.pages);
	ib_umem_release(new.umem);
	return ERR_PTR(err);	/* NULL for 0 */
}

int suo_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct suo_mr *mr = container_of(ibmr, struct suo_mr, ibmr);
	int err;

	err = suo_mw_region_disable(mr);
	if (err)
		return err;
	mr_part(mr);
	trace_suo_mr(ibmr, mr->key, SUO_MR_OP_DEREG, mr->access);
	suo_mr_del(mr);
	kvfree(mr->pages);
	ib_umem_release(mr->umem);
	kfree_rcu(mr, rcu);
	return 0;
}

bool suo_mr_holds(const struct suo_mr *mr, u64 va, u64 len)
{
	const struct ib_mr *ibmr = &mr->ibmr;

	return va >= ibmr->iova && len <= ibmr->length &&
	       va - ibmr->iova <= ibmr->length - len;
}

/* This processor has no region at hand any more. Softirqs are off. */
void suo_mr_let_go(void)
{
	struct suo_mr *mr = __this_cpu_read(cpu_mr);

	if (!mr)
		return;
	__this_cpu_write(cpu_mr, NULL);
	suo_mr_put(mr);
}

/* The region or window that a key names by its index, with a reference, or NULL. */
struct suo_mr *suo_mr_find(u32 key)
{
	struct suo_mr *mr;

	rcu_read_lock();
	mr = xa_load(&suo_mrs, key >> 8);
	if (mr && !refcount_inc_not_zero(&mr->ref))
		mr = NULL;
	rcu_read_unlock();
	return mr;
}

/* The same, and keep it at hand, while ports are held. */
static struct suo_mr *mr_find_again(u32 key)
{
	struct suo_mr *mr = __this_cpu_read(cpu_mr);

	if (mr && READ_ONCE(mr->valid) && READ_ONCE(mr->key) == key) {
		refcount_inc(&mr->ref);
		return mr;
	}
	mr = suo_mr_find(key);
	if (mr) {
		suo_mr_let_go();
		refcount_inc(&mr->ref);
		__this_cpu_write(cpu_mr, mr);
	}
	return mr;
}

/* May it be accessed so? See suo_mr_get(). */
bool suo_mr_allows(struct suo_mr *mr, struct suo_dev *dev, struct suo_pd *pd,
		   u32 key, u64 va, u64 len, int access)
{
	/* Pairs with the release that makes a region valid. */
	return smp_load_acquire(&mr->valid) && READ_ONCE(mr->key) == key &&
	       mr->ibmr.device == &dev->ibdev && mr->pd == pd &&
	       !(access & ~mr->access) && (!len || suo_mr_holds(mr, va, len));
}

/**
 * suo_mr_get() - look a region up for one access of our own
 * @dev: the device that makes the access
 * @pd: protection domain of the queue pair
 * @key: lkey or rkey
 * @va: first byte
 * @len: bytes
 * @access: IB_ACCESS_* that the region must allow; 0 for local reads
 *
 * To be called while ports are held (port.c).
 *
 * Return: the region with a reference, or NULL if the key, the range, the
 * domain or the access is wrong.
 */
struct suo_mr *suo_mr_get(struct suo_dev *dev, struct suo_pd *pd, u32 key,
			  u64 va, u64 len, int access)
{
	struct suo_mr *mr = mr_find_again(key);

	if (!mr)
		return NULL;
	if (!mr->window && suo_mr_allows(mr, dev, pd, key, va, len, access))
		return mr;
	suo_mr_put(mr);
	return NULL;
}

/**
 * suo_mr_get_remote() - look a region up for one access of a peer
 * @dev: the device that makes the access
 * @pd: protection domain of the queue pair
 * @qpn: number of the queue pair
 * @key: rkey, of a region or of a window bound to one
 * @va: first byte
 * @len: bytes
 * @access: IB_ACCESS_REMOTE_*
 *
 * Return: as suo_mr_get().
 */
struct suo_mr *suo_mr_get_remote(struct suo_dev *dev, struct suo_pd *pd,
				 u32 qpn, u32 key, u64 va, u64 len, int access)
{
	struct suo_mr *mr = mr_find_again(key);

	if (!mr)
		return NULL;
	if (mr->window)
		return suo_mw_follow(mr, dev, pd, qpn, key, va, len, access);
	if (suo_mr_allows(mr, dev, pd, key, va, len, access))
		return mr;
	suo_mr_put(mr);
	return NULL;
}

void suo_mr_put(struct suo_mr *mr)
{
	if (refcount_dec_and_test(&mr->ref))
		complete(&mr->gone);
}

struct ib_mr *suo_alloc_mr(struct ib_pd *ibpd, enum ib_mr_type type,
			   u32 max_num_sg)
{
	struct suo_mr *mr;
	int err;

	if (type != IB_MR_TYPE_MEM_REG || max_num_sg > SUO_MAX_FAST_REG_PAGES)
		return ERR_PTR(-EINVAL);
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	err = -ENOMEM;
	mr->pages = kvcalloc(max_num_sg, sizeof(*mr->pages), GFP_KERNEL);
	if (!mr->pages)
		goto err_pages;
	mr->max_pages = max_num_sg;
	mr->fast = true;
	err = suo_mr_add(mr, to_sdev(ibpd->device), to_spd(ibpd), 0);
	if (err)
		goto err_add;
	return &mr->ibmr;

err_add:
	kvfree(mr->pages);
err_pages:
	kfree(mr);
	return ERR_PTR(err);
}

static int mr_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct suo_mr *mr = container_of(ibmr, struct suo_mr, ibmr);

	if (mr->npages == mr->max_pages)
		return -ENOMEM;
	mr->pages[mr->npages++] = virt_to_page((void *)(uintptr_t)addr);
	return 0;
}

int suo_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *offset)
{
	struct suo_mr *mr = container_of(ibmr, struct suo_mr, ibmr);

	if (!mr->fast || ibmr->page_size != PAGE_SIZE)
		return -EINVAL;
	mr->npages = 0;
	return ib_sg_to_pages(ibmr, sg, nents, offset, mr_set_page);
}

/**
 * suo_mr_fast_register() - REG_MR
 * @mr: region; its pages were set by suo_map_mr_sg()
 * @pd: protection domain of the queue pair
 * @key: new key; only its low eight bits can differ
 * @access: IB_ACCESS_*
 *
 * Return: 0, or -EINVAL if the region is not one that can be registered now.
 */
int suo_mr_fast_register(struct suo_mr *mr, struct suo_pd *pd, u32 key,
			 int access)
{
	if (!mr->fast || mr->valid || mr->pd != pd ||
	    (key ^ mr->key) & ~0xffu)
		return -EINVAL;
	mr->access = access;
	mr->page_off = mr->ibmr.iova & ~PAGE_MASK;
	trace_suo_mr(&mr->ibmr, key, SUO_MR_OP_FAST_REG, access);
	WRITE_ONCE(mr->key, key);
	/* Pairs with the acquire in suo_mr_allows(). */
	smp_store_release(&mr->valid, true);
	return 0;
}

/**
 * suo_mr_invalidate() - LOCAL_INV, or a peer's SEND with invalidate
 * @dev: the device
 * @pd: protection domain of the queue pair
 * @qpn: number of the queue pair
 * @key: key of a fast-registration region, or of a window that the queue pair
 *	has bound
 *
 * Return: 0, or -EINVAL if the key does not name a valid one in @pd.
 */
int suo_mr_invalidate(struct suo_dev *dev, struct suo_pd *pd, u32 qpn, u32 key)
{
	struct suo_mr *mr = suo_mr_find(key);
	int err = -EINVAL;

	if (!mr)
		return -EINVAL;
	if (mr->window) {
		err = suo_mw_invalidate(mr, dev, pd, qpn, key);
	} else if (mr->fast && suo_mr_allows(mr, dev, pd, key, 0, 0, 0)) {
		WRITE_ONCE(mr->valid, false);
		err = 0;
	}
	if (!err)
		trace_suo_mr(&mr->ibmr, key, SUO_MR_OP_INVALIDATE, mr->access);
	suo_mr_put(mr);
	return err;
}

void suo_mr_exit(void)
{
	WARN_ON(!xa_empty(&suo_mrs));
	xa_destroy(&suo_mrs);
}
