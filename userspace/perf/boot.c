// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "userspace/perf/boot.h"

#define MAGIC		0x53554f50u	/* "SUOP" */
#define VERSION		1
#define TIMEOUT_S	120	/* until all have come */
#define RETRY_MS	20
#define BOOT_ID		"/proc/sys/kernel/random/boot_id"
#define BOOT_ID_LEN	40

/* What a process says first. */
struct hello {
	uint32_t	magic;
	uint32_t	version;
	uint32_t	rank;
	uint32_t	nranks;
	uint64_t	options;
	char		boot_id[BOOT_ID_LEN];
};

/* What rank 0 answers when all have come, or when it has a reason not to. */
struct welcome {
	uint32_t	magic;
	uint32_t	refused;
	uint32_t	same_clock;
	char		why[160];
};

static int fail(struct boot *boot, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct boot *boot, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(boot->why, sizeof(boot->why), fmt, ap);
	va_end(ap);
	return err;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

static int send_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		at += n;
		len -= n;
	}
	return 0;
}

static int recv_all(int fd, void *data, size_t len)
{
	char *at = data;

	while (len) {
		ssize_t n = recv(fd, at, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		at += n;
		len -= n;
	}
	return 0;
}

union address {
	struct sockaddr		any;
	struct sockaddr_un	un;
	struct sockaddr_storage	storage;
};

static bool is_port(const char *text)
{
	char *end;
	long port = strtol(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && port > 0 && port < 65536;
}

/* Splits tcp:HOST:PORT at its last colon; the host may be in brackets. */
static bool split_tcp(const char *where, char *host, size_t size, const char **port)
{
	const char *begin = where + 4, *end = strrchr(begin, ':');
	size_t len;

	if (!end || end == begin || !is_port(end + 1))
		return false;
	*port = end + 1;
	if (*begin == '[' && end[-1] == ']') {
		begin++;
		end--;
	}
	len = end - begin;
	if (!len || len >= size)
		return false;
	memcpy(host, begin, len);
	host[len] = '\0';
	return true;
}

bool boot_where_valid(const char *where)
{
	struct sockaddr_un un;
	char host[256];
	const char *port;

	if (!strncmp(where, "unix:", 5))
		return where[5] && strlen(where + 5) < sizeof(un.sun_path);
	return !strncmp(where, "tcp:", 4) && split_tcp(where, host, sizeof(host), &port);
}

static int resolve(struct boot *boot, union address *addr, socklen_t *len)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *res;
	const char *where = boot->attr.where;
	char host[256];
	const char *port;
	int err;

	memset(addr, 0, sizeof(*addr));
	if (!strncmp(where, "unix:", 5)) {
		addr->un.sun_family = AF_UNIX;
		memcpy(addr->un.sun_path, where + 5, strlen(where + 5));
		*len = sizeof(addr->un);
		return 0;
	}
	if (!split_tcp(where, host, sizeof(host), &port))
		return fail(boot, -EINVAL, "rendezvous %s: not tcp:HOST:PORT", where);
	err = getaddrinfo(host, port, &hints, &res);
	if (err)
		return fail(boot, -EINVAL, "rendezvous %s: %s", where, gai_strerror(err));
	memcpy(addr, res->ai_addr, res->ai_addrlen);
	*len = res->ai_addrlen;
	freeaddrinfo(res);
	return 0;
}

static void read_boot_id(char id[BOOT_ID_LEN])
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);

	memset(id, 0, BOOT_ID_LEN);
	if (fd < 0)
		return;
	if (read(fd, id, BOOT_ID_LEN - 1) < 0)
		id[0] = '\0';
	close(fd);
}

static void no_delay(int fd)
{
	int one = 1;

	/* Fails on a unix socket, which has no such delay. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static int watch(struct boot *boot, int fd)
{
	struct epoll_event event = { .events = EPOLLRDHUP };

	if (epoll_ctl(boot->abort_fd, EPOLL_CTL_ADD, fd, &event))
		return fail(boot, -errno, "epoll_ctl: %s", strerror(errno));
	return 0;
}

/* Takes in one process; a refusal is told to it as well. */
static int admit(struct boot *boot, int fd, const char *boot_id)
{
	struct welcome no = { .magic = MAGIC, .refused = 1 };
	struct hello hello;
	int err;

	err = recv_all(fd, &hello, sizeof(hello));
	if (err || hello.magic != MAGIC || hello.version != VERSION) {
		close(fd);	/* a stranger, or one that died: the others may come */
		return 0;
	}
	if (hello.nranks != boot->attr.nranks || hello.options != boot->attr.options)
		fail(boot, 0, "rank %u was started with other options than rank 0", hello.rank);
	else if (!hello.rank || hello.rank >= boot->attr.nranks)
		fail(boot, 0, "rank %u does not exist", hello.rank);
	else if (boot->fd[hello.rank] >= 0)
		fail(boot, 0, "rank %u was started twice", hello.rank);
	else {
		boot->fd[hello.rank] = fd;
		hello.boot_id[BOOT_ID_LEN - 1] = '\0';
		if (strcmp(hello.boot_id, boot_id))
			boot->same_clock = false;
		no_delay(fd);
		return watch(boot, fd) ? : 1;
	}
	memcpy(no.why, boot->why, sizeof(no.why) - 1);
	send_all(fd, &no, sizeof(no));
	close(fd);
	return -EINVAL;
}

static int accept_all(struct boot *boot, int listener, const char *boot_id)
{
	uint64_t end = now_ms() + TIMEOUT_S * 1000;
	uint32_t missing = boot->attr.nranks - 1;

	while (missing) {
		struct pollfd pfd = { .fd = listener, .events = POLLIN };
		uint64_t now = now_ms();
		int fd, ret;

		if (now >= end || !poll(&pfd, 1, end - now))
			return fail(boot, -ETIMEDOUT, "%u of %u ranks did not come within %d s",
				    missing, boot->attr.nranks, TIMEOUT_S);
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			return fail(boot, -errno, "accept: %s", strerror(errno));
		ret = admit(boot, fd, boot_id);
		if (ret < 0)
			return ret;
		missing -= ret;
	}
	return 0;
}

static void tell_all(struct boot *boot, bool refused)
{
	struct welcome welcome = {
		.magic		= MAGIC,
		.refused	= refused,
		.same_clock	= boot->same_clock,
	};

	memcpy(welcome.why, boot->why, sizeof(welcome.why) - 1);
	for (uint32_t r = 1; r < boot->nfds; r++)
		if (boot->fd[r] >= 0)
			send_all(boot->fd[r], &welcome, sizeof(welcome));
}

/* Is the path only what a process that was killed left behind? */
static bool is_stale(const union address *addr, socklen_t len)
{
	int fd, err;

	if (addr->any.sa_family != AF_UNIX)
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	err = connect(fd, &addr->any, len) ? errno : 0;
	close(fd);
	return err == ECONNREFUSED;
}

static int bind_listener(int fd, const union address *addr, socklen_t len)
{
	if (!bind(fd, &addr->any, len))
		return 0;
	if (errno != EADDRINUSE || !is_stale(addr, len))
		return -1;
	unlink(addr->un.sun_path);
	return bind(fd, &addr->any, len);
}

static int serve(struct boot *boot, const union address *addr, socklen_t len)
{
	bool is_unix = addr->any.sa_family == AF_UNIX;
	char boot_id[BOOT_ID_LEN];
	int listener, err, one = 1;

	listener = socket(addr->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0)
		return fail(boot, -errno, "socket: %s", strerror(errno));
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind_listener(listener, addr, len) || listen(listener, boot->attr.nranks)) {
		err = fail(boot, -errno, "rendezvous %s: %s", boot->attr.where, strerror(errno));
		goto out;
	}
	read_boot_id(boot_id);
	err = accept_all(boot, listener, boot_id);
	tell_all(boot, err);
	if (is_unix)
		unlink(addr->un.sun_path);
out:
	close(listener);
	return err;
}

/* Rank 0 may not be there yet. */
static int dial(struct boot *boot, const union address *addr, socklen_t len)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000 };
	uint64_t end = now_ms() + TIMEOUT_S * 1000;

	for (;;) {
		int fd = socket(addr->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0)
			return fail(boot, -errno, "socket: %s", strerror(errno));
		if (!connect(fd, &addr->any, len))
			return fd;
		close(fd);
		if (now_ms() >= end)
			return fail(boot, -ETIMEDOUT, "rendezvous %s: nobody listens: %s",
				    boot->attr.where, strerror(errno));
		nanosleep(&pause, NULL);
	}
}

static int join(struct boot *boot, const union address *addr, socklen_t len)
{
	struct hello hello = {
		.magic		= MAGIC,
		.version	= VERSION,
		.rank		= boot->attr.rank,
		.nranks		= boot->attr.nranks,
		.options	= boot->attr.options,
	};
	struct welcome welcome;
	int err;

	boot->fd[0] = dial(boot, addr, len);
	if (boot->fd[0] < 0)
		return boot->fd[0];
	no_delay(boot->fd[0]);
	read_boot_id(hello.boot_id);
	err = send_all(boot->fd[0], &hello, sizeof(hello));
	if (!err)
		err = recv_all(boot->fd[0], &welcome, sizeof(welcome));
	if (err || welcome.magic != MAGIC)
		return fail(boot, err ? : -EPROTO, "rank 0 is gone");
	welcome.why[sizeof(welcome.why) - 1] = '\0';
	if (welcome.refused)
		return fail(boot, -EINVAL, "refused: %s", welcome.why);
	boot->same_clock = welcome.same_clock;
	return watch(boot, boot->fd[0]);
}

/* MPI has let them meet: what is left is to see that they belong together. */
static int agree(struct boot *boot)
{
	struct hello own = { .options = boot->attr.options }, *all;
	int err;

	read_boot_id(own.boot_id);
	all = calloc(boot->attr.nranks, sizeof(*all));
	if (!all)
		return fail(boot, -ENOMEM, "no memory");
	err = boot_allgather(boot, &own, all, sizeof(own));
	for (uint32_t r = 0; r < boot->attr.nranks && !err; r++) {
		if (all[r].options != own.options)
			err = fail(boot, -EINVAL, "rank %u was started with other options", r);
		if (memcmp(all[r].boot_id, own.boot_id, sizeof(own.boot_id)))
			boot->same_clock = false;
	}
	free(all);
	return err;
}

int boot_open(struct boot *boot, const struct boot_attr *attr)
{
	union address addr;
	socklen_t len = 0;
	int err;

	memset(boot, 0, sizeof(*boot));
	boot->attr = *attr;
	boot->same_clock = true;
	boot->nfds = attr->rank ? 1 : attr->nranks;
	boot->abort_fd = epoll_create1(EPOLL_CLOEXEC);
	if (boot->abort_fd < 0)
		return fail(boot, -errno, "epoll_create1: %s", strerror(errno));
	boot->fd = malloc(boot->nfds * sizeof(*boot->fd));
	if (!boot->fd)
		return fail(boot, -ENOMEM, "no memory");
	for (uint32_t i = 0; i < boot->nfds; i++)
		boot->fd[i] = -1;
	if (attr->mpi)
		return agree(boot);
	err = resolve(boot, &addr, &len);
	if (err)
		return err;
	if (attr->rank)
		return join(boot, &addr, len);
	return attr->nranks > 1 ? serve(boot, &addr, len) : 0;
}

static int collect(struct boot *boot, void *out, size_t len)
{
	for (uint32_t r = 1; r < boot->attr.nranks; r++) {
		uint32_t theirs;
		int err = recv_all(boot->fd[r], &theirs, sizeof(theirs));

		if (!err && theirs != len)
			return fail(boot, -EPROTO, "rank %u is out of step", r);
		if (!err)
			err = recv_all(boot->fd[r], (char *)out + r * len, len);
		if (err)
			return fail(boot, err, "rank %u is gone", r);
	}
	return 0;
}

int boot_allgather(void *ctx, const void *in, void *out, size_t len)
{
	struct boot *boot = ctx;
	uint32_t ours = len;
	int err;

	if (boot->attr.mpi) {
		err = boot->attr.mpi->allgather(in, out, len);
		return err ? fail(boot, err, "MPI_Allgather failed") : 0;
	}
	if (boot->attr.rank) {
		err = send_all(boot->fd[0], &ours, sizeof(ours));
		if (!err)
			err = send_all(boot->fd[0], in, len);
		if (!err)
			err = recv_all(boot->fd[0], out, boot->attr.nranks * len);
		return err ? fail(boot, err, "rank 0 is gone") : 0;
	}
	memcpy(out, in, len);
	err = collect(boot, out, len);
	for (uint32_t r = 1; r < boot->attr.nranks && !err; r++)
		if (send_all(boot->fd[r], out, boot->attr.nranks * len))
			err = fail(boot, -ECONNRESET, "rank %u is gone", r);
	return err;
}

void boot_close(struct boot *boot)
{
	for (uint32_t i = 0; boot->fd && i < boot->nfds; i++)
		if (boot->fd[i] >= 0)
			close(boot->fd[i]);
	free(boot->fd);
	if (boot->abort_fd >= 0)
		close(boot->abort_fd);
}
