#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debug cluster=tests/data/two-by-two.env mem=1024 timeout=900
#
# Things that go away while they are in use: processes, devices, netdevs, hosts,
# the module. Everything must come to an end, and the kernel must not complain
# (qemu/vm.sh sees to that).

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

# traffic_up SERVER-RANK CLIENT-RANK PORT: both directions, until it is stopped.
traffic_up()
{
	_g=$(gid_index "$1")
	on_exec "$(host_of "$1")" ib_write_bw -b -F -p "$3" -d "suo$1" -x "$_g" \
		-s 65536 -D 100000 > /dev/null 2>&1 &
	traffic="$traffic $!"
	wait_listen "$(host_of "$1")" "$3" $!
	_g=$(gid_index "$2")
	on_exec "$(host_of "$2")" ib_write_bw -b -F -p "$3" -d "suo$2" -x "$_g" \
		-s 65536 -D 100000 "$(addr_of "$1")" > /dev/null 2>&1 &
	traffic="$traffic $!"
}

traffic_down()
{
	# shellcheck disable=SC2086
	kill -9 $traffic 2> /dev/null
	# shellcheck disable=SC2086
	wait $traffic
	traffic=
}

# round NAME COMMAND...: a new cluster with traffic on both paths; do something to
# it; the traffic's programs must be killable afterwards.
round()
{
	_name=$1
	shift
	traffic=
	/lab/cluster-up.sh $ENV || tap_line "# $_name: no cluster"
	traffic_up 2 0 18515
	traffic_up 1 3 18516
	traffic_up 0 1 18517
	sleep 0.3
	_before=$(counter 0 sent_pkts)
	ok "$_name" "$@"
	sleep 0.3
	traffic_down
	tap_result 0 "$_name: the programs ended"
	ok "$_name: there was traffic" test "$_before" -gt 100
	tear_down
}

# What is left of the cluster, whatever that is.
tear_down()
{
	for _dev in /sys/class/infiniband/*; do
		[ ! -e "$_dev" ] || rdma link delete "${_dev##*/}"
	done
	for _h in h0 h1 fabric; do
		[ ! -e /run/netns/$_h ] || ip netns delete $_h
	done
	if [ -d $CONFIG ]; then
		rmdir $CONFIG/domains/*/members/* $CONFIG/domains/* $CONFIG/nics/*
		ok "$_name: the module unloads" rmmod suo
	fi
}

delete_namespaces()
{
	ip netns delete h1 && ip netns delete h0
}

delete_netdevs()
{
	ip -n h0 link delete v0 && ip -n h1 link delete v1
}

delete_devices()
{
	for _dev in suo0 suo3 suo1 suo2; do
		rdma link delete $_dev || return
	done
}

# Configuration holds the module; without it only the devices' users could.
unload_module()
{
	rmdir $CONFIG/domains/*/members/* $CONFIG/domains/* $CONFIG/nics/* &&
		rmmod suo
}

set_netdevs_down()
{
	ip -n h0 link set v0 down && ip -n h1 link set v0 down
}

# shellcheck source=tests/data/two-by-two.env
. $ENV
round "the programs are killed" true
round "netdevs go down" set_netdevs_down
round "netdevs are deleted" delete_netdevs
round "devices are deleted" delete_devices
round "namespaces are deleted" delete_namespaces
round "the module is unloaded" unload_module
tap_done
