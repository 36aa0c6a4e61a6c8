// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Constants fitted to all tables of tests/data/nccl; where each comes from
 * stands there. Made by: suo calibrate --source FILE TABLE.csv...
 * Fitted to, and off by after the fit:
 *
 *	a3mega_h100_tcpxo      24 rows, 10.31 % off,  22.8 % at worst
 *	oci_a100_roce           4 rows,  0.57 % off,   0.9 % at worst
 *	dgx_h100               25 rows,  5.50 % off,  17.8 % at worst
 *	xe9680_h100_ib         25 rows,  6.23 % off,  21.6 % at worst
 *	mi355x_roce            25 rows,  2.80 % off,   9.4 % at worst
 *	a100_sxm              240 rows,  6.36 % off,  38.1 % at worst
 *	h100_sxm              240 rows,  5.40 % off,  58.6 % at worst
 *	h200_sxm              240 rows,  4.90 % off,  25.3 % at worst
 *	b200_sxm              240 rows,  3.82 % off,  34.7 % at worst
 *	b300_sxm              240 rows,  4.40 % off,  23.0 % at worst
 *	gb200                 160 rows,  3.74 % off,  19.1 % at worst
 *	gb300                 160 rows,  3.77 % off,  20.4 % at worst
 */
#include "model/analytic/nccl.h"

const struct suo_nccl_constants suo_nccl_fitted = {
	.gen = {
		{ /* ampere */
			13.3,	/* base_kcycles */
			23.678,	/* base_simple_kcycles */
			0.91695,	/* hop_ll_kcycles */
			3.2684,	/* hop_ll128_kcycles */
			8.1743,	/* hop_simple_kcycles */
			2.4723,	/* channel_ll_ratio */
			1.8951,	/* channel_ll128_ratio */
			6.7126,	/* channel_simple_bytes_per_cycle */
			1.0646,	/* link_ll_ratio */
			0.76223,	/* link_ll128_ratio */
			0.85527,	/* link_simple_share */
			0.44718,	/* exposed_share */
			0.67295,	/* own_copy */
			2.0228,	/* gather_work */
			38.273,	/* nvls_base_kcycles */
			28.722,	/* nvls_round_kcycles */
			0.58175,	/* nvls_link_share */
			13.423,	/* p2p_base_kcycles */
			1.7197,	/* p2p_peer_kcycles */
			7.9549,	/* p2p_simple_kcycles */
			3.7294,	/* p2p_channel_ll_bytes_per_cycle */
			56.911,	/* p2p_channel_simple_bytes_per_cycle */
			0.60164,	/* p2p_link_share */
			0.24062,	/* p2p_own_copy */
		},
		{ /* hopper */
			9.7123,	/* base_kcycles */
			19.648,	/* base_simple_kcycles */
			1.3897,	/* hop_ll_kcycles */
			4.3182,	/* hop_ll128_kcycles */
			7.6932,	/* hop_simple_kcycles */
			2.9077,	/* channel_ll_ratio */
			1.81,	/* channel_ll128_ratio */
			9.1066,	/* channel_simple_bytes_per_cycle */
			1.2161,	/* link_ll_ratio */
			0.95224,	/* link_ll128_ratio */
			0.84846,	/* link_simple_share */
			0.4364,	/* exposed_share */
			0.60757,	/* own_copy */
			2.186,	/* gather_work */
			38.273,	/* nvls_base_kcycles */
			28.722,	/* nvls_round_kcycles */
			0.58175,	/* nvls_link_share */
			11.148,	/* p2p_base_kcycles */
			1.5122,	/* p2p_peer_kcycles */
			10.529,	/* p2p_simple_kcycles */
			3.0345,	/* p2p_channel_ll_bytes_per_cycle */
			21.235,	/* p2p_channel_simple_bytes_per_cycle */
			0.66691,	/* p2p_link_share */
			0.15884,	/* p2p_own_copy */
		},
		{ /* blackwell */
			15.924,	/* base_kcycles */
			10.485,	/* base_simple_kcycles */
			2.0761,	/* hop_ll_kcycles */
			4.3182,	/* hop_ll128_kcycles */
			20.759,	/* hop_simple_kcycles */
			1.2706,	/* channel_ll_ratio */
			1.81,	/* channel_ll128_ratio */
			22.217,	/* channel_simple_bytes_per_cycle */
			1.099,	/* link_ll_ratio */
			0.95224,	/* link_ll128_ratio */
			0.82399,	/* link_simple_share */
			0.36511,	/* exposed_share */
			0.73148,	/* own_copy */
			1.6212,	/* gather_work */
			36.425,	/* nvls_base_kcycles */
			37.869,	/* nvls_round_kcycles */
			0.52315,	/* nvls_link_share */
			15.904,	/* p2p_base_kcycles */
			2.0508,	/* p2p_peer_kcycles */
			11.745,	/* p2p_simple_kcycles */
			3.0634,	/* p2p_channel_ll_bytes_per_cycle */
			39.433,	/* p2p_channel_simple_bytes_per_cycle */
			0.65936,	/* p2p_link_share */
			0.7912,	/* p2p_own_copy */
		},
		{ /* cdna */
			24.282,	/* base_kcycles */
			10.627,	/* base_simple_kcycles */
			1.899,	/* hop_ll_kcycles */
			3.8469,	/* hop_ll128_kcycles */
			5.2019,	/* hop_simple_kcycles */
			1.9453,	/* channel_ll_ratio */
			0.99657,	/* channel_ll128_ratio */
			19.99,	/* channel_simple_bytes_per_cycle */
			0.56615,	/* link_ll_ratio */
			0.97534,	/* link_ll128_ratio */
			0.8,	/* link_simple_share */
			0.4364,	/* exposed_share */
			0.4,	/* own_copy */
			2,	/* gather_work */
			52.5,	/* nvls_base_kcycles */
			20,	/* nvls_round_kcycles */
			0.6,	/* nvls_link_share */
			25.2,	/* p2p_base_kcycles */
			1.68,	/* p2p_peer_kcycles */
			8,	/* p2p_simple_kcycles */
			4,	/* p2p_channel_ll_bytes_per_cycle */
			10,	/* p2p_channel_simple_bytes_per_cycle */
			0.74,	/* p2p_link_share */
			0.4,	/* p2p_own_copy */
		},
	},
	.net = {
		{ /* verbs */
			6.225,	/* hop_ll_us */
			10.926,	/* hop_ll128_us */
			17.644,	/* hop_simple_us */
			17.123,	/* hop_nvls_tree_us */
			0.94487,	/* nic_share */
		},
		{ /* tcpxo */
			6.225,	/* hop_ll_us */
			10.926,	/* hop_ll128_us */
			22.26,	/* hop_simple_us */
			17.123,	/* hop_nvls_tree_us */
			0.92249,	/* nic_share */
		},
		{ /* rccl_verbs */
			10.534,	/* hop_ll_us */
			15.804,	/* hop_ll128_us */
			26.323,	/* hop_simple_us */
			20.9,	/* hop_nvls_tree_us */
			0.96102,	/* nic_share */
		},
	},
	.log_p10 = -0.0775,
	.log_p90 = 0.1235,
};
