#!/bin/bash
# A pipeline of two instructions that is written by hand: where the page and the text must show each stage, worked out
# on paper. A cycle is 8 wide, a row 15 high, labels take 300.
. "$(dirname "$0")/../head.sh"

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

# shown OPTION...: the rows of the page, each with its rectangles as columns of cycles from the left, and what they say.
shown() {
	"$cyclestack" pipeview --html page.html "$@" pipeline >text 2>&1
	python3 - <<'END'
import html, re
page = open("page.html", encoding="utf-8").read()
left = None
for line in page.split("\n"):
    row = re.match(r'<text [^>]*class="lane"[^>]*>(.*)</text>', line)
    if row:
        print("%s:" % html.unescape(row.group(1)))
    rect = re.match(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="12" class="m-(\d+)" data-tip="(.*)"/>', line)
    if rect:
        x, width = float(rect.group(1)), float(rect.group(2))
        left = x if left is None else left
        words = html.unescape(rect.group(4)).replace("\t", " ").split("\n")[1].split()
        print("  %+d %d %s, %s" % (round((x - left) / 8), round(width / 8), words[0], " ".join(words[1:])))
END
}
tap_is "all cycles" "$(shown)" "first<a>:
  +0 1 F, cycles 10 to 10
  +1 2 D, cycles 11 to 12
  +3 3 X, cycles 13 to 15
second:
  +1 2 F, cycles 11 to 12
  +3 3 D, cycles 13 to 15
lost:
  +1 5 l2d, cycles 11 to 15"
tap_is "the text of them" "$(sed '1,/^Cycles/d' text)" "cycle                             10
first<a>                          FDDXXXR
second                             ffddd
lost                               lllll
lost: 11-15 l2d
F fetched, D in the front end, X executes, R retired; what was squashed in small letters
2 instructions in cycles 10 to 16: 1 retired, 1 squashed"
tap_is "a window within" "$(shown --window 12:14)" "first<a>:
  +0 1 D, cycles 11 to 12
  +1 2 X, cycles 13 to 15
second:
  +0 1 F, cycles 11 to 12
  +1 2 D, cycles 13 to 15
lost:
  +0 3 l2d, cycles 11 to 15"
tap_is "the first cycle alone" "$(shown --window 10:10)" "first<a>:
  +0 1 F, cycles 10 to 10
lost:"
tap_check "each stage has a colour of its own" [ "$(shown >/dev/null; grep -o 'height="12" class="m-[0-9]*" data-tip' page.html | sort -u | wc -l)" = 4 ]
# texts: what the page says in the picture, besides the rows.
texts() { grep -v 'class="lane"' page.html | grep -o '<text [^>]*>[^<]*</text>' | sed 's/.*">\(.*\)<.*/\1/' | paste -sd,; }
tap_is "a legend of the stages, and an axis of cycles with its name" "$(texts)" \
	"F fetched,D in the front end,X executes,lost: l2d,cycle,10"
sed 's/\tD$/\tDc/' pipeline >other
"$cyclestack" pipeview --html page.html other >text
tap_is "stages of other simulators have their names" "$(texts) $(grep -c fetched text)" "F,Dc,X,lost: l2d,cycle,10 0"
shown >/dev/null
tap_is "squashed rows are pale" "$(grep -c '^<g opacity' page.html)" 1
"$cyclestack" pipeview --csv stages.csv pipeline >/dev/null
tap_is "the CSV has every stage" "$(cat stages.csv)" "instruction,squashed,stage,begin,end
first<a>,0,F,10,11
first<a>,0,D,11,13
first<a>,0,X,13,16
second,1,F,11,13
second,1,D,13,16
lost,0,l2d,11,16"
# A label is the rest of its line, whatever is in it.
sed -i 's/second/second\tand third/' pipeline
shown >/dev/null
tap_is "a label with a tab is whole" "$(grep -c 'class="lane"[^>]*>second.and third<' page.html)" 1
tap_done
