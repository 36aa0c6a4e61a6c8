#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/two-by-two.env mem=1024 timeout=900
#
# Some of everything in the kernel that has KASAN, lockdep and kmemleak: whatever
# they say fails the run (qemu/vm.sh).

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

for ends in "0 2" "0 1"; do
	# shellcheck disable=SC2086
	set -- $ends
	ok "ibv_rc_pingpong $ends" \
		pair $1 $2 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 10000 -n 20
	ok "ibv_rc_pingpong $ends, events" \
		pair $1 $2 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -e -n 20
	ok "ibv_ud_pingpong $ends" \
		pair $1 $2 18515 ibv_ud_pingpong -d @DEV@ -g @GID@ -s 1024 -n 20
	ok "ibv_srq_pingpong $ends" \
		pair $1 $2 18515 ibv_srq_pingpong -d @DEV@ -g @GID@ -c -n 20 -q 4
	ok "ib_send_lat -e $ends" \
		pair $1 $2 18515 ib_send_lat -e -F -d @DEV@ -x @GID@ -n 20
	ok "ib_write_bw -b $ends" \
		pair $1 $2 18515 ib_write_bw -b -F -d @DEV@ -x @GID@ -s 65536 -n 10
	ok "ib_read_bw $ends" \
		pair $1 $2 18515 ib_read_bw -e -F -d @DEV@ -x @GID@ -s 65536 -n 10
done
ok "ibv_uc_pingpong" \
	pair 0 2 18515 ibv_uc_pingpong -d @DEV@ -g @GID@ -c -s 10000 -n 20
for ends in "0 2" "0 1"; do
	# shellcheck disable=SC2086
	set -- $ends
	ok "ib_atomic_bw $ends" pair $1 $2 18515 \
		ib_atomic_bw -A FETCH_AND_ADD -F -d @DEV@ -x @GID@ -n 20
done
group()
{
	on_exec h0 timeout 60 mckey -m 239.1.2.1 -b "$(addr_of 0)" -C 5 \
		> /tmp/mckey.log 2>&1 &
	_pid=$!
	sleep 2
	on h1 timeout 60 mckey -m 239.1.2.1 -b "$(addr_of 2)" -s -C 5
	_rc=$?
	wait $_pid && [ $_rc = 0 ] && return 0
	cat /tmp/mckey.log
	return 1
}
modprobe rdma_ucm 2> /dev/null
ok "mckey" group
if command -v suo-perf > /dev/null; then
	ok "allreduce" /lab/demo.sh $ENV -e 65536
else
	skip "allreduce" "no suo-perf"
fi

# A domain's links with all that they can have.
dom=$CONFIG/domains/dom0
while read -r file value; do
	ok "$file is $value" put "$dom/$file" "$value"
done << END
buffer_bytes 32768
credit_bytes 65536
credit_rtt_ps 300000
retry_ps 200000
errors_per_pbit 1000000000
END
for word in llr gbn none; do
	put "$dom/retry" $word
	ok "bit errors, $word" pair 1 0 18515 ib_write_bw -b -F -d @DEV@ \
		-x @GID@ -s 16384 -n 100
	put "$dom/errors_per_pbit" 100000000
done
put "$dom/errors_per_pbit" 0
lab_down
tap_done
