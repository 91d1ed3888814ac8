#!/bin/bash
# The library keeps what cyclestack.h promises, and the examples build and run.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cd "$root" || exit 1
: "${BUILD:=$root/build}" "${CYCLESTACK:=$BUILD/cyclestack}"

library=$BUILD/libcyclestack.a
[ -f "$library" ] || tap_skip_all "no $library: build first"
read -ra libs <<<"$(make -s --no-print-directory --eval='print-libs: ; @echo $(LIBS)' print-libs)"
# A program that is linked with a sanitized library needs the sanitizer too.
sanitize=()
if nm "$library" 2>/dev/null | grep -q ' __asan_init'; then
	sanitize=("-fsanitize=address,undefined")
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build OUTPUT SOURCE...: against the public header and the library only.
build() {
	local output=$1
	shift
	"${CC:-gcc}" -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -Werror -Iinclude -no-pie "${sanitize[@]}" -o "$output" "$@" "$library" "${libs[@]}"
}

command -v "${CXX:-g++}" >/dev/null || CXX=clang++
command -v "${CXX:-g++}" >/dev/null || tap_skip "the header is C++ as well" "no C++ compiler"
command -v "${CXX:-g++}" >/dev/null && tap_check "the header is C++ as well" eval 'echo "#include <cyclestack.h>" |
	"${CXX:-g++}" -fsyntax-only -Wall -Wextra -Werror -Iinclude -x c++ -'
tap_check "examples/count_calls.c builds against the library" build "$work/count_calls" examples/count_calls.c
tap_check "the test of the promises builds" build "$work/machines" tests/library/machines.c
if [ ! -x "$work/machines" ] || [ ! -x "$work/count_calls" ]; then
	tap_done
fi

# promises NAME PROGRAM [ARGUMENT...]
promises() {
	local name=$1 line status
	shift
	"$work/machines" "$@" 3>"$work/report" >"$work/guest.out" 2>"$work/guest.err"
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

workload=$BUILD/workloads/heapsort
if [ -x "$workload" ]; then
	promises heapsort "$workload" test
	# One after the other, stepped and at full speed, in the tool and in the library.
	"$CYCLESTACK" exec --json "$work/exec.json" "$workload" test >"$work/exec.out"
	wanted=$(sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' "$work/exec.json" | head -n 1)
	"$work/count_calls" "$workload" test >"$work/example.out" 2>"$work/example.err"
	tap_is "count_calls ends with the program's status" "$?" 0
	tap_is "count_calls counts what exec counts" "$(sed -n '1s/ instructions.*//p' "$work/example.err")" "$wanted"
	tap_check "count_calls leaves the program's output alone" cmp "$work/exec.out" "$work/example.out"
	tap_check "count_calls names functions" grep -Eq '^ *[0-9]+  0x[0-9a-f]+ in [A-Za-z_]' "$work/example.err"
	tap_check "count_calls shows instructions" grep -Eq '^ *[0-9]+  [a-z.]+ .* 0x[0-9a-f]+ in ' "$work/example.err"
else
	tap_skip "heapsort: promises and example" "no workloads in $BUILD"
fi

cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
if command -v "$cross" >/dev/null; then
	for name in thread_queue sig_restart sig_segv timers; do
		if "$cross" -O2 -static -pthread -o "$work/$name" "tests/guest/$name.c" -lm 2>"$work/log"; then
			promises "$name" "$work/$name"
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
