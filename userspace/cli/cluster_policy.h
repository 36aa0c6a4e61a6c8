/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a cluster file's switches do with each priority, for suo cluster check. */
#ifndef SUO_CLI_CLUSTER_POLICY_H
#define SUO_CLI_CLUSTER_POLICY_H

#include <jansson.h>

#include "model/cluster/cluster.h"

void suo_policy_print(const struct suo_policy *policy);
json_t *suo_policy_json(const struct suo_policy *policy);

#endif /* SUO_CLI_CLUSTER_POLICY_H */
