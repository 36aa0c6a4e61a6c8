// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What suo-switch reads in frames and changes in them, against frames that scapy makes:
 * as they come, and as they have to be afterwards (swd_frames.py).
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/core/rand.h"
#include "tests/unit/swd_helper.h"

#define LINE_ROOM	(1u << 16)
#define FIELDS		16

/* A line of swd_frames.py. */
struct line {
	char	what[16];
	char	name[FIELDS][16];
	u32	value[FIELDS];
	u32	fields;
	u8	after[SWD_FRAME_ROOM];
	u32	after_len;
};

static u8 dscp_prio[64];
static const struct swd_parse_law law = {
	.dscp_prio = dscp_prio, .mtu_bytes = 9100, .trim = true,
};

static u32 get_hex(const char *text, u8 *data)
{
	u32 n = 0, byte;

	while (sscanf(text + 2 * n, "%2x", &byte) == 1)
		data[n++] = byte;
	return n;
}

static void get_line(char *text, struct line *line, struct swd_frame *frame)
{
	char *save, *word = strtok_r(text, " \n", &save);

	memset(line, 0, sizeof(*line));
	strcpy(line->what, word);
	while ((word = strtok_r(NULL, " \n", &save)) && strchr(word, '=')) {
		char *name = line->name[line->fields];

		assert_int_equal(sscanf(word, "%15[^=]=%u", name, &line->value[line->fields]), 2);
		line->fields++;
	}
	assert_non_null(word);
	frame->len = get_hex(word, frame->data);
	word = strtok_r(NULL, " \n", &save);
	assert_non_null(word);
	line->after_len = *word == '-' ? 0 : get_hex(word, line->after);
}

static u32 value(const struct line *line, const char *name)
{
	for (u32 i = 0; i < line->fields; i++)
		if (!strcmp(line->name[i], name))
			return line->value[i];
	fail_msg("no %s", name);
	return 0;
}

static void check_fields(const struct line *line, const struct swd_frame *frame)
{
	assert_int_equal(frame->kind, SWD_DATA);
	assert_int_equal(frame->f.prio, value(line, "prio"));
	assert_int_equal(frame->dscp, value(line, "dscp"));
	assert_int_equal(!!(frame->f.flags & SUO_FRAME_ECT), value(line, "ect"));
	assert_int_equal(!!(frame->f.flags & SUO_FRAME_CE), value(line, "ce"));
	assert_int_equal(!!frame->l4, value(line, "udp"));
	assert_int_equal(frame->f.bytes, suo_max(frame->len, 60) + 4);
	assert_int_equal(frame->f.packets, 1);
}

static void check_pause(const struct line *line, const struct swd_frame *frame)
{
	u16 quanta[SWD_PRIOS];
	u8 built[SWD_PFC_BYTES];
	u32 mask = value(line, "mask");

	assert_int_equal(frame->kind, SWD_PFC);
	assert_int_equal(swd_pfc_parse(frame->data, quanta), mask);
	for (u32 q = 0; q < SWD_PRIOS; q++)
		assert_int_equal(quanta[q], mask >> q & 1 ? value(line, "quanta") : 0);

	/* Ours are the same but for their source. */
	assert_int_equal(swd_pfc_build(built, mask, value(line, "quanta")), frame->len);
	assert_memory_equal(built, frame->data, 6);
	assert_int_equal(built[6] & 3, 2);
	assert_memory_equal(built + 12, frame->data + 12, frame->len - 12);
}

static void check_line(char *text)
{
	static struct swd_frame frame;
	static struct line line;
	u32 parse;

	get_line(text, &line, &frame);
	parse = swd_frame_parse(&frame, &law);
	if (!strcmp(line.what, "oversize")) {
		assert_int_equal(parse, SWD_PARSE_OVERSIZE);
		return;
	}
	if (!strcmp(line.what, "malformed")) {
		assert_int_equal(parse, SWD_PARSE_MALFORMED);
		return;
	}
	if (!strcmp(line.what, "filtered")) {
		assert_int_equal(parse, SWD_PARSE_FILTERED);
		return;
	}
	assert_int_equal(parse, SWD_PARSE_OK);
	if (!strcmp(line.what, "pause")) {
		check_pause(&line, &frame);
		return;
	}
	check_fields(&line, &frame);
	if (!strcmp(line.what, "mark")) {
		swd_frame_mark(&frame);
	} else if (!strcmp(line.what, "trim")) {
		assert_true(frame.f.flags & SUO_FRAME_TRIMMABLE);
		frame.f.bytes = 128;
		swd_frame_trim(&frame, 48, 6);
	}
	if (!line.after_len)
		return;
	assert_int_equal(frame.len, line.after_len);
	assert_memory_equal(frame.data, line.after, line.after_len);
}

static void test_scapy(void **state)
{
	static char text[LINE_ROOM];
	u32 lines = 0;
	FILE *from;

	for (u32 d = 0; d < 64; d++)
		dscp_prio[d] = d / 8;
	from = popen("/usr/bin/python3 tests/unit/swd_frames.py", "r");
	assert_non_null(from);
	while (fgets(text, sizeof(text), from)) {
		check_line(text);
		lines++;
	}
	assert_int_equal(pclose(from), 0);
	assert_true(lines > 60);
}

/* The same five-tuple, the same hash, whatever else differs; another one, another. */
static void test_flow(void **state)
{
	static struct swd_frame frame;
	static const u8 packet[] = {
		0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00,
		0x45, 0, 0, 32, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
		0xc0, 0, 0x12, 0xb7, 0, 12, 0, 0, 1, 2, 3, 4,
	};
	static const struct {
		u32	at;
		bool	counts;
	} bytes[] = {
		{ 0, false }, { 15, false }, { 19, false }, { 22, false }, { 45, false },
		{ 23, true }, { 29, true }, { 33, true }, { 35, true }, { 37, true },
	};
	u64 flow;

	memcpy(frame.data, packet, sizeof(packet));
	frame.len = sizeof(packet);
	assert_int_equal(swd_frame_parse(&frame, &law), SWD_PARSE_OK);
	flow = frame.f.flow;
	for (u32 i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		u8 change = bytes[i].at == 23 ? 17 ^ 6 : 4;

		frame.data[bytes[i].at] ^= change;
		assert_int_equal(swd_frame_parse(&frame, &law), SWD_PARSE_OK);
		assert_int_equal(frame.f.flow != flow, bytes[i].counts);
		frame.data[bytes[i].at] ^= change;
	}
}

/* Whatever the checksum was, it is right after a mark. */
static void test_checksum(void **state)
{
	static struct swd_frame frame;
	u8 data[64];

	frame.len = swd_udp(data, 64, 1, 2, 0x6a, 7);
	for (u32 id = 0; id < 0x10000; id++) {
		u32 sum;

		memcpy(frame.data, data, frame.len);
		frame.data[18] = id >> 8;
		frame.data[19] = id;
		frame.data[24] = 0;
		frame.data[25] = 0;
		sum = 0xffff - swd_ip_sum(frame.data);
		frame.data[24] = sum >> 8;
		frame.data[25] = sum;
		assert_int_equal(swd_frame_parse(&frame, &law), SWD_PARSE_OK);
		swd_frame_mark(&frame);
		assert_int_equal(frame.data[15], 0x6b);
		if (swd_ip_sum(frame.data) != 0xffff)
			fail_msg("identification %u: %04x", id, swd_ip_sum(frame.data));
	}
}

/* Whatever comes: what is found in a frame is in it, and it does not grow. */
static void test_anything(void **state)
{
	static struct swd_frame frame;
	u8 data[600];
	u64 random = 1;
	u32 ok = 0;

	for (u32 i = 0; i < 300000; i++) {
		u32 len = swd_udp(data, 600, 1, 2, suo_rand(&random), 7), changes;

		len = suo_rand(&random) % 4 ? len : suo_rand(&random) % len;
		if (suo_rand(&random) % 2)
			memcpy(data + 12, "\x86\xdd\x60\0\0\0\2\x1e\x11", 9);
		for (changes = suo_rand(&random) % 4; changes; changes--)
			data[12 + suo_rand(&random) % 40] = suo_rand(&random);
		memcpy(frame.data, data, len);
		frame.len = len;
		if (swd_frame_parse(&frame, &law) != SWD_PARSE_OK || frame.kind != SWD_DATA)
			continue;
		ok++;
		assert_true(!frame.l3 || frame.l3 + 20u <= len);
		assert_true(!frame.l4 || (frame.l4 >= frame.l3 + 20 && frame.l4 + 8u <= len));
		assert_true(frame.f.prio < SWD_PRIOS && frame.dscp < 64);
		swd_frame_mark(&frame);
		frame.f.bytes = suo_rand(&random) % 700 + 4;
		swd_frame_trim(&frame, 48, 6);
		assert_true(frame.len <= len);
	}
	assert_true(ok > 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scapy),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_checksum),
		cmocka_unit_test(test_anything),
	};

	return cmocka_run_group_tests_name("swd-frame", tests, NULL, NULL);
}
