#!/bin/bash
# time-limit: 1500
# `cyclestack model`: a trace and its program give the same numbers, points add up and are those of the grid, the
# simulated points are those of `run`, what is wrong is said, and the result has its layout.
. "$(dirname "$0")/../head.sh"
needs_workloads
model=("$cyclestack" model --config chen2008)

"${model[@]}" --grid rob.size=64,128,256 --grid l2.mshrs=4,16,unlimited --grid memory.latency_cycles=100,400 \
	--explain --json grid.json --html grid.html @netflow:test >grid.txt 2>err
tap_is "a grid of eighteen points" "$? $(cat err)" "0 "
"$cyclestack" trace record --output n.trace @netflow:test >/dev/null 2>&1
"${model[@]}" --grid rob.size=64,128,256 --grid l2.mshrs=4,16,unlimited --grid memory.latency_cycles=100,400 \
	--explain --json trace.json n.trace >trace.txt 2>err
tap_is "the same of a trace" "$? $(cat err)" "0 "
tap_check "gives the same bytes" cmp grid.json trace.json
tap_check "and the same text" cmp grid.txt trace.txt
tap_is "its drawings name the parameter on the axis" "$(grep -o '>[a-z0-9]*\.[a-z_]*</text>' grid.html | tr -d '<>' | sed 's,/text,,' | paste -sd' ')" \
	"$(python3 -c 'import json
print(*json.load(open("grid.json"))["points"][0]["set"])')"
tap_is "the page has every design point" "$(grep -c '^<tr>.*swam-mlp, pending hits, distance' grid.html)" 18
"${model[@]}" --set rob.size=128 --set l2.mshrs=16 --set memory.latency_cycles=400 --json one.json @netflow:test >/dev/null
"${model[@]}" --grid l2.size_bytes=64k,128k,1M --technique plain --technique swam --json sizes.json @netflow:test >sizes.txt
"${model[@]}" --pending-hits off --compensation none --json off.json @netflow:test >/dev/null
"${model[@]}" --explain --technique plain --json explain-plain.json @netflow:test >/dev/null
"${model[@]}" --explain --compensation 1/2 --json explain-fixed.json @netflow:test >/dev/null
"${model[@]}" --explain --technique timeline --json explain-timeline.json @netflow:test >/dev/null
"${model[@]}" --against --grid l2.mshrs=unlimited,8 --jobs 1 --json against.json @netflow:test >against.txt 2>err
tap_is "against simulation" "$? $(cat err)" "0 "
"$cyclestack" model --max-insns 200k --technique retime --technique timeline --json retime.json @netflow:test >/dev/null 2>&1
"$cyclestack" run --counters none --max-insns 200k --json retimed.json @netflow:test >/dev/null 2>&1
"${model[@]}" --against --jobs 1 --max-insns 500k --json branches.json @lzpack:test >/dev/null 2>&1
ideal=(--set ideal.branch=true --set ideal.l1i=true --set ideal.itlb=true)
run=("$cyclestack" run --config chen2008 --counters none)
"${run[@]}" --json whole.json @netflow:test >/dev/null 2>&1
"${run[@]}" "${ideal[@]}" --set ideal.l2d=true --json base.json @netflow:test >/dev/null 2>&1
"${run[@]}" "${ideal[@]}" --set l2.mshrs=8 --json eight.json @netflow:test >/dev/null 2>&1
perl -MJSON::PP -MList::Util=sum0 -e '
	sub load { local $/; open my $f, "<", shift; decode_json(<$f>) }
	sub expect { my ($what, $ok) = @_; print(($ok ? "" : "not ") . "$what\n"); }
	sub close_to { abs($_[0] - $_[1]) < 1e-9 }
	my ($g, $one, $sizes, $off, $a) = map { load("$_.json") } qw(grid one sizes off against);
	expect("schema", $g->{schema} eq "cyclestack-model-1");
	my @p = @{$g->{points}};
	expect("eighteen points", @p == 18);
	expect("different ones", 18 == keys %{{map { join(" ", map { "$_=$p[0]{set}{$_}" } ()) . encode_json([map { $_ } @{$_->{set}}{sort keys %{$_->{set}}}]) => 1 } @p}});
	for my $p (@p, @{$sizes->{points}}, @{$a->{points}}) {
		expect("components add up", close_to(sum0(values %{$p->{components}}), $p->{cpi}));
		expect("the four components", "base branch dmiss icache" eq join " ", sort keys %{$p->{components}});
		my $d = $p->{detail};
		expect("windows end in one way", $d->{full_windows} + $d->{mshr_windows} <= $d->{windows});
		expect("chains and windows", $d->{windows} <= $d->{serialized_misses} && $d->{serialized_misses} <= $d->{load_misses});
	}
	my ($same) = grep { $_->{set}{"rob.size"} eq "128" && $_->{set}{"l2.mshrs"} eq "16" && $_->{set}{"memory.latency_cycles"} eq "400" } @p;
	expect("a point is what it is alone", close_to($same->{cpi}, $one->{points}[0]{cpi}));
	for my $p (@p) {
		my ($less) = grep { $_->{set}{"memory.latency_cycles"} eq "100" && $_->{set}{"rob.size"} eq $p->{set}{"rob.size"} &&
			$_->{set}{"l2.mshrs"} eq $p->{set}{"l2.mshrs"} } @p;
		expect("more latency, the same chains", $less->{detail}{serialized_misses} == $p->{detail}{serialized_misses} &&
			$less->{cpi} <= $p->{cpi});
	}
	expect("six points by cache size and technique", @{$sizes->{points}} == 6);
	expect("a larger cache misses less", $sizes->{points}[0]{detail}{load_misses} > $sizes->{points}[4]{detail}{load_misses});
	expect("three labellings", $sizes->{points}[0]{detail}{labellings} == 3 && $p[0]{detail}{labellings} == 1);
	expect("no compensation", $off->{points}[0]{detail}{compensation_cycles} == 0);
	my ($whole, $base, $eight) = map { my $v = load("$_.json")->{values}; $v->{cycles} / $v->{instructions} } qw(whole base eight);
	my ($u, $e) = @{$a->{points}};
	expect("simulated.cpi is the whole machine", close_to($u->{simulated}{cpi}, $whole));
	expect("simulated base", close_to($u->{simulated}{components}{base}, $base));
	expect("simulated.dmiss is that of eight MSHRs", close_to($e->{simulated}{components}{dmiss}, $eight - $base));
	expect("error of dmiss", close_to($e->{error}{dmiss}, $e->{components}{dmiss} / ($eight - $base) - 1));
	expect("base within a fifth of the simulated", abs($u->{components}{base} / $base - 1) < 0.2);
	my ($retimed, $others) = map { my $t = $_; grep { $_->{technique} =~ /^$t/ } @{load("retime.json")->{points}} } qw(retime timeline);
	my $v = load("retimed.json")->{values};
	my $cpi = $v->{cycles} / $v->{instructions};
	expect("the terms of retiming add up", close_to(sum0(values %{$retimed->{components}}), $retimed->{cpi}));
	expect("retimed within a tenth of the simulated", abs($retimed->{cpi} / $cpi - 1) < 0.1);
	expect("and nearer than the timeline", abs($retimed->{cpi} - $cpi) < abs($others->{cpi} - $cpi));
	my $b = load("branches.json")->{points}[0];
	expect("branch within a tenth of the simulated", abs($b->{components}{branch} / $b->{simulated}{components}{branch} - 1) < 0.1);
	my $x = $g->{explanation};
	expect("lines and windows are explained", @{$x->{lines}} > 3 && @{$x->{windows}} == 10);
	expect("lines have functions", $x->{lines}[0]{function} eq "main" && $x->{lines}[0]{line} > 0);
	for my $y ($x, map { load("explain-$_.json")->{explanation} } qw(plain fixed timeline)) {
		expect("a chain is as long as it says", !grep { @{$_->{chain}} < 16 && sum0(map { $_->{misses} } @{$_->{chain}}) != $_->{serialized_misses} } @{$y->{windows}});
		expect("a chain begins with what depends on nothing", !grep { @{$_->{chain}} < 16 && ($_->{chain}[0]{depends_on} ne "nothing" || $_->{chain}[0]{misses} != 1) } @{$y->{windows}});
		expect("only its first miss does", !grep { grep { $_->{depends_on} eq "nothing" } @{$_->{chain}}[1 .. $#{$_->{chain}}] } @{$y->{windows}});
		expect("serialized misses by what they depend on", !grep { sum0(values %{$_->{depends_on}}) != $_->{serialized_misses} } @{$y->{lines}}, @{$y->{functions}});
		expect("a line is one row", @{$y->{lines}} == keys %{{map { $_->{line} ? ("$_->{function} $_->{file} $_->{line}" => 1) : ($_ => 1) } @{$y->{lines}}}});
		expect("lines are in order", !grep { $y->{lines}[$_ - 1]{cycles} < $y->{lines}[$_]{cycles} } 1 .. $#{$y->{lines}});
		expect("main has nearly all", abs($y->{functions}[0]{cycles} / $y->{cycles} - 1) < 0.05 && $y->{functions}[0]{function} eq "main");
		expect("a share is of all cycles", !grep { !close_to($_->{share}, $_->{cycles} / $y->{cycles}) } @{$y->{lines}}, @{$y->{functions}}, @{$y->{windows}}, @{$y->{ends}});
	}
	my $first = $g->{points}[0];
	expect("cycles are those of dmiss", close_to($x->{cycles} / $g->{instructions}, $first->{components}{dmiss}));
	expect("windows by what ended them are all", abs(sum0(map { $_->{cycles} } @{$x->{ends}}) / $x->{cycles} - 1) < 1e-9 &&
		sum0(map { $_->{windows} } @{$x->{ends}}) == $first->{detail}{windows} &&
		sum0(map { $_->{serialized_misses} } @{$x->{ends}}) == $first->{detail}{serialized_misses});
	expect("with four MSHRs they end windows", grep { $_->{ended_by} eq "MSHRs taken" && $_->{windows} == $first->{detail}{mshr_windows} } @{$x->{ends}});
' >checks.txt 2>&1
tap_is "what does not hold" "$(grep -v -e '^[a-z]' checks.txt; grep '^not ' checks.txt)" ""
tap_check "it looked at all that" [ "$(wc -l <checks.txt)" -ge 130 ]

fails() {
	local name=$1 wanted=$2
	shift 2
	"${model[@]}" "$@" >out 2>err
	tap_is "$name" "$? $(wc -l <err) $(grep -c -- "$wanted" err)" "2 1 1"
}
fails "a parameter that is not there" 'rob.sise' --grid rob.sise=1 @netflow:test
fails "a value out of range" 'rob.size' --grid rob.size=64,99999 @netflow:test
fails "no value" 'KEY=VALUE' --grid rob.size @netflow:test
fails "another technique" 'swam-mlp' --technique sam @netflow:test
fails "another compensation" 'distance' --compensation 1/3 @netflow:test
fails "a trace cannot be simulated" 'needs the program' --against n.trace
fails "no program" 'which program'
techniques=(--technique swam-mlp --technique timeline --explain)
"${model[@]}" --grid rob.size=64,256 "${techniques[@]}" --save-skeleton n.skeleton --json made.json n.trace >made.txt 2>err
tap_is "a skeleton is saved" "$? $(cat err)" "0 "
"${model[@]}" --grid rob.size=64,256 "${techniques[@]}" --skeleton n.skeleton --json used.json n.trace >used.txt 2>err
tap_is "and used" "$? $(cat err)" "0 "
tap_check "it gives the same bytes" cmp made.json used.json
tap_check "and the same explanation" cmp made.txt used.txt
others=(--grid rob.size=256,64 --grid l2.mshrs=3,7 --grid memory.latency_cycles=150,333 --technique timeline)
"${model[@]}" "${others[@]}" --json anew.json n.trace >/dev/null 2>&1
"${model[@]}" "${others[@]}" --skeleton n.skeleton --json others.json n.trace >/dev/null 2>&1
tap_check "points it was not made with are as from the trace" cmp anew.json others.json
refuses() {
	local name=$1 wanted=$2
	shift 2
	"${model[@]}" "$@" >out 2>err
	tap_is "$name" "$? $(wc -l <err) $(grep -c -- "$wanted.*--save-skeleton" err) $(wc -c <out)" "125 1 1 0"
}
refuses "a window it does not have" 'rob.size=100' --set rob.size=100 --skeleton n.skeleton n.trace
refuses "other caches" 'other caches' --set l2.size_bytes=64k --skeleton n.skeleton n.trace
refuses "other units" 'units' --set int_alu.count=1 --skeleton n.skeleton n.trace
refuses "a technique it does not have" 'technique' --pending-hits off --skeleton n.skeleton n.trace
"$cyclestack" trace record --max-insns 5000 --output other.trace @netflow:test >/dev/null 2>&1
refuses "another trace" 'another trace' --skeleton n.skeleton other.trace
refuses "a file that is no skeleton" 'is no file' --skeleton n.trace n.trace
fails "a program has no skeleton" 'need a trace' --skeleton n.skeleton @netflow:test
head -c 100000 n.trace >cut.trace
"${model[@]}" cut.trace >out 2>err
tap_is "a trace that is cut off" "$? $(wc -l <err) $(grep -c 'byte [0-9]' err) $(wc -c <out)" "125 1 1 0"
"$cyclestack" model --config chen2008 --set core.kind=inorder @netflow:test >out 2>err
tap_is "an in-order core" "$? $(grep -c 'out-of-order' err)" "125 1"
tap_done
