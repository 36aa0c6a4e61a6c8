// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The way out: queues, marks, and which of them sends. */
#include "model/sim/switch.h"

/* Picoseconds that a port takes for so many bytes; rounded up, as in link.h. */
static u64 ser_ps(const struct suo_switch_port *p, u64 wire_bytes)
{
	return (wire_bytes * 8000000 + p->rate_mbps - 1) / p->rate_mbps;
}

static void mark(struct suo_switch *sw, struct suo_switch_port *p,
		 struct suo_frame *frame, u64 depth_bytes)
{
	const struct suo_switch_class *class = &sw->law->class[frame->prio];

	if (!class->ecn || !(frame->flags & SUO_FRAME_ECT) ||
	    !suo_wred_hit(&class->wred, &p->wred[frame->prio], depth_bytes))
		return;
	frame->flags |= SUO_FRAME_CE;
	p->count.marked[frame->prio] += frame->packets;
}

void suo_switch_enqueue(struct suo_switch *sw, u32 port, struct suo_frame *frame,
			u64 now_ps)
{
	struct suo_switch_port *p = &sw->port[port];
	struct suo_queue *q = &p->queue[frame->prio];

	if (!sw->law->mark_at_exit)
		mark(sw, p, frame, q->bytes);
	frame->next = NULL;
	if (q->head)
		q->tail->next = frame;
	else
		q->head = frame;
	q->tail = frame;
	q->bytes += frame->bytes;
	q->bytes_max = suo_max(q->bytes_max, q->bytes);
	p->queued_bytes += frame->bytes;
	p->backlog |= 1u << frame->prio;
	if (sw->ops->queued)
		sw->ops->queued(sw, port, frame, now_ps);
	suo_switch_send(sw, port, now_ps);
}

void suo_switch_wait_over(struct suo_switch_port *p, u32 prio, u64 now_ps)
{
	struct suo_queue *q = &p->queue[prio];

	if (!q->waits_ps)
		return;
	p->count.paused_ps[prio] += now_ps + 1 - q->waits_ps;
	q->waits_ps = 0;
}

/* Which queues may send now; how long the others have waited is kept. */
static u32 ready(struct suo_switch_port *p, u64 now_ps)
{
	u32 left = p->backlog & p->slow, may = p->backlog & ~p->slow;
	bool paused;

	while (left) {
		u32 q = suo_top_bit(left);

		left &= ~(1u << q);
		paused = suo_pfc_is_paused(&p->heard, q, now_ps);
		if (paused && !(p->deaf >> q & 1)) {
			if (!p->queue[q].waits_ps)
				p->queue[q].waits_ps = now_ps + 1;
			continue;
		}
		suo_switch_wait_over(p, q, now_ps);
		if (!paused)
			p->slow &= ~(1u << q);
		may |= 1u << q;
	}
	return may;
}

static u32 pick(struct suo_switch *sw, struct suo_switch_port *p, u32 may)
{
	u32 head_bytes[SUO_SWITCH_PRIOS];
	u32 left = may;

	/* The scheduler owes nothing to a queue that had the port to itself. */
	if (!(may & (may - 1)))
		return suo_top_bit(may);
	while (left) {
		u32 q = suo_top_bit(left);

		left &= ~(1u << q);
		head_bytes[q] = p->queue[q].head->bytes;
	}
	return suo_sched_pick(&sw->law->sched, &p->sched, may, head_bytes);
}

void suo_switch_send(struct suo_switch *sw, u32 port, u64 now_ps)
{
	struct suo_switch_port *p = &sw->port[port];
	struct suo_frame *frame;
	struct suo_queue *q;
	u64 head_ps, end_ps;
	u32 may;

	if (p->sending_bytes || !p->backlog)
		return;
	may = ready(p, now_ps);
	if (!may)
		return;

	q = &p->queue[pick(sw, p, may)];
	frame = q->head;
	q->head = frame->next;
	q->bytes -= frame->bytes;
	p->queued_bytes -= frame->bytes;
	if (!q->head)
		p->backlog &= ~(1u << frame->prio);
	if (sw->law->mark_at_exit)
		mark(sw, p, frame, q->bytes);

	end_ps = now_ps + ser_ps(p, frame->bytes +
				    frame->packets * SUO_SWITCH_GAP_BYTES);
	head_ps = end_ps;
	if (frame->packets > 1) {
		u64 last_ps = ser_ps(p, frame->last_bytes + SUO_SWITCH_GAP_BYTES);

		head_ps = now_ps + ser_ps(p, (frame->bytes - frame->last_bytes) /
					     (frame->packets - 1) +
					     SUO_SWITCH_GAP_BYTES);
		end_ps = suo_max(end_ps, frame->tail_ps + last_ps);
	}

	p->sending_bytes = frame->bytes;
	p->sending_in = frame->in_port;
	p->sending_prio = frame->prio;
	p->free_ps = end_ps;
	q->tx_packets += frame->packets;
	q->tx_bytes += frame->bytes;
	sw->ops->timer(sw, end_ps, SUO_TIMER_SENT, port, NULL);
	sw->ops->transmit(sw, port, frame, now_ps, head_ps, end_ps);
}
