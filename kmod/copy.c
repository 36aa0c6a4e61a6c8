// SPDX-License-Identifier: GPL-2.0-only
#include "copy.h"
#include "mr.h"
#include "qp.h"
#include "suo.h"

/* Read from the memory that a scatter/gather list names. */
static int sges_read(struct suo_dev *dev, struct suo_pd *pd,
		     const struct suo_sge *list, u32 num_sge, u32 off,
		     void *buf, u32 len)
{
	u8 *to = buf;
	u32 i;

	for (i = 0; i < num_sge && len; i++) {
		/* A copy: see struct suo_payload on flushed requests. */
		struct suo_sge sge = list[i];
		struct suo_mr *mr;
		u32 n;

		if (off >= sge.length) {
			off -= sge.length;
			continue;
		}
		n = min(len, sge.length - off);
		mr = suo_mr_get(dev, pd, sge.lkey, sge.addr + off, n, 0);
		if (!mr)
			return -EACCES;
		suo_mr_read(mr, sge.addr + off, to, n);
		suo_mr_put(mr);
		to += n;
		len -= n;
		off = 0;
	}
	return len ? -EFAULT : 0;
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
	struct suo_mr *mr;

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
	case SUO_PAYLOAD_WQE:
		if (pay->wqe->w.flags & SUO_SEND_INLINE) {
			memcpy(buf, suo_swqe_inline(pay->wqe) + pay->off + off,
			       len);
			return 0;
		}
		return sges_read(pay->dev, pay->pd, suo_swqe_sges(pay->wqe),
				 pay->wqe->w.num_sge, pay->off + off, buf, len);
	case SUO_PAYLOAD_MR:
		if (!len)
			return 0;
		mr = suo_mr_get_remote(pay->dev, pay->pd, pay->qpn, pay->rkey,
				       pay->va + pay->off + off, len,
				       IB_ACCESS_REMOTE_READ);
		if (!mr)
			return -EACCES;
		suo_mr_read(mr, pay->va + pay->off + off, buf, len);
		suo_mr_put(mr);
		return 0;
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
	u32 off = pay->off;
	struct suo_sge sge;
	u32 i;

	if (pay->kind == SUO_PAYLOAD_MR) {
		*va = pay->va + off;
		return suo_mr_get_remote(pay->dev, pay->pd, pay->qpn, pay->rkey,
					 *va, len, IB_ACCESS_REMOTE_READ);
	}
	if (pay->kind != SUO_PAYLOAD_WQE ||
	    (pay->wqe->w.flags & SUO_SEND_INLINE))
		return NULL;
	for (i = 0; i < pay->wqe->w.num_sge; i++) {
		sge = suo_swqe_sges(pay->wqe)[i];
		if (off < sge.length) {
			if (len > sge.length - off)
				return NULL;
			*va = sge.addr + off;
			return suo_mr_get(pay->dev, pay->pd, sge.lkey, *va,
					  len, 0);
		}
		off -= sge.length;
	}
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
