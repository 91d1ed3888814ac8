#!/bin/bash
# The checks of tools/ pass a clean tree and fail one with the fault they look for.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1

plant() {
	rm -rf "${work:?}"/*
	mkdir -p "$work/src/base" "$work/src/mem" "$work/src/isa" "$work/include"
	printf '#ifndef A_H\n#define A_H\nint a(void);\n#endif\n' | tee "$work/src/base/a.h" "$work/src/mem/a.h" \
		"$work/src/isa/a.h" >"$work/include/cyclestack.h"
	printf '#include "base/a.h"\n#include "mem/a.h"\n' >"$work/src/mem/a.c"
}

# expect CHECK pass|fail NAME
expect() {
	local output status=0 wanted=0
	output=$("tools/$1" "$work" 2>&1) || status=1
	[ "$2" = fail ] && wanted=1
	if [ "$status" = "$wanted" ]; then
		tap_ok "$1: $3"
	else
		tap_not_ok "$1: $3" "$output"
	fi
}

plant
for check in check-layers check-length check-headers check-words check-paths; do
	expect "$check" pass "a clean tree passes"
done
echo '#include "mem/a.h"' >"$work/src/base/a.c"
expect check-layers fail "a folder may not include one below it"
plant
echo '#include "isa/a.h"' >"$work/src/mem/b.c"
expect check-layers fail "mem may not include isa"
plant
echo '#include "a.h"' >"$work/src/mem/b.c"
expect check-layers fail "an include names its folder"
plant
mkdir -p "$work/tests/unit/mem"
echo '#include "mem/a.h"' >"$work/tests/unit/mem/test_a.c"
expect check-layers pass "a test includes headers"
echo ' # include "mem/a.c" /* with its static functions */' >"$work/tests/unit/mem/test_a.c"
expect check-layers fail "a test may not include a .c file"
plant
seq 1 801 >"$work/src/base/long.c"
expect check-length fail "801 lines are too many"
plant
echo 'uint64_t b(void);' >"$work/src/base/b.h"
expect check-headers fail "a header brings what it uses"
plant
# Put together here, so that this file does not hold what it plants.
echo "see /wo""rk/main" >"$work/src/base/notes.txt"
expect check-words fail "a path of one machine is found"
plant
echo "the ro""oms of src" >"$work/src/base/notes.txt"
expect check-words fail "a figure of speech is found"
plant
echo "room in the buffer, at the end of time slice 3" >"$work/src/base/notes.txt"
expect check-words pass "room in a buffer is no figure of speech"

plant
# shellcheck disable=SC2016
echo 'See `base/'"a.c"'`.' >"$work/src/base/b.h"
expect check-paths fail "a comment names a file that is not there"
plant
echo "See src/base/""a.c or src/base/NAME.c." >"$work/README.md"
expect check-paths fail "a page names a file that is not there"
echo "See src/base/a.h or src/base/NAME.c." >"$work/README.md"
expect check-paths pass "a page may name files that are there, and NAME for any"

# check-globals reads object files.
mkdir -p "$work/build/src/base" "$work/tools"
cp tools/tap.sh tools/check-globals "$work/tools/"
globals() {
	echo "$1" >"$work/src/base/g.c"
	gcc -fno-pie -c -o "$work/build/src/base/g.o" "$work/src/base/g.c" && BUILD=$work/build "$work/tools/check-globals"
}
tap_check "check-globals: constants pass" globals 'const int table[] = {1, 2}; const char *const names[] = {"a"};'
tap_check "check-globals: a variable fails" eval '! globals "int counter;"'
tap_check "check-globals: a static inside a function fails" eval '! globals "int f(void) { static int n; return ++n; }"'
tap_check "check-globals: a thread's variable fails" eval '! globals "_Thread_local int n = 1;"'

# What tools/mutate calls near to a folder follows the folders that there are.
near=$(cd tools && python3 -B -c '
import os
from mutants import load_tool
mutate = load_tool("mutate")
print(*sorted(set(os.listdir("../src")) ^ set(mutate.NEAR)))
print(*sorted({name for names in mutate.NEAR.values() for name in names} - set(os.listdir("../tests"))))
print(*sorted({*mutate.NEAR_UNITS, *(name for names in mutate.NEAR_UNITS.values() for name in names)}
              - set(os.listdir("../tests/unit"))))')
tap_is "mutate: each folder of src/ has tests near to it, and they are there" "$(tr -d '\n' <<<"$near")" ""
tap_done
