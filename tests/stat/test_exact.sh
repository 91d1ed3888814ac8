#!/bin/bash
# `stat`: instructions and conditional branches of every function, on every preset, are those of an independent
# functional execution; whatever is counted changes nothing in the run.
#
# CYCLESTACK  the tool  (build/cyclestack)
# time-limit: 1800
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads
. tests/harness.sh
build_driver tests/stat/count_functions.c

# of_signal SIGNAL FILE.csv: "FUNCTION TOTAL" of each function that has any.
of_signal() {
	awk -F, -v signal="$1" '$1 == signal && $4 == "total" && $6 > 0 { print $2, $6 }' "$2" | sort
}

presets=$(for file in configs/*.cfg; do basename "$file" .cfg; done)
for workload in hanoi seqsearch heapsort; do
	read -ra arguments <<<"$("$cyclestack" workloads --args $workload:test)"
	"$work/driver" "$("$cyclestack" workloads --elf $workload)" "${arguments[@]}" >"$work/functions"
	awk '{ print $1, $2 }' "$work/functions" | sort >"$work/committed"
	awk '$3 > 0 { print $1, $3 }' "$work/functions" | sort >"$work/conditional"
	tap_check "$workload has functions to count" test "$(wc -l <"$work/committed")" -gt 20
	for preset in $presets; do
		"$cyclestack" stat --config "$preset" -e 'committed@*' -e 'branches.conditional@*' --counter-count 4096 \
			--range-count 1024 --csv "$work/stat.csv" -q "@$workload:test" >/dev/null
		tap_is "$workload on $preset: instructions of every function" "$(of_signal committed "$work/stat.csv" | diff - "$work/committed")" ""
		tap_is "$workload on $preset: conditional branches of every function" \
			"$(of_signal branches.conditional "$work/stat.csv" | diff - "$work/conditional")" ""
	done
done

# No disturbance: random configurations on every preset, each with a change in the middle.
count=4
tap_wants_all && count=20
mapfile -t signals < <("$cyclestack" signals --csv - | sed '1d; s/,.*//')
mapfile -t functions < <(awk '{ print $1 }' "$work/functions")
RANDOM=14
pair() {
	local where=""
	[ $((RANDOM % 3)) -eq 0 ] || where=@${functions[RANDOM % ${#functions[@]}]}
	echo "${signals[RANDOM % ${#signals[@]}]}$where"
}
for preset in $presets; do
	"$cyclestack" run --counters none --config "$preset" --json "$work/off.json" @heapsort:test >"$work/off.out" 2>&1
	values_of() { sed -n '/"values": {/,/}/p' "$1" | tr -d ,; }
	wrong=
	for i in $(seq $count); do
		{
			echo cyclestack-stat-log-1
			cycle=0
			for _ in 1 2 3; do
				echo "$cycle $((RANDOM + 1)) $(pair) $(pair) $(pair) $(pair)"
				cycle=$((cycle + RANDOM + 1))
			done
		} >"$work/log"
		"$cyclestack" stat --config "$preset" --replay "$work/log" --width $((RANDOM % 40 + 1)) --json "$work/on.json" -q @heapsort:test \
			>"$work/on.out" 2>&1 || wrong+="$i: status $?;"
		[ "$(values_of "$work/off.json")" = "$(values_of "$work/on.json")" ] || wrong+="$i: $(cat "$work/log");"
	done
	tap_is "$preset: $count random configurations change nothing" "$wrong" ""
done
tap_done
