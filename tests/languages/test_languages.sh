#!/bin/bash
# long
# Programs in other languages than C, and of other kinds, do what they do under qemu-riscv64: output and
# exit status; and `run` does what `exec` does, to the instruction.  A compiler that is not installed
# skips its programs (`tools/setup test evaluate` installs all of them).
. "$(dirname "$0")/../head.sh"
here=$root/tests/languages
sysroot=${SYSROOT:-/usr/riscv64-linux-gnu}
out=$BUILD/tests/languages
mkdir -p "$out"
needs qemu-riscv64

go_for_riscv() {
	GOARCH=riscv64 GOOS=linux CGO_ENABLED=0 GOCACHE=$out/go-cache GO111MODULE=off go build "$@"
}

instructions_in() {
	perl -MJSON::PP -0777 -ne '$r = decode_json($_); print $r->{instructions} // $r->{values}{instructions}' "$1"
}

# program NAME SOURCE COMPILER [OPTION...]
program() {
	local name=$1 source=$here/$2 compiler=$3 status count run_count
	shift 3
	if ! command -v "${compiler/go_for_riscv/go}" >/dev/null; then
		tap_skip "$name" "no ${compiler/go_for_riscv/go}"
		return
	fi
	if [ ! "$out/$name" -nt "$source" ] && ! "$compiler" "$@" -o "$out/$name" "$source" >"$work/log" 2>&1; then
		tap_not_ok "$name builds" "$(tail -n 5 "$work/log")"
		return
	fi
	env -i timeout 120 qemu-riscv64 -L "$sysroot" "$out/$name" >want 2>/dev/null </dev/null
	echo "status $?" >>want
	for how in exec "run --counters exact"; do
		# shellcheck disable=SC2086
		timeout 300 "$CYCLESTACK" $how --sysroot "$sysroot" --json "$work/${how%% *}.json" --stdout got \
			"$out/$name" >/dev/null 2>err </dev/null
		echo "status $?" >>got
		tap_is "$name: ${how%% *} gives qemu's output and status" "$(cat got)" "$(cat want)"
		tap_is "$name: ${how%% *} knows every call" "$(grep -c 'is not implemented' err)" 0
	done
	count=$(instructions_in exec.json)
	run_count=$(instructions_in run.json)
	tap_is "$name: run commits what exec executes" "$run_count" "$count"
	timeout 300 "$CYCLESTACK" exec --sysroot "$sysroot" --json again.json "$out/$name" >/dev/null 2>&1 </dev/null
	tap_is "$name: exec executes the same twice" "$(instructions_in again.json)" "$count"
}

cross=riscv64-linux-gnu
program exceptions exceptions.cc $cross-g++ -O1 -g -std=c++17 -pthread -static
program exceptions_dynamic exceptions.cc $cross-g++ -O1 -g -std=c++17 -pthread
program unwind unwind.c $cross-gcc -O1 -g -fexceptions -pthread -static
program unwind_pie unwind.c $cross-gcc -O1 -g -fexceptions -pthread -pie -fPIE
program relocate relocate.c $cross-gcc -O1 -g -static-pie -fPIE -nostdlib -nostartfiles -ffreestanding \
	-fno-stack-protector -Wl,--no-dynamic-linker
program arrays arrays.f90 $cross-gfortran -O1 -g -static "-J$work"
program loops loops.c $cross-gcc -O1 -g -fopenmp -static
program timers timers.go go_for_riscv
tap_done
