#!/bin/bash
# Whatever fills the window, its cycles are charged to what the oldest instruction waits for: the loops of
# tests/stacks/loops on machines with different limits on branches in flight. Where the limit does not change how long a
# loop takes, it does not change what any stack, stage or top-down view says. What would go away is not compared: behind fewer
# branches, a machine without a cause may gain less. With all: every out-of-order preset.
# time-limit: 1800
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"

methods=slots,retimed,power5,fmt,fmt-published,sfmt,sfmt-counters,afmt,vclk,topdown,stages
ideal=()
for switch in branch l1i l2i itlb l1d l2d dtlb; do
	ideal+=(--set "ideal.$switch=true")
done
limits=(unlimited 48 16 8 4)
presets=(eyerman2006 midcore)
if tap_wants_all; then
	presets=()
	for file in configs/*.cfg; do
		grep -q 'kind = "ooo"' "$file" && presets+=("$(basename "$file" .cfg)")
	done
fi

# simulate NAME PRESET LIMIT: $work/LIMIT.json, and $work/LIMIT-ideal.json without misses.
simulate() {
	local run=("$CYCLESTACK" run --config "$2" --set "core.max_branches=$3")
	"${run[@]}" --gain-budget none --counters "$methods" --json "$work/$3.json" "$work/$1" >/dev/null 2>"$work/log" &&
		"${run[@]}" "${ideal[@]}" --counters none --json "$work/$3-ideal.json" "$work/$1" >/dev/null 2>>"$work/log"
}

compared=0
for source in tests/stacks/loops/*.s; do
	name=$(basename "$source" .s)
	{
		printf '\t.globl _start\n_start:\n'
		cat "$source"
		printf '\tli a7, 93\n\tli a0, 0\n\tecall\n\t.bss\n\t.balign 4096\nplace:\t.skip 64 << 20\n'
	} >"$work/$name.S"
	"$cross" -nostdlib -static -march=rv64gc -o "$work/$name" "$work/$name.S" || {
		tap_not_ok "$name builds"
		continue
	}
	for preset in "${presets[@]}"; do
		wrong='' same=''
		for limit in "${limits[@]}"; do
			simulate "$name" "$preset" "$limit" || {
				wrong+="$limit: $(cat "$work/log")"$'\n'
				continue
			}
			[ "$limit" = unlimited ] && continue
			output=$(perl tests/stacks/compare_limits.pl "$work/$limit.json" "$work/unlimited.json" \
				"$work/$limit-ideal.json" "$work/unlimited-ideal.json") ||
				wrong+="core.max_branches=$limit: $output"$'\n'
			case ${output##*$'\n'} in compared*) same+=" $limit" ;; esac
		done
		for _ in $same; do
			compared=$((compared + 1))
		done
		if [ -z "$wrong" ]; then
			tap_ok "$name on $preset, the same with:${same:- none}"
		else
			tap_not_ok "$name on $preset" "$wrong"
		fi
	done
done
tap_check "limits that change nothing are met ($compared)" test "$compared" -ge $((15 * ${#presets[@]}))

tap_done
