#!/bin/bash
# The workloads are frozen, give the same digest on the host, under qemu and here, and have the
# character the papers' programs have.  With CI set, at size small too, and the character of all of them.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
out=$BUILD/tests/workloads
sizes="test"
measured_names=(interp parser hospital)
tap_wants_all && sizes="test small" && measured_names=()
mkdir -p "$out"

tap_check "no source differs from workloads/FROZEN" tools/freeze-workloads --check

expected="algebra annealer blocksort chess compiler fft fieldgraph hanoi heapsort hospital interp"
expected="$expected lattice lzpack netflow neuralscan objdb parser quadtree raytrace router seqsearch"
expected="$expected sparsemv ssor stencil"
tap_is "all 24 are listed" "$("$CYCLESTACK" workloads --names | grep -v / | xargs)" "$expected"

tap_is "a wrong size is refused" "$("$CYCLESTACK" exec @chess:big 2>&1; echo $?)" \
	'cyclestack: workload sizes are test, small and ref, not "big" (see: cyclestack exec --help)
2'
tap_is "an unknown workload is refused" "$("$CYCLESTACK" exec @ches 2>&1; echo $?)" \
	'cyclestack: there is no workload "ches"; did you mean @chess? `cyclestack workloads` lists them (see: cyclestack exec --help)
2'

for name in $expected; do
	elf=$("$CYCLESTACK" workloads --elf "$name")
	"${CC:-gcc}" -std=gnu11 -O2 -ffp-contract=off -o "$out/$name" "workloads/$name.c" -lm 2>"$out/$name.err" ||
		tap_not_ok "$name builds for the host" "$(cat "$out/$name.err")"
	for size in $sizes; do
		# shellcheck disable=SC2046
		set -- $("$CYCLESTACK" workloads --args "$name:$size")
		ours=$("$CYCLESTACK" exec "@$name:$size" 2>&1; echo "status $?")
		case $ours in *" ok"*"status 0") ;; *) tap_not_ok "$name $size checks itself" "$ours" ;; esac
		tap_is "$name $size: the host's digest" "$("$out/$name" "$@" 2>&1; echo "status $?")" "$ours"
		if command -v qemu-riscv64 >/dev/null; then
			tap_is "$name $size: qemu's output and status" \
				"$(qemu-riscv64 "$elf" "$@" 2>&1; echo "status $?")" "$ours"
		else
			tap_skip "$name $size: qemu's output and status" "no qemu-riscv64"
		fi
	done
done

# Character: misses per 1000 instructions at small, in the functional models.
measured=$out/measured.json
if "$CYCLESTACK" workloads --measure --json "$measured" "${measured_names[@]}" >"$out/measure.out" 2>"$out/measure.err"; then
	rate() { # NAME KEY: per 1000 instructions, or a size in KB
		perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>);
			for (@{$r->{workloads}}) { next unless $_->{name} =~ /^\@?\Q$ARGV[0]\E(:|$)/;
				printf "%.2f", 1000 * $_->{$ARGV[1]} / $_->{instructions} }' "$1" "$2" <"$measured"
	}
	at_least() { # NAME KEY BAR WORDS
		local got
		case " ${measured_names[*]:-$1} " in *" $1 "*) ;; *) return ;; esac
		got=$(rate "$1" "$2")
		if perl -e 'exit !($ARGV[0] ne "" && $ARGV[0] >= $ARGV[1])' "$got" "$3"; then
			tap_ok "$1: $got $4 per 1000 instructions, at least $3"
		else
			tap_not_ok "$1: $got $4 per 1000 instructions, at least $3"
		fi
	}
	for name in compiler interp objdb; do
		at_least $name l1i_misses 5 "L1I misses"
	done
	for name in chess router parser; do
		at_least $name mispredictions 4 "mispredictions"
	done
	for name in ssor neuralscan sparsemv fft stencil netflow fieldgraph hospital quadtree lattice; do
		at_least $name long_misses 10 "long misses"
	done
	for name in netflow fieldgraph hospital; do
		at_least $name long_load_misses 10 "long load misses"
	done
else
	tap_not_ok "the workloads can be measured" "$(cat "$out/measure.err")"
fi
tap_done
