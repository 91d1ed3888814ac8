#!/bin/bash
# Rare things meet, and each core still does in every cycle what its slow twin does: random programs on random small
# machines, run as a whole, as all calls of a function with warming in between, and as one call of it. How often two
# of the rare things happened within 64 instructions is counted, so that the programs cannot become tame unnoticed.
# A seed that once showed a fault stays: 10 loads that wait for one store's data and read another, 104 MSHRs and stores.
# time-limit: 1200
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"
. tests/harness.sh
if ! build_harness "$work/compare" -Itests/core tests/core/{compare_twin,meetings,twin,twin_fetch,twin_ideal,twin_inorder,twin_sets}.c \
	2>"$work/log" || ! build_harness "$work/program" tests/core/meetings_program.c 2>"$work/log"; then
	tap_not_ok "core, twin and generator build" "$(cat "$work/log")"
	tap_done
fi

seeds=24
tap_wants_all && seeds=103
runs=0
meeting=0

# same SEED KIND OPTION...: one comparison; what met is added to $work/met.KIND.
same() {
	local seed=$1 kind=$2 words word options=() output status
	shift 2
	read -ra words <<<"$(sed -n '1s/^#//p' "$work/$kind.S")"
	[ "$kind" = inorder ] && options=(-c configs/littlecore.cfg)
	for word in "${words[@]}"; do
		options+=(-s "$word")
	done
	output=$("$work/compare" "${options[@]}" -r -n 8000 "$@" "$work/$kind" 2>&1 </dev/null)
	status=$?
	runs=$((runs + 1))
	grep '^met ' <<<"$output" >"$work/met"
	cat "$work/met" >>"$work/met.$kind"
	grep -q '^calls' <<<"$output" && grep '^calls' <<<"$output" >>"$work/calls"
	awk '$2 != $3 { exit 1 }' "$work/met" || meeting=$((meeting + 1))
	[ $status -eq 0 ] ||
		tap_not_ok "program $seed, $kind $*" "compare_twin ${options[*]} $* ended with status $status
$(grep -v '^met ' <<<"$output")"
}

for seed in $(seq $seeds) 104; do
	for kind in ooo inorder; do
		"$work/program" "$seed" $kind >"$work/$kind.S"
		if ! "$cross" -nostdlib -static -o "$work/$kind" "$work/$kind.S" 2>"$work/log"; then
			tap_not_ok "program $seed builds" "$(cat "$work/log")"
			continue
		fi
		same "$seed" $kind
		same "$seed" $kind -f region
		same "$seed" $kind -f region -m $((seed % 9 + 2))
	done
done
tap_is "$runs runs: core and twin are equal, cycle for cycle" "$tap_failures" 0

# pairs KIND: how many blocks had both of two things, by pair.
pairs() {
	awk '{ n[$2 " " $3] += $4 } END { for (pair in n) print pair, n[pair] }' "$work/met.$1" | sort
}
pairs ooo >"$work/ooo.pairs"
pairs inorder >"$work/inorder.pairs"
sed 's/^/# out of order: /' "$work/ooo.pairs"
sed 's/^/# in order: /' "$work/inorder.pairs"
tap_check "two rare things meet in two thirds of the runs and more: $meeting of $runs" \
	test $((3 * meeting)) -ge $((2 * runs))
rare="line page atomic forward partial replay wrong_replay nested ret indirect serial mshr buffer region"
absent=
for one in $rare; do
	for other in ${rare#*"$one"}; do
		grep -q "^$one $other " "$work/ooo.pairs" || absent+=" $one+$other"
	done
done
tap_is "out of order, each of the rare things meets each other one" "$absent" ""
absent=
for pair in "atomic serial" "atomic ret" "atomic indirect" "ret indirect" "ret serial" "indirect serial" \
	"atomic buffer" "ret buffer" "serial buffer" "indirect buffer" "indirect region" "ret region" "buffer region"; do
	grep -q "^$pair " "$work/inorder.pairs" || absent+=" $pair,"
done
tap_is "in order, those that this core has meet" "$absent" ""
tap_check "calls are measured again and again" \
	eval "awk '\$2 > 20 { n++ } END { exit n < 20 }' $work/calls"
tap_done
