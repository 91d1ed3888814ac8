#!/bin/bash
# Four writers put results into one store and are killed at random moments, STORE_KILLS times (40): the store opens, is
# whole, and has every result whose writer said that it was stored.
. "$(dirname "$0")/../head.sh"
needs sqlite3
unset CYCLESTACK_STORE
kills=${STORE_KILLS:-40}
RANDOM=${STORE_SEED:-1}

# What exec writes, with a number of its own and enough beside it to take several pages.
sample() {
	printf '{"schema": "cyclestack-exec-1", "program": {"name": "p%d", "arguments": ["%d"], "sha256": "00"}, ' "$1" "$2"
	printf '"instructions": %d, "partial": false, "status": 0, "memory_bytes": 0, "unknown_syscalls": 0, "syscalls": {' "$2"
	for ((i = 0; i < 60; i++)); do printf '"call_%d_%d": %d, ' "$i" "$((RANDOM % 7))" "$RANDOM"; done
	printf '"read": 1}, "live_thread_instructions": []}\n'
}
# A writer's numbers go on where the last of its name stopped; what is logged is stored.
write_results() {
	local number
	number=$(($(wc -l <"tried.$1") + 1))
	while :; do
		echo >>"tried.$1"
		sample "$1" "$((1000000 * $1 + number))" >"sample.$1"
		"$cyclestack" results add --store r.db "sample.$1" >"id.$1" 2>"err.$1" && echo "$((1000000 * $1 + number))" >>"done.$1"
		number=$((number + 1))
	done
}
start() {
	set -m
	write_results "$1" &
	writers[$1]=$!
	set +m
}
writers=()
trap 'for pid in "${writers[@]}"; do kill -KILL -- "-$pid" 2>/dev/null; done; rm -rf "$work"' EXIT
for w in 1 2 3 4; do
	: >"tried.$w" && : >"done.$w"
	start "$w"
done
opened=0
for ((kill = 0; kill < kills; kill++)); do
	sleep "0.$(printf '%03d' $((RANDOM % 300)))"
	w=$((1 + RANDOM % 4))
	kill -KILL -- "-${writers[w]}"
	wait "${writers[w]}" 2>/dev/null
	[ -s r.db ] && [ "$(sqlite3 -readonly r.db 'PRAGMA quick_check' 2>/dev/null)" = ok ] && opened=$((opened + 1))
	start "$w"
done 2>/dev/null
for pid in "${writers[@]}"; do kill -KILL -- "-$pid" 2>/dev/null; done
wait 2>/dev/null
writers=()
cat done.* | sort >done
tap_check "after $kills kills the store opens" "$cyclestack" results list --store r.db --report /dev/null
tap_is "and is whole" "$(sqlite3 r.db 'PRAGMA integrity_check')" ok
tap_is "no result that was stored is lost" \
	"$("$cyclestack" results query --store r.db --csv - "SELECT CAST(value AS INTEGER) FROM measured WHERE name = 'instructions'" | tail -n +2 | sort | comm -23 done - | wc -l)" 0
tap_is "each that is there is whole" "$("$cyclestack" results export --store r.db all 2>/dev/null; find all -name '*.json' | wc -l)" \
	"$("$cyclestack" results query --store r.db --csv - 'SELECT count(*) FROM results r JOIN contents c ON c.result = r.id JOIN subjects s ON s.result = r.id' | tail -n 1)"
tap_is "with all its rows" "$("$cyclestack" results query --store r.db --csv - 'SELECT count(*) FROM (SELECT result, count(*) AS rows FROM amounts GROUP BY result) WHERE rows < 60' | tail -n 1)" 0
tap_check "the writers wrote ($(wc -l <done) results, and the store was looked at $opened times)" test "$(wc -l <done)" -ge "$kills"
tap_done
