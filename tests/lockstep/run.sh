#!/bin/bash
# Runs random instruction sequences under qemu-riscv64 and under `cyclestack exec` and compares what
# they leave in registers, fcsr and memory.  Reports in TAP.
#
#   run.sh [options] [BATCHES [COUNT]]   10 batches of 1000 sequences, unless told
#     --level L     the extensions: 0 RV64GC and Zb*; 1 also Zfh and Zbkb; 2 all but V, which needs
#                   a qemu 10 (QEMU)
#     --full        120 batches of 1000
#     --seed N      the first batch's seed (1); the next batches count up
#     --sabotage K  gives the tool programs whose sequence K is wrong: the run must fail
#
# A batch that differs is narrowed down to one sequence and to the first unit after which it differs,
# with the registers that differ, the code, and commands that repeat it.
#
# QEMU        the referee                      (qemu-riscv64)
# CYCLESTACK  the tool                         (build/cyclestack)
# COMMAND     what runs a program instead of   ($CYCLESTACK exec)
# BUILD       generator, failing programs      (build)
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=../../tools/tap.sh
. "$root/tools/tap.sh"
build=${BUILD:-$root/build}
out=$build/tests/lockstep
command=${COMMAND:-${CYCLESTACK:-$root/build/cyclestack} exec}
qemu=${QEMU:-qemu-riscv64}
seconds=120
narrow_at_most=3

batches=10
count=1000
seed=1
sabotage=()
level=()
while [ $# -gt 0 ]; do
	case $1 in
	--full) batches=120 ;;
	--level)
		level=(--level "$2")
		[ "$2" != 0 ] && command=${COMMAND:-$command --isa max}
		[ "$2" = 1 ] && export QEMU_CPU=rv64,Zfh=true,zbkb=true
		[ "$2" = 2 ] && export QEMU_CPU=max
		shift
		;;
	--seed) seed=$2 && shift ;;
	--sabotage) sabotage=(--sabotage "$2") && shift ;;
	-*) echo "run.sh: unknown option $1" >&2 && exit 2 ;;
	*) batches=$1 && count=${2:-$count} && shift $(($# - 1)) ;;
	esac
	shift
done

if ! command -v "$qemu" >/dev/null; then
	tap_skip lockstep "$qemu not installed"
	tap_done
fi
if ! "$here/build.sh" "$out"; then
	tap_not_ok "the generator builds"
	tap_done
fi
if ! command -v "${command%% *}" >/dev/null; then
	tap_not_ok "lockstep" "nothing to test: no ${command%% *}"
	tap_done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Generates one program twice, correct for qemu and perhaps sabotaged for the tool, runs both, and
# leaves in $work/report how they differ.  False if they do; 2 if qemu itself did not run it.
differ()
{
	local status

	"$out/generate" "${level[@]}" "$@" "$work/expected.elf" >"$work/description" || return 2
	if [ ${#sabotage[@]} -gt 0 ]; then
		"$out/generate" "${level[@]}" "${sabotage[@]}" "$@" "$work/actual.elf" >/dev/null || return 2
	else
		ln -f "$work/expected.elf" "$work/actual.elf"
	fi
	timeout $seconds "$qemu" "$work/expected.elf" >"$work/expected" 2>"$work/expected.err"
	status=$?
	if [ $status -ne 0 ]; then
		echo "qemu-riscv64 ended with status $status: $(tail -n 2 "$work/expected.err")" >"$work/report"
		return 2
	fi
	# shellcheck disable=SC2086
	timeout $seconds $command "$work/actual.elf" >"$work/actual" 2>"$work/actual.err"
	status=$?
	"$out/compare" "$work/expected" "$work/actual" >"$work/report" 2>&1 && [ $status -eq 0 ] && return 0
	if [ $status -ne 0 ]; then
		{
			echo "the tool ended with status $status"
			tail -n 4 "$work/actual.err"
		} >>"$work/report"
	fi
	return 1
}

diagnose()
{
	sed 's/^/#   /'
}

# The registers that a disassembly on standard input names, with the values in state file $1.
operands()
{
	grep -oE '\b(ra|sp|gp|tp|f?[ast][0-9]+)\b' | sort -u | while read -r name; do
		grep -F "($name)" "$1"
	done
	grep '^fcsr' "$1"
}

# Finds the first unit of sequence $2 of seed $1 after which the results differ.
narrow()
{
	local batch_seed=$1 number=$2 units cut start end last name

	differ --only "$number" "$batch_seed" "$count"
	case $? in
	0) echo "alone it gives the same results: what ran before it matters" | diagnose && return ;;
	2) diagnose <"$work/report" && return ;;
	esac
	units=$(sed -n 's/.* units //p' "$work/description")
	for ((cut = 0; cut <= units; cut++)); do
		differ --only "$number" --cut "$cut" "$batch_seed" "$count" || break
	done
	if [ "$cut" -gt "$units" ]; then
		echo "no cut of it differs" | diagnose
		return
	fi
	name=$out/failed-$batch_seed-$number.elf
	cp "$work/actual.elf" "$name"
	{
		echo "first differs after unit $cut of $units:"
		sed 1d "$work/report"
	} | diagnose
	read -r start end < <(sed -n 's/.* start \([^ ]*\) end \([^ ]*\) .*/\1 \2/p' "$work/description")
	if command -v riscv64-linux-gnu-objdump >/dev/null; then
		riscv64-linux-gnu-objdump -d --no-show-raw-insn --start-address="$start" --stop-address="$end" \
			"$name" | sed '1,/^Disassembly/d; /^$/d' >"$work/code"
		tail -n 70 "$work/code" | diagnose
	fi
	if [ "$cut" -gt 0 ]; then
		last=$(sed -n "/<unit_$cut>:/,\$p" "$work/code" 2>/dev/null)
		differ --only "$number" --cut $((cut - 1)) "$batch_seed" "$count"
		"$out/compare" --state "$work/expected" >"$out/before-$batch_seed-$number.txt"
		{
			echo "its operands before unit $cut (all in $out/before-$batch_seed-$number.txt):"
			operands "$out/before-$batch_seed-$number.txt" <<<"$last"
		} | diagnose
	fi
	{
		echo "to repeat:"
		echo "  $out/generate ${level[*]} ${sabotage[*]} --only $number --cut $cut $batch_seed $count x.elf"
		echo "  qemu-riscv64 x.elf >expected; $command x.elf >actual; $out/compare expected actual"
	} | diagnose
}

# One TAP line a batch, or a tenth of a long run; failures are reported batch by batch.
group=$(((batches + 9) / 10))
[ "$batches" -le 20 ] && group=1
narrowed=0
for ((first = seed; first < seed + batches; first += group)); do
	failed=
	sequences=0
	rm -f "$work/told"
	for ((s = first; s < first + group && s < seed + batches; s++)); do
		sequences=$((sequences + count))
		differ "$s" "$count" && continue
		failed="$failed $s"
		number=$(sed -n '1s/^sequence //p' "$work/report")
		{
			echo "seed $s, sequence ${number:-unknown}"
			sed '/^sequence /d' "$work/report"
		} | diagnose >>"$work/told"
		if [[ $number =~ ^[0-9]+$ ]] && [ $narrowed -lt $narrow_at_most ]; then
			narrowed=$((narrowed + 1))
			narrow "$s" "$number" >>"$work/told"
		fi
	done
	name="$sequences sequences, seed $first"
	[ "$group" -gt 1 ] && name="$name to $((s - 1))"
	if [ -z "$failed" ]; then
		tap_ok "$name: registers, fcsr and memory as under qemu"
	else
		tap_not_ok "$name: registers, fcsr and memory as under qemu (differs:$failed)"
		cat "$work/told"
	fi
done
tap_done
