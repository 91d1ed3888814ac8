#!/bin/bash
# measure.sh SET SIZE SKIP LIMIT WORKLOAD...: run each workload on every machine of machines.txt.
#
# Prints one line per run: SET,workload,machine, then the values named in `columns`.  SKIP
# instructions are executed first and LIMIT simulated ("-": all).  The first run that fails ends it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${CYCLESTACK:?must name the program}"
columns="instructions cycles fetched.wrong_path branches.mispredicted loads.forwarded l1i.misses"
columns="$columns l1d.misses l1d.pending l2.instructions.misses l2.data.misses"
if [ "${1:-}" = --columns ]; then
	echo "set,workload,machine,${columns// /,}"
	exit 0
fi
set_name=$1 size=$2 skip=$3 limit=$4
shift 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for workload in "$@"; do
	while read -r machine settings; do
		case $machine in "#" | "" | chain) continue ;; esac
		options=(--config eyerman2006 --cold --skip "$skip" --json "$scratch/result.json")
		[ "$limit" = - ] || options+=(--max-insns "$limit")
		for setting in $settings; do
			options+=(--set "$setting")
		done
		status=0
		"$CYCLESTACK" run --counters none "${options[@]}" "@$workload:$size" >"$scratch/out" 2>&1 </dev/null || status=$?
		# 124 says that the limit was reached, which is what was asked for.
		if [ "$status" -ne 0 ] && { [ "$status" -ne 124 ] || [ "$limit" = - ]; }; then
			echo "$workload $size on $machine ends with status $status:" >&2
			tail -n 5 "$scratch/out" >&2
			exit 1
		fi
		awk -v columns="$columns" -v line="$set_name,$workload,$machine" '
			{ gsub(/[",:]/, " "); value[$1] = $2 }
			END {
				n = split(columns, name, " ")
				for (i = 1; i <= n; i++)
					line = line "," value[name[i]]
				print line
			}' "$scratch/result.json"
	done <"$here/machines.txt"
done
