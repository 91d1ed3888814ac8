"""Reads the member "data" of a result of `run --data`.

data.py sums RESULT              what does not add up, nothing if all does
data.py objects RESULT PATTERN   NAME KIND LINE: the numbers of the objects whose name matches
data.py show RESULT PATTERN MEMBER...
data.py type RESULT NAME         the fields of a type with their accesses and misses
data.py set RESULT CACHE         the set with most misses, and who has them
data.py differ A B DIFF CSV      how the objects of DIFF and its table are not what A and B say, nothing if they are
"""
import csv
import json
import re
import sys

CAUSES = ["l1d", "l2d", "l3d", "dtlb", "walk", "bandwidth", "mshr"]
COUNTED = {"accesses": "l1d.accesses", "pending": "l1d.pending", "l1d_misses": "l1d.misses",
           "l2_misses": "l2.data.misses", "l3_misses": "l3.data.misses", "dtlb_misses": "dtlb.misses"}
ADDS_UP = list(COUNTED) + ["stores", "walks", "wrong_accesses", "wrong_misses"]


def compare(what, found, wanted):
    if found != wanted:
        print(f"{what}: {found} is not {wanted}")


def sums(result):
    data, values = result["data"], result["values"]
    for name, counted in COUNTED.items():
        if name in data:
            compare(counted, data[name], values[counted])
    for cause in CAUSES:
        compare(cause, data["slots"].get(cause, 0), result["exact"]["causes"].get(cause, 0))
    for name in ADDS_UP:
        if name in data:
            compare(f"objects' {name}", sum(o[name] for o in data["objects"]), data[name])
    for cause in CAUSES:
        compare(f"objects' {cause}", sum(o["slots"].get(cause, 0) for o in data["objects"]), data["slots"].get(cause, 0))
    for type_ in data["types"]:
        for name in ADDS_UP:
            if name in data and type_["fields"]:
                part = sum(f[name] for f in type_["fields"])
                if part > type_[name]:
                    print(f"fields of {type_['name']} have more {name} than it has")
    if len(data["types"]) < 200:
        compare("types' misses", sum(t["l1d_misses"] for t in data["types"]), data["typed"]["l1d_misses"])
    for cache, prefix in zip(data["caches"], ["l1d", "l2.data", "l3.data"]):
        compare(f"{cache['name']}'s accesses by set", sum(cache["accesses"]), values[prefix + ".accesses"])
        compare(f"{cache['name']}'s misses by set", sum(cache["misses"]), values[prefix + ".misses"])
        for crowd in cache["crowded"]:
            if sum(s["misses"] for s in crowd["objects"]) > cache["misses"][crowd["set"]]:
                print(f"set {crowd['set']} of the {cache['name']} has fewer misses than its objects")
    numbers = {o["number"] for o in data["objects"]}
    for cache in data["caches"]:
        for crowd in cache["crowded"]:
            if not {s["object"] for s in crowd["objects"]} <= numbers:
                print("a set names an object that there is not")


def named(result, pattern):
    for o in result["data"]["objects"]:
        place = f"{o['name']} {o['kind']} {o.get('file', '').split('/')[-1]}:{o['line']}"
        if re.search(pattern, place):
            yield place, o


def base(object_):
    return (object_["kind"], object_["name"], object_.get("library", ""), object_.get("file", "").split("/")[-1])


def by_name(result):
    """Cycles and misses of what has the same names, whatever its line."""
    all_, slots = {}, result["exact"]["slots_per_cycle"]
    for o in result["data"]["objects"]:
        cycles, misses = all_.get(base(o), (0, 0))
        all_[base(o)] = (cycles + sum(o["slots"].values()) / slots, misses + o["l1d_misses"])
    return all_


def differ(a, b, diff, table):
    of_a, of_b, changes = by_name(a), by_name(b), {}
    rows = [(row["a"], row["b"], row["misses_a"], row["misses_b"]) for row in diff["objects"]]
    for row, numbers in zip(diff["objects"], rows):
        cycles_a, cycles_b, misses_a, misses_b = (n or 0 for n in numbers)
        cycles, misses = changes.get(base(row), (0, 0))
        changes[base(row)] = (cycles + cycles_b - cycles_a, misses + misses_b - misses_a)
    for name in sorted(set(of_a) | set(of_b) | set(changes)):
        (cycles_a, misses_a), (cycles_b, misses_b) = of_a.get(name, (0, 0)), of_b.get(name, (0, 0))
        cycles, misses = changes.get(name, (0, 0))
        compare(f"{name}: cycles", round(cycles, 6), round(cycles_b - cycles_a, 6))
        compare(f"{name}: misses", misses, misses_b - misses_a)
    with open(table, newline="") as file:
        written = list(csv.reader(file))[1:]
    compare("rows", len(written), len(rows))
    for cells, numbers in zip(written, rows):
        compare(f"{cells[0]}: table", [float(c) if c else None for c in cells[1:3] + cells[4:6]], list(numbers))


def main():
    command, path, *rest = sys.argv[1:]
    with open(path) as file:
        result = json.load(file)
    if command == "sums":
        sums(result)
    elif command == "differ":
        others = []
        for name in rest[:2]:
            with open(name) as file:
                others.append(json.load(file))
        differ(result, *others, rest[2])
    elif command == "show":
        for place, o in sorted(named(result, rest[0]), key=lambda pair: pair[0]):
            print(place, *[o[member] for member in rest[1:]])
    elif command == "readers":
        for _, o in named(result, rest[0]):
            print(*[r["function"] for r in o["readers"][: int(rest[1])]])
    elif command == "type":
        for t in result["data"]["types"]:
            if t["name"] == rest[0]:
                for f in t["fields"]:
                    print(f["name"], f["offset"], f["bytes"], f["accesses"], f["l1d_misses"])
    elif command == "set":
        cache = next(c for c in result["data"]["caches"] if c["name"] == rest[0])
        crowd = cache["crowded"][0]
        names = {o["number"]: o["name"] for o in result["data"]["objects"]}
        print(cache["misses"][crowd["set"]] >= int(rest[1]),
              names[crowd["objects"][0]["object"]], crowd["objects"][0]["misses"])


main()
