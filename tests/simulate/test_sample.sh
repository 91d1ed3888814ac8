#!/bin/bash
# run --sample: what is simulated and what is warmed make the program, the intervals hold what the whole run has, and
# what a sample cannot have is refused in a sentence.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs perl
needs_workloads

# sample FILE EXPRESSION: of the result as $r, its sample as $s.
sample() {
	perl -MJSON::PP -e 'local $/; open my $f, "<", $ARGV[0]; my $r = decode_json(<$f>); my $s = $r->{sample};
		print eval $ARGV[1] // die $@' "$1" "$2"
}

# The first 8 M instructions, beside all of them simulated; fewer programs where each takes long.
names=(algebra blocksort chess compiler interp netflow objdb stencil) most=8M
tap_wants_all || { names=(chess) most=4M; }
# near WHOLE SAMPLED: how many functions with a hundredth of the cycles are within their intervals, of how many.
near() {
	perl -MJSON::PP -e 'my ($r, $s) = map { local $/; open my $f, "<", $_; decode_json(<$f>) } @ARGV; my (%cycles, $in, $of);
		for my $f (@{$r->{exact}{functions}}) { $cycles{$f->{name}} += $_ / $r->{exact}{slots_per_cycle} for values %{$f->{slots}} }
		for my $f (@{$s->{sample}{functions}}) {
			my $e = $f->{cycles};
			next if $e->{value} < $s->{sample}{cycles}{value} / 100;
			$of++, $in += abs($e->{value} - ($cycles{$f->{name}} // 0)) <= $e->{error};
		} print $in + 0, " ", $of + 0, "\n"' "$1" "$2"
}

inside=0 components=0 inner=0 all=0 hot=0 functions=0
for machine in midcore u74; do
	for name in "${names[@]}"; do
		some=(-q --config $machine --gain-budget none --max-insns $most)
		"$cyclestack" run "${some[@]}" --json whole.json @$name:small >/dev/null 2>&1
		"$cyclestack" run "${some[@]}" --sample=66k --json sampled.json @$name:small >/dev/null 2>&1
		read -r instructions cycles < <(sample whole.json '"$r->{values}{instructions} $r->{values}{cycles}\n"')
		tap_is "$name on $machine: what is simulated and what is not make the program" \
			"$(sample sampled.json '$r->{values}{instructions} + $r->{skipped_instructions} . " $s->{instructions}"')" \
			"$instructions $instructions"
		all=$((all + 1))
		inside=$((inside + $(sample sampled.json "abs(\$s->{cycles}{value} - $cycles) <= \$s->{cycles}{error} ? 1 : 0")))
		stack=$(sample whole.json 'join " ", map { "$_=$r->{stacks}{exact}{components}{$_}" } keys %{$r->{stacks}{exact}{components}}')
		read -r within of < <(sample sampled.json "my (\$in, \$of) = (0, 0); for (split / /, '$stack') { my (\$n, \$c) = split /=/;
			my \$e = \$s->{components}{\$n} or next; \$of++; \$in++ if abs(\$e->{value} - \$c) <= \$e->{error} } \"\$in \$of\\n\"")
		inner=$((inner + within)) components=$((components + of))
		read -r within of < <(near whole.json sampled.json)
		hot=$((hot + within)) functions=$((functions + of))
		tap_check "$name on $machine: components add up to the cycles" [ "$(sample sampled.json \
			'my $sum = 0; $sum += $_->{value} for values %{$s->{components}}; abs($sum / $s->{cycles}{value} - 1) < 1e-9 ? 1 : 0')" = 1 ]
	done
done
tap_check "the cycles of the whole run are within the interval in $inside of $all" [ $inside -ge $((all * 9 / 10)) ]
tap_check "$hot of $functions functions are within theirs" [ $((hot * 100)) -ge $((functions * 93)) ]
tap_check "there are functions" [ $functions -ge "$all" ]
tap_check "$inner of $components components are within theirs" [ $((inner * 100)) -ge $((components * 93)) ]

if tap_wants_all; then
	"$cyclestack" exec --json exec.json @chess:small >exec.out 2>/dev/null
	"$cyclestack" run -q --sample --gain-budget none --json auto.json @chess:small >auto.out 2>/dev/null
	tap_is "of a whole program, too, which does what it does" \
		"$(sample auto.json '$r->{values}{instructions} + $r->{skipped_instructions}') $(cat auto.out)" \
		"$(sample exec.json '$r->{instructions}') $(cat exec.out)"
	tap_check "without a period the beginning and the end are slices, and stretches tile what is between" [ "$(sample auto.json \
		'my $between = $s->{instructions} - 2 * 22064; my $n = $s->{units} - 2; $n > 300 && $between - $n * $s->{period} < $n ? 1 : 0')" = 1 ]
fi

for threads in 1 2; do
	"$cyclestack" run -q --threads $threads --sample=44k --json t$threads.json @chess:test >/dev/null 2>&1
done
tap_check "the result is the same bytes with one thread and two" cmp t1.json t2.json

"$cyclestack" run -q --sample=44k --max-insns 500k --json cut.json @chess:test >/dev/null 2>&1
status=$?
tap_is "a limit is one of the program, and makes the result partial" \
	"$status $(sample cut.json '"$s->{instructions} " . ($r->{partial} ? 1 : 0)')" "124 500000 1"
"$cyclestack" run -q --sample=44k --skip 300k --json skip.json @chess:test >/dev/null 2>&1
tap_is "what --skip leaves out is not estimated" \
	"$(sample skip.json '$s->{instructions} + 300000')" "$(sample t1.json '$s->{instructions}')"

if tap_wants_all; then
	# Wider apart than the width allows: it runs again, with more.
	"$cyclestack" run -q --counters none --sample=1M --within 4% --json within.json @hanoi:small >/dev/null 2>err
	tap_check "--within runs again until the error is small enough" [ "$(sample within.json \
		'$s->{cycles}{error} <= 0.04 * $s->{cycles}{value} && $s->{period} < 1000000 ? 1 : 0')" = 1 ]
	tap_check "and says so" grep -q '^cyclestack: +- .* again with one every' err
fi

"$cyclestack" run --sample @chess:test >out 2>err
tap_is "a short program is simulated as a whole, which is said" \
	"$(grep -c 'all of which are simulated' err) $(grep -c 'The whole program, estimated' out)" "1 0"
"$cyclestack" run --sample=1G @chess:test >out 2>/dev/null
tap_check "with too few units nothing is estimated" grep -q 'There is no estimate' out

# refused STATUS SENTENCE OPTION...
refused() {
	local status=$1 sentence=$2
	shift 2
	"$cyclestack" run "$@" @chess:test </dev/null >/dev/null 2>err
	tap_check "$* is refused" [ "$? $(grep -c "$sentence" err) $(wc -l <err)" = "$status 1 1" ]
}
refused 2 'needs all of the run' --sample --calls
refused 2 'needs all of the run' --sample --intervals 1000
refused 2 'two different parts' --sample --roi main
refused 2 'is not a number from' --sample=100
refused 2 'more closely than 0.6 %' --sample --within 0.1%
refused 2 'no time for what' --sample --time cycles
mkdir host
refused 125 'writable' --sample --mount /data=host
echo | "$cyclestack" run --sample @chess:test >/dev/null 2>err
tap_check "a pipe as standard input is not used up" grep -q -- '--stdin FILE' err
tap_done
