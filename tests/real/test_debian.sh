#!/bin/bash
# long
# time-limit: 1500
# Programs of Debian for riscv64, as they are packaged and dynamically linked, do what they do under qemu.
# The first five of workloads/debian.txt; tools/evaluate runs all. Without the network, and without
# packages from before, it is skipped.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
# Every build takes them from one place.
DEBIAN=${DEBIAN:-$root/build/debian} tools/debian-programs --first 5
