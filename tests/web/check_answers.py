#!/usr/bin/env python3
"""check_answers.py OPENAPI ROUTES LOG: whether answers are as the description says, and the description is that of the
table of routes. LOG has lines METHOD PATH STATUS TYPE FILE, where PATH is that of the description and FILE the body.
Prints a line for each fault, and how many answers there were."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
given, sys.argv = sys.argv, sys.argv[:1]
from validate import faults

sys.argv = given


def plain(schema):
    """The same schema in the keywords that the validator knows."""
    if isinstance(schema, list):
        return [plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {}
    for key, value in schema.items():
        if key == "$ref":
            made[key] = value.replace("#/components/schemas/", "#/$defs/")
        elif key == "enum":
            made["anyOf"] = [{"const": one} for one in value]
        elif key != "format":
            made[key] = plain(value)
    return made


openapi, routes, log = sys.argv[1:4]
with open(openapi, encoding="utf-8") as text:
    api = json.load(text)
root = {"$defs": plain(api["components"]["schemas"])}
known = {(method.upper(), path) for path, methods in api["paths"].items() for method in methods}
with open(routes, encoding="utf-8") as text:
    rows = set(re.findall(r'^ROUTE\(\w+, WEB_(\w+), "(/api/[^"]*)"', text.read(), re.M))
for method, path in sorted(known ^ rows):
    print("%s %s is only in the %s" % (method, path, "description" if (method, path) in known else "table of routes"))
seen, count = set(), 0
with open(log, encoding="utf-8") as lines:
    for line in lines:
        method, path, status, kind, file = line.rstrip("\n").split("\t")
        where = "%s %s %s" % (method, path, status)
        if (method, path) not in known:
            print(where + ": not described")
            continue
        seen.add((method, path))
        count += 1
        answer = api["paths"][path][method.lower()]["responses"].get(status)
        if answer is None:
            print(where + ": the status is not described")
            continue
        kind = kind.split(";")[0]
        if kind not in answer.get("content", {}):
            print("%s: the type %s is not described" % (where, kind))
        elif kind == "application/json":
            with open(file, encoding="utf-8") as text:
                try:
                    value = json.load(text)
                except ValueError as error:
                    print("%s: %s" % (where, error))
                    continue
            for fault in faults(value, plain(answer["content"][kind].get("schema", {})), root, "$"):
                print("%s: %s" % (where, fault))
        for name, value in (("operationId", True), ("summary", True)):
            if name not in api["paths"][path][method.lower()]:
                print("%s has no %s" % (where, name))
for method, path in sorted(known - seen):
    print("%s %s was not asked for" % (method, path))
print("%d answers" % count)
