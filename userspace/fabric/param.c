// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The FI_SUO_* variables: what they are called, what they mean, their limits. */
#include "suo_fi.h"

struct int_param {
	const char	*name;
	int		*value;
	int		min;
	int		max;
	const char	*help;
};

static const struct int_param params[] = {
	{ "gid_index", &suo_tune.gid_index, -1, 255,
	  "index of the GID to use; -1: the first RoCE v2 GID, preferably of an IPv4 address (default: -1)" },
	{ "eager_size", &suo_tune.eager_size, 0, 1 << 20,
	  "largest message in bytes that is sent at once; a larger one is announced and then read by the receiver (default: 16384)" },
	{ "rx_buffers", &suo_tune.rx_buffers, 16, 65536,
	  "receive buffers of an endpoint, each of FI_SUO_EAGER_SIZE bytes (default: 256)" },
	{ "traffic_class", &suo_tune.traffic_class, 0, 255,
	  "IP traffic class of everything sent, DSCP * 4 (default: 0)" },
	{ "qp_timeout", &suo_tune.qp_timeout, 1, 31,
	  "local ACK timeout n, for 4.096 us * 2^n, of the queue pairs, which repeat 7 times (default: 18)" },
	{ "connect_ms", &suo_tune.connect_ms, 1, 600000,
	  "milliseconds after which a connect message without an answer is repeated for the first time; the time doubles with each repetition (default: 1000)" },
	{ "connect_tries", &suo_tune.connect_tries, 1, 32,
	  "how often a connect message is sent before the peer counts as unreachable (default: 7)" },
	{ "keepalive_ms", &suo_tune.keepalive_ms, 0, 600000,
	  "milliseconds after which a peer that owes an answer is probed for the first time, to see whether it is still there; the time doubles with each probe; 0: never (default: 2000)" },
	{ "close_ms", &suo_tune.close_ms, 0, 600000,
	  "milliseconds for which closing an endpoint waits for what it has sent to be acknowledged (default: 10000)" },
};

static const struct {
	const char	*name;
	char		**value;
	const char	*help;
} texts[] = {
	{ "iface", &suo_tune.iface,
	  "verbs devices to offer, separated by commas, whatever their driver (default: those of the suo driver)" },
	{ "coll_algo", &suo_tune.coll_algo,
	  "algorithm of collectives, where a collective has it and the members allow it, as \"suo plan list\" names them (default: what the model chooses)" },
	{ "cluster", &suo_tune.cluster,
	  "file with the cluster's figures that this choice goes by, as \"suo cluster env\" prints them (default: what the kernel module says)" },
};

static void define(const struct int_param *p)
{
	int val;

	fi_param_define(&suo_prov, p->name, FI_PARAM_INT, "%s", p->help);
	if (fi_param_get_int(&suo_prov, p->name, &val))
		return;
	if (val < p->min || val > p->max) {
		suo_warn(CORE, "FI_SUO_%s: %d is not within %d to %d; using %d\n",
			 p->name, val, p->min, p->max, *p->value);
		return;
	}
	*p->value = val;
}

void suo_params_read(void)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fi_param_define(&suo_prov, texts[i].name, FI_PARAM_STRING, "%s", texts[i].help);
		if (fi_param_get_str(&suo_prov, texts[i].name, texts[i].value))
			*texts[i].value = NULL;
	}
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		define(&params[i]);
}
