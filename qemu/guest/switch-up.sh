#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Start suo-switch in the namespace fabric, its endpoints the TAPs of the hosts, and wait
# until it is ready. cluster-up.sh does; and whoever has ended it and wants it back.
#
# Usage: switch-up.sh ENV-FILE
# SUO_SWITCH_OPTIONS in the environment: further options for it.

# shellcheck source=qemu/guest/lib.sh
. /lab/lib.sh
[ -r "$1" ] || lab_die "usage: switch-up.sh ENV-FILE"
# shellcheck source=tests/data/two-by-two.env
. "$1"

# The options for its endpoints: NIC A of host H is number H n + A.
endpoints()
{
	for h in $(lab_hosts); do
		a=0
		while [ $a -lt "$SUO_ACCELS" ]; do
			echo "--port $((h * SUO_ACCELS + a))=tap:v$a@h$h"
			a=$((a + 1))
		done
	done
}

# shellcheck disable=SC2046,SC2086 # words are what they are
ip netns exec fabric suo-switch --time-scale "$SUO_TIME_SCALE" \
	--control $SWITCH_SOCKET $(endpoints) ${SUO_SWITCH_OPTIONS:-} \
	/lab/cluster.yaml > $SWITCH_LOG 2>&1 &
echo $! > $SWITCH_PID
# It says a line when it is ready.
until grep -q endpoints $SWITCH_LOG; do
	kill -0 "$(cat $SWITCH_PID)" 2> /dev/null || {
		cat $SWITCH_LOG >&2
		lab_die "suo-switch has ended"
	}
	sleep 0.1
done
