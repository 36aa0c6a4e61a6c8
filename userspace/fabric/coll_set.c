// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* AV sets: ordered subsets of an address vector. */
#include "coll_set.h"

#define FIRST_CAP	16
#define SET_FLAGS	(FI_UNIVERSE | FI_BARRIER_SET | FI_BROADCAST_SET | FI_ALLTOALL_SET | \
			 FI_ALLREDUCE_SET | FI_ALLGATHER_SET | FI_REDUCE_SCATTER_SET | \
			 FI_REDUCE_SET | FI_SCATTER_SET | FI_GATHER_SET)

static struct suo_av_set *to_set(const struct fid_av_set *fid)
{
	return suo_entry(fid, struct suo_av_set, fid);
}

static int64_t find(const struct suo_av_set *set, fi_addr_t addr)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->addr[i] == addr)
			return i;
	return -1;
}

static int append(struct suo_av_set *set, fi_addr_t addr)
{
	if (set->count == set->cap) {
		size_t cap = set->cap ? 2 * set->cap : FIRST_CAP;
		fi_addr_t *grown = realloc(set->addr, cap * sizeof(*grown));

		if (!grown)
			return -FI_ENOMEM;
		set->addr = grown;
		set->cap = cap;
	}
	set->addr[set->count++] = addr;
	return 0;
}

/* Keeps what is, or is not, in the other one, in its order. */
static void keep(struct suo_av_set *dst, const struct suo_av_set *src, bool members)
{
	size_t n = 0;

	for (size_t i = 0; i < dst->count; i++)
		if ((find(src, dst->addr[i]) >= 0) == members)
			dst->addr[n++] = dst->addr[i];
	dst->count = n;
}

static int set_union(struct fid_av_set *dst, const struct fid_av_set *src)
{
	struct suo_av_set *to = to_set(dst);
	const struct suo_av_set *from = to_set(src);
	int err = 0;

	if (to->av != from->av)
		return -FI_EINVAL;
	pthread_mutex_lock(&to->av->domain->lock);
	for (size_t i = 0; i < from->count && !err; i++)
		if (find(to, from->addr[i]) < 0)
			err = append(to, from->addr[i]);
	pthread_mutex_unlock(&to->av->domain->lock);
	return err;
}

static int set_keep(struct fid_av_set *dst, const struct fid_av_set *src, bool members)
{
	if (to_set(dst)->av != to_set(src)->av)
		return -FI_EINVAL;
	pthread_mutex_lock(&to_set(dst)->av->domain->lock);
	keep(to_set(dst), to_set(src), members);
	pthread_mutex_unlock(&to_set(dst)->av->domain->lock);
	return 0;
}

static int set_intersect(struct fid_av_set *dst, const struct fid_av_set *src)
{
	return set_keep(dst, src, true);
}

static int set_diff(struct fid_av_set *dst, const struct fid_av_set *src)
{
	return set_keep(dst, src, false);
}

static int set_insert(struct fid_av_set *fid, fi_addr_t addr)
{
	struct suo_av_set *set = to_set(fid);
	int err = -FI_EINVAL;

	pthread_mutex_lock(&set->av->domain->lock);
	if (suo_av_addr(set->av, addr) && find(set, addr) < 0)
		err = append(set, addr);
	pthread_mutex_unlock(&set->av->domain->lock);
	return err;
}

static int set_remove(struct fid_av_set *fid, fi_addr_t addr)
{
	struct suo_av_set *set = to_set(fid);
	int64_t i;

	pthread_mutex_lock(&set->av->domain->lock);
	i = find(set, addr);
	if (i >= 0) {
		set->count--;
		memmove(&set->addr[i], &set->addr[i + 1],
			(set->count - i) * sizeof(*set->addr));
	}
	pthread_mutex_unlock(&set->av->domain->lock);
	return i < 0 ? -FI_EINVAL : 0;
}

static int set_addr(struct fid_av_set *fid, fi_addr_t *addr)
{
	*addr = (uintptr_t)to_set(fid);
	return 0;
}

static int set_close(struct fid *fid)
{
	struct suo_av_set *set = suo_entry(fid, struct suo_av_set, fid.fid);

	__atomic_sub_fetch(&set->av->refs, 1, __ATOMIC_ACQ_REL);
	free(set->addr);
	free(set);
	return 0;
}

static struct fi_ops set_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= set_close,
	.bind		= suo_no_bind,
	.control	= suo_no_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_av_set set_ops = {
	.size		= sizeof(struct fi_ops_av_set),
	.set_union	= set_union,
	.intersect	= set_intersect,
	.diff		= set_diff,
	.insert		= set_insert,
	.remove		= set_remove,
	.addr		= set_addr,
};

/* The members that the attributes name. */
static int fill(struct suo_av_set *set, const struct fi_av_set_attr *attr)
{
	uint64_t stride = attr->stride ? attr->stride : 1;
	fi_addr_t first = attr->start_addr, last = attr->end_addr;
	int err = 0;

	if (attr->flags & FI_UNIVERSE) {
		first = 0;
		last = set->av->count ? set->av->count - 1 : 0;
		stride = 1;
	} else if (first == FI_ADDR_NOTAVAIL || last == FI_ADDR_NOTAVAIL) {
		return first == last ? 0 : -FI_EINVAL;
	}
	if (last < first || (!(attr->flags & FI_UNIVERSE) && last >= set->av->count))
		return -FI_EINVAL;
	for (fi_addr_t a = first; a <= last && !err; a += stride) {
		if (suo_av_addr(set->av, a))
			err = append(set, a);
		if (stride > last - a)
			break;
	}
	if (!err && attr->count && set->count > attr->count)
		err = -FI_EINVAL;
	return err;
}

int suo_av_set_open(struct fid_av *av, struct fi_av_set_attr *attr,
		    struct fid_av_set **fid, void *context)
{
	struct suo_av_set *set;
	int err;

	/* Nobody but the provider manages memberships here. */
	if (!attr || attr->comm_key_size || (attr->flags & ~SET_FLAGS))
		return -FI_EINVAL;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -FI_ENOMEM;
	set->av = suo_entry(av, struct suo_av, fid);
	pthread_mutex_lock(&set->av->domain->lock);
	err = fill(set, attr);
	pthread_mutex_unlock(&set->av->domain->lock);
	if (err) {
		free(set->addr);
		free(set);
		return err;
	}
	__atomic_add_fetch(&set->av->refs, 1, __ATOMIC_ACQ_REL);
	set->fid.fid.fclass = FI_CLASS_AV_SET;
	set->fid.fid.context = context;
	set->fid.fid.ops = &set_fi_ops;
	set->fid.ops = &set_ops;
	*fid = &set->fid;
	return 0;
}
