#!/bin/bash
# `inspect` around its kernels: collectors that print readings made up here, in the simulator and on the host, show which
# events and sweeps they were asked for; names, claims, choices and refusals are compared with sentences and rows.
. "$(dirname "$0")/../head.sh"

# says NAME STATUS TEXT WORD...: the status, and everything printed is one sentence.
says() {
	local name=$1 status=$2 wanted=$3 got
	shift 3
	got=$("$cyclestack" inspect "$@" 2>&1 </dev/null)
	tap_is "$name" "$? $got" "$status cyclestack: $wanted"
}
see=" (see: cyclestack inspect --help)"

# Readings whose events grow as columns of kernels/expected.txt do: conditional branches, those taken, loads.
awk 'BEGIN { print "cyclestack-readings 1\nrefused 4:9 22\nevents 4:1 4:2 4:3 4:300" }
	!/^#/ && NF > 5 && $1 ~ /^(branch_|load$|store$|multiply$|divide$|fp_)/ {
		for (i = 1; i <= 3; i++) {
			n++
			print "run", $1, 0, 0, 1000 * i, 0, $2 * 1000 * i, $3 * 1000 * i, $11 * 1000 * i, 7
		}
	}
	END { print "end", n }' "$root/kernels/expected.txt" >readings
head="
What the events of the readings count

Found on the way
lines and pages: no event tells them
no event counts branches of wrong paths: executed and retired cannot be told apart

Verdicts"
tap_is "readings of a file have numbers for names" "$(COLUMNS=100 "$cyclestack" inspect --readings readings 2>&1; echo $?)" "$head
event sure counts
4:1   1.00 conditional branches, retired
           or conditional branches, executed
4:2   1.00 conditional branches taken, retired
           or conditional branches taken, executed
4:3   1.00 loads
           or loads, executed

1 event counts nothing here
4:300

1 event cannot be counted here
4:9
0"
# Codes in hexadecimal; what follows the name is not read; a later line of the same code is not taken.
printf 'r001 branches.conditional\nr002 loads\nr003  dispatched.conditional x y\nr12c  unheard.of\nr003 cycles\n' >names
named=(--readings readings --event-names names)
tap_is "--event-names gives them names, which claim something" \
	"$(COLUMNS=100 "$cyclestack" inspect "${named[@]}" --verify 2>&1; echo $?)" "$head
event                  holds sure counts
branches.conditional   yes   1.00 conditional branches, retired
                                  or conditional branches, executed
loads                  NO    1.00 conditional branches taken, retired
                                  or conditional branches taken, executed
                                  its name says: loads
dispatched.conditional NO    1.00 loads
                                  or loads, executed
                                  its name says: conditional branches, executed

1 event counts nothing here
unheard.of

1 event cannot be counted here
4:9
1"
"$cyclestack" inspect "${named[@]}" --json claims.json --verify >/dev/null
"$cyclestack" inspect "${named[@]}" --json names.json -q
tap_is "names without --verify claim nothing: status" $? 0
fields() { sed -n "s/,$//; s/^ *\"\($2\)\": \"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1 \2/p" "$1"; }
tap_is "rows of the result" "$(fields claims.json 'on\|code\|name\|claim\|holds')" "on readings
code 9
name null
code 1
name branches.conditional
claim conditional branches, retired
holds true
code 2
name loads
claim loads
holds false
code 3
name dispatched.conditional
claim conditional branches, executed
holds false
code 300
name unheard.of"
tap_is "rows without claims" "$(fields names.json 'name\|claim\|holds')" "name null
name branches.conditional
name loads
name dispatched.conditional
name unheard.of"
tap_is "no configuration with readings" "$(grep -c '"configuration"' claims.json)" 0
for machine in midcore leon2; do
	printf 'r001 dispatched.conditional\n' >one
	sed 's/ 4:2 4:3 4:300$//; /^refused/d; s/^\(run .* .* .* .* .* [0-9]*\) [0-9]* [0-9]* 7$/\1/' readings >executed
	tap_is "dispatched.conditional on $machine" "$("$cyclestack" inspect --config $machine --readings executed --event-names one \
		--verify --json - | sed -n 's/^ *"holds": //p')" true
done
tap_is "--events chooses what is shown" "$("$cyclestack" inspect "${named[@]}" --events 'load?,un*' --json - | fields /dev/stdin name)" \
	"name loads
name unheard.of"
tap_is "without names it chooses by the machine's, and all are shown" \
	"$("$cyclestack" inspect --readings readings --events cycles --json - | grep -c '"name": null')" 5
"$cyclestack" inspect "${named[@]}" -q --save-readings saved
tap_check "--save-readings writes what was read" cmp readings saved
"$cyclestack" inspect "${named[@]}" -q --html page.html
tap_check "--html writes a page" grep -q 'dispatched.conditional' page.html

says "--events of nothing" 2 "--events lods: there is no such event; did you mean loads?$see" "${named[@]}" --events lods
says "--events of nothing near" 2 "--events qqqqqqqqqqqqqqqqqqqq: there is no such event$see" "${named[@]}" --events qqqqqqqqqqqqqqqqqqqq
says "--events of the machine" 2 "--events branchs.taken: there is no such event; did you mean branches.taken?$see" --events branchs.taken
says "--on" 2 "--on guest: expected sim or host$see" --on guest
says "a machine for the host" 2 "--config and --set describe a simulated machine, not this host$see" --on host --config leon2
says "a parameter for the host" 2 "--config and --set describe a simulated machine, not this host$see" --on host --set rob.entries=4
says "a machine that is none" 125 "nothing.cfg: No such file or directory" --config nothing.cfg
says "--jobs" 2 "--jobs: \"0\" is not a number from 1 to 1024 (suffixes k, M, G)$see" --jobs 0
says "--jobs beyond" 2 "--jobs: \"1025\" is not a number from 1 to 1024 (suffixes k, M, G)$see" --jobs 1025
says "no readings" 125 "--readings none: No such file or directory" --readings none
says "no names" 2 "--event-names none: No such file or directory$see" --event-names none
printf 'r001 cycles\nx002 loads\n' >bad
says "names that are none" 2 "--event-names bad: \"x002 loads\": expected rCODE NAME, such as r000 cycles$see" --event-names bad
printf 'r001\n' >bad
says "a code without a name" 2 "--event-names bad: \"r001\": expected rCODE NAME, such as r000 cycles$see" --event-names bad
printf 'r001 a\0b\n' >bad
says "names with a zero byte" 2 "--event-names bad: it cannot be read, or is no text$see" --event-names bad
says "a directory of names" 2 "--event-names .: it cannot be read, or is no text$see" --event-names .
printf 'cyclestack-readings 1\nevents 4:1\n' >short
says "readings that are cut off" 125 "readings, line 3: they end before \"end\"" --readings short
says "two results in one file" 2 "--json and --save-readings name the same file, x$see" "${named[@]}" --json x --save-readings x
tap_is "nothing was written" "$(ls x 2>&1)" "ls: cannot access 'x': No such file or directory"

# The host: a collector that counts two of the events it is asked for.
mkdir kernels
cat >kernels/collect-host <<'END'
#!/bin/sh
echo "$*" >>"$ASKED"
echo "cyclestack-readings 1"
case $2 in
0:1 | 3:65536 | 0:1,3:65536 | 1:2) echo "events $2" | tr , ' ' ;;
*) echo "events"; exit 3 ;;
esac
case $3 in
branch_g) echo "run branch_g 0 0 5 0 10"; echo "end 1" ;;
*) echo "end 0" ;;
esac
END
chmod 755 kernels/collect-host
export CYCLESTACK_KERNELS=$work/kernels ASKED=$work/asked
"$cyclestack" inspect --on host --events 'instr*,cpu-cycles,L1-dcache-load-misses' --json host.json --save-readings host.txt >host.out 2>&1
tap_is "host: status" $? 0
tap_is "host: what opens is counted, with lines and pages as they usually are" "$(cut -c 1-60 asked)" "-e 0:0 branch_g
-e 0:1 branch_g
-e 3:65536 branch_g
-e 0:1,3:65536 pair:0:8,16,32,64,128,256,512,1024,2048,4096,
-e 0:1,3:65536 read:64:256,384,512,768,1024,1536,2048,3072,4
-e 0:1,3:65536 write:64:256,512,1024,2048,4096,8192,16384,32
-e 0:1,3:65536 branch_plain branch_random branch_random_work
-e 0:1,3:65536 page:4096:16384,24576,32768,49152,65536,98304
-e 0:1,3:65536 code:64:512,768,1024,1536,2048,3072,4096,6144
-e 0:1,3:65536 half:64:8,16,32,64,128,256,512,1024,2048,4096
-e 0:1,3:65536 half:32:8,16,32,64,128,256,512,1024,2048,4096
-e 0:1,3:65536 stream:64:67108864"
tap_is "host: rows" "$(fields host.json 'on\|type\|code\|name')" "on host
type 0
code 1
name instructions
type 3
code 65536
name L1-dcache-load-misses"
tap_is "host: the readings are those of all runs" "$(sort host.txt | uniq -c | sed 's/^ *//')" \
	"9 cyclestack-readings 1
9 end 0
9 events 0:1 3:65536"
tap_is "host: no configuration" "$(grep -c '"configuration"' host.json)" 0
says "host: nothing that opens" 125 "none of the 3 events asked for can be counted on this machine: perf_event_open refuses them all; \
\`cyclestack inspect --on sim\` inspects a simulated one" --on host --events 'cpu-*'
says "host: software events alone" 125 "none of the 2 hardware events asked for can be counted on this machine: perf_event_open refuses them \
all, and software events tell nothing of it; \`cyclestack inspect --on sim\` inspects a simulated one" --on host --events 'cpu-cycles,bus-cycles,page-faults'
tap_is "host: software events that were asked for and nothing else" \
	"$("$cyclestack" inspect --on host --events page-faults --json soft.json >/dev/null 2>&1; echo $?) $(fields soft.json name)" "0 name page-faults"
says "host: an event that does not exist" 2 "--events instruction: there is no such event; did you mean instructions?$see" \
	--on host --events instruction
"$cyclestack" inspect --on host --events instructions --html page.html -q >/dev/null 2>&1
tap_is "host: a page needs the points of the plots" "$(tail -n 2 asked | cut -d ' ' -f 3)" "branch_k:0:2,3,4,6,8,12,16,24,32
block:4:65536,131072,262144,524288,1048576,2097152,4194304"
mv kernels/collect-host kernels/collect-other
says "host: no collector" 125 "$work/kernels/collect-host: No such file or directory" --on host
CYCLESTACK_KERNELS=$work/none says "no kernels" 125 "CYCLESTACK_KERNELS names $work/none: No such file or directory"

# The simulator: a collector for it that prints what it was asked for, and an event that doubles where the distance of a
# pair reaches a line of 32 bytes, and another at pages of 8192.
compiler=${CROSS_CC:-riscv64-linux-gnu-gcc}
if ! command -v "$compiler" >/dev/null; then
	tap_skip "the simulated machine" "no $compiler"
	tap_done
fi
cat >collect.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	int runs = 0;
	puts("cyclestack-readings 1\nevents 4:0 4:1");
	for (char *word = strtok(argv[2], ","); word; word = strtok(NULL, ","), runs++) {
		printf("run e_");
		for (; *word; word++)
			putchar(*word == ':' || *word == '-' ? '_' : *word);
		puts(" 0 0 1 0 - -");
	}
	for (int i = 3; i < argc; i++) {
		char *kernel = strtok(argv[i], ":"), *unit = strtok(NULL, ":"), *value;
		do {
			value = strtok(NULL, ",");
			unsigned long number = value ? strtoul(value, NULL, 10) : 0;
			for (int k = 1; k < 4; k++)
				printf("run %s %s %lu %d 0 %d %d\n", kernel, unit ? unit : "0", number, 100 * k,
				       strcmp(kernel, "pair") ? 0 : LINES ? (number < 32 ? 100 : 200) * k : 0,
				       strcmp(kernel, "pair") ? 0 : LINES ? (number < 8192 ? 100 : 200) * k : 0);
			runs += 3;
		} while (value);
	}
	printf("end %d\n", runs);
	return 0;
}
END
"$compiler" -O1 -static -DLINES=1 -o kernels/collect collect.c
small=(--config leon2 --set l1d.size_bytes=16384 --set l1i.size_bytes=1024 --set dtlb.entries=4 --set dtlb.ways=4
	--set itlb.entries=2 --set itlb.ways=2)
"$cyclestack" inspect "${small[@]}" --jobs 2 --json sim.json --save-readings sim.txt >sim.out 2>&1
tap_is "sim: status" "$? $(sed -n 5,6p sim.out)" "0 lines: 32 bytes
pages: 8192 bytes"
tap_is "sim: on" "$(fields sim.json on)" "on sim"
tap_is "sim: the configuration is told" "$(grep -A1 '"configuration"' sim.json | tail -n 1 | tr -d ' ')" '"name":"leon2",'
last=$(($("$cyclestack" signals --codes "${small[@]}" | wc -l) - 1))
tap_is "sim: every event of the machine at once" "$(awk '$1 == "end" { exit } $2 ~ /^e_/ { print $2 }' sim.txt)" \
	"$("$cyclestack" signals --codes "${small[@]}" | sed 's/^r\([0-9a-f]*\).*/0x\1/' | while read -r code; do echo $((code)); done |
		awk 'NR > 1 && $1 == last + 1 { last = $1; next }
			NR > 1 { print "e_4_" first (first == last ? "" : "_" last) }
			{ first = last = $1 }
			END { print "e_4_" first (first == last ? "" : "_" last) }')"
tap_check "sim: it has many events" test "$last" -gt 100
# The value `0` stands for a kernel without one; a word's last value is followed by a point that the collector adds.
points() { awk '$1 == "run" && $2 !~ /^e_/ && $4 > 0 { print $2 ":" $3 ":" $4 }' "$1" | uniq; }
sweep() { # KERNEL UNIT VALUE...
	local kernel=$1 unit=$2 value
	shift 2
	for value; do echo "$kernel:$unit:$value"; done
}
# shellcheck disable=SC2046
wanted() { # LINE PAGE, for caches of 16 KB and 1 KB and TLBs of 4 and 2 entries
	sweep pair 0 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536
	sweep read "$1" $(for ((i = 4 * $1; i <= 65536; i *= 2)); do echo $i $((i * 3 / 2)); done | head -n -1) 65536
	sweep write "$1" $(for ((i = 4 * $1; i <= 65536; i *= 2)); do echo $i; done)
	sweep apart "$1" 65536
	sweep page "$2" $((4 * $2)) $((6 * $2)) $((8 * $2)) $((12 * $2)) $((16 * $2))
	sweep write "$2" $((4 * $2)) $((8 * $2)) $((16 * $2))
	sweep apart "$2" $((16 * $2))
	sweep code "$1" $(for ((i = 8 * $1; i <= 4096; i *= 2)); do echo $i $((i * 3 / 2)); done | head -n -1) 4096
	sweep codeline 8 131072
	sweep codepage "$2" $((3 * $2)) $((5 * $2)) $((7 * $2))
	sweep codefar 262144 268435456
	for ((unit = $1; unit >= 32 && unit >= $1 / 2; unit /= 2)); do
		sweep half $unit $(for ((i = 8; i <= 32768 / $1; i *= 2)); do echo $i; done)
		sweep whole $unit $(for ((i = 8; i <= 32768 / $1; i *= 2)); do echo $i; done)
	done
	sweep stream "$1" 65536
}
tap_is "sim: sweeps with the lines and pages that were found" "$(points sim.txt)" "$(wanted 32 8192)"
tap_is "sim: lines and pages are told" "$(fields sim.json 'line_bytes\|page_bytes')" "line_bytes 32
page_bytes 8192"
tap_is "sim: kernels without a value" "$(awk '$1 == "run" && $4 == 0 && $3 == 0 && $2 !~ /^(e_|pair)/ { print $2 }' sim.txt | uniq | wc -l)" 22
tap_is "sim: all events have names" "$(fields sim.json name | sed -n 2,3p)" "$("$cyclestack" signals --codes "${small[@]}" |
	sed -n '1,2s/^r[0-9a-f]* *\([^ ]*\).*/name \1/p')"
tap_is "sim: --events chooses what is shown" "$("$cyclestack" inspect "${small[@]}" --events cycles --json - 2>&1 | fields /dev/stdin name)" "name leon2
name cycles"
"$compiler" -O1 -static -DLINES=0 -o kernels/collect collect.c
"$cyclestack" inspect "${small[@]}" --save-readings sim.txt -q
tap_is "sim: sweeps with the usual lines and pages" "$(points sim.txt)" "$(wanted 64 4096)"
printf 'int main(void) { return 7; }\n' >collect.c
"$compiler" -O1 -static -o kernels/collect collect.c
says "sim: a collector that ends early" 125 "the collector ended before its readings did" "${small[@]}"
printf '#include <stdio.h>\nint main(void) { fputs("collect: broken\\nmore\\n", stderr); return 1; }\n' >collect.c
"$compiler" -O1 -static -o kernels/collect collect.c
says "sim: a collector that fails" 125 "collect: broken" "${small[@]}"
rm kernels/collect
says "sim: no collector" 125 "$work/kernels/collect: No such file or directory" "${small[@]}"
tap_done
