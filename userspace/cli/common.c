// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "model/cluster/goodput.h"
#include "model/cluster/units.h"
#include "userspace/cli/cli.h"

int suo_error(int status, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return status;
}

uint64_t suo_option_quantity(struct argp_state *state, const char *option,
			     const char *text, const struct suo_quantity *what)
{
	uint64_t value = what->min;
	char why[256];

	if (suo_quantity_parse(text, what, &value, why, sizeof(why)))
		argp_error(state, "--%s: %s", option, why);
	return value;
}

static const struct argp_option json_options[] = {
	{ "json", 'j', NULL, 0, "Print JSON", 10 },
	{ "pretty", 'p', NULL, 0, "Print JSON, indented", 10 },
	{ 0 }
};

static error_t parse_json(int key, char *arg, struct argp_state *state)
{
	struct suo_json_opts *opts = state->input;

	switch (key) {
	case 'p':
		opts->pretty = true;
		opts->json = true;
		return 0;
	case 'j':
		opts->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp suo_json_argp = {
	.options = json_options,
	.parser = parse_json,
};

const struct argp_child suo_json_children[] = {
	{ .argp = &suo_json_argp },
	{ 0 }
};

int suo_json_print(const struct suo_json_opts *opts, json_t *value)
{
	size_t flags = JSON_REAL_PRECISION(12) | (opts->pretty ? JSON_INDENT(2) : 0);
	int ret;

	if (!value)
		return suo_error(SUO_FAILED, "not enough memory");
	ret = json_dumpf(value, stdout, flags);
	json_decref(value);
	putchar('\n');
	return ret ? suo_error(SUO_FAILED, "cannot write JSON") : SUO_OK;
}

int suo_load_cluster(const char *path, struct suo_cluster **cluster)
{
	switch (suo_cluster_load(path, stderr, cluster)) {
	case 0:
		return SUO_OK;
	case -ENOMEM:
		return suo_error(SUO_FAILED, "not enough memory");
	default:
		return SUO_USAGE;
	}
}

int suo_close(FILE *file, const char *path)
{
	bool bad = ferror(file);

	if (fclose(file) || bad)
		return suo_error(SUO_FAILED, "%s: cannot write: %s", path,
				 strerror(errno));
	return SUO_OK;
}

double suo_payload_GBps(const struct suo_link_law *law)
{
	return suo_goodput_mbps(law, SUO_UP_SEGMENT_BYTES) / 8000;
}
