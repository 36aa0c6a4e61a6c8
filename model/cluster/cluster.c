// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* From a cluster file's text to a struct suo_cluster whose values make sense. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/goodput.h"
#include "model/cluster/load.h"
#include "model/cluster/upfield.h"
#include "model/plan/plan.h"

/*
 * Limits. libyaml takes time with the square of how deep a text is nested; in a
 * file of this size that is two seconds.
 */
#define MAX_FILE_BYTES		(1u << 15)
#define MAX_NAME_LEN		64
#define MAX_VECTOR_BYTES	(1ull << 40)
#define MAX_TIME_SCALE		1000000			/* the module's own */
#define ELEM_BYTES		4			/* float32 */
#define MAX_SECONDS		1e6			/* of one AllReduce */

/*
 * The software of a step takes some 100 us of guest time, a modelled step some
 * microseconds: this hides the software to well below 1 %, and idle guest time
 * costs nothing.
 */
#define AUTO_TIME_SCALE		1000000

static const struct suo_quantity a_vector = {
	SUO_BYTES, "B", ELEM_BYTES, MAX_VECTOR_BYTES
};
static const struct suo_quantity a_host_count = {
	SUO_NUMBER, NULL, 1, SUO_CLUSTER_MAX_ACCELS
};
static const struct suo_quantity a_time_scale = {
	SUO_NUMBER, NULL, 1, MAX_TIME_SCALE
};
static const struct suo_quantity a_factor = { SUO_NUMBER, NULL, 2, 1024 };
static const struct suo_quantity a_repeat = { SUO_NUMBER, NULL, 1, 1000000 };
static const struct suo_quantity a_warmup = { SUO_NUMBER, NULL, 0, 1000000 };

const char *const suo_lab_fabric_names[] = {
	[SUO_LAB_BRIDGE]	= "bridge",
	[SUO_LAB_SWITCH]	= "switch",
	[SUO_LAB_FABRICS]	= NULL,
};

static void get_name(struct suo_load *load, const char *name)
{
	if (strlen(name) > MAX_NAME_LEN)
		suo_load_fault(load, "name", "longer than %d characters", MAX_NAME_LEN);
	for (const char *c = name; *c; c++) {
		if (isascii((unsigned char)*c) &&
		    (isalnum((unsigned char)*c) || strchr("._-", *c)))
			continue;
		suo_load_fault(load, "name", "only letters, digits, '.', '_' and '-' are possible");
		break;
	}
	load->cluster->name = strdup(name);
}

static void get_size(struct suo_load *load, const struct suo_raw_cluster *raw)
{
	struct suo_cluster *c = load->cluster;
	uint64_t total;

	c->hosts = suo_load_get(load, "hosts", raw->hosts, &a_host_count, 1);
	c->accels = suo_load_get(load, "accelerators", raw->accelerators,
				 &a_host_count, 1);
	c->domain_hosts = suo_load_get(load, "hosts_per_domain", raw->hosts_per_domain,
				       &a_host_count, 1);
	total = (uint64_t)c->hosts * c->accels;
	if (total > SUO_CLUSTER_MAX_ACCELS)
		suo_load_fault(load, "accelerators", "%" PRIu64 " in all hosts; at most %u are possible",
			       total, SUO_CLUSTER_MAX_ACCELS);
	else if (total > SUO_PLAN_MAX_RANKS)
		suo_load_lab_fault(load, "hosts", "%" PRIu64 " accelerators; the lab has at most %u",
				   total, SUO_PLAN_MAX_RANKS);
	if (c->hosts % c->domain_hosts)
		suo_load_fault(load, "hosts_per_domain",
			       "%" PRIu32 " hosts cannot be split into domains of %" PRIu32,
			       c->hosts, c->domain_hosts);
	if (c->domain_hosts != 1)
		suo_load_lab_fault(load, "hosts_per_domain",
				   "in the lab, each host is a domain of its own");
}

static void get_lab(struct suo_load *load, const struct suo_raw_lab *raw)
{
	struct suo_cluster *c = load->cluster;
	const char *text = raw ? raw->time_scale : NULL;
	bool several = c->out.fabric.topology != SUO_TOPOLOGY_SINGLE;

	c->time_scale_auto = !text || !strcmp(text, "auto");
	c->time_scale = AUTO_TIME_SCALE;
	if (!c->time_scale_auto)
		c->time_scale = suo_load_get(load, "lab.time_scale", text, &a_time_scale,
					     AUTO_TIME_SCALE);
	c->lab_fabric = suo_load_word(load, "lab.fabric", raw ? raw->fabric : NULL,
				      suo_lab_fabric_names,
				      several ? SUO_LAB_SWITCH : SUO_LAB_BRIDGE);
	if (several && c->lab_fabric == SUO_LAB_BRIDGE)
		suo_load_fault(load, "lab.fabric",
			       "a bridge is a single switch, and the topology is '%s'",
			       suo_topology_names[c->out.fabric.topology]);
}

static const char *algorithm_candidate(unsigned int i, const void *arg)
{
	return suo_plan_algorithm(i);
}

static bool check_algorithm(struct suo_load *load, const char *name)
{
	if (suo_plan_known(SUO_COLL_ALLREDUCE, name))
		return true;

	suo_load_unknown(load, "bench.algorithms", "algorithm", name,
			 suo_nearest(name, algorithm_candidate, NULL),
			 "suo plan list");
	return false;
}

static int get_algorithms(struct suo_load *load, const struct suo_raw_bench *raw)
{
	struct suo_cluster_bench *bench = &load->cluster->bench;
	unsigned int n = raw->algorithms_count;
	char *names;

	/* The names are kept behind the array, to be freed with it. */
	bench->algorithm = calloc(n ? n : 1, sizeof(*bench->algorithm) +
					     SUO_PLAN_NAME_SIZE);
	if (!bench->algorithm)
		return -ENOMEM;
	names = (char *)(bench->algorithm + n);
	if (!n) {
		bench->algorithm[0] = "hierarchical";
		bench->nalgorithms = 1;
	}

	for (unsigned int i = 0; i < n; i++) {
		const char *name = raw->algorithms[i];

		if (!check_algorithm(load, name))
			continue;
		for (uint32_t j = 0; name && j < bench->nalgorithms; j++) {
			if (!strcmp(bench->algorithm[j], name)) {
				suo_load_fault(load, "bench.algorithms",
					       "'%s' is listed twice", name);
				name = NULL;
			}
		}
		if (!name)
			continue;
		/* A name that is known is not too long. */
		strcpy(names, name);
		bench->algorithm[bench->nalgorithms++] = names;
		names += SUO_PLAN_NAME_SIZE;
	}
	return 0;
}

/*
 * Times are kept in picoseconds of 64 bits: half a year. No algorithm takes
 * longer than the whole vector twice over the slowest link, and a message of
 * each rank twice.
 */
static void check_duration(struct suo_load *load)
{
	const struct suo_cluster *c = load->cluster;
	double up, out, messages, seconds;

	if (load->report.faults)
		return;
	up = c->bench.max_bytes / suo_goodput_mbps(&c->up, SUO_UP_SEGMENT_BYTES);
	/* A RoCE packet of 256 bytes has 82 bytes of framing. */
	out = 1.5 * c->bench.max_bytes / c->out.rate_mbps;
	messages = 2.0 * c->hosts * c->accels;
	seconds = 2 * 8e-6 * (up > out ? up : out) + messages * 1e-12 *
		  suo_max(suo_link_latency_ps(&c->up), c->out.latency_ps);
	if (seconds > MAX_SECONDS)
		suo_load_fault(load, "bench.max_bytes", "would take %.0f s over these links; at most %.0f s are possible",
			       seconds, MAX_SECONDS);
}

static int get_bench(struct suo_load *load, const struct suo_raw_bench *given)
{
	static const struct suo_raw_bench nothing;
	const struct suo_raw_bench *raw = given ? given : &nothing;
	struct suo_cluster_bench *bench = &load->cluster->bench;

	bench->min_bytes = suo_load_get(load, "bench.min_bytes", raw->min_bytes,
					&a_vector, 1 << 10);
	bench->max_bytes = suo_load_get(load, "bench.max_bytes", raw->max_bytes,
					&a_vector, 4 << 20);
	bench->factor = suo_load_get(load, "bench.factor", raw->factor, &a_factor, 2);
	bench->iterations = suo_load_get(load, "bench.iterations", raw->iterations,
					 &a_repeat, 2);
	bench->warmup = suo_load_get(load, "bench.warmup", raw->warmup, &a_warmup, 1);

	if (bench->min_bytes % ELEM_BYTES)
		suo_load_fault(load, "bench.min_bytes", "'%s' is not a multiple of %d bytes (float32)",
			       raw->min_bytes, ELEM_BYTES);
	if (bench->max_bytes < bench->min_bytes)
		suo_load_fault(load, raw->max_bytes ? "bench.max_bytes" : "bench.min_bytes",
			       "max_bytes (%" PRIu64 ") is less than min_bytes (%" PRIu64 ")",
			       bench->max_bytes, bench->min_bytes);
	return get_algorithms(load, raw);
}

/* What they say is between the switches and whoever wrote them. */
static int get_faults(struct suo_load *load, const struct suo_raw_cluster *raw)
{
	struct suo_cluster *c = load->cluster;

	if (!raw->faults_count)
		return 0;
	c->fault = calloc(raw->faults_count, sizeof(*c->fault));
	if (!c->fault)
		return -ENOMEM;
	for (; c->nfaults < raw->faults_count; c->nfaults++) {
		c->fault[c->nfaults] = strdup(raw->faults[c->nfaults]);
		if (!c->fault[c->nfaults])
			return -ENOMEM;
	}
	return 0;
}

/* What libcyaml finds is what suo_lint() let pass: nothing that is known. */
static int load_raw(struct suo_load *load, const char *text, size_t size)
{
	static const cyaml_config_t config = {
		.mem_fn = cyaml_mem,
		.flags = CYAML_CFG_NO_ALIAS,
	};
	cyaml_err_t err;

	err = cyaml_load_data((const uint8_t *)text, size, &config,
			      &suo_raw_cluster_schema,
			      (cyaml_data_t **)&load->raw, NULL);
	if (err == CYAML_ERR_OOM)
		return -ENOMEM;
	if (err)
		suo_report_fault(&load->report, 0, NULL, "not understood: %s",
				 cyaml_strerror(err));
	return err ? -EINVAL : 0;
}

static void free_raw(struct suo_raw_cluster *raw)
{
	static const cyaml_config_t config = { .mem_fn = cyaml_mem };

	cyaml_free(&config, &suo_raw_cluster_schema, raw, 0);
}

/* All sections; the later ones ask what the earlier ones came to. */
static int load_sections(struct suo_load *load, const struct suo_raw_cluster *raw)
{
	int ret;

	get_name(load, raw->name);
	get_size(load, raw);
	suo_load_up(load, raw->scale_up);
	suo_load_out(load, raw->scale_out);
	ret = suo_load_software(load, raw->software);
	get_lab(load, raw->lab);
	if (!ret)
		ret = get_bench(load, raw->bench);
	if (!ret)
		ret = get_faults(load, raw);
	if (!ret)
		check_duration(load);
	if (!ret && !load->cluster->name)
		ret = -ENOMEM;
	if (!ret && load->report.faults)
		ret = -EINVAL;
	return ret;
}

int suo_cluster_parse(const char *name, const char *text, size_t size,
		      FILE *errors, struct suo_cluster **out)
{
	return suo_cluster_parse_beside(name, name, text, size, errors, out);
}

int suo_cluster_parse_beside(const char *path, const char *name, const char *text,
			     size_t size, FILE *errors, struct suo_cluster **out)
{
	struct suo_load load = {
		.report = { .file = name, .out = errors }, .path = path,
	};
	char *lab_text = NULL;
	size_t lab_size;
	int ret;

	load.lab.file = name;
	load.lab.out = open_memstream(&lab_text, &lab_size);
	if (!load.lab.out)
		return -ENOMEM;
	ret = suo_lint(text, size, &suo_raw_cluster_schema, &load.report,
		       &load.marks);
	if (ret)
		goto err_lint;
	ret = load_raw(&load, text, size);
	if (ret)
		goto err_lint;

	load.cluster = calloc(1, sizeof(*load.cluster));
	if (!load.cluster) {
		ret = -ENOMEM;
		goto err_cluster;
	}
	ret = load_sections(&load, load.raw);
	if (fclose(load.lab.out) && !ret)
		ret = -ENOMEM;
	load.lab.out = NULL;
	if (ret) {
		suo_cluster_free(load.cluster);
	} else {
		if (load.lab.faults) {
			load.cluster->lab_fault = lab_text;
			lab_text = NULL;
		}
		*out = load.cluster;
	}

err_cluster:
	free_raw(load.raw);
err_lint:
	if (load.lab.out)
		fclose(load.lab.out);
	free(lab_text);
	suo_marks_free(&load.marks);
	return ret;
}

/* Return: the file's bytes, to be freed; NULL with errno if there are none. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	char *text;
	int err;

	if (!file)
		return NULL;
	text = malloc(MAX_FILE_BYTES + 1);
	if (!text)
		goto err_text;
	*size = fread(text, 1, MAX_FILE_BYTES + 1, file);
	if (ferror(file))
		goto err_read;
	if (*size > MAX_FILE_BYTES) {
		errno = EFBIG;
		goto err_read;
	}
	fclose(file);
	return text;

err_read:
	err = errno;
	free(text);
	errno = err;
err_text:
	err = errno;
	fclose(file);
	errno = err;
	return NULL;
}

int suo_cluster_load(const char *path, FILE *errors, struct suo_cluster **out)
{
	size_t size;
	char *text = read_file(path, &size);
	int ret;

	if (!text) {
		if (errno == ENOMEM)
			return -ENOMEM;
		if (errors && errno == EFBIG)
			fprintf(errors, "%s: larger than %u bytes\n", path,
				MAX_FILE_BYTES);
		else if (errors)
			fprintf(errors, "%s: %s\n", path, strerror(errno));
		return -EINVAL;
	}
	ret = suo_cluster_parse(path, text, size, errors, out);
	free(text);
	return ret;
}

void suo_cluster_free(struct suo_cluster *cluster)
{
	if (!cluster)
		return;
	free(cluster->software_file);
	for (uint32_t i = 0; i < cluster->nfaults; i++)
		free(cluster->fault[i]);
	free(cluster->fault);
	free(cluster->lab_fault);
	free(cluster->bench.algorithm);
	free(cluster->name);
	free(cluster);
}

static void print_up(const struct suo_link_law *law, FILE *out)
{
	const struct suo_up_field *field;

	for (unsigned int i = 0; (field = suo_up_field(i)); i++) {
		uint64_t value = suo_up_get(field, law);

		fputs("SUO_UP_", out);
		for (const char *c = field->name; *c; c++)
			fputc(toupper((unsigned char)*c), out);
		if (field->words)
			fprintf(out, "='%s'\n", field->words[value]);
		else
			fprintf(out, "='%" PRIu64 "'\n", value);
	}
}

/* With suo-switch, the NICs only have what is not the switches' and cables'. */
static uint64_t nics_ps(const struct suo_cluster *c)
{
	return c->out.latency_given ? c->out.latency_ps : c->out.endpoint_ps;
}

#define US	1000000ull	/* picoseconds */

/* As nics/DEV/cc and nics/DEV/cc_params/ of the module have them, in their units. */
static void print_control(const struct suo_congestion *con, FILE *out)
{
	const struct suo_dcqcn_law *law = &con->dcqcn;
	const struct {
		const char	*name;
		uint64_t	value;
	} param[] = {
		{ "rp_time_reset", law->rp_time_reset_ps / US },
		{ "rp_byte_reset", law->rp_byte_reset_bytes },
		{ "rp_threshold", law->rp_threshold },
		{ "rp_ai_rate", law->rp_ai_rate_kbps / 1000 },
		{ "rp_hai_rate", law->rp_hai_rate_kbps / 1000 },
		{ "rp_gd", law->rp_gd },
		{ "rp_min_dec_fac", law->rp_min_dec_fac_percent },
		{ "rp_min_rate", law->rp_min_rate_kbps / 1000 },
		{ "rp_dce_tcp_g", law->rp_dce_tcp_g },
		{ "rp_dce_tcp_rtt", law->rp_dce_tcp_rtt_ps / US },
		{ "rp_rate_reduce_monitor_period", law->rp_reduce_period_ps / US },
		{ "rp_initial_alpha_value", law->rp_initial_alpha },
		{ "np_min_time_between_cnps",
		  law->np_min_time_between_cnps_ps / US },
	};

	fprintf(out, "SUO_OUT_CC='%s'\n", con->dcqcn_on ? "dcqcn" : "none");
	fputs("SUO_OUT_CC_PARAMS='", out);
	for (unsigned int i = 0; con->dcqcn_on && i < sizeof(param) / sizeof(param[0]); i++)
		fprintf(out, "%s%s=%" PRIu64, i ? " " : "", param[i].name, param[i].value);
	fputs("'\n", out);
	fprintf(out, "SUO_OUT_REORDER_PKTS='%" PRIu32 "'\n", con->reorder_pkts);
}

void suo_cluster_print_env(const struct suo_cluster *c, FILE *out)
{
	const struct suo_cluster_bench *bench = &c->bench;

	/* The name has no character that means something to a shell. */
	fprintf(out, "SUO_NAME='%s'\n", c->name);
	fprintf(out, "SUO_HOSTS='%" PRIu32 "'\n", c->hosts);
	fprintf(out, "SUO_ACCELS='%" PRIu32 "'\n", c->accels);
	fprintf(out, "SUO_RANKS='%" PRIu32 "'\n", c->hosts * c->accels);
	fprintf(out, "SUO_TIME_SCALE='%" PRIu32 "'\n", c->time_scale);
	fprintf(out, "SUO_UP_RATE_MBPS='%" PRIu64 "'\n", c->up.rate_mbps);
	print_up(&c->up, out);
	fprintf(out, "SUO_OUT_RATE_MBPS='%" PRIu64 "'\n", c->out.rate_mbps);
	fprintf(out, "SUO_OUT_LATENCY_PS='%" PRIu64 "'\n", c->out.latency_ps);
	fprintf(out, "SUO_OUT_ENDPOINT_PS='%" PRIu64 "'\n", nics_ps(c));
	print_control(&c->out.congestion, out);
	fprintf(out, "SUO_LAB_FABRIC='%s'\n", suo_lab_fabric_names[c->lab_fabric]);
	fprintf(out, "SUO_OUT_MTU_BYTES='%" PRIu32 "'\n", c->out.mtu_bytes);
	fprintf(out, "SUO_BENCH_MIN_BYTES='%" PRIu64 "'\n", bench->min_bytes);
	fprintf(out, "SUO_BENCH_MAX_BYTES='%" PRIu64 "'\n", bench->max_bytes);
	fprintf(out, "SUO_BENCH_FACTOR='%" PRIu32 "'\n", bench->factor);
	fprintf(out, "SUO_BENCH_ITERATIONS='%" PRIu32 "'\n", bench->iterations);
	fprintf(out, "SUO_BENCH_WARMUP='%" PRIu32 "'\n", bench->warmup);
	fputs("SUO_BENCH_ALGORITHMS='", out);
	for (uint32_t i = 0; i < bench->nalgorithms; i++)
		fprintf(out, "%s%s", i ? "," : "", bench->algorithm[i]);
	fputs("'\n", out);
}
