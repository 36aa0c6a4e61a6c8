// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "userspace/telemetry/metrics.h"

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
	PORT("port_tx_packets_total", "Packets sent by a port.", out.packets),
	PORT("port_tx_bytes_total", "Bytes sent by a port.", out.octets),
	PORT("port_tx_discarded_packets_total", "Packets to be sent, and dropped.",
	     out.discards),
};

static void head(FILE *out, const char *name, const char *help, bool counter)
{
	fprintf(out, "# HELP suo_switch_%s %s\n# TYPE suo_switch_%s %s\n", name, help, name,
		counter ? "counter" : "gauge");
}

/* A label's value: backslash, quote and line feed are special there. */
static void label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		if (*value == '\n')
			fputs("\\n", out);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}

static void begin(FILE *out, const char *name, const char *sw, const char *port)
{
	fprintf(out, "suo_switch_%s{", name);
	label(out, "switch", sw);
	if (port) {
		fputc(',', out);
		label(out, "port", port);
	}
}

static u64 value_at(const void *object, size_t offset)
{
	return *(const u64 *)((const char *)object + offset);
}

static void put_prio_metric(FILE *out, const struct prio_metric *metric,
			    const struct suo_snap_switch *sw)
{
	for (size_t i = 0; i < sw->nports; i++) {
		for (size_t p = 0; p < SUO_SNAP_PRIOS; p++) {
			u64 value = value_at(&sw->port[i].prio[p], metric->offset);

			/* What is not known is left out. */
			if (value == SUO_SNAP_NA)
				continue;
			begin(out, metric->name, sw->name, sw->port[i].name);
			fprintf(out, ",priority=\"%zu\"} ", p);
			if (metric->microseconds)
				fprintf(out, "%" PRIu64 ".%06u\n",
					(uint64_t)(value / 1000000),
					(unsigned int)(value % 1000000));
			else
				fprintf(out, "%" PRIu64 "\n", (uint64_t)value);
		}
	}
}

static void put_prios(FILE *out, const struct suo_snapshot *snap)
{
	for (size_t m = 0; m < sizeof(prio_metrics) / sizeof(prio_metrics[0]); m++) {
		const struct prio_metric *metric = &prio_metrics[m];

		head(out, metric->name, metric->help, metric->counter);
		for (size_t s = 0; s < snap->nswitches; s++)
			put_prio_metric(out, metric, &snap->sw[s]);
	}
	head(out, "pfcwd_stormed", "Whether a queue is in a storm.", false);
	for (size_t s = 0; s < snap->nswitches; s++) {
		const struct suo_snap_switch *sw = &snap->sw[s];

		for (size_t i = 0; i < sw->nports * SUO_SNAP_PRIOS; i++) {
			const struct suo_snap_port *port = &sw->port[i / SUO_SNAP_PRIOS];
			size_t p = i % SUO_SNAP_PRIOS;

			begin(out, "pfcwd_stormed", sw->name, port->name);
			fprintf(out, ",priority=\"%zu\"} %d\n", p,
				port->prio[p].pfcwd.stormed);
		}
	}
}

static void put_ports(FILE *out, const struct suo_snapshot *snap)
{
	for (size_t m = 0; m < sizeof(port_metrics) / sizeof(port_metrics[0]); m++) {
		const struct port_metric *metric = &port_metrics[m];

		head(out, metric->name, metric->help, true);
		for (size_t s = 0; s < snap->nswitches; s++) {
			for (size_t i = 0; i < snap->sw[s].nports; i++) {
				const struct suo_snap_port *port = &snap->sw[s].port[i];

				begin(out, metric->name, snap->sw[s].name, port->name);
				fprintf(out, "} %" PRIu64 "\n",
					(uint64_t)value_at(port, metric->offset));
			}
		}
	}
	head(out, "port_up", "Whether a port has a peer.", false);
	for (size_t s = 0; s < snap->nswitches; s++) {
		for (size_t i = 0; i < snap->sw[s].nports; i++) {
			begin(out, "port_up", snap->sw[s].name, snap->sw[s].port[i].name);
			fprintf(out, "} %d\n", snap->sw[s].port[i].up);
		}
	}
	/* As node_network_speed_bytes has it: bytes a second. */
	head(out, "port_speed_bytes", "Rate of a port, in bytes a second.", false);
	for (size_t s = 0; s < snap->nswitches; s++) {
		for (size_t i = 0; i < snap->sw[s].nports; i++) {
			const struct suo_snap_port *port = &snap->sw[s].port[i];

			begin(out, "port_speed_bytes", snap->sw[s].name, port->name);
			fprintf(out, "} %" PRIu64 "\n", (uint64_t)port->rate_mbps * 125000);
		}
	}
}

static void put_pool(FILE *out, const struct suo_snapshot *snap, const char *name,
		     const char *help, size_t offset)
{
	head(out, name, help, false);
	for (size_t s = 0; s < snap->nswitches; s++) {
		begin(out, name, snap->sw[s].name, NULL);
		fprintf(out, "} %" PRIu64 "\n",
			(uint64_t)value_at(&snap->sw[s].pool, offset));
	}
}

static void put_links(FILE *out, const struct suo_snapshot *snap, const char *name,
		      const char *help, size_t offset)
{
	head(out, name, help, true);
	for (size_t i = 0; i < snap->nlinks; i++) {
		fprintf(out, "suo_switch_%s{", name);
		label(out, "link", snap->link[i].name);
		fprintf(out, "} %" PRIu64 "\n",
			(uint64_t)value_at(&snap->link[i], offset));
	}
}

char *suo_metrics(const struct suo_snapshot *snap, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);
	bool bad;

	if (!out)
		return NULL;
	head(out, "info", "The cluster that is modelled.", false);
	fputs("suo_switch_info{", out);
	label(out, "cluster", snap->cluster);
	fputc(',', out);
	label(out, "balancing", snap->config.balancing);
	fputs("} 1\n", out);
	head(out, "modelled_seconds_total", "Modelled time since the start.", true);
	fprintf(out, "suo_switch_modelled_seconds_total %" PRIu64 ".%012" PRIu64 "\n",
		(uint64_t)(snap->time_ps / 1000000000000),
		(uint64_t)(snap->time_ps % 1000000000000));
	head(out, "time_scale", "Real time over modelled time.", false);
	fprintf(out, "suo_switch_time_scale %.9g\n", snap->time_scale);

	put_ports(out, snap);
	put_prios(out, snap);
	put_pool(out, snap, "pool_size_bytes", "Size of the shared buffer.",
		 offsetof(struct suo_snap_pool, size_bytes));
	put_pool(out, snap, "pool_used_bytes", "Bytes in the shared buffer.",
		 offsetof(struct suo_snap_pool, used_bytes));
	put_pool(out, snap, "pool_watermark_bytes", "Most bytes in the shared buffer.",
		 offsetof(struct suo_snap_pool, watermark_bytes));
	put_links(out, snap, "link_lost_frames_total", "Frames that faults swallowed.",
		  offsetof(struct suo_snap_link, lost));
	put_links(out, snap, "link_corrupted_frames_total", "Frames that faults changed.",
		  offsetof(struct suo_snap_link, corrupted));

	bad = ferror(out);
	if (fclose(out) || bad) {
		free(text);
		return NULL;
	}
	return text;
}
