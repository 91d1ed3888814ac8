#!/bin/bash
# What is not implemented is known by name: every call in the kernel's table has the kernel's name, and a
# call that is missing is named once, however often it is made, and ends the run under --strict.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"
rows=$root/src/linux/syscalls.def

# The names of the table as the preprocessor gives them, with their numbers.
printf '#include <sys/syscall.h>\n' | "$cross" -E -dM - |
	sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/NUMBER \1 SYS_\1/p' >"$work/names"
{ echo '#include <sys/syscall.h>'; cat "$work/names"; } | "$cross" -E -P - |
	sed -n 's/^NUMBER \([a-z0-9_]*\) \([0-9+() ]*\)$/\2 \1/p' | while read -r line; do
	echo "$((${line% *})) ${line##* }"
done | sort >"$work/kernel"
sed -n 's/^[A-Z]*(\([0-9]*\), \([a-z0-9_]*\))$/\1 \2/p' "$rows" | sort >"$work/ours"
tap_check "the kernel's table was read" [ "$(wc -l <"$work/kernel")" -gt 250 ]
tap_is "every call of the kernel's table is known by its name" \
	"$(comm -23 "$work/kernel" "$work/ours" | tr '\n' ' ')" ""

cat >"$work/calls.c" <<'C'
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (int n = 0; n < 2; n++)
			syscall(atoi(argv[i]), 0, 0, 0, 0, 0, 0);
	return 0;
}
C
"$cross" -O1 -static -o "$work/calls" "$work/calls.c" || exit 1
mapfile -t numbers < <(sed -n 's/^MISSING(\([0-9]*\),.*/\1/p' "$rows")
"$cyclestack" exec -- "$work/calls" "${numbers[@]}" 2>"$work/err"
tap_is "the program goes on" $? 0
sed -n 's/^MISSING([0-9]*, \(.*\))$/\1/p' "$rows" | sort >"$work/wanted"
sed -n 's/^cyclestack: system call \([a-z0-9_]*\) at .*: answered ENOSYS$/\1/p' "$work/err" | sort >"$work/got"
tap_is "each of ${#numbers[@]} missing calls is named once" "$(diff "$work/wanted" "$work/got")" ""
strict=0
for number in "${numbers[@]:0:5}" "${numbers[-1]}"; do
	"$cyclestack" exec --strict -- "$work/calls" "$number" 2>"$work/err"
	[ $? = 125 ] && grep -q 'is not implemented and --strict was given' "$work/err" && strict=$((strict + 1))
done
tap_is "--strict ends the run" "$strict" 6
tap_done
