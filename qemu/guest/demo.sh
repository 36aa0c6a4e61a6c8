#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run suo-perf allreduce, one process an accelerator, and leave its CSV file and
# its table in $RESULTS.
#
# Usage: demo.sh ENV-FILE [SUO-PERF-OPTIONS...]

# shellcheck source=qemu/guest/lib.sh
. /lab/lib.sh
[ -r "$1" ] || lab_die "usage: demo.sh ENV-FILE [SUO-PERF-OPTIONS...]"
# shellcheck source=tests/data/two-by-two.env
. "$1"
shift

run=$(mktemp -d)
mkfifo "$run/done"
exec 3<> "$run/done"

if [ -n "${SUO_LAB_RENDEZVOUS:-}" ]; then
	rendezvous=$SUO_LAB_RENDEZVOUS
else
	rendezvous=unix:$run/rendezvous
fi

# rank_up RANK OPTIONS...: its end is told through the pipe, so that one that
# fails ends the others, which would wait for it for ever.
rank_up()
{
	rank=$1
	shift
	(
		on_exec "$(host_of "$rank")" chrt -f 10 \
			suo-perf allreduce --rank "$rank" \
			--ranks "$SUO_RANKS" --domain-size "$SUO_ACCELS" \
			--device "suo$rank" --rendezvous "$rendezvous" \
			-b "$SUO_BENCH_MIN_BYTES" -e "$SUO_BENCH_MAX_BYTES" \
			-f "$SUO_BENCH_FACTOR" \
			${SUO_BENCH_ITERATIONS:+-n "$SUO_BENCH_ITERATIONS"} \
			${SUO_BENCH_WARMUP:+-w "$SUO_BENCH_WARMUP"} \
			--algorithm "$SUO_BENCH_ALGORITHMS" \
			--csv "$RESULTS/allreduce.raw.csv" "$@" \
			> "$run/$rank.out" 2> "$run/$rank.err" 3>&- &
		echo $! > "$run/$rank.pid"
		wait $!
		echo "$rank $?" >&3
	) &
}

# Eight ranks share a processor. First in, first out: who runs next follows from
# who woke first, and not from a fair share, where a nanosecond's difference in
# one place becomes a time slice in another.
put /proc/sys/kernel/sched_rt_runtime_us -1

count=0
for h in $(lab_hosts); do
	a=0
	while [ $a -lt "$SUO_ACCELS" ]; do
		rank_up $((h * SUO_ACCELS + a)) "$@"
		a=$((a + 1))
		count=$((count + 1))
	done
done

status=0
while [ $count -gt 0 ]; do
	read -r rank rc <&3
	count=$((count - 1))
	[ "$rc" != 0 ] || continue
	lab_say "rank $rank: exit status $rc"
	sed "s/^/rank $rank: /" "$run/$rank.err" >&2
	if [ $status = 0 ]; then
		status=$rc
		for pid in "$run"/*.pid; do
			kill "$(cat "$pid")" 2> /dev/null
		done
	fi
done
if [ -e "$run/0.out" ]; then
	cat "$run/0.out"
	cp "$run/0.out" "$RESULTS/allreduce.txt"
fi
cat "$run"/*.err > "$RESULTS/suo-perf.err"
rm -r "$run"
exit $status
