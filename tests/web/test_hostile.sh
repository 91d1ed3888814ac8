#!/bin/bash
# Programs that try what a server must contain: each is contained, and the run says in a sentence what it tried and what
# became of it, by the API and on its page.
# shellcheck disable=SC1083
# time-limit: 900
. "$(dirname "$0")/../head.sh"
. "$root/tests/web/server.sh"
. "$root/tests/page/pages.sh"
needs curl python3 "$cross"
trap 'stop_server -KILL; rm -rf "$work"' EXIT
v=/api/v1
start_server --jobs 2 --allow memory=256M --allow memory-total=512M --allow output=4k --allow seconds=60 --allow disk=64M
[ -n "$url" ] || { cat "$work/log"; tap_not_ok "the server starts"; tap_done; }
"$cross" -O1 -static -o "$work/hostile" "$root/tests/web/hostile.c" 2>"$work/log2" || cat "$work/log2"
ask POST $v/uploads $v/uploads?name=hostile -H 'Content-Type: application/octet-stream' --data-binary @"$work/hostile"
hostile=$(member id)
printf 'one line\n' >"$work/line"
ask POST $v/uploads $v/uploads -H 'Content-Type: application/octet-stream' --data-binary @"$work/line"
line=$(member id)
files=',"files":[{"name":"list.txt","upload":"'$line'"}]'

declare -A number
# hostile_does WHAT [MEMBERS]
hostile_does() {
	run_order '{"command":"exec","program":"'"$hostile"'","name":"<b>h</b>","arguments":["'"$1"'"]'"${2:-}"'}'
	number[$1]=$id
}
printed() { curl -s -m 20 "$url$v/runs/${number[$1]}/output"; }
# became WHAT STATE STATUS SENTENCES: one in each line, in which N stands for a number of six digits and more.
became() {
	wait_for "${number[$1]}" $over
	ask GET $v/runs/{id} "$v/runs/${number[$1]}"
	tap_is "$1: how it ends" "$state $(member status)" "$2 $3"
	tap_is "$1: what it tried is said" "$(python3 -c '
import json, re, sys
run = json.load(open(sys.argv[1]))
print("\n".join(re.sub(r"[0-9]{6,}", "N", text) for text in run["contained"]))
assert all(text in run["said"] for text in run["contained"])' "$body")" "$4"
}
hostile_does files
hostile_does connect
hostile_does fork
hostile_does exec
hostile_does memory
hostile_does disk "$files"
hostile_does print ',"seconds":3'
hostile_does ever ',"seconds":2'
hostile_does read ',"input":"'"$line"'"'"$files"
became files "done" 0 'The program tried to open "/etc/passwd", which was not given to it: it was told that there is no such file. It sees its own files alone, and nothing of the host'"'s."
tap_is "host files are not there" "$(printed files | grep -c 'No such file\|Read-only\|Permission')$(printed files | grep 'it worked')" 7
tap_check "nothing was written" [ ! -e /tmp/escaped ]
became connect "done" 0 "The program tried to reach a network (IPv4): it was told that there is none, and nothing was sent."
tap_is "there is no network" "$(printed connect | grep -c worked) $(printed connect | wc -l)" "0 2"
became fork "done" 0 "The program tried to start another process (fork): it was told that it cannot, and there is none."
tap_is "no process is made" "$(printed fork | grep -c worked) $(printed fork | wc -l)" "0 1"
became exec "done" 0 "The program tried to become another program (exec): it was told that it cannot, and went on."
became memory "done" 137 "The program tried to fill more memory than the N bytes that it may: it was killed."
became disk "done" 0 'The program tried to write "/files/filled": it was told that nothing can be written there. Nothing of it reaches a disk but what it prints, up to a limit.
The program tried to open "/tmp/filled", which was not given to it: it was told that there is no such file. It sees its own files alone, and nothing of the host'"'s.
The program asked for more memory than the N bytes that it may fill: it was told that there is no more."
tap_is "nothing is filled" "$(printed disk | grep -c worked) $(printed disk | wc -l) $(find "$work/s.db.serve/runs/${number[disk]}" -size +1M)" "0 3 "
became print partial 124 "The program printed more than the 4096 bytes that are kept of its output: the rest was thrown away.
The program went on for longer than it may: it was stopped when its time was over, after N instructions."
ask GET $v/runs/{id}/output "$v/runs/${number[print]}/output"
tap_is "it is plain text of the size allowed" "$(wc -c <"$body") $(tail -n 1 "$work/asked" | cut -f4)" "4096 text/plain; charset=utf-8"
became ever partial 124 "The program went on for longer than it may: it was stopped when its time was over, after N instructions."
became read "done" 0 ""
tap_is "standard input and files are there" "$(printed read)" "one line
/files/list.txt: it worked"

# The same after the server was started again, on the page.
stop_server -TERM
start_server --jobs 1
became files "done" 0 'The program tried to open "/etc/passwd", which was not given to it: it was told that there is no such file. It sees its own files alone, and nothing of the host'"'s."
for what in "${!number[@]}"; do printf '%s %s\n' "$what" "${number[$what]}"; done >"$work/numbers"
export SERVE_URL=$url
cd "$root" || exit 1
in_a_browser tests/web/test_hostile.mjs 300
tap_done
