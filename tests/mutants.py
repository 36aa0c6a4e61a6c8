#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Make mutated RoCEv2 packets for tests/vm/mutants.c: each kind of mistake is a
# function here; mutants_packet.py has what they change. The layers are scapy's, and
# ours where it has none; packets are made of them once for each kind, and changed
# as bytes by what scapy says of their fields. The numbers and keys of live queue
# pairs are added in the guest, which also computes checksums.
#
# Usage: mutants.py [--seed N] [--count N] OUT

import argparse
import random
import struct

from mutants_packet import (AtomicETH, BATCH, CMId, CNPPadding, CNP_OPCODE,
			    DETH, FIX_END, FIX_QPN, FIX_RKEY, FIX_RKEY_GONE,
			    FIX_RKEY_RO, FIX_RQ_PSN, FIX_SQ_PSN, FIX_VA,
			    F_BATCH, F_FRAGMENTS, F_HALF, F_ICRC, F_IP_CSUM,
			    F_OFFLOAD, F_SEGMENTS, F_UDP_CSUM, GSI, GSI_QKEY,
			    ICRC_LEN, LIVE, MAD, MTU, Mutant, NO_DATA,
			    OPS, QKEY, RC, RC_EMPTY, RC_INIT, RC_OPS,
			    RC_REQ, RC_SLOTS, RC_SMALL, RC_SRQ, RC_V6,
			    REQ, RESPONSES, RETH, UC, UC_V6, UD, UD_OPS,
			    any_request, is_v6, message, ops_of, path_mtu,
			    request)

KINDS = []


def kind(weight, name):
	def add(make):
		KINDS.append((name, weight, make))
		return make
	return add


@kind(8, "valid")
def valid(rng):
	slot = rng.choice(LIVE)
	if slot != UD and rng.random() < 0.4:
		return message(rng, slot)
	ops = [op for op in ops_of(slot) if op & 0x1f in
	       (4, 5, 10, 11, 12, 0x13, 0x14)]
	return [request(rng, slot, rng.choice(ops))]


@kind(5, "repeated")
def repeated(rng):
	slot = rng.choice(LIVE)
	m = request(rng, slot, rng.choice(list(ops_of(slot))))
	if slot != UD:
		m.set("BTH.psn", -rng.choice((0, 1, 1, 2, 3, 8)) & 0xffffff)
	return [m] * rng.randint(2, 6)


@kind(8, "PSN")
def psn(rng):
	m = any_request(rng, RC_SLOTS + (UC, UC_V6))
	d = rng.choice((1, 2, 3, 100, 1 << 22, (1 << 23) - 1, 1 << 23, (1 << 23) + 1,
			rng.getrandbits(24)))
	m.set("BTH.psn", rng.choice((d, -d)) & 0xffffff)
	return [m]


@kind(6, "ICRC")
def icrc(rng):
	m = any_request(rng, LIVE + (GSI,))
	m.icrc_xor = rng.choice((1 << rng.randrange(32), rng.getrandbits(32) | 1,
				 0xffffffff))
	return [m]


@kind(6, "opcode")
def opcode(rng):
	m = any_request(rng)
	m.set("BTH.opcode", rng.choice([op for op in range(256)
					if op not in OPS and op != CNP_OPCODE]))
	return [m]


@kind(4, "other opcode")
def other_opcode(rng):
	m = any_request(rng)
	m.set("BTH.opcode", rng.choice(list(OPS)))
	return [m]


@kind(3, "header version")
def header_version(rng):
	m = any_request(rng)
	m.set("BTH.version", rng.randint(1, 15))
	return [m]


@kind(3, "partition key")
def partition_key(rng):
	m = any_request(rng)
	m.set("BTH.pkey", rng.choice((0, 1, 0x7ffe, 0x8000, 0xfffe, 0x7fff,
				      rng.getrandbits(16))))
	return [m]


@kind(8, "bits of the BTH")
def bth_bits(rng):
	m = any_request(rng)
	m.flip(m.bth, m.bth + 12)
	return [m]


@kind(8, "bits behind it")
def ext_bits(rng):
	while True:
		m = any_request(rng)
		if len(m.buf) > m.bth + 12:
			break
	m.flip(m.bth + 12, len(m.buf))
	return [m]


@kind(8, "odd fields")
def odd_fields(rng):
	m = any_request(rng)
	m.lies = {"UDP.len": None, "IP.len": None, "IPv6.plen": None}
	total = len(m.buf) + m.fill + ICRC_LEN
	m.set("UDP.len", total - m.t.at["UDP"])
	m.set(*("IP.len", total - 14) if m.version == 4 else
	      ("IPv6.plen", total - 14 - 40))
	# Options, and other addresses of ours, are kinds of their own.
	fields = [name for name in m.t.fields if name not in
		  ("IP.ihl", "IP.dst", "IPv6.dst", "IP.src")]
	name = rng.choice(fields)
	m.odd(name)
	if name == "IP.chksum":
		m.flags &= ~F_IP_CSUM
	if name == "UDP.chksum":
		m.flags &= ~F_UDP_CSUM
	return [m]


@kind(6, "bits anywhere")
def raw_bits(rng):
	m = any_request(rng)
	m.flags &= ~(F_IP_CSUM | F_UDP_CSUM)
	total = len(m.buf) + m.fill + ICRC_LEN
	m.lies = {"UDP.len": None, "IP.len": None, "IPv6.plen": None}
	m.set("UDP.len", total - m.t.at["UDP"])
	if m.version == 4:
		m.set("IP.len", total - 14)
		m.set("IP.chksum", checksum(m.buf[14:34]))
	else:
		m.set("IPv6.plen", total - 14 - 40)
	m.flip(0, len(m.buf), 4)
	return [m]


def checksum(header):
	header[10:12] = b"\0\0"
	total = sum(struct.unpack(">%dH" % (len(header) // 2), header))
	while total >> 16:
		total = (total & 0xffff) + (total >> 16)
	return ~total & 0xffff


@kind(6, "truncated")
def truncated(rng):
	m = any_request(rng)
	m.lies["fill"] = 0
	m.buf = m.buf[:rng.randint(m.bth, len(m.buf))]
	if len(m.buf) < m.bth + 12 or rng.random() < 0.3:
		m.flags &= ~F_ICRC
	return [m]


@kind(5, "lengths")
def lengths(rng):
	m = any_request(rng)
	for name in rng.sample(("UDP.len", "IP.len" if m.version == 4 else
				"IPv6.plen"), rng.randint(1, 2)):
		m.lies[name] = rng.choice((-1, -2, -4, -8, -12, -16, -28, 1, 2, 4, 8,
					   64, -rng.randrange(1, 64),
					   rng.randrange(0x10000)))
	return [m]


@kind(4, "oversize")
def oversize(rng):
	while True:
		m = any_request(rng)
		if m.get("BTH.opcode") not in NO_DATA or rng.random() < 0.2:
			break
	most = MTU + 14 - len(m.buf) - ICRC_LEN - 3
	m.carry(rng.choice((path_mtu(m.slot) + 1, path_mtu(m.slot) + 4, most,
			    rng.randint(path_mtu(m.slot), most))))
	return [m]


@kind(5, "pad count")
def pad_count(rng):
	m = any_request(rng)
	m.lies["fill"] = rng.choice((0, 0, 1, 2, 3, 4, m.fill))
	m.set("BTH.padcount", rng.randrange(4))
	return [m]


@kind(6, "acknowledgments")
def acknowledgments(rng):
	m = request(rng, rng.choice((RC_REQ, RC_REQ, RC_REQ, RC)), 0x11)
	m.set("AETH.syndrome", rng.choice((rng.randrange(256), 0x1f, 0x60, 0x61, 0x62,
					   0x63, 0x20 | rng.randrange(32))))
	m.set("AETH.msn", rng.getrandbits(24))
	m.set("BTH.psn", rng.randint(-14, 2) & 0xffffff)
	return [m]


@kind(6, "answers")
def answers(rng):
	m = request(rng, rng.choice((RC_REQ, RC_REQ, RC_REQ, RC)),
		    rng.choice(RESPONSES),
		    rng.choice((0, 1, 8, 952, 1024, 1024, 3000)))
	m.set("BTH.psn", rng.randint(-14, 2) & 0xffffff)
	if m.has("AETH.syndrome") and rng.random() < 0.1:
		m.odd("AETH.syndrome")
	return [m]


@kind(6, "RETH")
def reth(rng):
	slot = rng.choice(RC_SLOTS + (UC, UC_V6))
	base = 0x20 if slot in (UC, UC_V6) else 0
	m = request(rng, slot, base | rng.choice((6, 10, 11) if base else
						 (6, 10, 11, 12)))
	m.set("RETH.dlen", rng.choice((0, 1, m.data - 1 & 0xffffffff, m.data + 1,
				       1 << 21, (1 << 21) + 1, 1 << 30, 1 << 31,
				       (1 << 31) + 1, 0xffffffff,
				       rng.getrandbits(32))))
	if rng.random() < 0.5:
		m.unfix("RETH.va")
		m.fix("RETH.va", rng.choice((FIX_VA, FIX_END)))
		m.set("RETH.va", -rng.randrange(8192) & (1 << 64) - 1)
	if rng.random() < 0.2:
		m.unfix("RETH.va")
		m.set("RETH.va", -rng.randrange(4096) & (1 << 64) - 1)
	return [m]


@kind(4, "keys")
def keys(rng):
	while True:
		m = any_request(rng, RC_SLOTS + (UC, UC_V6))
		names = [name for name in m.t.fields if name.endswith(".rkey")]
		if names:
			break
	m.unfix(names[0])
	how = rng.randrange(4)
	if how < 2:
		m.fix(names[0], (FIX_RKEY_RO, FIX_RKEY_GONE)[how])
	elif how == 2:
		m.fix(names[0], FIX_RKEY)
		m.set(names[0], 1 << rng.randrange(32))
	else:
		m.odd(names[0])
	return [m]


@kind(4, "atomics")
def atomics(rng):
	m = request(rng, rng.choice(RC_SLOTS), rng.choice((0x13, 0x14)))
	m.set("AtomicETH.va", rng.choice((1, 2, 4, 7, 0xfff, 0xffc,
					  rng.randrange(4096),
					  rng.getrandbits(64))))
	if rng.random() < 0.3:
		m.unfix("AtomicETH.va")
		m.fix("AtomicETH.va", FIX_END)
		m.set("AtomicETH.va", -rng.randrange(16) & (1 << 64) - 1)
	return [m]


@kind(4, "addresses")
def addresses(rng):
	slot = rng.choice(LIVE)
	code = rng.choice(list(ops_of(slot)))
	if rng.random() < 0.3:
		# The other family; fixes are for the same fields.
		m, right = Mutant(rng, slot, code, version=4 if is_v6(slot) else 6), \
			request(rng, slot, code)
		m.carry(right.data)
		if slot == UD:
			m.set("DETH.qkey", QKEY)
		else:
			m.fix("BTH.psn", FIX_RQ_PSN)
		return [m]
	m = request(rng, slot, code)
	if m.version == 4:
		m.set("IP.src", rng.choice((0x0a000102, 0x0a000001, 0x0a000002,
					    0x0a010101, 0x7f000001, 0, 0xe0000001,
					    0xffffffff, 0xc0000201)))
		if rng.random() < 0.2:
			m.set("IP.dst", 0xffffffff)
	else:
		m.odd("IPv6.src")
	return [m]


@kind(3, "IP options")
def ip_options(rng):
	slot = rng.choice((RC, UC, UD, RC_V6))
	code = rng.choice(list(ops_of(slot)))
	# Linux takes no more padding than to the next multiple of 8.
	m = Mutant(rng, slot, code, version=6 if is_v6(slot) else 4,
		   options=1 if is_v6(slot) else rng.randint(1, 10))
	m.carry(0 if code in NO_DATA else rng.randrange(100))
	return [m]


def whole_id():
	"""An identification that no piece that is left over has."""
	whole_id.last = (whole_id.last + 1) % 0x8000
	return whole_id.last


whole_id.last = 0


@kind(3, "fragments")
def fragments(rng):
	slot = rng.choice((RC, RC_SRQ, RC_REQ, UC, UD))
	m = Mutant(rng, slot, rng.choice(list(ops_of(slot))), version=4)
	right = request(rng, slot, m.get("BTH.opcode"))
	if right.version == 4:
		m = right
	elif slot == UD:
		m.set("DETH.qkey", QKEY)
		m.carry(100)
	m.flags |= F_FRAGMENTS
	if rng.random() < 0.2:
		m.flags |= F_HALF
	else:
		m.set("IP.id", whole_id())
	total = len(m.buf) - 34 + m.fill + ICRC_LEN
	m.segment = 8 * rng.randint(1, (total - 1) // 8)
	return [m]


@kind(4, "segments")
def segments(rng):
	"""Several packets in one datagram with the kernel's leave to cut it."""
	slot = rng.choice((RC, RC_SRQ, RC_V6, RC_SMALL, UC, UC_V6, UD, RC_REQ))
	base = 0x20 if slot in (UC, UC_V6) else 0
	mtu, n = path_mtu(slot), rng.randint(2, 24)
	if slot == UD:
		parts = [request(rng, slot, 0x64, 100) for _ in range(n)]
	elif rng.random() < 0.3:
		parts = [request(rng, slot, rng.choice(list(ops_of(slot))), 100)
			 for _ in range(n)]
	elif rng.random() < 0.3 and not base:
		parts = [request(rng, slot, 0x0e, mtu) for _ in range(n)]
	else:
		write = rng.random() < 0.5
		parts = [request(rng, slot, base | (6 if write else 0), mtu,
				 n * mtu)]
		parts += [request(rng, slot, base | (7 if write else 1), mtu)
			  for _ in range(n - 1)]
	size = max(len(m.buf) - m.bth for m in parts) + mtu + ICRC_LEN
	if slot == UD:
		size = 12 + 8 + 100 + ICRC_LEN
	whole, skew = parts[0], rng.choice((0, 0, 0, 1, 2))
	buf, fixes = bytearray(), []
	for i, m in enumerate(parts):
		part = m.buf[m.bth:]
		m.set("BTH.psn", i + (skew if i > n // 2 else 0) & 0xffffff)
		if rng.random() < 0.05:
			m.flip(m.bth, m.bth + 12, 2)
		part = m.buf[m.bth:]
		for at, what, size_of in m.fixes:
			if at >= m.bth and len(fixes) < 64 and \
			   (what in (FIX_QPN, FIX_RQ_PSN, FIX_SQ_PSN) or not i):
				fixes.append((len(buf) + at - m.bth, what, size_of))
		# A row ends with the first packet that is shorter.
		length = size if i < n - 1 or rng.random() < 0.5 else \
			rng.randint(len(part), size)
		buf += part + bytes(length - len(part))
	if len(buf) > 60000 or size > MTU - 48:
		return segments(rng)
	whole.buf, whole.fixes = buf, fixes
	whole.flags, whole.segment = F_SEGMENTS, size
	whole.lies["fill"] = 0
	whole.packets = n
	return [whole]


@kind(2, "offloads")
def offloads(rng):
	slot = rng.choice((RC, UC, UD, RC_REQ))
	while True:
		m = request(rng, slot, rng.choice(list(ops_of(slot))))
		if m.version == 4 and m.get("BTH.opcode") not in NO_DATA:
			break
	m.carry(rng.choice((rng.randint(1000, 60000), m.data, 4096)))
	m.flags = m.flags & ~F_UDP_CSUM | F_OFFLOAD
	m.set("IP.id", whole_id())
	# Fewer pieces than the kernel keeps of a packet that is not complete
	m.segment = rng.choice((512, 1480, 8960)) & ~7
	return [m]


@kind(2, "CNP")
def cnp(rng):
	m = Mutant(rng, rng.choice(LIVE), CNP_OPCODE, ext=[CNPPadding])
	m.set("BTH.becn", 1)
	return [m]


def mad(rng):
	attr = rng.choice((0x10, 0x10, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
			   0x17, 0x18, 0x19, 0x1a))
	m = Mutant(rng, GSI, 0x64, ext=[DETH, MAD, REQ if attr == 0x10 else CMId],
		   version=4)
	m.set("DETH.qkey", GSI_QKEY)
	m.set("DETH.sqpn", 1)
	for name, value in (("base", 1), ("mgmt", 7), ("version", 2), ("method", 3),
			    ("tid", rng.getrandbits(64)), ("attr", attr)):
		m.set("MAD." + name, value)
	if attr == 0x10:
		gid = 0xffff << 32
		for name, value in (
			("local_id", rng.randrange(1 << 32)),
			("service", 0x01060000 | rng.choice((7174, 7175))),
			("guid", 0x0253550000010001), ("qpn", 0x800000),
			("resources", 1), ("depth", 1), ("resp_timeout", 10),
			("local_timeout", 10), ("psn", rng.getrandbits(24)),
			("retry", 7), ("rnr", 7), ("pkey", 0xffff), ("mtu", 3),
			("max_retries", 1), ("local_lid", 0xffff),
			("remote_lid", 0xffff), ("local_gid", gid | 0x0a000101),
			("remote_gid", gid | 0x0a000001), ("hops", 64),
			("rate", 3), ("ack_timeout", 10), ("ip_version", 0x40),
			("port", rng.getrandbits(16)), ("src", 0x0a000101),
			("dst", 0x0a000001)):
			m.set("REQ." + name, value)
	else:
		m.set("CMId.local_id", rng.randrange(8))
		m.set("CMId.remote_id", rng.choice((rng.randrange(8),
						    rng.getrandbits(32))))
	m.carry(256 - (len(m.buf) - m.bth - 12 - 8))
	return m


@kind(5, "mad")
def mads(rng):
	m = mad(rng)
	return [m] * rng.choice((1, 1, 1, 2))


@kind(5, "mad, odd fields")
def mad_fields(rng):
	m = mad(rng)
	for _ in range(rng.randint(1, 3)):
		m.odd(rng.choice([name for name in m.t.fields if
				  name.split(".")[0] in ("MAD", "REQ", "CMId")]))
	return [m]


@kind(4, "mad, sizes")
def mad_sizes(rng):
	m = mad(rng)
	keep = rng.randint(m.bth + 20, len(m.buf))
	if rng.random() < 0.5:
		m.buf = m.buf[:keep]
	m.carry(rng.choice((0, 1, 24, 100, 255, 257, 1000, 4096)))
	return [m]


@kind(6, "datagrams")
def datagrams(rng):
	m = request(rng, UD, rng.choice(list(UD_OPS)),
		    rng.choice((0, 1, 4000, 4096, 4097, 8000)))
	if rng.random() < 0.5:
		m.odd("DETH.qkey")
	m.odd("DETH.sqpn")
	return [m]


@kind(4, "groups")
def groups(rng):
	version = rng.choice((4, 6))
	slot = rng.choice((UD, UD, UD, RC))
	m = Mutant(rng, slot, rng.choice(list(ops_of(slot))), version=version,
		   group=True)
	if slot == UD:
		m.set("DETH.qkey", QKEY)
		m.carry(rng.randrange(200))
		how = rng.randrange(6)
		if how == 0:
			m.odd("DETH.qkey")
		elif how == 1:
			m.icrc_xor = 1 << rng.randrange(32)
		elif how == 2:
			m.set("Ether.dst", 0x025355000001)
		elif how == 3:
			m.fix("BTH.dqpn", FIX_QPN)
			m.set("BTH.dqpn", 0)
	return [m]


@kind(3, "checksums")
def checksums(rng):
	m = any_request(rng)
	m.flags &= ~F_UDP_CSUM
	m.set("UDP.chksum", rng.randint(1, 0xffff))
	return [m]


@kind(3, "not ready")
def not_ready(rng):
	slot = rng.choice((RC_INIT, RC_EMPTY))
	return [request(rng, slot, rng.choice(list(RC_OPS)))]


def main():
	parser = argparse.ArgumentParser(description="mutated RoCEv2 packets")
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("--count", type=int, default=100000)
	parser.add_argument("out")
	args = parser.parse_args()
	rng = random.Random(args.seed)
	weights = [weight for _, weight, _ in KINDS]
	order = list(range(len(KINDS)))
	left = args.count
	with open(args.out, "wb") as out:
		out.write(b"suomut1\n" + struct.pack("<IB", args.seed, len(KINDS)))
		for name, _, _ in KINDS:
			out.write(name.encode().ljust(32, b"\0"))
		while left > 0:
			# Each kind once, then as it comes.
			nr = order.pop(0) if order else \
				rng.choices(range(len(KINDS)), weights)[0]
			size, first = 0, True
			want = min(left, BATCH - 24)
			while size < want:
				for m in KINDS[nr][2](rng):
					m.flags = m.flags & ~F_BATCH | \
						(F_BATCH if first else 0)
					out.write(m.record(nr))
					size += getattr(m, "packets", 1)
					first = False
					if size >= want:
						break
			left -= size


if __name__ == "__main__":
	main()
