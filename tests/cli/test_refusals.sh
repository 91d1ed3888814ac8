#!/bin/bash
# Options that are wrong, at the first value beyond their limits: one sentence each, status and nothing else; and the values
# at the limits, which are taken.
. "$(dirname "$0")/../head.sh"
needs_workloads
mkdir in
printf 'too large' >in/map
head -c 1048577 /dev/zero >big.group
printf 'a b\n' >blank
mkfifo pipe
number() { echo "\"$1\" is not a number from $2 to $3 (suffixes k, M, G)"; }

# Of several that are wrong the first is told; a program that does not exist is looked for after the options.
while IFS='|' read -r words status sentence; do
	read -ra command <<<"$words"
	[ "$status" = 2 ] && sentence+=" (see: cyclestack ${command[0]} --help)"
	timeout 20 "$cyclestack" "${command[@]}" >out 2>err </dev/null
	tap_is "$words" "$? $(cat out)$(cat err)" "$status cyclestack: $sentence"
done <<END
exec --stdin none @hanoi:test|2|--stdin none: No such file or directory
exec --stdin pipe @hanoi:test|2|--stdin pipe: not a regular file; write < pipe without --stdin
exec --mtime now @hanoi:test|2|--mtime now: expected zero or keep
exec --cwd here @hanoi:test|2|--cwd here: expected an absolute path
exec --env A @hanoi:test|2|--env A: expected NAME=VALUE
exec --env B=1 --env =1 @hanoi:test|2|--env =1: expected NAME=VALUE
exec --sysroot none @hanoi:test|2|--sysroot: cannot mount none: No such file or directory
exec --mount /x=none @hanoi:test|2|--mount: cannot mount none: No such file or directory
exec --seed -1 @hanoi:test|2|--seed: $(number -1 0 18446744073709551615)
exec --memory 1048575 @hanoi:test|2|--memory: $(number 1048575 1048576 137438953472)
exec --memory 137438953473 @hanoi:test|2|--memory: $(number 137438953473 1048576 137438953472)
exec --max-insns 0 @hanoi:test|2|--max-insns: $(number 0 1 9223372036854775807)
exec --timeout 0 @hanoi:test|2|--timeout: "0" is not a number of seconds above 0
exec --progress=0 @hanoi:test|2|--progress: "0" is not a number of seconds above 0
exec --progress= @hanoi:test|2|--progress was given an empty value: --progress[=SECONDS]
run --time hours @hanoi:test|2|--time: "hours" is neither insns nor cycles
run --roi main --skip 1 @hanoi:test|2|--roi and --skip say two different places to start
run --cold @hanoi:test|2|--cold is for --skip and --roi, which warm otherwise
run --roi main:0 @hanoi:test|2|--roi: "main:0" is not FUNCTION:N with the number of a call, from 1 on, or FUNCTION:all
run --roi main:1x @hanoi:test|2|--roi: "main:1x" is not FUNCTION:N with the number of a call, from 1 on, or FUNCTION:all
run --roi main:9223372036854775807 @hanoi:test|2|--roi: "main:9223372036854775807" is not FUNCTION:N with the number of a call, from 1 on, or FUNCTION:all
run --roi main:all --time cycles @hanoi:test|2|--time cycles has no time for what --roi main:all leaves out: use --time insns
run --roi ns::f @hanoi:test|2|--roi ns::f: the program has no function of that name
run --roi ns::f:2 @hanoi:test|2|--roi ns::f: the program has no function of that name
run --roi a:1 @hanoi:test|2|--roi a: the program has no function of that name
run --roi solv:all @hanoi:test|2|--roi solv: the program has no function of that name
run --counters none --annotate main @hanoi:test|2|--annotate has nothing to show with --counters none
run --counters none --intervals 5 @hanoi:test|2|--intervals has nothing to show with --counters none
run --counters none --html x @hanoi:test|2|--html has nothing to show with --counters none
run --counters none --csv x @hanoi:test|2|--csv has nothing to show with --counters none
run --counters none --folded x @hanoi:test|2|--folded has nothing to show with --counters none
run --counters none --callgrind x @hanoi:test|2|--callgrind has nothing to show with --counters none
run --functions 1000001 @hanoi:test|2|--functions: $(number 1000001 0 1000000)
run --intervals 0 @hanoi:test|2|--intervals: $(number 0 1 9223372036854775807)
run --threads 0 @hanoi:test|2|--threads: $(number 0 1 2)
run --threads 3 @hanoi:test|2|--threads: $(number 3 1 2)
run --skip -1 @hanoi:test|2|--skip: $(number -1 0 9223372036854775807)
run --window 1:2 @hanoi:test|2|--window is for --pipeview: name a file to write
run --pipeview x @hanoi:test|2|--pipeview needs --window FROM:TO, the cycles to show
run --pipeview x --window 5:10005 @hanoi:test|2|--window: at most 10000 cycles can be shown
run --pipeview x --window 2:1 @hanoi:test|2|--window: it ends (1) before it begins (2)
run --source . @hanoi:test|2|--source is where --annotate, --html and --firefox find source lines: name a function, or a page
run --json x --csv x @hanoi:test|2|--json and --csv name the same file, x
run --json - --csv - @hanoi:test|2|--json and --csv cannot both be standard output: name a file
run --json - --stdout - @hanoi:test|2|--json and --stdout cannot both be standard output: name a file
run --html none/x @hanoi:test|125|cannot write none/x: No such file or directory
stat -e a -e blank|2|which program? Give a RISC-V ELF file or a workload such as @chess
stat @hanoi:test|2|what is to be counted? Give -e SIGNAL@WHERE or -g GROUP; \`cyclestack signals\` lists signals
stat -e cycles --every 0 @hanoi:test|2|--every: $(number 0 1 4294967295)
stat -e cycles --every 4294967296 @hanoi:test|2|--every: $(number 4294967296 1 4294967295)
stat -e cycles --width 0 @hanoi:test|2|--width: $(number 0 1 63)
stat -e cycles --width 64 @hanoi:test|2|--width: $(number 64 1 63)
stat -e cycles --counter-count 0 @hanoi:test|2|--counter-count: $(number 0 1 4096)
stat -e cycles --counter-count 4097 @hanoi:test|2|--counter-count: $(number 4097 1 4096)
stat -e cycles --range-count 1025 @hanoi:test|2|--range-count: $(number 1025 0 1024)
stat -e cycles --key x @hanoi:test|2|--key is for --to and --listen
stat -e cycles --map none @hanoi:test|2|--map: cannot read none: No such file or directory
stat -g ./none.group @hanoi:test|2|--group ./none.group: cannot read ./none.group: No such file or directory
stat -g ./big.group @hanoi:test|2|--group ./big.group: ./big.group is larger than the 1048576 bytes allowed
stat -g in/ @hanoi:test|2|--group in/: cannot read in/: Is a directory
stat --replay blank -e cycles @hanoi:test|2|--replay says what to count: leave --events, --every and --interval-print out
stat --replay blank --every 5 @hanoi:test|2|--replay says what to count: leave --events, --every and --interval-print out
stat --rtl r --json x -e cycles|2|--rtl writes circuits and counts nothing: leave --json out
stat --rtl r --csv x -e cycles|2|--rtl writes circuits and counts nothing: leave --csv out
stat --rtl r --html x -e cycles|2|--rtl writes circuits and counts nothing: leave --html out
stat --rtl r --log x -e cycles|2|--rtl writes circuits and counts nothing: leave --log out
stat --rtl r --report x -e cycles|2|--rtl writes circuits and counts nothing: leave --report out
stat --rtl r --to 5 -e cycles|2|--rtl writes circuits and counts nothing: leave --to out
stat --rtl r --listen 5 -e cycles|2|--rtl writes circuits and counts nothing: leave --listen out
stat --rtl r|2|what is the circuit to count? Give -e SIGNAL@WHERE or -g GROUP; \`cyclestack signals\` lists signals
collect --database d|2|where should it listen? Give --listen [HOST:]PORT, or --show
collect --database d --listen 5 --runs 0|2|--runs: $(number 0 1 9223372036854775807)
judge --rtl r --counters fmt,fmt|2|--counters: fmt is named twice
judge --counters fm @hanoi:test|2|--counters chooses circuits of --rtl; all methods are judged
judge --orders some @hanoi:test|2|--orders is some, but there are: paper, all
judge @hanoi:test @hano:test|2|there is no workload "hano"; did you mean @hanoi? \`cyclestack workloads\` lists them
reproduce eyerman2006 --synthesis x|2|--synthesis is of hough2006, not of eyerman2006
reproduce chen2008 --jobs 0|2|--jobs: $(number 0 1 1024)
sweep --jobs 1025 @hanoi:test|2|--jobs: $(number 1025 1 1024)
judge --jobs 0 @hanoi:test|2|--jobs: $(number 0 1 1024)
sweep --grid rob.size @hanoi:test|2|--grid: "rob.size" is not KEY=VALUE,VALUE,...
model --grid rob.size @hanoi:test|2|--grid rob.size: expected KEY=VALUE,VALUE...
model --grid rob.size= @hanoi:test|2|--grid rob.size=: expected KEY=VALUE,VALUE...
model --grid l1d.size_bytes=65536,48000 @hanoi:test|2|--grid: l1d.size_bytes (48000) divided by l1d.ways (8) must be a power of two, not 6000
model --compensation 2 @hanoi:test|2|--compensation 2: expected distance, none, 0, 1/4, 1/2, 3/4 or 1
model --technique fast @hanoi:test|2|--technique fast: expected plain, swam, swam-mlp, timeline or retime
model --technique retime --explain @hanoi:test|2|--explain is made of misses, which --technique retime does not single out: use timeline
model --pending-hits yes @hanoi:test|2|--pending-hits yes: expected on or off
model --mshr-aware yes @hanoi:test|2|--mshr-aware yes: expected on or off
model --store-fills yes @hanoi:test|2|--store-fills yes: expected miss or pending
model --skeleton x @hanoi:test|2|--skeleton and --save-skeleton need a trace, and @hanoi:test is a program: record it first
model --save-skeleton x @hanoi:test|2|--skeleton and --save-skeleton need a trace, and @hanoi:test is a program: record it first
trace head --from -1 blank|2|--from: $(number -1 0 9223372036854775807)
trace head --count 0 blank|2|--count: $(number 0 1 1000000)
trace head --count 1000001 blank|2|--count: $(number 1000001 1 1000000)
trace info none|125|cannot open none: No such file or directory
diff --fail-above x a b|2|--fail-above: "x" is not a percentage such as 1% or 0.5% (at most 6 decimals)
diff none blank|125|none: No such file or directory
pipeview blank|125|blank: line 1: not a pipeline file: it must begin with Kanata, a tab and 0004
reproduce none|2|there is no paper "none"; there is eyerman2006, chen2008, hough2006, danalis2017
END
tap_is "a pair with a blank" "$("$cyclestack" stat -e 'cycles @main' @hanoi:test 2>&1)" \
	"cyclestack: --events: \"cycles @main\" has a blank in it; write ? for a blank of a name (see: cyclestack stat --help)"
grids=(--grid "rob.size=$(seq -s , 16 48)" --grid "l2.latency_cycles=$(seq -s , 1 32)")
tap_is "1056 design points" "$("$cyclestack" model "${grids[@]}" @hanoi:test 2>&1)" \
	"cyclestack: --grid: more than 1024 design points are asked for (see: cyclestack model --help)"
techniques=()
for _ in $(seq 17); do techniques+=(--technique plain); done
tap_is "17 techniques" "$("$cyclestack" model "${techniques[@]}" @hanoi:test 2>&1)" \
	"cyclestack: --technique: at most 16 in one call (see: cyclestack model --help)"
tap_is "nothing was written" "$(echo *)" "big.group blank err in out pipe"

# At the limits: a program of a few instructions.
compiler=${CROSS_CC:-riscv64-linux-gnu-gcc}
if command -v "$compiler" >/dev/null; then
	echo 'void _start(void) { register long a7 __asm__("a7") = 93, a0 __asm__("a0") = 3; __asm__ volatile("ecall" : : "r"(a7), "r"(a0)); }' >p.c
	"$compiler" -O1 -static -nostdlib -o p p.c
	while read -r words; do
		read -ra command <<<"$words"
		timeout 60 "$cyclestack" "${command[@]}" >out 2>err </dev/null
		tap_is "$words" "$? $(cat err)" "3 "
	done <<END
exec --seed 0 p
exec --memory 137438953472 p
exec --timeout 1e9 p
exec --mtime zero p
exec --mtime keep p
exec --env A= p
run --threads 1 p
run --threads 2 p
run --functions 0 p
run --functions 1000000 p
run --intervals 1 p
run --skip 0 p
run --time insns p
run --roi _start:1 p
run --pipeview x --window 0:9999 p
run --max-insns 9223372036854775807 p
stat -e cycles --every 4294967295 p
stat -e cycles --every 1 p
stat -e cycles --width 1 --counter-count 1 --range-count 0 p
stat -e cycles --width 63 --counter-count 4096 --range-count 1024 p
END
	tap_is "stat says what was changed of the machine" \
		"$("$cyclestack" stat -e cycles --set rob.size=48 --set lsq.size=20 p | sed -n 2p)" \
		"p on midcore with rob.size=48, lsq.size=20"
	tap_is "stat says that it is partial" "$("$cyclestack" stat -e cycles --max-insns 2 p 2>/dev/null | sed -n 2,3p)" "p on midcore
partial: a limit ended the run"
	"$cyclestack" run --record-cycles p.cycles --json p.json p >/dev/null 2>err
	cycles=$(sed -n 's/^    "cycles": \([0-9]*\).*/\1/p' p.json | head -n 1) bytes=$(stat -c %s p.cycles)
	tap_is "run says how many cycles it has recorded" "$(cat err)" "cyclestack: $cycles cycles in $bytes bytes, $(
		awk -v b="$bytes" -v c="$cycles" 'BEGIN { printf "%.2f", 8 * b / c }') bits each"
	tap_is "with --quiet it does not" "$("$cyclestack" run -q --record-cycles p.cycles p 2>&1)" ""
	tap_is "recorded cycles take no arguments" "$("$cyclestack" stat --rtl r -e cycles p.cycles x 2>&1)" \
		"cyclestack: p.cycles holds recorded cycles and takes no arguments (see: cyclestack stat --help)"
	"$cyclestack" trace record --output p.trace p 2>err
	tap_is "trace record: status" $? 3
	bytes=$(stat -c %s p.trace)
	tap_is "trace record says what it wrote" "$(cat err)" "cyclestack: 3 instructions in $bytes bytes, $(
		awk -v b="$bytes" 'BEGIN { printf "%.2f", 8 * b / 3 }') bits each"
	tap_is "trace info" "$("$cyclestack" trace info p.trace)" "program      p
sha256       $(sha256sum p | cut -d ' ' -f 1)
instructions 3
frames       1
bytes        $bytes
bits each    $(awk -v b="$bytes" 'BEGIN { printf "%.2f", 8 * b / 3 }')"
	tap_is "trace verify" "$("$cyclestack" trace verify p.trace | tail -n 1)" "every frame, the index and the trailer are sound"
	tap_is "trace head: ten by default, from the first" "$("$cyclestack" trace head p.trace | wc -l)" 3
	tap_is "trace head --from --count" "$("$cyclestack" trace head --from 1 --count 1 p.trace)" "$("$cyclestack" trace head p.trace | sed -n 2p)"
	tap_is "a trace takes no arguments" "$("$cyclestack" model p.trace x 2>&1)" \
		"cyclestack: a trace takes no arguments (see: cyclestack model --help)"
	tap_is "a trace is not simulated" "$("$cyclestack" model --against p.trace 2>&1)" \
		"cyclestack: --against simulates, which needs the program: p.trace is a trace (see: cyclestack model --help)"
	cycles=$("$cyclestack" run --counters none --json - p | sed -n 's/^    "cycles": \([0-9]*\).*/\1/p' | head -n 1)
	tap_is "a window without an instruction" "$("$cyclestack" run -q --pipeview v --window 5000000:5000010 p 2>&1)" \
		"cyclestack: no instruction was fetched in cycles 5000000 to 5000010 of the $cycles simulated"
	tap_is "a window with one" "$("$cyclestack" run -q --pipeview v --window "0:$((cycles < 9999 ? cycles : 9999))" p 2>&1)" ""
	tap_is "pipeview: a window that ends before it begins" "$("$cyclestack" pipeview --window 3:1 v 2>&1; echo $?)" \
		"cyclestack: --window: it ends (1) before it begins (3) (see: cyclestack pipeview --help)
2"
	tap_is "pipeview: 20001 cycles" "$("$cyclestack" pipeview --window 5:20005 v 2>&1 | sed 's/(cycles.*,/(/')" \
		"cyclestack: v: 20001 cycles are too many to show; choose some with --window FROM:TO ( at most 20000)"
	tap_is "pipeview: 20000 cycles" "$("$cyclestack" pipeview --window 5:20004 v 2>&1 >/dev/null; echo $?)" 0
	{ echo 'void _start(void) { __asm__ volatile(".rept 20\n\tnop\n\t.endr"); '; sed 's/.*_start(void) {//' p.c; } >q.c
	"$compiler" -O1 -static -nostdlib -o q q.c
	"$cyclestack" trace record --output q.trace q 2>/dev/null
	tap_is "trace head: ten of them" "$("$cyclestack" trace head q.trace | wc -l)" 10
	tap_is "trace head: from a place on" "$("$cyclestack" trace head --from 3 --count 2 q.trace)" "$("$cyclestack" trace head q.trace | sed -n 4,5p)"
	tap_is "ten functions by default, and what the others have" "$("$cyclestack" run @hanoi:test 2>&1 | sed -n '/^The hottest of /,/^$/p' | sed '1,/^function /d' | grep -c '^[^ ]')" 11
	tap_is "as many as are asked for, and what the others have" "$("$cyclestack" run --functions 3 @hanoi:test 2>&1 | sed -n '/^The hottest of /,/^$/p' | sed '1,/^function /d' | grep -c '^[^ ]')" 4
	tap_is "trace record of too many" "$("$cyclestack" trace record --max-insns 2 --output p.trace p 2>&1; echo $?)" \
		"cyclestack: stopped by --max-insns after 2 instructions: the result is partial
124"
else
	tap_skip "values at the limits" "no $compiler"
fi
tap_done
