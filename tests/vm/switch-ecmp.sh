#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/ecmp.yaml mem=1024 timeout=1500
# files: build/bin/suo tests/vm/coll.inc tests/vm/switch.inc
#
# A hierarchical AllReduce of eight ranks over four leaves and two spines, of 1 MiB: with
# ECMP, two flows of a leaf may have the same way up, and all others wait for them. Beside
# it, what the model says: suo simulate. Which flows meet is another matter in each, so it
# is means over seeds that are compared. With packets sprayed none waits, if the devices
# put them in order. Leaves ecmp.txt.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/switch.inc
. /lab/switch.inc
# shellcheck source=tests/vm/coll.inc
. /lab/coll.inc
lab_up
PERF_TIMEOUT=100000

# again SEED: suo-switch once more
again()
{
	switch_down && switch_up --seed "$1"
}

# measure SEED: sets LAB and MODEL, nanoseconds
measure()
{
	LAB=0 MODEL=0
	ok "$BALANCING, seed $1: the switches" again "$1"
	ok "$BALANCING, seed $1: an AllReduce" right 0 8 2 allreduce -b 1M -e 1M -n 2 -w 1 \
		--algorithm hierarchical --csv /tmp/perf.csv
	LAB=$(awk -F , 'NR == 2 { print int($4 * 1000) }' /tmp/perf.csv)
	MODEL=$(/lab/suo simulate collective -c /lab/cluster.yaml -a hierarchical -b 1MiB \
		--seed "$1" 2> /dev/null | awk '/^all data/ { print int($3 * 1000) }')
	echo "$BALANCING seed $1 lab $LAB model $MODEL" >> "$RESULTS/ecmp.txt"
}

# means SEED...: sets LABS and MODELS
means()
{
	LABS=0 MODELS=0
	for _seed in "$@"; do
		measure "$_seed"
		LABS=$((LABS + LAB)) MODELS=$((MODELS + MODEL))
	done
	LABS=$((LABS / $#)) MODELS=$((MODELS / $#))
}

within_15()
{
	test $((LABS * 100)) -ge $((MODELS * 85)) -a $((LABS * 100)) -le $((MODELS * 115))
}

# order PACKETS: of all NICs
order()
{
	for nic in /sys/kernel/config/suo/nics/*; do
		echo "$1" > "$nic/reorder_pkts" || return
	done
}

BALANCING=ecmp
means 1 2 3 4 5 6 7 8
ECMP=$LABS
ok "ecmp: the model has $MODELS ns, the lab $LABS, within 15 %" within_15

# Packets that have been taken for lost
looked_lost()
{
	awk '{ n += $1 } END { print n }' \
		/sys/class/infiniband/suo*/ports/1/hw_counters/out_of_sequence
}

# all_to_all: sets TOOK, nanoseconds, and LOOKED: packets taken for lost meanwhile
all_to_all()
{
	_was=$(looked_lost)
	ok "all-to-all, $(cat /sys/kernel/config/suo/nics/suo0/reorder_pkts) in order" \
		right 0 8 2 alltoall -b 1M -e 1M -n 2 -w 1 --csv /tmp/perf.csv
	TOOK=$(awk -F , 'NR == 2 { print int($4 * 1000) }' /tmp/perf.csv)
	LOOKED=$(($(looked_lost) - _was))
	echo "$BALANCING alltoall lab $TOOK out_of_sequence $LOOKED" >> "$RESULTS/ecmp.txt"
}

BALANCING=spray
sed -i 's/load_balancing: ecmp/load_balancing: spray/' /lab/cluster.yaml
ok "devices put packets in order" order 128
means 1 2 3
ok "spray: the model has $MODELS ns, the lab $LABS, within 15 %" within_15
ok "it is faster than ecmp with its collisions" test $((LABS * 100)) -lt $((ECMP * 90))

# Of flows that do not keep in step some packets overtake others.
all_to_all
ORDERED=$TOOK
is "what is put in order does not look lost" "$LOOKED" 0
ok "devices do not" order 0
all_to_all
ok "what is not does: $LOOKED times" test "$LOOKED" -gt 0
ok "which takes longer: $TOOK ns, not $ORDERED" test "$TOOK" -gt "$ORDERED"
lab_down
tap_done
