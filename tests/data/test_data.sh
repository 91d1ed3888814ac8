#!/bin/bash
# Which data misses (`run --data`): every access, miss and cycle for data that the run counts is some object's, of a set
# and mostly of a type; and programs whose misses are known on paper have them, by variable, site, field and set.
. "$(dirname "$0")/../head.sh"
needs python3 riscv64-linux-gnu-g++
here=$root/tests/data
sysroot=${SYSROOT:-/usr/riscv64-linux-gnu}
# An L1D of 64 sets of 8 lines of 64 bytes in which nothing is brought in ahead; in order, no load is on a wrong path.
machine="--config littlecore --set l1d.size_bytes=32768 --set l1d.ways=8 --set l1d.replacement=lru
	--set l1d.prefetch=none --set l2.prefetch=none"

data() {
	python3 "$here/data.py" "$@" 2>&1
}

# counted NAME PROGRAM [OPTION...]: runs, and all adds up
counted() {
	local name=$1 program=$2
	shift 2
	"$cyclestack" run -q --data --json r.json "$@" "$program" >out 2>err </dev/null
	tap_is "$name: runs" "$? $(cat err)" "0 "
	tap_is "$name: accesses, misses and cycles are each some object's, and some set's" "$(data sums r.json)" ""
}

# built NAME SOURCE COMPILER [OPTION...]
built() {
	local name=$1 source=$2
	shift 2
	"$@" -g "-ffile-prefix-map=$here/=" -o "$name" "$here/$source" >log 2>&1 || tap_not_ok "$name builds" "$(tail -n 5 log)"
}

# at SOURCE SITE: the line of that site
at() {
	grep -n "site: $2\b" "$here/$1" | cut -d: -f1
}

# shellcheck disable=SC2086
on_paper() {
	counted "$1" "$work/$1" $machine
}

built paper paper.c "$cross" -O1 -static
on_paper paper
tap_is "each line of an array misses when it is first touched, and no more if it is kept; lines of one set push each other out" \
	"$(data show r.json '^(conflict|items|kept|stream) ' accesses l1d_misses bytes)" \
	"conflict variable :0 320 320 65536
items variable :0 1025 256 16384
kept variable :0 400 8 512
stream variable :0 512 512 32768"
tap_is "the accesses of a structure are those of its fields" "$(data type r.json 'struct item')" "key 0 4 1024 256
count 4 4 1 0
name 8 56 0 0"
tap_is "the set with most misses is the one where lines conflict" "$(data set r.json L1D 320)" "True conflict 320"
"$cyclestack" show r.json >shown
tap_is "the largest part is said first" "$(sed -n '/^What data misses/,/^object/p' shown | tr -s '\n ' ' ' | grep -oE 'of (stream|conflict), mostly in [a-z_]+')" \
	"of stream, mostly in read_lines"
tap_is "a hot field and a cold one that share a line are said" \
	"$(grep -cE '^struct item, bytes 0 to 63 .*key; cold: count, name' shown)" 1
tap_is "crowded sets are said" "$(tr -s '\n ' ' ' <shown | grep -coE 'L1D, 64 sets of 8 lines of 64 bytes: 1 of the sets has')" 1

built heap heap.c "$cross" -O1 -static
on_paper heap
site() {
	local IFS=' '
	data show r.json "^$1 heap heap.c:$(at heap.c "$2")\$" blocks bytes l1d_misses
}
tap_is "a block is its caller's, outside of functions named as allocators" "$(site main first)" \
	"main heap heap.c:$(at heap.c first) 1 38400 600"
tap_is "two calls on two lines are two sites" "$(site main second)" "main heap heap.c:$(at heap.c second) 1 44800 1400"
tap_is "a function that decides the size is no wrapper" "$(site make_table table)" \
	"make_table heap heap.c:$(at heap.c table) 1 19200 300"
tap_is "one that passes on size and block is" "$(data show r.json '^fetch_some heap ' blocks)" ""
tap_is "memory of a block that was freed is that of the next" "$(site main again)" "main heap heap.c:$(at heap.c again) 1 25600 400"
tap_is "realloc: the block is the line's that made it larger" "$(site main grown | cut -d' ' -f4,5)" "1 40960"
tap_is "what calloc clears is its block's" "$(site main zeroed)" "main heap heap.c:$(at heap.c zeroed) 1 12800 200"
tap_is "posix_memalign" "$(site main aligned)" "main heap heap.c:$(at heap.c aligned) 1 32768 512"

built news news.cc riscv64-linux-gnu-g++ -O1 -static
on_paper news
tap_is "operator new: the line that says new" "$(data show r.json "^make\(int\) heap news.cc:$(at news.cc new)" blocks bytes)" \
	"make(int) heap news.cc:$(at news.cc new) 1 64000"
tap_is "what the library's templates allocate is of the line that uses them" \
	"$(data show r.json "^main heap news.cc:$(at news.cc vector)" bytes)" "main heap news.cc:$(at news.cc vector) 160000"

built threads threads.c "$cross" -O1 -static -pthread
on_paper threads
tap_is "blocks of threads" "$(data show r.json "^work heap threads.c:$(at threads.c work)" blocks bytes)" \
	"work heap threads.c:$(at threads.c work) 2 32000"
tap_is "a thread's own variable, of both threads" "$(data show r.json '^own thread' accesses)" "own thread :0 256"
tap_is "a thread's stack is that of its function" \
	"$(data show r.json '^work stack' l1d_misses | awk '{ print ($4 >= 95 && $4 <= 260) }')" 1

if [ -d "$sysroot/lib" ]; then
	built dynamic heap.c "$cross" -O1
	counted dynamic "$work/dynamic" --sysroot "$sysroot"
	tap_is "allocators of a shared library are seen" "$(site main second | cut -d' ' -f4,5)" "1 44800"
	tap_is "variables of libraries have their file" \
		"$(python3 -c 'import json; print(any(o["kind"] == "variable" and o.get("library") == "libc.so.6"
			for o in json.load(open("r.json"))["data"]["objects"]))')" True
else
	tap_skip "dynamic" "there is no system root"
fi

workloads="hospital netflow"
tap_wants_all && workloads="$workloads objdb sparsemv lzpack quadtree"
for name in $workloads; do
	"$cyclestack" workloads --elf "$name" >/dev/null 2>&1 || continue
	counted "$name" "@$name:test"
done
if "$cyclestack" workloads --elf hospital >/dev/null 2>&1; then
	counted "hospital on bigcore" @hospital:test --config bigcore
	"$cyclestack" run -q --data --json r.json --skip 100k --max-insns 300k --config xiangshan @hospital:test >out 2>err
	tap_is "part of a run adds up too" "$? $(data sums r.json)" "124 "
	counted "hospital in order" @hospital:test --config leon2
	tap_is "most misses have a type" \
		"$(python3 -c 'import json; d = json.load(open("r.json"))["data"]
print(d["typed"]["l1d_misses"] > 0.8 * d["l1d_misses"])')" True
fi

"$cyclestack" run -q --json plain.json "$work/heap" >/dev/null 2>&1
"$cyclestack" run -q --data --json with.json "$work/heap" >/dev/null 2>&1
tap_is "looking at data changes nothing else" "$(python3 -c '
import json
plain, data = (json.load(open(name)) for name in ("plain.json", "with.json"))
print("no data" if not data.pop("data", None) else plain == data)')" True
"$cyclestack" run --data --counters none "$work/heap" >out 2>err
tap_is "without exact there is none" "$? $(cat err)" \
	"2 cyclestack: --data has nothing to show with --counters none (see: cyclestack run --help)"
tap_done
