#!/usr/bin/env python3
"""champsim_calls.py FILE: records of the ChampSim format as of an x86 program: a loop that calls functions with
instructions of 5, 2, 3 and 7 bytes, one of which calls another, and one of which ends in a tail call. Some calls are left
by a jump, as longjmp does."""
import struct
import sys

SP, FLAGS, IP = 6, 25, 26
records = []


def put(ip, written=(), read=(), is_branch=0, loads=(), stores=()):
    def pad(values, count):
        return list(values) + [0] * (count - len(values))
    records.append(struct.pack("<QBB2B4B2Q4Q", ip, is_branch, is_branch, *pad(written, 2), *pad(read, 4), *pad(stores, 2),
                               *pad(loads, 4)))


def call(ip, read=()):
    put(ip, (IP, SP), (IP, SP, *read), 1, stores=(0x7ff000,))


def ret(ip):
    put(ip, (IP, SP), (SP,), 1, loads=(0x7ff000,))


def jump(ip):
    put(ip, (IP,), (IP,), 1)


def main():
    for i in range(2000):
        put(0x401000, (3,), (4,))           # 3 bytes
        call(0x401003)                      # 5 bytes: a leaf
        put(0x402001, (3,), (4,))
        ret(0x402004)
        call(0x401008, (9,))                # 2 bytes, indirect: calls the leaf with 7 bytes
        call(0x403000, (9,))
        put(0x402001, (3,), (4,))
        ret(0x402004)
        ret(0x403007)
        call(0x40100a, (9,))                # 3 bytes: ends in a jump to the leaf
        jump(0x404000)
        put(0x402001, (3,), (4,))
        ret(0x402004)
        if i % 50 == 49:                    # left by a jump from inside
            call(0x40100d)
            put(0x405000, (3,), (4,))
            jump(0x405004)
        else:
            jump(0x40100d)
    with open(sys.argv[1], "wb") as file:
        file.write(b"".join(records))


main()
