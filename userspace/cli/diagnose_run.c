// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is in a run's directory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "userspace/cli/diagnose.h"
#include "userspace/cli/show.h"

#define NOT_YET	U32_MAX

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static int load_snapshots(struct dx_run *run)
{
	char path[4096];
	int status;

	if (snprintf(path, sizeof(path), "%s/snapshot-first.json", run->dir) >=
	    (int)sizeof(path))
		return suo_error(SUO_USAGE, "the name of the directory is too long");
	if (is_there(path)) {
		status = suo_snapshot_load(path, &run->first);
		if (status)
			return status;
	}
	snprintf(path, sizeof(path), "%s/snapshot-last.json", run->dir);
	return suo_snapshot_load(path, &run->last);
}

/* What `rdma -j statistic` prints: an array of objects with the device's name in each. */
static json_t *by_name(const json_t *array)
{
	json_t *devices = json_object(), *device;
	size_t i;

	json_array_foreach((json_t *)array, i, device) {
		const char *name = json_string_value(json_object_get(device, "ifname"));

		if (!name) {
			json_decref(devices);
			return NULL;
		}
		json_object_set(devices, name, device);
	}
	return devices;
}

static int load_devices(const struct dx_run *run, const char *file, json_t **devices)
{
	char path[4096];
	json_error_t error;
	json_t *root, *counters;
	const char *name;

	snprintf(path, sizeof(path), "%s/%s", run->dir, file);
	if (!is_there(path))
		return SUO_OK;
	root = json_load_file(path, 0, &error);
	if (!root)
		return suo_error(SUO_USAGE, "%s:%d: %s", path, error.line, error.text);
	if (json_is_array(root)) {
		*devices = by_name(root);
		json_decref(root);
		if (!*devices)
			return suo_error(SUO_USAGE, "%s: a device has no 'ifname'", path);
	} else {
		*devices = root;
	}
	json_object_foreach(*devices, name, counters)
		if (!json_is_object(counters))
			return suo_error(SUO_USAGE, "%s: '%s' is no object of counters",
					 path, name);
	if (!json_is_object(*devices))
		return suo_error(SUO_USAGE, "%s: neither an object nor an array", path);
	return SUO_OK;
}

static s32 find_port(const struct dx_run *run, const char *name)
{
	for (u32 p = 0; p < run->ports; p++)
		if (!strcmp(run->port[p].name, name))
			return p;
	return -1;
}

/* "h3:nic1" */
static bool is_nic(const char *peer, u32 *host, u32 *nic)
{
	int len = 0;

	return sscanf(peer, "h%u:nic%u%n", host, nic, &len) == 2 && !peer[len];
}

/* NICs are numbered host by host. */
static void number_nics(struct dx_run *run)
{
	u32 host, nic, nics = 1;

	for (u32 p = 0; p < run->ports; p++)
		if (is_nic(run->port[p].last->peer, &host, &nic) && nic >= nics)
			nics = nic + 1;
	for (u32 p = 0; p < run->ports; p++)
		if (is_nic(run->port[p].last->peer, &host, &nic))
			run->port[p].endpoint = host * nics + nic;
}

/* Levels spread from the switches that have hosts. */
static void find_levels(struct dx_run *run)
{
	bool more = true;

	for (u32 p = 0; p < run->ports; p++)
		run->port[p].level = NOT_YET;
	for (u32 p = 0; p < run->ports; p++)
		for (u32 o = 0; run->port[p].way == DX_HOST && o < run->ports; o++)
			if (run->port[o].sw == run->port[p].sw)
				run->port[o].level = 0;
	while (more) {
		more = false;
		for (u32 p = 0; p < run->ports; p++) {
			const struct dx_port *port = &run->port[p], *peer;

			if (port->peer < 0 || port->level == NOT_YET)
				continue;
			peer = &run->port[port->peer];
			if (peer->level <= port->level + 1)
				continue;
			more = true;
			for (u32 o = 0; o < run->ports; o++)
				if (run->port[o].sw == peer->sw)
					run->port[o].level = port->level + 1;
		}
	}
	for (u32 p = 0; p < run->ports; p++) {
		struct dx_port *port = &run->port[p];

		if (port->peer >= 0)
			port->way = run->port[port->peer].level > port->level ? DX_UP :
										DX_DOWN;
	}
}

static int make_ports(struct dx_run *run)
{
	struct dx_port *port;

	for (size_t i = 0; i < run->last->nswitches; i++)
		run->ports += run->last->sw[i].nports;
	run->port = calloc(run->ports + 1, sizeof(*run->port));
	if (!run->port)
		return suo_error(SUO_FAILED, "not enough memory");
	port = run->port;
	for (size_t i = 0; i < run->last->nswitches; i++) {
		const struct suo_snap_switch *sw = &run->last->sw[i];

		for (size_t p = 0; p < sw->nports; p++, port++) {
			snprintf(port->name, sizeof(port->name), "%s:%s", sw->name,
				 sw->port[p].name);
			port->sw = i;
			port->last = &sw->port[p];
			port->link = -1;
		}
	}
	for (u32 p = 0; p < run->ports; p++) {
		u32 host, nic;

		port = &run->port[p];
		if (!port->last->rate_mbps)
			return suo_error(SUO_USAGE, "%s/snapshot-last.json: %s: the rate is 0",
					 run->dir, port->name);
		port->peer = find_port(run, port->last->peer);
		port->way = is_nic(port->last->peer, &host, &nic) ? DX_HOST : DX_NOWHERE;
	}
	number_nics(run);
	find_levels(run);
	return SUO_OK;
}

static void link_up(struct dx_run *run, u32 l)
{
	const struct suo_snap_link *snap = &run->last->link[l];
	struct dx_link *link = &run->link[l];

	link->name = snap->name;
	link->lost = snap->lost;
	link->corrupted = snap->corrupted;
	link->end[0] = find_port(run, snap->a);
	link->end[1] = find_port(run, snap->b);
	for (u32 side = 0; side < 2; side++)
		if (link->end[side] >= 0)
			run->port[link->end[side]].link = l;
}

/* Count from the first snapshot on, and keep what is now. */
static int count_from_first(struct dx_run *run)
{
	if (run->first && suo_snapshot_is_base(run->last, run->first))
		suo_snapshot_subtract(run->last, run->first);
	else if (run->first)
		return suo_error(SUO_USAGE, "%s: snapshot-first.json and snapshot-last.json are not of one run",
				 run->dir);
	run->length_ps = suo_sub_sat(run->last->time_ps,
				     run->first ? run->first->time_ps : 0);
	for (u32 p = 0; p < run->ports; p++) {
		struct dx_port *port = &run->port[p];

		memcpy(port->prio, port->last->prio, sizeof(port->prio));
		port->in = port->last->in;
		port->out = port->last->out;
	}
	return SUO_OK;
}

int dx_run_load(const char *dir, struct dx_run *run)
{
	int status;

	*run = (struct dx_run){ .dir = dir };
	status = load_snapshots(run);
	if (!status)
		status = load_devices(run, "devices.json", &run->devices);
	if (!status)
		status = load_devices(run, "devices-first.json", &run->devices_first);
	if (!status)
		status = make_ports(run);
	if (!status)
		status = count_from_first(run);
	if (status)
		return status;
	run->links = run->last->nlinks;
	run->link = calloc(run->links + 1, sizeof(*run->link));
	if (!run->link)
		return suo_error(SUO_FAILED, "not enough memory");
	for (u32 l = 0; l < run->links; l++)
		link_up(run, l);
	return dx_series_load(run);
}

void dx_run_free(struct dx_run *run)
{
	dx_series_free(run);
	free(run->link);
	free(run->port);
	json_decref(run->devices);
	json_decref(run->devices_first);
	suo_snapshot_free(run->first);
	suo_snapshot_free(run->last);
	*run = (struct dx_run){ 0 };
}

static u64 counter_of(const json_t *devices, const char *name, const char *counter)
{
	return json_integer_value(json_object_get(json_object_get(devices, name), counter));
}

u64 dx_device(const struct dx_run *run, u32 endpoint, const char *counter)
{
	char name[32];

	snprintf(name, sizeof(name), "suo%u", endpoint);
	return suo_sub_sat(counter_of(run->devices, name, counter),
			   counter_of(run->devices_first, name, counter));
}
