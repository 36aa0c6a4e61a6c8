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
if command -v suo-perf > /dev/null; then
	ok "allreduce" /lab/demo.sh $ENV -e 65536
else
	skip "allreduce" "no suo-perf"
fi

lab_down
tap_done
