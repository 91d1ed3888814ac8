#!/bin/bash
# Files that version 0.1.0 wrote are read, and mean what they meant: a trace, a skeleton, recorded cycles, a database.
# Beside each stands what that version printed of it. Results as JSON: tests/unit/report/results.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
kept=$root/tests/kept

# says NAME FILE COMMAND...: the JSON that the command writes has every value of the file.
says() {
	local name=$1 file=$2
	shift 2
	if "$cyclestack" "$@" >text 2>messages && python3 - "$kept/$file" now.json <<'PYTHON' >differences; then
import json, sys

def held(before, now, where=""):
    """Members may be new; a value that was there stays, but for the hash of a machine, which has more parameters now."""
    if where == "/configuration/sha256":
        return
    if isinstance(before, dict) and isinstance(now, dict):
        for name in before:
            held(before[name], now.get(name), where + "/" + name)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for at, (one, other) in enumerate(zip(before, now)):
            held(one, other, "%s/%d" % (where, at))
    elif before != now:
        sys.exit("%s: %r, was %r" % (where, now, before))

held(*(json.load(open(file, encoding="utf-8")) for file in sys.argv[1:]))
PYTHON
		tap_ok "$name"
	else
		tap_not_ok "$name" "$(cat messages differences)"
	fi
	rm -f now.json
}

says "a trace is sound" verify.json trace verify --json now.json "$kept/heapsort.trace"
tap_is "its instructions" "$("$cyclestack" trace head --count 5 "$kept/heapsort.trace")" "$(cat "$kept/head.txt")"
says "its model" model.json model --config "$kept/machine.cfg" --json now.json "$kept/heapsort.trace"
says "a skeleton, on a machine with fewer MSHRs" model-mshrs.json model --config "$kept/machine.cfg" \
	--skeleton "$kept/heapsort.skeleton" --set l1d.mshrs=4 --json now.json "$kept/heapsort.trace"
says "recorded cycles" cycles.json trace info --json now.json "$kept/heapsort.cycles"
tap_check "they are sound" "$cyclestack" trace verify "$kept/heapsort.cycles"

cp "$kept/runs.db" runs.db
"$cyclestack" collect --database runs.db --show >shown 2>messages
tap_is "a database is shown" "$?" 0
wanted=$(grep -oE '[a-z]+@main +[0-9]+$' "$kept/show.txt" | tr -s ' ' | sort)
got=$(grep -oE '[a-z]+@main +[0-9]+' shown | tr -s ' ' | sort)
tap_is "with its intervals and totals" "$(comm -23 <(echo "$wanted") <(echo "$got"))" ""
tap_check "of the run that it was" grep -q 5b49161091313544 shown
tap_done
