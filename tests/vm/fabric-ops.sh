#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=1024 timeout=900
# files: build/tests/vm/fabric_atomic build/tests/vm/fabric_ops
# files: Documentation/man/fi_suo.7.rst
#
# The libfabric provider, on both paths: atomic operations, buffers for several
# messages, peek, counters, poll sets, a peer that dies; its latency beside that
# of verbs; and that its manual names the variables that it has.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

export FI_SUO_CONNECT_MS=200 FI_SUO_CONNECT_TRIES=4

on h0 fi_info -e > /tmp/env 2>&1
is "fi_suo(7) and fi_info -e name the same variables" \
	"$(sed -n 's/^\*\(FI_SUO_[A-Z_]*\)\*$/\1/p' /lab/fi_suo.7.rst | sort)" \
	"$(sed -n 's/^# \(FI_SUO_[A-Z_]*\): .*/\1/p' /tmp/env | sort)"
ok "there are some" grep -q FI_SUO_IFACE /tmp/env

# ends PROGRAM RANK RANK WHERE [ARGUMENT]: the program at both; its TAP is ours.
ends()
{
	rm -f /tmp/ends.meet
	# shellcheck disable=SC2086
	on "$(host_of $3)" timeout 300 /lab/$1 1 suo$3 unix:/tmp/ends.meet ${5:-} \
		> /tmp/ends.1 2>&1 &
	_pid=$!
	# shellcheck disable=SC2086
	on "$(host_of $2)" timeout 300 /lab/$1 0 suo$2 unix:/tmp/ends.meet ${5:-} \
		> /tmp/ends.0 2>&1
	_rc=$?
	wait $_pid || _rc=$?
	while read -r _ok _no _dash _what; do
		case $_ok in
		ok)	tap_result 0 "$_what, $4" ;;
		not)	tap_result 1 "${_what#- }, $4" ;;
		'#')	tap_line "# $_no $_dash $_what" ;;
		esac
	done < /tmp/ends.0
	is "$1 $4: exit status" $_rc 0
	[ $_rc = 0 ] || sed 's/^/# /' /tmp/ends.1 | tee -a "$RESULTS/tap"
}

# What fi_pingpong says of a message of 64 bytes: half of a round trip in us.
latency_fi()
{
	pair $1 $2 47592 fi_pingpong -p suo -d @DEV@ -e rdm -I 200 -S 64 > /tmp/fi || return
	awk '$1 == "64" { sub(/[^0-9.].*/, "", $7); print $7 }' /tmp/fi
}

# And ibv_rc_pingpong -e: a whole one.
latency_rc()
{
	pair $1 $2 18515 ibv_rc_pingpong -d @DEV@ -g @GID@ -e -s 64 -n 200 > /tmp/rc || return
	awk '/usec\/iter/ { print $(NF - 1) / 2 }' /tmp/rc
}

for where in "between hosts:0 $SUO_ACCELS" "inside a domain:1 0"; do
	# shellcheck disable=SC2086
	set -- ${where#*:}
	where=${where%:*}
	ends fabric_atomic $1 $2 "$where"
	ends fabric_ops $1 $2 "$where"
	ends fabric_ops $1 $2 "$where" death

	rc=$(latency_rc $1 $2)
	fi=$(latency_fi $1 $2)
	ratio=$(awk "BEGIN { printf \"%.2f\", ${fi:-9} / ${rc:-1} }")
	tap_line "# latency $where: fi_pingpong $fi us, ibv_rc_pingpong -e $rc us: ratio $ratio"
	ok "fi_pingpong takes at most 1.5 times as long as verbs, $where" \
		awk "BEGIN { exit !($ratio <= 1.5) }"
done

lab_down
tap_done
