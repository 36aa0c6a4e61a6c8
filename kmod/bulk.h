/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying much memory at once. What does it best is up to the processor:
 *
 * - with ERMS, "rep movsb", which is as fast as anything else (the kernel's own
 *   memcpy() takes it only from processors with FSRM on, since it is slow to start);
 * - else AVX, if it is there: 32 bytes an instruction instead of 8;
 * - else memcpy().
 *
 * Vector registers are not to be had everywhere, and have to be saved first, so
 * they are asked for: suo_bulk_begin(), any number of suo_bulk_copy() and, if they
 * are to be had, suo_bulk_pages(), suo_bulk_end().
 */
#ifndef SUO_BULK_H
#define SUO_BULK_H

#include <linux/init.h>
#include <linux/types.h>

/* From one begin to its end, at most: a processor is not given to anybody else
 * meanwhile. 64 KiB take some ten microseconds at worst.
 */
#define SUO_BULK_SECTION	65536

struct page;

bool suo_bulk_begin(u32 len);
void suo_bulk_end(bool vector);
void suo_bulk_copy(void *to, const void *from, size_t len, bool vector);
void suo_bulk_pages(struct page *const *to, struct page *const *from, u32 n);
void __init suo_bulk_init(void);

#endif /* SUO_BULK_H */
