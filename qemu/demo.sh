#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Run the cluster of a cluster file in the lab, measure AllReduce on it and put
# the result next to what the model predicts.
#
# Usage: demo.sh [-V] CLUSTER.yaml KERNEL-DIR SUO.KO OUT-DIR
#   -V	one VM a host, joined by a socket network. Its times are indicative:
#	they depend on the machine that runs it.

. "$(dirname "$0")/lib.sh"
build=${SUO_BUILD:-$SUO_TOP/build}
suo=$build/bin/suo
qemu=$SUO_TOP/qemu

# Several VMs run on the real clock, where a modelled second costs time.
vms_time_scale=20000
vms_port=18515
socks="" other=""

vms=0
while getopts V opt; do
	case $opt in
	V) vms=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
if [ $# != 4 ]; then
	echo "Usage: demo.sh [-V] CLUSTER.yaml KERNEL-DIR SUO.KO OUT-DIR" >&2
	exit 2
fi
cluster=$1 kdir=$2 ko=$3 out=$4

rm -rf "$out"
mkdir -p "$out/lab"
# A bad cluster file ends here, with the tool's own message and status.
"$suo" cluster env "$cluster" > "$out/lab/cluster.env"
cp "$cluster" "$out/lab/cluster.yaml"

say "packing the lab ..."
"$qemu/initramfs.sh" -m "$ko" "$kdir" "$out/lab/base.cpio"

run_one()
{
	make_overlay "$out/lab/overlay.cpio" "$qemu/guest/demo-main.sh" \
		"$out/lab/cluster.env" "$out/lab/cluster.yaml"
	say "running $cluster in one VM on the icount clock ..."
	"$qemu/vm.sh" -m 1024 -t 840 -l "$out/lab/overlay.cpio" \
		"$kdir" "$out/lab/base.cpio" "$out/lab"
}

# run_host H: the VM that carries host H, on its end of the socket pair.
run_host()
{
	local dir=$out/lab/vm$1 net

	mkdir -p "$dir"
	{
		cat "$out/lab/cluster.env"
		echo "SUO_LAB_HOST='$1'"
		echo "SUO_LAB_RENDEZVOUS='tcp:10.0.0.1:$vms_port'"
		echo "SUO_TIME_SCALE='$vms_time_scale'"
	} > "$dir/cluster.env"
	make_overlay "$dir/overlay.cpio" "$qemu/guest/demo-main.sh" \
		"$dir/cluster.env"
	net=dgram,id=n0,local.type=unix,local.path=$socks/$1
	net+=,remote.type=unix,remote.path=$socks/$((1 - $1))
	"$qemu/vm.sh" -c real -m 768 -t 840 -l "$dir/overlay.cpio" \
		-q -netdev -q "$net" \
		-q -device -q "virtio-net-pci,netdev=n0,host_mtu=9000,mac=02:53:55:fe:00:0$1" \
		"$kdir" "$out/lab/base.cpio" "$dir"
}

run_vms()
{
	local hosts status=0

	! grep -q "^SUO_LAB_FABRIC='switch'" "$out/lab/cluster.env" ||
		die "$cluster: the lab of several VMs has no switches: lab.fabric"
	hosts=$(sed -n "s/^SUO_HOSTS='\(.*\)'$/\1/p" "$out/lab/cluster.env")
	[ "$hosts" = 2 ] ||
		die "$cluster has $hosts hosts; the lab of several VMs joins two"
	# The path of a unix socket has room for 107 characters only.
	socks=$(mktemp -d)
	trap 'kill $other 2> /dev/null || true; rm -rf "$socks"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	say "running $cluster in two VMs on the real clock ..."
	run_host 1 &
	other=$!
	run_host 0 || status=$?
	wait $other || status=$?
	other=
	cp "$out/lab/vm0"/allreduce.* "$out/lab/" 2> /dev/null || true
	cat "$out"/lab/vm?/console.log > "$out/lab/console.log"
	return $status
}

status=0
if [ $vms = 1 ]; then
	run_vms || status=$?
else
	run_one || status=$?
fi
cp "$out/lab/console.log" "$out/console.log"
cp "$out/lab"/allreduce.raw.csv "$out/" 2> /dev/null || true
[ $status = 0 ] || die "the run failed; see $out/console.log"

"$suo" predict "$cluster" --join "$out/allreduce.raw.csv" --csv "$out/allreduce.csv"
"$suo" report "$out/allreduce.csv" --svg "$out/report.svg"
rm -f "$out"/lab/*.cpio "$out"/lab/vm?/*.cpio
echo
if [ $vms = 1 ]; then
	echo "These times depend on the machine that runs the VMs; 'make demo' measures."
fi
echo "Measured and predicted:	$out/allreduce.csv"
echo "Plot of both:		$out/report.svg"
echo "What the lab said:	$out/console.log"
