#!/bin/bash
# `inspect` finds the sizes that a machine has and no others: lines in spite of every prefetcher, and caches and TLBs of
# instructions of random machines. Only the kernels that show them are run, in the sizes that `inspect` runs them with;
# the classifier sees readings alone. With everything, all prefetchers with all lines, and more machines.
# time-limit: 3000
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
[ -f "$BUILD/kernels/collect" ] || tap_skip_all "no cross compiler"
nm "$cyclestack" 2>/dev/null | grep -q ' __asan_init' && tap_skip_all "too long with the sanitizers; the classifier's unit tests have them"

# collect FILE WORDS OPTION...: readings of all events of the machine with these kernels.
collect() {
	local file=$1 words=$2 events
	shift 2
	events=$("$cyclestack" signals --codes "$@" | perl -ne '/^r([0-9a-f]+)/ && push @e, "4:" . hex $1; END { print join ",", @e }')
	# shellcheck disable=SC2086
	"$cyclestack" run --counters none --quiet "$@" "$BUILD/kernels/collect" -e "$events" $words 2>"$work/err" |
		sed -n '/^cyclestack-readings/,/^end/p' >"$file"
}
# found MEMBER FILE...: what the readings say of the machine; of several numbers each with a space behind it.
found() {
	local member=$1
	shift
	cat "$@" >"$work/all"
	"$cyclestack" inspect --readings "$work/all" --json "$work/json" >/dev/null 2>"$work/err"
	perl -0ne '/"'"$member"'": (\d+|\[[^\]]*\])/ && print join " ", $1 =~ /\d+/g' "$work/json"
}
# sweep KERNEL UNIT FIRST LAST LESS: sizes that double, and what is half-way between them, each less so many.
sweep() {
	local size list=""
	for ((size = $3; size <= $4; size *= 2)); do
		list+=",$((size - $5))"
		((size / 2 * 3 <= $4)) && list+=",$((size / 2 * 3 - $5))"
	done
	[ -z "$list" ] || echo "$1:$2:${list#,}"
}

# lines L1-PREFETCH L1-LINE L2-PREFETCH L2-LINE OPTION...: the longest line is the second one.
lines() {
	local -a machine=(--config littlecore --set cache.levels=2 --set l2.size_bytes=131072 --set l2.ways=8 --set l1d.size_bytes=8192
		--set "l1d.prefetch=$1" --set "l1d.line_bytes=$2" --set "l1i.line_bytes=$2" --set "l2.prefetch=$3" --set "l2.line_bytes=$4" "${@:5}")
	local name="$*" wanted=$4 block unit words=""
	collect "$work/pairs" "pair:0:8,16,32,64,128,256,512,1024" "${machine[@]}"
	block=$(found line_bytes "$work/pairs")
	for unit in "$block" $((block / 2)); do
		words+=" half:$unit:8,16,32,64,128,256,512,1024 whole:$unit:8,16,32,64,128,256,512,1024"
	done
	collect "$work/halves" "$words" "${machine[@]}"
	tap_is "lines: $name (a miss brings in $block)" "$(found line_bytes "$work/pairs" "$work/halves")" "$wanted"
}
lines adjacent_line 64 none 64
lines next_line 32 none 32
if [ "${FULL:-0}" = 1 ]; then
	for line in 32 64 128; do
		for prefetch in none next_line adjacent_line stride stream stride+adjacent_line; do
			lines "$prefetch" $line none $line
			lines none $line "$prefetch" $line
			lines "$prefetch" $line "$prefetch" $line --set l1d.replacement=random --set l2.replacement=plru
		done
	done
	lines adjacent_line 64 next_line 64
	lines next_line 64 adjacent_line 64
fi

# random_machine SEED: its options. Sizes, associativities, lines, replacements, levels, prefetchers and TLBs are drawn.
random_machine() {
	perl -e '
		my $state = shift;
		sub draw { $state = ($state * 1103515245 + 12345) % 2147483648; $_[($state >> 16) % @_] }
		sub put { print "--set $_[0]=$_[1]\n" }
		draw(0) for 1 .. 4;
		my @replacements = qw(lru lru lrr random plru srrip);
		my $levels = draw(1, 2, 2, 3, 3, 3);
		my $line = draw(32, 64, 64, 128);
		print "--config ", draw(qw(littlecore midcore)), "\n";
		put("cache.levels", $levels);
		put("$_.line_bytes", $line) for qw(l1i l1d);
		put("l1i.size_bytes", draw(4096, 8192, 16384, 32768));
		put("l1i.ways", draw(1, 2, 4, 8));
		put("l1i.replacement", draw(@replacements));
		put("l1i.prefetch", draw(qw(none none next_line)));
		for (2 .. $levels) {
			put("l$_.line_bytes", $line < 64 ? 64 : $line);
			put("l$_.size_bytes", $_ == 2 ? draw(65536, 131072, 262144) : draw(524288, 1048576));
			put("l$_.ways", $_ == 2 ? draw(4, 8, 16) : draw(8, 16));
			put("l$_.replacement", draw(@replacements));
		}
		my $entries = draw(8, 16, 32, 64);
		put("itlb.entries", $entries);
		put("itlb.ways", draw(4, $entries));
		put("tlb2.entries", 0);
	' "$1"
}

# instructions OPTION...: adds to the counts of caches and TLBs, and of those that are found; says what is not.
caches=0 caches_found=0 tlbs=0 tlbs_found=0
value_of() { sed -n "s/.*[ =]$1=\([0-9]*\).*/\1/p" <<<"$*"; }
instructions() {
	local line l1 l2 l3 entries levels dense words sizes got i
	levels=$(value_of cache.levels "$@") line=$(value_of l1i.line_bytes "$@") l1=$(value_of l1i.size_bytes "$@")
	entries=$(value_of itlb.entries "$@")
	sizes=("$l1") dense=$((4 * l1))
	((levels < 2)) || { l2=$(value_of l2.size_bytes "$@") line=$(value_of l2.line_bytes "$@") dense=$((4 * l2)); sizes+=("$l2"); }
	words="$(sweep code "$line" $((8 * line)) $dense 0) codeline:8:131072 $(sweep codepage 4096 16384 $((4 * entries * 4096)) 4096)"
	((levels < 3)) || { l3=$(value_of l3.size_bytes "$@"); words+=" $(sweep code 512 $((2 * dense)) $((4 * l3)) 0)"; sizes+=("$l3"); }
	collect "$work/code" "pair:0:8,32,64,128,256,512,1024,4096,8192,65536 $words" "$@"
	read -ra got <<<"$(found instruction_bytes "$work/code")"
	for i in "${!sizes[@]}"; do
		caches=$((caches + 1))
		[ "${got[i]-}" = "${sizes[i]}" ] && caches_found=$((caches_found + 1))
	done
	tlbs=$((tlbs + 1))
	[ "$(found instruction_pages "$work/code")" = "$entries" ] && tlbs_found=$((tlbs_found + 1))
	echo "# caches ${sizes[*]}: found ${got[*]}; $entries pages: found $(found instruction_pages "$work/code")"
}
instructions --config leon2 --set cache.levels=1 --set l1i.line_bytes=32 --set l1i.size_bytes=4096 --set itlb.entries=8
tap_is "leon2: a cache and a TLB of instructions, and no second one" \
	"$(found instruction_bytes "$work/code") $(found instruction_pages "$work/code")" "4096 8"
first=7 last=7
[ "${FULL:-0}" = 1 ] && first=1 last=24
for ((seed = first; seed <= last; seed++)); do
	# shellcheck disable=SC2046
	instructions $(random_machine $seed)
done
tap_check "random machines: $caches_found of $caches caches of instructions are found, nine in ten" \
	test $((10 * caches_found)) -ge $((9 * caches))
tap_check "random machines: $tlbs_found of $tlbs TLBs of instructions are found, nine in ten" \
	test $((10 * tlbs_found)) -ge $((9 * tlbs))
tap_done
