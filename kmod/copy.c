// SPDX-License-Identifier: GPL-2.0-only
#include "copy.h"
#include "mr.h"
#include "qp.h"
#include "suo.h"
#include "window.h"

/* The scatter list of a request under way. Another request may be taking its slot
 * (see struct suo_payload), so each entry is looked at once; sq_copy() never lets
 * the slot hold more entries than it has room for.
 */
static struct suo_mr *wqe_piece(const struct suo_payload *pay, u32 off,
				u32 *len, u64 *va)
{
	u32 i, n = READ_ONCE(pay->wqe->w.num_sge);
	struct suo_sge sge;

	for (i = 0; i < n; i++) {
		sge = suo_swqe_sges(pay->wqe)[i];
		if (off < sge.length) {
			*len = min(*len, sge.length - off);
			*va = sge.addr + off;
			return suo_mr_get(pay->dev, pay->pd, sge.lkey, *va,
					  *len, 0) ?: ERR_PTR(-EACCES);
		}
		off -= sge.length;
	}
	return ERR_PTR(-EFAULT);
}

/* The region that a payload's bytes from off on lie in, with a reference; len, not
 * 0, becomes how many of them do. What off is relative to is the whole message.
 */
static struct suo_mr *piece(const struct suo_payload *pay, u32 off, u32 *len,
			    u64 *va)
{
	if (pay->kind == SUO_PAYLOAD_WQE)
		return wqe_piece(pay, off, len, va);
	*va = pay->va + off;
	return suo_mr_get_remote(pay->dev, pay->pd, pay->qpn, pay->rkey, *va,
				 *len, IB_ACCESS_REMOTE_READ) ?:
	       ERR_PTR(-EACCES);
}

/* Read from the regions that a payload lies in. */
static int pieces_read(const struct suo_payload *pay, u32 off, u8 *buf, u32 len)
{
	while (len) {
		struct suo_mr *mr;
		u32 n = len;
		u64 va;

		mr = piece(pay, off, &n, &va);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		suo_mr_read(mr, va, buf, n);
		suo_mr_put(mr);
		buf += n;
		off += n;
		len -= n;
	}
	return 0;
}

/**
 * suo_payload_copy() - copy bytes of a payload that lies in regions to a region
 * @pay: the payload, WQE or MR
 * @off: first byte, relative to the payload
 * @to: destination, from suo_mr_get(), which checked the range
 * @to_va: its first byte
 * @len: bytes
 *
 * Return: as suo_payload_read().
 */
int suo_payload_copy(const struct suo_payload *pay, u32 off, struct suo_mr *to,
		     u64 to_va, u32 len)
{
	if (off > pay->len || len > pay->len - off)
		return -EFAULT;
	off += pay->off;
	while (len) {
		struct suo_mr *from;
		u32 n = len;
		u64 va;

		from = piece(pay, off, &n, &va);
		if (IS_ERR(from))
			return PTR_ERR(from);
		suo_mr_copy(to, to_va, from, va, n);
		suo_mr_put(from);
		off += n;
		to_va += n;
		len -= n;
	}
	return 0;
}

static void row_read(const struct suo_payload *pay, u32 off, u8 *buf, u32 len)
{
	u32 nr = off / pay->piece, in = off % pay->piece;

	while (len) {
		u32 n = min(len, pay->piece - in);

		memcpy(buf, pay->buf + pay->off + nr * pay->stride + in, n);
		buf += n;
		len -= n;
		in = 0;
		nr++;
	}
}

/**
 * suo_payload_read() - copy bytes out of a packet's payload
 * @pay: the payload
 * @off: first byte, relative to the packet's payload
 * @buf: destination
 * @len: bytes
 *
 * Return: 0; -EACCES if a key no longer fits; -EFAULT past the end.
 */
int suo_payload_read(const struct suo_payload *pay, u32 off, void *buf, u32 len)
{
	if (off > pay->len || len > pay->len - off)
		return -EFAULT;
	switch (pay->kind) {
	case SUO_PAYLOAD_BUF:
		memcpy(buf, pay->buf + pay->off + off, len);
		return 0;
	case SUO_PAYLOAD_ROW:
		row_read(pay, off, buf, len);
		return 0;
	case SUO_PAYLOAD_SKB:
		return skb_copy_bits(pay->skb, pay->off + off, buf, len);
	case SUO_PAYLOAD_INLINE:
		memcpy(buf, suo_swqe_inline(pay->wqe) + pay->off + off, len);
		return 0;
	case SUO_PAYLOAD_WQE:
	case SUO_PAYLOAD_MR:
		return pieces_read(pay, pay->off + off, buf, len);
	case SUO_PAYLOAD_WINDOW:
		return suo_window_read(pay->rkey, pay->va + pay->off + off, buf, len);
	default:
		return len ? -EFAULT : 0;
	}
}

/**
 * suo_payload_region() - the region that bytes of a payload lie in
 * @pay: the payload, WQE or MR
 * @len: bytes, from the payload's first on; may go beyond the payload, to those
 *	of packets that follow it
 * @va: where they begin
 *
 * Return: the region with a reference; NULL if they do not lie in one, or a key
 * does not fit, which suo_payload_read() finds out.
 */
struct suo_mr *suo_payload_region(const struct suo_payload *pay, u32 len,
				  u64 *va)
{
	struct suo_mr *mr;
	u32 n = len;

	if (!suo_payload_in_regions(pay))
		return NULL;
	mr = piece(pay, pay->off, &n, va);
	if (IS_ERR(mr))
		return NULL;
	if (n == len)
		return mr;
	suo_mr_put(mr);
	return NULL;
}

/**
 * suo_sges_write() - copy a packet's payload into a scatter list
 * @dev: device of the list
 * @pd: protection domain of the list
 * @sge: the list
 * @num_sge: its length
 * @sge_off: byte of the list at which to begin
 * @pay: the payload
 * @pay_off: byte of the payload at which to begin
 * @len: bytes
 *
 * Return: 0; -EMSGSIZE if the list is too short; -EPERM if a key of the list
 * is wrong; otherwise what suo_payload_read() says of the source.
 */
int suo_sges_write(struct suo_dev *dev, struct suo_pd *pd,
		   const struct suo_sge *sge, u32 num_sge, u32 sge_off,
		   const struct suo_payload *pay, u32 pay_off, u32 len)
{
	u32 i;

	for (i = 0; i < num_sge && len; i++) {
		struct suo_mr *mr;
		int err;
		u32 n;

		if (sge_off >= sge[i].length) {
			sge_off -= sge[i].length;
			continue;
		}
		n = min(len, sge[i].length - sge_off);
		mr = suo_mr_get(dev, pd, sge[i].lkey, sge[i].addr + sge_off, n,
				IB_ACCESS_LOCAL_WRITE);
		if (!mr)
			return -EPERM;
		err = suo_mr_write(mr, sge[i].addr + sge_off, pay, pay_off, n);
		suo_mr_put(mr);
		if (err)
			return err;
		pay_off += n;
		len -= n;
		sge_off = 0;
	}
	return len ? -EMSGSIZE : 0;
}

/* Does every entry name memory that it may use? 0 or -EPERM. */
int suo_sges_check(struct suo_dev *dev, struct suo_pd *pd,
		   const struct suo_sge *sge, u32 num_sge, int access)
{
	u32 i;

	for (i = 0; i < num_sge; i++) {
		struct suo_mr *mr;

		if (!sge[i].length)
			continue;
		mr = suo_mr_get(dev, pd, sge[i].lkey, sge[i].addr,
				sge[i].length, access);
		if (!mr)
			return -EPERM;
		suo_mr_put(mr);
	}
	return 0;
}
