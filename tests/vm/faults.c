// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

/* No step makes so many allocations: something would be wrong with the count. */
#define MANY	20000

static int nth_fd = -1;
static unsigned int total;

/* The kernel counts for the thread that opens it. */
void faults_open(void)
{
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd >= 0)
		return;
	printf("Bail out! /proc/thread-self/fail-nth: %s\n", strerror(errno));
	exit(1);
}

static void arm(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, len, 0) != len)
		abort();
}

/* What is left to count; nothing fails any more. */
static unsigned int disarm(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		abort();
	arm(0);
	return strtoul(text, NULL, 10);
}

/* ENFILE is what the kernel says of a socket that it has no memory for. */
static bool is_lack_of_memory(int err)
{
	return err == ENOMEM || err == ENOBUFS || err == ENFILE;
}

/**
 * faults_sampled() - let allocations of a step fail, one at a time
 * @step: the step
 * @each: so many are tried one by one, of those behind them every tenth
 * @works: is what should work still working?
 *
 * One line of TAP for all of it.
 */
void faults_sampled(const struct fault_step *step, unsigned int each,
		    bool (*works)(void))
{
	unsigned int nth = 0, failed = 0, hits = 0;
	bool good = true, hit = true;
	int err = 0;

	while (hit && good && nth < MANY) {
		nth += nth < each ? 1 : 10;
		good = !step->before || step->before();
		if (!good) {
			printf("# %s, allocation %u: it cannot be prepared\n",
			       step->what, nth);
			break;
		}
		arm(nth);
		err = step->call();
		hit = !disarm();
		hits += hit;
		failed += err != 0;
		if (err && (!hit || !is_lack_of_memory(err))) {
			printf("# %s, allocation %u%s: %s\n", step->what, nth,
			       hit ? "" : ", which did not fail", strerror(err));
			good = false;
		}
		if (!step->after(err)) {
			printf("# %s, allocation %u: it returned %d, which is not so\n",
			       step->what, nth, err);
			good = false;
		}
		if (!works()) {
			printf("# %s, allocation %u: nothing works after it\n",
			       step->what, nth);
			good = false;
		}
	}
	total += hits;
	check(good && !hit, "%s: %u allocations failed, and with them %u calls",
	      step->what, hits, failed);
}

void faults_through(const struct fault_step *step, bool (*works)(void))
{
	faults_sampled(step, MANY, works);
}

/* What has been left to count for a process that has ended. */
static unsigned int left_of(pid_t pid)
{
	unsigned int left = 0;
	char path[64];
	siginfo_t info;
	FILE *f;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		abort();
	snprintf(path, sizeof(path), "/proc/%d/fail-nth", pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &left) != 1)
		abort();
	fclose(f);
	return left;
}

/**
 * faults_at_exit() - let each allocation of a process's end fail, one at a time
 * @what: what the process leaves behind
 * @child: makes that, in a process of its own
 * @works: is what should work still working, and what was left gone?
 */
void faults_at_exit(const char *what, bool (*child)(void), bool (*works)(void))
{
	unsigned int nth, hits = 0;
	bool good = true, hit = true;
	int status;
	pid_t pid;

	for (nth = 1; hit && good && nth < MANY; nth++) {
		pid = fork();
		if (!pid) {
			if (!child())
				_exit(1);
			faults_open();
			arm(nth);
			_exit(0);
		}
		hit = !left_of(pid);
		hits += hit;
		good = waitpid(pid, &status, 0) == pid && !status && works();
		if (!good)
			printf("# %s, allocation %u: wait status %d, or nothing works after it\n",
			       what, nth, status);
	}
	total += hits;
	check(good && !hit, "%s: %u allocations failed", what, hits);
}

/* Allocations that have failed in all steps. */
unsigned int faults_total(void)
{
	return total;
}
