#!/bin/bash
# `inspect --compose` on simulated machines with permuted codes: which sum of the events that may be used measures a
# metric is known on paper, and so is where none does. The composer sees readings of codes; names come from the machine.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
[ -f "$BUILD/kernels/collect" ] || tap_skip_all "no cross compiler"
nm "$cyclestack" 2>/dev/null | grep -q ' __asan_init' && tap_skip_all "too long with the sanitizers; the composer's unit tests have them"

# METRIC | events that may be used | sum, empty where none does. A machine with one cache has those without a level 2.
rows='branches.conditional | branches.conditional,loads,cycles | branches.conditional
branches.conditional.not_taken | branches.conditional,branches.conditional.taken,loads | branches.conditional - branches.conditional.taken
branches.conditional.not_taken | branches.conditional,loads,cycles |
branches.conditional.predicted | branches.conditional,branches.conditional.mispredicted | branches.conditional - branches.conditional.mispredicted
loads_stores | loads,stores,cycles | loads + stores
loads_stores | loads,cycles,l1d.loads.misses |
2 * loads - stores | loads,stores,committed.fp_add | 2 * loads - stores
flops.double | committed.fp_add,committed.fp_multiply,committed.fp_divide,loads | committed.fp_add + committed.fp_divide + committed.fp_multiply
flops.double | committed.fp_add,committed.fp_multiply,loads,cycles |
l1d.misses | l1d.loads.misses,l1d.stores.misses,loads | l1d.loads.misses + l1d.stores.misses
l1d.read_misses | l1d.loads.misses,l1d.stores.misses,l1d.misses | l1d.loads.misses
l1d.read_misses | l1d.misses,l1d.stores.misses | l1d.misses - l1d.stores.misses
l1d.read_misses | l1d.misses,loads,stores,cycles |
l1d.hits | loads,stores,l1d.misses,cycles | loads + stores - l1d.misses
l2d.hits | l2.data.accesses,l2.data.misses,loads | l2.data.accesses - l2.data.misses
l2d.misses | l2.data.loads.misses,l2.data.stores.misses | l2.data.loads.misses + l2.data.stores.misses
l2d.misses | l1d.misses,loads,stores,cycles |
l3d.misses | loads,stores,l1d.misses |'
events=$(cut -d'|' -f2 <<<"$rows" | tr -d ' ' | tr , '\n' | sort -u)

# collect NAME OPTION...: readings of these events with few kernels, and the names of their codes.
collect() {
	local name=$1 codes words
	shift
	"$cyclestack" signals --codes "$@" |
		awk 'NR == FNR { wanted[$1]; next } $2 in wanted { print $1, $2 }' <(echo "$events") - >"$work/$name.names"
	codes=$(perl -ne '/^r([0-9a-f]+)/ && push @e, "4:" . hex $1; END { print join ",", @e }' "$work/$name.names")
	words="branch_plain branch_random branch_a branch_b branch_c branch_d branch_f branch_g branch_indirect branch_call
		load store multiply divide fp_add fp_multiply fp_divide pair:0:8,16,32,64,128,256,512,1024,2048,4096,65536
		read:64:1024,2048,4096,8192,16384,32768,65536,131072,262144
		write:64:1024,2048,4096,8192,16384,32768,65536,131072,262144"
	# shellcheck disable=SC2086
	"$cyclestack" run --counters none --quiet "$@" "$BUILD/kernels/collect" -e "$codes" $words 2>"$work/err" |
		sed -n '/^cyclestack-readings/,/^end/p' >"$work/$name.readings"
}

# composed NAME METRIC EVENTS: the sum, its terms in the order of their names, those that are subtracted last.
composed() {
	"$cyclestack" inspect --readings "$work/$1.readings" --event-names "$work/$1.names" --compose "$2" --events "$3" \
		--json "$work/json" >"$work/text" 2>"$work/err"
	local status=$?
	[ -s "$work/err" ] && cat "$work/err"
	python3 -c 'import json, sys
metric = json.load(open(sys.argv[1]))["metrics"][0]
text = ""
for term in sorted(metric.get("terms", []), key=lambda t: (t["factor"] < 0, t["name"])):
    text += ((" - " if term["factor"] < 0 else " + ") if text else "") + ("%g * " % abs(term["factor"]) if abs(term["factor"]) != 1 else "") + term["name"]
print(text, int(sys.argv[2]) == (not metric["composed"]))' "$work/json" "$status"
}

needs python3
seed=10
for options in "littlecore --set cache.levels=2 --set l1d.size_bytes=4096 --set l1d.ways=2 --set l2.size_bytes=32768 --set l2.ways=8" \
	"midcore --set cache.levels=2 --set l1d.size_bytes=8192 --set l1d.ways=4 --set l2.size_bytes=65536 --set l2.ways=8"; do
	name=${options%% *}
	# shellcheck disable=SC2086
	collect "$name" --config $options --set pmu.codes=$((++seed))
	wrong=$(while IFS='|' read -r metric may sum; do
		found=$(composed "$name" "$(xargs <<<"$metric")" "$(xargs <<<"$may")")
		[ "$found" = "$(xargs <<<"$sum") True" ] || echo "$metric of $may: $found"
	done <<<"$rows")
	tap_is "$name: each sum is the one on paper, and what none measures is refused" "$wrong" ""
done

# Bad input: one sentence, and nothing is collected.
cat >"$work/wrong" <<'END'
laods|did you mean loads
loads +|is no metric
0 * loads|from 1 to 1000
END
wrong=$(while IFS='|' read -r metric says; do
	"$cyclestack" inspect --compose "$metric" >"$work/out" 2>"$work/err"
	echo "$? $(grep -c . <"$work/out") $(grep -c . <"$work/err") $(grep -c "$says" "$work/err")"
done <"$work/wrong" | sort -u)
tap_is "what is no metric gets one sentence" "$wrong" "2 0 1 1"
tap_is "two questions at once get one sentence" "$("$cyclestack" inspect --compose loads --verify 2>&1 | wc -l)" 1
tap_is "names of events are asked for where readings have none" \
	"$("$cyclestack" inspect --compose loads --readings "$work/littlecore.readings" --events loads 2>&1 | grep -c -e --event-names)" 1
sed '3s/$/ x/' "$work/littlecore.readings" >"$work/damaged"
tap_is "readings that are damaged get one sentence with the line" \
	"$("$cyclestack" inspect --compose loads --readings "$work/damaged" 2>&1 | grep -c 'line 3')" 1
tap_check "the list has each metric" test "$("$cyclestack" inspect --compose list --csv "$work/list" >/dev/null; tail -n +2 "$work/list" | wc -l)" = \
	"$(grep -c '^METRIC' src/classify/metrics.def)"
tap_done
