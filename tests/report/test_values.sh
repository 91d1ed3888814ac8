#!/bin/bash
# Every number of the text, the CSV and the page of a result is that of the JSON, worked out by a reader that
# shares nothing with what prints them; and the reader notices a number that is not.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
reader=$root/tests/report/read_reports.py
needs python3
needs_workloads

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
	"$cyclestack" run --config $machine --counters all --max-insns 200k --json $machine.json --csv r.csv --html r.html @hanoi:test \
		>r.txt 2>/dev/null
	"$cyclestack" show --csv c.csv --table components $machine.json >/dev/null
	holds "run on $machine: text, CSV and page are the JSON's" 900 run $machine.json r.txt r.csv r.html c.csv
	[ $machine = midcore ] && cp r.txt midcore.txt && cp r.csv midcore.csv && cp r.html midcore.html && cp c.csv stack.csv
done
# Without windows there is no error; the sentence says so, or in a result of an earlier version there is none.
"$cyclestack" run --counters all --gain-budget none --max-insns 50k --json none.json @hanoi:test >/dev/null 2>&1
for result in none.json "$root/tests/unit/report/results/run-inorder.json"; do
	"$cyclestack" show --csv r.csv --html r.html "$result" >r.txt
	"$cyclestack" show --csv c.csv --table components "$result" >/dev/null
	holds "${result##*/}: what was not measured has no error" 900 run "$result" r.txt r.csv r.html c.csv
done
for pair in "midcore eyerman2006" "eyerman2006 midcore" "midcore bigcore"; do
	read -r a b <<<"$pair"
	"$cyclestack" diff --json diff.json $a.json $b.json >diff.txt
	holds "diff of $a and $b: every column is worked out from both results" 300 diff $a.json $b.json diff.json diff.txt
done
"$cyclestack" stat -g cache -g branch -e committed@towers_move -e cycles --every 30k --max-insns 200k \
	--derive 'mpki=1000*l1d.misses/committed' --json stat.json --csv stat.csv @hanoi:test >stat.txt 2>/dev/null
holds "stat: text and CSV are the JSON's" 100 stat stat.json stat.txt stat.csv
"$cyclestack" judge --max-insns 20k --json judge.json --csv judge.csv --html judge.html @hanoi:test >judge.txt 2>/dev/null
judge=(judge judge.json judge.txt judge.csv judge.html)
holds "judge: stacks, errors, costs and bits of text, CSV and page are the JSON's, and errors those of the stacks" 900 "${judge[@]}"
for paper in eyerman2006 chen2008 hough2006 danalis2017; do
	kept=$root/tests/unit/report/results/reproduce-$paper
	holds "reproduce $paper: statements, tables and claims of a kept result are the JSON's" 10 reproduce "$kept.json" "$kept.txt"
done
cp "$root/tests/unit/report/results/reproduce-eyerman2006.json" kept.json
cp "$root/tests/unit/report/results/reproduce-eyerman2006.txt" kept.txt

# all KIND LEAST OPTION...: the command in every format; at 200 columns no table is divided.
all() {
	local kind=$1 least=$2
	shift 2
	COLUMNS=200 "$cyclestack" "$kind" --json "$kind.json" --report "$kind.txt" --csv "$kind.csv" --html "$kind.html" "$@" >/dev/null 2>&1
	holds "$kind ${1-}: text, CSV and page are the JSON's" "$least" "$kind" "$kind".{json,txt,csv,html}
}
all exec 15 --max-insns 50k @hanoi:test
all sweep 100 --max-insns 20k --set l2.latency_cycles=11 --vary cache.levels=1 --grid rob.size=64,128 @hanoi:test @heapsort:test
all advise 40 --max-insns 50k @hanoi:test
for kept in advise advise-windows advise-nothing advise-units; do
	COLUMNS=200 "$cyclestack" show --csv kept.csv --html kept.html "$root/tests/unit/report/results/$kept.json" >kept-advise.txt
	holds "$kept: a kept result" 15 advise "$root/tests/unit/report/results/$kept.json" kept-advise.txt kept.csv kept.html
done
all signals 1000
all model 10 --max-insns 50k @hanoi:test
all model 250 --explain --against --max-insns 50k --grid rob.size=64,128 --technique swam --technique timeline @hanoi:test
awk 'BEGIN { print "cyclestack-readings 1\nrefused 4:9 22\nevents 4:1 4:2 4:3 4:300" }
	!/^#/ && NF > 5 && $1 ~ /^(branch_|load$|store$|multiply$|divide$|fp_)/ {
		for (i = 1; i <= 3; i++) {
			n++
			print "run", $1, 0, 0, 1000 * i, 0, $2 * 1000 * i, $3 * 1000 * i, $11 * 1000 * i, 7
		}
	}
	END { print "end", n }' "$root/kernels/expected.txt" >readings
printf 'r001 branches.conditional\nr002 loads\nr003 dispatched.conditional\nr12c unheard.of\n' >names
all inspect 30 --readings readings --event-names names --verify
for metric in all branches.conditional.taken 'loads + integer divisions'; do
	COLUMNS=200 "$cyclestack" inspect --readings readings --event-names names --compose "$metric" --json compose.json \
		--report compose.txt --csv compose.csv --html compose.html >/dev/null 2>&1
	holds "inspect --compose $metric: text, CSV and page are the JSON's" 5 compose compose.json compose.txt compose.csv compose.html
done

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
run=(run midcore.json midcore.txt midcore.csv midcore.html stack.csv)
notices "an error of a component" midcore.txt 's/^\(= base .*[0-9]% *\)[0-9.]*%/\199.99%/' "${run[@]}"
notices "an error that is gone" midcore.txt 's/^\(    base .*[0-9]% *\)[0-9.]*%/\1    -/' "${run[@]}"
notices "an error of the stack's CSV" stack.csv '/^branch,,/s/,[0-9.]*$/,0.9/' "${run[@]}"
notices "another number of windows" midcore.txt 's/measured: in [0-9]* windows/measured: in 999 windows/' "${run[@]}"
notices "another number of machines on the page" midcore.html 's/, [0-9]* machines were simulated/, 2 machines were simulated/' "${run[@]}"
notices "two counts that are exchanged" midcore.txt 's/^issued /XX /; s/^squashed /issued /; s/^XX /squashed /' "${run[@]}"
notices "a row of a method that is another's" midcore.txt 's/^naive  /power5X/; s/^power5  /naive  /; s/^power5X/power5/' "${run[@]}"
notices "a number of the CSV" midcore.csv '0,/^line,\(.*\),\([0-9]*\),\([0-9]*\),/s//line,\1,\3,\2,/' "${run[@]}"
notices "a row of the CSV that is gone" midcore.csv '/^stage,,issue,.*,branch,/d' "${run[@]}"
notices "an inlined call of another function" midcore.txt 's/^  disk_put/  disk_get/' "${run[@]}"
notices "an inlined call of the CSV that is gone" midcore.csv '/^inlined,towers_move,disk_put,.*,base,/d' "${run[@]}"
notices "a cell of the page" midcore.html '0,/<td>[0-9.]*[^0-9<]*%/s//<td>50.01 %/' "${run[@]}"
notices "a gain that is another" advise.txt 's/^\(step .*\)$/\1/; 0,/^\(the program .*% *\)[0-9.]*%/s//\199.9%/' advise advise.{json,txt,csv,html}
notices "an interval of another counter" stat.csv '0,/^cycles,,0,0,\([0-9]*\),[0-9]*/s//cycles,,0,0,\1,1/' stat stat.json stat.txt stat.csv
notices "an error of a method" judge.txt 's/^\(slots .* \)[0-9.]*$/\10.01/' "${judge[@]}"
notices "a stack of another method in the CSV" judge.csv 's/,fmt,/,XX,/; s/,sfmt,/,fmt,/; s/,XX,/,sfmt,/' "${judge[@]}"
notices "a cell of the page of a judgement" judge.html '/id="errors-by-method"/,/<.table>/s/<td[^>]*>[0-9.]*/<td>0.07/' "${judge[@]}"
notices "a part of a bar" judge.html '/<section id="stacks"/,$s/&#9;l1d&#9;[0-9.]*/\&#9;l1d\&#9;88.88/' "${judge[@]}"
notices "a verdict that is another" kept.txt 's/^DOES NOT HOLD: gcc/HOLDS: gcc/' reproduce kept.json kept.txt
notices "a cost of a paper's figure" kept.txt 's/^\(mcf: netflow  *697 *\)15.2/\115.3/' reproduce kept.json kept.txt
notices "an error of the model" model.txt 's/^\(  timeline.* \)[-+][0-9.]*%$/\1-0.1%/' model model.json model.txt model.csv model.html
notices "a verdict of another event" inspect.txt 's/^\(loads .*\)conditional branches taken, retired/\1loads/' \
	inspect inspect.json inspect.txt inspect.csv inspect.html
notices "a machine's cycles in the CSV" sweep.csv '2s/\(,[0-9]*\)\(,[0-9]*\)/\2\1/' sweep sweep.json sweep.txt sweep.csv sweep.html
notices "a signal of another unit" signals.html '0,/>instructions</s//>cycles</' signals signals.json signals.txt signals.csv signals.html
tap_done
