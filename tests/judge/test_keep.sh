#!/bin/bash
# A kept simulation is taken only for a job that has the same result: every member of a job and of its
# program that decides the result is part of the entry's name.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cd "$root" || exit 1
. tests/harness.sh
build_driver tests/judge/keep_names.c
"$work/driver" "$work/kept"
