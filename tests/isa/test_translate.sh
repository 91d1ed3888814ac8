#!/bin/bash
# time-limit: 600
# exec translates programs to the host's code, which shows in nothing but time: whole workloads, and parts of them that
# end anywhere, have the same output, status and result as where they are interpreted.
. "$(dirname "$0")/../head.sh"
needs_workloads

# runs FILE OPTION...: a result with its output and status, one after the other.
runs() {
	local to=$1
	shift
	"$cyclestack" exec --json "$to.json" --stdout "$to.out" --stderr "$to.err" "$@" 2>"$to.said"
	echo "status $?" | cat - "$to.out" "$to.err" "$to.said" "$to.json" >"$to"
}

for source in "$root"/workloads/*.c; do
	name=$(basename "$source" .c)
	runs translated "@$name:test"
	runs interpreted --no-translate "@$name:test"
	tap_check "$name has the same result" cmp translated interpreted
	tap_check "$name comes to its end" grep -q '"partial": false' translated.json
done

for name in chess fft; do
	different=
	for ((limit = 1; limit < 200000; limit = limit * 17 / 10 + 1)); do
		runs translated --max-insns $limit "@$name:test"
		runs interpreted --max-insns $limit --no-translate "@$name:test"
		grep -q "\"instructions\": $limit," translated.json && cmp -s translated interpreted ||
			different="$different $limit"
	done
	tap_is "$name ends exactly at any limit" "$different" ""
done
tap_done
