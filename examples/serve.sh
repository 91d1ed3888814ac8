#!/bin/bash
# serve.sh URL [PROGRAM]: what the page of `cyclestack serve` does, with curl alone: looks around, uploads a program (or
# takes a workload), checks a machine, counts in a function, watches, counts something else, stops, runs on two
# machines and compares, sweeps, and saves the results. With a token: TOKEN=... serve.sh URL.
set -euo pipefail
api=${1:-http://127.0.0.1:8650}/api/v1
ask() { curl -sS --fail-with-body ${TOKEN:+-H "Authorization: Bearer $TOKEN"} "$@"; }
order() { ask -H 'Content-Type: application/json' "$api/runs" -d "$1" | member id; }
member() { sed -n 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/p' | head -n 1; }
state() { ask "$api/runs/$1" | member state; }
over() { while case $(state "$1") in queued | running) true ;; *) false ;; esac; do sleep 0.2; done; }

echo "Workloads: $(ask "$api/workloads" | sed -n 's/^ *"name": "\(.*\)",/\1/p' | tr '\n' ' ')"
echo "Cores: $(ask "$api/machines" | sed -n 's/^ *"name": "\(.*\)",/\1/p' | tr '\n' ' ')"
program=@objdb:test
if [ $# -gt 1 ]; then
	program=$(ask -H 'Content-Type: application/octet-stream' --data-binary @"$2" "$api/uploads?name=mine" | member id)
fi
echo "Functions: $(ask "$api/functions?program=$program" | grep -o '"name"' | wc -l)"
echo "A ROB of 3: $(ask -H 'Content-Type: application/json' "$api/machines/midcore/check" -d '{"set":{"rob.size":"3"}}')"

run=$(order '{"command":"stat","program":"'"$program"'","counters":["committed@main"],"groups":["cache"],"every":10000}')
echo "Run $run:"
ask -N "$api/runs/$run/events" | sed -n 's/^event: //p' | sort | uniq -c
ask "$api/runs/$run/result/csv" >counters.csv
ask "$api/runs/$run/result/html" >counters.html
echo "counters.csv has $(wc -l <counters.csv) lines, counters.html $(wc -c <counters.html) bytes"

long=$(order '{"command":"stat","program":"@objdb:ref","counters":["cycles"],"every":50000}')
until ask "$api/runs/$long" | grep -q '"received":[1-9]'; do sleep 0.2; done
ask -H 'Content-Type: application/json' "$api/runs/$long/counters" -d '{"counters":["l1d.misses@db_set"],"every":50000}'
sleep 1
ask -X POST "$api/runs/$long/stop" >/dev/null
over "$long"
echo " Run $long: $(state "$long")"

small=$(order '{"command":"run","program":"@hanoi:test","set":{"rob.size":"64"}}')
large=$(order '{"command":"run","program":"@hanoi:test"}')
sweep=$(order '{"command":"sweep","program":"@hanoi:test","grid":["rob.size=64,128"]}')
advice=$(order '{"command":"advise","program":"@hanoi:test","instructions":100000}')
over "$small"
over "$large"
ask "$api/compare/text?a=$small&b=$large" | sed -n 1,8p
over "$sweep"
ask "$api/runs/$sweep/result/text" | sed -n 1,12p
over "$advice"
ask "$api/runs/$advice/result/text" | sed -n 1,4p
ask "$api/runs/$advice/result/sqlite" >advice.db
echo "advice.db has $(wc -c <advice.db) bytes"
echo "In the store: $(ask -H 'Content-Type: application/json' "$api/query" -d '{"sql":"SELECT count(*) AS n FROM results"}' | tr -d ' \n')"
