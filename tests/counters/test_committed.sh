#!/bin/bash
# Where a run is cut off, instructions in flight were not executed: functions, lines and annotated
# instructions count what committed, and a function that never ran has no CPI.
. "$(dirname "$0")/../head.sh"
needs_workloads

# sums FILE: the instructions of the run, of its functions and of their lines, as JSON has them.
sums() {
	perl -MJSON::PP -e 'local $/; my $r = decode_json(<>); my ($f, $l) = (0, 0);
		for my $x (@{$r->{exact}{functions}}) { $f += $x->{executed}; $l += $_->{executed} for @{$x->{lines}} }
		print "$r->{values}{instructions} $f $l\n"' "$1"
}

for preset in eyerman2006 bigcore chen2008 leon2 littlecore u74; do
	for cut in "--max-insns 1" "--max-insns 1000" "--max-insns 12345" "--roi main" "--roi main --max-insns 500" \
		"--skip 1000 --max-insns 777" "--skip 0"; do
		# shellcheck disable=SC2086
		"$cyclestack" run $cut --config "$preset" --json cut.json @hanoi:test >cut.txt 2>&1
		read -r run functions lines < <(sums cut.json)
		tap_is "$preset $cut: functions and lines add up to what committed" "$functions $lines" "$run $run"
	done
done
# The function that --roi names returns to its caller, which is in flight by then: it has the slots it was dispatched in.
for preset in leon2 eyerman2006; do
	"$cyclestack" run --roi main --config "$preset" --functions 1000 --csv roi.csv @hanoi:test >roi.txt 2>&1
	tap_is "$preset: the caller of --roi was not executed" \
		"$(awk -F, '$1 == "function" && $3 == "__libc_start_call_main" { print $8 }' roi.csv | sort -u)" 0
	tap_is "$preset: and has no CPI" "$(awk '$1 == "__libc_start_call_main" { print $3 }' roi.txt)" -
done
tap_done
