// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "userspace/telemetry/snapshot.h"

void suo_snapshot_free(struct suo_snapshot *snap)
{
	if (!snap)
		return;
	for (size_t i = 0; i < snap->nswitches; i++)
		free(snap->sw[i].port);
	for (size_t i = 0; i < snap->nlinks; i++)
		free(snap->link[i].fault);
	free(snap->sw);
	free(snap->link);
	free(snap->event);
	free(snap);
}

bool suo_snapshot_is_base(const struct suo_snapshot *snap,
			  const struct suo_snapshot *base)
{
	return !strcmp(snap->instance, base->instance) &&
	       !strcmp(snap->cluster, base->cluster) &&
	       base->time_ps <= snap->time_ps;
}

static void subtract(u64 *now, u64 base)
{
	if (*now != SUO_SNAP_NA && base != SUO_SNAP_NA)
		*now = *now > base ? *now - base : 0;
}

static void subtract_port(struct suo_snap_port *now, const struct suo_snap_port *base)
{
#define SUBTRACT_IN(name)	subtract(&now->in.name, base->in.name);
#define SUBTRACT_OUT(name)	subtract(&now->out.name, base->out.name);
#define SUBTRACT_PRIO(name)	subtract(&now->prio[p].name, base->prio[p].name);
#define SUBTRACT_PFCWD(name)	subtract(&now->prio[p].pfcwd.name, base->prio[p].pfcwd.name);
	SUO_SNAP_IN_COUNTERS(SUBTRACT_IN)
	SUO_SNAP_OUT_COUNTERS(SUBTRACT_OUT)
	for (size_t p = 0; p < SUO_SNAP_PRIOS; p++) {
		SUO_SNAP_PRIO_COUNTERS(SUBTRACT_PRIO)
		SUO_SNAP_PFCWD_COUNTERS(SUBTRACT_PFCWD)
	}
#undef SUBTRACT_IN
#undef SUBTRACT_OUT
#undef SUBTRACT_PRIO
#undef SUBTRACT_PFCWD
}

/* What begins with its name can be found by it. */
_Static_assert(!offsetof(struct suo_snap_switch, name) &&
	       !offsetof(struct suo_snap_port, name) &&
	       !offsetof(struct suo_snap_link, name), "find() looks there");

/* Snapshots of a process list the same in the same order, mostly. */
static const void *find(const void *array, size_t n, size_t size, size_t guess,
			const char *name)
{
	const char *at = array;

	if (guess < n && !strcmp(at + guess * size, name))
		return at + guess * size;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(at + i * size, name))
			return at + i * size;
	return NULL;
}

void suo_snapshot_subtract(struct suo_snapshot *snap, const struct suo_snapshot *base)
{
	for (size_t s = 0; s < snap->nswitches; s++) {
		struct suo_snap_switch *sw = &snap->sw[s];
		const struct suo_snap_switch *old = find(base->sw, base->nswitches,
							 sizeof(*old), s, sw->name);

		for (size_t i = 0; old && i < sw->nports; i++) {
			const struct suo_snap_port *port;

			port = find(old->port, old->nports, sizeof(*port), i,
				    sw->port[i].name);
			if (port)
				subtract_port(&sw->port[i], port);
		}
	}
	for (size_t i = 0; i < snap->nlinks; i++) {
		const struct suo_snap_link *old;

		old = find(base->link, base->nlinks, sizeof(*old), i, snap->link[i].name);
		if (!old)
			continue;
		subtract(&snap->link[i].lost, old->lost);
		subtract(&snap->link[i].corrupted, old->corrupted);
	}
	snap->since_ps = base->time_ps;
}
