#!/bin/bash
# What a program sees of files is the same in every copy of a directory, under `exec` and `run`; what it
# stored to a shared mapping is in the file however it ends; --stdin, --mtime and the hint for a mount.
#
# CYCLESTACK  the tool           (build/cyclestack)
# BUILD       where programs go  (build)
. "$(dirname "$0")/../head.sh"
here=$root/tests/guest
build=$BUILD
needs "$cross"
mkdir -p "$build"
build=$(cd "$build" && pwd -P)
ulimit -c 0

program() {
	local out=$build/$1.files

	if [ ! "$out" -nt "$here/$1.c" ]; then
		"$cross" -O1 -g -pthread -static -Wno-unused-result -Wno-unused-value -o "$out.new" "$here/$1.c" ||
			return
		mv "$out.new" "$out"
	fi
	echo "$out"
}

value() {
	sed -n "s/^ *\"$2\": \(.*[^,]\),\{0,1\}\$/\1/p" "$1"
}

# Two copies of one tree, made in another order, with other times and, where possible, owners.
mkdir -p first/sub/deep
for name in b a c; do
	printf '%s' "contents of $name" >first/$name
	ln -s $name first/sub/$name
done
ln first/a first/sub/hard
printf '%0100d' 7 >first/sub/deep/long
mkdir -p second/sub/deep
printf '%0100d' 7 >second/sub/deep/long
for name in c a b; do
	ln -s $name second/sub/$name
	printf '%s' "contents of $name" >second/$name
done
ln second/a second/sub/hard
find first -exec touch -h -d 2001-02-03 {} +
find second -exec touch -h -d 2019-10-11 {} +
[ "$(id -u)" -ne 0 ] || find second -exec chown -h 1234:4321 {} +
walk=$(program files_walk)
for copy in first second; do
	"$cyclestack" exec --json $copy.json --mount /data=$copy -- "$walk" /data >$copy.out 2>&1
	"$cyclestack" run --json $copy.run.json --mount /data=$copy -- "$walk" /data >$copy.run.out 2>&1
done
tap_is "stat and listings tell the same in two copies of a directory" "$(cat second.out)" "$(cat first.out)"
tap_is "and so the same instructions are executed" "$(value second.json instructions)" \
	"$(value first.json instructions)"
tap_is "also on a simulated core" "$(value second.run.json instructions)" "$(value first.json instructions)"
tap_is "all is by rule" "$(grep -c ' 1 [0-9]* [0-7]* [12] 0 0 [0-9]* 4096 [0-9]* 0 0 0$' first.out)" 11
tap_is "--mtime keep tells the host's times" \
	"$("$cyclestack" exec --mtime keep --mount /data=first -- "$walk" /data /data/a)" "$(stat -c %Y first/a)"
tap_is "without it they are 0" "$("$cyclestack" exec --mount /data=first -- "$walk" /data /data/a)" 0

# both NAME: output, status and instructions of run and exec, and the files they leave, are the same.
both() {
	local name=$1 elf

	elf=$(program "$name")
	rm -rf exec.data run.data
	mkdir exec.data run.data
	"$cyclestack" exec --json exec.json --mount /data=exec.data -- "$elf" /data </dev/null >exec.out 2>exec.err
	"$cyclestack" run --json run.json --mount /data=run.data -- "$elf" /data </dev/null >run.out 2>run.err
	if head -c "$(stat -c %s exec.out)" run.out | cmp -s - exec.out && diff --no-dereference -r exec.data run.data >diff.out &&
		[ "$(value run.json instructions)" = "$(value exec.json instructions)" ] &&
		[ "$(value run.json status)" = "$(value exec.json status)" ]; then
		tap_ok "$name: run does what exec does"
	else
		tap_not_ok "$name: run does what exec does" \
			"$(diff -a exec.out run.out | head -n 5; cat diff.out run.err; value run.json instructions
			value exec.json instructions)"
	fi
}
for name in mem_shared mem_shared_random mem_shared_twice mem_shared_ends files_special files_stat files_walk ids; do
	both $name
done
tap_is "there were wrong paths with stores to shared pages" \
	"$(both mem_shared_ends >/dev/null; [ "$(value run.json branches.mispredicted | head -n 1)" -gt 1000 ] && echo yes)" yes

# ends TITLE HOW STATUS OPTION...: the store before the end is in the file.
ends() {
	local title=$1 how=$2 status=$3 command

	shift 3
	for command in exec run; do
		rm -rf ends
		mkdir ends
		{ "$cyclestack" $command "$@" --mount /data=ends -- "$elf" /data "$how" >ends.out 2>ends.err; } 2>/dev/null
		tap_is "$title, $command" "$? $(head -c 20484 ends/ends | tail -c 4)" "$status kept"
	done
}
elf=$(program mem_shared_ends)
ends "a store to a shared mapping outlives a signal" abort 134
ends "and exit by the system call" _exit 3
ends "and a limit of instructions" loop 124 --max-insns 200k
ends "and a limit of time" loop 124 --timeout 1

# It waits, so that nothing but msync has written by then.
cat >synced.c <<'C'
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	int fd = open("/data/synced", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char byte;
	ftruncate(fd, 8192);
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(map + 100, "first", 5);
	msync(map, 8192, MS_SYNC);
	memcpy(map + 200, "later", 5);
	write(1, "synced\n", 7);
	return read(0, &byte, 1) != 0;
}
C
"$cross" -O1 -static -Wno-unused-result -o synced synced.c
mkdir synced.data
mkfifo to from
"$cyclestack" exec --mount /data=synced.data -- ./synced <to >from 2>synced.err &
exec 3>to 4<from
read -r -t 60 line <&4
tap_is "what is stored before msync is in the file while the program goes on" \
	"$line $(tail -c +101 synced.data/synced | head -c 5)" "synced first"
exec 3>&- 4<&-
wait $!
tap_is "and what is stored after it once it has ended" "$? $(tail -c +201 synced.data/synced | head -c 5)" "0 later"

cat >seek.c <<'C'
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	char text[8] = "";
	struct stat st;
	fstat(0, &st);
	FILE *again = fopen("/dev/stdin", "r");
	printf("%o %lld %lld ", st.st_mode & S_IFMT, (long long)st.st_size, (long long)lseek(0, 3, SEEK_SET));
	printf("%zd %s %d\n", read(0, text, 3), text, again ? getc(again) : -1);
	return 0;
}
C
"$cross" -O1 -static -o seek seek.c
printf '0123456789' >input
tap_is "--stdin gives a file in which the program can seek" "$("$cyclestack" exec --stdin input -- ./seek)" \
	"100000 10 3 3 345 48"
tap_is "standard input is like a pipe otherwise" "$("$cyclestack" exec -- ./seek <input)" "10000 0 -1 3 012 51"
tap_is "--stdin of what is no file is refused" "$("$cyclestack" exec --stdin . -- ./seek 2>&1)" \
	"cyclestack: --stdin .: not a regular file; write < . without --stdin (see: cyclestack exec --help)"

cat >opens.c <<'C'
#include <stdio.h>
int main(int argc, char **argv)
{
	return !fopen(argv[1], "r");
}
C
"$cross" -O1 -static -o opens opens.c
hint() {
	"$cyclestack" exec "$@" 2>&1 | sed -n 's/.*(to allow it: \(.*\), if that.*/\1/p'
}
tap_is "the hint for an absolute name" "$(hint -- ./opens "$work/input")" "--mount $work=$work"
tap_is "the hint for a relative name" "$(hint -- ./opens input)" "--mount /=."
tap_is "the hint for a relative name in another directory" "$(hint --cwd /work -- ./opens input)" \
	"--mount /work=."
tap_check "the hint for a relative name is right" "$cyclestack" exec --mount /=. -- ./opens input
tap_check "the hint for an absolute name is right" \
	"$cyclestack" exec --mount "$work=$work" -- ./opens "$work/input"
modes=$(program files_modes)
for mask in 077 022 0; do
	mkdir mode.$mask
	(umask $mask && "$cyclestack" exec --mount /data=mode.$mask -- "$modes" /data >modes.$mask 2>&1)
done
tap_is "the host's umask does not show in the modes of what is created" \
	"$(cat modes.077 modes.0)" "$(cat modes.022 modes.022)"
tap_done
