#!/bin/bash
# `cyclestack reproduce danalis2017`: every figure and table is there, our numbers are those of the inspection, and the
# claims are decided by them.
# time-limit: 1500
. "$(dirname "$0")/../head.sh"
[ "${FULL:-0}" = 1 ] || tap_skip_all "minutes long: FULL=1, or tools/evaluate danalis2017"
[ -f "$BUILD/kernels/collect" ] || tap_skip_all "no cross compiler"

"$cyclestack" reproduce danalis2017 --json r.json --html r.html --pictures pictures >r.txt 2>r.err
tap_is "status" "$? $(cat r.err)" "0 "
tap_is "its JSON satisfies its schema" "$(python3 "$root/tests/report/validate.py" "$root/docs/schemas" r.json)" "r.json: cyclestack-reproduce-1"
perl -MJSON::PP -e '
	local $/; open F, "<", "r.json"; my $r = decode_json(<F>);
	sub expect { my ($what, $ok) = @_; print(($ok ? "" : "not ") . "$what\n"); }
	my %figure = map { $_->{id} => $_ } @{$r->{figures}};
	expect("$_ is there", $figure{$_}) for "section-2", (map { "figure-$_" } 10, 12 .. 17), "table-1";
	expect("$_->{id} is decided", defined $_->{holds}) for @{$r->{claims}};
	my %claim = map { $_->{id} => $_->{holds} } @{$r->{claims}};
	expect("$_ holds", $claim{$_}) for qw(retired mispredicted executed table-1 sharp);
	# The caches of haswell-like, as its configuration has them; no code of ours fills 32 MB.
	my $m = $r->{inspection}{machine};
	expect("caches of data", "@{$m->{data_bytes}}" eq "32768 262144 33554432");
	expect("caches of instructions: no capacity that is none", "@{$m->{instruction_bytes}}" eq "32768 262144");
	expect("line and page", $m->{line_bytes} == 64 && $m->{page_bytes} == 4096);
	# What the report says of an event is what the inspection has.
	my ($e) = grep { $_->{name} eq "branches.conditional" } @{$r->{inspection}{events}};
	expect("two branches retire", abs($e->{slopes}{$_} - 2) < 0.01) for qw(branch_plain branch_random branch_random_work);
' >checks.txt 2>&1
tap_is "what does not hold" "$(grep '^not ' checks.txt)" ""
tap_check "it looked at all that" [ "$(wc -l <checks.txt)" -ge 25 ]
tap_is "the report gives the retired branches" "$(grep -c 'CR, ours  *2.00  *2.00  *2.00  *2.00  *2.00  *2.00  *1.00' r.txt)" 1
tap_check "the page has the verdicts" grep -q 'id="verdicts"' r.html
tap_is "pictures" "$(cd pictures && echo *)" \
	"figure-10.svg figure-12.svg figure-13.svg figure-14.svg figure-15.svg figure-17.svg"
tap_done
