#!/usr/bin/env python3
"""validate.py DIRECTORY FILE...: whether each result satisfies the JSON Schema of its "schema" in DIRECTORY.

Prints a line for each: FILE: SCHEMA, or FILE: PATH: what is wrong there. A validator of the keywords that our schemas use,
written from the specification (draft 2020-12); another keyword is an error. Where the Python module jsonschema is
there, it must say the same."""
import json
import os
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

IGNORED = {"$schema", "$id", "$defs", "title", "description"}


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": is_number,
    "integer": lambda v: is_number(v) and v == int(v),
}


def faults(value, schema, root, path):
    """Yields "PATH: what is wrong"."""
    if schema is True or schema is False:
        if not schema:
            yield path + ": may not be there"
        return
    for keyword, wanted in schema.items():
        if keyword == "$ref":
            assert wanted.startswith("#/$defs/"), wanted
            yield from faults(value, root["$defs"][wanted[len("#/$defs/"):]], root, path)
        elif keyword == "type":
            if not TYPES[wanted](value):
                yield "%s: is no %s" % (path, wanted)
        elif keyword == "const":
            if value != wanted:
                yield "%s: is not %s" % (path, wanted)
        elif keyword == "minimum":
            if is_number(value) and value < wanted:
                yield "%s: is less than %d" % (path, wanted)
        elif keyword == "maximum":
            if is_number(value) and value > wanted:
                yield "%s: is more than %d" % (path, wanted)
        elif keyword == "anyOf":
            if not any(not list(faults(value, one, root, path)) for one in wanted):
                yield path + ": is none of what it may be"
        elif keyword == "required":
            for name in wanted if isinstance(value, dict) else ():
                if name not in value:
                    yield "%s.%s: is missing" % (path, name)
        elif keyword == "properties":
            for name, one in wanted.items() if isinstance(value, dict) else ():
                if name in value:
                    yield from faults(value[name], one, root, path + "." + name)
        elif keyword == "additionalProperties":
            for name, item in value.items() if isinstance(value, dict) else ():
                if name not in schema.get("properties", {}):
                    yield from faults(item, wanted, root, path + "." + name)
        elif keyword == "items":
            for i, item in enumerate(value if isinstance(value, list) else ()):
                yield from faults(item, wanted, root, "%s[%d]" % (path, i))
        elif keyword not in IGNORED:
            raise SystemExit("no meaning is known of the keyword " + keyword)


def judge(directory, file):
    with open(file, encoding="utf-8") as text:
        result = json.load(text)
    path = os.path.join(directory, str(result.get("schema")) + ".json")
    if not os.path.exists(path):
        return "there is no %s" % os.path.basename(path)
    with open(path, encoding="utf-8") as text:
        schema = json.load(text)
    first = next(faults(result, schema, schema, ""), None)
    if jsonschema:
        jsonschema.Draft202012Validator.check_schema(schema)
        other = next(jsonschema.Draft202012Validator(schema).iter_errors(result), None)
        if (first is None) != (other is None):
            return "two validators differ: %s; %s" % (first, other and other.message)
    return first.lstrip(".") if first else result["schema"]


for name in sys.argv[2:]:
    print("%s: %s" % (name, judge(sys.argv[1], name)))
