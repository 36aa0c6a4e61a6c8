#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# files: build/tests/shm/shm_data
#
# Two VMs, one domain: the stock tools, all operations, and no packet on any wire.

# shellcheck source=tests/shm/shm.inc
. /lab/shm.inc
[ "$VM" = 0 ] || serve

# refuses ERRNO-NAME VALUE: the attribute does not take it.
refuses()
{
	echo "$2" | dd of=$SHM_DOM/shared_memory 2> /tmp/why
	cat /tmp/why
	grep -q "$1" /tmp/why
}

ok "VM 0 comes up" shm_up
ok "VM 1 answers" until_ok 120 at 1 true
is "at first there is no shared memory" "$(cat $SHM_DOM/shared_memory)" ""
for bad in 5 0000:00:20.0 0000:100:05.0 0000:00:05.8 0000:00:05.0x automatic; do
	ok "'$bad' is no address" refuses "Invalid argument" $bad
done
for no in 0000:00:00.0 0000:00:1f.7 0001:00:04.0; do
	ok "there is no ivshmem device at $no" refuses "No such device" $no
done
ok "VM 0 takes the memory" put $SHM_DOM/shared_memory auto
ok "and says whose it is" grep -q '^0000:00:0[0-9a-f].0$' $SHM_DOM/shared_memory
ok "the domain has one already" refuses busy auto
address=$(cat $SHM_DOM/shared_memory)
ok "the device has our driver" [ -e "/sys/bus/pci/drivers/suo/$address" ]
mkdir /sys/kernel/config/suo/domains/other
ok "another domain cannot have it too" \
	eval "! echo $address > /sys/kernel/config/suo/domains/other/shared_memory"
rmdir /sys/kernel/config/suo/domains/other
# refuses_at_1 ERROR VALUE
refuses_at_1()
{
	at 1 "echo $2 | dd of=$SHM_DOM/shared_memory 2>&1" > /tmp/why
	cat /tmp/why
	grep -q "$1" /tmp/why
}
ok "VM 1 has two devices" refuses_at_1 "not unique" auto
small=$(at 1 "grep -l 0x1110 /sys/bus/pci/devices/*/device | cut -d/ -f6 |
	grep -v \"\$(memory)\"")
ok "of which one is too small" refuses_at_1 "No space" "$small"
ok "VM 1 takes the other" at 1 take
ok "VM 0 sees VM 1's members" until_ok 20 sees 3
is "by their names" "$(sed 's/^[0-9]* //' $SHM_DOM/remote_members | sort | xargs)" \
	"r1 s10 s11"
ok "VM 1 sees VM 0's" until_ok 20 at 1 sees 3

tcpdump -i any -w /tmp/any.pcap udp port 4791 2> /dev/null &
capture=$!
for size in 1 4096 65537; do
	ok "ibv_rc_pingpong, $size bytes, data checked" \
		xpair 1 s10 0 s00 18515 \
		ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s $size -n 50
done
ok "ibv_rc_pingpong with events" xpair 1 s10 0 s00 18515 \
	ibv_rc_pingpong -d @DEV@ -g @GID@ -c -e -n 50
ok "ibv_srq_pingpong, data checked" xpair 0 s00 1 s10 18515 \
	ibv_srq_pingpong -d @DEV@ -g @GID@ -c -n 50 -q 4
for tool in "ib_write_bw -s 65536" "ib_write_bw -b -s 65536" "ib_read_bw -s 65536" \
	    "ib_send_bw -e -s 65536" "ib_atomic_bw" "ib_send_lat -e -s 8" \
	    "ib_write_lat -s 8"; do
	ok "$tool" xpair 1 s10 0 s00 18515 \
		"$tool -F -u 18 -d @DEV@ -x @GID@ -n 100"
	# What was measured, for whoever reads it
	awk '/^ [0-9]/ { print "# " $0 }' /tmp/ok.log | while read -r line; do
		tap_line "$line"
	done
done
ok "from VM 1 to VM 0" xpair 0 s01 1 s11 18515 \
	"ib_write_bw -F -u 18 -s 65536 -n 100 -d @DEV@ -x @GID@"
ok "inside VM 0, as before" xpair 0 s00 0 s01 18515 \
	"ib_write_bw -F -u 18 -s 65536 -n 100 -d @DEV@ -x @GID@"

data s10 s00 merge data /lab/shm_data s00 all 10.99.0.2 7001

for dev in s00 s01; do
	is "$dev has sent no RoCEv2 packet" "$(stat_of $dev sent_pkts)" 0
	is "$dev has received none" "$(stat_of $dev rcvd_pkts)" 0
	ok "$dev has sent over the domain" [ "$(stat_of $dev su_tx_segments)" -gt 100 ]
	is "$dev has dropped nothing" "$(stat_of $dev rx_drops)" 0
done
sleep 1
kill $capture
wait $capture
is "none was seen on any netdev" "$(tcpdump -r /tmp/any.pcap 2> /dev/null | wc -l)" 0

# The connection manager speaks datagrams, which take the wire.
at 1 "timeout 60 rping -s -a 10.99.0.2 -C 20 -S 1000" > /tmp/rping.log 2>&1 &
rping=$!
ok "rping listens" until_ok 60 at 1 "rdma resource show cm_id | grep -q LISTEN"
before=$(stat_of r0 su_tx_segments)
ok "rping: connected by the wire" timeout 60 rping -c -a 10.99.0.2 -C 20 -S 1000
ok "and its server" wait $rping
ok "data by the memory" [ $(($(stat_of r0 su_tx_segments) - before)) -ge 40 ]
ok "the wire was used, too" [ "$(stat_of r0 sent_pkts)" -gt 0 ]

# 400 Mb/s, 10 ms. 8 bytes take their way and the answer's: 20 ms. 1000000 bytes
# take 8000000 / 400 = 20000 us of the link, and there and back 20000 us more.
for vm in 0 1; do
	at $vm "echo 400 > $SHM_DOM/rate_mbps; echo 10000000000 > $SHM_DOM/latency_ps"
done
ok "the link law holds" data s10 s00 \
	eval "/lab/shm_data s00 rate 10.99.0.2 7001 > /tmp/rate"
tap_line "# $(cat /tmp/rate)"
us_8_bytes=0 us_1000000_bytes=0
# shellcheck disable=SC2046
eval $(cat /tmp/rate)
ok "8 bytes are not faster than the law" [ "$us_8_bytes" -ge 20000 ]
ok "a million bytes neither" [ "$us_1000000_bytes" -ge 40000 ]
for vm in 0 1; do
	at $vm "echo 0 > $SHM_DOM/rate_mbps; echo 0 > $SHM_DOM/latency_ps"
done

# One bit in 10^6, and nobody to repair it: of 16 KiB, 131072 bits, one in 8 is hit,
# and a message of 65537 bytes has four of them.
errors()
{
	for vm in 0 1; do
		at $vm "echo $1 > $SHM_DOM/errors_per_pbit"
	done
}
errors 1000000000
ok "data checked, with bit errors" xpair 1 s10 0 s00 18515 \
	ibv_rc_pingpong -d @DEV@ -g @GID@ -c -s 65537 -n 20
ok "they have hit some" [ "$(stat_of s00 rx_drops)" -gt 0 ]
errors 0
ok "without a law they are what the machines make of them" data s10 s00 \
	eval "/lab/shm_data s00 rate 10.99.0.2 7001 > /tmp/rate"
tap_line "# $(cat /tmp/rate)"

# An address more changes what VM 1 says of a member, but not which member it is.
renumber()
{
	data s10 s00 eval "timeout 100 /lab/shm_data s00 steady 10.99.0.2 7001 5 & \
		sleep 1; at 1 'ip addr add 10.7.1.77/16 dev a0'; wait \$!"
}
ok "a member gets another address under traffic" renumber
sleep 1
GID_77=$(at 1 "grep -l 'ffff:0a07:014d\$' /sys/class/infiniband/s10/ports/1/gids/* |
	sed 's!.*/!!'")
at 1 "timeout 60 ibv_rc_pingpong -d s10 -g $GID_77 -c -n 20" > /tmp/server.log 2>&1 &
server=$!
until_ok 20 at 1 "ss -Hltn 'sport = :18515' | grep -q ."
before=$(stat_of s00 su_tx_segments)
ok "and can be reached by it" with_dev s00 \
	ibv_rc_pingpong -d @DEV@ -g @GID@ -c -n 20 10.99.0.2
wait $server
ok "by the memory" [ $(($(stat_of s00 su_tx_segments) - before)) -ge 20 ]
is "no RoCEv2 packet was sent to that end" "$(stat_of s00 sent_pkts)" 0

# leaves COMMAND...: what VM 1 does ends a connection with the right status.
leaves()
{
	data s10 s00 eval "timeout 100 /lab/shm_data s00 until 10.99.0.2 7001 & \
		sleep 2; at 1 '$*' > /tmp/leaves.log 2>&1 || echo; wait \$!"
}
ok "a member leaves under traffic" leaves "rmdir $SHM_DOM/members/s10"
ok "VM 0 sees it" until_ok 20 sees 2
ok "it joins again" at 1 "mkdir $SHM_DOM/members/s10"
ok "VM 0 sees it" until_ok 20 sees 3
ok "the domain parts under traffic" leaves "echo > $SHM_DOM/shared_memory"
ok "VM 0 sees nobody" until_ok 20 sees 0
ok "it joins again" at 1 take
ok "VM 0 sees it" until_ok 20 sees 3
ok "a device is deleted under traffic" leaves "rdma link delete s10"
ok "VM 0 sees that" until_ok 20 sees 2
ok "it is made again" at 1 "rdma link add s10 type suo netdev a0"
ok "VM 0 sees it" until_ok 20 sees 3
ok "data as before" data s10 s00 \
	eval "/lab/shm_data s00 rate 10.99.0.2 7001 > /tmp/rate"
ok "the driver is unbound under traffic" leaves \
	"echo $address > /sys/bus/pci/drivers/suo/unbind"
ok "VM 0 sees nobody" until_ok 20 sees 0
ok "VM 1 lets go and takes it again" at 1 \
	"echo > $SHM_DOM/shared_memory && take"
ok "VM 0 sees it" until_ok 20 sees 3

ok "VM 1 is told to end" at 1 "touch /tmp/end"
ok "VM 0 goes down and the module unloads" shm_down
ok "the device is nobody's" [ ! -e "/sys/bus/pci/devices/$address/driver" ]
tap_done
