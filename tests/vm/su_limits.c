// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What nothing that a kernel carries between two processes can beat:
 *
 * su_limits memcpy SIZE N	the C library's copy from one buffer to another, both
 *				of them as perftest's: page-aligned, private, touched
 *				and used over and over; in MiB/s
 * su_limits futex N		a turn handed to another process that sleeps, and
 *				back: half of that in microseconds
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP	100

static double now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static int copies(size_t size, uint64_t n)
{
	uint8_t *from = aligned_alloc(4096, (size + 4095) & ~4095ul);
	uint8_t *to = aligned_alloc(4096, (size + 4095) & ~4095ul);
	double start = 0;
	uint64_t i;

	if (!from || !to) {
		perror("memory");
		return 1;
	}
	memset(from, 1, size);
	memset(to, 2, size);
	for (i = 0; i < WARM_UP + n; i++) {
		if (i == WARM_UP)
			start = now_us();
		memcpy(to, from, size);
		/* Each is to be made. */
		__asm__ volatile("" : : "r" (to) : "memory");
	}
	printf("%.2f\n", n * size / 1048576.0 * 1e6 / (now_us() - start));
	free(from);
	free(to);
	return 0;
}

static void futex(uint32_t *word, int op, uint32_t val)
{
	if (syscall(SYS_futex, word, op, val, NULL, NULL, 0) < 0 &&
	    errno != EAGAIN && errno != EINTR) {
		perror("futex");
		exit(1);
	}
}

/* Sleep until it is turn number @turn, make it the next one, wake the other. */
static void take_turn(uint32_t *word, uint32_t turn)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != turn)
		futex(word, FUTEX_WAIT, seen);
	__atomic_store_n(word, turn + 1, __ATOMIC_RELEASE);
	futex(word, FUTEX_WAKE, 1);
}

static int turns(uint64_t n)
{
	uint32_t *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double start = 0;
	uint64_t i;
	pid_t other;

	if (word == MAP_FAILED) {
		perror("memory");
		return 1;
	}
	other = fork();
	if (other < 0) {
		perror("fork");
		return 1;
	}
	for (i = 0; i < WARM_UP + n; i++) {
		if (i == WARM_UP)
			start = now_us();
		take_turn(word, 2 * i + !other);
	}
	if (!other)
		exit(0);
	printf("%.2f\n", (now_us() - start) / n / 2);
	return waitpid(other, NULL, 0) != other;
}

int main(int argc, char **argv)
{
	uint64_t size = 0, n = 0;

	if (argc == 4 && !strcmp(argv[1], "memcpy")) {
		size = strtoull(argv[2], NULL, 0);
		n = strtoull(argv[3], NULL, 0);
		if (size && n)
			return copies(size, n);
	} else if (argc == 3 && !strcmp(argv[1], "futex")) {
		n = strtoull(argv[2], NULL, 0);
		if (n && n < UINT32_MAX / 4)
			return turns(n);
	}
	fprintf(stderr, "usage: %s memcpy SIZE N | futex N\n", argv[0]);
	return 2;
}
