// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Process 1 of a lab VM. It mounts the kernel's file systems, loads the
 * modules named in /etc/modules.load, runs /lab/main, and hands everything
 * in /results to the host through the virtio-serial port "results" as a tar
 * stream, with the kernel log and, last, the verdict: the exit status of
 * /lab/main in decimal. Then it resets the machine, which ends QEMU.
 *
 * Results travel at the end only. A virtio device is served by another thread
 * of QEMU, and nothing that is being timed should depend on that thread.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULTS		"/results"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/* Actions of klogctl(2); glibc does not name them. */
#define SYSLOG_READ_ALL		3
#define SYSLOG_SIZE_BUFFER	10

/* kmemleak reports only what is older than this. */
#define KMEMLEAK_AGE_S		6

struct mount_point {
	const char	*type;
	const char	*dir;
	int		required;
};

static const struct mount_point mounts[] = {
	{ "proc",	"/proc",		1 },
	{ "sysfs",	"/sys",			1 },
	{ "devtmpfs",	"/dev",			1 },
	{ "tmpfs",	"/dev/shm",		1 },
	{ "tmpfs",	"/run",			1 },
	{ "tmpfs",	"/tmp",			1 },
	{ "tmpfs",	RESULTS,		1 },
};

/* These exist only once a module or the kernel's configuration brings them. */
static const struct mount_point late_mounts[] = {
	{ "debugfs",	"/sys/kernel/debug",	0 },
	{ "configfs",	"/sys/kernel/config",	0 },
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void warn_msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "init: ");
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

static void __attribute__((noreturn)) stop_machine(void)
{
	sync();
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void mount_all(const struct mount_point *m, size_t n)
{
	for (; n; n--, m++) {
		mkdir(m->dir, 0755);
		if (mount(m->type, m->dir, m->type, 0, NULL) && m->required)
			warn_msg("mount %s: %s", m->dir, strerror(errno));
	}
}

/*
 * There is no source of randomness here, and until the kernel has enough it
 * makes some by spinning in whoever asks: for ever, if that is a real-time
 * process. A constant lets it begin, and repeat itself.
 */
static void seed_random(void)
{
	struct {
		struct rand_pool_info	info;
		char			buf[64];
	} seed = {
		.info = {
			.entropy_count = sizeof(seed.buf) * 8,
			.buf_size = sizeof(seed.buf),
		},
		.buf = "the lab repeats itself",
	};
	int fd = open("/dev/random", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed))
		warn_msg("/dev/random: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void load_modules(void)
{
	char path[256];
	FILE *list;
	int fd;

	list = fopen("/etc/modules.load", "r");
	if (!list)
		return;
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = '\0';
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) &&
			       errno != EEXIST))
			warn_msg("module %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	fclose(list);
}

/* Run a program and return its exit status, as a shell counts. */
static int run(char *const argv[], int stdout_fd)
{
	int status;
	pid_t pid, done;

	pid = fork();
	if (pid < 0)
		return 126;
	if (!pid) {
		setsid();
		if (stdout_fd >= 0)
			dup2(stdout_fd, STDOUT_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	/* Orphans of the lab become our children: reap them meanwhile. */
	do {
		done = wait(&status);
	} while (done != pid && (done > 0 || errno == EINTR));
	if (done != pid)
		return 126;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

static void write_file(const char *path, const char *buf, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, buf, len) != (ssize_t)len)
		warn_msg("write %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void save_kernel_log(void)
{
	int size = klogctl(SYSLOG_SIZE_BUFFER, NULL, 0);
	char *buf;
	int len;

	buf = size > 0 ? malloc(size) : NULL;
	if (!buf)
		return;
	len = klogctl(SYSLOG_READ_ALL, buf, size);
	if (len >= 0)
		write_file(RESULTS "/dmesg.txt", buf, len);
	free(buf);
}

/*
 * Memory that nobody points to any more. The first scan only marks, and a
 * pointer that was in a register can hide or fake a leak: scan twice.
 */
static void check_kmemleak(void)
{
	static char buf[65536];
	ssize_t len, total = 0;
	int fd;

	if (access(KMEMLEAK, R_OK))
		return;
	sleep(KMEMLEAK_AGE_S);
	write_file(KMEMLEAK, "scan", 4);
	sleep(KMEMLEAK_AGE_S);
	write_file(KMEMLEAK, "scan", 4);
	fd = open(KMEMLEAK, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while (total < (ssize_t)sizeof(buf)) {
		len = read(fd, buf + total, sizeof(buf) - total);
		if (len <= 0)
			break;
		total += len;
	}
	close(fd);
	write_file(RESULTS "/kmemleak.txt", buf, total);
}

/* Find the port by its name; its number depends on the machine. */
static int open_results_port(void)
{
	char path[64], name[32];
	FILE *f;
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(path, sizeof(path),
			 "/sys/class/virtio-ports/vport%dp1/name", i);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (!fgets(name, sizeof(name), f))
			name[0] = '\0';
		fclose(f);
		if (!strncmp(name, "results", 7)) {
			snprintf(path, sizeof(path), "/dev/vport%dp1", i);
			return open(path, O_WRONLY);
		}
	}
	errno = ENODEV;
	return -1;
}

int main(void)
{
	char *const lab[] = { "/bin/sh", "/lab/main", NULL };
	char *const tar[] = { "/bin/tar", "-c", "-C", RESULTS, ".", NULL };
	char verdict[16];
	int port, status, len;

	if (getpid() != 1) {
		fprintf(stderr, "init: to be started by the kernel only\n");
		return 2;
	}
	mount_all(mounts, ARRAY_SIZE(mounts));
	seed_random();
	load_modules();
	mount_all(late_mounts, ARRAY_SIZE(late_mounts));
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	setenv("RESULTS", RESULTS, 1);

	status = run(lab, -1);

	check_kmemleak();
	save_kernel_log();
	len = snprintf(verdict, sizeof(verdict), "%d\n", status);
	write_file(RESULTS "/verdict", verdict, len);
	port = open_results_port();
	if (port < 0) {
		warn_msg("results port: %s", strerror(errno));
		stop_machine();
	}
	status = run(tar, port);
	if (status)
		warn_msg("tar: exit status %d", status);
	/* The device must have taken everything before the reset. */
	close(port);
	stop_machine();
}
