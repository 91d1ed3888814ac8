#!/bin/bash
# run --sample=simpoint: a program with two phases has two, with their weights; the weighted cycles an instruction are
# near those of the whole run; components and points add up; files of SimPoint are written and read; the bytes are the
# same every time.
. "$(dirname "$0")/../head.sh"
needs perl
needs_workloads

# value FILE EXPRESSION: of the result as $r, its phases as $p.
value() {
	perl -MJSON::PP -e 'local $/; open my $f, "<", $ARGV[0]; my $r = decode_json(<$f>); my $p = $r->{phases};
		print eval $ARGV[1] // die $@' "$1" "$2"
}

if command -v "$cross" >/dev/null; then
	# 200,000 instructions of additions, then 600,000 with dependent divisions.
	cat >phases.c <<-'END'
		void _start(void)
		{
			unsigned long a = 1, b = 12345678901, i;

			for (i = 0; i < 50000; i++)
				__asm__ volatile("add %0, %0, %1\n\txor %0, %0, %1" : "+r"(a) : "r"(i));
			for (i = 0; i < 150000; i++)
				__asm__ volatile("divu %0, %0, %1\n\tor %0, %0, %2" : "+r"(b) : "r"(a | 1), "r"(i | 1ul << 60));
			__asm__ volatile("li a0, 0\n\tli a7, 93\n\tecall");
		}
	END
	"$cross" -O1 -march=rv64gc -nostdlib -static -ffreestanding -o phases phases.c
	"$cyclestack" run -q --sample=simpoint --interval-size 10k --gain-budget none --save-simpoints s --save-weights w \
		--json two.json ./phases >/dev/null 2>&1
	"$cyclestack" run -q --counters none --json whole.json ./phases >/dev/null 2>&1
	tap_is "a program with two phases has two points" "$(wc -l <s) $(wc -l <w)" "2 2"
	cuts=$("$cyclestack" exec --json - ./phases | perl -MJSON::PP -e 'local $/; print decode_json(<>)->{instructions}')
	# The phases meet in an interval that is of one of them.
	first=$(perl -e 'printf "%.4f", (50000 * 4) / $ARGV[0]' "$cuts")
	tap_check "the first weighs $first within an interval: $(head -n 1 w)" \
		perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= 10000 / $ARGV[2])' "$(head -n 1 w | cut -d ' ' -f 1)" "$first" "$cuts"
	tap_check "the weighted cycles are those of the whole run within 2 %" [ "$(value two.json \
		"abs(\$p->{cycles} / $(value whole.json '$r->{values}{cycles}') - 1) < 0.02 ? 1 : 0")" = 1 ]
	tap_check "not those that weighted instructions a cycle would give" [ "$(value two.json \
		'my $ipc = 0; $ipc += $_->{weight} * $_->{instructions} / $_->{cycles} for @{$p->{points}};
		abs($p->{instructions} / $ipc / $p->{cycles} - 1) > 0.2 ? 1 : 0')" = 1 ]
else
	tap_skip "a program with two phases has two points" "no cross compiler"
fi

# The first 2 M instructions, of which at most a tenth is simulated, beside all of them.
names=(algebra blocksort chess compiler interp netflow objdb stencil) most=2M
tap_wants_all || names=(chess)
for name in "${names[@]}"; do
	some=(-q --gain-budget none --max-insns $most)
	"$cyclestack" run "${some[@]}" --json whole.json @$name:small >/dev/null 2>&1
	"$cyclestack" run "${some[@]}" --sample=simpoint --interval-size 20k --max-k 10 --json phases.json @$name:small >/dev/null 2>&1
	off=$(value phases.json "sprintf '%+.2f', 100 * (\$p->{cycles} / $(value whole.json '$r->{values}{cycles}') - 1)")
	tap_check "$name: $(value phases.json 'scalar @{$p->{points}}') points are off by $off % of the cycles, 8 at most" \
		perl -e 'exit !(abs($ARGV[0]) <= 8)' -- "$off"
	tap_check "components add up to the cycles, and what covers the program is all of it" [ "$(value phases.json \
		'my $sum = 0; $sum += $_ for values %{$p->{components}};
		abs($sum / $p->{cycles} - 1) < 1e-9 && abs($p->{coverage} - 1) < 1e-9 ? 1 : 0')" = 1 ]
	# One right behind another begins late, where the core is empty.
	tap_check "each point has its interval, to 200 instructions" [ "$(value phases.json \
		'my $bad = grep { abs($_->{instructions} - 20000) > 200 } @{$p->{points}}; $bad ? 0 : 1')" = 1 ]
done

with=(-q --gain-budget none --sample=simpoint --interval-size 50k)
for threads in 1 2; do
	"$cyclestack" run "${with[@]}" --threads $threads --json t$threads.json --save-simpoints s$threads --save-weights w$threads \
		@chess:test >out 2>/dev/null
done
"$cyclestack" exec @chess:test >plain
tap_check "the result is the same bytes with one thread and two" cmp t1.json t2.json
tap_check "so are the files" cmp <(cat s1 w1) <(cat s2 w2)
tap_check "the program does what it does" cmp plain out
taskset -c 0 "$cyclestack" run "${with[@]}" --json one.json @chess:test >/dev/null 2>&1
tap_check "and on one core of the host" cmp one.json t2.json
"$cyclestack" run "${with[@]}" --load-simpoints s1 --load-weights w1 --json loaded.json @chess:test >/dev/null 2>&1
tap_is "what was saved is loaded" "$(value loaded.json 'join " ", map { "$_->{interval} $_->{cycles}" } @{$p->{points}}')" \
	"$(value t1.json 'join " ", map { "$_->{interval} $_->{cycles}" } @{$p->{points}}')"

# Two points next to each other, 30 % of the program without a point, one behind its end.
printf '3 0\n4 1\n900 2\n' >s && printf '0.3 0\n0.4 1\n0.3 2\n' >w
"$cyclestack" run "${with[@]}" --load-simpoints s --load-weights w --json some.json @chess:test >/dev/null 2>&1
tap_is "what is not covered is said" "$(value some.json 'sprintf "%.3f", $p->{coverage}')" 0.700
tap_check "a point right behind another has its interval but for what is late" [ "$(value some.json \
	'my @i = map { $_->{instructions} } @{$p->{points}}; abs($i[0] - 50000) <= 64 && $i[1] > 49700 && $i[1] <= 50064 && !$i[2] ? 1 : 0')" = 1 ]
tap_check "cycles are weighted by what is covered" [ "$(value some.json \
	'my @c = map { $_->{instructions} ? $_->{cycles} / $_->{instructions} : 0 } @{$p->{points}};
	abs($p->{cycles} / $p->{instructions} - (0.3 * $c[0] + 0.4 * $c[1]) / 0.7) < 1e-9 ? 1 : 0')" = 1 ]

# refused STATUS SENTENCE OPTION...
refused() {
	local status=$1 sentence=$2
	shift 2
	"$cyclestack" run "$@" @chess:test </dev/null >/dev/null 2>err
	tap_check "$* is refused" [ "$? $(grep -c -- "$sentence" err) $(wc -l <err)" = "$status 1 1" ]
}
printf '3 0\n4\n' >bad
load=(--sample=simpoint --interval-size 50k --load-weights w)
refused 2 'bad, line 2: expected the number of an interval' "${load[@]}" --load-simpoints bad
refused 2 'none: No such file' "${load[@]}" --load-simpoints none
refused 2 'go together' --sample=simpoint --load-simpoints s
refused 2 'needs --interval-size' --sample=simpoint --load-simpoints s --load-weights w
refused 2 'is for --sample=simpoint' --sample --max-k 3
refused 2 'is for --sample=simpoint' --save-weights x
refused 2 'do not say how far' --sample=simpoint --within 1%
refused 2 'two different places' --sample=simpoint --skip 1000
refused 2 'needs all of the run' --sample=simpoint --calls
refused 2 'may take the result' --sample=simpoint --reuse --save-weights x
printf '900 0\n' >s && printf '1 0\n' >w
refused 125 'ended before the first simulation point' "${load[@]}" --load-simpoints s
tap_done
