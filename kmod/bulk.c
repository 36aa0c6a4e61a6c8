// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kasan-checks.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "bulk.h"

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/simd.h>

#include "bulk_avx.h"

/* Less is not worth saving the registers for. */
#define VECTOR_MIN	8192

static bool use_movsb __ro_after_init;
static bool use_avx __ro_after_init;

void __init suo_bulk_init(void)
{
	/* A checker that follows values from store to store has to see these. */
	if (IS_ENABLED(CONFIG_KMSAN))
		return;
	use_movsb = boot_cpu_has(X86_FEATURE_ERMS);
	use_avx = !use_movsb && boot_cpu_has(X86_FEATURE_AVX) &&
		  boot_cpu_has(X86_FEATURE_OSXSAVE) &&
		  cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

/**
 * suo_bulk_begin() - get ready to copy
 * @len: bytes that are to be copied until suo_bulk_end()
 *
 * Nobody may sleep from here to there, and @len be no more than
 * SUO_BULK_SECTION.
 *
 * Return: what the other two functions want to know.
 */
bool suo_bulk_begin(u32 len)
{
	if (!use_avx || len < VECTOR_MIN || !may_use_simd())
		return false;
	kernel_fpu_begin();
	return true;
}

void suo_bulk_end(bool vector)
{
	if (vector)
		kernel_fpu_end();
}

static void copy_movsb(void *to, const void *from, size_t len)
{
	asm volatile("rep movsb"
		     : "+D" (to), "+S" (from), "+c" (len) : : "memory");
}

/**
 * suo_bulk_copy() - copy
 * @to: destination
 * @from: source, not overlapping
 * @len: bytes
 * @vector: what suo_bulk_begin() returned
 */
void suo_bulk_copy(void *to, const void *from, size_t len, bool vector)
{
	if (!use_movsb && !vector) {
		memcpy(to, from, len);
		return;
	}
	/* What memcpy() does by itself */
	kasan_check_read(from, len);
	kasan_check_write(to, len);
	if (use_movsb)
		copy_movsb(to, from, len);
	else
		suo_avx_copy(to, from, len);
}

/**
 * suo_bulk_pages() - copy whole pages
 * @to: array of destinations
 * @from: array of sources
 * @n: pages
 *
 * Only where suo_bulk_begin() returned true, so on x86-64. Pages of a process lie
 * anywhere: to go from one to the next should cost little beside the copy of 4096
 * bytes.
 */
void suo_bulk_pages(struct page *const *to, struct page *const *from, u32 n)
{
	for (; n; n--, to++, from++) {
		void *d = page_address(*to), *s = page_address(*from);

		kasan_check_read(s, PAGE_SIZE);
		kasan_check_write(d, PAGE_SIZE);
		suo_avx_blocks(d, s, PAGE_SIZE);
	}
}

#else

void __init suo_bulk_init(void)
{
}

bool suo_bulk_begin(u32 len)
{
	return false;
}

void suo_bulk_end(bool vector)
{
}

void suo_bulk_copy(void *to, const void *from, size_t len, bool vector)
{
	memcpy(to, from, len);
}

#endif
