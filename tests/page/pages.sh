# shellcheck shell=bash
# Source this after tests/head.sh and tests/harness.sh: what the tests of pages share.

# page_is_written NAME OPERAND: the driver makes $work/NAME.html, which holds what every page does. False if there
# is none.
page_is_written() {
	local name=$1 operand=$2 status=0
	"$work/driver" "$operand" >"$work/$name.html" 2>"$work/log" || status=1
	tap_is "$name: a page is written" "$status $(cat "$work/log")" "0 "
	# Another directory, time zone and locale.
	(cd "$work" && LC_ALL=C.UTF-8 TZ=Asia/Tokyo ./driver "${operand##*/}") >"$work/again.html"
	tap_check "$name: the same content gives the same bytes" cmp "$work/$name.html" "$work/again.html"
	tap_is "$name: its only address names the language of drawings" \
		"$(grep -oE '[a-z]+://[^"'\'' )<]*' "$work/$name.html" | sort -u)" "http://www.w3.org/2000/svg"
	tap_is "$name: there is one script, and no name begins another" \
		"$(grep -oi '<script' "$work/$name.html" | wc -l) $(grep -oi '</script' "$work/$name.html" | wc -l)" "1 1"
	return $status
}

# full_disk_is_said OPERAND
full_disk_is_said() {
	local out
	out=$({ "$work/driver" "$1" >/dev/full; } 2>&1)
	tap_is "a full disk is said" "$? $out" "1 cannot write the page: No space left on device"
}

# in_a_browser SCRIPT SECONDS: the lines that the script prints of the pages in $work.
in_a_browser() {
	local chromium=${CHROMIUM:-$(command -v chromium)} line
	if [ -z "$chromium" ]; then
		tap_skip "the pages in a browser" "no chromium"
		return
	elif ! command -v node >/dev/null; then
		tap_skip "the pages in a browser" "no node"
		return
	elif ! tests/page/install "$BUILD/page-tests" >"$work/log" 2>&1; then
		tap_skip "the pages in a browser" "$(tail -n 1 "$work/log")"
		return
	fi
	CHROMIUM=$chromium PLAYWRIGHT=$BUILD/page-tests timeout -k 10 "$2" node "$1" "$work" >"$work/report" 2>"$work/log"
	while IFS= read -r line; do
		case $line in
		"ok "*) tap_ok "${line#ok }" ;;
		"not ok "*) tap_not_ok "${line#not ok }" ;;
		esac
	done <"$work/report"
	tail -n 1 "$work/report" | grep -qx "done" || tap_not_ok "the browser's part runs to its end" "$(cat "$work/log")"
}
