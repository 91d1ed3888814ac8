#!/bin/bash
# time-limit: 1500
# `cyclestack run`: a simulated program does what it does under `exec`; limits, signals and mistakes end a
# run as they should.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads
ulimit -c 0
see=" (see: cyclestack run --help)"

# value FILE NAME: what a result says of NAME.
value() {
	sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"
}

# both TITLE PROGRAM [OPTION...]: output, status and instruction count are the same under run and exec.
both() {
	local title=$1 program=$2 status wanted size
	shift 2
	rm -f exec.json run.json
	# The shell's message about a killed child is not output of the program.
	{
		"$cyclestack" exec "$@" --json exec.json -- "$program" >exec.out 2>exec.err </dev/null
		wanted=$?
		"$cyclestack" run "$@" --json run.json -- "$program" >run.out 2>run.err </dev/null
		status=$?
	} 2>/dev/null
	size=$(stat -c %s exec.out)
	# After the program's own output comes the summary, which begins with an empty line and its name.
	if ! head -c "$size" run.out | cmp -s - exec.out; then
		tap_not_ok "$title: output" "$(diff -a exec.out run.out)"
	elif [ "$(tail -c +$((size + 1)) run.out | sed -n 2p)" != "$(value run.json name | sed -n 's/"//g;1p') on midcore" ]; then
		tap_not_ok "$title: output" "what follows the program's output is not the summary:
$(tail -c +$((size + 1)) run.out)"
	else
		tap_ok "$title: output"
	fi
	tap_is "$title: what is said on standard error" "$(cat run.err)" "$(cat exec.err)"
	tap_is "$title: status" "$status $(value run.json status)" "$wanted $(value exec.json status)"
	tap_is "$title: instructions" "$(value run.json instructions)" "$(value exec.json instructions)"
	tap_is "$title: whole" "$(value run.json partial)" false
}

every=4
tap_wants_all && every=1
for name in $("$cyclestack" workloads --names | grep -v / | sed -n "1~${every}p"); do
	both "$name" "@$name:test"
done

# refused TITLE STATUS SENTENCE OPTION...: one sentence on standard error, nothing on standard output.
refused() {
	local title=$1 status=$2 sentence=$3
	shift 3
	"$cyclestack" run "$@" >refused.out 2>refused.err </dev/null
	tap_is "$title" "$? $(cat refused.out refused.err)" "$status cyclestack: $sentence"
}

total=$("$cyclestack" exec --json - @heapsort:test | sed -n 's/^  "instructions": \(.*\),$/\1/p')
for count in 1 100003 "$((total - 1))"; do
	"$cyclestack" run --max-insns "$count" --json limit.json @heapsort:test >limit.out
	tap_is "--max-insns $count commits exactly so many, status 124, partial" \
		"$? $(value limit.json instructions) $(value limit.json partial)" "124 $count true"
	tap_check "--max-insns $count: the summary says partial" grep -q '^partial: a limit ended the run$' limit.out
done
"$cyclestack" run --json whole.json @heapsort:test >whole.out
for count in "$total" "$((total + 1))"; do
	"$cyclestack" run --max-insns "$count" --json limit.json @heapsort:test >limit.out
	tap_is "--max-insns $count, which is enough, is not felt" "$? $(cmp whole.json limit.json 2>&1)" "0 "
	"$cyclestack" exec --max-insns "$count" --json limit.json @heapsort:test >limit.out
	tap_is "--max-insns $count is not felt by exec either" "$? $(value limit.json partial)" "0 false"
done

for skip in 1 300007 "$((total - 1))"; do
	"$cyclestack" run --skip "$skip" --json skip.json @heapsort:test >skip.out
	tap_is "--skip $skip: what was skipped and what was simulated is all" \
		"$? $(value skip.json skipped_instructions) $(value skip.json instructions) $(value skip.json partial)" \
		"0 $skip $((total - skip)) false"
	tap_is "--skip $skip: the program's output is whole" "$(sed '/^$/,$d' skip.out)" "$(sed '/^$/,$d' whole.out)"
done
"$cyclestack" run --skip 1G --json none.json @heapsort:test >skip.out 2>skip.err
tap_is "--skip past the end is told, and no result is written" "$? $(cat skip.err) $(ls none.json 2>/dev/null)" \
	"125 cyclestack: the program ended within --skip; nothing was simulated "

# A function whose instructions can be counted on paper: a thousand and the return.
if command -v "$cross" >/dev/null; then
	cat >region.c <<'END'
#include <stdio.h>
void region(void);
__asm__(".globl region\n.type region, @function\nregion:\n"
	".rept 1000\naddi t0, t0, 1\n.endr\nret\n.size region, . - region\n");
int main(void)
{
	puts("before");
	fflush(stdout);
	region();
	region();
	puts("after");
	return 3;
}
END
	"$cross" -O1 -static -o region region.c
	"$cyclestack" run --roi region --json roi.json ./region >roi.out
	status=$?
	count=$(value roi.json instructions)
	# What commits together with the return is counted as well.
	if [ "$status" = 0 ] && [ "$count" -ge 1001 ] && [ "$count" -le 1005 ]; then
		tap_ok "--roi simulates one call of the function"
	else
		tap_not_ok "--roi simulates one call of the function" "status $status, $count instructions, not 1001"
	fi
	tap_is "--roi ends the run with the call" "$(sed '/^$/,$d' roi.out) $(value roi.json partial)" "before false"
	"$cyclestack" exec --max-insns "$(value roi.json skipped_instructions)" ./region >roi.out 2>/dev/null
	tap_is "--roi skips what comes before, and no more" "$(cat roi.out)" before
	"$cyclestack" run --roi abort --json none.json ./region >roi.out 2>roi.err
	tap_is "a function that is never called is told, and no result is written" "$? $(cat roi.err) $(ls none.json 2>/dev/null)" \
		"125 cyclestack: the program ended before it called the --roi function; nothing was simulated "
	refused "a function that is not there" 2 "--roi regoin: the program has no function of that name$see" --roi regoin \
		./region
	both "exit status 3" "./region"
	# Calls itself through another function, so that the inner calls return to the outer one's address.
	cat >again.c <<'END'
#include <stdio.h>
static volatile int x;
int between(int n);
__attribute__((noinline)) int again(int n)
{
	int depth = n ? between(n - 1) + 1 : 0;

	for (int i = 0; i < 1000; i++)
		x++;
	return depth;
}
__attribute__((noinline)) int between(int n)
{
	int depth = again(n);

	x += depth;
	return depth + 1;
}
int main(void)
{
	return between(20) != 41;
}
END
	"$cross" -O1 -static -o again again.c
	"$cyclestack" run --roi again --json roi.json ./again >roi.out
	tap_is "--roi simulates the whole of a recursive call" "$? $(($(value roi.json instructions) > 21 * 4000))" "0 1"
else
	tap_skip "--roi simulates one call of the function" "no $cross"
fi
elf=$("$cyclestack" workloads --elf heapsort)
function=$("${NM:-riscv64-linux-gnu-nm}" "$elf" 2>/dev/null | sed -n 's/^[0-9a-f]* [tT] \([a-z_]*sift[a-z_]*\)$/\1/p' | head -n 1)
if [ -n "$function" ]; then
	"$cyclestack" run --roi "$function" --json roi.json @heapsort:test >roi.out
	status=$?
	sum=$(($(value roi.json instructions) + $(value roi.json skipped_instructions)))
	tap_is "--roi $function of a workload is a part of it" \
		"$status $(value roi.json partial) $((sum < total && $(value roi.json instructions) > 0))" "0 false 1"
else
	tap_skip "--roi of a workload" "nm finds no function that sifts"
fi
refused "--roi and --skip together" 2 "--roi and --skip say two different places to start$see" --roi main --skip 5 \
	@heapsort:test

if command -v "$cross" >/dev/null; then
	for name in sig_segv sig_abort exit_main thread_sum thread_queue thread_segv; do
		"$cross" -O1 -g -pthread -static -Wno-unused-result -o "$name" "$root/tests/guest/$name.c" || continue
		both "$name" "./$name"
	done
	{ "$cyclestack" run ./sig_segv >segv.out 2>&1; } 2>/dev/null
	tap_is "a program killed by SIGSEGV gives 139" "$?" 139
else
	tap_skip "signals, exit statuses and threads" "no $cross"
fi

# Standard input reaches the program, and so does its end.
if command -v "$cross" >/dev/null; then
	printf '%s\n' '#include <stdio.h>' 'int main(void) { int c; while ((c = getchar()) != EOF) putchar(c ^ 32); return 0; }' \
		>cat.c
	"$cross" -O1 -static -o cat cat.c
	tap_is "standard input reaches the program" "$(printf abc | "$cyclestack" run ./cat | head -n 1)" ABC
else
	tap_skip "standard input reaches the program" "no $cross"
fi

# interrupt TITLE WHOM: in the middle of a long run, as Ctrl-C does it or from another terminal.
interrupt() {
	local title=$1 sign=$2 pid status begun spent
	rm -f int.json
	setsid "$cyclestack" run --json int.json @netflow:ref >int.out 2>int.err </dev/null &
	pid=$!
	sleep 1
	begun=$(date +%s%N)
	kill -INT -- "$sign$pid"
	wait "$pid"
	status=$?
	spent=$((($(date +%s%N) - begun) / 1000000))
	tap_is "$title ends with 130" "$status" 130
	if [ "$spent" -le 3000 ]; then
		tap_ok "$title ends within 3 seconds"
	else
		tap_not_ok "$title ends within 3 seconds" "it took $spent ms"
	fi
	tap_check "$title prints the partial result" grep -q '^partial: ' int.out
	tap_is "$title writes the partial result" "$(value int.json partial) $(($(value int.json instructions) > 0))" "true 1"
}
interrupt "SIGINT to the tool" ""
interrupt "SIGINT to the whole group (Ctrl-C)" "-"

begun=$(date +%s%N)
"$cyclestack" run --timeout 0.5 --json time.json @netflow:ref >time.out 2>time.err
status=$?
spent=$((($(date +%s%N) - begun) / 1000000))
tap_is "--timeout gives 124 and a partial result" "$status $(value time.json partial) $(($(value time.json instructions) > 0))" \
	"124 true 1"
tap_is "--timeout is not early, and late by 3 seconds at most" "$((spent >= 500 && spent <= 3500))" 1
"$cyclestack" run --skip 1G --timeout 0.2 --json time.json @netflow:ref >time.out 2>time.err
tap_is "--timeout within --skip gives 124" "$?" 124

refused "an unknown preset" 2 "there is no preset \"eyerman2007\", only bigcore, boom, chen2008, eyerman2006, haswell-like, leon2, \
littlecore, midcore, u74, xiangshan; did you mean eyerman2006?$see" --config eyerman2007 @heapsort:test
refused "an unknown parameter" 2 "--set: there is no parameter \"rob.sise\"; did you mean rob.size? \`cyclestack config keys\` lists keys and values$see" \
	--set rob.sise=64 @heapsort:test
refused "a value out of range" 2 "--set: rob.size must be a whole number from 4 to 1024, not \"0\"; \`cyclestack config keys\` lists keys and values$see" \
	--set rob.size=0 @heapsort:test
refused "a configuration file that is not there" 125 "./none.cfg: No such file or directory" --config ./none.cfg \
	@heapsort:test
refused "a core that cannot be" 2 "--set: inorder.mispredict_cycles (3) must be above l1i.latency_cycles (3): a branch \
resolves in execute, behind 3 stages of fetch and one of decode$see" --config littlecore --set l1i.latency_cycles=3 @heapsort:test
refused "a method that an in-order core has no part for" 2 "fmt counts what only an out-of-order core has; on a machine \
with core.kind = inorder there are exact, slots, naive, stages, pipeline$see" --config leon2 --counters fmt @heapsort:test
refused "a program that is not there" 125 "cannot open ./none: No such file or directory" ./none
refused "a number that is none" 2 "--max-insns: \"many\" is not a number from 1 to 9223372036854775807 (suffixes k, M, G)$see" \
	--max-insns many @heapsort:test

# A result is written whole or not at all.
mkdir results
for path in results/none/x.json results results/x.json/; do
	"$cyclestack" run --json "$path" @heapsort:test >unwritable.out 2>unwritable.err
	tap_is "--json $path: status 125 and one sentence" "$? $(grep -c "^cyclestack: cannot write $path" unwritable.err)" "125 1"
	tap_is "--json $path leaves nothing behind" "$(find . -path './results/*' -o -name 'results.*' -o -name '*.json.*')" ""
done
"$cyclestack" run --json - @heapsort:test >dash.out 2>/dev/null
tap_is "--json - prints the result instead of the summary" "$? $(cmp dash.out whole.json 2>&1)" "0 "

# Every preset runs the same instructions.
for preset in $("$cyclestack" config list --names); do
	"$cyclestack" run --config "$preset" --json preset.json @heapsort:test >preset.out
	tap_is "$preset runs the same instructions" "$? $(value preset.json instructions)" "0 $total"
done

# The list of signals.
"$cyclestack" signals --csv - | tail -n +2 >signals.out
tap_is "signals lists hundreds, each once" "$(($(wc -l <signals.out) > 300)) $(cut -d , -f 1 signals.out | sort | uniq -d)" "1 "
tap_is "each with source, unit, owner and meaning" "$(grep -vE '^[a-z_0-9.]+,(hw|oracle),[a-z-]+,(fetch|oldest|own),[a-z]+,"?[^ ]' signals.out)" ""
tap_is "one can be asked for by name" "$("$cyclestack" signals --csv - head.l2d | tail -n +2)" "$(grep '^head\.l2d,' signals.out)"
tap_is "some by pattern" "$("$cyclestack" signals --csv - 'mshr.*' itlb.misses | tail -n +2)" \
	"$(grep -E '^(mshr\.[^,]*|itlb\.misses),' signals.out)"
"$cyclestack" signals --json signals.json
tap_is "signals as JSON: as many, each with a meaning" "$(grep -c '"meaning": "[^"]' signals.json)" "$(wc -l <signals.out)"
# diff tells what is not JSON from what is not a result.
tap_is "signals as JSON: can be read" "$("$cyclestack" diff signals.json whole.json 2>&1 | cut -d ';' -f 1)" \
	'cyclestack: signals.json is of schema "cyclestack-signals-1"'
"$cyclestack" signals head.l2e >none.out 2>none.err
tap_is "an unknown signal is refused" "$? $(cat none.out none.err)" \
	'2 cyclestack: there is no signal "head.l2e"; did you mean head.l2d? `cyclestack signals` lists them (see: cyclestack signals --help)'

# What the program's clocks go by: 10,000 dependent divisions of 12 cycles or more.
cat >clocks.c <<'END'
#include <stdio.h>
static unsigned long read_cycle(void) { unsigned long v; __asm__ volatile("rdcycle %0" : "=r"(v)); return v; }
static unsigned long read_instret(void) { unsigned long v; __asm__ volatile("rdinstret %0" : "=r"(v)); return v; }
int main(void)
{
	unsigned long cycles = read_cycle(), instructions = read_instret();
	volatile double x = 1;
	for (int i = 0; i < 10000; i++)
		x = x / 1.0001;
	cycles = read_cycle() - cycles;
	instructions = read_instret() - instructions;
	printf("%d %d\n", cycles < instructions + 10, cycles > 120000);
	return 0;
}
END
if command -v "$cross" >/dev/null && "$cross" -O1 -static -o clocks clocks.c; then
	tap_is "the cycle counter counts cycles whatever clocks go by" "$("$cyclestack" run ./clocks | head -n 1)" "0 1"
	tap_is "without time it counts instructions" "$("$cyclestack" exec ./clocks | head -n 1)" "1 0"
	tap_is "--time cycles: they go by cycles" "$("$cyclestack" run --time cycles ./clocks | head -n 1)" "0 1"
	tap_is "--time takes nothing else" "$("$cyclestack" run --time hours ./clocks 2>&1 | cut -d '(' -f 1)" \
		'cyclestack: --time: "hours" is neither insns nor cycles '
else
	tap_skip "what the cycle counter counts" "no $cross"
fi
tap_done
