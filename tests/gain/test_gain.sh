#!/bin/bash
# time-limit: 1500
# What `exact` says would go away is what goes away: where windows cover the run, and within its interval where they do
# not. Measuring changes nothing else, whatever the host does; nothing of it survives; and it is refused where other
# machines would mean another program.
. "$(dirname "$0")/../head.sh"
needs_workloads
needs "$cross"
"$cross" -O2 -static -o kinds "$root/tests/gain/kinds.c" || exit 1
export COLUMNS=100

# run FILE OPTION...: its JSON.
run() {
	local file=$1
	shift
	"$cyclestack" run -q --json "$file" "$@" >"$file.txt" 2>"$file.err" </dev/null
}

# get FILE PATH: a value, such as values/cycles.
get() {
	perl -MJSON::PP -0777 -ne 'my $at = decode_json($_);
		$at = ref $at eq "ARRAY" ? $at->[$_] : $at->{$_} for split "/", "'"$2"'"; print "$at\n"' "$1"
}

# beside RUN JUDGE SHARE CYCLES: components that differ from the truth by more than a share of the cycles, and cycles.
beside() {
	perl -MJSON::PP -e 'my ($run, $judge, $share, $more) = @ARGV;
		my ($r, $j) = map { local $/; open my $f, "<", $_ or die; decode_json(<$f>) } $run, $judge;
		my ($truth, $c) = ($j->{programs}[0]{truth}{a}, $r->{stacks}{exact}{components});
		die "another run" if $r->{values}{cycles} != $j->{programs}[0]{cycles};
		my $sum = 0;
		$sum += $_ for values %$c;
		print "$sum of $r->{values}{cycles} cycles\n" if $sum != $r->{values}{cycles};
		for my $name (sort keys %$truth) {
			my $most = $share * $r->{values}{cycles} + $more;
			print "$name is $c->{$name} instead of $truth->{$name}\n"
				if abs($c->{$name} - $truth->{$name}) > $most || $c->{$name} < 0;
		}' "$@" 2>&1
}

# inside RUN JUDGE: how many components are within their interval, of how many.
inside() {
	perl -MJSON::PP -e 'my ($r, $j) = map { local $/; open my $f, "<", $_ or die; decode_json(<$f>) } @ARGV;
		my ($truth, $c, $e) = ($j->{programs}[0]{truth}{a}, $r->{stacks}{exact}{components}, $r->{gain}{errors});
		my @all = keys %$truth;
		print scalar(grep { abs($c->{$_} - $truth->{$_}) <= $e->{$_} } @all), " ", scalar(@all), "\n"' "$@"
}

# One window that begins with the run: the copies are the idealised machines of `judge`. What is below 0 there is 0.
for pair in "eyerman2006 @chess:test" "midcore @netflow:test" "u74 @interp:test" "bigcore @hanoi:test" "boom @stencil:test"; do
	read -r preset program <<<"$pair"
	"$cyclestack" config dump --config "$preset" >/dev/null || continue
	run short.json --config "$preset" --max-insns 15k "$program"
	"$cyclestack" judge -q --config "$preset" --max-insns 15k --json judge.json "$program" >judge.txt 2>judge.err
	tap_is "$program on $preset, one window: what goes away" "$(beside short.json judge.json 0.006 3)" ""
done

# Windows through the whole run, programs of all kinds: the truth itself, but where a window resumes.
kinds="divide update stream bursts calls phases"
tap_wants_all && kinds=$("$cyclestack" exec ./kinds 2>/dev/null)
in=0 all=0
for preset in eyerman2006 midcore littlecore; do
	for kind in $kinds; do
		[ "$preset" = midcore ] || tap_wants_all || [ "$kind" = update ] || [ "$kind" = phases ] || continue
		run whole.json --config "$preset" --max-insns 150k --gain-budget all ./kinds "$kind"
		run some.json --config "$preset" --max-insns 150k ./kinds "$kind"
		"$cyclestack" judge -q --config "$preset" --max-insns 150k --json judge.json "./kinds $kind" >judge.txt 2>judge.err
		# Threads and files are cut short by system calls; no component is below 0.
		case $kind in
		threads | locks | files) most=0.03 ;;
		*) most=0.004 ;;
		esac
		tap_is "$kind on $preset, whole" "$(beside whole.json judge.json $most 0)" ""
		read -r a b < <(inside some.json judge.json)
		in=$((in + a)) all=$((all + b))
	done
done
tap_check "by the default budget, $in of $all components are within their intervals" test $((10 * in)) -ge $((9 * all))

# Threads begin with many system calls, which cut windows short: later ones are still there, and where they are few, the
# interval is wide.
run some.json --config midcore --max-insns 500k ./kinds threads
"$cyclestack" judge -q --config midcore --max-insns 500k --json judge.json "./kinds threads" >judge.txt 2>judge.err
read -r a b < <(inside some.json judge.json)
tap_check "threads: $(get some.json gain/windows) windows, $a of $b components within their intervals" \
	test "$(get some.json gain/windows)" -ge 5 -a $((10 * a)) -ge $((9 * b))

# Nothing depends on how many copies run at once, or where.
run one.json --threads 1 --max-insns 300k @objdb:test
run two.json --threads 2 --max-insns 300k @objdb:test
tap_check "one thread or two: the same result" cmp one.json two.json
taskset -c 0 "$cyclestack" run -q --json core.json --max-insns 300k @objdb:test >/dev/null 2>&1
tap_check "on one core of the host too" cmp one.json core.json
# Beyond its first million instructions most of the windows that have waited are not simulated.
for threads in 1 2; do
	run long-$threads.json --threads $threads --max-insns 1300k @objdb:small
done
tap_check "one thread or two, a run that is not short: the same result" cmp long-1.json long-2.json

# What is counted is the same without windows, and functions have the slots that they have.
run none.json --gain-budget none --max-insns 300k @objdb:test
tap_is "windows change no count and take no function its cycles" "$(perl -MJSON::PP -MList::Util=sum0 -e '
	my ($a, $b) = map { local $/; open my $f, "<", $_ or die; decode_json(<$f>) } @ARGV;
	for (keys %{$a->{values}}) { print "$_\n" if $a->{values}{$_} != $b->{values}{$_} }
	my %slots = map { ($_->{name} => sum0(values %{$_->{slots}})) } @{$a->{exact}{functions}};
	for (@{$b->{exact}{functions}}) { print "$_->{name}\n" if sum0(values %{$_->{slots}}) != $slots{$_->{name}} }' one.json none.json 2>&1)" ""
tap_is "without windows nothing is measured, and it is said" \
	"$(get none.json gain/windows) $(grep -c '^Not measured' <("$cyclestack" run --gain-budget none --max-insns 20k @hanoi:test 2>/dev/null))" "0 1"

# More windows, narrower intervals; as narrow as asked for.
widest() {
	perl -MJSON::PP -MList::Util=max -0777 -ne 'my $r = decode_json($_);
		print max(values %{$r->{gain}{errors}}) / $r->{values}{cycles}, "\n"' "$1"
}
run default.json --config midcore --max-insns 1M @chess:test
run all.json --config midcore --max-insns 1M --gain-budget all @chess:test
run within.json --config midcore --max-insns 1M --within 0.8% @chess:test
tap_check "the whole run in windows leaves little to chance ($(widest default.json), $(widest all.json))" \
	awk "BEGIN { exit !($(widest all.json) <= $(widest default.json) && $(widest all.json) < 0.005) }"
tap_check "--within 0.8% is met ($(widest within.json))" awk "BEGIN { exit !($(widest within.json) <= 0.008) }"
run more.json --config u74 --max-insns 8M @chess:small
run zero.json --config u74 --max-insns 8M --gain-budget 0% @chess:small
tap_check "a budget of 0 leaves the windows of its beginning and few others" \
	test "$(get zero.json gain/windows)" -lt "$(get more.json gain/windows)"

# Functions, threads and intervals add up to what was measured, cause by cause.
run parts.json --intervals 20k --max-insns 300k @netflow:test
tap_is "all parts add up, cause by cause" "$(perl -MJSON::PP -0777 -ne 'my $e = decode_json($_)->{exact};
	for my $list (qw(functions threads intervals)) {
		my %sum;
		for my $part (@{$e->{$list}}) { $sum{$_} += $part->{slots}{$_} for keys %{$part->{slots}} }
		for (keys %{$e->{causes}}) { print "$list: $_\n" if ($sum{$_} // 0) != $e->{causes}{$_} }
	}
	for (@{$e->{intervals}}) {
		my $slots = 0;
		$slots += $_ for values %{$_->{slots}};
		print "an interval has $slots slots\n" if $slots != $_->{cycles} * $e->{slots_per_cycle};
	}' parts.json 2>&1)" ""

# A run that is ended in the middle has what was measured so far; one that is killed leaves no copy.
for seconds in 2 8 30; do
	"$cyclestack" run -q --json ended.json --config bigcore @chess:ref >/dev/null 2>&1 &
	pid=$!
	sleep $seconds
	kill -INT $pid
	wait $pid
	[ -s ended.json ] && break
done
tap_is "interrupted: partial, with windows" "$(get ended.json partial) $(test "$(get ended.json gain/windows)" -gt 0 && echo some)" "1 some"
"$cyclestack" run -q --json killed.json --gain-budget all --config bigcore @chess:ref >/dev/null 2>&1 &
pid=$!
sleep 1
kill -KILL $pid
wait $pid 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
	left=$(pgrep -f "json killed.json" | wc -l)
	[ "$left" -eq 0 ] && break
	sleep 0.5
done
tap_is "killed: no copy is left" "$left" 0

# A program whose memory others can see has no copies.
cat >shares.c <<'END'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	int fd = open("/d/file", O_RDWR | O_CREAT, 0600);
	ftruncate(fd, 4096);
	volatile int *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < 30000; i++)
		p[i % 1000] += i;
	return 0;
}
END
"$cross" -O1 -static -o shares shares.c
run shares.json --mount "/d=$PWD" ./shares
tap_check "a program that shares memory with a file is measured only before it does" \
	test "$(get shares.json gain/windows 2>/dev/null || echo 9)" -le 1

# Refused.
refused() {
	local name=$1 want=$2
	shift 2
	"$cyclestack" run "$@" --max-insns 1k @hanoi:test >/dev/null 2>refused.err
	tap_is "$name" "$? $(grep -c -- "$want" refused.err)" "2 1"
}
refused "a width that is no percentage" 'not a percentage such as' --within much
refused "a budget that is none" 'not a percentage such as' --gain-budget -5
refused "--within without exact" 'does not observe' --within 1% --counters none
refused "--gain-budget with time by cycles" 'other things on another machine' --gain-budget 10% --time cycles
tap_done
