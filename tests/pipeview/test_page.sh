#!/bin/bash
# A pipeline of two instructions that is written by hand: where the page and the text must show each stage, worked out
# on paper. A cycle is 8 wide, a row 15 high, labels take 300.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cyclestack=${CYCLESTACK:-$root/build/cyclestack}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# The first: F in 10, D in 11 and 12, X in 13 to 15, retired. The second: F in 11 and 12, D in 13 to 15, squashed; it
# waits for the L2 in 11 to 15.
sed 's/ /\t/g' >pipeline <<'END'
Kanata 0004
C= 10
I 0 0 0
L 0 0 first<a>
S 0 0 F
C 1
E 0 0 F
S 0 0 D
I 1 1 0
L 1 0 second
S 1 0 F
S 1 1 l2d
C 2
E 0 0 D
S 0 0 X
E 1 0 F
S 1 0 D
C 3
E 1 1 l2d
E 0 0 X
R 0 0 0
E 1 0 D
R 1 1 1
END

# shown OPTION...: size of the drawing, then rows and rectangles of the page as x y width name.
shown() {
	"$cyclestack" pipeview --html page.html "$@" pipeline >text 2>&1
	grep -o '<svg width="[0-9]*" height="[0-9]*" role\|<g[^>]*>\|<rect x[^/]*</title>\|<text[^>]*>[^<]*<' page.html | sed -n \
		's/<svg width="\([0-9]*\)" height="\([0-9]*\)".*/\1 by \2/p
		s/<g\( opacity="\(.*\)"\)\{0,1\}>/row \2/p
		s/<text x="0" y="\([0-9]*\)".*>\(.*\)<$/\1: \2/p
		s/<rect x="\([0-9]*\)" y="\([0-9]*\)" width="\([0-9]*\)" height="12" fill="#[0-9a-f]*"><title>\(.*\)<.title>/\1 \2 \3 \4/p'
}
tap_is "all cycles" "$(shown)" "356 by 45
row 
11: first&lt;a&gt;
300 2 8 F, cycles 10 to 10
308 2 16 D, cycles 11 to 12
324 2 24 X, cycles 13 to 15
row 0.4
26: second
308 17 16 F, cycles 11 to 12
324 17 24 D, cycles 13 to 15
41: lost cycles
308 32 40 l2d, cycles 11 to 15"
tap_is "the text of them" "$(cat text)" "cycle                             10
first<a>                          FDDXXXR
second                             ffddd
lost                               lllll
lost: 11-15 l2d
2 instructions in cycles 10 to 16: 1 retired, 1 squashed"
tap_is "a window within" "$(shown --window 12:14)" "324 by 45
row 
11: first&lt;a&gt;
300 2 8 D, cycles 11 to 12
308 2 16 X, cycles 13 to 15
row 0.4
26: second
300 17 8 F, cycles 11 to 12
308 17 16 D, cycles 13 to 15
41: lost cycles
300 32 24 l2d, cycles 11 to 15"
tap_is "the first cycle alone" "$(shown --window 10:10)" "308 by 30
row 
11: first&lt;a&gt;
300 2 8 F, cycles 10 to 10
26: lost cycles"
tap_check "each stage has a colour of its own" [ "$(shown >/dev/null; grep -o 'height="12" fill="#[0-9a-f]*"' page.html | sort -u | wc -l)" = 4 ]
tap_is "the sum of them" "$(sed -n 's/.*<p class="facts">\([^<]*\)<.*/\1/p' page.html)" "2 instructions: 1 retired, 1 squashed (pale)"
# A label is the rest of its line, whatever is in it.
sed -i 's/second/second\tand third/' pipeline
shown >/dev/null
tap_is "a label with a tab is whole" "$(grep -c '>second.and third<' page.html)" 1
tap_done
