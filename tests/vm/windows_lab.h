/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests of windows share: eight members, and a window over all of them. */
#ifndef WINDOWS_LAB_H
#define WINDOWS_LAB_H

#include "userspace/verbs/suo_window.h"
#include "verbs_lab.h"

#define MEMBERS		8
/* In each device's buffer: the window's memory, and room beside it. */
#define WINDOW_SIZE	(1u << 20)
#define ASIDE		WINDOW_SIZE

/**
 * struct group - a window with its members
 * @window: each member's share
 * @info: what it is
 * @token: of the window
 */
struct group {
	struct suo_window *window[MEMBERS];
	struct suo_window_info info;
	struct suo_token token;
};

extern struct dev member[MEMBERS];

void members_open(void);
void members_close(void);
bool group_open(struct group *g, uint16_t op, uint16_t type, uint64_t length, int bound);
bool group_close(struct group *g);
enum ibv_wc_status transfer(struct end *a, enum ibv_wr_opcode opcode, uint32_t rkey,
			    uint64_t at, size_t local, uint32_t len);
enum ibv_wc_status try_transfer(int from, int to, enum ibv_wr_opcode opcode,
				uint32_t rkey, uint64_t at, size_t local, uint32_t len);
long long read_counter(int nr, const char *name);
uint64_t rand64(void);

#endif /* WINDOWS_LAB_H */
