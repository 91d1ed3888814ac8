#!/bin/bash
# A name that is nearly right is answered with the right one, wherever names are given; one that is too far from all is
# answered with none.
. "$(dirname "$0")/../head.sh"
needs_workloads

# suggested WORD...: what is suggested to a command line.
suggested() {
	"$cyclestack" "$@" 2>&1 </dev/null | sed -n 's/.*did you mean \(the workload \)\{0,1\}\("[^"]*"\|[^ ?]*\)?.*/\2/p'
}
# in_file GROUP KEY WORD: what is suggested to a configuration with this word.
in_file() {
	printf '%s = { %s = "%s"; };\n' "$1" "$2" "$3" >machine.cfg
	suggested run --config ./machine.cfg @hanoi:test
}
# near KIND NAME WANTED COMMAND...: the name with two letters more is near, with three it is not. NAME@ in the command
# is the changed name.
near() {
	local kind=$1 name=$2 wanted=$3
	shift 3
	tap_is "$kind: two letters too many" "$("${@//NAME@/${name}zz}")" "$wanted"
	tap_is "$kind: three are too far" "$("${@//NAME@/${name}zzz}")" ""
}
near "a command" pipeview pipeview suggested NAME@
near "an option" annotate --annotate suggested run --NAME@ x @hanoi:test
near "a workload" quadtree @quadtree suggested run @NAME@
near "a preset" xiangshan xiangshan suggested run --config NAME@ @hanoi:test
near "a signal" memory.reads memory.reads suggested signals NAME@
near "a name to explain" memory.reads memory.reads suggested explain NAME@
near "a signal to count" memory.reads memory.reads suggested stat -e NAME@ @hanoi:test
near "a function to count in" main main suggested stat -e committed@NAME@ @hanoi:test
near "a value to print" instructions instructions suggested run -e NAME@ @hanoi:test
near "a parameter" rob.size rob.size suggested run --set NAME@=4 @hanoi:test
near "a word of a choice in a file" ooo '"ooo"' in_file core kind NAME@
near "a word of a longer choice" static_taken '"static_taken"' in_file predictor kind NAME@
tap_is "what is left out at the end is one letter" "$(suggested run @quad) $(suggested run --config xia @hanoi:test)" "@quadtree xiangshan"
tap_is "neighbours that are swapped are one edit" "$(suggested rnu)" run
tap_done
