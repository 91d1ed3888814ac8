# shellcheck shell=bash
# For tests with a C program of their own: sourced after head.sh, in the project's root.
harness_library=$BUILD/libcyclestack.a
[ -f "$harness_library" ] || tap_skip_all "no $harness_library: build first"
read -ra harness_libs <<<"$(make -s --no-print-directory --eval='print-libs: ; @echo $(LIBS)' print-libs)"
harness_flags=(-std=gnu11 -O2 -g -Wall -Wextra -Werror -D_GNU_SOURCE= -Isrc -Iinclude -fno-pie -no-pie)
# A program that is linked with a sanitized library needs the sanitizer too.
if nm "$harness_library" 2>/dev/null | grep -q ' __asan_init'; then
	harness_flags+=("-fsanitize=address,undefined")
fi

# build_harness OUTPUT SOURCE|FLAG...: links them with the library.
build_harness() {
	local output=$1
	shift
	"${CC:-gcc}" "${harness_flags[@]}" -o "$output" "$@" "$harness_library" "${harness_libs[@]}"
}

# build_driver SOURCE: as $work/driver; ends the test if that fails.
build_driver() {
	build_harness "$work/driver" "$1" 2>"$work/log" || {
		tap_not_ok "the driver builds" "$(cat "$work/log")"
		tap_done
	}
}
