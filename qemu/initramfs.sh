#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Build the base initramfs of the lab: our init, a small userland, the stock
# RDMA tools, what this tree has built, and the kernel modules they need.
#
# Usage: initramfs.sh [-m SUO.KO] [-L PROGRAM]... [-P PROGRAM]... [-M MODULE]...
#		KERNEL-DIR OUT.cpio
#   -L	also put in the libraries that PROGRAM, which comes by other ways, needs
#   -P	also put in PROGRAM; with a slash: a library below /usr/lib/ARCHITECTURE
#   -M	also carry a kernel module, with what it depends on; it is not loaded

. "$(dirname "$0")/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
need ldd xz modprobe modinfo depmod busybox gcc strip

usage()
{
	echo "Usage: initramfs.sh [-m SUO.KO] [-L PROGRAM]... [-P PROGRAM]... \
	[-M MODULE]... KERNEL-DIR OUT.cpio" >&2
	exit 2
}

suo_ko=
libs_of=() more_programs=() more_modules=()
while getopts m:L:P:M: opt; do
	case $opt in
	m) suo_ko=$OPTARG ;;
	L) libs_of+=("$OPTARG") ;;
	P) more_programs+=("$OPTARG") ;;
	M) more_modules+=("$OPTARG") ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || usage
kdir=$1
out=$2
build=${SUO_BUILD:-$SUO_TOP/build}
release=$(< "$kdir/release")
libdir=/usr/lib/$(gcc -print-multiarch)

# The tools must be Debian's own, not what a shell would take for them.
programs=(dash timeout chrt sleep ip rdma tc ss tcpdump
	ibv_devices ibv_devinfo ibv_rc_pingpong ibv_ud_pingpong ibv_uc_pingpong
	ibv_srq_pingpong ib_send_lat ib_send_bw ib_write_lat ib_write_bw
	ib_read_lat ib_read_bw ib_atomic_lat ib_atomic_bw
	fi_info fi_pingpong rping ucmatose udaddy mckey)
optional_programs=(ethtool sockperf)
applets=(awk basename cat chmod cmp cp cut date dd df diff dirname dmesg echo
	env expr find grep head hexdump hostname id insmod kill ln ls lsmod md5sum mkdir
	mkfifo mktemp modprobe mount mv nc nsenter od ping printf ps pwd rm rmdir
	rmmod sed seq setsid sha256sum sort stat stty sync tail tar taskset tee
	test time touch tr true false umount uname uniq unshare usleep wc xargs)
modules=(virtio_pci virtio_console virtio_net ib_core ib_uverbs rdma_cm
	rdma_ucm veth bridge)
# Compiled in, or not there at all, in one or the other kernel.
optional_modules=(af_packet configfs udp_tunnel ip6_udp_tunnel ib_umad ib_cm
	iw_cm crc32_pclmul crc32_generic crc32c_intel dummy tun macvlan
	sch_netem rdma_rxe siw)

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir -p "$root"/{dev,proc,sys,run,tmp,root,results,lab,etc} \
	"$root"/usr/{bin,lib/modules} "$root$libdir"
for d in bin sbin lib lib64; do
	ln -s "usr/${d/sbin/bin}" "$root/$d"
done
ln -s bin "$root/usr/sbin"
ln -s lib "$root/usr/lib64"

# add_elf SOURCE [TARGET]: a program or library, with the libraries it needs.
add_elf()
{
	local target=${2:-$1}

	install -D -m 755 "$1" "$root$target"
	case $1 in
	"$build"/*) strip --strip-unneeded "$root$target" ;;
	esac
	add_libs "$1"
}

add_libs()
{
	local lib

	while read -r lib; do
		[ -e "$root$lib" ] || install -D -m 755 "$lib" "$root$lib"
	done < <(ldd "$1" 2> /dev/null |
		awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }')
}

add_program()
{
	local path

	path=$(command -v "$1") || return 1
	add_elf "$(realpath "$path")" "/usr/bin/$1"
}

for p in "${programs[@]}"; do
	add_program "$p" || die "$p is missing; run 'make deps'"
done
for p in "${optional_programs[@]}"; do
	add_program "$p" || true
done
for p in "${more_programs[@]}"; do
	case $p in
	*/*)	[ -e "$libdir/$p" ] || die "$libdir/$p is missing"
		add_elf "$(realpath "$libdir/$p")" "$libdir/$p" ;;
	*)	add_program "$p" || die "$p is missing" ;;
	esac
done
install -m 755 "$(command -v busybox)" "$root/usr/bin/busybox"
for p in "${applets[@]}"; do
	[ -e "$root/usr/bin/$p" ] || ln -s busybox "$root/usr/bin/$p"
done
ln -s dash "$root/usr/bin/sh"

# The stock providers, and ours beside them.
for lib in "$libdir"/libibverbs/lib{rxe,siw}-rdmav*.so; do
	add_elf "$lib"
done
mkdir -p "$root/etc/libibverbs.d" "$root$libdir/libfabric"
cp /etc/libibverbs.d/{rxe,siw}.driver "$root/etc/libibverbs.d/"
for lib in "$build"/lib/libsuo-rdmav*.so; do
	[ -e "$lib" ] || continue
	add_elf "$lib" "$libdir/libibverbs/${lib##*/}"
	echo "driver suo" > "$root/etc/libibverbs.d/suo.driver"
done
for lib in "$build"/lib/libsuo-fi*.so; do
	[ ! -e "$lib" ] || add_elf "$lib" "$libdir/libfabric/${lib##*/}"
done
for p in "$build"/bin/*; do
	# The model's own tool runs on the host.
	[ ! -x "$p" ] || [ "${p##*/}" = suo ] ||
		add_elf "$p" "/usr/bin/${p##*/}"
done

for p in "${libs_of[@]}"; do
	add_libs "$p"
done
# glibc opens it when a thread is cancelled or exits.
add_elf "$(realpath "$libdir/libgcc_s.so.1")" "$libdir/libgcc_s.so.1"

# Kernel modules, listed in the order in which init loads them.
moddir=/usr/lib/modules/$release
mkdir -p "$root$moddir"
cp "$kdir/lib/modules/$release"/modules.builtin* "$root$moddir/"
: > "$root/etc/modules.load"

# add_module NAME LOAD: LOAD is 0 for a module that is only carried along.
add_module()
{
	local list file verb rest

	list=$(modprobe -d "$kdir" -S "$release" --show-depends "$1" \
		2> /dev/null) || return 1
	while read -r verb file rest; do
		[ "$verb" = insmod ] || continue
		rest=$moddir/${file##*/}
		rest=${rest%.xz}
		case $file in
		*.xz)	[ -e "$root$rest" ] || xz -dc "$file" > "$root$rest" ;;
		*)	[ -e "$root$rest" ] || cp "$file" "$root$rest" ;;
		esac
		if [ "$2" = 1 ] && ! grep -qx "$rest" "$root/etc/modules.load"; then
			echo "$rest" >> "$root/etc/modules.load"
		fi
	done <<< "$list"
}

if [ -n "$suo_ko" ]; then
	IFS=, read -ra needed < <(modinfo -F depends "$suo_ko") || true
	modules+=("${needed[@]}")
fi
for m in "${modules[@]}"; do
	add_module "$m" 1 || die "module $m is neither in $kdir nor built in"
done
for m in "${optional_modules[@]}"; do
	case $m in
	rdma_rxe | siw) add_module "$m" 0 || true ;;
	*) add_module "$m" 1 || true ;;
	esac
done
for m in "${more_modules[@]}"; do
	add_module "$m" 0 || die "module $m is neither in $kdir nor built in"
done
# Debugging information names the directory of the build; without it, the same
# sources make the same guest anywhere.
[ -z "$suo_ko" ] || strip --strip-debug -o "$root$moddir/suo.ko" "$suo_ko"
: > "$root$moddir/modules.order"
depmod -b "$root" "$release"

mkdir -p "$build/qemu"
${CC:-gcc} -O2 -Wall -Wextra -static -s -o "$root/init" "$SUO_TOP/qemu/init.c"
cp "$SUO_TOP"/qemu/guest/*.sh "$root/lab/"
echo "root:x:0:0:root:/root:/bin/sh" > "$root/etc/passwd"
echo "root:x:0:" > "$root/etc/group"
echo "127.0.0.1 localhost" > "$root/etc/hosts"

"$SUO_TOP/qemu/pack.sh" "$root" "$out"
