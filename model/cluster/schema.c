// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/cluster/schema.h"

#define REQUIRED	CYAML_FLAG_POINTER
#define OPTIONAL	(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)

#define NAMED(flags, type, key, member)	\
	CYAML_FIELD_STRING_PTR(key, flags, struct type, member, 0, CYAML_UNLIMITED)
#define TEXT(flags, type, key)		NAMED(flags, type, #key, key)

#define BELOW(flags, type, key, fields)	\
	CYAML_FIELD_MAPPING_PTR(#key, flags, struct type, key, fields)

static const cyaml_schema_value_t word_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};

#define WORDS(type, key)	\
	CYAML_FIELD_SEQUENCE(#key, OPTIONAL, struct type, key, &word_value, 1, \
			     CYAML_UNLIMITED)

static const cyaml_schema_field_t up_fields[] = {
	TEXT(REQUIRED, suo_raw_up, profile),
	NAMED(OPTIONAL, suo_raw_up, "switch", switch_part),
	TEXT(OPTIONAL, suo_raw_up, cable),
	TEXT(OPTIONAL, suo_raw_up, length_m),
	TEXT(OPTIONAL, suo_raw_up, in_network_reduction),
	TEXT(OPTIONAL, suo_raw_up, links),
	TEXT(OPTIONAL, suo_raw_up, lanes),
	TEXT(OPTIONAL, suo_raw_up, lane_rate_gbps),
	TEXT(OPTIONAL, suo_raw_up, bandwidth),
	TEXT(OPTIONAL, suo_raw_up, rate_gbps),
	TEXT(OPTIONAL, suo_raw_up, latency_ns),
	TEXT(OPTIONAL, suo_raw_up, endpoint_ns),
	TEXT(OPTIONAL, suo_raw_up, stages),
	TEXT(OPTIONAL, suo_raw_up, switch_ns),
	TEXT(OPTIONAL, suo_raw_up, fec_ns),
	TEXT(OPTIONAL, suo_raw_up, propagation_ns),
	TEXT(OPTIONAL, suo_raw_up, max_payload_bytes),
	TEXT(OPTIONAL, suo_raw_up, header_bytes),
	TEXT(OPTIONAL, suo_raw_up, flit_bytes),
	TEXT(OPTIONAL, suo_raw_up, min_packet_bytes),
	TEXT(OPTIONAL, suo_raw_up, frame_bytes),
	TEXT(OPTIONAL, suo_raw_up, frame_payload_bytes),
	TEXT(OPTIONAL, suo_raw_up, buffer_bytes),
	TEXT(OPTIONAL, suo_raw_up, credit_bytes),
	TEXT(OPTIONAL, suo_raw_up, credit_rtt_ns),
	TEXT(OPTIONAL, suo_raw_up, bit_error_rate),
	TEXT(OPTIONAL, suo_raw_up, retry),
	TEXT(OPTIONAL, suo_raw_up, retry_ns),
	TEXT(OPTIONAL, suo_raw_up, seed),
	CYAML_FIELD_END
};

#define TIER_FIELDS							\
	NAMED(OPTIONAL, suo_raw_tier, "switch", switch_part),		\
	TEXT(OPTIONAL, suo_raw_tier, switch_ns),			\
	TEXT(OPTIONAL, suo_raw_tier, count),				\
	TEXT(OPTIONAL, suo_raw_tier, radix),				\
	TEXT(OPTIONAL, suo_raw_tier, oversubscription),			\
	TEXT(OPTIONAL, suo_raw_tier, rate_gbps),			\
	TEXT(OPTIONAL, suo_raw_tier, cable),				\
	TEXT(OPTIONAL, suo_raw_tier, length_m),				\
	TEXT(OPTIONAL, suo_raw_tier, fec_ns),				\
	TEXT(OPTIONAL, suo_raw_tier, propagation_ns),			\
	TEXT(OPTIONAL, suo_raw_tier, buffer_bytes),			\
	CYAML_FIELD_END

/* A tier that the topology names. */
static const cyaml_schema_field_t tier_fields[] = {
	TIER_FIELDS
};

/* One of a list. */
static const cyaml_schema_field_t listed_fields[] = {
	TEXT(REQUIRED, suo_raw_tier, name),
	TEXT(OPTIONAL, suo_raw_tier, above),
	TIER_FIELDS
};

static const cyaml_schema_value_t listed_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct suo_raw_tier, listed_fields),
};

static const cyaml_schema_field_t ecn_fields[] = {
	TEXT(OPTIONAL, suo_raw_ecn, kmin_bytes),
	TEXT(OPTIONAL, suo_raw_ecn, kmax_bytes),
	TEXT(OPTIONAL, suo_raw_ecn, pmax),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t pfc_fields[] = {
	TEXT(OPTIONAL, suo_raw_pfc, xoff_bytes),
	TEXT(OPTIONAL, suo_raw_pfc, xon_bytes),
	TEXT(OPTIONAL, suo_raw_pfc, headroom_bytes),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t prio_fields[] = {
	TEXT(REQUIRED, suo_raw_prio, priority),
	TEXT(OPTIONAL, suo_raw_prio, pfc),
	TEXT(OPTIONAL, suo_raw_prio, ecn),
	TEXT(OPTIONAL, suo_raw_prio, kmin_bytes),
	TEXT(OPTIONAL, suo_raw_prio, kmax_bytes),
	TEXT(OPTIONAL, suo_raw_prio, pmax),
	TEXT(OPTIONAL, suo_raw_prio, wred_weight),
	TEXT(OPTIONAL, suo_raw_prio, dynamic_th),
	TEXT(OPTIONAL, suo_raw_prio, xoff_bytes),
	TEXT(OPTIONAL, suo_raw_prio, xon_bytes),
	TEXT(OPTIONAL, suo_raw_prio, headroom_bytes),
	TEXT(OPTIONAL, suo_raw_prio, reserved_bytes),
	TEXT(OPTIONAL, suo_raw_prio, queue_bytes),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t prio_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct suo_raw_prio, prio_fields),
};

static const cyaml_schema_field_t watchdog_fields[] = {
	TEXT(OPTIONAL, suo_raw_watchdog, detection_ms),
	TEXT(OPTIONAL, suo_raw_watchdog, restoration_ms),
	TEXT(OPTIONAL, suo_raw_watchdog, poll_ms),
	TEXT(OPTIONAL, suo_raw_watchdog, action),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t trimming_fields[] = {
	TEXT(OPTIONAL, suo_raw_trimming, bytes),
	TEXT(OPTIONAL, suo_raw_trimming, dscp),
	TEXT(OPTIONAL, suo_raw_trimming, priority),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t switch_fields[] = {
	TEXT(OPTIONAL, suo_raw_switch, mtu_bytes),
	WORDS(suo_raw_switch, data_priorities),
	WORDS(suo_raw_switch, dscp_to_tc),
	WORDS(suo_raw_switch, strict),
	WORDS(suo_raw_switch, weights),
	TEXT(OPTIONAL, suo_raw_switch, mark_at),
	TEXT(OPTIONAL, suo_raw_switch, same_seed),
	BELOW(OPTIONAL, suo_raw_switch, trimming, trimming_fields),
	BELOW(OPTIONAL, suo_raw_switch, watchdog, watchdog_fields),
	CYAML_FIELD_SEQUENCE("priorities", OPTIONAL, struct suo_raw_switch, priorities,
			     &prio_value, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t dcqcn_fields[] = {
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_time_reset),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_byte_reset),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_threshold),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_ai_rate),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_hai_rate),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_gd),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_min_dec_fac),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_min_rate),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_dce_tcp_g),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_dce_tcp_rtt),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_rate_reduce_monitor_period),
	TEXT(OPTIONAL, suo_raw_dcqcn, rp_initial_alpha_value),
	TEXT(OPTIONAL, suo_raw_dcqcn, np_min_time_between_cnps),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t out_fields[] = {
	TEXT(REQUIRED, suo_raw_out, profile),
	TEXT(OPTIONAL, suo_raw_out, nic),
	TEXT(OPTIONAL, suo_raw_out, nics_per_accelerator),
	TEXT(OPTIONAL, suo_raw_out, nics_per_host),
	TEXT(OPTIONAL, suo_raw_out, rate_gbps),
	TEXT(OPTIONAL, suo_raw_out, endpoint_ns),
	TEXT(OPTIONAL, suo_raw_out, latency_ns),
	TEXT(OPTIONAL, suo_raw_out, mtu_bytes),
	TEXT(OPTIONAL, suo_raw_out, topology),
	BELOW(OPTIONAL, suo_raw_out, leaf, tier_fields),
	BELOW(OPTIONAL, suo_raw_out, spine, tier_fields),
	BELOW(OPTIONAL, suo_raw_out, core, tier_fields),
	CYAML_FIELD_SEQUENCE("tiers", OPTIONAL, struct suo_raw_out, tiers,
			     &listed_value, 0, CYAML_UNLIMITED),
	WORDS(suo_raw_out, torus),
	TEXT(OPTIONAL, suo_raw_out, load_balancing),
	TEXT(OPTIONAL, suo_raw_out, reorder_pkts),
	TEXT(OPTIONAL, suo_raw_out, queue_pairs),
	TEXT(OPTIONAL, suo_raw_out, seed),
	TEXT(OPTIONAL, suo_raw_out, flow_control),
	BELOW(OPTIONAL, suo_raw_out, pfc, pfc_fields),
	CYAML_FIELD_MAPPING_PTR("switch", OPTIONAL, struct suo_raw_out, switch_policy,
				switch_fields),
	TEXT(OPTIONAL, suo_raw_out, congestion_control),
	BELOW(OPTIONAL, suo_raw_out, ecn, ecn_fields),
	BELOW(OPTIONAL, suo_raw_out, dcqcn, dcqcn_fields),
	TEXT(OPTIONAL, suo_raw_out, loss_rate),
	TEXT(OPTIONAL, suo_raw_out, retry),
	TEXT(OPTIONAL, suo_raw_out, rto_ns),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t software_fields[] = {
	TEXT(OPTIONAL, suo_raw_software, profile),
	TEXT(OPTIONAL, suo_raw_software, accelerator),
	TEXT(OPTIONAL, suo_raw_software, transport),
	TEXT(OPTIONAL, suo_raw_software, launch_ns),
	TEXT(OPTIONAL, suo_raw_software, step_ns),
	TEXT(OPTIONAL, suo_raw_software, channels),
	WORDS(suo_raw_software, protocols),
	WORDS(suo_raw_software, algorithms),
	TEXT(OPTIONAL, suo_raw_software, jitter_ns),
	TEXT(OPTIONAL, suo_raw_software, reduce_bandwidth),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t lab_fields[] = {
	TEXT(OPTIONAL, suo_raw_lab, time_scale),
	TEXT(OPTIONAL, suo_raw_lab, fabric),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t bench_fields[] = {
	TEXT(OPTIONAL, suo_raw_bench, min_bytes),
	TEXT(OPTIONAL, suo_raw_bench, max_bytes),
	TEXT(OPTIONAL, suo_raw_bench, factor),
	TEXT(OPTIONAL, suo_raw_bench, iterations),
	TEXT(OPTIONAL, suo_raw_bench, warmup),
	WORDS(suo_raw_bench, algorithms),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t cluster_fields[] = {
	TEXT(REQUIRED, suo_raw_cluster, name),
	TEXT(REQUIRED, suo_raw_cluster, hosts),
	TEXT(REQUIRED, suo_raw_cluster, accelerators),
	TEXT(OPTIONAL, suo_raw_cluster, hosts_per_domain),
	BELOW(REQUIRED, suo_raw_cluster, scale_up, up_fields),
	BELOW(REQUIRED, suo_raw_cluster, scale_out, out_fields),
	BELOW(OPTIONAL, suo_raw_cluster, software, software_fields),
	BELOW(OPTIONAL, suo_raw_cluster, lab, lab_fields),
	BELOW(OPTIONAL, suo_raw_cluster, bench, bench_fields),
	WORDS(suo_raw_cluster, faults),
	CYAML_FIELD_END
};

const cyaml_schema_value_t suo_raw_cluster_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct suo_raw_cluster,
			    cluster_fields),
};
