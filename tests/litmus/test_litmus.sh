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

library=$BUILD/libcyclestack.a
cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
[ -f "$library" ] || tap_skip_all "no $library: build first"
command -v "$cross" >/dev/null || tap_skip_all "no $cross"
read -ra libs <<<"$(make -s --no-print-directory --eval='print-libs: ; @echo $(LIBS)' print-libs)"
# Whoever links a sanitized library needs the sanitizer too.
sanitize=()
if nm "$library" 2>/dev/null | grep -q ' __asan_init'; then
	sanitize=("-fsanitize=address,undefined")
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if ! "${CC:-gcc}" -std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE= -Isrc -Itests/litmus -no-pie \
	"${sanitize[@]}" -o "$work/litmus" tests/litmus/{litmus,script}.c "$library" "${libs[@]}" \
	2>"$work/log"; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

run_programs tests/litmus/programs "$work/litmus" "$work" "" "$@"
tap_done
