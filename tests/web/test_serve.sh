#!/bin/bash
# The server, asked by curl: every address of its description, what must be refused, and a server that is killed.
# shellcheck disable=SC1083
# time-limit: 900
. "$(dirname "$0")/../head.sh"
. "$root/tests/web/server.sh"
needs curl python3
needs_workloads
trap 'stop_server -KILL; rm -rf "$work"' EXIT

small='"instructions":150000'
start_server --jobs 2 --allow memory=256M --allow memory-total=512M --allow upload=4M --allow body=8k --allow queue=6 \
	--allow request-seconds=2 --allow output=4k --allow seconds=60
tap_check "it says where it listens" [ -n "$url" ]
[ -n "$url" ] || { cat "$work/log"; tap_done; }

# Every address and method of the description; what comes back is held to it at the end.
v=/api/v1
for path in "" /openapi.json /limits /workloads /signals /groups /parameters /machines /uploads /runs; do
	ask GET "$v$path" "$v$path"
	tap_is "GET $v$path" "$status" 200
done
ask GET $v/machines/{name} $v/machines/boom
tap_check "a preset has its parameters" grep -q '"core.kind": "ooo"' "$body"
ask GET $v/machines/{name} $v/machines/nosuch
tap_is "a preset that is not there is refused with a sentence" "$status" 422
post $v/machines/{name}/check $v/machines/midcore/check '{"set":{"rob.size":"banana","rob.sise":"3","l1d.ways":"8"}}'
tap_check "the reader's own messages come back, parameter by parameter" \
	grep -q '"rob.size":"rob.size.*"rob.sise":".*did you mean rob.size' "$body"
post $v/machines/{name}/check $v/machines/midcore/check '{"set":{"rob.size":"64"}}'
tap_is "a good change has no message" "$(member ok) $(member messages)" "True {}"

program=$BUILD/workloads/hanoi
ask POST $v/uploads "$v/uploads?name=my%20hanoi" -H 'Content-Type: application/octet-stream' --data-binary @"$program"
tap_is "an upload is named by its content" "$status $(member id)" "201 $(sha256sum "$program" | cut -d' ' -f1)"
upload=$(member id)
ask GET $v/functions "$v/functions?program=$upload"
tap_check "the functions of an upload are listed" grep -q '"name":"main"' "$body"
ask GET $v/functions "$v/functions?program=@nosuch"
tap_is "a program that is not there is refused" "$status" 422

run_order '{"command":"stat","program":"'"$upload"'","name":"my hanoi","arguments":["test"],"machine":"boom","set":{"rob.size":"64"},
	"counters":["committed@main"],"groups":["cache"],"every":20000}'
first=$id
tap_is "a run is ordered" "$status $(member state)" "201 queued"
curl -s -m 60 -N "$url$v/runs/$first/events" >"$work/events"
tap_check "its events end with its end" grep -q '"state":"done"' "$work/events"
# Who comes after the settings are known is told them at once, and again where they were told to all.
tap_is "its counters have names, and come in intervals" \
	"$(grep -A 1 '^event: epoch' "$work/events" | grep '^data:' | sort -u | wc -l) $(grep -q '"counters":\["committed@main"' "$work/events" && echo named) $([ "$(grep -c '^event: interval' "$work/events")" -ge 5 ] && echo intervals)" \
	"1 named intervals"
ask GET $v/runs/{id} $v/runs/"$first"
tap_is "no packet was lost" "$(member packets.lost)" 0
for format in json html csv svg sqlite text; do
	ask GET $v/runs/{id}/result/{format} "$v/runs/$first/result/$format"
	tap_is "its result as $format" "$status" 200
done
ask GET $v/runs/{id}/result/{format} "$v/runs/$first/result/json"
cp "$body" "$work/first.json"
"$cyclestack" stat --config boom --set rob.size=64 --argv0 "my hanoi" -e committed@main -g cache -e cycles -e committed \
	-e slots -e 'lost*' --counter-count 4096 --range-count 1024 --every 20000 --max-insns 100G --memory 256M -q \
	--json "$work/own.json" "$program" test >/dev/null
tap_check "it is what the command line has" cmp -s "$work/own.json" "$work/first.json"
# A store of that one result: its values as rows, and the result as it was.
curl -s -m 60 -o "$work/alone.db" "$url$v/runs/$first/result/sqlite"
"$cyclestack" show --json "$work/alone.json" --report /dev/null "$work/alone.db#1"
tap_check "as SQLite it is a store of that result" cmp -s "$work/own.json" "$work/alone.json"
tap_is "and of no other" "$("$cyclestack" results query --store "$work/alone.db" --csv - \
	"SELECT (SELECT count(*) FROM results), count(*) > 10 FROM measured" | tail -n 1)" 1,1
# The events say what the result says.
tap_is "the counts that were watched are those of the result" "$(python3 - "$work" <<'EOP'
import json, re, sys
events = open(sys.argv[1] + "/events").read()
watched = [json.loads(data)["values"][0] for data in re.findall(r"event: interval\ndata: (.*)", events)]
result = json.load(open(sys.argv[1] + "/first.json"))
kept = [one for one in result["counters"] if one["where"] == "main" and one["signal"] == "committed"]
print(len(kept) == 1 and watched == kept[0]["intervals"])
EOP
)" True
ask GET $v/runs/{id}/output "$v/runs/$first/output"
tap_check "what the program printed is there" grep -q '^hanoi test.* ok$' "$body"
ask GET $v/runs/{id}/errors "$v/runs/$first/errors"
tap_is "and its errors" "$status" 200

for _ in 1 2; do
	run_order '{"command":"exec","program":"@hanoi:test"}'
done
run_order '{"command":"run","program":"@hanoi:test",'"$small"'}'
third=$id
wait_for "$id" $over
tap_is "a limit of instructions makes a result partial" "$state" partial
tap_check "and that is said in one sentence" grep -q '"contained":\["The program went on beyond the instructions' <(curl -s "$url$v/runs/$third")
wait_for $((id - 1)) $over
wait_for $((id - 2)) $over
ask GET $v/compare/{format} "$v/compare/text?a=$((id - 2))&b=$((id - 1))"
tap_is "results are compared" "$status $(member error)" "200 "
ask GET $v/compare/{format} "$v/compare/json?a=$first&b=$id"
tap_is "what cannot be compared is said" "$status" 422
# Every command of the description, and no other.
for command in advise model; do
	run_order '{"command":"'$command'","program":"@hanoi:test",'"$small"',"grid":["rob.size=32,64"]}'
	wait_for "$id" $over
	tap_is "$command is ordered, and has its result" "$state" "done"
	ask GET $v/runs/{id}/result/{format} "$v/runs/$id/result/json"
	tap_is "which is of its kind" "$(member schema)" "cyclestack-$command-1"
	ask GET $v/runs/{id}/output "$v/runs/$id/output"
	tap_is "$command prints nothing of the program" "$(wc -c <"$body")" 0
done
tap_is "the machines of its grid are modelled" "$(curl -s "$url$v/runs/$id/result/json" | grep -o '"rob.size": "[0-9]*"' | sort -u | wc -l)" 2
post $v/runs $v/runs '{"command":"none","program":"@hanoi:test"}'
tap_is "what can be ordered is what the description lists" "$(member error)" "command: expected one of $(python3 -c '
import json, sys
print(", ".join(json.load(open(sys.argv[1]))["components"]["schemas"]["order"]["properties"]["command"]["enum"]))' "$root/src/web/openapi.json")"
ask GET $v/results "$v/results?command=advise"
tap_is "the store has advice too" "$(member results.0.command)" advise
ask GET $v/results $v/results
stored=$(member results.0.id)
tap_check "the store has the results" [ -n "$stored" ]
ask GET $v/results/{id}/{format} "$v/results/$stored/text"
tap_is "a result of the store is shown" "$status" 200
ask GET $v/results/{id}/{format} "$v/results/$stored/sqlite"
tap_is "and is had as a store of its own" "$status $(head -c 15 "$body")" "200 SQLite format 3"
ask GET $v/compare/{format} "$v/compare/sqlite?a=$((third - 2))&b=$((third - 1))"
tap_is "so is a comparison" "$status $(head -c 15 "$body")" "200 SQLite format 3"
post $v/query $v/query '{"sql":"SELECT count(*) AS n FROM results"}'
tap_is "the store answers SQL" "$status" 200
post $v/query $v/query '{"sql":"DELETE FROM results"}'
tap_is "but changes nothing" "$status" 422

run_order '{"command":"stat","program":"@objdb:ref","counters":["committed"],"every":20000}'
wait_for "$id" running
for ((i = 0; i < 200; i++)); do
	curl -s -m 20 "$url$v/runs/$id" | grep -q '"received":[1-9]' && break
	sleep 0.1
done
post $v/runs/{id}/counters $v/runs/"$id"/counters '{"counters":["l1d.misses@db_set"],"every":30000}'
tap_is "counters are configured while it runs" "$status $(member accepted)" "200 True"
post $v/runs/{id}/counters $v/runs/"$id"/counters '{"counters":["nothing here"]}'
tap_is "nonsense is refused" "$status" 422
for ((i = 0; i < 100; i++)); do
	timeout 1 curl -s -N "$url$v/runs/$id/events" >"$work/events"
	grep -q 'l1d.misses@db_set' "$work/events" && break
done
tap_check "and the new ones come" grep -q '"every":30000,"counters":\["l1d.misses@db_set"' "$work/events"
ask POST $v/runs/{id}/stop $v/runs/"$id"/stop
tap_is "a run is stopped" "$status" 202
wait_for "$id" $over
# On a host that is so busy that a worker gets no time for seconds, it is killed and there is no result.
for ((i = 0; i < 3; i++)); do
	[ "$state" = stopped ] || break
	run_order '{"command":"stat","program":"@objdb:ref","counters":["committed"]}'
	wait_for "$id" running
	sleep 3
	curl -s -X POST -o "$work/refusal" "$url$v/runs/$id/stop"
	wait_for "$id" $over
done
tap_is "and has a partial result" "$state" partial
ask POST $v/runs/{id}/stop $v/runs/"$id"/stop
tap_is "once" "$status" 409
post $v/runs/{id}/counters $v/runs/"$id"/counters '{"counters":["cycles"]}'
tap_is "a run that is over counts nothing else" "$status" 409
ask DELETE $v/runs/{id} $v/runs/"$id"
tap_is "a run is deleted" "$status" 200
ask GET $v/runs/{id} $v/runs/"$id"
tap_is "and gone" "$status" 404
ask GET $v/runs/{id}/events $v/runs/99/events
tap_is "there is nothing to watch of a run that is not there" "$status" 404
ask POST $v/session $v/session -H 'Content-Type: application/json' -d '{"token":"x"}'
tap_is "without a token everybody is let in" "$status" 200
ask DELETE $v/session $v/session

# Refusals.
refused() {
	local name=$1 wanted=$2
	shift 2
	tap_is "$name" "$(curl -s -m 20 -o "$work/refusal" -w '%{http_code}' "$@")" "$wanted"
}
refused "a foreign Host" 421 -H 'Host: evil.example' "$url$v/runs"
refused "a foreign name that leads here" 421 -H "Host: evil.example:${host##*:}" "$url/"
refused "a foreign Origin" 403 -H 'Origin: http://evil.example' "$url$v/runs"
refused "an Origin that is null" 403 -H 'Origin: null' "$url$v/runs"
refused "https in place of http as Origin" 403 -H "Origin: https://$host" -X POST "$url$v/runs/1/stop"
refused "its own Origin is none" 200 -H "Origin: http://$host" "$url$v/runs"
refused "a request by a page of another site" 403 -H 'Sec-Fetch-Site: cross-site' "$url$v/runs"
refused "a form in place of JSON" 415 -d 'command=run' "$url$v/runs"
refused "text in place of JSON" 415 -H 'Content-Type: text/plain' -d '{}' "$url$v/runs"
refused "JSON that is none" 400 -H 'Content-Type: application/json' -d '{"a":' "$url$v/runs"
refused "a body beyond the limit" 413 -H 'Content-Type: application/json' -d "$(head -c 9000 /dev/zero | tr '\0' ' ')" "$url$v/runs"
refused "a body in pieces beyond the limit" 413 -H 'Content-Type: application/json' -H 'Transfer-Encoding: chunked' \
	-d "$(head -c 9000 /dev/zero | tr '\0' ' ')" "$url$v/runs"
refused "a body where none belongs" 413 -H 'Content-Type: application/json' -d '{}' "$url$v/runs/1/stop"
head -c 5000000 /dev/zero >"$work/large"
refused "an upload beyond the limit" 413 -H 'Content-Type: application/octet-stream' --data-binary @"$work/large" "$url$v/uploads"
refused "an upload in pieces beyond the limit" 413 -H 'Content-Type: application/octet-stream' -H 'Transfer-Encoding: chunked' \
	-T "$work/large" -X POST "$url$v/uploads"
tap_is "of which nothing is left" "$(find "$work/s.db.serve/uploads" -name 'new*')" ""
refused "headers beyond the limit" 431 -H "X-Long: $(head -c 60000 /dev/zero | tr '\0' x)" "$url$v/runs"
refused "an unknown method" 501 -X BREW "$url$v/runs"
refused "a method that the address has not" 405 -X DELETE "$url$v/runs"
for path in /api/v1/../../etc/passwd /files/../../../etc/passwd /files/..%2f..%2fetc%2fpasswd /runs/%2e%2e/1 //etc/passwd \
	/files/page.html%00.js '/api/v1/runs/1/result/..' '/api/v1/runs/1/result/%2e%2e%2forder.json'; do
	code=$(curl -s -m 20 --path-as-is -o "$work/refusal" -w '%{http_code}' "$url$path")
	case $code in 400 | 404) tap_ok "no file by $path" ;; *) tap_not_ok "no file by $path" "$code" ;; esac
done
for order in '{"command":"rm","program":"@hanoi:test"}' '{"command":"exec","program":"/bin/true"}' \
	'{"command":"exec","program":"../../key"}' '{"command":"exec","program":"@../hanoi:test"}' \
	'{"command":"exec","program":"@hanoi:test","machine":"../x"}' '{"command":"exec","program":"@hanoi:test","mount":"/"}' \
	'{"command":"stat","program":"@hanoi:test","groups":["../../x"]}' '{"command":"stat","program":"@hanoi:test"}' \
	'{"command":"exec","program":"@hanoi:test","files":[{"name":"../x","upload":"'"$upload"'"}]}' \
	'{"command":"exec","program":"@hanoi:test","files":[{"name":".x","upload":"'"$upload"'"}]}' \
	'{"command":"exec","program":"@hanoi:test","memory":1000000000000}' '{"command":"exec","program":"@hanoi:test","set":{"--json":"/tmp/x"}}' \
	'{"command":"exec","program":"@hanoi:test","set":{"rob.size":3}}' '[]' '{"command":"exec","program":"@hanoi:test","arguments":["a\u0000b"]}' \
	'{"command":"sweep","program":"@hanoi:test","grid":["--json=/tmp/x"]}'; do
	post $v/runs $v/runs "$order"
	case $status in 400 | 422) tap_ok "no run by $order" ;; *) tap_not_ok "no run by $order" "$status $(cat "$body")" ;; esac
done
headers=$(curl -s -D - -o "$work/page" "$url/")
for header in "Content-Security-Policy: default-src 'none'; script-src 'self'" "X-Content-Type-Options: nosniff" \
	"Referrer-Policy: no-referrer" "frame-ancestors 'none'"; do
	case $headers in *"$header"*) tap_ok "the page has $header" ;; *) tap_not_ok "the page has $header" "$headers" ;; esac
done
tap_is "the page asks nobody else for anything" "$(curl -s "$url/" "$url/files/app.js" "$url/files/lib.js" "$url/files/choose.js" "$url/files/live.js" "$url/files/run.js" "$url/files/app.css" | grep -oE '(https?:)?//[a-z][a-z.]+' |
	grep -v '//www.w' | head -n 3)" ""
tap_check "the page of a result is in a sandbox" grep -qi '^content-security-policy: sandbox' \
	<(curl -s -D - -o /dev/null "$url$v/runs/$first/result/html")
# Who sends slowly is shown out, and others do not wait for it meanwhile.
exec 5<>"/dev/tcp/127.0.0.1/${host##*:}"
printf 'GET / HTTP/1.1\r\nHost: %s\r\n' "$host" >&5
tap_is "others do not wait for one who is slow" "$(curl -s -m 5 -o "$work/refusal" -w '%{http_code}' "$url$v")" 200
begin=$SECONDS
trap '' PIPE
for ((i = 0; i < 30; i++)); do printf 'X: 1\r\n' >&5 2>/dev/null || break; sleep 0.5; done 2>/dev/null
tap_check "who never ends its headers is shown out" [ $((SECONDS - begin)) -lt 14 ]
exec 5>&- 5<&-
trap - PIPE

ask DELETE $v/uploads/{id} $v/uploads/"$upload"
tap_is "an upload is deleted" "$status" 200
ask DELETE $v/uploads/{id} $v/uploads/"$upload"
tap_is "once" "$status" 404

# A server that is killed.
run_order '{"command":"stat","program":"@objdb:ref","counters":["cycles"],"seconds":50}'
long=$id
run_order '{"command":"stat","program":"@chess:ref","counters":["cycles"],"seconds":50}'
run_order '{"command":"exec","program":"@hanoi:test"}'
waiting=$id
wait_for "$long" running
for ((i = 0; i < 5; i++)); do run_order '{"command":"exec","program":"@hanoi:test"}'; done
run_order '{"command":"exec","program":"@hanoi:test"}'
tap_is "so many wait and no more" "$status" 429
stop_server -KILL
sleep 0.5
tap_is "nothing is left of a server that was killed" "$(ps -eo args | grep -c "[s]tore=$work/s.db")" 0
start_server --jobs 2
wait_for "$long" $over
tap_is "what was under way is marked" "$state" interrupted
wait_for "$waiting" $over
tap_is "the queue goes on" "$state" "done"
curl -s "$url$v/runs/$first/result/json" >"$work/again.json"
tap_check "finished results are as they were" cmp -s "$work/first.json" "$work/again.json"
wait_for "$third" $over
tap_is "in their states" "$state" partial
tap_check "two servers do not share a store" grep -q 'another server works' \
	<("$cyclestack" serve --listen 127.0.0.1:0 --store "$work/s.db" 2>&1)
stop_server -TERM

# Beyond this machine, and with a token.
says() {
	local name=$1 wanted=$2
	shift 2
	tap_check "$name" grep -q -- "$wanted" <(timeout 10 "$cyclestack" serve --store "$work/t.db" "$@" 2>&1)
}
says "beyond this machine a token is required" "a token is required" --listen 0.0.0.0:0
head -c 24 /dev/urandom | base64 >"$work/token"
chmod 600 "$work/token"
says "and encryption" "must be encrypted" --listen 0.0.0.0:0 --token "$work/token"
says "a proxy needs a token" "needs --token" --behind-proxy
says "a proxy needs a name" "Give --name" --behind-proxy --token "$work/token"
says "a limit that is not there" "there is no limit" --allow lunch=1
start_server --token "$work/token"
refused "without a token" 401 "$url$v/runs"
refused "with a wrong one" 401 -H "Authorization: Bearer $(tr a-z b-za <"$work/token")" "$url$v/runs"
refused "with the token" 200 -H "Authorization: Bearer $(cat "$work/token")" "$url$v/runs"
refused "a wrong token gets no cookie" 401 -H 'Content-Type: application/json' -d '{"token":"no"}' "$url$v/session"
curl -s -c "$work/jar" -o "$work/refusal" -H 'Content-Type: application/json' -d '{"token":"'"$(cat "$work/token")"'"}' "$url$v/session"
refused "with the cookie" 200 -b "$work/jar" "$url$v/runs"
tap_check "which scripts do not see" grep -q '^#HttpOnly' "$work/jar"
stop_server -TERM
if command -v openssl >/dev/null; then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$work/key.pem" -out "$work/cert.pem" \
		-subj /CN=localhost -days 2 2>/dev/null
	start_server --tls "$work/cert.pem" "$work/key.pem"
	refused "it speaks TLS" 200 -k "$url$v"
	stop_server -TERM
else
	tap_skip "it speaks TLS" "no openssl"
fi

faults=$("$root/tests/web/check_answers.py" "$root/src/web/openapi.json" "$root/src/web/routes.def" "$work/asked")
tap_is "every answer is as the description says, which has every address" "$(grep -v 'answers$' <<<"$faults")" ""
tap_done
