#!/bin/bash
# `advise` on programs with one known bottleneck each: it names the line, its gains are those of `run --set`, they are
# ranked, and windows hold what whole runs say; a program with nothing to gain is told so; what goes wrong is said.
. "$(dirname "$0")/../head.sh"
needs "$cross" sqlite3
export XDG_CACHE_HOME=$work/cache COLUMNS=100

# A chase of addresses through 4 MB; a branch that nobody can predict; a chain of divisions; instructions that fill the
# core. `HERE` is the line.
cat >chase.c <<'END'
static char data[4 << 20] __attribute__((aligned(4096)));
void work(void)
{
	unsigned long at = 0;
	for (int i = 0; i < 2000; i++)
		at = (at + 790080 + *(volatile unsigned long *)(data + at)) & 0x3fffc0; /* HERE */
	__asm__ volatile("" : : "r"(at));
}
END
cat >branch.c <<'END'
void work(void)
{
	unsigned long x = 88172645463325252ul, odd = 0, even = 0;
	for (int i = 0; i < 8000; i++) {
		x = x * 6364136223846793005ul + 1442695040888963407ul;
		if (x >> 62 & 1) /* HERE */
			__asm__ volatile("addi %0, %0, 1" : "+r"(odd));
		else
			__asm__ volatile("addi %0, %0, 1" : "+r"(even));
	}
}
END
cat >divide.c <<'END'
void work(void)
{
	unsigned long x = ~0ul, one = 1;
	__asm__ volatile("" : "+r"(one));
	for (int i = 0; i < 6000; i++)
		x /= one; /* HERE */
	__asm__ volatile("" : : "r"(x));
}
END
cat >nothing.c <<'END'
void work(void)
{
	unsigned long word = 1;
	for (int i = 0; i < 4000; i++) /* HERE */
		__asm__ volatile(".rept 15; li t0, 1; li t1, 2; ld t2, 0(%0); li t3, 3; .endr" : : "r"(&word) : "t0", "t1", "t2", "t3");
}
END
cat >start.c <<'END'
void work(void);
void _start(void)
{
	work();
	__asm__ volatile("li a0, 2; la a1, text; li a2, 6; li a7, 64; ecall; li a0, 0; li a7, 93; ecall\n"
			 "text: .ascii \"spoke\\n\"" : : : "memory");
}
END
declare -A here
for program in chase branch divide nothing; do
	"$cross" -O1 -g -fno-if-conversion -nostdlib -static -o "$program" start.c "$program.c" 2>log ||
		tap_skip_all "no program: $(cat log)"
	here[$program]=$program.c:$(grep -n HERE "$program.c" | cut -d: -f1)
done

# rows MEMBER FORMAT: a line for each row of the list in result.json; $r is the row, $j the result.
rows() {
	perl -MJSON::PP -0777 -ne 'our $j = decode_json($_);
		for our $r (@{$j->{"'"$1"'"}}) { print join(" ", '"$2"'), "\n" }' result.json
}

# cycles OPTION...
cycles() {
	"$cyclestack" run --counters none --json whole.json "$@" >/dev/null 2>&1
	perl -MJSON::PP -0777 -ne 'print decode_json($_)->{values}{cycles}' whole.json
}

get() {
	perl -MJSON::PP -0777 -ne 'my $r = decode_json($_); print '"$2" "$1"
}

# The line, its kind of loss, and the gains of the first rows of each list by whole runs.
for program in chase:data branch:branch divide:latency; do
	kind=${program#*:} program=${program%:*}
	"$cyclestack" advise --json result.json "$program" >text 2>err
	tap_is "$program: status" "$?" 0
	tap_is "$program: what the program says is heard once" "$(cat err)" spoke
	tap_is "$program: the line that gains most" \
		"$(rows software '$r->{scope} eq "line" ? ("$r->{file}:$r->{line}", $r->{function}, $r->{kind}) : ()' | grep . | head -n 1)" \
		"${here[$program]} work $kind"
	tap_check "$program: the answer names it" grep -q "most is to be gained at ${here[$program]} in" text
	plain=$(cycles "$program")
	tap_is "$program: the base is a plain run" "$(get result.json '$r->{cycles}')" "$plain"
	for list in software machine; do
		while read -r gain changes; do
			set_options=()
			for change in $changes; do set_options+=(--set "$change"); done
			tap_is "$program: $list, $changes: what a whole run gains" "$gain" "$((plain - $(cycles "${set_options[@]}" "$program")))"
		done < <(rows $list '$r->{measured} eq "whole" ? (int $r->{gain}, @{$r->{changes}}) : ()' | grep . | head -n 3)
		tap_is "$program: $list is ranked by gain" "$(rows $list '$r->{gain} // ()' | grep . | sort -g -r | cmp - <(rows $list '$r->{gain} // ()' | grep .) && echo yes)" yes
	done
	tap_is "$program: every step has its storage, no bound has" \
		"$(rows machine '($r->{bound} ? 1 : 0) == (defined $r->{bits} ? 1 : 0) ? $r->{what} : ()' | grep -c .)" 0
	tap_is "$program: no two rows of the machine are the same" "$(rows machine '@{$r->{changes}}' | sort | uniq -d)" ""
	tap_is "$program: not nothing" "$(get result.json '$r->{nothing} ? 1 : 0')" 0
done

# The components are those of `run`; what a step against misses costs is worked out here: a line of the L2 has 512 bits,
# a tag of 48 - 6 bits less those of the set, 3 of state (there, dirty, not used since a prefetcher brought it in), a
# set of 16 ways 15 of the tree.
"$cyclestack" advise --json result.json chase >text 2>err
"$cyclestack" run --json run.json chase >/dev/null 2>&1
tap_is "components are those of run" "$(get result.json 'encode_json([map { $r->{components}{$_} } sort keys %{$r->{components}}])')" \
	"$(get run.json 'encode_json([map { $r->{stacks}{exact}{components}{$_} } sort keys %{$r->{stacks}{exact}{components}}])')"
tap_is "an L2 twice as large: bits" "$(rows machine '"@{$r->{changes}}" eq "l2.size_bytes=2097152" ? $r->{bits} : ()' | grep .)" \
	$((32768 * (512 + 48 - 6 - 11 + 3) + 2048 * 15 - 16384 * (512 + 48 - 6 - 10 + 3) - 1024 * 15))
while read -r kbit gain what; do
	tap_check "$what: $kbit kilobits, cycles for each" grep -qE "^$what .* $kbit +$gain\$" text
done < <(rows machine '!$r->{bound} && $r->{bits} > 0 && $r->{gain} >= 0.005 * $j->{cycles} ?
	(sprintf("%.1f %.1f", $r->{bits} / 1024, 1024 * $r->{gain} / $r->{bits}), $r->{what}) : ()' | grep . | head -n 2)

# However many simulations at a time: the same bytes, also from the result again.
"$cyclestack" advise --jobs 1 --json again.json chase >again 2>/dev/null
tap_check "one simulation at a time: the same result" cmp result.json again.json
"$cyclestack" show result.json >shown
tap_check "show: the same text" cmp text shown
"$cyclestack" show --csv all.csv --html page.html result.json >/dev/null
tap_is "CSV: a row for each place" "$(tail -n +2 all.csv | wc -l)" "$(rows software 1 | wc -l)"
tap_check "CSV: with the command" grep -q 'cyclestack run --config midcore --set ideal.at=0x[0-9a-f]*:l1d chase' all.csv
tap_check "page" grep -q '</html>' page.html

# In windows gains have an interval, in which what whole runs say lies.
"$cyclestack" advise --whole-below 1000 --json result.json chase >text 2>/dev/null
plain=$(cycles chase)
while read -r gain error change; do
	whole=$((plain - $(cycles --set "$change" chase)))
	tap_check "windows: $change gains $gain +- $error, whole $whole" perl -e 'exit !(abs($ARGV[0] - $ARGV[2]) <= $ARGV[1])' "$gain" "$error" "$whole"
done < <(rows software '$r->{measured} eq "windows" && @{$r->{changes}} == 1 ? ($r->{gain}, $r->{error}, @{$r->{changes}}) : ()' | grep . | head -n 2)
tap_check "windows: some" test "$(rows software '$r->{measured} eq "windows" ? $r->{windows} : ()' | grep -c .)" -gt 0
tap_is "windows: a cache of another size is simulated whole" "$(rows machine '"@{$r->{changes}}" =~ /size_bytes/ && $r->{measured} ne "whole" ? 1 : ()' | grep -c .)" 0
tap_check "windows: the answer says how sure it is" grep -q '% (+-' text

# Nothing to gain.
"$cyclestack" advise --json result.json nothing >text 2>/dev/null
tap_is "nothing to gain: said" "$? $(get result.json '$r->{nothing} ? 1 : 0') $(grep -c '^Nothing to gain' text)" "0 1 1"

# Without symbols and lines an instruction is a place.
cp chase bare
"${cross%gcc}strip" bare
"$cyclestack" advise --json result.json bare >text 2>/dev/null
tap_is "no symbols: the instruction" \
	"$? $(rows software '$r->{scope} eq "line" ? ($r->{file}, $r->{line}, $r->{instructions}[0]{text} =~ /^(\w+)/) : ()' | grep . | head -n 1)" "0  0 ld"
tap_check "no symbols: said" grep -q 'in code without a symbol' text

# A part of the program, and a machine of the user's own.
"$cyclestack" advise --max-insns 5000 --config littlecore --set l1d.size_bytes=8192 --json result.json branch >text 2>/dev/null
tap_is "a part of it: status, instructions, partial" "$? $(get result.json '"$r->{instructions} " . ($r->{partial} ? 1 : 0)')" "0 5000 1"
tap_check "a part of it: said" grep -q 'partial: a limit ended the run' text
tap_check "the user's changes are part of the command" grep -q -- '--config littlecore --set l1d.size_bytes=8192' text

# What goes wrong.
says() {
	local name=$1 status=$2 sentence=$3
	shift 3
	"$cyclestack" advise "$@" >out 2>err </dev/null
	tap_is "$name: status" "$?" "$status"
	tap_check "$name: sentence" grep -qE "$sentence" err
	tap_is "$name: no report" "$(cat out)" ""
}
says "no program" 2 'cyclestack: .*program'
echo text >no.elf
says "not a program" 125 'no.elf.*ELF' ./no.elf
says "not there" 125 'absent' ./absent
says "a wrong number" 2 'whole-below' --whole-below few chase
says "a wrong machine" 2 'l1d.ways' --set l1d.ways=3 chase
says "stopped by time" 125 'time|stopped' --timeout 0.000001 chase

# Interrupted while it simulates: what is done is shown, and the same command goes on.
cat >long.c <<'END'
static volatile unsigned long sum;
void work(void)
{
	for (unsigned long i = 1; i < 400000; i++)
		sum = 1000000007 / (sum % 13 + 1);
}
END
"$cross" -O1 -g -nostdlib -static -o long start.c long.c 2>/dev/null
"$cyclestack" advise --jobs 1 --json cut.json long >cut 2>cut.err &
pid=$!
for _ in $(seq 300); do
	file=$(find "$XDG_CACHE_HOME" -name kept.db 2>/dev/null | head -n 1)
	[ -n "$file" ] && [ "$(sqlite3 -cmd '.timeout 10000' "$file" 'SELECT count(*) FROM results WHERE is_step')" -ge 3 ] && break
	sleep 0.1
done
kill -INT $pid
wait $pid
tap_is "interrupted: status" "$?" 130
tap_check "interrupted: said" grep -q 'interrupted: changes that were not simulated are left out' cut.err
tap_check "interrupted: some are left out" test "$(get cut.json '$r->{left_out}')" -gt 0
tap_check "interrupted: the report warns" grep -q 'were not simulated, and are left out' cut
tap_check "interrupted: what is done is kept" grep -q 'kept: the same command goes on from there' cut.err
tap_done
