#!/bin/bash
# time-limit: 1500
# `judge --quick`: the truth that windows of one run measure is within its interval of the one that idealised machines
# give, so are the errors of the methods, and of two methods that it tells apart the same one is better. What it cannot
# tell is said to be open.
. "$(dirname "$0")/../head.sh"
needs_workloads
export XDG_CACHE_HOME=$work/cache COLUMNS=100

# compare QUICK FULL: numbers of components and errors within their intervals, pairs that are told apart; what is wrong.
compare() {
	perl -MJSON::PP -MList::Util=sum0 -e 'my ($q, $f) = map { local $/; open my $in, "<", $_ or die; decode_json(<$in>) } @ARGV;
		my ($in, $all, $right, $errors, %mean, %open, $apart);
		for my $i (0 .. $#{$f->{programs}}) {
			my ($a, $b) = ($q->{programs}[$i], $f->{programs}[$i]);
			my ($t, $n) = ($a->{truth}, $a->{name});
			die "another run" if $a->{cycles} != $b->{cycles};
			print "$n: the truth does not add up\n" if sum0(values %{$t->{a}}) != $a->{cycles};
			print "$n: nor do its causes\n" if sum0(values %{$t->{measured}{costs}}) != $a->{cycles};
			print "$n: there is an order B\n" if exists $t->{b};
			print "$n: exact is judged\n" if exists $a->{methods}{exact};
			my @missing = grep { $_ ne "exact" && !exists $a->{methods}{$_} } keys %{$b->{methods}};
			print "$n: without @missing\n" if @missing;
			for (keys %{$b->{truth}{a}}) {
				$all++;
				$in += abs($t->{a}{$_} - $b->{truth}{a}{$_}) <= $t->{measured}{errors}{$_};
			}
			for my $m (keys %{$a->{methods}}) {
				my ($x, $y) = ($a->{methods}{$m}, $b->{methods}{$m});
				print "$n, $m: another stack\n" if grep { $x->{components}{$_} != $y->{components}{$_} } keys %{$x->{components}};
				print "$n, $m: not between its ends\n"
					if $x->{max_error_low} > $x->{max_error} || $x->{max_error} > $x->{max_error_high};
				$errors++;
				$right += $y->{max_error_a} >= $x->{max_error_low} && $y->{max_error_a} <= $x->{max_error_high};
				$mean{$m} += $y->{max_error_a};
			}
		}
		my $s = $q->{summary};
		$open{"$_->{first} $_->{second}"} = $open{"$_->{second} $_->{first}"} = 1 for @{$s->{open}};
		for my $x (keys %mean) { for my $y (keys %mean) {
			next if $x eq $y || $open{"$x $y"} || $s->{mean_error}{$x} > $s->{mean_error}{$y};
			$apart++;
			print "$x is said to be better than $y\n" if $mean{$x} > $mean{$y};
		} }
		print STDERR "$in $all $right $errors $apart\n"' "$@" 2>numbers 3>&1
}

# Programs of several kinds; the intervals of two with few windows and those of whole runs.
sets=("eyerman2006 @chess:test @netflow:test" "midcore @parser:test @stencil:test" "leon2 @chess:test @hanoi:test")
tap_wants_all && sets+=("bigcore @interp:test @quadtree:test" "boom @netflow:test @lzpack:test" "u74 @netflow:test @stencil:test"
	"chen2008 @parser:test @hanoi:test")
in=0 all=0 right=0 errors=0 apart=0
for set in "${sets[@]}"; do
	read -ra words <<<"$set"
	"$cyclestack" judge --config "${words[0]}" --max-insns 400k --json full.json "${words[@]:1}" >full.txt 2>full.err
	"$cyclestack" judge --quick --config "${words[0]}" --max-insns 400k --json quick.json "${words[@]:1}" >quick.txt 2>quick.err
	tap_is "${words[0]}: judged quickly" "$? $(cat quick.err)" "0 "
	tap_is "$set: what does not hold" "$(compare quick.json full.json)" ""
	read -r a b c d e <numbers
	in=$((in + a)) all=$((all + b)) right=$((right + c)) errors=$((errors + d)) apart=$((apart + e))
done
tap_check "$in of $all components of the truth are within their intervals" test $((10 * in)) -ge $((9 * all))
tap_check "$right of $errors errors are within theirs" test $((10 * right)) -ge $((9 * errors))
tap_check "$apart pairs of methods are told apart" test "$apart" -gt 60

# What is shown: intervals, why exact is not there, what is open.
quick=("$cyclestack" judge --quick --config eyerman2006 --max-insns 150k)
"${quick[@]}" --json shown.json --html shown.html @chess:test @netflow:test >shown.txt 2>&1
tap_check "text: by how much the truth may be off" grep -q '^may be off by  *[0-9.]* ' shown.txt
tap_check "text: where exact is" grep -q '`exact` is what these windows say' shown.txt
tap_check "text: methods by their mean errors, and which are not told apart" \
	grep -q '^method  *mean error at least at most 4 %  *either may be better' shown.txt
tap_check "page: the same" grep -q 'id="ranking"' shown.html
tap_is "CSV: a row for each method, from the least error to the largest" "$("$cyclestack" show --csv - --table ranking shown.json |
	awk -F, 'NR > 1 { n++; if ($2 < last || $3 > $2 || $4 < $2) print; last = $2 } END { print n + 0 }')" \
	"$(perl -MJSON::PP -0777 -ne 'print scalar keys %{decode_json($_)->{summary}{mean_error}}' shown.json)"
tap_is "a second table has the ends of every error" \
	"$("$cyclestack" show --csv - --table stacks-in-cycles shown.json | head -n 1 | grep -o 'error at least,error at most')" \
	"error at least,error at most"

# Nothing depends on how many simulations or copies run at once.
for jobs in 1 2; do
	"${quick[@]}" --jobs $jobs --json jobs$jobs.json @chess:test >jobs$jobs.txt 2>&1
done
tap_check "one core or two: the same bytes" cmp jobs1.json jobs2.json
tap_check "and the same text" cmp jobs1.txt jobs2.txt
taskset -c 0 "${quick[@]}" --jobs 2 --json core.json @chess:test >/dev/null 2>&1
tap_check "on one core of the host too" cmp jobs1.json core.json
"${quick[@]}" --gain-budget all --json wide.json @netflow:test >/dev/null 2>&1
"${quick[@]}" --json usual.json @netflow:test >/dev/null 2>&1
tap_check "more of the run in windows, narrower intervals" perl -MJSON::PP -MList::Util=sum0 -e '
	my ($a, $b) = map { local $/; open my $in, "<", $_ or die; decode_json(<$in>)->{programs}[0]{truth}{measured} } @ARGV;
	exit !($a->{window_instructions} > $b->{window_instructions} && sum0(values %{$a->{errors}}) < sum0(values %{$b->{errors}}))' wide.json usual.json

# What is kept of one kind of judgement is not taken for another's.
needs sqlite3
entries() { sqlite3 -cmd '.timeout 10000' "$1/kept.db" 'SELECT count(*) FROM results WHERE is_step'; }
full=("$cyclestack" judge --config eyerman2006 --max-insns 30k)
quick=("${full[@]}" --quick)
"${full[@]}" --json fresh.json @hanoi:test >/dev/null 2>&1
"${quick[@]}" --keep kept --json first.json @hanoi:test >/dev/null 2>&1
tap_is "one simulation is kept of a quick judgement" "$(entries kept)" 1
"${quick[@]}" --keep kept --json again.json @hanoi:test >/dev/null 2>&1
tap_is "and taken from there" "$(cmp first.json again.json) $(entries kept)" " 1"
"${full[@]}" --keep kept --json mixed.json @hanoi:test >/dev/null 2>&1
tap_check "a judgement by whole runs is the same beside it" cmp fresh.json mixed.json
"${quick[@]}" --keep kept --json after.json @hanoi:test >/dev/null 2>&1
tap_check "and so is the quick one beside that" cmp first.json after.json
"${quick[@]}" --gain-budget all --keep kept --json more.json @hanoi:test >/dev/null 2>&1
"${quick[@]}" --gain-budget all --json fresh_more.json @hanoi:test >/dev/null 2>&1
tap_check "another budget is another simulation" cmp more.json fresh_more.json

# Refused.
refused() {
	local name=$1 want=$2
	shift 2
	"$cyclestack" judge "$@" --max-insns 1k @hanoi:test >/dev/null 2>refused.err
	tap_is "$name" "$? $(grep -c -- "$want" refused.err)" "2 1"
}
refused "all orders" '--quick measures order A alone: --orders all needs the simulations that it leaves out' --quick --orders all
refused "both orders" 'order A alone: --orders paper' --quick --orders paper
refused "--within without --quick" '--within is how closely --quick measures' --within 1%
refused "--gain-budget without --quick" '--gain-budget is how closely --quick measures' --gain-budget 10%
refused "nothing measured" '--gain-budget none measures nothing' --quick --gain-budget none
refused "a width that is no percentage" 'not a percentage such as' --quick --within much
refused "circuits" '--rtl judges nothing' --quick --rtl circuits
tap_done
