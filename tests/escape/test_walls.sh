#!/bin/bash
# Hostile programs against what surrounds them: the files results are written to, the sources that are shown, the
# terminal, the jail.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs "$cross"

# guest NAME: builds tests/escape/NAME.c as ./NAME.
guest() {
	"$cross" -O1 -g -static -Wall -Werror -o "$1" "$root/tests/escape/$1.c" 2>log && return
	tap_not_ok "$1 builds" "$(cat log)"
	tap_done
}

# is_whole KIND FILE: the file is a regular one and has the report of that kind to its end.
is_whole() {
	[ -f "$2" ] && [ ! -L "$2" ] || return 1
	case $1 in
	json) tail -n 1 "$2" | grep -qx '}' ;;
	html) tail -n 1 "$2" | grep -q '</html>' ;;
	csv) head -n 1 "$2" | grep -q '^kind,function,name,' ;;
	folded) grep -q '^walls_links;' "$2" ;;
	callgrind) head -n 1 "$2" | grep -q callgrind ;;
	esac
}

leftovers() {
	find "$@" -name '.*' -type f -o -name '*.??????' -type f
}

guest walls_links
kinds="json html csv folded callgrind"

# A result replaces a link that the program made; it never goes where the link leads.
for kind in $kinds; do
	rm -rf out && mkdir out
	echo precious >victim
	echo yesterday >"out/r.$kind"
	"$cyclestack" run --mount "/out=$work/out" "--$kind" "out/r.$kind" walls_links file "/out/r.$kind" \
		"$work/victim" >log 2>&1
	status=$?
	tap_is "--$kind: what a link made by the program names is not written" \
		"$status $(grep -c '^ok$' log) $(cat victim)" "0 1 precious"
	tap_check "--$kind: the result takes the place of that link" is_whole $kind "out/r.$kind"
	rm -rf out elsewhere && mkdir -p out/sub elsewhere
	echo precious >"elsewhere/r.$kind"
	echo yesterday >"out/sub/r.$kind"
	"$cyclestack" run --mount "/out=$work/out" "--$kind" "out/sub/r.$kind" walls_links parent /out/sub \
		"$work/elsewhere" >log 2>&1
	tap_is "--$kind: nor through a link in place of its directory" \
		"$? $(grep -c '^ok$' log) $(cat "elsewhere/r.$kind")" "0 1 precious"
	tap_check "--$kind: the result is in the directory that was meant" is_whole $kind "out/sub.old/r.$kind"
done
rm -rf out && mkdir out
echo precious >victim
echo yesterday >out/r.json
"$cyclestack" exec --mount "/out=$work/out" --json out/r.json walls_links file /out/r.json "$work/victim" >log 2>&1
tap_is "exec --json: what a link made by the program names is not written" "$? $(cat victim)" "0 precious"

# The user's own links lead where they say, and what is there is replaced whole.
mkdir -p results
ln -s results/real.json mine.json
ln -s mine.json twice.json
for case in "a link to nothing yet:mine.json" "a link to a result:mine.json" "a link to a link:twice.json"; do
	inode=$(stat -c %i results/real.json 2>/dev/null)
	"$cyclestack" exec --json "${case#*:}" @hanoi:test >log 2>&1
	tap_is "${case%:*} keeps working" "$? $(tail -n 1 results/real.json) $(readlink mine.json) $(readlink twice.json)" \
		"0 } results/real.json mine.json"
	[ -z "$inode" ] || tap_check "${case%:*} has its file replaced, not rewritten" \
		test "$inode" != "$(stat -c %i results/real.json)"
done
ln -s loop.json loop.json
"$cyclestack" exec --json loop.json @hanoi:test >log 2>&1
tap_is "a link to itself is refused" "$? $(cat log)" \
	"125 cyclestack: cannot write loop.json: Too many levels of symbolic links"

# A disk that is full leaves what was there.
echo yesterday >results/real.json
(ulimit -f 1 && "$cyclestack" run --json mine.json @hanoi:test >/dev/null 2>log)
tap_is "a result that does not fit leaves what was there, and that is said" "$? $(cat results/real.json) $(cat log)" \
	"125 yesterday cyclestack: cannot write mine.json: File too large
cyclestack: mine.json is from an earlier run: this one wrote nothing there"
tap_is "nothing is left beside results" "$(leftovers .)" ""

# Whatever is not a regular file is written to.
mkfifo pipe
cat pipe >through &
"$cyclestack" exec --json pipe @hanoi:test >log 2>&1
status=$?
wait
tap_is "a pipe is written to" "$status $(tail -n 1 through)" "0 }"
# No device is a target here, nor a link in /dev: a mistake in what is tested, run by root, would replace it.
ln -s /proc/self/fd/1 stdout
"$cyclestack" exec --json stdout @hanoi:test 2>/dev/null >log
tap_is "a link to /proc/self/fd/1 is standard output where that is a file" "$? $(tail -n 1 log)" "0 }"
tap_is "and where it is a pipe" "$("$cyclestack" exec --json stdout @hanoi:test 2>&1 | tail -n 1)" "}"
tap_is "an open file that may not grow is an error" \
	"$( (ulimit -f 0 && "$cyclestack" exec --json /proc/self/fd/9 @hanoi:test 9>through >/dev/null) 2>&1)" \
	"cyclestack: cannot write /proc/self/fd/9: File too large"
tap_is "- is standard output" "$("$cyclestack" exec --json - @hanoi:test 2>&1 | tail -n 1)" "}"
"$cyclestack" exec --json results @hanoi:test >log 2>&1
tap_is "a directory is refused" "$? $(cat log)" "125 cyclestack: cannot write results: it is a directory"
"$cyclestack" exec --json absent/r.json @hanoi:test >log 2>&1
tap_is "a directory that is not there is said before anything runs" "$? $(cat log)" \
	"125 cyclestack: cannot write absent/r.json: No such file or directory"

# A run without a result does not look as if it had one.
echo yesterday >old.json
for command in exec run judge; do
	"$cyclestack" $command --json old.json log >/dev/null 2>err
	tap_is "$command: without a result the old file stays, and that is said" "$? $(cat old.json) $(tail -n 1 err)" \
		"125 yesterday cyclestack: old.json is from an earlier run: this one wrote nothing there"
done
"$cyclestack" diff --json old.json log log >/dev/null 2>err
tap_is "diff: without a result the old file stays, and that is said" "$? $(cat old.json) $(tail -n 1 err)" \
	"125 yesterday cyclestack: old.json is from an earlier run: this one wrote nothing there"
"$cyclestack" exec --json new.json log >/dev/null 2>err
tap_is "where there was none, nothing is said of it" "$(grep -c earlier err) $(ls new.json 2>/dev/null)" "0 "

# The program's line table may name any file; only what the user gave, or lies below the working directory, is shown.
mkdir -p secrets/deep here/deep
printf 'SECRET\n%.0s' 1 2 3 4 5 6 7 8 9 >secrets/key
# names FILE: builds a program whose line table says that it was made from FILE.
names() {
	printf '#line 2 "%s"\nint main(void)\n{\n\treturn 0;\n}\n' "$1" |
		"$cross" -O1 -g -static -x c -o here/named - 2>log || tap_not_ok "a program that names $1 builds" "$(cat log)"
}
# shows [OPTION...]: how many lines of the file are shown by a run from the directory ./here.
shows() {
	(cd here && "$cyclestack" run --annotate main "$@" named 2>&1) >shown
	grep -c SECRET shown
}
names "$work/secrets/key"
tap_is "a file outside the working directory is not shown" "$(shows)" 0
tap_is "and what to add is said" "$(grep -c -- "--source $work/secrets\b" <(tr -d '\n' <shown))" 1
tap_check "it is shown from below --source" test "$(shows --source ../secrets)" -gt 0
tap_check "it is shown with --source FROM=TO" test "$(shows --source "$work/secrets=../secrets")" -gt 0
tap_is "FROM=TO is for what begins with FROM" "$(shows --source "$work/secret=../secrets")" 0
tap_check "of several --source each is tried" test "$(shows --source /usr --source ../secrets)" -gt 0
for name in ../secrets/key deep/../../secrets/key; do
	names "$name"
	tap_is "dot dot does not lead out: $name" "$(shows) $(shows --source ../secrets/deep)" "0 0"
done
ln -s "$work/secrets/key" here/link.c
ln -s ../secrets here/linked
for name in link.c linked/key; do
	names "$name"
	tap_is "a link does not lead out: $name" "$(shows)" 0
done
names "$work/secrets/key"
tap_is "the root directory as working directory opens nothing" \
	"$(cd / && "$cyclestack" run --annotate main "$work/here/named" 2>&1 | grep -c SECRET)" 0
cp secrets/key here/key
tap_check "a file below the working directory is shown" test "$(shows)" -gt 0
"$cyclestack" run --annotate main --source absent here/named >log 2>&1
tap_is "a directory that is not there is said" "$? $(cat log)" \
	"2 cyclestack: --source absent: No such file or directory (see: cyclestack run --help)"

# What comes from a program, its file or a result reaches the terminal as plain text, in one line.
# plain TITLE STATUS COMMAND...: what it prints has no control character and no line that begins as the text says.
plain() {
	local title=$1 wanted=$2 status trouble=
	shift 2
	"$@" >shown 2>&1
	status=$?
	[ "$status" = "$wanted" ] || trouble="status $status"
	LC_ALL=C grep -q -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae' shown && trouble="control characters"
	grep -q '^.\?cyclestack: all is well' shown && trouble="a line that the tool did not write"
	grep -q 'all.is.well' shown || trouble="the text is not there"
	if [ -z "$trouble" ]; then
		tap_ok "$title"
	else
		tap_not_ok "$title" "$trouble: $(head -n 5 shown | cat -v)"
	fi
}
evil=$(printf '\033[31mred\n\rcyclestack: all is well\n\302\233\342\200\256x')
guest walls_text
plain "a path in a warning" 0 "$cyclestack" exec walls_text
cp walls_text "$evil"
plain "a program's file name in the title" 0 "$cyclestack" run --counters none "$evil"
plain "a program's file name in an error" 125 "$cyclestack" exec "absent$evil"
short=$(printf '\033[31m\302\233all-is-well')
cp walls_text "$short"
plain "a program's file name in judge" 0 "$cyclestack" judge "$short"
printf 'int main(void)\n{\n\treturn 0;\n}\n' | "$cross" -x c -o linked "-Wl,--dynamic-linker=/$evil" -
mkdir -p root
plain "the interpreter's name" 125 "$cyclestack" exec linked
plain "the interpreter's name, not in the sysroot" 125 "$cyclestack" exec --sysroot root linked
plain "argv[0]" 0 "$cyclestack" run --argv0 "$evil" --callgrind - walls_text
printf 'int main(void) { return 0; }\n' | "$cross" -static -g -x c -o symbol - &&
	riscv64-linux-gnu-objcopy --redefine-sym "main=$evil" symbol
plain "a function's name" 0 "$cyclestack" run --functions 100 symbol
printf 'rob = { size = "%s"; };\n' "$evil" >evil.cfg
plain "a file of a machine" 125 "$cyclestack" run --config ./evil.cfg walls_text
plain "a file of a machine that is checked" 1 "$cyclestack" config check evil.cfg
cp "$root/configs/eyerman2006.cfg" "$evil.cfg"
plain "the name of such a file" 0 "$cyclestack" config check "./$evil.cfg"
plain "names of machines that are compared" 0 "$cyclestack" config diff "./$evil.cfg" chen2008
"$cyclestack" run --json a.json @hanoi:test >/dev/null 2>&1
evil=$evil perl -MJSON::PP -e 'local $/; my $r = decode_json(<STDIN>); my $e = $ENV{evil}; utf8::decode($e);
	$r->{values}{$e} = 1; $r->{program}{name} = $e; $r->{program}{sha256} =~ tr/0-9/1-90/;
	$r->{exact}{functions}[0]{name} = $e; print encode_json($r)' <a.json >b.json
plain "names in a result" 0 "$cyclestack" diff a.json b.json
cp a.json "$evil.json"
plain "the name of a result that does not open" 125 "$cyclestack" diff a.json "no$evil.json"

# The jail. An outer filter that answers ENOSYS to Landlock's calls stands for a kernel without it.
if ! gcc -O1 -Wall -Werror -o old_kernel "$root/tests/escape/walls_old_kernel.c" 2>log; then
	tap_not_ok "walls_old_kernel builds" "$(cat log)"
	tap_done
fi
"$cyclestack" exec --json a.json @hanoi:test >a.out 2>&1
./old_kernel "$cyclestack" exec --json b.json @hanoi:test >b.out 2>&1
tap_is "without Landlock a program without mounts runs as ever" "$? $(cmp a.out b.out && cmp a.json b.json)" "0 "
mkdir -p root
for mount in "--mount /data=root" "--mount /data=root:ro" "--sysroot root"; do
	# shellcheck disable=SC2086
	./old_kernel "$cyclestack" exec $mount @hanoi:test >log 2>&1
	tap_is "without Landlock $mount is refused" "$? $(grep -c '^cyclestack: .*--no-landlock' log) $(wc -l <log)" "125 1 1"
	# shellcheck disable=SC2086
	./old_kernel "$cyclestack" exec --no-landlock $mount @hanoi:test >log 2>&1
	tap_is "and allowed with --no-landlock" "$? $(cat log)" "0 $(cat a.out)"
done
./old_kernel "$cyclestack" judge --mount /data=root @hanoi:test >log 2>&1
tap_is "judge refuses too" "$? $(grep -c '^cyclestack: .*--no-landlock' log) $(wc -l <log)" "125 1 1"

# descriptors_of OPTION...: what the worker of an endless program has open beside 0, 1 and 2, by kind.
printf 'int main(void)\n{\n\tfor (;;)\n\t\t;\n}\n' | "$cross" -O1 -static -x c -o spin -
descriptors_of() {
	local tool worker='' tries=0
	"$cyclestack" exec --json spin.json --timeout 20 "$@" spin </dev/null >log 2>&1 9<secrets/key &
	tool=$!
	while [ -z "$worker" ] && [ $((tries += 1)) -lt 100 ]; do
		sleep 0.05
		worker=$(cat "/proc/$tool/task/$tool/children" 2>/dev/null)
	done
	sleep 0.5
	for fd in "/proc/${worker% }/fd"/*; do
		[ "${fd##*/}" -gt 2 ] && readlink "$fd"
	done | sed 's/:.*//' | sort | tr '\n' ' '
	kill -INT "$tool"
	wait "$tool"
}
tap_is "the worker has open only its pipe" "$(descriptors_of)" "pipe "
tap_is "and the directories of its mounts" "$(descriptors_of --mount "/data=$work/root")" "$work/root pipe "

# Names that JSON cannot hold, and that a terminal would obey.
odd=$(printf 'odd\377\033[31m.cfg')
cp "$root/configs/eyerman2006.cfg" "$odd"
"$cyclestack" run --config "./$odd" --json odd.json walls_links >odd.out 2>odd.err
tap_is "the name of a configuration that is not UTF-8 is shown as text" \
	"$(grep -c '"name": "odd??\[31m.cfg"' odd.json) $(LC_ALL=C grep -c "$(printf '\033')" odd.out odd.err)" \
	"1 odd.out:0
odd.err:0"
tap_done
