#!/bin/bash
# long
# kill -9 at random moments. If the tool itself is killed, none of its processes is left two seconds later,
# and the result is the older one or complete; the most that can be beside it is the unfinished file that
# was to be renamed, since a killed process removes nothing. If only a worker is killed, `run` says one
# sentence, ends with 125 and leaves nothing; `judge` begins that simulation again and has its result. A
# `reproduce` whose workers are killed again and again ends as `run` does.
#
# CYCLESTACK      the tool                                                   (build/cyclestack)
# KILL_TRIALS     kills of the tool, and of a worker, for each command       (8)
# KILL_SECONDS    the span in which `reproduce` is killed                    (0.5)
# KILL_SEED       chooses the moments                                        (1)
. "$(dirname "$0")/../head.sh"
needs_workloads
mkdir "$work/results"
cd "$work/results" || exit 1

# The leak checker is a process that the tool starts when it ends, and waits for; it must not be killed.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
limit=120
trials=${KILL_TRIALS:-8}
declare -A commands=(
	[run]="run --counters exact --json r.json @heapsort:test"
	[judge]="judge --max-insns 20k --json r.json @chess:test"
	[reproduce]="reproduce eyerman2006 --size test --json r.json"
)

# attempt COMMAND [OPTION OF watch.pl...]: leaves $status, $left, $killed and $work/err.
attempt() {
	local -a words
	read -ra words <<<"${commands[$1]}"
	shift
	echo yesterday >r.json
	read -r status left killed < <(WATCH_ERR=$work/err perl "$root/tests/faults/watch.pl" "$@" "$limit" \
		"$cyclestack" "${words[@]}" </dev/null)
}

is_complete() {
	perl -MJSON::PP -e 'local $/; decode_json(<>)' r.json 2>/dev/null && [ "$(tail -c 2 r.json)" = "}" ]
}

# What is wrong after an attempt to kill $1; nothing if all is well.
fault() {
	local beside is_old=no
	[ "$(cat r.json)" = yesterday ] && is_old=yes
	[ $is_old = yes ] || is_complete || echo "the result is neither the older one nor complete"
	[ "$left" = 0 ] || echo "$left processes are left"
	beside=$(find . -mindepth 1 ! -name r.json)
	if [ "$1,$status" = leader,309 ] && [[ $beside =~ ^\./\.cyclestack-[0-9a-f]{32}$ ]]; then
		rm -f "$beside"
	elif [ -n "$beside" ]; then
		echo "left behind: $beside"
	fi
	case $1,$killed,$status in
	leader,[1-9]*,309 | worker,[1-9]*,125) ;;
	*,*,0) [ $is_old = yes ] && echo "status 0 without a result" ;;
	*) echo "status $status" ;;
	esac
	if [ "$status" = 125 ]; then
		[ $is_old = yes ] || echo "status 125 with a new result"
		[ "$(grep -c -v -e 'is from an earlier run' -e 'the same command goes on from there' "$work/err")" = 1 ] &&
			! grep -q -v '^cyclestack: ' "$work/err" || echo "not one sentence"
	fi
}

# moments SPAN WORD...: a line with the seconds for each trial, and for the most that may follow.
moments() {
	perl -e 'my ($span, $trials, $seed, @words) = @ARGV; srand($seed + unpack("%32C*", "@words"));
		printf "%.6f\n", rand $span for 1 .. $trials' "$1" $((6 * trials)) "${KILL_SEED:-1}" "${@:2}"
}

for command in run judge reproduce; do
	span=${KILL_SECONDS:-0.5}
	if [ $command != reproduce ]; then
		begun=$EPOCHREALTIME
		attempt $command
		span=$(perl -e 'printf "%.3f", $ARGV[1] - $ARGV[0]' "$begun" "$EPOCHREALTIME")
		tap_is "$command: undisturbed it succeeds" "$status $left $(is_complete && echo complete)" \
			"0 0 complete"
	fi
	for target in leader worker; do
		trouble=
		ended=0
		went_on=0
		tried=0
		# On a busy host every moment of the first trials may come before there is a worker, or too late.
		while read -r moment; do
			if [ $command,$target = judge,worker ]; then seen=$went_on; else seen=$ended; fi
			[ $tried -lt "$trials" ] || [ "$seen" -eq 0 ] || break
			tried=$((tried + 1))
			attempt $command --kill $target "$moment"
			case $status in 309 | 125) ended=$((ended + 1)) ;; esac
			[ "$status" = 0 ] && [ "$killed" -gt 0 ] && is_complete && went_on=$((went_on + 1))
			found=$(fault $target)
			[ -z "$found" ] || trouble="$trouble${trouble:+
}after $moment s: $found: $(head -c 300 "$work/err")"
		done < <(moments "$span" $command $target)
		tap_is "$command: kill -9 of the $target" "$trouble" ""
		if [ $command,$target = judge,worker ]; then
			tap_check "$command: a kill of the $target does not end it" [ $went_on -gt 0 ]
		else
			tap_check "$command: a kill of the $target does end it" [ $ended -gt 0 ]
		fi
	done
done
tap_done
