/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An endpoint's address, and its two other forms: text and hash. */
#ifndef SUO_FI_ADDR_H
#define SUO_FI_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value outside of libfabric's list, with the bit for provider specifics. */
#define SUO_ADDR_FORMAT		0x8053554fu
#define SUO_ADDR_SCHEME		"fi_addr_suo://"
/* scheme, an IPv6 address in brackets, a colon, 8 digits, a question mark,
 * "qkey=" and 8 digits, and the final NUL
 */
#define SUO_ADDR_STRLEN		(sizeof(SUO_ADDR_SCHEME) + 1 + 45 + 2 + 10 + 6 + 10)

/**
 * struct suo_addr - what fi_getname() returns and fi_av_insert() takes
 * @gid: the port's GID; it decides which path the peer is reached by
 * @qpn: the endpoint's UD queue pair, in network order
 * @qkey: that queue pair's key, in network order; chosen at random, so that a
 *	number reused by a later endpoint is told from the earlier one
 */
struct suo_addr {
	uint8_t		gid[16];
	uint32_t	qpn;
	uint32_t	qkey;
};

/**
 * suo_addr_format() - write an address as fi_addr_suo://[GID]:QPN?qkey=KEY
 * @addr: the address
 * @buf: room for the text; always terminated if @size is not 0
 * @size: bytes of @buf; SUO_ADDR_STRLEN is enough
 *
 * Return: the length that the whole text needs, without its NUL.
 */
size_t suo_addr_format(const struct suo_addr *addr, char *buf, size_t size);

/**
 * suo_addr_parse() - read the text form
 * @text: what suo_addr_format() wrote; numbers in hexadecimal
 * @addr: the address
 *
 * Return: 0, or -EINVAL.
 */
int suo_addr_parse(const char *text, struct suo_addr *addr);

bool suo_addr_equal(const struct suo_addr *a, const struct suo_addr *b);
uint32_t suo_addr_hash(const struct suo_addr *addr);

#endif /* SUO_FI_ADDR_H */
