#!/bin/bash
# `stat --to`, `collect`, `configure`: totals are exact however packets are lost; a collector that is killed goes on;
# wrong keys, old packets and a full disk do no harm; the listener of examples/ works.
#
# CYCLESTACK  the tool  (build/cyclestack)
# KILLS       how often the collector is killed  (8)
# time-limit: 1200
. "$(dirname "$0")/../head.sh"
needs_workloads
needs python3
started=()
# shellcheck disable=SC2317
clean() {
	for pid in "${started[@]}"; do
		kill -9 "$pid" 2>/dev/null
	done
	rm -rf "$work"
}
trap clean EXIT
cd "$work" || exit 1

free_port() {
	python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
# collector PORT DATABASE OPTION...: starts one and waits until it listens; its pid is in $collector.
collector() {
	local port=$1 database=$2
	shift 2
	"$cyclestack" collect --listen "$port" --database "$database" "$@" 2>collector.txt &
	collector=$!
	started+=("$collector")
	for _ in $(seq 100); do
		grep -q listening collector.txt && return
		sleep 0.05
	done
}
# shown DATABASE TABLE: a table of what was collected, as CSV without its titles.
shown() { "$cyclestack" collect --database "$1" --show --csv - --table "$2" | tail -n +2; }
totals() { shown "$1" totals-table | awk -F, '$2 == 0 { print $3, $4 }'; }
expected() { awk -F, '$4 == "total" { print ($2 == "" ? $1 : $1 "@" $2) " " $6 }' "$1"; }
pairs=(-e committed@main -e cycles -e l1d.misses -e committed)

# A listener of a few lines in another language.
port=$(free_port)
python3 "$root/examples/listen.py" "$port" >listener.txt &
listener=$!
started+=("$listener")
sleep 0.5
"$cyclestack" stat "${pairs[@]}" --every 5k --to "$port" --csv direct.csv -q @hanoi:test >/dev/null 2>stat.err
wait "$listener"
tap_is "the example's totals are those of the run" "$(sed -n 's/^total //p' listener.txt)" "$(expected direct.csv)"
tap_is "and nothing is left unacknowledged" "$(cat stat.err)" ""

# A proxy that loses, doubles and reorders 20 % each.
for seed in 1 2 3; do
	port=$(free_port) front=$(free_port)
	collector "$port" "lossy$seed.db" --runs 1
	python3 "$root/tests/stat/lossy.py" "$front" "$port" "$seed" &
	started+=($!)
	sleep 0.3
	"$cyclestack" stat "${pairs[@]}" --every 5k --to "$front" --csv lossy.csv -q @hanoi:test >/dev/null 2>stat.err
	wait "$collector"
	tap_is "20 % lost, doubled, late ($seed): totals are exact" "$(totals "lossy$seed.db")" "$(expected lossy.csv)"
	intervals=$(grep -c '^cycles,,0,[0-9]' lossy.csv)
	IFS=, read -r _ _ _ got missing _ < <(shown "lossy$seed.db" runs-table)
	tap_is "and gaps are told ($seed)" $((got + ${missing:-0})) "$intervals"
	tap_check "some were lost ($seed)" test "${missing:-0}" -gt 0
done

# A run whose end does not arrive.
port=$(free_port)
collector "$port" cut.db
"$cyclestack" stat -e cycles --every 100k --to "$port" -q @hanoi:test >/dev/null 2>&1 &
sender=$!
wait "$sender"
kill "$collector"
wait "$collector"
tap_is "SIGTERM ends a collector well" "$?" 0
sqlite3 cut.db "DELETE FROM counts WHERE number >= 3; DELETE FROM intervals WHERE number >= 3" 2>/dev/null &&
	tap_check "incomplete after the last cycle received" grep -q ',incomplete after,300000,3,0,' <(shown cut.db runs-table)

# More counters than a packet holds.
port=$(free_port)
collector "$port" many.db --runs 1
"$cyclestack" stat -e 'committed@*' -e 'l1d.misses@*' --counter-count 4096 --range-count 1024 --every 50k --to "$port" --csv many.csv \
	-q @hanoi:test >/dev/null 2>stat.err
wait "$collector"
tap_check "there are more counters than a packet holds" test "$(expected many.csv | wc -l)" -gt 128
tap_is "their totals arrive" "$(totals many.db)" "$(expected many.csv)"

# An epoch whose last interval is missing has no total: the run is not complete.
printf 'cyclestack-stat-log-1\n0 50000 cycles\n100000 50000 committed\n' >two.log
port=$(free_port)
collector "$port" epochs.db --runs 1
"$cyclestack" stat --replay two.log --to "$port" -q @hanoi:test >/dev/null 2>&1
wait "$collector"
tap_check "two epochs are complete" grep -q ',complete to,' <(shown epochs.db runs-table)
sqlite3 epochs.db "DELETE FROM counts WHERE epoch = 0 AND number = 1; DELETE FROM intervals WHERE epoch = 0 AND number = 1" 2>/dev/null &&
	tap_check "without the end of the first they are not" grep -q ',incomplete after,' <(shown epochs.db runs-table)

# Killed at random moments and started again: nothing is lost, nothing counts twice.
RANDOM=14
port=$(free_port)
collector "$port" killed.db
send() {
	"$cyclestack" stat "${pairs[@]}" --every 3000 --to "$port" --csv killed.csv -q @hanoi:small >/dev/null 2>stat.err &
	sender=$!
	started+=("$sender")
}
send
before=0 wrong=
for _ in $(seq "${KILLS:-8}"); do
	kill -0 "$sender" 2>/dev/null || send
	sleep "0.0$((RANDOM % 90 + 10))"
	kill -9 "$collector"
	wait "$collector" 2>/dev/null
	now=$(shown killed.db intervals-table | grep -c ',cycles,')
	[ "$now" -ge "$before" ] || wrong+="$before then $now intervals;"
	before=$now
	collector "$port" killed.db
done
wait "$sender"
kill "$collector"
wait "$collector"
tap_is "no committed interval is lost when the collector is killed" "$wrong" ""
tap_is "the totals of every run are exact" "$(totals killed.db | sort -u)" "$(expected killed.csv | sort)"
shown killed.db intervals-table | awk -F, '$2 == 0 && $5 == "committed" { print $1, $3, $6 }' >stored
awk -F, '$1 == "committed" && $2 == "" && $4 != "total" { print $4, $6 }' killed.csv >sent
tap_is "every interval that is stored is as it was, once" "$(cut -d' ' -f2- stored | sort -u | comm -23 - <(sort sent))" ""
tap_is "and none is stored twice" "$(cut -d' ' -f1,2 stored | sort | uniq -d)" ""

# A disk that is full: said, and what was written stays.
port=$(free_port)
(
	ulimit -f 64
	exec "$cyclestack" collect --listen "$port" --database full.db -q 2>full.txt
) &
full=$!
started+=("$full")
sleep 0.5
"$cyclestack" stat "${pairs[@]}" --every 200 --to "$port" -q @hanoi:test >/dev/null 2>stat.err
tap_check "the sender says that the end was not acknowledged" grep -q 'did not acknowledge' stat.err
wait "$full"
tap_is "a full disk ends the collector" "$?" 125
tap_check "with a sentence" grep -q '^cyclestack: the database: cannot write' full.txt
tap_is "and the database is whole" "$(sqlite3 full.db 'PRAGMA integrity_check' 2>&1)" ok

# Keys.
head -c 32 /dev/zero | tr '\0' k >key
head -c 32 /dev/zero | tr '\0' x >other
head -c 8 key >short
chmod 600 key other short
port=$(free_port)
collector "$port" key.db --key key
"$cyclestack" stat -e cycles --to "$port" --key other -q @hanoi:test >/dev/null 2>wrong.err
tap_check "a wrong key is not acknowledged" grep -q 'did not acknowledge' wrong.err
"$cyclestack" stat -e cycles --to "$port" --key key -q @hanoi:test >/dev/null 2>right.err
tap_is "the right one is" "$(cat right.err)" ""
kill "$collector"
wait "$collector"
tap_is "only the signed run is stored" "$(shown key.db runs-table | wc -l)" 1
tap_check "the others are counted" grep -q '^with a wrong signature,[0-9]*$' <(shown key.db dropped-table)
see=" (see: cyclestack"
tap_is "beyond this machine a key is required" "$("$cyclestack" stat -e cycles --to 192.0.2.1:5000 @hanoi:test 2>&1 | sed "s/$see.*//")" \
	"cyclestack: 192.0.2.1:5000 is not this machine: packets beyond it need a key, --key FILE"
tap_is "a key has 16 bytes" "$("$cyclestack" stat -e cycles --to 5000 --key short @hanoi:test 2>&1 | sed "s/$see.*//")" \
	"cyclestack: --key: short has 8 bytes; a key has at least 16"

# Configurations before and during a run.
port=$(free_port)
"$cyclestack" stat --listen "$port" --key key --log during.log --json during.json -q @hanoi:small >/dev/null 2>during.err &
run=$!
started+=("$run")
tap_is "a configuration before the run" "$("$cyclestack" configure "$port" --key key -e committed@main --every 50k 2>&1)" accepted
tap_is "and one during it" "$("$cyclestack" configure "$port" --key key -e cycles -e committed --every 10k 2>&1)" accepted
tap_check "a wrong key changes nothing" grep -q 'no answer' <(timeout 60 "$cyclestack" configure "$port" --key other -e cycles 2>&1)
wait "$run"
tap_is "two epochs are in the log" "$(sed '1d; s/^[1-9][0-9]* /N /' during.log)" "0 50000 committed@main
N 10000 cycles committed"
"$cyclestack" stat --replay during.log --json replay.json -q @hanoi:small >/dev/null
tap_check "replaying the log gives the same bytes" cmp during.json replay.json
tap_done
