// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Groups: an endpoint that has joined an AV set, until it leaves or one fails. */
#include "coll.h"
#include "coll_set.h"
#include "userspace/coll/hash.h"

/* How often a membership was joined, so that each time has a key of its own. */
struct suo_coll_join {
	struct suo_list	link;
	uint64_t	members;
	uint32_t	times;
};

void suo_coll_init(struct suo_coll_ep *coll)
{
	suo_list_init(&coll->groups);
	suo_list_init(&coll->orphans);
	suo_list_init(&coll->joins);
	suo_list_init(&coll->stalled);
}

int suo_coll_set_algo(struct suo_coll_ep *coll, const char *name, size_t len)
{
	if (!len || len > sizeof(coll->algo) || name[len - 1])
		return -FI_EINVAL;
	memset(coll->algo, 0, sizeof(coll->algo));
	memcpy(coll->algo, name, strlen(name));
	return 0;
}

bool suo_coll_keep(struct suo_list *list, struct suo_conn *conn, const struct suo_hdr *hdr,
		   const uint8_t *payload, size_t size)
{
	struct suo_coll_msg *msg = malloc(sizeof(*msg) + size);

	if (!msg)
		return false;
	msg->conn = conn;
	msg->hdr = *hdr;
	msg->size = size;
	memcpy(msg->payload, payload, size);
	suo_list_add_tail(&msg->link, list);
	return true;
}

static void free_messages(struct suo_list *list)
{
	struct suo_list *node;

	while ((node = suo_list_pop(list)))
		free(suo_entry(node, struct suo_coll_msg, link));
}

static void group_free(struct suo_coll_group *group)
{
	suo_list_del(&group->link);
	free_messages(&group->early);
	suo_coll_plans_free(group);
	if (group->spare.mr)
		ibv_dereg_mr(group->spare.mr);
	free(group->spare.mem);
	free(group->info);
	free(group->owes);
	free(group->member_of);
	free(group->rank_of);
	free(group->fi_addr);
	free(group->conn);
	free(group->addr);
	free(group);
}

/**
 * suo_coll_fail() - a group cannot go on
 * @group: the group
 * @err: why, a positive error number
 * @tell: the other members do not know
 *
 * All operations end with the error, and later ones fail at once: nobody can
 * tell how far the others have come.
 */
void suo_coll_fail(struct suo_coll_group *group, int err, bool tell)
{
	struct suo_list *pos, *tmp;

	if (group->err)
		return;
	group->err = err;
	suo_info(EP_DATA, "a collective group of %u fails: %s\n", group->n, fi_strerror(err));
	for (uint32_t m = 0; m < group->n && tell; m++) {
		struct suo_conn *conn = group->conn[m];

		if (conn && conn->hs.state == SUO_HS_READY && !conn->dying)
			suo_coll_control(group, m, SUO_OP_COLL_ABORT, 0, 0, NULL, 0);
	}
	suo_coll_join_end(group, err);
	suo_list_for_each(pos, &group->ops)
		suo_entry(pos, struct suo_coll_op, link)->err = err;
	suo_list_for_each_safe(pos, tmp, &group->ops)
		suo_coll_op_settle(suo_entry(pos, struct suo_coll_op, link));
}

void suo_coll_conn_failed(struct suo_conn *conn, int err)
{
	struct suo_list *pos, *tmp;

	suo_list_for_each_safe(pos, tmp, &conn->ep->coll.groups) {
		struct suo_coll_group *group = suo_entry(pos, struct suo_coll_group, link);
		uint32_t m = 0;

		while (m < group->n && group->conn[m] != conn)
			m++;
		if (m < group->n)
			suo_coll_fail(group, err, true);
	}
}

/* A member that connects now has not heard of what failed before. */
void suo_coll_conn_ready(struct suo_conn *conn)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &conn->ep->coll.groups) {
		struct suo_coll_group *group = suo_entry(pos, struct suo_coll_group, link);

		for (uint32_t m = 0; group->err && m < group->n; m++)
			if (suo_addr_equal(&group->addr[m], &conn->addr))
				suo_coll_control(group, m, SUO_OP_COLL_ABORT, 0, 0, NULL, 0);
	}
}

void suo_coll_progress(struct suo_coll_ep *coll)
{
	struct suo_list todo, *node;

	if (suo_list_empty(&coll->stalled))
		return;
	suo_list_init(&todo);
	while ((node = suo_list_pop(&coll->stalled)))
		suo_list_add_tail(node, &todo);
	while ((node = suo_list_pop(&todo)))
		suo_coll_advance(suo_entry(node, struct suo_coll_op, stall));
}

/* Are there groups that the application has not closed? */
bool suo_coll_open(const struct suo_coll_ep *coll)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &coll->groups)
		if (!suo_entry(pos, struct suo_coll_group, link)->closed)
			return true;
	return false;
}

/* The endpoint goes, and its queue pairs with it: nothing is in flight. */
void suo_coll_destroy(struct suo_coll_ep *coll)
{
	struct suo_list *node;

	free_messages(&coll->orphans);
	while ((node = suo_list_pop(&coll->joins)))
		free(suo_entry(node, struct suo_coll_join, link));
	while (!suo_list_empty(&coll->groups)) {
		struct suo_coll_group *group = suo_entry(coll->groups.next,
							 struct suo_coll_group, link);
		struct suo_list *pos, *tmp;

		group->closed = true;
		suo_list_for_each_safe(pos, tmp, &group->ops) {
			struct suo_coll_op *op = suo_entry(pos, struct suo_coll_op, link);

			op->err = FI_ECANCELED;
			op->inflight = 0;
		}
		group->err = FI_ECANCELED;
		while (!suo_list_empty(&group->ops))
			suo_coll_op_settle(suo_entry(group->ops.next, struct suo_coll_op, link));
		group_free(group);
	}
}

static int mc_close(struct fid *fid)
{
	struct suo_coll_group *group = suo_entry(fid, struct suo_coll_group, fid.fid);
	struct suo_domain *dom = group->ep->domain;

	pthread_mutex_lock(&dom->lock);
	group->closed = true;
	if (!suo_list_empty(&group->ops) || !group->joined)
		suo_coll_fail(group, FI_ECANCELED, true);
	/* One that has failed stays, to tell those that come late. */
	if (!group->err)
		group_free(group);
	pthread_mutex_unlock(&dom->lock);
	return 0;
}

static struct fi_ops mc_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= mc_close,
	.bind		= suo_no_bind,
	.control	= suo_no_control,
	.ops_open	= suo_no_ops_open,
};

/* All members join the same memberships in the same order: so they agree. */
static int make_key(struct suo_coll_group *group)
{
	uint64_t members = suo_hash(SUO_HASH_START, group->addr,
			       group->n * sizeof(*group->addr));
	struct suo_coll_ep *coll = &group->ep->coll;
	struct suo_coll_join *join;
	struct suo_list *pos;

	suo_list_for_each(pos, &coll->joins) {
		join = suo_entry(pos, struct suo_coll_join, link);
		if (join->members == members)
			goto found;
	}
	join = calloc(1, sizeof(*join));
	if (!join)
		return -FI_ENOMEM;
	join->members = members;
	suo_list_add_tail(&join->link, &coll->joins);
found:
	join->times++;
	group->key = suo_hash(members, &join->times, sizeof(join->times));
	return 0;
}

static int fill_members(struct suo_coll_group *group, const struct suo_av_set *set)
{
	bool found = false;

	group->n = set->count;
	group->addr = calloc(group->n, sizeof(*group->addr));
	group->conn = calloc(group->n, sizeof(*group->conn));
	group->fi_addr = calloc(group->n, sizeof(*group->fi_addr));
	group->rank_of = calloc(group->n, sizeof(*group->rank_of));
	group->member_of = calloc(group->n, sizeof(*group->member_of));
	group->owes = calloc(group->n, sizeof(*group->owes));
	if (!group->addr || !group->conn || !group->fi_addr || !group->rank_of ||
	    !group->member_of || !group->owes)
		return -FI_ENOMEM;
	for (uint32_t m = 0; m < group->n; m++) {
		const struct suo_addr *addr = suo_av_addr(set->av, set->addr[m]);

		if (!addr)
			return -FI_EINVAL;
		group->addr[m] = *addr;
		group->fi_addr[m] = set->addr[m];
		if (suo_addr_equal(addr, &group->ep->addr)) {
			group->self = m;
			found = true;
		}
	}
	return found ? 0 : -FI_EINVAL;
}

/* Messages of this group that came before we joined. */
static void adopt(struct suo_coll_group *group)
{
	struct suo_coll_ep *coll = &group->ep->coll;
	struct suo_list *pos, *tmp, mine;

	suo_list_init(&mine);
	suo_list_for_each_safe(pos, tmp, &coll->orphans) {
		if (suo_entry(pos, struct suo_coll_msg, link)->hdr.tag != group->key)
			continue;
		suo_list_del(pos);
		suo_list_add_tail(pos, &mine);
		coll->norphans--;
	}
	while ((pos = suo_list_pop(&mine))) {
		struct suo_coll_msg *msg = suo_entry(pos, struct suo_coll_msg, link);

		suo_coll_rx(msg->conn, &msg->hdr, msg->payload, msg->size);
		free(msg);
	}
}

static int join(struct suo_ep *ep, const struct suo_av_set *set, struct fid_mc **mc,
		void *context)
{
	struct suo_coll_group *group = calloc(1, sizeof(*group));
	int err;

	if (!group)
		return -FI_ENOMEM;
	group->ep = ep;
	group->eq = ep->eq;
	group->next_seq = 1;
	suo_list_init(&group->link);
	suo_list_init(&group->ops);
	suo_list_init(&group->early);
	suo_list_init(&group->plans);
	group->fid.fid.fclass = FI_CLASS_MC;
	group->fid.fid.context = context;
	group->fid.fid.ops = &mc_fi_ops;
	group->fid.fi_addr = (uintptr_t)group;
	err = fill_members(group, set);
	if (!err)
		err = make_key(group);
	if (err) {
		group_free(group);
		return err;
	}
	suo_list_add_tail(&group->link, &ep->coll.groups);
	*mc = &group->fid;
	err = suo_coll_join_start(group);
	if (err)
		suo_coll_fail(group, -err, true);
	else
		adopt(group);
	return 0;
}

int suo_coll_join(struct fid_ep *fid, const struct fi_collective_addr *addr, uint64_t flags,
		  struct fid_mc **mc, void *context)
{
	struct suo_ep *ep = to_ep(fid);
	const struct suo_av_set *set;
	int err;

	if (!addr || !addr->set || (flags & ~(FI_COLLECTIVE | FI_SEND | FI_RECV)))
		return -FI_EINVAL;
	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	if (!ep->eq)
		return -FI_ENOEQ;
	set = suo_entry(addr->set, struct suo_av_set, fid);
	if (set->av != ep->av || !set->count || set->count > SUO_COLL_MAX_MEMBERS)
		return -FI_EINVAL;
	pthread_mutex_lock(&ep->domain->lock);
	err = join(ep, set, mc, context);
	pthread_mutex_unlock(&ep->domain->lock);
	return err;
}
