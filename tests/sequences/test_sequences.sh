#!/bin/bash
# Random sequences of system calls, with state in between, answer step by step as the kernel of the host
# does to the same program compiled for the host; so do models within the programs.  tests/calls puts
# everything back before each call; here each step builds on those before.  `run` answers as `exec`.
#
#   test_sequences.sh [NAME...]   only these
#   test_sequences.sh --parts     lists them
#
#   SEQUENCES_SEEDS  seeds          (1 to 8; to 12 with CI set); each is a sequence of its own
#   SEQUENCES_STEPS  steps a seed   (1000; of memory, where no step waits for another thread, three times as many)
#
# For a long run: SEQUENCES_SEEDS="$(seq -s ' ' 1000 1500)" SEQUENCES_STEPS=2000
#
# parts
all=(futex pipe epoll signal memory file)
if [ "${1:-}" = --parts ]; then
	printf '%s\n' "${all[@]}"
	exit 0
fi
. "$(dirname "$0")/../head.sh"
here=$root/tests/sequences
tap_wants_all && : "${SEQUENCES_SEEDS:=$(seq -s ' ' 12)}"
: "${SEQUENCES_SEEDS:=$(seq -s ' ' 8)}" "${SEQUENCES_STEPS:=1000}"
needs "$cross"
[ -r /proc/self/task/$$/stat ] || tap_skip_all "no /proc to see what threads do"
programs=("$@")
[ $# -gt 0 ] || programs=("${all[@]}")

# Answers that differ on purpose: program, what we say, what the kernel says in its place, and why.
intended() {
	cat <<'END_OF_TABLE'
pipe	write=EINTR	write=EAGAIN	a write that waits on a descriptor that became non-blocking: the kernel asks for the flag before the signal
END_OF_TABLE
}

# answers FILE COMMAND...: in empty directories d (the host's) and g (the guest's)
answers() {
	local to=$1
	shift
	rm -rf d g
	mkdir d g
	timeout "${SEQUENCES_SECONDS:-120}" "$@" >"$to" 2>"$to.err" </dev/null
}

# difference PROGRAM OURS HOST: the first step that differs and is not intended, with both lines
difference() {
	intended >table
	awk -F '\t' -v program="$1" '
		FILENAME == "table" { if ($1 == program) { mine[++rows] = $2; its[rows] = $3 }; next }
		FILENAME == ARGV[2] { ours[++steps] = $0; next }
		{
			host++
			line = ours[host]
			for (i = 1; i <= rows && line != $0; i++)
				gsub(mine[i], its[i], line)
			if (line != $0) {
				print "step " host ": we say     " ours[host]
				print "step " host ": the kernel " $0
				found = 1
				exit
			}
		}
		END { if (host < steps && !found) print "step " host + 1 ": the kernel says nothing" }' \
		table "$2" "$3"
}

# steps_of PROGRAM: how many steps a seed has
steps_of() {
	case $1 in
	memory) echo $((3 * SEQUENCES_STEPS)) ;;
	*) echo "$SEQUENCES_STEPS" ;;
	esac
}

# same PROGRAM SEED: compares; the host is asked again where its own scheduling might show
same() {
	local program=$1 seed=$2 steps found status
	steps=$(steps_of "$program")
	answers ours "$CYCLESTACK" exec --mount "/g=$work/g" "./$program.riscv" "$seed" "$steps" /g
	status=$?
	[ $status -eq 0 ] || found="exec ended with status $status: $(tail -n 2 ours.err)"
	for _ in 1 2 3 4; do
		answers host "./$program.host" "$seed" "$steps" d || {
			found="the host's program ended with status $?"
			continue
		}
		[ $status -eq 0 ] || break
		found=$(difference "$program" ours host)
		[ -n "$found" ] || break
	done
	[ -n "$found" ] || found=$(grep -m 1 MODEL ours | sed 's/^/step /')
	[ -z "$found" ] || echo "seed $seed, $found"
}

for program in "${programs[@]}"; do
	source=$here/${program}_steps.c
	{ riscv64-linux-gnu-gcc -O1 -g -Wall -Wextra -Werror -static -pthread -o "$program.riscv" "$source" &&
		${CC:-gcc} -O1 -g -Wall -Wextra -Werror -pthread -o "$program.host" "$source"; } 2>log || {
		tap_not_ok "$program: the program builds" "$(cat log)"
		continue
	}
	lines=0
	others=
	for seed in $SEQUENCES_SEEDS; do
		others+=$(same "$program" "$seed")
		lines=$((lines + $(wc -l <ours)))
	done
	tap_is "$program: of $lines steps, each on those before, none is answered otherwise than by the kernel" "$others" ""
	tap_is "$program: no step is missing" "$lines" "$(($(wc -w <<<"$SEQUENCES_SEEDS") * $(steps_of "$program")))"
	few=${SEQUENCES_RUN_STEPS:-30}
	answers again "$CYCLESTACK" run --counters exact --config eyerman2006 --mount "/g=$work/g" \
		"./$program.riscv" "$seed" "$few" /g
	tap_is "$program: run answers as exec" "$(head -n "$few" again | sha256sum)" "$(head -n "$few" ours | sha256sum)"
	# The comparison finds a wrong answer, and only that.
	sed '7s/.*/7 something else/' ours >wrong
	tap_is "$program: a wrong answer is found" "$(difference "$program" wrong host | head -n 1)" \
		"step 7: we say     7 something else"
done
tap_done
