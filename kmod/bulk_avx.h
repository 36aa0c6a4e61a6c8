/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copying by AVX, apart from bulk.c so that a process can test it too. */
#ifndef SUO_BULK_AVX_H
#define SUO_BULK_AVX_H

/* Bytes of one round, and what the destination of a round is a multiple of */
#define SUO_AVX_BLOCK	256
#define SUO_AVX_ALIGN	32

/* A multiple of SUO_AVX_BLOCK, and not 0. The compiler of the kernel does not know
 * these registers, so they cannot be named as clobbered.
 */
static inline void suo_avx_blocks(void *to, const void *from, unsigned long len)
{
	unsigned long at = -len;

	asm volatile("1:\n\t"
		     "vmovdqu (%[from], %[at]), %%ymm0\n\t"
		     "vmovdqu 32(%[from], %[at]), %%ymm1\n\t"
		     "vmovdqu 64(%[from], %[at]), %%ymm2\n\t"
		     "vmovdqu 96(%[from], %[at]), %%ymm3\n\t"
		     "vmovdqu 128(%[from], %[at]), %%ymm4\n\t"
		     "vmovdqu 160(%[from], %[at]), %%ymm5\n\t"
		     "vmovdqu 192(%[from], %[at]), %%ymm6\n\t"
		     "vmovdqu 224(%[from], %[at]), %%ymm7\n\t"
		     "vmovdqa %%ymm0, (%[to], %[at])\n\t"
		     "vmovdqa %%ymm1, 32(%[to], %[at])\n\t"
		     "vmovdqa %%ymm2, 64(%[to], %[at])\n\t"
		     "vmovdqa %%ymm3, 96(%[to], %[at])\n\t"
		     "vmovdqa %%ymm4, 128(%[to], %[at])\n\t"
		     "vmovdqa %%ymm5, 160(%[to], %[at])\n\t"
		     "vmovdqa %%ymm6, 192(%[to], %[at])\n\t"
		     "vmovdqa %%ymm7, 224(%[to], %[at])\n\t"
		     "add $256, %[at]\n\t"
		     "jnz 1b\n\t"
		     "vzeroupper"
		     : [at] "+r" (at)
		     : [to] "r" ((char *)to + len),
		       [from] "r" ((const char *)from + len)
		     : "memory", "cc");
}

/* Copy; the vector registers are the caller's, and what is in them is lost. */
static inline void suo_avx_copy(void *to, const void *from, unsigned long len)
{
	unsigned long head = -(unsigned long)to & (SUO_AVX_ALIGN - 1);
	unsigned long body, tail;

	if (len < head + SUO_AVX_BLOCK) {
		memcpy(to, from, len);
		return;
	}
	body = (len - head) & ~(SUO_AVX_BLOCK - 1ul);
	tail = len - head - body;
	if (head)
		memcpy(to, from, head);
	suo_avx_blocks((char *)to + head, (const char *)from + head, body);
	if (tail)
		memcpy((char *)to + head + body,
		       (const char *)from + head + body, tail);
}

#endif /* SUO_BULK_AVX_H */
