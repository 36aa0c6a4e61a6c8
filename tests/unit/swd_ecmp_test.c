// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which way packets take through suo-switch: hashes against balls in bins, spraying against
 * equal shares, the emptiest link, and hashes that all switches have in common.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/analytic/balls.h"
#include "model/core/rand.h"
#include "tests/unit/swd_helper.h"

#define MS	1000000000ull
#define BYTES	256
#define FLOWS	64
#define LINKS	8
#define DOWN	8	/* ports of a leaf to hosts; its links to spines follow */
#define ROUNDS	2000

/* 2 leaves of 8 hosts and 8 spines with a link to each. */
#define LEAF_SPINE	"name: t\nhosts: 16\naccelerators: 1\nscale_up: {profile: nvlink4}\n"	\
			"scale_out:\n  profile: roce-100g\n  topology: leaf-spine\n"		\
			"  leaf: {radix: 16}\n  spine: {radix: 2}\n"

/* k = 4: 8 edge, 8 aggregation and 4 core switches, half of the ports up. */
#define FAT_TREE	"name: t\nhosts: 16\naccelerators: 1\nscale_up: {profile: nvlink4}\n"	\
			"scale_out:\n  profile: roce-100g\n  topology: fat-tree\n"		\
			"  leaf: {radix: 4}\n  spine: {radix: 4}\n  core: {radix: 4}\n"

static u64 got[16];

static int take(struct swd_port *port, const u8 *data, size_t len)
{
	got[port->id]++;
	return 0;
}

static u64 up_packets(const struct swd *s, u32 link)
{
	return s->node[0].ifs[DOWN + link].out_packets;
}

/* A packet of each of some flows, from host 0 to host 15. */
static void send_flows(struct swd *s, u32 flows, u64 *now_ps, u64 *random)
{
	u8 data[BYTES];

	for (u32 f = 0; f < flows; f++) {
		swd_send(s, 0, data, swd_udp(data, BYTES, 0, 15, 0, suo_rand(random)),
			 *now_ps);
		*now_ps += MS / 1000;
		swd_run(s, *now_ps);
	}
	swd_run(s, *now_ps += MS);
}

static void test_balls(void **state)
{
	struct swd *s = swd_make(LEAF_SPINE, 64, take);
	u64 before[LINKS], random = 1, now_ps = swd_greet(s);
	u32 seen[FLOWS + 1] = { 0 }, below = 0;

	assert_int_equal(s->nodes, 10);
	assert_int_equal(s->node[0].sw->nports, DOWN + LINKS);
	for (u32 r = 0; r < ROUNDS; r++) {
		u64 most = 0;

		for (u32 l = 0; l < LINKS; l++)
			before[l] = up_packets(s, l);
		send_flows(s, FLOWS, &now_ps, &random);
		for (u32 l = 0; l < LINKS; l++)
			most = suo_max(most, up_packets(s, l) - before[l]);
		seen[most]++;
	}
	for (u32 x = 0; x <= FLOWS; x++) {
		double p = suo_balls_at_most(FLOWS, LINKS, x);

		below += seen[x];
		/* Five standard deviations of a share of so many rounds */
		if (fabs(p - (double)below / ROUNDS) > 5 * 0.5 / sqrt(ROUNDS))
			fail_msg("at most %u: %f, not %f", x, (double)below / ROUNDS, p);
	}
	assert_int_equal(s->frames_out, 0);
	swd_unmake(s);
}

/* A flow has one way, for as long as it lasts. */
static void test_one_way(void **state)
{
	struct swd *s = swd_make(LEAF_SPINE, 64, take);
	u64 now_ps = swd_greet(s);
	u32 used = 0;
	u8 data[BYTES];

	for (u32 i = 0; i < 100; i++) {
		swd_send(s, 0, data, swd_udp(data, BYTES, 0, 15, 0, 4242), now_ps);
		swd_run(s, now_ps += MS);
	}
	for (u32 l = 0; l < LINKS; l++)
		used += up_packets(s, l) >= 100;
	assert_int_equal(used, 1);
	swd_unmake(s);
}

static void check_spread(const char *text, u32 together)
{
	struct swd *s = swd_make(text, 1024, take);
	u64 before[LINKS], now_ps = swd_greet(s);
	u8 data[BYTES];

	got[15] = 0;
	for (u32 l = 0; l < LINKS; l++)
		before[l] = up_packets(s, l);
	for (u32 i = 0; i < 8000; i++) {
		swd_send(s, i % together, data,
			 swd_udp(data, BYTES, i % together, 15, 0, 4242), now_ps);
		if (i % together == together - 1)
			swd_run(s, now_ps += MS);
	}
	for (u32 l = 0; l < LINKS; l++)
		assert_true(fabs((up_packets(s, l) - before[l]) / 1000.0 - 1) < 0.05);
	assert_int_equal(got[15], 8000);
	swd_unmake(s);
}

static void test_spread(void **state)
{
	check_spread(LEAF_SPINE "  load_balancing: spray\n", 1);
	check_spread(LEAF_SPINE "  load_balancing: adaptive\n", 8);
}

/* How many of the links from aggregation switches to cores have been used. */
static u32 core_links_used(const char *text)
{
	struct swd *s = swd_make(text, 1024, take);
	u64 random = 1, now_ps = swd_greet(s), before[16];
	u32 used = 0;
	u8 data[BYTES];

	assert_int_equal(s->nodes, 20);
	for (u32 i = 0; i < 16; i++)
		before[i] = s->node[8 + i / 2].ifs[2 + i % 2].out_packets;
	for (u32 f = 0; f < 1000; f++) {
		u32 from = f % 16;

		swd_send(s, from, data, swd_udp(data, BYTES, from, (from + 8) % 16, 0,
						suo_rand(&random)), now_ps);
		swd_run(s, now_ps += MS);
	}
	for (u32 i = 0; i < 16; i++)
		used += s->node[8 + i / 2].ifs[2 + i % 2].out_packets > before[i];
	swd_unmake(s);
	return used;
}

/*
 * An edge switch sends a flow to aggregation switch h; with the same seed, that one finds
 * the same h: of its two links, one is never used.
 */
static void test_polarisation(void **state)
{
	assert_int_equal(core_links_used(FAT_TREE), 16);
	assert_int_equal(core_links_used(FAT_TREE "  switch: {same_seed: true}\n"), 8);
}

/* By its name; NULL: there is none. */
static const struct swd_link *find_link(const struct swd *s, const char *name)
{
	for (u32 i = 0; i < s->links; i++)
		if (!strcmp(s->link[i].name, name))
			return &s->link[i];
	return NULL;
}

/* NIC n of each host is at leaf n. */
static void test_rails(void **state)
{
	struct swd *s = swd_make("name: t\nhosts: 4\naccelerators: 2\nscale_up: {profile: nvlink4}\n"
				 "scale_out: {profile: roce-100g, topology: rail-optimised}\n",
				 64, take);
	u64 now_ps = swd_greet(s);
	u8 data[BYTES];

	assert_non_null(find_link(s, "h0:nic0-leaf0:Ethernet0"));
	assert_non_null(find_link(s, "h0:nic1-leaf1:Ethernet0"));
	assert_non_null(find_link(s, "h3:nic1-leaf1:Ethernet3"));
	assert_string_equal(s->link[7].end_name[0], "h3:nic1");
	assert_null(find_link(s, "h4:nic0-leaf0:Ethernet4"));
	/* In a rail, spines have nothing to do. */
	got[6] = 0;
	swd_send(s, 0, data, swd_udp(data, BYTES, 0, 6, 0, 1), now_ps);
	swd_run(s, now_ps + MS);
	assert_int_equal(got[6], 1);
	swd_unmake(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balls),
		cmocka_unit_test(test_one_way),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_polarisation),
		cmocka_unit_test(test_rails),
	};

	return cmocka_run_group_tests_name("swd-ecmp", tests, NULL, NULL);
}
