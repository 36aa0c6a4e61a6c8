// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What fault.c decides, done: to frames as they set out on a wire, and to links and
 * ports by a timer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "userspace/switch/fault_script.h"
#include "userspace/switch/fault_wire.h"
#include "userspace/switch/frame.h"
#include "userspace/switch/snapshot.h"

/**
 * struct faults - s->faults
 * @all: the faults
 * @ends: names of the links
 * @state: of each link, as it has been put into effect
 * @timer: for the next change
 */
struct faults {
	struct swd_faults	all;
	struct swd_fault_ends	*ends;
	struct swd_fault_state	*state;
	struct swd_timer	timer;
};

/* A frame sets out: struct swd_hooks. */
static u32 wire(struct swd *s, struct swd_link *link, u32 dir, struct swd_frame *frame,
		u64 *at_ps)
{
	struct faults *faults = s->faults;
	struct swd_verdict verdict;

	swd_faults_frame(&faults->all, link->id, dir, frame->f.prio, frame->len,
			 *at_ps - link->hop_ps, &verdict);
	*at_ps += verdict.delay_ps;
	if (verdict.corrupt) {
		link->wire[dir].corrupted++;
		/* A MAC drops a pause frame that is damaged. */
		if (frame->kind == SWD_PFC)
			return 0;
		frame->data[verdict.corrupt / 8] ^= 0x80 >> verdict.corrupt % 8;
	}
	link->wire[dir].lost += verdict.lost;
	return verdict.copies;
}

static void tell(struct swd *s, const struct swd_link *link, bool down)
{
	for (u32 side = 0; side < 2; side++)
		if (!link->end[side].endpoint)
			swd_event(s, down ? "link_down" : "link_up", link->end[side].node,
				  link->end[side].port, SWD_NO_PRIO);
}

/* The sender of a direction is slow. A NIC is as it is. */
static void set_rate(struct swd *s, const struct swd_end *end, u64 rate_mbps)
{
	if (!end->endpoint)
		s->node[end->node].sw->port[end->port].rate_mbps = rate_mbps;
}

static void say(struct swd *s, const struct swd_end *end, u32 prio, u32 quanta, u64 now_ps)
{
	struct swd_frame *frame;

	if (!end->endpoint) {
		swd_say_pause(s, end->node, end->port, prio, quanta, now_ps);
		return;
	}
	frame = swd_frame_get(s, true);
	if (!frame)
		return;
	frame->len = swd_pfc_build(frame->data, 1u << prio, quanta);
	swd_came_in(s, end->node, frame, now_ps);
}

static void say_all(struct swd *s, const struct swd_end *end, u32 before, u32 now,
		    u64 now_ps)
{
	for (u32 q = 0; q < SWD_PRIOS; q++) {
		if (now >> q & 1)
			say(s, end, q, SUO_PFC_MAX_QUANTA, now_ps);
		else if (before >> q & 1)
			say(s, end, q, 0, now_ps);
	}
}

static void apply(struct swd *s, struct swd_link *link, u64 now_ps)
{
	struct faults *faults = s->faults;
	struct swd_fault_state *was = &faults->state[link->id], now;
	bool was_down = was->down[0] || was->down[1];

	swd_faults_state(&faults->all, link->id, now_ps, &now);
	for (u32 d = 0; d < SWD_DIRS; d++) {
		link->down[d] = now.down[d];
		if (now.rate_mbps[d] != was->rate_mbps[d])
			set_rate(s, &link->end[d], now.rate_mbps[d] ? now.rate_mbps[d] :
				 faults->ends[link->id].rate_mbps);
		say_all(s, &link->end[d], was->pause[d], now.pause[d], now_ps);
	}
	if (was_down != (now.down[0] || now.down[1]))
		tell(s, link, !was_down);
	*was = now;
}

static void apply_all(struct swd *s, u64 now_ps)
{
	struct faults *faults = s->faults;
	u64 next_ps = U64_MAX;

	for (u32 l = 0; l < s->links; l++) {
		/* What has a next time, or had a fault, may change. */
		if (faults->all.of[l] || faults->state[l].next_ps != U64_MAX ||
		    faults->state[l].down[0] || faults->state[l].down[1] ||
		    faults->state[l].rate_mbps[0] || faults->state[l].rate_mbps[1])
			apply(s, &s->link[l], now_ps);
		if (faults->state[l].next_ps < next_ps)
			next_ps = faults->state[l].next_ps;
	}
	/* Frames of a network without faults are not asked for. */
	s->hooks.wire = faults->all.n ? wire : NULL;
	if (next_ps == U64_MAX)
		swd_timer_stop(s, &faults->timer);
	else
		swd_timer_at(s, &faults->timer, next_ps);
}

static void due(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	apply_all(s, at_ps);
}

json_t *swd_fault_command(struct swd *s, const json_t *request)
{
	struct faults *faults = s->faults;
	u32 last_id = faults->all.last_id, n = faults->all.n;
	json_t *reply = swd_faults_request(&faults->all, request, s->now_ps);

	/* It says pauses again, which who only asks for the list does not want. */
	if (faults->all.last_id != last_id || faults->all.n != n)
		apply_all(s, s->now_ps);
	return reply;
}

u32 swd_fault_ids(const struct swd *s, u32 link, u64 id[], u32 room)
{
	const struct faults *faults = s->faults;
	u32 n = 0;

	for (const struct swd_fault *f = faults->all.of[link]; f && n < room; f = f->next)
		id[n++] = f->id;
	return n;
}

/* "leaf0" of "leaf0:Ethernet4"; an endpoint is its own node. */
static const char *node_name(const struct swd *s, const struct swd_link *link, u32 side)
{
	const struct swd_end *end = &link->end[side];

	return end->endpoint ? link->end_name[side] : s->node[end->node].name;
}

static u64 rate_of(const struct swd *s, const struct swd_link *link)
{
	const struct swd_end *end = &link->end[link->end[0].endpoint];

	return s->node[end->node].sw->port[end->port].rate_mbps;
}

static void name_links(const struct swd *s, struct faults *faults)
{
	for (u32 l = 0; l < s->links; l++) {
		const struct swd_link *link = &s->link[l];

		faults->state[l].next_ps = U64_MAX;
		faults->ends[l] = (struct swd_fault_ends){
			.name = link->name,
			.a_node = node_name(s, link, 0),
			.a_port = link->end_name[0],
			.b_node = node_name(s, link, 1),
			.b_port = link->end_name[1],
			.rate_mbps = rate_of(s, link),
		};
	}
}

static int read_script(struct swd *s, struct faults *faults)
{
	const char *path = s->opts.fault_script;
	FILE *file = fopen(path, "r");
	int ret;

	if (!file)
		return swd_error(-errno, "%s: %s", path, strerror(errno));
	ret = swd_fault_script(&faults->all, file, path, stderr);
	fclose(file);
	return ret;
}

static int read_cluster(struct swd *s, struct faults *faults)
{
	char why[SWD_FAULT_WHY];
	int ret = 0;

	for (u32 i = 0; i < s->cluster->nfaults; i++) {
		if (swd_fault_add_line(&faults->all, s->cluster->fault[i], 0, why) >= 0)
			continue;
		ret = swd_error(-EINVAL, "%s: faults: number %u: %s", s->opts.cluster, i + 1,
				why);
	}
	return ret;
}

int swd_fault_start(struct swd *s)
{
	struct faults *faults = calloc(1, sizeof(*faults));
	int ret;

	s->faults = faults;
	if (!faults)
		goto no_memory;
	faults->timer = (struct swd_timer){ .fn = due, .at_ps = U64_MAX };
	faults->ends = calloc(s->links + 1, sizeof(*faults->ends));
	faults->state = calloc(s->links + 1, sizeof(*faults->state));
	if (!faults->ends || !faults->state ||
	    swd_faults_init(&faults->all, faults->ends, s->links, s->config.seed))
		goto no_memory;
	name_links(s, faults);
	ret = s->opts.fault_script ? read_script(s, faults) : read_cluster(s, faults);
	if (ret)
		return ret;
	swd_tell.fault = swd_fault_command;
	swd_tell.faults_of = swd_fault_ids;
	apply_all(s, s->now_ps);
	return 0;
no_memory:
	return swd_error(-ENOMEM, "not enough memory");
}

void swd_fault_stop(struct swd *s)
{
	struct faults *faults = s->faults;

	if (!faults)
		return;
	s->hooks.wire = NULL;
	swd_tell.fault = NULL;
	swd_tell.faults_of = NULL;
	swd_faults_free(&faults->all);
	free(faults->state);
	free(faults->ends);
	free(faults);
	s->faults = NULL;
}
