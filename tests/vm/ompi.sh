#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-four-real.env mem=2048 timeout=6000
# files: build/tests/vm/openmpi.tar build/tests/vm/ompi_check tests/vm/ompi.inc
#
# Open MPI 4.1 over the provider, 8 ranks on two hosts of four accelerators each:
# messages, collectives and windows by mtl/ofi, windows by btl/ofi. Whoever waits
# polls, so time is not stretched here.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
# shellcheck source=tests/vm/ompi.inc
. /lab/ompi.inc
ok "Open MPI is there" ompi_prepare

MTL="--mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include suo --mca btl self"
BTL="--mca pml cm --mca mtl ofi --mca btl ofi,self --mca osc rdma
	--mca btl_ofi_provider_include suo --mca mtl_ofi_provider_include suo"

sent=$(counter 0 sent_pkts) su=$(counter 0 su_tx_bytes)
# shellcheck disable=SC2086
{
	mpi "mtl/ofi" 8 $MTL /tmp/rank /lab/ompi_check messages collectives
	ok "it was the wire" test $(($(counter 0 sent_pkts) - sent)) -gt 1000
	ok "and the domain" test $(($(counter 0 su_tx_bytes) - su)) -gt 1000000
	# No queue pair gives up, however long one waits for the processor.
	failed=0
	for i in $(seq 0 7); do
		failed=$((failed + $(counter "$i" retry_exceeded_err)))
	done
	is "no read was given up" $failed 0
	mpi "mtl/ofi" 8 $MTL --mca osc pt2pt /tmp/rank /lab/ompi_check windows
	atomics=$(counter 0 rx_atomic_requests)
	mpi "btl/ofi" 8 $BTL /tmp/rank /lab/ompi_check windows
	ok "the device did atomic operations" \
		test $(($(counter 0 rx_atomic_requests) - atomics)) -gt 100
	# Without windows: compare_and_swap of Open MPI 4.1.4 crashes, whatever it
	# runs on, if all ranks are on one host.
	mpi "2 ranks of a domain" 2 $BTL /tmp/rank /lab/ompi_check messages collectives
}

lab_down
tap_done
