#!/bin/bash
# Every number of the text, the CSV and the page of a result is that of the JSON, worked out by a reader that
# shares nothing with what prints them; and the reader notices a number that is not.
#
# CYCLESTACK  the tool  (build/cyclestack)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cyclestack=${CYCLESTACK:-$root/build/cyclestack}
reader=$root/tests/report/read_reports.py
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
command -v python3 >/dev/null || tap_skip_all "python3 is not installed"
"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# holds TITLE AT-LEAST KIND FILE...: no number is wrong, and there are at least so many.
holds() {
	local title=$1 least=$2 answer
	shift 2
	answer=$(python3 "$reader" "$@" 2>&1)
	if [[ $answer =~ ^([0-9]+)\ numbers,\ 0\ wrong$ ]] && [ "${BASH_REMATCH[1]}" -ge "$least" ]; then
		tap_ok "$title"
	else
		tap_not_ok "$title" "$answer"
	fi
}

# A machine with a third cache, one without page walks, and one that issues in order.
for machine in midcore eyerman2006 bigcore leon2; do
	"$cyclestack" run --config $machine --max-insns 200k --json $machine.json --csv r.csv --html r.html @hanoi:test \
		>r.txt 2>/dev/null
	holds "run on $machine: text, CSV and page are the JSON's" 900 run $machine.json r.txt r.csv r.html
	[ $machine = midcore ] && cp r.txt midcore.txt && cp r.csv midcore.csv && cp r.html midcore.html
done
for pair in "midcore eyerman2006" "eyerman2006 midcore" "midcore bigcore"; do
	read -r a b <<<"$pair"
	"$cyclestack" diff --json diff.json $a.json $b.json >diff.txt
	holds "diff of $a and $b: every column is worked out from both results" 300 diff $a.json $b.json diff.json diff.txt
done
"$cyclestack" stat -g cache -g branch -e committed@towers_move -e cycles --every 30k --max-insns 200k \
	--derive 'mpki=1000*l1d.misses/committed' --json stat.json --csv stat.csv @hanoi:test >stat.txt 2>/dev/null
holds "stat: text and CSV are the JSON's" 100 stat stat.json stat.txt stat.csv
"$cyclestack" judge --max-insns 20k --json judge.json @hanoi:test >judge.txt 2>/dev/null
holds "judge: stacks, errors, costs and bits are the JSON's, and errors those of the stacks" 400 judge judge.json judge.txt
"$cyclestack" model --max-insns 50k --json model.json @hanoi:test >model.txt 2>/dev/null
holds "model: the text is the JSON's" 10 model model.json model.txt

# notices TITLE FILE EDIT KIND FILE...: with the edit made to the file, a number is wrong.
notices() {
	local title=$1 file=$2 edit=$3
	shift 3
	cp "$file" "$file.right"
	sed -i "$edit" "$file"
	if cmp -s "$file" "$file.right"; then
		tap_not_ok "the reader notices $title" "the edit changes nothing"
	else
		tap_is "the reader notices $title" "$(python3 "$reader" "$@" 2>&1 | grep -c '^[0-9]* numbers, [1-9]')" 1
	fi
	mv "$file.right" "$file"
}
run=(run midcore.json midcore.txt midcore.csv midcore.html)
notices "two counts that are exchanged" midcore.txt 's/^  issued /  XX /; s/^  squashed /  issued /; s/^  XX /  squashed /' "${run[@]}"
notices "a row of a method that is another's" midcore.txt 's/^naive  /power5X/; s/^power5  /naive  /; s/^power5X/power5/' "${run[@]}"
notices "a number of the CSV" midcore.csv '0,/^line,\(.*\),\([0-9]*\),\([0-9]*\),/s//line,\1,\3,\2,/' "${run[@]}"
notices "a row of the CSV that is gone" midcore.csv '/^stage,,issue,.*,branch,/d' "${run[@]}"
notices "a cell of the page" midcore.html '0,/<td>[0-9.]* %</s//<td>50.01 %</' "${run[@]}"
notices "an interval of another counter" stat.csv '0,/^cycles,,0,0,\([0-9]*\),[0-9]*/s//cycles,,0,0,\1,1/' stat stat.json stat.txt stat.csv
notices "an error of a method" judge.txt 's/^\(slots .* \)[0-9.]*$/\10.01/' judge judge.json judge.txt
tap_done
