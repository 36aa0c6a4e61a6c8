/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* AV sets: ordered subsets of an address vector. */
#ifndef SUO_FI_COLL_SET_H
#define SUO_FI_COLL_SET_H

#include "suo_fi.h"

/**
 * struct suo_av_set - an AV set
 * @av: the address vector
 * @addr: the members, in order
 * @count: how many
 * @cap: entries allocated
 */
struct suo_av_set {
	struct fid_av_set	fid;
	struct suo_av		*av;
	fi_addr_t		*addr;
	size_t			count;
	size_t			cap;
};

#endif /* SUO_FI_COLL_SET_H */
