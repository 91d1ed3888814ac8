#!/bin/bash
# time-limit: 1500
# A simulation that begins in the middle, warmed, behaves much as the same part of a whole simulation
# does, and a cold one does not; --roi FUNCTION:N is the Nth call, and FUNCTION:all every call; the
# program's clock never runs backwards.
. "$(dirname "$0")/../head.sh"

# value FILE NAME
value() {
	sed -n "s/^ *\"$2\": \\([0-9]*\\),*\$/\\1/p" "$1" | head -n 1
}
simulate() { # FILE OPTION...
	local file=$1
	shift
	"$CYCLESTACK" run --config "$config" --counters none --json "$file" "$@" >/dev/null 2>&1
}

# The part from instruction $from to $to of the whole is the difference of two runs from the start.
from=600000 to=800000
names="cycles branches.mispredicted l1i.misses l1d.misses l2.data.misses dtlb.misses"
for config in eyerman2006 bigcore littlecore u74 leon2; do
	for workload in chess netflow interp stencil; do
		simulate a --max-insns $from "@$workload:test"
		simulate b --max-insns $to "@$workload:test"
		simulate warm --skip $from --max-insns $((to - from)) "@$workload:test"
		simulate cold --cold --skip $from --max-insns $((to - from)) "@$workload:test"
		for name in $names; do
			echo "$name $(($(value b "$name") - $(value a "$name"))) $(value warm "$name") $(value cold "$name")"
		done >rows
		echo "# $config, $workload (whole, warm, cold): $(awk '{ printf "%s%s %d %d %d", (NR > 1 ? "; " : ""), $1, $2, $3, $4 }' rows)"
		# Misses and cycles within 10 % of the whole, or within so few that 200,000 instructions do
		# not notice: a hundredth of a percent of them.
		tap_is "$config, $workload: warmed, cycles and misses are within 10 % or 20 of those of the whole" \
			"$(awk '{ d = $3 - $2; if (d < 0) d = -d; if (d > 0.10 * $2 && d > 20) print $1, $2, $3 }' rows)" ""
		tap_is "$config, $workload: cold, they are farther away" \
			"$(awk '{ w = $3 - $2; if (w < 0) w = -w; c = $4 - $2; if (c < 0) c = -c; if ($1 == "cycles") print (c > w) }' rows)" 1
	done
done
config=eyerman2006
simulate again --skip $from --max-insns $((to - from)) @stencil:test
simulate once --skip $from --max-insns $((to - from)) @stencil:test
tap_check "a warmed run is the same each time" cmp again once
tap_is "--cold needs something to be cold after" "$("$CYCLESTACK" run --cold @chess:test 2>&1 | head -n 1)" \
	"cyclestack: --cold is for --skip and --roi, which warm otherwise (see: cyclestack run --help)"

if command -v "$cross" >/dev/null; then
	cat >calls.c <<'END'
#include <stdio.h>
static volatile unsigned sink;
/* A loop that goes back to the first instruction is no call. */
__asm__(".globl work\n.type work, @function\nwork:\naddi a0, a0, -1\nbnez a0, work\nret\n.size work, . - work\n");
void work(long rounds);
static unsigned long long cycles(void)
{
	unsigned long long now;
	__asm__ volatile("rdcycle %0" : "=r"(now));
	return now;
}
int main(int argc, char **argv)
{
	unsigned long long before = cycles();
	(void)argv;
	for (long i = 1; i <= 5; i++)
		work(100 * i);
	for (unsigned i = 0; argc > 1 && i < 100000; i++) {
		unsigned long long now = cycles();
		if (now < before) {
			printf("backwards: %llu after %llu\n", now, before);
			return 1;
		}
		before = now;
		sink += i;
	}
	puts("forwards");
	return 0;
}
END
	"$cross" -O1 -static -o calls calls.c
	for config in eyerman2006 littlecore leon2; do
		for call in 1 2 5; do
			simulate roi --roi work:$call ./calls
			count=$(value roi instructions)
			tap_is "$config --roi work:$call simulates call $call, whose loop goes round $((100 * call)) times" \
				"$((count >= 200 * call + 1 && count <= 200 * call + 5))" 1
		done
	done
	config=eyerman2006
	simulate first --roi work ./calls
	simulate number --roi work:1 ./calls
	tap_check "--roi work is --roi work:1" cmp first number
	tap_is "a call that does not come is told, with how many did" \
		"$("$CYCLESTACK" run --roi work:6 ./calls 2>&1 >/dev/null)" \
		"cyclestack: the program ended after 5 calls of the --roi function; nothing was simulated"
	cat >every.c <<'END'
#include <stdlib.h>
__asm__(".globl work\n.type work, @function\nwork:\naddi a0, a0, -1\nbnez a0, work\nret\n.size work, . - work\n");
void work(long rounds);
__attribute__((noinline)) static long fibonacci(long n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__attribute__((noinline)) static void leave(long n)
{
	work(n + 1);
	if (n > 3)
		exit(7);
}
int main(int argc, char **argv)
{
	long sum = 0;
	(void)argv;
	for (long i = 1; i <= 5; i++) {
		work(100 * i);
		sum += fibonacci(2 * i);
		leave(argc > 1 ? i : 0);
	}
	return sum == 0;
}
END
	"$cross" -O1 -static -o every every.c
	for config in midcore eyerman2006 chen2008 bigcore boom xiangshan haswell-like littlecore leon2 u74; do
		whole=$("$CYCLESTACK" exec --json - ./every | sed -n 's/^ *"instructions": \([0-9]*\),*$/\1/p')
		simulate result --roi work:all ./every
		# Two instructions a round and one to return: five loops of main, five of leave.
		tap_is "$config --roi work:all simulates every call of work and nothing else" \
			"$(value result instructions)" $((2 * 1500 + 5 + 5 * 3))
		for function in work fibonacci leave main; do
			"$CYCLESTACK" run --config $config --json result --intervals 300 --roi $function:all ./every >/dev/null 2>errors
			tap_is "$config --roi $function:all, every counter: what was simulated and what was not are the program" \
				"$? $(($(value result instructions) + $(value result skipped_instructions))) $(cat errors)" "0 $whole "
		done
		"$CYCLESTACK" run --config $config --json result --roi leave:all ./every 4 >/dev/null 2>&1
		tap_is "$config --roi leave:all: a program that ends in a call has its own status" $? 7
		simulate result --roi fibonacci:all --max-insns 400 ./every
		tap_is "$config --roi fibonacci:all --max-insns 400 simulates 400 instructions" \
			"$(value result instructions)" 400
	done
	config=eyerman2006
	simulate first --roi fibonacci:all ./every
	simulate number --roi fibonacci:all ./every
	tap_check "--roi FUNCTION:all is the same each time" cmp first number
	simulate first --roi main ./every
	simulate number --roi main:all ./every
	tap_is "of a function that is called once, :all is the same instructions" \
		"$(value number instructions)" "$(value first instructions)"
	tap_is "and nearly the same cycles" \
		"$(($(value number cycles) - $(value first cycles) < 100 && $(value first cycles) - $(value number cycles) < 100))" 1
	tap_is "--time cycles is refused with --roi FUNCTION:all" \
		"$("$CYCLESTACK" run --time cycles --roi work:all ./every 2>&1 | head -n 1)" \
		"cyclestack: --time cycles has no time for what --roi work:all leaves out: use --time insns (see: cyclestack run --help)"
	for wrong in work:0 work:x work: work:-1 work:1x work:al work:all1; do
		tap_is "--roi $wrong is refused" "$("$CYCLESTACK" run --roi $wrong ./calls 2>&1 | grep -c 'is not FUNCTION:N')" 1
	done
	for skip in 0 50k 300k; do
		for cold in "" --cold; do
			[ "$skip$cold" = 0--cold ] && continue
			# shellcheck disable=SC2086
			tap_is "with --time cycles the clock goes forwards over --skip $skip $cold" \
				"$("$CYCLESTACK" run --config eyerman2006 --counters none --time cycles --skip $skip $cold ./calls x 2>&1 | head -n 1)" forwards
		done
	done
else
	tap_skip "--roi FUNCTION:N and the clock" "no $cross"
fi
tap_done
