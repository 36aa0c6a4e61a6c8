// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The completion queue: a ring of completions, read in any of four formats. */
#include <stdio.h>

#include "suo_fi.h"

#define CQ_MIN_SIZE	64
#define CQ_MAX_SIZE	(1u << 20)

static bool cq_grow(struct suo_cq *cq)
{
	struct suo_comp *ring = malloc(2ul * cq->cap * sizeof(*ring));

	if (!ring)
		return false;
	for (uint32_t i = cq->head; i != cq->tail; i++)
		ring[i & (2 * cq->cap - 1)] = cq->ring[i & (cq->cap - 1)];
	free(cq->ring);
	cq->ring = ring;
	cq->cap *= 2;
	return true;
}

void suo_cq_push(struct suo_cq *cq, const struct fi_cq_err_entry *e, fi_addr_t src)
{
	struct suo_comp *comp;

	if (!cq)
		return;
	if (cq->tail - cq->head == cq->cap && !cq_grow(cq)) {
		suo_warn(CQ, "no memory: a completion is lost\n");
		return;
	}
	comp = &cq->ring[cq->tail++ & (cq->cap - 1)];
	comp->e = *e;
	comp->src = src;
	suo_wait_raise(&cq->wait);
}

static void *store_entry(enum fi_cq_format format, void *buf, const struct fi_cq_err_entry *e)
{
	struct fi_cq_tagged_entry entry = {
		.op_context	= e->op_context,
		.flags		= e->flags,
		.len		= e->len,
		.buf		= e->buf,
		.data		= e->data,
		.tag		= e->tag,
	};
	size_t size;

	/* Each format is the beginning of the next one. */
	switch (format) {
	case FI_CQ_FORMAT_CONTEXT:
		size = sizeof(struct fi_cq_entry);
		break;
	case FI_CQ_FORMAT_MSG:
		size = sizeof(struct fi_cq_msg_entry);
		break;
	case FI_CQ_FORMAT_DATA:
		size = sizeof(struct fi_cq_data_entry);
		break;
	default:
		size = sizeof(struct fi_cq_tagged_entry);
		break;
	}
	memcpy(buf, &entry, size);
	return (char *)buf + size;
}

static ssize_t cq_readfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *src)
{
	struct suo_cq *cq = suo_entry(fid, struct suo_cq, fid);
	ssize_t n = 0;

	pthread_mutex_lock(&cq->domain->lock);
	if (cq->head == cq->tail)
		suo_wait_progress(&cq->wait);
	while ((size_t)n < count && cq->head != cq->tail) {
		const struct suo_comp *comp = &cq->ring[cq->head & (cq->cap - 1)];

		if (comp->e.err)
			break;
		buf = store_entry(cq->format, buf, &comp->e);
		if (src)
			src[n] = comp->src;
		cq->head++;
		n++;
	}
	if (!n)
		n = cq->head == cq->tail ? -FI_EAGAIN : -FI_EAVAIL;
	pthread_mutex_unlock(&cq->domain->lock);
	return n;
}

static ssize_t cq_read(struct fid_cq *cq, void *buf, size_t count)
{
	return cq_readfrom(cq, buf, count, NULL);
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *buf, uint64_t flags)
{
	struct suo_cq *cq = suo_entry(fid, struct suo_cq, fid);
	const struct suo_comp *comp;
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&cq->domain->lock);
	comp = &cq->ring[cq->head & (cq->cap - 1)];
	if (cq->head != cq->tail && comp->e.err) {
		/* There is no error data: what the caller gave stays untouched. */
		memcpy(buf, &comp->e, offsetof(struct fi_cq_err_entry, err_data));
		buf->err_data_size = 0;
		cq->head++;
		ret = 1;
	}
	pthread_mutex_unlock(&cq->domain->lock);
	return ret;
}

static int cq_signal(struct fid_cq *fid)
{
	struct suo_cq *cq = suo_entry(fid, struct suo_cq, fid);
	int err;

	if (cq->wait.obj == FI_WAIT_NONE)
		return -FI_ENOSYS;
	pthread_mutex_lock(&cq->domain->lock);
	cq->wait.signaled = true;
	err = suo_wait_raise(&cq->wait);
	pthread_mutex_unlock(&cq->domain->lock);
	return err;
}

bool suo_cq_ready(const struct suo_cq *cq)
{
	return cq->head != cq->tail;
}

int suo_cq_trywait(struct suo_cq *cq)
{
	bool more;

	if (cq->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	pthread_mutex_lock(&cq->domain->lock);
	more = suo_wait_arm(&cq->wait) || suo_cq_ready(cq);
	pthread_mutex_unlock(&cq->domain->lock);
	return more ? -FI_EAGAIN : 0;
}

static bool take_signal(struct suo_cq *cq)
{
	bool signaled;

	pthread_mutex_lock(&cq->domain->lock);
	signaled = cq->wait.signaled;
	cq->wait.signaled = false;
	pthread_mutex_unlock(&cq->domain->lock);
	return signaled;
}

static ssize_t cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count, fi_addr_t *src,
			    const void *cond, int timeout)
{
	struct suo_cq *cq = suo_entry(fid, struct suo_cq, fid);
	uint64_t end = suo_deadline(timeout);
	ssize_t ret;

	if (cq->wait.obj == FI_WAIT_NONE)
		return -FI_ENOSYS;
	for (;;) {
		ret = cq_readfrom(fid, buf, count, src);
		if (ret != -FI_EAGAIN)
			return ret;
		if (take_signal(cq))
			return -FI_ECANCELED;
		if (suo_cq_trywait(cq))
			continue;
		ret = suo_wait_sleep(&cq->wait, end);
		if (ret)
			return ret == -FI_ETIMEDOUT ? -FI_EAGAIN : ret;
	}
}

static ssize_t cq_sread(struct fid_cq *cq, void *buf, size_t count, const void *cond,
			int timeout)
{
	return cq_sreadfrom(cq, buf, count, NULL, cond, timeout);
}

static const char *cq_strerror(struct fid_cq *cq, int prov_errno, const void *err_data,
			       char *buf, size_t len)
{
	const char *text = ibv_wc_status_str(prov_errno);

	if (buf && len)
		snprintf(buf, len, "%s", text);
	return text;
}

int suo_wc_errno(enum ibv_wc_status status)
{
	switch (status) {
	case IBV_WC_SUCCESS:
		return 0;
	case IBV_WC_LOC_LEN_ERR:
		return FI_EMSGSIZE;
	case IBV_WC_LOC_PROT_ERR:
	case IBV_WC_REM_ACCESS_ERR:
	case IBV_WC_LOC_ACCESS_ERR:
	case IBV_WC_REM_INV_REQ_ERR:
		return FI_EACCES;
	case IBV_WC_WR_FLUSH_ERR:
		return FI_ECANCELED;
	case IBV_WC_RETRY_EXC_ERR:
	case IBV_WC_RNR_RETRY_EXC_ERR:
		return FI_EHOSTUNREACH;
	default:
		return FI_EIO;
	}
}

static int cq_control(struct fid *fid, int command, void *arg)
{
	return suo_wait_control(&suo_entry(fid, struct suo_cq, fid.fid)->wait, command, arg);
}

static int cq_close(struct fid *fid)
{
	struct suo_cq *cq = suo_entry(fid, struct suo_cq, fid.fid);

	if (__atomic_load_n(&cq->refs, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	suo_wait_fini(&cq->wait);
	__atomic_sub_fetch(&cq->domain->refs, 1, __ATOMIC_ACQ_REL);
	free(cq->ring);
	free(cq);
	return 0;
}

static struct fi_ops cq_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= cq_close,
	.bind		= suo_no_bind,
	.control	= cq_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_cq cq_ops = {
	.size		= sizeof(struct fi_ops_cq),
	.read		= cq_read,
	.readfrom	= cq_readfrom,
	.readerr	= cq_readerr,
	.sread		= cq_sread,
	.sreadfrom	= cq_sreadfrom,
	.signal		= cq_signal,
	.strerror	= cq_strerror,
};

int suo_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		struct fid_cq **fid, void *context)
{
	struct suo_cq *cq;
	int err;

	if (attr->wait_cond != FI_CQ_COND_NONE || attr->size > CQ_MAX_SIZE ||
	    (attr->flags & ~FI_AFFINITY))
		return -FI_ENOSYS;
	if (attr->format == FI_CQ_FORMAT_UNSPEC)
		attr->format = FI_CQ_FORMAT_CONTEXT;
	if (attr->format > FI_CQ_FORMAT_TAGGED)
		return -FI_ENOSYS;

	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -FI_ENOMEM;
	cq->format = attr->format;
	for (cq->cap = CQ_MIN_SIZE; cq->cap < attr->size; cq->cap *= 2)
		;
	cq->ring = malloc(cq->cap * sizeof(*cq->ring));
	if (!cq->ring) {
		err = -FI_ENOMEM;
		goto ring;
	}
	err = suo_wait_init(&cq->wait, &attr->wait_obj);
	if (err)
		goto wait;
	cq->domain = suo_entry(domain, struct suo_domain, fid);
	__atomic_add_fetch(&cq->domain->refs, 1, __ATOMIC_ACQ_REL);
	cq->fid.fid.fclass = FI_CLASS_CQ;
	cq->fid.fid.context = context;
	cq->fid.fid.ops = &cq_fi_ops;
	cq->fid.ops = &cq_ops;
	*fid = &cq->fid;
	return 0;

wait:
	free(cq->ring);
ring:
	free(cq);
	return err;
}
