// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/swd_helper.h"

#define ETH	14
#define IP	20
#define MS	1000000000ull

static struct swd_port_ops ops = { .name = "test" };

struct swd *swd_make(const char *text, u32 frames,
		     int (*write)(struct swd_port *port, const u8 *data, size_t len))
{
	struct swd *s = calloc(1, sizeof(*s));

	s->timer_fd = -1;
	s->opts.cluster = "c.yaml";
	assert_int_equal(suo_cluster_parse("c.yaml", text, strlen(text), stderr,
					   &s->cluster), 0);
	assert_int_equal(swd_net_init(s), 0);
	assert_int_equal(swd_pool_init(s, frames), 0);
	assert_int_equal(swd_mac_init(s), 0);
	s->ports = s->topo.hosts;
	s->port = calloc(s->ports, sizeof(*s->port));
	ops.write = write;
	for (u32 e = 0; e < s->ports; e++)
		s->port[e] = (struct swd_port){ .s = s, .id = e, .ops = &ops };
	return s;
}

void swd_unmake(struct swd *s)
{
	free(s->port);
	swd_mac_free(s);
	swd_pool_free(s);
	suo_heap_free(&s->heap);
	swd_net_free(s);
	suo_cluster_free(s->cluster);
	free(s);
}

u32 swd_ip_sum(const u8 *frame)
{
	u32 sum = 0;

	for (u32 i = 0; i < IP; i += 2)
		sum += frame[ETH + i] << 8 | frame[ETH + i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

u32 swd_udp(u8 *data, u32 bytes, u32 from, u32 to, u8 tos, u16 port)
{
	u32 total = bytes - 4 - ETH, sum;
	const u8 header[] = {
		2, 0, 0, 0, to >> 8, to, 2, 0, 0, 0, from >> 8, from, 8, 0,
		0x45, tos, total >> 8, total, 0, 1, 0, 0, 64, 17, 0, 0,
		10, 0, from >> 8, from, 10, 0, to >> 8, to,
		port >> 8, port, 0x12, 0xb7, (total - IP) >> 8, total - IP, 0, 0,
	};

	memset(data, 0, bytes);
	memcpy(data, header, sizeof(header));
	sum = 0xffff - swd_ip_sum(data);
	data[ETH + 10] = sum >> 8;
	data[ETH + 11] = sum;
	return bytes - 4;
}

void swd_send(struct swd *s, u32 endpoint, const u8 *data, u32 len, u64 at_ps)
{
	struct swd_frame *frame = swd_frame_get(s, false);

	assert_non_null(frame);
	memcpy(frame->data, data, len);
	frame->len = len;
	swd_came_in(s, endpoint, frame, at_ps);
}

u64 swd_greet(struct swd *s)
{
	u64 now_ps = 0;
	u8 data[64];

	for (u32 e = 0; e < s->ports; e++) {
		swd_send(s, e, data, swd_udp(data, 64, e, 0xffff, 0, 1), now_ps);
		now_ps += MS;
		swd_run(s, now_ps);
	}
	return now_ps;
}
