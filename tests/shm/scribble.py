#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Write garbage into the memory that VMs share, while they use it.

The layout is worked out here from its description in Documentation/design/ivshmem.rst,
so that the garbage hits what is looked at. A seed gives the same garbage again.
"""
import argparse
import mmap
import random
import struct
import time

PAGE = 4096
SLOTS, MEMBERS, ENTRY, CTL = 8, 64, 512, 128
SLOT = -(-(64 + MEMBERS * ENTRY) // PAGE) * PAGE
PAIRS = SLOTS * (SLOTS - 1)
CTLS = PAGE + SLOTS * SLOT
RINGS = CTLS + -(-PAIRS * CTL // PAGE) * PAGE


def ring_bytes(size):
    """The largest power of two of which all rings fit."""
    ring = 65536
    while ring < 4 << 20 and RINGS + 2 * ring * PAIRS <= size:
        ring *= 2
    return ring


class Scribbler:
    """Knows where things are, and what hurts there."""

    def __init__(self, memory, rng):
        self.mem = memory
        self.rng = rng
        self.ring = ring_bytes(len(memory))
        self.counts = {}

    def value(self, width):
        """A number that is likely to be taken for something."""
        rng = self.rng
        top = (1 << 8 * width) - 1
        return rng.choice([
            0, 1, 2, 63, 64, 65, top, top - 63, top >> 1, rng.randrange(top),
            self.ring, self.ring - 64, self.ring + 64, 1 << rng.randrange(8 * width),
        ]) & top

    def number(self, at, width):
        """Put a number somewhere, or spoil the one that is there."""
        form = {2: "<H", 4: "<I", 8: "<Q"}[width]
        if self.rng.random() < 0.3:
            old = struct.unpack_from(form, self.mem, at)[0]
            new = (old + self.rng.choice([-64, -1, 1, 64, 128, self.ring])) & (
                (1 << 8 * width) - 1)
        else:
            new = self.value(width)
        struct.pack_into(form, self.mem, at, new)

    def noise(self, at, most):
        """Bytes that mean nothing, or that stood elsewhere."""
        size = self.rng.randrange(1, most + 1)
        if self.rng.random() < 0.3:
            other = self.rng.randrange(len(self.mem) - size)
            self.mem[at:at + size] = self.mem[other:other + size]
        else:
            self.mem[at:at + size] = self.rng.randbytes(size)

    def header(self):
        """What a VM that joins looks at."""
        if self.rng.random() < 0.5:
            self.number(8 * self.rng.randrange(9), 8)
        else:
            self.noise(self.rng.randrange(72), 32)

    def slots(self):
        """Owners and heartbeats."""
        at = PAGE + self.rng.randrange(3) * SLOT
        self.number(at + 8 * self.rng.randrange(2), 8)

    def directory(self):
        """Members: of the first slots, and of the first entries most of all."""
        at = PAGE + self.rng.randrange(3) * SLOT + 64
        at += self.rng.choice([0, 1, 2, self.rng.randrange(MEMBERS)]) * ENTRY
        if self.rng.random() < 0.5:
            self.number(at + 4 * self.rng.randrange(4), 4)
        else:
            self.noise(at + self.rng.randrange(336), 64)

    def pair(self):
        """A ring between the first two slots."""
        return self.rng.choice([0, SLOTS - 1])

    def controls(self):
        """Sessions and indices."""
        at = CTLS + self.pair() * CTL
        what, width = self.rng.choice([(0, 8), (8, 8), (16, 4), (64, 8), (72, 4)])
        self.number(at + what, width)

    def records(self):
        """Heads of records, which begin at multiples of 64 bytes."""
        at = RINGS + self.pair() * self.ring
        at += 64 * self.rng.randrange(self.ring // 64)
        if self.rng.random() < 0.7:
            what, width = self.rng.choice(
                [(0, 4), (4, 4), (8, 4), (12, 4), (16, 2), (18, 2), (24, 8)])
            self.number(at + what, width)
        else:
            self.noise(at + 32 + self.rng.randrange(32), 32)

    def flood(self):
        """All of a ring, headers of packets that look like some among them."""
        at = RINGS + self.pair() * self.ring
        head = struct.pack("<IIIIHHIQ", 64, 1, 16, self.rng.randrange(64), 0, 0, 0, 0)
        bth = struct.pack(">BBHII", self.rng.randrange(32), 0, 0xffff,
                          self.rng.randrange(16, 64), self.rng.randrange(1 << 24))
        line = (head + bth + bytes(64))[:64]
        self.mem[at:at + self.ring] = line * (self.ring // 64)

    def run(self, what, seconds):
        """One piece after the other, with time to recover in between."""
        kinds = {
            "header": [self.header],
            "slots": [self.slots],
            "directory": [self.directory],
            "controls": [self.controls],
            "records": [self.records] * 200 + [self.flood],
        }
        kinds["all"] = sum(kinds.values(), [])
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(self.rng.choice([1, 1, 10, 1000])):
                kind = self.rng.choice(kinds[what])
                kind()
                self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
            time.sleep(self.rng.choice([0.001, 0.02, 0.3]))


def squat(memory, seconds):
    """Have all slots, and be alive."""
    end = time.monotonic() + seconds
    beat = 0
    while time.monotonic() < end:
        beat += 1
        for slot in range(SLOTS):
            struct.pack_into("<QQ", memory, PAGE + slot * SLOT, 0x5a5a + slot, beat)
        time.sleep(0.05)


def main():
    """Scribble, and say how much."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--what", default="all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("memory")
    args = parser.parse_args()
    with open(args.memory, "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        if args.what == "squat":
            squat(memory, args.seconds)
            return
        scribbler = Scribbler(memory, random.Random(args.seed))
        scribbler.run(args.what, args.seconds)
    print(args.what, args.seed, scribbler.counts)


main()
