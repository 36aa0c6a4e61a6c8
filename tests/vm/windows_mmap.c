// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * windows_mmap FILE: memory that a process of another member maps. Loads and stores
 * reach it both ways; and whatever becomes of the owner, nobody is left with a page
 * that is not his: what is gone raises SIGBUS.
 *
 * windows_mmap --hold: map, say "mapped", and touch it until that raises SIGBUS. With
 * --keep, say "lost" then, and do not unmap it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "windows_lab.h"

#define PAGE	4096ul
#define SIZE	(64 * PAGE)
#define BOTH	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

static sigjmp_buf on_fault;
static volatile sig_atomic_t fault;

static void caught(int sig)
{
	fault = sig;
	siglongjmp(on_fault, 1);
}

/* The signal that a load, or a store, raises; 0 if none. */
static int touch(volatile uint8_t *p, bool store)
{
	fault = 0;
	if (!sigsetjmp(on_fault, 1)) {
		uint8_t x = *p;

		if (store)
			*p = x;
	}
	return fault;
}

/**
 * struct loan - memory of member 0, which member 1 has mapped
 * @mem: the memory
 * @mr: its region
 * @ex: the export
 * @im: the import
 * @map: where it is mapped
 * @token: of the export
 */
struct loan {
	uint8_t *mem;
	struct ibv_mr *mr;
	struct suo_export *ex;
	struct suo_import *im;
	volatile uint8_t *map;
	struct suo_token token;
};

static bool loan_open(struct loan *l, uint32_t flags)
{
	memset(l, 0, sizeof(*l));
	l->mem = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	l->mr = ibv_reg_mr(member[0].pd, l->mem, SIZE, BOTH);
	l->ex = l->mr ? suo_export(l->mr, (uintptr_t)l->mem, SIZE, flags, &l->token) : NULL;
	l->im = l->ex ? suo_import(member[1].ctx, &l->token, 0, 0, flags) : NULL;
	l->map = l->im ? suo_import_addr(l->im) : NULL;
	if (!l->map)
		perror("# loan");
	return l->map;
}

static bool loan_close(struct loan *l)
{
	bool good = (!l->im || !suo_unimport(l->im)) && (!l->ex || !suo_unexport(l->ex)) &&
		    (!l->mr || !ibv_dereg_mr(l->mr));

	munmap(l->mem, SIZE);
	return good;
}

static void both_ways(void)
{
	long long before = read_counter(1, "su_mapped_pages");
	struct loan l;
	size_t i, wrong = 0;
	pid_t pid;

	if (!check(loan_open(&l, SUO_EXPORT_WRITE), "memory is exported and imported"))
		return;
	check(suo_import_length(l.im) == SIZE, "all of it");
	for (i = 0; i < SIZE; i++)
		l.mem[i] = i * 7 + (i >> 8);
	for (i = 0; i < SIZE; i++)
		wrong += l.map[i] != (uint8_t)(i * 7 + (i >> 8));
	check(!wrong, "the importer reads what the owner has written");
	for (i = 0; i < SIZE; i++)
		l.map[i] = i * 5 + 1;
	for (i = 0; i < SIZE; i++)
		wrong += l.mem[i] != (uint8_t)(i * 5 + 1);
	check(!wrong, "the owner reads what the importer has written");
	*(uint64_t *)l.mem = 40;
	__atomic_fetch_add((uint64_t *)l.map, 2, __ATOMIC_SEQ_CST);
	check(*(uint64_t *)l.mem == 42, "an atomic instruction of the importer's");
	/* The owner's fork must not leave the importer with the child's copy. */
	pid = fork();
	if (!pid) {
		l.mem[0] = 99;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	l.mem[0] = 7;
	check(l.map[0] == 7, "the memory is the owner's after it has forked");
	check(!ibv_reg_mr(member[1].pd, (void *)l.map, SIZE, IBV_ACCESS_LOCAL_WRITE),
	      "what is imported cannot be registered");
	/* The file is read anew ten milliseconds later. */
	usleep(20000);
	check(read_counter(1, "su_mapped_pages") - before == SIZE / PAGE,
	      "%lu pages are counted as mapped", SIZE / PAGE);
	check(loan_close(&l), "all is given back");
}

static void rights(void)
{
	struct suo_import *im;
	struct suo_token wrong;
	struct ibv_mr *mr;
	struct loan l;
	void *map;

	if (!check(loan_open(&l, 0), "memory is exported to be read"))
		return;
	l.mem[5] = 55;
	check(l.map[5] == 55, "and read");
	check(touch(l.map, true) == SIGSEGV, "it cannot be written to");
	check(mprotect((void *)l.map, PAGE, PROT_READ | PROT_WRITE) && errno == EACCES,
	      "nor made so that it can");
	check(mprotect((void *)l.map, PAGE, PROT_READ | PROT_EXEC) && errno == EACCES,
	      "nor executed");
	check(!suo_import(member[1].ctx, &l.token, 0, 0, SUO_EXPORT_WRITE) && errno == EPERM,
	      "nor imported so");
	wrong = l.token;
	wrong.raw[0] ^= 0x80;
	check(!suo_import(member[1].ctx, &wrong, 0, 0, 0) && errno == EACCES,
	      "another token is refused");
	check(!suo_import(member[2].ctx, &l.token, 0, PAGE / 2, 0) && errno == EINVAL,
	      "half a page is refused");
	check(!suo_import(member[2].ctx, &l.token, 0, SIZE + PAGE, 0) && errno == EINVAL,
	      "more than there is is refused");
	check(!suo_import(member[2].ctx, &l.token, SIZE, 0, 0) && errno == EINVAL,
	      "what is beyond the end is refused");
	im = suo_import(member[2].ctx, &l.token, 3 * PAGE, 2 * PAGE, 0);
	l.mem[3 * PAGE] = 33;
	check(im && suo_import_length(im) == 2 * PAGE &&
	      *(uint8_t *)suo_import_addr(im) == 33, "a part of it can be had");
	/* What no import has is nobody's: the file gives nothing else. */
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, member[2].ctx->cmd_fd,
		   0x80000000ull * PAGE);
	check(map == MAP_FAILED, "a place in the file that is another process's is refused");
	check(im && !suo_unimport(im), "that part is given back");
	check(loan_close(&l), "all is given back");

	mr = ibv_reg_mr(member[0].pd, member[0].buf, SIZE, IBV_ACCESS_LOCAL_WRITE);
	check(!suo_export(mr, (uintptr_t)member[0].buf, PAGE, 0, &wrong) && errno == EACCES,
	      "what peers may not read is not exported");
	ibv_dereg_mr(mr);
	mr = ibv_reg_mr(member[0].pd, member[0].buf, SIZE, IBV_ACCESS_REMOTE_READ);
	check(!suo_export(mr, (uintptr_t)member[0].buf, PAGE, SUO_EXPORT_WRITE, &wrong) &&
	      errno == EACCES, "what peers may not write is not exported to be written");
	check(!suo_export(mr, (uintptr_t)member[0].buf + 64, PAGE, 0, &wrong) &&
	      errno == EINVAL, "what does not begin a page is not exported");
	check(!suo_export(mr, (uintptr_t)member[0].buf, SIZE + PAGE, 0, &wrong) &&
	      errno == EINVAL, "nor what is beyond the region");
	ibv_dereg_mr(mr);
}

/* Private mappings would be copies. */
static void private_is_refused(void)
{
	struct loan l;
	void *map;

	if (!loan_open(&l, SUO_EXPORT_WRITE))
		return;
	/* The first place that there is: nothing else is imported now. */
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, member[1].ctx->cmd_fd,
		   0x80000000ull * PAGE);
	check(map == MAP_FAILED && errno == EINVAL, "a private mapping is refused");
	map = mmap(NULL, SIZE / 2, PROT_READ, MAP_SHARED, member[1].ctx->cmd_fd,
		   0x80000000ull * PAGE);
	check(map == MAP_FAILED, "a mapping of another size is refused");
	loan_close(&l);
}

/* Exported memory of each kind that there is; -1: refused with EOPNOTSUPP. */
static void kinds(const char *path)
{
	static const char * const names[] = { "shared memory", "huge pages", "a file" };
	const struct {
		int	fd;
		int	flags;
		bool	good;
	} kind[] = {
		{ memfd_create("windows", 0), MAP_SHARED, true },
		{ -1, MAP_SHARED | MAP_ANONYMOUS | MAP_HUGETLB, true },
		{ open(path, O_RDWR | O_CREAT, 0600), MAP_SHARED, false },
	};
	size_t size = 2 << 20;
	int i;

	for (i = 0; i < 3; i++) {
		struct suo_export *ex = NULL;
		struct suo_import *im = NULL;
		struct ibv_mr *mr = NULL;
		struct suo_token token;
		uint8_t *mem;

		if (kind[i].fd >= 0 && ftruncate(kind[i].fd, size))
			continue;
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, kind[i].flags, kind[i].fd, 0);
		if (mem != MAP_FAILED)
			mr = ibv_reg_mr(member[0].pd, mem, size, BOTH);
		if (!mr) {
			skip(names[i], "there is none to register here");
			continue;
		}
		ex = suo_export(mr, (uintptr_t)mem, size, SUO_EXPORT_WRITE, &token);
		if (!kind[i].good) {
			check(!ex && errno == EOPNOTSUPP, "%s is refused", names[i]);
		} else {
			im = ex ? suo_import(member[1].ctx, &token, 0, 0, SUO_EXPORT_WRITE) : NULL;
			if (im)
				((uint8_t *)suo_import_addr(im))[size - 1] = 77;
			check(im && mem[size - 1] == 77, "%s can be exported", names[i]);
			check(im && !suo_unimport(im) && !suo_unexport(ex), "and given back");
		}
		ibv_dereg_mr(mr);
		munmap(mem, size);
	}
}

/* What becomes of mappings wherever they are, when the region goes. */
static void everywhere(void)
{
	uint8_t *moved, *place;
	int pipes[2][2], status;
	struct loan l;
	pid_t pid;
	char c;

	if (!check(loan_open(&l, SUO_EXPORT_WRITE), "memory is exported and imported"))
		return;
	memset(l.mem, 1, SIZE);
	/* Eight pages in the middle are unmapped, the last eight moved. */
	place = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(!munmap((void *)(l.map + 8 * PAGE), 8 * PAGE), "a part is unmapped");
	moved = mremap((void *)(l.map + SIZE - 8 * PAGE), 8 * PAGE, 8 * PAGE,
		       MREMAP_MAYMOVE | MREMAP_FIXED, place);
	check(moved == place && moved[0] == 1, "a part is moved, and is the same");
	check(mremap(moved, 8 * PAGE, 16 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED,
	      "it cannot be made longer");
	check(!mprotect((void *)l.map, PAGE, PROT_READ) &&
	      touch(l.map, true) == SIGSEGV && !touch(l.map, false), "a part is protected");
	check(!madvise((void *)(l.map + PAGE), PAGE, MADV_DONTNEED) ||
	      errno == EINVAL, "a part is dropped, or cannot be");
	check(!touch(l.map + PAGE, true), "and comes back");
	if (pipe(pipes[0]) || pipe(pipes[1]))
		return;
	pid = fork();
	if (!pid) {
		/* Some of it the child has used before, some it has not. */
		bool used = !touch(l.map, false) && !touch(moved, true);

		if (write(pipes[0][1], used ? "y" : "n", 1) != 1 ||
		    read(pipes[1][0], &c, 1) != 1)
			_exit(2);
		_exit(touch(l.map, false) == SIGBUS && touch(moved, true) == SIGBUS &&
		      touch(l.map + 3 * PAGE, false) == SIGBUS ? 0 : 1);
	}
	check(read(pipes[0][0], &c, 1) == 1 && c == 'y', "a child has it too");
	check(!ibv_dereg_mr(l.mr), "the region is deregistered");
	l.mr = NULL;
	check(touch(l.map, false) == SIGBUS && touch(l.map + PAGE, true) == SIGBUS &&
	      touch(l.map + 20 * PAGE, false) == SIGBUS, "what was mapped raises SIGBUS");
	check(touch(moved, false) == SIGBUS && touch(moved + 7 * PAGE, true) == SIGBUS,
	      "so does what was moved");
	check(write(pipes[1][1], "y", 1) == 1 && waitpid(pid, &status, 0) == pid &&
	      WIFEXITED(status) && !WEXITSTATUS(status), "and what the child has");
	check(!suo_import(member[2].ctx, &l.token, 0, 0, 0) && errno == ENODEV,
	      "nobody can import it any more");
	munmap(moved, 8 * PAGE);
	check(loan_close(&l), "all is given back");
}

static void taken_back(void)
{
	struct suo_import *im;
	struct loan l;

	if (!loan_open(&l, SUO_EXPORT_WRITE))
		return;
	im = suo_import(member[2].ctx, &l.token, 0, 0, 0);
	check(im && !touch(l.map, true) && !touch(suo_import_addr(im), false),
	      "two members have imported it");
	check(!suo_unexport(l.ex), "the owner takes it back");
	l.ex = NULL;
	check(touch(l.map, false) == SIGBUS && touch(suo_import_addr(im), false) == SIGBUS,
	      "both get SIGBUS");
	check(!touch(l.mem, true), "the owner has it still");
	suo_unimport(im);
	check(loan_close(&l), "all is given back");

	if (!loan_open(&l, SUO_EXPORT_WRITE))
		return;
	im = suo_import(member[2].ctx, &l.token, 0, 0, 0);
	touch(l.map, true);
	check(im && !touch(suo_import_addr(im), false), "two members have imported it");
	check(!ibv_rereg_mr(l.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    IBV_ACCESS_LOCAL_WRITE), "the region is changed");
	check(touch(l.map, false) == SIGBUS && touch(suo_import_addr(im), false) == SIGBUS,
	      "both get SIGBUS");
	suo_unimport(im);
	check(loan_close(&l), "all is given back");
}

/* A process that exports, tells the token, and waits. Return: its number. */
static pid_t owner_start(struct suo_token *token)
{
	int fd[2];
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		struct dev own = {};
		struct suo_export *ex;

		dev_open(&own, "suo3");
		own.buf[100] = 200;
		ex = suo_export(own.mr, (uintptr_t)own.buf, SIZE, SUO_EXPORT_WRITE, token);
		if (ex && write(fd[1], token, sizeof(*token)) == sizeof(*token))
			pause();
		_exit(1);
	}
	if (read(fd[0], token, sizeof(*token)) != sizeof(*token))
		pid = -1;
	close(fd[0]);
	close(fd[1]);
	return pid;
}

/* Return: what such a process exports, mapped here; or NULL. */
static volatile uint8_t *owner_import(pid_t *pid, struct suo_import **im)
{
	struct suo_token token;
	volatile uint8_t *map;

	*pid = owner_start(&token);
	*im = *pid > 0 ? suo_import(member[1].ctx, &token, 0, 0, SUO_EXPORT_WRITE) : NULL;
	map = *im ? suo_import_addr(*im) : NULL;
	return check(map && map[100] == 200, "another process's memory is imported") ?
	       map : NULL;
}

static void owner_dies(void)
{
	struct suo_import *im;
	pid_t pid;
	volatile uint8_t *map = owner_import(&pid, &im);

	if (!map)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(touch(map + 100, false) == SIGBUS && touch(map + 30 * PAGE, false) == SIGBUS,
	      "when it is killed what was mapped raises SIGBUS");
	check(!suo_unimport(im), "it is given back");
}

/* The owner's device is deleted; the importer's is not. */
static void owner_device_goes(void)
{
	struct suo_import *im;
	pid_t pid;
	volatile uint8_t *map = owner_import(&pid, &im);

	if (!map)
		return;
	check(!system("rdma link delete suo3"), "its device is deleted");
	check(touch(map + 100, false) == SIGBUS, "what was mapped raises SIGBUS");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check(!suo_unimport(im), "it is given back");
}

/* For the script: the importer's device, or its member, goes under its feet. */
static int hold(bool keep)
{
	struct suo_token token;
	pid_t pid = owner_start(&token);
	volatile uint8_t *map;
	struct suo_import *im;
	struct dev dev = {};

	dev_open(&dev, "suo5");
	im = pid > 0 ? suo_import(dev.ctx, &token, 0, 0, SUO_EXPORT_WRITE) : NULL;
	if (!im)
		return 2;
	map = suo_import_addr(im);
	printf("mapped\n");
	fflush(stdout);
	while (!touch(map + 100, true))
		usleep(1000);
	printf("lost\n");
	fflush(stdout);
	while (keep)
		pause();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return fault == SIGBUS ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = caught };

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	if (argc == 2 && (!strcmp(argv[1], "--hold") || !strcmp(argv[1], "--keep")))
		return hold(argv[1][2] == 'k');
	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE|--hold|--keep\n", argv[0]);
		return 2;
	}
	members_open();
	both_ways();
	rights();
	private_is_refused();
	kinds(argv[1]);
	everywhere();
	taken_back();
	owner_dies();
	owner_device_goes();
	/* What was on suo3 went with it. */
	members_close();
	return tap_done();
}
