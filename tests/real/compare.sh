#!/bin/bash
# compare.sh NAME DIR: run @real/NAME here and under qemu; prints one line with the comparison.
#
#   status qemu_status sha256 qemu_sha256 instructions here qemu verdict
#
# `instructions` is the count of @real/NAME.  `here` and `qemu` are counts of runs that see the program
# and its input under the host's names: paths are part of what a program starts with, so only these
# can be equal.  The verdict on them is `equal`, `explained` or `different`; `-` stands for what could not be
# had.  What @real/NAME printed is left in DIR/NAME.out.
#
# Where counts may differ, known_difference says by how much at most, and why.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
: "${BUILD:=build}"
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
export BUILD
name=$1
scratch=$2
program=$BUILD/cyclestack
elf=$("$program" workloads --elf "real/$name") || exit 1
line=$("$program" workloads --args "real/$name") || exit 1
read -ra arguments <<<"$line"
input=$(dirname "$elf")/input
# What qemu gives the program as /proc/self/exe has no links in it.
elf=$(realpath "$elf")

# The most instructions by which a count may differ, and the reason.
known_difference() {
	case $1 in
	lua) echo 1000 "finds strings again by the address they were passed at; qemu's stack is elsewhere" ;;
	dash) echo 1000 "getpid and getppid: it writes its process number in decimal" ;;
	m4) echo 10000 "/proc/self/maps: it reads it, and the address space under qemu has other areas" ;;
	tar) echo 10000 "openat: /etc/localtime of the host is there under qemu" ;;
	jq) echo 200000 "sysinfo and addresses: qemu's own count differs that much from run to run" ;;
	duktape) echo 5000000 "clock_gettime: it waits, and how often it looks depends on the clock" ;;
	*) echo 0 ;;
	esac
}

count_in() {
	local count
	count=$(sed -n 's/.*"instructions": *\([0-9]*\).*/\1/p' "$1" 2>/dev/null | head -n 1)
	echo "${count:--}"
}

sha_of() {
	sha256sum <"$1" | cut -d ' ' -f 1
}

"$program" exec --json "$scratch/run.json" "@real/$name" >"$scratch/$name.out" 2>"$scratch/$name.err" </dev/null
status=$?
# As in tests/qemu/test_counts.sh: both start under the same conditions.
env -i ASAN_OPTIONS="${ASAN_OPTIONS:-}" "$program" exec --argv0 "$elf" --deny set_robust_list \
	--mount "$input=$input:ro" --json "$scratch/same.json" "$elf" "${arguments[@]}" \
	>/dev/null 2>&1 </dev/null
qemu_count=-
if tools/qemu-icount --prepare >&2; then
	(cd / && "$root/tools/qemu-icount" -o "$scratch/count" -0 "$elf" "$elf" "${arguments[@]}") >"$scratch/qemu.out" \
		2>/dev/null </dev/null
	qemu_status=$?
	qemu_count=$(cat "$scratch/count" 2>/dev/null || echo -)
else
	env -i "$(command -v qemu-riscv64)" "$elf" "${arguments[@]}" >"$scratch/qemu.out" 2>/dev/null </dev/null
	qemu_status=$?
fi
count=$(count_in "$scratch/same.json")
verdict=different
if [ "$qemu_count" = - ]; then
	verdict=-
elif [ "$count" = "$qemu_count" ]; then
	verdict=equal
elif [ "$count" != - ]; then
	distance=$((count - qemu_count))
	read -r most _ < <(known_difference "$name")
	[ "${distance#-}" -le "$most" ] && verdict=explained
fi
echo "$status $qemu_status $(sha_of "$scratch/$name.out") $(sha_of "$scratch/qemu.out")" \
	"$(count_in "$scratch/run.json") $count $qemu_count $verdict"
rm -f "$scratch"/{run.json,same.json,count,qemu.out}
