#!/bin/bash
# callgrind_annotate reads the profiles we write, and finds in them what went in.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
. tests/harness.sh
command -v callgrind_annotate >/dev/null || tap_skip_all "no callgrind_annotate (Debian package valgrind)"
build_driver tests/report/callgrind.c
cd "$work" || exit 1
./driver "$root/tests/report/sort.json" >profile 2>log
tap_is "a result is written as a profile" "$? $(cat log)" "0 "
printf 'one\ntwo\nthe hot line\nthe branch\n' >sort.c
callgrind_annotate --threshold=100 --show-percs=no profile >annotated 2>log
tap_is "callgrind_annotate reads it without a word" "$? $(cat log)" "0 "

# costs TEXT: the numbers of the line that ends so, by event.
costs() {
	awk -v text="$1" 'substr($0, length($0) - length(text) + 1) == text {
		line = substr($0, 1, length($0) - length(text))
		gsub(/,/, "", line)
		sub(/^ */, "", line)
		sub(/ *$/, "", line)
		gsub(/ +/, " ", line)
		print line
		exit
	}' annotated
}
tap_is "the events are the causes after the total" "$(sed -n 's/^Events recorded: *//p' annotated)" \
	"slots base mshr btb branch l1d l2d"
tap_is "the program and its arguments are named" "$(sed -n 's/^Profiled target: *//p' annotated)" "sort -n 100"
tap_is "the total is cycles times slots" "$(costs 'PROGRAM TOTALS')" "4000 2000 200 100 400 300 1000"
tap_is "a function has the costs of its own file" "$(costs 'sort.c:sort_records')" "2800 1400 0 0 400 0 1000"
tap_is "and those of what is inlined into it" "$(costs 'list.h:sort_records')" "400 100 0 0 0 300 0"
tap_is "a name in parentheses is a name" "$(costs '???:(below main)')" "750 500 150 100 0 0 0"
tap_is "what no function has is not lost" "$(costs '???:(other)')" "50 0 50 0 0 0 0"
tap_is "a source line has its costs" "$(costs 'the hot line')" "2000 1000 0 0 0 0 1000"
tap_is "and another has none" "$(costs 'two')" ". . . . . . ."
if ./driver /dev/null 2>/dev/null; then
	tap_not_ok "what is no result is not written"
else
	tap_ok "what is no result is not written"
fi
tap_done
