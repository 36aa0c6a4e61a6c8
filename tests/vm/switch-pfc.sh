#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/incast.yaml timeout=300
# files: build/tests/vm/verbs_traffic tests/vm/switch.inc
#
# Two NICs of host 0 send to one of host 1, over suo-switch: pauses hold them, and nothing
# is lost; without headroom for what is under way then, something is. Marks make them slow
# down. verbs_traffic compares all data. What ports have seen of that is for judge_wire.py to
# judge.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/switch.inc
. /lab/switch.inc
# Ports of a sender and of the receiver
PORTS=/tmp/ports
export SUO_SWITCH_OPTIONS=--capture=$PORTS:h0:nic0,h1:nic0
mkdir $PORTS
lab_up
ROUNDS=3
# Of 4096 bytes, for 1 MiB a round
PACKETS=$((ROUNDS * 256))

# ends NAME RULE...: so does suo-switch; what the sender's port has seen is kept by that
# name, for these rules
ends()
{
	switch_down || return
	for _port in leaf0 leaf1; do
		mv $PORTS/$_port-Ethernet0.pcap "$RESULTS/$1-$_port.pcap"
	done
	_name=$1
	shift
	printf '%s\n' "$@" > "$RESULTS/$_name-leaf0.judge"
	echo "none macc.opcode" > "$RESULTS/$_name-leaf1.judge"
}

# again SED-SCRIPT: suo-switch once more, with a cluster file that is changed so
again()
{
	sed "$1" /lab/cluster.yaml > /tmp/changed.yaml &&
		cmp -s /lab/cluster.yaml /tmp/changed.yaml && return 1
	cp /tmp/changed.yaml /lab/cluster.yaml
	switch_up "$SUO_SWITCH_OPTIONS"
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

# Priority 0 alone, for as long as there is, and until XON; 60 bytes without the FCS. The
# receiver's port has no reason to ask for a pause.
ok "suo-switch ends" ends pauses \
	"some macc.opcode == 0x0101 && macc.cbfc.pause_time.c0 == 65535" \
	"some macc.opcode == 0x0101 && macc.cbfc.pause_time.c0 == 0" \
	"none macc.opcode && macc.cbfc.enbv != 1" \
	"none macc.opcode && eth.dst != 01:80:c2:00:00:01" \
	"none macc.opcode && frame.len != 60" \
	"none infiniband.bth.opcode == 129"
ok "headroom for a packet only" again 's/xon_bytes: 20KB/&, headroom_bytes: 4158/'
ok "two to one" traffic
tap_line "# $SENT packets for $((2 * PACKETS))"
ok "packets are lost, and sent again" test $SENT -gt $((2 * PACKETS))

ok "suo-switch ends" ends lost "some macc.opcode == 0x0101"
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
# Annex A17.9.3; and of DSCP 48, which is not capable of ECN
ok "suo-switch ends" ends marks \
	"some infiniband.bth.opcode == 129" \
	"all infiniband.bth.psn == 0 if infiniband.bth.opcode == 129" \
	"all ip.dsfield == 0xc0 if infiniband.bth.opcode == 129" \
	"all udp.length == 40 if infiniband.bth.opcode == 129" \
	"all ip.dsfield.ecn == 2 if infiniband.bth.opcode >= 6 && infiniband.bth.opcode <= 11" \
	"none macc.opcode"
echo "some ip.dsfield.ecn == 3" >> "$RESULTS/marks-leaf1.judge"
ok "suo-switch is started again" /lab/switch-up.sh $ENV
lab_down
tap_done
