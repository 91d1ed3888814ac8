#!/bin/bash
# Where everything goes: a result on standard output is nothing but the result; --stdout, --stderr and
# --report take the rest.
. "$(dirname "$0")/../head.sh"
needs "$cross"
export CYCLESTACK_WORKLOADS=${CYCLESTACK_WORKLOADS:-$(dirname "$cyclestack")/workloads}

cat >speaks.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
	fputs("to output\n", stdout);
	fflush(stdout);
	fputs("to error\n", stderr);
	puts(argc > 1 ? argv[1] : "again to output");
	return 3;
}
END
"$cross" -O1 -g -static -o speaks speaks.c || tap_skip_all "speaks.c cannot be compiled"
output='to output
again to output'

for command in exec run; do
	"$cyclestack" "$command" --json file.json ./speaks >/dev/null 2>&1
	"$cyclestack" "$command" --json - ./speaks >dash.out 2>dash.err
	tap_is "$command --json -: the program's status" "$?" 3
	tap_check "$command --json -: standard output is the result alone" cmp dash.out file.json
	tap_is "$command --json -: what the program prints is on standard error" "$(cat dash.err)" \
		"to output
to error
again to output"
	"$cyclestack" "$command" --json - --stdout p.out --stderr p.err ./speaks >dash.out 2>dash.err
	tap_check "$command --json - --stdout --stderr: the result alone" cmp dash.out file.json
	tap_is "$command --stdout: the program's output" "$(cat p.out)" "$output"
	tap_is "$command --stderr: the program's error output" "$(cat p.err)" "to error"
	tap_is "$command: nothing else on standard error" "$(cat dash.err)" ""
	"$cyclestack" "$command" --json x.json --stdout both --stderr both ./speaks >/dev/null 2>&1
	tap_is "$command: both streams in one file" "$(cat both)" "to output
to error
again to output"
done
for format in csv html folded callgrind; do
	"$cyclestack" run "--$format" "file.$format" ./speaks >/dev/null 2>&1
	"$cyclestack" run "--$format" - ./speaks >dash.out 2>/dev/null
	tap_check "--$format -: standard output is the result alone" cmp dash.out "file.$format"
done

"$cyclestack" run ./speaks >all.out 2>all.err
"$cyclestack" run --report report.txt ./speaks >with.out 2>with.err
tap_is "--report: status" "$?" 3
tap_is "--report: the program's output stays" "$(cat with.out)" "$output"
tail -n +3 all.out >wanted
tap_check "--report: the file is what was printed" cmp wanted report.txt
"$cyclestack" run -o short.txt ./speaks >/dev/null 2>&1
tap_check "-o is --report" cmp report.txt short.txt
"$cyclestack" run --report - --stdout elsewhere.txt ./speaks >dash.out 2>/dev/null
tap_check "--report - with the program's output elsewhere" cmp dash.out wanted
"$cyclestack" run -q ./speaks >quiet.out 2>quiet.err
tap_is "-q prints the program's output alone" "$? $(cat quiet.out quiet.err)" "3 $output
to error"
"$cyclestack" run -v ./speaks >verbose.out 2>verbose.err
tap_is "-v says program, machine and time on standard error" \
	"$(grep -c '^cyclestack: \(./speaks: [0-9]* bytes, sha256 [0-9a-f]\{64\}$\|machine midcore, sha256\|[0-9.]* s, [0-9]* instructions\)' verbose.err)" 3

# A line now and then where standard error is no terminal, for those who ask; the first after a fifth of a second or so.
cat >spin.c <<'END'
int main(void)
{
	for (volatile long i = 0; i < 100000000; i++)
		;
	return 0;
}
END
riscv64-linux-gnu-gcc -O1 -static -o spin spin.c
"$cyclestack" run -q --progress=0.01 --max-insns 3M ./spin 2>&1 | tr '\r' '!' >lines.txt
tap_check "--progress: lines in a file" grep -qx 'cyclestack: [0-9.]* M instructions, [0-9]* %, at most [0-9]* s left, [0-9.]* MIPS' lines.txt
tap_check "--progress: nothing is drawn over" eval '! grep -q "!" lines.txt'
"$cyclestack" sweep -q --progress=0.01 --max-insns 1M ./spin 2>&1 | grep -c 'simulations done' >sweep.txt
tap_check "--progress: of simulations" test "$(cat sweep.txt)" -ge 1
"$cyclestack" run -q --max-insns 3M ./spin 2>&1 | grep -v stopped >lines.txt
tap_is "without it there are none" "$(cat lines.txt)" ""

# refused NAME STATUS TEXT OPTION...: one sentence, and no file is touched.
refused() {
	local name=$1 status=$2 wanted=$3
	shift 3
	echo "from before" >kept.txt
	"$cyclestack" run "$@" ./speaks >refused.out 2>refused.err
	tap_is "$name" "$? $(cat refused.out refused.err)" "$status cyclestack: $wanted"
	tap_is "$name: files are as they were" "$(cat kept.txt)" "from before"
}
see=" (see: cyclestack run --help)"
refused "two results on standard output" 2 "--json and --csv cannot both be standard output: name a file$see" \
	--json - --csv - --stdout kept.txt
refused "a result and the program's errors on standard output" 2 \
	"--json and --stderr cannot both be standard output: name a file$see" --json - --stderr - --stdout kept.txt
refused "two results in one file" 2 "--json and --html name the same file, ./kept.txt$see" --json kept.txt --html ./kept.txt
refused "an option that is wrong" 2 "--time: \"hours\" is neither insns nor cycles$see" --time hours --stdout kept.txt
mkdir directory
refused "a directory" 125 "cannot write directory: it is a directory" --stdout directory
refused "a directory that is not there" 125 "cannot write none/x: No such file or directory" --stderr none/x
ln -s elsewhere link
"$cyclestack" exec --stdout link ./speaks 2>/dev/null
tap_is "a link that is there is the user's own" "$(cat elsewhere)" "$output"

# A program that may write beside the file cannot lead the output away from it: it is open before.
cat >moves.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	puts("before");
	fflush(stdout);
	rename("/d/p.out", "/d/moved");
	symlink("/d/victim", "/d/p.out");
	puts("after");
	return 0;
}
END
"$cross" -O1 -static -o moves moves.c
mkdir shared && echo "from before" >shared/victim
"$cyclestack" exec --mount /d=shared --stdout shared/p.out ./moves
tap_is "output stays in the file that was opened" "$(cat shared/moved) $(cat shared/victim)" "before
after from before"

"$cyclestack" run --json - ./speaks >/dev/full 2>full.err
tap_is "a full disk is said once" "$? $(grep -c 'cannot write to standard output' full.err)" "125 1"
"$cyclestack" config list --json - >/dev/full 2>full.err
tap_is "a full disk is said once, without a program" "$? $(wc -l <full.err)" "125 1"
tap_done
