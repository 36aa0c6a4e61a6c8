#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env
# files: build/tests/vm/verbs_data build/tests/vm/verbs_objects build/tests/vm/verbs_rules
#
# What the verbs promise, by programs of our own that open both devices: every
# operation with its data and its completion, errors, flushes, events, resets.
# On each path, and from a device to itself.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

# merge PREFIX COMMAND...: run a program that prints TAP and take over its
# results; that it ends, and has the number of tests it says, is one more.
merge()
{
	_prefix=$1
	shift
	on h0 timeout 300 "$@" > /tmp/merge.tap 2>&1
	_rc=$?
	_seen=0
	_plan=none
	while IFS= read -r _line; do
		case $_line in
		*'# SKIP '*)
			_seen=$((_seen + 1))
			_what=${_line#* - }
			skip "$_prefix: ${_what%%# SKIP*}" "${_line##*# SKIP }" ;;
		'ok '*)
			_seen=$((_seen + 1))
			tap_result 0 "$_prefix: ${_line#* - }" ;;
		'not ok '*)
			_seen=$((_seen + 1))
			tap_result 1 "$_prefix: ${_line#* - }" ;;
		1..*)	_plan=${_line#1..} ;;
		*)	tap_line "# ${_line#\# }" ;;
		esac
	done < /tmp/merge.tap
	is "$_prefix: $(basename "$1") came to its end" "$_seen of $_plan" \
		"$_seen of $_seen"
	[ $_rc != 124 ]
}

for where in "inside a domain:suo0 suo1" "between hosts:suo0 suo2" \
	     "to itself:suo3 suo3"; do
	devs=${where#*:}
	where=${where%:*}
	# shellcheck disable=SC2086
	merge "$where" /lab/verbs_data $devs
	# shellcheck disable=SC2086
	merge "$where" /lab/verbs_rules $devs
	# shellcheck disable=SC2086
	merge "$where" /lab/verbs_objects $devs
done

lab_down
tap_done
