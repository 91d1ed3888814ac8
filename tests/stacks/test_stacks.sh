#!/bin/bash
# Every program of tests/stacks/programs has, by every counter architecture, the CPI stack that its
# comments work out.
#
#   test_stacks.sh [NAME...]          all programs, or those named (without .s)
#   test_stacks.sh --show NAME...     also the cycles of every instruction and all stacks
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
. "$root/tests/litmus/programs.sh"
. tests/harness.sh
needs "$cross"

if ! { "${CC:-gcc}" "${harness_flags[@]}" -Itests/litmus -Dmain=litmus_main -c -o "$work/script.o" \
	tests/litmus/script.c &&
	build_harness "$work/stacks" -Itests/litmus -Wl,--wrap=litmus_run tests/stacks/stacks.c \
		tests/litmus/litmus.c "$work/script.o"; } 2>"$work/log"; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

run_programs tests/stacks/programs "$work/stacks" "$work" "stacks: " "$@"
tap_done
