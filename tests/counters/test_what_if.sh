#!/bin/bash
# time-limit: 1500
# run --what-if: the run itself is answered exactly, other machines within bounds of simulating them, nothing
# else changes, and what cannot be answered is refused.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cyclestack=${CYCLESTACK:-$root/build/cyclestack}
"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export COLUMNS=100

# run OPTION...: its JSON in result.json and its text in result.txt.
run() {
	"$cyclestack" run --json result.json "$@" >result.txt 2>result.err
}

# get PATH: a number of result.json, such as values/cycles or what_if/0/gain.
get() {
	perl -MJSON::PP -0777 -ne 'my $at = decode_json($_);
		$at = ref $at eq "ARRAY" ? $at->[$_] : $at->{$_} for split "/", "'"$1"'"; print "$at\n"' result.json
}

# The machine that runs, named by a parameter that it has anyway.
for same in "eyerman2006 rob.size=128" "midcore ideal.branch=false,rob.size=192" "bigcore ideal.l1d=false" \
	"boom l1i.latency_cycles=1" "xiangshan ideal.units=false"; do
	preset=${same% *}
	change=${same#* }
	"$cyclestack" config dump --config "$preset" >/dev/null || continue
	for workload in hanoi netflow; do
		run --config "$preset" --counters none --max-insns 100k --what-if "$change" "@$workload:test"
		tap_is "$workload on $preset with the $change it has takes the run's cycles" \
			"$(get what_if/0/cycles) $(get what_if/0/gain)" "$(get values/cycles) 0"
	done
done

# A parameter beyond what can matter changes nothing.
run --config eyerman2006 --set rob.size=64 --set lsq.size=64 --counters none --max-insns 200k \
	--what-if lsq.size=65 --what-if lsq.size=150 --what-if lsq.size=300 --what-if lsq.size=1024 @netflow:test
tap_is "an LSQ larger than the reorder buffer gains nothing" \
	"$(get what_if/0/gain) $(get what_if/1/gain) $(get what_if/2/gain) $(get what_if/3/gain)" "0 0 0 0"

# Estimates beside simulations: within 5 percent of the run's cycles, and if the change is larger than that,
# nearer than the run's own cycles.
for preset in eyerman2006 midcore; do
	for workload in chess interp; do
		for change in rob.size=16 issue.width=1 int_alu.count=1 l1d.latency_cycles=12 ideal.branch=true \
			frontend.depth=20 rob.size=16,ideal.branch=true; do
			sets=()
			for one in ${change//,/ }; do sets+=(--set "$one"); done
			run --config "$preset" --counters none --max-insns 200k "${sets[@]}" "@$workload:test"
			simulated=$(get values/cycles)
			run --config "$preset" --counters none --max-insns 200k --what-if "$change" "@$workload:test"
			got="$(get values/cycles) $(get what_if/0/cycles) $simulated"
			tap_is "$workload on $preset with $change is near the simulation" \
				"$(awk '{ e = $2 - $3; d = $1 - $3; e *= e < 0 ? -1 : 1; d *= d < 0 ? -1 : 1
					print e < 0.05 * $1 && (d < 0.05 * $1 || e < d) ? "near" : "run, estimated, simulated: " $0 }' <<<"$got")" near
		done
	done
done

# Nothing else changes.
run --intervals 10k --max-insns 100k @objdb:test
cp result.json without.json
cp result.txt without.txt
run --intervals 10k --max-insns 100k --what-if rob.size=16 --what-if ideal.branch=true @objdb:test
perl -MJSON::PP -0777 -i -pe 'my $r = decode_json($_); delete $r->{what_if}; $_ = JSON::PP->new->canonical->encode($r)' \
	result.json without.json
tap_check "the rest of the result is the same" cmp result.json without.json
sed '/^What if the machine/,/largest\.$/d' result.txt >rest.txt
tap_is "the rest of the report is the same" "$(grep -v '^$' rest.txt)" "$(grep -v '^$' without.txt)"
tap_is "without --what-if there is none" "$(grep -c what_if without.json)" 0

# What a user sees.
run --max-insns 100k --html page.html --what-if rob.size=16,issue.width=1 --what-if ideal.branch=true @hanoi:test
tap_check "the report has the changes" grep -q '^rob.size=16 issue.width=1  *[0-9]* .*%.*%.*%$' result.txt
tap_is "changes of several kinds are one" "$(get what_if/0/kind) $(get what_if/1/kind)" "several branch"
tap_check "the page has them" grep -q '<th scope="row">rob.size=16, issue.width=1</th>' page.html
tap_check "errors were measured" awk -v mean="$(get what_if/0/mean_error)" -v largest="$(get what_if/0/largest_error)" \
	'BEGIN { exit !(mean > 0 && largest >= mean) }'
for columns in 40 60 80; do
	COLUMNS=$columns run --max-insns 10k --what-if rob.size=16,issue.width=1,ideal.l1d=true @hanoi:test
	tap_is "in $columns columns no line is longer" \
		"$(sed -n '/^What if/,/largest\.$/p' result.txt | awk -v most=$columns 'length > most' | wc -l)" 0
done
run --max-insns 10k --counters none --what-if rob.size=16 @hanoi:test
tap_check "it needs no other counters" grep -q '^rob.size=16 ' result.txt
tap_check "help knows it" grep -q -e '--what-if KEY=VALUE' <("$cyclestack" run --help)

# refused NAME WORDS OPTION...: status 2, one sentence with these words, and nothing runs.
refused() {
	local name=$1 words=$2 status=0
	shift 2
	"$cyclestack" run "$@" @hanoi:test >out.txt 2>err.txt || status=$?
	tap_is "$name is refused" "$status $(wc -l <err.txt) $(wc -c <out.txt) $(grep -c -e "$words" err.txt)" "2 1 0 1"
}
for key in l1d.size_bytes=65536 l2.ways=4 l2.latency_cycles=5 memory.latency_cycles=100 predictor.kind=gshare \
	dtlb.entries=256 l1d.prefetch=none core.kind=inorder store.buffer=8 cache.levels=1 l2.mshrs=4 l1d.mshrs=4 ideal.pending_hits=true; do
	refused "$key" "${key%=*} cannot be answered.*--set simulates" --what-if "rob.size=64,$key"
done
refused "what the run does not tell" "ideal.l1d=false cannot be answered" --set ideal.l1d=true --what-if ideal.l1d=false
refused "a prediction that the run has not" "predict cannot be answered" --config eyerman2006 \
	--what-if lsq.disambiguation=predict
refused "an in-order core" "core.kind is inorder" --config leon2 --what-if int_alu.count=2
refused "a value out of range" 'rob.size must be a whole number from 4 to 1024, not "3"' --what-if rob.size=3
refused "an unknown key" 'no parameter "rob.sizes"; did you mean rob.size' --what-if rob.sizes=3
refused "no value" '"rob.size" is not of the form key=value' --what-if rob.size
refused "an empty change" '"" is not of the form key=value' --what-if rob.size=64,
refused "a change without effect" "issue_queue.int_size has no effect" --what-if issue_queue.int_size=8
many=()
for ((i = 0; i < 257; i++)); do many+=(--what-if rob.size=64); done
refused "too many machines" "at most 256 machines" "${many[@]}"
# What answers are said to be wrong by is what was measured.
tap_is "errors are those of the page of measurements" \
	"$(sed -n 's/^MEASURED(\([A-Z_]*\), \(.*\), \(.*\))$/\1 \2 \3/p' "$root/src/count/what_if_errors.def" | tr 'A-Z' 'a-z')" \
	"$(awk -F' *[|] *' 'NF == 9 && $6 + 0 > 0 { print $2, $6, $7 }' "$root/docs/results/what-if.md")"
tap_done
