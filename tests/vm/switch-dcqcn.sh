#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/dcqcn.yaml timeout=900
# files: build/tests/vm/verbs_incast tests/vm/switch.inc
#
# 2, 4 and 8 NICs that send to one, at 40 Gb/s, over suo-switch: with marks and DCQCN,
# with and without PFC behind them; and with pauses alone. Leaves dcqcn.txt.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/switch.inc
. /lab/switch.inc
lab_up
# Modelled microseconds: until flows have found their rates, and then
SKIP=30000
MEASURE=50000
SERIES=/tmp/series.csv

# again SED-SCRIPT: suo-switch once more, with the cluster file changed so
cp /lab/cluster.yaml /tmp/first.yaml
again()
{
	sed "$1" /tmp/first.yaml > /lab/cluster.yaml
	switch_down || return
	rm -f $SERIES
	switch_up --series $SERIES:100us
}

# cc NAME: congestion control of all
cc()
{
	for nic in "$CONFIG"/nics/*; do
		put "$nic/cc" "$1"
	done
}

# flows N: that many to suo8; sets SUM (Mb/s) and JAIN (of 10000)
flows()
{
	SUM=0 JAIN=0
	on h0 timeout 600 /lab/verbs_incast 8 "$1" $SKIP $MEASURE > /tmp/incast.txt 2>&1 || {
		cat /tmp/incast.txt
		return 1
	}
	sed "s/^/$1 flows: /" /tmp/incast.txt >> "$RESULTS/dcqcn.txt"
	SUM=$(awk '/^sum/ { print int($2 * 1000) }' /tmp/incast.txt)
	JAIN=$(awk '/^sum/ { print int($4 * 10000) }' /tmp/incast.txt)
}

# The same rows, of the port to suo8 (the receiver's queue) and of those of the senders:
# sets QUEUE (bytes, on average in the last MEASURE of the traffic), MARKED (millionths of
# the packets then), PAUSED (thousandths of the traffic's time, on average of FLOWS
# senders) and DROPS. WRED drops what is not capable of ECN, which here is what the hosts'
# kernels say to each other, and no RoCE: that is not counted. The last row may not be
# complete yet.
series()
{
	QUEUE=0 MARKED=0 PAUSED=0 DROPS=-1
	sleep 1
	# shellcheck disable=SC2046 # four numbers
	set -- $(awk -F , -v flows="$1" -v window=${MEASURE}000000 '
	NR == 1 {
		for (i = 1; i <= NF; i++)
			col[$i] = i
		columns = NF
		next
	}
	NF != columns { next }
	{
		at = $col["time_ps"]
		port = substr($col["port"], 9)
		drops[port, $col["prio"]] = $col["drop_packets"] - $col["wred_drop_packets"] +
			$col["pg_drop_packets"]
		if (port == 8 && $col["tx_gbps"] > 20) {
			n++
			time[n] = at
			queue[n] = $col["queue_bytes"]
			sent[n] = $col["tx_packets"]
			marks[n] = $col["ecn_marked_packets"]
		}
		if (port < flows)
			paused[port] = $col["pfc_tx_duration_ps"] / 1000
	}
	END {
		for (k = n; k > 1 && time[n] - time[k] < window; k--)
			sum += queue[k]
		for (i in paused)
			all += paused[i]
		for (i in drops)
			lost += drops[i]
		printf "%d %d %d %d\n", sum / (n - k),
			1e6 * (marks[n] - marks[k]) / (sent[n] - sent[k]),
			1e6 * all / flows / (time[n] - time[1]), lost
	}' $SERIES)
	QUEUE=$1 MARKED=$2 PAUSED=$3 DROPS=$4
}

# Where N flows come to rest, by the fluid model (Zhu et al., ECN or Delay, CoNEXT 2016):
# p = cbrt(R_AI N^2 / (tau C^2) (1/B + N/(T C))^2) in packets of 4178 bytes and seconds,
# with R_AI = 40 Mb/s, tau = T = 55 us, B = 10 MB, C = 40 Gb/s; and the queue is where
# marks are that many: 20 KB + p (400 KB - 20 KB) / 0.1.
#	N	p		queue
#	2	0.00386		34.7 KB
#	4	0.00969		56.8 KB
#	8	0.02436		112.6 KB
rest_of()
{
	case $1 in
	2) REST_MARKED=3860 REST_QUEUE=34700 ;;
	4) REST_MARKED=9690 REST_QUEUE=56800 ;;
	8) REST_MARKED=24360 REST_QUEUE=112600 ;;
	esac
}

# within DESCRIPTION GOT WANT PERCENT
within()
{
	ok "$1: $2 of $3" test $(($2 * 100)) -ge $(($3 * (100 - $4))) -a \
		$(($2 * 100)) -le $(($3 * (100 + $4)))
}

# fair DESCRIPTION N: how the flows share the port
fair()
{
	ok "$1: $2 flows" flows "$2"
	series "$2"
	ok "$1: $2 flows have nine tenths of 40 Gb/s: $SUM Mb/s" test $SUM -ge 36000
	ok "$1: Jain's index is 0.95 at least: $JAIN" test $JAIN -ge 9500
	is "$1: nothing is dropped" "$DROPS" 0
	is "$1: nothing is missing" "$(counter 8 out_of_sequence)" 0
}

for pfc in on off; do
	what="marks, PFC $pfc"
	edit=
	[ $pfc = on ] || edit='s/^  pfc:.*/  flow_control: none/'
	for n in 2 4 8; do
		ok "$what" again "$edit"
		fair "$what" $n
		rest_of $n
		within "$what: bytes in the queue" "$QUEUE" $REST_QUEUE 25
		within "$what: marked, of a million" "$MARKED" $REST_MARKED 25
	done
done

# The part of its time that a sender has to wait is 1 - C / (N C): what comes in is N
# times what goes out. Its port of the switch holds more than pauses need to begin.
cc none
SKIP=1000
MEASURE=4000
for n in 2 4 8; do
	ok "pauses alone" again 's/^  ecn:.*//; s/^  pfc:.*/  pfc: {xoff_bytes: 80KB, xon_bytes: 40KB}/
		/^  dcqcn:/,/^$/d; s/^lab:/\n&/'
	fair "pauses alone" $n
	within "pauses alone: part of a sender's time, in thousandths" "$PAUSED" \
		$((1000 - 1000 / n)) 5
done
lab_down
tap_done
