#!/bin/bash
# libpfm4 from Debian's source package, built for riscv64: it initialises, lists events, counts and reads on
# a simulated core. The source is fetched once into $BUILD/real-src, as tools/real-workloads does it; skipped
# where it cannot be had.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross" dpkg-source
sources=$BUILD/real-src

description() {
	find "$sources" -maxdepth 1 -name 'libpfm4_*.dsc' 2>/dev/null | sort -V | tail -n 1
}
mkdir -p "$sources"
if [ -z "$(description)" ]; then
	timeout 120 tools/debian-source libpfm4 "$sources" >"$work/log" 2>&1 ||
		tap_skip_all "the source package libpfm4 cannot be had"
fi
dpkg-source -x "$(description)" "$work/libpfm4" >"$work/log" 2>&1 || {
	tap_not_ok "the source package can be unpacked" "$(cat "$work/log")"
	tap_done
}
cd "$work/libpfm4" || exit 1
# Its example counts for ten seconds, in which a simulated core executes ten thousand million instructions.
sed -i 's/alarm(10);/ualarm(2000, 0);/' perf_examples/self.c
library=(lib/pfmlib_{common,perf_event_pmu,perf_event,perf_event_raw}.c)
for program in examples/showevtinfo perf_examples/{self_basic,self}; do
	extra=()
	[ $program = examples/showevtinfo ] || extra=(perf_examples/perf_util.c)
	"$cross" -O2 -static -w -DCONFIG_PFMLIB_OS_LINUX -D_REENTRANT -Iinclude -Ilib -o "$work/${program##*/}" \
		"${library[@]}" "${extra[@]}" $program.c -lm >"$work/log" 2>&1 || {
		tap_not_ok "$program builds" "$(cat "$work/log")"
		tap_done
	}
done
cd "$work" || exit 1

guest() {
	"$cyclestack" run --counters none --report report --json run.json "$@" 2>err
}
# value NAME: of the whole run.
value() {
	perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{values}{$ARGV[0]}' "$1" <run.json
}

guest ./showevtinfo >out
tap_is "it finds the kernel's generic events and raw ones" "$(sed -n 's/.*\[[0-9]*, \(perf[a-z_]*\), .* events, .*/\1/p' out | xargs)" \
	"perf perf_raw"
tap_is "and lists them" "$(grep -c -E '^Name +: (PERF_COUNT_HW_CPU_CYCLES|L1-DCACHE-LOADS|PERF_COUNT_SW_TASK_CLOCK|r0000)$' out)" 4
guest ./self_basic >out
tap_is "its example counts the cycles of one call" "$? $(head -n 1 out)" "0 Fibonacci(30)=1664080"
count=$(sed -n 's/^count=//p' out)
tap_is "nearly all of the program's" "$([ "${count:-0}" -lt "$(value cycles)" ] &&
	[ $((${count:-0} * 100)) -gt $(($(value cycles) * 95)) ] && echo yes)" yes
guest ./self PERF_COUNT_HW_CPU_CYCLES PERF_COUNT_HW_INSTRUCTIONS PERF_COUNT_HW_BRANCH_INSTRUCTIONS >out
tap_is "it counts several events" "$? $(grep -c '^FINAL: .* PERF_COUNT_HW_[A-Z_]* (0.00% scaling' out)" "0 3"
tap_is "instructions exactly as many as nanoseconds" "$(perl -ne 'print $1 == $2 ? "same" : "$1 $2"
	if /^FINAL:\s*(\d+)\s+PERF_COUNT_HW_INSTRUCTIONS.*ena=(\d+)/' out)" same
guest --set pmu.counters=1 ./self PERF_COUNT_HW_BRANCH_{INSTRUCTIONS,MISSES} L1-DCACHE-LOADS >out
tap_is "on one counter they take turns, and it scales them" "$? $(perl -ne '$n++ if /^FINAL: .*\((\d+)\.\d+% scaling/ && $1 > 50 && $1 < 80;
	END { print $n }' out)" "0 3"
tap_done
