#!/bin/bash
# time-limit: 900
# ideal.at, on programs that each wait for one instruction: over the whole text it is the switch of the same name, over
# nothing it is nothing, over that instruction it takes away what it waits for, in parts as much as it says; `--what-if`
# answers as --set does.
. "$(dirname "$0")/../head.sh"
needs "$cross"
all=0x0-0xffffffffffffffff

# A chase of pointers through 2 MB; a branch that nobody can predict; a chain of divisions; stores to many pages. The
# label `slow` is the instruction.
cat >chase.S <<'END'
	.globl _start
_start:	la s0, ring
	li s1, 0		# entries of 64 bytes, each points 12345 further
	li s2, 32768
	li s3, 12345
fill:	add t0, s1, s3
	addi t1, s2, -1
	and t0, t0, t1
	slli t0, t0, 6
	add t0, t0, s0
	slli t2, s1, 6
	add t2, t2, s0
	sd t0, 0(t2)
	addi s1, s1, 1
	bne s1, s2, fill
	li s1, 4000
	mv t0, s0
slow:	ld t0, 0(t0)
	addi s1, s1, -1
	bnez s1, slow
	li a0, 0
	li a7, 93
	ecall
	.bss
	.balign 4096
ring:	.skip 2097152
END
cat >branch.S <<'END'
	.globl _start
_start:	li s0, 12345
	li s1, 20000
	li s2, 1103515245
again:	mul s0, s0, s2
	addi s0, s0, 1023
	srli t0, s0, 40
	andi t0, t0, 1
slow:	beqz t0, 1f
	addi s3, s3, 1
	xor s4, s4, s3
1:	addi s1, s1, -1
	bnez s1, again
	li a0, 0
	li a7, 93
	ecall
END
cat >divide.S <<'END'
	.globl _start
_start:	li s1, 10000
	li s0, -1
	li s2, 1
slow:	divu s0, s0, s2
	addi s1, s1, -1
	bnez s1, slow
	li a0, 0
	li a7, 93
	ecall
END
cat >store.S <<'END'
	.globl _start
_start:	li s1, 6000
	la s0, pages
	li s2, 4160		# a page and a line
	li s3, 4194240
	li t0, 0
again:	add t1, s0, t0
slow:	sd s1, 0(t1)
	add t0, t0, s2
	and t0, t0, s3
	addi s1, s1, -1
	bnez s1, again
	li a0, 0
	li a7, 93
	ecall
	.bss
	.balign 4096
pages:	.skip 4198400
END
programs="chase branch divide store"
declare -A slow
for program in $programs; do
	"$cross" -nostdlib -static -o "$program" "$program.S" 2>log || tap_skip_all "no program: $(cat log)"
	slow[$program]=0x$("${cross%gcc}nm" "$program" | awk '$3 == "slow" {print $1}')
done

# run OPTION...: its JSON in result.json.
run() {
	"$cyclestack" run --counters none --json result.json "$@" >/dev/null 2>err
}

# get PATH: a number of result.json, such as values/cycles.
get() {
	perl -MJSON::PP -0777 -ne 'my $at = decode_json($_);
		$at = ref $at eq "ARRAY" ? $at->[$_] : $at->{$_} for split "/", "'"$1"'"; print "$at\n"' result.json
}

# cycles OPTION...
cycles() {
	run "$@"
	get values/cycles
}

machines="eyerman2006 midcore littlecore leon2"
for machine in $machines; do
	for program in $programs; do
		on=(--config "$machine")
		plain=$(cycles "${on[@]}" "$program")
		[ -n "$plain" ] || tap_not_ok "$program runs on $machine" "$(cat err)"
		events="branch l1i itlb l1d dtlb"
		[ "$machine" = leon2 ] || events+=" l2i l2d"
		switches="" lists=""
		for event in $events; do
			switches+=" $event=$(cycles "${on[@]}" --set "ideal.$event=true" "$program")"
			lists+=" $event=$(cycles "${on[@]}" --set "ideal.at=$all:$event" "$program")"
		done
		tap_is "$program on $machine: over the whole text each event is its switch" "$lists" "$switches"
		tap_is "$program on $machine: latency is ideal.units" \
			"$(cycles "${on[@]}" --set "ideal.at=$all:latency" "$program")" \
			"$(cycles "${on[@]}" --set ideal.units=true "$program")"
		tap_is "$program on $machine: events together are their switches together" \
			"$(cycles "${on[@]}" --set "ideal.at=$all:branch+l1i+l1d+itlb/$all:dtlb+latency" "$program")" \
			"$(cycles "${on[@]}" --set ideal.branch=true --set ideal.l1i=true --set ideal.l1d=true --set ideal.itlb=true \
				--set ideal.dtlb=true --set ideal.units=true "$program")"
		tap_is "$program on $machine: where no instruction is, nothing changes" \
			"$(cycles "${on[@]}" --set "ideal.at=0x2-0xfff:branch+l1i+itlb+l1d+dtlb+time" "$program")" "$plain"

		# Less and less of the time of one instruction.
		at=${slow[$program]}
		last=$plain monotone=1 part=()
		for percent in 100 75 50 25 0; do
			part[percent]=$(cycles "${on[@]}" --set "ideal.at=$at:time=$percent%" "$program")
			[ "${part[percent]}" -le "$last" ] || monotone=0
			last=${part[percent]}
		done
		tap_is "$program on $machine: 100 % of the time is all of it" "${part[100]}" "$plain"
		tap_is "$program on $machine: none of it is latency, l1d and dtlb" "${part[0]}" \
			"$(cycles "${on[@]}" --set "ideal.at=$at:latency+l1d+dtlb" "$program")"
		tap_is "$program on $machine: less of it takes no longer (${part[*]})" "$monotone" 1
	done
done

# What is waited for goes away, by as much as the machine says: midcore divides in 12 cycles and goes to memory for 200.
on=(--config midcore)
plain=$(cycles "${on[@]}" divide)
for percent in 75 50 25; do
	took=$(cycles "${on[@]}" --set "ideal.at=${slow[divide]}:latency=$percent%" divide)
	saved=$((10000 * (12 - 12 * percent / 100)))
	tap_check "$percent % of a division's 12 cycles save 10,000 times the rest ($plain to $took)" \
		test $((plain - took)) -ge $((saved - 100)) -a $((plain - took)) -le $((saved + 100))
done
took=$(cycles "${on[@]}" --set "ideal.at=${slow[divide]}:l1d+l1i+dtlb+branch" divide)
tap_check "misses of an instruction that has none are worth nothing ($plain to $took)" \
	test $((plain - took)) -le $((plain / 100))
# The conditional branch at the end of the loop may still be.
mispredictions() {
	run --config midcore "$@" branch
	get values/branches.mispredicted
}
before=$(mispredictions)
left=$(mispredictions --set "ideal.at=${slow[branch]}:branch")
others=$(mispredictions --set "ideal.at=0x0-$(printf '0x%x' $((slow[branch] - 2))):branch/$(
	printf '0x%x' $((slow[branch] + 2)))-0xffffffff:branch")
tap_check "a branch that is ideal is not mispredicted ($before to $left)" test "$before" -gt 5000 -a "$left" -lt 200
tap_check "one that is not, among those that are, still is ($before to $others)" \
	test "$others" -gt 5000 -a "$others" -le "$before"

# What if, beside --set: within the interval that is said, or some tenths of a percent.
for machine in midcore eyerman2006 littlecore; do
	for program in $programs; do
		at=${slow[$program]}
		changes=("$at:time=50%" "$at:time" "$at:branch+l1d" "$all:time=25%")
		asked=()
		for change in "${changes[@]}"; do asked+=(--what-if "ideal.at=$change"); done
		run --config "$machine" "${asked[@]}" "$program"
		cp result.json asked.json
		all_cycles=$(get values/cycles)
		verdict=
		for n in "${!changes[@]}"; do
			simulated=$(cycles --config "$machine" --set "ideal.at=${changes[n]}" "$program")
			cp asked.json result.json
			verdict+=$(awk -v answer="$(get "what_if/$n/cycles")" -v error="$(get "what_if/$n/error")" \
				-v simulated="$simulated" -v all="$all_cycles" -v change="${changes[n]}" 'BEGIN {
				off = (answer - simulated) / all
				off = off < 0 ? -off : off
				if (off > error + 0.003)
					printf "%s: %d is answered, %d simulated, of %d; +- %.4f\n", change, answer, simulated, all, error
			}')
		done
		tap_is "$program on $machine: what if it were ideal" "$verdict" ""
	done
done

# As a machine: shown, read back, with a hash of its own, kept apart; judged.
"$cyclestack" config dump --set "ideal.at=0x10400-0x1041c:l1d+dtlb/0x10500:time=25%" >at.cfg
tap_check "config dump shows it" grep -q 'at = "0x10400-0x1041c:l1d+dtlb/0x10500:time=25%";' at.cfg
tap_is "and reads it back" "$("$cyclestack" config dump --config ./at.cfg | cksum)" "$(cksum <at.cfg)"
tap_is "a machine without it does not name it" "$("$cyclestack" config dump --json - | grep -c ideal.at)" 0
tap_is "and is the same machine as one with none" "$("$cyclestack" config dump --set ideal.at=none --json - | grep '"hash"')" \
	"$("$cyclestack" config dump --json - | grep '"hash"')"
tap_check "one with it is not" test "$("$cyclestack" config dump --config ./at.cfg --json - | grep '"hash"')" != \
	"$("$cyclestack" config dump --json - | grep '"hash"')"
"$cyclestack" config diff midcore ./at.cfg --json - >diff.json
tap_check "config diff names it" grep -q '"key": "ideal.at"' diff.json
tap_check "judge takes it" "$cyclestack" judge --config midcore --set "ideal.at=${slow[chase]}:l2d" --json judge.json chase
cp judge.json result.json
tap_check "and its result says so" grep -q "ideal.at=${slow[chase]}:l2d" judge.json

# refuses SENTENCE VALUE: as --set and from a file.
refuses() {
	tap_is "refused: $2" "$("$cyclestack" run --set "ideal.at=$2" chase 2>&1 | grep -c "ideal.at: $1")" 1
	printf 'based_on = "midcore";\n\nideal = { at = "%s"; };\n' "$2" >bad.cfg
	tap_is "refused in a file: $2" "$("$cyclestack" config check bad.cfg | grep -c "^bad.cfg:3: ideal.at: $1")" 1
}
refuses '"main" is no address; write it in hexadecimal' main:l1d
refuses 'there is no event "l1e"; did you mean l1' 0x10:l1e
refuses '"0x20-0x10" ends before it begins' 0x20-0x10:l1d
refuses '"50" is no part of a time; write what is left of it, such as 50%' 0x10:time=50
refuses '"0x10" is no range of instructions' 0x10
refuses 'there are more than 32 ranges' "$(for n in $(seq 33); do printf '0x%x:l1d/' "$n"; done)0x1:l1d"
tap_is "what if refuses it, too" "$("$cyclestack" run --what-if ideal.at=0x10:l1e chase 2>&1 | grep -c 'no event "l1e"')" 1
tap_is "a model knows nothing of it" \
	"$("$cyclestack" model --set ideal.at=0x10:l1d chase 2>&1 | grep -c 'of machines without ideal.at')" 1
tap_done
