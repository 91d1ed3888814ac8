#!/bin/bash
# time-limit: 1500
# The command line as people try it: names that are nearly right, numbers, short options, empty values;
# what help and man pages say.
. "$(dirname "$0")/../head.sh"
needs_workloads

# says NAME STATUS TEXT WORD...: the status, and everything printed is one sentence.
says() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "$status cyclestack: $wanted"
}
see() { echo " (see: cyclestack $1 --help)"; }
lists="\`cyclestack workloads\` lists them"

says "a workload that is nearly right" 2 "there is no workload \"ches\"; did you mean @chess? $lists$(see run)" run @ches
says "a workload that is nothing near" 2 "there is no workload \"qqqqqqqqqq\"; $lists$(see exec)" exec @qqqqqqqqqq
says "a workload without its @" 125 "cannot open chess: No such file or directory; did you mean the workload @chess?" run chess
says "a program that is not there" 125 "cannot open ./none: No such file or directory" run ./none
says "a wrong size" 2 "workload sizes are test, small and ref, not \"big\"$(see run)" run @chess:big
says "judge: a workload that is nearly right" 2 "there is no workload \"ches\"; did you mean @chess? $lists$(see judge)" judge @ches
says "a signal that is not there" 2 "there is no signal \"head.l2e\"; did you mean head.l2d? \`cyclestack signals\` lists \
them$(see signals)" signals head.l2e
says "--roi of no function" 2 "--roi solv: the program has no function of that name$(see run)" run --roi solv @hanoi:test
says "--annotate of no function" 2 "--annotate solv: the program has no function of that name$(see run)" \
	run --annotate main --annotate solv @hanoi:test
says "--events of no value" 2 "--events: there is no \"l1d.mises\"; did you mean l1d.misses? --events '*' prints them \
all$(see run)" run -e cycles,l1d.mises @hanoi:test

for option in json html csv folded callgrind config set report stdout stderr max-insns roi annotate counters events \
	mount env cwd sysroot seed memory timeout deny; do
	says "--$option= is refused" 2 "$("$cyclestack" run --help |
		sed -n "s/^  \(-., \)\{0,1\}--$option \([^ ]*\).*/--$option was given an empty value: --$option \2/p")$(see run)" \
		run "--$option=" @hanoi:test
done
says "an empty value in a word of its own" 2 "--set was given an empty value: --set KEY=VALUE$(see run)" run --set '' @hanoi:test
says "an empty value of a letter" 2 "--report was given an empty value: --report FILE$(see run)" run -o '' @hanoi:test

insns() { sed -n 's/^    "instructions": \([0-9]*\).*/\1/p' "$1"; }
for number in 1e4 10k 10_000 10Ki; do
	"$cyclestack" run -q --counters none --max-insns "$number" --json n.json @hanoi:test >/dev/null 2>&1
	tap_is "--max-insns $number" "$? $(insns n.json)" "124 $([ $number = 10Ki ] && echo 10240 || echo 10000)"
done
says "a number of things has no bytes" 2 "--max-insns: \"10KB\" is not a number from 1 to 9223372036854775807 (suffixes k, \
M, G)$(see run)" run --max-insns 10KB @hanoi:test
tap_check "--memory takes bytes" "$cyclestack" exec -v --memory 256MiB @hanoi:test

"$cyclestack" run --events 'l1d.*,cycles' @hanoi:test >long.txt 2>&1
"$cyclestack" run -e 'l1d.*,cycles' @hanoi:test >short.txt 2>&1
tap_check "-e is --events" cmp long.txt short.txt
"$cyclestack" run --json v.json @hanoi:test >/dev/null
tap_is "-e prints what the result has" "$(awk '$2 == "l1d.misses" || $2 == "cycles" { print $1 }' short.txt | xargs)" \
	"$(sed -n 's/^    "\(cycles\|l1d.misses\)": \([0-9]*\).*/\2/p' v.json | xargs)"
tap_is "-e prints each value once, and no other" "$(sed '1,/^ *count event/d' short.txt | awk '{ print $2 }' | xargs)" \
	"cycles l1d.accesses l1d.hits l1d.pending l1d.misses l1d.prefetch.issued l1d.prefetch.useful l1d.prefetch.late l1d.prefetch.unused"
tap_is "letters go together, the last with its value" \
	"$("$cyclestack" run -qe cycles @hanoi:test; "$cyclestack" run -qecycles @hanoi:test)" "$("$cyclestack" exec @hanoi:test)
$("$cyclestack" exec @hanoi:test)"
says "a letter that is none" 2 "run has no option -z; options are written --name$(see run)" run -z @hanoi:test
says "a letter of another command" 2 "exec has no option -e; options are written --name$(see exec)" exec -e cycles @hanoi:test
says "a letter without its value" 2 "--events needs a value: --events NAME,...$(see run)" run -e
tap_is "-V and -v without a command are --version" "$("$cyclestack" -V; "$cyclestack" -v)" \
	"$("$cyclestack" --version; "$cyclestack" --version)"
tap_is "what follows the program is the program's" "$("$cyclestack" exec @hanoi:test -q -v 2>&1 | grep -c '^cyclestack:')" 0
tap_is "help COMMAND" "$("$cyclestack" help run)" "$("$cyclestack" run -h)"

"$cyclestack" workloads @hanoi:test >described
tap_is "workloads NAME describes it" "$(sed -n 1p described)" "@hanoi: $("$cyclestack" workloads | sed -n 's/^@hanoi  *//p')"
tap_is "workloads NAME has its file" "$(sed -n 's/^  file: //p' described)" "$("$cyclestack" workloads --elf hanoi)"
"$cyclestack" exec --json n.json @hanoi:test >/dev/null
tap_is "workloads NAME has about its instructions" \
	"$(awk -v got="$(sed -n 's/^  "instructions": \([0-9]*\).*/\1/p' n.json)" \
		'$1 == "@hanoi:test" { print ($2 > 0.95 * got && $2 < 1.05 * got) }' described)" 1
says "workloads of an unknown name" 2 "there is no workload \"hanoy\"; did you mean @hanoi? $lists$(see workloads)" workloads hanoy

mkdir man && "$cyclestack" --generate-man man
tap_is "every man page has EXIT STATUS" "$(grep -L '^.SH EXIT STATUS' man/*)" ""
tap_is "the man page of run has the letters" "$(grep -c '^.B \\-[evqoh]\\fR, \\fB' man/cyclestack-run.1)" 5
components="base l1i l2i l3i itlb branch l1d l2d l3d dtlb walk bandwidth resource"
tap_is "help explains every component" "$("$cyclestack" run --help | sed -n '/^components/,/^$/p' | awk 'NF > 1 && $1 != "components" { print $1 }' | xargs)" "$components"

# The text opens with the sentence that the page opens with, and explains the names it shows.
COLUMNS=200 "$cyclestack" run --html page.html --functions 0 @hanoi:test >run.txt
sentence=$(sed -n 's/^<p class="verdict">\(.*\)/\1/p' page.html | sed 's/<[^>]*>//g')
tap_is "the page opens with a sentence" "$(grep -c '% of the cycles are lost, [a-z ]*, [0-9.]* %, to [a-z0-9]*: ' <<<"$sentence")" 1
tap_is "the text opens with the same" "$(sed -n '/^Where the cycles went/{n;p}' run.txt)" "$sentence"
tap_check "the text says what base is" grep -q 'base: useful work, operands, and slots fetch cannot fill' run.txt
for width in 40 80 200; do
	LC_ALL=C COLUMNS=$width "$cyclestack" run --annotate main --annotate exit --intervals 300k @hanoi:test >wide.txt
	tap_is "no line of the stacks is wider than $width" "$(sed '/^  cycles  /,$d' wide.txt | tail -n +2 |
		awk -v most=$width 'length($0) > most')" ""
done

# A run that ends with a few slow instructions: they do not set the axis over time.
LC_ALL=C COLUMNS=80 LINES=50 "$cyclestack" run --intervals 170k @hanoi:test >time.txt
sed -n '/^Over time/,/^$/p' time.txt | awk '$1 ~ /^[0-9.]+[kM]?$/ && $2 ~ /^[0-9]+\./ { print $2 }' >cpis
tap_is "over time: the last interval is the slowest" "$(sort -n cpis | tail -n 1)" "$(tail -n 1 cpis)"
tap_is "over time: the longest bar is the slowest of the others" \
	"$(sed -n 's/^Over time.*a full bar is CPI \([0-9.]*\), the last.*/\1/p' time.txt)" "$(head -n -1 cpis | sort -n | tail -n 1)"

# Progress: on a terminal, after the first second.
if command -v script >/dev/null; then
	progress() { timeout -s INT 6 script -qefc "$cyclestack $1" /dev/null </dev/null 2>&1 | tr '\r' '\n'; }
	tap_check "a workload's progress has percent and time left" \
		grep -q 'M instructions, [0-9]* %, [0-9hmins ]* left, [0-9.]* MIPS' <(progress "run --counters none @chess:ref")
	tap_check "with --max-insns too" \
		grep -q 'M instructions, [0-9]* %, [0-9hmins ]* left' <(progress "run --counters none --max-insns 100M @chess:ref")
	tap_is "not with --quiet" "$(progress "run -q --max-insns 8M @chess:ref" | grep -c MIPS)" 0
else
	tap_skip "progress" "no script(1)"
fi
tap_done
