# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Judge how long traffic between members of a domain took, against closed forms that
# are worked out here, from what the links' specifications say, and know nothing of
# the program's own law or catalogue.
#
# Input:  PROFILE PATTERN SIZE NS FLOWS
# Output: TAP on stdout; the variable csv names the file for
#	  profile,pattern,size_bytes,measured_ns,closed_form_ns,deviation_pct
# The variable only, if it is set, names the profiles that were to be measured.
#
# Rates are raw, gigabits a second (bits a nanosecond); latencies are one way, through
# one switch, nanoseconds.

function link(name, gbps, ns, kind)
{
	rate[name] = gbps
	latency[name] = ns
	framing[name] = kind
}

function ceil(x)
{
	return x == int(x) ? x : int(x) + 1
}

# What is left of a packet, with its framing, is a frame of 64 bytes and 20 of preamble
# and gap at least.
function ethernet(size, payload, header,	full, rest)
{
	full = int(size / payload)
	rest = size - full * payload
	if (rest || !size)
		rest = rest + header < 84 ? 84 : rest + header
	return full * (payload + header) + rest
}

# Bytes on the wire, real ones: parts of a frame that others fill up count as parts.
function wire(kind, size,	full, rest)
{
	if (kind == "nvlink") {
		# Flits of 16 bytes, 16 of them and one of header a packet.
		full = int(size / 256)
		rest = size - full * 256
		return full * 17 * 16 + (rest || !size ? (ceil(rest / 16) + 1) * 16 : 0)
	}
	if (kind == "ualink") {
		# Packets of 256 bytes and 14 of control; 628 bytes in 640.
		full = int(size / 256)
		rest = size - full * 256
		return (full * 270 + (rest || !size ? rest + 14 : 0)) * 640 / 628
	}
	if (kind == "xgmi") {
		# Lines of 64 bytes with 12 of header, in words of 4.
		full = int(size / 64)
		rest = size - full * 64
		return full * 76 + (rest || !size ? (ceil(rest / 4) + 3) * 4 : 0)
	}
	# Lines of 64 bytes in four slots of 16, and a slot for the request; four slots
	# in a flit of 68 bytes, or fifteen in one of 256.
	full = size ? ceil(size / 64) * 5 : 1
	if (kind == "cxl2")
		return full / 4 * 68
	if (kind == "cxl3")
		return full / 15 * 256
	if (kind == "sue")
		return ethernet(size, 256, 10 + 20 + 4)
	if (kind == "uec")
		return ethernet(size, 4096, 64)
	# Preamble and gap, Ethernet, IPv4, UDP, BTH, ICRC, FCS
	return ethernet(size, 4096, 20 + 14 + 20 + 8 + 12 + 4 + 4)
}

function ns(name, bytes)
{
	return bytes * 8 / rate[name]
}

# One way, the last byte of the last flow; the slowest port carries so many of them.
function closed(name, pattern, size,	one)
{
	one = ns(name, wire(framing[name], size))
	if (pattern == "one" || pattern == "both")
		return latency[name] + one
	if (pattern == "two")
		return latency[name] + 2 * one
	if (pattern == "all")
		return latency[name] + 7 * one
	if (pattern == "read")
		return 2 * latency[name] + ns(name, wire(framing[name], 0)) + one
	return 0
}

BEGIN {
	# 25 or 50 GB/s of payload a link: 17 flits carry 16.
	link("nvlink3", 12 * 25 * 8 * 17 / 16, 413, "nvlink")
	link("nvlink4", 18 * 25 * 8 * 17 / 16, 413, "nvlink")
	link("nvlink5", 18 * 50 * 8 * 17 / 16, 413, "nvlink")
	link("nvlink6", 36 * 50 * 8 * 17 / 16, 413, "nvlink")
	link("ualink200", 4 * 200, 160 + 150 + 2 * (40 + 5), "ualink")
	link("xgmi4", 7 * 16 * 32, 400 + 2, "xgmi")
	link("cxl2", 16 * 32, 105 + 42.5, "cxl2")
	link("cxl3", 16 * 64, 105 + 42.5, "cxl3")
	link("sue", 800, 2000 / 2, "sue")
	link("sue-lite", 400, 2000 / 2, "sue")
	link("esun-base", 800, 610 + 500 + 2 * (60 + 10), "sue")
	link("esun-extended", 800, 610 + 250 + 2 * (60 + 10), "sue")
	link("uec", 800, 1000 + 500 + 2 * (60 + 10), "uec")
	for (gbps = 100; gbps <= 800; gbps *= 2)
		link("roce-" gbps "g", gbps, 1750 + 700 + 2 * 25, "roce")
	print "profile,pattern,size_bytes,measured_ns,closed_form_ns,deviation_pct" > csv
}

{
	name = $1
	what = name " " $2 " " $3
	n++
	if (!(name in rate)) {
		printf "not ok %d - %s: no closed form for this profile\n", n, what
		next
	}
	want = closed(name, $2, $3)
	off = $4 - want
	if (off < 0)
		off = -off
	printf "%s,%s,%d,%.3f,%.3f,%.3f\n", name, $2, $3, $4, want,
		($4 - want) / want * 100 > csv
	good = want && (off <= 20 || off <= want / 100)
	printf "%s %d - %s: %.3f ns, %.3f by the closed form\n",
		good ? "ok" : "not ok", n, what, $4, want
	seen[name] = 1
}

END {
	if (only) {
		split("", rate)
		for (i = split(only, names, " "); i; i--)
			rate[names[i]] = 1
	}
	for (name in rate) {
		n++
		printf "%s %d - %s was measured\n", name in seen ? "ok" : "not ok",
			n, name
	}
	print "1.." n
}
