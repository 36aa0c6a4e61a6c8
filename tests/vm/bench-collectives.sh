#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=model/cluster/examples/2x4-nvlink4-roce400.yaml mem=2048 timeout=7000
# files: build/tests/vm/openmpi.tar build/tests/vm/bench_mpi build/tests/vm/coll_fi build/lib/suo-perf-mpi.so tests/vm/ompi.inc tests/vm/coll.inc
#
# Collectives on the example cluster, by all algorithms that there are, and Open
# MPI's own AllReduce over the same provider: raw.csv. All in one boot.
#
# Open MPI polls, and each polled nanosecond has to be emulated: so time is not
# stretched as far for it as for suo-perf. What that makes of ours is in tables.txt.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/coll.inc
. /lab/coll.inc
# shellcheck source=tests/vm/ompi.inc
. /lab/ompi.inc
lab_up

# take OP: what suo-perf has measured, as raw.csv has it.
take()
{
	tail -n +2 /tmp/perf.csv |
		awk -F, -v op="$1" '{ print op "," $1 "," $2 "," $3 "," $4 "," $6 }' |
		tee -a "$RESULTS/raw.csv"
	cat /tmp/perf.0 >> "$RESULTS/tables.txt"
}

# Stretched time is the guest's: hours of it.
PERF_TIMEOUT=10000000
# Bytes that take as long to send as they are under way between the hosts
chunk=$((SUO_OUT_RATE_MBPS * (SUO_OUT_LATENCY_PS / 1000) / 8000))
# measure OP FACTOR: from 4 KiB to 4 MiB
measure()
{
	ok "$1" right 0 8 4 "$1" -b 4K -e 4M -f "$2" -n 1 -w 1 -c 0 --algorithm all \
		--chunk $chunk --csv /tmp/perf.csv
	take "$1"
}

measure allreduce 4
for op in reduce_scatter all_gather broadcast reduce alltoall; do
	measure $op 32
done
lab_down

scale=20000
sed -i "s/^SUO_TIME_SCALE=.*/SUO_TIME_SCALE='$scale'/" $ENV
lab_up
ok "allreduce, with less stretched time" right 0 8 4 allreduce -b 4K -e 4M -f 4 -n 1 -w 1 \
	-c 0 --algorithm hierarchical:rhd+rhd,hierarchical:ring+ring
cat /tmp/perf.0 >> "$RESULTS/tables.txt"

# The same by a program that calls fi_allreduce(), with buffers of its own
for r in 1 2 3 4 5 6 7 0; do
	nsenter --net="/run/netns/$(host_of $r)" timeout 600 /lab/coll_fi $r 8 suo$r \
		unix:/tmp/fi.meet $scale > /tmp/fi.$r 2>&1 &
done
ok "fi_allreduce" wait $!
grep '^allreduce,' /tmp/fi.0 | tee -a "$RESULTS/raw.csv"

ok "Open MPI is there" ompi_prepare
ok "Open MPI's allreduce" mpirun_on 8 --mca pml cm --mca mtl ofi \
	--mca mtl_ofi_provider_include suo --mca btl self \
	/tmp/rank /lab/bench_mpi 4096 4194304 4 1 $scale
grep '^allreduce,' /tmp/ok.log | tee -a "$RESULTS/raw.csv"
cat /tmp/ok.log >> "$RESULTS/tables.txt"
is "of each of 6 sizes" "$(grep -c openmpi "$RESULTS/raw.csv")" 6

# By mpirun, too, suo-perf finds its ranks.
ok "suo-perf started by mpirun" mpirun_on 8 --mca pml ob1 --mca btl tcp,self \
	--mca btl_tcp_if_include v0 -x SUO_PERF_MPI=/lab/suo-perf-mpi.so \
	/tmp/rank suo-perf allreduce --domain-size 4 -b 64K -e 64K -n 1
cp /tmp/ok.log /tmp/perf.log
ok "and its results are right" grep -q '^# Out of bounds values : 0 OK' /tmp/perf.log

lab_down
tap_done
