// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "windows_lab.h"

struct dev member[MEMBERS];

void members_open(void)
{
	char name[16];
	int i;

	for (i = 0; i < MEMBERS; i++) {
		snprintf(name, sizeof(name), "suo%d", i);
		dev_open(&member[i], name);
	}
}

void members_close(void)
{
	int i;

	for (i = 0; i < MEMBERS; i++)
		dev_close(&member[i]);
}

/**
 * group_open() - make a window over the members' buffers
 * @g: zeroed
 * @op: operation
 * @type: type
 * @length: bytes
 * @bound: members that bind their memory, of MEMBERS that the window wants
 *
 * Return: false if something fails.
 */
bool group_open(struct group *g, uint16_t op, uint16_t type, uint64_t length, int bound)
{
	const struct suo_window_attr attr = {
		.length = length, .members = MEMBERS, .op = op, .type = type,
	};
	int i, ret;

	for (i = 0; i < MEMBERS; i++) {
		g->window[i] = i ? suo_window_join(member[i].ctx, &g->token) :
				   suo_window_create(member[0].ctx, &attr, &g->token);
		if (!g->window[i]) {
			perror("# window");
			return false;
		}
		if (i >= bound)
			continue;
		ret = suo_window_bind(g->window[i], member[i].mr,
				      (uintptr_t)member[i].buf, i);
		if (ret) {
			printf("# bind %d: %s\n", i, strerror(ret));
			return false;
		}
	}
	return !suo_window_query(g->window[0], &g->info);
}

bool group_close(struct group *g)
{
	bool good = true;
	int i;

	for (i = 0; i < MEMBERS; i++)
		if (g->window[i])
			good &= !suo_window_destroy(g->window[i]);
	memset(g, 0, sizeof(*g));
	return good;
}

/* One request, and how it ends. @local is a place in the buffer of its sender. */
enum ibv_wc_status transfer(struct end *a, enum ibv_wr_opcode opcode, uint32_t rkey,
			    uint64_t at, size_t local, uint32_t len)
{
	struct ibv_send_wr wr = {
		.opcode = opcode,
		.wr.rdma = { .remote_addr = at, .rkey = rkey },
	};
	struct ibv_wc wc;

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = at;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	}
	if (post_send(a, &wr, local, len) || !wait_wc(a, &wc))
		return IBV_WC_GENERAL_ERR;
	return wc.status;
}

/* The same by a connection of its own, from a member to a member. */
enum ibv_wc_status try_transfer(int from, int to, enum ibv_wr_opcode opcode,
				uint32_t rkey, uint64_t at, size_t local, uint32_t len)
{
	struct end a = {}, b = {};
	enum ibv_wc_status status;

	ends_open(&a, &member[from], &b, &member[to], &rc_link);
	status = transfer(&a, opcode, rkey, at, local, len);
	ibv_destroy_qp(a.qp);
	ibv_destroy_qp(b.qp);
	ibv_destroy_cq(a.cq);
	ibv_destroy_cq(b.cq);
	ibv_destroy_comp_channel(a.channel);
	ibv_destroy_comp_channel(b.channel);
	return status;
}

/* The files are in the first namespace only. */
long long read_counter(int nr, const char *name)
{
	char path[128];
	long long n = -1;
	FILE *f;

	snprintf(path, sizeof(path),
		 "/proc/1/root/sys/class/infiniband/suo%d/ports/1/hw_counters/%s", nr, name);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%lld", &n) != 1)
			n = -1;
		fclose(f);
	}
	return n;
}

/* xorshift64 (Marsaglia 2003) */
uint64_t rand64(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}
