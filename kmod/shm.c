// SPDX-License-Identifier: GPL-2.0-only
/*
 * A domain's part in a shared memory: its slot, and who has the others.
 *
 * There is no lock in the memory. A slot is taken by writing a number into it that
 * nobody else draws, and is ours if that still stands there a tick later; and as
 * long as it stands there. So a VM that was taken for dead, or in whose slot
 * somebody has scribbled, finds out and takes another slot.
 */
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/timex.h>

#include "shm.h"
#include "suo.h"

/* One at a time attaches or detaches. */
static DEFINE_MUTEX(suo_shm_mutex);

/* VMs that begin alike draw alike, but not at the same nanosecond. */
u64 suo_shm_draw(const struct suo_shm *shm)
{
	u64 x = get_random_u64() ^ get_cycles();

	x += ktime_get_real_ns() * 0x9e3779b97f4a7c15ull;
	x ^= rol64(ktime_get_ns(), 32) ^ (uintptr_t)shm;
	return x ? : 1;
}

static void shm_free(struct kref *ref)
{
	struct suo_shm *shm = container_of(ref, struct suo_shm, ref);

	kvfree(shm);
}

void suo_shm_put(struct suo_shm *shm)
{
	kref_put(&shm->ref, shm_free);
}

/* Zeroes from the end of the header to where the rings begin? */
static bool memory_is_clear(const struct suo_shm *shm)
{
	size_t head = sizeof(struct suo_shm_header);

	return !memchr_inv(shm->base + head, 0, shm->layout.ring_off - head);
}

/* Everybody writes the same, so it does not matter who does, or how many. */
static void write_header(struct suo_shm *shm)
{
	struct suo_shm_header *h = shm->base;
	struct suo_shm_header first = shm->layout;

	first.magic = 0;
	memcpy(h, &first, sizeof(first));
	/* Whoever finds the magic finds the rest. */
	smp_store_release(&h->magic, shm->layout.magic);
}

/**
 * suo_shm_check_memory() - is the memory one that we can use?
 * @shm: its memory has been mapped
 *
 * A fresh one is made ours.
 *
 * Return: 0, or -EPROTO if it has something else in it.
 */
int suo_shm_check_memory(struct suo_shm *shm)
{
	struct suo_shm_header found;
	const char *what = "has something else in it";
	int tries;

	/* Somebody else may be making it ours right now. */
	for (tries = 0; tries < 3; tries++) {
		memcpy(&found, shm->base, sizeof(found));
		/* If it is ours its slots may be in use, so they are looked at after. */
		smp_rmb();
		switch (suo_shm_header_check(&shm->layout, &found)) {
		case SUO_SHM_READY:
			return 0;
		case SUO_SHM_EMPTY:
			if (!memory_is_clear(shm))
				break;
			write_header(shm);
			return 0;
		case SUO_SHM_VERSIONS:
			what = "is of another version, or had another size";
			break;
		default:
			break;
		}
		usleep_range(1000, 2000);
	}
	pr_err("suo: domain %s: the memory of %s %s\n",
	       config_item_name(&shm->domain->group.cg_item),
	       suo_shm_pci_name(shm), what);
	return -EPROTO;
}

static void lose_peer(struct suo_shm *shm, struct suo_shm_peer *peer)
{
	WRITE_ONCE(peer->alive, false);
	suo_shm_dir_lose(shm, peer);
	suo_shm_ring_close(peer);
}

static void lose_peers(struct suo_shm *shm)
{
	u32 i;

	for (i = 0; i < shm->nr_peers; i++)
		lose_peer(shm, &shm->peer[i]);
}

/* Who has this slot, and does it beat? */
static void watch_peer(struct suo_shm *shm, struct suo_shm_peer *peer)
{
	struct suo_shm_slot *slot = suo_shm_slot(shm, peer->slot);
	u64 owner = READ_ONCE(slot->owner), beat = READ_ONCE(slot->beat);

	if (owner != peer->owner) {
		if (peer->alive)
			lose_peer(shm, peer);
		peer->owner = owner;
		peer->beat = beat;
		peer->changed = jiffies;
	} else if (owner && beat != peer->beat) {
		peer->beat = beat;
		peer->changed = jiffies;
		WRITE_ONCE(peer->alive, true);
	} else if (peer->alive &&
		   time_after(jiffies, peer->changed +
			      msecs_to_jiffies(SUO_SHM_DEAD_MS))) {
		pr_warn_ratelimited("suo: domain %s: the VM in slot %u has stopped\n",
				    config_item_name(&shm->domain->group.cg_item),
				    peer->slot);
		lose_peer(shm, peer);
	}
}

/* If we have stood still ourselves, the others may have, too: they get their time. */
static void forgive_peers(struct suo_shm *shm)
{
	u32 i;

	if (time_after(jiffies, shm->ticked +
		       msecs_to_jiffies(SUO_SHM_DEAD_MS / 5)))
		for (i = 0; i < shm->nr_peers; i++)
			shm->peer[i].changed = jiffies;
	shm->ticked = jiffies;
}

/* A slot that can be taken: one that nobody has, or else one whose VM is dead. */
static struct suo_shm_peer *free_slot(struct suo_shm *shm)
{
	struct suo_shm_peer *peer, *dead = NULL;
	u32 i;

	for (i = 0; i < shm->nr_peers; i++) {
		peer = &shm->peer[i];
		if (!peer->owner)
			return peer;
		if (!peer->alive &&
		    time_after(jiffies, peer->changed +
			       msecs_to_jiffies(SUO_SHM_DEAD_MS)))
			dead = peer;
	}
	return dead;
}

/* Take a slot, or see that we have got it. */
static void join(struct suo_shm *shm)
{
	struct suo_shm_peer *peer;

	if (shm->claim) {
		peer = shm->claim;
		shm->claim = NULL;
		if (READ_ONCE(suo_shm_slot(shm, peer->slot)->owner) ==
		    shm->owner) {
			shm->slot = peer->slot;
			suo_shm_ring_setup(shm);
			complete_all(&shm->joined);
			return;
		}
	}
	peer = free_slot(shm);
	if (!peer)
		return;
	shm->owner = suo_shm_draw(shm);
	if (cmpxchg(&suo_shm_slot(shm, peer->slot)->owner, peer->owner,
		    shm->owner) == peer->owner) {
		shm->claim = peer;
		peer->owner = 0;
		peer->changed = jiffies;
	}
}

static bool slot_is_ours(const struct suo_shm *shm)
{
	const struct suo_shm_slot *slot = suo_shm_slot(shm, shm->slot);

	return READ_ONCE(slot->owner) == shm->owner &&
	       READ_ONCE(slot->beat) == shm->beat;
}

static void tick(struct work_struct *work)
{
	struct suo_shm *shm = container_of(to_delayed_work(work),
					   struct suo_shm, work);
	u32 i;

	mutex_lock(&suo_devs_lock);
	if (!shm->running)
		goto out;
	if (shm->slot >= 0 && !slot_is_ours(shm)) {
		pr_warn_ratelimited("suo: domain %s: somebody else has slot %d, which was ours\n",
				    config_item_name(&shm->domain->group.cg_item),
				    shm->slot);
		shm->slot = -1;
		lose_peers(shm);
	}
	forgive_peers(shm);
	for (i = 0; i < shm->nr_peers; i++)
		if (i != shm->slot && &shm->peer[i] != shm->claim)
			watch_peer(shm, &shm->peer[i]);
	if (shm->slot < 0)
		join(shm);
	if (shm->slot >= 0) {
		suo_shm_dir_write(shm);
		WRITE_ONCE(suo_shm_slot(shm, shm->slot)->beat, ++shm->beat);
		suo_shm_dir_watch(shm);
		for (i = 0; i < shm->nr_peers; i++)
			if (shm->peer[i].alive)
				suo_shm_ring_tick(&shm->peer[i]);
	}
	schedule_delayed_work(&shm->work, msecs_to_jiffies(SUO_SHM_TICK_MS));
out:
	mutex_unlock(&suo_devs_lock);
}

/* The memory is there. */
void suo_shm_start(struct suo_shm *shm)
{
	u32 i;

	shm->nr_peers = shm->layout.slots;
	for (i = 0; i < shm->nr_peers; i++) {
		shm->peer[i].shm = shm;
		shm->peer[i].slot = i;
	}
	shm->slot = -1;
	shm->ticked = jiffies;
	suo_shm_ring_init(shm);
	mutex_lock(&suo_devs_lock);
	shm->running = true;
	mutex_unlock(&suo_devs_lock);
	schedule_delayed_work(&shm->work, 0);
}

/* The memory goes: leave, and let nobody touch it any more. */
void suo_shm_stop(struct suo_shm *shm)
{
	mutex_lock(&suo_devs_lock);
	shm->running = false;
	mutex_unlock(&suo_devs_lock);
	cancel_delayed_work_sync(&shm->work);
	mutex_lock(&suo_devs_lock);
	lose_peers(shm);
	if (shm->slot >= 0 && slot_is_ours(shm))
		WRITE_ONCE(suo_shm_slot(shm, shm->slot)->owner, 0);
	shm->slot = -1;
	mutex_unlock(&suo_devs_lock);
	hrtimer_cancel(&shm->timer);
	complete_all(&shm->joined);
}

static struct suo_shm *shm_alloc(struct suo_domain *d, struct pci_dev *pdev)
{
	struct suo_shm *shm = kvzalloc(sizeof(*shm), GFP_KERNEL);

	if (!shm)
		return NULL;
	kref_init(&shm->ref);
	shm->domain = d;
	shm->pdev = pdev;
	shm->slot = -1;
	init_completion(&shm->joined);
	INIT_LIST_HEAD(&shm->far);
	INIT_DELAYED_WORK(&shm->work, tick);
	return shm;
}

static void detach(struct suo_domain *d)
{
	struct suo_shm *shm = d->shm;
	struct suo_member *m;

	lockdep_assert_held(&suo_shm_mutex);
	if (!shm)
		return;
	mutex_lock(&suo_devs_lock);
	list_for_each_entry(m, &d->members, node)
		suo_shm_unpublish(d, m);
	d->shm = NULL;
	mutex_unlock(&suo_devs_lock);
	suo_shm_unbind(shm);
	pci_dev_put(shm->pdev);
	suo_shm_put(shm);
}

static int attach(struct suo_domain *d, const char *name)
{
	const char *domain = config_item_name(&d->group.cg_item);
	struct suo_member *m;
	struct pci_dev *pdev;
	struct suo_shm *shm;
	long left;
	int err;

	pdev = suo_shm_find_pci(name, domain);
	if (!pdev)
		return -ENODEV;
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	err = -ENOMEM;
	shm = shm_alloc(d, pdev);
	if (!shm)
		goto err_alloc;
	err = suo_shm_bind(shm);
	if (err)
		goto err_bind;
	left = msecs_to_jiffies(2 * SUO_SHM_DEAD_MS);
	left = wait_for_completion_interruptible_timeout(&shm->joined, left);
	mutex_lock(&suo_devs_lock);
	if (left <= 0 || shm->slot < 0) {
		mutex_unlock(&suo_devs_lock);
		err = left < 0 ? left : -EBUSY;
		if (!left)
			pr_err("suo: domain %s: other VMs have all %u slots of the memory of %s\n",
			       domain, shm->nr_peers, pci_name(pdev));
		goto err_join;
	}
	pr_info("suo: domain %s: slot %d of the memory of %s\n", domain,
		shm->slot, pci_name(pdev));
	d->shm = shm;
	list_for_each_entry(m, &d->members, node)
		suo_shm_publish(d, m);
	mutex_unlock(&suo_devs_lock);
	return 0;

err_join:
	suo_shm_unbind(shm);
err_bind:
	suo_shm_put(shm);
err_alloc:
	pci_dev_put(pdev);
	return err;
}

/**
 * suo_shm_show() - the attribute shared_memory of a domain
 * @d: the domain
 * @page: where to
 *
 * Return: bytes written: the address of the PCI device, or nothing.
 */
ssize_t suo_shm_show(struct suo_domain *d, char *page)
{
	ssize_t len;

	mutex_lock(&suo_devs_lock);
	len = sysfs_emit(page, "%s\n", d->shm ? suo_shm_pci_name(d->shm) : "");
	mutex_unlock(&suo_devs_lock);
	return len;
}

/**
 * suo_shm_store() - join other VMs' domains, or part from them
 * @d: the domain
 * @page: a PCI address, "auto", or nothing
 * @len: bytes
 *
 * Return: @len; -EBUSY if the domain has a shared memory already, somebody else
 * has the device, or there is no slot; -EINVAL for what is no address; see
 * suo_shm_find_pci() and suo_shm_bind() for the rest.
 */
ssize_t suo_shm_store(struct suo_domain *d, const char *page, size_t len)
{
	char buf[32], *name;
	int err = 0;

	if (len >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, page, len);
	buf[len] = '\0';
	name = strim(buf);
	mutex_lock(&suo_shm_mutex);
	if (!*name)
		detach(d);
	else if (d->shm)
		err = -EBUSY;
	else
		err = attach(d, name);
	mutex_unlock(&suo_shm_mutex);
	return err ? : len;
}

/* suo_shm_detach() - the domain goes */
void suo_shm_detach(struct suo_domain *d)
{
	mutex_lock(&suo_shm_mutex);
	detach(d);
	mutex_unlock(&suo_shm_mutex);
}
