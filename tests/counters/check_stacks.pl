#!/usr/bin/perl
# check_stacks.pl RESULT.json [WITHOUT.json]: everything a result of `run` says adds up; with a second result,
# made without counters, both counted the same. Prints what does not hold; status 1 if anything.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(sum0);

my $failures = 0;

sub load {
	my ($path) = @_;
	open(my $file, '<', $path) or die "$path: $!\n";
	local $/;
	return decode_json(<$file>);
}

sub expect {
	my ($what, $got, $wanted) = @_;
	return if $got == $wanted;
	print "$what: $got instead of $wanted\n";
	$failures++;
}

# Adds the second hash of slots to the first.
sub add {
	my ($sum, $slots) = @_;
	$sum->{$_} += $slots->{$_} for keys %$slots;
}

sub same_slots {
	my ($what, $parts, $whole) = @_;
	for my $cause (keys %{{%$parts, %$whole}}) {
		expect("$what, $cause", $parts->{$cause} // 0, $whole->{$cause} // 0);
	}
}

my $result = load($ARGV[0]);
my $cycles = $result->{values}{cycles};
my $instructions = $result->{values}{instructions};

# A base that is a remainder, of a rule that counts cycles twice, may be negative; nothing else.
my %may_be_negative = map { $_ => 1 } ('naive', 'naive-nonspec', 'fmt-published');
for my $method (sort keys %{$result->{stacks}}) {
	my $stack = $result->{stacks}{$method}{components};
	expect("$method adds up", sum0(values %$stack), $cycles);
	for my $component (sort keys %$stack) {
		next if $stack->{$component} >= 0 || ($component eq 'base' && $may_be_negative{$method});
		print "$method charges $stack->{$component} cycles to $component\n";
		$failures++;
	}
}
# In-order cores have no top-down view.
if (my $topdown = $result->{topdown}) {
	my $slots = $cycles * $topdown->{slots_per_cycle};
	expect("topdown $_ adds up", sum0(values %{$topdown->{$_}}), $slots) for qw(level1 level2);
}
if (my $stages = $result->{stages}) {
	expect("stage $_ adds up", sum0(values %{$stages->{$_}}), $cycles) for qw(dispatch issue commit);
}

my $exact = $result->{exact};
expect('exact adds up', sum0(values %{$exact->{causes}}), $cycles * $exact->{slots_per_cycle});
my (%functions, %threads, $executed);
for my $function (@{$exact->{functions}}) {
	my (%lines, $in_lines);
	for my $line (@{$function->{lines}}) {
		add(\%lines, $line->{slots});
		$in_lines += $line->{executed};
	}
	same_slots("lines of $function->{name}", \%lines, $function->{slots});
	expect("executed in lines of $function->{name}", $in_lines, $function->{executed});
	add(\%functions, $function->{slots});
	$executed += $function->{executed};
}
same_slots('functions', \%functions, $exact->{causes});
add(\%threads, $_->{slots}) for @{$exact->{threads}};
same_slots('threads', \%threads, $exact->{causes});
expect('instructions executed', $executed, $instructions) unless $result->{partial};
if (@{$exact->{intervals}}) {
	my %intervals;
	add(\%intervals, $_->{slots}) for @{$exact->{intervals}};
	same_slots('intervals', \%intervals, $exact->{causes});
	expect('cycles of intervals', sum0(map { $_->{cycles} } @{$exact->{intervals}}), $cycles);
	expect('instructions of intervals', sum0(map { $_->{instructions} } @{$exact->{intervals}}), $instructions);
}
if ($ARGV[1]) {
	my $without = load($ARGV[1]);
	expect("$_ with counters", $result->{values}{$_}, $without->{values}{$_}) for sort keys %{$without->{values}};
}
exit($failures ? 1 : 0);
