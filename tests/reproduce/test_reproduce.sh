#!/bin/bash
# time-limit: 1500
# `cyclestack reproduce`: every figure is there with what the paper states, claims say what the numbers say, the
# pictures are whole and the page opens in a browser.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs_workloads
export XDG_CACHE_HOME=$work/cache

"$cyclestack" reproduce >out 2>&1
tap_is "which paper?" "$? $(head -n 1 out)" "2 cyclestack: which paper? There is eyerman2006, chen2008, hough2006, danalis2017 (see: cyclestack reproduce --help)"
"$cyclestack" reproduce chen1999 >out 2>&1
tap_is "a paper that is not there" "$? $(head -n 1 out)" "2 cyclestack: there is no paper \"chen1999\"; there is eyerman2006, chen2008, hough2006, danalis2017 (see: cyclestack reproduce --help)"
"$cyclestack" reproduce eyerman2006 --size huge >out 2>&1
tap_is "a size that is not there" "$? $(head -n 1 out)" \
	"2 cyclestack: workload sizes are test, small and ref, not \"huge\" (see: cyclestack reproduce --help)"
"$cyclestack" reproduce eyerman2006 --size test --json none/r.json >out 2>&1
tap_is "nowhere to write is said before the work" "$?" 125

timeout --preserve-status -s INT 1 "$cyclestack" reproduce eyerman2006 --size test >out 2>&1
tap_is "interrupted with nothing finished" "$? $(grep -c 'interrupted before' out)" "130 1"

"$cyclestack" reproduce eyerman2006 --size test --json r.json --html r.html --pictures pictures >r.txt 2>r.err
tap_is "the twelve programs" "$? $(cat r.err)" "0 "
tap_is "its JSON satisfies its schema" "$(python3 "$root/tests/report/validate.py" "$root/docs/schemas" r.json)" "r.json: cyclestack-reproduce-1"
perl -MJSON::PP -MList::Util=sum0,max -e '
	local $/; open F, "<", "r.json"; my $r = decode_json(<F>);
	sub expect { my ($what, $ok) = @_; print(($ok ? "" : "not ") . "$what\n"); }
	my $j = $r->{judge}; my @p = @{$j->{programs}};
	expect("schema", $r->{schema} eq "cyclestack-reproduce-1" && $j->{schema} eq "cyclestack-judge-1");
	expect("paper", $r->{paper}{year} == 2006 && @{$r->{paper}{authors}} == 4 && $r->{paper}{title} && $r->{paper}{venue});
	expect("size", $r->{size} eq "test" && !$r->{partial});
	expect("twelve programs", @p == 12 && @{$r->{programs}} == 12);
	expect("$p[$_]{name} stands for $r->{programs}[$_]{paper}", $p[$_]{name} eq $r->{programs}[$_]{name}) for 0 .. 11;
	expect("the example is among them", grep { $_->{name} eq $r->{example} } @p);
	my %figure = map { $_->{id} => $_ } @{$r->{figures}};
	for my $id ((map { "figure-$_" } 1 .. 12), "table-1", "table-2") {
		expect("$id is there", $figure{$id} && $figure{$id}{title} && $figure{$id}{shows});
		expect("$id: what the paper states has a section", !grep { !$_->{text} || $_->{section} !~ /^(table )?\d/ } @{$figure{$id}{paper}});
		expect("$id: stated, or figure only", @{$figure{$id}{paper}} || $id eq "table-2");
	}
	expect("the machine is the paper\x27s: $_->{key}", $_->{paper} eq $_->{ours}) for @{$r->{machine}};
	my %plot = map { $_->{figure} => $_ } @{$r->{plots}};
	for my $n (2, 3, 5, 7, 8) {
		my $p = $plot{$n};
		expect("figure $n has a curve", $p && $p->{found} > 0);
		my $length = @{$p->{example}{useful_issued}};
		expect("figure $n is long enough", $p->{before} == 30 && $length >= 91);
		for my $part (qw(example mean)) {
			for my $s (qw(useful_issued dispatched useful_dispatched committed rob_used)) {
				expect("figure $n: $part of $s", @{$p->{$part}{$s}} == $length && !grep { $_ < 0 || $_ > 128 } @{$p->{$part}{$s}});
			}
		}
		expect("figure $n is from the program with most", $p->{found} == max(values %{$p->{found_by_program}}) &&
			$p->{found} == $p->{found_by_program}{$p->{program}});
		my ($what) = map { $_->{what} } grep { $_->{cycle} == 0 } @{$p->{example}{events}};
		expect("figure $n: its event is at 0", (({3 => "l1i", 5 => "branch", 7 => "long", 8 => "long"})->{$n} // $what) eq $what);
	}
	# Section 3: what must be seen around a miss.
	sub mean { my ($n, $s, $from, $to) = @_; my @x = @{$plot{$n}{mean}{$s}}[30 + $from .. 30 + $to]; sum0(@x) / @x }
	expect("dispatch stands still after an L1I miss", mean(3, "useful_dispatched", 8, 14) < mean(3, "useful_dispatched", -15, 0));
	expect("nothing useful is dispatched behind a misprediction", mean(5, "useful_dispatched", 1, 4) < 0.2);
	expect("issue ceases under a long miss", mean($_, "useful_issued", 120, 240) < 0.1) for 7, 8;
	expect("the window is full under it", mean($_, "rob_used", 120, 240) > 100) for 7, 8;
	expect("and it goes on when the data is there", mean($_, "committed", 262, 280) > 1) for 7, 8;

	my %claim = map { $_->{id} => $_ } @{$r->{claims}};
	expect("$_: complete", $claim{$_}{claim} && $claim{$_}{section} && $claim{$_}{test} && $claim{$_}{ours}) for keys %claim;
	expect("claims", keys %claim >= 14);
	expect("$_: a reason if it does not hold", $claim{$_}{holds} ? !exists $claim{$_}{reason} : $claim{$_}{reason}) for keys %claim;
	my $e = $j->{summary}{folded}{mean_error};
	sub agrees { my ($id, $holds) = @_; expect("$id is what the numbers say", $claim{$id} && !!$claim{$id}{holds} eq !!$holds) }
	agrees("order", $e->{naive} > $e->{"naive-nonspec"} && $e->{"naive-nonspec"} > $e->{power5} && $e->{power5} > $e->{fmt});
	for my $m (qw(fmt sfmt)) { agrees("$m-below-4", !grep { $_->{methods}{$m}{folded}{max_error} >= 0.04 } @p) }
	agrees("branch-order", !grep { my $x = $_->{per_event}{branch}; !($x->{power5} < $x->{naive} && $x->{naive} < $x->{fmt}) } @p);
	agrees("long-order", !grep { my $x = $_->{per_event}{l2d}; !($x->{naive} > 1.5 * $x->{power5} && $x->{power5} >= $x->{fmt}) } @p);
	agrees("l1i-delay", !grep { my $x = $_->{per_event}{l1i}{simulated}; $x < 7.5 || $x >= 9.5 } @p);
	agrees("overlap", (grep { $_->{overlap} <= 0.01 } @p) > 6 && max(map { $_->{overlap} } @p) <= 0.054);

	my ($older, $iside) = (0, 0);
	for my $i (0 .. 11) {
		my ($c, $l, $t) = ($r->{clearing}{programs}[$i], $p[$i]{sfmt_losses}, $p[$i]{truth}{a});
		expect("clearing, $p[$i]{name}", $c->{older_lost}{cycles} == $l->{"sfmt-resolve"}{older_lost} &&
			$c->{younger_lost}{cycles} == $l->{sfmt}{younger_lost} && $c->{wrong_path_kept}{cycles} == $l->{sfmt}{wrong_path_kept} &&
			$c->{iside} == $t->{l1i} + $t->{l2i} + $t->{itlb} &&
			abs($c->{older_lost}{of_run} - $c->{older_lost}{cycles} / $p[$i]{cycles}) < 1e-12);
		$older += $c->{older_lost}{cycles}; $iside += $c->{iside};
	}
	expect("clearing, all", $r->{clearing}{total}{older_lost}{cycles} == $older && $r->{clearing}{total}{iside} == $iside);
	my $share = sprintf "older counts worth %.1f %%", 100 * $older / $iside;
	expect("the answer has its numbers: $share", index($r->{clearing}{answer}, $share) >= 0);
' >checks.txt 2>&1
tap_is "what does not hold" "$(grep -v '^[A-Za-z@$]' checks.txt; grep '^not ' checks.txt)" ""
tap_check "it looked at all that" [ "$(wc -l <checks.txt)" -ge 160 ]

for figure in 1 2 3 5 7 8 12; do
	tap_check "figure $figure is a whole picture" perl -e '
		local $/; open F, "<", shift or exit 1; my $t = <F>;
		my $open = () = $t =~ /<(?:svg|title|desc|text)\b/g; my $close = () = $t =~ m(</(?:svg|title|desc|text)>)g;
		exit !($t =~ /^<svg xmlns/ && $t =~ m(</svg>\n\z) && $open == $close && $t !~ /nan|inf[^o]/i)' pictures/figure-$figure.svg
done
if [ "$("$root/tools/update-docs" --toolchain)" != "$(cat "$root/docs/toolchain")" ]; then
	tap_skip "the documentation has these pictures" "made with another cross compiler: $(cat "$root/docs/toolchain")"
else
	tap_is "the documentation has these pictures (else: tools/draw-pictures)" \
		"$(for picture in pictures/*; do cmp "$picture" "$root/docs/$picture" 2>&1; done)" ""
fi
missing=
for label in Figure\ {1,2,3,4,5,6,7,8,9,10,11,12} Table\ {1,2}; do
	grep -q "^$label\. " r.txt || missing="$missing $label"
done
tap_is "the text has every figure" "$missing" ""
tap_is "no line of the text is too wide" "$(awk 'length > 100' r.txt)" ""
tap_check "the text has the claims" grep -Eq '^(HOLDS|DOES NOT HOLD): ' r.txt

chromium=${CHROMIUM:-$(command -v chromium)}
if [ -z "$chromium" ] || ! command -v node >/dev/null; then
	tap_skip "the page in a browser" "no chromium or no node"
elif ! "$root/tests/page/install" "$BUILD/page-tests" >log 2>&1; then
	tap_skip "the page in a browser" "$(tail -n 1 log)"
else
	tap_is "the page in a browser" "$(CHROMIUM=$chromium PLAYWRIGHT=$BUILD/page-tests timeout 60 \
		node "$root/tests/reproduce/open_page.mjs" r.html 2>&1)" "ok"
fi
tap_done
