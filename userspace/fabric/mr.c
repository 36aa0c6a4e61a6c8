// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory regions. */
#include "suo_fi.h"

struct suo_mr *suo_mr_find(struct suo_domain *dom, uint32_t key)
{
	struct suo_mr *mr = dom->mrs[key % SUO_HASH_SIZE];

	while (mr && mr->mr->rkey != key)
		mr = mr->by_key;
	return mr;
}

static struct suo_mr **find_link(struct suo_mr *mr)
{
	struct suo_mr **link = &mr->domain->mrs[mr->mr->rkey % SUO_HASH_SIZE];

	while (*link != mr)
		link = &(*link)->by_key;
	return link;
}

static int mr_close(struct fid *fid)
{
	struct suo_mr *mr = suo_entry(fid, struct suo_mr, fid.fid);
	struct suo_mr **link;
	int err;

	pthread_mutex_lock(&mr->domain->lock);
	link = find_link(mr);
	err = ibv_dereg_mr(mr->mr);
	if (!err)
		*link = mr->by_key;
	pthread_mutex_unlock(&mr->domain->lock);
	if (err)
		return -err;
	__atomic_sub_fetch(&mr->domain->refs, 1, __ATOMIC_ACQ_REL);
	free(mr);
	return 0;
}

static struct fi_ops mr_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= mr_close,
	.bind		= suo_no_bind,
	.control	= suo_no_control,
	.ops_open	= suo_no_ops_open,
};

/* The device knows but one permission for its atomic operations, which both read
 * and write.
 */
static int mr_access(uint64_t access)
{
	int flags = IBV_ACCESS_LOCAL_WRITE;

	/* The receiver of a large message reads it out of the sender's memory. */
	if (access & (FI_SEND | FI_REMOTE_READ))
		flags |= IBV_ACCESS_REMOTE_READ;
	if (access & FI_REMOTE_WRITE)
		flags |= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	return flags;
}

static int mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access,
		  uint64_t offset, uint64_t requested_key, uint64_t flags,
		  struct fid_mr **out, void *context)
{
	struct suo_domain *dom = suo_entry(fid, struct suo_domain, fid.fid);
	struct suo_mr *mr;
	int err;

	if (fid->fclass != FI_CLASS_DOMAIN || offset || flags ||
	    (access & ~(FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ |
			FI_REMOTE_WRITE)))
		return -FI_EINVAL;
	mr = calloc(1, sizeof(*mr));
	if (!mr)
		return -FI_ENOMEM;
	mr->mr = ibv_reg_mr(dom->pd, (void *)buf, len, mr_access(access));
	if (!mr->mr && errno == EINVAL && !(access & (FI_RECV | FI_READ | FI_REMOTE_WRITE)))
		/* perhaps it is read-only memory */
		mr->mr = ibv_reg_mr(dom->pd, (void *)buf, len,
				    mr_access(access) & ~IBV_ACCESS_LOCAL_WRITE);
	if (!mr->mr) {
		err = -errno;
		suo_warn(MR, "registration of %zu bytes failed: %s\n", len, strerror(errno));
		free(mr);
		return err;
	}
	mr->domain = dom;
	mr->access = access;
	pthread_mutex_lock(&dom->lock);
	mr->by_key = dom->mrs[mr->mr->rkey % SUO_HASH_SIZE];
	dom->mrs[mr->mr->rkey % SUO_HASH_SIZE] = mr;
	pthread_mutex_unlock(&dom->lock);
	__atomic_add_fetch(&dom->refs, 1, __ATOMIC_ACQ_REL);
	mr->fid.fid.fclass = FI_CLASS_MR;
	mr->fid.fid.context = context;
	mr->fid.fid.ops = &mr_fi_ops;
	mr->fid.key = mr->mr->rkey;
	mr->fid.mem_desc = mr;
	*out = &mr->fid;
	return 0;
}

static int mr_regv(struct fid *fid, const struct iovec *iov, size_t count,
		   uint64_t access, uint64_t offset, uint64_t requested_key,
		   uint64_t flags, struct fid_mr **mr, void *context)
{
	if (count != 1)
		return -FI_EINVAL;
	return mr_reg(fid, iov->iov_base, iov->iov_len, access, offset,
		      requested_key, flags, mr, context);
}

static int mr_regattr(struct fid *fid, const struct fi_mr_attr *attr,
		      uint64_t flags, struct fid_mr **mr)
{
	if (attr->auth_key_size || attr->iface != FI_HMEM_SYSTEM)
		return -FI_EINVAL;
	return mr_regv(fid, attr->mr_iov, attr->iov_count, attr->access, attr->offset,
		       attr->requested_key, flags, mr, attr->context);
}

struct fi_ops_mr suo_mr_ops = {
	.size		= sizeof(struct fi_ops_mr),
	.reg		= mr_reg,
	.regv		= mr_regv,
	.regattr	= mr_regattr,
};
