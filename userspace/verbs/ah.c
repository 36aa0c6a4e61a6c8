// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Address handles. The kernel resolves the route and keeps the address; a
 * work request names the handle by number.
 */
#include <errno.h>
#include <stdlib.h>

#include "suo.h"

struct suo_create_ah_answer {
	struct ib_uverbs_create_ah_resp core;
	struct suo_create_ah_resp driver;
};
static_assert(offsetof(struct suo_create_ah_answer, driver) ==
	      sizeof(struct ib_uverbs_create_ah_resp), "response");

struct ibv_ah *suo_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct suo_create_ah_answer resp = {};
	struct suo_ah *ah;
	int ret;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;

	ret = ibv_cmd_create_ah(pd, &ah->ibv, attr, &resp.core, sizeof(resp));
	if (ret)
		goto err_cmd;

	ah->ah_id = resp.driver.ah_id;
	return &ah->ibv;

err_cmd:
	free(ah);
	errno = ret;
	return NULL;
}

int suo_destroy_ah(struct ibv_ah *ibah)
{
	int ret = ibv_cmd_destroy_ah(ibah);

	if (!ret)
		free(ibah);
	return ret;
}
