#!/bin/bash
# Programs that wait, poll and are interrupted: `run` executes the instructions that `exec` executes, twice
# the same, and gives the same output, since virtual time passes by instructions and not by cycles.
#
# CYCLESTACK  the tool  (build/cyclestack)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
: "${BUILD:=$root/build}"
cyclestack=${CYCLESTACK:-$BUILD/cyclestack}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
command -v "$cross" >/dev/null || tap_skip_all "there is no $cross"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
instructions() { grep -o '"instructions": *[0-9]*' "$1" | head -n 1; }

for name in epoll eventfd futex_pi memfd poll_mask poll_restart poll_threads sig_never_restart signalfd \
	socket_names socket_pair splice timer_posix timerfd; do
	"$cross" -O1 -static -pthread -w -o "$work/$name" "$root/tests/guest/$name.c" || exit 1
	for way in "exec" "exec" "run"; do
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
	tap_is "$name: run does what exec does" "$(sed 's/^[a-z]* //' "$work/results" | sort -u | wc -l) $(grep -c 'instructions' "$work/results")" "1 3"
done
tap_done
