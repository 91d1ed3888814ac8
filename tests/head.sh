# shellcheck shell=bash
# The head of a test script, which sources it first: `. "$(dirname "$0")/../head.sh"`. It leaves the script in an empty
# directory of its own, $work, which is removed at the end; a script that works in the project's root goes there.
#
#   root                the project's root
#   BUILD, CYCLESTACK   of the environment, absolute: the build directory (build) and the tool ($BUILD/cyclestack)
#   cyclestack          the tool too
#   cross               the cross compiler
#
# A test that needs what is not there is skipped: the tool here, other things by needs and needs_workloads.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/tools/tap.sh"
: "${BUILD:=$root/build}"
case $BUILD in /*) ;; *) BUILD=$root/$BUILD ;; esac
: "${CYCLESTACK:=$BUILD/cyclestack}"
case $CYCLESTACK in /*) ;; *) CYCLESTACK=$PWD/$CYCLESTACK ;; esac
export BUILD CYCLESTACK
cyclestack=$CYCLESTACK
cross=${CROSS_CC:-riscv64-linux-gnu-gcc}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# needs PROGRAM...
needs() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || tap_skip_all "$program is not installed"
	done
}

needs_workloads() {
	"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
}
