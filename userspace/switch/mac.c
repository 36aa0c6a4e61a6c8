// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which endpoint has which MAC address: the one that a frame last came from with it.
 * A table of fixed size; where it is full, the newcomer takes the place of another, whose
 * frames go to everybody until it is learned again.
 */
#include <errno.h>
#include <stdlib.h>

#include "userspace/switch/switchd.h"

#define MIN_ENTRIES		1024u
#define ENTRIES_PER_ENDPOINT	16u
#define PROBES			8u

struct entry {
	u64	mac;	/* 0: empty */
	u32	endpoint;
};

struct swd_mac_table {
	u32		mask;
	struct entry	entry[];
};

static u64 mac_number(const u8 *mac)
{
	u64 n = 0;

	for (u32 i = 0; i < 6; i++)
		n = n << 8 | mac[i];
	return n;
}

int swd_mac_init(struct swd *s)
{
	u32 entries = MIN_ENTRIES;

	while (entries < ENTRIES_PER_ENDPOINT * s->topo.hosts)
		entries *= 2;
	s->mac = calloc(1, sizeof(*s->mac) + entries * sizeof(s->mac->entry[0]));
	if (!s->mac)
		return swd_error(-ENOMEM, "not enough memory");
	s->mac->mask = entries - 1;
	return 0;
}

void swd_mac_free(struct swd *s)
{
	free(s->mac);
	s->mac = NULL;
}

static struct entry *slot(struct swd_mac_table *table, u64 mac, u32 probe)
{
	return &table->entry[(suo_ecmp_hash_u64(mac, 0) + probe) & table->mask];
}

void swd_mac_learn(struct swd *s, const u8 *mac, u32 endpoint)
{
	u64 n = mac_number(mac);
	struct entry *e;

	if (!n)
		return;
	for (u32 i = 0; i < PROBES; i++) {
		e = slot(s->mac, n, i);
		if (e->mac == n || !e->mac) {
			*e = (struct entry){ n, endpoint };
			return;
		}
	}
	*slot(s->mac, n, 0) = (struct entry){ n, endpoint };
}

u32 swd_mac_find(const struct swd *s, const u8 *mac)
{
	u64 n = mac_number(mac);

	if (mac[0] & 1)
		return SWD_FLOOD;
	for (u32 i = 0; i < PROBES; i++) {
		const struct entry *e = slot(s->mac, n, i);

		if (e->mac == n)
			return e->endpoint;
		if (!e->mac)
			break;
	}
	return SWD_FLOOD;
}
