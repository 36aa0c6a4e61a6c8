#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-four.env mem=2048 timeout=14000
# files: tests/vm/coll.inc
#
# Every collective of suo-perf with 2 to 8 ranks, 1 B to 16 MiB, all data types and
# reductions, all algorithms, every element checked.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/coll.inc
. /lab/coll.inc
lab_up

for where in "0 2 2" "3 2 1" "0 3 3" "2 4 2" "4 4 4" "1 5 1" "1 6 3" "1 7 1" "0 8 4"; do
	# shellcheck disable=SC2086
	set -- $where
	name="$2 ranks from suo$1 on, $3 a domain"
	# shellcheck disable=SC2086
	{
		ok "all types and reductions, 1 B to 80 kB, $name" \
			right $where all -b 1 -e 80000 -f 43 -d all -o all -n 0 -w 0
		ok "all algorithms, 1 B to 1 MB, $name" \
			right $where all -b 1 -e 1M -f 101 -d float,bfloat16,int8 -n 0 -w 0 \
			--algorithm all
		ok "1 to 16 MiB, $name" \
			right $where all -b 1M -e 16M -f 16 -d int8,half,double -o sum,max -n 0 -w 0
		ok "every root, $name" \
			right $where broadcast,reduce,gather,scatter -b 100000 -e 100000 -r -1 \
			-n 0 -w 0 --algorithm all
	}
done

lab_down
tap_done
