#!/bin/bash
# The page of the server in a browser: from an upload to the comparison, reloaded in the middle, two users at once.
# time-limit: 900
. "$(dirname "$0")/../head.sh"
. "$root/tests/web/server.sh"
. "$root/tests/page/pages.sh"
needs curl python3
needs_workloads
trap 'stop_server -KILL; rm -rf "$work"' EXIT
start_server --jobs 2 --allow memory=512M --allow memory-total=1G
[ -n "$url" ] || { cat "$work/log"; tap_not_ok "the server starts"; tap_done; }
cp "$BUILD/workloads/hanoi" "$work/<b>hanoi"
export SERVE_URL=$url
cd "$root" || exit 1
in_a_browser tests/web/test_page.mjs 600
tap_done
