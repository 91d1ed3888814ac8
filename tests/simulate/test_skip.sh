#!/bin/bash
# Runs that begin in the middle: the program's clocks go on from where they were, whatever they go by, and
# two runs that begin at different places are compared as such.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs "$cross"

cat >clocks.c <<'END'
#include <stdio.h>
#include <time.h>
#define CLOCKS 4
static unsigned long long read_clock(int which)
{
	struct timespec time = {0, 0};
	unsigned long long now;
	if (which == 0)
		__asm__ volatile("rdcycle %0" : "=r"(now));
	else if (which == 1)
		__asm__ volatile("rdtime %0" : "=r"(now));
	else {
		clock_gettime(which == 2 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time);
		now = (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
	}
	return now;
}
int main(void)
{
	unsigned long long before[CLOCKS] = {0};
	volatile unsigned sink = 0;
	for (unsigned i = 0; i < 1000; i++)
		for (int j = 0; j < CLOCKS; j++) {
			unsigned long long now = read_clock(j);
			if (now < before[j])
				printf("clock %d went back: %llu after %llu\n", j, now, before[j]);
			before[j] = now;
			sink += i;
		}
	printf("%llu %llu\n", before[2], before[3]);
	return 0;
}
END
"$cross" -O1 -static -o clocks clocks.c || exit 1
value() { perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); print $r->{$ARGV[0]} // $r->{values}{$ARGV[0]}' "$2" <"$1"; }

total=$("$CYCLESTACK" exec --json - ./clocks 2>/dev/null | sed -n 's/^  "instructions": \([0-9]*\),$/\1/p')
for config in midcore leon2; do
	for skip in 0 $((total / 5)) $((total / 2)); do
		for cold in "" --cold; do
			[ "$skip$cold" = 0--cold ] && continue
			# shellcheck disable=SC2086
			"$CYCLESTACK" run --config $config --counters none --time cycles --skip $skip $cold \
				--json r.json ./clocks >out 2>&1
			tap_is "$config --time cycles --skip $skip $cold: no clock goes back" "$(grep -c back out)" 0
			# One nanosecond for each instruction that was skipped, and one for each cycle after it:
			# the clock was read last shortly before the end. The clock of the process's own time
			# goes by instructions.
			read -r monotonic cpu < <(grep -x '[0-9]* [0-9]*' out)
			all=$((skip + $(value r.json cycles)))
			tap_is "$config --time cycles --skip $skip $cold: time is what was skipped and the cycles after it" \
				"$((monotonic <= all && monotonic > all - all / 5 && cpu <= total && cpu > total - total / 5))" 1
		done
	done
	"$CYCLESTACK" exec ./clocks >wanted
	"$CYCLESTACK" run --config $config --counters none --skip $((total / 2)) ./clocks | head -n 1 >out
	tap_check "$config --skip: time by instructions is that of the whole" cmp wanted out
done

# note OPTION...: what diff notes of a whole run and one with these options.
"$CYCLESTACK" run --counters none --json whole.json @hanoi:test >/dev/null
note() {
	"$CYCLESTACK" run --counters none --json part.json "$@" @hanoi:test >/dev/null
	"$CYCLESTACK" diff --json diff.json whole.json part.json >diff.txt
	sed -n 's/^note: //p' diff.txt
}
tap_is "diff of a whole run and one with --skip 5000" "$(note --skip 5000)" "A begins after 0 instructions, B after 5000"
tap_is "the part is the rest of the whole" \
	"$(($(value whole.json instructions) - $(value part.json instructions)))" 5000
"$CYCLESTACK" diff part.json whole.json >diff.txt
tap_is "and the other way round" "$(sed -n 's/^note: //p' diff.txt)" "A begins after 5000 instructions, B after 0"
cp part.json earlier.json
note --skip 7000 >/dev/null
tap_is "two that both begin later" "$("$CYCLESTACK" diff earlier.json part.json | sed -n 's/^note: //p')" \
	"A begins after 5000 instructions, B after 7000"
"$CYCLESTACK" run --json stacks.json @hanoi:test >/dev/null
tap_is "of two, one may lack stacks" "$("$CYCLESTACK" diff whole.json stacks.json | sed -n 's/^note: //p')" \
	"A is of run --counters none and does not say where its cycles went"
tap_is "the same beginning is not noted" "$(note --skip 0)" ""
"$CYCLESTACK" run --counters none --max-insns 1000 --json whole.json @hanoi:test >/dev/null 2>&1
tap_is "parts of the same length from different places are not compared" \
	"$(note --skip 5000 --max-insns 1000 2>&1 | grep 'is partial,')" \
	"cyclestack: whole.json is partial, and whole.json begins after 0 instructions, part.json after 5000; partial \
results can be compared only if they begin and stop at the same place (--skip, --max-insns)"
tap_is "nor a part with a whole" "$("$CYCLESTACK" diff earlier.json part.json 2>&1 | grep -c 'part.json is partial:')" 1
cp part.json same.json
tap_is "from the same place they are" "$(note --skip 5000 --max-insns 1000 >/dev/null 2>&1
	"$CYCLESTACK" diff same.json part.json | sed -n 's/^note: //p')" "both are partial: stopped after 1000 instructions"
tap_done
