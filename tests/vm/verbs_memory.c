// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_memory DEV-A DEV-B [DIRECTORY]: regions over every kind of memory that a
 * process can have; DIRECTORY is on a file system with blocks. What the peer writes
 * must be what the processor reads, wherever it reads it, and the reverse.
 *
 * verbs_memory --limit DEV: as an ordinary user, who may lock so much and no more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_lab.h"

#define HUGE		(2u << 20)
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ)
#define GUARD		0xa5
#define BIG		((1ull << 30) + 12289)

static struct dev dev_a, dev_b;
static struct end a, b;

static uint8_t byte_at(size_t i, unsigned int seed)
{
	return (i * 31 + (i >> 12) * 7 + (i >> 20) + seed) & 0xff;
}

static void fill(uint8_t *p, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = byte_at(i, seed);
}

static bool holds(const uint8_t *p, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (p[i] != byte_at(i, seed)) {
			printf("# byte %zu of %zu is %#x\n", i, len, p[i]);
			return false;
		}
	}
	return true;
}

/* One request and its completion. */
static bool request(struct end *end, enum ibv_wr_opcode opcode, void *local,
		    uint32_t lkey, size_t len, const void *there, uint32_t rkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)local, .length = len, .lkey = lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = (uintptr_t)there, .rkey = rkey },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	return !ibv_post_send(end->qp, &wr, &bad) &&
	       expect(end, IBV_WC_SUCCESS, &wc);
}

static bool peer_writes(const struct ibv_mr *mr, const uint8_t *p, size_t len,
			unsigned int seed)
{
	fill(dev_b.buf, len, seed);
	return request(&b, IBV_WR_RDMA_WRITE, dev_b.buf, dev_b.mr->lkey, len, p,
		       mr->rkey);
}

static bool peer_reads(const struct ibv_mr *mr, const uint8_t *p, size_t len,
		       unsigned int seed)
{
	memset(dev_b.buf, 0, len);
	return request(&b, IBV_WR_RDMA_READ, dev_b.buf, dev_b.mr->lkey, len, p,
		       mr->rkey) && holds(dev_b.buf, len, seed);
}

static bool sends(const struct ibv_mr *mr, uint8_t *p, size_t len,
		  unsigned int seed)
{
	struct ibv_wc wc;

	memset(dev_b.buf, 0, len);
	return !post_recv(&b, 1, 0, len) &&
	       request(&a, IBV_WR_SEND, p, mr->lkey, len, NULL, 0) &&
	       expect(&b, IBV_WC_SUCCESS, &wc) && holds(dev_b.buf, len, seed);
}

static bool receives(const struct ibv_mr *mr, uint8_t *p, size_t len,
		     unsigned int seed)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p, .length = len, .lkey = mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;
	struct ibv_wc wc;

	fill(dev_b.buf, len, seed);
	return !ibv_post_recv(a.qp, &wr, &bad) &&
	       request(&b, IBV_WR_SEND, dev_b.buf, dev_b.mr->lkey, len, NULL, 0) &&
	       expect(&a, IBV_WC_SUCCESS, &wc) && wc.byte_len == len;
}

/**
 * all_ways() - a region over a part of some memory
 * @what: kind of memory
 * @p: the region
 * @len: its bytes; there are more of the memory's before and behind it
 * @other: another view of the same memory, or NULL
 */
static void all_ways(const char *what, uint8_t *p, size_t len,
		     const uint8_t *other)
{
	struct ibv_mr *mr;

	p[-1] = GUARD;
	p[len] = GUARD;
	mr = ibv_reg_mr(dev_a.pd, p, len, ACCESS);
	if (!check(mr, "%s, %zu bytes at ...%03zx: a region", what, len,
		   (uintptr_t)p & 4095))
		return;
	fill(p, len, 1);
	check(peer_reads(mr, p, len, 1), "%s: the peer reads", what);
	check(sends(mr, p, len, 1), "%s: is sent", what);
	check(peer_writes(mr, p, len, 2) && holds(other ? other : p, len, 2),
	      "%s: the peer writes", what);
	check(receives(mr, p, len, 3) && holds(other ? other : p, len, 3),
	      "%s: is received into", what);
	check(p[-1] == GUARD && p[len] == GUARD, "%s: nothing beside it", what);
	check(!ibv_dereg_mr(mr) && holds(p, len, 3),
	      "%s: the data outlive the region", what);
}

static uint8_t *map(size_t len, int flags, int fd)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p != MAP_FAILED)
		return p;
	check(false, "mmap: %s", strerror(errno));
	exit(tap_done());
}

static void small_pages(void)
{
	uint8_t *p = map(HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	madvise(p, HUGE, MADV_NOHUGEPAGE);
	all_ways("4 KiB pages", p + 1, 1, NULL);
	all_ways("4 KiB pages", p + 4095, 2, NULL);
	all_ways("4 KiB pages", p + 4096, 4096, NULL);
	all_ways("4 KiB pages", p + 4097, 65537, NULL);
	all_ways("4 KiB pages", p + 3, HUGE - 5, NULL);
	munmap(p, HUGE);
}

/* Does the kernel's account of our memory have such a line with something in it? */
static bool smaps_say(const char *line)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	bool found = false;
	char buf[256];
	size_t n = strlen(line);

	while (f && fgets(buf, sizeof(buf), f))
		if (!strncmp(buf, line, n) && atol(buf + n) > 0)
			found = true;
	if (f)
		fclose(f);
	return found;
}

static void huge_pages(void)
{
	uint8_t *p = map(2 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);

	all_ways("2 MiB pages", p + HUGE - 4097, 100001, NULL);
	check(smaps_say("Private_Hugetlb:"), "these were 2 MiB pages");
	munmap(p, 2 * HUGE);
}

static void transparent_huge_pages(void)
{
	uint8_t *area = map(4 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	uint8_t *p = (uint8_t *)(((uintptr_t)area + HUGE - 1) &
				 ~((uintptr_t)HUGE - 1));

	check(!madvise(p, 2 * HUGE, MADV_HUGEPAGE), "transparent huge pages");
	p[0] = 1;
	p[HUGE] = 1;
	check(smaps_say("AnonHugePages:"), "and there are");
	all_ways("a transparent huge page", p + HUGE - 4097, 100001, NULL);
	munmap(area, 4 * HUGE);
}

static void file(const char *what, int fd)
{
	uint8_t *p, *other, buf[5000];

	if (!check(fd >= 0 && !ftruncate(fd, 1 << 20), "%s", what))
		return;
	p = map(1 << 20, MAP_SHARED, fd);
	other = map(1 << 20, MAP_SHARED, fd);
	all_ways(what, p + 4095, sizeof(buf), other + 4095);
	memset(buf, 0, sizeof(buf));
	check(!msync(p, 1 << 20, MS_SYNC) && !fsync(fd) &&
	      pread(fd, buf, sizeof(buf), 4095) == sizeof(buf) &&
	      holds(buf, sizeof(buf), 3), "%s: the data are in it", what);
	munmap(p, 1 << 20);
	munmap(other, 1 << 20);

	p = map(1 << 20, MAP_PRIVATE, fd);
	all_ways(what, p + 40001, sizeof(buf), NULL);
	check(pread(fd, buf, sizeof(buf), 40001) == sizeof(buf) && !buf[0] &&
	      !memcmp(buf, buf + 1, sizeof(buf) - 1),
	      "%s, privately mapped: the data are not in it", what);
	munmap(p, 1 << 20);
	close(fd);
}

static void named_file(const char *what, const char *dir)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/region", dir);
	file(what, open(name, O_RDWR | O_CREAT | O_TRUNC, 0600));
	unlink(name);
}

/* A child that says whether it sees what it is told to see. */
static pid_t child(int *ask, int *answer, const uint8_t *p, size_t len)
{
	int to[2], from[2];
	uint8_t seed, says;
	pid_t pid;

	if (pipe(to) || pipe(from))
		exit(1);
	fflush(stdout);
	pid = fork();
	if (pid) {
		close(to[0]);
		close(from[1]);
		*ask = to[1];
		*answer = from[0];
		return pid;
	}
	close(to[1]);
	close(from[0]);
	while (read(to[0], &seed, 1) == 1) {
		says = holds(p, len, seed);
		if (write(from[1], &says, 1) != 1)
			break;
	}
	_exit(0);
}

static bool child_sees(int ask, int answer, uint8_t seed)
{
	uint8_t says = 0;

	return write(ask, &seed, 1) == 1 && read(answer, &says, 1) == 1 && says;
}

static void processes(void)
{
	uint8_t *shared = map(1 << 20, MAP_SHARED | MAP_ANONYMOUS, -1);
	uint8_t *own = map(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	size_t len = 70001;
	struct ibv_mr *mr;
	int ask, answer;
	pid_t pid;

	mr = ibv_reg_mr(dev_a.pd, shared + 5, len, ACCESS);
	pid = child(&ask, &answer, shared + 5, len);
	check(mr && peer_writes(mr, shared + 5, len, 4) &&
	      child_sees(ask, answer, 4),
	      "another process sees what the peer has written to shared memory");
	close(ask);
	waitpid(pid, NULL, 0);
	close(answer);
	check(mr && !ibv_dereg_mr(mr), "the region goes");

	/* Pages are shared until one of the two writes to them, and then one of
	 * them gets a copy, which must not be the one that is registered.
	 */
	check(ibv_is_fork_initialized() == IBV_FORK_UNNEEDED,
	      "the kernel copies registered pages when it forks");
	mr = ibv_reg_mr(dev_a.pd, own + 5, len, ACCESS);
	fill(own + 5, len, 5);
	pid = child(&ask, &answer, own + 5, len);
	check(child_sees(ask, answer, 5), "a child has what its parent had");
	fill(own + 5, len, 6);
	check(mr && peer_reads(mr, own + 5, len, 6),
	      "the peer reads what the parent has written since");
	check(mr && peer_writes(mr, own + 5, len, 7) && holds(own + 5, len, 7),
	      "the parent sees what the peer writes");
	check(child_sees(ask, answer, 5), "the child does not");
	close(ask);
	waitpid(pid, NULL, 0);
	close(answer);
	check(mr && !ibv_dereg_mr(mr), "the region goes");
	munmap(shared, 1 << 20);
	munmap(own, 1 << 20);
}

static void unmapped(void)
{
	int fd = memfd_create("region", 0);
	size_t len = 70001;
	uint8_t *p, *other;
	struct ibv_mr *mr;

	if (ftruncate(fd, 1 << 20))
		exit(1);
	p = map(1 << 20, MAP_SHARED, fd);
	other = map(1 << 20, MAP_SHARED, fd);
	mr = ibv_reg_mr(dev_a.pd, p + 9, len, ACCESS);
	munmap(p, 1 << 20);
	check(mr && peer_writes(mr, p + 9, len, 8) && holds(other + 9, len, 8),
	      "memory that is no longer mapped is still written to");
	fill(other + 9, len, 9);
	check(mr && peer_reads(mr, p + 9, len, 9), "and read");
	check(mr && !ibv_dereg_mr(mr), "the region goes");
	munmap(other, 1 << 20);
	close(fd);

	p = map(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	mr = ibv_reg_mr(dev_a.pd, p + 9, len, ACCESS);
	munmap(p, 1 << 20);
	check(mr && peer_writes(mr, p + 9, len, 10) &&
	      peer_reads(mr, p + 9, len, 10),
	      "memory that has no address any more keeps what is written to it");
	check(mr && !ibv_dereg_mr(mr), "the region goes");
}

static void refused(const char *what, void *p, size_t len, int access, int err)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(dev_a.pd, p, len, access);
	check(!mr && errno == err, "%s: %s (%s)", what, strerror(err),
	      mr ? "granted" : strerror(errno));
	if (mr)
		ibv_dereg_mr(mr);
}

static void rights(void)
{
	uint8_t *p = map(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	uint8_t *hole = map(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	struct ibv_mr *mr;

	fill(p, 1 << 20, 11);
	mprotect(p, 1 << 20, PROT_READ);
	munmap(hole + 8192, 4096);
	refused("read-only memory, to be written to", p, 8192,
		IBV_ACCESS_LOCAL_WRITE, EFAULT);
	refused("memory with a hole", hole, 16384, IBV_ACCESS_LOCAL_WRITE, EFAULT);
	refused("memory with a hole, to be read", hole, 16384, 0, EFAULT);
	refused("remote but no local writing", hole, 4096,
		IBV_ACCESS_REMOTE_WRITE, EINVAL);
	refused("no memory", hole, 0, IBV_ACCESS_LOCAL_WRITE, EINVAL);
	refused("memory that ends beyond the end", (void *)-4096ul, 8192,
		IBV_ACCESS_LOCAL_WRITE, EINVAL);
	mr = ibv_reg_mr(dev_a.pd, p + 1, 70001, IBV_ACCESS_REMOTE_READ);
	memmove(dev_a.buf, p + 1, 70001);
	check(mr && request(&b, IBV_WR_RDMA_READ, dev_b.buf, dev_b.mr->lkey, 70001,
			    p + 1, mr->rkey) && !memcmp(dev_b.buf, dev_a.buf, 70001),
	      "read-only memory, to be read: the peer reads");
	check(mr && !ibv_dereg_mr(mr), "the region goes");
	munmap(p, 1 << 20);
	munmap(hole, 1 << 20);
}

static void big(void)
{
	uint8_t *p = map(BIG + HUGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	uint64_t at[] = { 0, (1ull << 29) - 5, (1ull << 30) - 4099, BIG - 10001 };
	struct ibv_mr *mr;
	unsigned int i;

	madvise(p, BIG + HUGE, MADV_HUGEPAGE);
	mr = ibv_reg_mr(dev_a.pd, p + 7, BIG, ACCESS);
	if (!check(mr, "a region of more than 1 GiB"))
		return;
	for (i = 0; i < 4; i++)
		check(peer_writes(mr, p + 7 + at[i], 10001, i) &&
		      holds(p + 7 + at[i], 10001, i) &&
		      peer_reads(mr, p + 7 + at[i], 10001, i),
		      "at %llu of it", (unsigned long long)at[i]);
	check(!ibv_dereg_mr(mr), "the region goes");
	munmap(p, BIG + HUGE);
}

/* Of the lab's buffer, and a little. */
static int limit(const char *name)
{
	struct rlimit lim = { BUF_SIZE + (128 << 10), BUF_SIZE + (128 << 10) };
	struct ibv_mr *mr;
	uint8_t *p;

	if (setrlimit(RLIMIT_MEMLOCK, &lim) || setresuid(65534, 65534, 65534))
		return 1;
	p = map(1 << 20, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	dev_open(&dev_a, name);
	check(true, "an ordinary user opens %s", name);
	mr = ibv_reg_mr(dev_a.pd, p, 128 << 10, ACCESS);
	check(mr, "a region up to the limit of what may be locked");
	refused("4 KiB more", p, 4096, ACCESS, ENOMEM);
	check(mr && !ibv_dereg_mr(mr), "the region goes");
	refused("4 KiB more than the limit", p, 132 << 10, ACCESS, ENOMEM);
	mr = ibv_reg_mr(dev_a.pd, p, 128 << 10, ACCESS);
	check(mr, "a region up to the limit again: nothing is counted twice");
	check(mr && !ibv_dereg_mr(mr), "the region goes");
	dev_close(&dev_a);
	return tap_done();
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--limit"))
		return limit(argv[2]);
	if (argc != 3 && argc != 4) {
		fprintf(stderr, "Usage: %s DEV-A DEV-B [DIRECTORY]\n", argv[0]);
		return 2;
	}
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	ends_open(&a, &dev_a, &b, &dev_b, &rc_link);
	small_pages();
	huge_pages();
	transparent_huge_pages();
	file("a memory file", memfd_create("region", 0));
	named_file("a file on tmpfs", "/run");
	if (argc == 4)
		named_file("a file on a file system with blocks", argv[3]);
	processes();
	unmapped();
	rights();
	big();
	end_close(&a);
	end_close(&b);
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
