#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A domain across VMs: run tests/shm/TEST.sh in several VMs at a time, which share
# memory and a network for the tests' own messages.
#
# Usage: ivshmem.sh TEST VMS OUT-DIR
# SUO_TEST_KERNEL=debug in the environment: on the test kernel.
# SHM_SEED=N: another seed for what is scribbled (1)

. "$(dirname "$0")/../qemu/lib.sh"
. "$SUO_TOP/tests/tap.sh"
[ $# = 3 ] || { echo "Usage: ivshmem.sh TEST VMS OUT-DIR" >&2; exit 2; }
build=${SUO_BUILD:-$SUO_TOP/build}
qemu=$SUO_TOP/qemu
test=$SUO_TOP/tests/shm/$1.sh vms=$2 out=$3
limit=600 mem=320

if [ "${SUO_TEST_KERNEL:-debian}" = debug ]; then
	kdir=$("$qemu/test-kernel.sh")
	kmod=$build/kmod-$(< "$kdir/release")
	"$qemu/build-kmod.sh" "$kdir/build" "$kmod" >&2
	limit=1200 mem=768
else
	kdir=$("$qemu/kernel.sh")
	kmod=$build/kmod-$(< "$kdir/release")
fi
[ -e "$kmod/suo.ko" ] || die "$kmod/suo.ko is missing; build it first"

rm -rf "$out"
mkdir -p "$out"
read -ra files < <(sed -n 's/^# files: //p' "$test") || true
libs=() extra=()
for file in "${files[@]}"; do
	extra+=("$SUO_TOP/$file")
	libs+=(-L "$SUO_TOP/$file")
done
"$qemu/initramfs.sh" "${libs[@]}" -m "$kmod/suo.ko" "$kdir" "$out/base.cpio"

# Paths of unix sockets have to be short.
socks=$(mktemp -d)
memory=$out/memory
truncate -s 32M "$memory"
chmod 600 "$memory"
pids=()
clean_up()
{
	local pid

	for pid in "${pids[@]}"; do
		kill "$pid" 2> /dev/null || true
	done
	rm -rf "$socks"
	rm -f "$out"/*.cpio "$memory" "$out"/vm?/*.cpio
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkfifo "$socks/serial.in" "$socks/serial.out"
exec 7<> "$socks/serial.out" 6<> "$socks/serial.in"

# start_vm N: VM 0 has a wire to each of the others.
start_vm()
{
	local n=$1 dir=$out/vm$1 i arg args=() qargs=()

	mkdir -p "$dir"
	{
		echo "VM=$n"
		echo "VMS=$vms"
		echo "SEED=${SHM_SEED:-1}"
	} > "$dir/vm.env"
	cp "$SUO_TOP/tests/data/two-by-two.env" "$dir/cluster.env"
	make_overlay "$dir/overlay.cpio" "$test" "$SUO_TOP/tests/vm/tap.inc" \
		"$SUO_TOP/tests/shm/shm.inc" "$dir/vm.env" "$dir/cluster.env" \
		"${extra[@]}"
	for i in $(seq 1 $((vms - 1))); do
		[ "$n" = 0 ] || [ "$n" = "$i" ] || continue
		if [ "$n" = 0 ]; then
			args+=(-netdev "dgram,id=n$i,local.type=unix,local.path=$socks/a$i,remote.type=unix,remote.path=$socks/b$i")
		else
			args+=(-netdev "dgram,id=n$i,local.type=unix,local.path=$socks/b$i,remote.type=unix,remote.path=$socks/a$i")
		fi
		args+=(-device "virtio-net-pci,netdev=n$i,mac=02:53:55:fd:0$n:0$i")
	done
	[ "$n" != 0 ] || args+=(-serial "pipe:$socks/serial")
	args+=(-object "memory-backend-file,size=32M,share=on,mem-path=$memory,id=hm"
		-device "ivshmem-plain,memdev=hm" -pidfile "$dir/pid")
	[ "$n" != 1 ] ||
		args+=(-object "memory-backend-ram,size=1M,id=small"
			-device "ivshmem-plain,memdev=small")
	rm -f "$socks/b$n"
	for arg in "${args[@]}"; do
		qargs+=(-q "$arg")
	done
	"$qemu/vm.sh" -c real -m $mem -t $limit -l "$dir/overlay.cpio" \
		"${qargs[@]}" "$kdir" "$out/base.cpio" "$dir" &
	pids[n]=$!
}

# What VM 0 asks for:
#	kill N			end a VM as a power failure would
#	stop N, go N		its processors stand still, go on
#	start N			a VM that was killed begins anew
#	scribble WHAT SEED S	write garbage into the memory, for S seconds
#	zero			clear the memory
serve_vm0()
{
	local what arg more

	while read -r -u 7 what arg more; do
		say "VM 0 asks: $what $arg $more"
		case $what in
		kill)	kill -9 "$(< "$out/vm$arg/pid")"
			# It has left no results, and is not to.
			mkdir -p "$out/killed"
			mv "$out/vm$arg" "$out/killed/vm$arg.$SECONDS" ;;
		stop)	kill -STOP "$(< "$out/vm$arg/pid")" ;;
		go)	kill -CONT "$(< "$out/vm$arg/pid")" ;;
		start)	start_vm "$arg"
			echo "${pids[arg]}" > "$out/started" ;;
		scribble)
			read -r seed seconds <<< "$more"
			/usr/bin/python3 -B "$SUO_TOP/tests/shm/scribble.py" --what "$arg" \
				--seed "$seed" --seconds "$seconds" "$memory" \
				> "$out/scribble.$arg" & ;;
		zero)	dd if=/dev/zero of="$memory" bs=1M count=32 conv=notrunc \
				status=none ;;
		*)	say "what is '$what'?" ;;
		esac
		echo "done" >&6
	done
}

for n in $(seq 0 $((vms - 1))); do
	start_vm "$n"
done
serve_vm0 &
server=$!
for n in $(seq 0 $((vms - 1))); do
	status=0
	wait "${pids[n]}" || status=$?
	if [ -e "$out/killed" ] && [ "$n" != 0 ] && [ -s "$out/started" ]; then
		# This one was killed, and another came after it, which is not ours
		# to wait for.
		while kill -0 "$(< "$out/started")" 2> /dev/null; do
			sleep 0.5
		done
		status=1
		[ "$(cat "$out/vm$n/verdict" 2> /dev/null)" != 0 ] ||
			[ -s "$out/vm$n/splats.txt" ] ||
			[ -s "$out/vm$n/kmemleak.txt" ] || status=0
	fi
	[ -e "$out/vm$n/tap" ] || { result 1 "VM $n says how it went"; continue; }
	result_of_guest "$out/vm$n/tap"
	result $status "VM $n ends well"
done
kill $server
pids=()
tap_done
