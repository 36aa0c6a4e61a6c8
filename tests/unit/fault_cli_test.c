// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* suo fault at a suo-switch that runs; suo diagnose of directories that are no runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"

#define CLUSTER								\
	"name: t\nhosts: 4\naccelerators: 1\n"				\
	"scale_up: {profile: nvlink4}\n"				\
	"scale_out: {profile: roce-100g, topology: leaf-spine, leaf: {radix: 4}, spine: {count: 2}}\n"

#define LARGE								\
	"name: t\nhosts: 72\naccelerators: 1\n"				\
	"scale_up: {profile: nvlink4}\n"				\
	"scale_out: {profile: roce-100g, topology: single}\n"

/* It is told to end with the shell, and has to end well. */
#define WITH_CLUSTER(file, options, commands)					\
	"rm -f $D/out; build/bin/suo-switch --control $D/s " options " $D/" file " > $D/out & pid=$!; "	\
	"while kill -0 $pid 2> /dev/null && ! [ -s $D/out ]; do sleep 0.05; done; "	\
	"export SUO_SWITCH_SOCKET=$D/s; " commands "; kill $pid; wait $pid"
#define WITH_SWITCH(options, commands)	WITH_CLUSTER("c.yaml", options, commands)
#define FAULT	"build/bin/suo fault "

static int set_up(void **state)
{
	if (make_dir(state))
		return -1;
	put_file("c.yaml", CLUSTER "faults:\n- link=h0:nic0 loss=1% from=1s\n");
	put_file("wrong.yaml", CLUSTER "faults:\n- link=h0:nic0 loss=1% by=2us\n");
	put_file("large.yaml", LARGE);
	put_file("script", "# none\nlink=h0:nic0 dead\nlink=h0 dead\n");
	return 0;
}

static void test_live(void **state)
{
	expect(WITH_SWITCH("", FAULT "add link=leaf0:spine1 loss=0.1% from=10us; " FAULT "list"),
	       0, "fault 2\n   ID STATE            HITS  FAULT\n"
	       "    1 to come             0  link=h0:nic0 loss=1% from=1s\n"
	       "    2 ");
	expect(WITH_SWITCH("", FAULT "remove 1 && " FAULT "list -j"), 0,
	       "{\"faults\": []}");
	expect(WITH_SWITCH("", FAULT "add -j 'link=leaf1:spine0 slow=25Gb/s'"), 0,
	       "{\"id\": 2}");
	expect(WITH_SWITCH("", FAULT "remove 7; echo status $?"), 0,
	       "there is no fault 7\nstatus 1");
	expect(WITH_SWITCH("", FAULT "add link=leaf0:spine9 dead; echo status $?"), 0,
	       "there is none between 'leaf0:spine9'; links are named such as");
}

static void test_refused(void **state)
{
	expect(FAULT "add loss=1%", 2, "Error: 'link' is missing");
	expect(FAULT "add", 2, "which fault?");
	expect(FAULT "remove", 2, "which fault?");
	expect(FAULT "remove 0", 2, "'0' is no number of a fault");
	expect(FAULT "list x", 2, "'x' is too much");
	expect(FAULT "list -s $D/none", 1, "none: no such socket");
	expect("build/bin/suo cluster check $D/c.yaml", 0, "");
	expect("build/bin/suo cluster check $D/wrong.yaml", 2,
	       "faults: number 1: 'by' belongs to 'reorder', not to 'loss'");
	expect("build/bin/suo-switch $D/wrong.yaml", 2, "faults: number 1: 'by' belongs to");
	expect("build/bin/suo-switch --fault-script $D/script $D/c.yaml", 2,
	       "script:3: link: there is none between 'h0'");
	expect("build/bin/suo-switch --fault-script $D/no $D/c.yaml", 1, "no: No such file");
}

static void test_captures(void **state)
{
	expect(WITH_SWITCH("--capture $D/pcap:leaf0", "ls $D/pcap"), 0,
	       "leaf0-Ethernet0.pcap\nleaf0-Ethernet1.pcap\nleaf0-Ethernet2.pcap\nleaf0-Ethernet3.pcap\n");
}

#define SERIES_HEADER								\
	"H=time_ps,switch,port,prio,tx_packets,tx_bytes,rx_packets,rx_bytes,queue_bytes,pfc_rx_duration_us; "

/* A run of the real process, in which nothing happened; and what is no run. */
static void test_diagnose(void **state)
{
	expect(WITH_SWITCH("--series $D/series.csv:100us", "sleep 0.2")
	       "; build/bin/suo diagnose $D", 0, "nothing is wrong that this run shows");
	expect("build/bin/suo diagnose", 2, "which run?");
	expect("build/bin/suo diagnose $D $D", 2, "one run only");
	expect("build/bin/suo diagnose $D/none", 2, "snapshot-last.json: No such file");
	expect("echo '{\"suo0\": 1}' > $D/devices.json; build/bin/suo diagnose $D", 2,
	       "devices.json: 'suo0' is no object of counters");
	expect("echo '[1]' > $D/devices.json; build/bin/suo diagnose $D", 2,
	       "devices.json: a device has no 'ifname'");
	expect("echo '{' > $D/devices.json; build/bin/suo diagnose $D", 2, "devices.json:");
	/* What went wrong before the run is none of it. */
	expect("echo '[{\"ifname\": \"suo1\", \"port\": 1, \"out_of_sequence\": 7}]' > $D/devices.json; build/bin/suo diagnose $D",
	       0, "1. reordering (0.70) h1:nic0: packets overtake each other");
	expect("cp $D/devices.json $D/devices-first.json; build/bin/suo diagnose $D", 0,
	       "nothing is wrong that this run shows");
	/* All that was sent was lost on the way, so no switch has counted any of it. */
	expect("sed 's/\"lost\": *0/\"lost\": 5/' $D/snapshot-last.json > $D/was; mv $D/was $D/snapshot-last.json; build/bin/suo diagnose $D",
	       0, "5 of 5 frames did not arrive");
	/* They are too few to say by what pattern. */
	expect("build/bin/suo diagnose $D", 0, "the link loses frames, 100 % of them");
	expect("rm $D/devices*.json; echo time_ps,x > $D/series.csv; build/bin/suo diagnose $D",
	       2, "series.csv:1: a column is missing");
	expect(": > $D/series.csv; build/bin/suo diagnose $D", 2, "series.csv:1: the file is empty");
	expect("printf time_ps > $D/series.csv; build/bin/suo diagnose $D", 2,
	       "series.csv:1: the file is cut off");
	expect("printf 'time_ps\\n2\\n1\\n' > $D/series.csv; build/bin/suo diagnose $D", 2,
	       "series.csv:3: it is earlier than the line before");
	expect("printf 'time_ps\\n-1\\n' > $D/series.csv; build/bin/suo diagnose $D", 2,
	       "series.csv:2: time_ps is no number");
	expect("rm $D/series.csv; mkfifo $D/series.csv; { echo time_ps; seq 10000001; } 2> $D/log > $D/series.csv & build/bin/suo diagnose $D",
	       2, "series.csv:10000002: more than ten million samples");
	expect("rm $D/series.csv; " SERIES_HEADER "printf \"$H\\n1,leaf0,Ethernet99,3,0,0,0,0,0,0\\n\" > $D/series.csv; build/bin/suo diagnose $D",
	       2, "series.csv:2: no such port is in snapshot-last.json");
	expect(SERIES_HEADER "printf \"$H\\n1,leaf0,Ethernet0,3,0,0,0,0,0,x\\n\" > $D/series.csv; build/bin/suo diagnose $D",
	       2, "series.csv:2: a value is no number");
	/* Links have lost frames before a queue had any, so there are lines and no samples. */
	expect(SERIES_HEADER "echo $H > $D/series.csv; printf 'time_ps,link,lost,corrupted\\n1,h0:nic0-leaf0:Ethernet0,5,0\\n' > $D/series-links.csv; build/bin/suo diagnose $D",
	       0, "no time series");
	expect("rm $D/series.csv; sed -i 's/\"rate_mbps\": *100000/\"rate_mbps\": 0/' $D/snapshot-last.json; build/bin/suo diagnose $D",
	       2, "snapshot-last.json: leaf0:Ethernet0: the rate is 0");
	expect("cp $D/snapshot-first.json $D/snapshot-last.json; build/bin/suo diagnose $D", 0, "no time series");
}

/* As many things as are wrong are told. */
static void test_many(void **state)
{
	expect(WITH_CLUSTER("large.yaml", "--series $D/series.csv:100us", "true")
	       "; sed -i 's/\"lost\": *0/\"lost\": 5/g' $D/snapshot-last.json; "
	       "build/bin/suo diagnose $D > $D/all; grep -c link-loss $D/all", 0, "72\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_captures),
		cmocka_unit_test(test_diagnose),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, set_up, remove_dir);
}
