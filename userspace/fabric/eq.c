// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The event queue: events that the application or the provider writes. */
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "suo_fi.h"

/* @err: of an event that is an error: its data is a struct fi_eq_err_entry. */
struct eq_event {
	struct suo_list	link;
	bool		err;
	uint32_t	event;
	size_t		len;
	uint8_t		data[];
};

static int eq_close(struct fid *fid)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid.fid);
	struct suo_list *node;

	if (!suo_list_empty(&eq->eps))
		return -FI_EBUSY;
	while ((node = suo_list_pop(&eq->events)))
		free(suo_entry(node, struct eq_event, link));
	close(eq->fd);
	pthread_mutex_destroy(&eq->lock);
	__atomic_sub_fetch(&eq->fabric->refs, 1, __ATOMIC_ACQ_REL);
	free(eq);
	return 0;
}

static int eq_control(struct fid *fid, int command, void *arg)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid.fid);

	if (command != FI_GETWAIT)
		return -FI_ENOSYS;
	*(int *)arg = eq->fd;
	return 0;
}

/* Events come of what happens at endpoints: so reading drives these. */
static void progress(struct suo_eq *eq)
{
	struct suo_ep *ep = NULL;

	pthread_mutex_lock(&eq->lock);
	if (suo_list_empty(&eq->events) && !suo_list_empty(&eq->eps)) {
		ep = suo_entry(suo_list_pop(&eq->eps), struct suo_ep, eq_link);
		suo_list_add_tail(&ep->eq_link, &eq->eps);
	}
	pthread_mutex_unlock(&eq->lock);
	if (!ep || !ep->enabled)
		return;
	pthread_mutex_lock(&ep->domain->lock);
	suo_progress(ep);
	pthread_mutex_unlock(&ep->domain->lock);
}

/* Takes the first event off. */
static void drop(struct suo_eq *eq, struct eq_event *ev)
{
	uint64_t count;

	suo_list_del(&ev->link);
	free(ev);
	if (suo_list_empty(&eq->events) && read(eq->fd, &count, sizeof(count)) < 0)
		suo_warn(EQ, "eventfd: %s\n", strerror(errno));
}

static ssize_t eq_read(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
		       uint64_t flags)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid);
	struct eq_event *ev;
	ssize_t ret = -FI_EAGAIN;

	progress(eq);
	pthread_mutex_lock(&eq->lock);
	if (suo_list_empty(&eq->events))
		goto out;
	ev = suo_entry(eq->events.next, struct eq_event, link);
	if (ev->err) {
		ret = -FI_EAVAIL;
		goto out;
	}
	/* Who asks for no more than the event gets no more, as with libfabric's own
	 * providers.
	 */
	if (len > ev->len)
		len = ev->len;
	*event = ev->event;
	if (len)
		memcpy(buf, ev->data, len);
	ret = len;
	if (!(flags & FI_PEEK))
		drop(eq, ev);
out:
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *buf, uint64_t flags)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid);
	struct eq_event *ev;
	ssize_t ret = -FI_EAGAIN;

	pthread_mutex_lock(&eq->lock);
	if (suo_list_empty(&eq->events))
		goto out;
	ev = suo_entry(eq->events.next, struct eq_event, link);
	if (!ev->err)
		goto out;
	/* The room for further data, if the application gives some, stays empty. */
	memcpy(buf, ev->data, offsetof(struct fi_eq_err_entry, err_data));
	buf->err_data_size = 0;
	ret = sizeof(*buf);
	if (!(flags & FI_PEEK))
		drop(eq, ev);
out:
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static int post(struct suo_eq *eq, uint32_t event, bool err, const void *buf, size_t len)
{
	struct eq_event *ev = malloc(sizeof(*ev) + len);
	uint64_t one = 1;

	if (!ev)
		return -FI_ENOMEM;
	ev->event = event;
	ev->err = err;
	ev->len = len;
	memcpy(ev->data, buf, len);
	pthread_mutex_lock(&eq->lock);
	suo_list_add_tail(&ev->link, &eq->events);
	if (write(eq->fd, &one, sizeof(one)) < 0)
		suo_warn(EQ, "eventfd: %s\n", strerror(errno));
	pthread_mutex_unlock(&eq->lock);
	return 0;
}

static ssize_t eq_write(struct fid_eq *fid, uint32_t event, const void *buf,
			size_t len, uint64_t flags)
{
	int err = post(suo_entry(fid, struct suo_eq, fid), event, false, buf, len);

	return err ? err : (ssize_t)len;
}

void suo_eq_post(struct suo_eq *eq, uint32_t event, const void *buf, size_t len)
{
	if (post(eq, event, false, buf, len))
		suo_warn(EQ, "no memory for an event\n");
}

void suo_eq_post_err(struct suo_eq *eq, struct fid *fid, void *context, int err)
{
	struct fi_eq_err_entry entry = { .fid = fid, .context = context, .err = err };

	if (post(eq, 0, true, &entry, sizeof(entry)))
		suo_warn(EQ, "no memory for an event\n");
}

int suo_eq_bind(struct suo_eq *eq, struct suo_ep *ep)
{
	pthread_mutex_lock(&eq->lock);
	suo_list_add_tail(&ep->eq_link, &eq->eps);
	pthread_mutex_unlock(&eq->lock);
	ep->eq = eq;
	return 0;
}

void suo_eq_unbind(struct suo_eq *eq, struct suo_ep *ep)
{
	pthread_mutex_lock(&eq->lock);
	suo_list_del(&ep->eq_link);
	pthread_mutex_unlock(&eq->lock);
}

/* Endpoints move only when they are looked at: sleep no longer than this, in ms. */
#define EQ_SLICE_MS	10

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
			int timeout, uint64_t flags)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid);
	struct pollfd pfd = { .fd = eq->fd, .events = POLLIN };
	uint64_t end = suo_now_ns() / 1000000 + timeout;

	for (;;) {
		ssize_t ret = eq_read(fid, event, buf, len, flags);
		int64_t left = timeout < 0 ? INT32_MAX : (int64_t)(end - suo_now_ns() / 1000000);

		if (ret != -FI_EAGAIN || left <= 0)
			return ret;
		if (left > EQ_SLICE_MS && !suo_list_empty(&eq->eps))
			left = EQ_SLICE_MS;
		if (poll(&pfd, 1, left) < 0)
			return -errno;
	}
}

static const char *eq_strerror(struct fid_eq *eq, int prov_errno, const void *err_data,
			       char *buf, size_t len)
{
	const char *text = fi_strerror(prov_errno);

	if (buf && len)
		snprintf(buf, len, "%s", text);
	return text;
}

static struct fi_ops eq_fi_ops = {
	.size		= sizeof(struct fi_ops),
	.close		= eq_close,
	.bind		= suo_no_bind,
	.control	= eq_control,
	.ops_open	= suo_no_ops_open,
};

static struct fi_ops_eq eq_ops = {
	.size		= sizeof(struct fi_ops_eq),
	.read		= eq_read,
	.readerr	= eq_readerr,
	.write		= eq_write,
	.sread		= eq_sread,
	.strerror	= eq_strerror,
};

int suo_eq_trywait(struct suo_eq *eq)
{
	int ret;

	pthread_mutex_lock(&eq->lock);
	ret = suo_list_empty(&eq->events) ? 0 : -FI_EAGAIN;
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

int suo_eq_open(struct fid_fabric *fabric, struct fi_eq_attr *attr,
		struct fid_eq **fid, void *context)
{
	struct suo_eq *eq;
	int err;

	if (attr && attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC &&
	    attr->wait_obj != FI_WAIT_FD)
		return -FI_ENOSYS;
	eq = calloc(1, sizeof(*eq));
	if (!eq)
		return -FI_ENOMEM;
	eq->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (eq->fd < 0) {
		err = -errno;
		free(eq);
		return err;
	}
	pthread_mutex_init(&eq->lock, NULL);
	suo_list_init(&eq->events);
	suo_list_init(&eq->eps);
	eq->fabric = suo_entry(fabric, struct suo_fabric, fid);
	__atomic_add_fetch(&eq->fabric->refs, 1, __ATOMIC_ACQ_REL);
	eq->fid.fid.fclass = FI_CLASS_EQ;
	eq->fid.fid.context = context;
	eq->fid.fid.ops = &eq_fi_ops;
	eq->fid.ops = &eq_ops;
	*fid = &eq->fid;
	return 0;
}
