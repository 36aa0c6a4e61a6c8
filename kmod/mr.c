// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory regions: keys, lookup, and access page by page. A key is looked up
 * for every access, so a region can be deregistered while requests that name
 * it are under way; they then fail with a key error.
 */
#include <linux/highmem.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "compat.h"
#include "copy.h"
#include "mr.h"
#include "suo.h"

static DEFINE_XARRAY_ALLOC1(suo_mrs);

/* The region that was last looked up, with a reference: packets come in rows
 * that use the same one. Given up when ports are released, see port.c.
 */
static DEFINE_PER_CPU(struct suo_mr *, cpu_mr);

/* The low eight bits of a key are random: a stale key does not fit. */
static int mr_add(struct suo_mr *mr, struct suo_dev *dev, struct suo_pd *pd,
		  int access)
{
	u32 index;
	int err;

	if (!atomic_add_unless(&dev->num_mr, 1, SUO_MAX_MR))
		return -ENOMEM;
	mr->ibmr.device = &dev->ibdev;
	mr->pd = pd;
	mr->access = access;
	refcount_set(&mr->ref, 1);
	init_completion(&mr->gone);
	err = xa_alloc(&suo_mrs, &index, NULL, XA_LIMIT(1, 0xffffff),
		       GFP_KERNEL);
	if (err) {
		atomic_dec(&dev->num_mr);
		return err;
	}
	mr->ibmr.lkey = index << 8 | (get_random_u32() & 0xff);
	mr->ibmr.rkey = mr->ibmr.lkey;
	mr->key = mr->ibmr.lkey;
	xa_store(&suo_mrs, index, mr, GFP_KERNEL);
	return 0;
}

struct ib_mr *suo_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct suo_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int err;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->ibmr.length = U64_MAX;
	mr->valid = true;
	err = mr_add(mr, to_sdev(ibpd->device), to_spd(ibpd), access);
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
	mr->pages = kvmalloc_array(npages, sizeof(*mr->pages), GFP_KERNEL);
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

struct ib_mr *suo_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			      u64 iova, int access, struct ib_udata *udata)
{
	struct suo_dev *dev = to_sdev(ibpd->device);
	struct suo_mr *mr;
	int err;

	if (access & ~(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
		       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC |
		       IB_ACCESS_OPTIONAL))
		return ERR_PTR(-EOPNOTSUPP);
	if (!length || length > SUO_MAX_MR_SIZE || iova + length < iova)
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
	err = mr_add(mr, dev, to_spd(ibpd), access);
	if (err)
		goto err_add;
	return &mr->ibmr;

err_add:
	kvfree(mr->pages);
	ib_umem_release(mr->umem);
err_pin:
	kfree(mr);
	return ERR_PTR(err);
}

int suo_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct suo_mr *mr = container_of(ibmr, struct suo_mr, ibmr);
	struct suo_dev *dev = to_sdev(ibmr->device);

	/* Whoever has it at hand uses it no more. */
	WRITE_ONCE(mr->valid, false);
	xa_erase(&suo_mrs, mr->key >> 8);
	suo_mr_put(mr);
	wait_for_completion(&mr->gone);
	kvfree(mr->pages);
	ib_umem_release(mr->umem);
	atomic_dec(&dev->num_mr);
	kfree_rcu(mr, rcu);
	return 0;
}

static bool mr_holds(const struct suo_mr *mr, u64 va, u64 len)
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

/**
 * suo_mr_get() - look a region up for one access
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
	struct suo_mr *mr = __this_cpu_read(cpu_mr);

	if (mr && READ_ONCE(mr->key) == key) {
		refcount_inc(&mr->ref);
	} else {
		rcu_read_lock();
		mr = xa_load(&suo_mrs, key >> 8);
		if (mr && !refcount_inc_not_zero(&mr->ref))
			mr = NULL;
		rcu_read_unlock();
		if (!mr)
			return NULL;
		suo_mr_let_go();
		refcount_inc(&mr->ref);
		__this_cpu_write(cpu_mr, mr);
	}
	/* Pairs with the release that makes a fast registration valid. */
	if (!smp_load_acquire(&mr->valid) || READ_ONCE(mr->key) != key ||
	    mr->ibmr.device != &dev->ibdev || mr->pd != pd ||
	    (access & ~mr->access))
		goto err_refused;
	if (mr->pages && len && !mr_holds(mr, va, len))
		goto err_refused;
	return mr;

err_refused:
	suo_mr_put(mr);
	return NULL;
}

void suo_mr_put(struct suo_mr *mr)
{
	if (refcount_dec_and_test(&mr->ref))
		complete(&mr->gone);
}

/* The chunk of a region at va that lies in one page; unmap with kunmap_local. */
static void *mr_map(struct suo_mr *mr, u64 va, u32 *len)
{
	u64 off = va - mr->ibmr.iova + mr->page_off;

	*len = min_t(u32, *len, PAGE_SIZE - offset_in_page(off));
	return (u8 *)kmap_local_page(mr->pages[off >> PAGE_SHIFT]) +
	       offset_in_page(off);
}

/**
 * suo_mr_read() - copy out of a region
 * @mr: from suo_mr_get(), which checked the range
 * @va: first byte
 * @buf: destination
 * @len: bytes
 *
 * Return: 0.
 */
int suo_mr_read(struct suo_mr *mr, u64 va, void *buf, u32 len)
{
	u8 *to = buf;

	if (!mr->pages) {
		memcpy(buf, (void *)(uintptr_t)va, len);
		return 0;
	}
	while (len) {
		u32 n = len;
		void *from = mr_map(mr, va, &n);

		memcpy(to, from, n);
		kunmap_local(from);
		to += n;
		va += n;
		len -= n;
	}
	return 0;
}

/**
 * suo_mr_write() - copy a packet's payload into a region
 * @mr: from suo_mr_get(), which checked the range
 * @va: first byte
 * @pay: the payload
 * @off: where in the payload to begin
 * @len: bytes
 *
 * Return: 0, or the error of suo_payload_read().
 */
int suo_mr_write(struct suo_mr *mr, u64 va, const struct suo_payload *pay,
		 u32 off, u32 len)
{
	int err = 0;

	if (!mr->pages)
		return suo_payload_read(pay, off, (void *)(uintptr_t)va, len);
	while (len && !err) {
		u32 n = len;
		void *to = mr_map(mr, va, &n);

		err = suo_payload_read(pay, off, to, n);
		kunmap_local(to);
		off += n;
		va += n;
		len -= n;
	}
	return err;
}

/**
 * suo_mr_atomic() - an atomic operation on 8 bytes of a region
 * @mr: from suo_mr_get(), which checked the range
 * @va: address
 * @swap: compare and swap, else fetch and add
 * @operand: value to swap in, or to add
 * @compare: value to compare with
 * @orig: what stood there before
 *
 * It is atomic towards the processor too.
 *
 * Return: 0, or -EINVAL if @va is not a multiple of 8.
 */
int suo_mr_atomic(struct suo_mr *mr, u64 va, bool swap, u64 operand,
		  u64 compare, u64 *orig)
{
	u32 len = sizeof(u64);
	atomic64_t *p;
	void *mapped;

	mapped = mr->pages ? mr_map(mr, va, &len) : (void *)(uintptr_t)va;
	p = mapped;
	if (!IS_ALIGNED((uintptr_t)p, sizeof(*p))) {
		if (mr->pages)
			kunmap_local(mapped);
		return -EINVAL;
	}
	if (swap)
		*orig = atomic64_cmpxchg(p, compare, operand);
	else
		*orig = atomic64_fetch_add(operand, p);
	if (mr->pages)
		kunmap_local(mapped);
	return 0;
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
	err = mr_add(mr, to_sdev(ibpd->device), to_spd(ibpd), 0);
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
	WRITE_ONCE(mr->key, key);
	/* Pairs with the acquire in suo_mr_get(). */
	smp_store_release(&mr->valid, true);
	return 0;
}

/**
 * suo_mr_invalidate() - LOCAL_INV, or a peer's SEND with invalidate
 * @dev: the device
 * @pd: protection domain of the queue pair
 * @key: key of a fast-registration region
 *
 * Return: 0, or -EINVAL if the key does not name a valid one in @pd.
 */
int suo_mr_invalidate(struct suo_dev *dev, struct suo_pd *pd, u32 key)
{
	struct suo_mr *mr = suo_mr_get(dev, pd, key, 0, 0, 0);
	int err = -EINVAL;

	if (!mr)
		return -EINVAL;
	if (mr->fast) {
		WRITE_ONCE(mr->valid, false);
		err = 0;
	}
	suo_mr_put(mr);
	return err;
}

void suo_mr_exit(void)
{
	WARN_ON(!xa_empty(&suo_mrs));
	xa_destroy(&suo_mrs);
}
