#!/bin/bash
# long
# At equal storage TAGE mispredicts less than hybrid, hybrid less than gshare, gshare less than bimodal, on average
# over the workloads.
#
# CYCLESTACK  the tool  (build/cyclestack)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
export CYCLESTACK=${CYCLESTACK:-$root/build/cyclestack}
[ -x "$CYCLESTACK" ] || tap_skip_all "$CYCLESTACK has not been built"
"$CYCLESTACK" workloads --elf heapsort >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$root/tools/measure-predictors" test >"$scratch/rows" 2>"$scratch/err"
tap_is "measured" "$? $(cat "$scratch/err")" "0 "
sed 's/^/# /' "$scratch/rows"
tap_is "a row for every workload" "$(grep -c '^| [a-z0-9]* | [0-9]' "$scratch/rows")" \
	"$(($("$CYCLESTACK" workloads --names | grep -vc /) + 1))"
tap_is "the mean falls from each to the next" \
	"$(awk -F'|' '$2 == " mean " { print ($3 + 0 > $4 + 0), ($4 + 0 > $5 + 0), ($5 + 0 > $6 + 0), ($6 + 0 > 0) }' "$scratch/rows")" "1 1 1 1"
tap_is "each program on which it does not has its line below" "$(grep -c ' above ' "$scratch/rows")" \
	"$(grep -c '^- ' "$scratch/rows")"
tap_done
