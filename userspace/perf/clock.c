// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "userspace/perf/clock.h"

#define TIME_SCALE	"/sys/kernel/config/suo/time_scale"
#define NSEC_PER_SEC	1000000000ull

uint64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

void clock_sleep_until(uint64_t when_ns)
{
	struct timespec ts = {
		.tv_sec		= when_ns / NSEC_PER_SEC,
		.tv_nsec	= when_ns % NSEC_PER_SEC,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

void clock_init(void)
{
	/* Ordinary processes are woken up to 50 us late, to save power. */
	prctl(PR_SET_TIMERSLACK, 1);
}

uint64_t clock_time_scale(void)
{
	FILE *f = fopen(TIME_SCALE, "re");
	uint64_t scale = 1;

	if (!f)
		return 1;
	if (fscanf(f, "%" SCNu64, &scale) != 1 || !scale)
		scale = 1;
	fclose(f);
	return scale;
}

uint64_t clock_idle_ns(void)
{
	FILE *f = fopen("/proc/stat", "re");
	uint64_t idle = 0, iowait = 0;
	long hz = sysconf(_SC_CLK_TCK);

	if (!f)
		return 0;
	if (fscanf(f, "cpu %*u %*u %*u %" SCNu64 " %" SCNu64, &idle, &iowait) != 2)
		idle = iowait = 0;
	fclose(f);
	return (idle + iowait) * (NSEC_PER_SEC / hz);
}

unsigned int clock_cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}
