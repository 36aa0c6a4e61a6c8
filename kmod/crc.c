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

/* Below this the way through the crypto layer costs more than it saves. */
#define CRYPTO_MIN	128

/* The state of a CRC, without the room for others' that SHASH_DESC_ON_STACK()
 * clears each time.
 */
struct crc_desc {
	struct shash_desc	desc;
	u32			state;
};

static_assert(offsetof(struct crc_desc, state) ==
	      offsetof(struct shash_desc, __ctx));

u32 suo_crc32(u32 crc, const void *p, size_t len)
{
	if (!SUO_CRC32_LE_IS_FAST && len >= CRYPTO_MIN &&
	    !IS_ERR_OR_NULL(crc_tfm)) {
		struct crc_desc d = { .desc.tfm = crc_tfm };
		u32 *state = shash_desc_ctx(&d.desc);

		*state = crc;
		if (!crypto_shash_update(&d.desc, p, len))
			return *state;
	}
	return crc32_le(crc, p, len);
}

void suo_crc_init(void)
{
	if (SUO_CRC32_LE_IS_FAST)
		return;
	crc_tfm = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(crc_tfm) || crypto_shash_descsize(crc_tfm) <= sizeof(u32))
		return;
	crypto_free_shash(crc_tfm);
	crc_tfm = NULL;
}

void suo_crc_exit(void)
{
	if (!IS_ERR_OR_NULL(crc_tfm))
		crypto_free_shash(crc_tfm);
	crc_tfm = NULL;
}
