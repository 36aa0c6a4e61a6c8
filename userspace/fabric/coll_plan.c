// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Plans: chosen, generated, and kept for the next time. Of a plan only this
 * member's own steps are kept; a message is known by its number among those from
 * one member to the other, which both ends count alike.
 */
#include "coll.h"

/* What an operation here can run; windows are not. */
#define CAN_RUN	(1u << SUO_PLAN_SEND | 1u << SUO_PLAN_RECV | 1u << SUO_PLAN_RECV_REDUCE | \
		 1u << SUO_PLAN_COPY)

static void plan_free(struct suo_coll_plan *plan)
{
	free(plan->msg);
	free(plan->nsends);
	free(plan->by_peer);
	free(plan->then);
	free(plan->step);
	free(plan);
}

/* Counts the messages with each member, and then lists them. */
static int index_messages(struct suo_coll_plan *plan, uint32_t n)
{
	uint32_t *fill_send, *fill_recv;

	plan->by_peer = calloc(n + 1, sizeof(*plan->by_peer));
	plan->nsends = calloc(n, sizeof(*plan->nsends));
	plan->msg = calloc(plan->nsteps + 1, sizeof(*plan->msg));
	fill_send = calloc(2 * n, sizeof(*fill_send));
	if (!plan->by_peer || !plan->nsends || !plan->msg || !fill_send) {
		free(fill_send);
		return -FI_ENOMEM;
	}
	fill_recv = fill_send + n;
	for (uint32_t i = 0; i < plan->nsteps; i++) {
		if (plan->step[i].op > SUO_PLAN_RECV_REDUCE)
			continue;
		plan->by_peer[plan->step[i].peer + 1]++;
		plan->nsends[plan->step[i].peer] += plan->step[i].op == SUO_PLAN_SEND;
	}
	for (uint32_t m = 0; m < n; m++)
		plan->by_peer[m + 1] += plan->by_peer[m];
	for (uint32_t i = 0; i < plan->nsteps; i++) {
		struct suo_coll_step *step = &plan->step[i];
		uint32_t m = step->peer, first;

		if (step->op > SUO_PLAN_RECV_REDUCE)
			continue;
		first = plan->by_peer[m];
		if (step->op == SUO_PLAN_SEND) {
			step->index = fill_send[m]++;
			plan->msg[first + step->index] = i;
		} else {
			step->index = fill_recv[m]++;
			plan->msg[first + plan->nsends[m] + step->index] = i;
		}
	}
	free(fill_send);
	return 0;
}

/* The dependencies, from the other end. */
static void link_steps(struct suo_coll_plan *plan, const struct suo_plan_rank *rank)
{
	uint32_t fill = 0;

	for (uint32_t i = 0; i < rank->nsteps; i++)
		for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
			if (rank->step[i].dep[d] != SUO_PLAN_NO_DEP) {
				plan->step[i].waits++;
				plan->step[rank->step[i].dep[d]].nthen++;
			}
	for (uint32_t i = 0; i < rank->nsteps; i++) {
		plan->step[i].first = fill;
		fill += plan->step[i].nthen;
		plan->step[i].nthen = 0;
	}
	for (uint32_t i = 0; i < rank->nsteps; i++)
		for (int d = 0; d < SUO_PLAN_MAX_DEPS; d++)
			if (rank->step[i].dep[d] != SUO_PLAN_NO_DEP) {
				struct suo_coll_step *on = &plan->step[rank->step[i].dep[d]];

				plan->then[on->first + on->nthen++] = i;
			}
}

static int extract(struct suo_coll_group *group, const struct suo_plan *from,
		   struct suo_coll_plan *plan)
{
	const struct suo_plan_rank *rank = &from->rank[group->rank_of[group->self]];

	plan->nsteps = rank->nsteps;
	plan->scratch_len = rank->scratch_len;
	plan->step = calloc(plan->nsteps + 1, sizeof(*plan->step));
	plan->then = calloc(plan->nsteps + 1, SUO_PLAN_MAX_DEPS * sizeof(*plan->then));
	if (!plan->step || !plan->then)
		return -FI_ENOMEM;
	for (uint32_t i = 0; i < rank->nsteps; i++) {
		const struct suo_plan_step *step = &rank->step[i];

		plan->step[i] = (struct suo_coll_step){
			.op		= step->op,
			.buf		= step->buf,
			.src		= step->src,
			.peer		= group->member_of[step->peer],
			.off		= step->off,
			.len		= step->len,
			.src_off	= step->src_off,
		};
	}
	link_steps(plan, rank);
	return index_messages(plan, group->n);
}

static int make(struct suo_coll_group *group, const struct suo_coll_plan *want,
		const char *algorithm, struct suo_plan **out)
{
	const struct suo_plan_shape shape = {
		.nranks		= group->n,
		.domain_size	= group->net.domain_size,
		.count		= want->count,
		.root		= suo_coll_has_root(want->coll) ? group->rank_of[want->root] : 0,
		.chunk_len	= suo_coll_chunk_len(&group->net, group->n, want->elem),
	};
	int err = suo_plan_make(want->coll, algorithm, &shape, out);

	if (err)
		return err;
	if (!((*out)->uses & ~CAN_RUN))
		return 0;
	suo_plan_free(*out);
	return -FI_EINVAL;
}

/* The algorithm that the model finds to be fastest. */
static int choose_by_cost(struct suo_coll_group *group, const struct suo_coll_plan *want,
			  struct suo_plan **out)
{
	char name[SUO_PLAN_NAME_SIZE];
	int err = 0;

	if (!group->chooser)
		err = suo_coll_chooser(&group->net, group->n, &group->chooser);
	if (!err)
		err = suo_coll_pick(group->chooser, want->coll, want->count * want->elem, name);
	return err ? err : make(group, want, name, out);
}

/* Any that can be run, for what the model has nothing to say of. */
static int choose_any(struct suo_coll_group *group, const struct suo_coll_plan *want,
		      struct suo_plan **out)
{
	const char *name;
	int err = -FI_EINVAL;

	for (unsigned int i = 0; err == -FI_EINVAL &&
	     (name = suo_plan_coll_algorithm(want->coll, i)); i++)
		err = make(group, want, name, out);
	return err;
}

/*
 * What was asked for, if the collective has it and the members allow it; else
 * what the model chooses.
 */
static int choose(struct suo_coll_group *group, const struct suo_coll_plan *want,
		  struct suo_plan **out)
{
	int err = -FI_EINVAL;

	if (group->algo[0] && suo_plan_known(want->coll, group->algo))
		err = make(group, want, group->algo, out);
	if (err == -FI_EINVAL)
		err = choose_by_cost(group, want, out);
	if (err == -FI_EINVAL)
		err = choose_any(group, want, out);
	return err;
}

static bool same(const struct suo_coll_plan *a, const struct suo_coll_plan *b)
{
	return a->coll == b->coll && a->count == b->count && a->root == b->root &&
	       a->elem == b->elem;
}

/* Lets the oldest ones go that nobody uses. */
static void trim(struct suo_coll_group *group)
{
	struct suo_list *pos = group->plans.prev, *before;

	for (; pos != &group->plans && group->nplans > SUO_COLL_PLANS; pos = before) {
		struct suo_coll_plan *plan = suo_entry(pos, struct suo_coll_plan, link);

		before = pos->prev;
		if (plan->users)
			continue;
		suo_list_del(pos);
		plan_free(plan);
		group->nplans--;
	}
}

/* To the front: the next one to be found. */
static void touch(struct suo_coll_group *group, struct suo_coll_plan *plan)
{
	suo_list_del(&plan->link);
	suo_list_add_tail(&plan->link, group->plans.next);
}

int suo_coll_plan_get(struct suo_coll_group *group, enum suo_coll coll, uint64_t count,
		      uint32_t root, size_t elem, struct suo_coll_plan **out)
{
	struct suo_coll_plan want = { .coll = coll, .count = count, .root = root, .elem = elem };
	struct suo_coll_plan *plan;
	struct suo_plan *whole;
	struct suo_list *pos;
	int err;

	suo_list_for_each(pos, &group->plans) {
		plan = suo_entry(pos, struct suo_coll_plan, link);
		if (same(plan, &want))
			goto found;
	}
	plan = malloc(sizeof(*plan));
	if (!plan)
		return -FI_ENOMEM;
	*plan = want;
	suo_list_init(&plan->link);
	err = choose(group, &want, &whole);
	if (err) {
		free(plan);
		return err;
	}
	suo_info(EP_DATA, "%s of %llu elements: %s\n", suo_coll_name(coll),
		 (unsigned long long)count, whole->name);
	err = extract(group, whole, plan);
	suo_plan_free(whole);
	if (err) {
		plan_free(plan);
		return err;
	}
	suo_list_add_tail(&plan->link, &group->plans);
	group->nplans++;
found:
	touch(group, plan);
	plan->users++;
	trim(group);
	*out = plan;
	return 0;
}

void suo_coll_plan_put(struct suo_coll_plan *plan)
{
	plan->users--;
}

void suo_coll_plans_free(struct suo_coll_group *group)
{
	struct suo_list *node;

	while ((node = suo_list_pop(&group->plans)))
		plan_free(suo_entry(node, struct suo_coll_plan, link));
	suo_coll_chooser_free(group->chooser);
}
