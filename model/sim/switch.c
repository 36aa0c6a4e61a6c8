// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The way in: room in the buffer, pauses, and the choice of a path. */
#include "model/sim/switch.h"

static u32 port_prio(u32 port, u32 prio)
{
	return port * SUO_SWITCH_PRIOS + prio;
}

void suo_switch_port_init(struct suo_switch *sw, u32 port, u64 rate_mbps)
{
	struct suo_switch_port *p = &sw->port[port];

	*p = (struct suo_switch_port){ .rate_mbps = rate_mbps };
	for (u32 q = 0; q < SUO_SWITCH_PRIOS; q++)
		p->wred[q].random = suo_ecmp_hash_u64(port_prio(port, q), sw->seed);
}

static void say_pause(struct suo_switch *sw, u32 port, u32 prio, u32 quanta,
		      u64 now_ps)
{
	struct suo_switch_port *p = &sw->port[port];

	p->count.pause_tx[prio]++;
	sw->ops->pause(sw, port, prio, quanta, now_ps);
	if (!quanta)
		return;
	/* A pause runs out: it is repeated when half of it is over. */
	p->group[prio].refresh_ps = now_ps + suo_pfc_quanta_ps(p->rate_mbps, quanta) / 2;
	sw->ops->timer(sw, p->group[prio].refresh_ps, SUO_TIMER_REFRESH,
		       port_prio(port, prio), NULL);
}

static void signal(struct suo_switch *sw, u32 port, u32 prio, u32 what, u64 now_ps)
{
	if (what != SUO_PFC_NOTHING)
		say_pause(sw, port, prio,
			  what == SUO_PFC_XOFF ? SUO_PFC_MAX_QUANTA : 0, now_ps);
}

void suo_switch_release(struct suo_switch *sw, u32 port, u32 prio, u32 bytes,
			u64 now_ps)
{
	u32 what;

	suo_pfc_release(&sw->law->class[prio].pfc, &sw->pool,
			&sw->port[port].group[prio].pg, bytes, &what);
	signal(sw, port, prio, what, now_ps);
}

static void drop(struct suo_switch *sw, u32 port, struct suo_frame *frame, u32 why,
		 u64 now_ps)
{
	sw->port[port].count.dropped[why] += frame->packets;
	sw->ops->drop(sw, port, frame, why, now_ps);
}

/* Return: the port by which a frame leaves; nports if there is no way. */
static u32 choose(struct suo_switch *sw, const struct suo_frame *frame)
{
	u64 load_bytes[SUO_ECMP_MAX_PATHS];
	struct suo_route *route;
	u32 way, i;

	if (frame->dst >= sw->dsts)
		return sw->nports;
	way = sw->route_of[frame->dst];
	if (way < sw->direct)
		return way;
	if (way == UINT16_MAX)
		return sw->nports;
	route = &sw->route[way - sw->direct];
	if (sw->law->path == SUO_ECMP_SPRAY || frame->flags & SUO_FRAME_SPRAY)
		return route->port[suo_spray_next(&route->spray, route->ports)];
	if (sw->law->path == SUO_ECMP_HASH)
		return route->port[suo_ecmp_choose(suo_ecmp_hash_u64(frame->flow,
								     sw->seed),
						   route->ports)];
	for (i = 0; i < route->ports; i++)
		load_bytes[i] = sw->port[route->port[i]].queued_bytes +
				sw->port[route->port[i]].sending_bytes;
	return route->port[suo_ecmp_least(load_bytes, route->ports, &sw->random)];
}

/* Cut a frame to its headers. Return: false if it cannot be. */
static bool trim(struct suo_switch *sw, u32 port, struct suo_frame *frame, u64 now_ps)
{
	const struct suo_switch_law *law = sw->law;

	/* The headers of a train are as many as its packets. */
	u32 left = law->trim_bytes * frame->packets;

	if (!(frame->flags & SUO_FRAME_TRIMMABLE) || !law->trim_bytes ||
	    frame->bytes <= left)
		return false;
	sw->port[port].count.trimmed += frame->packets;
	suo_switch_release(sw, frame->in_port, frame->prio, frame->bytes, now_ps);
	frame->bytes = left;
	frame->last_bytes = law->trim_bytes;
	frame->flags |= SUO_FRAME_TRIMMED;
	frame->flags &= ~SUO_FRAME_TRIMMABLE;
	frame->prio = law->trim_prio;
	return true;
}

/* Take room for a frame. Return: false when there is none. */
static bool admit(struct suo_switch *sw, struct suo_frame *frame, u64 now_ps)
{
	struct suo_switch_port *p = &sw->port[frame->in_port];
	u32 what;

	if (!suo_pfc_admit(&sw->law->class[frame->prio].pfc, &sw->pool,
			   &p->group[frame->prio].pg, frame->bytes, &what))
		return false;
	signal(sw, frame->in_port, frame->prio, what, now_ps);
	return true;
}

/* The frame is through the pipeline: it goes into a queue, if that has room. */
static void forward(struct suo_switch *sw, u32 port, struct suo_frame *frame,
		    u64 now_ps)
{
	const struct suo_switch_class *class = &sw->law->class[frame->prio];
	u32 why = SUO_DROPS;

	if (sw->port[port].shut >> frame->prio & 1) {
		why = SUO_DROP_SHUT;
	} else if (class->queue_bytes &&
		   sw->port[port].queue[frame->prio].bytes + frame->bytes >
		   class->queue_bytes) {
		if (trim(sw, port, frame, now_ps)) {
			if (admit(sw, frame, now_ps)) {
				suo_switch_enqueue(sw, port, frame, now_ps);
				return;
			}
			/* Its room has been given back. */
			drop(sw, port, frame, SUO_DROP_BUFFER, now_ps);
			return;
		}
		why = SUO_DROP_QUEUE;
	} else if (class->ecn && !class->pfc.headroom_bytes &&
		   !(frame->flags & SUO_FRAME_ECT) &&
		   suo_wred_hit(&class->wred, &sw->port[port].wred[frame->prio],
				sw->port[port].queue[frame->prio].bytes)) {
		why = SUO_DROP_WRED;
	}
	if (why == SUO_DROPS) {
		suo_switch_enqueue(sw, port, frame, now_ps);
		return;
	}
	suo_switch_release(sw, frame->in_port, frame->prio, frame->bytes, now_ps);
	drop(sw, port, frame, why, now_ps);
}

void suo_switch_receive(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			u64 now_ps)
{
	u32 way = choose(sw, frame);

	frame->in_port = port;
	if (way == sw->nports) {
		drop(sw, port, frame, SUO_DROP_ROUTE, now_ps);
		return;
	}
	if (!admit(sw, frame, now_ps)) {
		drop(sw, port, frame, SUO_DROP_BUFFER, now_ps);
		return;
	}
	if (!sw->latency_ps) {
		forward(sw, way, frame, now_ps);
		return;
	}
	frame->tail_ps += sw->latency_ps;
	sw->ops->timer(sw, now_ps + sw->latency_ps, SUO_TIMER_FORWARD, way, frame);
}

void suo_switch_flush(struct suo_switch *sw, u32 port, u32 prio, u64 now_ps)
{
	struct suo_switch_port *p = &sw->port[port];
	struct suo_queue *q = &p->queue[prio];
	struct suo_frame *frame;

	while (q->head) {
		frame = q->head;
		q->head = frame->next;
		q->bytes -= frame->bytes;
		p->queued_bytes -= frame->bytes;
		suo_switch_release(sw, frame->in_port, prio, frame->bytes, now_ps);
		drop(sw, port, frame, SUO_DROP_SHUT, now_ps);
	}
	suo_switch_wait_over(p, prio, now_ps);
	p->backlog &= ~(1u << prio);
}

void suo_switch_hear(struct suo_switch *sw, u32 port, u32 prio, u32 quanta,
		     u64 now_ps)
{
	struct suo_switch_port *p = &sw->port[port];

	p->count.pause_rx[prio]++;
	suo_pfc_hear(&p->heard, p->rate_mbps, prio, quanta, now_ps);
	p->slow |= 1u << prio;
	if (quanta)
		sw->ops->timer(sw, p->heard.until_ps[prio], SUO_TIMER_RESUME,
			       port_prio(port, prio), NULL);
	suo_switch_send(sw, port, now_ps);
}

void suo_switch_timer(struct suo_switch *sw, u32 what, u32 arg,
		      struct suo_frame *frame, u64 now_ps)
{
	u32 port = arg / SUO_SWITCH_PRIOS, prio = arg % SUO_SWITCH_PRIOS;
	struct suo_switch_port *p;
	u32 bytes;

	switch (what) {
	case SUO_TIMER_FORWARD:
		forward(sw, arg, frame, now_ps);
		return;
	case SUO_TIMER_SENT:
		p = &sw->port[arg];
		bytes = p->sending_bytes;
		p->sending_bytes = 0;
		suo_switch_release(sw, p->sending_in, p->sending_prio, bytes, now_ps);
		suo_switch_send(sw, arg, now_ps);
		return;
	case SUO_TIMER_RESUME:
		suo_switch_send(sw, port, now_ps);
		return;
	default:
		/* Another pause may have begun since, with a time of its own. */
		p = &sw->port[port];
		if (p->group[prio].pg.paused && now_ps >= p->group[prio].refresh_ps)
			say_pause(sw, port, prio, SUO_PFC_MAX_QUANTA, now_ps);
		return;
	}
}
