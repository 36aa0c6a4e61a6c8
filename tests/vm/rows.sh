#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=1200
# files: build/tests/vm/verbs_data build/tests/vm/verbs_rules build/tests/vm/verbs_turns build/tests/vm/verbs_latency
# modules: xfrm_user
#
# NICs that are not paced: packets of a message share a datagram. Data arrives as
# before, on every kind of way in; the netdev counts fewer packets than the
# device, unless it is told not to segment; and a wire that loses and corrupts is
# noticed.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe sch_netem 2> /dev/null
modprobe xfrm_user 2> /dev/null

# profiles rmdir|mkdir
profiles()
{
	for _dev in 0 1 2 3; do
		"$1" $CONFIG/nics/suo$_dev || return 1
	done
}

tx_packets()
{
	on h0 cat /sys/class/net/v0/statistics/tx_packets
}

# moved COMMAND...: run it; how many packets the device, and the netdev, sent
moved()
{
	_sent=$(counter 0 sent_pkts) _tx=$(tx_packets)
	"$@" || return 1
	_sent=$(($(counter 0 sent_pkts) - _sent))
	_tx=$(($(tx_packets) - _tx))
	echo "device: $_sent packets, netdev: $_tx"
}

write_bw()
{
	pair 2 0 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 65536 -n 100
}

# 100 messages of 64 KiB at the path MTU of 4096: 1600 packets
shared()
{
	moved write_bw && [ $_sent -ge 1600 ] && [ $((_tx * 4)) -lt $_sent ]
}

apart()
{
	moved write_bw && [ $_sent -ge 1600 ] && [ $_tx -ge $_sent ]
}

# 600 messages each way and as many acknowledgments, which go along with messages
rides()
{
	moved on h0 /lab/verbs_latency suo0 suo2 500 &&
		[ $_sent -ge 1200 ] && [ $_tx -lt 630 ]
}

segmentation()
{
	for _h in h0 h1; do
		on $_h ethtool -K v0 tx-udp-segmentation "$1" || return 1
	done
}

# A filter in the namespace sees every packet first, so they take the usual way.
# IPsec policies count as one; this one is for nobody.
policy()
{
	ip -n h1 xfrm policy "$1" src 192.0.2.1/32 dst 192.0.2.2/32 dir in
}

netem()
{
	for _port in h0v0 h1v0; do
		# shellcheck disable=SC2086
		ip netns exec fabric tc qdisc replace dev $_port root netem $1 ||
			return 1
	done
}

# Of packets that share a datagram the stack looks at the UDP checksum, suo then at
# the ICRC; a packet alone goes without a checksum.
icrc()
{
	echo $(($(counter 0 rx_icrc_encapsulated) + $(counter 2 rx_icrc_encapsulated)))
}

# shellcheck disable=SC2016
checksum()
{
	for _h in h0 h1; do
		on $_h awk '/^Udp: [0-9]/ { print $8 }' /proc/net/snmp
	done | awk '{ n += $1 } END { print n }'
}

ok "NICs are not paced" profiles rmdir
ok "packets share datagrams" shared
merge "together" /lab/verbs_data suo0 suo2
merge "together" /lab/verbs_rules suo0 suo2
ok "acknowledgments go along with answers" rides
merge "together" /lab/verbs_turns suo0 suo2
if command -v ethtool > /dev/null; then
	ok "tx-udp-segmentation off" segmentation off
	ok "packets go apart" apart
	merge "apart" /lab/verbs_data suo0 suo2
	ok "tx-udp-segmentation on" segmentation on
else
	skip "packets go apart" "no ethtool"
fi
if policy add 2> /dev/null; then
	ok "the usual way in: packets share datagrams" shared
	merge "the usual way in" /lab/verbs_data suo0 suo2
	ok "no policy" policy delete
else
	skip "the usual way in" "no IPsec in this kernel"
fi

PAIR_TIMEOUT=20000 MERGE_TIMEOUT=20000
for fault in "loss 1%" "delay 2ms reorder 25% gap 5" "duplicate 1%" "corrupt 5%"; do
	ok "netem $fault" netem "limit 100000 $fault"
	noticed=$(($(icrc) + $(checksum)))
	merge "$fault" /lab/verbs_data -r suo0 suo2
	for tool in "ib_send_bw -e" ib_write_bw "ib_read_bw -e"; do
		# shellcheck disable=SC2086
		ok "$fault: $tool" pair 2 0 18515 \
			$tool -F -d @DEV@ -x @GID@ -n 50
	done
	[ "${fault%% *}" != corrupt ] ||
		ok "$fault: the checksum or the ICRC is wrong" \
			[ $(($(icrc) + $(checksum))) -gt $noticed ]
done
if command -v ethtool > /dev/null; then
	ok "$fault: packets go apart" segmentation off
	noticed=$(icrc)
	ok "$fault, apart: ib_write_bw" pair 2 0 18515 \
		ib_write_bw -F -d @DEV@ -x @GID@ -n 50
	ok "$fault, apart: the ICRC is wrong" [ "$(icrc)" -gt "$noticed" ]
else
	skip "$fault, apart" "no ethtool"
fi

# cluster-down.sh wants to find what cluster-up.sh made.
profiles mkdir
lab_down
tap_done
