// SPDX-License-Identifier: GPL-2.0-only
/*
 * CRC-32 for the ICRC. Before 6.14 it is the kernel's crypto layer that knows what
 * the processor can do (crc32-pclmul); without it, or before it is there, the
 * library's table does. Later kernels' library knows it by itself.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>

#include "../model/core/icrc.h"
#include "compat.h"
#include "crc.h"

static struct crypto_shash *crc_tfm;

u32 suo_crc32(u32 crc, const void *p, size_t len)
{
	if (!SUO_CRC32_LE_IS_FAST && !IS_ERR_OR_NULL(crc_tfm)) {
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
	if (!SUO_CRC32_LE_IS_FAST)
		crc_tfm = crypto_alloc_shash("crc32", 0, 0);
}

void suo_crc_exit(void)
{
	if (!IS_ERR_OR_NULL(crc_tfm))
		crypto_free_shash(crc_tfm);
	crc_tfm = NULL;
}
