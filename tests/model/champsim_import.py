#!/usr/bin/env python3
"""champsim_import.py FILE HEAD EXPORTED: random records of the ChampSim format, and what becomes of them.

Writes 400 records with all numbers of accesses and all kinds of branches into FILE, as ChampSim's tracer for
x86 could; into HEAD the lines of `cyclestack trace head`, and into EXPORTED those of the records that an
export must have: ip, is a branch, taken, loads, stores. An instruction with several accesses becomes one for
each, loads first, and its branch follows them."""
import random
import struct
import sys

SP, FLAGS, IP = 6, 25, 26
BRANCHES = {  # registers written and read
    "jump": ((IP,), (IP,)),
    "conditional": ((IP,), (IP, FLAGS)),
    "call": ((IP, SP), (IP, SP)),
    "indirect call": ((IP, SP), (IP, SP, 9)),
    "indirect": ((IP,), (9,)),
    "return": ((IP, SP), (SP,)),
}


def padded(values, count):
    return list(values) + [0] * (count - len(values))


def main():
    chance = random.Random(1)
    records, ip = [], 0x401000
    for _ in range(400):
        loads = [chance.randrange(1, 1 << 40) for _ in range(chance.choice((0, 0, 1, 1, 2, 4)))]
        stores = [chance.randrange(1, 1 << 40) for _ in range(chance.choice((0, 0, 0, 1, 2)))]
        if len(loads) == 1 and len(stores) == 1 and chance.random() < 0.5:
            stores = loads[:]
        kind = chance.choice(sorted(BRANCHES)) if chance.random() < 0.4 else None
        written, read = BRANCHES[kind] if kind else ((3,), (4, 5))
        taken = bool(kind) and (kind != "conditional" or chance.random() < 0.5)
        following = chance.randrange(0x400000, 0x500000) if taken else ip + chance.randrange(1, 16)
        records.append((ip, kind, taken, written, read, stores, loads))
        ip = following
    lines, exported = [], []
    with open(sys.argv[1], "wb") as file:
        for number, (ip, kind, taken, written, read, stores, loads) in enumerate(records):
            file.write(struct.pack("<QBB2B4B2Q4Q", ip, bool(kind), taken, *padded(written, 2), *padded(read, 4),
                                   *padded(stores, 2), *padded(loads, 4)))
            if not kind and len(loads) == 1 and loads == stores:
                lines.append((ip, "load and store 8 at %x" % loads[0]))
                exported.append((ip, 0, 0, loads, stores))
                continue
            for name, addresses in (("load", loads), ("store", stores)):
                for address in addresses:
                    lines.append((ip, "%s 8 at %x" % (name, address)))
                    exported.append((ip, 0, 0, [address] if name == "load" else [], [address] if name == "store" else []))
            if kind:
                # Where the last record goes nothing says.
                lines.append((ip, "to %x" % records[number + 1][0] if number + 1 < len(records) else None))
                exported.append((ip, 1, int(taken), [], []))
            elif not loads and not stores:
                lines.append((ip, ""))
                exported.append((ip, 0, 0, [], []))
    with open(sys.argv[2], "w", encoding="ascii") as file:
        for number, (ip, text) in enumerate(lines):
            if text is not None:
                file.write(" ".join(("%d %x (other) %s" % (number, ip, text)).split()) + "\n")
    with open(sys.argv[3], "w", encoding="ascii") as file:
        for ip, is_branch, taken, loads, stores in exported:
            file.write("%x %d %d %s\n" % (ip, is_branch, taken, " ".join("%x" % a for a in padded(stores, 2) + padded(loads, 4))))


if __name__ == "__main__":
    main()
