#!/bin/bash
# run --causal, on programs whose answers follow from their instructions: the curve of a line on the critical path is a
# straight line, one beside it is flat; nothing else of the result changes; the same bytes with one copy or two.
. "$(dirname "$0")/../head.sh"
needs "$cross"

# A chain of divisions, 12 cycles each on midcore, beside multiplications that nobody waits for.
cat >chain.S <<'END'
	.globl _start
	.type _start, @function
_start:	li s1, 20000
	li s0, -1
	li s2, 1
again:	divu s0, s0, s2
	mul s5, s2, s2
	addi s1, s1, -1
	bnez s1, again
	li a0, 0
	li a7, 93
	ecall
	.size _start, . - _start
END
# A branch on bits that no predictor knows.
cat >branch.S <<'END'
	.globl _start
	.type _start, @function
_start:	li s0, 12345
	li s1, 20000
	li s2, 1103515245
again:	mul s0, s0, s2
	addi s0, s0, 1023
	srli t0, s0, 40
	andi t0, t0, 1
	beqz t0, 1f
	addi s3, s3, 1
	xor s4, s4, s3
1:	addi s1, s1, -1
	bnez s1, again
	li a0, 0
	li a7, 93
	ecall
	.size _start, . - _start
END
# The chain, with a write of nothing after every 250 divisions: a thousand instructions.
cat >calls.S <<'END'
	.globl _start
	.type _start, @function
_start:	li s3, 60
	li s0, -1
	li s2, 1
more:	li s1, 250
again:	divu s0, s0, s2
	mul s5, s2, s2
	addi s1, s1, -1
	bnez s1, again
	li a0, 1
	mv a1, sp
	li a2, 0
	li a7, 64
	ecall
	addi s3, s3, -1
	bnez s3, more
	li a0, 0
	li a7, 93
	ecall
	.size _start, . - _start
END
for program in chain branch calls; do
	"$cross" -g -nostdlib -static -o "$program" "$program.S" 2>log || tap_skip_all "no program: $(cat log)"
done
line_of() {
	grep -n -m 1 "$2" "$1.S" | cut -d: -f1
}

# run OPTION...: its JSON in result.json.
run() {
	"$cyclestack" run -q --json result.json "$@" >/dev/null 2>err
}

# points N: the gains and errors of a place, 0 % of its time first.
points() {
	perl -MJSON::PP -0777 -ne 'my $r = decode_json($_)->{causal};
		print map { "$_->{left} $_->{gain} $_->{error}\n" } @{$r->{places}['"$1"']{points}}' result.json
}

# curve NAME PLACE TIMES: the program's time, in percent, with 0, 25, 50 and 75 % of the place's, is within what is said,
# and what is said is at most 3 %.
curve() {
	tap_is "$1" "$(points "$2" | awk -v times="$3" 'BEGIN { count = split(times, time) }
		{
			off = 100 * (1 - $2) - time[NR]
			off = off < 0 ? -off : off
			if (off > 100 * $3 || $3 > 0.03)
				printf "at %s: %.2f +- %.2f, not %s; ", $1, 100 * (1 - $2), 100 * $3, time[NR]
		}
		END { if (NR != count) printf "%d points", NR }')" ""
}

# Each division takes 12 cycles, and 9, 6, 3 and, without time, 1: the run is shorter by what they take less.
divide=chain.S:$(line_of chain divu) multiply=chain.S:$(line_of chain mul)
run --config midcore --causal="$divide" --causal="$multiply" chain
tap_check "a line on the critical path and one beside it are asked for" test -s result.json
times=$(perl -MJSON::PP -0777 -ne 'my $cycles = decode_json($_)->{values}{cycles};
	printf "%.3f ", 100 * (1 - 20000 * $_ / $cycles) for 11, 9, 6, 3' result.json)
curve "the curve of the division is a straight line ($times)" 0 "$times"
curve "the curve of the multiplication is flat" 1 "100 100 100 100"
tap_check "the sentence comes first" \
	grep -q "^If $divide in _start took no time, the program would take 84.[0-9] % less" \
	<("$cyclestack" run --config midcore --causal="$divide" chain 2>/dev/null)

# Half of the mispredictions are half of their cycles.
slow=branch.S:$(line_of branch beqz)
run --config midcore --causal="$slow" branch
tap_is "a branch that nobody can predict is nearly straight, too" "$(points 0 | awk '
	{ gain[NR] = $2 }
	END {
		for (i = 2; i <= 4; i++) {
			part = gain[i] / gain[1]
			if (part < (4 - (i - 1)) / 4 - 0.1 || part > (4 - (i - 1)) / 4 + 0.1)
				printf "%d: %.3f of %.3f; ", i, gain[i], gain[1]
		}
		if (gain[1] < 0.3)
			printf "%.3f is no large gain", gain[1]
	}')" ""
mispredictions() {
	"$cyclestack" run -q --counters none --config midcore --json - "$@" branch |
		perl -MJSON::PP -0777 -ne 'print decode_json($_)->{values}{"branches.mispredicted"}'
}
at=$(perl -MJSON::PP -0777 -ne 'print decode_json($_)->{causal}{places}[0]{at}' result.json)
all=$(mispredictions) left=$(mispredictions --set "ideal.at=$at:branch=25%")
tap_check "a quarter of the mispredictions is left ($all, $left)" test $((100 * left)) -gt $((22 * all)) -a \
	$((100 * left)) -lt $((29 * all))

# Where the program calls the system again and again, each window ends at a call.
run --config midcore --causal="calls.S:$(line_of calls divu)" calls
tap_is "with a call every thousand instructions it gains as much" "$(points 0 | awk '
	{ if ($2 < 0.2 * (5 - NR) || $2 > 0.25 * (5 - NR) || $3 > 0.1) printf "%s: %.3f +- %.3f; ", $1, $2, $3 }
	END { if (NR != 4) printf "%d points", NR }')" ""

# The hottest lines, of a workload if there is one.
program=chain
"$cyclestack" workloads --elf hanoi >/dev/null 2>&1 && program=@netflow:test
for limit in 30k 700k; do
	run --causal --threads 1 --max-insns $limit $program
	mv result.json one.json
	run --causal --threads 2 --max-insns $limit $program
	tap_check "the same bytes with one copy at a time or two, $limit" cmp one.json result.json
	run --max-insns $limit $program
	tap_is "all else is as without --causal, $limit" "$(perl -MJSON::PP -0777 -ne '
		my $r = decode_json($_);
		delete $r->{causal};
		print JSON::PP->new->canonical->encode($r)' one.json | cksum)" "$(perl -MJSON::PP -0777 -ne '
		print JSON::PP->new->canonical->encode(decode_json($_))' result.json | cksum)"
done
run --causal=3 --max-insns 300k $program
tap_is "so many lines as are asked for, the hottest first" "$(perl -MJSON::PP -0777 -ne '
	my @slots = map { $_->{slots} } @{decode_json($_)->{causal}{places}};
	print "$_ " for scalar @slots, "@slots" eq "@{[sort { $b <=> $a } @slots]}" || "@slots"' result.json)" "3 1 "
run --causal=_start --causal=1 chain
tap_is "a function, and the hottest line beside it" "$(perl -MJSON::PP -0777 -ne '
	my @places = @{decode_json($_)->{causal}{places}};
	print "$places[0]{named} $places[1]{line} ", scalar @places' result.json)" "_start $(line_of chain divu) 2"

# refuses STATUS SENTENCE OPTION...
refuses() {
	local expected=$1 sentence=$2
	shift 2
	"$cyclestack" run -q --json refused.json "$@" >/dev/null 2>err
	tap_is "refused: $*" "$? $(grep -c -F -e "$sentence" err) $([ -e refused.json ] && echo left)" "$expected 1 "
}
refuses 2 'at most 32 lines can be asked for' --causal=32 --causal=_start chain
refuses 2 '--causal: "0"' --causal=0 chain
refuses 2 '--causal: "33"' --causal=33 chain
refuses 2 'was given an empty value' --causal= chain
refuses 2 'neither a number of lines nor FILE:LINE nor a function' --causal=chain.S:x chain
refuses 2 'neither a number of lines nor FILE:LINE nor a function' --causal=:3 chain
refuses 2 "no instruction is of that line; the nearest is $(line_of chain ecall)" --causal=chain.S:9999 chain
refuses 2 'the program has no instructions of a file "other.c"' --causal=other.c:1 chain
refuses 2 'nothing' --causal=nothing chain
refuses 2 'nothing to choose from with --counters none' --causal --counters none chain
refuses 2 'needs all of the run' --causal --sample=100k chain
refuses 2 'with --time cycles' --causal --time cycles chain
"$cross" -nostdlib -static -s -o bare chain.S
refuses 2 'compile it with -g' --causal=chain.S:5 bare
tap_done
