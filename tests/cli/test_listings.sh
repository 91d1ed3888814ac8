#!/bin/bash
# `workloads` with a directory made here, and `signals`: every form of both lists, whole.
. "$(dirname "$0")/../head.sh"

# says NAME STATUS TEXT WORD...: the status, and everything printed is one sentence.
says() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "$status cyclestack: $wanted"
}
# shows NAME TEXT WORD...: status 0 and this text.
shows() {
	local name=$1 wanted=$2 got
	shift 2
	got=$("$cyclestack" "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "0 $wanted"
}
# lists NAME TEXT WORD...: the same, where a column may be wider.
lists() {
	local name=$1 wanted=$2 got
	shift 2
	got=$("$cyclestack" "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $(sed 's/  */ /g' <<<"$got")" "0 $wanted"
}
see=" (see: cyclestack workloads --help)"
all="\`cyclestack workloads\` lists them"

mkdir -p w/real/input w/input
touch w/alpha w/betas w/real/gamma w/real/many w/real/most w/real/none w/notes.txt
printf 'the first program\n1500 20k 3M\n' >w/alpha.about
printf 'only two sizes\n7 x\n' >w/betas.about
printf 'a real one\n5 6 7\n' >w/real/gamma.about
printf -- '-x /input/data /inputs /input\n' >w/real/gamma.args
seq -s ' ' 32 >w/real/most.args
seq -s ' ' 33 >w/real/many.args
export CYCLESTACK_WORKLOADS=$work/w
shows "workloads: all, the real ones last" "workload    about
@alpha      the first program
@betas      only two sizes
@real/gamma a real one
@real/many
@real/most
@real/none" workloads
shows "--names" "alpha
betas
real/gamma
real/many
real/most
real/none" workloads --names
shows "--names of two" "alpha
real/gamma" workloads --names @real/gamma alpha:ref
shows "described" "@alpha: the first program
  @alpha:test          1500 instructions
  @alpha:small        20000 instructions
  @alpha:ref        3000000 instructions
  file: $work/w/alpha" workloads alpha
shows "described, by sizes that are known" "@betas: only two sizes
  @betas:test             7 instructions
  file: $work/w/betas" workloads @betas:test
shows "--json" '{
  "schema": "cyclestack-workloads-1",
  "workloads": [
    {
      "name": "alpha",
      "about": "the first program",
      "instructions": {
        "test": 1500,
        "small": 20000,
        "ref": 3000000
      }
    },
    {
      "name": "betas",
      "about": "only two sizes",
      "instructions": {
        "test": 7
      }
    }
  ]
}' workloads --json - alpha betas
shows "--csv" "workload,test,small,ref,about
alpha,1500,20000,3000000,the first program
betas,7,,,only two sizes" workloads --csv - alpha betas
"$cyclestack" workloads --html list.html >out
tap_is "--html prints no list" "$? $(cat out) $(grep -c '@real/gamma' list.html)" "0  1"
shows "--elf" "$work/w/alpha" workloads --elf @alpha:test
shows "--elf of a real one" "$work/w/real/gamma" workloads --elf real/gamma
shows "--args: the size" "small" workloads --args alpha
shows "--args: the size that is given" "ref" workloads --args @alpha:ref
shows "--args of a real one: paths of the host" "-x $work/w/real/input/data /inputs /input" workloads --args real/gamma
shows "--args: 32 of them" "$(seq -s ' ' 32)" workloads --args real/most
says "--args: 33" 2 "$work/w/real/many.args does not hold the arguments of real/many; \`make real-workloads\` writes it$see" \
	workloads --args real/many
says "--args: none" 2 "$work/w/real/none.args does not hold the arguments of real/none; \`make real-workloads\` writes it$see" \
	workloads --args real/none
says "a size that is none" 2 "workload sizes are test, small and ref, not \"large\"$see" workloads --elf alpha:large
says "a size of a real one" 2 "@real/gamma:test: real programs have one input and no sizes; write @real/gamma$see" \
	workloads --elf real/gamma:test
says "a name that is near" 2 "there is no workload \"alpa\"; did you mean @alpha? $all$see" workloads --elf @alpa
says "a real name that is near" 2 "there is no workload \"real/gama\"; did you mean @real/gamma? $all, \`make real-workloads\` \
builds the real ones$see" workloads --elf real/gama
says "a name that is not near" 2 "there is no workload \"zzzzzzzzzzzz\"; $all$see" workloads zzzzzzzzzzzz
for name in "" real/ ./alpha alpha.about real/../alpha; do
	tap_is "no name: @$name" "$("$cyclestack" exec "@$name" 2>&1 | sed 's/;.*//')" "cyclestack: there is no workload \"$name\""
done
tap_is "a name without @ that is a workload's" "$("$cyclestack" exec alpha 2>&1; echo $?)" \
	"cyclestack: cannot open alpha: No such file or directory; did you mean the workload @alpha?
125"
CYCLESTACK_WORKLOADS=$work/none says "no directory" 125 "CYCLESTACK_WORKLOADS names $work/none: No such file or directory" workloads
if command -v script >/dev/null; then
	tap_is "on a terminal: how to run one" "$(script -qec "$cyclestack workloads" /dev/null </dev/null 2>&1 | tr -d '\r' | tail -n 3)" "
Run one with \`cyclestack exec @NAME\` or @NAME:SIZE (test, small, ref); \`cyclestack
workloads NAME\` says more about it."
	tap_is "on a terminal: names alone" "$(script -qec "$cyclestack workloads --names" /dev/null </dev/null 2>&1 | wc -l)" 6
	tap_is "on a terminal: one alone" "$(script -qec "$cyclestack workloads alpha" /dev/null </dev/null 2>&1 | wc -l)" 5
	tap_is "on a terminal: the signals have a head" \
		"$(script -qec "$cyclestack signals cycles" /dev/null </dev/null 2>&1 | tr -d '\r')" \
		"signal source unit   owner  meaning
cycles hw     cycles oldest every cycle"
fi

# Measuring: the table is the result in other units. Programs that do nothing, one of which says that it failed.
compiler=${CROSS_CC:-riscv64-linux-gnu-gcc}
if command -v "$compiler" >/dev/null; then
	printf 'int main(int c, char **v) { return c == 2 && v[1][0] == %s; }\n' "'r'" >p.c
	"$compiler" -O1 -static -o w/alpha p.c && cp w/alpha w/betas
	"$cyclestack" workloads --measure --size test --json m.json alpha >out
	tap_is "--measure --json prints no table" "$? $(cat out)" "0 "
	value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" m.json; }
	tap_is "--measure: names" "$(value schema) $(value size) $(value name)" "cyclestack-measure-1 test @alpha:test"
	row() {
		awk -v name="$1" -v n="$(value instructions)" -v c="$(value code_bytes)" -v b="$(value static_branches)" \
			-v d="$(value data_bytes)" -v m="$(value mispredictions)" -v i="$(value l1i_misses)" \
			-v t="$(value dtlb_misses)" -v l="$(value long_misses)" 'BEGIN {
			printf "%s %.2f %.1f %.0f %.0f %.2f %.2f %.2f %.2f\n", name, n / 1000000, c / 1024, b, d / 1024,
				1000 * m / n, 1000 * i / n, 1000 * l / n, 1000 * t / n }'
	}
	head() {
		echo "At size $1; branch and misses per 1000 instructions
workload M insns KB code branches KB data branch L1I long D D-TLB"
	}
	lists "--measure: all but the real ones" "$(head test)
$(row alpha)
$(row betas)" workloads --measure --size test
	"$cyclestack" workloads --measure --size small --json m.json betas
	lists "--measure: small is the usual size" "$(head small)
$(row betas)" workloads --measure @betas
	tap_is "--measure: one that fails" "$("$cyclestack" workloads --measure --size ref alpha 2>&1 >/dev/null; echo $?)" \
		"cyclestack: the workload failed its own check
125"
	rm w/betas w/alpha
	cp "$root/tools/tap.sh" w/alpha
	tap_is "--measure: one that is no program" "$("$cyclestack" workloads --measure alpha 2>/dev/null | wc -l)" 0
	tap_is "--measure: its status" "$("$cyclestack" workloads --measure alpha >/dev/null 2>&1; echo $?)" 125
else
	tap_skip "measuring" "no $compiler"
fi

# Signals: the text is the rows of the result; codes are the places of those that hardware has.
"$cyclestack" signals --json all.json
list() { # what a row of the result looks like in the text, with its place and source before it
	awk 'BEGIN { place = -1 }
		match($0, /^      "[a-z_]*": /) {
			key = substr($0, 8, RLENGTH - 10)
			value = substr($0, RLENGTH + 1)
			sub(/,$/, "", value)
			gsub(/^"|"$/, "", value)
			gsub(/\\"/, "\"", value)
			field[key] = value
		}
		/^    }/ {
			place++
			printf "%d %s %s %s %s %s %s\n", place, field["source"], field["name"], field["source"],
				field["unit"], field["owner"], field["meaning"]
		}' all.json
}
list >rows
head="signal source unit owner meaning"
lists "signals" "$head
$(cut -d ' ' -f 3- rows)" signals
lists "signals of patterns" "$head
$(grep -E '^[0-9]+ [a-z]+ (l1d\.misses|rob\.used) ' rows | cut -d ' ' -f 3-)" signals 'rob.use?' l1d.misses
tap_check "there are many" test "$(wc -l <rows)" -gt 300
tap_is "the first rows" "$(sed -n 1,2p rows)" \
	"0 hw cycles hw cycles oldest every cycle
1 hw fetched hw instructions own delivered by fetch, wrong paths included"
awk '$2 == "hw" { meaning = $0; for (i = 1; i < 7; i++) sub(/^[^ ]* /, "", meaning)
	printf "r%03x  %-44s %s\n", $1, $3, meaning }' rows >codes
"$cyclestack" signals --codes >all
tap_is "--codes: places of what hardware has" "$(grep '^r[0-9a-f]*  ' all)" "$(cat codes)"
tap_is "--codes of a pattern has no generic ones" "$("$cyclestack" signals --codes 'l1d.*' cycles)" "$(grep -E '^r[0-9a-f]*  (l1d\.|cycles )' codes)"
tap_is "--codes: generic events and the signals they are sums of" "$(grep -v '^r[0-9a-f]*  ' all)" \
	"$(sed -n '/^\(HARDWARE\|CACHE\)(/{s/^[^"]*"//; s/[",)]//g; p}' "$root/src/pmu/events.def" |
		awk '{ printf "%-32s %s", $1, $2; for (i = 3; i <= NF; i++) printf " + %s", $i; print "" }')"
"$cyclestack" signals --codes --config leon2 >leon2
tap_is "--codes of a machine are those of the table that it has" "$(grep -vxFf codes leon2)" ""
tap_check "and not all of them" test "$(wc -l <leon2)" -lt "$(wc -l <codes)" -a "$(wc -l <leon2)" -gt 100
tap_is "--codes of a machine and a pattern" "$("$cyclestack" signals --codes --config leon2 'l1i.*')" "$(grep '^r[0-9a-f]*  l1i\.' leon2)"
says "a machine without --codes" 2 "--config and --set choose the machine of --codes: the table of signals is the same for all \
(see: cyclestack signals --help)" signals --config leon2
says "a parameter without --codes" 2 "--config and --set choose the machine of --codes: the table of signals is the same for all \
(see: cyclestack signals --help)" signals --set rob.entries=40
says "a machine that is none" 2 "there is no preset \"leon3\", only bigcore, boom, chen2008, eyerman2006, haswell-like, leon2, littlecore, midcore, \
u74, xiangshan; did you mean leon2? (see: cyclestack signals --help)" \
	signals --codes --config leon3
says "a file that cannot be written" 125 "cannot write none/x: No such file or directory" signals --json none/x
says "no such signal" 2 "there is no signal \"qqqqqqqqqqqq\"; \`cyclestack signals\` lists them (see: cyclestack signals --help)" signals cycles qqqqqqqqqqqq
tap_done
