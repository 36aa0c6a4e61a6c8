#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# What it costs to forward a packet: over suo-switch with TAPs, over a Linux bridge with
# two veth pairs, and over one veth pair, with the same sender and receiver in network
# namespaces of this machine. Needs root.
#
# Usage: bench-switch.sh [PACKETS]

. "$(dirname "$0")/../qemu/lib.sh"
build=${SUO_BUILD:-$SUO_TOP/build}
packets=${1:-200000}
sizes=(64 1024 4158)
[ "$(id -u)" = 0 ] || die "namespaces and TAPs need root"
need ip

work=$(mktemp -d)
a=suo-bench-$$-a b=suo-bench-$$-b m=suo-bench-$$-m
pid=

clean()
{
	[ -z "$pid" ] || kill "$pid" 2> /dev/null || true
	for ns in "$a" "$b" "$m"; do
		ip netns delete "$ns" 2> /dev/null || true
	done
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for ns in "$a" "$b" "$m"; do
	ip netns add "$ns"
	ip netns exec "$ns" sh -c 'echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6'
done

# up NETNS IF...
up()
{
	local ns=$1 dev

	shift
	for dev; do
		ip -n "$ns" link set "$dev" mtu 9000
		ip -n "$ns" link set "$dev" txqueuelen 10000 up
	done
}

# row NAME IF-OF-A IF-OF-B [PID]
row()
{
	local name=$1 from=$a:$2 to=$b:$3 size figures

	shift 3
	for size in "${sizes[@]}"; do
		# The one in the middle of three, by processor time
		read -ra figures < <(for _ in 1 2 3; do
			"$build/tests/bench_switch" "$from" "$to" "$size" "$packets" "$@"
		done | sort -n -k 3 | sed -n 2p)
		printf '%-34s %6d %12d %10d %10d %8d\n' "$name" "$size" "${figures[@]}"
	done
}

# switch NAME EXTRA-KEYS: a row over suo-switch
switch()
{
	cat > "$work/c.yaml" <<- EOK
		name: bench
		hosts: 2
		accelerators: 1
		scale_up: {profile: nvlink4}
		scale_out:
		  profile: roce-800g
		$2
	EOK
	for ns in "$a" "$b"; do
		ip -n "$ns" tuntap add dev tap0 mode tap
		up "$ns" tap0
	done
	"$build/bin/suo-switch" --time-scale 1 --port "0=tap:tap0@$a" \
		--port "1=tap:tap0@$b" "$work/c.yaml" > "$work/log" &
	pid=$!
	until grep -q endpoints "$work/log"; do
		kill -0 $pid || die "suo-switch has ended"
		sleep 0.1
	done
	row "$1" tap0 tap0 $pid
	kill $pid
	wait $pid
	pid=
	for ns in "$a" "$b"; do
		ip -n "$ns" link delete tap0
	done
}

printf '%-34s %6s %12s %10s %10s %8s\n' "" bytes packets/s ns "CPU ns" lost

ip -n "$a" link add v0 type veth peer name v0 netns "$b"
up "$a" v0
up "$b" v0
row "veth pair" v0 v0
ip -n "$a" link delete v0

ip -n "$m" link add br0 type bridge
for ns in "$a" "$b"; do
	ip -n "$ns" link add v0 type veth peer name "to-${ns##*-}" netns "$m"
	ip -n "$m" link set "to-${ns##*-}" master br0
	up "$ns" v0
	up "$m" "to-${ns##*-}"
done
up "$m" br0
# Its ports forward a while after they have come up.
sleep 2
row "bridge, two veth pairs" v0 v0
for ns in "$a" "$b"; do
	ip -n "$ns" link delete v0
done

switch "suo-switch, one switch" ""
switch "suo-switch, leaf, spine and leaf" \
	"  topology: leaf-spine
  leaf: {radix: 2}
  spine: {radix: 2}"
