#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# files: build/tests/shm/shm_data
#
# Three VMs, one domain: each pair, all at a time, and one that dies.

# shellcheck source=tests/shm/shm.inc
. /lab/shm.inc
[ "$VM" = 0 ] || serve

ok "VM 0 comes up" shm_up
for vm in 1 2; do
	ok "VM $vm answers" until_ok 120 at $vm true
done
for vm in 0 1 2; do
	ok "VM $vm takes the memory" at $vm take
done
for vm in 0 1 2; do
	ok "VM $vm sees the others' members" until_ok 30 at $vm sees 6
done

for pair in "0 1" "1 0" "0 2" "1 2" "2 1"; do
	# shellcheck disable=SC2086
	set -- $pair
	ok "VM $1 and VM $2, data checked" xpair "$1" "s${1}0" "$2" "s${2}0" 18515 \
		ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 30
done

# write SERVER-VM CLIENT-VM PORT: some seconds of writes
write()
{
	xpair "$1" "s${1}0" "$2" "s${2}1" "$3" \
		"ib_write_bw -F -u 18 -s 65536 -n 1000 -p $3 -d @DEV@ -x @GID@"
}

jobs=
port=18520
for pair in "0 1" "0 2" "1 2" "2 1"; do
	# shellcheck disable=SC2086
	set -- $pair
	port=$((port + 1))
	write "$1" "$2" $port > /tmp/write.$port 2>&1 &
	jobs="$jobs $!"
done
for job in $jobs; do
	ok "writes between VMs, all at a time" wait "$job"
done
for log in /tmp/write.*; do
	tap_line "# $(grep '^ 65536' "$log")"
done

for dev in s00 s01; do
	is "$dev has sent no RoCEv2 packet" "$(stat_of $dev sent_pkts)" 0
done

# dies: VM 2 dies while VM 0 writes to VM 1.
dies()
{
	data s10 s00 eval "timeout 100 /lab/shm_data s00 steady 10.99.0.2 7001 12 & \
		sleep 2; host kill 2; wait \$!"
}
ok "VM 2 dies, and VM 0 goes on writing to VM 1" dies
tap_line "# $(cat /tmp/ok.log)"
for vm in 0 1; do
	ok "VM $vm sees the other only" until_ok 30 at $vm sees 3
done
ok "data checked, after that" xpair 1 s10 0 s00 18515 \
	ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 30
ok "VM 2 begins anew" host start 2
ok "VM 2 answers" until_ok 120 at 2 true
ok "VM 2 takes the memory" at 2 take
ok "VM 2 sees the others' members" until_ok 30 at 2 sees 6
ok "VM 1 sees them, too" until_ok 30 at 1 sees 6
ok "VM 1 and VM 2, data checked" xpair 1 s10 2 s20 18515 \
	ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 30

for vm in 1 2; do
	ok "VM $vm is told to end" at $vm "touch /tmp/end"
done
ok "VM 0 goes down and the module unloads" shm_down
tap_done
