// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows: who is in one, and with what memory. A window lives as long as a process
 * has a share in it. A region that goes, or is changed, parts from its windows, which
 * then wait for somebody else to bind memory in its place.
 */
#include <crypto/algapi.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "../model/core/reduce.h"
#include "domain.h"
#include "mr.h"
#include "suo.h"
#include "window.h"

/* Windows, shares, exports, imports: whatever is not read under RCU. */
DEFINE_MUTEX(suo_windows_lock);

static LIST_HEAD(windows);
static LIST_HEAD(bound_shares);
static DEFINE_XARRAY_ALLOC(window_keys);
static u32 num_windows;

/* Of the key, above the eight random bits */
#define KEY_MIN		(SUO_WINDOW_KEY >> 8)
#define KEY_MAX		(U32_MAX >> 8)

static struct suo_window_share *share_alloc(struct suo_dev *dev)
{
	struct suo_window_share *share = kzalloc(sizeof(*share), GFP_KERNEL);

	if (!share)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&share->node);
	share->member = suo_member_get(dev);
	if (share->member)
		return share;
	kfree(share);
	return ERR_PTR(-ENODEV);
}

static void share_free(struct suo_window_share *share)
{
	suo_member_put(share->member);
	kfree(share);
}

static int window_check_attr(const struct suo_window_attr *attr)
{
	u32 size = suo_reduce_size(attr->type);

	if (attr->reserved)
		return -EINVAL;
	if (!size || attr->op >= SUO_REDUCE_OPS)
		return -EOPNOTSUPP;
	if (!attr->members || attr->members > SUO_MAX_WINDOW_MEMBERS)
		return -EINVAL;
	if (!attr->length || attr->length > SUO_MAX_MR_SIZE ||
	    attr->length & (size - 1))
		return -EINVAL;
	return 0;
}

/* Give a window its key, and let it be found. */
static int window_publish(struct suo_window *w)
{
	u32 index;
	int err;

	lockdep_assert_held(&suo_windows_lock);
	if (num_windows == SUO_MAX_WINDOWS)
		return -ENOMEM;
	err = xa_alloc(&window_keys, &index, w, XA_LIMIT(KEY_MIN, KEY_MAX),
		       GFP_KERNEL);
	if (err)
		return err;
	/* Nobody has seen it yet who would compare the key. */
	WRITE_ONCE(w->key, index << 8 | (get_random_u32() & 0xff));
	list_add_tail(&w->node, &windows);
	num_windows++;
	return 0;
}

/**
 * suo_window_create() - make a window
 * @dev: the device of the process that makes it
 * @attr: what it is to be
 * @token: with which others join
 *
 * Return: the process's share; -ENODEV if the device is in no domain, -EOPNOTSUPP
 * for a type or operation that there is not, -EINVAL, -ENOMEM.
 */
struct suo_window_share *suo_window_create(struct suo_dev *dev,
					   const struct suo_window_attr *attr,
					   struct suo_token *token)
{
	struct suo_window_share *share;
	struct suo_window *w;
	int err;

	err = window_check_attr(attr);
	if (err)
		return ERR_PTR(err);
	share = share_alloc(dev);
	if (IS_ERR(share))
		return share;
	err = -ENOMEM;
	w = kzalloc(struct_size(w, slot, attr->members), GFP_KERNEL);
	if (!w)
		goto err_window;
	w->shares = 1;
	w->domain = share->member->domain;
	w->length = attr->length;
	w->op = attr->op;
	w->type = attr->type;
	w->size = suo_reduce_size(attr->type);
	w->members = attr->members;
	get_random_bytes(&w->token, sizeof(w->token));
	mutex_lock(&suo_windows_lock);
	err = window_publish(w);
	mutex_unlock(&suo_windows_lock);
	if (err)
		goto err_publish;
	config_item_get(&w->domain->group.cg_item);
	share->window = w;
	*token = w->token;
	return share;

err_publish:
	kfree(w);
err_window:
	share_free(share);
	return ERR_PTR(err);
}

static struct suo_window *window_by_token(const struct suo_token *token)
{
	struct suo_window *w;

	lockdep_assert_held(&suo_windows_lock);
	list_for_each_entry(w, &windows, node)
		if (!crypto_memneq(&w->token, token, sizeof(*token)))
			return w;
	return NULL;
}

/**
 * suo_window_join() - take a share in a window that there is
 * @dev: the device of the process that joins
 * @token: of the window
 *
 * Return: its share; -EACCES if no window has this token, -EXDEV if the device is
 * not in the window's domain, -ENODEV if it is in none, -ENOMEM.
 */
struct suo_window_share *suo_window_join(struct suo_dev *dev,
					 const struct suo_token *token)
{
	struct suo_window_share *share;
	struct suo_window *w;
	int err;

	share = share_alloc(dev);
	if (IS_ERR(share))
		return share;
	mutex_lock(&suo_windows_lock);
	w = window_by_token(token);
	err = !w ? -EACCES : w->domain != share->member->domain ? -EXDEV :
	      w->shares == U32_MAX ? -ENOMEM : 0;
	if (!err) {
		w->shares++;
		share->window = w;
	}
	mutex_unlock(&suo_windows_lock);
	if (err)
		goto err_join;
	return share;

err_join:
	share_free(share);
	return ERR_PTR(err);
}

/* What the peers write and read through a window, they must be allowed to. */
#define WINDOW_ACCESS	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

static bool member_is_bound(const struct suo_window *w,
			    const struct suo_member *member)
{
	struct suo_window_slot *slot;
	u32 i;

	for (i = 0; i < w->members; i++) {
		slot = rcu_dereference_protected(w->slot[i],
						 lockdep_is_held(&suo_windows_lock));
		if (slot && slot->member == member)
			return true;
	}
	return false;
}

static int window_may_bind(const struct suo_window_share *share,
			   const struct suo_window_bind *bind)
{
	struct suo_window *w = share->window;

	if (READ_ONCE(share->member->left))
		return -ENODEV;
	if (share->slot || rcu_access_pointer(w->slot[bind->index]))
		return -EBUSY;
	/* A port has one place: two shares of it would not be two members. */
	return member_is_bound(w, share->member) ? -EEXIST : 0;
}

/**
 * suo_window_bind() - put a member's memory into its window
 * @share: the share
 * @mr: the region, of the same process
 * @bind: which part of it, and in which place
 *
 * Return: 0; -EINVAL for a place that there is not, or a region that does not hold
 * the window's length from there on; -EACCES if it may not be written and read by
 * peers; -EBUSY if the share or the place is taken; -EEXIST if the member is in the
 * window already; -ENODEV if the member has left its domain; -EOPNOTSUPP for a
 * region that is not a process's memory; -ENOMEM.
 */
int suo_window_bind(struct suo_window_share *share, struct suo_mr *mr,
		    const struct suo_window_bind *bind)
{
	struct suo_window *w = share->window;
	struct suo_window_slot *slot;
	int err;

	if (bind->reserved || bind->index >= w->members)
		return -EINVAL;
	if (!mr->umem)
		return -EOPNOTSUPP;
	slot = kzalloc(sizeof(*slot), GFP_KERNEL);
	if (!slot)
		return -ENOMEM;
	slot->member = share->member;
	slot->mr = mr;
	slot->pd = mr->pd;
	slot->va = bind->addr;
	mutex_lock(&suo_windows_lock);
	err = -EACCES;
	if (WINDOW_ACCESS & ~mr->access)
		goto err_bind;
	err = -EINVAL;
	if (!suo_mr_holds(mr, bind->addr, w->length))
		goto err_bind;
	err = window_may_bind(share, bind);
	if (err)
		goto err_bind;
	mr->shared = true;
	share->slot = slot;
	share->index = bind->index;
	list_add_tail(&share->node, &bound_shares);
	rcu_assign_pointer(w->slot[bind->index], slot);
	WRITE_ONCE(w->bound, w->bound + 1);
	mutex_unlock(&suo_windows_lock);
	return 0;

err_bind:
	mutex_unlock(&suo_windows_lock);
	kfree(slot);
	return err;
}

/* The data path may be at work on the slot until a grace period has passed. */
static void share_unbind(struct suo_window_share *share)
{
	struct suo_window *w = share->window;
	struct suo_window_slot *slot = share->slot;

	lockdep_assert_held(&suo_windows_lock);
	WRITE_ONCE(w->bound, w->bound - 1);
	RCU_INIT_POINTER(w->slot[share->index], NULL);
	list_del_init(&share->node);
	share->slot = NULL;
	kfree_rcu(slot, rcu);
}

/**
 * suo_window_unbind() - take a share's memory out of its window
 * @share: the share
 *
 * When this returns nobody accesses the memory through the window.
 */
void suo_window_unbind(struct suo_window_share *share)
{
	bool was;

	mutex_lock(&suo_windows_lock);
	was = share->slot;
	if (was)
		share_unbind(share);
	mutex_unlock(&suo_windows_lock);
	if (was)
		synchronize_rcu();
}

/* A region goes: out of every window. When this returns nobody accesses it so. */
void suo_windows_part(struct suo_mr *mr)
{
	struct suo_window_share *share, *tmp;

	mutex_lock(&suo_windows_lock);
	list_for_each_entry_safe(share, tmp, &bound_shares, node)
		if (share->slot->mr == mr)
			share_unbind(share);
	mutex_unlock(&suo_windows_lock);
	synchronize_rcu();
}

void suo_window_query(struct suo_window_share *share,
		      struct suo_window_info *info)
{
	const struct suo_window *w = share->window;

	mutex_lock(&suo_windows_lock);
	*info = (struct suo_window_info){
		.length	= w->length,
		.members = w->members,
		.op	= w->op,
		.type	= w->type,
		.rkey	= w->key,
		.bound	= w->bound,
		.index	= share->slot ? share->index : SUO_WINDOW_UNBOUND,
	};
	mutex_unlock(&suo_windows_lock);
}

/* A process gives up its share; the window goes with the last one. */
void suo_window_leave(struct suo_window_share *share)
{
	struct suo_window *w = share->window;
	struct suo_domain *domain = w->domain;
	bool last;

	suo_window_unbind(share);
	mutex_lock(&suo_windows_lock);
	last = !--w->shares;
	if (last) {
		list_del(&w->node);
		num_windows--;
		xa_erase(&window_keys, w->key >> 8);
	}
	mutex_unlock(&suo_windows_lock);
	if (last) {
		kfree_rcu(w, rcu);
		config_item_put(&domain->group.cg_item);
	}
	share_free(share);
}

/* By its key; to be called, and the window to be used, under RCU. */
struct suo_window *suo_window_find(u32 key)
{
	struct suo_window *w = xa_load(&window_keys, key >> 8);

	return w && READ_ONCE(w->key) == key ? w : NULL;
}

void suo_windows_exit(void)
{
	WARN_ON(!xa_empty(&window_keys));
	xa_destroy(&window_keys);
}
