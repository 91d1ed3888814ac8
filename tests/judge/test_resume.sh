#!/bin/bash
# long
# time-limit: 1200
# `judge` and `reproduce` go on after an interruption: whatever moment they are killed at, the same
# command given again ends with the same bytes, and simulates only what was not done.
. "$(dirname "$0")/../head.sh"
needs_workloads
export XDG_CACHE_HOME=$work/cache
judge=("$cyclestack" judge --jobs 2 --max-insns 300k @hanoi:test @parser:test)
needs sqlite3
# entries DIRECTORY: how many simulations are kept there.
entries() {
	local file
	file=$(find "$1" -name kept.db 2>/dev/null | head -n 1)
	if [ -n "$file" ]; then sqlite3 -cmd '.timeout 10000' "$file" 'SELECT count(*) FROM results WHERE is_step'; else echo 0; fi
}

"${judge[@]}" --json whole.json >whole.txt 2>whole.err
tap_is "a command that ends leaves nothing behind" "$? $(entries cache) $(cat whole.err)" "0 0 "

# kill_after SECONDS SIGNAL OPTION...: how many simulations are kept afterwards.
kill_after() {
	local seconds=$1 signal=$2
	shift 2
	"${judge[@]}" "$@" --json cut.json >cut.txt 2>cut.err &
	local pid=$!
	sleep "$seconds"
	kill -s "$signal" "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
}

for signal in INT KILL; do
	kept=0
	for delay in 0.05 0.4 0.9 1.4 0.3; do
		kill_after "$delay" "$signal"
		now=$(entries cache)
		[ "$now" -ge "$kept" ] || [ "$now" -eq 0 ] || tap_not_ok "SIG$signal after $delay s: nothing is lost" "$kept, then $now"
		kept=$now
	done
	"${judge[@]}" --json again.json >again.txt 2>again.err
	tap_is "killed five times by SIG$signal, then whole: status" "$?" 0
	tap_check "SIG$signal: the same result" cmp whole.json again.json
	tap_check "SIG$signal: the same text" cmp whole.txt again.txt
	tap_is "SIG$signal: nothing is left" "$(entries cache)" 0
done
# Later and later, for slow builds.
for delay in 0.6 0.6 1 2 4 8 16 32; do
	kill_after "$delay" INT
	[ "$(entries cache)" -eq 0 ] || break
done
tap_is "what is kept is said" "$(grep -c '^cyclestack: [0-9]* finished simulations\{0,1\} \(is\|are\) kept: the same command goes on from there$' cut.err)" 1
"$cyclestack" judge --jobs 2 --max-insns 300001 --json other.json @hanoi:test @parser:test >other.txt 2>&1
tap_check "another limit does not take them" grep -q '"instructions": 300001' other.json
rm -rf cache

# --keep: entries stay, and are taken instead of simulating.
"${judge[@]}" --keep kept --json first.json >first.txt 2>first.err
count=$(entries kept)
tap_is "--keep: the same result" "$(cmp whole.json first.json) $((count > 20))" " 1"
begun=$(date +%s%N)
"${judge[@]}" --keep kept --json second.json >second.txt 2>second.err
spent=$((($(date +%s%N) - begun) / 1000000))
tap_is "--keep: the second time it is taken from there" "$(cmp whole.json second.json) $(entries kept)" " $count"
tap_check "--keep: within a second" test "$spent" -lt 1000

# All orders go on from what orders A and B needed, and simulate only the other machines.
cp -r kept more
"${judge[@]}" --orders all --keep more --json orders.json >orders.txt 2>orders.err
tap_is "--orders all: takes what two orders needed, and adds the rest" "$? $(entries more)" \
	"0 $(sed -n 's/.*: \([0-9]*\) simulations$/\1/p' orders.err)"
tap_check "--orders all: a and b are the same" perl -MJSON::PP -e 'local $/;
	my ($two, $all) = map { open F, "<", $_; decode_json(<F>)->{programs} } "whole.json", "orders.json";
	for my $i (0 .. $#$two) { for my $o (qw(a b)) { for (keys %{$two->[$i]{truth}{$o}}) {
		exit 1 if $two->[$i]{truth}{$o}{$_} != $all->[$i]{truth}{$o}{$_} } } } exit !@$two'

# Damaged and hostile entries: one sentence each, and the simulation is made anew.
db=kept/kept.db
sqlite3 "$db" "
	UPDATE contents SET content = substr(content, 1, 100) WHERE result = 1;
	UPDATE contents SET content = NULL WHERE result = 2;
	UPDATE results SET sha256 = '00' WHERE id = 3;
	UPDATE keys SET result = 4 WHERE result = (SELECT max(result) FROM keys);
	UPDATE results SET bytes = 1 << 50 WHERE id = 5;
	DELETE FROM contents WHERE result = 6"
# forge ID SED: gives a changed result the right checksum.
forge() {
	local hash
	"$cyclestack" show --json forged.json "$db#$1" >/dev/null
	sed -i "$2" forged.json
	hash=$(sha256sum forged.json | cut -d ' ' -f 1)
	sqlite3 "$db" "UPDATE contents SET encoding = 'json', content = readfile('forged.json') WHERE result = $1;
		UPDATE results SET sha256 = '$hash', bytes = $(stat -c %s forged.json) WHERE id = $1"
}
forge 7 's/"sha256": "..../"sha256": "0000/'
forge 8 's/.*/[[[[[[/'
timeout 120 "${judge[@]}" --keep kept --json hostile.json >hostile.txt 2>hostile.err
tap_is "damaged entries: status" "$?" 0
tap_check "damaged entries: the same result" cmp whole.json hostile.json
for i in 1 2 3 5 6 7 8; do
	tap_is "damaged entry $i is told once" "$(grep -c "^cyclestack: the kept simulation $i of kept/kept.db is ignored: .*; it is made anew$" hostile.err)" 1
done
tap_is "a key that was given to another result is told" "$(grep -c 'the kept simulation 4 of .*: it is the result of another program or machine' hostile.err)" 1

echo file >plain
"$cyclestack" judge --keep plain/none @hanoi:test >no.out 2>no.err
tap_is "--keep that cannot be" "$? $(cat no.err)" "125 cyclestack: cannot keep simulations in plain/none: Not a directory"
echo >file
"$cyclestack" judge --keep file @hanoi:test >no.out 2>no.err
tap_is "--keep of a file" "$? $(cat no.err)" "125 cyclestack: cannot keep simulations in file/kept.db: file: Not a directory"
mkdir -p cache/cyclestack && touch -d '40 days ago' "cache/cyclestack/$(printf %064d 0).kept" cache/cyclestack/mine
"$cyclestack" judge --max-insns 10k @hanoi:test >/dev/null 2>&1
tap_is "files that an earlier version kept go, others stay" "$(ls cache/cyclestack | tr '\n' ' ')" "kept.db mine "
env -u HOME -u XDG_CACHE_HOME "${judge[@]}" --json homeless.json >/dev/null 2>homeless.err
tap_is "without a place nothing is kept and nothing said" "$? $(cmp whole.json homeless.json) $(cat homeless.err)" "0  "

# A program that reads files of the host is not kept: they are not part of an entry's name.
mkdir data
"$cyclestack" judge --max-insns 10k --mount /d=data --keep mounted @hanoi:test >/dev/null 2>mounted.err
tap_is "a program with --mount is simulated anew" "$? $(entries mounted)" "0 0"

# reproduce goes through the same shelf.
"$cyclestack" reproduce eyerman2006 --size test --jobs 2 --keep paper >cut.txt 2>cut.err &
pid=$!
for _ in $(seq 120); do
	sleep 1
	[ "$(entries paper)" -gt 0 ] && break
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
tap_is "reproduce: finished simulations are there" "$(($(entries paper) > 0))" 1
tap_done
