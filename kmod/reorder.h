/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SUO_REORDER_H
#define SUO_REORDER_H

#include <linux/hrtimer.h>
#include <linux/jump_label.h>
#include <linux/list.h>

struct suo_dev;
struct suo_from;
struct suo_hdr;
struct suo_payload;
struct suo_qp;

/* A connection keeps so many packets at most, of each side, and waits so long. */
#define SUO_REORDER_MAX_PKTS	1024
#define SUO_REORDER_MAX_PS	1000000000000ull
#define SUO_REORDER_PS		50000000ull

enum suo_reorder_side {
	SUO_REORDER_REQUESTS,
	SUO_REORDER_RESPONSES,
	SUO_REORDER_SIDES,
};

/**
 * struct suo_reorder - packets of a connection that have overtaken others: reorder.c
 * @held: those that wait, a list for each enum suo_reorder_side, by sequence number
 * @kept: how many they are
 * @looked: which packet each side waited for when @timer looked last
 * @timer: ends the wait
 */
struct suo_reorder {
	struct list_head	held[SUO_REORDER_SIDES];
	u32			kept[SUO_REORDER_SIDES];
	u32			looked[SUO_REORDER_SIDES];
	struct hrtimer		timer;
};

/* Some device puts packets in order. */
DECLARE_STATIC_KEY_FALSE(suo_reorders);

void suo_reorder_init(struct suo_qp *qp);
bool suo_reorder_hold(struct suo_qp *qp, enum suo_reorder_side side,
		      const struct suo_hdr *hdr, const struct suo_payload *pay,
		      const struct suo_from *from);
void suo_reorder_next(struct suo_qp *qp);
void suo_reorder_purge(struct suo_qp *qp);
void suo_reorder_use(bool use);

#endif /* SUO_REORDER_H */
