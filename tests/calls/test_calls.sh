#!/bin/bash
# Random system calls with valid, borderline and wild arguments answer what they answer elsewhere: as the
# kernel of the host does to the same program compiled for the host, or as qemu-riscv64 does.  The kernel
# counts: qemu looks at pointers before the kernel would in every sixth call, and where it comes to a
# bad end or to none, its lines are missing and the kernel's decide alone.  `run` answers as `exec`.
#
#   CALLS_COUNT  calls a seed   (3000; 10000 with CI set)
#   CALLS_SEEDS  seeds          (1)
. "$(dirname "$0")/../head.sh"
here=$root/tests/calls
tap_wants_all && : "${CALLS_COUNT:=10000}"
: "${CALLS_COUNT:=3000}" "${CALLS_SEEDS:=1}"

[ "$(id -u)" = 0 ] || tap_skip_all "the guest is user 0, whom the kernel of the host answers otherwise"

# Answers that differ on purpose: an extended regular expression for "CALL = OURS", and why.
intended() {
	cat <<'END'
^(mkdirat|symlinkat|linkat|renameat2|unlinkat)\(.*\) = EBUSY$	what is mounted is not removed, renamed or replaced
END
}

{ riscv64-linux-gnu-gcc -O1 -static -o calls.riscv "$here/random_calls.c" &&
	${CC:-gcc} -O1 -o calls.host "$here/random_calls.c"; } 2>log || {
	tap_not_ok "the program builds" "$(cat log)"
	tap_done
}

# answers FILE COMMAND...: in an empty directory d
answers() {
	local to=$1
	shift
	rm -rf d
	mkdir d
	timeout "${CALLS_SECONDS:-200}" "$@" >"$to" 2>"$to.err" </dev/null
}

# differing OURS QEMU HOST: the lines that are neither's and not intended; counts in the file sums
differing() {
	intended | cut -f 1 >patterns
	paste -d '\t' "$1" "$2" "$3" | awk -F '\t' '
		NR == FNR { pattern[NR] = $0; next }
		$1 == $2 && $1 == $3 { both++; next }
		$1 == $3 { by_kernel++; next }
		$1 == $2 { by_qemu++; next }
		{
			for (i in pattern)
				if ($1 ~ pattern[i]) {
					meant++
					next
				}
			split($2, qemu, " = ")
			split($3, host, " = ")
			print $1 ", where qemu says " qemu[2] " and the kernel " host[2]
		}
		END { print both + 0, by_kernel + 0, by_qemu + 0, meant + 0 >"sums" }' patterns -
}

for seed in $CALLS_SEEDS; do
	answers host ./calls.host "$seed" "$CALLS_COUNT" d ||
		tap_not_ok "seed $seed: the host comes to its end" "$(tail -n 3 host.err)"
	: >qemu
	if command -v qemu-riscv64 >/dev/null; then
		answers qemu qemu-riscv64 ./calls.riscv "$seed" "$CALLS_COUNT" d ||
			echo "# seed $seed: qemu ended after $(wc -l <qemu) calls"
	fi
	answers ours "$CYCLESTACK" exec --mount "/d=$work/d" ./calls.riscv "$seed" "$CALLS_COUNT" /d ||
		tap_not_ok "seed $seed: exec comes to its end" "$(tail -n 3 ours.err)"
	tap_is "seed $seed: all $CALLS_COUNT calls were made" "$(wc -l <ours) $(wc -l <host)" \
		"$CALLS_COUNT $CALLS_COUNT"
	differing ours qemu host >others
	read -r both by_kernel by_qemu meant <sums
	tap_is "seed $seed: as both $both, as the kernel alone $by_kernel, as qemu alone $by_qemu, otherwise on purpose $meant, else" \
		"$(sort -u others | head -n 20)" ""
	few=$((CALLS_COUNT / 50))
	answers again "$CYCLESTACK" run --counters exact --config eyerman2006 --mount "/d=$work/d" ./calls.riscv \
		"$seed" "$few" /d
	tap_is "seed $seed: run answers as exec" "$(grep -c ' = ' again) $(head -n "$few" again | sha256sum)" \
		"$few $(head -n "$few" ours | sha256sum)"
done
# The comparison finds a wrong answer, and only that.
sed '1s/ = .*/ = 12345/' ours >wrong
differing wrong qemu host >others
tap_is "a wrong answer is found" "$(grep -c ' = 12345, where' others)" 1
tap_done
