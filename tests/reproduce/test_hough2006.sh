#!/bin/bash
# `reproduce hough2006 --synthesis FILE`: figure 3 in LUTs, with the line through each series by least squares;
# counts and cycles are those of `stat` and `sweep`.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads

# Ranges are 100 + 50 N; signals 10 N, but 4 more at 4; counters 7; the naive design N x N.
{
	echo "# a comment"
	for n in 2 3 4 5 6; do
		echo "ranges $n top RANGES=$n luts=$((100 + 50 * n)) carries=1 ffs=1 rams=0 levels=1"
		echo "signals $n top SIGNALS=$n luts=$((10 * n + (n == 4 ? 4 : 0))) levels=1"
		echo "counters $n top luts=7"
		echo "naive $n top luts=$((n * n))"
		echo "other $n top luts=1"
	done
	for n in 2 4 6 10; do
		echo "sfmt-branches $n sfmt luts=$((5 + 3 * n))"
		echo "fmt-branches $n fmt luts=5"
	done | sed '$d'
} >"$work/rows"
COLUMNS=120 "$cyclestack" reproduce hough2006 --size test --synthesis "$work/rows" --json "$work/json" --html "$work/html" \
	--pictures "$work/pictures" >"$work/text" 2>&1
tap_is "it is reproduced" "$?" 0
tap_is "its JSON satisfies its schema" "$(python3 "$root/tests/report/validate.py" "$root/docs/schemas" "$work/json")" "$work/json: cyclestack-reproduce-1"
tap_is "figures 3 and 4 are drawn, from the series and programs of their tables" \
	"$(cd "$work/pictures" && for name in 'figure-3.svg naive' 'figure-3-luts.svg naive' 'figure-4.svg live only' 'figure-4.svg heapsort'; do
		grep -q "${name#* }" "${name%% *}" && echo "${name%% *}"
	done | tr '\n' ' ')" "figure-3.svg figure-3-luts.svg figure-4.svg figure-4.svg "
tap_check "text draws figure 3 with bars" grep -q '^bits; # is ' "$work/text"
tap_check "the size is said to be too small" grep -q '^Size test is too small to judge claims by: 3 of 3 programs execute' "$work/text"
tap_is "every claim that does not hold has a reason" "$(grep -c '^reason: ' "$work/text")" "$(grep -c '^DOES NOT HOLD' "$work/text")"
# By paper: the mean of n is 4, so the line of signals is 0.8 higher, and the residual at 4 is 3.2.
tap_is "lines and residuals" "$(perl -MJSON::PP -0777 -ne '
	printf "%s %d %.1f %.1f %.1f %.2f; ", @$_{qw(name points base slope residual explained)}
		for @{ decode_json($_)->{variations}{slopes} }' "$work/json")" \
	"N ranges 5 100.0 50.0 0.0 1.00; N signals 5 0.8 10.0 3.2 0.99; N counters 5 7.0 0.0 0.0 1.00; naive, N x N 5 -14.0 8.0 2.0 0.98; fmt, N branch rows 3 5.0 0.0 0.0 1.00; sfmt, N branch rows 4 5.0 3.0 0.0 1.00; "
tap_is "the series are in the text" "$(grep -cE '^ *(6|N ranges|naive, N x N) .*(400|50\.0|8\.0)' "$work/text")" 3
# Four columns of 26 characters for 120: # is 400 / 26 LUTs. 20 and 60 LUTs are 1 and 4 of them, 36 are 2, 7 are none.
tap_is "bars in the text, to one scale" "$(sed -nE '/LUTs; # is/,$s/^ *[26] +(#.*)/\1/p' "$work/text" | head -n 2)" \
	"$(printf '%-28s%s\n' "#############" "#" "##########################" "####$(printf '%52s')##")"
tap_is "lines in the page: of all series, of those without the naive design, in bits and LUTs, and of branch rows" \
	"$(grep -o '<path ' "$work/html" | wc -l)" $((2 * (4 + 3) + 2))
tap_check "and in the page" grep -q 'What one more costs' "$work/html"
tap_is "storage at twelve points or more" \
	"$(perl -MJSON::PP -0777 -ne 'print @{ decode_json($_)->{variations}{storage} } >= 12 ? "yes" : "no"' "$work/json")" yes
# The cycles of figure 5 are those of `sweep`, and every claim is decided.
tap_is "two runs of a configuration differ by 0 cycles" "$(grep -c '"differ": 0' "$work/json")" 9
for name in heapsort seqsearch hanoi; do
	for policy in back live; do
		"$cyclestack" stat --config leon2 --set "l1d.write=$policy" -e 'l1d.write_backs*' -q --csv "$work/$policy.csv" "@$name:test" >/dev/null 2>&1
	done
	written=$(awk -F, '$1 == "l1d.write_backs" && $4 == "total" { print $6 }' "$work/live.csv")
	saved=$(awk -F, '$1 == "l1d.write_backs.saved" && $4 == "total" { print $6 }' "$work/live.csv")
	evicted=$(awk -F, '$1 == "l1d.write_backs" && $4 == "total" { print $6 }' "$work/back.csv")
	tap_is "$name: what is saved and what is written are the dirty lines that leave" "$((written + saved))" "$evicted"
	tap_is "$name writes what is not saved" \
		"$(grep -A 6 "\"name\": \"@$name:test\"" "$work/json" | grep -m 1 '"live"' | grep -o '[0-9]*')" "$written"
done
tap_is "every claim is decided" "$(grep -cE '^(HOLDS|DOES NOT HOLD):' "$work/text")" 4
base=$("$cyclestack" sweep --config leon2 --csv - @hanoi:test 2>/dev/null | sed -n '2s/^hanoi,test,leon2,,yes,[0-9]*,\([0-9]*\),.*/\1/p')
tap_is "the base is as sweep has it" "$(grep -m 1 '"hanoi": [0-9]*$' "$work/json" | grep -o '[0-9]*$')" "$base"
sed -i '4s/luts=[0-9]*/luts=many/' "$work/rows"
"$cyclestack" reproduce hough2006 --size test --synthesis "$work/rows" >"$work/text" 2>&1
tap_is "a line that is none is named" "$? $(grep -c 'rows: line 4: expected SERIES N' "$work/text")" "125 1"
grep -v naive "$work/rows" | sed '4d' >"$work/few"
"$cyclestack" reproduce hough2006 --size test --synthesis "$work/few" >"$work/text" 2>&1
tap_is "a series that is missing is named" "$? $(grep -c 'the series naive has 0 points' "$work/text")" "125 1"
"$cyclestack" reproduce eyerman2006 --synthesis "$work/rows" >"$work/text" 2>&1
tap_is "it is of one paper" "$? $(grep -c 'is of hough2006' "$work/text")" "2 1"
tap_done
