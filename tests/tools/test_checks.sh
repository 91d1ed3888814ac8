#!/bin/bash
# The checks of tools/ pass a clean tree and fail one with the fault they look for.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cd "$root" || exit 1

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/src/base" "$tree/src/mem" "$tree/src/isa" "$tree/include"
	printf '#ifndef A_H\n#define A_H\nint a(void);\n#endif\n' | tee "$tree/src/base/a.h" "$tree/src/mem/a.h" \
		"$tree/src/isa/a.h" >"$tree/include/cyclestack.h"
	printf '#include "base/a.h"\n#include "mem/a.h"\n' >"$tree/src/mem/a.c"
}

# expect CHECK pass|fail NAME
expect() {
	local output status=0 wanted=0
	output=$("tools/$1" "$tree" 2>&1) || status=1
	[ "$2" = fail ] && wanted=1
	if [ "$status" = "$wanted" ]; then
		tap_ok "$1: $3"
	else
		tap_not_ok "$1: $3" "$output"
	fi
}

plant
for check in check-layers check-length check-headers check-words; do
	expect "$check" pass "a clean tree passes"
done
echo '#include "mem/a.h"' >"$tree/src/base/a.c"
expect check-layers fail "a folder may not include one below it"
plant
echo '#include "isa/a.h"' >"$tree/src/mem/b.c"
expect check-layers fail "mem may not include isa"
plant
echo '#include "a.h"' >"$tree/src/mem/b.c"
expect check-layers fail "an include names its folder"
plant
seq 1 801 >"$tree/src/base/long.c"
expect check-length fail "801 lines are too many"
plant
echo 'uint64_t b(void);' >"$tree/src/base/b.h"
expect check-headers fail "a header brings what it uses"
plant
# Put together here, so that this file does not hold what it plants.
echo "see /wo""rk/main" >"$tree/src/base/notes.txt"
expect check-words fail "a path of one machine is found"
plant
echo "the ro""oms of src" >"$tree/src/base/notes.txt"
expect check-words fail "a figure of speech is found"
plant
echo "room in the buffer, at the end of time slice 3" >"$tree/src/base/notes.txt"
expect check-words pass "room in a buffer is no figure of speech"

# check-globals reads object files.
mkdir -p "$tree/build/src/base" "$tree/tools"
cp tools/tap.sh tools/check-globals "$tree/tools/"
globals() {
	echo "$1" >"$tree/src/base/g.c"
	gcc -fno-pie -c -o "$tree/build/src/base/g.o" "$tree/src/base/g.c" && BUILD=$tree/build "$tree/tools/check-globals"
}
tap_check "check-globals: constants pass" globals 'const int table[] = {1, 2}; const char *const names[] = {"a"};'
tap_check "check-globals: a variable fails" eval '! globals "int counter;"'
tap_check "check-globals: a static inside a function fails" eval '! globals "int f(void) { static int n; return ++n; }"'
tap_check "check-globals: a thread's variable fails" eval '! globals "_Thread_local int n = 1;"'
tap_done
