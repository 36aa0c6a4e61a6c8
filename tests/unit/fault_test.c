// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What goes wrong on links: how often, when, and to whom. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "userspace/switch/fault_script.h"

#define US	1000000ull		/* picoseconds */
#define MS	1000000000ull
#define N	1000000
#define Z99	2.576			/* of a normal distribution, both sides, 1 % */

static const struct swd_fault_ends ends[] = {
	{ "h0:nic0-leaf0:Ethernet0", "h0:nic0", "h0:nic0", "leaf0", "leaf0:Ethernet0",
	  100000 },
	{ "leaf0:Ethernet1-spine0:Ethernet0", "leaf0", "leaf0:Ethernet1", "spine0",
	  "spine0:Ethernet0", 100000 },
	{ "leaf0:Ethernet2-spine0:Ethernet1", "leaf0", "leaf0:Ethernet2", "spine0",
	  "spine0:Ethernet1", 100000 },
	{ "leaf0:Ethernet3-spine1:Ethernet0", "leaf0", "leaf0:Ethernet3", "spine1",
	  "spine1:Ethernet0", 100000 },
};

#define LINKS	(sizeof(ends) / sizeof(ends[0]))

static struct swd_faults make(const char *text)
{
	struct swd_faults faults;
	char why[SWD_FAULT_WHY];

	assert_int_equal(swd_faults_init(&faults, ends, LINKS, 7), 0);
	if (text && swd_fault_add_line(&faults, text, 0, why) < 0)
		fail_msg("%s: %s", text, why);
	return faults;
}

static struct swd_verdict frame(struct swd_faults *faults, u32 link, u32 dir, u64 now_ps)
{
	struct swd_verdict verdict;

	swd_faults_frame(faults, link, dir, 3, 1000, now_ps, &verdict);
	return verdict;
}

/* A binomial count is this near to its mean in 99 of 100 cases. */
static void assert_share(double hits, double n, double p)
{
	double off = hits - n * p, most = Z99 * sqrt(n * p * (1 - p));

	if (off > most || off < -most)
		fail_msg("%g of %g, expected %g +- %g", hits, n, n * p, most);
}

static void test_random_loss(void **state)
{
	static const struct {
		const char	*text;
		double		p;
	} cases[] = {
		{ "link=leaf0:spine1 loss=0.1%", 0.001 },
		{ "link=leaf0:spine1 loss=0.25 seed=5", 0.25 },
		{ "link=leaf0:spine1 loss=90%", 0.9 },
	};

	for (int c = 0; c < 3; c++) {
		struct swd_faults faults = make(cases[c].text);
		u32 lost = 0;

		for (int i = 0; i < N; i++) {
			struct swd_verdict v = frame(&faults, 3, SWD_DIR_AB, i);

			lost += v.lost;
			assert_int_equal(v.copies, !v.lost);
			assert_int_equal(v.delay_ps + v.corrupt, 0);
		}
		assert_share(lost, N, cases[c].p);
		assert_int_equal(faults.of[3]->hits, lost);
		swd_faults_free(&faults);
	}
}

static void test_all_and_every(void **state)
{
	struct swd_faults faults = make("link=leaf0:spine1 loss=100%");

	for (int i = 0; i < 1000; i++)
		assert_true(frame(&faults, 3, SWD_DIR_BA, 0).lost);
	swd_faults_free(&faults);

	/* The 4th, 8th, ... of each direction. */
	faults = make("link=leaf0:spine1 loss_every=4");
	for (int i = 1; i <= 1000; i++) {
		assert_int_equal(frame(&faults, 3, SWD_DIR_AB, 0).lost, i % 4 == 0);
		if (i % 2)
			assert_int_equal(frame(&faults, 3, SWD_DIR_BA, 0).lost,
					 i / 2 % 4 == 3);
	}
	swd_faults_free(&faults);
}

/*
 * Bursts of 8 on average, 1 % of all lost: r = 1/8, g = 0.01 / 0.99 / 8. A run of losses
 * is geometric with mean 1 / r and deviation sqrt(1 - r) / r; the times in between are
 * geometric with mean 1 / g. So there is one run in 1 / r + 1 / g frames: n r g / (r + g)
 * = 1250 of a million. By the theory of renewals (Feller, "An Introduction to Probability
 * Theory", volume 1, XIII.6) their number has the variance n s^2 / m^3, s^2 being the sum
 * of both variances.
 */
static void test_burst(void **state)
{
	struct swd_faults faults = make("link=leaf0:spine1 loss=1% burst=8");
	double r = 1 / 8.0, g = 0.01 / 0.99 / 8, m = 1 / r + 1 / g;
	double s2 = (1 - r) / (r * r) + (1 - g) / (g * g), lost = 0, runs = 0;
	bool before = false;

	for (int i = 0; i < N; i++) {
		bool now = frame(&faults, 3, SWD_DIR_AB, i).lost;

		lost += now;
		runs += now && !before;
		before = now;
	}
	assert_true(fabs(runs - N / m) < Z99 * sqrt(N * s2 / (m * m * m)));
	/* Given so many runs, the mean of their lengths. */
	assert_true(fabs(lost / runs - 1 / r) < Z99 * sqrt(1 - r) / r / sqrt(runs));
	swd_faults_free(&faults);
}

/* Any bit but those of the Ethernet header, each as often: 8000 - 112 of them. */
static void test_corrupt(void **state)
{
	struct swd_faults faults = make("link=leaf0:spine1 corrupt=50%");
	u32 hits = 0, low = 0, min = U32_MAX, max = 0;

	for (int i = 0; i < N; i++) {
		struct swd_verdict v = frame(&faults, 3, SWD_DIR_AB, i);

		if (!v.corrupt)
			continue;
		hits++;
		low += v.corrupt < 112 + (8000 - 112) / 2;
		min = v.corrupt < min ? v.corrupt : min;
		max = v.corrupt > max ? v.corrupt : max;
		assert_int_equal(v.copies, 1);
	}
	assert_share(hits, N, 0.5);
	assert_share(low, hits, 0.5);
	/* Of 8000 bits none is missed 60 times each. */
	assert_int_equal(min, 112);
	assert_int_equal(max, 7999);
	swd_faults_free(&faults);
}

/* The highest random number there is inverts the last bit, and not the one behind it. */
static void test_corrupt_last(void **state)
{
	struct swd_faults faults = make("link=leaf0:spine1 corrupt=100%");

	/* The second draw from here is U64_MAX; the first is whether there is damage. */
	faults.of[3]->side[SWD_DIR_AB].random = 0x932b113cfbd6b596ull;
	assert_int_equal(frame(&faults, 3, SWD_DIR_AB, 0).corrupt, 7999);
	swd_faults_free(&faults);
}

static void test_copies_and_order(void **state)
{
	struct swd_faults faults = make("link=leaf0:spine1 duplicate=10%");
	u32 twice = 0, late = 0;

	for (int i = 0; i < N; i++)
		twice += frame(&faults, 3, SWD_DIR_AB, i).copies == 2;
	assert_share(twice, N, 0.1);
	swd_faults_free(&faults);

	faults = make("link=leaf0:spine1 reorder=10% by=5us");
	for (int i = 0; i < N; i++) {
		u64 delay_ps = frame(&faults, 3, SWD_DIR_AB, i).delay_ps;

		assert_true(!delay_ps || delay_ps == 5 * US);
		late += !!delay_ps;
	}
	assert_share(late, N, 0.1);
	swd_faults_free(&faults);
}

/* Late by 10 to 14 us, but in order. Frames follow each other by 1 us. */
static void test_delay(void **state)
{
	struct swd_faults faults = make("link=leaf0:spine1 delay=10us jitter=4us");
	u64 last_ps = 0, sum_ps = 0;

	for (u64 i = 0; i < 100000; i++) {
		u64 delay_ps = frame(&faults, 3, SWD_DIR_AB, i * US).delay_ps;

		assert_true(delay_ps >= 10 * US && delay_ps <= 14 * US);
		assert_true(i * US + delay_ps >= last_ps);
		last_ps = i * US + delay_ps;
		sum_ps += delay_ps;
	}
	/* The mean is more than that of the draws, for the sake of the order. */
	assert_true(sum_ps / 100000 > 12 * US);
	swd_faults_free(&faults);

	faults = make("link=leaf0:spine1 delay=10us");
	for (u64 i = 0; i < 100; i++)
		assert_int_equal(frame(&faults, 3, SWD_DIR_AB, i * US).delay_ps, 10 * US);
	swd_faults_free(&faults);
}

/* From 1 ms on down for 1 of 4 us, until 1 ms + 10 us: down at 0, 4 and 8. */
static void test_flap(void **state)
{
	struct swd_faults faults =
		make("link=leaf0:spine1 flap=4us down=1us from=1ms to=1.01ms");
	static const u64 at_us[] = { 999, 1000, 1001, 1003, 1004, 1005, 1008, 1009, 1010 };
	static const bool down[] = { 0, 1, 0, 0, 1, 0, 1, 0, 0 };
	static const u64 next_us[] = { 1000, 1001, 1004, 1004, 1005, 1008, 1009, 1010, 0 };

	for (int i = 0; i < 9; i++) {
		struct swd_fault_state now;

		swd_faults_state(&faults, 3, at_us[i] * US, &now);
		assert_int_equal(now.down[SWD_DIR_AB], down[i]);
		assert_int_equal(now.down[SWD_DIR_BA], down[i]);
		assert_int_equal(now.next_ps, next_us[i] ? next_us[i] * US : U64_MAX);
		assert_int_equal(frame(&faults, 3, SWD_DIR_AB, at_us[i] * US).lost,
				 down[i]);
		assert_false(frame(&faults, 2, SWD_DIR_AB, at_us[i] * US).lost);
	}
	swd_faults_free(&faults);
}

/* The other way from the link's order; and one of two rates is the lower. */
static void test_slow_and_dead(void **state)
{
	struct swd_faults faults = make("link=spine1:leaf0 slow=25Gb/s dir=to");
	struct swd_fault_state now;
	char why[SWD_FAULT_WHY];

	assert_int_equal(swd_fault_add_line(&faults, "link=spine1:leaf0 slow=10 dir=both from=1us",
					    0, why), 2);
	swd_faults_state(&faults, 3, 0, &now);
	assert_int_equal(now.rate_mbps[SWD_DIR_AB], 0);
	assert_int_equal(now.rate_mbps[SWD_DIR_BA], 25000);
	assert_int_equal(now.next_ps, US);
	swd_faults_state(&faults, 3, US, &now);
	assert_int_equal(now.rate_mbps[SWD_DIR_AB], 10000);
	assert_int_equal(now.rate_mbps[SWD_DIR_BA], 10000);
	assert_int_equal(now.next_ps, U64_MAX);
	swd_faults_free(&faults);

	faults = make("link=leaf0:spine1 dead to=2us prio=3 dir=back");
	assert_false(frame(&faults, 3, SWD_DIR_AB, 0).lost);
	assert_true(frame(&faults, 3, SWD_DIR_BA, 0).lost);
	assert_false(frame(&faults, 3, SWD_DIR_BA, 2 * US).lost);
	/* To other priorities the link is up. */
	swd_faults_state(&faults, 3, 0, &now);
	assert_false(now.down[SWD_DIR_AB] || now.down[SWD_DIR_BA]);
	swd_faults_free(&faults);
}

/*
 * A receiver that asks for a pause for 30 % of each 10 us; a storm is repeated: 65535
 * quanta of 512 bits at 100 Gb/s are 335.5392 us.
 */
static void test_pauses(void **state)
{
	struct swd_faults faults = make("link=h0:nic0 pause=30% period=10us prio=3 from=1ms");
	struct swd_fault_state now;

	swd_faults_state(&faults, 0, MS - 1, &now);
	assert_int_equal(now.pause[SWD_DIR_AB], 0);
	assert_int_equal(now.next_ps, MS);
	swd_faults_state(&faults, 0, MS, &now);
	assert_int_equal(now.pause[SWD_DIR_AB], 1 << 3);
	assert_int_equal(now.pause[SWD_DIR_BA], 0);
	assert_int_equal(now.next_ps, MS + 3 * US);
	swd_faults_state(&faults, 0, MS + 3 * US, &now);
	assert_int_equal(now.pause[SWD_DIR_AB], 0);
	assert_int_equal(now.next_ps, MS + 10 * US);
	swd_faults_free(&faults);

	faults = make("link=leaf0:h0:nic0 storm prio=3,4 dir=back");
	swd_faults_state(&faults, 0, 0, &now);
	assert_int_equal(now.pause[SWD_DIR_AB], 1 << 3 | 1 << 4);
	assert_int_equal(now.next_ps, 335539200 / 2);
	/* Frames are none of its business. */
	assert_int_equal(frame(&faults, 0, SWD_DIR_AB, 0).copies, 1);
	swd_faults_free(&faults);
}

/* The same seed and frames decide alike, whatever else there is. */
static void test_independent(void **state)
{
	struct swd_faults one = make("link=leaf0:spine1 loss=10% seed=9");
	struct swd_faults two = make("link=leaf0:spine1 duplicate=50% seed=3");
	u32 differ = 0;
	char why[SWD_FAULT_WHY];

	assert_int_equal(swd_fault_add_line(&two, "link=leaf0:spine1 loss=10% seed=9", 0,
					    why), 2);
	for (int i = 0; i < 10000; i++) {
		bool lost = frame(&one, 3, SWD_DIR_AB, 0).lost;

		assert_int_equal(lost, frame(&two, 3, SWD_DIR_AB, 0).lost);
		differ += lost != frame(&one, 3, SWD_DIR_BA, 0).lost;
	}
	/* Directions do not: 2 * 0.1 * 0.9. */
	assert_share(differ, 10000, 0.18);
	swd_faults_free(&one);
	swd_faults_free(&two);
}

static void test_wrong_lines(void **state)
{
	static const struct {
		const char	*text;
		const char	*why;
	} cases[] = {
		{ "", "nothing goes wrong" },
		{ "loss=1%", "'link' is missing" },
		{ "link=leaf0:spine1", "nothing goes wrong" },
		{ "link=leaf0:spine0 loss=1%", "'leaf0:Ethernet1' or 'leaf0:Ethernet2'" },
		{ "link=leaf0:spine7 loss=1%", "none between 'leaf0:spine7'" },
		{ "link=leaf0:spine1 loss=1% corrupt=1%", "two faults" },
		{ "link=leaf0:spine1 loss=1% loss=2%", "there twice" },
		{ "link=leaf0:spine1 loss=101%", "loss: '101%' is too much" },
		{ "link=leaf0:spine1 loss=", "'loss' needs a value" },
		{ "link=leaf0:spine1 loss", "'loss' needs a value" },
		{ "link=leaf0:spine1 lose=1%", "'lose=1%': no such key" },
		{ "link=leaf0:spine1 loss=1% by=1us", "'by' belongs to 'reorder', not to 'loss'" },
		{ "link=leaf0:spine1 reorder=1%", "'by' is missing, which 'reorder' needs" },
		{ "link=leaf0:spine1 loss=1% from=2ms to=1ms", "'to' is not after 'from'" },
		{ "link=leaf0:spine1 loss=1% from=2", "needs a unit" },
		{ "link=leaf0:spine1 loss=1% from=2GB", "not a time" },
		{ "link=leaf0:spine1 loss=60% burst=4", "more than a half" },
		{ "link=leaf0:spine1 flap=1ms down=1ms", "'down' is not less" },
		{ "link=leaf0:spine1 flap=1ms", "'down' is missing" },
		{ "link=leaf0:spine1 loss=1% prio=8", "no list of priorities" },
		{ "link=leaf0:spine1 loss=1% prio=3,", "no list of priorities" },
		{ "link=leaf0:spine1 loss=1% prio=34", "no list of priorities" },
		{ "link=leaf0:spine1 loss=1% dir=up", "none of to, back, both" },
		{ "link=leaf0:spine1 dead=no", "'no' is not yes" },
		{ "link=leaf0:spine1 storm", "'prio' is missing" },
		{ "link=leaf0:spine1 loss_every=0", "too little" },
	};
	struct swd_fault one;
	char why[SWD_FAULT_WHY], line[600];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(swd_fault_parse(cases[i].text, ends, LINKS, &one, why),
				 -EINVAL);
		if (!strstr(why, cases[i].why))
			fail_msg("'%s': %s", cases[i].text, why);
	}
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(swd_fault_parse(line, ends, LINKS, &one, why), -EINVAL);
	assert_non_null(strstr(why, "at most 255"));
}

/* One link has many names; those from b to a turn the direction round. */
static void test_names(void **state)
{
	static const struct {
		const char	*name;
		u32		link;
		u32		dir;
	} cases[] = {
		{ "leaf0:Ethernet1-spine0:Ethernet0", 1, SWD_DIR_AB },
		{ "leaf0:Ethernet1", 1, SWD_DIR_AB },
		{ "spine0:Ethernet0", 1, SWD_DIR_BA },
		{ "leaf0:spine1", 3, SWD_DIR_AB },
		{ "spine1:leaf0", 3, SWD_DIR_BA },
		{ "h0:nic0", 0, SWD_DIR_AB },
		{ "h0:nic0:leaf0", 0, SWD_DIR_AB },
		{ "leaf0:h0:nic0", 0, SWD_DIR_BA },
		{ "leaf0:Ethernet0", 0, SWD_DIR_BA },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char line[128], why[SWD_FAULT_WHY];
		struct swd_fault one;

		snprintf(line, sizeof(line), "link=%s loss=1%% dir=to", cases[i].name);
		if (swd_fault_parse(line, ends, LINKS, &one, why))
			fail_msg("%s: %s", line, why);
		assert_int_equal(one.link, cases[i].link);
		assert_int_equal(one.dirs, 1 << cases[i].dir);
	}
}

static void test_script(void **state)
{
	static char text[] = "# faults\n\n  link=leaf0:spine1 loss=1% # one\nlink=x loss=1%\nlink=h0:nic0 dead\nlink=h0:nic0 dead=maybe\n";
	struct swd_faults faults = make(NULL);
	FILE *file = fmemopen(text, strlen(text), "r"), *errors;
	char *said;
	size_t size;

	errors = open_memstream(&said, &size);
	assert_int_equal(swd_fault_script(&faults, file, "f", errors), -EINVAL);
	fclose(errors);
	fclose(file);
	assert_int_equal(faults.n, 2);
	assert_int_equal(faults.of[3]->kind, SWD_FAULT_LOSS);
	assert_int_equal(faults.of[0]->kind, SWD_FAULT_DEAD);
	assert_non_null(strstr(said, "f:4: link: there is none"));
	assert_non_null(strstr(said, "f:6: dead: 'maybe' is not yes"));
	free(said);
	swd_faults_free(&faults);
}

static json_t *ask(struct swd_faults *faults, const char *request, u64 now_ps)
{
	json_t *root = json_loads(request, 0, NULL), *reply;

	assert_non_null(root);
	reply = swd_faults_request(faults, root, now_ps);
	assert_non_null(reply);
	json_decref(root);
	return reply;
}

static void expect(struct swd_faults *faults, const char *request, u64 now_ps,
		   const char *reply)
{
	json_t *got = ask(faults, request, now_ps);
	char *text = json_dumps(got, JSON_SORT_KEYS);

	if (!strstr(text, reply))
		fail_msg("%s: %s", request, text);
	free(text);
	json_decref(got);
}

/* Half a letter, where a long name is cut off in the reason, is no reason to be silent. */
static void test_long_names(void **state)
{
	struct swd_faults faults = make(NULL);
	char request[SWD_FAULT_TEXT + 64], name[2 * 100 + 1] = "";

	for (u32 odd = 0; odd < 2; odd++) {
		/* Two bytes each in UTF-8 */
		for (u32 i = 0; i < 100; i++)
			memcpy(name + 2 * i, "\xc3\xa9", 2);
		snprintf(request, sizeof(request), "{\"add\": \"link=%s%s dead\"}",
			 odd ? "x" : "", name);
		expect(&faults, request, 0, "\"error\": \"");
		snprintf(request, sizeof(request), "{\"add\": {\"%s%s\": null}}",
			 odd ? "x" : "", name);
		expect(&faults, request, 0, "\"error\": \"");
	}
	swd_faults_free(&faults);
}

/* What is added live begins to count now. */
static void test_requests(void **state)
{
	struct swd_faults faults = make(NULL);

	expect(&faults, "{\"cmd\": \"fault\"}", 0, "{\"faults\": []}");
	expect(&faults, "{\"add\": {\"link\": \"leaf0:spine1\", \"loss\": \"100%\", \"from\": \"1ms\", \"to\": \"2ms\", \"seed\": 4}}",
	       MS, "{\"id\": 1}");
	expect(&faults, "{\"add\": \"link=h0:nic0 dead\"}", MS, "{\"id\": 2}");
	expect(&faults, "{}", MS, "\"state\": \"to come\"");
	expect(&faults, "{}", 3 * MS, "\"state\": \"over\"");
	assert_false(frame(&faults, 3, 0, 2 * MS - 1).lost);
	assert_true(frame(&faults, 3, 0, 2 * MS).lost);
	assert_false(frame(&faults, 3, 0, 3 * MS).lost);
	expect(&faults, "{}", 2 * MS, "\"hits\": 1, \"id\": 1, \"link\": \"leaf0:Ethernet3-spine1:Ethernet0\", \"state\": \"on\"");
	expect(&faults, "{\"add\": {\"link\": \"leaf0:spine1\"}}", 0, "nothing goes wrong");
	expect(&faults, "{\"add\": {\"link\": \"a dead=yes\"}}", 0, "is no word");
	expect(&faults, "{\"add\": 3}", 0, "an object or a line");
	expect(&faults, "{\"add\": {}, \"remove\": 1}", 0, "at once");
	expect(&faults, "{\"remove\": \"x\"}", 0, "number of a fault");
	expect(&faults, "{\"remove\": 9}", 0, "there is no fault 9");
	expect(&faults, "{\"remove\": 1}", 0, "{\"id\": 1}");
	expect(&faults, "{\"remove\": 1}", 0, "there is no fault 1");
	assert_int_equal(faults.n, 1);
	assert_null(faults.of[3]);
	for (u32 i = faults.n; i < SWD_FAULTS_MAX; i++)
		expect(&faults, "{\"add\": \"link=h0:nic0 dead\"}", 0, "id");
	expect(&faults, "{\"add\": \"link=h0:nic0 dead\"}", 0, "256 faults already");
	swd_faults_free(&faults);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_loss),
		cmocka_unit_test(test_all_and_every),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_corrupt_last),
		cmocka_unit_test(test_copies_and_order),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_flap),
		cmocka_unit_test(test_slow_and_dead),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_independent),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_script),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
