// SPDX-License-Identifier: GPL-2.0-only
#include <linux/math64.h>

#include "config.h"
#include "domain.h"
#include "suo.h"
#include "telemetry.h"
#include "trace.h"

/* Flits of the link, or the frames that they are put into, whole ones: what is over
 * counts with the next transmission.
 */
static u64 flits(struct suo_port *port, const struct suo_link_law *law,
		 u64 wire_bytes)
{
	bool framed = law->frame_payload_bytes &&
		      law->frame_payload_bytes < law->frame_bytes;
	u32 unit = framed ? law->frame_bytes : law->flit_bytes;
	u64 n;
	u32 rest;

	if (unit <= 1)
		return 0;
	n = div_u64_rem(port->flit_rest + wire_bytes, unit, &rest);
	port->flit_rest = rest;
	return n;
}

/**
 * suo_telemetry_tx() - count what a port has put on its link
 * @port: the sender's; the domain's lock is held
 * @law: of the domain
 * @res: what the law says of the transmission
 */
void suo_telemetry_tx(struct suo_port *port, const struct suo_link_law *law,
		      const struct suo_link_result *res)
{
	struct suo_dev *dev = port->dev;
	u64 n;

	suo_stat_add(dev, su_tx_wire_bytes, res->wire_bytes);
	suo_stat_add(dev, su_tx_packets, res->packets);
	n = flits(port, law, res->wire_bytes);
	if (n)
		suo_stat_add(dev, su_tx_flits, n);
	if (res->arrival_ps != res->start_ps)
		suo_stat_add(dev, su_tx_flight_ps,
			     res->arrival_ps - res->start_ps);
	if (res->stall_ps) {
		suo_stat_inc(dev, su_tx_stalls);
		suo_stat_add(dev, su_tx_stall_ps, res->stall_ps);
	}
	if (res->retries)
		suo_stat_add(dev, su_tx_retries, res->retries);
	if (res->lost)
		suo_stat_inc(dev, su_tx_lost);
}

static void highest(atomic64_t *mark, u64 val)
{
	s64 was = atomic64_read(mark);

	while (val > (u64)was && !atomic64_try_cmpxchg(mark, &was, val))
		;
}

/**
 * suo_telemetry_rx() - count what waited for a receiving port
 * @dev: the receiver
 * @res: what the law says of the transmission that has arrived
 */
void suo_telemetry_rx(struct suo_dev *dev, const struct suo_link_result *res)
{
	if (!res->queue_ps)
		return;
	suo_stat_add(dev, su_rx_queue_ps, res->queue_ps);
	highest(&dev->stats.val[SUO_ST_su_rx_queue_max_ps], res->queue_ps);
	highest(&dev->stats.val[SUO_ST_su_rx_queue_max_bytes],
		res->queue_bytes);
}

/* A packet is handed over; all that it is late is due to software. */
void suo_telemetry_clock(struct suo_port *port, u64 due_ps, u64 now_ps)
{
	bool su = port == &port->dev->su;

	trace_suo_clock(port->dev, su, due_ps, now_ps);
	if (su)
		suo_stat_add(port->dev, su_tx_late_ps, now_ps - due_ps);
}

/* A member's attributes: 0 while there is no device of its name. */
static ssize_t member_show(struct config_item *item, char *page,
			   enum suo_stat stat)
{
	struct suo_member *m = container_of(item, struct suo_member, item);
	u64 val = 0;

	mutex_lock(&suo_devs_lock);
	if (m->dev)
		val = atomic64_read(&m->dev->stats.val[stat]);
	mutex_unlock(&suo_devs_lock);
	return suo_config_show(page, val);
}

#define SUO_MEMBER_ATTR(name)						\
static ssize_t suo_member_##name##_show(struct config_item *item,	\
					char *page)			\
{									\
	return member_show(item, page, SUO_ST_##name);			\
}									\
CONFIGFS_ATTR_RO(suo_member_, name)

SUO_MEMBER_ATTR(su_tx_segments);
SUO_MEMBER_ATTR(su_tx_bytes);
SUO_MEMBER_ATTR(su_rx_segments);
SUO_MEMBER_ATTR(su_rx_bytes);
SUO_MEMBER_ATTR(su_tx_wire_bytes);
SUO_MEMBER_ATTR(su_tx_packets);
SUO_MEMBER_ATTR(su_tx_flits);
SUO_MEMBER_ATTR(su_tx_stalls);
SUO_MEMBER_ATTR(su_tx_stall_ps);
SUO_MEMBER_ATTR(su_tx_retries);
SUO_MEMBER_ATTR(su_tx_lost);
SUO_MEMBER_ATTR(su_tx_flight_ps);
SUO_MEMBER_ATTR(su_tx_late_ps);
SUO_MEMBER_ATTR(su_rx_queue_ps);
SUO_MEMBER_ATTR(su_rx_queue_max_ps);
SUO_MEMBER_ATTR(su_rx_queue_max_bytes);

/* Of all bytes on the wire those that were payload, in millionths */
static ssize_t suo_member_su_tx_efficiency_ppm_show(struct config_item *item,
						    char *page)
{
	struct suo_member *m = container_of(item, struct suo_member, item);
	u64 payload, wire = 0, ppm = 0;

	mutex_lock(&suo_devs_lock);
	if (m->dev) {
		payload = atomic64_read(&m->dev->stats.val[SUO_ST_su_tx_bytes]);
		wire = atomic64_read(&m->dev->stats.val[SUO_ST_su_tx_wire_bytes]);
	}
	mutex_unlock(&suo_devs_lock);
	if (wire)
		ppm = suo_mul_div(payload, 1000000, wire);
	return suo_config_show(page, ppm);
}
CONFIGFS_ATTR_RO(suo_member_, su_tx_efficiency_ppm);

struct configfs_attribute *suo_member_attrs[] = {
	&suo_member_attr_su_tx_segments,
	&suo_member_attr_su_tx_bytes,
	&suo_member_attr_su_rx_segments,
	&suo_member_attr_su_rx_bytes,
	&suo_member_attr_su_tx_wire_bytes,
	&suo_member_attr_su_tx_packets,
	&suo_member_attr_su_tx_flits,
	&suo_member_attr_su_tx_stalls,
	&suo_member_attr_su_tx_stall_ps,
	&suo_member_attr_su_tx_retries,
	&suo_member_attr_su_tx_lost,
	&suo_member_attr_su_tx_flight_ps,
	&suo_member_attr_su_tx_late_ps,
	&suo_member_attr_su_rx_queue_ps,
	&suo_member_attr_su_rx_queue_max_ps,
	&suo_member_attr_su_rx_queue_max_bytes,
	&suo_member_attr_su_tx_efficiency_ppm,
	NULL,
};
