#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian cluster=tests/data/two-by-two-real.env mem=1024 timeout=3000
#
# libfabric's own verbs provider, with and without reliable datagrams (ofi_rxm) on
# top: between hosts and inside a domain, data checked. Whoever waits polls, so
# time is not stretched here.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc
lab_up
modprobe rdma_ucm 2> /dev/null

# fi_pingpong binds to no address, so which device it gets is what routing says: to
# the other accelerator of a host by one's own netdev rather than inside the
# stack, and between the second ones of both hosts by the second netdevs.
own_ways()
{
	for h in 0 1; do
		ip -n h$h rule add pref 200 lookup local &&
		ip -n h$h rule del pref 0 || return
		for a in 0 1; do
			ip -n h$h rule add pref 1$a iif v$a lookup local &&
			ip -n h$h rule add pref 10$a iif lo to 10.0.$h.$((a + 1)) \
				lookup 10$a &&
			ip -n h$h route add 10.0.$h.$((a + 1)) dev v$((1 - a)) \
				src 10.0.$h.$((2 - a)) table 10$a || return
		done
		ip -n h$h route add 10.0.$((1 - h)).2 dev v1 src 10.0.$h.2 || return
	done
}
ok "routes" own_ways

# rdma_rxe needs a value here.
unset FI_UNIVERSE_SIZE

for rank in 0 3; do
	on "$(host_of $rank)" fi_info -p "verbs;ofi_rxm" -d suo$rank -t FI_EP_RDM \
		> /tmp/info 2>&1
	ok "suo$rank: verbs;ofi_rxm has reliable datagrams" \
		grep -q "domain: suo$rank\$" /tmp/info
	on "$(host_of $rank)" fi_info -p verbs -d suo$rank -t FI_EP_MSG > /tmp/info 2>&1
	ok "suo$rank: verbs has connected endpoints" \
		grep -q "domain: suo$rank\$" /tmp/info
done

# pingpong WHAT RANK RANK ARGUMENTS...
pingpong()
{
	_what=$1 _from=$2 _to=$3
	shift 3
	PAIR_TIMEOUT=300 ok "fi_pingpong $_what, all sizes, data checked" \
		pair "$_from" "$_to" 47592 fi_pingpong -d @DEV@ -c -I 2 -S all "$@"
}

for where in "between hosts:0 2" "between hosts, back:3 1" "inside a domain:1 0"; do
	ends=${where#*:}
	where=${where%:*}
	from=${ends% *} to=${ends#* }
	su=$(counter "$from" su_tx_bytes)
	sent=$(counter "$from" tx_bytes)
	for mode in msg tagged; do
		pingpong "verbs;ofi_rxm $where, $mode" "$from" "$to" \
			-p "verbs;ofi_rxm" -e rdm -m $mode
	done
	pingpong "verbs $where, connected" "$from" "$to" -p verbs -e msg
	su=$(($(counter "$from" su_tx_bytes) - su))
	sent=$(($(counter "$from" tx_bytes) - sent))
	# All sizes together are some megabytes; connecting takes some packets.
	case $where in
	between*)
		ok "$where: it was the wire" test $sent -gt 1000000
		is "$where: and nothing else" $su 0
		;;
	*)
		ok "$where: it was the domain" test $su -gt 1000000
		ok "$where: and nothing else" test $sent -lt 20000
		;;
	esac
done

lab_down
tap_done
