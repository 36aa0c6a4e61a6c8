#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two.env
#
# The stock libfabric tools over our own provider.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up

on h0 fi_info -p suo -t FI_EP_RDM > /tmp/info 2>&1
for rank in 0 1 2 3; do
	ok "fi_info shows suo$rank" grep -q "domain: suo$rank" /tmp/info
done

# fi_pair PROVIDER SERVER-RANK CLIENT-RANK OPTIONS...: fi_pingpong, data checked.
fi_pair()
{
	_prov=$1 _srv=$2 _cli=$3
	shift 3
	on_exec "$(host_of "$_srv")" timeout 60 \
		fi_pingpong -p "$_prov" -d "suo$_srv" -c "$@" \
		> /tmp/server.log 2>&1 &
	_pid=$!
	wait_listen "$(host_of "$_srv")" 47592 ||
		{ cat /tmp/server.log; kill $_pid; return 1; }
	on "$(host_of "$_cli")" timeout 60 \
		fi_pingpong -p "$_prov" -d "suo$_cli" -c "$@" "$(addr_of "$_srv")" 2>&1
	_rc=$?
	[ $_rc = 0 ] || kill $_pid 2> /dev/null
	wait $_pid
	_rc2=$?
	[ $_rc = 0 ] && [ $_rc2 = 0 ] && return 0
	echo "client: exit status $_rc, server: $_rc2, which said:"
	cat /tmp/server.log
	return 1
}

for where in "between hosts:0 2" "inside a domain:0 1"; do
	ends=${where#*:}
	where=${where%:*}
	for size in 1 4096 16384 1048576; do
		# shellcheck disable=SC2086
		ok "fi_pingpong -p suo $where, $size bytes, data checked" \
			fi_pair suo $ends -e rdm -S $size -I 5
	done
	# shellcheck disable=SC2086
	ok "fi_pingpong -p suo $where, tagged" \
		fi_pair suo $ends -e rdm -m tagged -S 65536 -I 5
done

lab_down
tap_done
