#!/bin/bash
# Every program of tests/litmus/programs takes the cycles that its comments work out.
#
#   test_litmus.sh [NAME...]          all programs, or those named (without .s)
#   test_litmus.sh --show NAME...     also the cycles of every instruction
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
. "$root/tests/litmus/programs.sh"
. tests/harness.sh
needs "$cross"

if ! build_harness "$work/litmus" -Itests/litmus tests/litmus/{litmus,script}.c 2>"$work/log"; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

run_programs tests/litmus/programs "$work/litmus" "$work" "" "$@"
tap_done
