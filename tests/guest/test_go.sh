#!/bin/bash
# A Go program with timers gives the output and status that it gives under qemu-riscv64, the same
# instructions each time, and under `run` what it gives under `exec`.
#
# CYCLESTACK  the tool  (build/cyclestack)
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
: "${BUILD:=$root/build}"
cyclestack=${CYCLESTACK:-$BUILD/cyclestack}
[ -x "$cyclestack" ] || tap_skip_all "$cyclestack has not been built"
command -v go >/dev/null || tap_skip_all "there is no Go compiler (golang-go)"
command -v qemu-riscv64 >/dev/null || tap_skip_all "qemu-riscv64 is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The compiled library stays with the build: compiling it takes longer than all the rest.
mkdir -p "$BUILD/tests/go"
GOARCH=riscv64 GOOS=linux CGO_ENABLED=0 GO111MODULE=off GOFLAGS=-p=1 GOCACHE=$(cd "$BUILD/tests/go" && pwd) \
	HOME=$work go build -o "$work/timers" "$root/tests/guest/timers.go" 2>"$work/log"
tap_is "the program is compiled" "$? $(cat "$work/log")" "0 "
qemu-riscv64 "$work/timers" >"$work/want" 2>/dev/null </dev/null
echo "status $?" >>"$work/want"
for i in 1 2; do
	timeout 60 "$cyclestack" exec --json "$work/json.$i" -- "$work/timers" >"$work/got.$i" 2>"$work/err" </dev/null
	echo "status $?" >>"$work/got.$i"
done
tap_is "output and status are qemu's" "$(diff "$work/want" "$work/got.1"; grep -v hpage_pmd_size "$work/err")" ""
instructions() { grep -o '"instructions": *[0-9]*' "$1" | head -n 1; }
tap_check "instructions are counted" [ -n "$(instructions "$work/json.1")" ]
tap_is "twice the same" "$(instructions "$work/json.1") $(cat "$work/got.1")" \
	"$(instructions "$work/json.2") $(cat "$work/got.2")"
timeout 300 "$cyclestack" run --json "$work/json.run" -- "$work/timers" \
	>"$work/got.run" 2>/dev/null </dev/null
tap_is "run executes the same instructions" "$(instructions "$work/json.run")" "$(instructions "$work/json.1")"
tap_is "and gives the same output" "$(head -n "$(($(wc -l <"$work/got.1") - 1))" "$work/got.run")" "$(sed '$d' "$work/got.1")"
tap_done
