#!/bin/bash
# The counters that a program reads by perf_event_open, by the mapped page and by CSRs: every event counts
# exactly what its signal adds up to, with other observers or without; errors are those of Linux; events
# take turns; codes, sabotage and noise are as configured; hostile calls harm nobody.
#
# CYCLESTACK  the tool  (build/cyclestack)
# time-limit: 900
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
needs "$cross"
. tests/harness.sh
build_driver tests/pmu/observe.c
for name in all_events interface multiplex multiplex_threads hostile one_event clock system; do
	"$cross" -O1 -g -static -pthread -Wno-unused-result -o "$work/$name" "tests/pmu/$name.c" 2>"$work/log" || {
		tap_not_ok "$name builds" "$(cat "$work/log")"
		tap_done
	}
done

# guest OPTION... -- PROGRAM ARGUMENT...: what a program prints on a core with time.
guest() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$cyclestack" run --counters none --argv0 program --json "$work/run.json" --report "$work/run.text" \
		"${options[@]}" -- "$@" </dev/null 2>"$work/err"
}

# number NAME: of a signal, which is its code.
number() {
	"$cyclestack" signals --json - | perl -MJSON::PP -e 'local $/; my $n = 0;
		for (@{decode_json(<STDIN>)->{signals}}) { print $n if $_->{name} eq $ARGV[0]; $n++ }' "$1"
}

presets="midcore bigcore u74"
settings="rob.size=16 l1d.mshrs=1"
seeds="1 2"
if tap_wants_all; then
	presets="midcore bigcore littlecore leon2 eyerman2006 u74"
	settings="rob.size=16 fetch.width=1 store.buffer=2 l1d.mshrs=1 wrong_path.unmapped=stop"
	seeds="1 2 3 4"
fi
for preset in $presets; do
	"$work/driver" -c "configs/$preset.cfg" "$work/sums" "$work/all_events" >"$work/counts" 2>"$work/err"
	tap_is "$preset: every event counts what its signal adds up to" "$(cat "$work/counts" "$work/err")" \
		"$(cat "$work/sums")"
	guest --config "$preset" -- "$work/all_events" >"$work/alone"
	tap_is "$preset: and nobody else needs to observe" "$(head -n "$(wc -l <"$work/counts")" "$work/alone")" \
		"$(cat "$work/counts")"
done
for setting in $settings; do
	"$work/driver" -c configs/eyerman2006.cfg -s "$setting" "$work/sums" "$work/all_events" >"$work/counts" 2>"$work/err"
	tap_is "$setting: every event counts what its signal adds up to" "$(cat "$work/counts" "$work/err")" \
		"$(cat "$work/sums")"
done

tap_is "exec answers as Linux documents it" "$("$cyclestack" exec "$work/interface")" \
	"$(cat tests/pmu/interface.expected)"
for options in "--config midcore" "--config leon2" "--time cycles" "--skip 5000"; do
	read -ra words <<<"$options"
	case $options in
	*cycles | *skip*) tap_is "run $options: everything holds that does not depend on time" \
		"$(guest "${words[@]}" -- "$work/interface" | grep -a -c -e '-> ')" \
		"$(grep -c -e '-> ' tests/pmu/interface.expected)" ;;
	*) tap_is "run $options answers so too" "$(guest "${words[@]}" -- "$work/interface")" \
		"$(cat tests/pmu/interface.expected)" ;;
	esac
done
for preset in midcore leon2; do
	guest --config $preset --set pmu.counters=2 -- "$work/multiplex" >"$work/out"
	tap_is "$preset: events take turns on two counters" "$? $(grep ': NO$' "$work/out") $(tail -n 1 "$work/out")" \
		"0  get(leader).running - before < 1000: yes"
done

for preset in midcore leon2; do
	guest --config $preset --set pmu.counters=2 --set pmu.rotation_ns=3000 -- "$work/multiplex_threads" >"$work/out"
	tap_is "$preset: groups take turns while threads do" "$? $(grep -c ': yes$' "$work/out") $(grep ': NO$' "$work/out")" "0 37 "
done

# Which event is counted does not change what the core does.
cycles() {
	guest "$@" quiet
	perl -MJSON::PP -e 'local $/; my $v = decode_json(<STDIN>)->{values}; print "$v->{cycles} $v->{instructions}"' <"$work/run.json"
}
for preset in midcore leon2; do
	first=$(cycles --config $preset -- "$work/one_event" 1)
	for name in l1d.loads.misses fetched.conditional rob.used lost memory.reads; do
		tap_is "$preset: counting $name changes nothing" "$(cycles --config $preset --set pmu.sabotage=1 \
			--set pmu.sabotage_event=1 --set pmu.sabotage_signal="$(number $name)" -- "$work/one_event" 1)" "$first"
	done
done
# Clocks that go by cycles are read in an empty core, as cycle is.
for preset in midcore leon2; do
	tap_is "$preset: --time cycles: clock and cycle agree" "$(guest --config $preset --time cycles -- "$work/clock")" "in order"
done

tap_is "a permuted code counts another signal" \
	"$([ "$(guest --set pmu.codes=7 -- "$work/one_event" "$(number committed)")" != \
		"$(guest -- "$work/one_event" "$(number committed)")" ] && echo yes)" yes
tap_is "the permutation depends on the seed alone" "$(guest --set pmu.codes=7 -- "$work/one_event" 9)" \
	"$(guest --set pmu.codes=7 -- "$work/one_event" 9)"
branches=$(number branches.conditional)
true_count=$(guest -- "$work/one_event" "$branches")
tap_is "a sabotaged event counts twice" "$(guest --set pmu.sabotage=2 --set pmu.sabotage_event="$branches" \
	--set pmu.sabotage_signal="$branches" -- "$work/one_event" "$branches")" $((2 * true_count))
tap_is "or another signal" "$(guest --set pmu.sabotage=1 --set pmu.sabotage_event="$branches" \
	--set pmu.sabotage_signal="$(number stores)" -- "$work/one_event" "$branches")" \
	"$(guest -- "$work/one_event" "$(number stores)")"
tap_is "a signal that does not exist is refused" "$(guest --set pmu.sabotage=1 --set pmu.sabotage_event=60000 \
	-- "$work/one_event" 9; echo $?; grep -c 'numbers of signals' "$work/err")" "125
1"
noisy=$(guest --set pmu.noise_percent=2 -- "$work/one_event" "$branches")
tap_is "noise makes readings wrong" "$([ "$noisy" != "$true_count" ] && echo yes)" yes
tap_is "by little" "$([ "$noisy" -gt $((true_count * 9 / 10)) ] && [ "$noisy" -lt $((true_count * 22 / 10)) ] && echo yes)" yes
tap_is "and is the same each time" "$(guest --set pmu.noise_percent=2 -- "$work/one_event" "$branches")" "$noisy"
tap_is "but not with another seed" \
	"$([ "$(guest --set pmu.noise_percent=2 --set pmu.noise_seed=2 -- "$work/one_event" "$branches")" != "$noisy" ] && echo yes)" yes

# One percent of fewer than a hundred branches is none, and so is what others add in so few instructions.
few=$(guest -- "$work/one_event" "$branches" 9)
for noise_seed in 1 2 3 4; do
	tap_is "a percent of $few branches is no noise with $noise_seed" \
		"$(guest --set pmu.noise_percent=1 --set pmu.noise_seed=$noise_seed -- "$work/one_event" "$branches" 9)" "$few"
done

for seed in $seeds; do
	for command in "exec" "run --counters none --report $work/text"; do
		read -ra words <<<"$command"
		"$cyclestack" "${words[@]}" "$work/hostile" "$seed" >"$work/first" 2>"$work/err"
		status=$?
		"$cyclestack" "${words[@]}" "$work/hostile" "$seed" >"$work/second" 2>/dev/null
		tap_is "hostile calls, seed $seed, ${words[0]}" "$status $(wc -c <"$work/first") $(cat "$work/first")" \
			"0 17 $(cat "$work/second")"
	done
done

# What /proc and /sys tell is what the configuration says.
for preset in midcore leon2 bigcore; do
	guest --config $preset -- "$work/system" >"$work/out"
	"$cyclestack" config dump --json - --config $preset >"$work/config.json" 2>/dev/null
	tap_is "$preset: the caches in /sys are those of the configuration" "$(grep ^cache "$work/out")" \
		"$(perl -MJSON::PP -e 'local $/; my $c = decode_json(<STDIN>); my $v = $c->{values} // $c->{parameters} // $c;
			my $i = 0;
			for (["l1d", 1, "Data"], ["l1i", 1, "Instruction"], ["l2", 2, "Unified"], ["l3", 3, "Unified"]) {
				my ($n, $level, $type) = @$_;
				next if $level > $v->{"cache.levels"};
				my ($s, $l, $w) = map { $v->{"$n.$_"} } "size_bytes", "line_bytes", "ways";
				printf "cache %d: %d %s %dK %d %d %d 0\n", $i++, $level, $type, $s / 1024, $l, $w, $s / $l / $w;
			}' <"$work/config.json")"
	tap_is "$preset: every event that is listed can be counted, and no other" "$(grep ^events "$work/out")" \
		"events $(guest --config $preset -- "$work/all_events" | grep -c '^[0-9]* [0-9]*$') opened, 0 refused"
	tap_is "$preset: the rest holds" "$(grep ': NO$' "$work/out")" ""
done
tap_done
