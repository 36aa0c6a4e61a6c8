// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What SONiC's ecnconfig, mmuconfig and watermarkstat show of profiles and pools. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/cli/show.h"

#define MAX_FIELDS	8

/* Names and values in the order in which they are printed. */
struct fields {
	const char	*name[MAX_FIELDS];
	char		value[MAX_FIELDS][SUO_TAB_TEXT];
	size_t		n;
};

static void field(struct fields *f, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void field(struct fields *f, const char *name, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->value[f->n], SUO_TAB_TEXT, fmt, ap);
	va_end(ap);
	f->name[f->n++] = name;
}

/* Texts that are whole numbers become numbers. */
static json_t *fields_json(const struct fields *f)
{
	json_t *o = json_object();

	for (size_t i = 0; i < f->n; i++) {
		char *end;
		double number = strtod(f->value[i], &end);
		json_t *value;

		if (*end || end == f->value[i])
			value = json_string(f->value[i]);
		else if (strchr(f->value[i], '.'))
			value = json_real(number);
		else
			value = json_integer((json_int_t)strtoll(f->value[i], NULL, 10));
		json_object_set_new(o, f->name[i], value);
	}
	return o;
}

static void print_fields(const char *what, const char *name, struct fields *f)
{
	printf("%s: %s\n", what, name);
	suo_tab_print_list(f->name, f->value, f->n, stdout);
	putchar('\n');
}

/* WRED_PROFILE of config_db; the probability is in percent there. */
static void ecn_fields(const struct suo_snap_class *class, struct fields *f)
{
	f->n = 0;
	field(f, "ecn", "%s", class->ecn ? "ecn_all" : "ecn_none");
	field(f, "wred_green_enable", "%s", class->ecn ? "true" : "false");
	if (!class->ecn)
		return;
	field(f, "green_min_threshold", "%" PRIu64, (uint64_t)class->kmin_bytes);
	field(f, "green_max_threshold", "%" PRIu64, (uint64_t)class->kmax_bytes);
	field(f, "green_drop_probability", "%.6g", (double)class->pmax_ppm / 10000);
}

/* Return: false: it is left out. */
static bool ecn_profile(const struct suo_snapshot *snap, size_t p,
			const struct suo_show_opts *opts, char name[16], struct fields *f)
{
	const struct suo_snap_class *class = &snap->config.prio[p];

	if (opts->nonzero && !class->ecn)
		return false;
	snprintf(name, 16, "priority%zu", p);
	ecn_fields(class, f);
	return true;
}

static void print_ecn(const struct suo_snapshot *snap, const struct suo_snap_switch *sw,
		      const struct suo_show_opts *opts)
{
	struct fields f;
	char name[16];

	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++)
		if (ecn_profile(snap, p, opts, name, &f))
			print_fields("Profile", name, &f);
}

static json_t *ecn_json(const struct suo_snapshot *snap, const struct suo_snap_switch *sw,
			const struct suo_show_opts *opts)
{
	json_t *all = json_object();
	struct fields f;
	char name[16];

	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++)
		if (ecn_profile(snap, p, opts, name, &f))
			json_object_set_new(all, name, fields_json(&f));
	return all;
}

const struct suo_view suo_view_ecn = {
	.words = "ecn",
	.summary = "the curve by which each priority is marked",
	.print = print_ecn,
	.to_json = ecn_json,
};

#define POOL	"ingress_lossless_pool"

static void pool_fields(const struct suo_snap_switch *sw, struct fields *f)
{
	f->n = 0;
	field(f, "type", "both");
	field(f, "mode", "dynamic");
	field(f, "size", "%" PRIu64, (uint64_t)sw->pool.size_bytes);
}

/* BUFFER_PROFILE of config_db: its "xoff" is the headroom. */
static void profile_fields(const struct suo_snap_class *class, struct fields *f)
{
	f->n = 0;
	field(f, "pool", POOL);
	if (class->is_dynamic)
		field(f, "dynamic_th", "%d", class->dynamic_th);
	else
		field(f, "static_th", "%" PRIu64, (uint64_t)class->xoff_bytes);
	if (!class->lossless)
		return;
	field(f, "xon_offset", "%" PRIu64, (uint64_t)class->xon_bytes);
	field(f, "xoff", "%" PRIu64, (uint64_t)class->headroom_bytes);
}

static void buffer_profile(const struct suo_snapshot *snap, size_t p, char name[32],
			   struct fields *f)
{
	const struct suo_snap_class *class = &snap->config.prio[p];

	snprintf(name, 32, "pg_%s_priority%zu", class->lossless ? "lossless" : "lossy", p);
	profile_fields(class, f);
}

static void print_buffer(const struct suo_snapshot *snap, const struct suo_snap_switch *sw,
			 const struct suo_show_opts *opts)
{
	struct fields f;

	pool_fields(sw, &f);
	print_fields("Pool", POOL, &f);
	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++) {
		char name[32];

		buffer_profile(snap, p, name, &f);
		print_fields("Profile", name, &f);
	}
}

static json_t *buffer_json(const struct suo_snapshot *snap,
			   const struct suo_snap_switch *sw,
			   const struct suo_show_opts *opts)
{
	json_t *all = json_object(), *profiles = json_object();
	struct fields f;

	pool_fields(sw, &f);
	json_object_set_new(all, "pools", json_pack("{s:o}", POOL, fields_json(&f)));
	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++) {
		char name[32];

		buffer_profile(snap, p, name, &f);
		json_object_set_new(profiles, name, fields_json(&f));
	}
	json_object_set_new(all, "profiles", profiles);
	return all;
}

const struct suo_view suo_view_buffer = {
	.words = "buffer",
	.also = "information",
	.summary = "the pool and the thresholds of each priority",
	.print = print_buffer,
	.to_json = buffer_json,
};

static void print_buffer_pool(const struct suo_snapshot *snap,
			      const struct suo_snap_switch *sw,
			      const struct suo_show_opts *opts)
{
	static const struct suo_tab_column columns[] = {
		SUO_TAB_COL("Pool"), SUO_TAB_COL("Bytes"),
	};
	struct suo_tab tab;

	suo_tab_init(&tab, columns, 2, 1);
	suo_tab_text(&tab, POOL);
	suo_tab_plain(&tab, sw->pool.watermark_bytes);
	suo_tab_end_row(&tab, opts->nonzero);
	puts("Shared pool maximum occupancy:");
	suo_tab_print(&tab, stdout);
	putchar('\n');
	suo_tab_free(&tab);
}

static json_t *buffer_pool_json(const struct suo_snapshot *snap,
				const struct suo_snap_switch *sw,
				const struct suo_show_opts *opts)
{
	return json_pack("{s:I}", POOL, (json_int_t)sw->pool.watermark_bytes);
}

const struct suo_view suo_view_buffer_pool = {
	.words = "buffer-pool watermark",
	.summary = "most bytes of the pool that have been in use",
	.print = print_buffer_pool,
	.to_json = buffer_pool_json,
	.watermark = "pool",
};
