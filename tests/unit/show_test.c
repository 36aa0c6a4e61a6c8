// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * suo show and suo clear: tables as SONiC's commands print them (sonic-utilities,
 * tests/pfcstat_test.py, queue_counter_test.py, watermarkstat_test.py,
 * portstat_test.py, pfcwd_test.py have the same headers, rules and alignment), JSON,
 * baselines, and switches that answer badly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/cli_helper.h"
#include "userspace/telemetry/snapshot.h"

#define SUO	"XDG_CACHE_HOME=$D/cache build/bin/suo"
#define SHOW	SUO " show "
#define FILE_	" --file $D/s.json"
#define SOCK	" --socket $D/sock"

static struct suo_snapshot snap;
static struct suo_snap_switch switches[2];
static struct suo_snap_port leaf_ports[2], spine_ports[1];

static void set_port(struct suo_snap_port *port, const char *name, u64 base)
{
	memset(port, 0, sizeof(*port));
	strcpy(port->name, name);
	strcpy(port->peer, "x");
	port->rate_mbps = 400000;
	for (u64 p = 0; p < 8; p++) {
		port->prio[p].pfc_rx = p ? base + p : 10 * base;
		port->prio[p].pfc_tx = base + 10 + p;
	}
}

/* Two switches; figures such as SONiC's tests have. */
static void set_up(void)
{
	struct suo_snap_port *port = &leaf_ports[0];

	memset(&snap, 0, sizeof(snap));
	memset(switches, 0, sizeof(switches));
	snap.time_ps = 2000000000000;	/* 2 s */
	snap.time_scale = 16;
	strcpy(snap.instance, "abc");
	strcpy(snap.cluster, "two");
	strcpy(snap.config.balancing, "ecmp");
	snap.nswitches = 2;
	snap.sw = switches;
	strcpy(switches[0].name, "leaf0");
	strcpy(switches[0].tier, "leaf");
	switches[0].pool.size_bytes = 17170432;
	switches[0].pool.watermark_bytes = 65536;
	switches[0].nports = 2;
	switches[0].port = leaf_ports;
	strcpy(switches[1].name, "spine0");
	switches[1].nports = 1;
	switches[1].port = spine_ports;
	set_port(port, "Ethernet0", 200);
	set_port(&leaf_ports[1], "Ethernet4", 400);
	set_port(&spine_ports[0], "Ethernet0", 0);

	port->prio[3].tx_packets = 1234567;
	port->prio[3].tx_bytes = 5135798720;
	port->prio[3].drop_packets = 12;
	port->prio[3].drop_bytes = 49920;
	port->prio[3].wred_drop_bytes = SUO_SNAP_NA;
	port->prio[3].ecn_marked_packets = 1000;
	port->prio[3].ecn_marked_bytes = 4178000;
	port->prio[3].queue_watermark_bytes = 101;
	port->prio[7].queue_watermark_bytes = 123456;
	port->prio[0].pg_shared_watermark_bytes = 100;
	port->prio[4].pg_headroom_watermark_bytes = 90112;
	port->prio[2].pg_drop_packets = 5;
	port->prio[3].pfcwd = (struct suo_snap_pfcwd){
		.detected = 1, .tx_ok = 100, .tx_drop = 300, .rx_ok = 100,
		.rx_drop = 300, .tx_drop_last = 200, .rx_drop_last = 200,
		.stormed = true,
	};
	snap.config.prio[3] = (struct suo_snap_class){
		.lossless = true, .ecn = true, .is_dynamic = true,
		.kmin_bytes = 1048576, .kmax_bytes = 2097152, .pmax_ppm = 50000,
		.xon_bytes = 18432, .headroom_bytes = 90112,
	};
	/* 4 GB in 2 s are 2000 MB/s: 4 % of 400 Gb/s; 409600 B are 204.80 KB/s. */
	port->up = true;
	port->in = (struct suo_snap_in){ 8, 4000000000, 100, 10, 0, 3 };
	port->out = (struct suo_snap_out){ 1000, 409600, 7 };
}

static void put_snapshot(const char *name)
{
	size_t len;
	char *text = suo_snapshot_to_json(&snap, &len);

	assert_non_null(text);
	put_file(name, text);
	free(text);
}

/* All that a command prints. */
static void prints(const char *command, const char *expected)
{
	char *output = malloc(OUTPUT_SIZE);
	int status = run(output, command);

	if (status || strcmp(output, expected))
		fail_msg("%s: status %d\n%s\nexpected\n%s", command, status, output,
			 expected);
	free(output);
}

static void test_pfc(void **state)
{
	set_up();
	put_snapshot("s.json");
	prints(SHOW "pfc counters --switch leaf0" FILE_,
	       "  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
	       "---------  ------  ------  ------  ------  ------  ------  ------  ------\n"
	       "Ethernet0   2,000     201     202     203     204     205     206     207\n"
	       "Ethernet4   4,000     401     402     403     404     405     406     407\n"
	       "\n"
	       "  Port Tx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
	       "---------  ------  ------  ------  ------  ------  ------  ------  ------\n"
	       "Ethernet0     210     211     212     213     214     215     216     217\n"
	       "Ethernet4     410     411     412     413     414     415     416     417\n"
	       "\n");
	/* Abbreviated; several switches have their names before. */
	expect(SHOW "queue w" FILE_, 2, "Error: 'queue w' can be more than one of these");
	expect(SHOW "pfc c" FILE_, 0, "Switch: leaf0\n  Port Rx    PFC0");
	expect(SHOW "pfc c" FILE_, 0, "Switch: spine0\n  Port Rx    PFC0");
	prints(SHOW "pfc counters --switch spine0 Ethernet0 -nz" FILE_ " | head -3",
	       "  Port Rx    PFC0    PFC1    PFC2    PFC3    PFC4    PFC5    PFC6    PFC7\n"
	       "---------  ------  ------  ------  ------  ------  ------  ------  ------\n"
	       "Ethernet0       0       1       2       3       4       5       6       7\n");
	prints(SHOW "pfc counters -j --switch spine0" FILE_,
	       "{\"spine0\": {\"Ethernet0\": {"
	       "\"Rx\": {\"PFC0\": 0, \"PFC1\": 1, \"PFC2\": 2, \"PFC3\": 3, "
	       "\"PFC4\": 4, \"PFC5\": 5, \"PFC6\": 6, \"PFC7\": 7}, "
	       "\"Tx\": {\"PFC0\": 10, \"PFC1\": 11, \"PFC2\": 12, \"PFC3\": 13, "
	       "\"PFC4\": 14, \"PFC5\": 15, \"PFC6\": 16, \"PFC7\": 17}}}}\n");
}

/* sonic-utilities, tests/pfcstat_input and queuestat_input: --history, --all */
static void test_more(void **state)
{
	set_up();
	leaf_ports[0].prio[0].pfc_on2off_rx = 12;
	leaf_ports[0].prio[0].pfc_rx_duration_us = 12000000;
	leaf_ports[1].prio[1].pfc_on2off_rx = 41;
	leaf_ports[0].prio[3].trim_packets = 20000;
	put_snapshot("s.json");
	prints(SHOW "pfc counters --history -z --switch leaf0" FILE_,
	       "     Port    Priority    RX Pause Transitions    Total RX Pause Time US    Recent RX Pause Time US    Recent RX Pause Timestamp\n"
	       "---------  ----------  ----------------------  ------------------------  -------------------------  ---------------------------\n"
	       "Ethernet0        PFC0                      12                12,000,000                        N/A                          N/A\n"
	       "\n"
	       "Ethernet4        PFC1                      41                         0                        N/A                          N/A\n"
	       "\n\n");
	prints(SHOW "pfc counters --history -z -j Ethernet4" FILE_ " --switch leaf0",
	       "{\"leaf0\": {\"Ethernet4\": {\"PFC1\": {\"RX Pause Transitions\": 41, "
	       "\"Total RX Pause Time US\": 0, \"Recent RX Pause Time US\": null, "
	       "\"Recent RX Pause Timestamp\": null}}}}\n");
	prints(SHOW "queue counters --all -z --switch leaf0" FILE_,
	       "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes    Trim/pkts    TrimSent/pkts    TrimDrop/pkts\n"
	       "---------  -----  --------------  ---------------  -----------  ------------  -----------  ---------------  ---------------\n"
	       "Ethernet0    UC3       1,234,567    5,135,798,720           12        49,920       20,000              N/A              N/A\n"
	       "\n");
	expect(SHOW "queue counters --history" FILE_, 2, "queue counters: there is no --history of it");
	expect(SHOW "ecn --all" FILE_, 2, "ecn: there is no --all of it");
}

static void test_queue(void **state)
{
	set_up();
	put_snapshot("s.json");
	prints(SHOW "queue counters --nonzero --switch leaf0" FILE_,
	       "     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes\n"
	       "---------  -----  --------------  ---------------  -----------  ------------\n"
	       "Ethernet0    UC3       1,234,567    5,135,798,720           12        49,920\n"
	       "\n");
	/* Two rules and a header, 2 ports of 8 queues. */
	prints(SHOW "queue counters --switch leaf0" FILE_ " | grep -c 'UC[0-7]'", "16\n");
	prints(SHOW "queue counters --nonzero -j --switch leaf0" FILE_,
	       "{\"leaf0\": {\"Ethernet0\": {\"UC3\": {\"totalpacket\": 1234567, "
	       "\"totalbytes\": 5135798720, \"droppacket\": 12, \"dropbytes\": 49920}}}}\n");
	prints(SHOW "queue wred -z --switch leaf0" FILE_,
	       "     Port    TxQ    WredDrp/pkts    WredDrp/bytes    EcnMarked/pkts    EcnMarked/bytes\n"
	       "---------  -----  --------------  ---------------  ----------------  -----------------\n"
	       "Ethernet0    UC3               0              N/A             1,000          4,178,000\n"
	       "\n");
	prints(SHOW "queue watermark unicast --switch leaf0" FILE_,
	       "Egress shared pool occupancy per unicast queue:\n"
	       "     Port    UC0    UC1    UC2    UC3    UC4    UC5    UC6     UC7\n"
	       "---------  -----  -----  -----  -----  -----  -----  -----  ------\n"
	       "Ethernet0      0      0      0    101      0      0      0  123456\n"
	       "Ethernet4      0      0      0      0      0      0      0       0\n"
	       "\n");
	prints(SHOW "priority-group watermark shared --switch leaf0 -z" FILE_,
	       "Ingress shared pool occupancy per PG:\n"
	       "     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7\n"
	       "---------  -----  -----  -----  -----  -----  -----  -----  -----\n"
	       "Ethernet0    100      0      0      0      0      0      0      0\n"
	       "\n");
	prints(SHOW "priority-group watermark headroom --switch leaf0 Ethernet0" FILE_,
	       "Ingress headroom per PG:\n"
	       "     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7\n"
	       "---------  -----  -----  -----  -----  -----  -----  -----  -----\n"
	       "Ethernet0      0      0      0      0  90112      0      0      0\n"
	       "\n");
	expect(SHOW "prio drop count --switch leaf0" FILE_, 0,
	       "Ingress PG dropped packets:\n"
	       "     Port    PG0    PG1    PG2    PG3    PG4    PG5    PG6    PG7\n"
	       "---------  -----  -----  -----  -----  -----  -----  -----  -----\n"
	       "Ethernet0      0      0      5      0      0      0      0      0\n");
}

static void test_port(void **state)
{
	set_up();
	put_snapshot("s.json");
	prints(SHOW "interfaces counters --switch leaf0 -z" FILE_,
	       "    IFACE    STATE    RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR    TX_OK       TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR\n"
	       "---------  -------  -------  ------------  ---------  --------  --------  --------  -------  -----------  ---------  --------  --------  --------\n"
	       "Ethernet0        U        8  2000.00 MB/s      4.00%        10       100         0    1,000  204.80 KB/s      0.00%       N/A         7       N/A\n"
	       "\n");
	prints(SHOW "int c --switch leaf0 -z -j" FILE_,
	       "{\"leaf0\": {\"Ethernet0\": {\"STATE\": \"U\", \"RX_OK\": 8, "
	       "\"RX_BPS\": 2000000000.0, \"RX_UTIL\": 4.0, \"RX_ERR\": 10, "
	       "\"RX_DRP\": 100, \"RX_OVR\": 0, \"TX_OK\": 1000, \"TX_BPS\": 204800.0, "
	       "\"TX_UTIL\": 0.0004096, \"TX_ERR\": null, \"TX_DRP\": 7, "
	       "\"TX_OVR\": null}}}\n");
	prints(SHOW "pfcwd stats --switch leaf0" FILE_,
	       "      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST OK/DROP\n"
	       "-----------  -----------  -------------------------  ------------  ------------  -----------------  -----------------\n"
	       "Ethernet0:3      stormed                        1/0       100/300       100/300              0/200              0/200\n"
	       "Ethernet4:3  operational                        0/0           0/0           0/0                0/0                0/0\n"
	       "\n");
	/* Nothing: SONiC's table for no queue. */
	prints(SHOW "pfcwd stats --switch spine0 -nz" FILE_,
	       "  QUEUE    STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP    TX LAST OK/DROP    RX LAST OK/DROP\n"
	       "-------  --------  -------------------------  ------------  ------------  -----------------  -----------------\n"
	       "\n");
	prints(SHOW "pfcwd stats --switch leaf0 -nz -j" FILE_,
	       "{\"leaf0\": {\"Ethernet0:3\": {\"STATUS\": \"stormed\", "
	       "\"STORM DETECTED\": 1, \"STORM RESTORED\": 0, \"TX OK\": 100, "
	       "\"TX DROP\": 300, \"RX OK\": 100, \"RX DROP\": 300, "
	       "\"TX LAST OK\": 0, \"TX LAST DROP\": 200, \"RX LAST OK\": 0, "
	       "\"RX LAST DROP\": 200}}}\n");
}

static void test_config(void **state)
{
	set_up();
	put_snapshot("s.json");
	prints(SHOW "ecn -nz --switch leaf0" FILE_,
	       "Profile: priority3\n"
	       "----------------------  -------\n"
	       "ecn                     ecn_all\n"
	       "wred_green_enable       true\n"
	       "green_min_threshold     1048576\n"
	       "green_max_threshold     2097152\n"
	       "green_drop_probability  5\n"
	       "----------------------  -------\n"
	       "\n");
	prints(SHOW "ecn -nz -j --switch leaf0" FILE_,
	       "{\"leaf0\": {\"priority3\": {\"ecn\": \"ecn_all\", "
	       "\"wred_green_enable\": \"true\", \"green_min_threshold\": 1048576, "
	       "\"green_max_threshold\": 2097152, \"green_drop_probability\": 5}}}\n");
	expect(SHOW "buffer information --switch leaf0" FILE_, 0,
	       "Pool: ingress_lossless_pool\n"
	       "----  --------\n"
	       "type  both\n"
	       "mode  dynamic\n"
	       "size  17170432\n"
	       "----  --------\n"
	       "\n"
	       "Profile: pg_lossy_priority0\n"
	       "---------  ---------------------\n"
	       "pool       ingress_lossless_pool\n"
	       "static_th  0\n"
	       "---------  ---------------------\n");
	expect(SHOW "buffer --switch leaf0" FILE_, 0,
	       "Profile: pg_lossless_priority3\n"
	       "----------  ---------------------\n"
	       "pool        ingress_lossless_pool\n"
	       "dynamic_th  0\n"
	       "xon_offset  18432\n"
	       "xoff        90112\n"
	       "----------  ---------------------\n");
	prints(SHOW "buffer-pool watermark --switch leaf0" FILE_,
	       "Shared pool maximum occupancy:\n"
	       "                 Pool    Bytes\n"
	       "---------------------  -------\n"
	       "ingress_lossless_pool    65536\n"
	       "\n");
}

/* Between two files of a run: what was counted, and the rates of that time. */
static void test_between(void **state)
{
	set_up();
	put_snapshot("first.json");
	snap.time_ps += 500000000000;	/* half a second */
	leaf_ports[0].prio[3].tx_packets += 1001;
	leaf_ports[0].prio[3].tx_bytes += 4182178;
	leaf_ports[0].in.octets += 1000000;
	put_snapshot("s.json");
	expect(SHOW "queue counters -nz --baseline $D/first.json" FILE_, 0,
	       "Ethernet0    UC3           1,001        4,182,178            0             0\n");
	expect(SHOW "interfaces counters -nz --baseline $D/first.json" FILE_, 0,
	       "Ethernet0        U        0  2000.00 KB/s");
	/* The first one is not later than the last one. */
	expect(SHOW "queue counters --file $D/first.json --baseline $D/s.json", 2,
	       "not an earlier snapshot");
	strcpy(snap.instance, "def");
	put_snapshot("other.json");
	expect(SHOW "queue counters --file $D/other.json --baseline $D/s.json", 2,
	       "/s.json: not an earlier snapshot of the same switches");
}

static void test_faults(void **state)
{
	set_up();
	put_snapshot("s.json");
	expect(SUO " show", 2, "suo show pfcwd stats");
	expect(SUO " show --help", 0, "suo show queue wredcounters");
	expect(SHOW "queue", 2, "Error: 'queue' is none of these:");
	expect(SHOW "queue counter s" FILE_, 2, "there is no port 's'");
	expect(SHOW "queue counters Ethernet8 --switch leaf0" FILE_, 2,
	       "there is no port 'Ethernet8' in leaf0");
	expect(SHOW "queue counters --switch leaf9" FILE_, 2, "there is no switch 'leaf9'");
	expect(SHOW "queue counters --interval 0" FILE_, 2, "--interval: '0'");
	expect(SHOW "queue counters --interval x", 2, "--interval: 'x'");
	expect(SHOW "queue counters --interval 1" FILE_, 2, "a file does not change");
	expect(SHOW "queue counters --count 3" FILE_, 2, "--count is of --interval");
	expect(SHOW "queue counters --count -1", 2, "--count: '-1'");
	expect(SHOW "queue counters" FILE_ SOCK, 2, "one or the other");
	expect(SHOW "queue counters --file $D/none.json", 2,
	       "/none.json: No such file or directory");
	put_file("half.json", "{\"version\": 1,\n \"time_ps\": 12");
	expect(SHOW "queue counters --file $D/half.json", 2, "/half.json:2: ");
	put_file("two.json", "{\"version\": 2}");
	expect(SHOW "queue counters --file $D/two.json", 2,
	       "/two.json: a snapshot of version 2, and only version 1 is known");
	expect(SHOW "queue counters" SOCK, 1, "no such socket; is suo-switch running");
	expect(SHOW "queue counters --socket $D/s.json", 1, "nobody listens");
	expect(SUO " clear ecn", 2, "nothing to clear");
	expect(SUO " clear", 2, "suo clear all");
	expect(SUO " clear queue watermark -d", 2, "no baseline to delete");
	expect(SUO " clear queue counters" SOCK, 1, "no such socket");
	expect("SUO_SWITCH_SOCKET=/nonexistent/s " SHOW "ecn", 1,
	       "/nonexistent/s: no such socket");
}

/* A switch that has a list of answers, one for each connection. */
static pid_t serve(const char *const answer[])
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int listener;
	pid_t pid;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/sock", get_dir());
	unlink(addr.sun_path);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(listener >= 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(listener, 8), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid) {
		close(listener);
		return pid;
	}
	for (size_t i = 0; answer[i]; i++) {
		char request[4096];
		int fd = accept(listener, NULL, NULL);
		ssize_t n = read(fd, request, sizeof(request) - 1);
		size_t len = strlen(answer[i]);

		/* "cmd=..." is what has to have been asked for. */
		if (n > 0 && !strncmp(answer[i], "cmd=", 4)) {
			request[n] = '\0';
			if (!strstr(request, answer[i] + 4))
				_exit(1);
			n = write(fd, "{\"ok\":true}\n", 12);
		} else {
			for (size_t done = 0; done < len && n > 0; done += n)
				n = write(fd, answer[i] + done, len - done);
		}
		close(fd);
	}
	_exit(0);
}

static void served(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
}

static char *snapshot_line(void)
{
	size_t len;
	char *text = suo_snapshot_to_json(&snap, &len);

	assert_non_null(text);
	return text;
}

static void test_clear(void **state)
{
	char *first, *second, *restarted;
	pid_t pid;

	set_up();
	first = snapshot_line();
	snap.time_ps += 1000000;
	leaf_ports[0].prio[3].tx_packets += 5;
	second = snapshot_line();
	strcpy(snap.instance, "restarted");
	restarted = snapshot_line();

	pid = serve((const char *const []){ first, first, second, second, second, second,
					    restarted, second, second, NULL });
	expect(SHOW "queue counters -nz" SOCK, 0, " 1,234,567 ");
	expect(SUO " clear queue counters" SOCK, 0, "");
	expect(SHOW "queue counters -nz" SOCK, 0,
	       "Ethernet0    UC3               5                0            0             0\n");
	expect(SHOW "queue counters -nz" SOCK, 0, "Last cached time was 2");
	/* JSON is JSON alone; what was cleared is one view; and the rest can be had. */
	prints(SHOW "queue counters -nz -j" SOCK,
	       "{\"leaf0\": {\"Ethernet0\": {\"UC3\": {\"totalpacket\": 5, "
	       "\"totalbytes\": 0, \"droppacket\": 0, \"dropbytes\": 0}}}, \"spine0\": {}}\n");
	expect(SHOW "queue counters -nz --raw" SOCK, 0, " 1,234,572 ");
	/* Another process at the same socket counts from its own start. */
	expect(SHOW "queue counters -nz" SOCK, 0, " 1,234,572 ");
	expect(SHOW "queue wred -nz" SOCK, 0, " 1,000 ");
	expect(SUO " clear queue counters -d" SOCK, 0, "");
	expect(SHOW "queue counters -nz" SOCK, 0, " 1,234,572 ");
	served(pid);

	pid = serve((const char *const []){ "cmd=\"what\":\"pg_headroom\"", second,
					    "cmd={\"cmd\":\"clear_watermarks\"}", NULL });
	expect(SUO " clear priority-group watermark headroom" SOCK, 0, "");
	expect(SUO " clear all" SOCK, 0, "");
	served(pid);
	free(first);
	free(second);
	free(restarted);
}

static void test_interval(void **state)
{
	char *line[3];
	pid_t pid;

	set_up();
	for (int i = 0; i < 3; i++) {
		line[i] = snapshot_line();
		snap.time_ps += 1000000;
		leaf_ports[0].prio[3].tx_packets += 11 * (i + 1);
	}
	pid = serve((const char *const []){ line[0], line[1], line[2], NULL });
	prints(SHOW "queue counters -nz --switch leaf0 --interval 0.02 --count 2" SOCK
	       " | grep UC",
	       "Ethernet0    UC3              11                0            0             0\n"
	       "Ethernet0    UC3              22                0            0             0\n");
	served(pid);
	for (int i = 0; i < 3; i++)
		free(line[i]);
}

static void test_bad_answers(void **state)
{
	static const char *const answer[] = {
		"{\"version\":1,", "", "{\"version\":1,}\n", "{\"error\":\"too busy\"}\n",
		"{\"version\":7}\n", "{\"version\":1}\n", "[]\n", "\n", NULL
	};
	pid_t pid = serve(answer);

	expect(SHOW "pfc counters" SOCK, 1, "/sock: the answer was cut off after 13 bytes");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: the answer was cut off after 0 bytes");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: the answer is not JSON");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: too busy");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: a snapshot of version 7, and only");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: 'time_scale' is not a number");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: not a JSON object");
	expect(SHOW "pfc counters" SOCK, 1, "/sock: the answer is not JSON");
	served(pid);
}

#define SERIES_HEADER	"time_ps,switch,port,prio,tx_gbps,queue_bytes,ecn_marked_share,pfc_rx_share"
#define REPORT		"build/bin/suo report $D/t.csv --svg $D/t.svg"

/* Plots of a time series: which queues, and their figures in the script. */
static void test_report(void **state)
{
	put_file("t.csv", SERIES_HEADER "\n"
		 "1000000,leaf0,Ethernet0,3,100.5,7000,0.25,0\n"
		 "1000000,leaf0,Ethernet4,3,200,0,0,0.5\n"
		 "2000000,leaf0,Ethernet0,3,0,0,0,0\n"
		 "2000000,leaf0,Ethernet4,3,400,8000,0,0\n"
		 "3000000,leaf0,Ether");	/* it is being written */
	prints(REPORT " && grep -c '</svg>' $D/t.svg", "1\n");
	/* The longest one first. */
	expect("cat $D/t.gp", 0, "# leaf0:Ethernet4:3: time_us queue_bytes tx_gbps ecn_marked_share pfc_rx_share\n"
	       "$data0 << EOD\n"
	       "1.000000 0 200.000 0.000000 0.500000\n"
	       "2.000000 8000 400.000 0.000000 0.000000\n"
	       "EOD\n"
	       "# leaf0:Ethernet0:3:");
	prints(REPORT " -q leaf0:Ethernet0:3 && grep -c EOD$ $D/t.gp", "2\n");
	expect(REPORT " -q leaf0:Ethernet8:3", 2,
	       "/t.csv: nothing of queue 'leaf0:Ethernet8:3'; such as leaf0:Ethernet0:3");

	/* Many points become fewer: the longest of each, and the mean of the rest. */
	prints("{ echo '" SERIES_HEADER "'; seq 8000 | awk '{ print $1 * 1e6 \",a,b,0,\""
		  " ($1 % 4 ? 0 : 8) \",\" ($1 % 4 ? 0 : $1) \",0,0\" }'; } > $D/t.csv", "");
	expect(REPORT " && grep -A1 EOD $D/t.gp", 0, "$data0 << EOD\n1.000000 4 2.000 ");
	prints("grep -c ' 2.000 0.000000 0.000000$' $D/t.gp", "2000\n");

	put_file("t.csv", SERIES_HEADER "\n1,a,b,0,1,2,3\n");
	expect(REPORT, 2, "/t.csv:2: fewer than the 8 columns");
	put_file("t.csv", SERIES_HEADER "\n1,a,b,0,1,x,3,4\n");
	expect(REPORT, 2, "/t.csv:2: bad queue_bytes 'x'");
	put_file("t.csv", SERIES_HEADER "\n");
	expect(REPORT, 2, "/t.csv: no rows in it");
	put_file("t.csv", "time_ps,switch,port,prio\n");
	expect(REPORT, 2, "/t.csv:1: no column 'queue_bytes'");
	/* No end of line: it is not all read first. */
	expect("{ printf time_ps,; head -c 70000 /dev/zero | tr '\\0' x; } > $D/t.csv; " REPORT, 2,
	       "/t.csv:1: the line is too long");
	put_file("t.csv", "size_bytes,x\n");
	expect(REPORT " -q a:b:0", 2, "/t.csv is no series of suo-switch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pfc),
		cmocka_unit_test(test_more),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_port),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_clear),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_bad_answers),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests_name("show", tests, make_dir, remove_dir);
}
