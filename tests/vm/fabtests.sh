#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=8192 timeout=6000
# files: tests/data/fabtests.list
#
# fabtests v1.17.0, whose programs are given to run-vm.sh as further files: each
# of its short tests over the provider, between hosts and inside a domain, and
# beside it what libfabric's own tcp provider makes of it. What one waits for is
# polled, so time is not stretched here.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

LIST=/lab/fabtests.list
TIME=100		# seconds for a test
export FI_SUO_CONNECT_TRIES=4

# one HOST DEVICE OUTPUT COMMAND...: a process of a test; PROV names the provider.
# Does not come back: with "&" after it, $! is the command itself.
one()
{
	_host=$1 _dev=$2 _out=$3
	shift 3
	if [ $PROV = suo ]; then
		FI_SUO_IFACE=$_dev
		export FI_SUO_IFACE
	fi
	exec > "$_out" 2>&1
	on_exec "$_host" timeout $TIME "$@"
}

# verdict STATUS...: what runfabtests.sh would say
verdict()
{
	_all=$*
	_word=pass
	for _s in $_all; do
		case $_s in
		0)	;;
		61 | 38) [ $_word = FAIL ] || _word=notrun ;;
		124)	_word=HANG ; break ;;
		*)	_word=FAIL ;;
		esac
	done
	echo $_word
}

# The ends find each other by a TCP connection of their own (STYLE=oob), or by what
# fi_getinfo() makes of the server's IP address.
run_cs()
{
	_srv=$1 _cli=$2
	shift 2
	_sarg=-E _carg=-E
	if [ $STYLE != oob ]; then
		_sarg="-s $(addr_of $_srv)"
		_carg="-s $(addr_of $_cli)"
	fi
	# shellcheck disable=SC2086
	one "$(host_of $_srv)" suo$_srv /tmp/server.log /lab/$* -p $PROV $_sarg &
	_pid=$!
	sleep 1
	# shellcheck disable=SC2086
	(one "$(host_of $_cli)" suo$_cli /tmp/client.log /lab/$* -p $PROV \
		$_carg "$(addr_of $_srv)")
	_c=$?
	if [ $_c != 0 ]; then
		sleep 2
		kill $_pid 2> /dev/null
	fi
	wait $_pid
	verdict $? $_c
}

run_multi()
{
	_pids=
	for _r in $RANKS; do
		# shellcheck disable=SC2086
		one "$(host_of $_r)" suo$_r /tmp/multi.$_r /lab/$* -n 3 -p $PROV \
			-s 10.0.0.1 &
		_pids="$_pids $!"
		sleep 1
	done
	_codes=
	for _p in $_pids; do
		wait $_p
		_codes="$_codes $?"
	done
	# shellcheck disable=SC2086
	verdict $_codes
}

# run KIND SERVER CLIENT COMMAND...
run()
{
	_kind=$1 _a=$2 _b=$3
	shift 3
	case $_kind in
	unit | neg)
		case $1 in
		fi_getinfo_test) set -- "$@" -s 10.0.0.1 10.0.0.2 ;;
		fi_av_test) set -- "$@" -s 10.0.0.1 ;;
		esac
		_name=$1
		shift
		(one h0 suo0 /tmp/server.log "/lab/$_name" -p $PROV "$@")
		_rc=$?
		if [ $_kind = unit ]; then
			verdict $_rc
		elif [ $_rc = 61 ]; then
			echo pass
		else
			echo FAIL
		fi ;;
	cs)	run_cs "$_a" "$_b" "$@" ;;
	multi)	run_multi "$@" ;;
	esac
}

tap_line "# $(printf '%-44s %8s %8s %8s' test across inside tcp)"
passed=0
tab=$(printf '\t')
while IFS= read -r line; do
	case $line in
	'#'* | '') continue ;;
	esac
	kind=${line%%"$tab"*}
	WHAT=${line#*"$tab"}
	reason=
	case $WHAT in
	*"$tab"*)
		reason=${WHAT#*"$tab"- }
		WHAT=${WHAT%%"$tab"*} ;;
	esac
	[ -z "${ONLY:-}" ] || echo "$WHAT" | grep -q "$ONLY" || continue
	across=- inside=- tcp=-
	# shellcheck disable=SC2086
	if [ -z "$reason" ]; then
		PROV=suo STYLE=oob RANKS="0 1 $SUO_ACCELS"
		# It has no connection of its own.
		[ "${WHAT#fi_poll}" = "$WHAT" ] || STYLE=plain
		across=$(run $kind 0 $SUO_ACCELS $WHAT)
		cat /tmp/server.log /tmp/client.log /tmp/multi.* > /tmp/across.log 2> /dev/null
		case $kind in
		cs)
			STYLE=plain
			inside=$(run $kind 0 1 $WHAT)
			cat /tmp/server.log /tmp/client.log >> /tmp/across.log ;;
		esac
	fi
	PROV=tcp STYLE=plain
	# shellcheck disable=SC2086
	[ -n "${NO_TCP:-}" ] || tcp=$(run $kind 0 $SUO_ACCELS $WHAT)
	row=$(printf '%-44s %8s %8s %8s' "$WHAT" $across $inside $tcp)
	if [ -n "$reason" ]; then
		tap_line "# $row  ($reason)"
		continue
	fi
	case "$across $inside" in
	'pass pass' | 'pass -')
		passed=$((passed + 1))
		tap_result 0 "$row" ;;
	*)
		tap_result 1 "$row"
		tail -n 30 /tmp/across.log | sed 's/^/# /' | tee -a "$RESULTS/tap" ;;
	esac
	rm -f /tmp/*.log /tmp/multi.*
done < $LIST
tap_line "# $passed of 90 pass"

lab_down
tap_done
