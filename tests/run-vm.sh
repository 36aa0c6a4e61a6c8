#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run one test in a lab VM and print its TAP.
#
# A test says what it needs in a line "# lab: KEY=VALUE ...":
#   kernel=debian|debug	Debian's kernel, or the test kernel (debian)
#   cluster=FILE	a cluster file, or its "suo cluster env" form (*.env)
#   clock=icount|real	see qemu/vm.sh (icount)
#   mem=MB timeout=SECONDS smp=N
#   starved=1		it makes memory run out
# and what else is to be in the guest, in lines of their own:
#   # files: PATH ...	in /lab
#   # programs: NAME ...	Debian's; or libraries, ucx/libuct_ib.so.0 say, by
#			their path below /usr/lib/ARCHITECTURE
#   # modules: NAME ...	of the kernel, to be loaded by modprobe
# A line "# leaky: FUNCTION ..." excuses what kmemleak says of functions of the kernel.
# A line "# theirs: LOCK" excuses what lockdep says of a lock of other people's.
#
# SUO_TEST_KERNEL=debug|debian in the environment: whatever the test says.
#
# SUO_TEST_SUITE in the environment: whatever the test says, on the kernel of that
# Debian suite.
#
# Usage: run-vm.sh TEST.sh OUT-DIR [FILE...]	FILEs go to /lab in the guest

. "$(dirname "$0")/../qemu/lib.sh"
build=${SUO_BUILD:-$SUO_TOP/build}
qemu=$SUO_TOP/qemu

[ $# -ge 2 ] || { echo "Usage: run-vm.sh TEST.sh OUT-DIR [FILE...]" >&2; exit 2; }
test=$1 out=$2
shift 2

kernel=debian cluster=tests/data/two-by-two.env clock=icount mem=512
timeout=600 smp=1 starved=0 also=()
read -ra words < <(sed -n 's/^# lab: //p' "$test") || true
for word in "${words[@]}"; do
	case $word in
	kernel=debian | kernel=debug | cluster=* | clock=* | mem=* | \
	timeout=* | smp=* | starved=*)
		declare "$word" ;;
	*)	die "$test: what is '$word'?" ;;
	esac
done
[ -z "${SUO_TEST_SUITE:-}" ] || kernel=debian
# Tests that take the cluster as an argument
cluster=${SUO_TEST_CLUSTER:-$cluster}
# The debug kernel takes several times as long over a test that is written for another.
slower=2
[ "$kernel" = "${SUO_TEST_KERNEL:-$kernel}" ] || slower=6
kernel=${SUO_TEST_KERNEL:-$kernel}

# A test that takes longer than a step of "make check" may is stuck.
if [ $kernel = debug ]; then
	kdir=$("$qemu/test-kernel.sh")
	kmod=$build/kmod-$(< "$kdir/release")
	"$qemu/build-kmod.sh" "$kdir/build" "$kmod" >&2
	args=(-t $((timeout * slower)) -m $((mem + 512)))
else
	kdir=$("$qemu/kernel.sh" ${SUO_TEST_SUITE:+-s "$SUO_TEST_SUITE"})
	release=$(< "$kdir/release")
	kmod=$build/kmod-$release
	[ ! -d "$kdir/root" ] || "$qemu/build-kmod.sh" -r "$kdir/root" \
		"/usr/src/linux-headers-$release" "$kmod" >&2
	args=(-t "$timeout" -m "$mem")
fi
[ -e "$kmod/suo.ko" ] || die "$kmod/suo.ko is missing; build it first"
theirs=$(sed -n 's/^# theirs: //p' "$test")
[ -z "$theirs" ] || args+=(-x "$theirs")
leaky=$(sed -n 's/^# leaky: //p' "$test")
[ -z "$leaky" ] || args+=(-k "$leaky")
[ "$starved" = 0 ] || args+=(-s)
[ "$smp" = 1 ] || args+=(-q -smp -q "$smp")

rm -rf "$out"
mkdir -p "$out"
case $cluster in
*.env)	cp "$SUO_TOP/$cluster" "$out/cluster.env" ;;
*)	(cd "$SUO_TOP" && "$build/bin/suo" cluster env "$cluster") \
		> "$out/cluster.env"
	# suo-switch reads the file itself.
	cp "$SUO_TOP/$cluster" "$out/cluster.yaml"
	set -- "$@" "$out/cluster.yaml" ;;
esac
read -ra files < <(sed -n 's/^# files: //p' "$test" | tr '\n' ' ') || true
for file in "${files[@]}"; do
	# A kernel module is that of the kernel which runs the test.
	case $file in
	*.ko)	set -- "$@" "$kmod/$file" ;;
	*)	set -- "$@" "$SUO_TOP/$file"
		also+=(-L "$SUO_TOP/$file") ;;
	esac
done
read -ra programs < <(sed -n 's/^# programs: //p' "$test" | tr '\n' ' ') || true
for program in "${programs[@]}"; do
	also+=(-P "$program")
done
read -ra modules < <(sed -n 's/^# modules: //p' "$test" | tr '\n' ' ') || true
for module in "${modules[@]}"; do
	also+=(-M "$module")
done
"$qemu/initramfs.sh" "${also[@]}" -m "$kmod/suo.ko" "$kdir" "$out/base.cpio"
make_overlay "$out/overlay.cpio" "$test" "$SUO_TOP/tests/vm/tap.inc" \
	"$out/cluster.env" "$@"
status=0
"$qemu/vm.sh" "${args[@]}" -c "$clock" -l "$out/overlay.cpio" \
	"$kdir" "$out/base.cpio" "$out" || status=$?
rm -f "$out"/{base,overlay}.cpio
# What a guest that came to no end had said is on its console.
[ -e "$out/tap" ] || tr -d '\r' < "$out/console.log" |
	grep -aE '^(ok|not ok|#|1\.\.)' > "$out/tap" || true
cat "$out/tap"
exit $status
