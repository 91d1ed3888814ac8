#!/usr/bin/perl
# compare_limits.pl LIMITED.json UNLIMITED.json LIMITED-IDEAL.json UNLIMITED-IDEAL.json: two results of `run` for one
# program on one machine, with and without a limit on branches in flight. If both take the same cycles, every share of
# the cycles must be the same; it prints those that are not. In any case stacks add up and nothing is negative. The
# last line says whether the two were compared. Status 1 if anything does not hold.
#
# The stack at commit depends on the core's state alone, not on what dispatch is charged to. Where it differs, so do the
# oldest instructions, and the rest may differ as much; by more than a hundredth, it is another run.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(max sum0);

my $failures = 0;

sub load {
	my ($path) = @_;
	open(my $file, '<', $path) or die "$path: $!\n";
	local $/;
	return decode_json(<$file>);
}

sub fail {
	print @_, "\n";
	$failures++;
}

# Adds the shares of a group to those of the result; they must add up to 1, to within rounding.
sub take {
	my ($shares, $group, $parts, $whole) = @_;
	my $sum = sum0(values %$parts);
	fail("$group adds up to $sum of $whole") if $sum != $whole;
	for my $part (sort keys %$parts) {
		$shares->{$group}{$part} = $parts->{$part} / $whole;
		fail("$group: $part is $parts->{$part}")
			if $parts->{$part} < 0 && $group !~ /^(naive|naive-nonspec|fmt-published)$/;
	}
}

sub shares_of {
	my ($result) = @_;
	my $cycles = $result->{values}{cycles};
	my %shares;
	take(\%shares, $_, $result->{stacks}{$_}{components}, $cycles) for keys %{$result->{stacks}};
	take(\%shares, "stage $_", $result->{stages}{$_}, $cycles) for keys %{$result->{stages}};
	take(\%shares, "topdown $_", $result->{topdown}{$_}, $cycles * $result->{topdown}{slots_per_cycle})
		for qw(level1 level2);
	take(\%shares, 'causes', $result->{exact}{causes}, $cycles * $result->{exact}{slots_per_cycle});
	return \%shares;
}

# The largest difference of a group's shares, and where it is.
sub largest {
	my ($a, $b) = @_;
	my ($most, $where) = (0, '');
	for my $part (keys %$a) {
		my $difference = abs($a->{$part} - $b->{$part});
		($most, $where) = ($difference, $part) if $difference > $most;
	}
	return ($most, $where);
}

my ($limited, $unlimited, @ideal) = map { load($_) } @ARGV;
my ($with, $without) = (shares_of($limited), shares_of($unlimited));
my $cycles = $unlimited->{values}{cycles};
my ($state) = largest($with->{'stage commit'}, $without->{'stage commit'});
my $same = abs($limited->{values}{cycles} - $cycles) <= 0.001 * $cycles && $state <= 0.01;
# What retimed and vclk call base is the time without misses. The limit may lengthen it.
my $same_base = abs($ideal[0]{values}{cycles} - $ideal[1]{values}{cycles}) <= 0.001 * $cycles;

for my $group (sort keys %$with) {
	# These count misses, not cycles; how often fetch asks for a line depends on the limit.
	next if !$same || $group =~ /^naive/;
	next if !$same_base && $group =~ /^(retimed|vclk)$/;
	# A hundredth, and what rounding to whole cycles and the first and last window make of it.
	my $most = 0.0125 + $state;
	# An instruction without operands to wait for issues when it arrives: behind another oldest instruction, if
	# that is later. Only slots that are used can move.
	$most += $limited->{values}{instructions} / $cycles / $limited->{topdown}{slots_per_cycle} if $group eq 'stage issue';
	# Hardware does not know of instructions that arrive late at full width.
	$most += 0.015 if $group =~ /fmt/;
	my ($difference, $where) = largest($with->{$group}, $without->{$group});
	fail(sprintf('%s: %s is %.4f instead of %.4f', $group, $where, $with->{$group}{$where},
		$without->{$group}{$where})) if $difference > $most;
}
print $same ? $same_base ? "compared\n" : "compared but for base\n" : "another run\n";
exit($failures ? 1 : 0);
