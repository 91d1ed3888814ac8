#!/bin/bash
# The HTML pages: their content, and their behaviour in a browser.
# time-limit: 900
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/tap.sh"
cd "$root" || exit 1
. tests/harness.sh
command -v node >/dev/null || tap_skip_all "no node, which makes the samples"
build_driver tests/page/driver.c
node tests/page/samples.mjs "$work" || {
	tap_not_ok "the samples are made"
	tap_done
}

made=yes
for name in run plain large hostile judge inorder-judge hostile-judge reproduce hostile-reproduce model hostile-model \
	inspect hostile-inspect; do
	kind=run
	case $name in *judge) kind=judge ;; *reproduce) kind=reproduce ;; *model) kind=model ;; *inspect) kind=inspect ;; esac
	if "$work/driver" $kind "$work/$name.json" >"$work/$name.html" 2>"$work/log"; then
		tap_ok "$name: a page is written"
	else
		tap_not_ok "$name: a page is written" "$(cat "$work/log")"
		made=
	fi
	# Another directory, time zone and locale.
	(cd "$work" && LC_ALL=C.UTF-8 TZ=Asia/Tokyo ./driver $kind "$name.json") >"$work/again.html"
	tap_check "$name: the same result gives the same bytes" cmp "$work/$name.html" "$work/again.html"
	tap_is "$name: its only address names the language of drawings" \
		"$(sed '/<script type="application\/json" id="result">/d' "$work/$name.html" |
			grep -oE '[a-z]+://[^"'\'' )<]*' | sort -u)" "http://www.w3.org/2000/svg"
	# Names, result and script; the page of a run has what causes roll up to as well.
	tap_is "$name: so many script elements, and the result cannot end its own" \
		"$(grep -oi '</script' "$work/$name.html" | wc -l)" "$([ $kind = run ] && echo 4 || echo 3)"
done

# A file that was changed without assembling it again would differ here.
tap_is "the pages carry the files of src/report/page as they are" "$(node -e '
	const fs = require("fs"), work = process.argv[1];
	const pages = ["run", "judge", "reproduce"].map((name) => fs.readFileSync(`${work}/${name}.html`, "utf8")).join("");
	console.log(fs.readdirSync("src/report/page").filter((name) => /[.](css|js|svg)$/.test(name))
		.filter((name) => !pages.includes(fs.readFileSync("src/report/page/" + name, "utf8"))).join(" "))' "$work")" ""

# refused NAME KIND SCRIPT PATTERN: the sample, changed so, is refused with one such sentence and no page.
refused() {
	local name=$1 kind=$2 change=$3 wanted=$4 out status
	node -e 'const fs = require("fs"); const r = JSON.parse(fs.readFileSync(process.argv[1]));
		eval(process.argv[2]); fs.writeFileSync(process.argv[3], JSON.stringify(r));' \
		"$work/$kind.json" "$change" "$work/changed.json"
	out=$("$work/driver" "$kind" "$work/changed.json" 2>&1)
	status=$?
	# A sentence has brackets; only with an asterisk is it a pattern.
	# shellcheck disable=SC2053
	if [ "$status $out" = "1 $wanted" ] || [[ $wanted == *'*'* && $status-$out == 1-$wanted ]]; then
		tap_ok "refused: $name"
	else
		tap_not_ok "refused: $name" "$status: $out, not $wanted"
	fi
}
refused "a result without stacks" run 'r.schema = "cyclestack-run-1"' \
	'the schema is "cyclestack-run-1"; only "cyclestack-run-2" says where the cycles went'
refused "no schema" run 'delete r.schema' '"schema" is missing'
refused "a name that is a number" run 'r.program.name = 7' 'program.name is not text'
refused "a value that is a string" run 'r.values.cycles = "many"' 'values.cycles is not a whole number'
refused "no exact stack" run 'delete r.stacks.exact' 'stacks.exact is missing'
refused "no stacks at all" run 'delete r.stacks; delete r.exact' 'stacks is missing'
refused "no cycles" run 'delete r.values.cycles' 'values.cycles is missing'
refused "a function without slots" run 'delete r.exact.functions[3].slots' 'exact.functions[3].slots is missing'
refused "a line that is text" run 'r.exact.functions[1].lines[0] = "x"' 'exact.functions[1].lines[0] is not an object'
refused "no slots in a cycle" run 'r.exact.slots_per_cycle = 0' 'exact.slots_per_cycle is not 1 to 1024'
refused "an interval that is null" run 'r.exact.intervals[2] = null' 'exact.intervals[2] is not an object'
refused "a stage of words" run 'r.stages.issue.base = "x"' 'stages.issue.base is not a whole number'
refused "an unknown component" run 'r.stacks.fmt.components.luck = 1' 'stacks.fmt.components.luck is no component'
refused "an unknown cause" run 'r.exact.causes.luck = 1' 'exact.causes.luck is no cause'
refused "a thread that has more than the run" run 'r.exact.threads.push(r.exact.threads[0])' \
	'exact.threads[1]: with these slots there are more of cause base than the run has'
refused "a judgement without errors" judge 'delete r.programs[1].methods.fmt.max_error' \
	'programs[1].methods.fmt.max_error is missing'
refused "a judgement without truth" judge 'r.programs[0].truth.a = []' 'programs[0].truth.a is not an object'
refused "a run where a judgement is wanted" judge 'r.schema = "cyclestack-run-2"' \
	'schema is "cyclestack-run-2", not "cyclestack-judge-1"'
refused "a reproduction with a short curve" reproduce 'r.plots[1].mean.committed.pop()' \
	'plots[1]: mean.committed is not as long as the other lists'
refused "a reproduction without a verdict" reproduce 'delete r.claims[1].holds' 'claims[1].holds is missing'
refused "a reproduction without its judgement" reproduce 'delete r.judge.summary' 'judge.summary is missing'
refused "a judgement where a reproduction is wanted" reproduce 'r.schema = "cyclestack-judge-1"' \
	'schema is "cyclestack-judge-1", not "cyclestack-reproduce-1"'
refused "an inspection without a verdict" inspect 'delete r.events[2].verdict' 'events[2].verdict is missing'
refused "an inspection whose slopes are words" inspect 'r.events[1].slopes.load = "x"' 'events[1].slopes.load is not a number'
refused "a judgement where an inspection is wanted" inspect 'r.schema = "cyclestack-judge-1"' \
	'schema is "cyclestack-judge-1", not "cyclestack-inspect-1"'
out=$({ "$work/driver" run "$work/run.json" >/dev/full; } 2>&1)
tap_is "a full disk is said" "$? $out" "1 cannot write the page: No space left on device"

# Every component has its colour, fill, swatch and words in every page, from the table of components.
for name in run judge reproduce; do
	tap_is "$name: each component has its rules" "$(sed -n 's/^COMPONENT([A-Z0-9]*, "\([a-z0-9]*\)".*"\(#[0-9a-f]*\)".*/\1 \2/p' \
		src/value/components.def | while read -r component colour; do
		grep -q -- ":root { --$component: $colour; } .$component { fill: .*i.swatch.$component {.*text.on-$component {" \
			"$work/$name.html" || echo "$component"
	done)" ""
done
tap_is "there are components to look for" "$(grep -c '^COMPONENT(' src/value/components.def)" \
	"$(grep -c ':root { --.*i.swatch' "$work/run.html")"

chromium=${CHROMIUM:-$(command -v chromium)}
reason=
if [ -z "$chromium" ]; then
	reason="no chromium"
elif ! tests/page/install "$BUILD/page-tests" >"$work/log" 2>&1; then
	reason=$(tail -n 1 "$work/log")
fi
if [ -n "$reason" ]; then
	tap_skip "the pages in a browser" "$reason"
elif [ "$made" ]; then
	CHROMIUM=$chromium PLAYWRIGHT=$BUILD/page-tests timeout -k 10 600 \
		node tests/page/test_pages.mjs "$work" >"$work/report" 2>"$work/log"
	while IFS= read -r line; do
		case $line in
		"ok "*) tap_ok "${line#ok }" ;;
		"not ok "*) tap_not_ok "${line#not ok }" ;;
		esac
	done <"$work/report"
	tail -n 1 "$work/report" | grep -qx "done" || tap_not_ok "the browser's part runs to its end" "$(cat "$work/log")"
fi
tap_done
