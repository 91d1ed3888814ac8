#!/bin/bash
# long
# The disassembler's text is objdump's, on every instruction of every workload, on every half word,
# and on words made from the instruction table with random operands.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
: "${WORDS:=200000}"
objdump=${OBJDUMP:-riscv64-linux-gnu-objdump}
needs "$objdump"
# How objdump words things changes between versions; 2.40 is the one that is followed.
version=$("$objdump" --version | sed -n '1s/.* \([0-9.]*\)$/\1/p')
case $version in 2.40*) ;; *) tap_skip_all "binutils 2.40 is needed, this is $version" ;; esac
if ! "${CC:-gcc}" -std=gnu11 -O2 -D_GNU_SOURCE= -Isrc -o "$work/ours" tests/isa/disassemble_text.c \
	src/isa/disassemble.c src/isa/decode.c src/isa/expand.c src/isa/profile.c src/isa/csr.c src/base/err.c 2>"$work/log"; then
	tap_not_ok "the comparing program builds" "$(cat "$work/log")"
	tap_done
fi

# A listing as "ADDRESS ENCODING" in $work/in and "ADDRESS<tab>TEXT" in $work/theirs.  Left out: data
# marked as such, and encodings longer than four bytes, which are counted in $work/long.
split_listing() {
	: >"$work/in"
	: >"$work/theirs"
	: >"$work/long"
	awk -F '\t' -v in_file="$work/in" -v theirs="$work/theirs" -v long="$work/long" '
	/^ *[0-9a-f]+:\t/ && $3 !~ /^\.(word|short|byte|dword|string|ascii)/ && $3 != "" {
		address = $1
		gsub(/[ :]/, "", address)
		encoding = $2
		sub(/ *$/, "", encoding)
		if (encoding ~ / / || encoding == "ffff" || length(encoding) > 8) {
			print encoding >long
			next
		}
		operands = $4
		sub(/ *# .*/, "", operands)
		# "beqz a0,10234 <main+0x10>": with a name, the target has no 0x.
		if (operands ~ / </) {
			sub(/ <.*/, "", operands)
			sub(/[0-9a-f]+$/, "0x&", operands)
		}
		print address " " encoding >in_file
		print address "\t" $3 (operands == "" ? "" : "\t" operands) >theirs
	}'
}

total=0
# compare NAME: the listing on standard input against ours.
compare() {
	local count
	split_listing
	count=$(wc -l <"$work/in")
	total=$((total + count))
	"$work/ours" <"$work/in" >"$work/mine" 2>"$work/log"
	cut -f2 "$work/theirs" >>"$work/mnemonics"
	if [ "$count" -gt 0 ] && cmp -s "$work/mine" "$work/theirs"; then
		tap_ok "$1: $count instructions read as objdump reads them"
	else
		tap_not_ok "$1: $count instructions read as objdump reads them" \
			"$(cat "$work/log"; diff "$work/theirs" "$work/mine" | head -n 20)"
	fi
}

found=0
for elf in "$BUILD"/workloads/*; do
	case $elf in *.about) continue ;; esac
	[ -f "$elf" ] || continue
	found=1
	compare "$(basename "$elf")" < <("$objdump" -d "$elf")
done
[ "$found" = 1 ] || tap_skip "the workloads read as objdump reads them" "no workloads in $BUILD"

"$work/ours" words "$WORDS" 1 >"$work/blob"
# As an object that says it uses these extensions: without, objdump knows RV64GC alone.
printf '.text\n.incbin "%s"\n' "$work/blob" >"$work/blob.s"
if ! "${AS:-riscv64-linux-gnu-as}" -march=rv64gc_zba_zbb_zbc_zbs_zbkb_zfh_zicbom_zicboz_zawrs -march-attr -o "$work/blob.o" "$work/blob.s" 2>"$work/log"; then
	tap_not_ok "an object is made of the words" "$(cat "$work/log")"
fi
compare "every half word, fence and system function, $WORDS words of the table and $((WORDS / 4)) of any kind" \
	< <("$objdump" -D -z -j .text "$work/blob.o")
tap_is "no made word is longer than four bytes" "$(wc -l <"$work/long")" 0
echo "# $total instructions, $(sort -u "$work/mnemonics" | wc -l) mnemonics"
tap_done
