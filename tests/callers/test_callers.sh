#!/bin/bash
# Who called whom (`run --calls`): every cycle of every function is in its tree once, by cause; how often each function
# is called is what another executor and another reader count; and paths of calls are right where frames are left in
# other ways than by a return: longjmp, exceptions, signals, tail calls, threads, the dynamic linker.
. "$(dirname "$0")/../head.sh"
needs python3 riscv64-linux-gnu-readelf riscv64-linux-gnu-g++
here=$root/tests/callers
sysroot=${SYSROOT:-/usr/riscv64-linux-gnu}

calls() {
	python3 "$here/calls.py" "$@" 2>&1
}

# followed NAME PROGRAM [OPTION...]: all of it adds up; a workload's PROGRAM is @NAME:SIZE
followed() {
	local name=$1 program=$2
	shift 2
	"$cyclestack" run -q --calls --json r.json "$@" "$program" >/dev/null 2>err </dev/null
	tap_is "$name: runs" "$? $(cat err)" "0 "
	tap_is "$name: calls add up to the run and to its functions" "$(calls sums r.json)" ""
}

# counted NAME PROGRAM: the calls of a static program, from the trace that `exec`'s interpreter makes
counted() {
	local elf=$2
	case $elf in @*) elf=$("$cyclestack" workloads --elf "$(expr "$elf" : '@\(.*\):')") ;; esac
	"$cyclestack" trace record --output c.trace "$2" >/dev/null 2>&1 </dev/null
	"$cyclestack" trace export --output c.records c.trace >/dev/null 2>&1
	tap_is "$1: each function is called as often as its trace says" "$(calls count r.json "$elf" c.records)" ""
	rm -f c.trace c.records
}

# built NAME SOURCE COMPILER [OPTION...]
built() {
	local name=$1 source=$2
	shift 2
	"$@" -o "$name" "$here/$source" >log 2>&1 || tap_not_ok "$name builds" "$(tail -n 5 log)"
}

built jumps jumps.c "$cross" -O1 -static
followed jumps "$work/jumps"
counted jumps "$work/jumps"
tap_is "longjmp leaves all frames, at every depth, and only those" \
	"$(calls paths r.json '; main; (nest; )*after \d+$')" "; main; after 21
; main; nest; after 1
; main; nest; nest; after 1
; main; nest; nest; nest; after 1"
tap_is "a handler is called as often as signals come" \
	"$(calls paths r.json 'signal (handler|handler; after|leaving|leaving; leave) \d+$')" "signal handler 6
signal handler; after 6
signal leaving 3
signal leaving; leave 3"
tap_is "what is left by siglongjmp from another stack is left" "$(calls paths r.json '; main; signals; after \d+$')" \
	"; main; signals; after 3"

for level in 2 3; do
	built tails tails.c "$cross" -O$level -static
	followed "tail calls at -O$level" "$work/tails"
	counted "tail calls at -O$level" "$work/tails"
	tap_is "tail calls at -O$level: a chain goes down, a cycle goes back" "$(calls paths r.json '; main; (even.*|any; jump.*) [1-9]\d*$' | grep -v first)" \
		"; main; any; jump last 20
; main; any; jump middle 20
; main; any; jump middle; jump last 20
; main; even 930
; main; even; jump odd 900"
done

built deep deep.c "$cross" -O1 -static
followed deep "$work/deep"
counted deep "$work/deep"
tap_is "a tree has no more nodes than it says" "$(perl -MJSON::PP -0777 -ne '$c = decode_json($_)->{calls};
	print @{$c->{nodes}} <= $c->{nodes_most} + 100 && @{$c->{nodes}} > $c->{nodes_most} - 100' r.json)" 1
tap_is "further calls are those of (other calls), by function" \
	"$(calls paths r.json '^\(other calls\).*\b(leaf|sink_down) ' | sed 's/ $//')" "(other calls); other leaf
(other calls); other sink_down"

built turns turns.c "$cross" -O1 -static -pthread
followed threads "$work/turns"
counted threads "$work/turns"
tap_is "each thread has a tree" "$(calls paths r.json '^\(thread \d+\).*start_thread; work [1-9]\d*$' | sed 's/;.*start_thread//')" \
	"(thread 1001); work 1
(thread 1002); work 1
(thread 1003); work 1"
tap_is "and its own calls" "$(calls paths r.json 'work; walk \d+$')" "work; walk 300
work; walk 400
work; walk 500"

built thrown thrown.cc riscv64-linux-gnu-g++ -O1 -static
followed exceptions "$work/thrown"
counted exceptions "$work/thrown"
tap_is "an exception leaves frames down to the one that catches it" "$(calls paths r.json '; main; (nest\(int\)(; nest\(int\))*|again.*); after\(\) \d+$|; main; after\(\) \d+$')" \
	"; main; after() 6
; main; nest(int); nest(int); after() 1
; main; nest(int); nest(int); nest(int); after() 1
; main; nest(int); nest(int); nest(int); nest(int); after() 1"

built dynamic thrown.cc riscv64-linux-gnu-g++ -O1
followed dynamic "$work/dynamic" --sysroot "$sysroot"
tap_is "what the PLT jumps to is called where the PLT is" "$(calls paths r.json '; main; printf@libc.so.6 \d+$')" \
	"; main; printf@libc.so.6 1"
followed "in order" "$work/thrown" --config leon2
counted "in order" "$work/thrown"

workloads="hanoi parser"
tap_wants_all && workloads="$workloads heapsort objdb"
for name in $workloads; do
	"$cyclestack" workloads --elf "$name" >/dev/null 2>&1 || continue
	followed "$name" "@$name:test"
	counted "$name" "@$name:test"
done

followed "with intervals" "$work/jumps" --intervals 1k
"$cyclestack" run -q --calls --json cut.json --max-insns 9000 "$work/jumps" >/dev/null 2>&1
cp cut.json r.json
tap_is "a run that is cut off: calls add up" "$(calls sums r.json)" ""
"$cyclestack" trace record --max-insns 9001 --output c.trace "$work/jumps" >/dev/null 2>&1 </dev/null
"$cyclestack" trace export --output c.records c.trace >/dev/null 2>&1
tap_is "and are those of what has committed" "$(calls count r.json "$work/jumps" c.records)" ""

"$cyclestack" run -q --json plain.json "$work/turns" >/dev/null 2>&1
"$cyclestack" run -q --calls --json with.json "$work/turns" >/dev/null 2>&1
tap_is "following calls changes nothing else" "$(perl -MJSON::PP -0777 -e '
	my @all = map { open my $f, "<", $_; local $/; decode_json(<$f>) } @ARGV;
	delete $all[1]{calls} or print "no calls";
	print "differ" if JSON::PP->new->canonical->encode($all[0]) ne JSON::PP->new->canonical->encode($all[1])' plain.json with.json)" ""
"$cyclestack" run --calls --counters none "$work/turns" >out 2>err
tap_is "without exact there are no calls" "$? $(cat err)" \
	"2 cyclestack: --calls has nothing to show with --counters none (see: cyclestack run --help)"
tap_done
