#!/bin/bash
# Signals that ask to stop, sent to the whole process group as a terminal, a supervisor or a closed session sends
# them: each command ends as it does when only its first process is asked, with what it has, and leaves no process.
. "$(dirname "$0")/../head.sh"
needs_workloads
needs "$cross"
export XDG_CACHE_HOME=$work/cache

# used_in SESSION: hundredths of a second of processor time, of processes that are there and that were waited for.
used_in() {
	local pid
	for pid in $(ps -o pid= --sid "$1"); do
		cat "/proc/$pid/stat" 2>/dev/null
	done | awk '{ sub(/.*\) /, ""); used += $12 + $13 + $14 + $15 } END { print used + 0 }'
}

# stop COMMAND SIGNAL...: starts it, waits until it works, sends the signals to its group; leaves $status and $left.
stop() {
	local -a words
	local pid tries=0 signal
	read -ra words <<<"$1"
	shift
	rm -rf r.json t.trace cache
	setsid "$cyclestack" "${words[@]}" >out 2>err </dev/null &
	pid=$!
	# Processes that do something: until they have used some processor time, however busy the host is.
	while [ "$(used_in "$pid")" -lt "$(awk -v delay="${delay:-0.7}" 'BEGIN { print int(50 * delay) }')" ] &&
		[ $((tries += 1)) -lt 1000 ]; do
		sleep 0.02
	done
	for signal; do
		kill -s "$signal" -- "-$pid"
	done
	wait "$pid"
	status=$?
	left=$(ps -o pid= --sid "$pid" | wc -l)
}

# However fast the host is, it does not end by itself.
echo 'int main(void) { for (volatile long i = 0;; i++); }' >endless.c
"$cross" -O1 -static -o endless endless.c || exit 1

is_partial() { grep -q '"partial": true' r.json 2>/dev/null && echo partial || echo none; }

for signals in TERM HUP "TERM HUP INT"; do
	read -ra each <<<"$signals"
	for command in exec run "stat -e cycles"; do
		stop "$command --json r.json ./endless" "${each[@]}"
		tap_is "$command: SIG$signals to the group leaves a partial result" "$status $left $(is_partial)" \
			"130 0 partial"
	done
	stop "trace record --output t.trace @netflow:ref" "${each[@]}"
	"$cyclestack" trace verify t.trace >verified 2>&1
	tap_is "trace: SIG$signals to the group leaves a trace that is whole as far as it goes" "$status $left $?" "130 0 0"
	stop "sweep --jobs 2 --vary rob.size=32 --vary rob.size=64 --json r.json @netflow:ref" "${each[@]}"
	tap_is "sweep: SIG$signals to the group leaves the runs that were finished" \
		"$status $left $(grep -c 'interrupted: runs that were not finished are left out' err)" "130 0 1"
	stop "inspect --json r.json" "${each[@]}"
	tap_is "inspect: SIG$signals to the group ends it with a sentence" \
		"$status $left $(grep -c '^cyclestack: interrupted' err)" "130 0 1"
	# Later and later, until something was finished.
	for delay in 0.7 2 5 15; do
		stop "judge --jobs 2 --max-insns 300k --json r.json @parser:test @hanoi:test" "${each[@]}"
		grep -q 'kept: the same command' err && break
	done
	delay=
	tap_is "judge: SIG$signals to the group keeps what was simulated" \
		"$status $left $(grep -c 'kept: the same command goes on from there' err)" "130 0 1"
done

nohup "$cyclestack" run --timeout 3 --json r.json @netflow:ref >out 2>err </dev/null &
pid=$!
sleep 1
kill -HUP "$pid"
wait "$pid"
tap_is "a SIGHUP that nohup ignores ends nothing" "$?" 124
tap_done
