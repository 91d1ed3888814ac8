#!/bin/bash
# long
# `inspect`: kernels keep their shape or are refused by name; the classifier needs readings and nothing
# else; hosts are inspected by the same code; events of the simulator get the verdicts their names claim.
# time-limit: 1500
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
nm "$cyclestack" 2>/dev/null | grep -q ' __asan_init' && tap_skip_all "too long with the sanitizers; the classifier's unit tests have them"

# Builds: at -O1 every loop has its shape on both machines; what other levels change is named.
flags="-std=gnu11 -D_GNU_SOURCE -g -fno-reorder-blocks -fno-if-conversion -fno-if-conversion2 -fno-crossjumping
	-fno-thread-jumps -fno-tree-vectorize -fno-unroll-loops"
for machine in "" riscv64-linux-gnu-; do
	command -v "${machine}gcc" >/dev/null || continue
	for level in 1 2 3; do
		# shellcheck disable=SC2086
		"${machine}gcc" $flags -O$level -o "$work/kernels" kernels/*.c
		found=$(tools/hold-kernels "$work/kernels" "${machine}objdump")
		status=$?
		if [ $level = 1 ]; then
			tap_is "${machine:-host-}gcc -O1: every kernel has the shape of its row" "$found" ""
		else
			tap_check "${machine:-host-}gcc -O$level: what the compiler changed is refused by name" test \
				"$status" = "$(grep -c . <<<"$found" | sed 's/[1-9].*/1/')" -a \
				"$(grep -cv 'kernel [a-z_]*: ' <<<"$found")" = "$(test -z "$found" && echo 1 || echo 0)"
		fi
	done
	# shellcheck disable=SC2086
	sed 's/^branch_c /branch_x /; s/^\(branch_b .*\)c> \[then\] c<$/\1c> c</; s/^load  \(.*\)4    0     0/load  \15    0     0/' \
		kernels/expected.txt >"$work/other.txt"
	# shellcheck disable=SC2086
	"${machine}gcc" $flags -O1 -o "$work/kernels" kernels/*.c
	found=$(KERNELS_TABLE=$work/other.txt tools/hold-kernels "$work/kernels" "${machine}objdump")
	tap_is "${machine:-host-}gcc: loops that are not those of the table are refused" \
		"$(sed -n 's/.*kernel \([a-z_]*\): .*/\1/p' <<<"$found" | sort | tr '\n' ' ')" "branch_b branch_x load "
done

# The classifier in a process that has nothing but readings: no signals, no configuration, no machine.
cat >"$work/alone.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "classify/classify.h"
int main(void)
{
	static char text[64 << 20];
	struct err err = {.text = ""};
	text[fread(text, 1, sizeof(text) - 1, stdin)] = 0;
	json_t *result = classify_text(text, &err);
	if (!result)
		return puts(err.text), 1;
	json_dumpf(result, stdout, JSON_COMPACT);
	return 0;
}
END
objects="$BUILD/src/classify/category.o $BUILD/src/classify/classifier.o $BUILD/src/classify/classify.o $BUILD/src/classify/expected.o
	$BUILD/src/classify/geometry.o $BUILD/src/classify/readings.o $BUILD/src/classify/slope.o
	$BUILD/src/base/array.o $BUILD/src/base/err.o $BUILD/src/base/printable.o"
# shellcheck disable=SC2086
tap_check "the classifier links without signals, configuration and claims" gcc -no-pie -Isrc -o "$work/alone" \
	"$work/alone.c" $objects -ljansson -lm
[ -f "$BUILD/kernels/collect" ] || { tap_skip "the simulated machine" "no cross compiler"; tap_done; exit; }

# The software events that any Linux has, through the same code.
"$cyclestack" inspect --on host --events '*-clock,*faults' --json "$work/host.json" >"$work/host.txt" 2>"$work/host.err"
status=$?
if [ $status = 125 ] && grep -q "none of the" "$work/host.err"; then
	tap_skip "software events of this host" "perf_event_open refuses them"
else
	tap_is "software events of this host: status" "$status" 0
	tap_check "they are in the result" grep -q '"name": "page-faults"' "$work/host.json"
fi
# All events of a machine: with none of its own it says so, and prints no empty table.
if "$cyclestack" inspect --on host --events cpu-cycles 2>&1 | grep -q "none of the"; then
	tap_is "a host without hardware events: a sentence and status" \
		"$("$cyclestack" inspect --on host 2>&1 | grep -c '^cyclestack: none of the .* hardware events') $("$cyclestack" inspect --on host 2>&1 | wc -l) $("$cyclestack" inspect --on host >/dev/null 2>&1; echo $?)" "1 1 125"
else
	tap_skip "a host without hardware events" "this one has some"
fi
# A library in the place of libpfm4 that knows a machine with one event, whose second mask needs more than a number.
mkdir "$work/pfm" "$work/none"
sed -n '/^struct pfm_pmu {/,/^struct pfm {/p' src/cmd/host_pfm.c | sed '$d' >"$work/pfm.h"
cat >"$work/pfm.c" <<'END'
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include "pfm.h"
int pfm_initialize(void) { return 0; }
void pfm_terminate(void) {}
int pfm_get_pmu_info(int pmu, struct pfm_pmu *info)
{
	*info = (struct pfm_pmu){.name = "made_up", .first_event = 7, .flags = pmu == 5};
	return pmu > 100 ? -2 : 0;
}
int pfm_get_event_next(int event) { (void)event; return -1; }
int pfm_get_event_info(int event, int os, struct pfm_event *info)
{
	info->name = "WORK";
	info->attributes = 3;
	return event == 7 && os == 1 && info->size == 64 ? 0 : -2;
}
int pfm_get_event_attr_info(int event, int attribute, int os, struct pfm_attribute *info)
{
	static const char *const names[] = {"ONE", "TWO", "u"};
	info->name = names[attribute];
	info->type = attribute < 2 ? 1 : 3;
	return event == 7 && os == 1 && info->size == 64 ? 0 : -2;
}
int pfm_get_os_event_encoding(const char *name, int levels, int os, void *argument)
{
	struct pfm_encoding *encoding = argument;
	encoding->attributes->type = PERF_TYPE_SOFTWARE;
	encoding->attributes->config = PERF_COUNT_SW_DUMMY;
	encoding->attributes->config1 = strcmp(name, "made_up::WORK:TWO") == 0;
	return levels == 8 && os == 1 && encoding->size == 40 ? 0 : -2;
}
END
gcc -shared -fPIC -o "$work/pfm/libpfm.so.4" "$work/pfm.c"
LD_LIBRARY_PATH=$work/pfm "$cyclestack" inspect --on host --events 'made_up::*' --json "$work/pfm.json" >/dev/null 2>"$work/pfm.err"
status=$?
if [ $status = 125 ] && grep -q "none of the 1 events" "$work/pfm.err"; then
	tap_skip "events that libpfm4 names" "perf_event_open refuses them"
else
	tap_is "events that libpfm4 names" "$status $(grep -o '"name": "made_up[^"]*"' "$work/pfm.json")" '0 "name": "made_up::WORK:ONE"'
fi
echo "no library" >"$work/none/libpfm.so.4"
tap_is "without libpfm4 its events do not exist" \
	"$(LD_LIBRARY_PATH=$work/none "$cyclestack" inspect --on host --events 'made_up::*' 2>&1; echo $?)" \
	"cyclestack: --events made_up::*: there is no such event (see: cyclestack inspect --help)
2"
tap_is "a host without the events asked for: status" "$("$cyclestack" inspect --on host --events 'node-*' >/dev/null 2>&1; echo $?)" 125
tap_check "and the simulator is offered" grep -q -- '--on sim' <("$cyclestack" inspect --on host --events 'node-*' 2>&1)
tap_is "an event that does not exist" "$("$cyclestack" inspect --events branchs.taken 2>&1; echo $?)" \
	"cyclestack: --events branchs.taken: there is no such event; did you mean branches.taken? (see: cyclestack inspect --help)
2"

# A machine with small caches, whose events are all judged; then by codes that are permuted, and with noise.
small=(--config eyerman2006 --set l2.size_bytes=65536 --set l2.ways=8 --set dtlb.entries=32 --set itlb.entries=16)
"$cyclestack" inspect "${small[@]}" --verify --json "$work/plain.json" --save-readings "$work/plain.txt" >"$work/plain.out"
"$work/alone" <"$work/plain.txt" >"$work/alone.json"
tap_is "the process with readings alone has the same verdicts" \
	"$(grep -o '"verdict":"[^"]*"' "$work/alone.json" | sed 's/:"/: "/')" \
	"$(grep -o '"verdict": "[^"]*"' "$work/plain.json")"
for name in branches branches.conditional branches.conditional.taken branches.conditional.not_taken branches.mispredicted \
	fetched.conditional committed.jump committed.return branches.indirect l1d.loads.misses l1d.stores.misses l1d.hits \
	l2.data.loads.misses l2.data.misses dtlb.loads.misses dtlb.misses l1i.misses itlb.misses loads stores; do
	tap_check "$name counts what its name says" grep -qE "^$name +yes " "$work/plain.out"
done
for name in cycles committed fetched squashed rob.used head.waits lost dispatch.rob; do
	tap_check "$name is none of these" grep -qwF "$name" <(sed -n '/events count none of these/,/^$/p' "$work/plain.out")
done

# An in-order core without a predictor, whose stores are written through and bring no line in.
"$cyclestack" inspect --config leon2 --verify >"$work/leon2.out"
tap_is "leon2: every event counts what its name says" "$? $(grep -E ' NO ' "$work/leon2.out" | sed 's/ .*//' | tr '\n' ' ')" "0 "
tap_is "leon2: it has one cache and one TLB on each side, and no event is said to be about a second" \
	"$(grep -c 'level 2' "$work/leon2.out") $(sed -n 's/^\(caches\|TLBs\) of [a-z]*: //p' "$work/leon2.out" | tr '\n' ' ')" \
	"0 4096 bytes 4096 bytes 8 pages 8 pages "
tap_check "leon2: it took many" test "$(grep -c ' yes ' "$work/leon2.out")" -ge 80
tap_is "without a predictor, taken branches and mispredicted ones are not told apart" \
	"$(grep -A1 '^branches\.conditional\.taken ' "$work/leon2.out" | sed 's/  */ /g')" \
	"branches.conditional.taken yes 1.00 conditional branches mispredicted
 or conditional branches taken, retired"

# The machine with small caches and permuted codes, noise, and an event that counts another level: events have no names, and
# what each should count is known to this test alone.
number_of() { echo $((16#$("$cyclestack" signals --codes "$1" | sed -n '1s/^r\([0-9a-f]*\) .*/\1/p'))); }
other=("${small[@]}" --set pmu.codes=11 --set pmu.noise_percent=2 --set pmu.sabotage=1
	--set "pmu.sabotage_event=$(number_of l1d.loads.misses)" --set "pmu.sabotage_signal=$(number_of l2.data.loads.misses)")
"$cyclestack" inspect "${other[@]}" --verify --save-readings "$work/other.txt" >"$work/other.out"
tap_is "names that say nothing claim nothing" "$? $(grep -cE ' (yes|NO) ' "$work/other.out")" "0 0"
tap_is "no event has the name of a signal" "$(grep -oE '^(branches|l1d|loads|cycles)[a-z0-9._]*' "$work/other.out")" ""
"$cyclestack" signals --codes "${other[@]}" >"$work/names"
tap_is "every event of the machine has a code" "$(wc -l <"$work/names")" "$("$cyclestack" signals --codes "${small[@]}" | wc -l)"
tap_check "and it is another one" test "$(sed -n 's/ .*//; 1,20p' "$work/names")" != \
	"$("$cyclestack" signals --codes "${small[@]}" | sed -n 's/ .*//; 1,20p')"
"$cyclestack" inspect "${other[@]}" --readings "$work/other.txt" --event-names "$work/names" --verify >"$work/named.out"
tap_is "the sabotaged event does not count what its name says, all others do" \
	"$? $(grep -E ' NO ' "$work/named.out" | sed 's/ .*//' | tr '\n' ' ')" "1 l1d.loads.misses "
tap_check "it took many" test "$(grep -c ' yes ' "$work/named.out")" -ge 60
tap_is "--events chooses what is shown, and changes no verdict" \
	"$("$cyclestack" inspect "${other[@]}" --readings "$work/other.txt" --event-names "$work/names" --verify \
		--events 'branches.conditional*' | grep -E '^branches[a-z._]* +(yes|NO) ' | tr -s ' ')" \
	"$(grep -E '^branches\.condi[a-z._]* +(yes|NO) ' "$work/named.out" | tr -s ' ')"
echo "cycles r000" >"$work/bad"
tap_is "a list of names that is none" "$("$cyclestack" inspect --readings "$work/other.txt" --event-names "$work/bad" 2>&1; echo $?)" \
	"cyclestack: --event-names $work/bad: \"cycles r000\": expected rCODE NAME, such as r000 cycles (see: cyclestack inspect --help)
2"
tap_done
