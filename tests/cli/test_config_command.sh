#!/bin/bash
# `config` with presets made here: every form of what it prints, whole; and what --set says.
. "$(dirname "$0")/../head.sh"

# shows NAME STATUS TEXT WORD...: the status and everything printed.
shows() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" config "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "$status $wanted"
}
see=" (see: cyclestack config --help)"

mkdir c
printf '#  The first machine.\nrob = { size = 48; };\n' >c/one.cfg
printf 'rob = { size = 64; };\n' >c/two.cfg
mkdir d
printf 'based_on = "../c/two.cfg"; dispatch = { width = 9; }; decode = { width = 9; }; issue = { width = 9; }; commit = { width = 9; };\n' >d/doubtful.cfg
printf '# Another one.\nbased_on = "one";\ncore = { kind = "inorder"; };\n' >c/a-name-of-some-length.cfg
printf 'none\n' >c/notes.txt
export CYCLESTACK_CONFIGS=$work/c
shows "list" 0 "preset                about
a-name-of-some-length Another one.
one                   The first machine.
two" list
shows "list --names" 0 "a-name-of-some-length
one
two" list --names
shows "list --json" 0 '{
  "schema": "cyclestack-config-list-1",
  "presets": [
    {
      "name": "a-name-of-some-length",
      "about": "Another one."
    },
    {
      "name": "one",
      "about": "The first machine."
    },
    {
      "name": "two",
      "about": ""
    }
  ]
}' list --json -
shows "diff" 0 "parameter one two
rob.size  48  64" diff one two
shows "diff of files" 0 "parameter ./c/one.cfg c/two.cfg
rob.size  48          64" diff ./c/one.cfg c/two.cfg
shows "diff of a machine and itself" 0 "" diff one one
shows "diff --json" 0 '{
  "schema": "cyclestack-config-diff-1",
  "a": "one",
  "b": "two",
  "differences": [
    {
      "key": "rob.size",
      "a": 48,
      "b": 64
    }
  ]
}' diff one two --json -
"$cyclestack" config diff a-name-of-some-length two >different
tap_is "diff: the longest key decides the first column" "$(sed -n 1,3p different)" \
	"$(printf '%-*s a-name-of-some-length two\n%-*s inorder               ooo\n%-*s -                     unlimited' \
		"$(awk 'NR > 1 && length($1) > most { most = length($1) } END { print most }' different | tee columns)" parameter \
		"$(cat columns)" core.kind "$(cat columns)" core.max_branches)"
tap_is "diff: what one does not have is null" "$("$cyclestack" config diff a-name-of-some-length two --json - |
	grep -A2 '"core.max_branches"')" '      "key": "core.max_branches",
      "a": null,
      "b": "unlimited"'
shows "check" 1 "one: good
c/a-name-of-some-length.cfg: good
none.cfg: No such file or directory
two: good" check one c/a-name-of-some-length.cfg none.cfg two
# Of a file that names no base: all parameters of its machine but the one it gives, and but what is ideal, which nothing is
# unless it is said.
left_out=" leaves out $(("$("$cyclestack" config dump --config ./c/one.cfg --json - 2>&1 |
	grep -c '^    "[^i]\|^    "i[^d]')" - 1)) parameters, \
core.kind first, which are those of eyerman2006; say so with based_on = \"eyerman2006\";"
shows "check of what is good" 0 "cyclestack: c/one.cfg$left_out
c/one.cfg: good" check c/one.cfg
shows "check of what is doubtful" 0 "cyclestack: a doubtful machine: dispatch.width (9) is above fetch.width (8): so many are \
never fetched in a cycle
d/doubtful.cfg: good" check d/doubtful.cfg
shows "check --json" 1 '{
  "schema": "cyclestack-config-check-1",
  "files": [
    {
      "file": "one",
      "good": true
    },
    {
      "file": "none.cfg",
      "good": false,
      "trouble": "none.cfg: No such file or directory"
    }
  ]
}' check --json - one none.cfg
shows "check --json to nowhere" 125 "cyclestack: cannot write none/x: No such file or directory" check --json none/x one
shows "a preset that is none" 2 "cyclestack: there is no preset \"ones\", only a-name-of-some-length, one, two; did you mean one?$see" diff ones two
shows "a second that is none" 2 "cyclestack: there is no preset \"ones\", only a-name-of-some-length, one, two; did you mean one?$see" diff two ones
shows "a file that is none" 125 "cyclestack: ones.cfg: No such file or directory" diff ones.cfg two
shows "dump of a preset that is none" 2 "cyclestack: there is no preset \"twos\", only a-name-of-some-length, one, two; did you mean two?$see" \
	dump --config twos
CYCLESTACK_CONFIGS=$work/none shows "no presets" 125 "cyclestack: CYCLESTACK_CONFIGS names $work/none: No such file or directory" list
CYCLESTACK_CONFIGS=$work/none shows "a file needs none" 0 "cyclestack: c/two.cfg$left_out
c/two.cfg: good" check c/two.cfg

# One key of each type: a choice, a count, a number, a set, a switch.
"$cyclestack" config keys >keys
key() { grep "^$1 " keys | tr -s ' '; }
tap_is "keys: a choice" "$(key core.kind)" "core.kind ooo ooo|inorder ooo: out of order; inorder: five-stage pipeline"
tap_is "keys: a count" "$(key core.max_branches)" "core.max_branches unlimited 1..4096|unlimited conditional, \
indirect and return branches in flight before the front end stalls [core.kind = ooo]"
tap_is "keys: a number" "$(key fetch.width)" "fetch.width 8 1..16 instructions fetched a cycle [core.kind = ooo]"
tap_is "keys: a set" "$(key l1i.prefetch | cut -c 1-75)" \
	"l1i.prefetch none none|next_line+adjacent_line+stride+stream prefetchers: t"
tap_is "keys: switches" "$(awk '$3 == "true|false" && $2 != "true" && $2 != "false"' keys)" ""
tap_check "keys: there are switches" grep -q ' true|false ' keys
tap_is "keys --names" "$("$cyclestack" config keys --names)" "$(awk 'NR > 1 { print $1 }' keys)"
tap_is "keys --json: the rows of the text" "$("$cyclestack" config keys --json - | awk '
	match($0, /^      "[a-z]*": /) {
		key = substr($0, 8, RLENGTH - 10)
		value = substr($0, RLENGTH + 1)
		sub(/,$/, "", value)
		gsub(/^"|"$/, "", value)
		gsub(/\\"/, "\"", value)
		field[key] = value
	}
	/^    }/ {
		printf "%s %s %s %s%s\n", field["key"], field["fallback"], field["takes"], field["help"],
			field["when"] == "every machine" ? "" : " [" field["when"] "]"
	}')" "$(sed 1d keys | tr -s ' ')"
"$cyclestack" config dump --config one --set l1i.prefetch=stride+stream --json dumped.json
value() { sed -n "/^  \"based_on\"/q; s/^    \"$1\": \(.*[^,]\),\{0,1\}$/\1/p" dumped.json; }
tap_is "dump --json: a number, a count, a choice, a set" "$(value rob.size) $(value core.max_branches) $(value core.kind) $(value l1i.prefetch)" \
	'48 "unlimited" "ooo" "stride+stream"'
tap_is "dump --json: parameters that do not apply are left out" "$("$cyclestack" config dump --config a-name-of-some-length --json - | grep -c rob.size)" 0
tap_is "dump --json: the hash is that of results" "$(sed -n 's/^  "hash": "\(.*\)",/\1/p' dumped.json | wc -c)" 65
"$cyclestack" config dump --config one --set l1i.prefetch=stride+stream >dumped.cfg
tap_is "dump reads back as the same machine" "$("$cyclestack" config dump --config ./dumped.cfg --json -)" \
	"$(sed '/^  "based_on"/,/^  }/d; s/^  },$/  }/' dumped.json)"
tap_is "dump --json: the default machine is a preset; what --set changes has the preset's value beside it" \
	"$(sed -n '/^  "based_on"/,$p' dumped.json | tr -d ' \n')" '"based_on":"one","base":{"l1i.prefetch":"none"}}'
for action in list keys "dump --set rob.size=64" "check one none.cfg" "diff one two"; do
	# shellcheck disable=SC2086
	"$cyclestack" config $action --json it.json --csv it.csv --html it.html
	"$cyclestack" show --csv shown.csv --html shown.html --report shown.txt it.json
	tap_is "$action: every format, and show has the same of it" "$(cmp it.csv shown.csv && cmp it.html shown.html &&
		sed -n 2p it.csv | cut -d, -f1 | grep -cFf - shown.txt | sed 's/^[1-9].*/there/')" there
done
tap_is "dump as CSV: a row for each parameter below its group" "$("$cyclestack" config dump --config one --csv - |
	grep '^rob,')" "rob,,,,
rob,rob.size,48,,reorder buffer entries"

shows "--set of a key that is none" 2 "cyclestack: --set: there is no parameter \"rob.sise\"; did you mean rob.size? \`cyclestack config \
keys\` lists keys and values$see" dump --set rob.sise=4
shows "--set of a value that is none" 2 "cyclestack: --set: rob.size must be a whole number from 4 to 1024, not \"x\"; \
\`cyclestack config keys\` lists keys and values$see" dump --set rob.size=x
shows "--set of what does not apply" 2 "cyclestack: --set: inorder.pairing has no effect on this machine: it is of machines with core.kind = inorder with \
inorder.issue_width of 2$see" dump --set inorder.pairing=pipes
tap_done
