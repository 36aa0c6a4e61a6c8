// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "userspace/telemetry/snapshot.h"

/* json_object_set_new() refuses a NULL value and says so. */
static bool put(json_t *object, const char *key, json_t *value)
{
	return !json_object_set_new(object, key, value);
}

/*
 * JSON's integers are signed here: a counter that gets past 2^63 (bytes: a century at
 * 20 Tb/s) would have to be written as something else, and stays there.
 */
static bool put_u64(json_t *object, const char *key, u64 value)
{
	if (value == SUO_SNAP_NA)
		return true;
	if (value > INT64_MAX)
		value = INT64_MAX;
	return put(object, key, json_integer((json_int_t)value));
}

/* All 64 bits of a seed count: one that JSON's integers do not hold is text. */
static json_t *seed_json(u64 seed)
{
	char text[24];

	if (seed <= INT64_MAX)
		return json_integer((json_int_t)seed);
	snprintf(text, sizeof(text), "%" PRIu64, (uint64_t)seed);
	return json_string(text);
}

/* Add to a list. */
static bool add(json_t *list, json_t *value)
{
	return !json_array_append_new(list, value);
}

/* An object that could not be filled is none. */
static json_t *only_if(bool ok, json_t *object)
{
	if (ok)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *pfcwd_json(const struct suo_snap_pfcwd *wd)
{
	json_t *o = json_object();
	bool ok = put(o, "status", json_string(wd->stormed ? "stormed" : "operational"));

#define PUT(name)	ok = ok && put_u64(o, #name, wd->name);
	SUO_SNAP_PFCWD_COUNTERS(PUT)
	SUO_SNAP_PFCWD_LEVELS(PUT)
#undef PUT
	return only_if(ok, o);
}

static json_t *prio_json(const struct suo_snap_prio *prio)
{
	json_t *o = json_object();
	bool ok = o;

#define PUT(name)	ok = ok && put_u64(o, #name, prio->name);
	SUO_SNAP_PRIO_COUNTERS(PUT)
	SUO_SNAP_PRIO_LEVELS(PUT)
#undef PUT
	ok = ok && put(o, "pfcwd", pfcwd_json(&prio->pfcwd));
	return only_if(ok, o);
}

static json_t *in_json(const struct suo_snap_in *in)
{
	json_t *o = json_object();
	bool ok = o;

#define PUT(name)	ok = ok && put_u64(o, #name, in->name);
	SUO_SNAP_IN_COUNTERS(PUT)
#undef PUT
	return only_if(ok, o);
}

static json_t *out_json(const struct suo_snap_out *out)
{
	json_t *o = json_object();
	bool ok = o;

#define PUT(name)	ok = ok && put_u64(o, #name, out->name);
	SUO_SNAP_OUT_COUNTERS(PUT)
#undef PUT
	return only_if(ok, o);
}

static json_t *port_json(const struct suo_snap_port *port)
{
	json_t *prios = json_array(), *o;
	bool ok = prios;

	for (size_t p = 0; ok && p < SUO_SNAP_PRIOS; p++)
		ok = add(prios, prio_json(&port->prio[p]));
	o = json_object();
	ok = ok && put(o, "name", json_string(port->name)) &&
	     put(o, "peer", json_string(port->peer)) &&
	     put_u64(o, "rate_mbps", port->rate_mbps) &&
	     put(o, "up", json_boolean(port->up)) &&
	     put(o, "in", in_json(&port->in)) && put(o, "out", out_json(&port->out)) &&
	     put(o, "prio", json_incref(prios));
	json_decref(prios);
	return only_if(ok, o);
}

static json_t *switch_json(const struct suo_snap_switch *sw)
{
	json_t *ports = json_array(), *pool = json_object(), *o = json_object();
	bool ok = ports && put_u64(pool, "size_bytes", sw->pool.size_bytes) &&
		  put_u64(pool, "used_bytes", sw->pool.used_bytes) &&
		  put_u64(pool, "watermark_bytes", sw->pool.watermark_bytes);

	for (size_t i = 0; ok && i < sw->nports; i++)
		ok = add(ports, port_json(&sw->port[i]));
	ok = ok && put(o, "name", json_string(sw->name)) &&
	     put(o, "tier", json_string(sw->tier)) &&
	     put(o, "pool", json_incref(pool)) && put(o, "ports", json_incref(ports));
	json_decref(pool);
	json_decref(ports);
	return only_if(ok, o);
}

static json_t *link_json(const struct suo_snap_link *link)
{
	json_t *faults = json_array(), *o = json_object();
	bool ok = faults;

	for (size_t i = 0; ok && i < link->nfaults; i++)
		ok = add(faults, json_integer((json_int_t)link->fault[i]));
	ok = ok && put(o, "name", json_string(link->name)) &&
	     put(o, "a", json_string(link->a)) && put(o, "b", json_string(link->b)) &&
	     put_u64(o, "lost", link->lost) &&
	     put_u64(o, "corrupted", link->corrupted) &&
	     put(o, "faults", json_incref(faults));
	json_decref(faults);
	return only_if(ok, o);
}

static json_t *class_json(const struct suo_snap_class *class)
{
	json_t *o = json_object();
	bool ok = put(o, "lossless", json_boolean(class->lossless)) &&
		  put(o, "ecn", json_boolean(class->ecn)) &&
		  put_u64(o, "kmin_bytes", class->kmin_bytes) &&
		  put_u64(o, "kmax_bytes", class->kmax_bytes) &&
		  put_u64(o, "pmax_ppm", class->pmax_ppm) &&
		  put_u64(o, "xoff_bytes", class->xoff_bytes) &&
		  put_u64(o, "xon_bytes", class->xon_bytes) &&
		  put_u64(o, "headroom_bytes", class->headroom_bytes) &&
		  put(o, "dynamic_th", class->is_dynamic ?
		      json_integer(class->dynamic_th) : json_null());

	return only_if(ok, o);
}

static json_t *config_json(const struct suo_snap_config *config)
{
	json_t *prios = json_array(), *o = json_object();
	bool ok = prios;

	for (size_t p = 0; ok && p < SUO_SNAP_PRIOS; p++)
		ok = add(prios, class_json(&config->prio[p]));
	ok = ok && put(o, "balancing", json_string(config->balancing)) &&
	     put(o, "seed", seed_json(config->seed)) && put(o, "prio", json_incref(prios));
	json_decref(prios);
	return only_if(ok, o);
}

static json_t *event_json(const struct suo_snap_event *event)
{
	json_t *o = json_object();
	bool ok = put_u64(o, "time_ps", event->time_ps) &&
		  put(o, "what", json_string(event->what)) &&
		  put(o, "switch", json_string(event->at)) &&
		  put(o, "port", json_string(event->port)) &&
		  put(o, "prio", json_integer(event->prio));

	return only_if(ok, o);
}

json_t *suo_snapshot_to_json(const struct suo_snapshot *snap)
{
	json_t *switches = json_array(), *links = json_array();
	json_t *events = json_array(), *o = json_object();
	bool ok = switches && links && events;

	for (size_t i = 0; ok && i < snap->nswitches; i++)
		ok = add(switches, switch_json(&snap->sw[i]));
	for (size_t i = 0; ok && i < snap->nlinks; i++)
		ok = add(links, link_json(&snap->link[i]));
	for (size_t i = 0; ok && i < snap->nevents; i++)
		ok = add(events, event_json(&snap->event[i]));

	ok = ok && put(o, "version", json_integer(SUO_SNAP_VERSION)) &&
	     put(o, "instance", json_string(snap->instance)) &&
	     put_u64(o, "time_ps", snap->time_ps) &&
	     put(o, "time_scale", json_real(snap->time_scale)) &&
	     put(o, "cluster", json_string(snap->cluster)) &&
	     put(o, "switches", json_incref(switches)) &&
	     put(o, "links", json_incref(links)) &&
	     put(o, "config", config_json(&snap->config)) &&
	     put(o, "events", json_incref(events));
	json_decref(switches);
	json_decref(links);
	json_decref(events);
	return only_if(ok, o);
}
