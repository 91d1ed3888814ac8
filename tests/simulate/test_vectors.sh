#!/bin/bash
# exec --bbv: the vectors are those that a count of each instruction under qemu makes, with a decoder of the test's own;
# they are the same bytes every time, packed too; what cannot be is refused in a sentence.
. "$(dirname "$0")/../head.sh"
needs perl gzip
needs_workloads

if command -v qemu-riscv64 >/dev/null && command -v "$cross" >/dev/null; then
	"$cross" -O1 -march=rv64gc_zifencei -nostdlib -static -ffreestanding -Wl,--no-relax,--no-warn-rwx-segments \
		-o blocks "$root/tests/simulate/vectors/blocks.c"
	qemu-riscv64 -singlestep -d exec,nochain -D log ./blocks >/dev/null
	for interval in 1000 1009 20000 1M; do
		"$cyclestack" exec --bbv ours.bb --interval-size $interval --json exec.json ./blocks >/dev/null 2>&1
		perl "$root/tests/simulate/vectors/count.pl" blocks log "${interval/M/000000}" >qemu.bb
		tap_check "in intervals of $interval, $(wc -l <qemu.bb) of them, vectors are those counted under qemu" \
			cmp qemu.bb ours.bb
	done
else
	tap_skip "vectors are those counted under qemu" "no qemu-riscv64 or cross compiler"
fi

# The sum of every line but the last is the interval, and of all the program's instructions; a block's number is not
# below that of one before it.
check='my ($size, $all) = splice @ARGV, 0, 2; my $sum = 0; my @lines = <>; for my $i (0 .. $#lines) {
	$lines[$i] =~ /^T:\d+:\d+( :\d+:\d+)*$/ or die "line $i"; my ($of, $last) = (0, 0);
	while ($lines[$i] =~ /:(\d+):(\d+)/g) { $1 > $last && $2 > 0 or die "line $i, block $1"; $last = $1; $of += $2 }
	$of == $size || $i == $#lines or die "line $i has $of"; $sum += $of }
	$sum == $all or die "$sum of $all"'
names=(algebra blocksort chess compiler interp netflow objdb stencil)
tap_wants_all || names=(chess interp)
for name in "${names[@]}"; do
	"$cyclestack" exec --bbv a.bb --interval-size 10007 --json exec.json @$name:test >with.out 2>/dev/null
	"$cyclestack" exec --json plain.json @$name:test >plain.out 2>/dev/null
	tap_check "$name does the same while its blocks are counted" cmp plain.out with.out
	tap_check "its result is the same" cmp plain.json exec.json
	instructions=$(perl -MJSON::PP -e 'local $/; print decode_json(<>)->{instructions}' exec.json)
	tap_check "each of its vectors has the interval, and together all $instructions instructions" \
		perl -e "$check" 10007 "$instructions" a.bb
done

"$cyclestack" exec --bbv b.bb.gz --interval-size 10007 @$name:test >/dev/null 2>&1
"$cyclestack" exec --bbv c.bb.gz --interval-size 10007 @$name:test >/dev/null 2>&1
tap_check "a name that ends in .gz is packed" cmp <(gzip -dc b.bb.gz) a.bb
tap_check "the same bytes every time" cmp b.bb.gz c.bb.gz
"$cyclestack" exec --bbv d.bb --interval-size 10007 --max-insns 25000 @chess:test >/dev/null 2>&1
tap_is "a limit ends the last interval" "$? $(wc -l <d.bb)" "124 3"
"$cyclestack" exec --bbv e.bb @chess:test >/dev/null 2>&1
tap_is "without a size an interval is that of SimPoint" "$(wc -l <e.bb)" 1

# refused SENTENCE OPTION...
refused() {
	local sentence=$1
	shift
	"$cyclestack" exec "$@" @chess:test >/dev/null 2>err
	tap_check "$* is refused" [ "$? $(grep -c -- "$sentence" err) $(wc -l <err)" = "2 1 1" ]
}
refused 'is for --bbv' --interval-size 1M
refused 'is not a number from' --bbv x.bb --interval-size 10
refused 'is not a number from' --bbv x.bb --interval-size many
tap_check "and nothing is written" [ ! -e x.bb ]
tap_done
