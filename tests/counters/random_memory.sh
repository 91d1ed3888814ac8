#!/bin/bash
# random_memory.sh SEED [inorder]: random settings of everything that memory, TLBs and prefetchers can be set to, as
# KEY=VALUE words on one line, for an out-of-order or an in-order machine. The same seed gives the same line.
RANDOM=$1
kind=${2:-ooo}
words=()

# set_one KEY VALUE...: the key with one of the values. Not in a subshell, which would have its own RANDOM.
set_one() {
	local key=$1
	shift
	shift $((RANDOM % $#))
	words+=("$key=$1")
}

set_one memory.line_cycles 0 1 7 40 300
set_one memory.latency_cycles 20 100 250
set_one memory.kind fixed dram
set_one dram.banks 1 2 16
set_one dram.row_bytes 256 8192
set_one dram.rows open open closed
set_one dram.row_conflict_cycles 80 300
set_one cache.levels 1 2 2 3
set_one l1d.size_bytes 2048 16384
set_one l1d.write back back through
set_one l1d.prefetch none stride stride+stream next_line+adjacent_line+stride+stream
set_one l1i.prefetch none next_line
if [ "$kind" = inorder ]; then
	set_one inorder.write_buffer_entries 1 2 8
	set_one inorder.fill_word_cycles 0 0 2
	set_one inorder.write_cycles 1 5 40
	set_one itlb.ways 4
	set_one dtlb.ways 2 4
else
	set_one l1d.mshrs 1 2 8 unlimited
	set_one store.buffer 2 16 unlimited
fi
set_one itlb.entries 4 64
set_one dtlb.entries 4 16 128
set_one tlb2.entries 0 16 512
set_one tlb2.latency_cycles 0 9
set_one tlb.miss fixed walk walk
set_one walk.cache_entries 0 1 16
for switch in bandwidth walk dtlb itlb l2d l1d l2i; do
	set_one "ideal.$switch" true false false false false false false false
done
# Keys without an effect on the machine that the others make would be refused.
line=" ${words[*]} "
kept=()
for word in "${words[@]}"; do
	case $word in
	dram.*) [[ $line == *" memory.kind=dram "* ]] || continue ;;
	inorder.write_cycles=*) [[ $line == *" l1d.write=through "* ]] || continue ;;
	walk.* | ideal.walk=*) [[ $line == *" tlb.miss=walk "* ]] || continue ;;
	tlb2.latency_cycles=*) [[ $line != *" tlb2.entries=0 "* ]] || continue ;;
	ideal.l2d=* | ideal.l2i=*) [[ $line != *" cache.levels=1 "* ]] || continue ;;
	esac
	kept+=("$word")
done
echo "${kept[*]}"
