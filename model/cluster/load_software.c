// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The section software of a cluster file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/cluster/load.h"
#include "model/cluster/software_file.h"

static const struct suo_quantity a_channel_count = { SUO_NUMBER, NULL, 1, 64 };

static const char *const protocol_names[] = { "LL", "LL128", "Simple", NULL };
static const char *const algorithm_names[] = {
	"ring", "tree", "nvls", "nvlstree", NULL
};

static const struct suo_software_profile *
get_profile(struct suo_load *load, const char *name)
{
	const struct suo_software_profile *p = suo_software_find(name);

	if (p)
		return p;
	suo_load_unknown(load, "software.profile", "software profile", name,
			 suo_nearest(name, suo_software_candidate, NULL),
			 "suo profile list");
	return suo_software_get(0);
}

static bool is_file(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".json"));
}

static const char *gpu_candidate(unsigned int i, const void *arg)
{
	const struct suo_nccl_gpu *gpu = suo_nccl_gpu_get(i);

	return gpu ? gpu->name : NULL;
}

/* The accelerator that the constants are to be taken for. */
static const struct suo_nccl_gpu *get_gpu(struct suo_load *load, const char *name)
{
	const struct suo_nccl_gpu *gpu = name ? suo_nccl_gpu_find(name) : NULL;

	if (!name)
		suo_load_fault(load, "software.profile",
			       "a profile's file is for all accelerators; software.accelerator has to name one");
	else if (!gpu)
		suo_load_unknown(load, "software.accelerator", "accelerator", name,
				 suo_nearest(name, gpu_candidate, NULL),
				 "suo profile list");
	return gpu;
}

/* What the library sends by: if nothing is said, what its accelerator's does. */
static enum suo_nccl_transport get_transport(struct suo_load *load, const char *text,
					     const struct suo_nccl_gpu *gpu)
{
	const char *names[SUO_NCCL_TRANSPORTS + 1] = { NULL };

	for (int t = 0; t < SUO_NCCL_TRANSPORTS; t++)
		names[t] = suo_nccl_transport_name(t);
	return suo_load_word(load, "software.transport", text, names,
			     gpu && gpu->gen == SUO_NCCL_CDNA ? SUO_NCCL_RCCL_VERBS :
								SUO_NCCL_VERBS);
}

/* A file is beside the cluster file that names it. Return: NULL without memory. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	int dir = slash && *name != '/' ? slash + 1 - path : 0;
	size_t size = dir + strlen(name) + 1;
	char *file = malloc(size);

	if (file)
		snprintf(file, size, "%.*s%s", dir, path, name);
	return file;
}

/* Constants from a file, for the accelerator that is named. */
static int load_file(struct suo_load *load, const struct suo_raw_software *raw)
{
	suo_software_reader reader = suo_software_get_reader();
	const struct suo_nccl_gpu *gpu = get_gpu(load, raw->accelerator);
	struct suo_cluster *c = load->cluster;
	size_t size = strlen(raw->profile) + 1;
	struct suo_software_file *file;
	char *path, err[512];

	path = beside(load->path, raw->profile);
	file = calloc(1, sizeof(*file) + size);
	c->software_file = file;
	if (!path || !file) {
		free(path);
		return -ENOMEM;
	}
	memcpy(file->name, raw->profile, size);
	if (!reader)
		suo_load_fault(load, "software.profile",
			       "this program does not read profiles from files");
	else if (reader(path, &file->k, err, sizeof(err)))
		suo_load_fault(load, "software.profile", "%s", err);
	free(path);

	file->nccl.k = &file->k;
	file->nccl.gpu = gpu;
	file->nccl.transport = get_transport(load, raw->transport, gpu);
	c->software.profile = file->name;
	c->software.nccl = &file->nccl;
	return 0;
}

/* What is built in knows its accelerator. */
static void load_built_in(struct suo_load *load, const struct suo_raw_software *raw)
{
	const struct suo_software_profile *p;

	p = get_profile(load, raw->profile ? raw->profile : "ideal");
	load->cluster->software.profile = p->name;
	load->cluster->software.nccl = p->nccl;
	if (raw->accelerator)
		suo_load_fault(load, "software.accelerator",
			       "only with a profile that is a file");
	if (raw->transport)
		suo_load_fault(load, "software.transport",
			       "only with a profile that is a file");
}

/* The words of a list, a bit each; all of them without a list. */
static uint32_t get_set(struct suo_load *load, const char *key, char **word,
			unsigned int n, const char *const *names, uint32_t all)
{
	uint32_t set = 0;

	for (unsigned int i = 0; i < n; i++)
		set |= 1u << suo_load_word(load, key, word[i], names, 0);
	return n ? set : all;
}

int suo_load_software(struct suo_load *load, const struct suo_raw_software *given)
{
	static const struct suo_raw_software nothing;
	const struct suo_raw_software *raw = given ? given : &nothing;
	struct suo_software *soft = &load->cluster->software;
	int ret = 0;

	if (raw->profile && is_file(raw->profile))
		ret = load_file(load, raw);
	else
		load_built_in(load, raw);
	soft->has_launch = raw->launch_ns;
	soft->launch_ps = suo_load_get(load, "software.launch_ns", raw->launch_ns,
				       &suo_load_latency, 0);
	soft->has_step = raw->step_ns;
	soft->step_ps = suo_load_get(load, "software.step_ns", raw->step_ns,
				     &suo_load_latency, 0);
	soft->channels = suo_load_get(load, "software.channels", raw->channels,
				      &a_channel_count, 0);
	soft->protocols = get_set(load, "software.protocols", raw->protocols,
				  raw->protocols_count, protocol_names,
				  SUO_PROTO_ALL);
	soft->algorithms = get_set(load, "software.algorithms", raw->algorithms,
				   raw->algorithms_count, algorithm_names,
				   SUO_SW_ALL);
	soft->jitter_ps = suo_load_get(load, "software.jitter_ns", raw->jitter_ns,
				       &suo_load_latency, 0);
	soft->reduce_mbps = suo_load_get(load, "software.reduce_bandwidth",
					 raw->reduce_bandwidth, &suo_load_bandwidth, 0);
	return ret;
}
