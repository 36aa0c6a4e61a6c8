#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make a new Debian 12 system in a directory, with nothing but make and git in it,
# clone the committed tree into it, and run what README says: "make demo" and
# "make check". What "make deps" forgets to install is found here. The system is
# removed at the end, also when this is interrupted. Needs root and 10 GB.
#
# Usage: fresh-root.sh [TARGET...]		default: demo check

. "$(dirname "$0")/../qemu/lib.sh"
need mmdebstrap unshare git
[ "$(id -u)" = 0 ] || die "only root can make a root"
[ $# != 0 ] || set -- demo check
logs=${SUO_BUILD:-$SUO_TOP/build}/fresh-root
mkdir -p "$logs" "$SUO_CACHE"

cache_lock fresh-root
scratch_dir fresh-root
root=$SCRATCH

# The machine's own sources, but only those of the release.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
	if [ -s "$file" ] &&
	   grep -qE '^(Suites:|deb ).*\<bookworm(-updates|-security|/updates)?\>' "$file"; then
		sources+=("$file")
	fi
done
say "making a Debian 12 root ..."
mmdebstrap --quiet --variant=minbase --mode=root \
	--include=make,git,ca-certificates bookworm "$root" "${sources[@]}" \
	> "$logs/mmdebstrap.log" 2>&1 < /dev/null ||
	{ tail -n 20 "$logs/mmdebstrap.log" >&2; die "mmdebstrap failed"; }
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
git -c safe.directory='*' clone -q --no-hardlinks "$SUO_TOP" "$root/root/suo"

# inside COMMAND...: with mounts and processes that end with it.
inside()
{
	# shellcheck disable=SC2016
	unshare --mount --pid --fork --kill-child --propagation private \
		/bin/bash -c '
		set -e
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		mount -t tmpfs -o mode=755 dev "$root/dev"
		mkdir "$root/dev/shm" "$root/dev/pts"
		mount -t tmpfs shm "$root/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=666 pts "$root/dev/pts"
		ln -s pts/ptmx "$root/dev/ptmx"
		ln -s /proc/self/fd "$root/dev/fd"
		for node in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" \
			    "urandom 1 9" "tty 5 0"; do
			set -- $node "$@"
			mknod -m 666 "$root/dev/$1" c $2 $3
			shift 3
		done
		exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			${http_proxy:+http_proxy="$http_proxy"} \
			${https_proxy:+https_proxy="$https_proxy"} "$@"
	' bash "$root" "$@" < /dev/null
}

failed=
for target in "$@"; do
	say "make $target ..."
	start=$SECONDS status=0
	inside make -C /root/suo --no-print-directory "$target" \
		> "$logs/$target.log" 2>&1 || status=$?
	say "make $target: exit status $status after $((SECONDS - start)) s: $(
		tail -n 1 "$logs/$target.log")"
	if [ $status != 0 ]; then
		tail -n 40 "$logs/$target.log" >&2
		failed="$failed $target"
	fi
done
for dir in demo check; do
	[ ! -d "$root/root/suo/build/$dir" ] ||
		cp -r "$root/root/suo/build/$dir" "$logs/"
done
[ -z "$failed" ] || die "in a new Debian system, this failed:$failed"
say "a new Debian system can do: $*"
