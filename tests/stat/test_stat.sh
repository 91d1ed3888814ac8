#!/bin/bash
# time-limit: 1500
# `stat`: what it accepts, refuses, writes; the log and its replay; groups, formulas, maps, lines.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs "$cross"

# 1000 calls of three instructions; the loop of main is line 13.
cat >small.c <<'END'
long twice(long x);
__attribute__((noinline)) long twice(long x)
{
	__asm__ volatile("nop\n\tnop");
	return x;
}

int main(void)
{
	long sum = 0;

	for (long i = 0; i < 1000; i++)
		sum += twice(i);
	return sum == 499500 ? 0 : 1;
}
END
riscv64-linux-gnu-gcc -O1 -g -static -Wl,-Map=small.map -o small small.c || tap_skip_all "the cross compiler does not work"
total() { awk -F, -v signal="$1" -v where="$2" '$1 == signal && $2 == where && $4 == "total" { print $6 }' "$3"; }

# The address range of a symbol, from binutils.
read -r low size <<<"$(riscv64-linux-gnu-nm -S small | awk '$4 == "twice" { print $1, $2 }')"
range=$(printf '0x%x-0x%x' $((16#$low)) $((16#$low + 16#$size - 1)))
calls=$((1000 * 3))
"$cyclestack" stat -e committed@twice -e "committed@$range" -e 'committed@twi*' -e committed@small.c:13 -e committed -e cycles --every 1000 \
	--derive 'cpi = cycles / committed' --json s.json --csv s.csv --html s.html --log s.log ./small >s.txt
tap_is "the program's status passes through" "$?" 0
tap_is "a function" "$(total committed twice s.csv)" $calls
tap_is "0xLOW-0xHIGH" "$(total committed "$range" s.csv)" $calls
tap_check "a line" test "$(total committed small.c:13 s.csv)" -ge 2000
tap_is "intervals add up to the total" "$(awk -F, '$1 == "committed" && $2 == "" && $4 != "total" { sum += $6 } END { print sum }' s.csv)" \
	"$(total committed "" s.csv)"
tap_is "cycles are those of the run" "$(total cycles "" s.csv)" "$(sed -n 's/^    "cycles": \([0-9]*\),$/\1/p' s.json | head -1)"
tap_check "a derived value is there" grep -q '^cpi,,0,total,,[0-9.]*$' s.csv
tap_check "the page has every interval" test "$(grep -c '^<tr' s.html)" -ge "$(grep -c '"dispatched"' s.json)"
"$cyclestack" stat -e committed --every 5 --html many.html --csv many.csv --table intervals-1 --json many.json -q ./small
intervals=$(perl -MJSON::PP -0777 -ne 'print scalar @{decode_json($_)->{intervals}}' many.json)
tap_check "there are more intervals than a page has rows for" test "$intervals" -gt 2000
tap_is "the page has the first of them and says so" \
	"$(sed -n 's/.*these are the first \([0-9]*\) of \([0-9]*\) intervals.*/\1 \2/p' many.html) $(($(grep -c '^<tr' many.html) < 2100))" "2000 $intervals 1"
tap_is "the table as CSV has all" "$(wc -l <many.csv)" $((intervals + 1))
tap_check "a curve is of several together" grep -q 'Its count in every [0-9]* intervals, divided by their cycles' many.html
# A core leaves out events that nobody needs.
few=(-e committed@twice -e branches.mispredicted -e l1d.misses -e miss.l1d.committed -e l2.instructions.misses)
for machine in midcore u74; do
	"$cyclestack" stat --config $machine "${few[@]}" --csv few.csv -q ./small
	"$cyclestack" stat --config $machine "${few[@]}" -e loads -e branches -e l1d.accesses -e l1i.hits --csv more.csv -q ./small
	tap_is "$machine: what others ask for changes no count" "$(head -n 6 more.csv)" "$(head -n 6 few.csv)"
	tap_check "$machine: there is something to count" test "$(total branches.mispredicted '' few.csv)" -gt 0
done
"$cyclestack" stat --map small.map -e committed@twice --csv m.csv -q ./small
tap_is "the same function by the linker map" "$(total committed twice m.csv)" $calls

# Replaying the log gives the same bytes.
"$cyclestack" stat --replay s.log --derive 'cpi = cycles / committed' --json r.json --log r.log -q ./small
tap_check "a replay gives the same result" cmp s.json r.json
tap_check "and the same log" cmp s.log r.log
printf 'cyclestack-stat-log-1\n0 100 committed@twice\n2500 50 committed@main cycles\n' >two.log
"$cyclestack" stat --replay two.log --json two.json --log again.log -q ./small
tap_check "a change at a cycle takes effect there" cmp two.log again.log

# Groups: the ones that come with it, and a user's own.
printf '# mine\ncommitted\nipc = committed / cycles\n' >mine.group
"$cyclestack" stat -g ./mine.group@twice -g branch --csv g.csv -q ./small
tap_is "a group of the user's, in a function" "$(total committed twice g.csv)" $calls
tap_check "its formula has its signals counted" test "$(total cycles twice g.csv)" -gt 0
for group in "$root"/src/stats/groups/*.group; do
	tap_check "group $(basename "$group")" "$cyclestack" stat -g "$(basename "$group" .group)" -q ./small
done
"$cyclestack" stat --width 4 -e committed -e committed@twice --every 1000000 --csv w.csv ./small >w.txt
tap_is "a saturated counter stops at all ones" "$(total committed "" w.csv)" $((15 * $(grep -c '^committed,,0,[0-9]' w.csv)))
tap_check "and the total is a lower bound" grep -q 'committed  *>=' w.txt

# Names of perf are sums of signals, in the place that is given.
"$cyclestack" stat -e instructions -e branch-instructions@twice -e committed -e branches@twice -e committed.jump@twice \
	-e committed.call@twice --json perf.json ./small >/dev/null 2>&1
tap_is "perf's names count what their signals do" "$(python3 -c 'import json
result = json.load(open("perf.json"))
derived = {d["name"]: d["value"] for d in result["derived"]}
totals = dict(zip(result["epochs"][0]["pairs"], (c["total"] for c in result["counters"])))
print(derived["instructions"] == totals["committed"] > 0, derived["branch-instructions"] ==
      sum(totals[name + "@twice"] for name in ("branches", "committed.jump", "committed.call")) > 0)' 2>&1)" "True True"
# refused NAME SENTENCE OPTION...
refused() {
	local name=$1 sentence=$2
	shift 2
	tap_is "$name" "$("$cyclestack" stat "$@" ./small 2>&1 >/dev/null | sed 's/ (see: .*//')" "cyclestack: $sentence"
}
refused "nothing to count" 'what is to be counted? Give -e SIGNAL@WHERE or -g GROUP; `cyclestack signals` lists signals'
refused "a wrong signal" 'there is no signal "comitted"; did you mean committed? `cyclestack signals` lists them' -e comitted
refused "a wrong function" 'the program has no function "twise"; did you mean twice?' -e committed@twise
refused "a line without code" 'the program has no code of line small.c:1000' -e committed@small.c:1000
refused "a range backwards" 'the range 0x20-0x10 ends before it begins' -e committed@0x20-0x10
refused "half a range" '"0x20" is not 0xLOW-0xHIGH, two addresses' -e committed@0x20
refused "a period of 0" '--every: "0" is not a number from 1 to 4294967295 (suffixes k, M, G)' -e cycles --every 0
refused "too few counters" 'this needs 3 counters and 1 ranges, and the module has 2 and 16: give --counter-count 3 --range-count 16, or ask for less' \
	-e cycles -e committed -e committed@twice --counter-count 2
refused "too few ranges" 'this needs 2 counters and 2 ranges, and the module has 64 and 1: give --counter-count 64 --range-count 2, or ask for less' \
	-e committed@twice -e committed@main --range-count 1
refused "a thread without a number" '"committed@main%": after % the number of a thread is expected, 1 to 2147483647, as its gettid has it' \
	-e committed@main%
refused "thread 0" '"committed@%0": after % the number of a thread is expected, 1 to 2147483647, as its gettid has it' -e committed@%0
many=()
for thread in $(seq 65); do many+=(-e "cycles@%$thread"); done
refused "too many threads" 'pairs may name at most 64 threads' "${many[@]}" --counter-count 65
refused "a formula of nothing" '--derive: formula "x": a number or a signal is expected at ""' -e cycles --derive 'x='
refused "a log that is none" '--replay small.c: it does not begin with the line cyclestack-stat-log-1' --replay small.c
# Two threads that call the same two functions of three instructions, each its own number of times.
cat >threads.c <<'END'
#include <pthread.h>

long first(long x), second(long x);
__attribute__((noinline)) long first(long x)
{
	__asm__ volatile("nop\n\tnop");
	return x;
}

__attribute__((noinline)) long second(long x)
{
	__asm__ volatile("nop\n\tnop");
	return x;
}

static void *call(void *argument)
{
	const long *times = argument;

	for (long i = 0; i < times[0] || i < times[1]; i++) {
		if (i < times[0])
			first(i);
		if (i < times[1])
			second(i);
	}
	return NULL;
}

int main(void)
{
	static long times[2][2] = {{70000, 11000}, {300, 52000}};
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call, times[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
if riscv64-linux-gnu-gcc -O1 -g -static -pthread -o threads threads.c; then
	for machine in midcore leon2; do
		"$cyclestack" run --config "$machine" --json t.json -q ./threads >/dev/null 2>&1
		"$cyclestack" stat --config "$machine" -e committed -e committed@%1000 -e committed@%1001 -e committed@%1002 \
			-e committed@first%1001 -e committed@second%1001 -e committed@first%1002 -e committed@second%1002 \
			-e committed@first%1000 -e committed@first%7 -e slots@%1000 -e slots@%1001 -e slots@%1002 --every 10k --csv t.csv -q ./threads \
			>/dev/null 2>&1
		tap_is "$machine: each function in each thread" "$(for where in first%1001 second%1001 first%1002 second%1002; do
			echo "$(total committed $where t.csv)"
		done | paste -sd' ')" "210000 33000 900 156000"
		tap_is "$machine: none in a thread that does not call, or that there is not" \
			"$(total committed first%1000 t.csv) $(total committed first%7 t.csv)" "0 0"
		tap_is "$machine: threads add up to all" \
			"$(($(total committed %1000 t.csv) + $(total committed %1001 t.csv) + $(total committed %1002 t.csv)))" "$(total committed "" t.csv)"
		tap_is "$machine: the slots of threads are those that run has" \
			"$(for thread in 1000 1001 1002; do echo "$thread $(total slots %$thread t.csv)"; done)" \
			"$(python3 -c 'import json
for t in json.load(open("t.json"))["exact"]["threads"]:
	print(t["id"], round(sum(t["slots"].values())))')"
	done
else
	tap_skip "threads" "the cross compiler has no threads"
fi
# On a terminal the counters are drawn again and again while the program runs.
if command -v script >/dev/null && "$cyclestack" workloads --elf chess >/dev/null 2>&1; then
	script -qc "stty rows 24 cols 90; $cyclestack stat -e committed -e cycles --every 100k --timeout 4 @chess" terminal >/dev/null 2>&1 </dev/null
	tap_check "sparklines while it runs, on a terminal" grep -aq "$(printf '\033')\\[2A$(printf '\033')\\[Jcommitted  *[0-9.]*[kM] " terminal
else
	tap_skip "sparklines while it runs, on a terminal" "no script(1) or no workloads"
fi
tap_done
