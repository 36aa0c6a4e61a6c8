// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32 for the ICRC. The kernel's crypto layer knows what the processor can do
 * (crc32-pclmul); without it, or before it is there, the library's table does.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>

#include "../model/core/icrc.h"
#include "crc.h"

static struct crypto_shash *crc_tfm;

u32 suo_crc32(u32 crc, const void *p, size_t len)
{
	if (!IS_ERR_OR_NULL(crc_tfm)) {
		SHASH_DESC_ON_STACK(desc, crc_tfm);
		u32 *state = shash_desc_ctx(desc);

		desc->tfm = crc_tfm;
		*state = crc;
		if (!crypto_shash_update(desc, p, len))
			return *state;
	}
	return crc32_le(crc, p, len);
}

void suo_crc_init(void)
{
	crc_tfm = crypto_alloc_shash("crc32", 0, 0);
}

void suo_crc_exit(void)
{
	if (!IS_ERR_OR_NULL(crc_tfm))
		crypto_free_shash(crc_tfm);
	crc_tfm = NULL;
}
