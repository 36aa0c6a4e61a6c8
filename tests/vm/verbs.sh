#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env
#
# The stock verbs tools, unmodified, on both paths: between hosts they use
# RoCEv2, inside a domain the scale-up fabric.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

# Ranks 0 and 1 share a host and a domain; rank 2 is on the other host.
for rank in 0 1 2 3; do
	on "$(host_of $rank)" ibv_devinfo -v -d suo$rank > /tmp/devinfo
	ok "suo$rank is active" grep -q 'state:.*PORT_ACTIVE' /tmp/devinfo
	ok "suo$rank has a path MTU of 4096" grep -q 'active_mtu:.*4096' /tmp/devinfo
	ok "suo$rank has a RoCE v2 GID for its IPv4 address" gid_index $rank
	types=$(cat /sys/class/infiniband/suo$rank/ports/1/gid_attrs/types/* \
		2> /dev/null | sort | uniq -c | sed 's/^ *//')
	# One for each address: link-local, fd00:: and 10.0.
	is "suo$rank has a GID an address, all RoCE v2" "$types" "3 RoCE v2"
done

for where in "between hosts:0 2" "between hosts, back:3 1" "inside a domain:0 1" \
	     "inside the other domain:3 2"; do
	ends=${where#*:}
	where=${where%:*}
	for size in 1 4096 65537; do
		ok "ibv_rc_pingpong $where, $size bytes, data checked" \
			pair $ends 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c \
			-m 4096 -s $size -n 50
	done
	ok "ibv_rc_pingpong $where with events" \
		pair $ends 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -c -e -n 50
	ok "ibv_ud_pingpong $where" \
		pair $ends 18515 ibv_ud_pingpong -d @DEV@ -g @GID@ -s 1024 -n 50
	ok "ibv_srq_pingpong $where, data checked" \
		pair $ends 18515 ibv_srq_pingpong -d @DEV@ -g @GID@ -c -n 50 -q 4
	ok "ib_send_lat -e $where" \
		pair $ends 18515 ib_send_lat -e -F -d @DEV@ -x @GID@ -s 8 -n 100
	ok "ib_send_bw -e $where" \
		pair $ends 18515 ib_send_bw -e -F -d @DEV@ -x @GID@ -s 65536 -n 50
	ok "ib_write_bw $where" \
		pair $ends 18515 ib_write_bw -F -d @DEV@ -x @GID@ -s 65536 -n 50
	ok "ib_write_bw -b $where" \
		pair $ends 18515 ib_write_bw -b -F -d @DEV@ -x @GID@ -s 65536 -n 50
	ok "ib_read_bw $where" \
		pair $ends 18515 ib_read_bw -e -F -d @DEV@ -x @GID@ -s 65536 -n 50
done

lab_down
tap_done
