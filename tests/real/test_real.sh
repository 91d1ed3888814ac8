#!/bin/bash
# Programs from Debian's sources do what they do under qemu: output, exit status, instruction count;
# what the compressors make, they can read; what the solver answers is a solution.
# `make real-workloads` builds them; those that are not built are skipped.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
real=$BUILD/workloads/real

# How @real/NAME is found needs no real program, only one under that name.
mkdir -p "$work/found/real/input"
cp "$BUILD/workloads/hanoi" "$work/found/real/towers" 2>/dev/null
echo "test /input/some/file -x/input" >"$work/found/real/towers.args"
echo "not of this world" >"$work/found/real/towers.about"
given() {
	CYCLESTACK_WORKLOADS=$work/found "$CYCLESTACK" "$@" 2>&1
}
if [ -s "$work/found/real/towers" ]; then
	tap_is "workloads lists the real programs that are built" "$(given workloads --csv - | sed -n 's/^@*real.towers,*//p')" "not of this world"
	tap_is "--names lists them for completion" "$(given workloads --names)" "real/towers"
	tap_is "--elf tells where a real program is" "$(given workloads --elf real/towers)" \
		"$work/found/real/towers"
	tap_is "--args puts the host's directory for /input" "$(given workloads --args @real/towers)" \
		"test $work/found/real/input/some/file -x/input"
	tap_is "a real program gets the arguments of its .args" \
		"$(echo test >"$work/found/real/towers.args" && given exec @real/towers)" \
		"$("$CYCLESTACK" exec @hanoi:test)"
	tap_is "a real program has no sizes" "$(given exec @real/towers:ref)" \
		"cyclestack: @real/towers:ref: real programs have one input and no sizes; write @real/towers (see: cyclestack exec --help)"
	tap_is "a real program that is not built is said to be missing" "$(given exec @real/nothing)" \
		"cyclestack: there is no workload \"real/nothing\"; \`cyclestack workloads\` lists them, \`make real-workloads\` builds the real ones (see: cyclestack exec --help)"
	for name in real/ real/../towers real/real/towers real/towers.args; do
		given exec "@$name" >/dev/null
		tap_is "@$name is no program" $? 2
	done
else
	tap_skip "how @real/NAME is found" "the built-in workloads are not built"
fi

round_trip() {
	local back=$work/$1.back
	"$CYCLESTACK" exec --mount "/made=$work:ro" "$real/$1" -d -c "/made/$1.out" >"$back" 2>&1 </dev/null
	if cmp -s "$real/input/text" "$back" && [ "$(wc -c <"$work/$1.out")" -lt 200000 ]; then
		tap_ok "$1 makes its input smaller, and the input again from that"
	else
		tap_not_ok "$1 makes its input smaller, and the input again from that" "$(ls -l "$work")"
	fi
}

# The first line of the formula says what is asked; the model's first variables are the answer.
check_factors() {
	tap_check "picosat's model is two factors of the number" awk '
	NR == FNR {
		if (FNR == 1) {
			product = $2
			split($0, part, "1\\.\\.")
			bits = part[2] + 0
		}
		next
	}
	$1 == "v" {
		for (i = 2; i <= NF; i++)
			if ($i > 0 && $i <= 2 * bits)
				factor[$i > bits] += 2 ^ (($i - 1) % bits)
	}
	END {
		print factor[0] " * " factor[1] " = " product "?"
		exit !(bits > 0 && factor[0] > 1 && factor[1] > 1 && factor[0] * factor[1] == product)
	}' "$real/input/factors.cnf" "$work/picosat.out"
}

command -v qemu-riscv64 >/dev/null || qemu_missing=1
for about in workloads/real/*.about; do
	name=$(basename "$about" .about)
	if [ ! -x "$real/$name" ]; then
		tap_skip "$name" "not built: \`make real-workloads\` builds it"
		continue
	elif [ -n "${qemu_missing:-}" ]; then
		tap_skip "$name" "no qemu-riscv64"
		continue
	fi
	if ! row=$(bash tests/real/compare.sh "$name" "$work" 2>"$work/compare.err"); then
		tap_not_ok "$name can be run" "$(cat "$work/compare.err")"
		continue
	fi
	read -r status qemu_status sha qemu_sha count here there verdict <<<"$row"
	tap_is "$name ends with qemu's status" "$status" "$qemu_status"
	tap_is "$name prints what it prints under qemu ($count instructions)" "$sha" "$qemu_sha"
	case $verdict in
	equal) tap_ok "$name executes as many instructions as under qemu: $here" ;;
	explained) tap_ok "$name executes as many instructions as under qemu but for a known reason: $here here, $there there" ;;
	-) tap_skip "$name executes as many instructions as under qemu" "no counting plugin" ;;
	*) tap_not_ok "$name executes as many instructions as under qemu" "$here here, $there there" ;;
	esac
	tap_is "$name has nothing to complain about" "$(grep '^cyclestack: ' "$work/$name.err" | grep -v '"/etc/localtime"')" ""
	case $name in
	bzip2 | lz4 | minigzip | xz | zstd) round_trip "$name" ;;
	tar) tap_is "tar's archive has the two files" "$(tar tf "$work/tar.out" | xargs)" "text words.awk" ;;
	dash) tap_check "dash counts the primes" grep -q '^430 primes up to 3000' "$work/dash.out" ;;
	dc) tap_check "dc knows e" grep -q '^e 2.71828182845904523536' "$work/dc.out" ;;
	m4) tap_check "m4 moves the towers" grep -q '^4095 4095$' "$work/m4.out" ;;
	tcc) tap_is "tcc makes an object for this machine" "$(od -An -tx1 -j 18 -N 2 "$work/tcc.out" | xargs)" "f3 00" ;;
	duktape) tap_is "timers run out in their order" "$(grep -c '^timer [1-8]$' "$work/duktape.out") $(grep '^timer' "$work/duktape.out" | sort -c 2>&1)" "8 " ;;
	picosat) check_factors ;;
	lua) tap_check "lua finds the 92 solutions of eight queens" grep -q ' 92 solutions' "$work/lua.out" ;;
	speedtest1) tap_check "speedtest1 comes to its end" grep -q '^Verification Hash: ' "$work/speedtest1.out" ;;
	esac
done
tap_done
