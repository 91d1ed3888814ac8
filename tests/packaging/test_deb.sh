#!/bin/bash
# long
# The Debian package installs, works where it was put, and leaves nothing behind when removed.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
[ -z "${SANITIZE:-}" ] || tap_skip_all "packages are made from the plain build"
needs dpkg-deb
command -v "${CROSS_CC:-riscv64-linux-gnu-gcc}" >/dev/null || tap_skip_all "no riscv64 compiler for the workloads"

if ! make --no-print-directory -s deb BUILD="$BUILD" >"$work/make.log" 2>&1; then
	tap_not_ok "make deb makes a package" "$(tail -n 40 "$work/make.log")"
	tap_done
fi
package=$(tail -n 1 "$work/make.log")
tap_ok "make deb makes a package"

depends=$(dpkg-deb -f "$package" Depends)
case $depends in
*libc6*) tap_ok "the package depends on the C library" ;;
*) tap_not_ok "the package depends on the C library" "Depends: $depends" ;;
esac
unresolved=$(dpkg-deb -f "$package" | grep '@')
tap_is "no field of the package is left unfilled" "$(grep -v '^Maintainer' <<<"$unresolved")" ""
tap_is "the package has files only under /usr" \
	"$(dpkg-deb -c "$package" | awk '{ print $6 }' | grep -v -e '^\./$' -e '^\./usr/')" ""

target=$work/root
mkdir -p "$target"
with_dpkg=
if [ "$(id -u)" = 0 ] && [ -z "${TEST_DEB_EXTRACT:-}" ]; then
	with_dpkg=1
	mkdir -p "$target/var/lib/dpkg/info" "$target/var/lib/dpkg/updates" "$target/var/lib/dpkg/triggers"
	: >"$target/var/lib/dpkg/status"
	: >"$target/var/lib/dpkg/available"
	# Its dependencies are installed on this machine, not in the empty tree.
	tap_check "dpkg installs it" dpkg --root="$target" --log="$work/dpkg.log" --force-depends -i "$package"
else
	tap_check "it unpacks" dpkg-deb -x "$package" "$target"
fi

program=$target/usr/bin/cyclestack
version=$(cat VERSION)
case $("$program" --version 2>&1) in
*"$version"*) tap_ok "the installed program tells its version" ;;
*) tap_not_ok "the installed program tells its version" "$("$program" --version 2>&1)" ;;
esac

# Run from an empty folder, so that it cannot be the checkout's workload that is found.
mkdir "$work/elsewhere"
output=$(cd "$work/elsewhere" && "$program" exec @hanoi:test 2>"$work/err")
status=$?
tap_is "the installed program runs an installed workload" "$status" 0
[ "$status" -eq 0 ] || sed 's/^/# /' "$work/err"
expected=$("$CYCLESTACK" exec "$BUILD/workloads/hanoi" test 2>/dev/null)
tap_is "the workload prints what the built one prints" "$output" "$expected"

tap_check "the manual page of the program is there" test -s "$target/usr/share/man/man1/cyclestack.1.gz"
tap_is "every public header is there" "$(find "$target/usr/include" -type f -printf '%f\n' | sort)" \
	"$(find include -name '*.h' -printf '%f\n' | sort)"
tap_is "every workload is there" "$(find "$target/usr/share/cyclestack/workloads" -type f ! -name '*.about' -printf '%f\n' | sort)" \
	"$(find workloads -maxdepth 1 -name '*.c' -printf '%f\n' | sed 's/\.c$//' | sort)"

if [ -n "$with_dpkg" ]; then
	tap_check "dpkg removes it" dpkg --root="$target" --log="$work/dpkg.log" -r cyclestack
	tap_is "removal leaves nothing" "$(cd "$target" && find . -mindepth 1 ! -path './var' ! -path './var/lib' \
		! -path './var/lib/dpkg*')" ""
else
	tap_skip "dpkg removes it and leaves nothing" "only root can install with dpkg"
fi
tap_done
