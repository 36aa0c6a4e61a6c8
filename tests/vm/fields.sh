#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=768 timeout=600
# files: tests/vm/wire.inc build/tests/vm/verbs_flow
# programs: ethtool
# modules: sch_ingress cls_u32 act_pedit act_csum
#
# What a packet's IP and UDP headers say of its flow: source port, flow label, traffic
# class, time to live; and congestion marks, which switches make on the way.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/wire.inc
. /lab/wire.inc

# Each packet that is on its way to a device, and whose sender knows ECN, is marked.
mark_on()
{
	_w=w$(number "$1")
	tc -n wire qdisc add dev "$_w" clsact &&
	tc -n wire filter add dev "$_w" egress protocol ip u32 \
		match ip dport 4791 0xffff match u8 0x02 0x03 at 1 \
		action pedit munge offset 0 u32 set 0x00030000 retain 0x00030000 \
		pipe csum ip &&
	tc -n wire filter add dev "$_w" egress protocol ipv6 prio 2 u32 \
		match ip6 dport 4791 0xffff \
		match u32 0x00200000 0x00300000 at 0 \
		action pedit munge offset 0 u32 set 0x00300000 retain 0x00300000
}

mark_off()
{
	tc -n wire qdisc del dev "w$(number "$1")" clsact
}

ok "rdma_rxe and suo on a wire" wire_up || { tap_line "Bail out!"; exit 1; }
ip netns add h0
ok "packets are to leave one by one" sh -c "
	ip netns exec s ethtool -K v1 tx-udp-segmentation off &&
	ip netns exec t ethtool -K v2 tx-udp-segmentation off"
for devs in "suo0 suo1" "rxe0 suo1"; do
	capture_start "flow-${devs% *}-${devs#* }" suo1
	# shellcheck disable=SC2086
	merge "$devs" /lab/verbs_flow $devs "$RESULTS/$capture.judge"
	capture_stop
done

# The core asks the route for the hop limit, whatever the process had asked for.
ok "routes with hop limits" sh -c "
	ip -n s route replace 10.9.0.0/24 dev v1 hoplimit 17 &&
	ip route replace 10.9.0.0/24 dev v0 hoplimit 19"
capture_start hops suo0
ok "rxe0 to suo0: ibv_rc_pingpong" \
	pingpong rc suo0 rxe0 "$(gid suo0)" "$(gid rxe0)" -n 3 -s 1000
ok "rxe0 to suo0: ibv_ud_pingpong" \
	pingpong ud suo0 rxe0 "$(gid suo0)" "$(gid rxe0)" -n 3 -s 1000
capture_stop
judge "all ip.ttl == 17 if ip.src == $(address suo0)"
judge "all ip.ttl == 19 if ip.src == $(address rxe0)"

for dirs in "suo0 suo1" "suo0 rxe0" "rxe0 suo0"; do
	server=${dirs% *} client=${dirs#* }
	for ip in 4 6; do
		what="$client to $server, IPv$ip"
		[ "$server" = rxe0 ] || before=$(hw_counter suo0 np_ecn_marked_roce_packets)
		[ "$server" = rxe0 ] || received=$(hw_counter suo0 rcvd_pkts)
		capture_start "ecn-$server-$client-$ip" "$server"
		ok "$what: rdma_cm, ECN-capable" both "$server" "$client" 0 \
			ucmatose -t 2 -C 5 -b "$(address "$server" 0 $ip)" -- \
			ucmatose -t 2 -C 5 -s "$(address "$server" 0 $ip)"
		[ "$server" = rxe0 ] || is "$what: nothing is counted as marked" \
			"$(hw_counter suo0 np_ecn_marked_roce_packets)" "$before"
		capture_stop
		ecn=ip.dsfield.ecn src=ip.src
		[ $ip = 4 ] || { ecn=ipv6.tclass.ecn src=ipv6.src; }
		judge "all $ecn == 2 if infiniband.bth.destqp != 1"

		ok "$what: a switch with congestion" mark_on "$server"
		[ "$server" = rxe0 ] || received=$(hw_counter suo0 rcvd_pkts)
		capture_start "ce-$server-$client-$ip" "$server"
		ok "$what: rdma_cm, marked on the way" both "$server" "$client" 0 \
			ucmatose -t 2 -C 5 -b "$(address "$server" 0 $ip)" -- \
			ucmatose -t 2 -C 5 -s "$(address "$server" 0 $ip)"
		capture_stop
		ok "$what: the congestion ends" mark_off "$server"
		judge "all $ecn == 3 if $src == $(address "$client" 0 $ip) &&" \
			"infiniband.bth.destqp != 1"
		judge "all $ecn == 2 if $src == $(address "$server" 0 $ip) &&" \
			"infiniband.bth.destqp != 1"
		[ "$server" != rxe0 ] || continue
		is "$what: suo0 has counted each packet that it got as marked" \
			"$(($(hw_counter suo0 np_ecn_marked_roce_packets) - before))" \
			"$(($(hw_counter suo0 rcvd_pkts) - received))"
		ok "$what: there were some" test \
			"$(hw_counter suo0 np_ecn_marked_roce_packets)" -gt "$before"
		is "$what: no ICRC was wrong" "$(hw_counter suo0 rx_icrc_encapsulated)" 0
	done
done
wire_down
tap_done
