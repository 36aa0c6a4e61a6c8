// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "userspace/switch/switchd.h"

void swd_event(struct swd *s, const char *what, u32 node, u32 port, u32 prio)
{
	struct swd_event *event = &s->event[s->events++ % SWD_EVENTS];

	event->at_ps = s->now_ps;
	snprintf(event->what, sizeof(event->what), "%s", what);
	event->node = node;
	event->port = port;
	event->prio = prio;
}
