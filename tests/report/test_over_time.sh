#!/bin/bash
# The stack over time in the text: every line is the sum of its intervals in the result, its bar is as long as its CPI
# beside the highest, and what is left at the end of a run does not set the axis.
. "$(dirname "$0")/../head.sh"
needs_workloads

for run in "29 intervals 7k 200k" "28 equal ones 7k 196k" "many 500 200k" "one 200k 150k" "a short end that is slow 99900 100k"; do
	read -r limit interval < <(awk '{ print $NF, $(NF - 1) }' <<<"$run")
	for lines in 24 50; do
		COLUMNS=100 LINES=$lines LC_ALL=C "$cyclestack" run --counters exact --intervals "$interval" --max-insns "$limit" \
			--json r.json @hanoi:test >text 2>&1
		tap_is "$run, $lines lines" "$(perl -MJSON::PP -MList::Util=max,min -e 'local $/; open F, "<", "r.json";
			my @all = @{decode_json(<F>)->{exact}{intervals} // []};
			open T, "<", "text"; my ($part) = <T> =~ /^(Over time.*?)(?:\n\n|\z)/ms;
			my ($head, @shown) = grep { /^Over|^ *[0-9.]+[kM]? +[0-9.]+/ } split /\n/, $part;
			my ($count, $each, $full, $short) = $head =~
				/^Over time: (\d+) intervals, (\d+) a line; a full bar is CPI ([0-9.]+)(, the last line is a shorter time)?$/
				or die "no heading: $head";
			print "count $count\n" if $count != @all;
			my (@lines, $sum);
			while (my @some = splice(@all, 0, $each)) {
				my %line = (instructions => 0, cycles => 0);
				for my $i (@some) { $line{$_} += $i->{$_} for keys %line }
				$line{end} = $sum += $line{instructions};
				push @lines, { %line, cpi => $line{cycles} / $line{instructions} };
			}
			print "lines: " . @shown . " instead of " . @lines . "\n" if @shown != @lines;
			print "more than one fits a line, though there is space\n" if $each > 1 && $count <= $ENV{LINES} / 4;
			my $longest = max(map { $_->{instructions} } @lines);
			my $most = max(map { $_->{cpi} } grep { $_->{instructions} >= 0.9 * $longest } @lines);
			print "axis $full instead of $most\n" if abs($full - $most) > 0.0006;
			print "the last line\n" if !!$short ne !!($lines[-1]{instructions} < 0.9 * $longest);
			my ($width) = 100 - 15;
			for my $i (0 .. $#lines) {
				my ($end, $unit, $cpi, $bar) = $shown[$i] =~ /^ *([0-9.]+)([kM]?) +([0-9.]+) ?(\S*)/;
				$end *= { "" => 1, k => 1e3, M => 1e6 }->{$unit};
				print "line $i ends at $end, not $lines[$i]{end}\n" if abs($end - $lines[$i]{end}) > 0.006 * $lines[$i]{end};
				print "line $i has CPI $cpi, not $lines[$i]{cpi}\n" if abs($cpi - $lines[$i]{cpi}) > 0.0006;
				my $wanted = min(1, $lines[$i]{cpi} / $most) * $width;
				print "line $i has a bar of " . length($bar) . ", not $wanted\n" if abs(length($bar) - $wanted) > 0.51;
			}' 2>&1)" ""
	done
done
tap_done
