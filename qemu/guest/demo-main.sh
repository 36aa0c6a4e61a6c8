#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What the demo's VM does: cluster up, benchmark, cluster down, module unloaded.

env=/lab/cluster.env
# shellcheck source=qemu/guest/lib.sh
. /lab/lib.sh
# shellcheck source=tests/data/two-by-two.env
. $env

/lab/cluster-up.sh $env || exit
if [ -n "${SUO_LAB_HOST:-}" ]; then
	# Rank 0 lives in another VM, which may need longer to boot.
	tries=60
	until on "h$SUO_LAB_HOST" ping -c 1 -W 1 10.0.0.1 > /dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || lab_die "host 0 does not answer"
	done
fi
/lab/demo.sh $env
status=$?
/lab/cluster-down.sh $env || status=1
exit $status
