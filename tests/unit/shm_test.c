// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory that VMs share: where things are in it, and what is believed of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/shm.h"

#define MIB	(1ull << 20)

/* Other VMs may run another build: sizes and places are part of the interface. */
static void layout_is_fixed(void **state)
{
	assert_int_equal(sizeof(struct suo_shm_header), 64);
	assert_int_equal(sizeof(struct suo_shm_entry), 512);
	assert_int_equal(offsetof(struct suo_shm_entry, about.name), 16);
	assert_int_equal(offsetof(struct suo_shm_entry, about.gid), 80);
	assert_int_equal(offsetof(struct suo_shm_slot, entry), 64);
	assert_int_equal(sizeof(struct suo_shm_ctl), 128);
	/* The two sides write to lines of their own. */
	assert_int_equal(offsetof(struct suo_shm_ctl, prod), 16);
	assert_int_equal(offsetof(struct suo_shm_ctl, ack), 64);
	assert_int_equal(offsetof(struct suo_shm_ctl, cons), 72);
	assert_int_equal(sizeof(struct suo_shm_rec), 32);
	assert_int_equal(offsetof(struct suo_shm_rec, flags), 20);
	assert_int_equal(offsetof(struct suo_shm_rec, left_ps), 24);
	/* 32 + 40 + 16384 = 16456, in lines of 64 bytes: 258 of them */
	assert_int_equal(SUO_SHM_MAX_REC, 258 * 64);
}

/*
 * 8 slots of 64 + 64 * 512 = 32832 bytes, in whole pages 36864: from 4096 to 299008.
 * 56 controls of 128 bytes: 7168, in whole pages 8192: to 307200. 56 rings of 64 KiB:
 * 3670016, so that 3977216 bytes do and one less does not. In 32 MiB there is room
 * for rings of (33554432 - 307200) / 56 = 593700 bytes: 512 KiB.
 */
static void layout_by_size(void **state)
{
	struct suo_shm_header h;

	assert_false(suo_shm_layout(&h, 0));
	assert_false(suo_shm_layout(&h, MIB));
	assert_false(suo_shm_layout(&h, 3977215));
	assert_true(suo_shm_layout(&h, 3977216));
	assert_int_equal(h.ring_bytes, 65536);
	assert_int_equal(h.slot_off, 4096);
	assert_int_equal(h.slot_bytes, 36864);
	assert_int_equal(h.ctl_off, 299008);
	assert_int_equal(h.ring_off, 307200);
	assert_true(suo_shm_layout(&h, 32 * MIB));
	assert_int_equal(h.ring_bytes, 512 * 1024);
	assert_int_equal(h.slots, 8);
	assert_true(suo_shm_layout(&h, 128 * MIB));
	assert_int_equal(h.slots, 16);
	/* 240 rings */
	assert_int_equal(h.ring_bytes, 512 * 1024);
	assert_true(suo_shm_layout(&h, 1ull << 40));
	assert_int_equal(h.ring_bytes, 4 * MIB);
}

/* Every ordered pair has a ring, and no two the same; the last one ends in time. */
static void rings_are_apart(void **state)
{
	static const uint64_t sizes[] = { 4 * MIB, 32 * MIB, 64 * MIB, 128 * MIB };
	struct suo_shm_header h;

	for (unsigned int s = 0; s < 4; s++) {
		bool seen[16 * 15] = {};

		assert_true(suo_shm_layout(&h, sizes[s]));
		for (uint32_t from = 0; from < h.slots; from++) {
			for (uint32_t to = 0; to < h.slots; to++) {
				uint32_t ring = suo_shm_ring(&h, from, to);

				if (from == to)
					continue;
				assert_in_range(ring, 0, h.slots * (h.slots - 1) - 1);
				assert_false(seen[ring]);
				seen[ring] = true;
				assert_true(h.ring_off + (ring + 1ull) * h.ring_bytes <=
					    h.size);
				assert_true(h.ctl_off + (ring + 1ull) * 128 <= h.ring_off);
			}
		}
	}
}

static void header_states(void **state)
{
	struct suo_shm_header want, found;
	uint8_t *f = (uint8_t *)&found;

	assert_true(suo_shm_layout(&want, 32 * MIB));
	assert_int_equal(suo_shm_header_check(&want, &want), SUO_SHM_READY);
	memset(&found, 0, sizeof(found));
	assert_int_equal(suo_shm_header_check(&want, &found), SUO_SHM_EMPTY);
	/* In the making: each field is right, or not there yet. */
	found = want;
	found.magic = 0;
	found.ring_off = 0;
	assert_int_equal(suo_shm_header_check(&want, &found), SUO_SHM_EMPTY);
	found.version = 2;
	assert_int_equal(suo_shm_header_check(&want, &found), SUO_SHM_FOREIGN);
	found = want;
	found.version = 2;
	assert_int_equal(suo_shm_header_check(&want, &found), SUO_SHM_VERSIONS);
	found = want;
	found.ring_bytes *= 2;
	assert_int_equal(suo_shm_header_check(&want, &found), SUO_SHM_VERSIONS);
	/* No single byte can be wrong without being seen. */
	for (unsigned int i = 0; i < sizeof(found); i++) {
		found = want;
		f[i] ^= 0x40;
		assert_int_not_equal(suo_shm_header_check(&want, &found), SUO_SHM_READY);
		assert_int_not_equal(suo_shm_header_check(&want, &found), SUO_SHM_EMPTY);
	}
}

static void record_limits(void **state)
{
	struct suo_shm_rec good = {
		.bytes = 128, .kind = SUO_SHM_PACKET, .len = 96, .src = 63, .dst = 63,
	};
	struct suo_shm_rec rec = good;

	assert_true(suo_shm_rec_check(&good, 128, 128));
	assert_false(suo_shm_rec_check(&good, 64, 4096));	/* not all written */
	assert_false(suo_shm_rec_check(&good, 4096, 64));	/* beyond the end */
	rec.len = 97;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec.len = UINT32_MAX;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec.len = 11;						/* less than a BTH */
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec.len = 12;
	assert_true(suo_shm_rec_check(&rec, 4096, 4096));
	rec = good;
	rec.bytes = 0;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec.bytes = 96;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec.bytes = 259 * 64;
	assert_false(suo_shm_rec_check(&rec, 65536, 65536));
	rec = good;
	rec.src = 64;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec = good;
	rec.dst = 64;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec = good;
	rec.kind = 3;
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	rec.kind = SUO_SHM_SKIP;				/* up to the end only */
	assert_false(suo_shm_rec_check(&rec, 4096, 4096));
	assert_true(suo_shm_rec_check(&rec, 4096, 128));
}

static void packets_are_parsed(void **state)
{
	struct suo_hdr hdr = {
		.opcode = SUO_OP_SEND_ONLY, .pkey = 0xffff, .qpn = 17, .pad = 3,
	}, got;
	uint8_t buf[SUO_MAX_HDR_LEN] = {};
	uint32_t off, len;

	/* BTH 12, payload 5, padding 3 */
	suo_hdr_put(buf, &hdr);
	assert_int_equal(suo_shm_parse(buf, 20, &got, &off, &len), SUO_SHM_GOOD);
	assert_int_equal(off, 12);
	assert_int_equal(len, 5);
	assert_int_equal(got.qpn, 17);
	assert_int_equal(suo_shm_parse(buf, 14, &got, &off, &len), SUO_SHM_BAD_LENGTH);
	assert_int_equal(suo_shm_parse(buf, 11, &got, &off, &len), SUO_SHM_BAD_HEADER);
	/* One byte of payload more than a packet can have */
	assert_int_equal(suo_shm_parse(buf, 12 + 16384 + 1 + 3, &got, &off, &len),
			 SUO_SHM_BAD_LENGTH);
	hdr.pkey = 0x1234;
	suo_hdr_put(buf, &hdr);
	assert_int_equal(suo_shm_parse(buf, 20, &got, &off, &len), SUO_SHM_BAD_PKEY);
	/* An acknowledgment has no payload. */
	hdr = (struct suo_hdr){ .opcode = SUO_OP_ACK, .pkey = 0xffff };
	suo_hdr_put(buf, &hdr);
	assert_int_equal(suo_shm_parse(buf, 16, &got, &off, &len), SUO_SHM_GOOD);
	assert_int_equal(len, 0);
	assert_int_equal(suo_shm_parse(buf, 20, &got, &off, &len), SUO_SHM_BAD_LENGTH);
	buf[0] = 0xff;
	assert_int_equal(suo_shm_parse(buf, 16, &got, &off, &len), SUO_SHM_BAD_HEADER);
}

/* Whatever is believed lies within the ring, and within the record. */
static void garbage_stays_inside(void **state)
{
	struct suo_shm_rec rec;
	struct suo_hdr hdr;
	uint8_t buf[SUO_MAX_HDR_LEN];
	unsigned int taken = 0;

	srand(1);
	for (unsigned int n = 0; n < 2000000; n++) {
		uint32_t avail = rand() % 1100 * 64, to_end = (rand() % 1024 + 1) * 64;
		uint8_t *p = (uint8_t *)&rec;
		uint32_t off, len;

		for (unsigned int i = 0; i < sizeof(rec); i++)
			p[i] = rand();
		for (unsigned int i = 0; i < sizeof(buf); i++)
			buf[i] = rand();
		/* Or nothing would get far. */
		buf[0] = rand() % 32;
		buf[1] &= 0xf0;
		buf[2] = 0xff;
		buf[3] = 0xff;
		rec.bytes = rand() % 300 * (rand() % 8 ? 64 : 63);
		rec.kind = rand() % 4;
		rec.len = rand() % 20000;
		rec.src = rand() % 70;
		rec.dst = rand() % 70;
		if (!suo_shm_rec_check(&rec, avail, to_end))
			continue;
		assert_true(rec.bytes && rec.bytes <= avail && rec.bytes <= to_end);
		assert_int_equal(rec.bytes % 64, 0);
		if (rec.kind == SUO_SHM_SKIP)
			continue;
		assert_true(32 + rec.len <= rec.bytes);
		if (suo_shm_parse(buf, rec.len, &hdr, &off, &len) != SUO_SHM_GOOD)
			continue;
		assert_true(off <= 40 && off + len + hdr.pad == rec.len);
		taken++;
	}
	/* It was not all thrown away at once. */
	assert_true(taken > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_fixed),
		cmocka_unit_test(layout_by_size),
		cmocka_unit_test(rings_are_apart),
		cmocka_unit_test(header_states),
		cmocka_unit_test(record_limits),
		cmocka_unit_test(packets_are_parsed),
		cmocka_unit_test(garbage_stays_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
