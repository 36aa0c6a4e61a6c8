// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "shm.h"

static u64 page_up(u64 off)
{
	return (off + SUO_SHM_PAGE - 1) & ~(u64)(SUO_SHM_PAGE - 1);
}

bool suo_shm_layout(struct suo_shm_header *h, u64 size)
{
	u32 ring = SUO_SHM_MIN_RING;
	u32 pairs;

	memset(h, 0, sizeof(*h));
	h->magic = SUO_SHM_MAGIC;
	h->version = SUO_SHM_VERSION;
	h->slots = size < SUO_SHM_MANY_BYTES ? SUO_SHM_SLOTS :
					       SUO_SHM_MANY_SLOTS;
	h->members = SUO_SHM_MEMBERS;
	h->gids = SUO_SHM_GIDS;
	h->size = size;
	h->slot_bytes = page_up(sizeof(struct suo_shm_slot));
	h->slot_off = SUO_SHM_PAGE;
	h->ctl_off = h->slot_off + (u64)h->slots * h->slot_bytes;
	pairs = h->slots * (h->slots - 1);
	h->ring_off = page_up(h->ctl_off + pairs * sizeof(struct suo_shm_ctl));
	if (size < h->ring_off + (u64)pairs * ring)
		return false;
	while (ring < SUO_SHM_MAX_RING &&
	       size >= h->ring_off + (u64)pairs * ring * 2)
		ring *= 2;
	h->ring_bytes = ring;
	return true;
}

/* All VMs write the same header, so each of its bytes is right or not yet there. */
enum suo_shm_state suo_shm_header_check(const struct suo_shm_header *want,
					const struct suo_shm_header *found)
{
	const u8 *w = (const u8 *)want, *f = (const u8 *)found;
	unsigned int i;

	if (!memcmp(want, found, sizeof(*want)))
		return SUO_SHM_READY;
	if (found->magic == want->magic)
		return SUO_SHM_VERSIONS;
	for (i = 0; i < sizeof(*want); i++)
		if (f[i] && f[i] != w[i])
			return SUO_SHM_FOREIGN;
	return SUO_SHM_EMPTY;
}

bool suo_shm_rec_check(const struct suo_shm_rec *rec, u32 avail, u32 to_end)
{
	if (!rec->bytes || rec->bytes % SUO_SHM_ALIGN || rec->bytes > avail ||
	    rec->bytes > to_end)
		return false;
	if (rec->kind == SUO_SHM_SKIP)
		return rec->bytes == to_end;
	return rec->kind == SUO_SHM_PACKET &&
	       rec->len >= SUO_BTH_LEN &&
	       rec->len <= rec->bytes - sizeof(*rec) &&
	       rec->bytes <= SUO_SHM_MAX_REC &&
	       rec->src < SUO_SHM_MEMBERS && rec->dst < SUO_SHM_MEMBERS;
}

enum suo_shm_packet suo_shm_parse(const u8 *buf, u32 len, struct suo_hdr *hdr,
				  u32 *pay_off, u32 *pay_len)
{
	u32 n = len < SUO_MAX_HDR_LEN ? len : SUO_MAX_HDR_LEN;

	*pay_len = 0;
	*pay_off = suo_hdr_get(hdr, buf, n);
	if (!*pay_off)
		return SUO_SHM_BAD_HEADER;
	if (len < *pay_off + hdr->pad)
		return SUO_SHM_BAD_LENGTH;
	*pay_len = len - *pay_off - hdr->pad;
	if (*pay_len > SUO_SHM_MAX_PAYLOAD ||
	    (*pay_len && !(suo_op_flags(hdr->opcode) & SUO_F_PAYLOAD)))
		return SUO_SHM_BAD_LENGTH;
	if ((hdr->pkey & 0x7fff) != (SUO_DEFAULT_PKEY & 0x7fff))
		return SUO_SHM_BAD_PKEY;
	return SUO_SHM_GOOD;
}
