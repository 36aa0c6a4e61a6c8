// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The way of a frame: from an endpoint over wires and switches to another endpoint. */
#include "userspace/switch/frame.h"

static struct swd_if *if_of(struct swd *s, u32 node, u32 port)
{
	return &s->node[node].ifs[port];
}

static void arrive_at(struct swd *s, const struct swd_end *end, struct swd_frame *frame,
		      u64 at_ps)
{
	if (end->endpoint)
		suo_heap_add(&s->heap, at_ps, SWD_AT_NIC, frame, end->node);
	else
		suo_heap_add(&s->heap, at_ps, SWD_AT_SWITCH, frame,
			     (u64)end->node << 32 | end->port);
}

static struct swd_frame *copy(struct swd *s, const struct swd_frame *frame)
{
	struct swd_frame *new = swd_frame_get(s, false);

	if (new)
		memcpy(new, frame, offsetof(struct swd_frame, data) + frame->len);
	return new;
}

/* A frame sets out on a wire, all of it is on it at sent_ps. */
static void set_out(struct swd *s, struct swd_link *link, u32 dir, struct swd_frame *frame,
		    u64 sent_ps)
{
	struct swd_wire *wire = &link->wire[dir];
	u64 at_ps = sent_ps + link->hop_ps;
	u32 arrive = 1;

	if (s->hooks.capture)
		s->hooks.capture(s, link, dir, false, frame->data, frame->len, s->now_ps);
	if (link->down[dir]) {
		wire->lost++;
		swd_frame_put(s, frame);
		return;
	}
	if (s->hooks.wire)
		arrive = s->hooks.wire(s, link, dir, frame, &at_ps);
	for (; arrive > 1; arrive--) {
		struct swd_frame *twin = copy(s, frame);

		if (twin)
			arrive_at(s, &link->end[!dir], twin, at_ps);
	}
	if (arrive)
		arrive_at(s, &link->end[!dir], frame, at_ps);
	else
		swd_frame_put(s, frame);
}

void swd_came_in(struct swd *s, u32 endpoint, struct swd_frame *frame, u64 now_ps)
{
	const struct swd_parse_law law = {
		.dscp_prio = s->dscp_prio,
		.mtu_bytes = s->mtu_bytes,
		.trim = s->config.sw.trim_bytes,
	};
	struct swd_link *link = &s->link[endpoint];
	struct swd_if *ifp = if_of(s, link->end[1].node, link->end[1].port);

	switch (swd_frame_parse(frame, &law)) {
	case SWD_PARSE_OK:
		break;
	case SWD_PARSE_OVERSIZE:
		ifp->in_oversize++;
		goto drop;
	case SWD_PARSE_FILTERED:
		ifp->in_filtered++;
		goto drop;
	default:
		ifp->in_malformed++;
		goto drop;
	}
	frame->src = endpoint;
	set_out(s, link, 0, frame, now_ps);
	return;
drop:
	swd_frame_put(s, frame);
}

/* Only a frame from an endpoint looks for its destination; to switches it is known. */
static bool find_way(struct swd *s, struct swd_if *ifp, struct swd_frame *frame)
{
	swd_mac_learn(s, frame->data + 6, frame->src);
	frame->f.dst = swd_mac_find(s, frame->data);
	if (frame->f.dst != frame->src)
		return true;
	ifp->in_filtered++;
	return false;
}

static void flood(struct swd *s, struct suo_switch *sw, u32 port, struct swd_frame *frame,
		  u64 now_ps)
{
	for (u32 e = 0; e < s->ports; e++) {
		struct swd_frame *twin;

		if (e == frame->src || !s->port[e].ops)
			continue;
		twin = copy(s, frame);
		if (!twin)
			break;
		twin->f.dst = e;
		suo_switch_receive(sw, port, &twin->f, now_ps);
	}
	swd_frame_put(s, frame);
}

static void hear_frame(struct swd *s, u32 node, u32 port, const struct swd_frame *frame,
		       u64 now_ps)
{
	u16 quanta[SWD_PRIOS];
	u32 prios = swd_pfc_parse(frame->data, quanta);

	for (u32 q = 0; q < SWD_PRIOS; q++)
		if (prios >> q & 1)
			swd_hear(s, node, port, q, quanta[q], now_ps);
}

void swd_at_switch(struct swd *s, u32 node, u32 port, struct swd_frame *frame, u64 now_ps)
{
	struct suo_switch *sw = s->node[node].sw;
	struct swd_if *ifp = if_of(s, node, port);
	struct swd_prio_count *count;

	if (s->hooks.capture)
		s->hooks.capture(s, ifp->link, !ifp->side, true, frame->data, frame->len,
				 now_ps);
	if (frame->kind == SWD_PFC) {
		hear_frame(s, node, port, frame, now_ps);
		goto done;
	}
	if (ifp->link->end[0].endpoint && !find_way(s, ifp, frame))
		goto done;

	count = &ifp->prio[frame->f.prio];
	ifp->in_packets++;
	ifp->in_octets += frame->f.bytes;
	count->rx_packets++;
	count->rx_bytes += frame->f.bytes;
	if (sw->port[port].shut >> frame->f.prio & 1) {
		count->wd.rx_drop++;
		ifp->in_discards++;
		goto done;
	}
	frame->was_ce = frame->f.flags & SUO_FRAME_CE;
	frame->was_trimmed = frame->f.flags & SUO_FRAME_TRIMMED;
	frame->prio_in = frame->f.prio;
	if (frame->f.dst == SWD_FLOOD)
		flood(s, sw, port, frame, now_ps);
	else
		suo_switch_receive(sw, port, &frame->f, now_ps);
	return;
done:
	swd_frame_put(s, frame);
}

void swd_at_nic(struct swd *s, u32 endpoint, struct swd_frame *frame, u64 now_ps)
{
	swd_port_write(&s->port[endpoint], frame);
}

static void transmit(struct suo_switch *sw, u32 port, struct suo_frame *f, u64 start_ps,
		     u64 head_ps, u64 end_ps)
{
	struct swd_frame *frame = (struct swd_frame *)f;
	struct swd *s = sw->owner;
	struct swd_if *ifp = if_of(s, sw->id, port);

	ifp->out_packets++;
	ifp->out_octets += f->bytes;
	if (f->flags & SUO_FRAME_TRIMMED && !frame->was_trimmed)
		swd_frame_trim(frame, s->trim_dscp, f->prio);
	if (f->flags & SUO_FRAME_CE && !frame->was_ce) {
		swd_frame_mark(frame);
		ifp->prio[f->prio].ecn_marked_bytes += f->bytes;
	}
	if (!ifp->link) {
		swd_frame_put(s, frame);
		return;
	}
	set_out(s, ifp->link, ifp->side, frame, end_ps);
}

static void drop(struct suo_switch *sw, u32 port, struct suo_frame *f, u32 why, u64 now_ps)
{
	struct swd_frame *frame = (struct swd_frame *)f;
	struct swd *s = sw->owner;
	struct swd_if *ifp = if_of(s, sw->id, port);
	struct swd_prio_count *count = &ifp->prio[f->prio];

	switch (why) {
	case SUO_DROP_ROUTE:
		ifp->in_discards++;
		break;
	case SUO_DROP_BUFFER:
		ifp = if_of(s, sw->id, f->in_port);
		ifp->in_discards++;
		ifp->prio[frame->prio_in].pg_drop_packets++;
		break;
	default:
		ifp->out_discards++;
		count->drop_packets++;
		count->drop_bytes += f->bytes;
		if (why == SUO_DROP_WRED) {
			count->wred_drop_packets++;
			count->wred_drop_bytes += f->bytes;
		} else if (why == SUO_DROP_SHUT) {
			count->wd.tx_drop++;
		}
		break;
	}
	swd_frame_put(s, frame);
}

static void timer(struct suo_switch *sw, u64 at_ps, u32 what, u32 arg,
		  struct suo_frame *frame)
{
	struct swd *s = sw->owner;

	suo_heap_add(&s->heap, at_ps, SWD_SWITCH_TIMER + what, frame,
		     (u64)sw->id << 32 | arg);
}

static void queued(struct suo_switch *sw, u32 port, struct suo_frame *f, u64 now_ps)
{
	struct swd_frame *frame = (struct swd_frame *)f;
	struct swd *s = sw->owner;

	if (f->flags & SUO_FRAME_TRIMMED && !frame->was_trimmed)
		if_of(s, sw->id, port)->prio[frame->prio_in].trim_packets++;
}

/* It waits for the frame that is being sent, and for no other. */
void swd_say_pause(struct swd *s, u32 node, u32 port, u32 prio, u32 quanta, u64 now_ps)
{
	const struct suo_switch_port *p = &s->node[node].sw->port[port];
	struct swd_if *ifp = if_of(s, node, port);
	struct swd_prio_count *count = &ifp->prio[prio];
	u64 from_ps = p->sending_bytes ? suo_max(now_ps, p->free_ps) : now_ps;
	struct swd_frame *frame;

	if (quanta && !count->tx_since_ps) {
		count->tx_since_ps = now_ps + 1;
	} else if (!quanta && count->tx_since_ps) {
		count->pfc_tx_ps += now_ps + 1 - count->tx_since_ps;
		count->tx_since_ps = 0;
	}
	if (!ifp->link)
		return;
	frame = swd_frame_get(s, true);
	if (!frame)
		return;
	frame->kind = SWD_PFC;
	frame->len = swd_pfc_build(frame->data, 1u << prio, quanta);
	frame->f.bytes = frame->len + SWD_FCS_BYTES;
	frame->f.prio = prio;
	set_out(s, ifp->link, ifp->side, frame, from_ps + SUO_SWITCH_PAUSE_BYTES *
						 8000000ull / p->rate_mbps);
}

static void pause(struct suo_switch *sw, u32 port, u32 prio, u32 quanta, u64 now_ps)
{
	swd_say_pause(sw->owner, sw->id, port, prio, quanta, now_ps);
}

const struct suo_switch_ops swd_switch_ops = {
	.transmit	= transmit,
	.pause		= pause,
	.drop		= drop,
	.timer		= timer,
	.queued		= queued,
};

/* Since when it is asked to stop, and until when, may be over by now. */
static u64 heard_ps(const struct swd_prio_count *count, u64 now_ps)
{
	u64 end_ps = count->rx_until_ps < now_ps ? count->rx_until_ps : now_ps;

	return count->rx_since_ps ? end_ps + 1 - count->rx_since_ps : 0;
}

void swd_hear(struct swd *s, u32 node, u32 port, u32 prio, u32 quanta, u64 now_ps)
{
	struct suo_switch *sw = s->node[node].sw;
	struct swd_prio_count *count = &if_of(s, node, port)->prio[prio];

	/* A priority without PFC is not paused, whoever asks. */
	if (!sw->law->class[prio].pfc.headroom_bytes) {
		sw->port[port].count.pause_rx[prio]++;
		return;
	}
	if (count->rx_since_ps && (!quanta || count->rx_until_ps < now_ps)) {
		count->pfc_rx_ps += heard_ps(count, now_ps);
		count->rx_since_ps = 0;
	}
	if (quanta && !count->rx_since_ps) {
		count->rx_since_ps = now_ps + 1;
		count->pfc_on2off_rx++;
	}
	count->rx_until_ps = now_ps + suo_pfc_quanta_ps(sw->port[port].rate_mbps, quanta);
	suo_switch_hear(sw, port, prio, quanta, now_ps);
}

u64 swd_pfc_tx_ps(const struct swd *s, u32 node, u32 port, u32 prio)
{
	const struct swd_prio_count *count = &s->node[node].ifs[port].prio[prio];

	return count->pfc_tx_ps +
	       (count->tx_since_ps ? suo_sub_sat(s->now_ps + 1, count->tx_since_ps) : 0);
}

u64 swd_pfc_rx_ps(const struct swd *s, u32 node, u32 port, u32 prio)
{
	const struct swd_prio_count *count = &s->node[node].ifs[port].prio[prio];

	return count->pfc_rx_ps + heard_ps(count, s->now_ps);
}
