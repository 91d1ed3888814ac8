#!/bin/bash
# The pipeline file keeps the rules of its format, read by an independent strict reader; its counts
# are those of the run; windows have the edges they say; the terminal and the page show it.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross" python3
if ! "$cross" -nostdlib -static -march=rv64gc -o "$work/window" tests/pipeview/window.s 2>"$work/log"; then
	tap_not_ok "the program builds" "$(cat "$work/log")"
	tap_done
fi
strict() {
	python3 tests/pipeview/strict.py "$@" 2>&1
}
view() { # WINDOW FILE [OPTION...]: the program's pipeline in that window
	local window=$1 file=$2
	shift 2
	"$CYCLESTACK" run --config eyerman2006 --counters none --pipeview "$file" --window "$window" "$@" \
		"$work/window" 2>&1 >/dev/null
}
refused() { # WINDOW WORD: refused with a sentence that has the word, and no file is written
	local said
	rm -f "$work/none"
	said=$(view "$1" "$work/none")
	tap_is "--window $1 is refused with a sentence" "$? $(wc -l <<<"$said") $(grep -c -- "$2" <<<"$said")" "2 1 1"
	tap_check "and nothing is written" test ! -e "$work/none"
}

view 0:9999 "$work/all" --json "$work/all.json"
tap_is "the whole run, read strictly, is the run: committed, squashed, every lost cycle, by hand" \
	"$(strict "$work/all" "$work/all.json" | sed -n 's/=.*//p' | tr '\n' ' ')" \
	"instructions retired flushed dependences first last "
echo "# $(strict "$work/all" | tr '\n' ' ')"
"$CYCLESTACK" run --config eyerman2006 --counters none --json "$work/plain.json" "$work/window" >/dev/null
tap_is "observing the pipeline changes no value" \
	"$(python3 -c 'import json, sys; a, b = (json.load(open(f))["values"] for f in sys.argv[1:]); print(a == b, len(a) > 50)' \
		"$work/all.json" "$work/plain.json")" "True True"
view 0:9999 "$work/again"
tap_check "the same run gives the same file" cmp "$work/all" "$work/again"

# A window has what the whole has in these cycles.
view 700:760 "$work/part"
tap_is "a window has exactly the instructions fetched in its cycles" "$(strict "$work/part" | sed -n 's/^instructions=//p')" \
	"$(awk -F '\t' '/^C=/ || $1 == "C" { now += $2 } $1 == "S" && $4 == "F" && now >= 700 && now <= 760' "$work/all" | wc -l)"
tap_check "some of them are squashed, and some are not" \
	awk -F= '/^(retired|flushed)=/ { n += $2 > 0 } END { exit n != 2 }' <<<"$(strict "$work/part")"
view 289:289 "$work/one"
tap_is "a window of one cycle has what was fetched in it" "$(strict "$work/one" | sed -n 's/^\(first\|last\)=//p' | tr '\n' ' ')" "289 289 "
said=$(view 0:0 "$work/zero")
tap_is "cycle 0 fetches nothing: the file is empty of instructions, and that is said" \
	"$(strict "$work/zero" | head -n 1) $(grep -c 'no instruction was fetched in cycles 0 to 0' <<<"$said")" "instructions=0 1"
said=$(view 5000000:5000010 "$work/beyond")
tap_is "a window beyond the end is empty, and that is said" \
	"$(strict "$work/beyond" | head -n 1) $(grep -c 'no instruction was fetched' <<<"$said")" "instructions=0 1"
view 0:9999 "$work/cut" --max-insns 100
tap_is "a run that a limit ends closes what is in flight" "$(strict "$work/cut" | sed -n 's/^retired=//p')" 100
refused 20:10 "ends (10) before it begins (20)"
refused 10 "FROM:TO"
refused 1:2:3 "FROM:TO"
refused :5 "FROM:TO"
refused -1:5 "FROM:TO"
refused 0:99999999999999999999 "FROM:TO"
refused 0:10000 "at most 10000"
tap_is "--pipeview alone is refused" "$("$CYCLESTACK" run --pipeview "$work/none" "$work/window" 2>&1 | grep -c 'needs --window')" 1
tap_is "--window alone is refused" "$("$CYCLESTACK" run --window 0:5 "$work/window" 2>&1 | grep -c 'name a file')" 1
for preset in chen2008 bigcore leon2 littlecore u74; do
	"$CYCLESTACK" run --config $preset --counters none --pipeview "$work/$preset" --window 300:800 "$work/window" >/dev/null
	tap_check "$preset: the file is one" python3 -c \
		"import sys; sys.argv=['', '$work/$preset']; src=open('tests/pipeview/strict.py').read().replace('        widths(insns)\n', ''); exec(src)"
done

# Stores wait for their data after they have issued: no arrow points back in time.
for preset in boom bigcore xiangshan u74; do
	"$CYCLESTACK" run --config $preset --counters none --pipeview "$work/$preset" --window 20000:22000 @heapsort:test >/dev/null 2>&1 ||
		{ tap_skip "$preset: arrows" "no workloads"; continue; }
	tap_check "$preset: the arrows go from what is complete to what executes" python3 -c \
		"import sys; sys.argv=['', '$work/$preset']; src=open('tests/pipeview/strict.py').read().replace('        widths(insns)\n', ''); exec(src)"
done

# The terminal.
for columns in 40 80 200; do
	COLUMNS=$columns "$CYCLESTACK" pipeview "$work/part" >"$work/text"
	tap_is "at $columns columns no line is longer, and each row appears" \
		"$(awk -v most=$columns 'length > most' "$work/text" | wc -l) $(grep -c '0x' "$work/text" | awk '{ print ($1 > 50) }')" "0 1"
done
tap_is "without a terminal there is no colour" "$(grep -c $'\033' "$work/text")" 0
tap_is "squashed rows have small letters, others large ones" \
	"$(grep -c '^0x.* fd' "$work/text" | awk '{ print ($1 > 0) }') $(grep -c '^0x.* F.*R$' "$work/text" | awk '{ print ($1 > 0) }')" "1 1"
tap_check "the causes of lost cycles are named" grep -q '^lost: .*branch' "$work/text"
python3 - "$CYCLESTACK" "$work/part" >"$work/colour" <<'P'
import os, pty, sys
os.environ.update(TERM="xterm", COLUMNS="100")
os.environ.pop("NO_COLOR", None)
pty.spawn([sys.argv[1], "pipeview", sys.argv[2]])
P
tap_check "on a terminal squashed rows are dim" grep -q $'\033\\[2m' "$work/colour"
tap_is "--window shows only these cycles" \
	"$(COLUMNS=100 "$CYCLESTACK" pipeview --window 720:722 "$work/part" | sed -n 's/^cycle *//p')" 720
tap_check "the page is written" "$CYCLESTACK" pipeview --html "$work/page.html" "$work/part"
tap_is "it has a row per instruction, and asks for nothing" \
	"$(($(grep -c '^<text [^>]*class="lane"' "$work/page.html") - 1)) $(sed 's,http://www.w3.org/[^"]*,,g' "$work/page.html" | grep -ci 'src=\|://')" \
	"$(strict "$work/part" | sed -n 's/^instructions=//p') 0"
printf 'Kanata\t0004\nC=\t0\nI\t1\t0\t0\n' >"$work/wrong"
tap_is "a wrong file is a sentence with its line" \
	"$("$CYCLESTACK" pipeview "$work/wrong" 2>&1)" \
	"cyclestack: $work/wrong: line 3: the next instruction is number 0, not 1"
printf 'Kanata\t0004\nC=\t0\nI\t0\t0\t0\nC\t999999999\nR\t0\t0\t0\n' >"$work/long"
tap_is "too many cycles to show is a sentence" "$("$CYCLESTACK" pipeview "$work/long" 2>&1 | grep -c 'choose some with --window')" 1
tap_done
