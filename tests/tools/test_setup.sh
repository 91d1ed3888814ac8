#!/bin/bash
# tools/setup shows what it does, does nothing without need, and stops where it may not install.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/tools/packages" "$tree/bin" "$tree/plain"
cp "$root/tools/setup" "$tree/tools/"
printf '# a comment\nhere-dev    is there\ngone-dev/gone    does something\n\n' >"$tree/tools/packages/some.txt"
printf 'here-dev    is there\nelse/sed    comes from elsewhere\n' >"$tree/tools/packages/nothing.txt"

# A machine of its own: only these commands, and a package tool that writes down how it was called.
for name in sh env sed awk dirname cat; do
	ln -s "$(command -v "$name")" "$tree/bin/$name"
	ln -s "$(command -v "$name")" "$tree/plain/$name"
done
printf '#!/bin/sh\necho 0\n' >"$tree/bin/id"
printf '#!/bin/sh\nfor last; do :; done\n[ "$last" = here-dev ] && echo installed\n' >"$tree/bin/dpkg-query"
printf '#!/bin/sh\necho "apt-get $*" >>"%s/calls"\n' "$tree" >"$tree/bin/apt-get"
chmod +x "$tree/bin/id" "$tree/bin/dpkg-query" "$tree/bin/apt-get"
setup() {
	local path=$1
	shift
	rm -f "$tree/calls"
	output=$(env -i PATH="$path" "$@" 2>&1)
	status=$?
	calls=$(cat "$tree/calls" 2>/dev/null)
}
install="apt-get install -y --no-install-recommends gone-dev"

setup "$tree/bin" "$tree/tools/setup" nothing
tap_is "nothing missing: says and does nothing" "$status:$output:$calls" "0::"
setup "$tree/bin" "$tree/tools/setup" some
tap_is "something missing: updates, then installs just that" "$status:$calls" "0:apt-get update
$install"
tap_is "the command is shown" "$output" \
	"setup: apt-get update && env DEBIAN_FRONTEND=noninteractive $install"
setup "$tree/bin" NO_INSTALL=1 "$tree/tools/setup" some
tap_is "NO_INSTALL: stops without a call" "$status:$calls" "1:"
tap_is "NO_INSTALL: names what is missing, and its purpose" "$(grep -c 'gone-dev  *does something' <<<"$output")" 1
tap_is "NO_INSTALL: does not name what is there" "$(grep -c here-dev <<<"$output")" 0
setup "$tree/bin" NO_INSTALL=1 "$tree/tools/setup" nothing
tap_is "NO_INSTALL: nothing missing is fine" "$status" 0
setup "$tree/plain" "$tree/tools/setup" some
tap_is "no apt-get: names everything and stops" "$status:$(grep -c -e 'here-dev' -e 'gone-dev' <<<"$output")" "1:2"
printf '#!/bin/sh\nexit 100\n' >"$tree/bin/apt-get"
setup "$tree/bin" "$tree/tools/setup" some
tap_is "a failed installation is a failure" "$([ "$status" -ne 0 ] && echo failed)" failed
printf '#!/bin/sh\necho 1000\n' >"$tree/bin/id"
setup "$tree/bin" "$tree/tools/setup" some
tap_is "not root and no sudo: stops" "$status:$(grep -c 'sudo apt-get update' <<<"$output")" "1:1"
setup "$tree/bin" "$tree/tools/setup" unknown
tap_is "an unknown list is a mistake" "$status" 2
tap_done
