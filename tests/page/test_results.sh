#!/bin/bash
# The pages of kept results, and of the same results with hostile names: as files, and in a browser.
# time-limit: 900
. "$(dirname "$0")/../head.sh"
cd "$root" || exit 1
. tests/harness.sh
. tests/page/pages.sh
command -v node >/dev/null || tap_skip_all "no node, which makes names hostile"
build_driver tests/page/driver.c

made=yes kinds=0
for result in tests/unit/report/results/*.json; do
	name=$(basename "$result" .json)
	cp "$result" "$work/$name.json"
	page_is_written "$name" "$work/$name.json" || made=
	node tests/page/hostile.mjs "$work/driver" "$result" >"$work/hostile-$name.json" 2>"$work/count"
	[ "$(cat "$work/count")" = 0 ] && continue
	kinds=$((kinds + $(cat "$work/count")))
	page_is_written "hostile-$name" "$work/hostile-$name.json" || made=
done
tap_check "names of many kinds may be any text" [ "$kinds" -ge 60 ]
full_disk_is_said "$work/run.json"

# A file that was changed without assembling it again would differ here.
tap_is "the pages carry the files of src/doc as they are" "$(node -e '
	const fs = require("fs"), work = process.argv[1];
	const pages = ["run", "judge", "reproduce-eyerman2006"].map((name) => fs.readFileSync(`${work}/${name}.html`, "utf8")).join("");
	console.log(fs.readdirSync("src/doc").filter((name) => /[.](css|js|svg)$/.test(name))
		.filter((name) => !pages.includes(fs.readFileSync("src/doc/" + name, "utf8"))).join(" "))' "$work")" ""

# Every component has its colour, fill, swatch and words in every page, from the table of components.
for name in run judge reproduce-eyerman2006; do
	tap_is "$name: each component has its rules" "$(sed -n 's/^COMPONENT([A-Z0-9]*, "\([a-z0-9]*\)".*"\(#[0-9a-f]*\)".*/\1 \2/p' \
		src/value/components.def | while read -r component colour; do
		grep -q -- ":root { --$component: $colour; } .$component { fill: .*i.swatch.$component {.*text.on-$component {" \
			"$work/$name.html" || echo "$component"
	done)" ""
done
tap_is "there are components to look for" "$(grep -c '^COMPONENT(' src/value/components.def)" \
	"$(grep -c ':root { --[a-z0-9]*: .*text.on-' "$work/run.html")"

[ -z "$made" ] || in_a_browser tests/page/test_results.mjs 600
tap_done
