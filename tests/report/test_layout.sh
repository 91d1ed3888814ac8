#!/bin/bash
# What the program writes has the layout that is documented for it, and satisfies its JSON Schema in docs/schemas; so
# does every kept result. The schemas are what the program makes of its layouts today.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
. tests/harness.sh
needs python3
needs_workloads
build_driver tests/report/layout.c

validate() { python3 tests/report/validate.py docs/schemas "$@"; }
mkdir "$work/schemas"
"$cyclestack" --generate-schemas "$work/schemas"
tap_is "docs/schemas is what the program makes (tools/update-docs renews it)" "$(diff -r "$work/schemas" docs/schemas)" ""
kept=(tests/unit/report/results/*.json tests/report/sort.json)
tap_is "every kept result satisfies its schema" "$(validate "${kept[@]}" | grep -vE ': cyclestack-[a-z0-9-]+$')" ""
tap_is "and every schema but those of heads of files has a kept result" \
	"$(for file in docs/schemas/*.json; do
		grep -qE "\"schema\": *\"$(basename "$file" .json)\"" "${kept[@]}" || basename "$file" .json
	done | tr '\n' ' ')" "cyclestack-cycles-1 cyclestack-trace-1 "

# has SCHEMA COMMAND...: the command, with --json, writes a result of that schema and layout.
has() {
	local schema=$1
	shift
	rm -f "$work/result.json"
	"$cyclestack" "$1" --json "$work/result.json" "${@:2}" >/dev/null 2>&1 </dev/null
	tap_is "$*" "$("$work/driver" "$work/result.json")" "$schema"
	tap_is "$*: by its schema" "$(validate "$work/result.json")" "$work/result.json: $schema"
}
has cyclestack-exec-1 exec @hanoi:test
has cyclestack-exec-1 exec --max-insns 1000 @hanoi:test
has cyclestack-run-2 run @hanoi:test
has cyclestack-run-2 run --counters all @hanoi:test
has cyclestack-run-2 run --counters none @hanoi:test
has cyclestack-run-2 run --counters fmt @hanoi:test
has cyclestack-run-2 run --max-insns 1000 @hanoi:test
has cyclestack-run-2 run --skip 1000 --intervals 10000 --annotate main --set cache.levels=3 @hanoi:test
cp "$work/result.json" "$work/three.json"
has cyclestack-run-2 run --set cache.levels=1 @hanoi:test
cp "$work/result.json" "$work/one.json"
has cyclestack-diff-1 diff --fail-above 1% "$work/one.json" "$work/three.json"
has cyclestack-judge-1 judge @hanoi:test
has cyclestack-judge-1 judge --config littlecore --max-insns 20k @hanoi:test
has cyclestack-advise-1 advise --max-insns 20k @hanoi:test
has cyclestack-sweep-1 sweep --max-insns 20k --vary cache.levels=1 --grid l2.latency_cycles=10,20 @hanoi:test
has cyclestack-stat-1 stat -e 'l1d.*@main' -g cache --every 10k --max-insns 100k @hanoi:test
has cyclestack-config-1 config dump --config midcore --set rob.size=64
has cyclestack-config-list-1 config list
has cyclestack-config-keys-1 config keys
has cyclestack-config-check-1 config check midcore nowhere
has cyclestack-config-diff-1 config diff midcore littlecore
has cyclestack-model-1 model --max-insns 20k --explain --against @hanoi:test
has cyclestack-signals-1 signals 'l1d.*'
has cyclestack-explain-1 explain
has cyclestack-explain-1 explain l2d 'l1d.*' --within cycles
has cyclestack-workloads-1 workloads
has cyclestack-measure-1 workloads --measure --size test hanoi
"$cyclestack" trace record --max-insns 1000 --output "$work/trace" @hanoi:test >/dev/null 2>&1
has cyclestack-trace-info-1 trace info "$work/trace"
"$cyclestack" run --max-insns 1000 --record-cycles "$work/cycles" -q @hanoi:test >/dev/null 2>&1
has cyclestack-cycles-info-1 trace info "$work/cycles"
awk 'BEGIN { print "cyclestack-readings 1\nevents 4:1 4:2" }
	!/^#/ && NF > 5 && $1 ~ /^(branch_|load$|store$)/ {
		for (i = 1; i <= 3; i++) {
			n++
			print "run", $1, 0, 0, 1000 * i, 0, $2 * 1000 * i, $3 * 1000 * i
		}
	}
	END { print "end", n }' kernels/expected.txt >"$work/readings"
has cyclestack-inspect-1 inspect --readings "$work/readings"
has cyclestack-compose-1 inspect --readings "$work/readings" --compose all
has cyclestack-compose-1 inspect --compose list
# head_of FILE: the description at the head of a file, which is the first object in it.
head_of() {
	python3 -c 'import json, sys
data = open(sys.argv[1], "rb").read()
print(json.dumps(json.JSONDecoder().raw_decode(data[data.index(b"{\""):].decode("latin-1"))[0]))' "$1"
}
for pair in trace:cyclestack-trace-1 cycles:cyclestack-cycles-1; do
	head_of "$work/${pair%:*}" >"$work/head.json"
	tap_is "the head of a file of ${pair%:*}" "$(validate "$work/head.json")" "$work/head.json: ${pair#*:}"
done
# wrong NAME SED WHAT: the schema refuses a result that was changed.
wrong() {
	sed "$2" "$work/one.json" >"$work/wrong.json"
	tap_is "$1: by its schema" "$(validate "$work/wrong.json")" "$work/wrong.json: $3"
}
wrong "a result without cycles" 's/"cycles"/"cycle"/' "values.cycles: is missing"
wrong "a component that is none" '0,/"resource"/s//"resources"/' "stacks.exact.components.resources: may not be there"
wrong "cycles below 0" '0,/"cycles": /s//"cycles": -/' "values.cycles: is less than 0"
wrong "cycles as text" '0,/"cycles": \([0-9]*\)/s//"cycles": "\1"/' "values.cycles: is no integer"
sed 's/"cycles"/"cycle"/' "$work/one.json" >"$work/wrong.json"
tap_is "a result without cycles has it not" "$("$work/driver" "$work/wrong.json")" \
	"$work/wrong.json: values.cycles is missing"
tap_done
