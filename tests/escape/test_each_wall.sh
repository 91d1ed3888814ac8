#!/bin/bash
# Every wall stands around every worker, of whatever command: as the kernel sees it from outside, while a program that
# never ends runs in it. One that is missing is named.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs "$cross"
[ -r "/proc/self/task/$$/children" ] || tap_skip_all "the kernel does not list children"
tool=
# shellcheck disable=SC2317
clean() {
	[ -z "$tool" ] || kill -9 "$tool" 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1
"$cross" -O1 -static -pthread -o endless "$root/tests/escape/endless.c" 2>log || {
	tap_not_ok "endless builds" "$(cat log)"
	tap_done
}
mkdir data more

# below PID: its children and theirs; a command with several workers starts each from a process of its own.
below() {
	local child children=()
	read -ra children <"/proc/$1/task/$1/children"
	for child in "${children[@]}"; do
		echo "$child"
		cat "/proc/$child/task/$child/children" 2>/dev/null
	done
}

# is_walled PID: the filter is in place, which comes last.
is_walled() {
	[ "$(sed -n 's/^Seccomp:\t//p' "/proc/$1/status" 2>/dev/null)" = 2 ]
}

# seen MOUNTS: what is missing around the workers of $tool, each wall by name.
seen() {
	local pid thread limit pipes
	for pid in "${workers[@]}"; do
		for thread in "/proc/$pid/task"/*; do
			grep -q '^Seccomp:	2$' "$thread/status" || echo "a thread without a filter"
			grep -q '^NoNewPrivs:	1$' "$thread/status" || echo "a thread that can gain privileges"
		done
		limit=$(sed -n 's/^Max core file size *//p' "/proc/$pid/limits")
		[[ $limit == "0  "* ]] || echo "core files: $limit"
		limit=$(sed -n 's/^Max address space *//p' "/proc/$pid/limits")
		[[ $limit == unlimited* ]] && echo "memory without a limit"
		pipes=$(find "/proc/$pid/fd" -lname 'pipe:*' -printf '%f %l\n' | awk '$1 > 2 { print $2 }')
		[ "$(wc -w <<<"$pipes")" = 1 ] || echo "pipes: $pipes"
		echo "$pipes" >>pipes
		[ "$(find "/proc/$pid/fd" -lname '/*' -printf '%f\n' | awk '$1 > 2' | wc -l)" = "$1" ] ||
			echo "files: $(find "/proc/$pid/fd" -lname '/*' -printf '%l ')"
		[ "$(find "/proc/$pid/fd" -printf '%f\n' | awk '$1 ~ /^[0-9]+$/ && $1 > 2' | wc -l)" = $(($1 + 1)) ] ||
			echo "descriptors: $(find "/proc/$pid/fd" -printf '%l ')"
	done
	sort pipes | uniq -d | sed 's/^/two workers share /'
}

# walls NAME WORKERS MOUNTS ARGUMENT...: starts the command and looks at its workers.
walls() {
	local name=$1 wanted=$2 mounts=$3 pid
	shift 3
	"$cyclestack" "$@" >/dev/null 2>err </dev/null &
	tool=$!
	for _ in $(seq 100); do
		workers=()
		for pid in $(below "$tool" 2>/dev/null); do
			is_walled "$pid" && workers+=("$pid")
		done
		[ ${#workers[@]} -ge "$wanted" ] && break
		sleep 0.05
	done
	# Descriptors are closed, and threads begun, after the filter stands.
	sleep 0.2
	: >pipes
	tap_is "$name: ${#workers[@]} workers with every wall" "${#workers[@]} $(seen "$mounts")" "$wanted "
	kill -9 "$tool" 2>/dev/null
	wait "$tool" 2>/dev/null
	tool=
	for pid in "${workers[@]}"; do
		for _ in $(seq 100); do
			[ -d "/proc/$pid" ] || break
			sleep 0.02
		done
		[ -d "/proc/$pid" ] && tap_not_ok "$name: its worker ends with it"
	done
}

walls "exec" 1 0 exec endless spin
walls "exec with mounts" 1 2 exec --mount "/a=$work/data:ro" --mount "/b=$work/more" endless spin
walls "run" 1 0 run --gain-budget none endless spin
walls "run with all views" 1 0 run --gain-budget none --counters all --json out.json --csv out.csv endless spin
walls "run with mounts" 1 2 run --gain-budget none --mount "/a=$work/data" --mount "/b=$work/more:ro" endless spin
walls "run that records cycles" 1 0 run --gain-budget none --record-cycles out.cycles endless spin
walls "stat" 1 0 stat -e cycles endless spin
walls "judge" 3 0 judge -j 3 "./endless spin"
walls "sweep" 3 0 sweep -j 3 --grid rob.size=16,32,64 "./endless spin"
walls "trace record" 1 0 trace --output out.trace record endless spin

# A worker of run copies itself now and then: each copy, and each copy of a copy, has the filter, and ends with the tool.
"$cyclestack" run --gain-budget all endless spin >/dev/null 2>err </dev/null &
tool=$!
copies=0 wrong=
for _ in $(seq 300); do
	for worker in $(cat "/proc/$tool/task/$tool/children"); do
		for pid in $(below "$worker" 2>/dev/null); do
			status=$(cat "/proc/$pid/status" 2>/dev/null)
			[ -n "$status" ] || continue
			copies=$((copies + 1)) last=$pid
			grep -q '^Seccomp:	2$' <<<"$status" && grep -q '^NoNewPrivs:	1$' <<<"$status" || wrong+="$pid "
		done
	done
	[ $copies -ge 20 ] && break
	sleep 0.02
done
tap_check "run: copies of the worker are seen ($copies)" test $copies -ge 20
tap_is "run: every copy has the filter" "$wrong" ""
kill -9 "$tool" 2>/dev/null
wait "$tool" 2>/dev/null
tool=
for _ in $(seq 100); do
	[ -d "/proc/$last" ] || break
	sleep 0.02
done
tap_check "run: a copy ends with the tool" test ! -d "/proc/$last"
tap_done
