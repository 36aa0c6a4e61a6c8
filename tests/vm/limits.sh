#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=2048 timeout=600
# files: build/tests/vm/verbs_limits
#
# The limits that the device reports are true, to the last object.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

device_up()
{
	insmod "/lib/modules/$(uname -r)/suo.ko" &&
	ip netns add h0 &&
	ip link add v0 mtu 9000 type veth peer name v1 mtu 9000 netns h0 &&
	ip -n h0 addr add 10.9.0.1/24 dev v1 &&
	ip link set v0 up &&
	ip -n h0 link set v1 up &&
	ip -n h0 link set lo up &&
	ip netns exec h0 rdma link add suo0 type suo netdev v1 &&
	# Each ring is a mapping.
	echo 1000000 > /proc/sys/vm/max_map_count
}

ok "a device" device_up
merge "suo0" /lab/verbs_limits suo0
ok "the device and the module go" sh -c 'rdma link delete suo0 && rmmod suo'
tap_done
