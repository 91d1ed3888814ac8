#!/bin/bash
# Random instruction sequences leave the same registers, fcsr and memory here and under qemu-riscv64;
# they hold every instruction and rounding mode; and a wrong result would be noticed.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
here=$root/tests/lockstep
out=$BUILD/tests/lockstep

if ! command -v qemu-riscv64 >/dev/null; then
	tap_skip lockstep "qemu-riscv64 not installed"
	tap_done
fi
if ! "$here/build.sh" "$out"; then
	tap_not_ok "the generator builds"
	tap_done
fi
"$out/generate" --coverage 1 1000 "$work/once.elf" >"$work/coverage"
tap_is "each instruction is emitted, in each rounding mode it has ($(wc -l <"$work/coverage") cases)" \
	"$(awk 'NF != 2 || $2 == 0 { print $1 }' "$work/coverage") of $(($(wc -l <"$work/coverage") > 300))" " of 1"

"$out/generate" 1 1000 "$work/again.elf"
tap_check "the same seed gives the same program" cmp "$work/once.elf" "$work/again.elf"

# qemu against itself, one register of one sequence being off by one.
register=$("$out/generate" --sabotage 37 1 50 "$work/wrong.elf" | sed -n 's/.*register //p')
COMMAND=qemu-riscv64 "$here/run.sh" --sabotage 37 1 50 >"$work/report"
tap_is "a wrong register makes a run fail" "$?" 1
tap_check "the report names seed and sequence" grep -q '^#   seed 1, sequence 37$' "$work/report"
tap_check "the report names the register" grep -q "^#   $register (.*expected.*actual" "$work/report"
tap_is "the report names one difference, after the last unit" \
	"$(sed -n 's/^#   first differs after unit \([0-9]*\) of \([0-9]*\):$/\1 - \2/p' "$work/report" |
		awk '{ print ($1 == $3 && $1 > 0) }') $(grep -c 'expected 0x' "$work/report")" "1 2"
COMMAND=qemu-riscv64 "$here/run.sh" 1 50 >"$work/report"
tap_is "without it the same run passes" "$?" 0

# The tool's own runs, their points renumbered behind ours.
own_run() { # ARGUMENT...
	"$here/run.sh" "$@" >"$work/report"
	while IFS= read -r line; do
		case $line in
		"not ok "*) tap_not_ok "${line#* - } ($*)" ;;
		"ok "*) tap_ok "${line#* - } ($*)" ;;
		"#"*) echo "$line" ;;
		esac
	done <"$work/report"
	[ -s "$work/report" ] || tap_not_ok "the tool's run reports"
}
own_run 10 1000
own_run --level 1 2 1000
"$out/generate" --level 2 --coverage 1 1000 "$work/later.elf" >"$work/coverage"
tap_is "so is each of the later extensions ($(wc -l <"$work/coverage") cases)" \
	"$(awk 'NF != 2 || $2 == 0 { print $1 }' "$work/coverage") of $(($(wc -l <"$work/coverage") > 500))" " of 1"
"$CYCLESTACK" exec --isa max "$work/later.elf" >"$work/translated"
tap_check "translated and interpreted, they leave the same" \
	cmp "$work/translated" <("$CYCLESTACK" exec --isa max --no-translate "$work/later.elf")
for core in midcore littlecore; do
	"$CYCLESTACK" run --quiet --counters none --set isa.profile=max --config $core "$work/later.elf" >"$work/timed"
	tap_check "so they do on a simulated core, $core" cmp "$work/translated" "$work/timed"
done
tap_done
