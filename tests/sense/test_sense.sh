#!/bin/bash
# A better machine does not make a program slower: each perfect switch by itself, larger caches, more
# MSHRs, wider, deeper.  What is committed is the same on all of them, and no machine is faster than
# its width.  `tools/evaluate sense` does the same for all workloads and longer.
#
# A real machine has anomalies, so up to 0.2 % is nothing, and up to 1 % is allowed where
# anomalies.txt lists the pair and says why.  Of the workloads left out, lattice has one beyond that.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
workloads="chess compiler netflow objdb router fft heapsort sparsemv"
here=tests/sense

judge() {
	awk -v threshold=0.2 -f "$here/judge.awk" "$here/machines.txt" "$here/anomalies.txt" "$1"
}

# judge.awk must find every kind of fault: a made-up measurement has one of each.
machines=$(awk '!/^#/ && NF && $1 != "chain" { print $1 }' "$here/machines.txt")
for machine in $machines; do
	case $machine in
	ideal.l1d) echo "made,up,$machine,1000,1003" ;;
	ideal.l2d) echo "made,up,$machine,1000,1001" ;;
	ideal.units) echo "made,up,$machine,1001,1000" ;;
	ideal.all) echo "made,up,$machine,1000,249" ;;
	rob.32) ;;
	*) echo "made,up,$machine,1000,1000" ;;
	esac
done >"$work/made"
tap_is "the judge finds a slower, a different, a too fast and a missing run" \
	"$(judge "$work/made" | grep -v '^step' | sort | tr '\t' ' ')" \
	"below made up 0.249
differ made up ideal.units 1000 1001
missing made up rob.32
slower made up base ideal.l1d 1000 1003 0.30 -"

check() { # SET SKIP LIMIT WORKLOAD
	local workload=$4
	if [ ! -x "$BUILD/workloads/$workload" ]; then
		tap_skip "$workload: a better machine is no slower" "the workload is not built"
		return 1
	fi
	if ! bash "$here/measure.sh" "$1" test "$2" "$3" "$workload" >"$work/measured" 2>"$work/err"; then
		tap_not_ok "$workload runs on every machine" "$(cat "$work/err")"
		return 1
	fi
	judge "$work/measured" >"$work/verdict"
	tap_is "$workload commits the same on all $(wc -l <"$work/measured") machines, and none is left out" \
		"$(grep -E '^(differ|missing)' "$work/verdict")" ""
	tap_is "$workload is not faster than the width allows, even with everything ideal" \
		"$(grep '^below' "$work/verdict")" ""
	tap_is "$workload: a better machine is no slower" \
		"$(awk -F '\t' '$1 == "slower" && ($9 == "-" || $8 > 1)' "$work/verdict")" ""
	awk -F '\t' '
		$1 == "slower" { printf "# %s: %s is slower than %s by %s %%: %s\n", $3, $5, $4, $8, $9 }
		$1 == "unseen" { printf "# %s: %s is listed to be slower than %s, and is not\n", $3, $5, $4 }
	' "$work/verdict"
}

for workload in $workloads; do
	check short 200000 300000 "$workload"
done
# A limit makes counts equal by itself; so one program runs to its end, beside plain execution.
if check test 0 - chess; then
	"$CYCLESTACK" exec --json "$work/exec.json" @chess:test >/dev/null 2>&1
	tap_is "chess, whole, commits what plain execution does" \
		"$(awk -F, '$3 == "base" { print $4 }' "$work/measured")" \
		"$(sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' "$work/exec.json" | head -n 1)"
fi
tap_done
