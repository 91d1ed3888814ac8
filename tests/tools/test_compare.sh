#!/bin/bash
# tools/compare-results finds every value that changed or went, allows values that came, and applies the
# list of intended changes.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
mkdir "$work/old" "$work/new"
cat >"$work/old/run-sort.json" <<'END'
{
  "schema": "run-1", "partial": false, "changes": [], "bits": null,
  "values": {"l1i.hits": 12345678901234567890, "share": 0.10},
  "stacks": {"naive": {"base": 7}, "fmt": {"base": 9}},
  "functions": [{"name": "a/b \"c\"", "slots": 1}, {"name": "main", "slots": -2e5}]
}
END
original=$work/old/run-sort.json

# compare SED-PROGRAM [INTENDED]: compares the original with what the program makes of it.
compare() {
	sed "$1" "$original" >"$work/new/run-sort.json"
	printf '%b' "${2:-}" >"$work/intended"
	"$root/tools/compare-results" "$work/old" "$work/new" "$work/intended" 2>&1
	echo "status $?"
}

# finds NAME SED-PROGRAM LINE: that change is unintended, and one line of the report is LINE.
finds() {
	local out
	out=$(compare "$2")
	if grep -Fxq "  $3" <<<"$out" && grep -Fxq "status 1" <<<"$out"; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$out"
	fi
}

# accepts NAME SED-PROGRAM INTENDED LINE: nothing unintended, and one line of the report is LINE.
accepts() {
	local out
	out=$(compare "$2" "$3")
	if grep -Fxq -- "$4" <<<"$out" && grep -Fxq "status 0" <<<"$out"; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$out"
	fi
}

accepts "equal results are equal" '' '' "run            1 files         12 values compared"
accepts "layout does not matter" 's/, */ ,/g' '' "run            1 files         12 values compared"
finds "the last digit of a large number counts" 's/7890,/7891,/' \
	"run-sort.json: values/l1i.hits: 12345678901234567890, now 12345678901234567891"
finds "so does how a number is written" 's/0\.10/0.1/' "run-sort.json: values/share: 0.10, now 0.1"
finds "a flag that changed is found" 's/false/true/' "run-sort.json: partial: false, now true"
finds "a text that changed is found" 's/"main"/"maim"/' 'run-sort.json: functions/1/name: "main", now "maim"'
finds "a value that went is found" 's/"base": 7//' "run-sort.json: stacks/naive/base: 7, now missing"
finds "a list that is no longer empty is found" 's/\[\]/[1]/' "run-sort.json: changes: [], now missing"
finds "null is not a number" 's/null/0/' "run-sort.json: bits: null, now 0"
finds "changes are counted by pattern" 's/"base": [79]/"base": 1/g' "        2 run: stacks/*/base"
accepts "new values are allowed, and counted by pattern" \
	's/"slots": 1/"slots": 1, "line": 4/; s/-2e5/-2e5, "line": 6/' '' "          2 run: functions/*/line"
accepts "a value may move where that is intended" 's/"stacks"/"methods"/' \
	'run:stacks/*/**\tmethods/*/**\tone name\n' "          2 run:stacks/*/** -> methods/*/** (one name)"
accepts "a value may go where that is intended" 's/, "fmt": {"base": 9}//' \
	'# a comment\nstacks/fmt/base\tgone\tno such method\n' "          1 stacks/fmt/base -> gone (no such method)"
accepts "a value may change where that is intended" 's/run-1/run-2/' 'schema\tchanged\tnew layout\n' \
	"          1 schema -> changed (new layout)"
tap_is "a value that moved must not change" \
	"$(compare 's/"stacks"/"methods"/; s/: 9/: 8/' 'stacks/**\tmethods/**\tone name\n' | tail -n 1)" "status 1"
tap_is "a change intended for other files does not hold" \
	"$(compare 's/run-1/run-2/' 'exec:schema\tchanged\tnew layout\n' | tail -n 1)" "status 1"
for text in '' '{' '{"a": 1,}' '[1 2]' '{"a": 1} x' '{"a": 1]' '{"a": 1, "a": 2}' '{a: 1}'; do
	printf '%s' "$text" >"$work/new/run-sort.json"
	out=$("$root/tools/compare-results" "$work/old" "$work/new" 2>&1)
	tap_is "one sentence for '$text'" "$? $(wc -l <<<"$out")" "2 1"
done
out=$(compare '' 'schema changed\n')
tap_is "a line without its columns is refused" "$(tail -n 1 <<<"$out")" "status 2"
cp "$original" "$work/new/run-sort.json"
cp "$original" "$work/new/run-other.json"
tap_check "a new file is allowed" "$root/tools/compare-results" "$work/old" "$work/new"
cp "$original" "$work/old/exec-sort.json"
out=$("$root/tools/compare-results" "$work/old" "$work/new")
tap_is "a missing file is not" "$? $(tail -n 1 <<<"$out")" "1 no new result: exec-sort.json"
tap_done
