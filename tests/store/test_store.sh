#!/bin/bash
# The store of results through the program: what commands put there, what `results`, `show` and `diff` make of it,
# equal runs that are not run again, and files that are not to be trusted.
. "$(dirname "$0")/../head.sh"
needs sqlite3
needs_workloads
export XDG_CACHE_HOME=$work/cache
unset CYCLESTACK_STORE
small=(--max-insns 20k)
query() { "$cyclestack" results query --store "${store:-r.db}" --csv - "$1" 2>&1 | tail -n +2; }
quiet() { "$cyclestack" "$@" >out.txt 2>err.txt </dev/null; }

quiet run --store r.db --tag first "${small[@]}" --json run.json @chess:test
tap_is "a run that reached a limit is stored" "$? $(query 'SELECT id, command, is_partial FROM results')" "124 1,run,1"
quiet exec --store r.db @hanoi:test
CYCLESTACK_STORE=r.db quiet judge --quick "${small[@]}" @hanoi:test
tap_is "the environment names a store, too" "$? $(query 'SELECT group_concat(command) FROM results')" "0 \"run,exec,judge\""
quiet sweep --store r.db "${small[@]}" --grid l1d.size_bytes=8k,16k @hanoi:test
quiet stat --store r.db "${small[@]}" -e 'l1d.misses@main' @chess:test
quiet diff --store r.db run.json r.db#1
tap_is "so are a sweep, counters and a comparison" "$(query 'SELECT group_concat(command) FROM results')" '"run,exec,judge,sweep,stat,diff"'
CYCLESTACK_STORE=r.db quiet diff @1 run.json
CYCLESTACK_STORE=r.db quiet show @1
CYCLESTACK_STORE=r.db quiet workloads
tap_is "what only reads adds nothing" "$(query 'SELECT count(*) FROM results')" 6
quiet run --store r.db "${small[@]}" @chess:test
tap_is "an equal result is there once" "$(query 'SELECT count(*) FROM results')" 6

"$cyclestack" show --store r.db @1 --json back.json >/dev/null
tap_check "a result comes back byte by byte" cmp run.json back.json
quiet show --html a.html r.db#1 && quiet show --html b.html run.json
tap_check "and has the same page" cmp a.html b.html
tap_is "its values are those of its JSON" "$(query "SELECT value FROM measured WHERE result = 1 AND name = 'cycles' AND member = 'values'")" \
	"$(sed -n 's/^    "cycles": \([0-9]*\),$/\1/p' run.json | head -n 1)"
tap_is "mpki is misses for a thousand instructions" \
	"$(query "SELECT printf('%.6f', mpki) FROM mpki WHERE result = 1 AND structure = 'l1d'")" \
	"$(awk '/"instructions":/ && !i { i = $2 + 0 } /"l1d.misses":/ && !m { m = $2 + 0 } END { printf "%.6f", 1000 * m / i }' run.json)"
tap_is "each run of a sweep has all its parameters" \
	"$(query "SELECT DISTINCT value FROM settings WHERE command = 'sweep' AND parameter = 'l1d.size_bytes' ORDER BY 1" | tr '\n' ' ')" "8192 16384 32768 "
tap_check "errors are there by method and machine" test "$(query "SELECT count(*) FROM errors WHERE method = 'fmt' AND machine = 'midcore'")" = 1
tap_is "another reader sees the same" "$(sqlite3 r.db "SELECT count(*) FROM measured WHERE result = 1")" "$(query 'SELECT count(*) FROM measured WHERE result = 1')"

quiet stat --json s1.json "${small[@]}" -e 'l1d.misses@main' -e loads @chess:test
quiet stat --json s2.json "${small[@]}" -e 'l1d.misses@main' -e loads --set l1d.size_bytes=4k @chess:test
"$cyclestack" diff s1.json s2.json --json d.json >/dev/null
tap_is "counters are compared by their totals" "$(perl -MJSON::PP -e 'local $/; sub r { open my $f, "<", $_[0]; decode_json(<$f>) }
	my ($d, $a, $b) = map { r($_) } "d.json", "s1.json", "s2.json";
	my ($row) = grep { $_->{name} eq "l1d.misses\@main" } @{$d->{values}};
	print $row->{a} == $a->{counters}[0]{total} && $row->{b} == $b->{counters}[0]{total} && $row->{a} != $row->{b} ? "yes" : "no",
		scalar grep { $_->{name} eq "loads" } @{$d->{values}}')" yes0

list() { "$cyclestack" results list --store r.db --csv - "$@" 2>&1 | tail -n +2 | cut -d , -f 1 | tr '\n' ' '; }
tap_is "filters: program" "$(list --program chess)" "1 5 6 "
tap_is "filters: command and pattern" "$(list --command run --machine 'mid*')" "1 "
tap_is "filters: tag" "$(list --tag first)/$(list --not-tag first --command run)" "1 /"
tap_is "the latest" "$(list --limit 2)" "5 6 "
"$cyclestack" results tag --store r.db good 2 @3 && "$cyclestack" results untag --store r.db first 1
tap_is "tags come and go" "$(list --tag good)$(list --tag first)" "2 3 "
"$cyclestack" results tag --store r.db 'a b' 2 2>err.txt
tap_is "what cannot be a tag" "$?" 2
"$cyclestack" results export --store r.db dir --program chess --command run 2>/dev/null
tap_check "export writes what --json wrote" cmp run.json dir/1.json
tap_is "add takes it into another store" "$("$cyclestack" results add --store other.db dir/1.json)" 1
echo '{"schema": "cyclestack-advise-9", "x": 1}' | "$cyclestack" results add --store other.db - >/dev/null
tap_is "a result of a later version is kept" "$(store=other.db query 'SELECT command FROM results WHERE id = 2')" advise
echo '{}' | "$cyclestack" results add --store other.db - 2>err.txt
tap_is "what is none is refused" "$? $(cat err.txt)" '125 cyclestack: -: it is no result: "schema" is missing'

"$cyclestack" results prune --store r.db 2>err.txt
tap_is "prune needs to be told what" "$?" 2
tap_is "a dry run removes nothing" "$("$cyclestack" results prune --store r.db --tag good --dry-run --csv - | wc -l) $(query 'SELECT count(*) FROM results')" "3 6"
"$cyclestack" results prune --store r.db --tag good >/dev/null
tap_is "prune by tag" "$(list)" "1 4 5 6 "
"$cyclestack" results prune --store r.db --older-than 1 >/dev/null
sqlite3 r.db 'UPDATE results SET received = received - 3 * 86400 WHERE id = 4'
"$cyclestack" results prune --store r.db --older-than 2 >/dev/null
tap_is "prune by age" "$(list)" "1 5 6 "
"$cyclestack" results prune --store r.db --to-size "$(query 'SELECT bytes FROM results WHERE id = 6')" >/dev/null
tap_is "prune by size keeps the latest" "$(list)" "6 "

# Equal runs.
quiet run --store r.db --reuse "${small[@]}" --json one.json @hanoi:test
quiet run --store r.db --reuse "${small[@]}" --json two.json @hanoi:test
tap_is "an equal run is not run again" "$? $(cmp one.json two.json) $(grep -c 'nothing is run' err.txt)" "124  1"
quiet run --store r.db --reuse --max-insns 20001 @hanoi:test
tap_is "another limit is another run" "$(grep -c 'nothing is run' err.txt)" 0
quiet run --store r.db --reuse "${small[@]}" --set rob.size=64 @hanoi:test
tap_is "so is another machine" "$(grep -c 'nothing is run' err.txt)" 0
echo hello >input
quiet run --store r.db --reuse "${small[@]}" --stdin input @hanoi:test
tap_is "so is another input" "$(grep -c 'nothing is run' err.txt)" 0
quiet run --store r.db --reuse "${small[@]}" --stdin input @hanoi:test
tap_is "which is known by its bytes" "$(grep -c 'nothing is run' err.txt)" 1
echo x | "$cyclestack" run --store r.db --reuse -q "${small[@]}" @hanoi:test >/dev/null 2>err.txt
tap_is "a pipe is not known" "$(grep -c 'cannot be known beforehand' err.txt)" 1
quiet run --store r.db --timeout 0.001 @hanoi:small
quiet run --store r.db --reuse --max-insns 1M @hanoi:small
tap_is "what time ended is no equal run" "$(grep -c 'nothing is run' err.txt)" 0
quiet stat --store r.db --reuse "${small[@]}" -e loads @hanoi:test; quiet stat --store r.db --reuse "${small[@]}" -e loads @hanoi:test
tap_is "counters, too" "$(grep -c 'nothing is run' err.txt)" 1
quiet run --store r.db --reuse "${small[@]}" --record-cycles c @hanoi:test
tap_is "what only a run writes is refused" "$? $(cut -c 1-39 err.txt)" "2 cyclestack: --record-cycles needs a run"
sweep=(sweep --store r.db --reuse "${small[@]}" --grid rob.size=16,32 @hanoi:test)
quiet "${sweep[@]}" --json s1.json
steps=$(query 'SELECT count(*) FROM results WHERE is_step')
quiet "${sweep[@]}" --json s2.json
tap_is "the parts of a sweep are taken from the store" "$(cmp s1.json s2.json) $steps $(query 'SELECT count(*) FROM results WHERE is_step')" " 3 3"

# Files that are not to be trusted, or not to be had.
chmod g+w r.db
quiet run --store r.db --reuse "${small[@]}" @hanoi:test
tap_is "a store that others can write to gives no result" "$? $(cat err.txt)" \
	"125 cyclestack: --reuse takes no result from r.db: another user owns r.db or can write to it (chmod go-w r.db)"
chmod g-w r.db
cp r.db evil.db && sqlite3 evil.db "CREATE TRIGGER t AFTER INSERT ON results BEGIN DELETE FROM results; END"
quiet run --store evil.db "${small[@]}" @hanoi:test
tap_is "triggers of others are refused before anything runs" "$? $(wc -l <err.txt)" "125 1"
cp r.db view.db && sqlite3 view.db "DROP VIEW mpki; CREATE VIEW mpki AS SELECT load_extension('x')"
"$cyclestack" results query --store view.db 'SELECT * FROM mpki' >/dev/null 2>err.txt
tap_is "and views" "$? $(cat err.txt)" "125 cyclestack: view.db has tables, views or triggers that cyclestack does not write, or lacks some: it is not used"
for i in 1 2 3 4 5 6; do
	cp r.db torn.db
	perl -e 'open F, "+<", "torn.db"; srand $ARGV[0]; for (1 .. 400) { seek F, 4096 + int rand(-s F) - 4096, 0; print F chr int rand 256 }' "$i"
	for command in "results list" "results query --csv - SELECT+*+FROM+measured" "show @6" "results export torn"; do
		read -ra words <<<"$command"
		timeout 20 "$cyclestack" "${words[@]//+/ }" --store torn.db >/dev/null 2>err.txt
		status=$?
		[ "$status" -lt 126 ] || tap_not_ok "a damaged store" "$command: $status"
	done
done
tap_ok "damaged stores cost nobody anything"
(
	ulimit -f 200
	quiet run --store full.db "${small[@]}" @hanoi:test
	quiet run --store full.db "${small[@]}" --counters all --intervals 10 --calls --report report.txt @chess:test
	echo "$? $(grep -c '^cyclestack: the result is not stored: the database: cannot write: ' err.txt)" >full.txt
)
tap_is "a disk that is full is one sentence" "$(cat full.txt)" "125 1"
tap_check "and the result is shown all the same" test -s report.txt
tap_is "what was there is there" "$(sqlite3 full.db 'PRAGMA integrity_check; SELECT count(*) FROM results' | tr '\n' ' ')" "ok 1 "
mkdir locked && cp r.db locked/ && chmod a-w locked locked/r.db
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$work"
	as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	"${as_nobody[@]}" "$cyclestack" run --store locked/r.db "${small[@]}" @hanoi:test >/dev/null 2>err.txt </dev/null
	tap_is "a store that may not be written is one sentence, before anything runs" "$? $(wc -l <err.txt)" "125 1"
	tap_check "and is read" "${as_nobody[@]}" "$cyclestack" show locked/r.db#6 --report /dev/null
else
	tap_skip "a store that may not be written" "only root can become somebody who may not write"
fi
for store in . /dev/null fifo none/r.db; do
	[ "$store" = fifo ] && mkfifo fifo
	timeout 10 "$cyclestack" run --store "$store" "${small[@]}" @hanoi:test >/dev/null 2>err.txt </dev/null
	tap_is "$store is no store" "$? $(wc -l <err.txt)" "125 1"
done
"$cyclestack" show @1 2>err.txt
tap_is "a name without a store" "$? $(cat err.txt)" "2 cyclestack: which store? Give --store FILE, or set CYCLESTACK_STORE (see: cyclestack show --help)"
"$cyclestack" show r.db#999 2>err.txt
tap_is "a number that is not there" "$? $(cat err.txt)" "125 cyclestack: r.db: there is no result 999"

# What earlier versions wrote: collect of 0.1.0, whose runs have no names, and of 0.3.0; and version 3 of the schema, with
# results, whose values the views have as they had them then.
declare -A results=([runs.db]=0 [runs-2.db]=0 [runs-3.db]=2)
for kept in runs.db runs-2.db runs-3.db; do
	cp "$root/tests/kept/$kept" old.db
	before=$(sha256sum old.db)
	id=$("$cyclestack" results list --store old.db --csv - | tail -n 1 | cut -d , -f 1)
	tap_is "$kept is read as it is" "$("$cyclestack" show "old.db#$id" --csv - | grep -c total) $(sha256sum old.db)" "2 $before"
	"$cyclestack" diff "old.db#$id" "old.db#$id" >diff.txt 2>err.txt
	tap_is "$kept: its runs can be compared" "$? $(cat err.txt)" "0 "
	quiet run --store old.db "${small[@]}" @hanoi:test
	tap_is "$kept: it takes results" "$(store=old.db query 'SELECT (SELECT count(*) FROM collected), (SELECT count(*) FROM results)')" "2,$((results[$kept] + 1))"
	rm -f old.db*
done
answers() {
	local sql
	for sql in "SELECT result, command, program, arguments, machine, is_partial FROM cases WHERE result < 3 ORDER BY result" \
		"SELECT result, structure, misses, instructions, printf('%.6f', mpki) FROM mpki WHERE result < 3 ORDER BY result, structure" \
		"SELECT result, method, component, printf('%.6f', cycles) FROM stacks WHERE result < 3 ORDER BY result, method, component" \
		"SELECT result, count(*), printf('%.6f', total(value)) FROM measured WHERE result < 3 GROUP BY result" \
		"SELECT count(*), count(DISTINCT value) FROM settings WHERE result < 3" \
		"SELECT epoch, counter, total, is_whole FROM collected ORDER BY counter" \
		"SELECT result, tag FROM tags ORDER BY result"; do
		query "$sql"
	done
}
cp "$root/tests/kept/runs-3.db" old.db
tap_is "its views say what they said" "$(store=old.db answers)" "$(cat "$root/tests/kept/runs-3.txt")"
quiet run --store old.db "${small[@]}" @hanoi:test
tap_is "also when something was added" "$(store=old.db answers)" "$(cat "$root/tests/kept/runs-3.txt")"
tap_is "its results are found by their bytes" "$("$cyclestack" show --json - old.db#1 | sha256sum | cut -d' ' -f1)" \
	"$(sqlite3 old.db 'SELECT sha256 FROM results WHERE id = 1')"
tap_done
