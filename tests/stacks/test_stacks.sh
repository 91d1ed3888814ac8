#!/bin/bash
# Every program of tests/stacks/programs has, by every counter architecture, the CPI stack that its
# comments work out.
#
#   test_stacks.sh [NAME...]          all programs, or those named (without .s)
#   test_stacks.sh --show NAME...     also the cycles of every instruction and all stacks
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
. "$root/tests/litmus/programs.sh"
cd "$root" || exit 1
: "${BUILD:=$root/build}"

. tests/harness.sh
cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
command -v "$cross" >/dev/null || tap_skip_all "no $cross"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! { "${CC:-gcc}" "${harness_flags[@]}" -Itests/litmus -Dmain=litmus_main -c -o "$work/script.o" \
	tests/litmus/script.c &&
	build_harness "$work/stacks" -Itests/litmus -Wl,--wrap=litmus_run tests/stacks/stacks.c \
		tests/litmus/litmus.c "$work/script.o"; } 2>"$work/log"; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

run_programs tests/stacks/programs "$work/stacks" "$work" "stacks: " "$@"
tap_done
