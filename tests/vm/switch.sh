#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/leaf-spine.yaml timeout=600
# files: build/tests/vm/verbs_traffic tests/vm/switch.inc
#
# The lab with suo-switch: two hosts, each at a leaf of its own, over two spines. suo0 and
# suo1 are NICs of host 0, suo2 and suo3 of host 1. Leaves switch.txt, which has to be the
# same each time.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/switch.inc
. /lab/switch.inc
lab_up

# time_of PATTERN BYTES: sets NS, modelled time of the third round
NS=0
time_of()
{
	on h0 /lab/verbs_traffic -d 3 -n 3 "$1" "$2" > /tmp/traffic.txt 2>&1 || {
		cat /tmp/traffic.txt
		return 1
	}
	cat /tmp/traffic.txt >> "$RESULTS/switch.txt"
	NS=$(awk '{ print int($3) }' /tmp/traffic.txt)
}

# about DESCRIPTION WANT PATTERN BYTES: within a hundredth
about()
{
	ok "$1: traffic" time_of "$3" "$4"
	tap_line "# $1: $NS ns, expected $2"
	ok "$1" test $((NS * 100)) -ge $(($2 * 99)) -a $((NS * 100)) -le $(($2 * 101))
}

for end in 0 2; do
	ok "ibv_rc_pingpong over leaf and spine, data checked, server suo$end" \
		pair $end $((2 - end)) 18515 ibv_rc_pingpong -e -d @DEV@ -g @GID@ -c -s 65537 -n 5
	ok "ib_write_bw, server suo$end" \
		pair $end $((2 - end)) 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 65536 -n 20
done
ok "ibv_rc_pingpong over IPv6" \
	pair 1 3 18515 ibv_rc_pingpong -e -d @DEV@ -g @GID6@ -c -s 65537 -n 5

# Both NICs 1500 ns, three switches of 500, two cables of 25, two of 150. A frame of 4158
# bytes and its gap takes 83.56 ns at 400 Gb/s, once at the NIC and once at each of the
# three switches, which send it on when all of it is there. 64 bytes: 144 with their gap,
# 2.9 ns.
about "a message of 64 bytes" $((1500 + 1500 + 350 + 12)) first 64
about "a message of 1 MiB: 256 packets, and the last one three times more" \
	$((1500 + 1500 + 350 + 259 * 8356 / 100)) first 1048576
# Two NICs of host 0 send to suo2: its port carries twice as much.
about "two to one" $((1500 + 1500 + 350 + 515 * 8356 / 100)) two 1048576

for rank in 0 1 2 3; do
	is "suo$rank has dropped nothing" "$(counter $rank rx_drops)" 0
done

for host in h0 h1; do
	ip netns exec $host cat /proc/net/dev >> "$RESULTS/switch.txt"
done

# Whatever becomes of the process, the devices live on.
ok "suo-switch is killed" kill -9 "$(cat $SWITCH_PID)"
ok "links go down" switch_ports DOWN
ok "it is started again" /lab/switch-up.sh $ENV
ok "links come up" switch_ports ACTIVE
ok "ibv_rc_pingpong as before" \
	pair 0 2 18515 ibv_rc_pingpong -e -d @DEV@ -g @GID@ -c -s 65537 -n 5
lab_down
is "suo-switch had nothing to complain of" "$(grep -v '^suo-switch:' $SWITCH_LOG)" ""
tap_done
