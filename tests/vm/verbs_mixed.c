// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * verbs_mixed DEV-A DEV-B [OPS [SEED]]: connections on which both ends read, write and
 * add at a time, in an order that is drawn, twice as much as may be under way. What is
 * on the wire may be lost, repeated and overtaken: all of it completes, in order, each
 * addition is made once, and data is right.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verbs_lab.h"

#define CONNS		4
#define AT_ONCE		8

/* What a connection has of either device's buffer: the number that the peer adds to,
 * what comes back from that, what the peer reads, and where reads and writes go.
 */
#define AREA		(BUF_SIZE / CONNS)
#define RESULTS		64
#define SOURCE		4096
#define SOURCE_SIZE	65536
#define SLOTS		(SOURCE + SOURCE_SIZE)
#define READ_SIZE	32768
#define WRITE_SIZE	16384
#define SLOT_SIZE	(READ_SIZE + WRITE_SIZE)

/**
 * struct flow - what one end of a connection does
 * @end: this end
 * @peer: the other
 * @area: of both buffers
 * @seed: of the pattern that the peer has in its source
 * @opcode: of what is under way, by number
 * @len: likewise
 * @posted: how many there were
 * @done: how many have completed
 * @added: how many of them added
 */
struct flow {
	struct end *end;
	struct end *peer;
	size_t area;
	unsigned int seed;
	enum ibv_wr_opcode opcode[AT_ONCE];
	uint32_t len[AT_ONCE];
	unsigned int posted;
	unsigned int done;
	uint64_t added;
};

static struct dev dev_a, dev_b;
static struct end end_a[CONNS], end_b[CONNS];
static struct flow flows[2 * CONNS];

static size_t slot_of(const struct flow *f, unsigned int i)
{
	return f->area + SLOTS + i * SLOT_SIZE;
}

static uint64_t *number_at(const struct end *end, size_t at)
{
	return (uint64_t *)(end->dev->buf + at);
}

/* Reads go to the beginning of one's own slot, writes to the end of the peer's. */
static int post(struct flow *f)
{
	static const enum ibv_wr_opcode kinds[] = {
		IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_RDMA_WRITE,
	};
	unsigned int i = f->posted % AT_ONCE;
	struct ibv_send_wr wr = { .wr_id = f->posted, .opcode = kinds[rnd() % 3] };

	f->opcode[i] = wr.opcode;
	f->len[i] = 1 + rnd() % (wr.opcode == IBV_WR_RDMA_READ ? READ_SIZE : WRITE_SIZE);
	f->posted++;
	switch (wr.opcode) {
	case IBV_WR_RDMA_READ:
		memset(f->end->dev->buf + slot_of(f, i), 0, f->len[i]);
		remote(&wr, f->peer, f->area + SOURCE);
		return post_send(f->end, &wr, slot_of(f, i), f->len[i]);
	case IBV_WR_RDMA_WRITE:
		remote(&wr, f->peer, slot_of(f, i) + READ_SIZE);
		return post_send(f->end, &wr, f->area + SOURCE, f->len[i]);
	default:
		wr.wr.atomic.remote_addr = (uintptr_t)number_at(f->peer, f->area);
		wr.wr.atomic.rkey = f->peer->dev->mr->rkey;
		wr.wr.atomic.compare_add = 1;
		return post_send(f->end, &wr, f->area + RESULTS + 8 * i, 8);
	}
}

/* Take a completion. Return: it is the one that is next, and all is as it should be. */
static bool take(struct flow *f)
{
	unsigned int i = f->done % AT_ONCE;
	uint64_t found;
	struct ibv_wc wc;

	if (!expect(f->end, IBV_WC_SUCCESS, &wc))
		return false;
	if (wc.wr_id != f->done++) {
		printf("# %" PRIu64 " completes before %u\n", (uint64_t)wc.wr_id,
		       f->done - 1);
		return false;
	}
	switch (f->opcode[i]) {
	case IBV_WR_RDMA_READ:
		return matches(f->end->dev, slot_of(f, i), f->len[i], f->seed);
	case IBV_WR_RDMA_WRITE:
		return !memcmp(f->peer->dev->buf + slot_of(f, i) + READ_SIZE,
			       f->end->dev->buf + f->area + SOURCE, f->len[i]);
	default:
		found = *number_at(f->end, f->area + RESULTS + 8 * i);
		if (found == f->added++)
			return true;
		printf("# found %" PRIu64 " after %" PRIu64 " additions\n", found,
		       f->added - 1);
		return false;
	}
}

static bool fill(struct flow *f, unsigned int ops)
{
	while (f->posted < ops && f->posted - f->done < AT_ONCE)
		if (post(f))
			return false;
	return true;
}

static bool all(unsigned int ops)
{
	unsigned int left = 2 * CONNS * ops, i;

	for (i = 0; i < 2 * CONNS; i++)
		if (!fill(&flows[i], ops))
			return false;
	while (left) {
		for (i = 0; i < 2 * CONNS; i++) {
			if (flows[i].done == ops)
				continue;
			if (!take(&flows[i]) || !fill(&flows[i], ops)) {
				printf("# connection %u, from %s\n", i / 2,
				       flows[i].end->dev == &dev_a ? "A" : "B");
				return false;
			}
			left--;
		}
	}
	return true;
}

static void open_all(void)
{
	unsigned int i;

	for (i = 0; i < CONNS; i++) {
		ends_open(&end_a[i], &dev_a, &end_b[i], &dev_b, &rc_link);
		flows[2 * i] = (struct flow){
			.end = &end_a[i], .peer = &end_b[i], .area = i * AREA,
			.seed = 2 * i + 1,
		};
		flows[2 * i + 1] = (struct flow){
			.end = &end_b[i], .peer = &end_a[i], .area = i * AREA,
			.seed = 2 * i,
		};
		pattern(&dev_a, i * AREA + SOURCE, SOURCE_SIZE, 2 * i);
		pattern(&dev_b, i * AREA + SOURCE, SOURCE_SIZE, 2 * i + 1);
	}
}

int main(int argc, char **argv)
{
	unsigned int ops, i;

	if (argc < 3 || argc > 5) {
		fprintf(stderr, "Usage: verbs_mixed DEV-A DEV-B [OPS [SEED]]\n");
		return 2;
	}
	ops = argc > 3 ? strtoul(argv[3], NULL, 0) : 200;
	rnd_seed(argc > 4 ? strtoull(argv[4], NULL, 0) : 1);
	dev_open(&dev_a, argv[1]);
	dev_open(&dev_b, argv[2]);
	open_all();
	check(all(ops), "%u reads, writes and additions each way on %u connections", ops,
	      CONNS);
	for (i = 0; i < CONNS; i++) {
		end_close(&end_a[i]);
		end_close(&end_b[i]);
	}
	dev_close(&dev_a);
	dev_close(&dev_b);
	return tap_done();
}
