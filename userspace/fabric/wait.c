// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a completion queue and a counter have in common: endpoints that make
 * progress for them, and a descriptor that tells a sleeper to look again.
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "suo_fi.h"

static int watch(struct suo_wait *wait, int op, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(wait->epfd, op, fd, &event) ? -errno : 0;
}

int suo_wait_init(struct suo_wait *wait, enum fi_wait_obj *obj)
{
	int err;

	switch (*obj) {
	case FI_WAIT_UNSPEC:
		*obj = FI_WAIT_FD;
		break;
	case FI_WAIT_NONE:
	case FI_WAIT_FD:
		break;
	default:
		return -FI_ENOSYS;
	}
	memset(wait, 0, sizeof(*wait));
	suo_list_init(&wait->eps);
	wait->obj = *obj;
	if (wait->obj == FI_WAIT_NONE)
		return 0;

	wait->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (wait->epfd < 0)
		return -errno;
	wait->evfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wait->evfd < 0) {
		err = -errno;
		goto evfd;
	}
	err = watch(wait, EPOLL_CTL_ADD, wait->evfd);
	if (err)
		goto watch;
	return 0;

watch:
	close(wait->evfd);
evfd:
	close(wait->epfd);
	return err;
}

void suo_wait_fini(struct suo_wait *wait)
{
	if (wait->obj == FI_WAIT_NONE)
		return;
	close(wait->evfd);
	close(wait->epfd);
}

int suo_wait_add_ep(struct suo_wait *wait, struct suo_ep_link *link)
{
	int err;

	if (wait->obj != FI_WAIT_NONE) {
		err = watch(wait, EPOLL_CTL_ADD, link->ep->chan->fd);
		if (err)
			return err;
		err = watch(wait, EPOLL_CTL_ADD, link->ep->timerfd);
		if (err)
			goto timer;
	}
	link->wait = wait;
	suo_list_add_tail(&link->link, &wait->eps);
	return 0;

timer:
	watch(wait, EPOLL_CTL_DEL, link->ep->chan->fd);
	return err;
}

void suo_wait_del_ep(struct suo_ep_link *link)
{
	struct suo_wait *wait = link->wait;

	if (!wait)
		return;
	if (wait->obj != FI_WAIT_NONE) {
		watch(wait, EPOLL_CTL_DEL, link->ep->timerfd);
		watch(wait, EPOLL_CTL_DEL, link->ep->chan->fd);
	}
	suo_list_del(&link->link);
	link->wait = NULL;
}

/* Somebody may sleep on this object while another one's reader makes the
 * progress.
 */
int suo_wait_raise(struct suo_wait *wait)
{
	uint64_t one = 1;

	if (wait->obj == FI_WAIT_NONE || wait->raised)
		return 0;
	wait->raised = write(wait->evfd, &one, sizeof(one)) > 0;
	return wait->raised ? 0 : -errno;
}

void suo_wait_progress(struct suo_wait *wait)
{
	struct suo_list *pos;

	suo_list_for_each(pos, &wait->eps)
		suo_progress(suo_entry(pos, struct suo_ep_link, link)->ep);
}

/* Asks for an event of the endpoint's verbs CQ, then makes progress, in this
 * order: what comes after the progress raises the event.
 */
static bool arm_and_progress(struct suo_ep *ep)
{
	struct ibv_cq *vcq;
	unsigned int events = 0;
	void *context;

	while (!ibv_get_cq_event(ep->chan, &vcq, &context))
		events++;
	if (events) {
		ibv_ack_cq_events(ep->vcq, events);
		ep->armed = false;
	}
	if (!ep->armed)
		ep->armed = !ibv_req_notify_cq(ep->vcq, 0);
	return suo_progress(ep);
}

bool suo_wait_arm(struct suo_wait *wait)
{
	struct suo_list *pos;
	bool more = false;
	uint64_t count;

	suo_list_for_each(pos, &wait->eps)
		more |= arm_and_progress(suo_entry(pos, struct suo_ep_link, link)->ep);
	if (wait->raised && !wait->signaled &&
	    read(wait->evfd, &count, sizeof(count)) > 0)
		wait->raised = false;
	return more || wait->signaled;
}

int suo_wait_sleep(struct suo_wait *wait, uint64_t end_ns)
{
	struct epoll_event event;
	int ms = -1;

	if (end_ns != SUO_FOREVER) {
		uint64_t now = suo_now_ns();

		if (now >= end_ns)
			return -FI_ETIMEDOUT;
		ms = (end_ns - now + 999999) / 1000000;
	}
	return epoll_wait(wait->epfd, &event, 1, ms) < 0 ? -errno : 0;
}

int suo_wait_control(struct suo_wait *wait, int command, void *arg)
{
	switch (command) {
	case FI_GETWAIT:
		if (wait->obj == FI_WAIT_NONE)
			return -FI_ENODATA;
		*(int *)arg = wait->epfd;
		return 0;
	case FI_GETWAITOBJ:
		*(enum fi_wait_obj *)arg = wait->obj;
		return 0;
	default:
		return -FI_ENOSYS;
	}
}

uint64_t suo_deadline(int timeout_ms)
{
	if (timeout_ms < 0)
		return SUO_FOREVER;
	return suo_now_ns() + (uint64_t)timeout_ms * 1000000;
}
