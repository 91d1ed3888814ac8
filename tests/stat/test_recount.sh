#!/bin/bash
# `stat`: data misses, mispredictions and memory reads of every function, on every preset, are those of a recount
# from the core's records; on leon2, misses of loads and of stores are those of a cache model of this test's own
# over a functional execution.
#
# CYCLESTACK  the tool  (build/cyclestack)
# time-limit: 1800
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads
. tests/harness.sh
build_driver tests/stat/recount.c
for workload in hanoi seqsearch heapsort; do
	read -ra arguments <<<"$("$cyclestack" workloads --args $workload:test)"
	elf=$("$cyclestack" workloads --elf $workload)
	for config in configs/*.cfg; do
		preset=$(basename "$config" .cfg)
		# A preset that starts from another one needs the directory of the presets: the dump is complete.
		"$cyclestack" config dump --config "$preset" >"$work/machine.cfg"
		"$cyclestack" stat --config "$preset" -e 'l1d.misses@*' -e 'branches.mispredicted@*' -e 'memory.reads@*' \
			--counter-count 4096 --range-count 1024 --csv "$work/stat.csv" -q "@$workload:test" >/dev/null
		for signal in l1d.misses branches.mispredicted memory.reads; do
			"$work/driver" -c "$work/machine.cfg" $signal "$elf" "${arguments[@]}" | sort >"$work/recount"
			tap_is "$workload on $preset: $signal of every function" "$(awk -F, -v signal=$signal \
				'$1 == signal && $4 == "total" && $6 > 0 { print $2, $6 }' "$work/stat.csv" | sort | diff - "$work/recount")" ""
			[ -s "$work/recount" ] || tap_not_ok "$workload on $preset: there is something to recount"
		done
	done
done

build_harness "$work/reference" tests/stat/reference_cache.c 2>"$work/log" || tap_not_ok "the reference builds" "$(cat "$work/log")"
"$cyclestack" config dump --config leon2 >"$work/machine.cfg"
for workload in hanoi seqsearch heapsort; do
	read -ra arguments <<<"$("$cyclestack" workloads --args $workload:test)"
	"$work/reference" -c "$work/machine.cfg" "$("$cyclestack" workloads --elf $workload)" "${arguments[@]}" | sort >"$work/misses"
	"$cyclestack" stat --config leon2 -e 'l1d.loads.misses@*' -e 'l1d.stores.misses@*' --counter-count 4096 --range-count 1024 \
		--csv "$work/stat.csv" -q "@$workload:test" >/dev/null
	tap_is "$workload on leon2: data misses of every function as a reference cache has them" "$(awk -F, '
		$4 == "total" && $6 > 0 { misses[$2, $1] = $6; functions[$2] }
		END { for (f in functions) print f, misses[f, "l1d.loads.misses"] + 0, misses[f, "l1d.stores.misses"] + 0 }' \
		"$work/stat.csv" | sort | diff - "$work/misses")" ""
	tap_check "$workload on leon2: the reference has functions" test "$(wc -l <"$work/misses")" -gt 20
done
tap_done
