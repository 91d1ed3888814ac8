#!/bin/bash
# A program that waits for what can never come ends with the word deadlock and status 125, at once; timers
# that wake nobody do not hide it.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"
"$cross" -std=gnu11 -O1 -static -pthread -Wall -Wno-unused-result -o "$work/deadlocks" \
	"$root/tests/faults/deadlocks.c" || exit 1
for case in "timers that nobody watches" "a timer in an event poll that nobody waits for" \
	"blocked signals" "ignored signals" "processor time that does not pass" "two threads" "a socket" \
	"an event"; do
	timeout 20 "$cyclestack" exec --max-insns 20M -- "$work/deadlocks" "$case" >"$work/out" 2>"$work/err" </dev/null
	tap_is "deadlock: $case" "$? $(grep -c '^cyclestack: deadlock: every thread waits' "$work/err")" "125 1"
done
tap_done
