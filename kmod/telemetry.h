/* SPDX-License-Identifier: GPL-2.0-only */
/* What links do, counted. */
#ifndef SUO_TELEMETRY_H
#define SUO_TELEMETRY_H

#include "../model/core/link.h"

struct configfs_attribute;
struct suo_dev;
struct suo_port;

extern struct configfs_attribute *suo_member_attrs[];

void suo_telemetry_tx(struct suo_port *port, const struct suo_link_law *law,
		      const struct suo_link_result *res);
void suo_telemetry_rx(struct suo_dev *dev, const struct suo_link_result *res);
void suo_telemetry_clock(struct suo_port *port, u64 due_ps, u64 now_ps);

#endif /* SUO_TELEMETRY_H */
