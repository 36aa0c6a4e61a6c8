// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Priorities of a cluster file's switches: scale_out.switch. */
#include <inttypes.h>
#include <stdlib.h>

#include "model/cluster/load.h"
#include "model/core/pfc.h"
#include "model/core/sched.h"
#include "model/core/wred.h"

#define MAX_QUEUE_BYTES	(1ull << 33)
#define MS		1000000000ull
#define MAX_TIME_PS	(3600000 * MS)

/* Ethernet, IPv4, UDP, BTH and RETH, immediate data, ICRC and FCS fit. */
#define MIN_TRIM_BYTES	86
#define SONIC_MTU	9100
#define MAX_MTU		9600

const char *const suo_pfcwd_action_names[] = {
	[SUO_PFCWD_DROP]	= "drop",
	[SUO_PFCWD_FORWARD]	= "forward",
	[SUO_PFCWD_ALERT]	= "alert",
	[SUO_PFCWD_ACTIONS]	= NULL,
};

static const char *const no_yes[] = { "false", "true", NULL };

static const struct suo_quantity a_prio = {
	SUO_NUMBER, NULL, 0, SUO_POLICY_PRIOS - 1
};
static const struct suo_quantity a_dscp = {
	SUO_NUMBER, NULL, 0, SUO_POLICY_DSCPS - 1
};
static const struct suo_quantity a_weight = {
	SUO_NUMBER, NULL, 1, SUO_SCHED_MAX_WEIGHT
};
static const struct suo_quantity an_mtu = { SUO_BYTES, "B", 576, MAX_MTU };
static const struct suo_quantity a_trim = { SUO_BYTES, "B", MIN_TRIM_BYTES, 1024 };
static const struct suo_quantity a_queue = { SUO_BYTES, "B", 1, MAX_QUEUE_BYTES };
static const struct suo_quantity a_ratio = { SUO_RATIO, NULL, 1, 1000 };
static const struct suo_quantity a_share = {
	SUO_NUMBER, NULL, 0, SUO_WRED_MAX_WEIGHT
};
static const struct suo_quantity a_time = { SUO_TIME, "ms", 1000, MAX_TIME_PS };

/* SUO_NUMBER has no sign. */
static int32_t get_exponent(struct suo_load *load, const char *key, const char *text)
{
	char *end;
	long n;

	if (!text)
		return SUO_PFC_NO_DYNAMIC;
	n = strtol(text, &end, 10);
	if (end == text || *end || n < -16 || n > 16)
		suo_load_fault(load, key, "'%s' is not a whole number from -16 to 16", text);
	return n;
}

/* A priority of a list, in @mask from then on. Return: it; after a fault, any. */
static uint32_t get_listed(struct suo_load *load, const char *key, const char *text,
			   uint32_t *mask)
{
	uint64_t prio = suo_load_get(load, key, text, &a_prio, SUO_POLICY_PRIOS);

	if (prio == SUO_POLICY_PRIOS)
		return 0;
	if (*mask >> prio & 1)
		suo_load_fault(load, key, "'%s' is listed twice", text);
	*mask |= 1u << prio;
	return prio;
}

static uint32_t get_mask(struct suo_load *load, const char *key, char **words,
			 unsigned int n)
{
	uint32_t mask = 0;

	for (unsigned int i = 0; i < n; i++)
		get_listed(load, key, words[i], &mask);
	return mask;
}

/* Return: false after a fault. */
static bool get_dscps(struct suo_load *load, const char *key, const char *text,
		      struct suo_policy *policy)
{
	uint64_t first, last, prio;
	char low[8], high[8], to[8], why[256];
	int n = 0;

	/* "26=3" or "24-31=3" */
	if (sscanf(text, "%7[0-9]-%7[0-9]=%7[0-9]%n", low, high, to, &n) != 3) {
		n = 0;
		if (sscanf(text, "%7[0-9]=%7[0-9]%n", low, to, &n) == 2)
			strcpy(high, low);
	}
	if (!n || text[n]) {
		suo_load_fault(load, key, "'%s' is not DSCP=PRIORITY or DSCP-DSCP=PRIORITY",
			       text);
		return false;
	}
	if (suo_quantity_parse(low, &a_dscp, &first, why, sizeof(why)) ||
	    suo_quantity_parse(high, &a_dscp, &last, why, sizeof(why)) ||
	    suo_quantity_parse(to, &a_prio, &prio, why, sizeof(why))) {
		suo_load_fault(load, key, "'%s': %s", text, why);
		return false;
	}
	if (last < first) {
		suo_load_fault(load, key, "'%s': %" PRIu64 " is less than %" PRIu64, text,
			       last, first);
		return false;
	}
	for (; first <= last; first++)
		policy->dscp_prio[first] = prio;
	return true;
}

static void get_sched(struct suo_load *load, const struct suo_raw_switch *raw,
		      struct suo_policy *policy)
{
	if (raw->strict_count)
		policy->strict = get_mask(load, "scale_out.switch.strict", raw->strict,
					  raw->strict_count);
	if (raw->weights_count && raw->weights_count != SUO_POLICY_PRIOS) {
		suo_load_fault(load, "scale_out.switch.weights",
			       "%u weights; there are %d priorities",
			       raw->weights_count, SUO_POLICY_PRIOS);
		return;
	}
	for (unsigned int q = 0; q < raw->weights_count; q++)
		policy->weight[q] = suo_load_get(load, "scale_out.switch.weights",
						 raw->weights[q], &a_weight, 1);
}

static void get_watchdog(struct suo_load *load, const struct suo_raw_watchdog *raw,
			 struct suo_policy *policy)
{
	struct suo_pfcwd_law *law = &policy->watchdog;

	if (!raw)
		return;
	/* As sonic-utilities' "pfcwd start_default" has them. */
	law->detection_ps = suo_load_get(load, "scale_out.switch.watchdog.detection_ms",
					 raw->detection_ms, &a_time, 200 * MS);
	law->restoration_ps = suo_load_get(load,
					   "scale_out.switch.watchdog.restoration_ms",
					   raw->restoration_ms, &a_time, 200 * MS);
	law->action = suo_load_word(load, "scale_out.switch.watchdog.action", raw->action,
				    suo_pfcwd_action_names, SUO_PFCWD_DROP);
	policy->watchdog_poll_ps = suo_load_get(load, "scale_out.switch.watchdog.poll_ms",
						raw->poll_ms, &a_time,
						law->detection_ps / 2);
	if (policy->watchdog_poll_ps > law->detection_ps)
		suo_load_fault(load, "scale_out.switch.watchdog.poll_ms",
			       "is longer than detection_ms");
}

static void get_trimming(struct suo_load *load, const struct suo_raw_trimming *raw,
			 struct suo_policy *policy)
{
	if (!raw)
		return;
	policy->trim_bytes = suo_load_get(load, "scale_out.switch.trimming.bytes",
					  raw->bytes, &a_trim, 128);
	policy->trim_prio = suo_load_get(load, "scale_out.switch.trimming.priority",
					 raw->priority, &a_prio, 6);
	policy->trim_dscp = suo_load_get(load, "scale_out.switch.trimming.dscp", raw->dscp,
					 &a_dscp, 8 * policy->trim_prio);
}

static const char *class_key(char *key, size_t size, unsigned int i, const char *name)
{
	snprintf(key, size, "scale_out.switch.priorities[%u].%s", i, name);
	return key;
}

#define KEY(name)	class_key(key, sizeof(key), i, name)

/* What excludes what in a class. */
static void check_class(struct suo_load *load, const struct suo_raw_prio *raw,
			unsigned int i, const struct suo_policy_class *class)
{
	char key[96];

	if (raw->dynamic_th && raw->xoff_bytes)
		suo_load_fault(load, KEY("dynamic_th"),
			       "the threshold is dynamic_th's or xoff_bytes, not both");
	if (class->ecn && class->kmax_bytes <= class->kmin_bytes)
		suo_load_fault(load, KEY(raw->kmax_bytes ? "kmax_bytes" : "kmin_bytes"),
			       "kmax_bytes (%" PRIu64 ") is not more than kmin_bytes (%" PRIu64 ")",
			       class->kmax_bytes, class->kmin_bytes);
	if (class->pfc && !raw->dynamic_th && class->xon_bytes > class->xoff_bytes)
		suo_load_fault(load, KEY("xon_bytes"),
			       "xon_bytes (%" PRIu64 ") is more than xoff_bytes (%" PRIu64 ")",
			       class->xon_bytes, class->xoff_bytes);
	if (class->pfc && raw->queue_bytes)
		suo_load_fault(load, KEY("queue_bytes"),
			       "a priority with PFC drops nothing");
	if (raw->headroom_bytes && !class->pfc)
		suo_load_fault(load, KEY("headroom_bytes"),
			       "only a priority with PFC needs headroom");
}

static void get_class(struct suo_load *load, const struct suo_raw_prio *raw,
		      unsigned int i, struct suo_policy_class *class)
{
	char key[96];

	class->pfc = suo_load_word(load, KEY("pfc"), raw->pfc, no_yes, class->pfc);
	class->ecn = suo_load_word(load, KEY("ecn"), raw->ecn, no_yes,
				   class->ecn || raw->kmin_bytes || raw->kmax_bytes);
	class->kmin_bytes = suo_load_get(load, KEY("kmin_bytes"), raw->kmin_bytes,
					 &a_queue, class->kmin_bytes);
	class->kmax_bytes = suo_load_get(load, KEY("kmax_bytes"), raw->kmax_bytes,
					 &a_queue, class->kmax_bytes);
	class->pmax_milli = suo_load_get(load, KEY("pmax"), raw->pmax, &a_ratio,
					 class->pmax_milli);
	class->wred_weight = suo_load_get(load, KEY("wred_weight"), raw->wred_weight,
					  &a_share, 0);
	class->dynamic_th = get_exponent(load, KEY("dynamic_th"), raw->dynamic_th);
	class->xoff_bytes = suo_load_get(load, KEY("xoff_bytes"), raw->xoff_bytes, &a_queue,
					 class->xoff_bytes);
	class->xon_bytes = suo_load_get(load, KEY("xon_bytes"), raw->xon_bytes, &a_queue,
					raw->xoff_bytes ? class->xoff_bytes / 2 + 1 :
							  class->xon_bytes);
	class->headroom_bytes = suo_load_get(load, KEY("headroom_bytes"),
					     raw->headroom_bytes, &a_queue,
					     class->headroom_bytes);
	class->reserved_bytes = suo_load_get(load, KEY("reserved_bytes"),
					     raw->reserved_bytes, &a_queue, 0);
	class->queue_bytes = suo_load_get(load, KEY("queue_bytes"), raw->queue_bytes,
					  &a_queue, 0);
	check_class(load, raw, i, class);
}

static void get_classes(struct suo_load *load, const struct suo_raw_switch *raw,
			struct suo_policy *policy)
{
	uint32_t seen = 0;

	for (unsigned int i = 0; i < raw->priorities_count; i++) {
		const struct suo_raw_prio *p = &raw->priorities[i];
		char key[96];
		uint32_t prio = get_listed(load, KEY("priority"), p->priority, &seen);

		get_class(load, p, i, &policy->class[prio]);
	}
}

/* What the sections pfc and ecn say holds for the priorities of data. */
static void start_class(const struct suo_congestion *con, bool data,
			struct suo_policy_class *class)
{
	*class = (struct suo_policy_class){
		.pfc = data && con->lossless,
		.ecn = data && con->ecn,
		.kmin_bytes = con->kmin_bytes,
		.kmax_bytes = con->kmax_bytes,
		.pmax_milli = con->pmax_milli,
		.dynamic_th = SUO_PFC_NO_DYNAMIC,
		.xoff_bytes = con->xoff_bytes,
		.xon_bytes = con->xon_bytes,
		.headroom_bytes = con->headroom_bytes,
	};
}

void suo_load_switch(struct suo_load *load, const struct suo_raw_out *raw_out)
{
	static const char *const ends[] = { "arrival", "departure", NULL };
	static const struct suo_raw_switch nothing;
	const struct suo_raw_switch *raw = raw_out->switch_policy ?
					   raw_out->switch_policy : &nothing;
	struct suo_policy *policy = &load->cluster->out.policy;

	policy->mtu_bytes = suo_load_get(load, "scale_out.switch.mtu_bytes",
					 raw->mtu_bytes, &an_mtu, SONIC_MTU);
	/* Who says nothing has DSCP 0; in a lab that is RoCE, too. */
	policy->data_prios = 1u << 0 | 1u << 3;
	if (raw->data_priorities_count)
		policy->data_prios = get_mask(load, "scale_out.switch.data_priorities",
					      raw->data_priorities,
					      raw->data_priorities_count);
	for (uint32_t dscp = 0; dscp < SUO_POLICY_DSCPS; dscp++)
		policy->dscp_prio[dscp] = dscp / 8;
	for (unsigned int i = 0; i < raw->dscp_to_tc_count; i++)
		if (!get_dscps(load, "scale_out.switch.dscp_to_tc", raw->dscp_to_tc[i],
			       policy))
			break;
	policy->strict = 1u << 6;
	for (uint32_t q = 0; q < SUO_POLICY_PRIOS; q++) {
		policy->weight[q] = 4;
		start_class(&load->cluster->out.congestion, policy->data_prios >> q & 1,
			    &policy->class[q]);
	}
	get_sched(load, raw, policy);
	policy->mark_at_exit = suo_load_word(load, "scale_out.switch.mark_at",
					     raw->mark_at, ends, 0);
	policy->same_seed = suo_load_word(load, "scale_out.switch.same_seed",
					  raw->same_seed, no_yes, 0);
	get_trimming(load, raw->trimming, policy);
	get_watchdog(load, raw->watchdog, policy);
	get_classes(load, raw, policy);
}
