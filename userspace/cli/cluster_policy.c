// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "model/core/pfc.h"
#include "userspace/cli/cluster_policy.h"

/* "0-7,26": the DSCPs of a priority. */
static void print_dscps(const struct suo_policy *policy, uint32_t prio)
{
	const char *before = "DSCP ";

	for (uint32_t d = 0; d < SUO_POLICY_DSCPS; d++) {
		uint32_t first = d;

		if (policy->dscp_prio[d] != prio)
			continue;
		while (d + 1 < SUO_POLICY_DSCPS && policy->dscp_prio[d + 1] == prio)
			d++;
		printf("%s%" PRIu32, before, first);
		if (d > first)
			printf("-%" PRIu32, d);
		before = ",";
	}
}

static void print_pfc(const struct suo_policy_class *class)
{
	if (class->dynamic_th != SUO_PFC_NO_DYNAMIC)
		printf("; PFC at 2^%" PRId32 " of what is free", class->dynamic_th);
	else
		printf("; PFC at %" PRIu64 " bytes, until %" PRIu64, class->xoff_bytes,
		       class->xon_bytes);
	if (class->headroom_bytes)
		printf(", headroom %" PRIu64, class->headroom_bytes);
}

void suo_policy_print(const struct suo_policy *policy)
{
	for (uint32_t q = 0; q < SUO_POLICY_PRIOS; q++) {
		const struct suo_policy_class *class = &policy->class[q];

		printf("priority %" PRIu32 " ", q);
		print_dscps(policy, q);
		if (policy->strict >> q & 1)
			printf("; strict");
		else
			printf("; weight %" PRIu32, policy->weight[q]);
		if (class->pfc)
			print_pfc(class);
		if (class->ecn)
			printf("; ECN from %" PRIu64 " to %" PRIu64 " bytes, %g",
			       class->kmin_bytes, class->kmax_bytes,
			       class->pmax_milli / 1000.0);
		if (class->queue_bytes)
			printf("; queue %" PRIu64 " bytes", class->queue_bytes);
		putchar('\n');
	}
}

static json_t *class_json(const struct suo_policy *policy, uint32_t q)
{
	const struct suo_policy_class *class = &policy->class[q];
	json_t *dscps = json_array();

	for (uint32_t d = 0; d < SUO_POLICY_DSCPS; d++)
		if (policy->dscp_prio[d] == q)
			json_array_append_new(dscps, json_integer(d));
	return json_pack("{s:i, s:o, s:b, s:i, s:b, s:b, s:I, s:I, s:f, s:o, s:I, s:I, s:I, s:I}",
			 "priority", q, "dscp", dscps,
			 "strict", policy->strict >> q & 1,
			 "weight", policy->weight[q],
			 "pfc", class->pfc, "ecn", class->ecn,
			 "kmin_bytes", (json_int_t)class->kmin_bytes,
			 "kmax_bytes", (json_int_t)class->kmax_bytes,
			 "pmax", class->pmax_milli / 1000.0,
			 "dynamic_th", class->dynamic_th == SUO_PFC_NO_DYNAMIC ?
			 json_null() : json_integer(class->dynamic_th),
			 "xoff_bytes", (json_int_t)class->xoff_bytes,
			 "xon_bytes", (json_int_t)class->xon_bytes,
			 "headroom_bytes", (json_int_t)class->headroom_bytes,
			 "queue_bytes", (json_int_t)class->queue_bytes);
}

json_t *suo_policy_json(const struct suo_policy *policy)
{
	json_t *classes = json_array();

	for (uint32_t q = 0; q < SUO_POLICY_PRIOS; q++)
		json_array_append_new(classes, class_json(policy, q));
	return classes;
}
