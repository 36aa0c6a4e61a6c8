// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>

#include "userspace/telemetry/snapshot.h"
#include "userspace/telemetry/text.h"

/* Unless what comes is the first one of its object or list. */
static void put_comma(struct suo_text *t)
{
	char last = t->len ? t->data[t->len - 1] : '{';

	if (last != '{' && last != '[')
		suo_text_add(t, ",", 1);
}

static void put_key(struct suo_text *t, const char *key)
{
	put_comma(t);
	suo_text_add(t, "\"", 1);
	suo_text_str(t, key);
	suo_text_add(t, "\":", 2);
}

/*
 * JSON's integers are signed for most who read them: a counter that gets past 2^63
 * (bytes: a century at 20 Tb/s) stays there. What is not known is left out.
 */
static void put_u64(struct suo_text *t, const char *key, u64 value)
{
	if (value == SUO_SNAP_NA)
		return;
	put_key(t, key);
	suo_text_u64(t, value > INT64_MAX ? INT64_MAX : value);
}

static void put_bool(struct suo_text *t, const char *key, bool value)
{
	put_key(t, key);
	suo_text_str(t, value ? "true" : "false");
}

/* What is no UTF-8 could not be read again. */
static void put_string(struct suo_text *t, const char *key, const char *value)
{
	json_t *check = json_string(value);

	put_key(t, key);
	suo_text_add(t, "\"", 1);
	for (; *value; value++) {
		unsigned char c = *value;

		if (c == '"' || c == '\\')
			suo_text_add(t, "\\", 1);
		suo_text_add(t, c < 0x20 || (c >= 0x80 && !check) ? "?" : value, 1);
	}
	suo_text_add(t, "\"", 1);
	json_decref(check);
}

/* Begin an element of a list, or a member. */
static void begin(struct suo_text *t, const char *key, const char *bracket)
{
	if (key)
		put_key(t, key);
	else
		put_comma(t);
	suo_text_str(t, bracket);
}

static void put_pfcwd(struct suo_text *t, const struct suo_snap_pfcwd *wd)
{
	begin(t, "pfcwd", "{");
	put_string(t, "status", wd->stormed ? "stormed" : "operational");
#define PUT(name)	put_u64(t, #name, wd->name);
	SUO_SNAP_PFCWD_COUNTERS(PUT)
	SUO_SNAP_PFCWD_LEVELS(PUT)
#undef PUT
	suo_text_str(t, "}");
}

static void put_prio(struct suo_text *t, const struct suo_snap_prio *prio)
{
	begin(t, NULL, "{");
#define PUT(name)	put_u64(t, #name, prio->name);
	SUO_SNAP_PRIO_COUNTERS(PUT)
	SUO_SNAP_PRIO_LEVELS(PUT)
#undef PUT
	put_pfcwd(t, &prio->pfcwd);
	suo_text_str(t, "}");
}

static void put_port(struct suo_text *t, const struct suo_snap_port *port)
{
	begin(t, NULL, "{");
	put_string(t, "name", port->name);
	put_string(t, "peer", port->peer);
	put_u64(t, "rate_mbps", port->rate_mbps);
	put_bool(t, "up", port->up);
	begin(t, "in", "{");
#define PUT(name)	put_u64(t, #name, port->in.name);
	SUO_SNAP_IN_COUNTERS(PUT)
#undef PUT
	suo_text_str(t, "}");
	begin(t, "out", "{");
#define PUT(name)	put_u64(t, #name, port->out.name);
	SUO_SNAP_OUT_COUNTERS(PUT)
#undef PUT
	suo_text_str(t, "}");
	begin(t, "prio", "[");
	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++)
		put_prio(t, &port->prio[p]);
	suo_text_str(t, "]}");
}

static void put_switch(struct suo_text *t, const struct suo_snap_switch *sw)
{
	begin(t, NULL, "{");
	put_string(t, "name", sw->name);
	put_string(t, "tier", sw->tier);
	begin(t, "pool", "{");
	put_u64(t, "size_bytes", sw->pool.size_bytes);
	put_u64(t, "used_bytes", sw->pool.used_bytes);
	put_u64(t, "watermark_bytes", sw->pool.watermark_bytes);
	suo_text_str(t, "}");
	begin(t, "ports", "[");
	for (size_t i = 0; i < sw->nports; i++)
		put_port(t, &sw->port[i]);
	suo_text_str(t, "]}");
}

static void put_link(struct suo_text *t, const struct suo_snap_link *link)
{
	begin(t, NULL, "{");
	put_string(t, "name", link->name);
	put_string(t, "a", link->a);
	put_string(t, "b", link->b);
	put_u64(t, "lost", link->lost);
	put_u64(t, "corrupted", link->corrupted);
	begin(t, "faults", "[");
	for (size_t i = 0; i < link->nfaults; i++) {
		put_comma(t);
		suo_text_u64(t, link->fault[i]);
	}
	suo_text_str(t, "]}");
}

static void put_class(struct suo_text *t, const struct suo_snap_class *class)
{
	char number[16];

	begin(t, NULL, "{");
	put_bool(t, "lossless", class->lossless);
	put_bool(t, "ecn", class->ecn);
	put_u64(t, "kmin_bytes", class->kmin_bytes);
	put_u64(t, "kmax_bytes", class->kmax_bytes);
	put_u64(t, "pmax_ppm", class->pmax_ppm);
	put_u64(t, "xoff_bytes", class->xoff_bytes);
	put_u64(t, "xon_bytes", class->xon_bytes);
	put_u64(t, "headroom_bytes", class->headroom_bytes);
	snprintf(number, sizeof(number), "%d", class->dynamic_th);
	put_key(t, "dynamic_th");
	suo_text_str(t, class->is_dynamic ? number : "null");
	suo_text_str(t, "}");
}

static void put_config(struct suo_text *t, const struct suo_snap_config *config)
{
	begin(t, "config", "{");
	put_string(t, "balancing", config->balancing);
	/* All its bits count: one that JSON's integers do not hold is text. */
	put_key(t, "seed");
	if (config->seed > INT64_MAX)
		suo_text_str(t, "\"");
	suo_text_u64(t, config->seed);
	if (config->seed > INT64_MAX)
		suo_text_str(t, "\"");
	begin(t, "prio", "[");
	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++)
		put_class(t, &config->prio[p]);
	suo_text_str(t, "]}");
}

static void put_event(struct suo_text *t, const struct suo_snap_event *event)
{
	begin(t, NULL, "{");
	put_u64(t, "time_ps", event->time_ps);
	put_string(t, "what", event->what);
	put_string(t, "switch", event->at);
	put_string(t, "port", event->port);
	put_key(t, "prio");
	if (event->prio < 0)
		suo_text_str(t, "-1");
	else
		suo_text_u64(t, event->prio);
	suo_text_str(t, "}");
}

char *suo_snapshot_to_json(const struct suo_snapshot *snap, size_t *len)
{
	struct suo_text text = { 0 }, *t = &text;
	char scale[32];

	suo_text_str(t, "{");
	put_u64(t, "version", SUO_SNAP_VERSION);
	put_string(t, "instance", snap->instance);
	put_u64(t, "time_ps", snap->time_ps);
	/* Six digits of it do; there is no locale in these programs. */
	snprintf(scale, sizeof(scale), "%.6f", snap->time_scale);
	put_key(t, "time_scale");
	suo_text_str(t, scale);
	put_string(t, "cluster", snap->cluster);
	begin(t, "switches", "[");
	for (size_t i = 0; i < snap->nswitches; i++)
		put_switch(t, &snap->sw[i]);
	suo_text_str(t, "]");
	begin(t, "links", "[");
	for (size_t i = 0; i < snap->nlinks; i++)
		put_link(t, &snap->link[i]);
	suo_text_str(t, "]");
	put_config(t, &snap->config);
	begin(t, "events", "[");
	for (size_t i = 0; i < snap->nevents; i++)
		put_event(t, &snap->event[i]);
	suo_text_str(t, "]}\n");
	return suo_text_take(t, len);
}
