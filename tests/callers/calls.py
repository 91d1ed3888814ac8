#!/usr/bin/env python3
"""Reads what `run --calls` writes, apart from the tool.

calls.py sums RESULT                      all nodes add up to the run, those of each function to it, by cause
calls.py count RESULT PROGRAM RECORDS     calls of every function of a static program, counted in RECORDS (`trace export`):
                                          from the instructions' addresses there and the program's own bytes and symbols
calls.py paths RESULT PATTERN...          each path of functions that matches, outermost first, with its calls;
                                          those of more than a hundred are left out
"""
import bisect
import json
import re
import struct
import subprocess
import sys


def causes(of):
    return {cause: slots for cause, slots in of.items() if slots}


def add(sums, name, slots):
    mine = sums.setdefault(name, {})
    for cause, count in slots.items():
        mine[cause] = mine.get(cause, 0) + count


def sums(result):
    nodes = result["calls"]["nodes"]
    below = [sum(node["slots"].values()) for node in nodes]
    by_function, executed, functions = {}, {}, {}
    for i in range(len(nodes) - 1, -1, -1):
        parent = nodes[i]["parent"]
        if parent is not None:
            assert parent < i, "a node comes before its parent"
            below[parent] += below[i]
    roots = [i for i, node in enumerate(nodes) if node["parent"] is None]
    whole = result["values"]["cycles"] * result["exact"]["slots_per_cycle"]
    assert sum(below[i] for i in roots) == whole, "the roots are not the run"
    for i, node in enumerate(nodes):
        if node["parent"] is None:
            assert not node["slots"], "a root has slots of its own"
            continue
        add(by_function, node["function"], node["slots"])
        executed[node["function"]] = executed.get(node["function"], 0) + node["executed"]
    for function in result["exact"]["functions"]:
        add(functions, function["name"], function["slots"])
        executed[function["name"]] = executed.get(function["name"], 0) - function["executed"]
    for name in set(by_function) | set(functions):
        if causes(by_function.get(name, {})) != causes(functions.get(name, {})):
            print(name, by_function.get(name), functions.get(name))
    for name, difference in executed.items():
        if difference:
            print(name, "executed", difference)


class Program:
    """The functions and instruction bytes of an ELF file, as binutils print them."""

    def __init__(self, path):
        self.names, sizes = {}, {}
        table = subprocess.run(["riscv64-linux-gnu-readelf", "-sW", "-C", path], capture_output=True, text=True,
                               check=True).stdout
        for line in table.splitlines():
            field = line.split(None, 7)
            if len(field) == 8 and field[3] in ("FUNC", "IFUNC") and field[6] != "UND":
                address = int(field[1], 16)
                self.names.setdefault(address, set()).add(field[7])
                sizes[address] = max(sizes.get(address, 0), int(field[2], 0))
        self.entries = sorted(self.names)
        self.sizes = sizes
        with open(path, "rb") as file:
            self.bytes = file.read()
        start, size, count = struct.unpack_from("<Q14xHH", self.bytes, 32)[0], *struct.unpack_from("<HH", self.bytes, 54)
        self.segments = []
        for i in range(count):
            kind, _, offset, address, _, in_file = struct.unpack_from("<IIQQQQ", self.bytes, start + i * size)
            if kind == 1:
                self.segments.append((address, in_file, offset))

    def function(self, address):
        """The address at which the function begins; None: in none."""
        i = bisect.bisect_right(self.entries, address) - 1
        while i >= 0 and address >= self.entries[i] + max(self.sizes[self.entries[i]], 1):
            i -= 1
            if i >= 0 and address - self.entries[i] > 1 << 20:
                return None
        return self.entries[i] if i >= 0 else None

    def word(self, address):
        for start, size, offset in self.segments:
            if 0 <= address - start < size:
                return struct.unpack_from("<I", self.bytes + b"\0\0", offset + address - start)[0]
        return 0


def kind_of(word):
    """(kind, bytes) of an instruction: call, jump, branch, or other."""
    if word & 3 != 3:
        half, form, op = word & 0xffff, word >> 13 & 7, word & 3
        if op == 1 and form == 5:
            return "jump", 2
        if op == 1 and form >= 6:
            return "branch", 2
        if op == 2 and form == 4 and not half >> 2 & 31 and half >> 7 & 31:
            return ("call" if half >> 12 & 1 else "jump"), 2
        return "other", 2
    if word & 0x7f in (0x6f, 0x67):
        return ("call" if word >> 7 & 31 in (1, 5) else "jump"), 4
    return ("branch" if word & 0x7f == 0x63 else "other"), 4


def count(result, path, records):
    program, counts, kinds, functions = Program(path), {}, {}, {}
    with open(records, "rb") as file:
        addresses = [record[0] for record in struct.iter_unpack("<Q56x", file.read())]

    def function(address):
        if address not in functions:
            functions[address] = program.function(address)
        return functions[address]

    for here, there in zip(addresses, addresses[1:]):
        kind, size = kinds.get(here) or kinds.setdefault(here, kind_of(program.word(here)))
        if there == here + size and kind == "other":
            continue
        to = function(there)
        if kind == "call" or (there == to and kind == "jump" and function(here) != to) or \
                (there == to and kind == "other" and there != here + size):
            counts[to] = counts.get(to, 0) + 1
    told, found = {}, {}
    for node in result["calls"]["nodes"]:
        if node["calls"]:
            told[node["function"]] = told.get(node["function"], 0) + node["calls"]
    for entry, calls in counts.items():
        names = program.names.get(entry, {"(unknown)"})
        name = min(names, key=lambda name: (name not in told, name))
        found[name] = found.get(name, 0) + calls
    for name in set(told) | set(found):
        if told.get(name) != found.get(name):
            print(name, "has", told.get(name), "calls, counted", found.get(name))
    assert sum(found.values()) > 50, "hardly anything was called"


def paths(result, patterns):
    nodes = result["calls"]["nodes"]
    lines, depths = [], []
    for node in nodes:
        depths.append(0 if node["parent"] is None else depths[node["parent"]] + 1)
        if depths[-1] > 100:
            continue
        line, walk = [], node
        while walk["parent"] is not None:
            line.append(walk["function"] if walk["kind"] == "call" else "%s %s" % (walk["kind"], walk["function"]))
            walk = nodes[walk["parent"]]
        line.append(walk["function"])
        lines.append("; ".join(reversed(line)) + " %d" % node["calls"])
    for pattern in patterns:
        for line in sorted(set(lines)):
            if re.search(pattern, line):
                print(re.search(pattern, line).group(0))


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        result = json.load(file)
    if sys.argv[1] == "sums":
        sums(result)
    elif sys.argv[1] == "count":
        count(result, sys.argv[3], sys.argv[4])
    else:
        paths(result, sys.argv[3:])


if __name__ == "__main__":
    main()
