// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Captures, as tshark and scapy read them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "userspace/switch/capture.h"

#define S	1000000000000ull	/* picoseconds */

static char dir[] = "/tmp/suo-capture-XXXXXX";

/* A CNP and a SEND with ECN's CE, both made by scapy.contrib.roce, ICRC included. */
static const char cnp[] =
	"020000000002020000000001080045c0003c00010000401165ee0a0000010a000002c00012b700280000"
	"8100ffff4000001100000000000000000000000000000000000000007ed74b54";
static const char send_ce[] =
	"0200000000020200000000010800456b003c00020000401166420a0000010a000002c00012b700280000"
	"0400ffff000000120000000773756f2d737769746368203132333435a90b3152";
/*
 * IEEE 802.1Q-2018, clause 36: MAC control, opcode 0x0101, priorities
 * enabled, time of each; padded to the least frame. Priority 3, all quanta.
 */
static const char pfc[] =
	"0180c200000102000000000188080101" "0008" "000000000000ffff0000000000000000"
	"0000000000000000000000000000000000000000000000000000";

static u32 from_hex(const char *hex, u8 *data)
{
	u32 n = 0;

	for (; hex[2 * n]; n++) {
		unsigned int byte;

		assert_int_equal(sscanf(hex + 2 * n, "%2x", &byte), 1);
		data[n] = byte;
	}
	return n;
}

static void put(struct swd_capture *capture, u32 which, const char *hex, u64 at_ps)
{
	u8 data[128];

	swd_capture_frame(capture, which, data, from_hex(hex, data), at_ps);
}

static int set_up(void **state)
{
	struct swd_capture capture;
	char why[SWD_CAPTURE_WHY];

	if (!mkdtemp(dir))
		return -1;
	assert_int_equal(swd_capture_init(&capture, 3), 0);
	assert_int_equal(swd_capture_open(&capture, 1, dir, "leaf0:Ethernet1", why), 0);
	assert_int_equal(swd_capture_open(&capture, 2, dir, "spine0:Ethernet0", why), 0);
	/* Nobody captures port 0. */
	put(&capture, 0, cnp, 0);
	put(&capture, 1, send_ce, 1234567);
	put(&capture, 2, send_ce, 5 * S);
	put(&capture, 1, pfc, 2 * S + 999999999999);
	put(&capture, 1, cnp, 3 * S);
	return swd_capture_close(&capture, why);
}

static int tear_down(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* What a command prints, which must not fail. */
static void run(const char *command, char *output, size_t size)
{
	char line[1024];
	FILE *pipe;
	size_t len;

	snprintf(line, sizeof(line), "cd %s && { %s; } 2>/dev/null", dir, command);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	len = fread(output, 1, size - 1, pipe);
	output[len] = '\0';
	if (pclose(pipe))
		fail_msg("%s: %s", command, output);
}

static void test_tshark(void **state)
{
	char output[4096];

	if (system("command -v tshark > /dev/null"))
		skip();
	run("tshark -r leaf0-Ethernet1.pcap -T fields -E separator=, -e frame.time_epoch -e frame.len -e infiniband.bth.opcode -e ip.dsfield -e macc.opcode -e macc.cbfc.enbv -e macc.cbfc.pause_time.c3 -e _ws.malformed",
	    output, sizeof(output));
	assert_string_equal(output,
			    "0.000001234,74,4,0x6b,,,,\n"
			    "2.999999999,60,,,0x0101,0x0008,65535,\n"
			    "3.000000000,74,129,0xc0,,,,\n");
	run("tshark -r spine0-Ethernet0.pcap -T fields -e frame.time_epoch", output,
	    sizeof(output));
	assert_string_equal(output, "5.000000000\n");
}

/* The bytes are those that were given; and the ICRC is what scapy reckons. */
static void test_scapy(void **state)
{
	char output[4096], expected[1024];

	if (system("/usr/bin/python3 -c 'import scapy.contrib.roce' 2> /dev/null"))
		skip();
	run("/usr/bin/python3 -c \"\n"
	    "from scapy.all import rdpcap, raw\n"
	    "from scapy.contrib.roce import BTH\n"
	    "for p in rdpcap('leaf0-Ethernet1.pcap'):\n"
	    "    icrc = ''\n"
	    "    if BTH in p:\n"
	    "        icrc = p[BTH].icrc.to_bytes(4, 'little').hex()\n"
	    "        assert p[BTH].compute_icrc(raw(p[BTH])[:-4]).hex() == raw(p)[-4:].hex()\n"
	    "    print(raw(p).hex())\n\"", output, sizeof(output));
	snprintf(expected, sizeof(expected), "%s\n%s\n%s\n", send_ce, pfc, cnp);
	assert_string_equal(output, expected);
}

static void test_no_directory(void **state)
{
	struct swd_capture capture;
	char why[SWD_CAPTURE_WHY];

	assert_int_equal(swd_capture_init(&capture, 1), 0);
	assert_int_equal(swd_capture_open(&capture, 0, "/no/such", "leaf0:Ethernet1", why),
			 -EIO);
	assert_non_null(strstr(why, "/no/such/leaf0-Ethernet1.pcap"));
	assert_int_equal(swd_capture_close(&capture, why), 0);
}

/* A full disk is told. */
static void test_full(void **state)
{
	struct swd_capture capture;
	char why[SWD_CAPTURE_WHY];
	char path[64];

	snprintf(path, sizeof(path), "%s/x.pcap", dir);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(swd_capture_init(&capture, 1), 0);
	assert_int_equal(swd_capture_open(&capture, 0, dir, "x", why), 0);
	put(&capture, 0, cnp, 0);
	assert_int_equal(swd_capture_close(&capture, why), -EIO);
	assert_non_null(strstr(why, "No space left"));
}

static void test_wants(void **state)
{
	u64 used = 0;

	assert_true(swd_capture_wants(NULL, "leaf0", "leaf0:Ethernet0", "h0:nic0", NULL));
	assert_true(swd_capture_wants("leaf0", "leaf0", "leaf0:Ethernet0", "h0:nic0", NULL));
	assert_true(swd_capture_wants("spine0,h0:nic0,leaf0", "leaf0", "leaf0:Ethernet0",
				      "h0:nic0", &used));
	assert_int_equal(used, 6);
	assert_false(swd_capture_wants("leaf", "leaf0", "leaf0:Ethernet0", "h0:nic0", NULL));
	assert_false(swd_capture_wants("leaf0:Ethernet01", "leaf0", "leaf0:Ethernet0",
				       "h0:nic0", NULL));
	assert_false(swd_capture_wants("", "leaf0", "leaf0:Ethernet0", "h0:nic0", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tshark),
		cmocka_unit_test(test_scapy),
		cmocka_unit_test(test_no_directory),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_wants),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
