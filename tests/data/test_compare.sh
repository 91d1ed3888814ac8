#!/bin/bash
# `diff` of two runs with `--data`: of a program whose heap block moves out of the way of another, and whose lines move, the
# blocks are the same ones, with the misses that are known on paper; and all that differs is what both runs say.
. "$(dirname "$0")/../head.sh"
needs python3
here=$root/tests/data
# An L1D of 64 sets of 8 lines of 64 bytes in which nothing is brought in ahead.
machine=(--config littlecore --set l1d.size_bytes=32768 --set l1d.ways=8 --set l1d.replacement=lru
	--set l1d.prefetch=none --set l2.prefetch=none)

# built NAME [OPTION...]: from the file NAME/moves.c
built() {
	local name=$1
	shift
	"$cross" -O1 -g -static "-ffile-prefix-map=$work/$name/=" "$@" -o "$name.elf" "$work/$name/moves.c" >log 2>&1 ||
		tap_not_ok "$name builds" "$(tail -n 5 log)"
}

# at NAME SITE: the line of the last site of that name
at() {
	grep -n "site: $2\b" "$1/moves.c" | sed -n "$3p" | cut -d: -f1
}

mkdir a b
cp "$here/moves.c" a/moves.c
{
	printf '\n\n\n\n\n'
	cat "$here/moves.c"
} >b/moves.c
built a
built b -DMOVED
for name in a b; do
	"$cyclestack" run -q --data --json $name.json "${machine[@]}" $name.elf >out 2>err </dev/null
	tap_is "$name: runs, and its block is where it is to be" "$? $(cat err)" "0 "
done
"$cyclestack" diff --json diff.json --csv diff.csv --table objects-table --html diff.html a.json b.json >diff.txt 2>err
tap_is "the two are compared" "$? $(cat err)" "0 "

# row SITE LINE-A LINE-B: what text shows of the block of a site, without cycles
row() {
	COLUMNS=200 "$cyclestack" diff a.json b.json | grep -F "heap: moves.c:$1 -> $2 in main" | awk '{ print $(NF-2), $(NF-1), $NF }'
}
tap_is "ten lines in a set of eight miss each time; five and five do not, wherever the block's line is" \
	"$(row "$(at a first 1)" "$(at b first 1)"), $(row "$(at a second 2)" "$(at b second 1)")" "500 5 -495, 500 5 -495"
tap_is "what differs is what the two runs say, in JSON and CSV" "$(python3 "$here/data.py" differ a.json b.json diff.json diff.csv 2>&1)" ""
tap_is "the page has the table" "$(grep -c 'id="objects-table"' diff.html)" 1
tap_is "of a run and itself nothing differs" "$("$cyclestack" diff a.json a.json | tail -n 1)" "no value differs"

# Numbers that are not are noticed by this very check.
python3 - <<'PYTHON'
import json
diff = json.load(open("diff.json"))
diff["objects"][0]["misses_b"] += 1
json.dump(diff, open("wrong.json", "w"))
PYTHON
tap_is "a miss too many is noticed" "$(python3 "$here/data.py" differ a.json b.json wrong.json diff.csv 2>&1 | wc -l)" 2

"$cyclestack" run -q --json plain.json "${machine[@]}" b.elf >out 2>err </dev/null
tap_is "a run without --data is compared in what it has" "$("$cyclestack" diff --json - a.json plain.json | grep -c '"objects"')" 0
sed 's/"l1d_misses": \([0-9]\)/"l1d_misses": 1\1/' b.json >hostile.json
tap_is "data that does not add up is refused" "$("$cyclestack" diff a.json hostile.json 2>&1)" \
	"cyclestack: hostile.json: data.objects do not have the l1d_misses that data has"
tap_done
