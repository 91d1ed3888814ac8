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

flags=(-std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE= -Isrc -Itests/litmus -fno-pie "${sanitize[@]}")
wrap=("-Wl,--wrap=litmus_run" "-Wl,--wrap=ooo_create" "-Wl,--wrap=ooo_step" "-Wl,--wrap=ooo_destroy")
if ! { "${CC:-gcc}" "${flags[@]}" -Dmain=litmus_main -c -o "$work/script.o" tests/litmus/script.c &&
	"${CC:-gcc}" "${flags[@]}" -no-pie "${wrap[@]}" -o "$work/stacks" tests/stacks/stacks.c \
		tests/litmus/litmus.c "$work/script.o" "$library" "${libs[@]}"; } 2>"$work/log"; then
	tap_not_ok "the harness builds" "$(cat "$work/log")"
	tap_done
fi

run_programs tests/stacks/programs "$work/stacks" "$work" "stacks: " "$@"
tap_done
