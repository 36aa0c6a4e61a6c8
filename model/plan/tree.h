/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SUO_PLAN_TREE_H
#define SUO_PLAN_TREE_H

#include <stdint.h>

/* Edges from the root of a binary tree over @count nodes to its lowest leaf. */
uint32_t suo_tree_depth(uint32_t count);

#endif /* SUO_PLAN_TREE_H */
