// SPDX-License-Identifier: GPL-2.0-only
/*
 * The directory of a shared memory: what our members are called and by which GIDs
 * they are known, and the same of the members that other VMs have.
 */
#include <linux/ctype.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "clock.h"
#include "shm.h"
#include "suo.h"

/* GIDs come and go; the table is read so often, in ticks. */
#define GIDS_TICKS	4

static struct suo_shm_entry *entry_at(const struct suo_shm *shm, u32 slot,
				      u32 index)
{
	return &suo_shm_slot(shm, slot)->entry[index];
}

/* What comes from others is not for a log or a terminal as it is. */
static void clean_name(char *name)
{
	name[SUO_SHM_NAME_LEN - 1] = '\0';
	for (; *name; name++)
		if (!isgraph(*name) || !isascii(*name))
			*name = '?';
}

/* Copy what another VM says. False if it is being written, or nonsense. */
static bool read_entry(const struct suo_shm_entry *e,
		       struct suo_shm_about *copy)
{
	u32 seq;

	/* Both pair with those in write_entry(). */
	seq = smp_load_acquire(&e->seq);
	memcpy(copy, &e->about, sizeof(*copy));
	/* See above. */
	smp_rmb();
	if ((seq & 1) || READ_ONCE(e->seq) != seq || copy->ngids > SUO_SHM_GIDS)
		return false;
	clean_name(copy->name);
	return true;
}

/* Write what we have to say, unless it stands there. */
static void write_entry(struct suo_shm *shm, u32 index)
{
	struct suo_shm_entry *e = entry_at(shm, shm->slot, index);
	struct suo_shm_near *near = &shm->near[index];

	if (READ_ONCE(e->seq) == near->seq &&
	    !memcmp(&e->about, &near->about, sizeof(near->about)))
		return;
	near->seq += 2;
	WRITE_ONCE(e->seq, near->seq - 1);
	/* Whoever finds some of it finds an odd number, before or after. */
	smp_wmb();
	memcpy(&e->about, &near->about, sizeof(near->about));
	/* Whoever finds this finds all of it. */
	smp_store_release(&e->seq, near->seq);
}

static void read_gids(struct suo_dev *dev, struct suo_shm_about *about)
{
	const struct ib_gid_attr *attr;
	u32 i, n = 0;

	for (i = 0; i < SUO_GID_TBL_LEN && n < SUO_SHM_GIDS; i++) {
		attr = rdma_get_gid_attr(&dev->ibdev, 1, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP)
			memcpy(about->gid[n++], attr->gid.raw, 16);
		rdma_put_gid_attr(attr);
	}
	about->ngids = n;
	for (; n < SUO_SHM_GIDS; n++)
		memset(about->gid[n], 0, 16);
}

static struct suo_member *near_member(struct suo_shm *shm, u32 index)
{
	return rcu_dereference_protected(shm->near[index].member,
					 lockdep_is_held(&suo_devs_lock));
}

/* suo_shm_dir_write() - tell the others what has changed here */
void suo_shm_dir_write(struct suo_shm *shm)
{
	struct suo_member *m;
	u32 i;

	lockdep_assert_held(&suo_devs_lock);
	for (i = 0; i < SUO_SHM_MEMBERS; i++) {
		m = near_member(shm, i);
		if (m && !(shm->beat % GIDS_TICKS))
			read_gids(m->dev, &shm->near[i].about);
		write_entry(shm, i);
	}
}

/**
 * suo_shm_publish() - a member can be reached from other VMs now
 * @d: its domain
 * @member: the member; nothing happens if it has no device yet
 */
void suo_shm_publish(struct suo_domain *d, struct suo_member *member)
{
	struct suo_shm *shm = d->shm;
	struct suo_shm_about *about;
	u32 i;

	lockdep_assert_held(&suo_devs_lock);
	if (!shm || !member->dev)
		return;
	for (i = 0; i < SUO_SHM_MEMBERS && near_member(shm, i); i++)
		;
	if (i == SUO_SHM_MEMBERS) {
		pr_warn("suo: domain %s: %s cannot be reached from other VMs, which see %u members of this one at most\n",
			config_item_name(&d->group.cg_item),
			config_item_name(&member->item), SUO_SHM_MEMBERS);
		return;
	}
	about = &shm->near[i].about;
	about->id = ++shm->last_id ? : ++shm->last_id;
	about->time_scale = suo_time_scale();
	strscpy_pad(about->name, member->dev->name, sizeof(about->name));
	read_gids(member->dev, about);
	config_item_get(&member->item);
	rcu_assign_pointer(shm->near[i].member, member);
	WRITE_ONCE(member->dev->shm_index, i);
	if (shm->running && shm->slot >= 0)
		write_entry(shm, i);
}

/**
 * suo_shm_unpublish() - a member cannot be reached any more
 * @d: its domain
 * @member: the member, which still has its device if it had one
 */
void suo_shm_unpublish(struct suo_domain *d, struct suo_member *member)
{
	struct suo_shm *shm = d->shm;
	u32 i;

	lockdep_assert_held(&suo_devs_lock);
	for (i = 0; shm && i < SUO_SHM_MEMBERS; i++) {
		if (near_member(shm, i) != member)
			continue;
		WRITE_ONCE(member->dev->shm_index, -1);
		RCU_INIT_POINTER(shm->near[i].member, NULL);
		memset(&shm->near[i].about, 0, sizeof(shm->near[i].about));
		if (shm->running && shm->slot >= 0)
			write_entry(shm, i);
		/* Packets for it may be being handed over. */
		synchronize_rcu();
		config_item_put(&member->item);
		return;
	}
}

static void far_release(struct config_item *item)
{
	struct suo_shm_far *far = container_of(item, struct suo_shm_far,
					       member.item);
	struct suo_domain *d = far->member.domain;

	suo_shm_put(far->peer->shm);
	kfree(far);
	config_item_put(&d->group.cg_item);
}

static struct configfs_item_operations far_item_ops = {
	.release = far_release,
};

/* It has a name and a reference count like our own members, but no directory. */
static const struct config_item_type far_type = {
	.ct_owner	= THIS_MODULE,
	.ct_item_ops	= &far_item_ops,
};

static void far_lose(struct suo_shm_far *far)
{
	WRITE_ONCE(far->member.left, true);
	list_del(&far->node);
	config_item_put(&far->member.item);
}

/* suo_shm_dir_watch() - who has left? */
void suo_shm_dir_watch(struct suo_shm *shm)
{
	struct suo_shm_far *far, *tmp;
	struct suo_shm_about copy;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry_safe(far, tmp, &shm->far, node)
		if (read_entry(entry_at(shm, far->peer->slot, far->index),
			       &copy) && copy.id != far->id)
			far_lose(far);
}

/* suo_shm_dir_lose() - a VM has left, and its members with it */
void suo_shm_dir_lose(struct suo_shm *shm, struct suo_shm_peer *peer)
{
	struct suo_shm_far *far, *tmp;

	lockdep_assert_held(&suo_devs_lock);
	list_for_each_entry_safe(far, tmp, &shm->far, node)
		if (far->peer == peer)
			far_lose(far);
}

/* The member of entry e at index of a peer, with a reference. */
static struct suo_member *far_get(struct suo_shm *shm,
				  struct suo_shm_peer *peer, u32 index,
				  const struct suo_shm_about *e)
{
	struct suo_shm_far *far;

	list_for_each_entry(far, &shm->far, node)
		if (far->peer == peer && far->index == index &&
		    far->id == e->id)
			goto out;
	far = kzalloc(sizeof(*far), GFP_KERNEL);
	if (!far)
		return ERR_PTR(-ENOMEM);
	far->peer = peer;
	far->index = index;
	far->id = e->id;
	far->member.far = true;
	far->member.domain = shm->domain;
	config_item_get(&shm->domain->group.cg_item);
	kref_get(&shm->ref);
	config_item_init_type_name(&far->member.item, e->name, &far_type);
	list_add(&far->node, &shm->far);
out:
	config_item_get(&far->member.item);
	return &far->member;
}

static bool has_gid(const struct suo_shm_about *e, const union ib_gid *gid)
{
	u32 i;

	for (i = 0; i < e->ngids; i++)
		if (!memcmp(e->gid[i], gid->raw, sizeof(gid->raw)))
			return true;
	return false;
}

/**
 * suo_shm_find_far() - is a GID that of a member of our domain in another VM?
 * @d: the domain
 * @dev: our device
 * @gid: the peer's GID
 *
 * If several VMs say so it is the one that was heard last: another has died and
 * begun anew.
 *
 * Return: the member with a reference; NULL if it is not; -ENOMEM.
 */
struct suo_member *suo_shm_find_far(struct suo_domain *d, struct suo_dev *dev,
				    const union ib_gid *gid)
{
	struct suo_shm_peer *peer, *found = NULL;
	struct suo_shm_about copy, about;
	struct suo_shm *shm = d->shm;
	u32 i, n, index = 0;

	lockdep_assert_held(&suo_devs_lock);
	if (!shm || !shm->running || shm->slot < 0 || dev->shm_index < 0)
		return NULL;
	for (n = 0; n < shm->nr_peers; n++) {
		peer = &shm->peer[n];
		if (!peer->alive ||
		    (found && time_before(peer->changed, found->changed)))
			continue;
		for (i = 0; i < SUO_SHM_MEMBERS; i++) {
			if (!READ_ONCE(entry_at(shm, n, i)->about.id) ||
			    !read_entry(entry_at(shm, n, i), &copy) ||
			    !copy.id || !has_gid(&copy, gid))
				continue;
			found = peer;
			index = i;
			about = copy;
			break;
		}
	}
	if (!found)
		return NULL;
	if (about.time_scale != suo_time_scale()) {
		pr_warn_ratelimited("suo: domain %s: %s is on another time scale, %u, and is left to the wire\n",
				    config_item_name(&d->group.cg_item),
				    about.name, about.time_scale);
		return NULL;
	}
	return far_get(shm, found, index, &about);
}

/**
 * suo_shm_remote_show() - the attribute remote_members of a domain
 * @d: the domain
 * @page: where to
 *
 * Return: bytes written: a line for each member that another VM has.
 */
ssize_t suo_shm_remote_show(struct suo_domain *d, char *page)
{
	struct suo_shm_about copy;
	struct suo_shm *shm;
	ssize_t len = 0;
	u32 n, i;

	mutex_lock(&suo_devs_lock);
	shm = d->shm;
	if (!shm || !shm->running || shm->slot < 0)
		goto out;
	for (n = 0; n < shm->nr_peers; n++) {
		if (!shm->peer[n].alive)
			continue;
		for (i = 0; i < SUO_SHM_MEMBERS; i++)
			if (read_entry(entry_at(shm, n, i), &copy) && copy.id)
				len += sysfs_emit_at(page, len, "%u %s\n", n,
						     copy.name);
	}
out:
	mutex_unlock(&suo_devs_lock);
	return len;
}
