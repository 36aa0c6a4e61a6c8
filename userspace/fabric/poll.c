// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Poll sets: queues and counters that are looked at together. */
#include "suo_fi.h"

struct poll_member {
	struct suo_list	link;
	struct fid	*fid;
};

struct suo_poll {
	struct fid_poll		fid;
	struct suo_domain	*domain;
	struct suo_list		members;
};

static struct poll_member *find(struct suo_poll *poll, const struct fid *fid)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &poll->members) {
		struct poll_member *m = suo_entry(pos, struct poll_member, link);

		if (m->fid == fid)
			return m;
	}
	return NULL;
}

/* The count of what keeps a queue or counter from being closed. */
static int *refs_of(struct fid *fid, struct suo_domain **domain)
{
	struct suo_cntr *cntr;
	struct suo_cq *cq;

	switch (fid->fclass) {
	case FI_CLASS_CQ:
		cq = suo_entry(fid, struct suo_cq, fid.fid);
		*domain = cq->domain;
		return &cq->refs;
	case FI_CLASS_CNTR:
		cntr = suo_entry(fid, struct suo_cntr, fid.fid);
		*domain = cntr->domain;
		return &cntr->refs;
	default:
		return NULL;
	}
}

/* Makes progress; is there something to read? */
static bool ready(struct fid *fid)
{
	struct suo_cntr *cntr;
	struct suo_cq *cq;

	if (fid->fclass == FI_CLASS_CQ) {
		cq = suo_entry(fid, struct suo_cq, fid.fid);
		suo_wait_progress(&cq->wait);
		return suo_cq_ready(cq);
	}
	cntr = suo_entry(fid, struct suo_cntr, fid.fid);
	suo_wait_progress(&cntr->wait);
	return suo_cntr_changed(cntr);
}

static int poll_poll(struct fid_poll *fid, void **context, int count)
{
	struct suo_poll *poll = suo_entry(fid, struct suo_poll, fid);
	struct suo_list *pos;
	int n = 0;

	pthread_mutex_lock(&poll->domain->lock);
	suo_list_for_each(pos, &poll->members) {
		struct fid *member = suo_entry(pos, struct poll_member, link)->fid;

		if (n == count)
			break;
		if (ready(member))
			context[n++] = member->context;
	}
	pthread_mutex_unlock(&poll->domain->lock);
	return n;
}

static int poll_add(struct fid_poll *fid, struct fid *event_fid, uint64_t flags)
{
	struct suo_poll *poll = suo_entry(fid, struct suo_poll, fid);
	struct suo_domain *domain = NULL;
	struct poll_member *m;
	int *refs = refs_of(event_fid, &domain);

	if (flags || !refs || domain != poll->domain)
		return -FI_EINVAL;
	m = malloc(sizeof(*m));
	if (!m)
		return -FI_ENOMEM;
	m->fid = event_fid;
	pthread_mutex_lock(&domain->lock);
	if (find(poll, event_fid)) {
		pthread_mutex_unlock(&domain->lock);
		free(m);
		return -FI_EINVAL;
	}
	suo_list_add_tail(&m->link, &poll->members);
	pthread_mutex_unlock(&domain->lock);
	__atomic_add_fetch(refs, 1, __ATOMIC_ACQ_REL);
	return 0;
}

static void drop(struct poll_member *m)
{
	struct suo_domain *domain;

	__atomic_sub_fetch(refs_of(m->fid, &domain), 1, __ATOMIC_ACQ_REL);
	suo_list_del(&m->link);
	free(m);
}

static int poll_del(struct fid_poll *fid, struct fid *event_fid, uint64_t flags)
{
	struct suo_poll *poll = suo_entry(fid, struct suo_poll, fid);
	struct poll_member *m;

	if (flags)
		return -FI_EINVAL;
	pthread_mutex_lock(&poll->domain->lock);
	m = find(poll, event_fid);
	if (m)
		drop(m);
	pthread_mutex_unlock(&poll->domain->lock);
	return m ? 0 : -FI_EINVAL;
}

static int poll_close(struct fid *fid)
{
	struct suo_poll *poll = suo_entry(fid, struct suo_poll, fid.fid);

	pthread_mutex_lock(&poll->domain->lock);
	while (!suo_list_empty(&poll->members))
		drop(suo_entry(poll->members.next, struct poll_member, link));
	pthread_mutex_unlock(&poll->domain->lock);
	__atomic_sub_fetch(&poll->domain->refs, 1, __ATOMIC_ACQ_REL);
	free(poll);
	return 0;
}

static struct fi_ops poll_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= poll_close,
	.bind		= suo_no_bind,
	.control	= suo_no_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_poll poll_ops = {
	.size		= sizeof(struct fi_ops_poll),
	.poll		= poll_poll,
	.poll_add	= poll_add,
	.poll_del	= poll_del,
};

int suo_poll_open(struct fid_domain *domain, struct fi_poll_attr *attr,
		  struct fid_poll **fid)
{
	struct suo_poll *poll;

	if (attr && attr->flags)
		return -FI_EINVAL;
	poll = calloc(1, sizeof(*poll));
	if (!poll)
		return -FI_ENOMEM;
	suo_list_init(&poll->members);
	poll->domain = suo_entry(domain, struct suo_domain, fid);
	__atomic_add_fetch(&poll->domain->refs, 1, __ATOMIC_ACQ_REL);
	poll->fid.fid.fclass = FI_CLASS_POLL;
	poll->fid.fid.ops = &poll_fi_ops;
	poll->fid.ops = &poll_ops;
	*fid = &poll->fid;
	return 0;
}
