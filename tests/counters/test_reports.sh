#!/bin/bash
# What `run` writes beside its text: pages, CSV, folded stacks, callgrind profiles, annotations; all say the same
# as the JSON, and mistakes give one sentence.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads
see=" (see: cyclestack run --help)"

"$cyclestack" run --json r.json --csv r.csv --folded r.folded --callgrind r.cg --html r.html --intervals 100k \
	--annotate tree_find @objdb:test >r.txt 2>r.err
tap_is "everything at once" "$? $(cat r.err)" "0 "

# total JSON-PATH: evaluated by perl on the result.
ask() {
	perl -MJSON::PP -MList::Util=sum0 -e 'local $/; open F, "<", "r.json"; my $r = decode_json(<F>); print '"$1"
}
slots=$(ask 'sum0(values %{$r->{exact}{causes}})')
tap_is "folded stacks hold every slot" "$(awk '{n += $NF} END {printf "%d", n}' r.folded)" "$slots"
tap_is "a folded line is program;function;place;cause" \
	"$(awk -F'[; ]' 'NF != 5 {bad++} END {print bad + 0}' r.folded)" 0
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate r.cg >cg.txt 2>cg.err
	tap_is "callgrind_annotate reads the profile" "$? $(cat cg.err)" "0 "
	tap_is "and finds every slot" "$(sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS.*/\1/p' cg.txt | tr -d ,)" "$slots"
else
	tap_skip "callgrind_annotate reads the profile" "valgrind is not installed"
fi
annotated=$(ask 'sum0(map { values %{$_->{slots}} } @{$r->{annotation}{instructions}})')
tap_is "the instructions of a function add up to it" "$annotated" \
	"$(ask 'sum0(map { values %{$_->{slots}} } grep { $_->{name} eq "tree_find" } @{$r->{exact}{functions}})')"
tap_is "CSV has its header first" "$(head -n 1 r.csv | tr -d '\r')" \
	"kind,function,name,file,line,cause,component,executed,slots,cycles"
tap_check "the page has the hash of the program" grep -q "$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' r.json | head -1)" r.html
tap_check "the text shows the stack" grep -q '^Where the cycles went' r.txt
tap_check "and the function asked for" grep -q tree_find r.txt

for width in 40 60 100 200; do
	COLUMNS=$width "$cyclestack" run --annotate tree_find --intervals 100k @objdb:test 2>/dev/null |
		perl -CS -ne '$on = 1 if /^Where/; $on = 0 if /^  cycles  /; chomp; print "$_\n" if $on && length > '$width >wide.txt
	tap_is "fits $width columns" "$(cat wide.txt)" ""
done

cp r.json first.json
"$cyclestack" run --json r.json --csv s.csv --folded s.folded --callgrind s.cg --html s.html --intervals 100k \
	--annotate tree_find @objdb:test >/dev/null 2>&1
for kind in csv folded cg html; do
	tap_check "same bytes again: $kind" cmp r.$kind s.$kind
done
tap_check "same bytes again: json" cmp r.json first.json

"$cyclestack" run --csv - @heapsort:test 2>/dev/null | sed 1d >out.csv
tap_is "CSV on standard output is not mixed with text" "$(grep -c 'Where the cycles' out.csv)" 0

# refused TITLE STATUS SENTENCE OPTION...
refused() {
	local title=$1 status=$2 sentence=$3
	shift 3
	"$cyclestack" run "$@" >out 2>err </dev/null
	tap_is "$title" "$? $(cat err)" "$status cyclestack: $sentence"
}
refused "no such function" 2 "--annotate nosuch: the program has no function of that name$see" --annotate nosuch @heapsort:test
refused "nothing to show" 2 "--html has nothing to show with --counters none$see" --counters none --html x.html @heapsort:test
refused "a directory that is not there" 125 "cannot write nowhere/x.html: No such file or directory" \
	--html nowhere/x.html @heapsort:test
tap_is "no such counter" "$("$cyclestack" run --counters fnt @heapsort:test 2>&1 | cut -c1-52)" \
	'cyclestack: --counters: there is no "fnt"; there are'
tap_is "intervals of nothing" "$("$cyclestack" run --intervals 0 @heapsort:test >/dev/null 2>&1; echo $?)" 2

# A program that is interrupted still has its stack.
timeout --preserve-status -s INT 1 "$cyclestack" run --json part.json --html part.html @netflow:ref >part.txt 2>part.err
tap_is "interrupted" "$? $(grep -c partial part.err)" "130 1"
tap_check "what is known adds up" perl "$root/tests/counters/check_stacks.pl" part.json
tap_check "and has a page" grep -q partial part.html
tap_done
