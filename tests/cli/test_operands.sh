#!/bin/bash
# Every command that is given too few or too many words says so in one sentence, with status 2 and nothing on standard
# output; help fills its lines and does not go beyond them.
. "$(dirname "$0")/../head.sh"
touch a b c

program="which program? Give a RISC-V ELF file or a workload such as @chess"
programs="which programs? Give RISC-V ELF files or workloads such as @chess"
verbs="what shall be done? record PROGRAM, or info, head, verify, export or import and a FILE"
while IFS='|' read -r words sentence; do
	read -ra command <<<"$words"
	timeout 20 "$cyclestack" "${command[@]}" >out 2>err </dev/null
	tap_is "$words" "$? $(cat out)$(cat err)" "2 cyclestack: $sentence (see: cyclestack ${command[0]} --help)"
done <<END
exec|$program
run|$program
stat -e cycles|$program
model|$program
judge|$programs
sweep|$programs
diff|diff needs two results: A.json B.json
diff a|diff needs two results: A.json B.json
diff a b c|diff needs two results: A.json B.json
pipeview|pipeview needs one file, written by run --pipeview
pipeview a b|pipeview needs one file, written by run --pipeview
configure -e cycles|where is the run? Give HOST:PORT
configure 5000 5001 -e cycles|where is the run? Give HOST:PORT
configure 5000|what is to be counted? Give -e SIGNAL@WHERE or -g GROUP
collect|which file? Give --database FILE, a SQLite file
collect x --database d --show|it runs no program: give options only
config|config is followed by list, dump, check, diff or keys
config lists|config is followed by list, dump, check, diff or keys
config list x|config list takes no operands
config dump x|config dump takes its machine from --config
config check|config check needs at least one file
config diff|config diff needs two machines, each a preset or a file
config diff midcore|config diff needs two machines, each a preset or a file
config diff midcore leon2 u74|config diff needs two machines, each a preset or a file
trace|$verbs
trace a b|$verbs
trace info|expected one file
trace info a b|expected one file
trace head|expected one file
trace head a b|expected one file
trace verify|expected one file
trace verify a b|expected one file
trace record|record needs --output FILE
trace record a|record needs --output FILE
trace export a|export and import need --output FILE
trace import a|export and import need --output FILE
reproduce|which paper? There is eyerman2006, chen2008, hough2006, danalis2017
reproduce hough2006 chen2008|which paper? There is eyerman2006, chen2008, hough2006, danalis2017
inspect x|x: inspect takes no program: it has its own
END
tap_is "nothing was written" "$(echo *)" "a b c err out"

# Paragraphs of help: 78 columns are used, and a word stands on a line of its own only if it did not fit before.
for name in $("$cyclestack" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	"$cyclestack" "$name" --help | sed '1,2d; /^options:/,$d' >help
	tap_is "$name --help: no line is wider than 78" "$(awk 'length > 78' help)" ""
	tap_is "$name --help: no word would have fitted on the line before" \
		"$(awk 'last != "" && NF && length(last) + 1 + length($1) <= 78 { print last " | " $1 } { last = $0 }' help)" ""
done
tap_done
