#!/bin/bash
# time-limit: 1500
# `cyclestack reproduce chen2008`: every figure is there, errors are what they are said to be, and the machine is the
# paper's. At size test most of the workloads have few long misses; size small is for `make evaluate`.
. "$(dirname "$0")/../head.sh"
needs_workloads

"$cyclestack" reproduce chen2008 --size test --json r.json --html r.html --pictures pictures >r.txt 2>r.err
tap_is "the ten programs" "$? $(cat r.err)" "0 "
tap_is "its JSON satisfies its schema" "$(python3 "$root/tests/report/validate.py" "$root/docs/schemas" r.json)" "r.json: cyclestack-reproduce-1"
tap_is "every claim that does not hold has a reason" "$(grep -c '^reason: ' r.txt)" "$(grep -c '^DOES NOT HOLD' r.txt)"
tap_check "the size is said to be too small" grep -q '^Size test is too small to judge claims by: 10 of 10 programs execute' r.txt
perl -MJSON::PP -MList::Util=sum0 -e '
	local $/; open F, "<", "r.json"; my $r = decode_json(<F>);
	sub expect { my ($what, $ok) = @_; print(($ok ? "" : "not ") . "$what\n"); }
	my @p = @{$r->{misses}{programs}};
	expect("ten programs", @p == 10 && @{$r->{programs}} == 10);
	expect("$p[$_]{name} stands for $r->{programs}[$_]{paper}", $p[$_]{name} eq $r->{programs}[$_]{name}) for 0 .. 9;
	my %figure = map { $_->{id} => $_ } @{$r->{figures}};
	for my $id ((map { "figure-$_" } 1, 3, 5, 8 .. 13), "table-1", "table-2") {
		expect("$id is there", $figure{$id} && $figure{$id}{title} && $figure{$id}{shows});
	}
	expect("the machine is the paper\x27s: $_->{key}", $_->{paper} eq $_->{ours}) for @{$r->{machine}};
	expect("four latencies", @{$r->{misses}{latencies}} == 4);
	my ($small, $large) = @{$r->{misses}{l2_sizes}};
	expect("a larger L2 loses less", $large->{name} eq "512 KB" && $large->{simulated} < $small->{simulated} &&
		$large->{swam} < $small->{swam});
	expect("the smaller one is the machine\x27s", $small->{simulated} == $r->{misses}{latencies}[1]{simulated});
	for my $m (qw(unlimited mshrs_16 mshrs_8)) {
		for my $t (sort keys %{$p[0]{modelled}}) {
			for my $p (@p) {
				my $d = $p->{dmiss}{$m};
				expect("$p->{name}, $t, $m: error", abs($p->{errors}{$t}{$m} - ($p->{modelled}{$t}{$m} - $d) / $d) < 1e-9);
			}
			my $mean = sum0(map { abs $_->{errors}{$t}{$m} } @p) / @p;
			expect("$t, $m: mean", abs($r->{misses}{summary}{"mean_error_$m"}{$t} - $mean) < 1e-9);
			my %tuned = map { ("\@$_:test" => 1) } qw(ssor sparsemv stencil hospital netflow);
			for my $set (["tuned", grep { $tuned{$_->{name}} } @p], ["held_out", grep { !$tuned{$_->{name}} } @p]) {
				my ($kind, @some) = @$set;
				expect("$t, $m: $kind", @some == 5 && abs($r->{misses}{summary}{"${kind}_error_$m"}{$t} -
					sum0(map { abs $_->{errors}{$t}{$m} } @some) / 5) < 1e-9);
			}
			my ($g, $h) = map { $r->{misses}{summary}{"${_}_error_$m"}{$t} } qw(geometric harmonic);
			my @e = map { abs $_->{errors}{$t}{$m} } @p;
			my $has_zero = grep { $_ == 0 } @e;
			expect("$t, $m: geometric mean", abs($g - ($has_zero ? 0 : exp(sum0(map { log $_ } @e) / @e))) < 1e-9);
			expect("$t, $m: harmonic mean", abs($h - ($has_zero ? 0 : @e / sum0(map { 1 / $_ } @e))) < 1e-9);
		}
	}
	for my $p (@p) {
		my $sum = $p->{base} + $p->{branch} + $p->{icache} + $p->{dmiss}{unlimited};
		expect("$p->{name}: isolated sum", abs($sum - $p->{isolated_sum}) < 1e-9);
		expect("$p->{name}: fewer MSHRs never lose less", $p->{dmiss}{unlimited} <= $p->{dmiss}{mshrs_16} * 1.01 + 1e-4 &&
			$p->{dmiss}{mshrs_16} <= $p->{dmiss}{mshrs_8} * 1.01 + 1e-4);
		expect("$p->{name}: errors of base", abs($p->{base} * (1 + $p->{base_curve_error}) - $p->{analytic}{base}) < 1e-9 &&
			abs($p->{base} * (1 + $p->{base_width_error}) - 0.25) < 1e-9);
		expect("$p->{name}: base is modelled within a fifth", abs($p->{analytic}{base} / $p->{base} - 1) < 0.2);
	}
	expect("every claim is decided", !grep { !defined $_->{holds} } @{$r->{claims}});
' >checks.txt 2>&1
tap_is "what does not hold" "$(grep '^not ' checks.txt)" ""
tap_check "it looked at all that" [ "$(wc -l <checks.txt)" -ge 500 ]
tap_check "the page has the verdicts" grep -q 'id="verdicts"' r.html
tap_is "pictures" "$(cd pictures && echo *)" "figure-1.svg figure-10.svg figure-11.svg figure-3.svg figure-5.svg figure-8.svg"
tap_done
