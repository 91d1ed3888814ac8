#!/usr/bin/env python3
"""A strict reader of ChampSim traces, written from the description of the format alone.

champsim.py FILE HEAD: FILE must be whole 64-byte records in which every field is possible, every
branch is of a kind the simulator can tell from its registers, every instruction that is no branch is
followed by the one after it, and nearly every conditional branch reads what it compares. HEAD holds the lines of `cyclestack trace head`, which must
be the same instructions with the same accesses. Prints how many records it read."""
import struct
import sys

SP, FLAGS, IP = 6, 25, 26
LINK = 65


def kind(destinations, sources):
    """The kind of a branch, by the registers it reads and writes."""
    reads = set(sources) - {0}
    writes = set(destinations) - {0}
    other = bool(reads - {SP, FLAGS, IP})
    if IP not in writes:
        return None
    if SP in reads and SP in writes:
        if IP not in reads:
            return "return" if FLAGS not in reads else None
        if FLAGS in reads:
            return None
        return "indirect call" if other else "call"
    if SP in reads or SP in writes:
        return None
    if IP in reads and (FLAGS in reads or other):
        return "conditional"
    if other:
        return "indirect" if FLAGS not in reads else None
    return "jump" if FLAGS not in reads else None


def fail(number, text):
    sys.exit(f"record {number} at byte {64 * number}: {text}")


def main():
    data = open(sys.argv[1], "rb").read()
    head = open(sys.argv[2]).read().splitlines()
    if not data or len(data) % 64:
        sys.exit(f"{len(data)} bytes are not whole records")
    records = [struct.unpack_from("<QBB2B4B2Q4Q", data, at) for at in range(0, len(data), 64)]
    kinds, compares, links = {}, 0, 0
    for n, r in enumerate(records):
        ip, is_branch, taken = r[0], r[1], r[2]
        destinations, sources = r[3:5], r[5:9]
        stores, loads = r[9:11], r[11:15]
        if is_branch not in (0, 1) or taken not in (0, 1):
            fail(n, "is_branch and branch_taken must be 0 or 1")
        if stores[1] or any(loads[1:]):
            fail(n, "RISC-V has at most one access of a kind")
        for group in (destinations, sources):
            if any(group[i] == 0 and group[i + 1] for i in range(len(group) - 1)):
                fail(n, "a register after an empty place")
        if bool(is_branch) != (IP in destinations):
            fail(n, "a branch, and nothing else, writes the instruction pointer")
        if is_branch:
            k = kind(destinations, sources)
            if not k:
                fail(n, f"no kind of branch: writes {destinations}, reads {sources}")
            if k != "conditional" and not taken:
                fail(n, f"a {k} that is not taken")
            kinds[k] = kinds.get(k, 0) + 1
            compares += k == "conditional" and bool(set(sources) - {0, FLAGS, IP})
            links += k == "return" and LINK in sources
        elif taken:
            fail(n, "taken, but no branch")
        if n + 1 < len(records) and not taken and records[n + 1][0] - ip not in (2, 4):
            fail(n, "is not followed by the instruction after it")
    for n, line in enumerate(head):
        words = line.split()
        r = records[n]
        if int(words[0]) != n or int(words[1], 16) != r[0]:
            fail(n, f"expected {line}")
        address = int(line.split(" at ")[1].split()[0], 16) if " at " in line else 0
        if address not in (r[9], r[11]) or (not address and (r[9] or r[11])):
            fail(n, f"expected {line}")
    for k in ("conditional", "jump", "call", "return"):
        if k not in kinds:
            sys.exit(f"no {k} in the whole trace")
    if compares < 0.99 * kinds["conditional"] or links < 0.99 * kinds["return"]:
        sys.exit(f"{compares} conditional branches of {kinds['conditional']} read what they compare, "
                 f"{links} returns of {kinds['return']} where they go")
    print(len(records))


main()
