#!/bin/bash
# --annotate finds sources by the directory the compiler ran in, below the working directory and below
# --source, and nowhere else; where it finds none it names the directory to add; it may be repeated.
. "$(dirname "$0")/../head.sh"
needs "$cross"

mkdir -p project/src project/build project/lib/src elsewhere
cat >project/src/sort.c <<'END'
int first(int n);
__attribute__((noinline)) int second(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += i ^ n; /* MARK-SECOND and a long comment that goes on and on until it needs more than a hundred columns of a line */
	return sum;
}
int main(void)
{
	return (first(1000) + second(1000)) & 1;
}
END
cat >project/lib/src/part.c <<'END'
__attribute__((noinline)) int first(int n)
{
	int sum = 1;
	while (n--)
		sum = sum * 3 + n; /* MARK-FIRST */
	return sum;
}
END
# Compiled in three ways: in the source's own directory, in another with .. in the name, by an absolute name.
(cd project/src && "$cross" -g -O1 -c -o ../build/sort.o sort.c)
(cd project/build && "$cross" -g -O1 -c -o part.o ../lib/src/part.c && "$cross" -static -o ../a.out sort.o part.o)
(cd elsewhere && "$cross" -g -O1 -static -o ../absolute "$work/project/src/sort.c" "$work/project/lib/src/part.c")
(cd project/src && "$cross" -gdwarf-4 -O1 -static -o ../four sort.c ../lib/src/part.c)

# shows NAME DIRECTORY MARK OPTION... PROGRAM: run there, the line with the mark is printed.
shows() {
	local name=$1 directory=$2 mark=$3
	shift 3
	(cd "$directory" && "$cyclestack" run --functions 0 "$@") >shown.txt 2>shown.err
	tap_is "$name" "$(grep -c "$mark" shown.txt)$(cat shown.err)" 1
}
# hides NAME DIRECTORY WANTED OPTION... PROGRAM: no source, and this directory is named.
hides() {
	local name=$1 directory=$2 wanted=$3
	shift 3
	(cd "$directory" && COLUMNS=200 "$cyclestack" run --functions 0 "$@") >shown.txt 2>&1
	tap_is "$name" "$(grep -c MARK- shown.txt) $(sed -n 's/^(not found: to see its lines add \(.*\))$/\1/p' shown.txt)" "0 $wanted"
}

shows "a source in a folder below, compiled there" project MARK-SECOND --annotate second ./a.out
shows "a source named with .. from a build folder" project MARK-FIRST --annotate first ./a.out
shows "in the source's own folder" project/src MARK-SECOND --annotate second ../a.out
shows "an absolute name" project MARK-FIRST --annotate first ../absolute
shows "from far above" . MARK-SECOND --annotate second project/a.out
hides "from a folder that has none" elsewhere "--source $work/project/src" --annotate second ../project/a.out
hides "the directory is that of the source, without .." elsewhere "--source $work/project/lib/src" --annotate first ../project/a.out
hides "DWARF 4 says where the compiler ran" elsewhere "--source $work/project/src" --annotate second ../project/four
shows "DWARF 4 in the source's folder" project/src MARK-SECOND --annotate second ../four
shows "--source as it was named" elsewhere MARK-FIRST --annotate first --source "$work/project/lib/src" ../project/a.out
mv project moved
shows "a tree that was moved, --source its top" elsewhere MARK-SECOND --annotate second --source ../moved ../moved/a.out
shows "--source FROM=TO" elsewhere MARK-FIRST --annotate first --source "$work/project=../moved" ../moved/a.out
hides "FROM=TO of another directory" elsewhere "--source $work/project/src" --annotate second --source "/usr=../moved" ../moved/a.out

(cd moved && "$cyclestack" run --functions 0 --annotate second --annotate first --json ../two.json --csv ../two.csv --html ../two.html ./a.out) >two.txt
tap_is "a second --annotate adds" "$(grep -c 'MARK-FIRST\|MARK-SECOND' two.txt) $(grep -c '^\(second\|first\): .* cycles' two.txt)" "2 2"
tap_is "in the order given" "$(sed -n 's/^\(second\|first\): .*/\1/p' two.txt | xargs)" "second first"
tap_is "both are in the CSV" "$(awk -F, '$1 == "instruction" { print $2 }' two.csv | sort -u | xargs)" "first second"
tap_is "both are in the JSON" "$(grep -c '"function": "\(first\|second\)"' two.json)" 2

# As much of a line as fits: at 200 columns all of it, never more than the terminal has.
for width in 40 80 120 200; do
	(cd moved && LC_ALL=C COLUMNS=$width "$cyclestack" run --functions 0 --annotate second ./a.out) |
		sed '/^  cycles  /,$d' >wide.txt
	tap_is "no line wider than $width" "$(awk -v most=$width 'length($0) > most' wide.txt)" ""
	longest=$(grep 'sum += i ^ n; /\* MARK' wide.txt | awk '{ print length($0) }')
	[ $width -eq 40 ] || tap_is "$width columns: the long line uses them" "$((width > 190 || ${longest:-0} > width - 24))" 1
done
tap_check "200 columns: the whole line" grep -q 'a hundred columns of a line \*/' wide.txt

# A program names what it likes as its source: only what lies below a chosen directory is printed.
echo 'MARK-SECRET' >secret.c
mkdir inside
cat >evil.s <<'END'
	.file 1 "../secret.c"
	.globl main
	.type main, @function
main:	.loc 1 1 0
	li a0, 0
	ret
	.size main, .-main
END
(cd inside && "$cross" -g -static -o evil ../evil.s)
hides "a name that leads out of the working directory" inside "--source $work" --annotate main ./evil
ln -s ../secret.c inside/secret.c
hides "a link that leads out of it" inside "--source $work" --annotate main ./evil
# On a terminal the hottest lines of the hottest function are shown without being asked for.
# terminal OPTION...: what `run` prints there, of the program in its source's directory.
terminal() {
	(cd moved && COLUMNS=100 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$cyclestack" run "$@" </dev/null |
		sed 's/\x1b\[[0-9;]*m//g' | tr -d '\r')
}

cp moved/a.out moved/hot
terminal hot >seen
sed -n '/^first: .* of the run$/,/^The hottest lines/p' seen >brief
tap_check "on a terminal the hottest line is there" grep -q '^>5 .*MARK-FIRST' brief
tap_check "with its hottest instruction" grep -q '^> *[0-9a-f]* .* mulw\|^> *[0-9a-f]* .* addw' brief
tap_check "and the line before" grep -q '^[> ]4 .*while (n--)' brief
tap_is "in about twenty lines" "$(($(wc -l <brief) <= 22))" 1
tap_is "below the functions" "$(grep -n '^The hottest of\|^first: \|^What happened' seen | cut -d: -f2 | cut -c 1-11 | xargs)" "The hottest first What happen"
tap_is "unless it is --annotate none" "$(terminal --annotate none hot | grep -c '% of the run$')" 0
tap_is "or the functions are not shown" "$(terminal --functions 0 hot | grep -c '% of the run$')" 0
tap_check "what is asked for is shown in whole" grep -q '^base: slots used' <(terminal --annotate first hot)
tap_is "JSON is the same there" "$(cd moved && "$cyclestack" run --json pipe.json hot >/dev/null
	cd .. && terminal --json terminal.json hot >/dev/null
	cmp moved/pipe.json moved/terminal.json && echo yes)" yes
tap_is "a pipe has no more than before" "$(cd moved && "$cyclestack" run hot | grep -c '% of the run$')" 0
tap_is "nor with --annotate none" "$(cd moved && "$cyclestack" run --annotate none hot | cmp - <("$cyclestack" run hot) && echo same)" same
tap_done
