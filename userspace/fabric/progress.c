// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Progress: what the verbs CQ of an endpoint has to tell. */
#include <time.h>

#include "suo_fi.h"

#define POLL_BATCH	16
#define POLL_ROUNDS	64
#define GRH_SIZE	40

uint64_t suo_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void handle(struct suo_ep *ep, const struct ibv_wc *wc)
{
	struct suo_buf *buf = suo_wr_ptr(wc->wr_id);

	switch (wc->wr_id & 3) {
	case SUO_WR_TX:
		suo_tx_wc(suo_wr_ptr(wc->wr_id), wc);
		break;
	case SUO_WR_RX:
		if (wc->status == IBV_WC_SUCCESS)
			suo_rx_wc(ep, buf, wc);
		suo_list_add_tail(&buf->link, &ep->refill);
		break;
	case SUO_WR_UD_RX:
		if (wc->status == IBV_WC_SUCCESS && wc->byte_len >= GRH_SIZE)
			suo_conn_datagram(ep, buf->data + GRH_SIZE, wc->byte_len - GRH_SIZE);
		suo_ud_repost(ep, buf);
		break;
	case SUO_WR_UD_TX:
		suo_slab_put(&ep->ud_tx, buf);
		break;
	}
}

/**
 * suo_progress() - handle an endpoint's completions and timers
 * @ep: the endpoint
 *
 * Return: true if there may be more, since a peer that never stops sending
 * must not hold the caller for ever.
 */
bool suo_progress(struct suo_ep *ep)
{
	struct ibv_wc wc[POLL_BATCH];
	int n = POLL_BATCH;
	int rounds;

	for (rounds = 0; rounds < POLL_ROUNDS && n == POLL_BATCH; rounds++) {
		n = ibv_poll_cq(ep->vcq, POLL_BATCH, wc);
		for (int i = 0; i < n; i++)
			handle(ep, &wc[i]);
		if (!suo_list_empty(&ep->refill))
			suo_refill(ep);
		if (!suo_list_empty(&ep->kicks))
			suo_tx_kick(ep);
		suo_coll_progress(&ep->coll);
	}
	if (n < 0)
		suo_warn(CQ, "ibv_poll_cq failed\n");
	suo_conn_timers(ep);
	return n == POLL_BATCH;
}
