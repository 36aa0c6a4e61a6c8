// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What SONiC's queuestat, wredstat and watermarkstat show of queues and priority groups. */
#include "userspace/cli/show.h"

static void queue_key(struct suo_tab *tab, const struct suo_show_row *row)
{
	char queue[16];

	snprintf(queue, sizeof(queue), "UC%zu", row->p);
	suo_tab_text(tab, row->port->name);
	suo_tab_text(tab, queue);
}

static void counters_row(struct suo_tab *tab, const struct suo_show_row *row)
{
	queue_key(tab, row);
	suo_tab_count(tab, row->prio->tx_packets);
	suo_tab_count(tab, row->prio->tx_bytes);
	suo_tab_count(tab, row->prio->drop_packets);
	suo_tab_count(tab, row->prio->drop_bytes);
}

/* What was trimmed is counted where it is cut, and as any packet from then on. */
static void all_row(struct suo_tab *tab, const struct suo_show_row *row)
{
	counters_row(tab, row);
	suo_tab_count(tab, row->prio->trim_packets);
	suo_tab_plain(tab, SUO_SNAP_NA);
	suo_tab_plain(tab, SUO_SNAP_NA);
}

/* Without --all, the first six. */
static const struct suo_tab_column counters_columns[] = {
	SUO_TAB_COL("Port"),
	SUO_TAB_COL("TxQ"),
	SUO_TAB_COL_AS("Counter/pkts", "totalpacket"),
	SUO_TAB_COL_AS("Counter/bytes", "totalbytes"),
	SUO_TAB_COL_AS("Drop/pkts", "droppacket"),
	SUO_TAB_COL_AS("Drop/bytes", "dropbytes"),
	SUO_TAB_COL_AS("Trim/pkts", "trimpacket"),
	SUO_TAB_COL_AS("TrimSent/pkts", "trimsentpacket"),
	SUO_TAB_COL_AS("TrimDrop/pkts", "trimdroppacket"),
};

static const struct suo_show_part counters_part = {
	.column = counters_columns,
	.columns = 6,
	.keys = 2,
	.per_prio = true,
	.row = counters_row,
};

static const struct suo_show_part all_part = {
	.column = counters_columns,
	.columns = 9,
	.keys = 2,
	.per_prio = true,
	.row = all_row,
};

static const struct suo_view queue_all = {
	.words = "queue counters",
	.part = &all_part,
	.parts = 1,
	.counts = "queuecounters",
};

const struct suo_view suo_view_queue = {
	.words = "queue counters",
	.option = "--all",
	.more = &queue_all,
	.summary = "packets and drops of each egress queue",
	.part = &counters_part,
	.parts = 1,
	.counts = "queuecounters",
};

static void wred_row(struct suo_tab *tab, const struct suo_show_row *row)
{
	queue_key(tab, row);
	suo_tab_count(tab, row->prio->wred_drop_packets);
	suo_tab_count(tab, row->prio->wred_drop_bytes);
	suo_tab_count(tab, row->prio->ecn_marked_packets);
	suo_tab_count(tab, row->prio->ecn_marked_bytes);
}

static const struct suo_tab_column wred_columns[] = {
	SUO_TAB_COL("Port"),
	SUO_TAB_COL("TxQ"),
	SUO_TAB_COL_AS("WredDrp/pkts", "wreddroppacket"),
	SUO_TAB_COL_AS("WredDrp/bytes", "wreddropbytes"),
	SUO_TAB_COL_AS("EcnMarked/pkts", "ecnmarkedpacket"),
	SUO_TAB_COL_AS("EcnMarked/bytes", "ecnmarkedbytes"),
};

static const struct suo_show_part wred_part = {
	.column = wred_columns,
	.columns = 6,
	.keys = 2,
	.per_prio = true,
	.row = wred_row,
};

const struct suo_view suo_view_queue_wred = {
	.words = "queue wredcounters",
	.summary = "marks and early drops of each egress queue",
	.part = &wred_part,
	.parts = 1,
	.counts = "wredcounters",
};

static const struct suo_tab_column queue_columns[] = {
	SUO_TAB_COL("Port"), SUO_TAB_COL_PRIOS("UC")
};

const struct suo_view suo_view_queue_watermark = {
	.words = "queue watermark",
	.also = "unicast",
	.summary = "most bytes that each egress queue has held",
	.part = &(const struct suo_show_part){
		.title = "Egress shared pool occupancy per unicast queue:",
		.column = queue_columns,
		SUO_SHOW_PRIOS(queue_watermark_bytes, suo_tab_plain),
	},
	.parts = 1,
	.watermark = "queue",
};

static const struct suo_tab_column pg_columns[] = {
	SUO_TAB_COL("Port"), SUO_TAB_COL_PRIOS("PG")
};

const struct suo_view suo_view_pg_shared = {
	.words = "priority-group watermark shared",
	.summary = "most bytes of the pool that each ingress group has held",
	.part = &(const struct suo_show_part){
		.title = "Ingress shared pool occupancy per PG:",
		.column = pg_columns,
		SUO_SHOW_PRIOS(pg_shared_watermark_bytes, suo_tab_plain),
	},
	.parts = 1,
	.watermark = "pg_shared",
};

const struct suo_view suo_view_pg_headroom = {
	.words = "priority-group watermark headroom",
	.summary = "most bytes of its headroom that each ingress group has held",
	.part = &(const struct suo_show_part){
		.title = "Ingress headroom per PG:",
		.column = pg_columns,
		SUO_SHOW_PRIOS(pg_headroom_watermark_bytes, suo_tab_plain),
	},
	.parts = 1,
	.watermark = "pg_headroom",
};

const struct suo_view suo_view_pg_drop = {
	.words = "priority-group drop counters",
	.summary = "packets that found no room in the buffer",
	.part = &(const struct suo_show_part){
		.title = "Ingress PG dropped packets:",
		.column = pg_columns,
		SUO_SHOW_PRIOS(pg_drop_packets, suo_tab_plain),
	},
	.parts = 1,
	.counts = "pgdrop",
};
