#!/bin/bash
# The library keeps what cyclestack.h promises, and the examples build and run.  With CI set, more programs.
# time-limit: 1800
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1

library=$BUILD/libcyclestack.a
[ -f "$library" ] || tap_skip_all "no $library: build first"
read -ra libs <<<"$(make -s --no-print-directory --eval='print-libs: ; @echo $(LIBS)' print-libs)"
# A program that is linked with a sanitized library needs the sanitizer too.
sanitize=()
if nm "$library" 2>/dev/null | grep -q ' __asan_init'; then
	sanitize=("-fsanitize=address,undefined")
fi

# build OUTPUT SOURCE...: against the public header and the library only.
build() {
	local output=$1
	shift
	"${CC:-gcc}" -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -Werror -Iinclude -pthread -no-pie "${sanitize[@]}" -o "$output" "$@" "$library" "${libs[@]}"
}

command -v "${CXX:-g++}" >/dev/null || CXX=clang++
command -v "${CXX:-g++}" >/dev/null || tap_skip "the header is C++ as well" "no C++ compiler"
command -v "${CXX:-g++}" >/dev/null && tap_check "the header is C++ as well" eval 'echo "#include <cyclestack.h>" |
	"${CXX:-g++}" -fsyntax-only -Wall -Wextra -Werror -Iinclude -x c++ -'
for source in examples/*.c tests/library/*.c; do
	name=$(basename "$source" .c)
	tap_check "$source builds against the library" build "$work/$name" "$source"
	[ -x "$work/$name" ] || tap_done
done

# promises NAME TEST [ARGUMENT...]
promises() {
	local name=$1 test=$2 line status
	shift 2
	"$work/$test" "$@" 3>"$work/report" >"$work/guest.out" 2>"$work/guest.err"
	status=$?
	while read -r line; do
		case $line in
		"ok "*) tap_ok "$name: ${line#ok }" ;;
		"not ok "*) tap_not_ok "$name: ${line#not ok }" ;;
		*) echo "$line" ;;
		esac
	done <"$work/report"
	tap_is "$name: the test runs to its end" "$status" 0
	tap_is "$name: the library writes nothing to standard error" \
		"$(grep -v '^guest: ' "$work/guest.err")" ""
}

# timing NAME PROGRAM [ARGUMENT...]: simulated in the tool and in the library. A program of many system calls has many
# windows, and copies of a sanitized process take some tenths of a second each.
timing() {
	local name=$1 results=$work/results skipped=1000 limit=2000
	shift
	if [ ${#sanitize[@]} -gt 0 ]; then
		tap_skip "$name, simulated" "half an hour with the sanitizers"
		return
	fi
	mkdir -p "$results"
	"$CYCLESTACK" run --counters all --json "$results/whole.json" "$@" >/dev/null 2>&1
	"$CYCLESTACK" run --counters all --cold --skip $skipped --json "$results/skip.json" "$@" >/dev/null 2>&1
	"$CYCLESTACK" run --counters all --max-insns $limit --json "$results/limit.json" "$@" >/dev/null 2>&1
	"$CYCLESTACK" run --counters all --config bigcore --set rob.size=96 --json "$results/other.json" "$@" >/dev/null 2>&1
	promises "$name, simulated" timing "$results" configs $skipped $limit "$@"
	rm -r "$results"
}

# of_result FILE EXPRESSION: evaluated by perl on the result $r.
of_result() {
	perl -MJSON::PP -MList::Util=sum0 -e 'local $/; open F, "<", $ARGV[0]; my $r = decode_json(<F>); '"$2" "$1"
}

workload=$BUILD/workloads/heapsort
if [ -x "$workload" ]; then
	if tap_wants_all; then
		promises heapsort machines "$workload" test
		timing heapsort "$workload" test
	fi
	# One after the other, stepped and at full speed, in the tool and in the library.
	"$CYCLESTACK" exec --json "$work/exec.json" "$workload" test >"$work/exec.out"
	wanted=$(sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' "$work/exec.json" | head -n 1)
	"$work/count_calls" "$workload" test >"$work/example.out" 2>"$work/example.err"
	tap_is "count_calls ends with the program's status" "$?" 0
	tap_is "count_calls counts what exec counts" "$(sed -n '1s/ instructions.*//p' "$work/example.err")" "$wanted"
	tap_check "count_calls leaves the program's output alone" cmp "$work/exec.out" "$work/example.out"
	tap_check "count_calls names functions" grep -Eq '^ *[0-9]+  0x[0-9a-f]+ in [A-Za-z_]' "$work/example.err"
	tap_check "count_calls shows instructions" grep -Eq '^ *[0-9]+  [a-z.]+ .* 0x[0-9a-f]+ in ' "$work/example.err"

	"$CYCLESTACK" run --json "$work/run.json" "$workload" test >"$work/run.out"
	"$work/print_stack" "$workload" test >"$work/example.out" 2>"$work/example.err"
	tap_is "print_stack ends with the program's status" "$?" 0
	tap_is "print_stack prints the cycles and instructions of run" \
		"$(sed -n '1s/, CPI.*//p' "$work/example.err")" \
		"$(of_result "$work/run.json" 'print "$r->{values}{cycles} cycles, $r->{values}{instructions} instructions"')"
	tap_is "print_stack prints the stack of run" \
		"$(sed -n '3,/^$/p' "$work/example.err" | awk 'NF { print $1, $2 }' | sort)" \
		"$(of_result "$work/run.json" 'my $c = $r->{stacks}{exact}{components}; print map "$_ $c->{$_}\n", sort keys %$c')"
	tap_is "print_stack prints the three hottest functions of run" \
		"$(sed '1,/function/d; s/,.*//' "$work/example.err" | awk '{ print $1, $2, $3 }')" \
		"$(of_result "$work/run.json" 'for my $f (@{$r->{exact}{functions}}[0 .. 2]) {
			printf "%.0f %d %s\n", sum0(values %{$f->{slots}}) / $r->{exact}{slots_per_cycle}, $f->{executed}, $f->{name} }')"
	tap_check "print_stack leaves the program's output alone" cmp "$work/exec.out" "$work/example.out"
	"$work/print_stack" -m configs/bigcore.cfg -s rob.size=96 "$workload" test >/dev/null 2>"$work/example.err"
	"$CYCLESTACK" run --config bigcore --set rob.size=96 --counters none --json "$work/other.json" "$workload" test >/dev/null
	tap_is "print_stack simulates the machine it is told" "$(sed -n '1s/ cycles.*//p' "$work/example.err")" \
		"$(of_result "$work/other.json" 'print $r->{values}{cycles}')"

	for signal in l1d.misses cycles branches.mispredicted; do
		"$work/plot_signal" "$signal" 10000 "$workload" test >"$work/example.out" 2>"$work/example.err"
		tap_is "plot_signal $signal ends with the program's status" "$?" 0
		wanted=$(of_result "$work/run.json" "print \$r->{values}{'$signal'}")
		tap_is "plot_signal $signal: the sum is that of run" "$(awk '$1 == "all" { print $2 }' "$work/example.err")" "$wanted"
		tap_is "plot_signal $signal: the lines add up" \
			"$(awk 'NR > 1 && $1 != "all" { sum += $2 } END { print sum }' "$work/example.err")" "$wanted"
		tap_is "plot_signal $signal: a line for every 10,000 cycles" \
			"$(grep -c '^ *[0-9]' "$work/example.err")" \
			"$(of_result "$work/run.json" 'print int(($r->{values}{cycles} + 9999) / 10000)')"
	done
	tap_is "plot_signal lists the signals of the tool" \
		"$("$work/plot_signal" '' | awk '{ print $1 }')" "$("$CYCLESTACK" signals --csv - | sed '1d; s/,.*//')"
	"$work/plot_signal" rob.usd 10000 "$workload" test 2>"$work/example.err"
	tap_is "plot_signal fails with a sentence: status" "$?" 1
	tap_is "plot_signal fails with a sentence" "$(cat "$work/example.err")" 'plot_signal: there is no signal "rob.usd"'
else
	tap_skip "heapsort: promises and example" "no workloads in $BUILD"
fi

cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
if command -v "$cross" >/dev/null; then
	programs="sig_restart sig_segv"
	tap_wants_all && programs="thread_queue thread_locks sig_restart sig_segv timers"
	for name in $programs; do
		if "$cross" -O2 -static -pthread -o "$work/$name" "tests/guest/$name.c" -lm 2>"$work/log"; then
			promises "$name" machines "$work/$name"
			case $name in
			thread_locks | sig_*) timing "$name" "$work/$name" ;;
			esac
		else
			tap_not_ok "$name builds" "$(cat "$work/log")"
		fi
	done
else
	tap_skip "programs with threads and signals" "no $cross"
fi

"$work/count_calls" /nowhere/at/all 2>"$work/example.err"
tap_is "count_calls fails with a sentence: status" "$?" 1
tap_is "count_calls fails with a sentence" "$(cat "$work/example.err")" \
	"count_calls: cannot open /nowhere/at/all: No such file or directory"
tap_done
