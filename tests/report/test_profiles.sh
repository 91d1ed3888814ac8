#!/bin/bash
# What `run` writes for other tools, and its tables of calls, are what the JSON of the run says, read by an independent
# reader of each format; and the reader notices a number that is not.
. "$(dirname "$0")/../head.sh"
needs python3 riscv64-linux-gnu-readelf
reader=$root/tests/report/read_profiles.py
programs=$root/tests/callers

# holds TITLE LEAST KIND FILE
holds() {
	local answer
	answer=$(python3 "$reader" "$3" r.json "$4" 2>&1)
	if [[ $answer =~ ^([0-9]+)\ held,\ 0\ wrong$ ]] && [ "${BASH_REMATCH[1]}" -ge "$2" ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$answer"
	fi
}

# ran [OPTION...] PROGRAM
ran() {
	COLUMNS=200 "$cyclestack" run --json r.json --folded r.folded --callgrind r.cg --pprof r.pb --firefox r.ff \
		--report r.txt --gain-budget none "$@" >/dev/null 2>err </dev/null
}

for name in jumps turns deep; do
	"$cross" -O1 -static -pthread -o $name "$programs/$name.c" || tap_not_ok "$name builds"
	# A recursion that is deeper than paths are written.
	ran --calls "$work/$name" $([ $name = deep ] && echo 300)
	tap_is "$name: runs" "$? $(cat err)" "0 "
	holds "$name: folded stacks are paths of calls" 1000 folded r.folded
	holds "$name: callgrind has calls and what they cost" 400 callgrind r.cg
	holds "$name: pprof has every component of every path" 1000 pprof r.pb
	holds "$name: Firefox has every component of every path" 2000 firefox r.ff
	"$cyclestack" show --csv r.csv --table callers-table r.json >/dev/null 2>&1
	holds "$name: callers and callees" 50 csv r.csv
	# Names of deep paths are cut.
	[ $name = deep ] || holds "$name: the tree in text" 50 text r.txt
done
ran "$work/turns"
holds "without --calls: callgrind has no calls" 100 callgrind r.cg
holds "without --calls: pprof has functions" 300 pprof r.pb
holds "without --calls: Firefox has functions" 600 firefox r.ff

# With debugging information and intervals: texts of sources, which lie in the working directory, and counters over time.
cp "$programs/turns.c" .
"$cross" -O1 -g -static -pthread "-ffile-prefix-map=$work/=" -o sourced turns.c || tap_not_ok "sourced builds"
ran --calls --intervals 2000 "$work/sourced"
holds "with intervals: Firefox has counters over time and sources" 2000 firefox r.ff
tap_is "which are there" "$(python3 -c 'import json
p = json.load(open("r.ff"))
print(p["counters"][0]["samples"]["length"] > 5, open("turns.c").read() in p["shared"]["sources"]["content"])')" "True True"
for edit in 's/"graphType":"line-rate"/"graphType":"bars"/' 's/"content":\[/"content":[7,/' 's/"filename":\[[0-9]*/"filename":[7777777/' 's/"time":\[0.0,/"time":[7777.5,/'; do
	sed "$edit" r.ff >edited
	tap_check "the check of the format notices $edit" sh -c "! cmp -s r.ff edited && ! python3 '$root/tests/report/check_firefox.py' edited >/dev/null"
done
for edit in 's/"count":\[0,(\d)/"count":[0,7$1/' 's/"content":\["(.)/"content":["$1 /'; do
	perl -0777 -pe "$edit" r.ff >edited
	tap_check "the reader notices $edit" sh -c "! cmp -s r.ff edited && ! python3 '$reader' firefox r.json edited 2>/dev/null | grep -q ' 0 wrong'"
done

# A second reader of the format, where there is one.
ran --calls "$work/jumps"
if command -v callgrind_annotate >/dev/null; then
	callgrind_annotate --inclusive=yes --tree=both --show=slots --show-percs=no --threshold=100 r.cg >annotated 2>log
	tap_is "callgrind_annotate reads calls" "$? $(cat log)" "0 "
	tap_is "and finds what was called, and how often" \
		"$(grep -c '>  *???:handler (6x)' annotated)" 1
fi

# notices TITLE FILE EDIT KIND: with the edit made by perl to the file, something is wrong.
notices() {
	cp "$2" edited
	perl -0777 -pi -e "$3" edited
	if cmp -s "$2" edited; then
		tap_not_ok "the reader notices $1" "the edit changes nothing"
	else
		tap_check "the reader notices $1" sh -c \
			"! python3 '$reader' $4 r.json edited 2>/dev/null | grep -q ' 0 wrong'"
	fi
}
# The documented format, and what a schema cannot say.
for name in turns jumps; do
	ran --calls "$work/$name"
	tap_is "$name: the profile for Firefox has its documented format" \
		"$(python3 "$root/tests/report/check_firefox.py" r.ff | sed "s/ in .*//")" \
		"$(python3 -c 'import json; print(sum(json.load(open("r.json"))["exact"]["causes"].values()))')"
done
for edit in "s/\"grey\"/\"pink\"/" "s/\"pid\":\"1\"/\"pid\":1/" "s/\"prefix\":\[null,/\"prefix\":[7777777,/" "s/\"subcategory\":\[0/\"subcategory\":[9/"; do
	sed "$edit" r.ff >edited
	tap_check "the check of that notices $edit" sh -c "! cmp -s r.ff edited && ! python3 '$root/tests/report/check_firefox.py' edited >/dev/null"
done

notices "another weight" r.folded 's/ (\d+)\n/ 7$1\n/' folded
notices "a frame that is gone" r.folded 's/;main//' folded
notices "another count of calls" r.cg 's/\ncalls=(\d+)/\ncalls=7$1/' callgrind
notices "another cost of a call" r.cg 's/(\ncalls=.*\n\d+ )(\d+)/$1. ($2 + 1)/e' callgrind
notices "another name in pprof" r.pb 's/handler/headler/' pprof
notices "another component in pprof" r.pb 's/\x06branch/\x06brunch/' pprof
notices "another category" r.ff 's/"name":"branch"/"name":"break"/' firefox
notices "another weight in Firefox" r.ff 's/"weight":\[(\d)/"weight":[7$1/' firefox
tap_done
