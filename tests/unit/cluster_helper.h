/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of cluster files share. The file is called c.yaml in messages. */
#ifndef TESTS_UNIT_CLUSTER_HELPER_H
#define TESTS_UNIT_CLUSTER_HELPER_H

#include "model/cluster/cluster.h"

/* A text without faults. */
struct suo_cluster *parse(const char *text);

/* The text is refused with just this message. */
void refuse(const char *text, const char *message);
void refuse_bytes(const char *text, size_t len, const char *message);

#endif /* TESTS_UNIT_CLUSTER_HELPER_H */
