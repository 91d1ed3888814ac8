#!/bin/bash
# What the program writes has the layout that is documented for it.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cd "$root" || exit 1
. tests/harness.sh
cyclestack=${CYCLESTACK:-$BUILD/cyclestack}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
build_driver tests/report/layout.c

# has SCHEMA COMMAND...: the command, with --json, writes a result of that schema and layout.
has() {
	local schema=$1
	shift
	rm -f "$work/result.json"
	"$cyclestack" "$1" --json "$work/result.json" "${@:2}" >/dev/null 2>&1 </dev/null
	tap_is "$*" "$("$work/driver" "$work/result.json")" "$schema"
}
has cyclestack-exec-1 exec @hanoi:test
has cyclestack-exec-1 exec --max-insns 1000 @hanoi:test
has cyclestack-run-2 run @hanoi:test
has cyclestack-run-2 run --counters none @hanoi:test
has cyclestack-run-2 run --counters fmt @hanoi:test
has cyclestack-run-2 run --max-insns 1000 @hanoi:test
has cyclestack-run-2 run --skip 1000 --intervals 10000 --annotate main --set cache.levels=3 @hanoi:test
cp "$work/result.json" "$work/three.json"
has cyclestack-run-2 run --set cache.levels=1 @hanoi:test
cp "$work/result.json" "$work/one.json"
has cyclestack-diff-1 diff --fail-above 1% "$work/one.json" "$work/three.json"
has cyclestack-judge-1 judge @hanoi:test
sed 's/"cycles"/"cycle"/' "$work/one.json" >"$work/wrong.json"
tap_is "a result without cycles has it not" "$("$work/driver" "$work/wrong.json")" \
	"$work/wrong.json: values.cycles is missing"
tap_done
