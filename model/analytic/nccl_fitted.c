// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Constants fitted to all tables of tests/data/nccl; where each comes from
 * stands there. Made by: suo calibrate --source FILE TABLE.csv...
 * Fitted to, and off by after the fit:
 *
 *	a3mega_h100_tcpxo      24 rows,  9.98 % off,  22.3 % at worst
 *	oci_a100_roce           4 rows,  0.63 % off,   0.9 % at worst
 *	dgx_h100               25 rows,  5.42 % off,  17.8 % at worst
 *	xe9680_h100_ib         25 rows,  6.41 % off,  21.9 % at worst
 *	mi355x_roce            25 rows,  2.60 % off,   9.3 % at worst
 *	a100_sxm              240 rows,  5.19 % off,  20.0 % at worst
 *	h100_sxm              240 rows,  5.46 % off,  58.9 % at worst
 *	h200_sxm              240 rows,  4.94 % off,  25.8 % at worst
 *	b200_sxm              240 rows,  3.86 % off,  34.5 % at worst
 *	b300_sxm              240 rows,  4.45 % off,  23.1 % at worst
 *	gb200                 160 rows,  3.76 % off,  19.1 % at worst
 *	gb300                 160 rows,  3.84 % off,  19.6 % at worst
 */
#include "model/analytic/nccl.h"

const struct suo_nccl_constants suo_nccl_fitted = {
	.gen = {
		{ /* ampere */
			13.388,	/* base_kcycles */
			19.978,	/* base_simple_kcycles */
			0.94871,	/* hop_ll_kcycles */
			3.3474,	/* hop_ll128_kcycles */
			13.245,	/* hop_simple_kcycles */
			2.5506,	/* channel_ll_ratio */
			1.4116,	/* channel_ll128_ratio */
			30.283,	/* channel_simple_bytes_per_cycle */
			1.0385,	/* link_ll_ratio */
			0.75996,	/* link_ll128_ratio */
			0.77397,	/* link_simple_share */
			0.57852,	/* exposed_share */
			0.55072,	/* own_copy */
			2.0184,	/* gather_work */
			38.263,	/* nvls_base_kcycles */
			28.721,	/* nvls_round_kcycles */
			0.58175,	/* nvls_link_share */
			13.057,	/* p2p_base_kcycles */
			1.83,	/* p2p_peer_kcycles */
			21.402,	/* p2p_simple_kcycles */
			1.8582,	/* p2p_channel_ll_bytes_per_cycle */
			19.101,	/* p2p_channel_simple_bytes_per_cycle */
			0.65731,	/* p2p_link_share */
			0.2437,	/* p2p_own_copy */
		},
		{ /* hopper */
			9.7243,	/* base_kcycles */
			19.006,	/* base_simple_kcycles */
			1.4895,	/* hop_ll_kcycles */
			4.3766,	/* hop_ll128_kcycles */
			10.207,	/* hop_simple_kcycles */
			3.1282,	/* channel_ll_ratio */
			1.3996,	/* channel_ll128_ratio */
			21.032,	/* channel_simple_bytes_per_cycle */
			1.2047,	/* link_ll_ratio */
			0.95082,	/* link_ll128_ratio */
			0.82905,	/* link_simple_share */
			0.48218,	/* exposed_share */
			0.56405,	/* own_copy */
			2.071,	/* gather_work */
			38.263,	/* nvls_base_kcycles */
			28.721,	/* nvls_round_kcycles */
			0.58175,	/* nvls_link_share */
			11.043,	/* p2p_base_kcycles */
			1.6278,	/* p2p_peer_kcycles */
			10.373,	/* p2p_simple_kcycles */
			3.045,	/* p2p_channel_ll_bytes_per_cycle */
			19.122,	/* p2p_channel_simple_bytes_per_cycle */
			0.66722,	/* p2p_link_share */
			0.16092,	/* p2p_own_copy */
		},
		{ /* blackwell */
			15.898,	/* base_kcycles */
			10.708,	/* base_simple_kcycles */
			2.1906,	/* hop_ll_kcycles */
			4.3766,	/* hop_ll128_kcycles */
			20.517,	/* hop_simple_kcycles */
			1.1992,	/* channel_ll_ratio */
			1.3996,	/* channel_ll128_ratio */
			20.474,	/* channel_simple_bytes_per_cycle */
			1.1009,	/* link_ll_ratio */
			0.95082,	/* link_ll128_ratio */
			0.82354,	/* link_simple_share */
			0.38906,	/* exposed_share */
			0.7217,	/* own_copy */
			1.4812,	/* gather_work */
			36.449,	/* nvls_base_kcycles */
			37.87,	/* nvls_round_kcycles */
			0.52316,	/* nvls_link_share */
			15.835,	/* p2p_base_kcycles */
			2.2141,	/* p2p_peer_kcycles */
			11.664,	/* p2p_simple_kcycles */
			3.2244,	/* p2p_channel_ll_bytes_per_cycle */
			38.853,	/* p2p_channel_simple_bytes_per_cycle */
			0.66141,	/* p2p_link_share */
			0.79675,	/* p2p_own_copy */
		},
		{ /* cdna */
			25.336,	/* base_kcycles */
			10.627,	/* base_simple_kcycles */
			2.0691,	/* hop_ll_kcycles */
			3.9835,	/* hop_ll128_kcycles */
			5.1966,	/* hop_simple_kcycles */
			2.0249,	/* channel_ll_ratio */
			0.99999,	/* channel_ll128_ratio */
			20.001,	/* channel_simple_bytes_per_cycle */
			0.6519,	/* link_ll_ratio */
			0.99057,	/* link_ll128_ratio */
			0.8,	/* link_simple_share */
			0.48218,	/* exposed_share */
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
			6.661,	/* hop_ll_us */
			11.709,	/* hop_ll128_us */
			13.313,	/* hop_simple_us */
			17.126,	/* hop_nvls_tree_us */
			0.94519,	/* nic_share */
		},
		{ /* tcpxo */
			6.661,	/* hop_ll_us */
			11.709,	/* hop_ll128_us */
			12.675,	/* hop_simple_us */
			17.126,	/* hop_nvls_tree_us */
			0.92247,	/* nic_share */
		},
		{ /* rccl_verbs */
			11.152,	/* hop_ll_us */
			16.248,	/* hop_ll128_us */
			26.316,	/* hop_simple_us */
			20.9,	/* hop_nvls_tree_us */
			0.96116,	/* nic_share */
		},
	},
	.log_p10 = -0.0845,
	.log_p90 = 0.1231,
};
