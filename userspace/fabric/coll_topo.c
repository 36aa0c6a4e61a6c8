// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is known of the cluster: the domain of the device and its links, from
 * the kernel module's configfs, or all of it from a file.
 */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "coll.h"

#define CONFIG		"/sys/kernel/config/suo"
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"
#define LINE		256

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
	char path[2 * LINE], line[64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return read_line(path, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

/* The directory of the domain that a device is a member of. */
static bool find_domain(const char *device, char *dir, size_t size)
{
	DIR *domains = opendir(CONFIG "/domains");
	char path[2 * LINE + sizeof(CONFIG)];
	struct dirent *entry;
	bool found = false;

	if (!domains)
		return false;
	while (!found && (entry = readdir(domains))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), CONFIG "/domains/%.200s/members/%.200s",
			 entry->d_name, device);
		found = !access(path, F_OK);
		if (found)
			snprintf(dir, size, CONFIG "/domains/%.200s", entry->d_name);
	}
	closedir(domains);
	return found;
}

static uint64_t mix(uint64_t hash, const char *text)
{
	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 1099511628211ull;	/* FNV-1a */
	return hash;
}

/*
 * The same for all members of a domain, wherever they ask; 0: the device is in
 * none. A domain of several VMs counts as one for each of them.
 */
uint64_t suo_coll_domain_id(const char *device)
{
	char dir[LINE + sizeof(CONFIG)], boot[64] = "";
	uint64_t id;

	if (!find_domain(device, dir, sizeof(dir)))
		return 0;
	read_line(BOOT_ID, boot, sizeof(boot));
	id = mix(mix(14695981039346656037ull, boot), dir);
	return id ? id : 1;
}

/* One of the assignments that "suo cluster env" prints: NAME='VALUE' */
static bool assigned(const char *line, const char *name, uint64_t *val)
{
	size_t len = strlen(name);

	if (strncmp(line, name, len) || strncmp(line + len, "='", 2))
		return false;
	*val += strtoull(line + len + 2, NULL, 10);
	return true;
}

static bool read_file(const char *path, struct suo_coll_net *net)
{
	uint64_t accels = 0, stages = 0, each = 0, endpoint = 0;
	FILE *f = fopen(path, "re");
	char line[LINE];

	if (!f) {
		suo_warn(CORE, "FI_SUO_CLUSTER: %s: %s\n", path, strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		assigned(line, "SUO_ACCELS", &accels);
		assigned(line, "SUO_UP_RATE_MBPS", &net->up_rate_mbps);
		assigned(line, "SUO_UP_ENDPOINT_PS", &endpoint);
		assigned(line, "SUO_UP_STAGES", &stages);
		assigned(line, "SUO_OUT_RATE_MBPS", &net->out_rate_mbps);
		assigned(line, "SUO_OUT_LATENCY_PS", &net->out_latency_ps);
		if (assigned(line, "SUO_UP_SWITCH_PS", &each))
			net->up_latency_ps += each, each = 0;
		if (assigned(line, "SUO_UP_FEC_PS", &each) ||
		    assigned(line, "SUO_UP_PROPAGATION_PS", &each))
			continue;
	}
	fclose(f);
	/* Of each switch; of each hop, of which there is one more. */
	net->up_latency_ps = endpoint + stages * net->up_latency_ps + (stages + 1) * each;
	net->domain_size = accels;
	if (accels)
		return true;
	suo_warn(CORE, "FI_SUO_CLUSTER: %s: there is no SUO_ACCELS in it: is it what \"suo cluster env\" prints?\n",
		 path);
	return false;
}

void suo_coll_net_read(const char *device, struct suo_coll_net *net)
{
	char dir[LINE + sizeof(CONFIG)];

	memset(net, 0, sizeof(*net));
	if (suo_tune.cluster) {
		if (read_file(suo_tune.cluster, net))
			return;
		memset(net, 0, sizeof(*net));
	}
	if (find_domain(device, dir, sizeof(dir))) {
		net->up_rate_mbps = read_number(dir, "rate_mbps");
		net->up_latency_ps = read_number(dir, "latency_ps");
	}
	snprintf(dir, sizeof(dir), CONFIG "/nics/%.200s", device);
	net->out_rate_mbps = read_number(dir, "rate_mbps");
	net->out_latency_ps = read_number(dir, "latency_ps");
}
