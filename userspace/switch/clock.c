// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Modelled time. It follows CLOCK_MONOTONIC, but what happens in it is told the time that
 * it was due at, however late the process woke: a port that has much to send sends at its
 * rate on average. When the process is further behind than it may be, modelled time
 * stands still for so long, instead of having the ports send a burst.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "userspace/switch/switchd.h"

#define NS_PER_S	1000000000ull

/* Between two looks at the ports. */
#define AT_ONCE		1024u

static u64 real_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static u64 to_ps(const struct swd_clock *clock, u64 ns)
{
	return suo_mul_div(ns - clock->base_ns, 1000, clock->scale);
}

/* When a modelled time is over. */
static u64 to_ns(const struct swd_clock *clock, u64 ps)
{
	return suo_add_sat(clock->base_ns + 1, suo_mul_div(ps, clock->scale, 1000));
}

u64 swd_clock_ps(struct swd *s)
{
	return suo_max(to_ps(&s->clock, real_ns()), s->now_ps);
}

void swd_timer_at(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	timer->at_ps = at_ps;
	suo_heap_add(&s->heap, at_ps, SWD_TIMER, timer, 0);
}

void swd_timer_stop(struct swd *s, struct swd_timer *timer)
{
	/* What is in the heap finds that its time has changed. */
	timer->at_ps = U64_MAX;
}

static void happen(struct swd *s, const struct suo_happening *what)
{
	u32 kind = suo_happening_kind(what);
	struct swd_timer *timer = what->object;
	u32 node = what->arg >> 32, port = what->arg;

	switch (kind) {
	case SWD_AT_SWITCH:
		swd_at_switch(s, node, port, what->object, what->at_ps);
		return;
	case SWD_AT_NIC:
		swd_at_nic(s, port, what->object, what->at_ps);
		return;
	case SWD_TIMER:
		if (timer->at_ps != what->at_ps)
			return;
		timer->at_ps = U64_MAX;
		timer->fn(s, timer, what->at_ps);
		return;
	default:
		suo_switch_timer(s->node[node].sw, kind - SWD_SWITCH_TIMER, port,
				 what->object, what->at_ps);
		return;
	}
}

/* Return: whether nothing more is due. */
static bool run(struct swd *s, u64 until_ps, u64 most)
{
	struct suo_happening what;

	while (most--) {
		if (!suo_heap_next_until(&s->heap, until_ps, &what)) {
			s->now_ps = suo_max(s->now_ps, until_ps);
			return true;
		}
		s->now_ps = what.at_ps;
		happen(s, &what);
	}
	return false;
}

void swd_run(struct swd *s, u64 until_ps)
{
	run(s, until_ps, U64_MAX);
}

/* Stand still for what is more than may be caught up. */
static void bound_lateness(struct swd *s, u64 now_ns)
{
	u64 due_ns = to_ns(&s->clock, suo_heap_soonest_ps(&s->heap));
	u64 most_ns = s->opts.max_late_us * 1000ull;

	if (now_ns < due_ns || now_ns - due_ns <= most_ns)
		return;
	s->clock.slips++;
	s->clock.slipped_ns += now_ns - due_ns - most_ns;
	s->clock.base_ns += now_ns - due_ns - most_ns;
}

static void arm(struct swd *s, u64 at_ns)
{
	struct itimerspec t = {
		.it_value = { at_ns / NS_PER_S, at_ns % NS_PER_S },
	};

	if (at_ns == s->armed_ns)
		return;
	s->armed_ns = at_ns;
	timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &t, NULL);
}

/* Before the loop waits: do what is due, and have it woken for what comes. */
static void settle(struct ev_loop *loop, ev_prepare *watcher, int events)
{
	struct swd *s = watcher->data;
	u64 soonest_ps;

	bound_lateness(s, real_ns());
	run(s, to_ps(&s->clock, real_ns()), AT_ONCE);
	if (s->heap.full) {
		swd_error(0, "not enough memory");
		ev_break(loop, EVBREAK_ALL);
		return;
	}
	soonest_ps = suo_heap_soonest_ps(&s->heap);
	arm(s, soonest_ps == U64_MAX ? 0 : to_ns(&s->clock, soonest_ps));
}

static void expired(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct swd *s = watcher->data;
	u64 times;

	/* It is made ready again by the next settle(). */
	if (read(s->timer_fd, &times, sizeof(times)) == sizeof(times))
		s->armed_ns = 0;
}

int swd_clock_init(struct swd *s)
{
	s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (s->timer_fd < 0)
		return swd_error(-errno, "no timer: %s", strerror(errno));
	s->clock.scale = s->opts.time_scale ? s->opts.time_scale : s->cluster->time_scale;
	s->clock.base_ns = real_ns();
	ev_prepare_init(&s->settle, settle);
	s->settle.data = s;
	ev_prepare_start(s->loop, &s->settle);
	ev_io_init(&s->timer_watcher, expired, s->timer_fd, EV_READ);
	s->timer_watcher.data = s;
	ev_io_start(s->loop, &s->timer_watcher);
	return 0;
}

void swd_clock_free(struct swd *s)
{
	suo_heap_free(&s->heap);
	if (s->timer_fd < 0)
		return;
	ev_prepare_stop(s->loop, &s->settle);
	ev_io_stop(s->loop, &s->timer_watcher);
	close(s->timer_fd);
	s->timer_fd = -1;
}
