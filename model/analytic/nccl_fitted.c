// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Constants fitted to all tables of tests/data/nccl; where each comes from
 * stands there. Made by: suo calibrate --source FILE TABLE.csv...
 * Fitted to, and off by after the fit:
 *
 *	a3mega_h100_tcpxo      24 rows, 10.06 % off,  23.1 % at worst
 *	oci_a100_roce           4 rows,  0.44 % off,   0.8 % at worst
 *	dgx_h100               25 rows,  5.62 % off,  17.8 % at worst
 *	xe9680_h100_ib         25 rows,  6.24 % off,  21.7 % at worst
 *	mi355x_roce            25 rows,  2.77 % off,   9.4 % at worst
 *	a100_sxm              240 rows,  6.30 % off,  38.1 % at worst
 *	h100_sxm              240 rows,  5.35 % off,  58.6 % at worst
 *	h200_sxm              240 rows,  4.89 % off,  25.3 % at worst
 *	b200_sxm              240 rows,  3.83 % off,  34.7 % at worst
 *	b300_sxm              240 rows,  4.41 % off,  23.0 % at worst
 *	gb200                 160 rows,  3.75 % off,  19.1 % at worst
 *	gb300                 160 rows,  3.78 % off,  20.4 % at worst
 */
#include "model/analytic/nccl.h"

const struct suo_nccl_constants suo_nccl_fitted = {
	.gen = {
		{ /* ampere */
			13.102,	/* base_kcycles */
			24.324,	/* base_simple_kcycles */
			0.95166,	/* hop_ll_kcycles */
			3.1508,	/* hop_ll128_kcycles */
			7.5399,	/* hop_simple_kcycles */
			2.492,	/* channel_ll_ratio */
			1.9006,	/* channel_ll128_ratio */
			6.2967,	/* channel_simple_bytes_per_cycle */
			1.1709,	/* link_ll_ratio */
			0.78149,	/* link_ll128_ratio */
			1.0537,	/* link_simple_share */
			0.43752,	/* exposed_share */
			1.0706,	/* own_copy */
			2.0394,	/* gather_work */
			38.348,	/* nvls_base_kcycles */
			28.719,	/* nvls_round_kcycles */
			0.58172,	/* nvls_link_share */
			13.423,	/* p2p_base_kcycles */
			1.7198,	/* p2p_peer_kcycles */
			7.9549,	/* p2p_simple_kcycles */
			3.7294,	/* p2p_channel_ll_bytes_per_cycle */
			56.933,	/* p2p_channel_simple_bytes_per_cycle */
			0.60164,	/* p2p_link_share */
			0.24062,	/* p2p_own_copy */
		},
		{ /* hopper */
			9.6405,	/* base_kcycles */
			20.039,	/* base_simple_kcycles */
			1.4009,	/* hop_ll_kcycles */
			4.3219,	/* hop_ll128_kcycles */
			6.5337,	/* hop_simple_kcycles */
			2.9045,	/* channel_ll_ratio */
			1.8206,	/* channel_ll128_ratio */
			7.6853,	/* channel_simple_bytes_per_cycle */
			1.3084,	/* link_ll_ratio */
			0.98083,	/* link_ll128_ratio */
			0.96079,	/* link_simple_share */
			0.43381,	/* exposed_share */
			0.83077,	/* own_copy */
			2.236,	/* gather_work */
			38.348,	/* nvls_base_kcycles */
			28.719,	/* nvls_round_kcycles */
			0.58172,	/* nvls_link_share */
			11.148,	/* p2p_base_kcycles */
			1.5122,	/* p2p_peer_kcycles */
			10.529,	/* p2p_simple_kcycles */
			3.0345,	/* p2p_channel_ll_bytes_per_cycle */
			21.235,	/* p2p_channel_simple_bytes_per_cycle */
			0.66691,	/* p2p_link_share */
			0.15884,	/* p2p_own_copy */
		},
		{ /* blackwell */
			15.912,	/* base_kcycles */
			10.186,	/* base_simple_kcycles */
			2.0784,	/* hop_ll_kcycles */
			4.3219,	/* hop_ll128_kcycles */
			20.804,	/* hop_simple_kcycles */
			1.2713,	/* channel_ll_ratio */
			1.8206,	/* channel_ll128_ratio */
			21.984,	/* channel_simple_bytes_per_cycle */
			1.1101,	/* link_ll_ratio */
			0.98083,	/* link_ll128_ratio */
			0.83262,	/* link_simple_share */
			0.36915,	/* exposed_share */
			0.76219,	/* own_copy */
			1.6259,	/* gather_work */
			36.44,	/* nvls_base_kcycles */
			37.868,	/* nvls_round_kcycles */
			0.52314,	/* nvls_link_share */
			15.904,	/* p2p_base_kcycles */
			2.0508,	/* p2p_peer_kcycles */
			11.745,	/* p2p_simple_kcycles */
			3.0634,	/* p2p_channel_ll_bytes_per_cycle */
			39.427,	/* p2p_channel_simple_bytes_per_cycle */
			0.65936,	/* p2p_link_share */
			0.7912,	/* p2p_own_copy */
		},
		{ /* cdna */
			24.297,	/* base_kcycles */
			10.631,	/* base_simple_kcycles */
			1.8985,	/* hop_ll_kcycles */
			3.8463,	/* hop_ll128_kcycles */
			5.2358,	/* hop_simple_kcycles */
			1.9453,	/* channel_ll_ratio */
			0.99658,	/* channel_ll128_ratio */
			19.99,	/* channel_simple_bytes_per_cycle */
			0.56617,	/* link_ll_ratio */
			0.97535,	/* link_ll128_ratio */
			0.8,	/* link_simple_share */
			0.43381,	/* exposed_share */
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
			6.2028,	/* hop_ll_us */
			10.97,	/* hop_ll128_us */
			20.44,	/* hop_simple_us */
			17.143,	/* hop_nvls_tree_us */
			0.94774,	/* nic_share */
		},
		{ /* tcpxo */
			6.2028,	/* hop_ll_us */
			10.97,	/* hop_ll128_us */
			29.867,	/* hop_simple_us */
			17.143,	/* hop_nvls_tree_us */
			0.93175,	/* nic_share */
		},
		{ /* rccl_verbs */
			10.533,	/* hop_ll_us */
			15.802,	/* hop_ll128_us */
			26.37,	/* hop_simple_us */
			20.9,	/* hop_nvls_tree_us */
			0.96199,	/* nic_share */
		},
	},
	.log_p10 = -0.0775,
	.log_p90 = 0.1440,
};
