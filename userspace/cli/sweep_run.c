// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Running a sweep. Of J processes, each does every J-th point and sends the lines
 * through a pipe; the pipes are read in turn, so lines come in the order of points
 * whoever is faster, and what is written is always a beginning of the whole.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "userspace/cli/sweep.h"

#define MAX_JOBS	256

/* What comes before the lines of a point. */
struct head {
	uint32_t	bytes;
	uint32_t	good;
};

struct worker {
	pid_t	pid;
	int	fd;
};

/* What ends a sweep after a whole point. */
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

#define NUM_SIGNALS	(sizeof(signals) / sizeof(signals[0]))

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	stop = 1;
}

static bool write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= n;
	}
	return true;
}

/* Return: false at the end, or when a signal came. */
static bool read_all(int fd, void *data, size_t size)
{
	char *at = data;

	while (size) {
		ssize_t n;

		if (stop)
			return false;
		n = read(fd, at, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= n;
	}
	return true;
}

/* In a process of its own: every jobs-th point. */
static void work(const struct sweep *sweep, uint64_t from, unsigned int jobs, int fd)
{
	/* The parent is told by the terminal, too, and closes the pipe. */
	for (size_t i = 0; i < NUM_SIGNALS; i++)
		signal(signals[i], SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	for (uint64_t n = from; n < sweep->points; n += jobs) {
		struct head head = { 0 };
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		if (!out)
			_exit(1);
		head.good = sweep_put_point(sweep, n, out);
		if (fclose(out))
			_exit(1);
		head.bytes = size;
		if (!write_all(fd, &head, sizeof(head)) || !write_all(fd, text, size))
			_exit(1);
		free(text);
	}
	_exit(0);
}

/* Start the n-th. Return: a status. */
static int start(struct worker workers[], unsigned int n, const struct sweep *sweep,
		 uint64_t from, unsigned int jobs)
{
	struct worker *worker = &workers[n];
	int fds[2];

	if (pipe(fds))
		return suo_error(SUO_FAILED, "pipe: %s", strerror(errno));
	worker->pid = fork();
	if (worker->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return suo_error(SUO_FAILED, "fork: %s", strerror(errno));
	}
	if (!worker->pid) {
		close(fds[0]);
		/* Who holds a reading end keeps the writer from seeing it closed. */
		for (unsigned int i = 0; i < n; i++)
			close(workers[i].fd);
		work(sweep, from + n, jobs, fds[1]);
	}
	close(fds[1]);
	worker->fd = fds[0];
	return SUO_OK;
}

static void finish(struct worker *worker, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		close(worker[i].fd);
		while (waitpid(worker[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void show_progress(uint64_t done, uint64_t from, uint64_t points, double start_s)
{
	double elapsed = now_s() - start_s;
	double left = done > from ? elapsed / (done - from) * (points - done) : 0;

	fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " points, %.0f %%, %.0f s left   ",
		done, points, 100.0 * done / points, left);
}

/* Take over a point. Return: 1, 0 at the end or after a signal, -1 after an error. */
static int take_point(int fd, FILE *out, uint64_t *refused)
{
	struct head head;
	char *text;
	int ret = 0;

	if (!read_all(fd, &head, sizeof(head)))
		return stop ? 0 : -1;
	text = malloc(head.bytes);
	if (!text)
		return -1;
	if (read_all(fd, text, head.bytes)) {
		ret = fwrite(text, 1, head.bytes, out) == head.bytes ? 1 : -1;
		*refused += !head.good;
	} else if (!stop) {
		ret = -1;
	}
	free(text);
	return ret;
}

static int collect(const struct sweep *sweep, uint64_t from, unsigned int jobs,
		   struct worker *worker, FILE *out, uint64_t *refused)
{
	bool tty = isatty(STDERR_FILENO);
	double start_s = now_s(), shown_s = 0;
	uint64_t n;
	int got = 1;

	for (n = from; n < sweep->points && got > 0; n++) {
		got = take_point(worker[(n - from) % jobs].fd, out, refused);
		if (got <= 0)
			break;
		if (tty && now_s() - shown_s > 0.2) {
			shown_s = now_s();
			show_progress(n + 1, from, sweep->points, start_s);
		}
	}
	if (tty)
		fputs("\r\033[K", stderr);
	if (fflush(out) || ferror(out))
		return suo_error(SUO_FAILED, "cannot write: %s", strerror(errno));
	if (got < 0)
		return suo_error(SUO_FAILED, "a process of the sweep has failed");
	if (n < sweep->points)
		return suo_error(SUO_FAILED, "interrupted after %" PRIu64 " of %" PRIu64
				 " points; go on with --resume", n, sweep->points);
	return SUO_OK;
}

int sweep_run(const struct sweep *sweep, uint64_t from, unsigned int jobs,
	      FILE *out, uint64_t *refused)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct worker worker[MAX_JOBS];
	struct sigaction old[NUM_SIGNALS];
	unsigned int started = 0;
	int status = SUO_OK;

	if (jobs > MAX_JOBS)
		jobs = MAX_JOBS;
	if (jobs > sweep->points - from)
		jobs = sweep->points - from;
	/* What is not written yet would be written by each process. */
	fflush(NULL);
	for (size_t i = 0; i < NUM_SIGNALS; i++)
		sigaction(signals[i], &action, &old[i]);
	for (; started < jobs && !status; started += !status)
		status = start(worker, started, sweep, from, jobs);
	if (!status && jobs)
		status = collect(sweep, from, jobs, worker, out, refused);
	finish(worker, started);
	for (size_t i = 0; i < NUM_SIGNALS; i++)
		sigaction(signals[i], &old[i], NULL);
	return status;
}
