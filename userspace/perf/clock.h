/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Time: the guest's, the modelled one, and what software takes of it. */
#ifndef SUO_PERF_CLOCK_H
#define SUO_PERF_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t clock_now_ns(void);

/* Sleeps until an instant of that clock; the timer is as exact as it gets. */
void clock_sleep_until(uint64_t when_ns);

/* Asks for timers without slack. */
void clock_init(void);

/* Guest nanoseconds for one modelled nanosecond: configfs, or 1. */
uint64_t clock_time_scale(void);

/* CPU time spent idle, over all CPUs, in nanoseconds; 0 if it cannot be read. */
uint64_t clock_idle_ns(void);
unsigned int clock_cpus(void);

#endif /* SUO_PERF_CLOCK_H */
