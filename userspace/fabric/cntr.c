// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Counters of completed operations. */
#include <sched.h>

#include "suo_fi.h"

void suo_cntr_add(struct suo_cntr *cntr, bool err)
{
	if (!cntr)
		return;
	if (err)
		cntr->err++;
	else
		cntr->value++;
	suo_wait_raise(&cntr->wait);
}

/* Which of an endpoint's counters an operation with these flags goes to. */
enum suo_cntr_kind suo_cntr_kind(uint64_t flags)
{
	if (flags & FI_SEND)
		return SUO_CNTR_SEND;
	return flags & FI_READ ? SUO_CNTR_READ : SUO_CNTR_WRITE;
}

bool suo_cntr_changed(struct suo_cntr *cntr)
{
	uint64_t sum = cntr->value + cntr->err;
	bool changed = sum != cntr->polled;

	cntr->polled = sum;
	return changed;
}

static uint64_t cntr_get(struct suo_cntr *cntr, const uint64_t *which)
{
	uint64_t value;

	pthread_mutex_lock(&cntr->domain->lock);
	suo_wait_progress(&cntr->wait);
	value = *which;
	pthread_mutex_unlock(&cntr->domain->lock);
	return value;
}

static uint64_t cntr_read(struct fid_cntr *fid)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);

	return cntr_get(cntr, &cntr->value);
}

static uint64_t cntr_readerr(struct fid_cntr *fid)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);

	return cntr_get(cntr, &cntr->err);
}

static int cntr_change(struct suo_cntr *cntr, uint64_t *which, uint64_t value, bool add)
{
	pthread_mutex_lock(&cntr->domain->lock);
	*which = add ? *which + value : value;
	suo_wait_raise(&cntr->wait);
	pthread_mutex_unlock(&cntr->domain->lock);
	return 0;
}

static int cntr_add(struct fid_cntr *fid, uint64_t value)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);

	return cntr_change(cntr, &cntr->value, value, true);
}

static int cntr_set(struct fid_cntr *fid, uint64_t value)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);

	return cntr_change(cntr, &cntr->value, value, false);
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);

	return cntr_change(cntr, &cntr->err, value, true);
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);

	return cntr_change(cntr, &cntr->err, value, false);
}

int suo_cntr_trywait(struct suo_cntr *cntr)
{
	uint64_t before;
	bool more;

	if (cntr->wait.obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	pthread_mutex_lock(&cntr->domain->lock);
	before = cntr->value + cntr->err;
	more = suo_wait_arm(&cntr->wait) || cntr->value + cntr->err != before;
	pthread_mutex_unlock(&cntr->domain->lock);
	return more ? -FI_EAGAIN : 0;
}

/* A counter without a wait object is waited for by looking again and again. */
static int look_again(uint64_t end_ns)
{
	if (suo_now_ns() >= end_ns)
		return -FI_ETIMEDOUT;
	sched_yield();
	return 0;
}

static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid);
	uint64_t end = suo_deadline(timeout);
	uint64_t errors = cntr->err;
	int err = 0;

	for (;;) {
		if (cntr_read(fid) >= threshold)
			return 0;
		if (__atomic_load_n(&cntr->err, __ATOMIC_RELAXED) != errors)
			return -FI_EAVAIL;
		if (err)
			return err;
		if (cntr->wait.obj == FI_WAIT_NONE)
			err = look_again(end);
		else if (!suo_cntr_trywait(cntr))
			err = suo_wait_sleep(&cntr->wait, end);
	}
}

static int cntr_control(struct fid *fid, int command, void *arg)
{
	return suo_wait_control(&suo_entry(fid, struct suo_cntr, fid.fid)->wait, command,
				arg);
}

static int cntr_close(struct fid *fid)
{
	struct suo_cntr *cntr = suo_entry(fid, struct suo_cntr, fid.fid);

	if (__atomic_load_n(&cntr->refs, __ATOMIC_ACQUIRE))
		return -FI_EBUSY;
	suo_wait_fini(&cntr->wait);
	__atomic_sub_fetch(&cntr->domain->refs, 1, __ATOMIC_ACQ_REL);
	free(cntr);
	return 0;
}

static struct fi_ops cntr_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= cntr_close,
	.bind		= suo_no_bind,
	.control	= cntr_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_cntr cntr_ops = {
	.size		= sizeof(struct fi_ops_cntr),
	.read		= cntr_read,
	.readerr	= cntr_readerr,
	.add		= cntr_add,
	.set		= cntr_set,
	.wait		= cntr_wait,
	.adderr		= cntr_adderr,
	.seterr		= cntr_seterr,
};

int suo_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		  struct fid_cntr **fid, void *context)
{
	struct suo_cntr *cntr;
	int err;

	if (attr->events != FI_CNTR_EVENTS_COMP || attr->flags)
		return -FI_ENOSYS;
	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return -FI_ENOMEM;
	err = suo_wait_init(&cntr->wait, &attr->wait_obj);
	if (err) {
		free(cntr);
		return err;
	}
	cntr->domain = suo_entry(domain, struct suo_domain, fid);
	__atomic_add_fetch(&cntr->domain->refs, 1, __ATOMIC_ACQ_REL);
	cntr->fid.fid.fclass = FI_CLASS_CNTR;
	cntr->fid.fid.context = context;
	cntr->fid.fid.ops = &cntr_fi_ops;
	cntr->fid.ops = &cntr_ops;
	*fid = &cntr->fid;
	return 0;
}
