/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Device counters. Names are those of mlx5 where it has the counter, then
 * rxe's; su_ marks what only the scale-up path has. rx_drops are packets that
 * are wrong in themselves, or refused; rx_strays are in good order, but nobody
 * waits for them: no such queue pair or group, or not in a state to take them.
 */
#ifndef SUO_STATS_H
#define SUO_STATS_H

#include <linux/atomic.h>
#include <rdma/ib_verbs.h>

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
	x(sent_pkts)			\
	x(rcvd_pkts)			\
	x(send_err)			\
	x(rx_drops)			\
	x(rx_strays)			\
	x(tx_bytes)			\
	x(rx_bytes)			\
	x(su_tx_segments)		\
	x(su_tx_bytes)			\
	x(su_rx_segments)		\
	x(su_rx_bytes)

enum suo_stat {
#define SUO_STAT_ENUM(name)	SUO_ST_##name,
	SUO_STATS(SUO_STAT_ENUM)
#undef SUO_STAT_ENUM
	SUO_ST_MAX,
};

struct suo_stats {
	atomic64_t	val[SUO_ST_MAX];
};

#define suo_stat_inc(dev, name)	\
	atomic64_inc(&(dev)->stats.val[SUO_ST_##name])
#define suo_stat_add(dev, name, n)	\
	atomic64_add(n, &(dev)->stats.val[SUO_ST_##name])

struct rdma_hw_stats *suo_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 port_num);
int suo_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 port_num, int index);

#endif /* SUO_STATS_H */
