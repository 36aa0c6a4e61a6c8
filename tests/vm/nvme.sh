#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lab: kernel=debian mem=1024 timeout=1500
# modules: nvme-rdma nvmet-rdma ext4 brd
# programs: mke2fs e2fsck
# theirs: nvmet_config_sem
#
# Consumers in the kernel: a file system on a disk that nvme-rdma has from
# nvmet-rdma. Both live in the first namespace and nowhere else, so one machine
# is both hosts, and routes by policy make what goes from one device to the
# other leave by the wire:
#
#	suo0 initiator			suo1 target
#	v0 10.7.0.1			v1 10.7.0.2
#	 |				 |
#	p0 ============ br0 =========== p1	namespace fabric
#
# nvmet takes nvmet_config_sem in a handler of rdma_cm, and rdma_cm's mutex under
# nvmet_config_sem when it takes a port down. lockdep says so once and is silent
# from then on, so ports go down late here.
#
# Time scale 1: the timers of the transport and those of NVMe are in proportion.

# shellcheck source=tests/vm/tap.inc
. /lab/tap.inc

NVMET=/sys/kernel/config/nvmet
SYS=/proc/sys/net/ipv4
NQN=suo-lab
SUBSYS=$NVMET/subsystems/$NQN
MNT=/mnt
FAMILY=ipv4
HOST=10.7.0.1
TARGET=10.7.0.2

# routes N: what comes from an address of vN leaves by vN. All of this is gone when
# the netdev has been down.
routes()
{
	ip addr replace fd07::$(($1 + 1))/64 dev "v$1" nodad &&
	ip route replace 10.7.0.0/24 dev "v$1" src "10.7.0.$(($1 + 1))" \
		table $((101 + $1)) &&
	ip -6 route replace fd07::/64 dev "v$1" table $((101 + $1))
}

links_up()
{
	ip netns add fabric &&
	ip -n fabric link add br0 mtu 9000 type bridge mcast_snooping 0 &&
	ip -n fabric link set br0 up || return
	put $SYS/conf/all/accept_local 1
	put $SYS/conf/all/arp_ignore 1
	put $SYS/conf/all/arp_announce 2
	put $SYS/conf/all/rp_filter 0
	put $SYS/conf/default/rp_filter 0
	ip link set lo up &&
	for f in -4 -6; do
		ip $f rule add pref 200 lookup local &&
		ip $f rule del pref 0 || return
	done
	for n in 0 1; do
		ip -n fabric link add p$n mtu 9000 type veth \
			peer name v$n mtu 9000 netns 1 &&
		ip -n fabric link set p$n master br0 up &&
		put $SYS/conf/v$n/accept_local 1 &&
		ip addr add 10.7.0.$((n + 1))/24 dev v$n noprefixroute &&
		ip link set v$n up &&
		ip -4 rule add pref $((10 + n)) iif v$n lookup local &&
		ip -6 rule add pref $((10 + n)) iif v$n lookup local &&
		ip -4 rule add pref $((100 + n)) from 10.7.0.$((n + 1)) \
			to 10.7.0.0/24 lookup $((101 + n)) &&
		ip -6 rule add pref $((100 + n)) from fd07::$((n + 1)) \
			to fd07::/64 lookup $((101 + n)) &&
		routes $n || return
	done
}

devices_up()
{
	insmod "/lib/modules/$(uname -r)/suo.ko" &&
	rdma link add suo0 type suo netdev v0 &&
	rdma link add suo1 type suo netdev v1
}

# target_up MODULE-OPTIONS...
target_up()
{
	modprobe brd rd_nr=1 rd_size=98304 &&
	modprobe nvmet-rdma "$@" &&
	mkdir $SUBSYS $SUBSYS/namespaces/1 $NVMET/ports/1 || return
	put $SUBSYS/attr_allow_any_host 1
	put $SUBSYS/namespaces/1/device_path /dev/ram0
	put $SUBSYS/namespaces/1/enable 1
	put $NVMET/ports/1/addr_trtype rdma
	put $NVMET/ports/1/addr_adrfam $FAMILY
	put $NVMET/ports/1/addr_traddr $TARGET
	put $NVMET/ports/1/addr_trsvcid 4420
	ln -s $SUBSYS $NVMET/ports/1/subsystems/$NQN
}

target_down()
{
	rm $NVMET/ports/1/subsystems/$NQN &&
	rmdir $NVMET/ports/1 $SUBSYS/namespaces/1 $SUBSYS &&
	rmmod nvmet_rdma nvmet brd
}

# The target's device once more. nvmet-rdma listens again when it is told to.
target_again()
{
	rdma link add suo1 type suo netdev v1 &&
	rm $NVMET/ports/1/subsystems/$NQN &&
	ln -s $SUBSYS $NVMET/ports/1/subsystems/$NQN
}

# host_up OPTIONS: sets CTRL, the controller's name
host_up()
{
	modprobe nvme-rdma || return
	echo "transport=rdma,traddr=$TARGET,trsvcid=4420,host_traddr=$HOST,nqn=$NQN,$1" \
		> /dev/nvme-fabrics || return
	CTRL=$(basename /sys/class/nvme/nvme*)
	until [ -b "/dev/${CTRL}n1" ]; do
		sleep 0.1
	done
}

host_down()
{
	echo 1 > "/sys/class/nvme/$CTRL/delete_controller" &&
	[ ! -e "/dev/${CTRL}n1" ] &&
	rmmod nvme_rdma nvme_fabrics nvme_core
}

state()
{
	cat "/sys/class/nvme/$CTRL/state"
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for()
{
	_left=$(($1 * 10))
	shift
	until "$@"; do
		_left=$((_left - 1))
		[ $_left -gt 0 ] || return 1
		sleep 0.1
	done
}

is_live()
{
	[ "$(state)" = live ]
}

is_not_live()
{
	! is_live
}

# Bytes that the bridge has had from a port: a witness that is not ours.
witness()
{
	ip netns exec fabric cat /sys/class/net/p"$1"/statistics/rx_bytes
}

# Random files with their sums; sizes that are no multiple of anything too
make_data()
{
	mkdir -p /tmp/data
	for _i in 1 2 3 4 5 6 7 8; do
		head -c 2097152 /dev/urandom > /tmp/data/file$_i
	done
	head -c 1 /dev/urandom > /tmp/data/one
	head -c 4097 /dev/urandom > /tmp/data/page
	head -c 1000003 /dev/urandom > /tmp/data/prime
	(cd /tmp/data && sha256sum ./*) > /tmp/sums
	SIZE=$(cat /tmp/data/* | wc -c)
}

write_files()
{
	mkdir -p "$MNT/$1" &&
	cp /tmp/data/* "$MNT/$1" &&
	sync
}

# Read back from the disk: nothing of it is left in memory.
verify()
{
	umount $MNT &&
	echo 3 > /proc/sys/vm/drop_caches &&
	mount -t ext4 "/dev/${CTRL}n1" $MNT || return
	for _dir in "$@"; do
		(cd "$MNT/$_dir" && sha256sum -c /tmp/sums) || return
	done
}

# Rounds of files until /tmp/stop exists; fails if any could not be written.
writer()
{
	_round=0
	until [ -e /tmp/stop ]; do
		write_files "$1" || return
		_round=$((_round + 1))
		echo $_round > /tmp/rounds
	done
}

# At least so many rounds, or the writer has given up.
rounds()
{
	kill -0 "$WRITER" 2> /dev/null || return 0
	[ "$(cat /tmp/rounds)" -ge "$1" ]
}

# flap SECONDS DOWN UP DIRECTORY: the link goes and comes back, under a writer.
flap()
{
	rm -f /tmp/stop
	echo 0 > /tmp/rounds
	writer "$4" > /tmp/writer.log 2>&1 &
	WRITER=$!
	wait_for 600 rounds 1 &&
	$2 &&
	sleep "$1" &&
	_then=$(cat /tmp/rounds) &&
	$3 &&
	wait_for 120 is_live &&
	wait_for 600 rounds $((_then + 3))
	_rc=$?
	touch /tmp/stop
	wait $WRITER && return $_rc
	cat /tmp/writer.log
	return 1
}

cable_out()
{
	ip -n fabric link set p0 down
}

cable_in()
{
	ip -n fabric link set p0 up
}

netdev_down()
{
	ip link set v1 down
}

netdev_up()
{
	ip link set v1 up && routes 1
}

# How often the host has found the target again
reconnects()
{
	dmesg | grep -c 'nvme nvme.*: Successfully reconnected'
}

no_errors()
{
	for _dev in 0 1; do
		for _name in local_ack_timeout_err req_cqe_error resp_cqe_error \
			     rx_drops rx_icrc_encapsulated send_err; do
			is "suo$_dev: $_name" "$(counter $_dev $_name)" "$1"
		done
	done
}

# There is nothing to go on with unless these work.
need_ok()
{
	ok "$@" && return
	tap_line "Bail out! there is no disk"
	exit 1
}

# session WHAT HOST-OPTIONS: connect, make a file system, write and read back. It
# ends mounted.
session()
{
	need_ok "$1: a host connects" host_up "$2"
	is "$1: its transport is rdma" "$(cat /sys/class/nvme/"$CTRL"/transport)" rdma
	is "$1: it is live" "$(state)" live
	ok "$1: a file system is made" mke2fs -q -t ext4 "/dev/${CTRL}n1"
	ok "$1: and mounted" mount -t ext4 "/dev/${CTRL}n1" $MNT
	ok "$1: files are written" write_files a
	ok "$1: and read back right" verify a
}

session_end()
{
	umount $MNT
	ok "$1: the file system is sound" e2fsck -f -n "/dev/${CTRL}n1"
	ok "$1: the host disconnects" host_down
}

# Reads, from the disk itself, as long as there is one
reader()
{
	while dd if="/dev/${CTRL}n1" of=/dev/null bs=65536 iflag=direct; do
		:
	done > /dev/null 2>&1
}

ended()
{
	! kill -0 "$1" 2> /dev/null
}

need_ok "two netdevs with a wire between them" links_up
need_ok "two devices" devices_up
mkdir -p $MNT
make_data
need_ok "a target" target_up

from0=$(witness 0) from1=$(witness 1)
session wire nr_io_queues=1,reconnect_delay=2,keep_alive_tmo=15
ok "wire: it has carried all of it there" test $(($(witness 0) - from0)) -gt "$SIZE"
ok "wire: and back" test $(($(witness 1) - from1)) -gt "$SIZE"
ok "wire: the target has read from the host" test "$(counter 0 rx_read_requests)" -gt 10
ok "wire: and written to it" test "$(counter 0 rx_write_requests)" -gt 10
is "wire: nothing went by another way" "$(counter 0 su_tx_segments)" 0
no_errors 0
# A queue pair's timers last longer than this, keep-alive's do too.
before=$(reconnects)
ok "3 s without a cable" flap 3 cable_out cable_in b
is "the same connection goes on" "$(reconnects)" "$before"
ok "it has sent again" test "$(counter 0 local_ack_timeout_err)" -gt 0
ok "all is right" verify a b
ok "60 s without a cable" flap 60 cable_out cable_in c
is "it has connected again" "$(reconnects)" $((before + 1))
ok "all is right" verify a b c
ok "40 s with the netdev down" flap 40 netdev_down netdev_up d
is "it has connected again" "$(reconnects)" $((before + 2))
ok "all is right" verify a b c d
session_end wire

# Both in one domain: the same, by the scale-up path
ok "a domain" mkdir $CONFIG/domains/d $CONFIG/domains/d/members/suo0 \
	$CONFIG/domains/d/members/suo1
from0=$(witness 0) su0=$(counter 0 su_tx_bytes) su1=$(counter 1 su_tx_bytes)
session "scale-up" nr_io_queues=1
ok "scale-up: it has carried all of it there" \
	test $(($(counter 0 su_tx_bytes) - su0)) -gt "$SIZE"
ok "scale-up: and back" test $(($(counter 1 su_tx_bytes) - su1)) -gt "$SIZE"
ok "scale-up: the wire carried the connecting" \
	test $(($(witness 0) - from0)) -lt 65536
session_end "scale-up"
ok "no domain" rmdir $CONFIG/domains/d/members/suo0 \
	$CONFIG/domains/d/members/suo1 $CONFIG/domains/d

# Devices go under I/O: the target's, which comes back, then the host's. Not the
# host's while it has no connection: nvme-rdma then looks at a device that it has
# let go (ctrl->device in nvme_rdma_remove_one()), whatever device that was.
session "devices go" nr_io_queues=1,reconnect_delay=2,keep_alive_tmo=15
umount $MNT
reader &
reading=$!
sleep 2
before=$(reconnects)
ok "devices go: the target's" rdma link delete suo1
ok "devices go: the host notices" wait_for 60 is_not_live
ok "devices go: the target's comes back" target_again
ok "devices go: and the host to it" wait_for 300 is_live
is "devices go: by a new connection" "$(reconnects)" $((before + 1))
sleep 2
ok "devices go: somebody reads" kill -0 $reading
ok "devices go: the host's" rdma link delete suo0
ok "devices go: the reader ends" wait_for 60 ended $reading
is "devices go: so does the controller" "$(ls /sys/class/nvme)" ""
ok "the target goes" target_down
ok "the host's device comes back" rdma link add suo0 type suo netdev v0

# Other completion contexts, a shared receive queue, the other family
FAMILY=ipv6 HOST=fd07::1 TARGET=fd07::2
need_ok "IPv6, SRQ, polling: a target" target_up use_srq=1
session "IPv6, SRQ, polling" nr_io_queues=1,nr_poll_queues=1
ok "IPv6, SRQ, polling: there is a shared receive queue" \
	sh -c 'rdma resource show srq | grep "dev suo1 "'
session_end "IPv6, SRQ, polling"
ok "IPv6, SRQ, polling: the target goes" target_down
ok "the module unloads, and takes its devices along" rmmod suo
tap_done
