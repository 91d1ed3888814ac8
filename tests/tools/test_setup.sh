#!/bin/bash
# tools/setup shows what it does, does nothing without need, and stops where it may not install.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
mkdir -p "$work/tools/packages" "$work/bin" "$work/plain"
cp "$root/tools/setup" "$work/tools/"
printf '# a comment\nhere-dev    is there\ngone-dev/gone    does something\n\n' >"$work/tools/packages/some.txt"
printf 'here-dev    is there\nelse/sed    comes from elsewhere\n' >"$work/tools/packages/nothing.txt"

# A machine of its own: only these commands, and a package tool that writes down how it was called.
for name in sh env sed awk dirname cat; do
	ln -s "$(command -v "$name")" "$work/bin/$name"
	ln -s "$(command -v "$name")" "$work/plain/$name"
done
printf '#!/bin/sh\necho 0\n' >"$work/bin/id"
printf '#!/bin/sh\nfor last; do :; done\n[ "$last" = here-dev ] && echo installed\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\necho "apt-get $*" >>"%s/calls"\n' "$work" >"$work/bin/apt-get"
chmod +x "$work/bin/id" "$work/bin/dpkg-query" "$work/bin/apt-get"
setup() {
	local path=$1
	shift
	rm -f "$work/calls"
	output=$(env -i PATH="$path" "$@" 2>&1)
	status=$?
	calls=$(cat "$work/calls" 2>/dev/null)
}
install="apt-get install -y --no-install-recommends gone-dev"

setup "$work/bin" "$work/tools/setup" nothing
tap_is "nothing missing: says and does nothing" "$status:$output:$calls" "0::"
setup "$work/bin" "$work/tools/setup" some
tap_is "something missing: updates, then installs just that" "$status:$calls" "0:apt-get update
$install"
tap_is "the command is shown" "$output" \
	"setup: apt-get update && env DEBIAN_FRONTEND=noninteractive $install"
setup "$work/bin" NO_INSTALL=1 "$work/tools/setup" some
tap_is "NO_INSTALL: stops without a call" "$status:$calls" "1:"
tap_is "NO_INSTALL: names what is missing, and its purpose" "$(grep -c 'gone-dev  *does something' <<<"$output")" 1
tap_is "NO_INSTALL: does not name what is there" "$(grep -c here-dev <<<"$output")" 0
setup "$work/bin" NO_INSTALL=1 "$work/tools/setup" nothing
tap_is "NO_INSTALL: nothing missing is fine" "$status" 0
setup "$work/plain" "$work/tools/setup" some
tap_is "no apt-get: names everything and stops" "$status:$(grep -c -e 'here-dev' -e 'gone-dev' <<<"$output")" "1:2"
printf '#!/bin/sh\nexit 100\n' >"$work/bin/apt-get"
setup "$work/bin" "$work/tools/setup" some
tap_is "a failed installation is a failure" "$([ "$status" -ne 0 ] && echo failed)" failed
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
setup "$work/bin" "$work/tools/setup" some
tap_is "not root and no sudo: stops" "$status:$(grep -c 'sudo apt-get update' <<<"$output")" "1:1"
setup "$work/bin" "$work/tools/setup" unknown
tap_is "an unknown list is a mistake" "$status" 2
tap_done
