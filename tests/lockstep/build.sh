#!/bin/bash
# build.sh DIRECTORY: puts `generate` and `compare` there, if they are older than their sources.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=$1
flags=(-std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -I"$root/src" -I"$here")
base=("$root/src/base/err.c" "$root/src/base/array.c")

current()
{
	local newer

	[ -x "$1" ] || return 1
	newer=$(find "$here" "$root/src/base" -name '*.[ch]' -newer "$1")
	[ -z "$newer" ]
}

mkdir -p "$out"
if ! current "$out/compare" || ! current "$out/generate"; then
	new=$(mktemp -d "$out/new.XXXXXX")
	trap 'rm -rf "$new"' EXIT
	${CC:-gcc} "${flags[@]}" -o "$new/generate" "$here"/{generate,sequence,straight,builder,insn,value}.c \
		"${base[@]}"
	${CC:-gcc} "${flags[@]}" -o "$new/compare" "$here/compare.c" "${base[@]}"
	mv "$new/generate" "$new/compare" "$out/"
fi
