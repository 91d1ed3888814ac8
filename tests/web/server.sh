# shellcheck shell=bash
# Source this after tests/head.sh: a server to ask, and what was answered.
# shellcheck disable=SC2034,SC2154

# start_server OPTION...: on a free port; sets $url, $host and $server, its process. Its store is $work/s.db. One that ends
# before it serves is said, and another is started: a process of the server before may hold the lock for a moment. A busy
# disk may keep one waiting for long.
start_server() {
	local i attempt
	for attempt in 1 2 3; do
		# That of the server before has an address, too, and is there until the new process empties it.
		rm -f "$work/log"
		"$cyclestack" serve --listen 127.0.0.1:0 --store "$work/s.db" "$@" >"$work/log" 2>&1 &
		server=$!
		for ((i = 0; i < 1800; i++)); do
			grep -qs 'serving at' "$work/log" && break 2
			kill -0 "$server" 2>/dev/null || break
			sleep 0.1
		done
		kill -KILL "$server" 2>/dev/null
		wait "$server" 2>/dev/null
		echo "# attempt $attempt to start a server: $(head -n 3 "$work/log")"
		sleep 1
	done
	url=$(sed -n 's,.*serving at \(.*\)/$,\1,p' "$work/log")
	host=${url#*//}
}

stop_server() {
	[ -n "${server:-}" ] || return 0
	kill "$1" "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
}

# ask METHOD PATH-OF-THE-DESCRIPTION PATH [CURL-OPTION...]: sets $status, and $body, a file.
asked=0
ask() {
	local method=$1 described=$2 path=$3 answer
	shift 3
	asked=$((asked + 1))
	body=$work/body.$asked
	answer=$(curl -s -m 60 -X "$method" -o "$body" -w '%{http_code}\t%{content_type}' "$@" "$url$path")
	[ -e "$body" ] || : >"$body"
	status=${answer%%$'\t'*}
	printf '%s\t%s\t%s\t%s\n' "$method" "$described" "$answer" "$body" >>"$work/asked"
}

post() {
	ask POST "$1" "$2" -H 'Content-Type: application/json' -d "$3"
}

# member NAME [FILE]: a member of the object that was answered; nested ones with dots.
member() {
	python3 -c '
import json, sys
value = json.load(open(sys.argv[2]))
for name in sys.argv[1].split("."):
    value = value[int(name)] if isinstance(value, list) else value.get(name)
print(value if not isinstance(value, (dict, list)) else json.dumps(value))' "$1" "${2:-$body}" 2>/dev/null
}

# run_order JSON: sets $id, the run's number.
run_order() {
	post /api/v1/runs /api/v1/runs "$1"
	id=$(member id)
}

# wait_for ID STATE...: until the run is in one of these states; sets $state.
wait_for() {
	local run=$1 i
	shift
	for ((i = 0; i < 600; i++)); do
		state=$(curl -s -m 20 "$url/api/v1/runs/$run" | sed -n 's/.*"state":"\([a-z]*\)".*/\1/p')
		case " $* " in *" $state "*) return ;; esac
		sleep 0.1
	done
}
over="done partial failed stopped interrupted"
