#!/bin/bash
# measure.sh SIZE SKIP LIMIT WORKLOAD...: run each workload on every machine of runs.txt.
#
# One line per run: size,workload,machine, then the values named in `columns`.  SKIP instructions are
# executed first, LIMIT are simulated ("-": to the end).  A run that fails ends everything.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${CYCLESTACK:?names the program}"
columns="instructions cycles fetched.wrong_path branches.mispredicted l1i.misses l1d.misses"
columns="$columns l2.instructions.misses l2.data.misses dtlb.misses"
size=$1 skip=$2 limit=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "size,workload,machine,${columns// /,}"
for workload in "$@"; do
	while read -r machine settings; do
		case $machine in "#" | "") continue ;; esac
		options=(--skip "$skip" --json "$scratch/result.json")
		[ "$limit" = - ] || options+=(--max-insns "$limit")
		for setting in $settings; do
			options+=(--set "$setting")
		done
		status=0
		"$CYCLESTACK" run "${options[@]}" "@$workload:$size" >"$scratch/out" 2>&1 </dev/null || status=$?
		# 124 says that the limit was reached, which is what was asked for.
		if [ "$status" -ne 0 ] && { [ "$status" -ne 124 ] || [ "$limit" = - ]; }; then
			echo "$workload $size on $machine ends with status $status:" >&2
			tail -n 5 "$scratch/out" >&2
			exit 1
		fi
		awk -v columns="$columns" -v line="$size,$workload,$machine" '
			{ gsub(/[",:]/, " "); value[$1] = $2 }
			END {
				n = split(columns, name, " ")
				for (i = 1; i <= n; i++)
					line = line "," value[name[i]]
				print line
			}' "$scratch/result.json"
	done <"$here/runs.txt"
done
