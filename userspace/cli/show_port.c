// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What SONiC's pfcstat, portstat and pfcwd show of ports. */
#include "userspace/cli/show.h"

static const struct suo_tab_column pfc_rx_columns[] = {
	SUO_TAB_COL("Port Rx"), SUO_TAB_COL_PRIOS("PFC")
};

static const struct suo_tab_column pfc_tx_columns[] = {
	SUO_TAB_COL("Port Tx"), SUO_TAB_COL_PRIOS("PFC")
};

static const struct suo_show_part pfc_parts[] = {
	{
		.json = "Rx",
		.column = pfc_rx_columns,
		SUO_SHOW_PRIOS(pfc_rx, suo_tab_count),
	},
	{
		.json = "Tx",
		.column = pfc_tx_columns,
		SUO_SHOW_PRIOS(pfc_tx, suo_tab_count),
	},
};

/* When the last pause was, SONiC's watchdog keeps; it is not known here. */
static void history_row(struct suo_tab *tab, const struct suo_show_row *row)
{
	char priority[16];

	snprintf(priority, sizeof(priority), "PFC%zu", row->p);
	suo_tab_text(tab, row->port->name);
	suo_tab_text(tab, priority);
	suo_tab_count(tab, row->prio->pfc_on2off_rx);
	suo_tab_count(tab, row->prio->pfc_rx_duration_us);
	suo_tab_plain(tab, SUO_SNAP_NA);
	suo_tab_plain(tab, SUO_SNAP_NA);
}

static const struct suo_tab_column history_columns[] = {
	SUO_TAB_COL("Port"),
	SUO_TAB_COL("Priority"),
	SUO_TAB_COL("RX Pause Transitions"),
	SUO_TAB_COL("Total RX Pause Time US"),
	SUO_TAB_COL("Recent RX Pause Time US"),
	SUO_TAB_COL("Recent RX Pause Timestamp"),
};

static const struct suo_show_part history_part = {
	.column = history_columns,
	.columns = 6,
	.keys = 2,
	.per_prio = true,
	.row = history_row,
	.gap = true,
};

static const struct suo_view pfc_history = {
	.words = "pfc counters",
	.part = &history_part,
	.parts = 1,
	.counts = "pfccounters",
};

const struct suo_view suo_view_pfc = {
	.words = "pfc counters",
	.option = "--history",
	.more = &pfc_history,
	.summary = "pause frames of each port and priority",
	.part = pfc_parts,
	.parts = 2,
	.counts = "pfccounters",
};

/* Bytes a second, in the words of SONiC; a rate over no time is not known. */
static void rate(struct suo_tab *tab, u64 octets, double seconds)
{
	double bps = (double)octets / seconds;
	char text[SUO_TAB_TEXT];

	if (!(seconds > 0) || octets == SUO_SNAP_NA) {
		suo_tab_plain(tab, SUO_SNAP_NA);
		return;
	}
	if (bps > 1e7)
		snprintf(text, sizeof(text), "%.2f MB/s", bps / 1e6);
	else if (bps > 1e4)
		snprintf(text, sizeof(text), "%.2f KB/s", bps / 1e3);
	else
		snprintf(text, sizeof(text), "%.2f B/s", bps);
	suo_tab_real(tab, bps, text);
}

static void utilisation(struct suo_tab *tab, u64 octets, double seconds, u64 rate_mbps)
{
	double percent = (double)octets / seconds / ((double)rate_mbps * 1e6 / 8) * 100;
	char text[SUO_TAB_TEXT];

	if (!(seconds > 0) || octets == SUO_SNAP_NA || !rate_mbps) {
		suo_tab_plain(tab, SUO_SNAP_NA);
		return;
	}
	snprintf(text, sizeof(text), "%.2f%%", percent);
	suo_tab_real(tab, percent, text);
}

static void interface_row(struct suo_tab *tab, const struct suo_show_row *row)
{
	const struct suo_snap_port *port = row->port;
	double seconds = (double)(row->snap->time_ps - row->snap->since_ps) / 1e12;

	suo_tab_text(tab, port->name);
	suo_tab_text(tab, port->up ? "U" : "D");
	suo_tab_count(tab, port->in.packets);
	rate(tab, port->in.octets, seconds);
	utilisation(tab, port->in.octets, seconds, port->rate_mbps);
	suo_tab_count(tab, port->in.malformed);
	suo_tab_count(tab, port->in.discards);
	suo_tab_count(tab, port->in.oversize);
	suo_tab_count(tab, port->out.packets);
	rate(tab, port->out.octets, seconds);
	utilisation(tab, port->out.octets, seconds, port->rate_mbps);
	/* What is sent has no errors, and nothing oversize gets so far. */
	suo_tab_plain(tab, SUO_SNAP_NA);
	suo_tab_count(tab, port->out.discards);
	suo_tab_plain(tab, SUO_SNAP_NA);
}

static const struct suo_tab_column interface_columns[] = {
	SUO_TAB_COL("IFACE"), SUO_TAB_COL("STATE"),
	SUO_TAB_COL("RX_OK"), SUO_TAB_COL("RX_BPS"), SUO_TAB_COL("RX_UTIL"),
	SUO_TAB_COL("RX_ERR"), SUO_TAB_COL("RX_DRP"), SUO_TAB_COL("RX_OVR"),
	SUO_TAB_COL("TX_OK"), SUO_TAB_COL("TX_BPS"), SUO_TAB_COL("TX_UTIL"),
	SUO_TAB_COL("TX_ERR"), SUO_TAB_COL("TX_DRP"), SUO_TAB_COL("TX_OVR"),
};

static const struct suo_show_part interface_part = {
	.column = interface_columns,
	.columns = 14,
	.keys = 1,
	.row = interface_row,
};

const struct suo_view suo_view_interfaces = {
	.words = "interfaces counters",
	.summary = "packets, rates and drops of each port",
	.part = &interface_part,
	.parts = 1,
	.counts = "counters",
};

static void pfcwd_row(struct suo_tab *tab, const struct suo_show_row *row)
{
	const struct suo_snap_pfcwd *wd = &row->prio->pfcwd;
	char queue[SUO_TAB_TEXT + 4];

	snprintf(queue, sizeof(queue), "%s:%zu", row->port->name, row->p);
	suo_tab_text(tab, queue);
	suo_tab_text(tab, wd->stormed ? "stormed" : "operational");
	suo_tab_pair(tab, wd->detected, wd->restored);
	suo_tab_pair(tab, wd->tx_ok, wd->tx_drop);
	suo_tab_pair(tab, wd->rx_ok, wd->rx_drop);
	suo_tab_pair(tab, wd->tx_ok_last, wd->tx_drop_last);
	suo_tab_pair(tab, wd->rx_ok_last, wd->rx_drop_last);
}

static const struct suo_tab_column pfcwd_columns[] = {
	SUO_TAB_COL("QUEUE"),
	SUO_TAB_COL("STATUS"),
	SUO_TAB_COL_PAIR("STORM DETECTED/RESTORED", "STORM DETECTED", "STORM RESTORED"),
	SUO_TAB_COL_PAIR("TX OK/DROP", "TX OK", "TX DROP"),
	SUO_TAB_COL_PAIR("RX OK/DROP", "RX OK", "RX DROP"),
	SUO_TAB_COL_PAIR("TX LAST OK/DROP", "TX LAST OK", "TX LAST DROP"),
	SUO_TAB_COL_PAIR("RX LAST OK/DROP", "RX LAST OK", "RX LAST DROP"),
};

/* The watchdog looks after lossless queues alone. */
static bool is_watched(const struct suo_show_row *row)
{
	return row->snap->config.prio[row->p].lossless || row->prio->pfcwd.detected;
}

static const struct suo_show_part pfcwd_part = {
	.column = pfcwd_columns,
	.columns = 7,
	.keys = 1,
	.per_prio = true,
	.row = pfcwd_row,
	.wanted = is_watched,
};

const struct suo_view suo_view_pfcwd = {
	.words = "pfcwd stats",
	.summary = "storms that the PFC watchdog has seen, by queue",
	.part = &pfcwd_part,
	.parts = 1,
	.counts = "pfcwd",
};
