#!/bin/bash
# Programs that make random system calls: `cyclestack exec` is not killed by a signal of the host, does
# not hang, and its worker does not crash. The program's own end is its own matter.
#
# CYCLESTACK   the tool                        (build/cyclestack)
# CALLS_SEEDS  how many seeds, from 1          (20)
# CALLS_SECONDS  instead: seeds from 1 for so many seconds
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"
"$cross" -std=gnu11 -O1 -g -static -Wall -Wextra -Werror -o "$work/guest_calls" \
	"$root/tests/faults/guest_calls.c" || exit 1

# attempt SEED FROM TO: false, with $status, if the tool does not survive the calls.
attempt() {
	rm -rf "$work/scratch"
	mkdir "$work/scratch"
	read -r status left _ < <(WATCH_OUT=$work/out WATCH_ERR=$work/err perl "$root/tests/faults/watch.pl" 30 \
		"$cyclestack" exec --max-insns 20M --timeout 10 --memory 64M --mount "/tmp=$work/scratch" -- \
		"$work/guest_calls" "$@" </dev/null)
	case $status in hangs | 3??) return 1 ;; esac
	[ "$left" = 0 ] && ! grep -a -q -e 'internal error' -e Sanitizer -e 'runtime error' \
		-e 'there is no result' "$work/err"
}

# smallest SEED TO: the shortest range before TO that still fails, by halving from both ends.
smallest() {
	local seed=$1 from=0 to=$2 good=0 middle
	while [ $((to - good)) -gt 1 ]; do
		middle=$(((good + to) / 2))
		if attempt "$seed" 0 $middle; then good=$middle; else to=$middle; fi
	done
	good=$to
	while [ $((good - from)) -gt 1 ]; do
		middle=$(((from + good) / 2))
		if attempt "$seed" $middle "$to"; then good=$middle; else from=$middle; fi
	done
	echo "guest_calls $seed $from $to"
}

whole=0
for ((seed = 1; ${CALLS_SECONDS:-0} ? SECONDS < ${CALLS_SECONDS:-0} : seed <= ${CALLS_SEEDS:-20}; seed++)); do
	if attempt $seed 0 2000; then
		tap_ok "random calls of seed $seed are survived"
		grep -a -q "^seed $seed, 2000 calls" "$work/out" && whole=$((whole + 1))
	else
		detail="status $status: $(tail -n 2 "$work/err")"
		tap_not_ok "random calls of seed $seed are survived" "$(smallest $seed 2000): $detail"
	fi
done
tap_check "some programs make all their calls ($whole)" [ "$whole" -gt 0 ]
tap_done
