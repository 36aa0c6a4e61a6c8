#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=2048 timeout=3400
# files: build/tests/vm/verbs_traffic
#
# How long traffic between the members of a domain takes, in modelled time, for each
# cluster that tests/bench-domain.sh brought: eight members, a time scale of a million.
# Judged outside.
#
# Leaves domain.txt: PROFILE PATTERN SIZE NS FLOWS

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
SIZES="64 256 1024 4096 16384 65536 262144 1048576 4194304 16777216"

# measure NAME PATTERN DEVICES
measure()
{
	# shellcheck disable=SC2086
	on h0 /lab/verbs_traffic -d "$3" "$2" $SIZES > /tmp/traffic.txt || return
	sed "s/^/$1 /" /tmp/traffic.txt >> "$RESULTS/domain.txt"
}

# What software adds to the time of a segment, of all of them since the start.
share()
{
	for _file in late flight; do
		cat "$CONFIG"/domains/dom0/members/*/su_tx_${_file}_ps |
			awk '{ n += $1 } END { printf "%.0f ", n }'
	done
}

for ENV in /lab/profile-*.env; do
	name=${ENV#/lab/profile-}
	name=${name%.env}
	lab_up
	for what in "one 2" "two 3" "both 2" "all 8" "read 2"; do
		# shellcheck disable=SC2086
		ok "$name: ${what% *}" measure "$name" $what
	done
	# shellcheck disable=SC2046
	set -- $(share)
	tap_line "# $name: software's share of the time in flight is" \
		"$(awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", a / b * 100 }') %"
	ok "$name: which is less than 1 %" test $(($1 * 100)) -lt "$2"
	lab_down
done
tap_done
