#!/bin/bash
# Documents as pages: a made-up one with every kind of block, in a browser.
# time-limit: 600
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
. tests/harness.sh
. tests/page/pages.sh
build_driver tests/page/document.c

for name in plain hostile large; do
	page_is_written $name $name
	tap_is "$name: nothing has a style of its own" "$(grep -c ' style="' "$work/$name.html")" 0
done
full_disk_is_said plain

# A picture in a file of its own is XML.
if command -v xmllint >/dev/null; then
	for id in stack drawings judged flame pipeline; do
		for name in plain hostile; do
			"$work/driver" $name svg $id >"$work/picture.svg"
			tap_check "$name: the picture of $id is well-formed" xmllint --noout "$work/picture.svg"
		done
	done
else
	tap_skip "pictures are well-formed" "no xmllint"
fi

in_a_browser tests/page/test_document.mjs 400
tap_done
