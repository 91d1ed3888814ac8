#!/bin/bash
# long
# At equal storage TAGE mispredicts less than hybrid, hybrid less than gshare, gshare less than bimodal, on average
# over the workloads.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs_workloads

"$root/tools/measure-predictors" test >"$work/rows" 2>"$work/err"
tap_is "measured" "$? $(cat "$work/err")" "0 "
sed 's/^/# /' "$work/rows"
tap_is "a row for every workload" "$(grep -c '^| [a-z0-9]* | [0-9]' "$work/rows")" \
	"$(($("$CYCLESTACK" workloads --names | grep -vc /) + 1))"
tap_is "the mean falls from each to the next" \
	"$(awk -F'|' '$2 == " mean " { print ($3 + 0 > $4 + 0), ($4 + 0 > $5 + 0), ($5 + 0 > $6 + 0), ($6 + 0 > 0) }' "$work/rows")" "1 1 1 1"
tap_is "each program on which it does not has its line below" "$(grep -c ' above ' "$work/rows")" \
	"$(grep -c '^- ' "$work/rows")"
tap_done
