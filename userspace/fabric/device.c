// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which verbs devices are offered, and what is asked of them. */
#include <stdio.h>

#include "suo_fi.h"

bool suo_dev_is_suo(const char *name)
{
	return !strncmp(name, SUO_PROV_NAME, strlen(SUO_PROV_NAME));
}

bool suo_dev_wanted(const char *name)
{
	size_t len = strlen(name);
	const char *item;

	if (!suo_tune.iface)
		return suo_dev_is_suo(name);

	for (item = suo_tune.iface; item; item = strchr(item, ',')) {
		item += *item == ',';
		if (!strncmp(item, name, len) && (!item[len] || item[len] == ','))
			return true;
	}
	return false;
}

static bool gid_is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, mapped, sizeof(mapped));
}

/* Takes the GID that is configured, or the most useful one. */
static int choose_gid(struct suo_dev *dev)
{
	struct ibv_gid_entry entry;
	int best = -1;

	if (suo_tune.gid_index >= 0) {
		dev->gid_index = suo_tune.gid_index;
		return ibv_query_gid(dev->ctx, 1, dev->gid_index, &dev->gid);
	}
	for (int i = 0; i < dev->port.gid_tbl_len && i < 256; i++) {
		int rank;

		if (ibv_query_gid_ex(dev->ctx, 1, i, &entry, 0))
			continue;
		if (entry.gid_type != IBV_GID_TYPE_ROCE_V2)
			rank = 0;
		else
			rank = gid_is_ipv4(&entry.gid) ? 2 : 1;
		if (rank > best) {
			best = rank;
			dev->gid = entry.gid;
			dev->gid_index = i;
		}
	}
	return best < 0 ? -ENODEV : 0;
}

int suo_dev_open(struct ibv_device *ibdev, struct suo_dev *dev)
{
	memset(dev, 0, sizeof(*dev));
	snprintf(dev->name, sizeof(dev->name), "%s", ibv_get_device_name(ibdev));
	dev->ctx = ibv_open_device(ibdev);
	if (!dev->ctx) {
		suo_info(CORE, "%s: cannot be opened: %s\n", dev->name, strerror(errno));
		return -FI_ENODEV;
	}
	if (ibv_query_device(dev->ctx, &dev->attr) ||
	    ibv_query_port(dev->ctx, 1, &dev->port)) {
		suo_info(CORE, "%s: query failed\n", dev->name);
		goto close;
	}
	if (dev->port.state != IBV_PORT_ACTIVE) {
		suo_info(CORE, "%s: port 1 is not active\n", dev->name);
		goto close;
	}
	if (choose_gid(dev)) {
		suo_info(CORE, "%s: no usable GID\n", dev->name);
		goto close;
	}
	return 0;

close:
	suo_dev_close(dev);
	return -FI_ENODEV;
}

void suo_dev_close(struct suo_dev *dev)
{
	if (dev->ctx)
		ibv_close_device(dev->ctx);
	dev->ctx = NULL;
}
