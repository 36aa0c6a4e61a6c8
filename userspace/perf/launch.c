// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_errno.h>

#include "userspace/perf/launch.h"

#define EXIT_FAILED	1
#define EXIT_USAGE	2
#define MEET_PORT	18516	/* of --hosts without --rendezvous */

static int wrong(int status, const char *what, const char *why)
{
	fprintf(stderr, "suo-perf: Error: %s: %s\n", what, why);
	return status;
}

/* Item i of a list with commas, or NULL; counts them, too. */
static char *item(const char *list, uint32_t i, uint32_t *count)
{
	char *found = NULL;
	uint32_t n = 0;

	while (list) {
		size_t len = strcspn(list, ",");

		if (n == i && len)
			found = strndup(list, len);
		n++;
		list = list[len] ? list + len + 1 : NULL;
	}
	*count = n;
	return found;
}

/* The i-th device that the provider offers. */
static char *find_device(const struct opts *opts, uint32_t i, uint32_t *count)
{
	struct fi_info *hints = fi_allocinfo(), *info = NULL, *at, *before;
	char *found = NULL;

	*count = 0;
	if (!hints)
		return NULL;
	hints->ep_attr->type = FI_EP_RDM;
	hints->mode = ~0ull;
	hints->domain_attr->mr_mode = ~0;
	hints->fabric_attr->prov_name = strdup(opts->provider);
	if (!fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info)) {
		for (at = info; at; at = at->next) {
			/* once each, whatever else an entry differs in */
			for (before = info; before != at; before = before->next)
				if (!strcmp(before->domain_attr->name, at->domain_attr->name))
					break;
			if (before != at)
				continue;
			if (*count == i)
				found = strdup(at->domain_attr->name);
			++*count;
		}
		fi_freeinfo(info);
	}
	fi_freeinfo(hints);
	return found;
}

/* One of several ranks of this host. */
static int run_local(const struct opts *all, uint32_t i, int (*run)(struct opts *opts))
{
	struct opts opts = *all;
	char why[96], *device;
	uint32_t count;
	int status;

	opts.rank += i;
	device = all->device ? item(all->device, i, &count) : find_device(all, i, &count);
	if (!device && all->device && count == 1)
		device = strdup(all->device);
	if (!device) {
		snprintf(why, sizeof(why), "rank %u wants device %u of %u", opts.rank, i + 1,
			 count);
		return wrong(EXIT_FAILED, all->device ? "--device" : all->provider, why);
	}
	opts.device = device;
	status = run(&opts);
	free(device);
	return status;
}

static int wait_all(const pid_t *pid, uint32_t n)
{
	int worst = 0;

	for (uint32_t i = 0; i < n; i++) {
		int status = 0, code = EXIT_FAILED;

		if (waitpid(pid[i], &status, 0) == pid[i] && WIFEXITED(status))
			code = WEXITSTATUS(status);
		if (code > worst)
			worst = code;
	}
	return worst;
}

static int fork_all(const struct opts *opts, int (*run)(struct opts *opts))
{
	pid_t *pid = calloc(opts->local, sizeof(*pid)), parent = getpid();
	uint32_t n;
	int worst;

	if (!pid)
		return wrong(EXIT_FAILED, "-g", "no memory");
	for (n = 0; n < opts->local; n++) {
		pid[n] = fork();
		if (pid[n] < 0)
			break;
		if (!pid[n]) {
			/* Whoever is interrupted takes all with it. */
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			free(pid);
			if (getppid() != parent)
				_exit(EXIT_FAILED);
			exit(run_local(opts, n, run));
		}
	}
	if (n < opts->local) {
		wrong(EXIT_FAILED, "fork", strerror(errno));
		for (uint32_t i = 0; i < n; i++)
			kill(pid[i], SIGTERM);
		wait_all(pid, n);
		worst = EXIT_FAILED;
	} else {
		worst = wait_all(pid, n);
	}
	free(pid);
	return worst;
}

/* Which host this is; -1: none of them. */
static int find_host(const char *hosts)
{
	char own[256] = "", *name;
	uint32_t count = 1;
	int found = -1;

	if (gethostname(own, sizeof(own) - 1))
		return -1;
	for (uint32_t i = 0; i < count && found < 0; i++) {
		name = item(hosts, i, &count);
		if (name && !strncmp(name, own, strcspn(name, ".")) &&
		    !own[strcspn(name, ".")])
			found = i;
		free(name);
	}
	return found;
}

static int use_hosts(struct opts *opts)
{
	static char where[300];
	uint32_t count;
	char *first = item(opts->hosts, 0, &count);
	int host = opts->host_index >= 0 ? opts->host_index : find_host(opts->hosts);

	if (!first || host < 0 || (uint32_t)host >= count) {
		free(first);
		return wrong(EXIT_USAGE, "--hosts", host < 0 ?
			     "this host is none of them: use --host-index" :
			     "--host-index is none of them");
	}
	opts->rank = host * opts->local;
	opts->ranks = count * opts->local;
	if (!opts->domain_size)
		opts->domain_size = opts->local;
	if (!opts->rendezvous) {
		snprintf(where, sizeof(where), "tcp:%s:%d", first, MEET_PORT);
		opts->rendezvous = where;
	}
	free(first);
	return 0;
}

static int launch_local(struct opts *opts, int (*run)(struct opts *opts))
{
	char dir[] = "/tmp/suo-perf.XXXXXX", where[64], why[128];
	bool own = false;
	int status = 0;

	opts->rank = 0;
	opts->ranks = opts->local;
	if (opts->hosts) {
		status = use_hosts(opts);
		if (status)
			return status;
	} else if (!opts->rendezvous) {
		if (!mkdtemp(dir))
			return wrong(EXIT_FAILED, dir, strerror(errno));
		snprintf(where, sizeof(where), "unix:%s/meet", dir);
		opts->rendezvous = where;
		own = true;
	}
	if (opts_check_ranks(opts, why, sizeof(why)))
		status = wrong(EXIT_USAGE, "-g", why);
	else
		status = fork_all(opts, run);
	if (own)
		rmdir(dir);
	return status;
}

int launch(struct opts *opts, int (*run)(struct opts *opts))
{
	return opts->local ? launch_local(opts, run) : run(opts);
}
