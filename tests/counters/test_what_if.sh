#!/bin/bash
# time-limit: 1500
# run --what-if: the run itself is answered exactly, other machines near what simulating them gives and within their
# intervals, however many copies run at once; nothing else changes, no copy survives, and what cannot be answered is
# refused.
. "$(dirname "$0")/../head.sh"
needs_workloads
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

# Answers beside simulations of the same instructions, in one window: within 0.1 percent of the run's cycles, and of
# what changes: what is left is where a system call cuts it.
# Nine of ten are within their interval; those that are not are counted over all.
inside=0 answers=0
for preset in eyerman2006 midcore bigcore u74; do
	case $preset in
	u74) changes="inorder.mispredict_cycles=12 l2.latency_cycles=40 ideal.l1d=true memory.latency_cycles=400 int_alu.count=1" ;;
	*) changes="rob.size=16 issue.width=1 int_alu.count=1 l1d.latency_cycles=12 ideal.branch=true frontend.depth=20
		memory.latency_cycles=400 l2.latency_cycles=40 l1d.mshrs=4 rob.size=512 rob.size=16,ideal.branch=true" ;;
	esac
	for workload in chess interp stencil; do
		tap_wants_all || [ "$workload$preset" != stencilbigcore ] || continue
		asked=() number=0
		for change in $changes; do asked+=(--what-if "$change"); done
		run --config "$preset" --counters none --max-insns 300k "${asked[@]}" "@$workload:test"
		cp result.json asked.json
		for change in $changes; do
			sets=()
			for one in ${change//,/ }; do sets+=(--set "$one"); done
			run --config "$preset" --counters none --max-insns 300k "${sets[@]}" "@$workload:test"
			simulated=$(get values/cycles)
			cp asked.json result.json
			got="$(get values/cycles) $(get "what_if/$number/cycles") $simulated $(get "what_if/$number/error")"
			number=$((number + 1)) answers=$((answers + 1))
			inside=$((inside + $(awk '{ e = $2 - $3; print (e < 0 ? -e : e) <= $4 * $1 }' <<<"$got")))
			tap_is "$workload on $preset with $change is near the simulation" \
				"$(awk '{ e = $2 - $3; d = $1 - $3; e *= e < 0 ? -1 : 1; d *= d < 0 ? -1 : 1
					print e < 0.001 * ($1 + d) ? "near" : "run, estimated, simulated, error: " $0 }' <<<"$got")" near
		done
	done
done
tap_check "$inside of $answers are within their interval" test $((10 * inside)) -ge $((9 * answers))

# Stores pile up behind few MSHRs: in the first million instructions for as long as they do in the simulation; later for
# longer than a window, and what they still take is in the answer and in its interval.
for asked in "netflow:test unlimited 2 1M 0.1" "netflow:test unlimited 4 1M 0.1" "netflow:test unlimited 8 1M 0.1" \
	"lattice:test unlimited 2 1M 0.1" "lattice:test unlimited 4 1M 0.1" "lattice:test 4 2 1M 0.1" "lattice:test 2 16 1M 0.1" \
	"netflow:test 2 4 1M 0.1" "netflow:small unlimited 2 3M 8" "lattice:small unlimited 4 3M 20"; do
	read -r workload has other last most <<<"$asked"
	run -q --config eyerman2006 --set l1d.mshrs="$has" --counters none --max-insns "$last" --what-if l1d.mshrs="$other" "@$workload"
	got="$(get values/cycles) $(get what_if/0/cycles) $(get what_if/0/error)"
	run -q --config eyerman2006 --counters none --max-insns "$last" --set l1d.mshrs="$other" "@$workload"
	tap_is "$workload, $other MSHRs in place of $has: within $most % and the interval" "$(awk -v most="$most" -v simulated="$(get values/cycles)" '{
		e = ($2 - simulated) / $1; e *= e < 0 ? -1 : 1
		print e <= $3 && 100 * e < most ? "inside" : "off by " e " of the cycles, interval " $3 }' <<<"$got")" inside
done

if command -v "$cross" >/dev/null; then
	"$cross" -O2 -static -o kinds "$root/tests/gain/kinds.c"
	for asked in "eyerman2006 l1d.mshrs=2" "eyerman2006 l1d.mshrs=8" "midcore ideal.store=true"; do
		read -r preset change <<<"$asked"
		run -q --config "$preset" --counters none --max-insns 500k --what-if "$change" ./kinds bursts
		got="$(get values/cycles) $(get what_if/0/cycles) $(get what_if/0/error)"
		run -q --config "$preset" --counters none --max-insns 500k --set "$change" ./kinds bursts
		tap_is "bursts of stores on $preset with $change: within the interval" "$(awk -v simulated="$(get values/cycles)" '{
			e = ($2 - simulated) / $1; e *= e < 0 ? -1 : 1
			print e <= $3 ? "inside" : "off by " e " of the cycles, interval " $3 }' <<<"$got")" inside
	done
else
	tap_skip "bursts of stores" "no cross compiler"
fi

# How many copies run at once, and how often, changes nothing.
run --threads 1 --max-insns 300k --what-if rob.size=16 --what-if ideal.l1d=true @objdb:test
cp result.json one.json
run --threads 2 --max-insns 300k --what-if rob.size=16 --what-if ideal.l1d=true @objdb:test
tap_check "one copy at a time or several: the same result" cmp one.json result.json
taskset -c 0 "$cyclestack" run --json result.json --max-insns 300k --what-if rob.size=16 --what-if ideal.l1d=true \
	@objdb:test >/dev/null 2>&1
tap_check "on one core of the host too" cmp one.json result.json

# A copy has no effect: what the program prints comes once, and files are as without.
if command -v "$cross" >/dev/null; then
	mkdir -p there
	cat >opens.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	int fd = open("/there/letters", O_CREAT | O_TRUNC | O_WRONLY, 0644);
	volatile unsigned long sum = 0;
	for (int i = 0; i < 300; i++) {
		char letter = 'a' + i % 26;
		for (int k = 0; k < 2000; k++)
			sum += k * i;
		if (write(fd, &letter, 1) != 1 || write(1, &letter, 1) != 1)
			return 1;
	}
	return 0;
}
END
	"$cross" -O1 -static -o opens opens.c
	"$cyclestack" run -q --counters none --mount /there="$PWD/there" ./opens >plain.txt 2>/dev/null
	cp there/letters plain-letters
	"$cyclestack" run -q --counters none --json result.json --mount /there="$PWD/there" --what-if rob.size=16 \
		--what-if ideal.branch=true ./opens >asked.txt 2>/dev/null
	tap_check "the program's file is as without windows" cmp there/letters plain-letters
	tap_is "it prints as much as without windows" "$(head -c 300 asked.txt)" "$(head -c 300 plain.txt)"
	tap_check "and has windows all the same" test "$(get what_if/0/windows)" -gt 0
else
	tap_skip "windows of a program that writes" "no cross compiler"
fi

# A tool that is killed takes its copies along.
"$cyclestack" run -q --counters none --what-if rob.size=16 --what-if rob.size=32 --what-if ideal.l1d=true \
	@annealer:small >/dev/null 2>&1 &
victim=$!
sleep 1
group=$(ps -o pid= --ppid "$victim" | tr -d ' ')
kill -9 "$victim"
wait "$victim" 2>/dev/null
for ((i = 0; i < 50; i++)); do
	left=$(ps -o pid= -p "${group:-1000000}" --ppid "${group:-1000000}" 2>/dev/null | wc -l)
	[ "$left" -eq 0 ] && break
	sleep 0.1
done
tap_is "no process is left of a tool that was killed" "$left" 0

# Nothing else changes.
run --intervals 10k --max-insns 100k @objdb:test
cp result.json without.json
cp result.txt without.txt
run --intervals 10k --max-insns 100k --what-if rob.size=16 --what-if ideal.branch=true @objdb:test
perl -MJSON::PP -0777 -i -pe 'my $r = decode_json($_); delete $r->{what_if}; $_ = JSON::PP->new->canonical->encode($r)' \
	result.json without.json
tap_check "the rest of the result is the same" cmp result.json without.json
sed '/^What if the machine/,/is\.$/d' result.txt >rest.txt
tap_is "the rest of the report is the same" "$(grep -v '^$' rest.txt)" "$(grep -v '^$' without.txt)"
tap_is "without --what-if there is none" "$(grep -c what_if without.json)" 0

# What a user sees.
run --max-insns 100k --html page.html --what-if rob.size=16,issue.width=1 --what-if ideal.branch=true @hanoi:test
tap_check "the report has the changes" grep -q '^rob.size=16 issue.width=1  *[0-9]* .*%.*%  *[0-9]*$' result.txt
tap_check "the page has them" grep -q '<th scope="row"><bdi>rob.size=16 issue.width=1</bdi>' page.html
for columns in 40 60 80; do
	COLUMNS=$columns run --max-insns 10k --what-if rob.size=16,issue.width=1,ideal.l1d=true @hanoi:test
	tap_is "in $columns columns no line is longer" \
		"$(sed -n '/^What if/,/^What happened/p' result.txt | awk -v most=$columns 'length > most' | wc -l)" 0
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
for key in l1d.size_bytes=65536 l2.ways=4 predictor.kind=gshare dtlb.entries=256 l1d.prefetch=none core.kind=inorder \
	cache.levels=1; do
	refused "$key" "${key%=*} cannot be answered.*; run again with --set $key (see" --what-if "rob.size=64,$key"
done
# Whatever decides what caches, TLBs, predictors and prefetchers hold is refused by its name, and why, on every machine;
# all else that a machine has is answered, by one run.
for preset in midcore bigcore leon2; do
	asked=() wrong="" count=0
	while IFS='=' read -r key value; do
		case $key in
		*.prefetch) why='caches hold what the prefetchers' ;;
		l[123]*.size_bytes | l[123]*.line_bytes | l[123]*.ways | l[123]*.replacement | l[123]*.write | cache.levels)
			why='caches hold what those' ;;
		?tlb.entries | ?tlb.ways | tlb2.entries | tlb2.ways | tlb.miss | page.* | walk.*) why='TLBs hold' ;;
		predictor.* | btb.* | return_stack.* | indirect.*) why='predictors have learnt' ;;
		store_sets.*) why='store sets have learnt' ;;
		dram.banks | dram.row_bytes | dram.rows | memory.kind) why='rows open' ;;
		pmu.*) why='what the program itself reads' ;;
		wrong_path.unmapped) why='met the wrong paths' ;;
		core.kind | issue_queue.kind) why='which parts there are' ;;
		*) asked+=(--what-if "$key=$value") && continue ;;
		esac
		count=$((count + 1)) status=0
		"$cyclestack" run --config $preset --what-if "$key=$value" @hanoi:test >out.txt 2>err.txt || status=$?
		[ "$status $(wc -l <err.txt) $(wc -c <out.txt)" = "2 1 0" ] &&
			grep -q -- "--what-if: $key cannot be answered from this run: .*$why.*; run again with --set $key=$value (see: " err.txt ||
			wrong+="$key=$value: $(cat err.txt)
"
	done < <("$cyclestack" config dump --config $preset --csv - | awk -F, '$2 ~ /[.]/ { print $2 "=" $3 }')
	tap_is "$preset: $count parameters are refused by name" "$wrong$((count > 20))" 1
	run -q --config $preset --counters none --max-insns 20k "${asked[@]}" @hanoi:test
	tap_is "$preset: all others are answered" "$? $(get what_if/$((${#asked[@]} / 2 - 1))/gain)" "124 0"
done
refused "a prediction that the run has not learnt" "predict cannot be answered.*; run again with --set lsq.disambiguation=predict" --config eyerman2006 \
	--what-if lsq.disambiguation=predict
refused "a program whose path may depend on time" "with --time cycles" --time cycles --what-if rob.size=64
refused "a value out of range" 'rob.size must be a whole number from 4 to 1024, not "3"' --what-if rob.size=3
refused "an unknown key" 'no parameter "rob.sizes"; did you mean rob.size' --what-if rob.sizes=3
refused "no value" '"rob.size" is not of the form key=value' --what-if rob.size
refused "an empty change" '"" is not of the form key=value' --what-if rob.size=64,
refused "a change without effect" "issue_queue.int_size has no effect" --what-if issue_queue.int_size=8
many=()
for ((i = 0; i < 257; i++)); do many+=(--what-if rob.size=64); done
refused "too many machines" "at most 256 machines" "${many[@]}"
tap_done
