// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "model/cluster/schema.h"

#define REQUIRED	CYAML_FLAG_POINTER
#define OPTIONAL	(CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)

#define TEXT(flags, type, key)	\
	CYAML_FIELD_STRING_PTR(#key, flags, struct type, key, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t up_fields[] = {
	TEXT(REQUIRED, suo_raw_up, profile),
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

static const cyaml_schema_field_t out_fields[] = {
	TEXT(REQUIRED, suo_raw_out, profile),
	TEXT(OPTIONAL, suo_raw_out, nics_per_accelerator),
	TEXT(OPTIONAL, suo_raw_out, rate_gbps),
	TEXT(OPTIONAL, suo_raw_out, latency_ns),
	TEXT(OPTIONAL, suo_raw_out, mtu_bytes),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t lab_fields[] = {
	TEXT(OPTIONAL, suo_raw_lab, time_scale),
	CYAML_FIELD_END
};

static const cyaml_schema_value_t algorithm_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 0, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t bench_fields[] = {
	TEXT(OPTIONAL, suo_raw_bench, min_bytes),
	TEXT(OPTIONAL, suo_raw_bench, max_bytes),
	TEXT(OPTIONAL, suo_raw_bench, factor),
	TEXT(OPTIONAL, suo_raw_bench, iterations),
	TEXT(OPTIONAL, suo_raw_bench, warmup),
	CYAML_FIELD_SEQUENCE("algorithms", OPTIONAL, struct suo_raw_bench,
			     algorithms, &algorithm_value, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END
};

static const cyaml_schema_field_t cluster_fields[] = {
	TEXT(REQUIRED, suo_raw_cluster, name),
	TEXT(REQUIRED, suo_raw_cluster, hosts),
	TEXT(REQUIRED, suo_raw_cluster, accelerators),
	CYAML_FIELD_MAPPING_PTR("scale_up", REQUIRED, struct suo_raw_cluster,
				scale_up, up_fields),
	CYAML_FIELD_MAPPING_PTR("scale_out", REQUIRED, struct suo_raw_cluster,
				scale_out, out_fields),
	CYAML_FIELD_MAPPING_PTR("lab", OPTIONAL, struct suo_raw_cluster, lab,
				lab_fields),
	CYAML_FIELD_MAPPING_PTR("bench", OPTIONAL, struct suo_raw_cluster, bench,
				bench_fields),
	CYAML_FIELD_END
};

const cyaml_schema_value_t suo_raw_cluster_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct suo_raw_cluster,
			    cluster_fields),
};
