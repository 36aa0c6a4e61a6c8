// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "model/calibrate/fit.h"
#include "model/calibrate/held.h"
#include "model/calibrate/profile.h"

#define FORMAT		1
#define NET		SUO_CAL_NET(0, 0)
/* Far from what any constant is, and from where arithmetic would end. */
#define LEAST		1e-9
#define MOST		1e9
#define WIDEST		10	/* of a band: a factor of 22000 */

/* "hopper", "verbs": what a constant is of; and its name. */
static const char *group_of(unsigned int i)
{
	if (i < NET)
		return suo_nccl_gen_name(i / SUO_NCCL_GEN_CONSTANTS);
	return suo_nccl_transport_name((i - NET) / SUO_NCCL_NET_CONSTANTS);
}

static const char *name_of(unsigned int i)
{
	if (i < NET)
		return suo_nccl_gen_constant_name(i % SUO_NCCL_GEN_CONSTANTS);
	return suo_nccl_net_constant_name((i - NET) % SUO_NCCL_NET_CONSTANTS);
}

/* How many measurements depend on each constant. */
static void count_rows(const struct suo_cal_data *data, const size_t *without,
		       size_t nwithout, const struct suo_nccl_constants *k,
		       size_t *rows)
{
	memset(rows, 0, SUO_CAL_CONSTANTS * sizeof(*rows));
	for (size_t i = 0; i < data->nrows; i++) {
		const struct suo_cal_row *row = &data->row[i];
		unsigned int used[SUO_CAL_USED], n;
		struct suo_nccl_pick pick;

		if (suo_cal_listed(row->cluster, without, nwithout) ||
		    suo_nccl_time_us(&row->sys, k, row->op, row->bytes,
				     &pick) <= 0)
			continue;
		n = suo_cal_used(row, &pick, used);
		while (n)
			rows[used[--n]]++;
	}
}

void suo_cal_score(const struct suo_cal_data *data, size_t cluster,
		   const struct suo_nccl_constants *k,
		   struct suo_cal_score *score)
{
	*score = (struct suo_cal_score){ 0 };
	for (size_t i = 0; i < data->nrows; i++) {
		const struct suo_cal_row *row = &data->row[i];
		double r, off;

		if (row->cluster != cluster)
			continue;
		r = suo_cal_residual(row, k);
		off = 100 * (exp(-r) - 1);
		score->rows++;
		score->bias_pct += off;
		score->mean_pct += fabs(off);
		score->worst_pct = fmax(score->worst_pct, fabs(off));
		score->in_band += r >= k->log_p10 && r <= k->log_p90;
		if (row->bytes < SUO_CAL_LARGE_BYTES)
			continue;
		score->large_rows++;
		score->large_pct += fabs(off);
		score->large_worst_pct = fmax(score->large_worst_pct, fabs(off));
	}
	if (score->rows) {
		score->bias_pct /= score->rows;
		score->mean_pct /= score->rows;
	}
	if (score->large_rows)
		score->large_pct /= score->large_rows;
}

static json_t *constants_json(const struct suo_nccl_constants *k,
			      const size_t *rows)
{
	json_t *all = json_object();

	for (unsigned int i = 0; i < SUO_CAL_CONSTANTS; i++) {
		int parent = suo_cal_held(i).parent;
		json_t *group = json_object_get(all, group_of(i));

		if (!group) {
			group = json_object();
			json_object_set_new(all, group_of(i), group);
		}
		json_object_set_new(group, name_of(i),
				    json_pack("{s:f, s:I, s:s}", "value",
					      suo_cal_value(k, i),
					      "rows", (json_int_t)rows[i],
					      "held_to", parent < 0 ? "vendor" :
					      group_of(parent)));
	}
	return all;
}

static json_t *fit_json(const struct suo_cal_data *data, const size_t *without,
			size_t nwithout, const struct suo_nccl_constants *k)
{
	json_t *all = json_array();

	for (size_t c = 0; c < data->nclusters; c++) {
		struct suo_cal_score s;
		json_t *entry;

		suo_cal_score(data, c, k, &s);
		entry = json_pack("{s:s, s:b, s:I, s:f, s:f, s:f}",
				  "cluster", data->cluster[c],
				  "fitted", !suo_cal_listed(c, without, nwithout),
				  "rows", (json_int_t)s.rows,
				  "mean_pct", s.mean_pct, "bias_pct", s.bias_pct,
				  "worst_pct", s.worst_pct);
		json_array_append_new(all, entry);
	}
	return all;
}

int suo_cal_write(const char *path, const struct suo_cal_data *data,
		  const size_t *without, size_t nwithout,
		  const struct suo_nccl_constants *k)
{
	size_t rows[SUO_CAL_CONSTANTS];
	json_t *root;
	FILE *out;
	int ret = 0;

	count_rows(data, without, nwithout, k, rows);
	root = json_pack("{s:i, s:{s:f, s:f}, s:o, s:o}", "suo_nccl_profile",
			 FORMAT, "band", "log_p10", k->log_p10, "log_p90",
			 k->log_p90, "constants", constants_json(k, rows), "fit",
			 fit_json(data, without, nwithout, k));
	if (!root)
		return -ENOMEM;

	out = fopen(path, "w");
	if (!out) {
		ret = -errno;
		goto no_file;
	}
	errno = 0;
	if (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) ||
	    fputc('\n', out) == EOF)
		ret = errno ? -errno : -EIO;
	if (fclose(out) && !ret)
		ret = -errno;
no_file:
	json_decref(root);
	return ret;
}

static int load_constants(json_t *all, const char *path,
			  struct suo_nccl_constants *k, char *err, size_t len)
{
	for (unsigned int i = 0; i < SUO_CAL_CONSTANTS; i++) {
		json_t *group = json_object_get(all, group_of(i));
		json_t *entry = json_object_get(group, name_of(i));
		json_t *value = json_object_get(entry, "value");
		double x = json_number_value(value);

		if (!json_is_number(value) || !(x >= LEAST && x <= MOST)) {
			snprintf(err, len, "%s: constants.%s.%s.value: %s", path,
				 group_of(i), name_of(i),
				 value ? "not a number from 1e-9 to 1e9" : "missing");
			return -EINVAL;
		}
		*suo_cal_constant(k, i) = x;
	}
	return 0;
}

/* A constant that this version does not know would be lost in silence. */
static int check_known(json_t *all, const char *path, char *err, size_t len)
{
	const char *group, *name;
	json_t *entries, *entry;

	json_object_foreach(all, group, entries)
		json_object_foreach(entries, name, entry) {
			unsigned int i;

			for (i = 0; i < SUO_CAL_CONSTANTS; i++)
				if (!strcmp(group, group_of(i)) &&
				    !strcmp(name, name_of(i)))
					break;
			if (i < SUO_CAL_CONSTANTS)
				continue;
			snprintf(err, len, "%s: constants.%s.%s: unknown", path,
				 group, name);
			return -EINVAL;
		}
	return 0;
}

int suo_cal_load(const char *path, struct suo_nccl_constants *k, char *err,
		 size_t len)
{
	json_t *root, *constants = NULL;
	json_error_t where;
	int format = 0, ret;

	root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
	if (!root) {
		if (where.line < 0)
			snprintf(err, len, "%s: %s", path, where.text);
		else
			snprintf(err, len, "%s:%d: %s", path, where.line,
				 where.text);
		return -EINVAL;
	}

	ret = -EINVAL;
	if (json_unpack_ex(root, &where, JSON_STRICT, "{s:i, s:{s:F, s:F}, s:o, s?o}",
			   "suo_nccl_profile", &format, "band", "log_p10",
			   &k->log_p10, "log_p90", &k->log_p90, "constants",
			   &constants, "fit", &(json_t *){ NULL })) {
		snprintf(err, len, "%s: %s", path, where.text);
		goto out;
	}
	if (format != FORMAT) {
		snprintf(err, len, "%s: suo_nccl_profile: %d is not known", path,
			 format);
		goto out;
	}
	if (!(k->log_p10 <= k->log_p90)) {
		snprintf(err, len, "%s: band: its lower end is above its upper one",
			 path);
		goto out;
	}
	if (!(k->log_p10 >= -WIDEST && k->log_p90 <= WIDEST)) {
		snprintf(err, len, "%s: band: it goes beyond -%d or %d", path, WIDEST,
			 WIDEST);
		goto out;
	}
	ret = load_constants(constants, path, k, err, len);
	if (!ret)
		ret = check_known(constants, path, err, len);
out:
	json_decref(root);
	return ret;
}
