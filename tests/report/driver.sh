# Sourced by tests that need a small program of their own against the library, after tools/tap.sh and
# in the project's root. Leaves a scratch directory in $work; skips all if there is no library.
: "${BUILD:=$root/build}"
library=$BUILD/libcyclestack.a
[ -f "$library" ] || tap_skip_all "no $library: build first"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# build_driver SOURCE: as $work/driver; ends the test if that fails.
build_driver() {
	local libs sanitize=()
	# shellcheck disable=SC2016
	read -ra libs <<<"$(make -s --no-print-directory --eval='print-libs: ; @echo $(LIBS)' print-libs)"
	# Whoever links a sanitized library needs the sanitizer too.
	if nm "$library" 2>/dev/null | grep -q ' __asan_init'; then
		sanitize=("-fsanitize=address,undefined")
	fi
	"${CC:-gcc}" -std=gnu11 -O1 -g -Wall -Wextra -Werror -D_GNU_SOURCE= -Isrc -no-pie "${sanitize[@]}" \
		-o "$work/driver" "$1" "$library" "${libs[@]}" 2>"$work/log" || {
		tap_not_ok "the driver builds" "$(cat "$work/log")"
		tap_done
	}
}
