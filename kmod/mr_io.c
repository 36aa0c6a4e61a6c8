// SPDX-License-Identifier: GPL-2.0-only
/* Access to the memory of a region that was looked up. */
#include <linux/highmem.h>
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>

#include "bulk.h"
#include "copy.h"
#include "mr.h"

/**
 * struct cursor - a place in a region
 * @page: its page, NULL in a kernel DMA region
 * @at: offset in the page; in a kernel DMA region the address
 */
struct cursor {
	struct page *const	*page;
	uintptr_t		at;
};

static struct cursor cursor_to(const struct suo_mr *mr, u64 va)
{
	u64 off = va - mr->ibmr.iova + mr->page_off;

	if (!mr->pages)
		return (struct cursor){ .at = va };
	return (struct cursor){
		.page = mr->pages + (off >> PAGE_SHIFT),
		.at = offset_in_page(off),
	};
}

/* Pages that follow each other need not be mapped, and copied, one by one: how
 * many bytes, of len that the region has from here, lie in one piece?
 */
static __always_inline u32 cursor_run(const struct cursor *c, u32 len)
{
	struct page *const *page = c->page;
	u32 n = PAGE_SIZE - c->at;

	/* With this, each page has an address of its own. */
	if (IS_ENABLED(CONFIG_KMAP_LOCAL) || n >= len)
		return min(n, len);
	for (; n < len && page_to_pfn(page[1]) == page_to_pfn(page[0]) + 1;
	     page++)
		n += PAGE_SIZE;
	return min(n, len);
}

/* What lies here, to the end of the piece; len becomes the length of that, if it is
 * less. unmap() is called with what this returns, for the last map first.
 */
static __always_inline void *map(const struct cursor *c, u32 *len)
{
	if (!c->page)
		return (void *)c->at;
	*len = cursor_run(c, *len);
	return (u8 *)kmap_local_page(*c->page) + c->at;
}

static void unmap(const struct cursor *c, void *mapped)
{
	if (c->page)
		kunmap_local(mapped);
}

static void advance(struct cursor *c, u32 len)
{
	c->at += len;
	if (!c->page)
		return;
	c->page += c->at >> PAGE_SHIFT;
	c->at &= ~PAGE_MASK;
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
	struct cursor c = cursor_to(mr, va);
	u8 *to = buf;

	while (len) {
		u32 n = len;
		void *from = map(&c, &n);

		memcpy(to, from, n);
		unmap(&c, from);
		advance(&c, n);
		to += n;
		len -= n;
	}
}

/* How many whole pages, of len bytes, lie ahead of both that suo_bulk_pages() can
 * copy? They need not follow each other in memory, but have to be mapped for good.
 */
static u32 pages_ahead(const struct cursor *d, const struct cursor *s, u32 len,
		       bool vector)
{
	if (!IS_ENABLED(CONFIG_X86_64) || IS_ENABLED(CONFIG_KMAP_LOCAL) ||
	    !vector || !d->page || !s->page || d->at || s->at)
		return 0;
	return len >> PAGE_SHIFT;
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
	struct cursor d = cursor_to(to, to_va);
	struct cursor s = cursor_to(from, from_va);

	while (len) {
		u32 section = min_t(u32, len, SUO_BULK_SECTION);
		bool vector = suo_bulk_begin(section);

		len -= section;
		while (section) {
			u32 pages = pages_ahead(&d, &s, section, vector);
			u32 n = section;

			if (pages) {
				suo_bulk_pages(d.page, s.page, pages);
				n = pages << PAGE_SHIFT;
			} else {
				void *dst = map(&d, &n);
				void *src = map(&s, &n);

				suo_bulk_copy(dst, src, n, vector);
				unmap(&s, src);
				unmap(&d, dst);
			}
			advance(&d, n);
			advance(&s, n);
			section -= n;
		}
		suo_bulk_end(vector);
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
	struct cursor c = cursor_to(mr, va);
	int err = 0;

	if (suo_payload_in_regions(pay))
		return suo_payload_copy(pay, off, mr, va, len);
	while (len && !err) {
		u32 n = len;
		void *to = map(&c, &n);

		err = suo_payload_read(pay, off, to, n);
		unmap(&c, to);
		advance(&c, n);
		off += n;
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
	struct cursor c = cursor_to(mr, va);
	u32 len = sizeof(u64);
	atomic64_t *p;
	void *mapped;

	mapped = map(&c, &len);
	p = mapped;
	if (!IS_ALIGNED((uintptr_t)p, sizeof(*p))) {
		unmap(&c, mapped);
		return -EINVAL;
	}
	if (swap)
		*orig = atomic64_cmpxchg(p, compare, operand);
	else
		*orig = atomic64_fetch_add(operand, p);
	unmap(&c, mapped);
	return 0;
}
