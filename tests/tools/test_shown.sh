#!/bin/bash
# tools/record-results records the same twice and goes on where it was; tools/compare-shown finds every
# byte that changed, and files that went or came.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
old=$work/old
new=$work/new

# compare ARGUMENT...: what the comparison prints, then its status.
compare() {
	"$root/tools/compare-shown" "$old" "$new" "$@" 2>&1
	echo "status $?"
}

# says NAME LINE ARGUMENT...: one line of the comparison is LINE.
says() {
	local out
	out=$(compare "${@:3}")
	if grep -Fxq -- "$2" <<<"$out"; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "$out"
	fi
}

# refuses NAME ARGUMENT...: status 2, and nothing is recorded.
refuses() {
	"$root/tools/record-results" "$BUILD" "$work/refused" "${@:2}" 2>/dev/null
	tap_is "$1" "$? $(ls "$work/refused" 2>/dev/null)" "2 "
}

for directory in "$old" "$new"; do
	tap_check "exec is recorded" "$root/tools/record-results" "$BUILD" "$directory" --shown --only exec
done
tap_is "nothing else is recorded, and nothing is left behind" \
	"$(find "$old" -mindepth 1 ! -name 'exec-*')" ""
tap_is "messages and status are recorded" "$(tail -n 1 "$old/exec-chess-limited.messages.txt")" "status 124"
files=$(ls "$old" | wc -l)
says "two recordings are equal" "$(printf '%-32s %7d %7d %7d %7d' total "$files" 0 0 0)"
says "then the status is 0" "status 0"
tap_check "their JSON is equal by value" "$root/tools/compare-results" "$old" "$new" --only exec
rm "$new/exec-chess.json"
echo kept >"$new/exec-netflow.json"
says "a file that went is named" "missing  exec-chess.json"
says "then the status is 1" "status 1"
"$root/tools/record-results" "$BUILD" "$new" --shown --only exec
tap_is "what is missing is recorded again" "$(cmp "$old/exec-chess.json" "$new/exec-chess.json" && echo equal)" equal
tap_is "what is there is kept" "$(cat "$new/exec-netflow.json")" kept
cp "$old/exec-netflow.json" "$new"
refuses "a command that is not recorded is refused" --only exec,excel
refuses "sizes without --all are refused" test

printf 'one\ntwo\n' >"$old/run-a.w60.txt"
printf 'one\nTWO\nthree\n' >"$new/run-a.w60.txt"
says "lines that changed are counted" "differs  run-a.w60.txt: 1 lines went, 2 came"
says "and shown" "    -two"
says "files are counted by command and format" \
	"$(printf '%-32s %7d %7d %7d %7d' "run        w60.txt" 0 1 0 0)"
says "other commands are left out" "status 0" --only exec
says "the whole difference is shown" "+three" --diff run-a.w60.txt
says "with a status" "status 1" --diff run-a.w60.txt
says "no lines are shown if none are wanted" "status 1" --lines 0
tap_is "no lines means none" "$(compare --lines 0 | grep -c TWO)" 0
printf 'one\ntwo\n' >"$new/run-a.w60.txt"
printf '<a></a><b x="1"></b>' >"$old/run-a.html"
printf '<a></a><b x="2"></b>' >"$new/run-a.html"
says "a page is compared by element" '    -<b x="1">'
rm "$old/run-a.html"
says "a file that came is named" "new      run-a.html"
says "and allowed" "status 0"
says "nothing to compare is an error" "status 2" --only judge
tap_done
