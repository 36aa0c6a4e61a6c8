#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env timeout=500
# files: build/tests/vm/verbs_data build/tests/vm/verbs_mixed
#
# The wire between hosts loses, reorders, repeats and corrupts packets: transfers
# end, data is right, and the counters tell what happened.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe sch_netem 2> /dev/null

grew()
{
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

# On both netdevs of the pair, seen from the bridge.
netem()
{
	for port in h0v0 h1v0; do
		# shellcheck disable=SC2086
		ip netns exec fabric tc qdisc replace dev $port root netem $1 ||
			return 1
	done
}

# A lost acknowledgment costs a timeout of 67 ms, here times the scale: a minute of
# guest time, none of ours. ibv_rc_pingpong is no judge here: one side is gone when
# the other finds that the last acknowledgment was lost.
PAIR_TIMEOUT=20000 MERGE_TIMEOUT=20000

# The core gives up on a neighbour after a second, so one lost question or answer
# of ARP fails a queue pair. Neighbours do not age in the lab.
ok "the hosts find each other before anything is lost" \
	pair 2 0 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -n 10
for fault in "loss 1%" "delay 2ms reorder 25% gap 5" "duplicate 1%" "corrupt 1%"; do
	ok "netem $fault" netem "limit 100000 $fault"
	seq=$(counter 2 out_of_sequence)
	crc=$(($(counter 2 rx_icrc_encapsulated) + $(counter 2 rx_drops)))
	dup=$(($(counter 0 duplicate_request) + $(counter 2 duplicate_request)))
	merge "$fault" /lab/verbs_data -r suo0 suo2
	merge "$fault, mixed" /lab/verbs_mixed suo0 suo2 200
	for tool in "ib_send_bw -e" ib_write_bw "ib_read_bw -e" \
		    "ib_atomic_bw -A FETCH_AND_ADD"; do
		# shellcheck disable=SC2086
		ok "$fault: $tool" pair 2 0 18515 \
			$tool -F -d @DEV@ -x @GID@ -n 50
	done
	case $fault in
	loss* | delay*)
		ok "$fault: out_of_sequence grew" grew 2 out_of_sequence "$seq"
		;;
	dup*)
		new=$(($(counter 0 duplicate_request) +
		       $(counter 2 duplicate_request)))
		ok "$fault: duplicate_request grew" [ $new -gt $dup ]
		;;
	corrupt*)
		new=$(($(counter 2 rx_icrc_encapsulated) + $(counter 2 rx_drops)))
		ok "$fault: rx_icrc_encapsulated or rx_drops grew" [ $new -gt $crc ]
		;;
	esac
done
lab_down
tap_done
