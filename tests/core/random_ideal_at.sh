#!/bin/bash
# random_ideal_at.sh SEED LEVELS: a value of ideal.at for a machine with so many levels of caches:
# ranges in the text of a static program, some of a few instructions, some of a whole library.
RANDOM=$1
events=(branch l1i itlb l1d dtlb latency time latency=50% time=25% time=75% latency=10% time=1% latency=100% branch=50% branch=90%)
[ "$2" -ge 2 ] && events+=(l2i l2d)
[ "$2" -ge 3 ] && events+=(l3i l3d)
value=
for ((range = 0; range < 1 + RANDOM % 32; range++)); do
	first=$((0x10000 + (RANDOM << 4 ^ RANDOM) % 0x40000))
	list=
	for ((n = 0; n < 1 + RANDOM % 3; n++)); do
		event=${events[RANDOM % ${#events[@]}]}
		case +$list in *+"${event%%=*}"*) continue ;; esac
		list+=${list:++}$event
	done
	value+=${value:+/}$(printf '0x%x-0x%x:%s' $((first & ~1)) $((first + (RANDOM & 0xff << RANDOM % 8))) "$list")
done
echo "$value"
