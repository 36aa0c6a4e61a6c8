#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/ecmp.yaml mem=1024 timeout=1500
# files: build/bin/suo tests/vm/coll.inc tests/vm/switch.inc
#
# A hierarchical AllReduce of eight ranks over four leaves and two spines, of 1 MiB: with
# ECMP, two flows of a leaf may have the same way up, and all others wait for them. Beside
# it, what the model says: suo simulate. Which flows meet is another matter in each, so it
# is means over seeds that are compared. Leaves ecmp.txt.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/switch.inc
. /lab/switch.inc
# shellcheck source=tests/vm/coll.inc
. /lab/coll.inc
lab_up
PERF_TIMEOUT=100000
SEEDS="1 2 3 4 5 6 7 8"

# again SEED: suo-switch once more
again()
{
	switch_down && switch_up --seed "$1"
}

# measure SEED: sets LAB and MODEL, nanoseconds
measure()
{
	LAB=0 MODEL=0
	ok "seed $1: the switches" again "$1"
	ok "seed $1: an AllReduce" right 0 8 2 allreduce -b 1M -e 1M -n 2 -w 1 \
		--algorithm hierarchical --csv /tmp/perf.csv
	LAB=$(awk -F , 'NR == 2 { print int($4 * 1000) }' /tmp/perf.csv)
	MODEL=$(/lab/suo simulate collective -c /lab/cluster.yaml -a hierarchical -b 1MiB \
		--seed "$1" 2> /dev/null | awk '/^all data/ { print int($3 * 1000) }')
	echo "seed $1 lab $LAB model $MODEL" >> "$RESULTS/ecmp.txt"
}

LABS=0 MODELS=0
for seed in $SEEDS; do
	measure "$seed"
	LABS=$((LABS + LAB)) MODELS=$((MODELS + MODEL))
done
# Without a collision it takes 96 us (suo simulate, of spraying).
ok "collisions are seen: $((LABS / 8)) ns on average" test $((LABS / 8)) -gt 100000
ok "and the model has $((MODELS / 8)), within 15 %" test \
	$((LABS * 100)) -ge $((MODELS * 85)) -a $((LABS * 100)) -le $((MODELS * 115))
lab_down
tap_done
