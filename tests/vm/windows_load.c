// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * windows_load: multicast writes and reduced reads of all members at a time, without
 * end, until what they need is taken away; says "running" when all of it works. Exits
 * with 0 if that ended in errors that a program can see, and everything was given back.
 */
#include <stdio.h>
#include <string.h>

#include "windows_lab.h"

#define LEN	65536

static struct group group;
static struct end from[MEMBERS], to[MEMBERS];

static int post(int i, enum ibv_wr_opcode opcode)
{
	struct ibv_send_wr wr = {
		.opcode = opcode, .wr.rdma.rkey = group.info.rkey,
	};

	return post_send(&from[i], &wr, ASIDE, LEN);
}

/* One round. Return: false once anything fails. */
static bool round_trip(void)
{
	bool good = true;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < MEMBERS; i++)
		good &= !post(i, i & 1 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE);
	for (i = 0; good && i < MEMBERS; i++)
		good &= wait_wc(&from[i], &wc) && wc.status == IBV_WC_SUCCESS;
	return good;
}

int main(void)
{
	int i, rounds = 0;

	members_open();
	if (!group_open(&group, SUO_WINDOW_MAX, SUO_WINDOW_BFLOAT16, WINDOW_SIZE, MEMBERS))
		return 1;
	for (i = 0; i < MEMBERS; i++)
		ends_open(&from[i], &member[i], &to[i], &member[(i + 3) % MEMBERS], &rc_link);
	while (round_trip())
		if (++rounds == 2) {
			printf("running\n");
			fflush(stdout);
		}
	for (i = 0; i < MEMBERS; i++) {
		end_close(&from[i]);
		end_close(&to[i]);
	}
	check(group_close(&group), "the window closes");
	members_close();
	return tap_done();
}
