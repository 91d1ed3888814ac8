#!/bin/bash
# When a call of the C library or of the kernel fails, the tool says so in a sentence and ends with 125, or
# the failure did not matter and the output is that of an undisturbed run, byte by byte. It does not crash
# or hang, keeps an older result or writes a complete one, and leaves no file and no process.
#
# For every kind of call in fail_nth.c, every command below and every generation of processes, some of the
# calls fail, one in each run.
#
# CYCLESTACK    the tool                              (build/cyclestack)
# FAULTS_SAMPLE calls to fail of each combination, or "all"   (4)
# FAULTS_SEED   chooses them                          (1)
# FAULTS_COMMANDS, FAULTS_KINDS  which to try         (all)
. "$(dirname "$0")/../head.sh"
needs_workloads
nm "$cyclestack" | grep -q ' __asan_init' && tap_skip_all "the address sanitizer replaces malloc itself"
seconds=20

"${CC:-gcc}" -std=gnu11 -O1 -D_GNU_SOURCE= -Wall -Wextra -Werror -shared -fPIC -o "$work/fail_nth.so" \
	"$root/tests/faults/fail_nth.c" -ldl 2>"$work/log" || {
	tap_not_ok "the library builds" "$(cat "$work/log")"
	tap_done
}
mkdir "$work/results"
cd "$work/results" || exit 1

declare -A commands=(
	[run]="run --counters exact --json r.json @hanoi:test"
	[threads]="run --threads 2 --counters exact --json r.json @hanoi:test"
	[exec]="exec --json r.json @hanoi:test"
	[judge]="judge --max-insns 20000 --json r.json @hanoi:test"
	[diff]="diff $work/old.json $work/new.json"
)
process_names=("the process" "its child" "its child's child")

# attempt COMMAND KIND GENERATION NTH: leaves $status, $left, $work/out, $work/err and $work/counts.
attempt() {
	local -a words
	read -ra words <<<"${commands[$1]}"
	echo yesterday >r.json
	: >"$work/counts"
	truncate -s 24 "$work/counts"
	read -r status left _ < <(WATCH_OUT=$work/out WATCH_ERR=$work/err perl "$root/tests/faults/watch.pl" \
		"$seconds" env LD_PRELOAD="$work/fail_nth.so" FAIL_KIND="$2" FAIL_GENERATION="$3" FAIL_NTH="$4" \
		FAIL_COUNTS="$work/counts" "$cyclestack" "${words[@]}" </dev/null)
}

# What is wrong after an attempt; nothing if all is well.
fault() {
	local command=$1 is_old=no is_new=no
	[ "$(cat r.json)" = yesterday ] && is_old=yes
	cmp -s r.json "$work/$command.json" && is_new=yes
	case $status in
	0)
		cmp -s "$work/out" "$work/$command.out" || echo "status 0 with another output"
		[ $is_new = yes ] || echo "status 0 with another result"
		;;
	125)
		[ -s "$work/err" ] || echo "status 125 and no sentence"
		[ "$is_old$is_new" = nono ] && echo "the result is neither the older one nor complete"
		;;
	*) echo "status $status" ;;
	esac
	grep -a -v -q '^cyclestack: ' "$work/err" && echo "a line is not the tool's"
	grep -a -q -i -e 'internal error at' -e 'killed by signal' -e sanitizer -e 'runtime error' -e assert \
		"$work/err" && echo "trouble inside the tool"
	[ "$left" = 0 ] || echo "$left processes are left"
	[ "$(ls -A)" = r.json ] || echo "left behind: $(ls -A | tr '\n' ' ')"
}

# sample COUNT WORD...: the numbers of the calls that are to fail.
sample() {
	perl -e 'use List::Util "shuffle"; my ($count, $most, $seed, @words) = @ARGV;
		srand($seed + unpack("%32C*", "@words"));
		my @all = shuffle(1 .. $count);
		$most = @all if $most eq "all" || $most > @all;
		print "$_\n" for sort { $a <=> $b } @all[0 .. $most - 1]' "$1" "${FAULTS_SAMPLE:-4}" \
		"${FAULTS_SEED:-1}" "${@:2}"
}

for size in test small; do
	"$cyclestack" run --counters exact --max-insns 20000 --json "$work/$size.json" "@hanoi:$size" >/dev/null 2>&1
done
mv "$work/test.json" "$work/old.json"
mv "$work/small.json" "$work/new.json"

attempts=0
failing=0
for command in ${FAULTS_COMMANDS:-run threads exec judge diff}; do
	attempt $command fsync 0 0
	cp r.json "$work/$command.json"
	cp "$work/out" "$work/$command.out"
	tap_is "$command: undisturbed it succeeds" "$status $left $(cat "$work/err")" "0 0 "
	for kind in ${FAULTS_KINDS:-memory write fsync rename fork pipe open mmap link thread}; do
		# Otherwise it is as `run`.
		[ $command != threads ] || [ $kind = thread ] || continue
		attempt $command $kind 0 0
		read -ra counts < <(od -An -v -tu8 -w24 "$work/counts")
		tap_is "$command: counting calls of kind $kind changes nothing" "$(fault $command)" ""
		for generation in 0 1 2; do
			[ "${counts[generation]}" -gt 0 ] || continue
			trouble=
			while read -r nth; do
				attempt $command $kind $generation "$nth"
				attempts=$((attempts + 1))
				[ "$status" = 125 ] && failing=$((failing + 1))
				found=$(fault $command)
				[ -z "$found" ] || trouble="$trouble${trouble:+
}call $nth: $found: $(head -c 300 "$work/err")"
			done < <(sample "${counts[generation]}" $command $kind $generation)
			tap_is "$command: a call of kind $kind fails in ${process_names[generation]}" "$trouble" ""
		done
	done
done
# If every failure were without consequence, the calls would not have failed.
tap_check "of $attempts runs with a failing call, at least a third end with a sentence ($failing)" \
	[ $((failing * 3)) -ge "$attempts" ]
tap_done
