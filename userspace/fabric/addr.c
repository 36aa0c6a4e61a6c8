// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "addr.h"

_Static_assert(sizeof(struct suo_addr) == 24, "the address is a wire format");

size_t suo_addr_format(const struct suo_addr *addr, char *buf, size_t size)
{
	char gid[INET6_ADDRSTRLEN] = "";

	inet_ntop(AF_INET6, addr->gid, gid, sizeof(gid));
	return snprintf(buf, size, SUO_ADDR_SCHEME "[%s]:0x%x?qkey=0x%x", gid,
			ntohl(addr->qpn), ntohl(addr->qkey));
}

/* A hexadecimal number of 32 bits; *text is moved behind it. */
static int parse_hex32(const char **text, uint32_t *val)
{
	unsigned long long n;
	char *end;

	if (strncmp(*text, "0x", 2))
		return -EINVAL;
	errno = 0;
	n = strtoull(*text, &end, 16);
	if (errno || end - *text < 3 || n > UINT32_MAX)
		return -EINVAL;
	*val = htonl((uint32_t)n);
	*text = end;
	return 0;
}

int suo_addr_parse(const char *text, struct suo_addr *addr)
{
	char gid[INET6_ADDRSTRLEN];
	const char *end;
	size_t len;

	len = strlen(SUO_ADDR_SCHEME);
	if (strncmp(text, SUO_ADDR_SCHEME "[", len + 1))
		return -EINVAL;
	text += len + 1;

	end = strchr(text, ']');
	if (!end || (size_t)(end - text) >= sizeof(gid))
		return -EINVAL;
	memcpy(gid, text, end - text);
	gid[end - text] = '\0';
	if (inet_pton(AF_INET6, gid, addr->gid) != 1)
		return -EINVAL;

	if (end[1] != ':')
		return -EINVAL;
	text = end + 2;
	if (parse_hex32(&text, &addr->qpn))
		return -EINVAL;
	if (strncmp(text, "?qkey=", 6))
		return -EINVAL;
	text += 6;
	if (parse_hex32(&text, &addr->qkey) || *text)
		return -EINVAL;
	return 0;
}

bool suo_addr_equal(const struct suo_addr *a, const struct suo_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

uint32_t suo_addr_hash(const struct suo_addr *addr)
{
	const uint8_t *byte = (const uint8_t *)addr;
	uint32_t hash = 2166136261u;	/* FNV-1a */

	for (size_t i = 0; i < sizeof(*addr); i++)
		hash = (hash ^ byte[i]) * 16777619u;
	return hash;
}
