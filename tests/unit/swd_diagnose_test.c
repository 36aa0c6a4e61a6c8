// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * suo diagnose, of runs in which suo-switch's own path carried NICs' packets, with one
 * thing wrong, and of runs with nothing wrong. The telemetry is what suo-switch writes;
 * nothing of it is made up. Eight hosts at two leaves below four spines, 100 Gb/s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/unit/swd_nic.h"
#include "userspace/switch/capture_wire.h"
#include "userspace/switch/fault_wire.h"
#include "userspace/switch/snapshot.h"
#include "userspace/switch/watchdog_wire.h"
#include "userspace/telemetry/series.h"

#define US		1000000ull
#define MS		1000000000ull
#define HOSTS		8
#define DSCP		26		/* priority 3, which is lossless */
#define SAMPLE_PS	(10 * US)

#define NETWORK_OF(gbps)						\
	"name: t\nhosts: 8\naccelerators: 1\n"				\
	"scale_up: {profile: nvlink4}\n"				\
	"scale_out:\n  profile: roce-100g\n  topology: leaf-spine\n"	\
	"  rate_gbps: " #gbps "\n  leaf: {radix: 8}\n  spine: {count: 4}\n"
#define NETWORK	NETWORK_OF(100)
#define ECN	"  ecn: {kmin_bytes: 100KB, kmax_bytes: 400KB, pmax: 0.2}\n"
#define PFC	"  pfc: {xoff_bytes: 300KB, xon_bytes: 250KB}\n"
#define DATA	"  switch:\n    data_priorities: [3]\n"
#define FAULTS	"faults:\n"

/* A network in which nothing is wrong, and the same with something wrong on a link. */
#define SOUND		NETWORK ECN PFC DATA
#define WITH(fault)	SOUND FAULTS "- link=" fault "\n"

static char dir[] = "/tmp/suo-diagnose-XXXXXX";

/* Where captures go; NULL: there are none. */
static const char *capture_to;

static int set_up(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* An AllReduce by a ring, time after time; rank i is host order[i]. */
static struct ring {
	u32			order[HOSTS];
	u32			chunk;		/* packets */
	u32			times;
	u32			begun[HOSTS];
	u32			done[HOSTS];
	u32			held[HOSTS];	/* chunks that came before the rank began */
	u64			wait_ps[HOSTS];	/* before the next time, by rank */
	struct swd_timer	begin[HOSTS];
	struct lab		*lab;
} ring;

#define STEPS	(2 * (HOSTS - 1))

static void begin(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	u32 rank = timer - ring.begin;

	ring.begun[rank]++;
	lab_post(ring.lab, rank, ring.chunk);
	for (; ring.held[rank]; ring.held[rank]--)
		lab_post(ring.lab, rank, ring.chunk);
}

static void ring_got(struct lab *lab, u32 flow, u32 msg)
{
	u32 rank = (flow + 1) % HOSTS;

	/* Who has not begun passes nothing on. */
	if ((msg + 1) % STEPS && ring.begun[rank] <= msg / STEPS)
		ring.held[rank]++;
	else if ((msg + 1) % STEPS)
		lab_post(lab, rank, ring.chunk);
	else if (++ring.done[rank] < ring.times)
		swd_timer_at(lab->s, &ring.begin[rank],
			     lab->s->now_ps + ring.wait_ps[rank]);
}

/*
 * Neighbours are at different leaves, and each flow has a way up of its own, or all of
 * them the same.
 */
static void start_ring(struct lab *lab, u32 chunk, u32 times, u64 wait_ps, u64 late_ps,
		       bool same_way)
{
	ring = (struct ring){ .chunk = chunk, .times = times, .lab = lab };
	for (u32 i = 0; i < HOSTS; i++)
		ring.order[i] = i / 2 + i % 2 * HOSTS / 2;
	for (u32 i = 0; i < HOSTS; i++) {
		u32 flow = lab_flow(lab, ring.order[i], ring.order[(i + 1) % HOSTS], DSCP);

		lab_by_way(lab, flow, same_way ? 0 : i / 2);
		ring.wait_ps[i] = wait_ps + (i == 5 ? late_ps : 0);
		ring.begin[i] = (struct swd_timer){ .fn = begin, .at_ps = U64_MAX };
		swd_timer_at(lab->s, &ring.begin[i], lab->s->now_ps + US + ring.wait_ps[i]);
	}
	lab->got = ring_got;
}

static void clean_ring(struct lab *lab)
{
	start_ring(lab, 16, 6, 0, 0, false);
}

/* Each host computes for 100 us before it begins. */
static void ring_with_gaps(struct lab *lab)
{
	start_ring(lab, 32, 5, 100 * US, 0, false);
}

static void ring_with_straggler(struct lab *lab)
{
	start_ring(lab, 32, 5, 0, 120 * US, false);
}

static void ring_one_way(struct lab *lab)
{
	start_ring(lab, 32, 3, 0, 0, true);
}

/* All to host 0, whose queue fills. */
static void incast(struct lab *lab)
{
	for (u32 h = 1; h < HOSTS; h++) {
		u32 flow = lab_flow(lab, h, 0, DSCP);

		if (h >= HOSTS / 2)
			lab_by_way(lab, flow, h % 4);
		lab_post(lab, flow, 600);
	}
	lab->window = 256;
}

/* Each to one at the other leaf, by a way of its own. */
static void permutation(struct lab *lab)
{
	for (u32 h = 0; h < HOSTS; h++) {
		u32 flow = lab_flow(lab, h, (h + HOSTS / 2) % HOSTS, DSCP);

		lab_by_way(lab, flow, h % 4);
		lab_post(lab, flow, 4000);
	}
}

/* The same, but one host's data have no DSCP. */
static void wrong_dscp(struct lab *lab)
{
	permutation(lab);
	lab->flow[6].dscp = 0;
}

/* Short messages, from each to each. */
static void few_words(struct lab *lab)
{
	for (u32 i = 0; i < HOSTS; i++)
		for (u32 j = 0; j < HOSTS; j++)
			if (i != j)
				lab_post(lab, lab_flow(lab, i, j, DSCP), 8);
}

/* Down a chain: a host sends when it has all, and the first one begins anew. */
static void chain_got(struct lab *lab, u32 flow, u32 msg)
{
	if (flow + 1 < lab->flows)
		lab_post(lab, flow + 1, 64);
	else if (msg < 9)
		lab_post(lab, 0, 64);
}

static void chain(struct lab *lab)
{
	for (u32 h = 0; h + 1 < HOSTS; h++)
		lab_flow(lab, h, h + 1, DSCP);
	lab->got = chain_got;
	lab_post(lab, 0, 64);
}

/* All begin together, time after time, but one has less to send. */
static struct swd_timer round_timer;

static void next_round(struct swd *s, struct swd_timer *timer, u64 at_ps)
{
	struct lab *lab = timer->arg;

	for (u32 h = 0; h < HOSTS; h++)
		lab_post(lab, h, h == 2 ? 10 : 60);
	swd_timer_at(s, timer, at_ps + 400 * US);
}

static void uneven(struct lab *lab)
{
	for (u32 h = 0; h < HOSTS; h++)
		lab_by_way(lab, lab_flow(lab, h, (h + HOSTS / 2) % HOSTS, DSCP), h % 4);
	round_timer = (struct swd_timer){ .fn = next_round, .arg = lab, .at_ps = U64_MAX };
	swd_timer_at(lab->s, &round_timer, lab->s->now_ps + US);
}

static void nothing(struct lab *lab)
{
}

/* All that the NICs have counted. */
static void write_devices(const struct lab *lab)
{
	json_t *root = json_object();
	char name[64];

	for (u32 e = 0; e < HOSTS; e++) {
		const struct nic_count *c = &lab->nic[e].count;

		snprintf(name, sizeof(name), "suo%u", e);
		json_object_set_new(root, name, json_pack(
			"{s:I, s:I, s:I, s:I, s:I}",
			"out_of_sequence", (json_int_t)c->out_of_sequence,
			"duplicate_request", (json_int_t)c->duplicate_request,
			"packet_seq_err", (json_int_t)c->packet_seq_err,
			"local_ack_timeout_err", (json_int_t)c->local_ack_timeout_err,
			"rx_icrc_encapsulated", (json_int_t)c->rx_icrc_encapsulated));
	}
	snprintf(name, sizeof(name), "%s/devices.json", dir);
	assert_int_equal(json_dump_file(root, name, 0), 0);
	json_decref(root);
}

static FILE *create(const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	return file;
}

static struct suo_snapshot *snapshot(const struct lab *lab, const char *file)
{
	struct suo_snapshot *snap = swd_snapshot_new(lab->s);
	size_t len;
	char *json;
	FILE *out;

	assert_non_null(snap);
	swd_snapshot_take(lab->s, snap, lab->s->now_ps);
	if (!file)
		return snap;
	json = suo_snapshot_to_json(snap, &len);
	assert_non_null(json);
	out = create(file);
	assert_int_equal(fwrite(json, 1, len, out), len);
	fclose(out);
	free(json);
	return snap;
}

/* Run, and leave a run's directory behind. Faults' times count from the beginning of it. */
static void make_run(const char *cluster, void (*work)(struct lab *lab), u64 length_ps)
{
	struct suo_series series = { 0 };
	struct lab *lab = lab_make(cluster);
	struct suo_snapshot *snap;
	struct swd *s = lab->s;
	u64 end_ps;

	s->opts.capture = capture_to;
	assert_int_equal(swd_capture_start(s), 0);
	assert_int_equal(swd_fault_start(s), 0);
	assert_int_equal(swd_watchdog_start(s), 0);
	series.out = create("series.csv");
	series.links = create("series-links.csv");
	snap = snapshot(lab, "snapshot-first.json");
	assert_int_equal(suo_series_start(&series, snap), 0);
	suo_snapshot_free(snap);

	work(lab);
	end_ps = s->now_ps + length_ps;
	for (u64 at_ps = s->now_ps; at_ps < end_ps; ) {
		at_ps += SAMPLE_PS;
		swd_run(s, at_ps);
		assert_int_equal(suo_series_add(&series, snapshot(lab, NULL)), 0);
	}
	suo_snapshot_free(snapshot(lab, "snapshot-last.json"));
	write_devices(lab);
	suo_series_end(&series);
	fclose(series.out);
	fclose(series.links);
	swd_watchdog_stop(s);
	swd_fault_stop(s);
	swd_capture_stop(s);
	lab_free(lab);
}

/* Return: what suo diagnose says of the run. */
static json_t *diagnose(void)
{
	char command[128];
	json_error_t error;
	json_t *root;
	FILE *pipe;

	snprintf(command, sizeof(command), "build/bin/suo diagnose -j %s", dir);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	root = json_loadf(pipe, 0, &error);
	assert_int_equal(pclose(pipe), 0);
	assert_non_null(root);
	return root;
}

static const char *word(const json_t *finding, const char *key)
{
	return json_string_value(json_object_get(finding, key));
}

/**
 * struct run_case - a run with one thing wrong
 * @name: of it
 * @cluster: the network, faults included. Learning takes 8 ms; then the work begins.
 * @work: what is sent
 * @fault: that shall be named first
 * @where: and its place
 */
struct run_case {
	const char	*name;
	const char	*cluster;
	void		(*work)(struct lab *lab);
	const char	*fault;
	const char	*where;
};

static const struct run_case cases[] = {
	{ "random loss", WITH("leaf0:spine1 loss=1%"),
	  permutation, "link-loss", "leaf0:Ethernet5-spine1:Ethernet0" },
	{ "periodic loss", WITH("leaf1:spine2 loss_every=100"),
	  permutation, "link-loss-periodic", "leaf1:Ethernet6-spine2:Ethernet1" },
	{ "bursts", WITH("h2:nic0 loss=2% burst=20"),
	  permutation, "link-loss-bursts", "h2:nic0-leaf0:Ethernet2" },
	{ "corruption", WITH("leaf0:spine3 corrupt=0.2%"),
	  clean_ring, "link-corrupts", "leaf0:Ethernet7-spine3:Ethernet0" },
	{ "reorder", WITH("leaf0:spine0 reorder=0.5% by=3us"),
	  permutation, "reordering", "" },
	{ "duplicate", WITH("leaf0:spine2 duplicate=1%"),
	  permutation, "link-duplicates", "leaf0:Ethernet6-spine2:Ethernet0" },
	{ "delay", WITH("leaf1:spine3 delay=5us"),
	  clean_ring, "link-delay", "leaf1:Ethernet7-spine3:Ethernet1" },
	{ "flap", WITH("leaf0:spine1 flap=700us down=50us"),
	  permutation, "link-flaps", "leaf0:Ethernet5-spine1:Ethernet0" },
	{ "dead", WITH("leaf0:spine1 dead from=8.3ms"),
	  clean_ring, "link-down", "leaf0:Ethernet5-spine1:Ethernet0" },
	{ "slow port", WITH("leaf1:spine1 slow=25Gb/s"),
	  permutation, "slow-port", "" },
	{ "slow receiver", WITH("h5:nic0 pause=40% period=20us prio=3"),
	  clean_ring, "slow-receiver", "h5:nic0" },
	{ "pause storm", WITH("h3:nic0 storm prio=3 from=8.4ms"),
	  clean_ring, "pause-storm", "h3:nic0" },
	{ "hash collision", SOUND, ring_one_way, "hash-collision", "Ethernet4" },
	{ "wrong DSCP", SOUND, wrong_dscp, "wrong-class", "h6:nic0" },
	{ "ECN above xoff", NETWORK "  ecn: {kmin_bytes: 4MB, kmax_bytes: 8MB, pmax: 0.2}\n"
	  "  pfc: {xoff_bytes: 100KB, xon_bytes: 50KB}\n" DATA, incast, "ecn-late",
	  "leaf0:Ethernet0" },
	{ "headroom", NETWORK ECN
	  "  pfc: {xoff_bytes: 100KB, xon_bytes: 50KB, headroom_bytes: 2KB}\n" DATA, incast,
	  "headroom", "Ethernet" },
	{ "straggler", SOUND, ring_with_straggler, "straggler", "h6:nic0" },
};

#define CASES	(sizeof(cases) / sizeof(cases[0]))

static void show(const char *name)
{
	char command[128];

	fprintf(stderr, "# %s\n", name);
	snprintf(command, sizeof(command), "build/bin/suo diagnose %s >&2", dir);
	if (system(command))
		fputs("# failed\n", stderr);
}

static void test_faults(void **state)
{
	u32 first = 0;

	for (u32 c = 0; c < CASES; c++) {
		json_t *root, *finding;
		bool named;

		make_run(cases[c].cluster, cases[c].work, 4 * MS);
		root = diagnose();
		finding = json_array_get(json_object_get(root, "findings"), 0);
		named = finding && !strcmp(word(finding, "fault"), cases[c].fault) &&
			strstr(word(finding, "where"), cases[c].where);
		first += named;
		if (!named || getenv("SHOW"))
			show(cases[c].name);
		json_decref(root);
	}
	printf("# %u of %zu faults named first\n", first, CASES);
	/*
	 * Nine of ten would be enough for whoever judges the whole; but each of these is
	 * the only one of its rule.
	 */
	assert_int_equal(first, CASES);
}

static void assert_clean(const char *name, const char *cluster,
			 void (*work)(struct lab *lab))
{
	json_t *root;

	make_run(cluster, work, 3 * MS);
	root = diagnose();
	if (json_array_size(json_object_get(root, "findings"))) {
		show(name);
		fail_msg("%s: something is wrong", name);
	}
	json_decref(root);
}

/* At several rates: samples are coarse for the fast, and short for the slow ones. */
static void test_clean(void **state)
{
	static const char *const networks[] = {
		SOUND,
		NETWORK_OF(25) ECN PFC DATA,
		NETWORK_OF(40) ECN PFC DATA,
		NETWORK_OF(400) ECN PFC DATA,
	};
	static const struct {
		const char	*name;
		void		(*work)(struct lab *lab);
	} runs[] = {
		{ "ring", clean_ring },
		{ "ring with gaps", ring_with_gaps },
		{ "permutation", permutation },
		{ "incast", incast },
		{ "few words", few_words },
		{ "chain", chain },
		{ "uneven", uneven },
		{ "nothing", nothing },
	};

	for (u32 n = 0; n < sizeof(networks) / sizeof(networks[0]); n++)
		for (u32 r = 0; r < sizeof(runs) / sizeof(runs[0]); r++)
			assert_clean(runs[r].name, networks[n], runs[r].work);
}

/*
 * Steps of 2.7 us and samples of 10: who fell silent first cannot be told, so nobody is
 * accused.
 */
static void test_too_coarse(void **state)
{
	assert_clean("straggler", NETWORK_OF(400) ECN PFC DATA, ring_with_straggler);
}

/* The same seed: the same counters at all times, and the same captures. */
static void test_twice(void **state)
{
	static const char cluster[] = SOUND FAULTS
		"- link=leaf0:spine1 loss=1% burst=3\n- link=leaf1:spine2 reorder=1% by=3us\n"
		"- link=h5:nic0 pause=20% period=30us prio=3\n- link=h1:nic0 corrupt=0.1%\n"
		"- link=leaf1:spine3 flap=900us down=60us\n- link=h6:nic0 delay=1us jitter=2us\n";
	char command[512];

	capture_to = dir;
	make_run(cluster, clean_ring, MS);
	snprintf(command, sizeof(command), "mkdir %s/one && mv %s/*.csv %s/*.pcap %s/one", dir,
		 dir, dir, dir);
	assert_int_equal(system(command), 0);
	make_run(cluster, clean_ring, MS);
	capture_to = NULL;
	snprintf(command, sizeof(command), "cd %s/one && ls *.pcap | wc -l | grep -qx 32 && for f in *.csv *.pcap; do cmp $f ../$f || exit; done; rm -r %s/one",
		 dir, dir);
	assert_int_equal(system(command), 0);
}

/* What tshark says of a capture with pauses in it. */
static void test_capture(void **state)
{
	char command[512], spec[64];

	if (system("command -v tshark > /dev/null"))
		skip();
	snprintf(spec, sizeof(spec), "%s:h5:nic0,leaf1:Ethernet5", dir);
	capture_to = spec;
	make_run(WITH("h5:nic0 pause=40% period=20us prio=3"), clean_ring, MS);
	capture_to = NULL;
	snprintf(command, sizeof(command), "cd %s && for f in leaf1-Ethernet[15].pcap; do tshark -r $f -Y '_ws.malformed || frame.time_delta < 0' 2> /dev/null || exit; done | grep . && exit 1; tshark -r leaf1-Ethernet1.pcap -Y 'macc.cbfc.enbv.c3 == 1' 2> /dev/null | grep -q .",
		 dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_too_coarse),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_capture),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
