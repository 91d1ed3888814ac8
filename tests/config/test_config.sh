#!/bin/bash
# `cyclestack config`: presets are found, a dump reads back, mistakes get one sentence.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
export CYCLESTACK_CONFIGS=$root/configs

presets="bigcore boom chen2008 eyerman2006 haswell-like leon2 littlecore midcore u74 xiangshan"
see=" (see: cyclestack config --help)"

# says NAME STATUS TEXT OPERAND...: the exit status and everything printed are these.
says() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" config "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "$status $wanted"
}

hash_of() {
	"$cyclestack" config dump "$@" --json - | sed -n 's/^  "hash": "\(.*\)",$/\1/p'
}

says "the presets are listed by name" 0 "$(tr ' ' '\n' <<<"$presets")" list --names
tap_is "each preset has a line that describes it" \
	"$("$cyclestack" config list | awk 'NR > 1 && NF > 5 { print $1 }' | xargs)" "$presets"
tap_is "the list is JSON too" "$("$cyclestack" config list --json - | grep -c '"about": "[^"]')" "$(wc -w <<<"$presets")"

for preset in $presets; do
	"$cyclestack" config dump --config "$preset" >"$preset.cfg"
	says "the dump of $preset is a good file" 0 "./$preset.cfg: good" check "./$preset.cfg"
	says "the dump of $preset does not differ from it" 0 "" diff "$preset" "$preset.cfg"
	tap_is "the dump of $preset has its hash" "$(hash_of --config "$preset")" \
		"$(hash_of --config "$preset.cfg")"
	"$cyclestack" config dump --config "./$preset.cfg" >again
	tap_check "the dump of the dump of $preset is the same text" cmp "$preset.cfg" again
done
tap_is "every preset has a hash of its own" "$(for p in $presets; do hash_of --config "$p"; done | sort -u | grep -c '^[0-9a-f]\{64\}$')" "$(wc -w <<<"$presets")"
tap_is "the default machine is midcore" "$(hash_of)" "$(hash_of --config midcore)"


cat >more.cfg <<'END'
based_on = "eyerman2006";
rob = { size = 256; };
l2 = { mshrs = 16; };
indirect = { kind = "history"; entries = 64; };
END
says "a difference has aligned columns" 0 "\
parameter        eyerman2006 more.cfg
rob.size         128         256
l2.mshrs         unlimited   16
indirect.kind    btb         history
indirect.entries -           64" diff eyerman2006 more.cfg
tap_is "a difference is JSON too" "$("$cyclestack" config diff eyerman2006 more.cfg --json - | tr -d ' \n')" \
	'{"schema":"cyclestack-config-diff-1","a":"eyerman2006","b":"more.cfg","differences":[{"key":"rob.size","a":128,"b":256},{"key":"l2.mshrs","a":"unlimited","b":16},{"key":"indirect.kind","a":"btb","b":"history"},{"key":"indirect.entries","a":null,"b":64}]}'
tap_is "--set is the same as saying so in a file" "$(hash_of --config more.cfg)" \
	"$(hash_of --config eyerman2006 --set rob.size=256 --set l2.mshrs=16 --set indirect.kind=history --set indirect.entries=64)"
tap_is "changes are checked together, not one by one" \
	"$("$cyclestack" config dump --config eyerman2006 --set l1d.ways=3 --set l1d.size_bytes=12k | grep -c 'ways = 3;\|size_bytes = 12288;')" 2
{ "$cyclestack" config dump --config leon2 && echo 'rob = { size = 64; };'; } >traceless.cfg
tap_is "what does not apply leaves no trace" "$(hash_of --config traceless.cfg)" \
	"$(hash_of --config leon2)"

says "an unknown preset is told with the list" 2 "cyclestack: there is no preset \"leon\", only bigcore, boom, chen2008, \
eyerman2006, haswell-like, leon2, littlecore, midcore, u74, xiangshan; did you mean leon2?$see" dump --config leon
says "a name with a dot is a file" 125 "cyclestack: leon2.x: No such file or directory" dump --config leon2.x
says "a name with a slash is a file" 125 "cyclestack: ./leon3: No such file or directory" dump --config ./leon3
says "an unknown key is told with the nearest" 2 "cyclestack: --set: there is no parameter \"rob.sise\"; did you \
mean rob.size? \`cyclestack config keys\` lists keys and values$see" dump --set rob.sise=3
says "a value out of range is told with the range" 2 "cyclestack: --set: rob.size must be a whole number from 4 to \
1024, not \"3\"; \`cyclestack config keys\` lists keys and values$see" dump --set rob.size=3

# Every key that another machine has and this one has not is refused, by the condition of its row.
while read -r key value when; do
	says "$key is refused where it has no effect" 2 "cyclestack: --set: $key has no effect on this machine: it is \
of machines with $when$see" dump --config eyerman2006 --set "$key=$value"
done <<'END'
l3.ways 4 cache.levels of 3
l3.mshrs 4 core.kind = ooo with cache.levels of 3
inorder.issue_width 2 core.kind = inorder
predictor.tage_tables 4 predictor.kind = tage
indirect.entries 64 indirect.kind = history, with a predictor
END
says "a key of the other core is refused" 2 "cyclestack: --set: rob.size has no effect on this machine: it is of \
machines with core.kind = ooo$see" dump --config leon2 --set rob.size=64
tap_check "a key has its effect once another --set gives the machine that part" \
	"$cyclestack" config dump --set l3.ways=4 --set cache.levels=3
tap_is "the condition is listed with the key" \
	"$("$cyclestack" config keys | grep -c '^l3\.ways .*\[cache.levels of 3\]$')" 1

tap_is "numbers are read as people write them" "$(hash_of --set l1d.size_bytes=32KB --set memory.latency_cycles=1e3 \
	--set l2.size_bytes=2MiB --set predictor.bimodal_entries=8_192)" "$(hash_of --set l1d.size_bytes=32768 \
	--set memory.latency_cycles=1000 --set l2.size_bytes=2097152 --set predictor.bimodal_entries=8192)"
cat >units.cfg <<'END'
based_on = "eyerman2006";
l1d = { size_bytes = "32KB"; };
memory = { latency_cycles = 1e3; };
END
tap_is "a file too" "$(hash_of --config units.cfg)" \
	"$(hash_of --config eyerman2006 --set l1d.size_bytes=32768 --set memory.latency_cycles=1000)"
says "an impossible machine is told" 2 "cyclestack: --set: l1d.size_bytes (32768) cannot be divided into 3 equal ways \
(l1d.ways)$see" dump --set l1d.ways=3

printf 'rob = {\n\tsize = 64;\n\tsise = 3;\n};\n' >unknown.cfg
printf 'rob = { size = 64; };\n@include "more.cfg"\n' >include.cfg
printf 'rob = { size = 64; }; rob = { size = 64; };\n' >twice.cfg
printf 'based_on = "leon3";\n' >base.cfg
says "check reads all files and has one line for each" 1 "\
more.cfg: good
unknown.cfg:3: there is no parameter \"rob.sise\"; did you mean rob.size?
include.cfg:2: files cannot be included; to start from a preset, say based_on = \"NAME\";
twice.cfg:1: rob is given twice, the first time on line 1
base.cfg:1: there is no preset \"leon3\", only bigcore, boom, chen2008, eyerman2006, haswell-like, leon2, littlecore, midcore, u74, xiangshan; did you mean leon2?
./none.cfg: No such file or directory" check more.cfg unknown.cfg include.cfg twice.cfg base.cfg ./none.cfg
tap_is "check is JSON too" "$("$cyclestack" config check more.cfg twice.cfg --json - | tr -d '\n' | tr -s ' ')" \
	'{ "schema": "cyclestack-config-check-1", "files": [ { "file": "more.cfg", "good": true }, { "file": "twice.cfg", "good": false, "trouble": "twice.cfg:1: rob is given twice, the first time on line 1" } ]}'

keys=$("$cyclestack" config keys --names | wc -l)
tap_is "every key has a row in the source" "$keys" \
	"$(grep -cE '^(NUMBER|COUNT|CHOICE|SET|SWITCH|LIST)\(' "$root/src/config/parameters.def")"
tap_is "every key has range, default and help" "$("$cyclestack" config keys | awk 'NR > 1 && NF > 3' | wc -l)" "$keys"
tap_is "keys are JSON too" "$("$cyclestack" config keys --json - | grep -c '"help": "[^"]')" "$keys"

says "config alone says what may follow" 2 "cyclestack: config is followed by list, dump, check, diff or keys$see"
says "check needs a file" 2 "cyclestack: config check needs at least one file$see" check
says "diff needs two machines" 2 "cyclestack: config diff needs two machines, each a preset or a file$see" diff leon2
says "dump takes no operand" 2 "cyclestack: config dump takes its machine from --config$see" dump leon2

# Where presets are looked for: beside the program, or under its prefix.
mkdir -p beside/configs prefix/bin prefix/share/cyclestack bare
cp "$root"/configs/leon2.cfg beside/configs/
cp -r "$root/configs" prefix/share/cyclestack/
cp "$cyclestack" beside/ && cp "$cyclestack" prefix/bin/ && cp "$cyclestack" bare/
unset CYCLESTACK_CONFIGS
tap_is "presets are found beside the program" "$(beside/cyclestack config list --names | xargs)" leon2
tap_is "presets are found under its prefix" "$(prefix/bin/cyclestack config list --names | xargs)" "$presets"
tap_is "without presets there is a sentence" "$(bare/cyclestack config list 2>&1)" \
	"cyclestack: the configs that come with this program are not there: looked in $work/bare/configs and \
$work/bare/../share/cyclestack/configs; build them with \`make\`, or set CYCLESTACK_CONFIGS"
tap_check "without presets there still is the default machine" bare/cyclestack config dump
tap_is "CYCLESTACK_CONFIGS must be a directory" "$(CYCLESTACK_CONFIGS=none bare/cyclestack config list 2>&1)" \
	"cyclestack: CYCLESTACK_CONFIGS names none: No such file or directory"
tap_done
