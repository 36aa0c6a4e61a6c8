// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "userspace/telemetry/metrics.h"
#include "userspace/telemetry/text.h"

/* A metric of priorities of ports: where its value is in a struct suo_snap_prio. */
struct prio_metric {
	const char	*name;
	const char	*help;
	size_t		offset;
	bool		counter;
	bool		microseconds;
};

#define COUNTER(what, text, member)						\
	{ .name = what, .help = text, .counter = true,				\
	  .offset = offsetof(struct suo_snap_prio, member) }
#define SECONDS(what, text, member)						\
	{ .name = what, .help = text, .counter = true, .microseconds = true,	\
	  .offset = offsetof(struct suo_snap_prio, member) }
#define GAUGE(what, text, member)						\
	{ .name = what, .help = text,						\
	  .offset = offsetof(struct suo_snap_prio, member) }

static const struct prio_metric prio_metrics[] = {
	COUNTER("queue_packets_total", "Packets sent by an egress queue.", tx_packets),
	COUNTER("queue_bytes_total", "Bytes sent by an egress queue.", tx_bytes),
	COUNTER("rx_packets_total", "Packets received with a priority.", rx_packets),
	COUNTER("rx_bytes_total", "Bytes received with a priority.", rx_bytes),
	COUNTER("queue_dropped_packets_total", "Packets dropped before an egress queue.",
		drop_packets),
	COUNTER("queue_dropped_bytes_total", "Bytes dropped before an egress queue.",
		drop_bytes),
	COUNTER("wred_dropped_packets_total", "Packets dropped by WRED.",
		wred_drop_packets),
	COUNTER("wred_dropped_bytes_total", "Bytes dropped by WRED.", wred_drop_bytes),
	COUNTER("ecn_marked_packets_total", "Packets marked CE.", ecn_marked_packets),
	COUNTER("ecn_marked_bytes_total", "Bytes of packets marked CE.", ecn_marked_bytes),
	COUNTER("trimmed_packets_total", "Packets cut to their headers.", trim_packets),
	COUNTER("pg_dropped_packets_total",
		"Packets that an ingress priority group had no room for.", pg_drop_packets),
	COUNTER("pfc_rx_frames_total", "Pause frames received.", pfc_rx),
	COUNTER("pfc_tx_frames_total", "Pause frames sent.", pfc_tx),
	COUNTER("pfc_on2off_rx_frames_total",
		"Pause frames received that began a pause.", pfc_on2off_rx),
	SECONDS("pfc_rx_pause_seconds_total", "Modelled time for which it was paused.",
		pfc_rx_duration_us),
	SECONDS("pfc_tx_pause_seconds_total", "Modelled time for which it paused its peer.",
		pfc_tx_duration_us),
	GAUGE("queue_bytes", "Bytes in an egress queue.", queue_bytes),
	GAUGE("queue_watermark_bytes", "Most bytes in an egress queue.",
	      queue_watermark_bytes),
	GAUGE("pg_shared_bytes", "Bytes of the pool that an ingress group has.",
	      pg_shared_bytes),
	GAUGE("pg_shared_watermark_bytes", "Most bytes of the pool that an ingress group had.",
	      pg_shared_watermark_bytes),
	GAUGE("pg_headroom_bytes", "Bytes of its headroom that an ingress group has.",
	      pg_headroom_bytes),
	GAUGE("pg_headroom_watermark_bytes",
	      "Most bytes of its headroom that an ingress group had.",
	      pg_headroom_watermark_bytes),
	COUNTER("pfcwd_storms_total", "Storms that the PFC watchdog saw begin.",
		pfcwd.detected),
	COUNTER("pfcwd_restored_total", "Storms that it saw end.", pfcwd.restored),
	COUNTER("pfcwd_tx_packets_total", "Packets sent during storms.", pfcwd.tx_ok),
	COUNTER("pfcwd_tx_dropped_packets_total", "Packets to be sent, dropped during storms.",
		pfcwd.tx_drop),
	COUNTER("pfcwd_rx_packets_total", "Packets received during storms.", pfcwd.rx_ok),
	COUNTER("pfcwd_rx_dropped_packets_total", "Packets received, dropped during storms.",
		pfcwd.rx_drop),
};

/* A metric of ports. */
struct port_metric {
	const char	*name;
	const char	*help;
	size_t		offset;
};

#define PORT(what, text, member)						\
	{ .name = what, .help = text, .offset = offsetof(struct suo_snap_port, member) }

static const struct port_metric port_metrics[] = {
	PORT("port_rx_packets_total", "Packets received by a port.", in.packets),
	PORT("port_rx_bytes_total", "Bytes received by a port.", in.octets),
	PORT("port_rx_discarded_packets_total", "Packets received, and dropped.",
	     in.discards),
	PORT("port_rx_malformed_packets_total", "What came and was no frame.",
	     in.malformed),
	PORT("port_rx_oversize_packets_total", "Frames longer than the MTU.", in.oversize),
	PORT("port_rx_filtered_packets_total", "Frames for nobody behind the switch.",
	     in.filtered),
	PORT("port_tx_packets_total", "Packets sent by a port.", out.packets),
	PORT("port_tx_bytes_total", "Bytes sent by a port.", out.octets),
	PORT("port_tx_discarded_packets_total", "Packets to be sent, and dropped.",
	     out.discards),
};

/* Names are written here without what they all begin with. */
static void put_name(struct suo_text *t, const char *name)
{
	suo_text_str(t, "suo_switch_");
	suo_text_str(t, name);
}

static void head(struct suo_text *t, const char *name, const char *help, bool counter)
{
	suo_text_str(t, "# HELP ");
	put_name(t, name);
	suo_text_str(t, " ");
	suo_text_str(t, help);
	suo_text_str(t, "\n# TYPE ");
	put_name(t, name);
	suo_text_str(t, counter ? " counter\n" : " gauge\n");
}

/* A label's value: backslash, quote and line feed are special there. */
static void label(struct suo_text *t, const char *name, const char *value)
{
	suo_text_str(t, name);
	suo_text_str(t, "=\"");
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			suo_text_str(t, "\\");
		if (*value == '\n')
			suo_text_str(t, "\\n");
		else
			suo_text_add(t, value, 1);
	}
	suo_text_str(t, "\"");
}

static void begin(struct suo_text *t, const char *name, const char *sw, const char *port)
{
	put_name(t, name);
	suo_text_str(t, "{");
	label(t, "switch", sw);
	if (port) {
		suo_text_str(t, ",");
		label(t, "port", port);
	}
}

static void end_value(struct suo_text *t, u64 value)
{
	suo_text_str(t, "} ");
	suo_text_u64(t, value);
	suo_text_str(t, "\n");
}

static u64 value_at(const void *object, size_t offset)
{
	return *(const u64 *)((const char *)object + offset);
}

/* A line; only the priority differs from those before and after. */
static void put_prio(struct suo_text *t, const char *begin, size_t len, size_t p,
		     u64 value, bool microseconds)
{
	static const char priority[SUO_SNAP_PRIOS][16] = {
		",priority=\"0\"} ", ",priority=\"1\"} ", ",priority=\"2\"} ",
		",priority=\"3\"} ", ",priority=\"4\"} ", ",priority=\"5\"} ",
		",priority=\"6\"} ", ",priority=\"7\"} ",
	};

	suo_text_add(t, begin, len);
	suo_text_add(t, priority[p], 15);
	if (microseconds) {
		char fraction[16];

		suo_text_u64(t, value / 1000000);
		snprintf(fraction, sizeof(fraction), ".%06u\n",
			 (unsigned int)(value % 1000000));
		suo_text_str(t, fraction);
	} else {
		suo_text_u64(t, value);
		suo_text_add(t, "\n", 1);
	}
}

/* What a metric is of: the value of a priority. */
static u64 prio_value(const struct prio_metric *metric, const struct suo_snap_prio *prio)
{
	return metric ? value_at(prio, metric->offset) : prio->pfcwd.stormed;
}

static void put_prios(struct suo_text *t, const struct suo_snap_switch *sw,
		      const char *name, const struct prio_metric *metric)
{
	struct suo_text same = { 0 };

	for (size_t i = 0; i < sw->nports; i++) {
		same.len = 0;
		begin(&same, name, sw->name, sw->port[i].name);
		t->failed |= same.failed;
		for (size_t p = 0; p < SUO_SNAP_PRIOS && !same.failed; p++) {
			u64 value = prio_value(metric, &sw->port[i].prio[p]);

			/* What is not known is left out. */
			if (value != SUO_SNAP_NA)
				put_prio(t, same.data, same.len, p, value,
					 metric && metric->microseconds);
		}
	}
	free(same.data);
}

static void put_all_prios(struct suo_text *t, const struct suo_snapshot *snap)
{
	for (size_t m = 0; m < sizeof(prio_metrics) / sizeof(prio_metrics[0]); m++) {
		const struct prio_metric *metric = &prio_metrics[m];

		head(t, metric->name, metric->help, metric->counter);
		for (size_t s = 0; s < snap->nswitches; s++)
			put_prios(t, &snap->sw[s], metric->name, metric);
	}
	head(t, "pfcwd_stormed", "Whether a queue is in a storm.", false);
	for (size_t s = 0; s < snap->nswitches; s++)
		put_prios(t, &snap->sw[s], "pfcwd_stormed", NULL);
}

static u64 is_up(const struct suo_snap_port *port)
{
	return port->up;
}

/* As node_network_speed_bytes has it. */
static u64 speed(const struct suo_snap_port *port)
{
	return port->rate_mbps * 125000;
}

/* One value of each port: by a function, or by where it is. */
static void put_ports(struct suo_text *t, const struct suo_snapshot *snap,
		      const char *name, size_t offset,
		      u64 (*value)(const struct suo_snap_port *port))
{
	for (size_t s = 0; s < snap->nswitches; s++) {
		for (size_t i = 0; i < snap->sw[s].nports; i++) {
			const struct suo_snap_port *port = &snap->sw[s].port[i];

			u64 v = value ? value(port) : value_at(port, offset);

			if (v == SUO_SNAP_NA)
				continue;
			begin(t, name, snap->sw[s].name, port->name);
			end_value(t, v);
		}
	}
}

static void put_all_ports(struct suo_text *t, const struct suo_snapshot *snap)
{
	for (size_t m = 0; m < sizeof(port_metrics) / sizeof(port_metrics[0]); m++) {
		const struct port_metric *metric = &port_metrics[m];

		head(t, metric->name, metric->help, true);
		put_ports(t, snap, metric->name, metric->offset, NULL);
	}
	head(t, "port_up", "Whether a port has a peer.", false);
	put_ports(t, snap, "port_up", 0, is_up);
	head(t, "port_speed_bytes", "Rate of a port, in bytes a second.", false);
	put_ports(t, snap, "port_speed_bytes", 0, speed);
}

static void put_pool(struct suo_text *t, const struct suo_snapshot *snap, const char *name,
		     const char *help, size_t offset)
{
	head(t, name, help, false);
	for (size_t s = 0; s < snap->nswitches; s++) {
		begin(t, name, snap->sw[s].name, NULL);
		end_value(t, value_at(&snap->sw[s].pool, offset));
	}
}

static void put_links(struct suo_text *t, const struct suo_snapshot *snap, const char *name,
		      const char *help, size_t offset)
{
	head(t, name, help, true);
	for (size_t i = 0; i < snap->nlinks; i++) {
		put_name(t, name);
		suo_text_str(t, "{");
		label(t, "link", snap->link[i].name);
		end_value(t, value_at(&snap->link[i], offset));
	}
}

static void put_process(struct suo_text *t, const struct suo_snapshot *snap)
{
	char number[64];

	head(t, "info", "The cluster that is modelled.", false);
	suo_text_str(t, "suo_switch_info{");
	label(t, "cluster", snap->cluster);
	suo_text_str(t, ",");
	label(t, "balancing", snap->config.balancing);
	end_value(t, 1);
	head(t, "modelled_seconds_total", "Modelled time since the start.", true);
	snprintf(number, sizeof(number), " %" PRIu64 ".%012" PRIu64 "\n",
		 (uint64_t)(snap->time_ps / 1000000000000),
		 (uint64_t)(snap->time_ps % 1000000000000));
	put_name(t, "modelled_seconds_total");
	suo_text_str(t, number);
	head(t, "time_scale", "Real time over modelled time.", false);
	snprintf(number, sizeof(number), " %.9g\n", snap->time_scale);
	put_name(t, "time_scale");
	suo_text_str(t, number);
}

char *suo_metrics(const struct suo_snapshot *snap, size_t *len)
{
	struct suo_text text = { 0 };

	put_process(&text, snap);
	put_all_ports(&text, snap);
	put_all_prios(&text, snap);
	put_pool(&text, snap, "pool_size_bytes", "Size of the shared buffer.",
		 offsetof(struct suo_snap_pool, size_bytes));
	put_pool(&text, snap, "pool_used_bytes", "Bytes in the shared buffer.",
		 offsetof(struct suo_snap_pool, used_bytes));
	put_pool(&text, snap, "pool_watermark_bytes", "Most bytes in the shared buffer.",
		 offsetof(struct suo_snap_pool, watermark_bytes));
	put_links(&text, snap, "link_lost_frames_total", "Frames that faults swallowed.",
		  offsetof(struct suo_snap_link, lost));
	put_links(&text, snap, "link_corrupted_frames_total", "Frames that faults changed.",
		  offsetof(struct suo_snap_link, corrupted));
	return suo_text_take(&text, len);
}
