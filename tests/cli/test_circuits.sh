#!/bin/bash
# `judge --rtl` and `stat --rtl`: which files there are, what they are said to be for, and that recorded cycles make the
# stimulus that the program makes.
. "$(dirname "$0")/../head.sh"
needs "$cross"

# says NAME STATUS TEXT WORD...: the status, and everything printed is one sentence; or nothing.
says() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "$status ${wanted:+cyclestack: $wanted}"
}
see=" (see: cyclestack judge --help)"
echo 'void _start(void) { register long a7 __asm__("a7") = 93, a0 __asm__("a0") = 3; __asm__ volatile("ecall" : : "r"(a7), "r"(a0)); }' >p.c
"$cross" -O1 -static -nostdlib -o p p.c
"$cyclestack" run -q --record-cycles p.cycles p

says "circuits alone" 0 "" judge --rtl alone --counters fmt,power5
tap_is "circuits alone: files" "$(cd alone && echo *)" "Makefile fmt.v fmt_tb.v power5.v power5_tb.v"
version=$("$cyclestack" --version | awk '{ print $2 }')
hash=$("$cyclestack" config dump --json - | sed -n 's/^  "hash": "\(.*\)",/\1/p')
for file in alone/fmt.v alone/fmt_tb.v alone/power5.v alone/power5_tb.v; do
	tap_is "$file says for which machine it is" "$(grep -c "^// Written by cyclestack $version for the machine midcore, sha256 $hash\.$" $file)" 1
done
says "all that fit" 0 "" judge --rtl all
tap_is "all that fit: files" "$(cd all && echo *)" "Makefile fmt.v fmt_tb.v power5.v power5_tb.v sfmt.v sfmt_tb.v vclk.v vclk_tb.v"
tap_check "a circuit is the same by itself" cmp all/fmt.v alone/fmt.v
says "with a program" 0 "" judge --rtl program --counters fmt,power5 p
tap_is "with a program: files" "$(cd program && echo *)" \
	"Makefile fmt.expected fmt.stimulus fmt.v fmt_tb.v power5.expected power5.stimulus power5.v power5_tb.v"
tap_is "with a program: nothing is empty" "$(find program -empty)" ""
says "with recorded cycles" 0 "" judge --rtl recorded --counters fmt,power5 p.cycles
tap_is "with recorded cycles: the same files" "$(diff -r program recorded)" ""
says "again" 0 "" judge --rtl recorded --counters fmt p
tap_is "again: what was there stays" "$(diff -r program recorded | grep -v Makefile | grep -c '^Only')" 0
cp "$root/configs/midcore.cfg" $'m\xc3\xbc.cfg'
says "a name that is not ASCII" 0 "" judge --rtl named --counters fmt --config $'./m\xc3\xbc.cfg'
tap_is "a name that is not ASCII is made so" "$(sed -n '2s/,.*//p' named/fmt.v)" "// Written by cyclestack $version for the machine m??.cfg"

# Files that somebody else wrote, each by itself.
for file in Makefile fmt.v fmt_tb.v fmt.stimulus fmt.expected; do
	rm -rf mine && mkdir mine
	echo mine >mine/$file
	says "a $file of the user's is not replaced" 125 \
		"mine: $file is there and was not written by cyclestack: remove it, or choose another directory" \
		judge --rtl mine --counters fmt p
	tap_is "a $file of the user's: nothing is written" "$(cd mine && echo *) $(cat mine/$file)" "$file mine"
done
rm -rf mine && mkdir mine && echo mine >victim && ln -s ../victim mine/Makefile
says "a link is not followed" 125 \
	"mine: Makefile is there and was not written by cyclestack: remove it, or choose another directory" \
	stat --rtl mine -e cycles p
tap_is "where it led is as it was, and nothing is written" "$(cat victim) $(cd mine && echo *)" "mine Makefile"

mkdir pictures && echo mine >pictures/figure-1.svg
says "nor is a picture of the user's, before anything is simulated" 125 \
	"pictures: figure-1.svg is there and was not written by cyclestack: remove it, or choose another directory" \
	reproduce eyerman2006 --size ref --pictures pictures

mkdir -p full/fmt.stimulus.new/x full2/fmt.v/x
says "a file that cannot be made" 125 "fmt.stimulus.new: File exists" judge --rtl full --counters fmt p
tap_is "then there is no stimulus" "$(cd full && echo *)" "Makefile fmt.stimulus.new fmt.v fmt_tb.v"
tap_is "a source that cannot be written" "$("$cyclestack" judge --rtl full2 --counters fmt 2>&1 | sed 's/^\(cyclestack: full2: \).*/\1/'; echo "${PIPESTATUS[0]}")" \
	"cyclestack: full2: 
125"
says "no directory" 125 "p.c: Not a directory" judge --rtl p.c
says "two programs" 2 "--rtl makes stimulus from one program: give one, or none$see" judge --rtl x p p
says "a circuit that is none" 2 "--counters: there is no circuit \"fm\"; there are power5, fmt, sfmt, vclk$see" judge --rtl x --counters fm
says "a circuit twice" 2 "--counters: fmt is named twice$see" judge --rtl x --counters fmt,power5,fmt
says "no circuit" 2 "--counters names no circuit$see" judge --rtl x --counters ,
says "a program that is not there" 125 "cannot open none: No such file or directory" judge --rtl x --counters fmt none
says "a machine that is none" 125 "none.cfg: No such file or directory" judge --rtl x --counters fmt --config none.cfg
tap_is "nothing was written" "$(ls x 2>&1)" "ls: cannot access 'x': No such file or directory"

# The module of `stat`: with a program, from recorded cycles by addresses, and alone.
says "stat: with a program" 0 "" stat --rtl counted -e cycles -e committed@_start p
tap_is "stat: files" "$(cd counted && echo *)" \
	"Makefile stats.expected stats.stimulus stats.v stats_naive.expected stats_naive.stimulus stats_naive.v stats_naive_tb.v stats_tb.v"
says "stat: alone" 0 "" stat --rtl bare -e cycles
tap_is "stat: files of the circuit alone" "$(cd bare && echo *)" "Makefile stats.v stats_naive.v stats_naive_tb.v stats_tb.v"
says "stat: from cycles" 0 "" stat --rtl cycles -e cycles -e committed p.cycles
says "stat: from the program" 0 "" stat --rtl same -e cycles -e committed p
tap_is "stat: both make the same" "$(diff -r cycles same)" ""
says "stat: a circuit of more than is asked for" 0 "" stat --rtl more --counter-count 7 --range-count 3 -e cycles
tap_check "stat: it is another" test "$(cat more/stats.v)" != "$(cat bare/stats.v)"
tap_done
