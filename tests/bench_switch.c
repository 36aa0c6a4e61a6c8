// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How many packets a second cross what is between two interfaces: a thread in one network
 * namespace sends, one in another receives, and no more than a window of them is under way,
 * so that nothing is lost for want of room.
 *
 * Usage: bench_switch NETNS:IF NETNS:IF BYTES PACKETS [PID]
 *
 * A line: packets a second, ns of real time and ns of processor time for a packet (of this
 * program, in whose system calls a bridge works, and of process PID), packets lost.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BATCH		32
#define WINDOW		512
#define ROOM		9728
#define ETHERTYPE	0x88b5	/* for experiments: IEEE 802, 9.2.3 */
#define PATIENCE_NS	500000000ull

static const uint8_t mac_a[6] = { 2, 0, 0, 0, 0, 0x0a }, mac_b[6] = { 2, 0, 0, 0, 0, 0x0b };

static struct side {
	const char	*where;
	int		fd;
	bool		sends;
} from = { .sends = true }, to;

static uint32_t bytes;
static uint64_t packets;
static atomic_ullong sent, got, lost;

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* A socket is of the namespace that its thread was in when it was made. */
static void open_side(struct side *side)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETHERTYPE),
	};
	const char *colon = strchr(side->where, ':');
	int room = 16 << 20, netns;
	char path[128];

	if (!colon)
		die("'%s' is not NETNS:INTERFACE", side->where);
	snprintf(path, sizeof(path), "/run/netns/%.*s", (int)(colon - side->where),
		 side->where);
	netns = open(path, O_RDONLY | O_CLOEXEC);
	if (netns < 0 || setns(netns, CLONE_NEWNET))
		die("%s: %s", path, strerror(errno));
	close(netns);
	side->fd = socket(AF_PACKET, SOCK_RAW, side->sends ? 0 : htons(ETHERTYPE));
	if (side->fd < 0)
		die("no packet socket: %s", strerror(errno));
	setsockopt(side->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	setsockopt(side->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	addr.sll_ifindex = if_nametoindex(colon + 1);
	if (side->sends)
		addr.sll_protocol = 0;
	if (bind(side->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("%s: %s", side->where, strerror(errno));
}

static void frame(uint8_t *data, const uint8_t *src, const uint8_t *dst)
{
	memset(data, 0, bytes);
	memcpy(data, dst, 6);
	memcpy(data + 6, src, 6);
	data[12] = ETHERTYPE >> 8;
	data[13] = ETHERTYPE & 0xff;
}

static void *receive(void *arg)
{
	static uint8_t data[BATCH][ROOM];
	struct timeval patience = { .tv_usec = 100000 };
	struct mmsghdr msg[BATCH] = { 0 };
	struct iovec iov[BATCH];

	open_side(&to);
	/* So that whatever is between them knows where B is. */
	frame(data[0], mac_b, mac_a);
	if (send(to.fd, data[0], bytes, 0) < 0)
		die("%s: %s", to.where, strerror(errno));
	setsockopt(to.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	for (int i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ data[i], ROOM };
		msg[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	while (got + lost < packets) {
		int n = recvmmsg(to.fd, msg, BATCH, MSG_WAITFORONE, NULL);

		for (int i = 0; i < n; i++)
			got += !memcmp(data[i], mac_b, 6);
	}
	return NULL;
}

static void *transmit(void *arg)
{
	static uint8_t data[ROOM];
	struct iovec iov = { data, bytes };
	struct mmsghdr msg[BATCH] = { 0 };
	uint64_t since_ns = now_ns(), seen = 0;

	frame(data, mac_a, mac_b);
	for (int i = 0; i < BATCH; i++)
		msg[i].msg_hdr = (struct msghdr){ .msg_iov = &iov, .msg_iovlen = 1 };
	while (got + lost < packets) {
		uint64_t n = packets - sent, room;
		int done;

		if (got != seen) {
			seen = got;
			since_ns = now_ns();
		} else if (now_ns() - since_ns > PATIENCE_NS) {
			lost = sent - got;
			since_ns = now_ns();
		}
		room = WINDOW - (sent - got - lost);
		n = n < room ? n : room;
		/* To wait costs no processor time, which is what is measured. */
		if (!n || (n < BATCH && n < packets - sent)) {
			usleep(50);
			continue;
		}
		done = sendmmsg(from.fd, msg, n < BATCH ? n : BATCH, 0);
		if (done > 0)
			sent += done;
		else if (errno != EAGAIN && errno != ENOBUFS)
			die("%s: %s", from.where, strerror(errno));
	}
	return NULL;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000ull +
	       (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000ull;
}

static uint64_t cpu_ns(const char *pid)
{
	unsigned long long ns = 0;
	char path[64];
	FILE *file;

	if (!pid)
		return own_cpu_ns();
	snprintf(path, sizeof(path), "/proc/%s/schedstat", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &ns) != 1)
		die("%s: cannot be read", path);
	fclose(file);
	return own_cpu_ns() + ns;
}

static uint64_t number(const char *text, uint64_t min, uint64_t max)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 10);

	if (end == text || *end || n < min || n > max)
		die("'%s' is not a number from %llu to %llu", text, (unsigned long long)min,
		    (unsigned long long)max);
	return n;
}

int main(int argc, char **argv)
{
	const char *pid = argc > 5 ? argv[5] : NULL;
	uint64_t start_ns, cpu;
	pthread_t rx, tx;

	if (argc < 5 || argc > 6) {
		fprintf(stderr, "Usage: bench_switch NETNS:IF NETNS:IF BYTES PACKETS [PID]\n");
		return 2;
	}
	from.where = argv[1];
	to.where = argv[2];
	bytes = number(argv[3], 60, ROOM);
	packets = number(argv[4], 1, 1ull << 40);
	if (pthread_create(&rx, NULL, receive, NULL))
		die("no thread");
	usleep(200000);
	open_side(&from);
	cpu = cpu_ns(pid);
	start_ns = now_ns();
	if (pthread_create(&tx, NULL, transmit, NULL))
		die("no thread");
	pthread_join(tx, NULL);
	start_ns = now_ns() - start_ns;
	cpu = cpu_ns(pid) - cpu;
	pthread_join(rx, NULL);
	printf("%.0f %.0f %.0f %llu\n", got * 1e9 / start_ns, (double)start_ns / got,
	       (double)cpu / got, (unsigned long long)lost);
	return 0;
}
