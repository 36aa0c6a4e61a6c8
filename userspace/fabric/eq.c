// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The event queue: events that the application or the provider writes. */
#include <poll.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "suo_fi.h"

struct eq_event {
	struct suo_list	link;
	uint32_t	event;
	size_t		len;
	uint8_t		data[];
};

static int eq_close(struct fid *fid)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid.fid);
	struct suo_list *node;

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

static ssize_t eq_read(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
		       uint64_t flags)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid);
	struct eq_event *ev;
	ssize_t ret = -FI_EAGAIN;
	uint64_t count;

	pthread_mutex_lock(&eq->lock);
	if (suo_list_empty(&eq->events))
		goto out;
	ev = suo_entry(eq->events.next, struct eq_event, link);
	if (ev->len > len) {
		ret = -FI_ETOOSMALL;
		goto out;
	}
	*event = ev->event;
	memcpy(buf, ev->data, ev->len);
	ret = ev->len;
	if (!(flags & FI_PEEK)) {
		suo_list_del(&ev->link);
		free(ev);
		if (suo_list_empty(&eq->events) && read(eq->fd, &count, sizeof(count)) < 0)
			suo_warn(EQ, "eventfd: %s\n", strerror(errno));
	}
out:
	pthread_mutex_unlock(&eq->lock);
	return ret;
}

static ssize_t eq_readerr(struct fid_eq *fid, struct fi_eq_err_entry *buf, uint64_t flags)
{
	return -FI_EAGAIN;
}

static ssize_t eq_write(struct fid_eq *fid, uint32_t event, const void *buf,
			size_t len, uint64_t flags)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid);
	struct eq_event *ev = malloc(sizeof(*ev) + len);
	uint64_t one = 1;

	if (!ev)
		return -FI_ENOMEM;
	ev->event = event;
	ev->len = len;
	memcpy(ev->data, buf, len);
	pthread_mutex_lock(&eq->lock);
	suo_list_add_tail(&ev->link, &eq->events);
	if (write(eq->fd, &one, sizeof(one)) < 0)
		suo_warn(EQ, "eventfd: %s\n", strerror(errno));
	pthread_mutex_unlock(&eq->lock);
	return len;
}

static ssize_t eq_sread(struct fid_eq *fid, uint32_t *event, void *buf, size_t len,
			int timeout, uint64_t flags)
{
	struct suo_eq *eq = suo_entry(fid, struct suo_eq, fid);
	struct pollfd pfd = { .fd = eq->fd, .events = POLLIN };
	ssize_t ret = eq_read(fid, event, buf, len, flags);

	if (ret != -FI_EAGAIN)
		return ret;
	if (poll(&pfd, 1, timeout) < 0)
		return -errno;
	return eq_read(fid, event, buf, len, flags);
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
	eq->fabric = suo_entry(fabric, struct suo_fabric, fid);
	__atomic_add_fetch(&eq->fabric->refs, 1, __ATOMIC_ACQ_REL);
	eq->fid.fid.fclass = FI_CLASS_EQ;
	eq->fid.fid.context = context;
	eq->fid.fid.ops = &eq_fi_ops;
	eq->fid.ops = &eq_ops;
	*fid = &eq->fid;
	return 0;
}
