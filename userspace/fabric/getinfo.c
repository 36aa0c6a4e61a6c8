// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* fi_getinfo(): one entry a device, with the addresses that were named. */
#include <arpa/inet.h>

#include "suo_fi.h"

/**
 * struct names - the addresses that a call to fi_getinfo() names
 * @src: wanted local address: GID, and service if it has one
 * @dest: the peer
 * @service: number that the local endpoint is to be found by, 0: none
 * @has_src: @src is valid
 * @has_dest: @dest is valid
 */
struct names {
	struct suo_addr	src;
	struct suo_addr	dest;
	uint32_t	service;
	bool		has_src;
	bool		has_dest;
};

/* An IPv4 or IPv6 address as the GID that RoCE makes of it. */
static int ip_to_gid(const char *text, uint8_t gid[16])
{
	memset(gid, 0, 16);
	if (inet_pton(AF_INET, text, gid + 12) == 1) {
		gid[10] = 0xff;
		gid[11] = 0xff;
		return 0;
	}
	return inet_pton(AF_INET6, text, gid) == 1 ? 0 : -FI_ENODATA;
}

/* A service is a number from 1 to 65535; anything else has no meaning here. */
static uint32_t service_number(const char *service)
{
	char *end;
	unsigned long n = service ? strtoul(service, &end, 10) : 0;

	return service && *service && !*end && n <= UINT16_MAX ? htonl(n) : 0;
}

static int read_names(const char *node, const char *service, uint64_t flags,
		      const struct fi_info *hints, struct names *names)
{
	memset(names, 0, sizeof(*names));
	if (hints && hints->src_addr && hints->src_addrlen == sizeof(names->src)) {
		memcpy(&names->src, hints->src_addr, sizeof(names->src));
		names->has_src = true;
		if (suo_addr_is_service(&names->src))
			names->service = names->src.qkey;
	}
	if (hints && hints->dest_addr && hints->dest_addrlen == sizeof(names->dest)) {
		memcpy(&names->dest, hints->dest_addr, sizeof(names->dest));
		names->has_dest = true;
	}
	if (flags & FI_SOURCE)
		names->service = service_number(service);
	if (!node)
		return 0;

	if (flags & FI_SOURCE) {
		names->has_src = true;
		if (!suo_addr_parse(node, &names->src))
			return 0;
		return ip_to_gid(node, names->src.gid);
	}
	names->has_dest = true;
	if (!suo_addr_parse(node, &names->dest))
		return 0;
	/* Without a service it says which host is meant, but not which endpoint:
	 * fi_av_insert() refuses it.
	 */
	names->dest.qkey = service_number(service);
	if ((names->dest.qkey || !service) && !ip_to_gid(node, names->dest.gid))
		return 0;
	suo_info(CORE, "node \"%s\": a destination must be a %s name, or an IP address; a service is a number\n",
		 node, SUO_ADDR_SCHEME);
	return -FI_ENODATA;
}

static int fill_addresses(struct fi_info *info, const struct suo_dev *dev,
			  const struct names *names)
{
	struct suo_addr *src = calloc(1, sizeof(*src));

	if (!src)
		return -FI_ENOMEM;
	memcpy(src->gid, dev->gid.raw, sizeof(src->gid));
	src->qkey = names->service;
	info->src_addr = src;
	info->src_addrlen = sizeof(*src);
	if (!names->has_dest)
		return 0;

	info->dest_addr = malloc(sizeof(names->dest));
	if (!info->dest_addr)
		return -FI_ENOMEM;
	memcpy(info->dest_addr, &names->dest, sizeof(names->dest));
	info->dest_addrlen = sizeof(names->dest);
	return 0;
}

static int add_device(struct ibv_device *ibdev, uint32_t version,
		      const struct fi_info *hints, const struct names *names,
		      struct fi_info ***tail)
{
	struct fi_info *info;
	struct suo_dev dev;
	int err;

	if (suo_dev_open(ibdev, &dev))
		return 0;
	err = 0;
	if (names->has_src && memcmp(names->src.gid, dev.gid.raw, sizeof(dev.gid.raw)))
		goto close;
	if (suo_hints_check(hints, &dev))
		goto close;

	info = fi_allocinfo();
	err = info ? suo_info_fill(info, &dev, version, hints) : -FI_ENOMEM;
	if (!err)
		err = fill_addresses(info, &dev, names);
	if (err) {
		if (info)
			fi_freeinfo(info);
		goto close;
	}
	**tail = info;
	*tail = &info->next;

close:
	suo_dev_close(&dev);
	return err;
}

int suo_getinfo(uint32_t version, const char *node, const char *service,
		uint64_t flags, const struct fi_info *hints, struct fi_info **info)
{
	struct ibv_device **list;
	struct fi_info **tail = info;
	struct names names;
	int err;

	*info = NULL;
	err = read_names(node, service, flags, hints, &names);
	if (err)
		return err;
	list = ibv_get_device_list(NULL);
	if (!list)
		return -FI_ENODATA;
	for (int i = 0; list[i] && !err; i++)
		if (suo_dev_wanted(ibv_get_device_name(list[i])))
			err = add_device(list[i], version, hints, &names, &tail);
	ibv_free_device_list(list);

	if (err && *info) {
		fi_freeinfo(*info);
		*info = NULL;
	}
	return *info || err ? err : -FI_ENODATA;
}
