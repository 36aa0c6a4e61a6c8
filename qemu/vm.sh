#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run one lab VM to its end.
#
# Usage: vm.sh [OPTIONS] KERNEL-DIR BASE.cpio OUT-DIR
#   -l FILE     second initramfs, laid over the base; it brings /lab/main
#   -c CLOCK    "icount" (default): the guest's clock counts instructions, so
#               times repeat exactly and idle time costs nothing; or "real"
#   -m MB       memory (512)
#   -t SECONDS  how long it may take on this machine (600)
#   -a ARGS     more kernel arguments
#   -q ARG      one more argument for QEMU; may be repeated
#   -x LOCK     what lockdep says of an order that LOCK is in is not ours to mend
#   -s          memory is made to run out: a trace of who says so is no complaint
#   -k NAMES    what kmemleak finds that one of these functions of the kernel has
#               left behind is not ours either
#   -v          show what the guest says, on stderr
#
# OUT-DIR receives console.log (the serial port), dmesg.txt (the kernel log)
# and whatever the guest left in /results. The exit status is that of
# /lab/main; it is 1 if the kernel log has a complaint in it or kmemleak found
# something, 124 after a timeout and 125 when the guest gave no verdict. What a
# guest was at that had to be ended is in console.log too: it gets an NMI.

. "$(dirname "$0")/lib.sh"
need qemu-system-x86_64 tar

usage()
{
	sed -n 's/^# \{0,1\}//; 4,24p' "$0" >&2
	exit 2
}

overlay="" clock=icount mem=512 limit=600 args="" verbose=0 extra=() theirs="" starved=0 leaky=""
while getopts l:c:m:t:a:q:x:sk:v opt; do
	case $opt in
	l) overlay=$OPTARG ;;
	c) clock=$OPTARG ;;
	m) mem=$OPTARG ;;
	t) limit=$OPTARG ;;
	a) args=$OPTARG ;;
	q) extra+=("$OPTARG") ;;
	x) theirs=$OPTARG ;;
	s) starved=1 ;;
	k) leaky=$OPTARG ;;
	v) verbose=1 ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 3 ] || usage
kdir=$1 base=$2 out=$3

mkdir -p "$out"
rm -f "$out"/{console.log,dmesg.txt,kmemleak.txt,kmemleak-all.txt,verdict,splats.txt}

work=$(mktemp -d)
qemu=
tail=
alarm=
clean_up()
{
	[ -z "$tail" ] || kill "$tail" 2> /dev/null || true
	[ -z "$alarm" ] || kill "$alarm" 2> /dev/null || true
	[ -z "$qemu" ] || kill "$qemu" 2> /dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

cp "$base" "$work/initramfs"
[ -z "$overlay" ] || cat "$overlay" >> "$work/initramfs"

# "rep movsb" counts as an instruction a byte, so the flags that make software
# prefer it are off; so is hardware randomness, which does not repeat.
machine=(-M pc -smp 1 -m "$mem" -cpu "max,-rdrand,-rdseed,-erms,-fsrm"
	-nodefaults -display none -no-reboot -seed 1)
case $clock in
icount)
	machine+=(-accel "tcg,thread=single" -icount "shift=1,sleep=off"
		-rtc "base=2025-01-01T00:00:00,clock=vm")
	;;
real)
	machine+=(-accel tcg)
	;;
*)
	usage
	;;
esac

# A guest in which something is stuck for good is to say so and end.
stuck="hung_task_panic=1 softlockup_panic=1 unknown_nmi_panic=1"

: > "$out/console.log"
mkfifo "$work/monitor"
exec 8<> "$work/monitor"
qemu-system-x86_64 "${machine[@]}" \
	-kernel "$kdir/vmlinux" -initrd "$work/initramfs" \
	-append "console=ttyS0 loglevel=5 panic=-1 reboot=t log_buf_len=4M $stuck $args" \
	-monitor stdio \
	-serial "file:$out/console.log" \
	-chardev "file,id=results,path=$work/results.tar" \
	-device virtio-serial-pci,ioeventfd=off \
	-device virtserialport,chardev=results,name=results \
	"${extra[@]}" <&8 > "$work/monitor.log" &
qemu=$!
sleep "$limit" > /dev/null 2>&1 8>&- &
alarm=$!
if [ $verbose = 1 ]; then
	tail -f -n +1 --pid=$qemu "$out/console.log" >&2 &
	tail=$!
fi
status=0
wait -n -p ended $qemu $alarm || status=$?
if [ "$ended" = $alarm ]; then
	alarm=
	printf '%s\n' "info registers" nmi >&8
	sleep 10
	kill $qemu 2> /dev/null || true
	wait $qemu || true
	qemu=
	say "Error: the VM did not end within $limit s; the end of $out/console.log:"
	grep -a '^RIP=' "$work/monitor.log" >> "$out/console.log" || true
	tail -n 60 "$out/console.log" >&2
	exit 124
fi
kill $alarm
wait $alarm 2> /dev/null || true
alarm=
qemu=
if [ $status != 0 ]; then
	say "Error: QEMU ended with exit status $status"
	exit 125
fi

if [ -s "$work/results.tar" ]; then
	tar -x -m --no-same-owner -C "$out" -f "$work/results.tar" ||
		say "the results are cut short"
fi

# A kernel that complains has failed, whatever the test says.
complaints='BUG:|BUG at|WARNING:|Oops|general protection fault|possible circular locking|possible recursive locking|INFO: task .* blocked|INFO: trying to register non-static key|inconsistent lock state|suspicious RCU usage|rcu.*detected.*stall|KASAN|UBSAN|ODEBUG:|kernel panic|Kernel panic|unregister_netdevice: waiting|refcount_t:|list_(add|del) corruption|sleeping function called|Call Trace:'
# These speak of the lack of memory and trace who wanted it; the last one by what the
# kernel leaves: a driver whose directory could not be made gets its link in the root of
# sysfs (drivers/base/module.c), where it still is when the module is loaded again. Nothing
# but the start of that trace is left out, so that whatever comes amid it is seen.
lacks='vmalloc error: size|page allocation failure: order|kmem_cache_create.* failed with error -(12|22)|duplicate filename ./+pci:suo'
judged()
{
	cat "$out/console.log" "$out/dmesg.txt" 2> /dev/null |
	if [ $starved = 1 ]; then
		awk -v lacks="$lacks" '
			$0 ~ lacks { left = 6 }
			left > 0 && /Call Trace:/ { left = 0; next }
			{ left--; print }'
	else
		cat
	fi
}
judged | grep -aE "$complaints" | sort -u > "$out/splats.txt" || true
# lockdep speaks once, so this excuses one report. A trace without a headline of
# its own is the report's.
if [ -n "$theirs" ] && cat "$out/console.log" "$out/dmesg.txt" 2> /dev/null |
		sed -n '/possible circular locking/,/which lock already depends/p' |
		grep -aqw -e "$theirs"; then
	sed -i '/possible circular locking/d; /Call Trace:/d' "$out/splats.txt"
fi

if [ ! -s "$out/verdict" ]; then
	say "Error: the guest gave no verdict; the end of $out/console.log:"
	tail -n 60 "$out/console.log" >&2
	exit 125
fi
status=$(< "$out/verdict")
if [ -s "$out/splats.txt" ]; then
	say "Error: the kernel complained; see $out/dmesg.txt:"
	head -n 10 "$out/splats.txt" >&2
	[ "$status" != 0 ] || status=1
fi
if [ -n "$leaky" ] && [ -s "$out/kmemleak.txt" ]; then
	mv "$out/kmemleak.txt" "$out/kmemleak-all.txt"
	awk -v leaky="$leaky" '
		BEGIN { RS = "unreferenced object "; n = split(leaky, name, " ") }
		{ theirs = NR == 1
		  for (i = 1; i <= n; i++)
			theirs = theirs || index($0, "] " name[i] "+")
		  if (!theirs)
			printf "%s%s", RS, $0 }' \
		"$out/kmemleak-all.txt" > "$out/kmemleak.txt"
fi
if [ -s "$out/kmemleak.txt" ]; then
	say "Error: kmemleak found memory that nobody owns: $out/kmemleak.txt"
	[ "$status" != 0 ] || status=1
fi
exit "$status"
