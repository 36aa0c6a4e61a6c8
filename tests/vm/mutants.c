// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mutants FILE DEV WIRE-NS WIRE-IF PEER-NS: send the packets in FILE, which
 * tests/mutants.py made, to the device, and see that each is counted as what it
 * is. They go out by WIRE-IF, the other end of the device's netdev; those to be
 * segmented, by a socket in PEER-NS.
 *
 * A packet is completed here with what only the guest knows (numbers, keys), and
 * judged (mutants_judge.c) as it is then. The counters are compared after each
 * batch, of packets of one kind.
 */
#define _GNU_SOURCE	/* setns() */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mutants.h"

#define MAX_KINDS	64
/* As the first namespace sees it: others are not shown the counters. */
#define COUNTERS_DIR	"/proc/1/root/sys/class/infiniband/%s/ports/1/hw_counters"
#define MAX_FRAME	(14 + 65535)
#define ICRC_LEN	4

/* The file: MAGIC, seed, kinds, records. See mutants.py. */
#define MAGIC		"suomut1\n"

enum flags {
	F_ICRC		= 1,	/* append it */
	F_IP_CSUM	= 2,	/* of the IPv4 header: make it right */
	F_UDP_CSUM	= 4,	/* likewise */
	F_SEGMENTS	= 8,	/* UDP payload, to be cut into datagrams */
	F_FRAGMENTS	= 16,	/* as two fragments */
	F_HALF		= 32,	/* only one of them */
	F_OFFLOAD	= 64,	/* with a header that asks for fragmentation */
	F_BATCH		= 128,	/* the first of a batch */
};

/* What the guest adds to a field. */
enum fix {
	FIX_QPN, FIX_RQ_PSN, FIX_SQ_PSN, FIX_VA, FIX_END, FIX_RKEY, FIX_RKEY_RO,
	FIX_RKEY_GONE,
};

struct record {
	uint8_t kind;
	uint8_t slot;
	uint8_t flags;
	uint8_t fixes;
	uint16_t bth;		/* offset; 0: there is none to complete */
	uint16_t len;		/* of what follows the fixes */
	uint16_t fill;		/* bytes to be added to it */
	uint16_t segment;	/* F_SEGMENTS: bytes; F_FRAGMENTS: of the first */
	uint32_t icrc_xor;
} __attribute__((packed));

struct fixup {
	uint16_t at;
	uint8_t what;
	uint8_t bytes;
} __attribute__((packed));

enum counter { RCVD, ICRC, DROPS, STRAYS, COUNTERS };

static const char * const counter_names[COUNTERS] = {
	"rcvd_pkts", "rx_icrc_encapsulated", "rx_drops", "rx_strays",
};

/**
 * struct tally - packets of a kind, or of a batch
 * @sent: how many
 * @fates: what should have become of them
 * @grew: what the device has counted
 * @wrong: batches for which that does not fit
 */
struct tally {
	unsigned int sent;
	unsigned int fates[FATES];
	uint64_t grew[COUNTERS];
	unsigned int wrong;
};

static struct victim victim;
static struct tally tallies[MAX_KINDS], batch;
static char names[MAX_KINDS][32];
static unsigned int kinds, batches, complaints, barriers;
static int wire, offload_wire, peer4, peer6, counter_fds[COUNTERS];
static uint8_t frame[MAX_FRAME];
static double begun_us;

static void __attribute__((noreturn)) bail(const char *what, const char *name)
{
	printf("Bail out! %s %s: %s\n", what, name, strerror(errno));
	exit(1);
}

static void enter(const char *ns)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	fd = open(ns[0] == '/' ? ns : path, O_RDONLY);
	if (fd < 0 || setns(fd, 0))
		bail("cannot enter", ns);
	close(fd);
}

static int open_wire(const char *ifname, int vnet)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(ifname),
	};
	int buf = 8 << 20, fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buf, sizeof(buf)) ||
	    (vnet && setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &vnet,
				sizeof(vnet))))
		bail("cannot send on", ifname);
	return fd;
}

static int open_peer(int family)
{
	struct sockaddr_in from4 = { .sin_family = AF_INET };
	struct sockaddr_in to4 = { .sin_family = AF_INET, .sin_port = htons(4791) };
	struct sockaddr_in6 from6 = { .sin6_family = AF_INET6 };
	struct sockaddr_in6 to6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(4791),
	};
	int fd = socket(family, SOCK_DGRAM, 0);
	bool v4 = family == AF_INET;

	memcpy(&from4.sin_addr, lab.peer4, 4);
	memcpy(&to4.sin_addr, lab.ip4, 4);
	memcpy(&from6.sin6_addr, lab.peer6, 16);
	memcpy(&to6.sin6_addr, lab.ip6, 16);
	if (fd < 0 ||
	    bind(fd, v4 ? (void *)&from4 : (void *)&from6,
		 v4 ? sizeof(from4) : sizeof(from6)) ||
	    connect(fd, v4 ? (void *)&to4 : (void *)&to6,
		    v4 ? sizeof(to4) : sizeof(to6)))
		bail("cannot be", "the peer");
	return fd;
}

static void open_counters(const char *dev)
{
	char path[128];
	int i, fd;

	/* They are to be read anew each time. */
	snprintf(path, sizeof(path),
		 COUNTERS_DIR "/lifespan", dev);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		bail("cannot write", path);
	close(fd);
	for (i = 0; i < COUNTERS; i++) {
		snprintf(path, sizeof(path),
			 COUNTERS_DIR "/%s", dev, counter_names[i]);
		counter_fds[i] = open(path, O_RDONLY);
		if (counter_fds[i] < 0)
			bail("cannot read", path);
	}
}

static void read_counters(uint64_t *val)
{
	char buf[32];
	ssize_t n;
	int i;

	/* The core reads them once a tick, however short their lifespan. */
	usleep(10000);
	for (i = 0; i < COUNTERS; i++) {
		n = pread(counter_fds[i], buf, sizeof(buf) - 1, 0);
		if (n <= 0)
			bail("cannot read", counter_names[i]);
		buf[n] = 0;
		val[i] = strtoull(buf, NULL, 10);
	}
}

/* A datagram to a queue pair of ours; when it is there, so is all before. */
static void barrier(void)
{
	struct slot *s = &victim.slots[SLOT_BARRIER];
	uint8_t bth[12 + 8 + ICRC_LEN] = { 0x64, 0, 0xff, 0xff };
	struct ibv_wc wc;
	int n, tries = 0;

	put_be(bth + 5, s->qpn, 3);
	put_be(bth + 12, QKEY, 4);
	/* It is never cut, nor leaves this machine, and needs no ICRC. */
	if (send(peer4, bth, sizeof(bth), 0) != sizeof(bth))
		bail("cannot send", "a barrier");
	while (!(n = ibv_poll_cq(s->cq, 1, &wc))) {
		if (++tries > 10000) {
			errno = ETIMEDOUT;
			bail("nothing comes in any more, after", names[0]);
		}
		usleep(100);
	}
	if (n < 0 || wc.status != IBV_WC_SUCCESS) {
		errno = EIO;
		bail("the barrier fails", ibv_wc_status_str(wc.status));
	}
	s->recvs--;
	barriers++;
}

static void complete(const struct record *r, const struct fixup *fix)
{
	struct slot *s = &victim.slots[r->slot];
	uint64_t base = (uintptr_t)victim.dev.buf;
	unsigned int i;

	for (i = 0; i < r->fixes; i++) {
		const uint64_t add[] = {
			[FIX_QPN] = s->qpn, [FIX_RQ_PSN] = s->rq_psn,
			[FIX_SQ_PSN] = s->sq_psn, [FIX_VA] = base,
			[FIX_END] = base + BUF_SIZE,
			[FIX_RKEY] = victim.dev.mr->rkey,
			[FIX_RKEY_RO] = victim.read_only->rkey,
			[FIX_RKEY_GONE] = victim.gone_rkey,
		};
		uint8_t *p = frame + fix[i].at;
		uint64_t v = get_be(p, fix[i].bytes > 4 ? 4 : fix[i].bytes);

		if (fix[i].bytes == 8)
			v = v << 32 | get_be(p + 4, 4);
		put_be(p, v + add[fix[i].what], fix[i].bytes);
	}
}

/* Checksums, from the inside out. Return: the frame's length. */
static size_t seal(const struct record *r)
{
	uint8_t *ip = frame + 14, *bth = frame + r->bth, *udp = bth - 8;
	size_t i, len = r->len + r->fill;
	uint32_t crc;

	for (i = r->len; i < len; i++)
		frame[i] = i * 31 + r->kind;
	if (!r->bth)
		return len;
	if (r->flags & F_IP_CSUM) {
		put_be(ip + 10, 0, 2);
		put_be(ip + 10, ip_checksum(ip, (ip[0] & 15) * 4, 0), 2);
	}
	if (r->flags & F_ICRC) {
		crc = icrc_of(ip, udp, frame + len - bth) ^ r->icrc_xor;
		for (i = 0; i < ICRC_LEN; i++)
			frame[len++] = crc >> (8 * i);
	}
	if (r->flags & F_UDP_CSUM) {
		size_t n = get_be(udp + 4, 2);

		put_be(udp + 6, 0, 2);
		if (udp + n <= frame + len) {
			crc = ip_checksum(udp, n, pseudo_sum(ip, n));
			put_be(udp + 6, crc ? crc : 0xffff, 2);
		}
	}
	return len;
}

static void send_frame(const uint8_t *p, size_t len)
{
	/* What the kernel will not even send was not sent. */
	if (send(wire, p, len, 0) != (ssize_t)len)
		bail("cannot send", names[0]);
}

/* IPv4 only, and no options: two pieces, the second of them first. */
static void send_fragments(const struct record *r, size_t len)
{
	static uint8_t piece[MAX_FRAME];
	size_t first = r->segment & ~7u, rest = len - 34 - first;
	uint8_t *ip = piece + 14;

	memcpy(piece, frame, 34);
	memcpy(piece + 34, frame + 34 + first, rest);
	put_be(ip + 2, 20 + rest, 2);
	put_be(ip + 6, first / 8, 2);
	put_be(ip + 10, 0, 2);
	put_be(ip + 10, ip_checksum(ip, 20, 0), 2);
	send_frame(piece, 34 + rest);
	if (r->flags & F_HALF)
		return;
	memcpy(piece, frame, 34 + first);
	put_be(ip + 2, 20 + first, 2);
	put_be(ip + 6, 0x2000, 2);
	put_be(ip + 10, 0, 2);
	put_be(ip + 10, ip_checksum(ip, 20, 0), 2);
	send_frame(piece, 34 + first);
}

/* As a virtual machine might: one large packet, which is still to be fragmented. */
static void send_offload(const struct record *r, size_t len)
{
	struct virtio_net_hdr hdr = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_UDP,
		.hdr_len = r->bth, .gso_size = r->segment,
		.csum_start = r->bth - 8, .csum_offset = 6,
	};
	static uint8_t buf[sizeof(hdr) + MAX_FRAME];

	memcpy(buf, &hdr, sizeof(hdr));
	memcpy(buf + sizeof(hdr), frame, len);
	if (send(offload_wire, buf, sizeof(hdr) + len, 0) !=
	    (ssize_t)(sizeof(hdr) + len))
		bail("cannot send", "a packet to be fragmented");
}

/* What the socket cuts, the device gets whole, and believes without an ICRC. */
static void send_segments(const struct record *r, size_t len)
{
	bool v6 = r->slot == SLOT_RC_V6 || r->slot == SLOT_UC_V6;
	int fd = v6 ? peer6 : peer4, segment = r->segment;
	uint8_t ip[40] = { v6 ? 0x60 : 0x45 };
	size_t off, n;

	memcpy(ip + (v6 ? 8 : 12), v6 ? lab.peer6 : lab.peer4, v6 ? 16 : 4);
	memcpy(ip + (v6 ? 24 : 16), v6 ? lab.ip6 : lab.ip4, v6 ? 16 : 4);
	for (off = 0; off < len; off += n) {
		n = len - off < (size_t)segment ? len - off : (size_t)segment;
		batch.fates[judge_bth(&victim, ip, frame + off, n, false)]++;
		batch.sent++;
	}
	if (setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)) ||
	    send(fd, frame, len, 0) != (ssize_t)len)
		bail("cannot send", "segments");
	segment = 0;
	setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment));
}

static void send_one(const struct record *r, const struct fixup *fix)
{
	enum fate fate;
	size_t len;

	slot_refresh(&victim, r->slot);
	complete(r, fix);
	len = seal(r);
	if (r->flags & F_SEGMENTS) {
		send_segments(r, len);
		return;
	}
	fate = judge_frame(&victim, frame, len);
	batch.sent++;
	if (r->flags & F_HALF)
		fate = FATE_NOWHERE;
	batch.fates[fate]++;
	if (r->flags & F_FRAGMENTS)
		send_fragments(r, len);
	else if (r->flags & F_OFFLOAD)
		send_offload(r, len);
	else
		send_frame(frame, len);
}

/* Is what the device has counted what the packets were? */
static bool batch_fits(void)
{
	const unsigned int *f = batch.fates;
	const uint64_t *g = batch.grew;
	uint64_t drops = f[FATE_DROP] + f[FATE_REFUSED];

	return g[RCVD] == f[FATE_TAKEN] + f[FATE_REFUSED] + f[FATE_DEPENDS] &&
	       g[ICRC] == f[FATE_ICRC] &&
	       g[DROPS] >= drops && g[STRAYS] >= f[FATE_STRAY] &&
	       g[DROPS] - drops + g[STRAYS] - f[FATE_STRAY] <= f[FATE_DEPENDS];
}

static void print_tally(const struct tally *t)
{
	printf("%6u packets: %u nowhere, %u malformed, %u strays, %u bad ICRC, ",
	       t->sent, t->fates[FATE_NOWHERE], t->fates[FATE_DROP],
	       t->fates[FATE_STRAY], t->fates[FATE_ICRC]);
	printf("%u taken, %u refused, %u by state; counted ",
	       t->fates[FATE_TAKEN], t->fates[FATE_REFUSED],
	       t->fates[FATE_DEPENDS]);
	printf("rcvd_pkts %llu, rx_icrc_encapsulated %llu, rx_drops %llu, rx_strays %llu\n",
	       (unsigned long long)t->grew[RCVD], (unsigned long long)t->grew[ICRC],
	       (unsigned long long)t->grew[DROPS],
	       (unsigned long long)t->grew[STRAYS]);
}

static void batch_begin(uint64_t *before)
{
	memset(&batch, 0, sizeof(batch));
	read_counters(before);
	barriers = 0;
}

static void batch_end(unsigned int kind, const uint64_t *before)
{
	struct tally *t = &tallies[kind];
	int i;

	if (!batch.sent)
		return;
	barrier();
	/* The kernel's own agent answers from a thread. */
	if (!strncmp(names[kind], "mad", 3))
		usleep(20000);
	read_counters(batch.grew);
	for (i = 0; i < COUNTERS; i++)
		batch.grew[i] -= before[i];
	batch.grew[RCVD] -= barriers;
	if (!batch_fits()) {
		t->wrong++;
		if (complaints++ < 20) {
			printf("# batch %u, %s: ", batches, names[kind]);
			print_tally(&batch);
		}
	}
	t->sent += batch.sent;
	for (i = 0; i < FATES; i++)
		t->fates[i] += batch.fates[i];
	for (i = 0; i < COUNTERS; i++)
		t->grew[i] += batch.grew[i];
	batches++;
	victim_tend(&victim);
}

static void read_kinds(FILE *file)
{
	char magic[8];
	uint32_t seed;
	uint8_t n;

	if (fread(magic, sizeof(magic), 1, file) != 1 ||
	    memcmp(magic, MAGIC, sizeof(magic)) ||
	    fread(&seed, sizeof(seed), 1, file) != 1 || fread(&n, 1, 1, file) != 1 ||
	    n > MAX_KINDS || fread(names, sizeof(names[0]), n, file) != n)
		bail("cannot read", "the kinds of mutants");
	kinds = n;
	printf("# seed %u\n", seed);
}

static void send_all(FILE *file)
{
	struct fixup fixes[64];
	struct record r;
	uint64_t before[COUNTERS];
	unsigned int kind = 0;

	batch_begin(before);
	while (fread(&r, sizeof(r), 1, file) == 1) {
		if (r.fixes > 64 || r.kind >= kinds || r.slot >= SLOTS ||
		    (size_t)r.len + r.fill > MAX_FRAME - ICRC_LEN ||
		    fread(fixes, sizeof(fixes[0]), r.fixes, file) != r.fixes ||
		    fread(frame, 1, r.len, file) != r.len)
			bail("cannot read", "a mutant");
		if (r.flags & F_BATCH) {
			batch_end(kind, before);
			batch_begin(before);
			kind = r.kind;
		}
		send_one(&r, fixes);
	}
	batch_end(kind, before);
}

/* Kinds all of whose packets were made to meet one fate: does the judge agree? */
static void check_judge(unsigned int kind)
{
	static const struct {
		const char *name;
		enum fate fate;
	} made_for[] = {
		{ "ICRC", FATE_ICRC }, { "opcode", FATE_DROP },
		{ "header version", FATE_DROP }, { "IP options", FATE_DROP },
	};
	const struct tally *t = &tallies[kind];
	unsigned int i;

	for (i = 0; i < sizeof(made_for) / sizeof(made_for[0]); i++)
		if (!strcmp(names[kind], made_for[i].name))
			check(t->fates[made_for[i].fate] == t->sent,
			      "%s: all are what they were made to be",
			      names[kind]);
}

static void report(void)
{
	unsigned int i, j, total = 0, made = 0;
	struct tally all = {};

	for (i = 0; i < kinds; i++) {
		const struct tally *t = &tallies[i];

		check(t->sent && !t->wrong, "%s: each of %u packets is counted as what it is",
		      names[i], t->sent);
		printf("# %-16s ", names[i]);
		print_tally(t);
		check_judge(i);
		all.sent += t->sent;
		for (j = 0; j < FATES; j++)
			all.fates[j] += t->fates[j];
		for (j = 0; j < COUNTERS; j++)
			all.grew[j] += t->grew[j];
		total += t->wrong;
	}
	printf("# %-16s ", "all");
	print_tally(&all);
	printf("# %llu ms by the guest's clock\n",
	       (unsigned long long)((now_us() - begun_us) / 1e3));
	for (i = 0; i < SLOTS; i++)
		made += victim.slots[i].made;
	printf("# %u batches, %u of them wrong; %u queue pairs were used up\n",
	       batches, total, made - (SLOTS - 1));
}

int main(int argc, char **argv)
{
	FILE *file;

	if (argc != 6) {
		fprintf(stderr, "Usage: mutants FILE DEV WIRE-NS WIRE-IF PEER-NS\n");
		return 2;
	}
	file = fopen(argv[1], "r");
	if (!file)
		bail("cannot read", argv[1]);
	read_kinds(file);
	open_counters(argv[2]);
	victim.drain = barrier;
	victim_open(&victim, argv[2]);
	enter(argv[3]);
	wire = open_wire(argv[4], 0);
	offload_wire = open_wire(argv[4], 1);
	enter(argv[5]);
	peer4 = open_peer(AF_INET);
	peer6 = open_peer(AF_INET6);
	/* The first datagram finds the neighbour. */
	barrier();
	victim_tend(&victim);
	begun_us = now_us();
	send_all(file);
	fclose(file);
	report();
	victim_close(&victim);
	return tap_done();
}
