// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Very many peers at once: rank 1 opens COUNT endpoints, which all send to the one
 * of rank 0 in the same moment; it answers each. Every answer must come to whom it
 * is for. Rank 0 prints TAP and what a connection took of the machine's memory.
 *
 * Usage: fabric_many RANK DEVICE RENDEZVOUS COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/vm/fabric_ends.h"

struct hello {
	uint32_t	number;
	uint8_t		name[64];
};

static long kib_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "MemAvailable: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

/* One endpoint for all. */
static void answer(struct end *end, uint32_t count)
{
	struct hello *in = calloc(count, sizeof(*in));
	bool *seen = calloc(count, sizeof(*seen));
	uint32_t got = 0, sent = 0;
	struct fi_cq_err_entry e;
	long before, after;

	for (uint32_t i = 0; i < count; i++)
		check(end, !fi_recv(end->ep, &in[i], sizeof(in[i]), NULL, FI_ADDR_UNSPEC, &in[i]));
	barrier(end);	/* the endpoints are there, the connections are not */
	before = kib_available();
	barrier(end);
	while ((got < count || sent < count) && !end->failed) {
		struct hello *h;
		fi_addr_t peer;

		check(end, next_comp(end, end->cq, &e, PEER_TIMEOUT_MS) && !e.err);
		if (end->failed)
			break;
		if (e.flags & FI_SEND) {
			sent++;
			continue;
		}
		got++;
		h = e.op_context;
		check(end, e.len == sizeof(*h) && h->number < count && !seen[h->number]);
		if (end->failed)
			break;
		seen[h->number] = true;
		check(end, fi_av_insert(end->av, h->name, 1, &peer, 0, NULL) == 1);
		h->number = ~h->number;
		check(end, !retry(end, fi_send(end->ep, &h->number, sizeof(h->number), NULL,
					       peer, h)));
	}
	barrier(end);
	after = kib_available();
	printf("# %ld KiB a connection, both ends together\n", (before - after) / (long)count);
	barrier(end);
	free(in);
	free(seen);
}

static void ask(struct end *end, uint32_t count)
{
	struct fid_ep **ep = calloc(count, sizeof(struct fid_ep *));
	struct hello *out = calloc(count, sizeof(*out));
	uint32_t *in = calloc(count, sizeof(*in));
	struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cq_err_entry e;
	uint32_t opened = 0;
	struct fid_cq *cq;

	check(end, !fi_cq_open(end->domain, &attr, &cq, NULL));
	for (uint32_t i = 0; i < count && !end->failed; i++) {
		size_t len = sizeof(out[i].name);

		check(end, !fi_endpoint(end->domain, end->info, &ep[i], NULL));
		check(end, !fi_ep_bind(ep[i], &end->av->fid, 0));
		check(end, !fi_ep_bind(ep[i], &cq->fid, FI_TRANSMIT | FI_RECV));
		check(end, !fi_enable(ep[i]));
		opened++;
		out[i].number = i;
		check(end, !fi_getname(&ep[i]->fid, out[i].name, &len));
		check(end, !fi_recv(ep[i], &in[i], sizeof(in[i]), NULL, FI_ADDR_UNSPEC, NULL));
	}
	barrier(end);
	barrier(end);
	for (uint32_t i = 0; i < opened; i++)
		check(end, !retry(end, fi_send(ep[i], &out[i], sizeof(out[i]), NULL, end->peer,
					       NULL)));
	for (uint32_t i = 0; i < 2 * opened && !end->failed; i++)
		check(end, next_comp(end, cq, &e, PEER_TIMEOUT_MS) && !e.err);
	for (uint32_t i = 0; i < opened && !end->failed; i++)
		check(end, in[i] == ~i);
	barrier(end);
	barrier(end);
	for (uint32_t i = 0; i < opened; i++)
		check(end, !fi_close(&ep[i]->fid));
	check(end, !fi_close(&cq->fid));
	free(ep);
	free(out);
	free(in);
}

static uint32_t peers;

static void many(struct end *end)
{
	if (end->rank)
		ask(end, peers);
	else
		answer(end, peers);
}

int main(int argc, char **argv)
{
	struct end end;

	if (argc != 5 || atoi(argv[4]) < 1 || atoi(argv[4]) > 65535) {
		fprintf(stderr, "Usage: fabric_many RANK DEVICE RENDEZVOUS COUNT\n");
		return 2;
	}
	peers = atoi(argv[4]);
	end_open(&end, atoi(argv[1]), argv[2], argv[3]);
	test(&end, "many peers at once", many);
	end_close(&end);
	if (!end.rank)
		printf("1..%d\n", end.tests);
	return end.failures ? 1 : 0;
}
