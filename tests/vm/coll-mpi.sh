#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-four.env mem=2048 timeout=3000
# files: build/tests/vm/openmpi.tar build/lib/suo-perf-mpi.so tests/vm/ompi.inc
#
# suo-perf, started by mpirun on two hosts.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
# shellcheck source=tests/vm/ompi.inc
. /lab/ompi.inc
lab_up
ok "Open MPI is there" ompi_prepare
TCP="--mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include v0"

# shellcheck disable=SC2086
{
	ok "8 ranks by mpirun" mpirun_on 8 $TCP -x SUO_PERF_MPI=/lab/suo-perf-mpi.so \
		/tmp/rank suo-perf allreduce,alltoall --domain-size 4 -b 4K -e 64K -f 16 -n 1
	cp /tmp/ok.log /tmp/perf.log
	is "one table each, and no element is wrong" \
		"$(grep -c '^# Out of bounds values : 0 OK' /tmp/perf.log)" 1
	mpirun_on 2 $TCP -x SUO_PERF_MPI=/nonexistent.so /tmp/rank suo-perf allreduce \
		> /tmp/none.log 2>&1
	ok "without its part for MPI it says so" \
		grep -q 'nonexistent.so cannot be loaded' /tmp/none.log
	mpirun_on 2 $TCP -x SUO_PERF_MPI=/lab/suo-perf-mpi.so /tmp/rank suo-perf allreduce \
		--domain-size 3 > /tmp/three.log 2>&1
	ok "what cannot be is refused" grep -q 'cannot be cut into domains of 3' /tmp/three.log
}

lab_down
tap_done
