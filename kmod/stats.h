/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device counters. Names are those of mlx5 where it has the counter, then
 * rxe's; su_ marks what only the scale-up path has. rx_drops are packets that
 * are wrong in themselves, or refused; rx_strays are in good order, but nobody
 * waits for them. What each counts is told in
 * Documentation/ABI/sysfs-class-infiniband-suo.
 */
#ifndef SUO_STATS_H
#define SUO_STATS_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <rdma/ib_verbs.h>

struct suo_dev;
struct suo_hdr;
struct suo_payload;
struct suo_qp;

#define SUO_STATS(x)			\
	x(rx_write_requests)		\
	x(rx_read_requests)		\
	x(rx_atomic_requests)		\
	x(out_of_buffer)		\
	x(out_of_sequence)		\
	x(duplicate_request)		\
	x(rnr_nak_retry_err)		\
	x(packet_seq_err)		\
	x(implied_nak_seq_err)		\
	x(local_ack_timeout_err)	\
	x(resp_local_length_error)	\
	x(resp_cqe_error)		\
	x(resp_cqe_flush_error)		\
	x(req_cqe_error)		\
	x(req_cqe_flush_error)		\
	x(req_remote_invalid_request)	\
	x(req_remote_access_errors)	\
	x(resp_remote_access_errors)	\
	x(rx_icrc_encapsulated)		\
	x(np_ecn_marked_roce_packets)	\
	x(np_cnp_sent)			\
	x(rp_cnp_handled)		\
	x(rp_cnp_ignored)		\
	x(rx_prio0_pause)		\
	x(rx_prio1_pause)		\
	x(rx_prio2_pause)		\
	x(rx_prio3_pause)		\
	x(rx_prio4_pause)		\
	x(rx_prio5_pause)		\
	x(rx_prio6_pause)		\
	x(rx_prio7_pause)		\
	x(rx_prio0_pause_duration)	\
	x(rx_prio1_pause_duration)	\
	x(rx_prio2_pause_duration)	\
	x(rx_prio3_pause_duration)	\
	x(rx_prio4_pause_duration)	\
	x(rx_prio5_pause_duration)	\
	x(rx_prio6_pause_duration)	\
	x(rx_prio7_pause_duration)	\
	x(send_rnr_err)			\
	x(retry_exceeded_err)		\
	x(retry_rnr_exceeded_err)	\
	x(sent_pkts)			\
	x(rcvd_pkts)			\
	x(send_err)			\
	x(rx_drops)			\
	x(rx_strays)			\
	x(rx_reordered_pkts)		\
	x(tx_bytes)			\
	x(rx_bytes)			\
	x(su_tx_segments)		\
	x(su_tx_bytes)			\
	x(su_rx_segments)		\
	x(su_rx_bytes)			\
	x(su_tx_wire_bytes)		\
	x(su_tx_packets)			\
	x(su_tx_flits)			\
	x(su_tx_stalls)			\
	x(su_tx_stall_ps)		\
	x(su_tx_retries)			\
	x(su_tx_lost)			\
	x(su_tx_flight_ps)		\
	x(su_tx_late_ps)			\
	x(su_rx_queue_ps)		\
	x(su_rx_queue_max_ps)		\
	x(su_rx_queue_max_bytes)	\
	x(su_mcast_writes)		\
	x(su_reduced_reads)		\
	x(su_mapped_pages)

/* Counted while somebody asks for it */
#define SUO_OPTIONAL_STATS(x)		\
	x(cc_rx_ce_pkts)

enum suo_stat {
#define SUO_STAT_ENUM(name)	SUO_ST_##name,
	SUO_STATS(SUO_STAT_ENUM)
	SUO_OPTIONAL_STATS(SUO_STAT_ENUM)
#undef SUO_STAT_ENUM
	SUO_ST_MAX,
};

/**
 * struct suo_stats - counters
 * @val: those that sysfs and netlink show, by enum suo_stat
 * @rcv_errors: received packets that nobody could have sent so; the rest, too, is
 *	for the counters of a port only (mad.c)
 * @multicast_sent: packets
 * @multicast_rcvd: packets
 * @link_downed: how often the port went down
 */
struct suo_stats {
	atomic64_t	val[SUO_ST_MAX];
	atomic64_t	rcv_errors;
	atomic64_t	multicast_sent;
	atomic64_t	multicast_rcvd;
	atomic64_t	link_downed;
};

/* Why a received packet is not taken, as the tracepoint has it; and which counter
 * grows by it, that one only.
 */
#define SUO_DROPS(x)							\
	x(SHORT,	"too_short",		rx_drops)		\
	x(HEADER,	"bad_header",		rx_drops)		\
	x(LENGTH,	"bad_length",		rx_drops)		\
	x(BIT_ERROR,	"bit_error",		rx_drops)		\
	x(ICRC,		"bad_icrc",		rx_icrc_encapsulated)	\
	x(NO_QP,	"no_qp",		rx_strays)		\
	x(PKEY,		"bad_pkey",		rx_drops)		\
	x(QKEY,		"bad_qkey",		rx_drops)		\
	x(SERVICE,	"wrong_service",	rx_drops)		\
	x(PEER,		"not_from_peer",	rx_drops)		\
	x(STATE,	"qp_state",		rx_strays)		\
	x(TOO_LONG,	"too_long",		rx_drops)		\
	x(SYNDROME,	"bad_syndrome",		rx_drops)		\
	x(STALE,	"stale_response",	rx_strays)		\
	x(SOURCE,	"source_gone",		rx_drops)		\
	x(NO_WQE,	"no_receive_posted",	out_of_buffer)		\
	x(SEQUENCE,	"out_of_sequence",	out_of_sequence)	\
	x(DUPLICATE,	"duplicate",		duplicate_request)

enum suo_drop {
#define SUO_DROP_ENUM(name, text, stat)	SUO_DROP_##name,
	SUO_DROPS(SUO_DROP_ENUM)
#undef SUO_DROP_ENUM
	SUO_DROP_MAX,
	/* Up to here the packet itself is wrong. */
	SUO_DROP_LAST_ERROR = SUO_DROP_ICRC,
};

DECLARE_STATIC_KEY_FALSE(suo_qp_counted);
DECLARE_STATIC_KEY_FALSE(suo_ce_counted);

#define suo_stat_inc(dev, name)	\
	atomic64_inc(&(dev)->stats.val[SUO_ST_##name])
#define suo_stat_add(dev, name, n)	\
	atomic64_add(n, &(dev)->stats.val[SUO_ST_##name])

void suo_drop(struct suo_dev *dev, enum suo_drop why, const struct suo_hdr *hdr,
	      u32 len);
void suo_qp_drop(struct suo_qp *qp, enum suo_drop why, const struct suo_hdr *hdr,
		 const struct suo_payload *pay);
void suo_send_err(struct suo_dev *dev, u32 qpn, int err);
struct rdma_hw_stats *suo_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port_num);
int suo_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port_num, int index);

#endif /* SUO_STATS_H */
