#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/incast.yaml timeout=300
# files: build/tests/vm/verbs_traffic
#
# Two NICs of host 0 send to one of host 1, over suo-switch: pauses hold them, and nothing
# is lost; without headroom for what is under way then, something is. Marks make them slow
# down. verbs_traffic compares all data.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
ROUNDS=3
# Of 4096 bytes, for 1 MiB a round
PACKETS=$((ROUNDS * 256))

# again SED-SCRIPT: suo-switch once more, with a cluster file that is changed so
again()
{
	sed "$1" /lab/cluster.yaml > /tmp/changed.yaml &&
		cmp -s /lab/cluster.yaml /tmp/changed.yaml && return 1
	cp /tmp/changed.yaml /lab/cluster.yaml
	kill "$(cat $SWITCH_PID)"
	timeout 20 sh -c "until grep -q DOWN /sys/class/infiniband/suo0/ports/1/state; do
		sleep 0.1; done"
	/lab/switch-up.sh $ENV &&
		timeout 20 sh -c "for d in 0 1 2; do
			until grep -q ACTIVE /sys/class/infiniband/suo\$d/ports/1/state
			do sleep 0.1; done; done"
}

# traffic: two to one; sets SENT, packets of both senders, and PAUSES that they heard
traffic()
{
	SENT=$(($(counter 0 sent_pkts) + $(counter 1 sent_pkts)))
	PAUSES=$(($(counter 0 rx_prio0_pause) + $(counter 1 rx_prio0_pause)))
	on h0 /lab/verbs_traffic -d 3 -n $ROUNDS two 1048576 || return
	SENT=$(($(counter 0 sent_pkts) + $(counter 1 sent_pkts) - SENT))
	PAUSES=$(($(counter 0 rx_prio0_pause) + $(counter 1 rx_prio0_pause) - PAUSES))
}

ok "two to one" traffic
is "no packet is sent twice" $SENT $((2 * PACKETS))
ok "both senders are paused: $PAUSES" test "$(counter 0 rx_prio0_pause)" -gt 0 -a \
	"$(counter 1 rx_prio0_pause)" -gt 0

ok "headroom for a packet only" again 's/xon_bytes: 20KB/&, headroom_bytes: 4158/'
ok "two to one" traffic
tap_line "# $SENT packets for $((2 * PACKETS))"
ok "packets are lost, and sent again" test $SENT -gt $((2 * PACKETS))

ok "marks instead" again 's/^  pfc:.*/  ecn: {kmin_bytes: 20KB, kmax_bytes: 100KB, pmax: 0.5}/'
for rank in 0 1 2; do
	put $CONFIG/nics/suo$rank/cc dcqcn
done
ok "two to one" traffic
is "no packet is sent twice" $SENT $((2 * PACKETS))
ok "suo2 sees marks: $(counter 2 np_ecn_marked_roce_packets)" \
	test "$(counter 2 np_ecn_marked_roce_packets)" -gt 0
ok "senders hear of them: $(counter 0 rp_cnp_handled), $(counter 1 rp_cnp_handled)" \
	test "$(counter 0 rp_cnp_handled)" -gt 0 -a "$(counter 1 rp_cnp_handled)" -gt 0
is "nobody was paused" $PAUSES 0
lab_down
tap_done
