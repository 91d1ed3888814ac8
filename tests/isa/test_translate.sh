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
# The mappings of the jailed worker of an exec that begins with these options.
maps() {
	local pid worker
	"$cyclestack" exec "$@" @chess:ref >"$work/chess" 2>&1 &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		worker=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
		grep -q '^Seccomp:[[:space:]]*2' "/proc/${worker// /}/status" 2>/dev/null && break
		sleep 0.01
	done
	cat "/proc/${worker// /}/maps"
	kill "$pid"
	wait "$pid" 2>/dev/null
}

if [ -r "/proc/$$/task/$$/children" ]; then
	maps --no-translate >interpreted
	tap_is "--no-translate has no memory for code" "$(grep -c 'cyclestack code' interpreted)" 0
	maps >translated
	if grep -q 'cyclestack code' translated; then
		tap_is "the memory for code is writable at one place and executable at another" \
			"$(awk '/cyclestack code/ { print $2 }' translated | sort | xargs)" "r-xs rw-s"
	else
		tap_skip "the memory for code" "this host cannot translate"
	fi
	tap_is "no memory is writable and executable" "$(awk '$2 ~ /w.?x/' translated interpreted)" ""
	(ulimit -f 1024 && maps) >limited
	tap_is "a host that refuses it" "$(grep -c 'cyclestack code' limited)" 0
fi
(ulimit -f 1024 && runs translated @chess:test)
runs interpreted --no-translate @chess:test
tap_check "has the same result" cmp translated interpreted
tap_done
