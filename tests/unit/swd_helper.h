/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A suo-switch without sockets and without a clock: the test says what time it is. */
#ifndef TESTS_UNIT_SWD_HELPER_H
#define TESTS_UNIT_SWD_HELPER_H

#include "userspace/switch/frame.h"
#include "userspace/switch/switchd.h"

/**
 * swd_make() - a process
 * @text: its cluster file
 * @frames: in its pool
 * @write: has what leaves for an endpoint; 0 or -errno; s->now_ps is the time
 */
struct swd *swd_make(const char *text, u32 frames,
		     int (*write)(struct swd_port *port, const u8 *data, size_t len));
void swd_unmake(struct swd *s);

/**
 * swd_udp() - build a UDP packet over IPv4, as of endpoint from, for endpoint to
 * @data: room for it
 * @bytes: its length, with the FCS that is not there
 * @from: endpoint
 * @to: endpoint
 * @tos: of the IP header
 * @port: UDP source port
 *
 * Return: bytes of data.
 */
u32 swd_udp(u8 *data, u32 bytes, u32 from, u32 to, u8 tos, u16 port);

/* Send a frame from an endpoint, all of which is on its wire at at_ps. */
void swd_send(struct swd *s, u32 endpoint, const u8 *data, u32 len, u64 at_ps);

/* Have the switches learn where everybody is. Return: the time when it is quiet. */
u64 swd_greet(struct swd *s);

/* The one's complement sum of an IPv4 header: 0xffff if its checksum is right. */
u32 swd_ip_sum(const u8 *frame);

#endif /* TESTS_UNIT_SWD_HELPER_H */
