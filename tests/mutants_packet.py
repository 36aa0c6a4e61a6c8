# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What mutants.py makes its packets of: layers, queue pairs, a packet as bytes."""

import struct

from scapy.fields import BitField, XBitField
from scapy.layers.inet import IP, UDP, IPOption_NOP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, PadN
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw
from scapy.contrib.roce import AETH, BTH, CNP_OPCODE, CNPPadding

MAC, PEER_MAC = "02:53:55:00:00:01", "02:53:55:00:01:01"
ADDR = {4: ("10.0.1.1", "10.0.0.1"), 6: ("fd00::1:1", "fd00::1")}
GROUP = {4: ("239.1.2.1", "01:00:5e:01:02:01"),
	 6: ("ff0e::1:2", "33:33:00:01:00:02")}
QKEY, GSI_QKEY = 0x11111111, 0x80010000
ICRC_LEN = 4
MTU = 9000
# Receives that a queue pair has posted (mutants_qps.c): a batch needs no more
BATCH = 128

# enum slot_nr in mutants.h
(RC, RC_SRQ, RC_REQ, RC_V6, RC_SMALL, RC_EMPTY, RC_INIT, UC, UC_V6, UD,
 GSI) = range(11)
RC_SLOTS = (RC, RC, RC_SRQ, RC_V6, RC_SMALL, RC_REQ)
LIVE = RC_SLOTS + (UC, UC_V6, UD)
SMALL_MTU, PATH_MTU = 256, 1024

# enum flags and enum fix in mutants.c
(F_ICRC, F_IP_CSUM, F_UDP_CSUM, F_SEGMENTS, F_FRAGMENTS, F_HALF, F_OFFLOAD,
 F_BATCH) = (1 << i for i in range(8))
(FIX_QPN, FIX_RQ_PSN, FIX_SQ_PSN, FIX_VA, FIX_END, FIX_RKEY, FIX_RKEY_RO,
 FIX_RKEY_GONE) = range(8)


def layer(name, *fields):
	desc = [XBitField(field, 0, bits) for field, bits in fields]
	return type(name, (Packet,), {"name": name, "fields_desc": desc})


DETH = layer("DETH", ("qkey", 32), ("resv", 8), ("sqpn", 24))
RETH = layer("RETH", ("va", 64), ("rkey", 32), ("dlen", 32))
AtomicETH = layer("AtomicETH", ("va", 64), ("rkey", 32), ("swap", 64),
		  ("compare", 64))
AtomicAckETH = layer("AtomicAckETH", ("orig", 64))
ImmDt = layer("ImmDt", ("imm", 32))
IETH = layer("IETH", ("rkey", 32))
MAD = layer("MAD", ("base", 8), ("mgmt", 8), ("version", 8), ("method", 8),
	    ("status", 16), ("specific", 16), ("tid", 64), ("attr", 16),
	    ("resv", 16), ("modifier", 32))
# IBA 12.6.5, as far as ib_cm and rdma_cm look at it
REQ = layer("REQ", ("local_id", 32), ("resv1", 32), ("service", 64),
	    ("guid", 64), ("resv2", 32), ("qkey", 32), ("qpn", 24),
	    ("resources", 8), ("eecn", 24), ("depth", 8), ("remote_eecn", 24),
	    ("resp_timeout", 5), ("transport", 2), ("flow", 1), ("psn", 24),
	    ("local_timeout", 5), ("retry", 3), ("pkey", 16), ("mtu", 4),
	    ("rdc", 1), ("rnr", 3), ("max_retries", 4), ("srq", 1), ("ext", 3),
	    ("local_lid", 16), ("remote_lid", 16), ("local_gid", 128),
	    ("remote_gid", 128), ("flow_label", 20), ("resv3", 6), ("rate", 6),
	    ("tclass", 8), ("hops", 8), ("sl", 4), ("subnet", 1), ("resv4", 3),
	    ("ack_timeout", 5), ("resv5", 3), ("alternate", 352),
	    ("cma_version", 8), ("ip_version", 8), ("port", 16), ("src", 128),
	    ("dst", 128))
CMId = layer("CMId", ("local_id", 32), ("remote_id", 32))

UD_OPS = {0x64: [DETH], 0x65: [DETH, ImmDt]}
UC_OPS = {op: [] for op in range(12)}
for op in (3, 5, 9):
	UC_OPS[op] = [ImmDt]
UC_OPS.update({6: [RETH], 10: [RETH], 11: [RETH, ImmDt]})
RC_OPS = dict(UC_OPS)
RC_OPS.update({0x0c: [RETH], 0x0d: [AETH], 0x0e: [], 0x0f: [AETH], 0x10: [AETH],
	       0x11: [AETH], 0x12: [AETH, AtomicAckETH], 0x13: [AtomicETH],
	       0x14: [AtomicETH], 0x16: [IETH], 0x17: [IETH]})
UC_OPS = {op | 0x20: ext for op, ext in UC_OPS.items()}
RESPONSES = (0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12)
NO_DATA = (0x0c, 0x11, 0x12, 0x13, 0x14)
OPS = {**RC_OPS, **UC_OPS, **UD_OPS}


def is_v6(slot):
	return slot in (RC_V6, UC_V6)


def ops_of(slot):
	if slot in (UD, GSI):
		return UD_OPS
	return UC_OPS if slot in (UC, UC_V6) else RC_OPS


def bits_of(field):
	return field.size if isinstance(field, BitField) else field.sz * 8


class Template:
	"""A packet's headers, and where each field is."""

	made = {}

	def __init__(self, packet):
		self.bytes = bytes(packet)[:-ICRC_LEN]
		self.fields = {}
		self.at = {}
		at = 0
		while packet and not isinstance(packet, Raw):
			name = packet.__class__.__name__
			self.at[name] = at // 8
			for field in packet.fields_desc:
				if field.name in ("icrc", "options", "autopad"):
					continue
				bits = int(bits_of(field))
				self.fields[name + "." + field.name] = (at, bits)
				at += bits
			if name == "IP":
				at = (self.at[name] + packet.ihl * 4) * 8
			elif name.startswith("IPv6Ext"):
				at = (self.at[name] + (packet.len + 1) * 8) * 8
			packet = packet.payload

	@classmethod
	def get(cls, version, opcode, ext=(), group=False, options=0):
		key = version, opcode, tuple(ext), group, options
		if key not in cls.made:
			cls.made[key] = cls(cls.packet(*key))
		return cls.made[key]

	@staticmethod
	def packet(version, opcode, ext, group, options):
		src, dst = ADDR[version]
		mac = MAC
		if group:
			dst, mac = GROUP[version]
		packet = Ether(src=PEER_MAC, dst=mac)
		if version == 4:
			packet /= IP(src=src, dst=dst, ttl=64,
				     options=[IPOption_NOP()] * (options * 4))
		else:
			packet /= IPv6(src=src, dst=dst, hlim=64)
		if version == 6 and options:
			packet /= IPv6ExtHdrDestOpt(options=[
				PadN(optdata=b"\0" * (options * 8 - 4))])
		packet /= UDP(sport=0xc000, dport=4791, chksum=0)
		packet /= BTH(opcode=opcode, pkey=0xffff, migreq=1, icrc=0)
		for header in ext:
			packet /= header()
		# What scapy only computes as it goes is wanted as a field.
		raw = bytes(packet)
		ip = packet.getlayer(IP)
		if ip:
			ip.ihl = raw[14] & 15
		ext = packet.getlayer(IPv6ExtHdrDestOpt)
		if ext:
			ext.len = raw[14 + 40 + 1]
		return packet


class Mutant:
	def __init__(self, rng, slot, opcode, ext=None, version=None, group=False,
		     options=0):
		if ext is None:
			ext = OPS[opcode]
		if version is None:
			version = 6 if is_v6(slot) else 4
			if slot == UD and rng.random() < 0.3:
				version = 6
		self.t = Template.get(version, opcode, ext, group, options)
		self.rng = rng
		self.buf = bytearray(self.t.bytes)
		self.version = version
		self.slot = slot
		self.fixes = []
		self.data = 0
		self.flags = F_ICRC | (F_IP_CSUM if version == 4 else 0)
		self.segment = 0
		self.icrc_xor = 0
		self.lies = {}
		self.set("UDP.sport", rng.randrange(0xc000, 0x10000))
		# The lower half is for those that come in pieces: see whole_id().
		if version == 4:
			self.set("IP.id", 0x8000 | rng.randrange(0x8000))
		# Without a checksum the device takes it before the stack does.
		if rng.random() < 0.2:
			self.flags |= F_UDP_CSUM
		if group:
			self.set("BTH.dqpn", 0xffffff)
		else:
			self.fix("BTH.dqpn", FIX_QPN)

	@property
	def bth(self):
		return self.t.at["BTH"]

	def has(self, name):
		return name in self.t.fields

	def get(self, name):
		at, bits = self.t.fields[name]
		end = (at + bits + 7) // 8
		word = int.from_bytes(self.buf[at // 8:end], "big")
		return word >> (end * 8 - at - bits) & ((1 << bits) - 1)

	def set(self, name, value):
		at, bits = self.t.fields[name]
		first, end = at // 8, (at + bits + 7) // 8
		shift = end * 8 - at - bits
		mask = ((1 << bits) - 1) << shift
		word = int.from_bytes(self.buf[first:end], "big")
		word = word & ~mask | value << shift & mask
		self.buf[first:end] = word.to_bytes(end - first, "big")

	def fix(self, name, what):
		at, bits = self.t.fields[name]
		self.fixes.append((at // 8, what, bits // 8))

	def unfix(self, name):
		at = self.t.fields[name][0] // 8
		self.fixes = [fix for fix in self.fixes if fix[0] != at]

	def flip(self, first, end, most=3):
		for _ in range(self.rng.randint(1, most)):
			bit = self.rng.randrange(first * 8, end * 8)
			self.buf[bit // 8] ^= 1 << bit % 8

	def odd(self, name):
		"""A value from where mistakes are made."""
		bits = self.t.fields[name][1]
		now, top = self.get(name), (1 << bits) - 1
		self.set(name, self.rng.choice((
			0, 1, 2, top, top - 1, top >> 1, (top >> 1) + 1, now + 1,
			now - 1, now ^ 1 << self.rng.randrange(bits),
			self.rng.getrandbits(bits), self.rng.getrandbits(bits))) & top)

	def carry(self, data):
		self.data = data
		self.set("BTH.padcount", -data & 3)
		return self

	@property
	def fill(self):
		return self.data + self.pad

	@property
	def pad(self):
		return -self.data & 3

	def record(self, kind):
		fill = self.lies.get("fill", self.fill)
		total = len(self.buf) + fill + (ICRC_LEN if self.flags & F_ICRC else 0)
		udp = self.t.at["UDP"]
		if self.flags & F_SEGMENTS:
			return self.pack(kind, 0, bytes(self.buf), fill)
		self.length("UDP.len", total - udp)
		if self.version == 4:
			self.length("IP.len", total - 14)
		else:
			self.length("IPv6.plen", total - 14 - 40)
		return self.pack(kind, self.bth, bytes(self.buf), fill)

	def length(self, name, value):
		if name not in self.lies:
			self.set(name, value & 0xffff)
		elif self.lies[name] is not None:
			self.set(name, value + self.lies[name] & 0xffff)

	def pack(self, kind, bth, buf, fill):
		return struct.pack("<BBBBHHHHI", kind, self.slot, self.flags,
				   len(self.fixes), bth, len(buf), fill,
				   self.segment, self.icrc_xor) + \
			b"".join(struct.pack("<HBB", *fix) for fix in self.fixes) + buf


def path_mtu(slot):
	if slot in (UD, GSI):
		return 4096
	return SMALL_MTU if slot == RC_SMALL else PATH_MTU


def request(rng, slot, opcode, data=None, dlen=None):
	"""A request that is right, if the queue pair waits for its like."""
	m = Mutant(rng, slot, opcode)
	op, mtu = opcode & 0x1f, path_mtu(slot)
	if opcode in NO_DATA:
		data = 0
	elif data is None:
		full = opcode >> 5 < 3 and op in (0, 1, 6, 7, 0x0d, 0x0e)
		data = mtu if full else rng.choice((
			1, 2, 3, 4, 5, 64, rng.randint(1, mtu), mtu))
	m.carry(data)
	m.set("BTH.ackreq", rng.random() < 0.5)
	m.set("BTH.solicited", rng.random() < 0.1)
	if slot in (UD, GSI):
		m.set("DETH.qkey", QKEY if slot == UD else GSI_QKEY)
		m.set("DETH.sqpn", 1 if slot == GSI else 0x800000)
		m.set("BTH.psn", rng.getrandbits(24))
	else:
		m.fix("BTH.psn", FIX_SQ_PSN if opcode in RESPONSES else FIX_RQ_PSN)
	if m.has("RETH.va"):
		m.fix("RETH.va", FIX_VA)
		m.fix("RETH.rkey", FIX_RKEY)
		m.set("RETH.va", rng.randrange(4096))
		if dlen is None:
			dlen = rng.choice((1, 100, mtu, 3000)) if op == 0x0c else \
				data if op != 6 else 2 * mtu + 5
		m.set("RETH.dlen", dlen)
	if m.has("AtomicETH.va"):
		m.fix("AtomicETH.va", FIX_VA)
		m.fix("AtomicETH.rkey", FIX_RKEY)
		m.set("AtomicETH.va", 8 * rng.randrange(512))
		m.set("AtomicETH.swap", rng.getrandbits(64))
	if m.has("IETH.rkey"):
		m.fix("IETH.rkey", rng.choice((FIX_RKEY, FIX_RKEY_RO, FIX_RKEY_GONE)))
	if m.has("AETH.syndrome"):
		m.set("AETH.syndrome", 0x1f)
	return m


def any_request(rng, slots=LIVE):
	slot = rng.choice(slots)
	return request(rng, slot, rng.choice(list(ops_of(slot))))


def message(rng, slot):
	"""A message of several packets."""
	base = 0x20 if slot in (UC, UC_V6) else 0
	mtu, write = path_mtu(slot), rng.random() < 0.5
	middle, tail = rng.randrange(4), rng.choice((1, 5, mtu))
	first, mid, last = (6, 7, rng.choice((8, 9))) if write else \
		(0, 1, rng.choice((2, 3)))
	return [request(rng, slot, base | first, mtu, (middle + 1) * mtu + tail)] + \
		[request(rng, slot, base | mid, mtu) for _ in range(middle)] + \
		[request(rng, slot, base | last, tail)]
