/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The keys of a cluster file; values are still text. */
#ifndef SUO_CLUSTER_SCHEMA_H
#define SUO_CLUSTER_SCHEMA_H

#include <cyaml/cyaml.h>

/* Named as the keys are; NULL where an optional key is not there. */
struct suo_raw_up {
	char	*profile;
	char	*switch_part;
	char	*cable;
	char	*length_m;
	char	*in_network_reduction;
	char	*links;
	char	*lanes;
	char	*lane_rate_gbps;
	char	*bandwidth;
	char	*rate_gbps;
	char	*latency_ns;
	char	*endpoint_ns;
	char	*stages;
	char	*switch_ns;
	char	*fec_ns;
	char	*propagation_ns;
	char	*max_payload_bytes;
	char	*header_bytes;
	char	*flit_bytes;
	char	*min_packet_bytes;
	char	*frame_bytes;
	char	*frame_payload_bytes;
	char	*buffer_bytes;
	char	*credit_bytes;
	char	*credit_rtt_ns;
	char	*bit_error_rate;
	char	*retry;
	char	*retry_ns;
	char	*seed;
};

struct suo_raw_tier {
	char	*name;
	char	*above;
	char	*switch_part;
	char	*switch_ns;
	char	*count;
	char	*radix;
	char	*oversubscription;
	char	*rate_gbps;
	char	*cable;
	char	*length_m;
	char	*fec_ns;
	char	*propagation_ns;
	char	*buffer_bytes;
};

struct suo_raw_ecn {
	char	*kmin_bytes;
	char	*kmax_bytes;
	char	*pmax;
};

struct suo_raw_pfc {
	char	*xoff_bytes;
	char	*xon_bytes;
	char	*headroom_bytes;
};

struct suo_raw_prio {
	char	*priority;
	char	*pfc;
	char	*ecn;
	char	*kmin_bytes;
	char	*kmax_bytes;
	char	*pmax;
	char	*wred_weight;
	char	*dynamic_th;
	char	*xoff_bytes;
	char	*xon_bytes;
	char	*headroom_bytes;
	char	*reserved_bytes;
	char	*queue_bytes;
};

struct suo_raw_watchdog {
	char	*detection_ms;
	char	*restoration_ms;
	char	*poll_ms;
	char	*action;
};

struct suo_raw_trimming {
	char	*bytes;
	char	*dscp;
	char	*priority;
};

struct suo_raw_switch {
	char			*mtu_bytes;
	char			**data_priorities;
	unsigned int		data_priorities_count;
	char			**dscp_to_tc;
	unsigned int		dscp_to_tc_count;
	char			**strict;
	unsigned int		strict_count;
	char			**weights;
	unsigned int		weights_count;
	char			*mark_at;
	char			*same_seed;
	struct suo_raw_trimming	*trimming;
	struct suo_raw_watchdog	*watchdog;
	struct suo_raw_prio	*priorities;
	unsigned int		priorities_count;
};

struct suo_raw_dcqcn {
	char	*rp_time_reset;
	char	*rp_byte_reset;
	char	*rp_threshold;
	char	*rp_ai_rate;
	char	*rp_hai_rate;
	char	*rp_gd;
	char	*rp_min_dec_fac;
	char	*rp_min_rate;
	char	*rp_dce_tcp_g;
	char	*rp_dce_tcp_rtt;
	char	*rp_rate_reduce_monitor_period;
	char	*rp_initial_alpha_value;
	char	*np_min_time_between_cnps;
};

struct suo_raw_out {
	char			*profile;
	char			*nic;
	char			*nics_per_accelerator;
	char			*nics_per_host;
	char			*rate_gbps;
	char			*endpoint_ns;
	char			*latency_ns;
	char			*mtu_bytes;
	char			*topology;
	struct suo_raw_tier	*leaf;
	struct suo_raw_tier	*spine;
	struct suo_raw_tier	*core;
	struct suo_raw_tier	*tiers;
	unsigned int		tiers_count;
	char			**torus;
	unsigned int		torus_count;
	char			*load_balancing;
	char			*reorder_pkts;
	char			*queue_pairs;
	char			*seed;
	char			*flow_control;
	struct suo_raw_pfc	*pfc;
	struct suo_raw_switch	*switch_policy;
	char			*congestion_control;
	struct suo_raw_ecn	*ecn;
	struct suo_raw_dcqcn	*dcqcn;
	char			*loss_rate;
	char			*retry;
	char			*rto_ns;
};

struct suo_raw_software {
	char		*profile;
	char		*accelerator;
	char		*transport;
	char		*launch_ns;
	char		*step_ns;
	char		*channels;
	char		**protocols;
	unsigned int	protocols_count;
	char		**algorithms;
	unsigned int	algorithms_count;
	char		*jitter_ns;
	char		*reduce_bandwidth;
};

struct suo_raw_lab {
	char	*time_scale;
	char	*fabric;
};

struct suo_raw_bench {
	char		*min_bytes;
	char		*max_bytes;
	char		*factor;
	char		*iterations;
	char		*warmup;
	char		**algorithms;
	unsigned int	algorithms_count;
};

struct suo_raw_cluster {
	char			*name;
	char			*hosts;
	char			*accelerators;
	char			*hosts_per_domain;
	struct suo_raw_up	*scale_up;
	struct suo_raw_out	*scale_out;
	struct suo_raw_software	*software;
	struct suo_raw_lab	*lab;
	struct suo_raw_bench	*bench;
	char			**faults;
	unsigned int		faults_count;
};

extern const cyaml_schema_value_t suo_raw_cluster_schema;

#endif /* SUO_CLUSTER_SCHEMA_H */
