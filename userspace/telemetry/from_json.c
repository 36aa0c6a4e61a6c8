// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/telemetry/snapshot.h"

/* Where the reader is, for messages. */
struct reader {
	char	path[128];
	char	*error;
	int	ret;
};

/* Return: false, for the caller to pass on. The first fault is the one that is told. */
static bool fault(struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static bool fault(struct reader *r, const char *fmt, ...)
{
	char text[SUO_SNAP_ERROR - 136];
	va_list ap;

	if (r->ret)
		return false;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(r->error, SUO_SNAP_ERROR, "%s%s%s", r->path, *r->path ? ": " : "", text);
	r->ret = -EINVAL;
	return false;
}

/* Enter a member, or an element of it. Return: what leave() takes. */
static size_t enter(struct reader *r, const char *key, long index)
{
	size_t len = strlen(r->path);
	char *end = r->path + len;
	size_t room = sizeof(r->path) - len;

	if (index >= 0)
		snprintf(end, room, "%s%s[%ld]", len ? "." : "", key, index);
	else
		snprintf(end, room, "%s%s", len ? "." : "", key);
	return len;
}

static void leave(struct reader *r, size_t len)
{
	r->path[len] = '\0';
}

static const json_t *get(struct reader *r, const json_t *o, const char *key,
			 json_type type, const char *is)
{
	const json_t *value = json_object_get(o, key);

	if (!value)
		fault(r, "no '%s'", key);
	else if (json_typeof(value) != type)
		fault(r, "'%s' is not %s", key, is);
	else
		return value;
	return NULL;
}

/* Enter a member that is an object; leave() it in any case. NULL: it is not there. */
static const json_t *enter_object(struct reader *r, const json_t *o, const char *key,
				  size_t *len)
{
	const json_t *member = get(r, o, key, JSON_OBJECT, "an object");

	*len = enter(r, key, -1);
	return member;
}

static bool get_u64(struct reader *r, const json_t *o, const char *key, u64 *to)
{
	const json_t *value = get(r, o, key, JSON_INTEGER, "a whole number");

	if (!value)
		return false;
	if (json_integer_value(value) < 0)
		return fault(r, "'%s' is negative", key);
	*to = (u64)json_integer_value(value);
	return true;
}

/* One that older switches do not have. */
static bool get_later_u64(struct reader *r, const json_t *o, const char *key, u64 *to)
{
	if (json_object_get(o, key))
		return get_u64(r, o, key, to);
	*to = SUO_SNAP_NA;
	return true;
}

static bool get_bool(struct reader *r, const json_t *o, const char *key, bool *to)
{
	const json_t *value = json_object_get(o, key);

	if (!value)
		return fault(r, "no '%s'", key);
	if (!json_is_boolean(value))
		return fault(r, "'%s' is neither true nor false", key);
	*to = json_is_true(value);
	return true;
}

/* Names are printed: no control characters, which a terminal would obey. */
static bool get_name(struct reader *r, const json_t *o, const char *key, char *to,
		     size_t size)
{
	const json_t *value = get(r, o, key, JSON_STRING, "a string");
	const char *text;

	if (!value)
		return false;
	text = json_string_value(value);
	if (strlen(text) >= size)
		return fault(r, "'%s' is longer than %zu bytes", key, size - 1);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return fault(r, "'%s' has a control character", key);
	strcpy(to, text);
	return true;
}

static bool get_later_name(struct reader *r, const json_t *o, const char *key, char *to,
			   size_t size)
{
	*to = '\0';
	return !json_object_get(o, key) || get_name(r, o, key, to, size);
}

/* Room for the elements of a list, whose number is stored; NULL: it has none. */
static void *new_list(struct reader *r, const json_t *o, const char *key, size_t size,
		      size_t *n)
{
	const json_t *list = get(r, o, key, JSON_ARRAY, "a list");
	void *array;

	if (!list)
		return NULL;
	array = calloc(json_array_size(list) + 1, size);
	if (array)
		*n = json_array_size(list);
	else
		r->ret = -ENOMEM;
	return array;
}

/* Read the elements of a list into an array that has room for them. */
static bool read_list(struct reader *r, const json_t *o, const char *key, void *array,
		      size_t size,
		      bool (*read)(struct reader *r, const json_t *o, void *element))
{
	const json_t *list = json_object_get(o, key);
	bool ok = array;

	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		size_t len = enter(r, key, (long)i);

		ok = read(r, json_array_get(list, i), (char *)array + i * size);
		leave(r, len);
	}
	return ok;
}

/* The same of the list of the eight priorities. */
static bool read_prios(struct reader *r, const json_t *o, void *array, size_t size,
		       bool (*read)(struct reader *r, const json_t *o, void *element))
{
	const json_t *list = get(r, o, "prio", JSON_ARRAY, "a list");

	if (!list)
		return false;
	if (json_array_size(list) != SUO_SNAP_PRIOS)
		return fault(r, "'prio' has %zu elements, not %d", json_array_size(list),
			     SUO_SNAP_PRIOS);
	return read_list(r, o, "prio", array, size, read);
}

/* Is it one that not every switch of this version tells? */
static bool is_later(const char *name)
{
	return !strcmp(name, "wred_drop_bytes") || strstr(name, "_duration_ps") ||
	       !strcmp(name, "filtered");
}

static bool get_counter(struct reader *r, const json_t *o, const char *key, u64 *to)
{
	return is_later(key) ? get_later_u64(r, o, key, to) : get_u64(r, o, key, to);
}

static bool read_pfcwd(struct reader *r, const json_t *o, struct suo_snap_pfcwd *wd)
{
	char status[SUO_SNAP_NAME];
	bool ok;

	if (!get_name(r, o, "status", status, sizeof(status)))
		return false;
	wd->stormed = !strcmp(status, "stormed");
	if (!wd->stormed && strcmp(status, "operational"))
		return fault(r, "'status' is neither operational nor stormed");
	ok = true;
#define GET(name)	ok = ok && get_u64(r, o, #name, &wd->name);
	SUO_SNAP_PFCWD_COUNTERS(GET)
#undef GET
#define GET(name)	ok = ok && get_later_u64(r, o, #name, &wd->name);
	SUO_SNAP_PFCWD_LEVELS(GET)
#undef GET
	return ok;
}

static bool read_prio(struct reader *r, const json_t *o, void *element)
{
	struct suo_snap_prio *prio = element;
	const json_t *pfcwd;
	bool ok = true;
	size_t len;

#define GET(name)	ok = ok && get_counter(r, o, #name, &prio->name);
	SUO_SNAP_PRIO_COUNTERS(GET)
	SUO_SNAP_PRIO_LEVELS(GET)
#undef GET
	if (!ok)
		return false;
	pfcwd = enter_object(r, o, "pfcwd", &len);
	ok = pfcwd && read_pfcwd(r, pfcwd, &prio->pfcwd);
	leave(r, len);
	return ok;
}

static bool read_in(struct reader *r, const json_t *port, struct suo_snap_in *in)
{
	size_t len;
	const json_t *o = enter_object(r, port, "in", &len);
	bool ok = o;

#define GET(name)	ok = ok && get_counter(r, o, #name, &in->name);
	SUO_SNAP_IN_COUNTERS(GET)
#undef GET
	leave(r, len);
	return ok;
}

static bool read_out(struct reader *r, const json_t *port, struct suo_snap_out *out)
{
	size_t len;
	const json_t *o = enter_object(r, port, "out", &len);
	bool ok = o;

#define GET(name)	ok = ok && get_counter(r, o, #name, &out->name);
	SUO_SNAP_OUT_COUNTERS(GET)
#undef GET
	leave(r, len);
	return ok;
}

static bool read_port(struct reader *r, const json_t *o, void *element)
{
	struct suo_snap_port *port = element;

	return get_name(r, o, "name", port->name, sizeof(port->name)) &&
	       get_name(r, o, "peer", port->peer, sizeof(port->peer)) &&
	       get_u64(r, o, "rate_mbps", &port->rate_mbps) &&
	       get_bool(r, o, "up", &port->up) && read_in(r, o, &port->in) &&
	       read_out(r, o, &port->out) &&
	       read_prios(r, o, port->prio, sizeof(port->prio[0]), read_prio);
}

static bool read_pool(struct reader *r, const json_t *sw, struct suo_snap_pool *pool)
{
	size_t len;
	const json_t *o = enter_object(r, sw, "pool", &len);
	bool ok = o && get_u64(r, o, "size_bytes", &pool->size_bytes) &&
		  get_u64(r, o, "used_bytes", &pool->used_bytes) &&
		  get_u64(r, o, "watermark_bytes", &pool->watermark_bytes);

	leave(r, len);
	return ok;
}

static bool read_switch(struct reader *r, const json_t *o, void *element)
{
	struct suo_snap_switch *sw = element;

	if (!get_name(r, o, "name", sw->name, sizeof(sw->name)) ||
	    !get_name(r, o, "tier", sw->tier, sizeof(sw->tier)) ||
	    !read_pool(r, o, &sw->pool))
		return false;
	sw->port = new_list(r, o, "ports", sizeof(*sw->port), &sw->nports);
	return read_list(r, o, "ports", sw->port, sizeof(*sw->port), read_port);
}

static bool read_fault_id(struct reader *r, const json_t *o, void *element)
{
	u64 *id = element;

	if (!json_is_integer(o) || json_integer_value(o) < 0)
		return fault(r, "not the number of a fault");
	*id = (u64)json_integer_value(o);
	return true;
}

static bool read_link(struct reader *r, const json_t *o, void *element)
{
	struct suo_snap_link *link = element;

	if (!get_name(r, o, "name", link->name, sizeof(link->name)) ||
	    !get_name(r, o, "a", link->a, sizeof(link->a)) ||
	    !get_name(r, o, "b", link->b, sizeof(link->b)) ||
	    !get_u64(r, o, "lost", &link->lost) ||
	    !get_u64(r, o, "corrupted", &link->corrupted))
		return false;
	link->fault = new_list(r, o, "faults", sizeof(*link->fault), &link->nfaults);
	return read_list(r, o, "faults", link->fault, sizeof(*link->fault), read_fault_id);
}

static bool read_class(struct reader *r, const json_t *o, void *element)
{
	struct suo_snap_class *class = element;
	const json_t *th = json_object_get(o, "dynamic_th");

	class->is_dynamic = th && !json_is_null(th);
	if (class->is_dynamic) {
		if (!json_is_integer(th) || json_integer_value(th) < -16 ||
		    json_integer_value(th) > 16)
			return fault(r, "'dynamic_th' is not from -16 to 16");
		class->dynamic_th = (s32)json_integer_value(th);
	}
	return get_bool(r, o, "lossless", &class->lossless) &&
	       get_bool(r, o, "ecn", &class->ecn) &&
	       get_u64(r, o, "kmin_bytes", &class->kmin_bytes) &&
	       get_u64(r, o, "kmax_bytes", &class->kmax_bytes) &&
	       get_u64(r, o, "pmax_ppm", &class->pmax_ppm) &&
	       get_u64(r, o, "xoff_bytes", &class->xoff_bytes) &&
	       get_u64(r, o, "xon_bytes", &class->xon_bytes) &&
	       get_u64(r, o, "headroom_bytes", &class->headroom_bytes);
}

static bool get_seed(struct reader *r, const json_t *o, u64 *seed)
{
	const char *text = json_string_value(json_object_get(o, "seed"));
	char *end;

	if (!text)
		return get_u64(r, o, "seed", seed);
	errno = 0;
	*seed = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9')
		return fault(r, "'seed' is not a number");
	return true;
}

static bool read_config(struct reader *r, const json_t *root,
			struct suo_snap_config *config)
{
	size_t len;
	const json_t *o = enter_object(r, root, "config", &len);
	bool ok = o && get_name(r, o, "balancing", config->balancing,
				sizeof(config->balancing)) &&
		  get_seed(r, o, &config->seed) &&
		  read_prios(r, o, config->prio, sizeof(config->prio[0]), read_class);

	leave(r, len);
	return ok;
}

static bool read_event(struct reader *r, const json_t *o, void *element)
{
	struct suo_snap_event *event = element;
	const json_t *prio = json_object_get(o, "prio");

	event->prio = -1;
	if (prio && !json_is_null(prio)) {
		if (!json_is_integer(prio) || json_integer_value(prio) < -1 ||
		    json_integer_value(prio) >= SUO_SNAP_PRIOS)
			return fault(r, "'prio' is not from 0 to %d", SUO_SNAP_PRIOS - 1);
		event->prio = (s32)json_integer_value(prio);
	}
	return get_u64(r, o, "time_ps", &event->time_ps) &&
	       get_name(r, o, "what", event->what, sizeof(event->what)) &&
	       get_later_name(r, o, "switch", event->at, sizeof(event->at)) &&
	       get_later_name(r, o, "port", event->port, sizeof(event->port));
}

static bool read_lists(struct reader *r, const json_t *root, struct suo_snapshot *snap)
{
	snap->sw = new_list(r, root, "switches", sizeof(*snap->sw), &snap->nswitches);
	if (!read_list(r, root, "switches", snap->sw, sizeof(*snap->sw), read_switch))
		return false;
	snap->link = new_list(r, root, "links", sizeof(*snap->link), &snap->nlinks);
	if (!read_list(r, root, "links", snap->link, sizeof(*snap->link), read_link))
		return false;
	snap->event = new_list(r, root, "events", sizeof(*snap->event), &snap->nevents);
	return read_list(r, root, "events", snap->event, sizeof(*snap->event), read_event);
}

static bool read_root(struct reader *r, const json_t *root, struct suo_snapshot *snap)
{
	const json_t *scale;
	u64 version;

	if (!json_is_object(root))
		return fault(r, "not a JSON object");
	if (!get_u64(r, root, "version", &version))
		return false;
	if (version != SUO_SNAP_VERSION)
		return fault(r, "a snapshot of version %llu, and only version %d is known",
			     (unsigned long long)version, SUO_SNAP_VERSION);
	scale = json_object_get(root, "time_scale");
	if (!json_is_number(scale) || !(json_number_value(scale) > 0) ||
	    !isfinite(json_number_value(scale)))
		return fault(r, "'time_scale' is not a number above 0");
	snap->time_scale = json_number_value(scale);
	return get_u64(r, root, "time_ps", &snap->time_ps) &&
	       get_later_name(r, root, "instance", snap->instance,
			      sizeof(snap->instance)) &&
	       get_name(r, root, "cluster", snap->cluster, sizeof(snap->cluster)) &&
	       read_config(r, root, &snap->config) && read_lists(r, root, snap);
}

int suo_snapshot_from_json(const json_t *root, struct suo_snapshot **snap,
			   char error[SUO_SNAP_ERROR])
{
	struct reader r = { .error = error };
	struct suo_snapshot *read;

	*error = '\0';
	read = calloc(1, sizeof(*read));
	if (!read)
		return -ENOMEM;
	if (!read_root(&r, root, read)) {
		suo_snapshot_free(read);
		return r.ret;
	}
	*snap = read;
	return 0;
}
