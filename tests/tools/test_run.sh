#!/bin/bash
# tests/run notices every way in which a test can fail, and counts what passes and what is skipped.
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
mkdir -p "$work/tests/some" "$work/tools"
cp "$root/tests/run" "$work/tests/run"

# counts NAME LAST-LINE STATUS BODY...: a project whose only test has that body.
counts() {
	local name=$1 line=$2 status=$3 got got_status
	shift 3
	printf '%s\n' '#!/bin/bash' "$@" >"$work/tests/some/test_it.sh"
	got=$("$work/tests/run" 2>&1)
	got_status=$?
	tap_is "$name" "$(tail -n 1 <<<"$got"), status $got_status" "$line, status $status"
}

counts "points that pass" "2 passed, 0 failed" 0 'echo 1..2' 'echo ok 1 - a' 'echo ok 2 - b'
counts "a plan may come last" "1 passed, 0 failed" 0 'echo ok 1' 'echo 1..1'
counts "a point that fails" "1 passed, 1 failed" 1 'echo 1..2' 'echo ok 1' 'echo not ok 2 - b'
counts "a failed point counts whatever the status" "0 passed, 1 failed" 1 'echo 1..1' 'echo not ok 1' 'exit 0'
counts "a status of failure counts whatever the points" "1 passed, 1 failed" 1 'echo 1..1' 'echo ok 1' 'exit 3'
counts "death by signal" "1 passed, 1 failed" 1 'echo 1..1' 'echo ok 1' 'kill -SEGV $$'
counts "silence" "0 passed, 1 failed" 1 'true'
counts "no plan" "1 passed, 1 failed" 1 'echo ok 1'
counts "fewer points than planned" "1 passed, 1 failed" 1 'echo 1..2' 'echo ok 1'
counts "more points than planned" "2 passed, 1 failed" 1 'echo 1..1' 'echo ok 1' 'echo ok 2'
counts "bailing out" "1 passed, 1 failed" 1 'echo 1..1' 'echo ok 1' 'echo "Bail out!"'
counts "a time limit of its own" "0 passed, 1 failed" 1 '# time-limit: 1' 'echo 1..1' 'sleep 20' 'echo ok 1'
counts "a skipped point" "1 passed, 0 failed, 1 skipped" 0 'echo 1..2' 'echo ok 1' 'echo "ok 2 - b # SKIP why"'
counts "only skips do not pass" "0 passed, 0 failed, 1 skipped" 1 'echo "1..0 # SKIP why"'
counts "cmocka's groups each with a plan" "2 passed, 0 failed" 0 'echo 1..1' 'echo ok 1' 'echo 1..1' 'echo ok 1'
counts "an empty standard input" "1 passed, 0 failed" 0 'echo 1..1' 'read -r x || echo ok 1'
counts "the program's path" "1 passed, 0 failed" 0 'echo 1..1' \
	'[ "$CYCLESTACK" = "$BUILD/cyclestack" ] && [ "${BUILD:0:1}" = / ] && echo ok 1'

mkdir -p "$work/tests/unit/base"
echo 'int main(void) { return 0; }' >"$work/tests/unit/base/test_unbuilt.c"
counts "a unit test that was not built" "1 passed, 1 failed" 1 'echo 1..1' 'echo ok 1'
tap_is "a word picks tests" "$("$work/tests/run" some/test_it | tail -n 1)" "1 passed, 0 failed"
tap_is "a word that picks none is a failure" "$("$work/tests/run" nowhere | tail -n 1)" "0 passed, 1 failed"
tap_done
