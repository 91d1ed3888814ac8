#!/bin/bash
# Conservation: on every workload and preset, what each way of counting charges adds up to the cycles of the run,
# however it is grouped; and attaching counters changes nothing.
#
# CYCLESTACK  the tool  (build/cyclestack)
# CI          set: every workload on every preset, instead of every fourth
# FULL        1: the small size, as `make evaluate` runs it  (test size)
# time-limit: 900
. "$(dirname "$0")/../head.sh"
check=$root/tests/counters/check_stacks.pl
needs_workloads
size="test"
seeds="1 2"
every=4
tap_wants_all && seeds="1 2 3 4 5" && every=1
[ "${FULL:-0}" = 1 ] && size=small && seeds=$(seq 1 24)

# conserved TITLE ARGUMENT...
conserved() {
	local title=$1
	shift
	rm -f with.json without.json
	"$cyclestack" run --counters all --intervals 100k --json with.json "$@" >/dev/null 2>err </dev/null
	"$cyclestack" run --counters none --json without.json "$@" >/dev/null 2>>err </dev/null
	if [ -s with.json ] && [ -s without.json ]; then
		tap_check "$title" perl "$check" with.json without.json
	else
		tap_not_ok "$title" "$(cat err)"
	fi
}

presets=$("$cyclestack" config list --names)
number=0
for preset in $presets; do
	# Each preset begins with another workload, so that all of them are met by some.
	number=$((number + 1))
	for name in $("$cyclestack" workloads --names | grep -v / | sed -n "$((number % every + 1))~${every}p"); do
		# Whole programs on the default machine; their first part on the others, unless all is asked for.
		limit=(--max-insns 120k)
		[ "$preset" = midcore ] || [ "${FULL:-0}" = 1 ] && limit=()
		conserved "$preset, $name" --config "$preset" "${limit[@]}" "@$name:$size"
	done
done
conserved "one cache level" --set cache.levels=1 @quadtree:test
conserved "narrow" --set dispatch.width=1 --set decode.width=1 --set fetch.width=1 --set issue.width=1 \
	--set commit.width=1 @heapsort:test
conserved "wide" --set dispatch.width=16 --set decode.width=16 --set fetch.width=16 --set issue.width=16 \
	--set commit.width=16 --set int_alu.count=16 @stencil:test
conserved "small window, one MSHR, one store at a time" --set rob.size=8 --set issue_queue.size=4 --set lsq.size=2 \
	--set l1d.mshrs=1 --set store.buffer=1 @fieldgraph:test
conserved "slow front end" --set frontend.depth=40 --set l1i.latency_cycles=7 --set fetch.buffer=8 @interp:test
# Random machines: everything that memory, TLBs and prefetchers can be set to.
for seed in $seeds; do
	sets=()
	for word in $("$root/tests/counters/random_memory.sh" $seed); do
		sets+=(--set "$word")
	done
	name=$("$cyclestack" workloads --names | grep -v / | sed -n "${seed}p")
	conserved "random memory $seed, $name" "${sets[@]}" "@$name:test"
	mv with.json first.json
	"$cyclestack" run --counters all --intervals 100k --json with.json "${sets[@]}" "@$name:test" >/dev/null 2>&1 </dev/null
	tap_check "random memory $seed: the same bytes again" cmp first.json with.json
done
for seed in $seeds; do
	sets=()
	for word in $("$root/tests/counters/random_memory.sh" $seed inorder); do
		sets+=(--set "$word")
	done
	preset=$(printf '%s\n' leon2 littlecore u74 | sed -n "$((seed % 3 + 1))p")
	name=$("$cyclestack" workloads --names | grep -v / | sed -n "$(((seed + 11) % 24 + 1))p")
	conserved "random memory $seed, $preset, $name" --config "$preset" "${sets[@]}" "@$name:test"
done
conserved "in order, one store at a time" --config littlecore --set inorder.write_buffer_entries=1 \
	--set l1d.write=through @objdb:test
conserved "in order, slow fetch" --config u74 --set l1i.latency_cycles=9 --set inorder.mispredict_cycles=20 @interp:test
conserved "in order, stopped in the middle" --config leon2 --max-insns 123457 @compiler:test
conserved "stopped in the middle" --max-insns 123457 @compiler:test
conserved "a part of the program" --skip 200k --max-insns 300k @objdb:test

# The check itself must be able to fail.
"$cyclestack" run --json with.json @heapsort:test >/dev/null 2>&1
sed 's/"slots_per_cycle": 4/"slots_per_cycle": 3/' with.json >broken.json
if perl "$check" broken.json >/dev/null; then
	tap_not_ok "the check sees what does not add up"
else
	tap_ok "the check sees what does not add up"
fi
tap_done
