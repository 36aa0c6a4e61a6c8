// SPDX-License-Identifier: GPL-2.0-only
/* Access to the memory of a region that was looked up. */
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>

#include "bulk.h"
#include "copy.h"
#include "mr.h"

/* Pages that follow each other need not be mapped, and copied, one by one. */
static u32 pages_run(struct page *const *page, u32 n, u32 len)
{
	/* Each has an address of its own. */
	if (IS_ENABLED(CONFIG_KMAP_LOCAL))
		return n;
	for (; n < len && page_to_pfn(page[1]) == page_to_pfn(page[0]) + 1;
	     page++)
		n += PAGE_SIZE;
	return n;
}

/* What of a region, from va on, lies in one piece; it has len bytes from there.
 * unmap() is called with what this returns, the last map first.
 */
static void *map(struct suo_mr *mr, u64 va, u32 *len)
{
	struct page *const *page;
	u64 off;

	if (!mr->pages)
		return (void *)(uintptr_t)va;
	off = va - mr->ibmr.iova + mr->page_off;
	page = mr->pages + (off >> PAGE_SHIFT);
	*len = min(*len, pages_run(page, PAGE_SIZE - offset_in_page(off), *len));
	return (u8 *)kmap_local_page(*page) + offset_in_page(off);
}

static void unmap(struct suo_mr *mr, void *mapped)
{
	if (mr->pages)
		kunmap_local(mapped);
}

/**
 * suo_mr_read() - copy out of a region
 * @mr: from suo_mr_get(), which checked the range
 * @va: first byte
 * @buf: destination
 * @len: bytes
 */
void suo_mr_read(struct suo_mr *mr, u64 va, void *buf, u32 len)
{
	u8 *to = buf;

	while (len) {
		u32 n = len;
		void *from = map(mr, va, &n);

		memcpy(to, from, n);
		unmap(mr, from);
		to += n;
		va += n;
		len -= n;
	}
}

/* Up to SUO_BULK_SECTION bytes from region to region */
static void copy_section(struct suo_mr *to, u64 to_va, struct suo_mr *from,
			 u64 from_va, u32 len)
{
	bool vector = suo_bulk_begin(len);

	while (len) {
		u32 n = len;
		void *dst = map(to, to_va, &n);
		void *src = map(from, from_va, &n);

		suo_bulk_copy(dst, src, n, vector);
		unmap(from, src);
		unmap(to, dst);
		to_va += n;
		from_va += n;
		len -= n;
	}
	suo_bulk_end(vector);
}

/**
 * suo_mr_copy() - copy from one region to another
 * @to: destination; both from suo_mr_get(), which checked the ranges
 * @to_va: its first byte
 * @from: source
 * @from_va: its first byte
 * @len: bytes
 */
void suo_mr_copy(struct suo_mr *to, u64 to_va, struct suo_mr *from, u64 from_va,
		 u32 len)
{
	while (len) {
		u32 n = min_t(u32, len, SUO_BULK_SECTION);

		copy_section(to, to_va, from, from_va, n);
		to_va += n;
		from_va += n;
		len -= n;
	}
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

	if (suo_payload_in_regions(pay))
		return suo_payload_copy(pay, off, mr, va, len);
	while (len && !err) {
		u32 n = len;
		void *to = map(mr, va, &n);

		err = suo_payload_read(pay, off, to, n);
		unmap(mr, to);
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

	mapped = map(mr, va, &len);
	p = mapped;
	if (!IS_ALIGNED((uintptr_t)p, sizeof(*p))) {
		unmap(mr, mapped);
		return -EINVAL;
	}
	if (swap)
		*orig = atomic64_cmpxchg(p, compare, operand);
	else
		*orig = atomic64_fetch_add(operand, p);
	unmap(mr, mapped);
	return 0;
}
