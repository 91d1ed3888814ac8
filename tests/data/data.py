"""Reads the member "data" of a result of `run --data`.

data.py sums RESULT              what does not add up, nothing if all does
data.py objects RESULT PATTERN   NAME KIND LINE: the numbers of the objects whose name matches
data.py show RESULT PATTERN MEMBER...
data.py type RESULT NAME         the fields of a type with their accesses and misses
data.py set RESULT CACHE         the set with most misses, and who has them
"""
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


def main():
    command, path, *rest = sys.argv[1:]
    with open(path) as file:
        result = json.load(file)
    if command == "sums":
        sums(result)
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
