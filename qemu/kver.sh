#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Print the newest kernel release whose headers are installed (empty if none).

for dir in /usr/src/linux-headers-*-amd64; do
	[ -e "$dir/Makefile" ] && echo "${dir#/usr/src/linux-headers-}"
done | sort -V | tail -n 1
