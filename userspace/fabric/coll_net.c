// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll_net.h"
#include "model/analytic/choose.h"
#include "userspace/coll/hash.h"

#define CONFIG		"/sys/kernel/config/suo"
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"
#define LINE		256
#define DIR_SIZE	(sizeof(CONFIG) + LINE)

/* A link to go by where nothing is known: 100 Gbit/s and 2 us. */
#define SOME_RATE_MBPS	100000
#define SOME_LATENCY_PS	2000000
#define SOME_MTU_BYTES	4096

#define NAME(name)	#name,
static const char *const up_names[] = { SUO_COLL_FIGURES(NAME) };

#define NUM_UP		(sizeof(up_names) / sizeof(up_names[0]))

static bool read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static uint64_t read_number(const char *dir, const char *file)
{
	char path[DIR_SIZE + 64], line[64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return read_line(path, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

/* The directory of the domain that a device is a member of. */
static bool find_domain(const char *device, char *dir, size_t size)
{
	DIR *domains = opendir(CONFIG "/domains");
	char path[2 * DIR_SIZE];
	struct dirent *entry;
	bool found = false;

	if (!domains)
		return false;
	while (!found && (entry = readdir(domains))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(dir, size, CONFIG "/domains/%.200s", entry->d_name);
		snprintf(path, sizeof(path), "%s/members/%.200s", dir, device);
		found = !access(path, F_OK);
	}
	closedir(domains);
	return found;
}

uint64_t suo_coll_domain_id(const char *device)
{
	char dir[DIR_SIZE], boot[64] = "";
	uint64_t id;

	if (!find_domain(device, dir, sizeof(dir)))
		return 0;
	read_line(BOOT_ID, boot, sizeof(boot));
	id = suo_hash(suo_hash(SUO_HASH_START, boot, strlen(boot)), dir, strlen(dir));
	return id ? id : 1;
}

static void read_module(const char *device, struct suo_coll_net *net)
{
	char dir[DIR_SIZE];

	memset(net, 0, sizeof(*net));
	if (find_domain(device, dir, sizeof(dir)))
		for (size_t i = 0; i < NUM_UP; i++)
			net->figure[i] = read_number(dir, up_names[i]);
	snprintf(dir, sizeof(dir), CONFIG "/nics/%.200s", device);
	net->figure[SUO_COLL_OUT_RATE_MBPS] = read_number(dir, "rate_mbps");
	net->figure[SUO_COLL_OUT_LATENCY_PS] = read_number(dir, "latency_ps");
}

/* Is a line PREFIX and the name, in capitals, ='VALUE'? */
static bool assigned(const char *line, const char *prefix, const char *name, uint64_t *val)
{
	size_t len = strlen(prefix);

	if (strncmp(line, prefix, len))
		return false;
	for (line += len; *name; name++, line++)
		if (*line != toupper((unsigned char)*name))
			return false;
	if (strncmp(line, "='", 2) || !isdigit((unsigned char)line[2]))
		return false;
	*val = strtoull(line + 2, NULL, 10);
	return true;
}

static void take_line(const char *line, struct suo_coll_net *net)
{
	uint64_t accels;

	for (size_t i = 0; i < NUM_UP; i++)
		assigned(line, "SUO_UP_", up_names[i], &net->figure[i]);
	assigned(line, "SUO_OUT_", "rate_mbps", &net->figure[SUO_COLL_OUT_RATE_MBPS]);
	assigned(line, "SUO_OUT_", "latency_ps", &net->figure[SUO_COLL_OUT_LATENCY_PS]);
	assigned(line, "SUO_OUT_", "mtu_bytes", &net->figure[SUO_COLL_OUT_MTU_BYTES]);
	if (assigned(line, "SUO_", "accels", &accels))
		net->domain_size = accels;
}

int suo_coll_net_read(const char *device, const char *path, struct suo_coll_net *net)
{
	char line[LINE];
	FILE *f;

	read_module(device, net);
	if (!path)
		return 0;
	f = fopen(path, "re");
	if (!f)
		return -EINVAL;
	memset(net, 0, sizeof(*net));
	while (fgets(line, sizeof(line), f))
		take_line(line, net);
	fclose(f);
	if (net->domain_size)
		return 0;
	read_module(device, net);
	return -EINVAL;
}

static void make_model(const struct suo_coll_net *net, uint32_t elem_bytes,
		       struct suo_net *model)
{
	const uint64_t *fig = net->figure;

	memset(model, 0, sizeof(*model));
	model->domain_size = net->domain_size;
	model->elem_bytes = elem_bytes;
#define TAKE(name)	model->up.name = fig[SUO_COLL_UP_##name];
	SUO_COLL_FIGURES(TAKE)
	model->out.rate_mbps = fig[SUO_COLL_OUT_RATE_MBPS];
	model->out.endpoint_ps = fig[SUO_COLL_OUT_LATENCY_PS];
	model->mtu_bytes = fig[SUO_COLL_OUT_MTU_BYTES];
	if (!model->mtu_bytes)
		model->mtu_bytes = SOME_MTU_BYTES;
	if (!model->out.rate_mbps && !model->out.endpoint_ps) {
		model->out.rate_mbps = SOME_RATE_MBPS;
		model->out.endpoint_ps = SOME_LATENCY_PS;
	}
	if (!model->up.rate_mbps && !suo_link_latency_ps(&model->up)) {
		model->up.rate_mbps = SOME_RATE_MBPS;
		model->up.endpoint_ps = SOME_LATENCY_PS;
	}
}

uint64_t suo_coll_chunk_len(const struct suo_coll_net *net, uint32_t nranks,
			    uint32_t elem_bytes)
{
	struct suo_net model;

	make_model(net, elem_bytes, &model);
	return suo_net_chunk_len(&model, nranks);
}

int suo_coll_chooser(const struct suo_coll_net *net, uint32_t nranks,
		     struct suo_chooser **out)
{
	struct suo_net model;

	/* Elements of one byte: one chooser is for all types. */
	make_model(net, 1, &model);
	return suo_chooser_create(&model, nranks, out);
}

void suo_coll_chooser_free(struct suo_chooser *chooser)
{
	if (chooser)
		suo_chooser_free(chooser);
}

int suo_coll_pick(struct suo_chooser *chooser, enum suo_coll coll, uint64_t bytes,
		  char name[SUO_PLAN_NAME_SIZE])
{
	struct suo_choice choice;
	int err = suo_coll_choose(chooser, coll, bytes, false, &choice);

	if (!err)
		memcpy(name, choice.name, SUO_PLAN_NAME_SIZE);
	return err;
}
