#!/bin/bash
# Every program of tests/stacks/programs has, by every counter architecture, the CPI stack that its
# comments work out.
#
#   test_stacks.sh [NAME...]          all programs, or those named (without .s)
#   test_stacks.sh --show NAME...     also the cycles of every instruction and all stacks
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
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
show=()
if [ "${1:-}" = --show ]; then
	show=(--show)
	shift
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

if [ $# -eq 0 ]; then
	for source in tests/stacks/programs/*.s; do
		set -- "$@" "$(basename "$source" .s)"
	done
fi
for name; do
	source=tests/stacks/programs/$name.s
	if ! "$cross" -nostdlib -static -march=rv64gc -Wa,-Itests/litmus/programs -Wl,--no-relax \
		-Wl,--build-id=none -Wl,-Ttext=0x20000 -o "$work/$name" "$source" 2>"$work/log" ||
		! "${cross%gcc}nm" "$work/$name" >"$work/$name.labels" 2>"$work/log"; then
		tap_not_ok "$name builds" "$(cat "$work/log")"
		continue
	fi
	"$work/stacks" "$source" "$work/$name" "$work/$name.labels" "${show[@]}" \
		>"$work/report" 2>"$work/log"
	status=$?
	while IFS= read -r line; do
		case $line in
		"ok "*) tap_ok "$name: ${line#ok }" ;;
		"not ok "*) tap_not_ok "$name: ${line#not ok }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$work/report"
	if [ "$status" -gt 1 ] || ! grep -q '^\(not \)\?ok stacks: ' "$work/report"; then
		tap_not_ok "$name runs to its end" "$(cat "$work/log")"
	fi
done
tap_done
