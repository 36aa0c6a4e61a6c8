#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-four.env mem=2048 timeout=1200
# files: build/tests/vm/coll_fi
#
# libfabric's collectives: tests/vm/coll_fi.c on 2 to 8 ranks, in a domain, between
# hosts, and both.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

# coll_fi FIRST N WHAT NAME: its TAP becomes ours. Others than rank 0 say nothing, if
# all is well, but with "die".
coll_fi()
{
	_first=$1 _n=$2 _what=$3
	rm -f /tmp/fi.*
	_pids=
	for _r in $(seq $((_n - 1)) -1 0); do
		coll_fi_rank > /tmp/fi.$_r 2>&1 &
		_pids="$_pids $!"
	done
	_rc=0 _all=
	for _pid in $_pids; do
		wait "$_pid"
		_one=$?
		_all="$_all $_one"
		[ $_one = 0 ] || _rc=$_one
	done
	sed -n 's/^ok [0-9]* - //p' /tmp/fi.0 > /tmp/fi.good
	while read -r _line; do
		tap_result 0 "$4: $_line"
	done < /tmp/fi.good
	sed -n 's/^not ok [0-9]* - //p' /tmp/fi.0 > /tmp/fi.bad
	while read -r _line; do
		tap_result 1 "$4: $_line"
	done < /tmp/fi.bad
}

coll_fi_rank()
{
	exec nsenter --net="/run/netns/$(host_of $((_first + _r)))" timeout 600 /lab/coll_fi \
		"$_r" "$_n" "suo$((_first + _r))" unix:/tmp/fi.meet "$_what"
}

# all_well: every rank came to its end.
all_well()
{
	is "$1: all ranks end well" "$_rc" 0
	[ $_rc = 0 ] || sed 's/^/# /' /tmp/fi.[0-9]
}

for where in "8 ranks of two domains:0 8" "3 ranks of a domain:0 3" "2 ranks between hosts:3 2" \
	     "5 ranks, 3 and 2 to a domain:1 5"; do
	name=${where%:*}
	# shellcheck disable=SC2086
	coll_fi ${where#*:} short "$name"
	all_well "$name"
done
coll_fi 0 8 types "8 ranks"
all_well "types"
for algo in ring hierarchical; do
	export FI_SUO_COLL_ALGO=$algo
	coll_fi 2 4 short "algorithm $algo"
	all_well "algorithm $algo"
done
unset FI_SUO_COLL_ALGO
coll_fi 2 3 big "3 ranks"
all_well "64 MiB"

coll_fi 0 8 die "a rank is killed"
is "every other rank got an error, and none hangs" \
	"$(grep -l '^ok 2 ' /tmp/fi.[0-6] | wc -l)" 7
is "and the dead one died" "$(wc -c < /tmp/fi.7)" 0

lab_down
tap_done
