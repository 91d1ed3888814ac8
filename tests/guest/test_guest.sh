#!/bin/bash
# time-limit: 1500
# Runs every guest program here under qemu-riscv64 and under `cyclestack exec`
# and reports in TAP: standard output and exit status must be identical, and with --no-translate
# the result too, with all its counts.
#
#   test_guest.sh [NAME...]     all programs, or those named, static and dynamic; NAME is a
#                               program's or what it has before the first _
#   test_guest.sh --parts       lists what is before the first _
#
# parts
# CYCLESTACK  the tool              (build/cyclestack)
# BUILD       where programs go     (build/tests/guest)
# SYSROOT     for dynamic programs  (/usr/riscv64-linux-gnu)
# JOBS        cases at a time       (2)
#
# A program's first comment opens with what it promises, and may hold:
#   args: WORDS        arguments, quoted as for the shell
#   env: WORDS         NAME=VALUE pairs; otherwise the environment is empty
#   stdin: TEXT        input, with \n and \t; otherwise empty
#   data: yes|FILE     a fresh directory (with FILE from BUILD) is the first argument
#   link: static|dynamic   only this way
#   only: cyclestack   no comparison: exit status 0, no `NO` in the output
#   beside: host       compared with the kernel of the host, because qemu answers otherwise
#   stderr: TEXT       cyclestack's standard error must mention this
#   todo: REASON       known not to hold; shown as TODO, not counted as a failure
# Programs named *_plugin.c become shared objects.
set -u
# qemu gives a program the niceness of the host, which must not differ from that of a new process.
[ "$(nice)" -eq 0 ] || renice -n 0 -p $$ >/dev/null 2>&1

if [ "${1:-}" = --parts ]; then
	cd "$(dirname "$0")" && printf '%s\n' *.c | sed 's/[_.].*//' | sort -u
	exit
fi
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export CYCLESTACK=${CYCLESTACK:-$root/build/cyclestack}
BUILD=${BUILD:-$root/build/tests/guest}
export SYSROOT=${SYSROOT:-/usr/riscv64-linux-gnu}
CC=riscv64-linux-gnu-gcc
CFLAGS="-O1 -g -pthread -Wall -Wno-unused-result -Wno-unused-value"
limit=20

directive()
{
	sed -n '/\*\//q; s/^ \* '"$2"': *//p' "$here/$1.c"
}

build()
{
	local name=$1 mode=$2 out=$3 flags

	[ "$out" -nt "$here/$name.c" ] && [ "$out" -nt "$here/check.h" ] && return
	case $mode in
	host) flags= ;;
	static) flags=-static ;;
	dynamic) flags= ;;
	shared) flags="-shared -fPIC" ;;
	esac
	[ "$mode" = host ] && local CC=${HOST_CC:-gcc}
	# Two modes of one case may build the host's program at a time.
	local new=$out.new.$BASHPID
	# shellcheck disable=SC2086
	$CC $CFLAGS $flags -o "$new" "$here/$name.c" -lm && mv "$new" "$out"
}

fail()
{
	echo "not ok - $1${todo:+ # TODO $todo}"
	[ -s "$2" ] && head -n "${3:-12}" "$2" | sed 's/^/#   /'
	exit 0
}

# run_tool NAME DIRECTORY [OPTION...]: runs the case of run_case with that directory as its data.
run_tool()
{
	local to=$work/$1 directory=$work/$2

	shift 2
	[ -n "$data" ] && set -- "$@" --mount "/data=$directory"
	# The shell's own remark about a killed child is not the program's.
	{
		timeout -k 5 $limit "$CYCLESTACK" exec "$@" --json "$to.json" ${under_tool[@]+"${under_tool[@]}"} \
			${named[@]+"${named[@]}"} -- "$program" ${data:+/data} \
			${args[@]+"${args[@]}"} <"$work/stdin" >"$to" 2>"$to.err"
	} 2>/dev/null
}

# One case: prints its TAP line, without a number, and diagnostics.
run_case()
{
	local name=$1 mode=$2 work=$BUILD/run/$1.$2
	local promise title todo program data want got plain text word
	local -a args=() env=() under_qemu=() under_tool=() named=()

	promise=$(sed -n '2s/^ \* //p' "$here/$name.c")
	title="$name, $mode: $promise"
	todo=$(directive "$name" todo)
	program=$BUILD/$name.$mode
	rm -rf "$work"
	mkdir -p "$work"
	build "$name" "$mode" "$program" 2>"$work/build" || fail "$title (does not build)" "$work/build"

	eval "args=($(directive "$name" args))"
	eval "env=($(directive "$name" env))"
	text=$(directive "$name" stdin)
	printf '%b' "$text" >"$work/stdin"
	data=$(directive "$name" data)
	if [ "$mode" = dynamic ]; then
		under_qemu+=(-L "$SYSROOT")
		under_tool+=(--sysroot "$SYSROOT")
	fi
	for word in ${env[@]+"${env[@]}"}; do
		named+=(--env "$word")
	done
	if [ -n "$data" ]; then
		mkdir "$work/a" "$work/b" "$work/c"
		if [ "$data" != yes ]; then
			build "${data%.so}" shared "$BUILD/$data" 2>"$work/build" ||
				fail "$title (does not build)" "$work/build"
			cp "$BUILD/$data" "$work/a"
			cp "$BUILD/$data" "$work/b"
			cp "$BUILD/$data" "$work/c"
		fi
	fi

	run_tool got b
	got=$?
	while read -r text; do
		grep -q -e "$text" "$work/got.err" ||
			fail "$title (standard error does not mention $text)" "$work/got.err"
	done < <(directive "$name" stderr)
	grep -q -e 'internal error' -e 'AddressSanitizer' -e 'runtime error' "$work/got.err" &&
		fail "$title (the tool itself is in trouble)" "$work/got.err"

	run_tool plain c --no-translate
	plain=$?
	for text in '' .err .json; do
		[ $plain -eq $got ] && cmp -s "$work/plain$text" "$work/got$text" && continue
		diff -a -U0 --label interpreted --label translated "$work/plain$text" "$work/got$text" >"$work/diff"
		fail "$title (differs when it is translated, status $plain and $got)" "$work/diff" 24
	done

	if [ "$(directive "$name" only)" = cyclestack ]; then
		if [ $got -ne 0 ] || grep -q ': NO$' "$work/got"; then
			cat "$work/got.err" >>"$work/got"
			fail "$title (status $got)" "$work/got" 30
		fi
		echo "ok - $title"
		return
	fi
	if [ "$(directive "$name" beside)" = host ]; then
		program=$BUILD/$name.host
		build "$name" host "$program" 2>"$work/build" || fail "$title (does not build)" "$work/build"
		under_qemu=()
		local QEMU=
	fi
	# qemu runs threads and timers on the host, whose load shows now and then: a program that
	# uses no files may be asked again. What we print must be among its answers.
	for _ in 1 2 3 4; do
		{
			timeout -k 5 $limit env -i ${env[@]+"${env[@]}"} ${QEMU:+"$QEMU"} \
				${under_qemu[@]+"${under_qemu[@]}"} "$program" ${data:+"$work/a"} \
				${args[@]+"${args[@]}"} <"$work/stdin" >"$work/want" 2>"$work/want.err"
			want=$?
		} 2>/dev/null
		[ -z "$data" ] || break
		cmp -s "$work/want" "$work/got" && [ $want -eq $got ] && break
	done
	if ! cmp -s "$work/want" "$work/got"; then
		diff -a -U0 --label qemu --label cyclestack "$work/want" "$work/got" >"$work/diff"
		head -n 3 "$work/got.err" >>"$work/diff"
		fail "$title (output differs; status qemu $want, cyclestack $got)" "$work/diff" 24
	fi
	[ $want -eq $got ] ||
		fail "$title (status qemu $want, cyclestack $got)" "$work/got.err"
	echo "ok - $title"
	rm -rf "$work"
}

missing()
{
	echo "1..0 # SKIP $1"
	exit 0
}

ulimit -c 0
# The guest begins with this one, whatever the host has.
umask 022
mkdir -p "$BUILD"
BUILD=$(cd "$BUILD" && pwd -P)
export BUILD
QEMU=$(command -v qemu-riscv64) || missing "qemu-riscv64 is not installed"
command -v $CC >/dev/null || missing "$CC is not installed"
if [ ! -x "$CYCLESTACK" ]; then
	echo "not ok 1 - $CYCLESTACK has not been built"
	echo 1..1
	exit 1
fi

if [ "${1:-}" = --case ]; then
	run_case "$2" "$3" >"$BUILD/tap/$2.$3" 2>&1
	exit 0
fi

rm -rf "$BUILD/tap"
mkdir -p "$BUILD/tap"
cases=()
skipped=
[ -d "$SYSROOT/lib" ] || skipped="no libraries under $SYSROOT"
for source in "$here"/*.c; do
	name=$(basename "$source" .c)
	case $name in
	*_plugin) continue ;;
	esac
	if [ $# -gt 0 ]; then
		case " $* " in
		*" $name "* | *" ${name%%_*} "*) ;;
		*) continue ;;
		esac
	fi
	for mode in static dynamic; do
		link=$(directive "$name" link)
		[ "${link:-$mode}" = "$mode" ] || continue
		if [ $mode = dynamic ] && [ -n "$skipped" ]; then
			echo "ok - $name, $mode # SKIP $skipped" >"$BUILD/tap/$name.$mode"
		fi
		cases+=("$name" "$mode")
	done
done
[ ${#cases[@]} -gt 0 ] || missing "no program of that name"

for ((i = 0; i < ${#cases[@]}; i += 2)); do
	[ -e "$BUILD/tap/${cases[i]}.${cases[i + 1]}" ] ||
		printf '%s %s\n' "${cases[i]}" "${cases[i + 1]}"
done | xargs -P "${JOBS:-2}" -L 1 "$0" --case

number=0
failed=0
for ((i = 0; i < ${#cases[@]}; i += 2)); do
	number=$((number + 1))
	result=$BUILD/tap/${cases[i]}.${cases[i + 1]}
	[ -s "$result" ] || echo "not ok - ${cases[i]}, ${cases[i + 1]}: gave no result" >"$result"
	grep -a '^not ok' "$result" | grep -a -q -v '# TODO' && failed=$((failed + 1))
	sed "s/^\(not ok\|ok\) /\1 $number /" "$result"
done
echo "1..$number"
[ $failed -eq 0 ] || echo "# $failed of $number failed"
[ $failed -eq 0 ]
