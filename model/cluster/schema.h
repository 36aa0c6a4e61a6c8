/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The keys of a cluster file; values are still text. */
#ifndef SUO_CLUSTER_SCHEMA_H
#define SUO_CLUSTER_SCHEMA_H

#include <cyaml/cyaml.h>

/* Named as the keys are; NULL where an optional key is not there. */
struct suo_raw_up {
	char	*profile;
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

struct suo_raw_out {
	char	*profile;
	char	*nics_per_accelerator;
	char	*rate_gbps;
	char	*latency_ns;
	char	*mtu_bytes;
};

struct suo_raw_lab {
	char	*time_scale;
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
	struct suo_raw_up	*scale_up;
	struct suo_raw_out	*scale_out;
	struct suo_raw_lab	*lab;
	struct suo_raw_bench	*bench;
};

extern const cyaml_schema_value_t suo_raw_cluster_schema;

#endif /* SUO_CLUSTER_SCHEMA_H */
