#!/bin/bash
# time-limit: 600
# `stat` as users of perf know it: rows for programs (-x), rows of intervals (-I), several runs (-r); the curves' legend.
#
# CYCLESTACK  the tool  (build/cyclestack)
. "$(dirname "$0")/../head.sh"
needs "$cross" python3

# Prints, so that what it prints could be mixed with rows; asks for random numbers if it has an argument.
cat >small.c <<'END'
#include <stdio.h>
#include <sys/random.h>

__attribute__((noinline)) long twice(long x)
{
	__asm__ volatile("nop\n\tnop");
	return x;
}

int main(int argc, char **argv)
{
	unsigned char random = 0;
	long sum = 0;

	(void)argv;
	puts("1,,instructions,from the program");
	if (argc > 1)
		getrandom(&random, 1, 0);
	for (long i = 0; i < 3000 + 10 * random; i++)
		sum += twice(i);
	return argc > 2 ? 3 : 0;
}
END
riscv64-linux-gnu-gcc -O1 -g -static -o small small.c || tap_skip_all "the cross compiler does not work"

# The rows by an independent reader, beside the JSON of the same run.
"$cyclestack" stat -x, -e committed@twice -e instructions -e branch-misses --derive 'ipc = committed / cycles' --json x.json ./small >x.rows 2>x.err
tap_is "the program's status" $? 0
tap_is "rows have perf's fields, and the result's numbers" "$(python3 - <<'END'
import json
result = json.load(open("x.json"))
counters = {c["signal"] + "@" * bool(c["where"]) + c["where"]: c for c in result["counters"]}
derived = {d["name"] + "@" * bool(d["where"]) + d["where"]: d["value"] for d in result["derived"]}
cycles = result["values"]["cycles"]
rows = [line.rstrip("\n").split(",") for line in open("x.rows")]
print([len(row) for row in rows] == [7] * len(rows))
by_name = {row[2] or row[6]: row for row in rows}
print(sorted(by_name))
print(by_name["committed@twice"] == ["9000", "instructions", "committed@twice", str(cycles), "100.00", "", ""])
ipc = "%.2f" % (result["values"]["instructions"] / cycles)
print(by_name["instructions"] == [str(counters["committed"]["total"]), "", "instructions", str(cycles), "100.00", ipc, "insn per cycle"])
print(by_name["branch-misses"][0] == str(counters["branches.mispredicted"]["total"]))
print(by_name["ipc"] == ["", "", "", "", "", "%.4f" % derived["ipc"], "ipc"], by_name["ipc@twice"][5] == "%.4f" % derived["ipc@twice"])
END
)" "True
['branch-misses', 'committed@twice', 'cycles', 'cycles@twice', 'instructions', 'ipc', 'ipc@twice']
True
True
True
True True"
tap_is "what the program prints is not among them" "$(grep -c 'from the program' x.rows) $(grep -c 'from the program' x.err)" "0 1"
"$cyclestack" stat -x ' | ' -e cycles --stdout out.txt -o rows.txt ./small >nothing 2>&1
tap_is "any separator, and into a file" "$(sed 's/[0-9]\{4,\}/N/g' rows.txt) $(cat nothing)" "N | cycles | cycles | N | 100.00 |  |  "
tap_is "the program's output has its file" "$(cat out.txt)" "1,,instructions,from the program"
"$cyclestack" stat -x, -q -e cycles ./small >quiet.txt 2>/dev/null
tap_is "-q prints none" "$(cat quiet.txt)" "1,,instructions,from the program"
tap_is "a counter at its end is a lower bound" "$("$cyclestack" stat -x, --width 4 -e committed@twice ./small 2>/dev/null | cut -d, -f1,6,7)" "15,,lower bound"
tap_is "a separator that is in a name is warned of" "$("$cyclestack" stat -x i -e committed@twice ./small 2>&1 >/dev/null | grep -c 'the separator occurs')" 1

# Intervals: the rows of -I are the intervals that --every has, at their ends.
"$cyclestack" stat -I 0.005 -x, -e committed@twice -e cycles --csv i.csv ./small >i.rows 2>/dev/null
"$cyclestack" stat --every 5000 -e committed@twice -e cycles --json e.json -q ./small >/dev/null 2>&1
tap_is "-I 0.005 has the rows of --every 5000, with the time in seconds" "$(python3 - <<'END'
import json
result = json.load(open("e.json"))
wanted = []
for i, interval in enumerate(result["intervals"]):
    if interval["cycles"]:
        end = (interval["start"] + interval["cycles"]) / 1e9
        for counter in result["counters"]:
            name = counter["signal"] + ("@" + counter["where"]) * bool(counter["where"])
            wanted.append(["%.9f" % end, str(counter["intervals"][i]), counter["unit"], name, str(interval["cycles"]), "100.00", "", ""])
rows = [line.strip().split(",") for line in open("i.rows")]
print(len(rows) > 4, rows == wanted)
END
)" "True True"
tap_check "the CSV is as ever" grep -q '^cycles,,0,5000,5000,5000$' i.csv
"$cyclestack" stat -I 0.005 -e instructions ./small 2>/dev/null >text.rows
tap_is "columns without -x" "$(head -2 text.rows | sed 's/ *[0-9][0-9]*  *instructions/ N instructions/')" "#           time             counts unit           events
     0.000005000 N instructions"
tap_is "and no report" "$(grep -c Counters text.rows)" 0
# Rows appear while the program runs: one is there although it never ends.
printf 'int main(void)\n{\n\tfor (;;)\n\t\t;\n}\n' >ever.c
riscv64-linux-gnu-gcc -O1 -static -o ever ever.c
mkfifo pipe
"$cyclestack" stat -I 0.01 -x, -e cycles ./ever >pipe 2>/dev/null &
ever=$!
read -r row <pipe
tap_is "rows appear while the program runs" "$row" "0.000010000,10000,cycles,cycles,10000,100.00,,"
kill -INT "$ever" 2>/dev/null
wait "$ever" 2>/dev/null

# Several runs. The mean and its standard error are worked out anew from the runs.
runs() { "$cyclestack" stat -r 5 -e committed@twice -e cycles "$@"; }
runs -j 1 --json one.json --csv one.csv ./small x >one.txt 2>one.err
tap_is "-r: status" $? 0
runs -j 3 --json three.json --csv three.csv -q ./small x
tap_check "the same whatever --jobs" cmp one.json three.json
tap_check "in CSV too" cmp one.csv three.csv
tap_is "the program prints nothing" "$(grep -c 'from the program' one.txt one.err | paste -sd' ')" "one.txt:0 one.err:0"
for seed in 1 2 3 4 5; do
	"$cyclestack" stat --seed "$seed" -e committed@twice -e cycles --json "seed$seed.json" -q ./small x >/dev/null
done
tap_is "each run is the one with its seed; means and spreads are theirs" "$(python3 - <<'END'
import json, statistics
result = json.load(open("one.json"))
single = [json.load(open("seed%d.json" % seed)) for seed in range(1, 6)]
for k, counter in enumerate(result["counters"]):
    totals = [one["counters"][k]["total"] for one in single]
    error = statistics.stdev(totals) / len(totals) ** 0.5 / statistics.mean(totals)
    print(counter["totals"] == totals, abs(counter["mean"] - statistics.mean(totals)) < 1e-6, abs(counter["spread"] - error) < 1e-9)
    text = "+- %.2f %%" % (100 * error)
    print(any(counter["signal"] in line and text in line for line in open("one.txt")))
print([run["seed"] for run in result["runs"]], result["varies"])
END
)" "True True True
True
True True True
True
['1', '2', '3', '4', '5'] True"
tap_is "-x has the spread after the event" "$(runs -x, ./small x 2>/dev/null | sed 's/[0-9][0-9.]*/N/g')" "N,instructions,committed@twice,N%,N,N,,
N,cycles,cycles,N%,N,N,,"
runs ./small >same.txt
tap_is "where nothing varies that is said" "$(tr -s '\n ' ' ' <same.txt | grep -o 'Nothing that was counted varies with the seed: .*\.') $(grep -c -- '+-' same.txt)" \
	"Nothing that was counted varies with the seed: neither the program nor a cache of this machine used random numbers to an effect. 0"
tap_is "and -x has no spread then" "$(runs -x, ./small 2>/dev/null | cut -d, -f4 | sort -u)" ""
"$cyclestack" stat -r 2 -e cycles -q ./small x y
tap_is "the status of a program that fails" $? 3
# Random replacement varies with the seed, too, and on such a machine only what depends on it.
printf 'static long a[40000];\nint main(void)\n{\n\tlong s = 0;\n\tfor (int k = 0; k < 20; k++)\n\t\tfor (int i = 0; i < 40000; i += 7)\n\t\t\ts += a[i]++;\n\treturn s < 0;\n}\n' >walk.c
riscv64-linux-gnu-gcc -O1 -static -o walk walk.c
"$cyclestack" stat -r 3 --config midcore --set l1d.replacement=random -e l1d.misses -e committed --json random.json -q ./walk
tap_is "caches with random replacement vary with the seed" "$(python3 -c 'import json
counters = json.load(open("random.json"))["counters"]
print([len(set(c["totals"])) > 1 for c in counters])')" "[True, False]"

# refused NAME SENTENCE OPTION...
refused() {
	local name=$1 sentence=$2
	shift 2
	tap_is "$name" "$("$cyclestack" stat -e cycles "$@" ./small 2>&1 >/dev/null | sed 's/ (see: .*//')" "cyclestack: $sentence"
}
refused "-x beside a result" '--field-separator and --json cannot both be standard output: name a file' -x, --json -
refused "-I beside the program" '--interval-print and --stdout cannot both be standard output: name a file' -I 1 --stdout -
refused "-I and --every" '--interval-print and --every both say how long an interval is: leave one out' -I 1 --every 5
refused "no time" '--interval-print: "0" is not a number of simulated milliseconds from 0.000001 to 4294' -I 0
refused "too much time" '--interval-print: "4295" is not a number of simulated milliseconds from 0.000001 to 4294' -I 4295
refused "one run" '--repeat: "1" is not a number from 2 to 1000 (suffixes k, M, G)' -r 1
refused "-r and -I" '--interval-print is of one run, and --repeat makes several: leave one out' -r 2 -I 1
refused "-r and --log" '--log is of one run, and --repeat makes several: leave one out' -r 2 --log x.log
refused "-x and --rtl" '--field-separator prints counts, and --rtl writes a circuit: leave one out' -x, --rtl circuit

# Curves have their axes: the largest count in a column, the cycles in a note; on a page a title that the legend is beside.
"$cyclestack" stat -e committed@twice --every 5000 --svg plot.svg --json plot.json ./small >plot.txt 2>&1
tap_is "text says what the curves are" "$(python3 - <<'END'
import json
result = json.load(open("plot.json"))
text = " ".join(open("plot.txt").read().split())
most = max(result["counters"][0]["intervals"])
print("committed@twice 9000 instructions %d " % most in text,
      "curves: counts of intervals from cycle 0 to %d, from 0 up to the largest" % result["values"]["cycles"] in text)
END
)" "True True"
tap_is "the picture has units, cycles and a legend that covers neither" "$(python3 - <<'END'
import re
texts = {words: (float(x), float(y)) for x, y, words in
         re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', open("plot.svg").read())}
title, key = texts["instructions a cycle"], texts["committed@twice"]
print("cycle" in texts, key[0] > title[0] + 5.5 * len("instructions a cycle"))
END
)" "True True"
tap_done
