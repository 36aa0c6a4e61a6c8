#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Bring up the cluster that "suo cluster env" described, in this VM:
#
#	namespace h0			namespace h1
#	suo0	suo1	...		suo4	suo5	...	RDMA devices
#	 |	 |			 |	 |
#	v0	v1	...		v0	v1	...	their netdevs
#	 |	 |			 |	 |
#	h0v0	h0v1	...		h1v0	h1v1	...	veth peers
#	===================== br0 ======================	namespace fabric
#			       |
#			     eth0	uplink to the next VM, if there is one
#
# With SUO_LAB_FABRIC=switch, v0 ... are TAPs, and what comes out of them goes to
# suo-switch(8), which has all switches of /lab/cluster.yaml and runs in the namespace
# fabric. NICs have their own latency only; the rest is that of switches and cables.
#
# Usage: cluster-up.sh ENV-FILE
# SUO_LAB_HOST=H in the environment: this VM carries host H only.
# SUO_LAB_DEV_TYPE=rxe: stock devices instead of ours (to test the lab itself).

# shellcheck source=qemu/guest/lib.sh
. /lab/lib.sh
[ -r "$1" ] || lab_die "usage: cluster-up.sh ENV-FILE"
# shellcheck source=tests/data/two-by-two.env
. "$1"

type=${SUO_LAB_DEV_TYPE:-suo}
fabric=${SUO_LAB_FABRIC:-bridge}
mtu=9000
# What a burst of a NIC without a rate may leave behind.
tap_queue=30000

# 02:53:55 is "SU" in a locally administered address: H and A make it unique,
# and the same in every run.
mac_of()
{
	printf '02:53:55:00:%02x:%02x' "$1" $(($2 + 1))
}

underlay_up()
{
	ip netns add fabric
	ip netns exec fabric sh -c \
		'echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6'
	[ "$fabric" = switch ] || bridge_up
	sysctl_put net/core/netdev_max_backlog 100000
	# What a neighbour is once found must not age either: probes would fall
	# into measurements. The defaults are the first namespace's; netdevs take
	# them over when they are made, wherever that is.
	for family in ipv4 ipv6; do
		sysctl_put net/$family/neigh/default/base_reachable_time_ms 1000000000
		sysctl_put net/$family/neigh/default/gc_stale_time 1000000
		# The core asks for each peer's MAC address, also inside a domain.
		sysctl_put net/$family/neigh/default/gc_thresh3 100000
		sysctl_put net/$family/neigh/default/gc_thresh2 100000
		sysctl_put net/$family/neigh/default/gc_thresh1 100000
	done
}

bridge_up()
{
	# Entries must not age: one modelled second can be days of guest time.
	ip -n fabric link add br0 address "$(mac_of 255 "${SUO_LAB_HOST:-0}")" \
		mtu $mtu type bridge ageing_time 1000000000 mcast_snooping 0
	ip -n fabric link set br0 up
	if [ -e /sys/class/net/eth0 ]; then
		ip link set eth0 netns fabric
		ip -n fabric link set eth0 mtu $mtu master br0 up ||
			lab_die "cannot use eth0 as uplink"
	fi
}

sysctl_put()
{
	put "/proc/sys/$1" "$2"
}

# netdev_up H A: what accelerator A of host H sends by, and what it is linked to
netdev_up()
{
	if [ "$fabric" = switch ]; then
		ip -n "h$1" tuntap add dev "v$2" mode tap ||
			lab_die "cannot make TAP v$2 of host $1"
		ip -n "h$1" link set "v$2" mtu $mtu txqueuelen $tap_queue \
			address "$(mac_of "$1" "$2")" ||
			lab_die "cannot set up TAP v$2 of host $1"
		return
	fi
	ip -n fabric link add "h${1}v$2" mtu $mtu \
		address "$(mac_of $(($1 + 128)) "$2")" type veth \
		peer name "v$2" netns "h$1" mtu $mtu \
		address "$(mac_of "$1" "$2")"
	ip -n fabric link set "h${1}v$2" master br0 up
}

host_up()
{
	h=$1
	ip netns add "h$h"
	# Several netdevs of a host are in one subnet: each must answer for its
	# own address only, and take what another of them sends.
	# shellcheck disable=SC2016
	on "h$h" sh -c '
		cd /proc/sys/net
		echo 1 > ipv4/conf/all/accept_local
		echo 1 > ipv4/conf/all/arp_ignore
		echo 2 > ipv4/conf/all/arp_announce
		echo 0 > ipv4/conf/all/rp_filter
		echo 0 > ipv4/conf/default/rp_filter
		echo 0 > ipv6/conf/default/accept_dad
		echo 0 > ipv6/conf/default/router_solicitations'
	ip -n "h$h" link set lo up
	a=0
	while [ $a -lt "$SUO_ACCELS" ]; do
		netdev_up "$h" "$a"
		ip -n "h$h" -batch - << EOF || lab_die "cannot set up v$a of host $h"
addr add 10.0.$h.$((a + 1))/16 dev v$a
addr add fd00::$h:$((a + 1))/64 dev v$a nodad
link set v$a up
EOF
		a=$((a + 1))
	done
}

configure()
{
	latency_ps=$SUO_OUT_LATENCY_PS
	[ "$fabric" = bridge ] || latency_ps=$SUO_OUT_ENDPOINT_PS
	put $CONFIG/time_scale "$SUO_TIME_SCALE"
	for h in $(lab_hosts); do
		dom=$CONFIG/domains/dom$h
		mkdir "$dom" || lab_die "cannot make $dom"
		while read -r file value; do
			put "$dom/$file" "$value"
		done << EOF
rate_mbps $SUO_UP_RATE_MBPS
endpoint_ps $SUO_UP_ENDPOINT_PS
stages $SUO_UP_STAGES
switch_ps $SUO_UP_SWITCH_PS
fec_ps $SUO_UP_FEC_PS
propagation_ps $SUO_UP_PROPAGATION_PS
max_payload_bytes $SUO_UP_MAX_PAYLOAD_BYTES
header_bytes $SUO_UP_HEADER_BYTES
flit_bytes $SUO_UP_FLIT_BYTES
min_packet_bytes $SUO_UP_MIN_PACKET_BYTES
frame_bytes $SUO_UP_FRAME_BYTES
frame_payload_bytes $SUO_UP_FRAME_PAYLOAD_BYTES
buffer_bytes $SUO_UP_BUFFER_BYTES
credit_bytes $SUO_UP_CREDIT_BYTES
credit_rtt_ps $SUO_UP_CREDIT_RTT_PS
errors_per_pbit $SUO_UP_ERRORS_PER_PBIT
retry $SUO_UP_RETRY
retry_ps $SUO_UP_RETRY_PS
seed $SUO_UP_SEED
EOF
		a=0
		while [ $a -lt "$SUO_ACCELS" ]; do
			dev=suo$((h * SUO_ACCELS + a))
			mkdir "$CONFIG/nics/$dev" "$dom/members/$dev" ||
				lab_die "cannot configure $dev"
			put "$CONFIG/nics/$dev/rate_mbps" "$SUO_OUT_RATE_MBPS"
			put "$CONFIG/nics/$dev/latency_ps" "$latency_ps"
			for param in ${SUO_OUT_CC_PARAMS:-}; do
				put "$CONFIG/nics/$dev/cc_params/${param%%=*}" "${param#*=}"
			done
			put "$CONFIG/nics/$dev/cc" "${SUO_OUT_CC:-none}"
			put "$CONFIG/nics/$dev/reorder_pkts" "${SUO_OUT_REORDER_PKTS:-0}"
			a=$((a + 1))
		done
	done
}

devices_up()
{
	for h in $(lab_hosts); do
		a=0
		while [ $a -lt "$SUO_ACCELS" ]; do
			dev=suo$((h * SUO_ACCELS + a))
			ip netns exec "h$h" rdma link add $dev type "$type" \
				netdev v$a || lab_die "cannot add device $dev"
			a=$((a + 1))
		done
	done
}

if [ "$fabric" = switch ]; then
	[ -z "${SUO_LAB_HOST:-}" ] ||
		lab_die "suo-switch needs all hosts of the cluster in one VM"
	[ -r /lab/cluster.yaml ] || lab_die "suo-switch needs /lab/cluster.yaml"
fi
underlay_up
for h in $(lab_hosts); do
	host_up "$h"
done
[ "$fabric" = bridge ] || /lab/switch-up.sh "$1" || exit
if [ "$type" = suo ]; then
	insmod "/lib/modules/$(uname -r)/suo.ko" || lab_die "cannot load suo.ko"
	[ -d $CONFIG ] || lab_die "$CONFIG is missing"
	configure
else
	modprobe rdma_rxe
fi
devices_up
