#!/bin/bash
# The page of the server in a browser: from an upload to the comparison, reloaded in the middle, two users at once, the
# server restarted in the middle.
# time-limit: 900
. "$(dirname "$0")/../head.sh"
. "$root/tests/web/server.sh"
. "$root/tests/page/pages.sh"
needs curl python3
needs_workloads
trap 'stop_server -KILL; [ ! -s "$work/second" ] || kill -KILL "$(cat "$work/second")" 2>/dev/null; rm -rf "$work"' EXIT
start_server --jobs 2 --allow memory=512M --allow memory-total=1G
[ -n "$url" ] || { cat "$work/log"; tap_not_ok "the server starts"; tap_done; }
cp "$BUILD/workloads/hanoi" "$work/<b>hanoi"
export SERVE_URL=$url SERVE_PID=$server CYCLESTACK=$cyclestack
cd "$root" || exit 1
in_a_browser tests/web/test_page.mjs 600
[ ! -e "$work/downloaded.db" ] ||
	tap_check "what was downloaded is a store of one result" test "$("$cyclestack" results list --store "$work/downloaded.db" --csv - | wc -l)" = 2
tap_done
