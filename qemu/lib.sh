# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Common to the host side of the lab. To be sourced by bash.

set -euo pipefail
export LC_ALL=C

SUO_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# What is downloaded or takes minutes to build outlives "make clean".
SUO_CACHE=${SUO_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/suo}

say()
{
	echo "${0##*/}: $*" >&2
}

die()
{
	say "Error: $*"
	exit 1
}

need()
{
	local tool

	for tool in "$@"; do
		command -v "$tool" > /dev/null ||
			PATH=$PATH:/usr/sbin:/sbin command -v "$tool" > /dev/null ||
			die "$tool is missing; run 'make deps'"
	done
}

# cache_lock NAME: one process at a time fills a part of the cache. The lock
# is the kernel's, on an open file: it ends with the process, however it ends.
cache_lock()
{
	mkdir -p "$SUO_CACHE"
	exec 9> "$SUO_CACHE/$1.lock"
	if ! flock -n 9; then
		say "waiting for another process that prepares the $1 ..."
		flock 9
	fi
}

cache_unlock()
{
	exec 9>&-
}

# scratch_dir PREFIX: a directory in the cache that is removed at exit; sets
# SCRATCH. Leftovers of runs that were killed go too: with the lock held,
# nobody else can own them.
scratch_dir()
{
	rm -rf "$SUO_CACHE/$1".tmp.*
	SCRATCH=$(mktemp -d "$SUO_CACHE/$1.tmp.XXXXXX")
	trap 'rm -rf "$SCRATCH"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# fetch_deb PACKAGE VERSION: download into $SCRATCH and unpack there.
fetch_deb()
{
	local opt=()

	# apt drops to a user who cannot write here.
	[ "$(id -u)" != 0 ] || opt=(-o APT::Sandbox::User=root)
	(
		cd "$SCRATCH"
		apt-get "${opt[@]}" download "$1=$2" >&2 ||
			apt-get "${opt[@]}" download "$1" >&2
	) || die "cannot download $1; is 'apt-get update' due?"
	dpkg-deb -x "$SCRATCH/${1}"_*.deb "$SCRATCH" ||
		die "cannot unpack $1"
	rm -f "$SCRATCH/${1}"_*.deb
}

# unpack_debs DIR FILE...: their files only, nothing is installed.
unpack_debs()
{
	local dir=$1 deb

	shift
	for deb in "$@"; do
		dpkg-deb --fsys-tarfile "$deb" |
			tar -x --keep-directory-symlink --no-same-owner -C "$dir" ||
			die "cannot unpack ${deb##*/}"
	done
}

# suite_apt DIR SUITE: lists, sources and a package database of another suite's, below
# DIR. From then on "own TOOL ARGUMENT..." is apt with these, on top of what the
# machine's says (a proxy).
suite_apt()
{
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg mirror

	SUITE_APT=$1
	mkdir -p "$1"/{lists/partial,archives/partial,none}
	# The machine's own mirror, whatever it is called.
	# shellcheck disable=SC2016 # apt's variables
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' |
		awk '$2 !~ /[-\/]/ && $3 == "main" { print $1; exit }')
	[ -n "$mirror" ] || die "apt has no Debian mirror among its sources"
	echo "deb [signed-by=$keyring] $mirror $2 main" > "$1/sources.list"
	: > "$1/status"
	cat > "$1/apt.conf" << EOF
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "$1/none";
Dir::Etc::preferences "$1/none/none";
Dir::Etc::preferencesparts "$1/none";
Dir::State::status "$1/status";
Dir::State::lists "$1/lists";
Dir::State::extended_states "$1/extended_states";
Dir::Cache::archives "$1/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
APT::Sandbox::User "root";
APT::Default-Release "";
APT::Install-Recommends "false";
EOF
}

own()
{
	local tool=$1

	shift
	"$tool" -c "$SUITE_APT/apt.conf" "$@"
}

# extract_vmlinux BZIMAGE OUT: the kernel proper is a compressed stream somewhere
# in the image. Debian 12 compresses with xz, later ones with zstd.
extract_vmlinux()
{
	local tool at

	for tool in xz zstd; do
		command -v $tool > /dev/null || continue
		case $tool in
		xz)	grep -aobP '\xfd7zXZ\x00' "$1" ;;
		zstd)	grep -aobP '\x28\xb5\x2f\xfd' "$1" ;;
		esac | cut -d: -f1 > "$SCRATCH/offsets"
		while read -r at; do
			# The whole stream is written, then comes a complaint
			# about what follows.
			tail -c "+$((at + 1))" "$1" | $tool -dc > "$2" 2> /dev/null || true
			if [ "$(head -c 4 "$2" | tail -c 3)" = ELF ]; then
				return 0
			fi
		done < "$SCRATCH/offsets"
	done
	return 1
}

# make_overlay OUT.cpio MAIN FILE...: an initramfs that lays FILEs into /lab,
# MAIN as /lab/main.
make_overlay()
{
	local out=$1 main=$2 dir

	shift 2
	dir=$(mktemp -d)
	mkdir "$dir/lab"
	cp "$main" "$dir/lab/main"
	[ $# = 0 ] || cp "$@" "$dir/lab/"
	"$SUO_TOP/qemu/pack.sh" "$dir" "$out"
	rm -rf "$dir"
}
