#!/bin/bash
# Each core does in every cycle what its slow, obvious twin does: on all workloads, on
# many machines, on random instruction sequences, on programs with threads, signals and faults.
#
# TWIN_FULL=1 runs programs to their end; otherwise the first instructions are compared, with CI set twice as many.
# time-limit: 3600
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
: "${TWIN_FULL:=0}"
. tests/harness.sh
warnings=(-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla)
if ! build_harness "$work/compare" "${warnings[@]}" -Itests/core tests/core/{compare_twin,meetings,twin,twin_fetch,twin_ideal,twin_inorder,twin_sets}.c \
	2>"$work/log"; then
	tap_not_ok "core and twin build" "$(cat "$work/log")"
	tap_done
fi

# limit COUNT: the option that stops a run there.
times=1
tap_wants_all && times=2
limit() {
	[ "$TWIN_FULL" = 1 ] || echo "-n $((times * $1))"
}

# same NAME ARGUMENT...: one comparison, one point.
same() {
	local name=$1 output status
	shift
	output=$("$work/compare" "$@" 2>&1 </dev/null)
	status=$?
	if [ $status -eq 0 ]; then
		tap_ok "$name: ${output##*equal: }"
	else
		tap_not_ok "$name" "compare_twin $* ended with status $status
$output"
	fi
}

# The workloads on the default machine.
workloads=()
for elf in "$BUILD"/workloads/*; do
	case $elf in *.about) continue ;; esac
	[ -x "$elf" ] && [ -f "$elf" ] && workloads+=("$elf")
done
cd "$BUILD/workloads" 2>/dev/null || tap_skip "the workloads" "no workloads in $BUILD"
for elf in "${workloads[@]}"; do
	# shellcheck disable=SC2046
	same "$(basename "$elf")" $(limit 80000) "$(basename "$elf")" test
done

# Other machines, each on the next two workloads.
machines=(
	"fetch.width=1 decode.width=1 dispatch.width=1 issue.width=1 commit.width=1"
	"fetch.width=2 decode.width=2 dispatch.width=2 issue.width=2 commit.width=2"
	"fetch.width=8 decode.width=8 dispatch.width=8 issue.width=8 commit.width=8"
	"rob.size=16 issue_queue.size=16 lsq.size=16"
	"rob.size=64 issue_queue.size=64"
	"rob.size=256 issue_queue.size=256 lsq.size=256"
	"issue_queue.size=8"
	"issue_queue.kind=split issue_queue.int_size=6 issue_queue.memory_size=4 issue_queue.fp_size=3"
	"issue_queue.kind=split issue_queue.int_size=1 issue_queue.memory_size=1 issue_queue.fp_size=1"
	"lsq.size=4"
	"l1d.mshrs=1"
	"l1d.mshrs=2"
	"l1d.mshrs=4"
	"l1d.mshrs=unlimited l1d.size_bytes=1024 l1d.ways=2"
	"l2.mshrs=1"
	"store.buffer=1"
	"lsq.disambiguation=perfect"
	"lsq.disambiguation=predict"
	"lsq.disambiguation=predict store_sets.clear_cycles=100"
	"lsq.disambiguation=predict store_sets.entries=4 store_sets.sets=2 int_alu.latency_cycles=3"
	"lsq.disambiguation=predict ideal.replay=true"
	"wrong_path.unmapped=stop"
	"wrong_path.unmapped=stop rob.size=16 lsq.size=4 store.buffer=1"
	"fetch.buffer=1 fetch.width=1"
	"fetch.buffer=8"
	"frontend.depth=1"
	"frontend.depth=12"
	"core.max_branches=2"
	"core.max_branches=1 l1i.prefetch=stream"
	"ideal.branch=true"
	"ideal.l1i=true"
	"ideal.l2i=true"
	"ideal.itlb=true"
	"ideal.l1d=true"
	"ideal.l2d=true"
	"ideal.dtlb=true"
	"cache.levels=3 ideal.l3i=true"
	"cache.levels=3 ideal.l3d=true l3.mshrs=1"
	"cache.levels=3 ideal.l3d=true tlb.miss=walk dtlb.entries=4 memory.line_cycles=20"
	"ideal.dependence=true"
	"ideal.dependence=true ideal.units=true ideal.ports=true lsq.disambiguation=predict"
	"ideal.mshrs=true l1d.mshrs=1 l2.mshrs=1"
	"ideal.queues=true issue_queue.size=3 lsq.size=2"
	"ideal.queues=true issue_queue.kind=split issue_queue.int_size=2 issue_queue.memory_size=2 issue_queue.fp_size=2"
	"ideal.max_branches=true core.max_branches=2"
	"ideal.forwarding=true"
	"ideal.forwarding=true lsq.disambiguation=predict store.buffer=2"
	"ideal.forwarding=true lsq.disambiguation=perfect store.buffer=1"
	"ideal.int_alu=true int_alu.count=1"
	"ideal.int_muldiv=true int_muldiv.count=1"
	"ideal.memory_ports=true memory.ports=1"
	"ideal.fp_add=true fp_add.count=1"
	"ideal.fp_muldiv=true"
	"ideal.units=true"
	"ideal.ports=true int_alu.count=1 memory.ports=1"
	"ideal.store=true store.buffer=1"
	"ideal.pending_hits=true"
	"predictor.kind=static_not_taken"
	"predictor.kind=static_taken"
	"predictor.kind=bimodal"
	"predictor.kind=gshare"
	"predictor.kind=tage"
	"predictor.kind=perfect"
	"indirect.kind=history btb.sets=4 btb.ways=1 return_stack.entries=1"
	"memory.latency_cycles=3000"
	"memory.latency_cycles=700 l1d.mshrs=1 store.buffer=2"
	"l1d.write=through"
	"l1d.write=through store.buffer=1 l2.mshrs=1"
	"l1i.size_bytes=512"
	"l1i.line_bytes=8 l1i.size_bytes=64"
	"l1d.size_bytes=512 l1d.ways=1 l2.size_bytes=4096 dtlb.entries=4 itlb.entries=4"
	"l1d.replacement=random l2.replacement=srrip l1i.ways=2 l1i.replacement=plru"
	"l1d.prefetch=stride l2.prefetch=stream l1i.prefetch=next_line"
	"int_muldiv.count=2 fp_muldiv.count=3 memory.ports=1 int_alu.count=1"
	"int_alu.latency_cycles=3 l1i.latency_cycles=3 l1d.latency_cycles=5"
	"memory.line_cycles=20"
	"memory.line_cycles=300 l1d.mshrs=2 store.buffer=4"
	"memory.line_cycles=13 ideal.bandwidth=true"
	"memory.kind=dram memory.line_cycles=4 dram.banks=2 dram.row_bytes=1024"
	"memory.kind=dram dram.rows=closed memory.latency_cycles=60"
	"tlb.miss=walk dtlb.entries=4 itlb.entries=4"
	"tlb.miss=walk dtlb.entries=4 itlb.entries=4 walk.cache_entries=0 l1d.mshrs=1 memory.line_cycles=30"
	"tlb.miss=walk tlb2.entries=16 dtlb.entries=4 itlb.entries=4 ideal.walk=true"
	"tlb.miss=walk dtlb.entries=4 ideal.dtlb=true itlb.entries=4 ideal.itlb=true"
	"tlb2.entries=32 dtlb.entries=4 itlb.entries=4"
	"l1d.prefetch=stride+stream l2.prefetch=next_line+adjacent_line+stride+stream memory.line_cycles=10"
	"cache.levels=1"
	"cache.levels=3 l3.mshrs=2"
	# Fully associative caches and TLBs.
	"l1i.size_bytes=1024 l1i.ways=32 l1d.size_bytes=2048 l1d.ways=64 l1d.replacement=srrip l2.size_bytes=4096 l2.ways=64 l2.replacement=plru itlb.entries=6 itlb.ways=6 dtlb.entries=5 dtlb.ways=5"
	# No two of its numbers are equal, as far as they can be.
	"fetch.width=7 fetch.buffer=22 decode.width=6 frontend.depth=9 dispatch.width=5 issue.width=8 commit.width=4 rob.size=57 issue_queue.size=29 lsq.size=23 store.buffer=11 core.max_branches=13 int_alu.count=3 int_alu.latency_cycles=2 int_muldiv.count=2 int_mul.latency_cycles=5 int_div.latency_cycles=17 memory.ports=1 fp_add.count=1 fp_add.latency_cycles=3 fp_muldiv.count=2 fp_mul.latency_cycles=7 fp_div.latency_cycles=19 cache.levels=3 l1i.latency_cycles=2 l1d.latency_cycles=4 l2.latency_cycles=13 l3.latency_cycles=31 memory.latency_cycles=127 l1d.mshrs=6 l2.mshrs=5 l3.mshrs=4 l1d.size_bytes=1024 l1d.ways=2 l2.size_bytes=8192 l3.size_bytes=16384 itlb.miss_cycles=21 dtlb.miss_cycles=33 itlb.entries=8 dtlb.entries=4"
	"issue_queue.kind=split issue_queue.int_size=11 issue_queue.memory_size=7 issue_queue.fp_size=5 dispatch.width=3 issue.width=6 commit.width=5 fp_add.count=1 fp_add.latency_cycles=6 fp_mul.latency_cycles=9 int_mul.latency_cycles=8 int_div.latency_cycles=25 fp_div.latency_cycles=14 lsq.disambiguation=predict store_sets.entries=64 store_sets.sets=9 store_sets.clear_cycles=3000"
)

# settings "KEY=VALUE ...": as options, in $options.
settings() {
	local setting
	options=()
	for setting in $1; do
		options+=(-s "$setting")
	done
}

next=0
for machine in "${machines[@]}"; do
	settings "$machine"
	for _ in $(seq $((TWIN_FULL ? 2 : 1))); do
		[ ${#workloads[@]} -gt 0 ] || continue
		name=$(basename "${workloads[next % ${#workloads[@]}]}")
		next=$((next + 1))
		# shellcheck disable=SC2046
		same "$machine, $name" "${options[@]}" $(limit 20000) "$name" test
	done
done

# Random combinations of these.
RANDOM=1
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ ${#workloads[@]} -gt 0 ] || continue
	pick=()
	for _ in 1 2 3; do
		pick+=("${machines[RANDOM % ${#machines[@]}]}")
	done
	# A width of 1 or 2 and a buffer for it may have come together with another's.
	settings "${pick[*]} fetch.buffer=16"
	name=$(basename "${workloads[next % ${#workloads[@]}]}")
	next=$((next + 1))
	# shellcheck disable=SC2046
	same "${pick[*]}, $name" "${options[@]}" $(limit 15000) "$name" test
done

# Random settings of memory, TLBs and prefetchers.
for seed in $(seq 1 $((TWIN_FULL ? 60 : 10))); do
	[ ${#workloads[@]} -gt 0 ] || continue
	settings "$("$root/tests/counters/random_memory.sh" $seed)"
	name=$(basename "${workloads[next % ${#workloads[@]}]}")
	next=$((next + 1))
	# shellcheck disable=SC2046
	same "random memory $seed, $name" "${options[@]}" $(limit 15000) "$name" test
done

# What is ideal for some instructions alone, on machines on which each event happens; and with switches that hide the
# same from all.
few="l1i.size_bytes=512 l1d.size_bytes=1024 l1d.ways=2 l2.size_bytes=8192 l3.size_bytes=16384 dtlb.entries=4 itlb.entries=4"
ideal_machines=(
	"2 lsq.disambiguation=predict l1d.mshrs=2 $few"
	"3 cache.levels=3 l3.mshrs=2 l1d.mshrs=2 l2.mshrs=2 tlb.miss=walk memory.line_cycles=13 int_alu.latency_cycles=3 int_alu.count=1 $few"
	"2 l1d.write=through store.buffer=2 predictor.kind=gshare btb.sets=4 btb.ways=1 return_stack.entries=1 tlb2.entries=16 tlb2.ways=4 l1d.prefetch=stride l2.prefetch=stream $few"
	"2 ideal.dtlb=true ideal.l2i=true int_div.latency_cycles=100 int_alu.latency_cycles=4 $few"
	"3 cache.levels=3 ideal.l3d=true indirect.kind=history l1i.prefetch=next_line memory.kind=dram memory.line_cycles=4 $few"
	"1 cache.levels=1 predictor.kind=static_not_taken fp_add.count=1 fp_add.latency_cycles=7 $few"
)
seed=0
for _ in $(seq $((TWIN_FULL ? 12 : 3))); do
	for machine in "${ideal_machines[@]}"; do
		[ ${#workloads[@]} -gt 0 ] || continue
		seed=$((seed + 1))
		settings "${machine#* }"
		name=$(basename "${workloads[next % ${#workloads[@]}]}")
		next=$((next + 1))
		# shellcheck disable=SC2046
		same "ideal.at $seed, ${machine#* }, $name" "${options[@]}" \
			-s "ideal.at=$("$root/tests/core/random_ideal_at.sh" $seed "${machine%% *}")" $(limit 15000) "$name" test
	done
done

# In-order machines, as changes to a preset.
inorder_machines=(
	"leon2"
	"littlecore"
	"leon2 inorder.issue_width=2"
	"leon2 inorder.long_operations=pipelined int_muldiv.count=2"
	"leon2 inorder.write_buffer_entries=4 inorder.write_cycles=30"
	"leon2 l1d.write=back"
	"leon2 l1d.write=live l1d.size_bytes=256"
	"leon2 l1d.write=live l1d.size_bytes=128 cache.levels=2 l2.size_bytes=512 l2.ways=2 inorder.write_buffer_entries=4"
	"littlecore l1d.write=live l1d.size_bytes=256 l1d.ways=2 l1d.line_bytes=16 memory.line_cycles=20"
	"leon2 l1d.write=back inorder.write_buffer_entries=3 inorder.load_use_bubble_cycles=0"
	"leon2 ideal.l1d=true"
	"leon2 ideal.l1i=true inorder.taken_branch_cycles=7"
	"leon2 ideal.branch=true ideal.units=true"
	"leon2 ideal.dependence=true"
	"littlecore ideal.dependence=true inorder.long_operations=blocking"
	"leon2 cache.levels=2 l2.size_bytes=4096 l2.ways=2 ideal.itlb=false ideal.dtlb=false dtlb.miss_cycles=9 itlb.miss_cycles=7"
	"leon2 l1i.latency_cycles=3 inorder.taken_branch_cycles=4 l1d.latency_cycles=4"
	"leon2 predictor.kind=static_not_taken btb.sets=4 btb.ways=1"
	"leon2 predictor.kind=static_taken inorder.taken_branch_cycles=0 inorder.mispredict_cycles=2"
	"leon2 l1i.line_bytes=8 l1i.size_bytes=64 l1d.line_bytes=8 l1d.size_bytes=64"
	"littlecore inorder.issue_width=1"
	"littlecore inorder.pairing=pipes"
	"littlecore int_alu.count=1"
	"littlecore memory.ports=2 l1d.size_bytes=512 l1d.ways=2 l1d.line_bytes=16"
	"littlecore inorder.long_operations=blocking fp_add.count=2 fp_muldiv.count=2"
	"littlecore inorder.address_bubble_cycles=1 inorder.load_address_bubble_cycles=2 inorder.load_use_bubble_cycles=0"
	"littlecore inorder.load_use_bubble_cycles=5 inorder.address_bubble_cycles=4"
	"littlecore inorder.write_buffer_entries=1 l1d.size_bytes=1024 l1d.ways=1"
	"littlecore l1d.write=through inorder.write_cycles=3 l1d.prefetch=stride"
	"littlecore int_div.latency_cycles=128 int_muldiv.count=2 int_alu.latency_cycles=3 fp_div.latency_cycles=100"
	"littlecore l1i.latency_cycles=2 inorder.mispredict_cycles=9 inorder.taken_branch_cycles=0"
	"littlecore predictor.kind=tage indirect.kind=history btb.sets=4 btb.ways=1 return_stack.entries=1"
	"littlecore predictor.kind=perfect"
	"littlecore ideal.branch=true"
	"littlecore ideal.l1d=true ideal.dtlb=true"
	"littlecore ideal.l2d=true ideal.l2i=true"
	"littlecore ideal.units=true inorder.fill_word_cycles=1"
	"littlecore cache.levels=3 l1d.size_bytes=1024 l2.size_bytes=4096 dtlb.entries=4 dtlb.ways=4 itlb.entries=4 itlb.ways=4"
	"littlecore memory.latency_cycles=3000 l1d.replacement=random l2.replacement=srrip"
	"leon2 memory.line_cycles=40"
	"leon2 memory.line_cycles=300 inorder.write_buffer_entries=2"
	"u74 memory.line_cycles=100 tlb.miss=walk dtlb.entries=4 dtlb.ways=4 itlb.entries=4 itlb.ways=4 walk.cache_entries=0"
	"littlecore memory.kind=dram memory.line_cycles=4 dram.banks=2 dram.row_bytes=1024"
	# No two of its latencies are equal.
	"littlecore inorder.load_use_bubble_cycles=3 inorder.address_bubble_cycles=1 inorder.load_address_bubble_cycles=2 inorder.taken_branch_cycles=4 inorder.mispredict_cycles=7 inorder.write_buffer_entries=5 inorder.fill_word_cycles=2 int_alu.latency_cycles=2 int_mul.latency_cycles=6 int_div.latency_cycles=23 fp_add.latency_cycles=5 fp_mul.latency_cycles=8 fp_div.latency_cycles=29 l1i.latency_cycles=3 l1d.latency_cycles=4 l2.latency_cycles=17 memory.latency_cycles=91 itlb.miss_cycles=13 dtlb.miss_cycles=19 itlb.entries=4 itlb.ways=4 dtlb.entries=8 dtlb.ways=8 l1d.size_bytes=1024 l1d.ways=2"
)

# inorder_options "PRESET KEY=VALUE ...": as options, in $options.
inorder_options() {
	settings "${1#* }"
	case $1 in *\ *) ;; *) options=() ;; esac
	options=(-c "$root/configs/${1%% *}.cfg" "${options[@]}")
}

for machine in "${inorder_machines[@]}"; do
	inorder_options "$machine"
	for _ in $(seq $((TWIN_FULL ? 2 : 1))); do
		[ ${#workloads[@]} -gt 0 ] || continue
		name=$(basename "${workloads[next % ${#workloads[@]}]}")
		next=$((next + 1))
		# shellcheck disable=SC2046
		same "$machine, $name" "${options[@]}" $(limit 20000) "$name" test
	done
done
seed=0
for preset in leon2 littlecore u74 leon2 littlecore u74 leon2 littlecore u74 leon2 littlecore u74; do
	[ ${#workloads[@]} -gt 0 ] || continue
	seed=$((seed + 1))
	inorder_options "$preset $("$root/tests/counters/random_memory.sh" $seed inorder)"
	name=$(basename "${workloads[next % ${#workloads[@]}]}")
	next=$((next + 1))
	# shellcheck disable=SC2046
	same "$preset, random memory $seed, $name" "${options[@]}" $(limit 15000) "$name" test
done
for machine in "2 littlecore l1d.size_bytes=1024 l1d.ways=2 dtlb.entries=4 dtlb.ways=4" \
	"1 leon2 int_alu.latency_cycles=2 l1i.size_bytes=512" "2 u74 tlb.miss=walk dtlb.entries=4 dtlb.ways=4 inorder.fill_word_cycles=3" \
	"1 leon2 l1d.write=back inorder.write_buffer_entries=3 l1d.size_bytes=256 inorder.long_operations=pipelined"; do
	for _ in $(seq $((TWIN_FULL ? 12 : 3))); do
		[ ${#workloads[@]} -gt 0 ] || continue
		seed=$((seed + 1))
		inorder_options "${machine#* }"
		name=$(basename "${workloads[next % ${#workloads[@]}]}")
		next=$((next + 1))
		# shellcheck disable=SC2046
		same "ideal.at $seed, ${machine#* }, $name" "${options[@]}" \
			-s "ideal.at=$("$root/tests/core/random_ideal_at.sh" $seed "${machine%% *}")" $(limit 15000) "$name" test
	done
done
for elf in "${workloads[@]}"; do
	# shellcheck disable=SC2046
	same "littlecore without skipping, $(basename "$elf")" -k -c "$root/configs/littlecore.cfg" $(limit 15000) \
		"$(basename "$elf")" test
done

# Every preset.
cd "$root" || exit 1
for preset in configs/*.cfg; do
	[ ${#workloads[@]} -gt 0 ] || continue
	elf=${workloads[next % ${#workloads[@]}]}
	next=$((next + 1))
	# shellcheck disable=SC2046
	same "$(basename "$preset" .cfg), $(basename "$elf")" -c "$preset" $(limit 40000) "$elf" test
done

# Random instruction sequences: every instruction, odd addresses, mixed widths.
if tests/lockstep/build.sh "$BUILD/tests/lockstep" 2>"$work/log"; then
	seed=0
	for machine in "rob.size=128" "lsq.size=4 l1d.mshrs=1" "store.buffer=1 l1d.size_bytes=512 l1d.ways=1" \
		"lsq.disambiguation=perfect int_muldiv.count=2" "core.max_branches=2 predictor.kind=static_taken" \
		"l1i.line_bytes=8 l1i.size_bytes=64 l1d.line_bytes=8"; do
		settings "$machine"
		seed=$((seed + 1))
		"$BUILD/tests/lockstep/generate" $seed 300 "$work/random.elf" >"$work/log"
		# shellcheck disable=SC2046
		same "random sequences, $machine" "${options[@]}" $(limit 60000) "$work/random.elf"
	done
	for machine in "leon2" "littlecore" "leon2 l1d.write=back l1d.line_bytes=8 l1d.size_bytes=64" \
		"littlecore memory.ports=2 l1d.size_bytes=512 l1d.ways=1 l1d.line_bytes=16 inorder.write_buffer_entries=2" \
		"littlecore inorder.pairing=pipes int_muldiv.count=2 l1i.line_bytes=8 l1i.size_bytes=64"; do
		inorder_options "$machine"
		seed=$((seed + 1))
		"$BUILD/tests/lockstep/generate" $seed 300 "$work/random.elf" >"$work/log"
		# shellcheck disable=SC2046
		same "random sequences, $machine" "${options[@]}" $(limit 60000) "$work/random.elf"
	done
else
	tap_not_ok "the generator of random sequences builds" "$(cat "$work/log")"
fi

cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
if command -v "$cross" >/dev/null; then
	for name in thread_queue thread_signal thread_cancel sig_segv sig_segv_caught sig_restart timers; do
		if "$cross" -O2 -static -pthread -o "$work/$name" "tests/guest/$name.c" -lm 2>"$work/log"; then
			# shellcheck disable=SC2046
			same "$name" $(limit 60000) "$work/$name"
			# shellcheck disable=SC2046
			same "$name, leon2" -c configs/leon2.cfg $(limit 40000) "$work/$name"
			# shellcheck disable=SC2046
			same "$name, littlecore" -c configs/littlecore.cfg $(limit 40000) "$work/$name"
		else
			tap_not_ok "$name builds" "$(cat "$work/log")"
		fi
	done
	# Replays: many of them, of loads on right and wrong paths, some while others are being fetched
	# again.
	if "$cross" -O2 -static -o "$work/violations" tests/core/violations.c 2>"$work/log"; then
		for machine in "rob.size=128" "store_sets.clear_cycles=100 rob.size=64" \
			"store_sets.entries=4 store_sets.sets=2 l1d.mshrs=2 store.buffer=2 wrong_path.unmapped=stop" \
			"store_sets.clear_cycles=37 int_alu.latency_cycles=3 fetch.buffer=8 l1i.size_bytes=512 core.max_branches=4" \
			"store_sets.clear_cycles=50 btb.sets=4 btb.ways=1 predictor.kind=gshare rob.size=256 lsq.size=256" \
			"memory.latency_cycles=700 l1d.mshrs=1 store.buffer=2 l1d.size_bytes=512 l1d.ways=1 store_sets.clear_cycles=1000" \
			"l1i.line_bytes=8 l1i.size_bytes=64 frontend.depth=12 store_sets.clear_cycles=500"; do
			settings "lsq.disambiguation=predict $machine"
			# shellcheck disable=SC2046
			same "violations, $machine" "${options[@]}" $(limit 40000) "$work/violations"
		done
		settings "lsq.disambiguation=predict store_sets.clear_cycles=100"
		"$work/compare" "${options[@]}" -n 50000 "$work/violations" >"$work/report"
		tap_check "there are replays to compare" eval "grep -q ' [1-9][0-9][0-9]* replays' $work/report"
	else
		tap_not_ok "violations builds" "$(cat "$work/log")"
	fi
	# Counters are read in an empty core, behind misses, stores and mispredicted branches.
	cat >"$work/reads.S" <<-'END'
		.globl _start
		_start:	li s0, 300
			la s1, data
			li s2, 12345
		again:	rdcycle a0
			li t0, 1103515245
			mul s2, s2, t0
			addi s2, s2, 1023
			srli t1, s2, 20
			andi t1, t1, 1016
			slli t1, t1, 7
			add t1, t1, s1
			ld t2, 0(t1)
			sd s2, 8(t1)
			srli t3, s2, 40
			andi t3, t3, 1
			beqz t3, 1f
			add s3, s3, t2
			rdinstret a1
			rdtime a2
		1:	sd s3, 16(t1)
			xor s3, s3, s2
			rdcycle a3
			rdcycle a4
			addi s0, s0, -1
			bnez s0, again
			li a0, 0
			li a7, 93
			ecall
			.bss
			.balign 64
		data:	.skip 262144
	END
	if "$cross" -nostdlib -static -o "$work/reads" "$work/reads.S" 2>"$work/log"; then
		for preset in midcore eyerman2006 leon2 u74; do
			same "counters that are read, $preset" -c configs/$preset.cfg "$work/reads"
		done
		same "counters that are read, with stores that wait" -c configs/eyerman2006.cfg -s store.buffer=1 "$work/reads"
	else
		tap_not_ok "counters that are read: builds" "$(cat "$work/log")"
	fi
	# A fault in the first instruction of a line that was waited for until nothing was in flight; the
	# handler, as cold, exits.
	cat >"$work/cold.S" <<-'END'
		.globl _start
		_start:	la a1, action
			li a0, 11
			li a2, 0
			li a3, 8
			li a7, 134
			ecall
			j cold
			.balign 4096
			.skip 4096
		cold:	ld a0, 0(x0)
			.balign 4096
		handler: li a0, 7
			li a7, 93
			ecall
			.data
			.balign 8
		action:	.dword handler, 0, 0, 0
	END
	if "$cross" -nostdlib -static -o "$work/cold" "$work/cold.S" 2>"$work/log"; then
		same "a fault with nothing in flight" "$work/cold"
		same "a fault with nothing in flight, leon2" -c configs/leon2.cfg "$work/cold"
	else
		tap_not_ok "a fault with nothing in flight: builds" "$(cat "$work/log")"
	fi
else
	tap_skip "programs with threads, signals and faults" "no $cross"
fi

# The comparison must be able to fail: the twin is given another machine.
if [ ${#workloads[@]} -gt 0 ]; then
	for setting in rob.size=127 l1d.latency_cycles=3 memory.latency_cycles=251 frontend.depth=6 \
		ideal.at=0x0-0x80000:{branch,l1i,l2d,time=50%,latency=1%+dtlb}; do
		"$work/compare" -t "$setting" -n 100000 "${workloads[0]}" test >"$work/report"
		tap_is "$setting for the twin only: status" "$?" 1
		tap_check "$setting for the twin only: the report names a cycle and a field" \
			eval "grep -q '^cycle [0-9]* differs' $work/report && grep -q -- '<--' $work/report"
	done
	for setting in inorder.load_use_bubble_cycles=2 inorder.mispredict_cycles=4 int_alu.count=1 \
		inorder.write_buffer_entries=1 memory.latency_cycles=121 int_mul.latency_cycles=4; do
		"$work/compare" -c configs/littlecore.cfg -t "$setting" -n 100000 "${workloads[0]}" test >"$work/report"
		tap_is "littlecore, $setting for the twin only: status" "$?" 1
	done
fi
tap_done
