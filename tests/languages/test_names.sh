#!/bin/bash
# Functions of C++ by the names people read and type, what was inlined into them, and symbols and
# debugging information that were split off, compressed or damaged.
. "$(dirname "$0")/../head.sh"
cross=riscv64-linux-gnu
needs "$cross-g++"
$cross-g++ -O2 -g -static -o boxes "$root/tests/languages/boxes.cc" || exit 1

# run FILE OPTION... PROGRAM: its result in FILE, its sentence as output
run() {
	local file=$1
	shift
	rm -f "$file"
	"$CYCLESTACK" run -q --counters exact --stdout /dev/null --argv0 boxes --json "$file" "$@" 2>&1
}

# value FILE EXPRESSION: of Perl, over the result $r
value() {
	perl -MJSON::PP -0777 -ne '$r = decode_json($_); $c = JSON::PP->new->canonical;
		sub sum { my $n = 0; $n += $_ for values %{$_[0]}; $n }
		sub named { (grep { $_->{name} eq $_[0] } @{$r->{exact}{functions}})[0] }
		print '"$2" "$1"
}
names='join("\n", sort map { $_->{name} } grep { $_->{name} ne "(unknown)" } @{$r->{exact}{functions}})'

run plain.json boxes
run raw.json --raw-names boxes
value plain.json "$names" >shown
value raw.json "$names" >raw
# nm -C has each as a whole line behind the address and the kind.
$cross-nm boxes | sed 's/^.\{19\}//' | sort -u >nm_raw
$cross-nm -C boxes | sed 's/^.\{19\}//' | sort -u >nm_shown
tap_is "names are those of nm -C" "$(sort -u shown | comm -23 - nm_shown)" ""
tap_is "raw names are those of nm" "$(sort -u raw | comm -23 - nm_raw)" ""
tap_is "of these some differ" "$(grep -c '^_Z' raw)" "$(grep -c '[:(]' shown)"
tap_check "Box is there twice" test "$(grep -c 'ns::Box<.*>::heavy(.*) const' shown)" = 2
numbers='$c->encode([map { my %f = %$_; delete @f{"name", "inlined"}; \%f } sort { sum($b->{slots}) <=> sum($a->{slots}) || $a->{executed} <=> $b->{executed} || $a->{line} <=> $b->{line} } @{$r->{exact}{functions}}])'
tap_is "names change no number" "$(value raw.json "$numbers" | sha256sum)" "$(value plain.json "$numbers" | sha256sum)"

tap_is "what was inlined is a tree" "$(value plain.json \
	'join(" ", map { "$_->{depth}:$_->{function}" } @{named("ns::outer(int)")->{inlined}})')" "1:middle 2:inner"
tap_is "it and the function's own code add up" "$(value plain.json '
	join " ", map { my $f = $_; my %left = %{$f->{slots}};
		for my $i (@{$f->{inlined}}) { $left{$_} -= $i->{slots}{$_} for keys %{$i->{slots}} }
		grep { $_ < 0 } values %left } @{$r->{exact}{functions}}')" ""
tap_check "most of outer is inner" test "$(value plain.json '
	int(100 * sum(named("ns::outer(int)")->{inlined}[1]{slots}) / sum(named("ns::outer(int)")->{slots}))')" -gt 80

annotated() {
	run annotated.json --annotate "$1" boxes
	[ ! -e annotated.json ] || value annotated.json '$r->{annotation}{function}'
}
for name in 'ns::outer(int)' ns::outer outer _ZN2ns5outerEi 'ns::out*' 'out?r'; do
	tap_is "--annotate $name" "$(annotated "$name")" "ns::outer(int)"
done
tap_is "--annotate operator<" "$(annotated 'operator<')" "ns::operator<(ns::Box<int> const&, ns::Box<int> const&)"
tap_is "--annotate of an instance" "$(annotated 'Box<long>::heavy')" "ns::Box<long>::heavy(long) const"
see=" (see: cyclestack run --help)"
several="means several functions: ns::Box<int>::heavy(int) const; ns::Box<long>::heavy(long) const$see"
for name in 'Box<*>::heavy' ns::Box::heavy heavy; do
	tap_is "--annotate $name is refused" "$(annotated "$name")" "cyclestack: --annotate $name $several"
done
tap_is "a name that is not there" "$(annotated 'Box<char>::heavy')" \
	"cyclestack: --annotate Box<char>::heavy: the program has no function of that name$see"
run annotated.json --annotate outer boxes
tap_is "instructions know their calls" "$(value annotated.json \
	'join " ", map { "$_->{function}:" . ($_->{file} =~ /boxes.cc$/) } @{$r->{annotation}{instructions}[1]{inlined}}')" \
	"middle:1 inner:1"

run roi.json --roi ns::outer:3 boxes
run roi_raw.json --roi _ZN2ns5outerEi:3 boxes
tap_check "--roi by a spelling" cmp roi.json roi_raw.json

"$CYCLESTACK" stat --csv all.csv -e 'committed@Box<*>::heavy' boxes >/dev/null
for name in 'ns::Box<int>::heavy' _ZNK2ns3BoxIlE5heavyEl; do
	"$CYCLESTACK" stat --csv one.csv -e "committed@$name" boxes >/dev/null
	tap_is "stat counts $name as the pattern does" "$(grep -cxFf one.csv all.csv)" "$(wc -l <one.csv)"
done
tap_is "stat refuses a name of several" "$("$CYCLESTACK" stat -e committed@heavy boxes 2>&1 >/dev/null)" \
	'cyclestack: "heavy" means several functions, which a pattern would count one by one: ns::Box<int>::heavy(int) const; ns::Box<long>::heavy(long) const'

# Symbols and debugging information in a file of their own.
$cross-strip -o stripped boxes
$cross-objcopy --only-keep-debug boxes split
id=$($cross-readelf -n boxes | sed -n 's/.*Build ID: //p')
for beneath in debug/.build-id system/usr/lib/debug/.build-id; do
	mkdir -p "$beneath/${id:0:2}"
	cp split "$beneath/${id:0:2}/${id:2}.debug"
done
same() {
	tap_is "$1" "$(value "$2" '$c->encode($r->{exact})' | sha256sum)" \
		"$(value plain.json '$c->encode($r->{exact})' | sha256sum)"
}
run stripped.json stripped
tap_is "a stripped program has no names" "$(value stripped.json "$names")" ""
run split.json --debug-dir debug stripped
same "--debug-dir has them" split.json
run split.json --sysroot system --no-landlock stripped
same "--sysroot has them" split.json
run split.json --debug-dir system --debug-dir debug boxes
same "a program with its own is not changed by them" split.json
$cross-objcopy --remove-section .note.gnu.build-id split "debug/.build-id/${id:0:2}/${id:2}.debug"
tap_is "a file with another id is refused" "$(run split.json --debug-dir debug stripped)" \
	"cyclestack: --debug-dir: debug/.build-id/${id:0:2}/${id:2}.debug does not have the build id that its name says; remove it or put it right"
tap_is "a directory that is not there is refused" "$(run split.json --debug-dir nosuch stripped)" \
	"cyclestack: --debug-dir nosuch: there is no such directory (see: cyclestack run --help)"
$cross-objcopy --compress-debug-sections boxes compressed
run compressed.json compressed
same "compressed sections are read" compressed.json

# Shared libraries, which the program has mapped.
sysroot=${SYSROOT:-/usr/riscv64-linux-gnu}
if [ -e "$sysroot/lib/libc.so.6" ]; then
	mkdir library
	cat >work.c <<'END'
static int twice(int n)
{
	return 2 * n + 1;
}
__attribute__((noinline, noclone)) static int hidden(int n)
{
	for (int i = 0; i < 1000; i++)
		n = n * 3 % 1009;
	return n;
}
int work(int n)
{
	int s = n;
	for (int i = 0; i < 20000; i++)
		s = twice(s) % 1000003;
	return s + hidden(n);
}
END
	echo 'int work(int); int main(void) { return work(3) < 0; }' >uses.c
	$cross-gcc -O2 -g -fasynchronous-unwind-tables -shared -fPIC -o library/libwork.so work.c
	$cross-gcc -O2 -g -o uses uses.c -Llibrary -lwork -Wl,-rpath,/library
	mounts="--sysroot $sysroot --mount /library=library:ro --no-landlock"
	# shellcheck disable=SC2086
	run library.json $mounts uses
	tap_is "a library's function has its lines and what was inlined" "$(value library.json '
		do { my $f = named(q(work@libwork.so)); join " ", $f->{file}, $f->{line}, (map { "$_->{depth}:$_->{function}" } @{$f->{inlined}}),
		join ",", grep { $_ == 3 || $_ == 15 } map { $_->{line} } @{$f->{lines}} }')" "work.c 12 1:twice 3,15"
	tap_is "code of a library without a symbol has the library's name" "$(value library.json '
		scalar(grep { $_->{name} =~ /^libc.so.6(\+0x[0-9a-f]+)?$/ } @{$r->{exact}{functions}}) ? "yes" : "no"')" yes
	hidden=$($cross-nm library/libwork.so | sed -n 's/^0*\([0-9a-f]*\) t hidden$/\1/p')
	$cross-objcopy --only-keep-debug library/libwork.so split
	id=$($cross-readelf -n library/libwork.so | sed -n 's/.*Build ID: //p')
	$cross-strip library/libwork.so
	mkdir -p "debug2/.build-id/${id:0:2}"
	cp split "debug2/.build-id/${id:0:2}/${id:2}.debug"
	# shellcheck disable=SC2086
	run again.json $mounts --mount /usr/lib/debug=debug2:ro uses
	tap_is "also from a file that they were split off to" "$(value again.json '$c->encode(named(q(work@libwork.so)))')" \
		"$(value library.json '$c->encode(named(q(work@libwork.so)))')"
	# shellcheck disable=SC2086
	run third.json $mounts --debug-dir debug2 uses
	tap_is "which --debug-dir may have" "$(value third.json '$c->encode(named(q(work@libwork.so)))')" \
		"$(value library.json '$c->encode(named(q(work@libwork.so)))')"
	tap_is "and the program does not see" "$(value third.json '$r->{values}{instructions}')" \
		"$(value library.json '$r->{values}{instructions}')"
	for name in work work@libwork.so; do
		# shellcheck disable=SC2086
		run annotated.json $mounts --debug-dir debug2 --annotate "$name" uses
		tap_is "--annotate $name shows it" "$(value annotated.json 'join " ", $r->{annotation}{function},
			(grep { $_->{text} =~ /^remw/ && $_->{executed} == 20000 && $_->{line} == 15 } @{$r->{annotation}{instructions}}) ? "remw" : "none"')" \
			"work@libwork.so remw"
	done
	# shellcheck disable=SC2086
	run roi.json $mounts --roi hidden --debug-dir debug2 uses
	tap_is "--roi finds a library's function" "$(value roi.json 'join " ", $r->{values}{instructions}, $r->{skipped_instructions} > 100000 ? "late" : "early"')" \
		"$(value library.json 'named(q(hidden@libwork.so))->{executed}') late"
	# shellcheck disable=SC2086
	tap_is "and says so if none has it" "$("$CYCLESTACK" run $mounts --roi hiden uses 2>&1 >/dev/null)" \
		"cyclestack: the program ended before it called the --roi function; nothing was simulated"
	# shellcheck disable=SC2086
	tap_is "a function of no file is told" "$("$CYCLESTACK" run $mounts --annotate work@libc.so.6 uses 2>&1 >/dev/null)" \
		"cyclestack: --annotate work@libc.so.6: of no function of that name was anything executed, in the program or in a library it had mapped at its end"
	# shellcheck disable=SC2086
	run stripped.json $mounts uses
	tap_is "a stripped library has the functions it exports" "$(value stripped.json 'named(q(work@libwork.so))->{line}')" 0
	tap_is "and tells the others apart" "$(value stripped.json 'named("libwork.so+0x'"$hidden"'")->{executed}')" \
		"$(value library.json 'named(q(hidden@libwork.so))->{executed}')"
	$cross-objcopy --remove-section .note.gnu.build-id split "debug2/.build-id/${id:0:2}/${id:2}.debug"
	# shellcheck disable=SC2086
	run other.json $mounts --debug-dir debug2 uses
	tap_is "a file of another build id is not taken for it" "$(value other.json 'named(q(work@libwork.so))->{line}')" 0
else
	tap_skip "functions of libraries" "no libc.so.6 in $sysroot"
fi

# Damaged debugging information costs at most names, lines and a sentence.
perl -e '
	use strict; my $seed = 12345; sub any { $seed = ($seed * 1103515245 + 12345) % 2147483648; $seed % $_[0] }
	open my $in, "<:raw", "boxes"; local $/; my $file = <$in>;
	my @parts;
	for (split /\n/, `riscv64-linux-gnu-readelf -SW boxes`) {
		push @parts, [hex $2, hex $3] if /\] (\.debug_\w+|\.symtab|\.strtab) +\S+ +\S+ (\S+) (\S+)/;
	}
	for my $n (1 .. 30) {
		my $copy = $file; my $part = $parts[$n % @parts];
		substr($copy, $part->[0] + any($part->[1]), 1) = chr any(256) for 1 .. 1 + 20 * ($n % 3);
		open my $out, ">:raw", "damaged$n"; print $out $copy; close $out; chmod 0755, "damaged$n";
	}'
bad=
for n in $(seq 30); do
	said=$(timeout 60 "$CYCLESTACK" run -q --counters exact --stdout /dev/null --argv0 boxes --json damaged.json "damaged$n" 2>&1)
	status=$?
	case $status:$said in
	0:) [ "$(value damaged.json '$r->{values}{cycles}')" = "$(value plain.json '$r->{values}{cycles}')" ] || bad="$bad $n" ;;
	*"symbols or debugging information cannot be read"*) ;;
	*) bad="$bad $n: $said" ;;
	esac
done
tap_is "damaged debugging information changes no cycle" "$bad" ""
tap_done
