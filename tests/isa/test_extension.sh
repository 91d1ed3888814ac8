#!/bin/bash
# A program stopped by an instruction that is not executed is told which extension it belongs to; one
# compiled for Zba, Zbb, Zbc and Zbs prints the same as without, here and under qemu.
. "$(dirname "$0")/../head.sh"
needs "$cross"

told() { # ENCODING NAME
	printf '.globl _start\n_start: .word %s\n' "$1" >ill.s
	"$cross" -nostdlib -static -o ill ill.s || return
	"$CYCLESTACK" exec ./ill 2>said
	tap_is "$1 belongs to $2, and the program is killed by SIGILL" \
		"$? $(grep -c "killed by SIGILL at .*_start.*: $1 belongs to $2; executed are" said)" "132 1"
}
told 0x0d0572d7 "V (vector)"
told 0x0ec5d533 "Zicond (conditional zero)"
told 0x04b57553 "Zfh (half-precision floating point)"
told 0x6875d513 "Zbkb (bit manipulation for cryptography)"
told 0x60054573 "H (hypervisor)"
told 0x0000000b "custom-0 (a vendor's own instructions)"

cat >bits.c <<'END'
#include <stdint.h>
#include <stdio.h>
int main(void)
{
	uint64_t x = 1, sum = 0, table[64] = {0};

	for (unsigned i = 0; i < 20000; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		uint32_t w = (uint32_t)(x >> 32);
		table[w % 64] += w;
		sum += (uint64_t)__builtin_popcountll(x) + (uint64_t)__builtin_clzll(x | 1);
		sum ^= (x << (w % 64)) | (x >> (-w % 64));
		sum += __builtin_bswap64(x) & ~sum;
		sum += (int64_t)x > (int64_t)sum ? x : sum;
		sum ^= UINT64_C(1) << (x & 63);
		sum += table[(uint32_t)x % 64] + (int8_t)x + (uint16_t)w;
	}
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
END
"$cross" -O2 -static -march=rv64gc -o plain bits.c
"$cross" -O2 -static -march=rv64gc_zba_zbb_zbc_zbs -o with bits.c
used=$(riscv64-linux-gnu-objdump -d with | grep -cE $'\t(sh[123]add|clz|cpop|rol|ror|rev8|andn|max|binv|zext.h|sext.b)')
tap_is "the compiler used bit manipulation" "$((used > 5))" 1
plain=$("$CYCLESTACK" exec ./plain)
tap_is "the results are those of the program without" "$("$CYCLESTACK" exec ./with)" "$plain"
tap_is "and on a simulated core" "$("$CYCLESTACK" run --counters none ./with | head -n 1)" "$plain"
if command -v qemu-riscv64 >/dev/null; then
	tap_is "and under qemu" "$(qemu-riscv64 ./with)" "$plain"
else
	tap_skip "and under qemu" "no qemu-riscv64"
fi
tap_done
