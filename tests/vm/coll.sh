#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-four.env mem=1024 timeout=1200
# files: tests/vm/coll.inc
#
# Every collective of suo-perf, every element checked: a thin cut through what
# coll-long.sh does in full.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/coll.inc
. /lab/coll.inc
lab_up

ok "all collectives and algorithms, 8 ranks, 1 B to 100 kB" \
	right 0 8 4 all -b 1 -e 100K -f 317 -d int8,float -n 0 -w 0 --algorithm all
ok "all types and reductions of allreduce, 8 ranks" \
	right 0 8 4 allreduce -b 20000 -e 20000 -d all -o all -n 0 -w 0
# 18 types: 10 of integers with 11 operations, 5 of reals with 8, 3 complex with 6
is "that is each type with each reduction that it has" "$(rows)" $((10 * 11 + 5 * 8 + 3 * 6))
ok "all types of reduce_scatter and alltoall, 4 ranks of one domain" \
	right 0 4 4 reduce_scatter,alltoall -b 20000 -e 20000 -d all -n 0 -w 0
ok "all collectives between 2 hosts, every root" \
	right 3 2 1 all -b 4 -e 40K -f 10000 -r -1 -n 1 -w 0
ok "all collectives, 3 ranks" right 0 3 3 all -b 60 -e 60K -f 1000 -r -1 -n 0 -w 0
ok "all collectives, 5 ranks" right 0 5 1 all -b 60 -e 60K -f 1000 -n 0 -w 0
ok "all collectives, 6 ranks of two domains" \
	right 1 6 3 all -b 60 -e 60K -f 1000 -n 0 -w 0
ok "all collectives, 7 ranks" right 1 7 1 all -b 28 -e 28K -f 1000 -n 0 -w 0
ok "allreduce of 4 MiB, 8 ranks" right 0 8 4 allreduce,all_gather -b 4M -e 4M -n 0 -w 0

# Without a rank number for each: -g, and --hosts.
on h0 timeout 100 suo-perf broadcast -g 4 --device suo0,suo1,suo2,suo3 -b 4K -e 4K -n 1 \
	--json /tmp/g.json > /tmp/g 2>&1
is "-g starts the ranks itself" "$(grep -c '^# Out of bounds values : 0 OK' /tmp/g)" 1
is "JSON has the result" "$(grep -c '"collective": "broadcast"' /tmp/g.json)" 1
on h1 timeout 100 suo-perf all_gather -g 2 --hosts h0,h1 --host-index 1 --device suo4,suo5 \
	--rendezvous unix:/tmp/hosts -b 4K -e 4K -n 1 > /tmp/g1 2>&1 &
pid=$!
on h0 timeout 100 suo-perf all_gather -g 2 --hosts h0,h1 --host-index 0 --device suo0,suo1 \
	--rendezvous unix:/tmp/hosts -b 4K -e 4K -n 1 > /tmp/g0 2>&1
is "--hosts numbers them by host" "$(grep -c '^# Out of bounds values : 0 OK' /tmp/g0)" 1
ok "and the other host agrees" wait $pid

# A rank that is killed: the others end, and with an error.
PERF_KILL=5 PERF_KILL_AFTER=3
ranks 0 8 4 allreduce -b 64K -e 64K -n 1000000 > /tmp/killed 2>&1
PERF_KILL=
is "when a rank is killed, all others say why they end" \
	"$(grep -l 'suo-perf: Error' /tmp/perf.[0-4] /tmp/perf.[67] | wc -l)" 7
ok "the lab goes on" right 0 8 4 allreduce -b 4K -e 4K -n 1

lab_down
tap_done
