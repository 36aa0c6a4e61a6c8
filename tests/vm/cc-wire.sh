#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=400
# files: tests/vm/wire.inc build/tests/vm/pause_frame
#
# rdma_rxe, which knows no notifications, as the peer of a device that sends them: it
# survives them. What is on the wire is for judge_wire.py to judge.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/wire.inc
. /lab/wire.inc
modprobe sch_netem 2> /dev/null
ok "rdma_rxe and suo on one wire" wire_up
[ -d /sys/kernel/config/suo ] || mount -t configfs none /sys/kernel/config
CONFIG=/sys/kernel/config/suo
mkdir $CONFIG/nics/suo0 $CONFIG/nics/suo1
for dev in suo0 suo1; do
	put $CONFIG/nics/$dev/rate_mbps 10000
	put $CONFIG/nics/$dev/cc dcqcn
done

# The core gives up on a neighbour after a second, which the first question may take:
# they meet before packets are lost.
knows()
{
	for _i in 1 2 3; do
		pingpong rc suo0 "$@" -n 10 && return
	done
	return 1
}

PAIR_TIMEOUT=120
for ip in 4 6; do
	sg=$(gid suo0 0 $ip)
	for peer in rxe0 suo1; do
		ok "$peer knows suo0, IPv$ip" knows $peer "$sg" "$(gid $peer 0 $ip)"
	done
done

# What can be marked is, towards suo0.
ok "marks" ip netns exec wire tc qdisc replace dev w1 root netem limit 100000 loss 20% ecn

grew()
{
	[ "$(hw_counter "$1" "$2")" -gt "$3" ]
}

for ip in 4 6; do
	sg=$(gid suo0 0 $ip) rg=$(gid rxe0 0 $ip) tg=$(gid suo1 0 $ip)
	was=$(hw_counter suo0 np_cnp_sent)
	capture_start "cc-rxe$ip" suo0
	# 106: DSCP 26, ECT(0)
	ok "rxe0 to suo0, IPv$ip" both suo0 rxe0 18515 \
		ib_write_bw -F -n 20 -s 65536 --tclass=106 -d suo0 -x "$sg" -- \
		ib_write_bw -F -n 20 -s 65536 --tclass=106 -d rxe0 -x "$rg" "$(address suo0)"
	capture_stop
	ok "rxe0 was notified, IPv$ip" grew suo0 np_cnp_sent "$was"
	judge "some infiniband.bth.opcode == 129"
	judge "all infiniband.bth.psn == 0 && infiniband.bth.a == 0 && infiniband.bth.m == 0 if infiniband.bth.opcode == 129"
	if [ $ip = 4 ]; then
		judge "all ip.dsfield == 0xc0 && ip.src == $(address suo0) if infiniband.bth.opcode == 129"
	else
		judge "all ipv6.tclass == 0xc0 && ipv6.src == $(address suo0 0 6) if infiniband.bth.opcode == 129"
	fi
	capture_start "cc-suo$ip" suo0
	was=$(hw_counter suo1 rp_cnp_handled)
	ok "suo1 to suo0, IPv$ip" both suo0 suo1 18515 \
		ib_write_bw -F -n 20 -s 65536 -d suo0 -x "$sg" -- \
		ib_write_bw -F -n 20 -s 65536 -d suo1 -x "$tg" "$(address suo0)"
	capture_stop
	ok "suo1 has obeyed, IPv$ip" grew suo1 rp_cnp_handled "$was"
	judge "some infiniband.bth.opcode == 129"
	if [ $ip = 4 ]; then
		judge "some ip.dsfield.ecn == 3 && infiniband.bth.opcode == 7"
		judge "all ip.dsfield.ecn >= 2 if infiniband.bth.opcode >= 6 && infiniband.bth.opcode <= 11"
		judge "all ip.dsfield.ecn == 0 if infiniband.bth.opcode == 17"
	fi
done
ip netns exec wire tc qdisc del dev w1 root
is "no ICRC was wrong" "$(hw_counter suo1 rx_icrc_encapsulated)" 0
rmdir $CONFIG/nics/suo0 $CONFIG/nics/suo1
wire_down
tap_done
