#!/bin/bash
# long
# time-limit: 1200
# The same program on the same machine gives the same result, to the byte: anywhere, for anyone, twice, and
# from other builds of the simulator.
#
# CYCLESTACK          the tool                        (build/cyclestack)
# BUILD               where the tool and workloads are (build)
# DETERMINISM_BUILDS  1: build with clang and without optimisation as well, which takes minutes
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
elf=$("$CYCLESTACK" workloads --elf heapsort 2>/dev/null) || tap_skip_all "the workloads are not built"
workloads=$(dirname "$(realpath "$elf")")
# Another user must be able to read the copy.
chmod 755 "$work"

# A machine in which everything is used that draws random numbers, beside the default one.
random="--set l1i.replacement=random --set l1d.replacement=random --set l2.replacement=random"
cases=("@heapsort:test" "@interp:test" "@hospital:test" "$random @interp:test" "--skip 200k @hospital:test"
	"--max-insns 300k @heapsort:test")

for i in "${!cases[@]}"; do
	# shellcheck disable=SC2086
	"$CYCLESTACK" run --json "$work/$i.json" ${cases[i]} >"$work/$i.out" 2>"$work/$i.err"
	status=$?
	wanted="0 "
	case ${cases[i]} in
	*max-insns*) wanted="124 cyclestack: stopped by --max-insns after 300000 instructions: the result is partial" ;;
	esac
	tap_is "${cases[i]} runs" "$status $(cat "$work/$i.err")" "$wanted"
	echo "#   result $(sha256sum <"$work/$i.json" | cut -c1-64)"
done
tap_is "the results are all different" "$(sha256sum "$work"/?.json | cut -c1-64 | sort -u | wc -l)" "${#cases[@]}"

# same TITLE COMMAND...: the results are the same if the tool is called through COMMAND, which ends in its name.
same() {
	local title=$1 i different=
	shift
	for i in "${!cases[@]}"; do
		# What the program itself prints comes before the result.
		# shellcheck disable=SC2086
		"$@" run --json - ${cases[i]} 2>"$work/other.err" </dev/null | sed -n '/^{$/,$p' >"$work/other.json"
		cmp -s "$work/$i.json" "$work/other.json" || different="$different
${cases[i]}: $(head -n 3 "$work/other.err") $(diff "$work/$i.json" "$work/other.json" | head -n 6)"
	done
	tap_is "$title" "$different" ""
}

within() {
	cd "$1" && shift && "$@"
}

same "a second time" "$CYCLESTACK"
same "from another working directory" within / "$CYCLESTACK"
same "with an empty environment" env -i "$CYCLESTACK"
same "in another language and time zone" env LC_ALL=tr_TR.UTF-8 LANG=de_DE.UTF-8 TZ=Asia/Tokyo "$CYCLESTACK"
big=()
for ((i = 0; i < 200; i++)); do
	big+=("VARIABLE_$i=$(printf '%0500d' "$i")")
done
same "with a big environment" env "${big[@]}" HOME=/nowhere USER=nobody "$CYCLESTACK"
same "under another name" bash -c 'exec -a another-name "$0" "$@"' "$CYCLESTACK"
same "with small limits" bash -c 'ulimit -s 1024 && ulimit -n 64 && exec "$@"' bash "$CYCLESTACK"
if command -v setarch >/dev/null && setarch -R true 2>/dev/null; then
	same "without randomised addresses" setarch -R "$CYCLESTACK"
else
	tap_skip "without randomised addresses" "setarch -R is not to be had here"
fi
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
	same "on one processor" taskset -c 0 "$CYCLESTACK"
else
	tap_skip "on one processor" "taskset is not to be had here"
fi

# While another simulation runs.
"$CYCLESTACK" run @netflow:ref >/dev/null 2>&1 &
busy=$!
same "beside another simulation" "$CYCLESTACK"
kill -INT "$busy"
wait "$busy"

copy="$work/a copy/somewhere else"
mkdir -p "$copy/workloads"
cp "$CYCLESTACK" "$copy/cyclestack"
cp -r "$root/configs" "$copy/"
for name in heapsort interp hospital; do
	cp "$workloads/$name" "$copy/workloads/"
	[ ! -f "$workloads/$name.about" ] || cp "$workloads/$name.about" "$copy/workloads/"
done
chmod -R a+rX "$work"
unset CYCLESTACK_CONFIGS CYCLESTACK_WORKLOADS
same "from a copy elsewhere" within "$copy" ./cyclestack
if [ "$(id -u)" != 0 ]; then
	tap_skip "as another user" "only root can become another user"
elif ! runuser -u nobody -- "$copy/cyclestack" --version >/dev/null 2>&1; then
	tap_skip "as another user" "user nobody cannot run the copy"
else
	same "as another user" within "$copy" runuser -u nobody -- ./cyclestack
fi

# build_and_compare NAME VARIABLE=VALUE...
build_and_compare() {
	local name=$1 other=$BUILD/determinism-$1
	shift
	if make -j2 --no-print-directory BUILD="$other" "$@" program configs >"$work/make.out" 2>&1; then
		same "from a build with $*" env CYCLESTACK_WORKLOADS="$workloads" "$other/cyclestack"
	else
		tap_not_ok "from a build with $*" "$(tail -n 20 "$work/make.out")"
	fi
}

if [ "${DETERMINISM_BUILDS:-0}" != 1 ]; then
	for title in CC=clang "CC=gcc OPTIMISE=-O0"; do
		tap_skip "from a build with $title" "takes minutes; DETERMINISM_BUILDS=1 and \`make evaluate\` do it"
	done
else
	if command -v clang >/dev/null; then
		build_and_compare clang CC=clang
	else
		tap_skip "from a build with CC=clang" "no clang"
	fi
	build_and_compare unoptimised CC=gcc OPTIMISE=-O0
fi
tap_done
