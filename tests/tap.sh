# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# TAP for the tests that run on the host. To be sourced by bash.

count=0 failed=0

# result STATUS DESCRIPTION
result()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		failed=$((failed + 1))
	fi
}

# result_said STATUS DESCRIPTION SAID: with what the failing command said
result_said()
{
	result "$1" "$2"
	[ "$1" = 0 ] || [ -z "$3" ] || head -n 40 <<< "$3" | sed 's/^/# /'
}

# result_of_guest FILE [PREFIX]: the TAP of a guest as ours, numbered on
result_of_guest()
{
	local line

	while IFS= read -r line; do
		case $line in
		"ok "*)		result 0 "${2-}${line#*- }" ;;
		"not ok "*)	result 1 "${2-}${line#*- }" ;;
		1..*)		;;
		*)		printf '%s\n' "$line" ;;
		esac
	done < "$1"
}

# tap_done: the plan, and the verdict as exit status
tap_done()
{
	echo "1..$count"
	[ $failed = 0 ]
}
