#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=768 timeout=600
# files: tests/vm/wire.inc build/tests/vm/verbs_mcast
#
# Multicast: who hears what, what the network is told by IGMP and MLD, and groups in
# common with rdma_rxe. The latter joins nothing on the network by itself: with it,
# rdma_cm does, and knows IPv4 only.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/wire.inc
. /lab/wire.inc

# members NAME: two queue pairs join and leave, and the wire is watched
members()
{
	capture_start "$1" suo0
	rm -f /tmp/hold
	mkfifo /tmp/hold
	at suo0 timeout 60 /lab/verbs_mcast suo0 hold < /tmp/hold > /tmp/members.log 2>&1 &
	_pid=$!
	exec 3> /tmp/hold
	sleep 15
	ok "$1: v1 is in the groups" sh -c "
		ip -n s maddr show dev v1 | grep -q 'inet *239.9.0.1' &&
		ip -n s maddr show dev v1 | grep -q 'inet6 ff1e::9:1'"
	exec 3>&-
	wait $_pid
	is "$1: two queue pairs have joined three groups and left" "$? $(grep -c '^not ok' /tmp/members.log)" "0 0"
	sleep 15
	ok "$1: v1 is in them no more" refused sh -c "
		ip -n s maddr show dev v1 | grep -q '239.9.0.[12]\|ff1e::9:1'"
	capture_stop
}

ok "rdma_rxe and suo on a wire" wire_up || { tap_line "Bail out!"; exit 1; }
ip netns add h0
merge "one device" /lab/verbs_mcast suo0

# IGMPv3 and MLDv2 tell of a group that is joined or left by a record of a change of
# filter mode, to EXCLUDE (4) or to INCLUDE (3), and mean all of its sources.
members mcast3
for group in 239.9.0.1 239.9.0.2; do
	judge "some igmp.maddr == $group && igmp.record_type == 4"
	judge "some igmp.maddr == $group && igmp.record_type == 3"
done
judge "some icmpv6.type == 143 && icmpv6.mldr.mar.multicast_address == ff1e::9:1 &&" \
	"icmpv6.mldr.mar.record_type == 4"
judge "some icmpv6.type == 143 && icmpv6.mldr.mar.multicast_address == ff1e::9:1 &&" \
	"icmpv6.mldr.mar.record_type == 3"
judge "none igmp.type == 0x16 || igmp.type == 0x17"
judge "none udp.dstport == 4791"

ip netns exec s sh -c '
	echo 2 > /proc/sys/net/ipv4/conf/v1/force_igmp_version
	echo 1 > /proc/sys/net/ipv6/conf/v1/force_mld_version'
members mcast2
judge "some igmp.type == 0x16 && igmp.maddr == 239.9.0.1"
judge "some igmp.type == 0x17 && igmp.maddr == 239.9.0.1"
judge "some icmpv6.type == 131 && icmpv6.mld.multicast_address == ff1e::9:1"
judge "some icmpv6.type == 132 && icmpv6.mld.multicast_address == ff1e::9:1"
judge "none igmp.type == 0x22"
ip netns exec s sh -c '
	echo 0 > /proc/sys/net/ipv4/conf/v1/force_igmp_version
	echo 0 > /proc/sys/net/ipv6/conf/v1/force_mld_version'

# The server is who listens.
for dirs in "suo0 suo1" "rxe0 suo0" "suo0 rxe0"; do
	server=${dirs% *} client=${dirs#* }
	capture_start "mckey-$server-$client" "$server"
	ok "$client to $server: mckey" both "$server" "$client" 0 \
		mckey -m 239.9.1.1 -b "$(address "$server")" -C 10 -- \
		mckey -m 239.9.1.1 -b "$(address "$client")" -s -C 10
	capture_stop
	judge "some igmp.maddr == 239.9.1.1 && ip.src == $(address "$server")"
	judge "some udp.dstport == 4791 && ip.dst == 239.9.1.1"
	judge "all infiniband.bth.destqp == 0xffffff if ip.dst == 239.9.1.1"
	judge "all eth.dst == 01:00:5e:09:01:01 if ip.dst == 239.9.1.1"
	judge "all ip.src == $(address "$client") if ip.dst == 239.9.1.1"
done
capture_start mcast6 suo0
ok "suo1 to suo0: a group of IPv6" both suo0 suo1 0 \
	/lab/verbs_mcast suo0 hear ff1e::9:7 -- /lab/verbs_mcast suo1 send ff1e::9:7
capture_stop
judge "all eth.dst == 33:33:00:09:00:07"
judge "all ipv6.dst == ff1e::9:7"
judge "all ipv6.src == $(address suo1 0 6)"
wire_down
tap_done
