#!/bin/bash
# Hostile senders and files against the network side of the statistics module: a listening run, the collector, its
# database, keys. packets.py is the attacker.
#
# CYCLESTACK  the tool  (build/cyclestack)
# time-limit: 900
. "$(dirname "$0")/../head.sh"
needs python3
needs_workloads
started=()
# shellcheck disable=SC2317
clean() {
	for pid in "${started[@]}"; do
		kill -9 "$pid" 2>/dev/null
	done
	rm -rf "$work"
}
trap clean EXIT

attack() { python3 "$root/tests/escape/packets.py" "$@"; }
free_port() {
	python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
# listening OPTION...: a run that listens on $port; its pid is in $run, its result in run.json.
listening() {
	rm -f run.json
	port=$(free_port)
	"$cyclestack" stat -e cycles --every 1000 --listen "$port" --json run.json -q "$@" >/dev/null 2>run.err &
	run=$!
	started+=("$run")
}
# has_result STATUS: whether a run ended by itself or at its limit of time; how fast the host is decides which.
has_result() {
	case $1 in
	0 | 124) echo ended ;;
	*) echo "status $1" ;;
	esac
}
epochs() { python3 -c 'import json; print(len(json.load(open("run.json"))["epochs"]))'; }

# A run: whatever it is asked to count, it has its result.
listening --counter-count 4096 --range-count 1024 --timeout 5 @hanoi:small
attack configure "$port" '*@*' >answer
wait "$run"
tap_is "every signal in every function: the run has its result" "$(has_result $?) $(cat answer) $(epochs)" "ended accepted 1"
tap_check "and says why not" grep -q 'refused: "\*" at "\*" makes more than 4096 pairs, the most there can be' run.err
pairs=() stars='*'
for _ in $(seq 200); do
	pairs+=("l1$stars@*")
	stars+='*'
done
listening --timeout 5 @hanoi:small
attack configure "$port" "${pairs[@]}" >answer
wait "$run"
tap_is "200 patterns that are all the same: the run has its result" "$(has_result $?) $(epochs)" "ended 1"
# Of one signal they make no more pairs than one of them does: the work is what has a limit.
pairs=() stars='*'
for _ in $(seq 900); do
	pairs+=("cycles@[a-z]$stars")
	stars=${stars:0:40}'*'
done
listening --counter-count 4096 --range-count 1024 --timeout 5 @hanoi:small
attack configure "$port" every=9999 "${pairs[@]}" >answer
wait "$run"
tap_is "900 patterns over functions: the run has its result" "$(has_result $?) $(epochs)" "ended 1"
tap_check "and says why not" grep -q 'takes too long' run.err
listening --counter-count 4096 --range-count 1024 --timeout 5 @hanoi:small
attack configure "$port" every=1 'committed@*' >answer
wait "$run"
tap_is "hundreds of counters in every cycle: the run has its result" "$(has_result $?) $(epochs)" "ended 1"
tap_check "and says why not" grep -q 'a period has at least as many cycles as there are pairs' run.err
listening --timeout 6 @hanoi:small
attack configure "$port" count=300 'cycles@0x0-0xff' >answer
wait "$run"
tap_is "300 changes one after the other: the run has its result" "$(has_result $?)" "ended"
# No number in a packet keeps later ones out, and no cycle does.
listening --timeout 5 @hanoi:small
attack configure "$port" sequence=18446744073709551615 cycles committed >answer
sleep 0.3
attack configure "$port" at=9000000000000000000 cycles committed >>answer
sleep 0.3
"$cyclestack" configure "$port" -e committed --every 2000 >>answer 2>&1
wait "$run"
tap_is "the largest number and a cycle that never comes lock nobody out" "$(has_result $?) $(tr '\n' ' ' <answer)$(epochs)" "ended accepted accepted accepted 3"
# A run that has nothing to count yet waits for the first configuration: one that it cannot begin with is refused and
# answered, and does not end it.
rm -f run.json
port=$(free_port)
"$cyclestack" stat --listen "$port" --json run.json -q --counter-count 4096 --range-count 1024 --timeout 20 @hanoi:test >/dev/null 2>run.err &
run=$!
started+=("$run")
: >answer
attack configure "$port" no.such.signal >>answer
attack configure "$port" cycles@no_such_function >>answer
attack configure "$port" '*@*' >>answer
attack configure "$port" every=1 'committed@*' >>answer
attack configure "$port" every=9999 "${pairs[@]}" >>answer
tap_check "bad first configurations do not end a run that waits" kill -0 "$run"
tap_is "each is answered with why" "$(grep -nE 'refused: (there is no signal|the program has no function|.* makes more than 4096 pairs|.* at least as many cycles as there are pairs$|.* takes too long)' answer | cut -d: -f1 | tr '\n' ' ')" "1 2 3 4 5 "
"$cyclestack" configure "$port" -e cycles@main --every 10000 >answer 2>&1
wait "$run"
tap_is "a good one begins it" "$? $(cat answer) $(epochs)" "0 accepted 1"
tap_is "and what was refused is said" "$(grep -c 'a configuration was refused: ' run.err)" 5
head -c 32 /dev/zero | tr '\0' k >key
chmod 600 key
port=$(free_port) front=$(free_port)
"$cyclestack" stat -e cycles --every 1000 --listen "$port" --key key --json run.json -q --timeout 6 @hanoi:small >/dev/null 2>run.err &
run=$!
started+=("$run")
attack record "$front" "$port" recorded.configure &
started+=($!)
sleep 0.5
# One that comes before the first has been taken is refused, and is among what is sent again.
: >answer
for pair in committed cycles; do
	for _ in $(seq 50); do
		"$cyclestack" configure "$front" --key key -e $pair --every 3000 2>&1 | tee said | grep accepted >>answer && break
		sleep 0.05
	done
done
attack replay recorded.configure "$port"
attack replay recorded.configure "$port"
wait "$run"
tap_is "configurations that are sent again change nothing" "$(has_result $?) $(tr '\n' ' ' <answer)$(epochs)" "ended accepted accepted 3"

# The collector. collector DATABASE OPTION...: starts one on $port; its pid is in $collector.
collector() {
	local database=$1
	shift
	port=$(free_port)
	"$cyclestack" collect --listen "$port" --database "$database" "$@" 2>collector.txt &
	collector=$!
	started+=("$collector")
	for _ in $(seq 100); do
		grep -q listening collector.txt && return
		sleep 0.05
	done
}
stop() {
	kill "$collector"
	wait "$collector"
}
# shown DATABASE TABLE: a table of what was collected, as CSV without its titles.
shown() { "$cyclestack" collect --database "$1" --show --csv - --table "$2" | tail -n +2; }
# sql DATABASE STATEMENT: what it gives, with commas between columns.
sql() {
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute(sys.argv[2]): print(*row, sep=",")
db.commit()' "$@"
}
send() { "$cyclestack" stat -e cycles --every 50k --to "$port" -q "$@" @hanoi:test >/dev/null 2>stat.err; }
complete=',complete to,367241,8,0,hanoi,midcore,'

collector forged.db
send
attack counts "$port" run=1 epoch=0 number=9223372036854775806
attack counts "$port" run=1 epoch=1 number=9223372036854775806
attack counts "$port" run=2 start=9223372036854775807 cycles=9223372036854775807 flags=4
sleep 0.3
stop
tap_check "forged intervals spoil no other run" grep -q "$complete" <(shown forged.db runs-table)
tap_check "a cycle beyond all cycles is dropped" grep -q '^with a malformed body,1$' <(shown forged.db dropped-table)
sql forged.db "INSERT INTO intervals VALUES(5, 0, 0, 'text', x'00', -1, 1, 1, 1, 0)"
sql forged.db "INSERT INTO counts SELECT run, 0, 0, 9, 'text', 'text', 0 FROM runs WHERE program = 'hanoi'"
tap_is "nor do rows that no collector wrote" "$(shown forged.db runs-table | grep -c "$complete") $(shown forged.db totals-table | grep -c ',cycles,367241,')" "1 1"
tap_check "and it is said" grep -q '^2 rows of the database are damaged' <("$cyclestack" collect --database forged.db --show)

# Whose run it is.
collector foreign.db --runs 1
python3 - "$root/tests/escape/packets.py" "$port" <<'PY'
# The run begins; then somebody else ends it.
import subprocess, sys, time
sys.argv = sys.argv[1:]
port = sys.argv[1]
subprocess.run(["python3", sys.argv[0], "counts", port, "run=5"])
time.sleep(0.2)
subprocess.run(["python3", sys.argv[0], "names", port, "run=5", "cycles"])
subprocess.run(["python3", sys.argv[0], "counts", port, "run=5", "number=1", "flags=6", "total=999999"])
time.sleep(0.3)
PY
tap_check "what another sender sends ends no run" kill -0 "$collector"
send
wait "$collector"
tap_is "and is in no total" "$(shown foreign.db totals-table | grep -c ',999999,')" 0
tap_check "it is counted" grep -q '^of a run that another sender began,2$' <(shown foreign.db dropped-table)
port=$(free_port) to=$port
collector told.db --runs 1
to=$port listen=$(free_port)
"$cyclestack" stat -e cycles --every 50k --to "$to" --listen "$listen" -q @hanoi:small >/dev/null 2>&1 &
run=$!
number=$(attack run "$listen")
wait "$run" "$collector"
tap_is "the configuration port does not tell the number that the collector knows" "$(sql told.db "SELECT count(*) FROM intervals WHERE run = $number")" 0

# What was recorded, with a key.
collector first.db --key key --runs 1
front=$(free_port)
attack record "$front" "$port" recorded &
started+=($!)
sleep 0.3
back=$port port=$front
send --key key
wait "$collector"
port=$back
tap_is "a run with a key, through somebody who records" "$(shown first.db runs-table | grep -c "$complete") $(cat stat.err)" "1 "
everything="SELECT run, epoch, counter, 0, name, 0 FROM names UNION SELECT run, epoch, number, start, cycles, is_final FROM intervals UNION SELECT run, program, machine, sender, last_received, is_whole FROM runs ORDER BY 1, 2, 3"
sql first.db "$everything" >before
sleep 1.1
collector first.db --key key --runs 1
attack replay recorded "$port"
sleep 0.5
tap_check "sent again to the same database: no run is whole anew" kill -0 "$collector"
stop
tap_is "and nothing changes" "$(sql first.db "$everything" | diff before -)" ""
collector second.db --key key --runs 1
attack replay recorded "$port"
sleep 0.5
tap_check "sent to another database" kill -0 "$collector"
stop
tap_is "nothing of it is there" "$(sql second.db "$everything")" ""
tap_check "it is counted as old" grep -q '^"*old, or of another run"*,[1-9]' <(shown second.db dropped-table)

# The terminal.
collector escapes.db --runs 1
send
wait "$collector"
esc=$(printf '\033]0;owned\007\302\233[2J')
sql escapes.db "UPDATE names SET name = '$esc'"
sql escapes.db "UPDATE runs SET program = '$esc', machine = '$esc', sender = '$esc'" 2>/dev/null
sql escapes.db "INSERT INTO dropped VALUES('$esc', 1)"
{
	"$cyclestack" collect --database escapes.db --show
	"$cyclestack" collect --database escapes.db --show --csv -
	for table in runs totals dropped; do "$cyclestack" collect --database escapes.db --show --csv - --table $table-table; done
	"$cyclestack" collect --database escapes.db --show --html -
	"$cyclestack" collect --database "$esc" --show
	"$cyclestack" stat -e "$esc" @hanoi:test
	"$cyclestack" configure "$esc" -e cycles
	"$cyclestack" collect --database escapes.db --show --csv - --table "$esc"
} >terminal 2>&1
tap_check "the output has the text" test "$(grep -c owned terminal)" -gt 8
tap_is "nothing that the database says reaches the terminal as a command" "$(grep -caP '\x1b|\x07|\xc2\x9b' terminal)" 0

# Many rows.
collector many.db
stop
python3 -c 'import sqlite3
db = sqlite3.connect("many.db")
db.executemany("INSERT INTO intervals VALUES(1, 0, ?, ?, 10, ?, 1, 0, 0, 0)", ((i, 10 * i, 10 * i) for i in range(100000)))
db.executemany("INSERT INTO counts VALUES(1, 0, ?, 0, 1, ?, 0)", ((i, i) for i in range(100000)))
db.commit()'
start=$(date +%s%N)
timeout 60 "$cyclestack" collect --database many.db --show >many.txt 2>&1
took=$((($(date +%s%N) - start) / 1000000))
tap_check "100000 intervals are shown in proportion to their number ($took ms)" test $took -lt 20000
tap_check "all of them" grep -q 'incomplete after' many.txt

# Files of all kinds.
ports=("$(free_port)" "$(free_port)" "$(free_port)" "$(free_port)")
for _ in 1 2 3; do
	rm -f race.db* race?.txt
	racing=()
	for i in 0 1 2 3; do
		timeout 20 "$cyclestack" collect --listen "${ports[i]}" --database race.db 2>"race$i.txt" &
		racing+=($!)
		started+=($!)
	done
	for _ in $(seq 100); do
		[ "$(cat race?.txt | wc -l)" -eq 4 ] && break
		sleep 0.05
	done
	kill "${racing[@]}" 2>/dev/null
	wait "${racing[@]}"
	cat race?.txt
done >races
tap_is "several collectors create one database at once" "$(sort -u races)" "cyclestack: listening"
cp forged.db trigger.db
sql trigger.db "CREATE TRIGGER t AFTER INSERT ON counts BEGIN DELETE FROM names; END"
tap_is "a database with a trigger is not used" "$("$cyclestack" collect --database trigger.db --show 2>&1)" \
	"cyclestack: trigger.db has tables, views or triggers that cyclestack does not write, or lacks some: it is not used"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	mkdir locked
	cp forged.db locked/a.db
	chmod 755 "$work" locked
	chmod 644 locked/a.db
	nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	if nobody test -x "$cyclestack"; then
		tap_check "a database in a place where nothing may be written is shown" grep -q "$complete" \
			<(nobody "$cyclestack" collect --database locked/a.db --show --csv - --table runs-table 2>&1)
		tap_is "and not collected into" "$(nobody "$cyclestack" collect --listen "$(free_port)" --database locked/a.db 2>&1)" \
			"cyclestack: locked/a.db may not be written"
	else
		tap_skip "a database in a place where nothing may be written is shown" "another user cannot run the tool"
	fi
else
	tap_skip "a database in a place where nothing may be written is shown" "only root can become somebody who may not write"
fi
collector small.db --limit-size 256k
attack flood "$port" first=1 runs=3000
send
sleep 0.3
tap_check "a database that has reached its limit: said" grep -q 'the database has reached --limit-size' collector.txt
tap_check "the collector goes on" kill -0 "$collector"
stop
tap_check "and the file has its size" test "$(stat -c %s small.db)" -le 294912
tap_check "what was too much is counted" grep -q "^beyond the limit of the database's size,[0-9]" <(shown small.db dropped-table)

# Keys.
see=" (see: cyclestack"
head -c 5000 /dev/zero | tr '\0' k >long
chmod 600 long
tap_is "a long key is not cut" "$("$cyclestack" configure 5000 --key long -e cycles 2>&1 | sed "s/$see.*//")" \
	"cyclestack: --key: long has more than the 4096 bytes that a key may have"
: >empty
tap_is "an empty one is none" "$("$cyclestack" configure 5000 --key empty -e cycles 2>&1 | sed "s/$see.*//")" \
	"cyclestack: --key: empty has 0 bytes; a key has at least 16"
cp key lent
chmod 640 lent
tap_is "one that others may read: said" "$("$cyclestack" stat -e cycles --to 192.0.2.1:x --key lent @hanoi:test 2>&1 | head -1)" \
	"cyclestack: other users may read or change the key lent: chmod go= would keep it"
tap_done
