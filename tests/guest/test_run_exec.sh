#!/bin/bash
# Programs that wait, poll and are interrupted: `run` executes the instructions that `exec` executes, twice
# the same, and gives the same output, since virtual time passes by instructions and not by cycles. So do
# programs that rewrite their instructions, and those that a signal finds anywhere, on every kind of core.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"
instructions() { grep -o '"instructions": *[0-9]*' "$1" | head -n 1; }

# An item is a program, and the machines on which it runs besides the usual one.
declare -A machines=([sig_anywhere]="eyerman2006 leon2" [code_straddle]="leon2")
for name in code_straddle epoll eventfd futex_pi futex_wake_op memfd poll_mask poll_restart poll_threads sig_anywhere sig_never_restart \
	signalfd socket_names socket_pair splice timer_posix timerfd wait_again; do
	"$cross" -O1 -static -pthread -w -o "$work/$name" "$root/tests/guest/$name.c" || exit 1
	ways=("exec" "exec" "run")
	for machine in ${machines[$name]:-}; do
		ways+=("run --config $machine")
	done
	for way in "${ways[@]}"; do
		rm -rf "$work/data"
		mkdir "$work/data"
		# shellcheck disable=SC2086
		timeout 60 "$cyclestack" $way --json "$work/json" --mount "/data=$work/data" -- "$work/$name" /data \
			>"$work/out" 2>/dev/null </dev/null
		[ -e "$work/lines" ] || wc -l <"$work/out" >"$work/lines"
		echo "$way $? $(instructions "$work/json") $(head -n "$(cat "$work/lines")" "$work/out" | cksum)"
		rm -f "$work/json"
	done >"$work/results"
	rm -f "$work/lines"
	tap_is "$name: run does what exec does" "$(sed 's/^[a-z]* //; s/^--config [a-z0-9]* //' "$work/results" | sort -u | wc -l) $(grep -c 'instructions' "$work/results")" "1 ${#ways[@]}"
done
tap_done
