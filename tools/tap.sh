# shellcheck shell=bash
# Source this from a script that reports in TAP:
#   tap_ok NAME / tap_not_ok NAME [DETAIL] / tap_skip NAME REASON, then tap_done as the last line.
# tap_is NAME GOT WANTED compares; tap_check NAME COMMAND... takes the command's exit status.
# tap_wants_all holds where all is to be tested, as .ci/run does; `make test` takes a part of what is alike, and so does
# every test with NARROW set, as .ci/run sets it where the sanitizers make all of it last too long.

tap_count=0
tap_failures=0

tap_wants_all() {
	[ -z "${NARROW:-}" ] && { [ -n "${CI:-}" ] || [ "${FULL:-0}" = 1 ]; }
}

tap_ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

tap_not_ok() {
	tap_count=$((tap_count + 1))
	tap_failures=$((tap_failures + 1))
	echo "not ok $tap_count - $1"
	if [ -n "${2:-}" ]; then
		printf '%s\n' "$2" | head -n 40 | sed 's/^/#   /'
	fi
}

tap_skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

tap_is() {
	if [ "$2" = "$3" ]; then
		tap_ok "$1"
	else
		tap_not_ok "$1" "got:    $2
wanted: $3"
	fi
}

tap_check() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		tap_ok "$name"
	else
		tap_not_ok "$name" "$output"
	fi
}

tap_skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

tap_done() {
	echo "1..$tap_count"
	[ "$tap_failures" -eq 0 ]
	exit
}
