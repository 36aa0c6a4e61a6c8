// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory windows. They are bound by a work request, also those of type 1.
 */
#include <errno.h>
#include <stdlib.h>

#include "suo.h"

struct ibv_mw *suo_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_alloc_mw cmd = {};
	struct ibv_mw *mw;
	int ret;

	mw = calloc(1, sizeof(*mw));
	if (!mw)
		return NULL;

	ret = ibv_cmd_alloc_mw(pd, type, mw, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (ret)
		goto err_cmd;
	return mw;

err_cmd:
	free(mw);
	errno = ret;
	return NULL;
}

/* The key in @mw is the new one once the request is posted: ibv_bind_mw(3). */
int suo_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	struct ibv_send_wr *bad_wr, wr = {
		.wr_id		= bind->wr_id,
		.opcode		= IBV_WR_BIND_MW,
		.send_flags	= bind->send_flags,
		.bind_mw	= {
			.mw		= mw,
			.rkey		= ibv_inc_rkey(mw->rkey),
			.bind_info	= bind->bind_info,
		},
	};
	int ret;

	ret = suo_post_send(qp, &wr, &bad_wr);
	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}

int suo_dealloc_mw(struct ibv_mw *mw)
{
	int ret = ibv_cmd_dealloc_mw(mw);

	if (!ret)
		free(mw);
	return ret;
}
