/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tracepoints have names for. trace.h is read several times by the
 * machinery of trace events; this is not.
 */
#ifndef SUO_TRACE_NAMES_H
#define SUO_TRACE_NAMES_H

#include <linux/in6.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>

#include "stats.h"

struct suo_hdr;

/* Both kinds of connection have them. */
#define SUO_TRACE_OPS_OF(tr, x)					\
	x(tr##_SEND_FIRST)					\
	x(tr##_SEND_MIDDLE)					\
	x(tr##_SEND_LAST)					\
	x(tr##_SEND_LAST_WITH_IMMEDIATE)			\
	x(tr##_SEND_ONLY)					\
	x(tr##_SEND_ONLY_WITH_IMMEDIATE)			\
	x(tr##_RDMA_WRITE_FIRST)				\
	x(tr##_RDMA_WRITE_MIDDLE)				\
	x(tr##_RDMA_WRITE_LAST)					\
	x(tr##_RDMA_WRITE_LAST_WITH_IMMEDIATE)			\
	x(tr##_RDMA_WRITE_ONLY)					\
	x(tr##_RDMA_WRITE_ONLY_WITH_IMMEDIATE)

/* IB_OPCODE_* */
#define SUO_TRACE_OPS(x)					\
	SUO_TRACE_OPS_OF(RC, x)					\
	x(RC_RDMA_READ_REQUEST)					\
	x(RC_RDMA_READ_RESPONSE_FIRST)				\
	x(RC_RDMA_READ_RESPONSE_MIDDLE)				\
	x(RC_RDMA_READ_RESPONSE_LAST)				\
	x(RC_RDMA_READ_RESPONSE_ONLY)				\
	x(RC_ACKNOWLEDGE)					\
	x(RC_ATOMIC_ACKNOWLEDGE)				\
	x(RC_COMPARE_SWAP)					\
	x(RC_FETCH_ADD)						\
	x(RC_SEND_LAST_WITH_INVALIDATE)				\
	x(RC_SEND_ONLY_WITH_INVALIDATE)				\
	SUO_TRACE_OPS_OF(UC, x)					\
	x(UD_SEND_ONLY)						\
	x(UD_SEND_ONLY_WITH_IMMEDIATE)

/* There is no opcode, or no such header. */
#define SUO_TRACE_NONE		0xff

/* IB_QPT_*, IB_QPS_*: names as `rdma resource` prints them */
#define SUO_TRACE_QP_TYPES(x)	x(RC) x(UC) x(UD) x(GSI)
#define SUO_TRACE_QP_STATES(x)						\
	x(RESET) x(INIT) x(RTR) x(RTS) x(SQD) x(SQE) x(ERR)

/* IB_WC_* */
#define SUO_TRACE_STATUSES(x)						\
	x(LOC_LEN_ERR) x(LOC_QP_OP_ERR) x(LOC_PROT_ERR) x(WR_FLUSH_ERR)	\
	x(MW_BIND_ERR) x(BAD_RESP_ERR) x(LOC_ACCESS_ERR)		\
	x(REM_INV_REQ_ERR) x(REM_ACCESS_ERR) x(REM_OP_ERR)		\
	x(RETRY_EXC_ERR) x(RNR_RETRY_EXC_ERR)

/* IB_WC_*, without RECV, which has a value of its own kind */
#define SUO_TRACE_WCS(x)						\
	x(SEND) x(RDMA_WRITE) x(RDMA_READ) x(COMP_SWAP) x(FETCH_ADD)	\
	x(BIND_MW) x(LOCAL_INV) x(REG_MR) x(RECV) x(RECV_RDMA_WITH_IMM)

/* IB_EVENT_* */
#define SUO_TRACE_EVENTS(x)						\
	x(CQ_ERR) x(QP_FATAL) x(QP_REQ_ERR) x(QP_ACCESS_ERR) x(COMM_EST) \
	x(SQ_DRAINED) x(QP_LAST_WQE_REACHED) x(SRQ_LIMIT_REACHED)	\
	x(PORT_ACTIVE) x(PORT_ERR)

/* Who brings a queue pair into another state */
#define SUO_WHYS(x)							\
	x(MODIFY,	"modify_qp")					\
	x(DESTROY,	"destroy_qp")					\
	x(REQUESTER,	"request_failed")				\
	x(RESPONDER,	"peer_refused")					\
	x(CQ,		"cq_overflow")

enum suo_why {
#define SUO_WHY_ENUM(name, text)	SUO_WHY_##name,
	SUO_WHYS(SUO_WHY_ENUM)
#undef SUO_WHY_ENUM
};

/* Why a requester sends again: the counter that grows */
#define SUO_RETRIES(x)							\
	x(TIMEOUT,	local_ack_timeout_err)				\
	x(NAK,		packet_seq_err)					\
	x(GAP,		implied_nak_seq_err)				\
	x(RNR,		rnr_nak_retry_err)

enum suo_retry {
#define SUO_RETRY_ENUM(name, stat)	SUO_RETRY_##name,
	SUO_RETRIES(SUO_RETRY_ENUM)
#undef SUO_RETRY_ENUM
};

/* What becomes of a memory region */
#define SUO_MR_OPS(x)							\
	x(REG,		"reg")						\
	x(REREG,	"rereg")					\
	x(DEREG,	"dereg")					\
	x(FAST_REG,	"fast_reg")					\
	x(INVALIDATE,	"invalidate")

enum suo_mr_op {
#define SUO_MR_OP_ENUM(name, text)	SUO_MR_OP_##name,
	SUO_MR_OPS(SUO_MR_OP_ENUM)
#undef SUO_MR_OP_ENUM
};

/* What congestion control hears of */
#define SUO_CCS(x)							\
	x(NEW,		"new")						\
	x(SENT,		"sent")						\
	x(CNP,		"cnp")						\
	x(ACK,		"ack")						\
	x(LOST,		"lost")

enum suo_cc_event {
#define SUO_CC_ENUM(name, text)	SUO_CC_##name,
	SUO_CCS(SUO_CC_ENUM)
#undef SUO_CC_ENUM
};

/**
 * struct suo_trace_pkt - a packet, for a tracepoint
 * @hdr: transport headers
 * @psn: of this packet; @hdr may be that of the first of a row
 * @len: bytes of payload
 * @qpn: the queue pair on our side
 * @peer: that of the peer
 * @su: on the scale-up path
 * @nr: its place in the datagram, from 1 on
 * @of: packets in the datagram
 * @src: address that it comes from
 * @dst: address that it goes to
 */
struct suo_trace_pkt {
	const struct suo_hdr	*hdr;
	u32			psn;
	u32			len;
	u32			qpn;
	u32			peer;
	bool			su;
	u16			nr;
	u16			of;
	struct in6_addr		src;
	struct in6_addr		dst;
};

u8 suo_trace_aeth(const struct suo_hdr *hdr);

#endif /* SUO_TRACE_NAMES_H */
