// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The address vector: a growing table with a hash over it. An fi_addr_t is the
 * index in the table, for FI_AV_MAP too.
 */
#include "suo_fi.h"

#define AV_FIRST_SIZE	64

const struct suo_addr *suo_av_addr(const struct suo_av *av, fi_addr_t fi_addr)
{
	if (fi_addr >= av->count || !av->entry[fi_addr].used)
		return NULL;
	return &av->entry[fi_addr].addr;
}

fi_addr_t suo_av_find(const struct suo_av *av, const struct suo_addr *addr)
{
	int64_t i = av->hash[suo_addr_hash(addr) % SUO_HASH_SIZE];

	for (; i >= 0; i = av->entry[i].next)
		if (suo_addr_equal(&av->entry[i].addr, addr))
			return i;
	return FI_ADDR_NOTAVAIL;
}

static int av_add(struct suo_av *av, const struct suo_addr *addr, fi_addr_t *fi_addr)
{
	struct suo_av_entry *entry;
	int64_t *head;

	if (av->count == av->cap) {
		size_t cap = av->cap ? 2 * av->cap : AV_FIRST_SIZE;

		entry = realloc(av->entry, cap * sizeof(*entry));
		if (!entry)
			return -FI_ENOMEM;
		av->entry = entry;
		av->cap = cap;
	}
	head = &av->hash[suo_addr_hash(addr) % SUO_HASH_SIZE];
	entry = &av->entry[av->count];
	entry->addr = *addr;
	entry->used = true;
	entry->next = *head;
	*head = av->count;
	*fi_addr = av->count++;
	return 0;
}

/* What there is behind an address that somebody gave us. */
static int addr_resolve(const struct suo_addr *in, struct suo_addr *out)
{
	static const uint8_t none[16];

	if (!memcmp(in->gid, none, sizeof(none)))
		return -FI_EINVAL;
	*out = *in;
	if (suo_addr_is_service(in))
		return suo_service_resolve(in, out);
	return in->qpn ? 0 : -FI_EINVAL;
}

static int av_insert(struct fid_av *fid, const void *addr, size_t count,
		     fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct suo_av *av = suo_entry(fid, struct suo_av, fid);
	const struct suo_addr *in = addr;
	int *status = context;
	int good = 0;

	if (flags & ~(FI_MORE | FI_SYNC_ERR))
		return -FI_EINVAL;
	for (size_t i = 0; i < count; i++) {
		fi_addr_t index = FI_ADDR_NOTAVAIL;
		struct suo_addr real;
		int err = addr_resolve(&in[i], &real);

		if (err) {
			suo_warn(AV, "address %zu: %s\n", i, fi_strerror(-err));
		} else {
			pthread_mutex_lock(&av->domain->lock);
			err = av_add(av, &real, &index);
			pthread_mutex_unlock(&av->domain->lock);
		}
		if (!err)
			good++;
		if (fi_addr)
			fi_addr[i] = index;
		if ((flags & FI_SYNC_ERR) && status)
			status[i] = -err;
	}
	return good;
}

static int av_insertsvc(struct fid_av *av, const char *node, const char *service,
			fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct suo_addr addr;

	if (!node || suo_addr_parse(node, &addr))
		return -FI_EINVAL;
	return av_insert(av, &addr, 1, fi_addr, flags, context);
}

static int av_insertsym(struct fid_av *av, const char *node, size_t nodecnt,
			const char *service, size_t svccnt, fi_addr_t *fi_addr,
			uint64_t flags, void *context)
{
	return -FI_ENOSYS;
}

static void av_unlink(struct suo_av *av, int64_t i)
{
	int64_t *link = &av->hash[suo_addr_hash(&av->entry[i].addr) % SUO_HASH_SIZE];

	while (*link != i)
		link = &av->entry[*link].next;
	*link = av->entry[i].next;
	av->entry[i].used = false;
}

static int av_remove(struct fid_av *fid, fi_addr_t *fi_addr, size_t count, uint64_t flags)
{
	struct suo_av *av = suo_entry(fid, struct suo_av, fid);
	int err = 0;

	if (flags)
		return -FI_EINVAL;
	pthread_mutex_lock(&av->domain->lock);
	for (size_t i = 0; i < count; i++) {
		if (suo_av_addr(av, fi_addr[i]))
			av_unlink(av, fi_addr[i]);
		else
			err = -FI_EINVAL;
	}
	pthread_mutex_unlock(&av->domain->lock);
	return err;
}

static int av_lookup(struct fid_av *fid, fi_addr_t fi_addr, void *addr, size_t *addrlen)
{
	struct suo_av *av = suo_entry(fid, struct suo_av, fid);
	const struct suo_addr *found;
	int err = -FI_EINVAL;

	pthread_mutex_lock(&av->domain->lock);
	found = suo_av_addr(av, fi_addr);
	if (found) {
		memcpy(addr, found, *addrlen < sizeof(*found) ? *addrlen : sizeof(*found));
		*addrlen = sizeof(*found);
		err = 0;
	}
	pthread_mutex_unlock(&av->domain->lock);
	return err;
}

static const char *av_straddr(struct fid_av *av, const void *addr, char *buf, size_t *len)
{
	*len = suo_addr_format(addr, buf, *len) + 1;
	return buf;
}

static int av_close(struct fid *fid)
{
	struct suo_av *av = suo_entry(fid, struct suo_av, fid.fid);

	if (__atomic_load_n(&av->refs, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	__atomic_sub_fetch(&av->domain->refs, 1, __ATOMIC_ACQ_REL);
	free(av->entry);
	free(av);
	return 0;
}

/* Insertion is synchronous, so that an event queue would never get an event. */
static int av_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return bfid->fclass == FI_CLASS_EQ ? 0 : -FI_EINVAL;
}

static struct fi_ops av_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= av_close,
	.bind		= av_bind,
	.control	= suo_no_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_av av_ops = {
	.size		= sizeof(struct fi_ops_av),
	.insert		= av_insert,
	.insertsvc	= av_insertsvc,
	.insertsym	= av_insertsym,
	.remove		= av_remove,
	.lookup		= av_lookup,
	.straddr	= av_straddr,
	.av_set		= suo_av_set_open,
};

int suo_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		struct fid_av **fid, void *context)
{
	struct suo_av *av;

	if (attr->flags || attr->name || attr->rx_ctx_bits)
		return -FI_ENOSYS;
	av = calloc(1, sizeof(*av));
	if (!av)
		return -FI_ENOMEM;
	for (int i = 0; i < SUO_HASH_SIZE; i++)
		av->hash[i] = -1;
	if (attr->type == FI_AV_UNSPEC)
		attr->type = FI_AV_TABLE;
	av->domain = suo_entry(domain, struct suo_domain, fid);
	__atomic_add_fetch(&av->domain->refs, 1, __ATOMIC_ACQ_REL);
	av->fid.fid.fclass = FI_CLASS_AV;
	av->fid.fid.context = context;
	av->fid.fid.ops = &av_fi_ops;
	av->fid.ops = &av_ops;
	*fid = &av->fid;
	return 0;
}
