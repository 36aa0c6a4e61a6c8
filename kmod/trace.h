/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints. Documentation/ABI/tracefs-suo tells what each means; the names are
 * in trace_names.h. While one is off it costs a no-op; what it is given must not
 * be computed for it alone, unless trace_NAME_enabled() says so.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM suo

#if !defined(SUO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SUO_TRACE_H

#include <linux/tracepoint.h>

#include "suo.h"
#include "trace_names.h"

/* Lists of names, for the kernel, and for programs that read the raw buffers. */
#define SUO_DEF_OP(n)		TRACE_DEFINE_ENUM(IB_OPCODE_##n);
#define SUO_DEF_QPT(n)		TRACE_DEFINE_ENUM(IB_QPT_##n);
#define SUO_DEF_QPS(n)		TRACE_DEFINE_ENUM(IB_QPS_##n);
#define SUO_DEF_WC(n)		TRACE_DEFINE_ENUM(IB_WC_##n);
#define SUO_DEF_EVENT(n)	TRACE_DEFINE_ENUM(IB_EVENT_##n);
#define SUO_DEF_DROP(n, t, s)	TRACE_DEFINE_ENUM(SUO_DROP_##n);
#define SUO_DEF_WHY(n, t)	TRACE_DEFINE_ENUM(SUO_WHY_##n);
#define SUO_DEF_RETRY(n, s)	TRACE_DEFINE_ENUM(SUO_RETRY_##n);
#define SUO_DEF_MR_OP(n, t)	TRACE_DEFINE_ENUM(SUO_MR_OP_##n);
#define SUO_DEF_CC(n, t)	TRACE_DEFINE_ENUM(SUO_CC_##n);

SUO_TRACE_OPS(SUO_DEF_OP)
SUO_TRACE_QP_TYPES(SUO_DEF_QPT)
SUO_TRACE_QP_STATES(SUO_DEF_QPS)
SUO_TRACE_STATUSES(SUO_DEF_WC)
SUO_TRACE_WCS(SUO_DEF_WC)
SUO_TRACE_EVENTS(SUO_DEF_EVENT)
SUO_DROPS(SUO_DEF_DROP)
SUO_WHYS(SUO_DEF_WHY)
SUO_RETRIES(SUO_DEF_RETRY)
SUO_MR_OPS(SUO_DEF_MR_OP)
SUO_CCS(SUO_DEF_CC)

#define SUO_SYM_OP(n)		{ IB_OPCODE_##n, #n },
#define SUO_SYM_QPT(n)		{ IB_QPT_##n, #n },
#define SUO_SYM_QPS(n)		{ IB_QPS_##n, #n },
#define SUO_SYM_WC(n)		{ IB_WC_##n, #n },
#define SUO_SYM_EVENT(n)	{ IB_EVENT_##n, #n },
#define SUO_SYM_DROP(n, t, s)	{ SUO_DROP_##n, t },
#define SUO_SYM_WHY(n, t)	{ SUO_WHY_##n, t },
#define SUO_SYM_RETRY(n, s)	{ SUO_RETRY_##n, #s },
#define SUO_SYM_MR_OP(n, t)	{ SUO_MR_OP_##n, t },
#define SUO_SYM_CC(n, t)	{ SUO_CC_##n, t },

#define suo_show_op(v)							\
	__print_symbolic(v, SUO_TRACE_OPS(SUO_SYM_OP) { 0x81, "CNP" },	\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_qpt(v)							\
	__print_symbolic(v, SUO_TRACE_QP_TYPES(SUO_SYM_QPT)		\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_qps(v)							\
	__print_symbolic(v, SUO_TRACE_QP_STATES(SUO_SYM_QPS)		\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_status(v)						\
	__print_symbolic(v, SUO_TRACE_STATUSES(SUO_SYM_WC)		\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_wc(v)							\
	__print_symbolic(v, SUO_TRACE_WCS(SUO_SYM_WC)			\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_event(v)						\
	__print_symbolic(v, SUO_TRACE_EVENTS(SUO_SYM_EVENT)		\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_drop(v)						\
	__print_symbolic(v, SUO_DROPS(SUO_SYM_DROP) { SUO_TRACE_NONE, "-" })
#define suo_show_why(v)							\
	__print_symbolic(v, SUO_WHYS(SUO_SYM_WHY) { SUO_TRACE_NONE, "-" })
#define suo_show_retry(v)						\
	__print_symbolic(v, SUO_RETRIES(SUO_SYM_RETRY)			\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_mr_op(v)						\
	__print_symbolic(v, SUO_MR_OPS(SUO_SYM_MR_OP)			\
			 { SUO_TRACE_NONE, "-" })
#define suo_show_cc(v)							\
	__print_symbolic(v, SUO_CCS(SUO_SYM_CC) { SUO_TRACE_NONE, "-" })
#define suo_show_aeth(v)						\
	__print_symbolic(v, { 0, "ACK" }, { 0x20, "RNR_NAK" },		\
			 { 0x60, "NAK_PSN_SEQ" }, { 0x61, "NAK_INV_REQ" }, \
			 { 0x62, "NAK_REM_ACCESS" }, { 0x63, "NAK_REM_OP" }, \
			 { SUO_TRACE_NONE, "-" })

/* The core's copy of the name is an array, which a rename cannot take away. */
#define suo_trace_dev(to, dev)						\
	memcpy(to, (dev) ? (dev)->ibdev.name : "-",			\
	       (dev) ? IB_DEVICE_NAME_MAX : 2)

DECLARE_EVENT_CLASS(suo_packet,
	TP_PROTO(const struct suo_dev *dev, const struct suo_trace_pkt *pkt),
	TP_ARGS(dev, pkt),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __array(u8, src, 16)
			 __array(u8, dst, 16)
			 __field(u32, qpn)
			 __field(u32, peer)
			 __field(u32, psn)
			 __field(u32, len)
			 __field(u16, nr)
			 __field(u16, of)
			 __field(u8, opcode)
			 __field(u8, ackreq)
			 __field(u8, aeth)
			 __field(u8, su)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       memcpy(__entry->src, &pkt->src, 16);
		       memcpy(__entry->dst, &pkt->dst, 16);
		       __entry->qpn = pkt->qpn;
		       __entry->peer = pkt->peer;
		       __entry->psn = pkt->psn;
		       __entry->len = pkt->len;
		       __entry->nr = pkt->nr;
		       __entry->of = pkt->of;
		       __entry->opcode = pkt->hdr->opcode;
		       __entry->ackreq = pkt->hdr->ackreq;
		       __entry->aeth = suo_trace_aeth(pkt->hdr);
		       __entry->su = pkt->su;),
	TP_printk("dev=%s qpn=%u peer=%u opcode=%s psn=%u len=%u ackreq=%u aeth=%s path=%s nr=%u/%u src=%pI6c dst=%pI6c",
		  __entry->dev, __entry->qpn, __entry->peer,
		  suo_show_op(__entry->opcode), __entry->psn, __entry->len,
		  __entry->ackreq, suo_show_aeth(__entry->aeth),
		  __print_symbolic(__entry->su, { 0, "wire" }, { 1, "su" }),
		  __entry->nr, __entry->of, __entry->src, __entry->dst)
);

DEFINE_EVENT(suo_packet, suo_tx,
	TP_PROTO(const struct suo_dev *dev, const struct suo_trace_pkt *pkt),
	TP_ARGS(dev, pkt)
);

DEFINE_EVENT(suo_packet, suo_rx,
	TP_PROTO(const struct suo_dev *dev, const struct suo_trace_pkt *pkt),
	TP_ARGS(dev, pkt)
);

TRACE_EVENT(suo_drop,
	TP_PROTO(const struct suo_dev *dev, enum suo_drop why,
		 const struct suo_hdr *hdr, u32 len),
	TP_ARGS(dev, why, hdr, len),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u32, qpn)
			 __field(u32, psn)
			 __field(u32, len)
			 __field(u8, opcode)
			 __field(u8, why)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->qpn = hdr ? hdr->qpn : 0;
		       __entry->psn = hdr ? hdr->psn : 0;
		       __entry->len = len;
		       __entry->opcode = hdr ? hdr->opcode : SUO_TRACE_NONE;
		       __entry->why = why;),
	TP_printk("dev=%s qpn=%u opcode=%s psn=%u len=%u reason=%s",
		  __entry->dev, __entry->qpn, suo_show_op(__entry->opcode),
		  __entry->psn, __entry->len, suo_show_drop(__entry->why))
);

TRACE_EVENT(suo_send_err,
	TP_PROTO(const struct suo_dev *dev, u32 qpn, int err),
	TP_ARGS(dev, qpn, err),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u32, qpn)
			 __field(int, err)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->qpn = qpn;
		       __entry->err = err;),
	TP_printk("dev=%s qpn=%u err=%d", __entry->dev, __entry->qpn,
		  __entry->err)
);

TRACE_EVENT(suo_qp_state,
	TP_PROTO(const struct suo_dev *dev, const struct ib_qp *qp,
		 enum ib_qp_state from, enum ib_qp_state to, enum suo_why why),
	TP_ARGS(dev, qp, from, to, why),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u32, qpn)
			 __field(u8, type)
			 __field(u8, from)
			 __field(u8, to)
			 __field(u8, why)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->qpn = qp->qp_num;
		       __entry->type = qp->qp_type;
		       __entry->from = from;
		       __entry->to = to;
		       __entry->why = why;),
	TP_printk("dev=%s qpn=%u type=%s from=%s to=%s why=%s", __entry->dev,
		  __entry->qpn, suo_show_qpt(__entry->type),
		  suo_show_qps(__entry->from), suo_show_qps(__entry->to),
		  suo_show_why(__entry->why))
);

TRACE_EVENT(suo_retry,
	TP_PROTO(const struct suo_dev *dev, u32 qpn, enum suo_retry why,
		 u32 psn, u32 left, u64 delay_ps),
	TP_ARGS(dev, qpn, why, psn, left, delay_ps),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u64, delay_ps)
			 __field(u32, qpn)
			 __field(u32, psn)
			 __field(u32, left)
			 __field(u8, why)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->delay_ps = delay_ps;
		       __entry->qpn = qpn;
		       __entry->psn = psn;
		       __entry->left = left;
		       __entry->why = why;),
	TP_printk("dev=%s qpn=%u psn=%u why=%s left=%u delay_ps=%llu",
		  __entry->dev, __entry->qpn, __entry->psn,
		  suo_show_retry(__entry->why), __entry->left,
		  __entry->delay_ps)
);

TRACE_EVENT(suo_clock,
	TP_PROTO(const struct suo_dev *dev, bool su, u64 due_ps, u64 now_ps),
	TP_ARGS(dev, su, due_ps, now_ps),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u64, due_ps)
			 __field(u64, now_ps)
			 __field(bool, su)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->due_ps = due_ps;
		       __entry->now_ps = now_ps;
		       __entry->su = su;),
	TP_printk("dev=%s path=%s due_ps=%llu now_ps=%llu late_ps=%llu",
		  __entry->dev, __entry->su ? "su" : "nic", __entry->due_ps,
		  __entry->now_ps, __entry->now_ps - __entry->due_ps)
);

TRACE_EVENT(suo_nak,
	TP_PROTO(const struct suo_dev *dev, u32 qpn, u8 aeth, u32 psn),
	TP_ARGS(dev, qpn, aeth, psn),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u32, qpn)
			 __field(u32, psn)
			 __field(u8, aeth)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->qpn = qpn;
		       __entry->psn = psn;
		       __entry->aeth = aeth & 0x40 ? aeth : aeth & 0x20;),
	TP_printk("dev=%s qpn=%u psn=%u aeth=%s", __entry->dev, __entry->qpn,
		  __entry->psn, suo_show_aeth(__entry->aeth))
);

TRACE_EVENT(suo_cqe_err,
	TP_PROTO(const struct suo_dev *dev, u32 cqn, const struct suo_cqe *cqe),
	TP_ARGS(dev, cqn, cqe),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u64, wr_id)
			 __field(u32, cqn)
			 __field(u32, qpn)
			 __field(u32, status)
			 __field(u32, vendor_err)
			 __field(u32, opcode)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->wr_id = cqe->wr_id;
		       __entry->cqn = cqn;
		       __entry->qpn = cqe->qpn;
		       __entry->status = cqe->status;
		       __entry->vendor_err = cqe->vendor_err;
		       __entry->opcode = cqe->opcode;),
	TP_printk("dev=%s cqn=%u qpn=%u wr_id=0x%llx opcode=%s status=%s vendor_err=%u",
		  __entry->dev, __entry->cqn, __entry->qpn, __entry->wr_id,
		  suo_show_wc(__entry->opcode),
		  suo_show_status(__entry->status), __entry->vendor_err)
);

TRACE_EVENT(suo_event,
	TP_PROTO(const struct ib_device *ibdev, enum ib_event_type type,
		 u32 number),
	TP_ARGS(ibdev, type, number),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u32, number)
			 __field(u8, type)),
	TP_fast_assign(memcpy(__entry->dev, ibdev->name, IB_DEVICE_NAME_MAX);
		       __entry->number = number;
		       __entry->type = type;),
	TP_printk("dev=%s event=%s number=%u", __entry->dev,
		  suo_show_event(__entry->type), __entry->number)
);

TRACE_EVENT(suo_mr,
	TP_PROTO(const struct ib_mr *mr, u32 key, enum suo_mr_op op, int access),
	TP_ARGS(mr, key, op, access),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u64, iova)
			 __field(u64, length)
			 __field(u32, key)
			 __field(u32, access)
			 __field(u8, op)),
	TP_fast_assign(memcpy(__entry->dev, mr->device->name, IB_DEVICE_NAME_MAX);
		       __entry->iova = mr->iova;
		       __entry->length = mr->length;
		       __entry->key = key;
		       __entry->access = access;
		       __entry->op = op;),
	TP_printk("dev=%s key=0x%x op=%s iova=0x%llx length=%llu access=0x%x",
		  __entry->dev, __entry->key, suo_show_mr_op(__entry->op),
		  __entry->iova, __entry->length, __entry->access)
);

TRACE_EVENT(suo_cc,
	TP_PROTO(const struct suo_qp *qp, enum suo_cc_event event, u64 bytes),
	TP_ARGS(qp, event, bytes),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u64, bytes)
			 __field(u64, rate_kbps)
			 __field(u64, window_bytes)
			 __field(u64, at_ps)
			 __field(u32, qpn)
			 __field(u8, event)),
	TP_fast_assign(suo_trace_dev(__entry->dev, qp->dev);
		       __entry->bytes = bytes;
		       __entry->rate_kbps = qp->flow->cc.rate_kbps;
		       __entry->window_bytes = qp->flow->cc.window_bytes;
		       __entry->at_ps = qp->flow->now_ps;
		       __entry->qpn = qp->ibqp.qp_num;
		       __entry->event = event;),
	TP_printk("dev=%s qpn=%u event=%s bytes=%llu rate_kbps=%llu window_bytes=%llu at_ps=%llu",
		  __entry->dev, __entry->qpn, suo_show_cc(__entry->event),
		  __entry->bytes, __entry->rate_kbps, __entry->window_bytes,
		  __entry->at_ps)
);

TRACE_EVENT(suo_pause,
	TP_PROTO(const struct suo_dev *dev, u32 prio, u32 quanta, u64 now_ps,
		 u64 until_ps),
	TP_ARGS(dev, prio, quanta, now_ps, until_ps),
	TP_STRUCT__entry(__array(char, dev, IB_DEVICE_NAME_MAX)
			 __field(u64, now_ps)
			 __field(u64, until_ps)
			 __field(u32, prio)
			 __field(u32, quanta)),
	TP_fast_assign(suo_trace_dev(__entry->dev, dev);
		       __entry->now_ps = now_ps;
		       __entry->until_ps = until_ps;
		       __entry->prio = prio;
		       __entry->quanta = quanta;),
	TP_printk("dev=%s prio=%u quanta=%u now_ps=%llu until_ps=%llu",
		  __entry->dev, __entry->prio, __entry->quanta, __entry->now_ps,
		  __entry->until_ps)
);

#endif /* SUO_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
