#!/bin/bash
# Every program of tests/litmus/programs takes the cycles that its comments work out.
#
#   test_litmus.sh [NAME...]          all programs, or those named (without .s)
#   test_litmus.sh --show NAME...     also the cycles of every instruction
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

if ! build_harness "$work/litmus" -Itests/litmus tests/litmus/{litmus,script}.c 2>"$work/log"; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

run_programs tests/litmus/programs "$work/litmus" "$work" "" "$@"
tap_done
