#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=900
# files: build/tests/vm/verbs_data build/tests/vm/verbs_mixed
#
# Devices that put packets in order (nics/DEV/reorder_pkts), on a wire where some overtake
# others: nothing is asked for again, nothing is sent twice. Where packets are lost as
# well, that is found out, and data is right.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe sch_netem 2> /dev/null
PAIR_TIMEOUT=20000 MERGE_TIMEOUT=20000
NICS=/sys/kernel/config/suo/nics
# Longer than netem and a slow kernel keep what is overtaken: a second
WAIT_PS=$((1000000000000 / SUO_TIME_SCALE))

netem()
{
	for port in h0v0 h1v0; do
		# shellcheck disable=SC2086
		ip netns exec fabric tc qdisc replace dev $port root netem $1 ||
			return 1
	done
}

# order PACKETS: of both ends
order()
{
	echo "$1" > $NICS/suo0/reorder_pkts && echo "$1" > $NICS/suo2/reorder_pkts
}

# both COUNTER: of both ends
both()
{
	echo $(($(counter 0 "$1") + $(counter 2 "$1")))
}

# What a device that is asked for something again counts, and one that asks
AGAIN="out_of_sequence duplicate_request packet_seq_err implied_nak_seq_err local_ack_timeout_err"
again()
{
	_sum=0
	for _name in $AGAIN; do
		_sum=$((_sum + $(both "$_name")))
	done
	echo $_sum
}

again_says()
{
	for _name in $AGAIN; do
		tap_line "# $_name $(counter 0 "$_name") $(counter 2 "$_name")"
	done
}

refused()
{
	! echo "$1" > $NICS/suo0/"$2"
}

for value in -1 1025 x '' 4294967296; do
	ok "reorder_pkts '$value' is refused" refused "$value" reorder_pkts
done
for value in -1 1000000000001 x 18446744073709551616; do
	ok "reorder_ps '$value' is refused" refused "$value" reorder_ps
done
is "reorder_pkts is 0" "$(cat $NICS/suo0/reorder_pkts)" 0
is "reorder_ps is 50 us" "$(cat $NICS/suo0/reorder_ps)" 50000000
for dev in suo0 suo2; do
	ok "$dev: reorder_ps" eval "echo $WAIT_PS > $NICS/$dev/reorder_ps"
done
ok "the hosts find each other" \
	pair 2 0 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -n 10

# traffic NAME SEED
traffic()
{
	merge "$1" /lab/verbs_data -r suo0 suo2
	merge "$1, mixed" /lab/verbs_mixed suo0 suo2 300 "$2"
	for tool in "ib_send_bw -e" ib_write_bw "ib_read_bw -e" \
		    "ib_atomic_bw -A FETCH_AND_ADD"; do
		# shellcheck disable=SC2086
		ok "$1: $tool" pair 2 0 18515 $tool -F -d @DEV@ -x @GID@ -n 100
	done
}

# A queue as long as the reads of a connection that goes back again and again could make it
# takes all memory.
REORDER="limit 5000 delay 2ms reorder 25% gap 5"
ok "a wire where one in five or more overtakes" netem "$REORDER"
was=$(again)
ok "without: some traffic" \
	pair 2 0 18515 ib_write_bw -F -d @DEV@ -x @GID@ -n 100
ok "it is asked for again" [ "$(again)" -gt "$was" ]
is "and nothing waits" "$(both rx_reordered_pkts)" 0

ok "both put up to 128 in order" order 128
was=$(again)
traffic "in order" 1
[ "$(again)" = "$was" ] || again_says
is "nothing is asked for again" "$(again)" "$was"
ok "packets have waited: $(both rx_reordered_pkts)" [ "$(both rx_reordered_pkts)" -gt 1000 ]

ok "both put up to 2 in order" order 2
traffic "two in order" 2
ok "that is not enough" [ "$(again)" -gt "$was" ]

ok "both put up to 128 in order again" order 128
ok "a wire that loses, too" netem "$REORDER loss 1%"
was=$(both out_of_sequence)
traffic "loss" 3
ok "losses are found out" [ "$(both out_of_sequence)" -gt "$was" ]

ok "a wire that repeats and damages as well" netem "$REORDER loss 0.5% duplicate 1% corrupt 0.5%"
merge "everything" /lab/verbs_mixed suo0 suo2 300 4

# Some time after the first packets have been sent
ok "a wire where one in five or more overtakes, once more" netem "$REORDER"
(
	while ! [ -e /tmp/changed ]; do
		order 0
		order 128
	done
) &
changer=$!
merge "changed all the time" /lab/verbs_mixed suo0 suo2 300 5
touch /tmp/changed
wait $changer

# Those that have packets that wait are ended.
ok "devices in order, once more" order 128
for round in 1 2 3 4 5; do
	pair 2 0 18515 ib_write_bw -F -d @DEV@ -x @GID@ -D 3 > /tmp/pair 2>&1 &
	pid=$!
	sleep 0.$round
	killall -9 ib_write_bw 2> /dev/null
	wait $pid
done
ok "after processes were killed: traffic" \
	pair 2 0 18515 ib_write_bw -F -d @DEV@ -x @GID@ -n 100
lab_down
tap_done
