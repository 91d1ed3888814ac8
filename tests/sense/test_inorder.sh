#!/bin/bash
# In-order cores with ideal parts: none of them is slower than the real one, the part's component is gone, and what
# the part gains is what `exact` charged to it, within the part of the cycles given below.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads

# Misses behind each other, or behind a long operation, cost less than each alone; and the slots behind a branch that
# ends a pair are the branch's, but not all filled without it. Written through, stores wait for the next level
# whether they hit or miss, and no miss is charged; so the data caches of leon2 are not compared.
most=3
for machine in leon2 littlecore u74; do
	parts=(branch l1i itlb l1d dtlb units)
	[ $machine = leon2 ] || parts+=(l2i l2d)
	options=()
	for part in "${parts[@]}"; do
		options+=(--vary "ideal.$part=true")
	done
	"$cyclestack" sweep --config $machine "${options[@]}" --csv out.csv @hanoi:test @interp:test @netflow:test @fft:test \
		>/dev/null 2>err || tap_not_ok "$machine can be swept" "$(cat err)"
	awk -F, -v most=$most -v machine=$machine '
		FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$1 != program { program = $1; real = $column["cycles"]; for (name in column) charged[name] = $column[name]; next }
		{
			part = $column["changes"]; gsub(/ideal\.|=true/, "", part)
			gain = 100 * (real - $column["cycles"]) / real
			print "slower", program, part, (gain >= 0 ? "ok" : "not ok"), gain
			if (part == "units") next
			if (part in column) print "left", program, part, ($column[part] == 0 || part ~ /^l2/ ? "ok" : "not ok"), $column[part]
			cost = charged[part]
			if (part ~ /^l1/) { level = part; sub(/l1/, "l2", level); cost += charged[level] }
			difference = gain - 100 * cost / real
			if (machine != "leon2" || part != "l1d")
				print "gain", program, part, (difference < most && difference > -most ? "ok" : "not ok"), gain "% for " 100 * cost / real "%"
		}' out.csv >verdicts
	while read -r kind program part verdict rest; do
		[ "$verdict" = not ] && verdict="not ok" rest=${rest#ok}
		case $kind in
		slower) name="$machine, $program: ideal.$part is not slower" ;;
		left) name="$machine, $program: with ideal.$part nothing is charged to it" ;;
		*) name="$machine, $program: ideal.$part gains what was charged to it" ;;
		esac
		if [ "$verdict" = ok ]; then tap_ok "$name"; else tap_not_ok "$name" "$rest"; fi
	done <verdicts
done
tap_done
