#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Measure traffic between the eight members of a domain, for each profile of the
# catalogue, in modelled time, and judge it by closed forms (bench-domain.awk): within
# 1 %, or 20 modelled nanoseconds. Prints TAP, and leaves OUT-DIR.csv, the table.
#
# Usage: bench-domain.sh OUT-DIR [PROFILE...]

. "$(dirname "$0")/../qemu/lib.sh"
[ $# -ge 1 ] || { echo "Usage: bench-domain.sh OUT-DIR [PROFILE...]" >&2; exit 2; }
out=$1
shift
suo=${SUO_BUILD:-$SUO_TOP/build}/bin/suo
mkdir -p "$out/profiles"
[ $# != 0 ] || mapfile -t list < <("$suo" profile list | awk 'NR > 1 && !NF { exit } NR > 1 { print $1 }')
[ $# = 0 ] || list=("$@")

files=()
for profile in "${list[@]}"; do
	cat > "$out/profiles/$profile.yaml" << END
name: $profile
hosts: 1
accelerators: 8
scale_up:
  profile: $profile
scale_out:
  profile: roce-400g
lab:
  time_scale: 1000000
END
	env=$out/profiles/profile-$profile.env
	"$suo" cluster env "$out/profiles/$profile.yaml" > "$env"
	files+=("$(realpath "$env")")
done

cd "$SUO_TOP"
say "measuring ${#list[@]} profiles; this takes some minutes ..."
if ! tests/run-vm.sh tests/vm/bench-domain.sh "$out/vm" "${files[@]}" > "$out/vm.tap"; then
	cat "$out/vm.tap" >&2
	die "see $out/vm/console.log"
fi
grep "^# .*software's share" "$out/vm.tap"
awk -v csv="$out.csv" -v only="$*" -f tests/bench-domain.awk "$out/vm/domain.txt"
