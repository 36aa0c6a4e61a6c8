// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reductions for every processor that the program runs on. */
#define REDUCE_TABLE	suo_reduce_base

#include "userspace/coll/reduce_loops.h"
