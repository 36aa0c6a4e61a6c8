#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run test stages and sum up. Each stage prints TAP; what it printed and said is
# kept in build/check/STAGE.{tap,log}. The last line of the output is the
# count: "N passed, N failed" and, if any, ", N skipped".
#
# A VM keeps one processor busy, so stages go on beside each other: CHECK_LANES at
# a time (2, or as many as there are processors). Time in a guest is its own.
#
# Usage: check.sh [STAGE...]		default: all of "make check"

. "$(dirname "$0")/../qemu/lib.sh"
cd "$SUO_TOP"
build=${SUO_BUILD:-build}
dir=$build/check
mkdir -p "$dir"

counts=$dir/counts
: > "$counts"
lanes=${CHECK_LANES:-$(($(nproc) < 2 ? 1 : 2))}
[[ $lanes =~ ^[1-9][0-9]?$ ]] || die "CHECK_LANES is '$lanes', not a number from 1 to 99"

# stage_end NAME STATUS SECONDS: count the TAP of a stage. A plan that is missing
# or does not hold, or a bad exit status that no test accounts for, is a failure.
stage_end()
{
	local name=$1 status=$2 tap=$dir/$1.tap good bad skip plan note=

	good=$(grep -cE '^ok ' "$tap") || true
	bad=$(grep -cE '^not ok ' "$tap") || true
	skip=$(grep -cE '^ok .*# SKIP' "$tap") || true
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$tap" | awk '{ n += $1 } END { print n + 0 }')
	if [ $((good + bad)) = 0 ]; then
		note="no test ran"
	elif [ "$plan" != $((good + bad)) ]; then
		note="$plan tests were planned, $((good + bad)) ran"
	elif [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		note="exit status $status"
	fi
	if [ -n "$note" ]; then
		bad=$((bad + 1))
		echo "not ok - $name: $note" >> "$tap"
	fi
	good=$((good - skip))
	echo "$good $bad $skip" >> "$counts"
	printf '%-20s %4d passed, %d failed, %d skipped (%d s)\n' \
		"$name" "$good" "$bad" "$skip" "$3"
	if [ "$bad" != 0 ]; then
		grep -aE -A 12 '^not ok ' "$tap" | sed 's/^/	/' | head -n 60
		tail -n 80 "$dir/$name.log" | sed 's/^/	/'
	fi
}

# stage NAME COMMAND...
stage()
{
	local name=$1 status=0 start=$SECONDS

	shift
	"$@" > "$dir/$name.tap" 2> "$dir/$name.log" < /dev/null || status=$?
	stage_end "$name" $status $((SECONDS - start))
}

# vm NAME [COMMAND...]: a test in a lab VM; the command judges what it left.
vm()
{
	local name=$1

	shift
	stage "$name" tests/run-vm.sh "tests/vm/$name.sh" "$dir/vm/$name" "$@"
}

stage_unit()
{
	stage unit make -s --no-print-directory -k check-unit
}

stage_valgrind()
{
	stage valgrind make -s --no-print-directory check-valgrind
}

stage_static()
{
	stage static tests/static.sh
}

stage_cluster-file()
{
	stage cluster-file tests/cluster-file.sh
}

stage_capture()
{
	local pcap=$dir/vm/capture

	vm capture
	stage capture-fabric tests/interop/judge_pcap.py --none "$pcap"/fabric?.pcap
	stage capture-wire tests/interop/judge_pcap.py --opcode RC_SEND_FIRST \
		--opcode RC_SEND_MIDDLE --opcode RC_SEND_LAST \
		--opcode RC_SEND_ONLY --opcode RC_RDMA_WRITE_FIRST \
		--opcode RC_RDMA_READ_REQUEST --opcode RC_RDMA_READ_RESPONSE_FIRST \
		--opcode RC_ACKNOWLEDGE --opcode UD_SEND_ONLY "$pcap"/wire?.pcap
}

# wire NAME: a test in a VM, and what it put on the wire
wire()
{
	vm "$1"
	stage "$1-wire" tests/interop/judge_wire.py "$dir/vm/$1"
}

stage_mcast()
{
	wire mcast
}

stage_fields()
{
	wire fields
}

stage_mtu()
{
	wire mtu
}

stage_cc()
{
	wire cc
}

stage_switch-pfc()
{
	wire switch-pfc
}

stage_cc-wire()
{
	wire cc-wire
}

stage_vlan()
{
	wire vlan
}

# shm NAME VMS: a test in several VMs that share memory
shm()
{
	stage "shm-$1${SUO_TEST_KERNEL:+-$SUO_TEST_KERNEL}" tests/ivshmem.sh "$1" "$2" \
		"$dir/shm-$1${SUO_TEST_KERNEL:+-$SUO_TEST_KERNEL}"
}

stage_shm()
{
	shm two 2
}

stage_shm-long()
{
	shm death 2
	shm three 3
	SUO_TEST_KERNEL=debug shm two 2
	SUO_TEST_KERNEL=debug shm death 2
}

stage_bandwidth()
{
	stage bandwidth tests/bandwidth.sh "$dir/bandwidth"
}

# Each link profile beside its closed form
stage_bench-domain()
{
	stage bench-domain tests/bench-domain.sh "$dir/bench-domain"
}

# What a domain of many members did is the same each time.
stage_many()
{
	vm many
	stage many-again tests/twice.sh tests/vm/many.sh "$dir/vm/many" many.txt
}

# So does a network of switches.
stage_switch()
{
	vm switch
	stage switch-again tests/twice.sh tests/vm/switch.sh "$dir/vm/switch" switch.txt
}

stage_demo()
{
	stage demo tests/demo.sh "$dir/demo"
}

# Programs of fabtests v1.17.0, in the folder that FABTESTS names: Debian has no
# package of them.
stage_fabtests()
{
	if [ -z "${FABTESTS:-}" ]; then
		stage fabtests echo "ok 1 - fabtests # SKIP FABTESTS does not name their folder
1..1"
		return
	fi
	stage fabtests tests/run-vm.sh tests/vm/fabtests.sh "$dir/vm/fabtests" \
		"$FABTESTS"/fi_*
}

# The kernels that README names, not only the one of this machine.
stage_kernels()
{
	local suite

	for suite in bookworm trixie sid; do
		stage "kernels-$suite" tests/kernels.sh $suite "$dir/kernels-$suite" \
			tests/vm/smoke.sh
	done
}

# Every other name is a test in a VM; NAME-debug is NAME with the test kernel.
run_stage()
{
	if declare -F "stage_$1" > /dev/null; then
		"stage_$1"
	elif [ -e "tests/vm/$1.sh" ]; then
		vm "$1"
	elif [ -e "tests/vm/${1%-debug}.sh" ]; then
		SUO_TEST_KERNEL=debug stage "$1" tests/run-vm.sh \
			"tests/vm/${1%-debug}.sh" "$dir/vm/$1"
	else
		die "there is no stage '$1'"
	fi
}

# Process groups, of lanes and of the one that builds the test kernel
declare -A running=()
test_kernel=
clean_up()
{
	local pid

	for pid in "${!running[@]}" $test_kernel; do
		kill -- "-$pid" 2> /dev/null || true
	done
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
set -m

# One stage comes to its end; what it said is shown in one piece.
lane_end()
{
	local pid status=0

	wait -n -p pid "${!running[@]}" || status=$?
	cat "$dir/${running[$pid]}.said"
	if [ $status != 0 ]; then
		echo "${running[$pid]}: not run, exit status $status"
		echo "0 1 0" >> "$counts"
	fi
	unset "running[$pid]"
}

# stages NAME...: no more than there are lanes at a time
stages()
{
	local name

	for name; do
		[ ${#running[@]} -lt "$lanes" ] || lane_end
		say "$name ..."
		run_stage "$name" > "$dir/$name.said" 2>&1 < /dev/null &
		running[$!]=$name
	done
	while [ ${#running[@]} != 0 ]; do
		lane_end
	done
}

# Two VMs that talk to each other in real time want two processors.
alone()
{
	lanes=1 stages "$@"
}

if [ $# = 0 ]; then
	# The VM tests, those that need the test kernel last: it may have to be
	# built first, which goes on beside the others. The longest come first.
	read -ra others <<< "perf smoke bench-verbs bench-su bench-domain bench-collectives ${LONG_STAGES-}"
	longest=(coll fabric coll-fi lifetime debug)
	mapfile -t debug < <(grep -l '^# lab:.*kernel=debug' tests/vm/*.sh |
		xargs -r -n 1 basename -s .sh |
		grep -vxFf <(printf '%s\n' "${others[@]}" "${longest[@]}"))
	mapfile -t plain < <(grep -L '^# lab:.*kernel=debug' tests/vm/*.sh |
		xargs -r -n 1 basename -s .sh |
		grep -vxFf <(printf '%s\n' "${others[@]}" "${longest[@]}"))
	qemu/test-kernel.sh > "$dir/test-kernel.log" 2>&1 < /dev/null &
	test_kernel=$!
	stages coll unit fabric coll-fi bandwidth demo cluster-file "${plain[@]}"
	alone shm
	say "waiting for the test kernel ..."
	if ! wait $test_kernel; then
		cat "$dir/test-kernel.log" >&2
	fi
	test_kernel=
	stages lifetime static debug "${debug[@]}"
else
	few=()
	for s in "$@"; do
		case $s in
		shm*)	alone "$s" ;;
		*)	few+=("$s") ;;
		esac
	done
	stages "${few[@]}"
fi

awk '{ passed += $1; failed += $2; skipped += $3 }
	END {
		printf "%d passed, %d failed", passed, failed
		printf skipped ? ", " skipped " skipped\n" : "\n"
		exit failed != 0
	}' "$counts"
