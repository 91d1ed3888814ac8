#!/bin/bash
# The sentence that a report of `run` opens with names what keeps a program from the core's width: misses, operations
# that take long, and chains of operations that each wait for the one before. Of a program at full width it says
# nothing of the kind.
. "$(dirname "$0")/../head.sh"
needs "$cross"

# sentence NAME OPTION...: of the program on standard input, whose loop is run 20000 times.
sentence() {
	local name=$1
	shift
	{
		printf '\t.globl _start\n_start:\tli t0, 20000\n1:\n'
		cat
		printf '\taddi t0, t0, -1\n\tbnez t0, 1b\n\tli a7, 93\n\tli a0, 0\n\tecall\n'
	} >"$name.S"
	"$cross" -nostdlib -static -march=rv64gc -o "$name" "$name.S" &&
		"$cyclestack" run "$@" -o report "$name" && sed -n '/^Where/,/^[0-9]* cycles/p' report | sed '1d;$d' | xargs -d '\n'
}

# says NAME WORDS SENTENCE: the words are in it.
says() {
	if grep -q -- "$2" <<<"$(tr -s ' ' <<<"$3")"; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$3"
	fi
}

for preset in eyerman2006 midcore; do
	line=$(printf '\tadd a0, a0, a1\n%.0s' {1..16} | sentence adds --config "$preset")
	says "$preset: a chain of adds is slow by dependence" \
		'A further [67][0-9.]* % are base.*, to dependence: window full behind operations of one cycle' "$line"
	line=$(printf '\tmul a0, a0, a1\n%.0s' {1..8} | sentence muls --config "$preset")
	says "$preset: a chain of multiplications is lost to latency" \
		'nearly all of them, [5-9][0-9.]* %, to resource: .*; most of it to latency' "$line"
	line=$(printf '\tfadd.d fa0, fa0, fa1\n%.0s' {1..8} | sentence fp_adds --config "$preset")
	says "$preset: and one of floating-point additions" \
		'nearly all of them, [4-9][0-9.]* %, to resource: .*; most of it to latency' "$line"
	line=$(printf '\tfadd.d fa0, fa0, fa1\n' | sentence tight --config "$preset")
	says "$preset: with a branch for each, too" '; most of it to latency' "$line"
	line=$(printf '\taddi a%d, zero, 1\n' {0..5} {0..5} {0..5} {0..5} {0..5} | sentence wide --config "$preset")
	if grep -q 'of the cycles are lost' <<<"$line" && ! grep -q 'further\|latency' <<<"$line"; then
		tap_ok "$preset: at full width there is nothing to say"
	else
		tap_not_ok "$preset: at full width there is nothing to say" "$line"
	fi
done
line=$(printf '\tadd a0, a0, a1\n%.0s' {1..16} | sentence dual --config u74)
says "in order, a chain of adds leaves half of the slots" 'A further 4[0-9.]* % are base' "$line"


# Where it is lost: chains of multiplications, so many on a line and in a function as their shares are to be.
# muls COUNT: that many on one line.
muls() {
	printf 'mul a0, a0, a1; %.0s' $(seq "$1")
	echo
}

# place NAME: the end of the sentence of a program on standard input, built with its line numbers. It has functions
# that main calls one after the other.
place() {
	local name=$1 functions
	functions=$(cat)
	{
		printf '%s\n' "$functions"
		printf '\t.globl _start\n\t.type _start, @function\n_start:\tli s0, 2000\n1:\n'
		printf '%s\n' "$functions" | sed -n 's/^\([a-z0-9]*\):.*/\tcall \1/p'
		printf '\taddi s0, s0, -1\n\tbnez s0, 1b\n\tli a7, 93\n\tli a0, 0\n\tecall\n\t.size _start, . - _start\n'
	} >"$name.S"
	"$cross" -g -nostdlib -static -march=rv64gc -o "$name" "$name.S" &&
		COLUMNS=400 "$cyclestack" run -o report "$name" && sed -n 's/ A further.*//; s/.*more than one cycle; //p' report
}

# function NAME COUNT...: its lines have so many multiplications.
function_of() {
	printf '\t.type %s, @function\n%s:\n' "$1" "$1"
	for count in "${@:2}"; do
		muls "$count"
	done
	printf '\tret\n\t.size %s, . - %s\n' "$1" "$1"
}

tap_is "one line has nearly all of it" "$({ function_of hot 60; function_of cold 4; } | place line)" \
	"nearly all of that at line.S:3 in hot."
tap_is "or most" "$({ function_of hot 40; function_of cold 20; } | place most)" "most of that at most.S:3 in hot."
says "one function has it, and of its lines one has most" \
	'^nearly all of that in hot, the largest part of it, [12][0-9.]* %, at function.S:4.$' \
	"$({ function_of hot 20 24 18; function_of cold 3; } | place function)"
says "it is spread over functions, without those that have hardly any" \
	'^nearly all of that in 4 functions, of which third has most, 2[0-9.]* %.$' \
	"$({ function_of first 20; function_of second 20; function_of third 28; function_of fourth 20
		function_of fifth 1; function_of sixth 1; } | place spread)"
"${cross%gcc}strip" line
says "and in a program without symbols nothing has a name" '; all of that in code without a symbol.' \
	"$(COLUMNS=400 "$cyclestack" run -o report line && cat report)"

tap_done
