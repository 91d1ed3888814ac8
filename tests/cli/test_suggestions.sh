#!/bin/bash
# A name that is nearly right is answered with the right one, wherever names are given; one that is too far from all is
# answered with none.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cyclestack=${CYCLESTACK:-$root/build/cyclestack}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 || tap_skip_all "the workloads are not built"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# suggested WORD...: what is suggested to a command line.
suggested() {
	"$cyclestack" "$@" 2>&1 </dev/null | sed -n 's/.*did you mean \(the workload \)\{0,1\}\("[^"]*"\|[^ ?]*\)?.*/\2/p'
}
# in_file GROUP KEY WORD: what is suggested to a configuration with this word.
in_file() {
	printf '%s = { %s = "%s"; };\n' "$1" "$2" "$3" >machine.cfg
	suggested run --config ./machine.cfg @hanoi:test
}
# near KIND EDITS NAME COMMAND...: the name with so many letters more is near, with one more it is not. NAME@ in the
# command is the changed name.
near() {
	local kind=$1 edits=$2 name=$3 wanted=$4 letters=zzzzzzzz
	shift 4
	tap_is "$kind: $edits letters too many" "$("${@//NAME@/$name${letters:0:edits}}")" "$wanted"
	tap_is "$kind: one more is too far" "$("${@//NAME@/$name${letters:0:edits+1}}")" ""
}
near "a command" 3 pipeview pipeview suggested NAME@
near "an option" 3 annotate --annotate suggested run --NAME@ x @hanoi:test
near "a workload" 3 quadtree @quadtree suggested run @NAME@
near "a preset" 4 xiangshan xiangshan suggested run --config NAME@ @hanoi:test
near "a signal" 4 memory.reads memory.reads suggested signals NAME@
near "a signal to count" 4 memory.reads memory.reads suggested stat -e NAME@ @hanoi:test
near "a function to count in" 4 main main suggested stat -e committed@NAME@ @hanoi:test
near "a value to print" 4 instructions instructions suggested run -e NAME@ @hanoi:test
near "a word of a choice in a file" 2 ooo '"ooo"' in_file core kind NAME@
near "a word of a longer choice" 2 static_taken '"static_taken"' in_file predictor kind NAME@
tap_is "what is left out at the end is one letter" "$(suggested run @quad) $(suggested run --config xia @hanoi:test)" "@quadtree xiangshan"
tap_is "neighbours that are swapped are one edit" "$(suggested rnu)" run
tap_done
