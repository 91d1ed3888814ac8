#!/bin/bash
# Hostile programs, hostile paths and broken files against `cyclestack exec`, in TAP.
# Besides its own promise every check holds that the tool was not killed by a signal
# of the host and that standard error shows no crash of the tool.
#
#   test_escape.sh [GROUP...]    all groups, or some of: paths race pointers wild limits code
#                                endless timers shared names descriptors forgery orphans input
#   test_escape.sh --parts       lists them
#
# parts
# time-limit: 1500
# CYCLESTACK  the tool           (build/cyclestack)
# BUILD       where programs go  (build/tests/escape)
# PATIENCE    seconds that one run may take before it counts as hanging (60; 300 with sanitizers)
# CI          set: more bytes of headers, more closed descriptors, limits that take seconds to fill
set -u

groups=(paths race pointers wild limits code endless timers shared names descriptors forgery orphans input)
if [ "${1:-}" = --parts ]; then
	printf '%s\n' "${groups[@]}"
	exit
fi
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
CYCLESTACK=${CYCLESTACK:-$root/build/cyclestack}
BUILD=${BUILD:-$root/build/tests/escape}
if nm "$CYCLESTACK" 2>/dev/null | grep -q ' __asan_init'; then
	PATIENCE=${PATIENCE:-300}
fi
PATIENCE=${PATIENCE:-60}
CC=riscv64-linux-gnu-gcc
CFLAGS="-O1 -g -static -pthread -Wall -Wno-unused-result -Wno-unused-value -Wno-infinite-recursion"

number=0
failed=0
status=0

missing()
{
	echo "1..0 # SKIP $1"
	exit 0
}

skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# A status of 300 and more means that the tool itself died of a host signal.
exec_tool()
{
	local command=${tool_command:-exec}

	: >"$work/out"
	# shellcheck disable=SC2016
	{ timeout -s KILL "$PATIENCE" perl -e '
		open STDOUT, ">", $ARGV[0]; open STDERR, ">", $ARGV[1];
		open my $report, ">", $ARGV[2];
		my $s = system { $ARGV[4] } @ARGV[4 .. $#ARGV];
		open my $peak, ">", $ARGV[3];
		my $usage = "\0" x 256;
		# getrusage(RUSAGE_CHILDREN): x86-64 has a number of its own.
		syscall(`uname -m` =~ /x86_64/ ? 98 : 165, -1, $usage);
		print $peak unpack("x32 q", $usage) >> 10;
		print $report $s & 127 ? 300 + ($s & 127) : $s >> 8;
	' "$work/out" "$work/err" "$work/status" "$work/peak" "$CYCLESTACK" "$command" "$@" \
		</dev/null
	} 2>/dev/null
	peak_mb=$(cat "$work/peak" 2>/dev/null)
	peak_mb=${peak_mb:-0}
	status=$(cat "$work/status" 2>/dev/null)
	status=${status:-hangs}
	rm -f "$work/status" "$work/peak"
}

# at_most TITLE MB: the most memory that any process of the last run had.
at_most()
{
	report "$1" "$(yes_if [ "$peak_mb" -gt 0 -a "$peak_mb" -le "$2" ])" \
		"it took $peak_mb MB, expected at most $2"
}

# report TITLE HOLDS WHAT: one TAP line; WHAT says what was expected.
report()
{
	local title=$1 holds=$2 trouble=

	number=$((number + 1))
	grep -a -q -e 'internal error' -e AddressSanitizer -e 'runtime error' "$work/err" &&
		trouble="trouble inside the tool"
	case $status in
	3??) trouble="the tool was killed by host signal $((status - 300))" ;;
	hangs) trouble="still running after $PATIENCE seconds" ;;
	esac
	if [ -z "$trouble" ] && [ "$holds" = yes ]; then
		echo "ok $number - $title"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $number - $title"
	echo "# ${trouble:-$3}; status $status"
	head -c 300 "$work/out" | tr -cd '\n -~' | cut -c 1-100 | head -n 8 | sed 's/^/#   out: /'
	head -n 5 "$work/err" | cut -c 1-200 | sed 's/^/#   err: /'
}

yes_if()
{
	if "$@"; then
		echo yes
	else
		echo no
	fi
}

ended_with()
{
	local one

	for one; do
		[ "$status" = "$one" ] && return 0
	done
	return 1
}

printed()
{
	[ "$(cat "$work/out")" = "$1" ]
}

said()
{
	local text

	for text; do
		grep -a -i -q -e "$text" "$work/err" || return 1
	done
}

# gives TITLE STATUS OUTPUT [TEXT ON STANDARD ERROR]...
gives()
{
	local title=$1 want=$2 output=$3 holds=yes

	shift 3
	[ "$status" = "$want" ] || holds=no
	[ "$output" = - ] || [ "$(cat "$work/out")" = "$output" ] || holds=no
	said "$@" || holds=no
	report "$title" $holds "expected status $want, output '$output', on standard error '$*'"
}

# path TITLE ANSWERS ACTION ARGUMENT...: ANSWERS are alternatives, separated by |.
path()
{
	local title=$1 answers=$2 answer holds=no

	shift 2
	exec_tool "${mounts[@]}" -- "$BUILD/paths" "$@"
	answer=$(cat "$work/out")
	[ "$status" = 0 ] && [[ "|$answers|" = *"|$answer|"* ]] && holds=yes
	report "$title" $holds "expected $answers"
}

group_paths()
{
	local outside=$work/outside in=$work/in ro=$work/ro two=$work/two change detour
	local denied="ENOENT|EACCES|EPERM|EXDEV|ELOOP|ENOTDIR|EROFS"

	mkdir -p "$outside/dir" "$in/sub/deeper" "$ro" "$two"
	echo secret >"$outside/secret"
	echo secret >"$outside/dir/secret"
	echo inside >"$in/file"
	echo below >"$in/sub/file"
	echo kept >"$ro/file"
	mkdir "$ro/dir"
	ln -s file "$ro/link"
	echo second >"$two/file"
	ln -s "$outside/secret" "$in/absolute"
	ln -s ../outside/secret "$in/relative"
	ln -s ../../outside "$in/sub/up"
	ln -s "$outside" "$in/dirlink"
	ln -s / "$in/root"
	ln -s .. "$in/dotdot"
	ln -s "$outside/created" "$in/dangling"
	ln -s file "$in/soft"
	ln -s /data/file "$in/guestlink"
	ln "$in/file" "$in/hard"
	echo mine >"$in/mine"
	mkdir "$in/guarded" "$in/beside"
	echo kept >"$in/guarded/file"
	ln -s guarded "$in/unguarded"

	mounts=()
	path "without a mount a host file is not there" "ENOENT|EACCES" read /etc/passwd
	report "the first refused open says how to allow it" "$(yes_if said -- --mount)" \
		"expected --mount on standard error"
	path "without a mount the program's own file is not there" "ENOENT|EACCES" read "$BUILD/paths"
	path "without a mount no file can be made" "$denied" write /escaped
	path "without a mount the root directory has no file of the host in it" "ok . .. dev proc sys" list /
	path "without a mount dot dot leads nowhere" "ENOENT|EACCES" read ../../../../etc/passwd
	path "the host's root is not reached through /proc" "ENOENT|EACCES" \
		read /proc/self/root/etc/passwd
	path "the host's working directory is not reached through /proc" "ENOENT|EACCES" \
		read /proc/self/cwd/Makefile
	path "host memory is not reached through /proc" "$denied" read /proc/self/mem
	path "devices of the host are not there" "ENOENT|EACCES" read /dev/mem

	mounts=(--mount "/data=$in" --mount "/data2=$two" --mount "/fixed=$ro:ro")
	path "a file in a mount is read" "ok inside" read /data/file
	path "a link inside the mount is followed" "ok inside" read /data/soft
	path "an absolute link with a guest path is followed in the guest" "ok inside" \
		read /data/guestlink
	path "a mount whose name begins like another's is its own" "ok second" read /data2/file
	path "a name that only begins like a mount's is nothing" "ENOENT|EACCES" read /data3/file
	path "a longer name does not slip into a mount" "ENOENT|EACCES" read /datafile
	path "dot dot at the top of a mount stays in the guest" "ok second" \
		read /data/../data2/file
	path "dot dot does not lead out of a mount" "ENOENT|EACCES" \
		read /data/../outside/secret
	path "many dot dots do not lead out" "ENOENT|EACCES" \
		read "/data/sub/../../../../../../../../../../..$outside/secret"
	path "dot dot through a missing name is ENOENT" "ENOENT" read /data/absent/../file
	path "an absolute link out of the mount is not followed" "$denied" read /data/absolute
	path "a relative link out of the mount is not followed" "$denied" read /data/relative
	path "a link to a directory outside is not followed" "$denied" read /data/dirlink/secret
	path "a link to / is not the host's /" "$denied" read /data/root/etc/passwd
	path "a link to dot dot is not the directory above" "$denied" \
		read /data/dotdot/outside/secret
	path "a link deep inside does not lead out" "$denied" read /data/sub/up/secret
	path "stat does not look through a link out" "$denied" stat /data/absolute
	path "access does not look through a link out" "$denied" access /data/absolute 0
	path "a link out is not written through" "$denied" overwrite /data/absolute
	path "a dangling link out creates nothing" "$denied" write /data/dangling
	path "truncate does not follow a link out" "$denied" truncate /data/relative
	path "chmod does not follow a link out" "$denied" chmod /data/absolute
	path "utimensat does not follow a link out" "$denied" utime /data/absolute
	path "mkdir does not work through a link out" "$denied" mkdir /data/dirlink/new
	path "rmdir does not work through a link out" "$denied" rmdir /data/dirlink/dir
	path "unlink does not work through a link out" "$denied" unlink /data/dirlink/secret
	path "list does not work through a link out" "$denied" list /data/dirlink
	path "chdir does not work through a link out" "$denied" chdir /data/dirlink secret
	path "chdir and dot dot do not lead out" "ENOENT|EACCES" \
		chdir /data/sub ../../outside/secret
	path "chdir and dot dot stay in the guest" "ok second" chdir /data/sub ../../data2/file
	path "openat with dot dot does not lead out" "ENOENT|EACCES" \
		descend /data .. outside secret
	path "openat climbing step by step does not lead out" "$denied" \
		descend /data/sub .. .. .. .. .. etc passwd
	path "openat of a path with dot dots does not lead out" "$denied" \
		descend /data/sub/deeper ../../../outside/secret
	path "openat below a directory works" "ok below" descend /data sub file
	path "openat through a link out does not work" "$denied" descend /data dirlink secret
	path "a link put in a directory's place is not followed out" "$denied" \
		swap /data "$outside/secret"
	path "a link that the guest makes is not followed out" "$denied" \
		symlink_read ../../../../../../../../../../etc/passwd /data/evil
	path "a link that the guest makes to a guest path works" "ok second" \
		symlink_read /data2/file /data/toother
	path "a descriptor opened again empties no other file that has its name now" "ok kept" \
		truncate_moved /data/first /data/second
	path "rename does not move a file out of a mount" "$denied" \
		rename /data/mine /data/dirlink/file
	path "rename does not move a file above a mount" "$denied" rename /data/mine /data/../stolen_1
	path "rename between mounts is EXDEV" "EXDEV" rename /data/file /data2/moved
	path "rename does not bring a file in" "$denied" \
		rename /data/dirlink/secret /data/stolen_2
	path "link does not bring a file in" "$denied" link /data/dirlink/secret /data/stolen_3
	path "link of a link out gives at most a link" "ok|$denied" \
		link_follow /data/absolute /data/stolen_4
	path "a link made that way does not lead out" "$denied" read /data/stolen_4
	path "link between mounts is EXDEV" "EXDEV" link /data/file /data2/linked
	path "no device can be made" "$denied|ENOSYS" mknod /data/device
	path "a mount itself cannot be removed" "EBUSY|EROFS|EACCES|EPERM|ENOTEMPTY|EINVAL" rmdir /data2
	path "a mount itself cannot be renamed" "EBUSY|EROFS|EACCES|EPERM|EXDEV|EINVAL" \
		rename /data2 /data/moved
	path "what a link says can still be read" "ok ../outside/secret" readlink /data/relative

	path "a read-only mount is read" "ok kept" read /fixed/file
	path "a read-only mount: a file is not created" EROFS write /fixed/new
	path "a read-only mount: a file is not opened for writing" EROFS overwrite /fixed/file
	path "a read-only mount: a file is not opened for appending" EROFS append /fixed/file
	path "a read-only mount: not through a link either" EROFS overwrite /fixed/link
	path "a read-only mount: mkdir" EROFS mkdir /fixed/new
	path "a read-only mount: rmdir" EROFS rmdir /fixed/dir
	path "a read-only mount: unlink" EROFS unlink /fixed/file
	path "a read-only mount: rename" EROFS rename /fixed/file /fixed/new
	path "a read-only mount: rename out of it" "EROFS|EXDEV" rename /fixed/file /data/new
	path "a read-only mount: link" EROFS link /fixed/file /fixed/new
	path "a read-only mount: symlink" EROFS symlink file /fixed/new
	path "a read-only mount: truncate" EROFS truncate /fixed/file
	path "a read-only mount: chmod" EROFS chmod /fixed/file
	path "a read-only mount: fchmod" "EROFS|EPERM|EACCES" fchmod /fixed/file
	path "a read-only mount: utimensat" EROFS utime /fixed/file
	path "a read-only mount: access for writing" EROFS access /fixed/file 2
	path "a writable mount is written" ok write /data/written

	for change in write mkdir chmod fchmod; do
		case $change in
		*chmod) cp "$in/file" "$in/set_$change" ;;
		esac
		path "$change with set-ID bits succeeds" ok "${change}_setuid" "/data/set_$change"
		status=0
		report "$change does not set them" \
			"$(yes_if [ "$(stat -c %a "$in/set_$change")" = 755 ])" \
			"the mode is $(stat -c %a "$in/set_$change")"
	done

	mounts=(--mount "/data=$in" --mount "/data/sub=$ro:ro")
	path "a mount inside a mount hides what is below" "ok kept" read /data/sub/file
	path "a mount inside a mount keeps its own rights" "EROFS" overwrite /data/sub/file
	path "the rights of the inner mount are not lost by dot dot" "EROFS" \
		overwrite /data/sub/dir/../file
	for detour in . beside/.. guarded/.. guarded/../beside/..; do
		path "an inner mount is not evaded by $detour" "ok kept" read /data/$detour/sub/file
	done
	mounts=(--mount "/data=$in" --mount "/data/guarded=$in/guarded:ro")
	for detour in guarded ./guarded beside/../guarded /guarded unguarded sub/../unguarded; do
		path "a directory mounted again, read-only, is not written as $detour" EROFS \
			overwrite "/data/$detour/file"
	done
	path "a directory mounted again, read-only, is not moved" \
		"EBUSY|EXDEV" rename /data/guarded /data/elsewhere
	mkdir -p "$in/above/inner/guarded" "$in/empty" "$in/also/dir"
	echo kept >"$in/above/inner/guarded/file"
	mounts=(--mount "/data=$in" --mount "/data/above/inner/guarded=$in/above/inner/guarded:ro"
		--mount "/data/empty=$in/empty:ro" --mount "/other=$in/also/dir:ro")
	for detour in above above/inner above/inner/guarded also/../above also/dir; do
		path "what is or holds a mount is not moved: $detour" "EBUSY|EXDEV" \
			rename "/data/$detour" /data/moved
		path "what is or holds a mount is not exchanged: $detour" "EBUSY|EXDEV" \
			exchange /data/beside "/data/$detour"
	done
	path "a directory that is mounted is not removed" EBUSY rmdir /data/empty
	path "a directory that is mounted is not replaced" "EBUSY|EXDEV" rename /data/beside /data/empty
	path "a directory mounted under another name is not removed" EBUSY rmdir /data/also/dir
	path "a directory beside a mount is moved" ok rename /data/beside /data/abov
	echo kept >"$in/also/dir/file"
	for change in overwrite append truncate chmod fchmod utime unlink; do
		path "a directory mounted elsewhere, read-only, is not changed: $change" \
			"EROFS|EINVAL" $change /data/also/dir/file
	done
	path "nothing is made in a directory mounted elsewhere, read-only" EROFS \
		write /data/also/dir/new
	path "nothing is linked out of a directory mounted elsewhere, read-only" "EROFS|EXDEV" \
		link /data/also/dir/file /data/linked
	path "nothing is moved out of a directory mounted elsewhere, read-only" "EROFS|EXDEV" \
		rename /data/also/dir/file /data/also/file
	mounts=(--mount "/data=$in:ro" --mount "/out=$in/also")
	path "a writable mount of a part of a read-only one is written" ok write /out/made
	path "it is not written by the read-only one's name" EROFS write /data/also/made
	rm "$in/also/made"
	mounts=(--mount "/data=$in:ro" --mount "/out=$in/also/..")
	exec_tool "${mounts[@]}" -- "$BUILD/paths" write /out/made
	gives "a directory mounted read-only and writable is refused, with both names" 2 "" \
		"/data" "/out"
	mounts=(--mount "/data=$in" --mount "/data/guarded=$in/guarded:ro")
	change=no
	[ "$(cat "$in/guarded/file")" = kept ] && change=yes
	status=0
	report "a directory mounted again, read-only, keeps its files" $change "the file has changed"
	mounts=(--mount "/data=$in" --mount "/data/absolute=$two")
	path "a mount may cover a link" "ok second" read /data/absolute/file

	change=no
	[ "$(cat "$outside/secret" "$outside/dir/secret" "$ro/file")" = "$(printf 'secret\nsecret\nkept')" ] &&
		[ "$(cd "$outside" && echo *)" = "dir secret" ] &&
		[ "$(cd "$ro" && echo *)" = "dir file link" ] &&
		[ "$(stat -c %a "$outside/secret")" = 644 ] &&
		[ "$(cd "$work" && echo *)" = "err in out outside ro two" ] && change=yes
	status=0
	report "after all that, nothing outside the mounts and nothing read-only has changed" \
		$change "$(cd "$work" && find outside ro)"
}

# What a directory looks like, in one text: names, kinds, modes, times and contents.
shape_of()
{
	find "$1" -printf '%P %y %m %T@ %n\n' | sort
	find "$1" -type f -exec cat {} +
}

# Another run exchanges a directory for a link, into a read-only mount, while paths through it are
# walked.
group_race()
{
	local in=$work/in count=1500 before swapper

	! tap_wants_all || count=20000
	mkdir -p "$in/d" "$in/guarded"
	ln -s guarded "$in/l"
	for name in file shorter mode time here removed; do
		echo kept >"$in/guarded/$name"
		echo mine >"$in/d/$name"
	done
	before=$(shape_of "$in/guarded")
	mounts=(--mount "/w=$in" --mount "/w/guarded=$in/guarded:ro")
	"$CYCLESTACK" exec --timeout "$PATIENCE" "${mounts[@]}" -- "$BUILD/race" swap /w \
		>"$work/swapped" 2>&1 &
	swapper=$!
	exec_tool "${mounts[@]}" -- "$BUILD/race" change /w $count
	gives "paths through a directory that becomes a link are walked" 0 "done"
	wait $swapper
	report "it became one while they were" "$(yes_if grep -q -x "done" "$work/swapped")" \
		"the other run: $(head -n 1 "$work/swapped")"
	report "a read-only mount that the link leads to stays as it is" \
		"$(yes_if [ "$(shape_of "$in/guarded")" = "$before" ])" \
		"$(diff <(echo "$before") <(shape_of "$in/guarded") | head -n 20)"
}

group_pointers()
{
	exec_tool -- "$BUILD/pointers"
	gives "bad pointers are EFAULT in every common call" 0 -
}

group_wild()
{
	local first last

	for ((first = 0; first <= 450; first += 50)); do
		last=$((first + 49))
		exec_tool -- "$BUILD/wild" $first $last
		gives "system calls $first to $last survive wild arguments" 0 -
	done
	exec_tool -- "$BUILD/wild" 1000 1020
	gives "system calls that do not exist survive wild arguments" 0 -
	mkdir -p "$work/mounted"
	exec_tool --mount "/=$work/mounted" -- "$BUILD/wild" 17 88
	gives "calls on files survive wild arguments with a mount" 0 -
	exec_tool --strict -- "$BUILD/wild" 1000 1020
	gives "--strict ends the run at an unknown call and says so" 125 - 1000
}

told_or_refused()
{
	ended_with 125 137 139 || printed "ENOMEM after some" || printed "ENOMEM after none"
}

group_limits()
{
	exec_tool --memory 64M -- "$BUILD/limits" mmap
	gives "who fills what it mapped past the limit is killed" 137 "" "has filled the 67108864 bytes"
	exec_tool --memory 64M -- "$BUILD/limits" brk
	gives "who fills its heap past the limit is killed" 137 "" "has filled the 67108864 bytes"
	exec_tool --memory 64M -- "$BUILD/limits" append
	gives "appending to a file in memory past the limit is ENOSPC" 0 "ENOSPC after some"
	exec_tool --memory 64M -- "$BUILD/limits" heap
	gives "shared mappings on the heap go with it" 0 "0 pages left"
	at_most "they take no memory" 300
	exec_tool -- "$BUILD/limits" size
	gives "impossible sizes and places are refused" 0 "48 of 48 refused"
	exec_tool -- "$BUILD/limits" million
	gives "a million small mappings are survived" 0 "lived through a million mappings"
	exec_tool -- "$BUILD/limits" holes
	gives "many holes in a mapping are survived" 0 "lived through many holes"
	mkdir -p "$work/files" "$work/names"
	head -c 16777216 /dev/urandom >"$work/files/big"
	mounts=(--memory 64M --mount "/data=$work/files")
	exec_tool "${mounts[@]}" -- "$BUILD/limits" file /data
	gives "files mapped without access past the limit are ENOMEM" 0 "ENOMEM after some"
	exec_tool "${mounts[@]}" -- "$BUILD/limits" name /data
	gives "names of mapped files past the limit are ENOMEM" 0 "ENOMEM after some"
	exec_tool --memory 64M -- "$BUILD/limits" mremap
	gives "moved memory without access counts" 137 "" "has filled the 67108864 bytes"
	exec_tool "${mounts[@]}" -- "$BUILD/limits" zero /data
	gives "anonymous memory is zero, whatever was there before" 0 "done"
	exec_tool --memory 64M -- "$BUILD/limits" sparse
	gives "memory that was never filled is moved" 0 "moved"
	at_most "moving it takes no memory" 300
	exec_tool -- "$BUILD/limits" signals
	gives "signals past the limit are EAGAIN, and none before is lost" 0 "EAGAIN after some"
	# These two fill limits that take seconds to fill.
	if tap_wants_all; then
		exec_tool "${mounts[@]}" -- "$BUILD/limits" mappings /data
		gives "mappings past the limit are ENOMEM" 0 "ENOMEM after some"
		(cd "$work/names" && seq -f "%0250.0f" 1000 | xargs touch)
		exec_tool --mount "/data=$work/names" -- "$BUILD/limits" listings /data
		gives "directory listings past the limit are ENOMEM" 0 "ENOMEM after some"
	fi
	exec_tool --memory 256M -- "$BUILD/limits" spread 128
	gives "code spread over much memory is executed" 0 "executed"
	at_most "decoding it takes a bounded amount of memory" 700
	tool_command=run
	exec_tool --memory 256M -- "$BUILD/limits" spread 128
	report "code spread over much memory is simulated" \
		"$(yes_if [ "$status" = 0 ])" "expected status 0"
	at_most "counting it takes a bounded amount of memory" 1200
	tool_command=
	exec_tool --memory 1M -- "$BUILD/limits" mmap
	report "a program that does not fit in memory is refused or told ENOMEM" \
		"$(yes_if told_or_refused)" "expected 125, 137, 139 or ENOMEM"
}

code()
{
	local title=$1 mode=$2

	shift 2
	exec_tool --timeout 20 -- "$BUILD/code" "$mode"
	gives "$title" "$@"
}

refused_or_faulted()
{
	printed "refused 7" || ended_with 139
}

group_code()
{
	code "code changed before fence.i is seen changed" fenced 0 "sum 500500"
	code "code changed without fence.i gives old or new values" unfenced 0 "plausible values"
	code "a jump to an odd address clears the lowest bit" odd 0 1
	code "a jump to unmapped memory is SIGSEGV" unmapped 139 "" 1234567000
	code "a jump to zero is SIGSEGV" null 139 ""
	code "a jump into the kernel's half is SIGSEGV" kernel 139 ""
	code "a jump to a page that may not be executed is SIGSEGV" noexec 139 ""
	code "an instruction that ends on an unmapped page is SIGSEGV" straddle 139 ""
	code "an illegal instruction is SIGILL, with pc and function" illegal 132 "" \
		illegal_here "pc\|0x[0-9a-f]"
	code "an instruction of zeros is SIGILL, with the function" zero 132 "" zero_here
	code "a privileged instruction is SIGILL, with the function" privileged 132 "" privileged_here
	code "ebreak is SIGTRAP" ebreak 133 ""
	code "a wild store is SIGSEGV, with the function" store 139 "" store_here
	code "a wild stack pointer is SIGSEGV" stack 139 ""
	code "endless recursion is SIGSEGV" recursion 139 ""
	code "a handler at a wild address is SIGSEGV" handler 139 ""
	code "an alternate stack at a wild address is SIGSEGV" altstack 139 ""
	code "rt_sigreturn from a wild stack is SIGSEGV" sigreturn 139 ""
	code "rt_sigreturn from garbage is SIGSEGV" sigreturn-garbage 139 ""
	code "a robust list that is a ring ends" robust-loop 0 lived
	code "a robust list at a wild address is survived" robust-wild 0 lived
	code "a robust list with wild entries is survived" robust-entry 0 lived
	code "a wild set_tid_address is survived at exit" tid 0 lived
	exec_tool --timeout 20 -- "$BUILD/code" clone
	report "clone with wild arguments ends nobody but the guest" \
		"$(yes_if refused_or_faulted)" \
		"expected seven refusals, or the guest's own SIGSEGV"
	code "no process but the guest can be signalled" kill 0 "init unseen, parent unseen"
}

group_endless()
{
	local size holds=no

	exec_tool --max-insns 1000000 -- "$BUILD/endless" spin
	gives "a loop is ended by --max-insns, result partial" 124 begun partial
	exec_tool --timeout 1 -- "$BUILD/endless" spin
	gives "a loop is ended by --timeout, result partial" 124 begun partial
	exec_tool --timeout 1 -- "$BUILD/code" recursion
	gives "a limit does not hide a fault" 139 ""
	exec_tool --timeout 10 -- "$BUILD/endless" deadlock
	gives "threads that wait for each other are a deadlock, with functions" 125 begun \
		deadlock "lock\|futex\|take_second"
	exec_tool --max-insns 100000 -- "$BUILD/endless" flood
	size=$(stat -c %s "$work/out")
	[ "$status" = 124 ] && [ "$size" -gt 65536 ] && holds=yes
	report "a flood of output is ended by --max-insns, what was written arrives" \
		$holds "got $size bytes"
	exec_tool --timeout 1 -- "$BUILD/endless" sleep
	gives "an endless sleep is ended by --timeout" 124 begun partial
	exec_tool --timeout 1 -- "$BUILD/endless" pause
	report "a pause that nothing can end is a deadlock or a timeout" \
		"$(yes_if ended_with 124 125)" "expected 124 or 125"
	exec_tool --timeout 10 --max-insns 20M --memory 512M -- "$BUILD/endless" threads
	report "a flood of threads is survived" \
		"$(yes_if ended_with 0 124)" "expected 0 or 124"
	exec_tool --max-insns 0 -- "$BUILD/endless" spin
	report "--max-insns 0 runs nothing or is refused" \
		"$(yes_if ended_with 124 2)" "expected 124 or 2"
}

group_timers()
{
	local mode

	for mode in ignored blocked virtual; do
		exec_tool --timeout 20 -- "$BUILD/timers" $mode
		gives "a pause that $mode timers cannot end is a deadlock" 125 begun deadlock
	done
	exec_tool --timeout 20 --max-insns 1M -- "$BUILD/timers" sleep
	gives "a day's sleep with a timer that does not wake ends at once" 0 \
		"$(printf 'begun\nslept, pending')"
	exec_tool -- "$BUILD/timers" exec
	report "a thousand refused programs are reported once" \
		"$(yes_if [ "$(wc -l <"$work/err")" -le 1 ])" "got $(wc -l <"$work/err") lines"
}

group_shared()
{
	local mode

	mkdir -p "$work/shared"
	for mode in move part shrink; do
		exec_tool --mount "/data=$work/shared" -- "$BUILD/shared" $mode /data/file
		gives "what is written to a shared mapping is kept: $mode" 0 "done"
	done
	exec_tool -- "$BUILD/mappings" vanish
	gives "a shared mapping mapped once more over itself is gone" 0 EFAULT
	exec_tool --memory 64M --mount "/data=$work/shared" -- "$BUILD/mappings" /data/file 100
	gives "whatever is done to mappings, what is charged is what is mapped" 0 "as before"
	ulimit -S -n 64
	exec_tool --mount "/data=$work/shared" -- "$BUILD/shared" descriptors /data/file
	gives "what is written to a shared mapping is kept without free descriptors" 0 "done"
	ulimit -S -n "$(ulimit -H -n)"
}

group_names()
{
	local name shown

	mkdir -p "$work/files"
	# Bytes that are no UTF-8, and what a result has in their place.
	while read -r name shown; do
		# shellcheck disable=SC2059
		name=$(printf "$name")
		tool_command=run
		exec_tool --json "$work/json" --mount "/data=$work/files" -- \
			"$BUILD/names" execute "/data/$name"
		tool_command=
		report "code from a file named $(printf %q "$name") is charged to $shown" \
			"$(yes_if grep -q "\"name\": \"$shown\"" "$work/json")" "expected its name"
	done <<-'END'
		\xff\xfe ??
		\xc0\x80 ??
		\xed\xa0\x80 ???
		\xf5\x80\x80\x80 ????
		a\xe2\x82 a??
		\xc3\xa9\xff é?
	END
	exec_tool --argv0 "$(printf %060000d 0)" -- "$BUILD/names" argv0
	gives "a long argv[0] shows nothing of the tool's memory" 0 ENAMETOOLONG
	ulimit -S -f 1024
	exec_tool --mount "/data=$work/files" -- "$BUILD/names" fill /data/filled
	ulimit -S -f "$(ulimit -H -f)"
	gives "the host's limit on the size of files is EFBIG" 0 EFBIG
}

group_descriptors()
{
	mkdir -p "$work/flood"
	exec_tool --mount "/data=$work/flood" -- "$BUILD/descriptors" /data
	gives "closing all descriptors and opening too many is EMFILE" 0 ""
}

# closed CLOSED RESULT: runs forge with these standard descriptors closed.
closed()
{
	local closed=$1 before=$SECONDS

	(
		for fd in $closed; do
			eval "exec $fd>&-"
		done
		exec timeout -s KILL 20 "$CYCLESTACK" exec --timeout 1 -- "$BUILD/forge" "$2"
	)
	status=$?
	took=$((SECONDS - before))
} >/dev/null 2>/dev/null

group_forgery()
{
	local standard took
	local forged='{"schema":"cyclestack-exec-1","program":{"name":"forge","sha256":"00"},
		"instructions":1,"partial":false,"status":42,"memory_bytes":1,
		"unknown_syscalls":0,"syscalls":{},"live_thread_instructions":[]}'

	local -a sets=("0" "1 2" "0 1 2")

	! tap_wants_all || sets=(0 1 2 "0 1" "1 2" "0 2" "0 1 2")
	for standard in "${sets[@]}"; do
		closed "$standard" "$forged"
		gives "no result is forged with $standard closed" 7 -
		closed "$standard" half
		report "half a result does not delay --timeout with $standard closed" \
			"$(yes_if [ "$status" = 124 -a "$took" -lt 10 ])" "took $took s"
	done
}

# Counts the processes of a session that have not ended.
session_size()
{
	ps -o stat= --sid "$1" | grep -c -v '^Z'
}

group_orphans()
{
	local leader waited=0 command
	local -a program

	for command in exec run judge; do
		program=("$BUILD/endless" spin)
		[ $command = judge ] && program=("${program[*]}")
		setsid "$CYCLESTACK" $command -- "${program[@]}" >/dev/null 2>&1 &
		leader=$!
		while [ "$(session_size $leader)" -lt 2 ] && [ $waited -lt 100 ]; do
			sleep 0.1
			waited=$((waited + 1))
		done
		sleep 0.5
		kill -KILL $leader
		wait $leader 2>/dev/null
		sleep 1
		status=0
		report "$command leaves no process behind when it is killed" \
			"$(yes_if [ "$waited" -lt 100 -a "$(session_size $leader)" = 0 ])" \
			"$(ps -o pid=,args= --sid $leader | head -n 3)"
		ps -o pid= --sid $leader | xargs -r kill -KILL
	done
}

# refused TITLE FILE [OPTION...]: one line from the tool, with the file's name.
refused()
{
	local title=$1 file=$2 holds=no lines

	shift 2
	exec_tool "$@" -- "$file"
	lines=$(wc -l <"$work/err")
	{ [ "$status" = 125 ] || [ "$status" = 2 ]; } && [ "$lines" = 1 ] && [ ! -s "$work/out" ] &&
		grep -q '^cyclestack: ' "$work/err" &&
		grep -q -F -e "$(basename "$file")" "$work/err" && holds=yes
	report "$title" $holds "expected 125 and one line 'cyclestack: ... $(basename "$file") ...'"
}

group_input()
{
	local good=$BUILD/paths bad=$work/bad size n at holds near=3 far=17

	mkdir -p "$bad"
	size=$(stat -c %s "$good")
	: >"$bad/empty"
	echo "just some text, long enough to hold an ELF header if it were one, which it is not" \
		>"$bad/text"
	printf '#!/bin/sh\necho hello\n' >"$bad/script"
	head -c 100000 "$good" | tr '\177' '\176' >"$bad/nomagic"
	chmod +x "$bad"/*
	refused "an empty file is refused" "$bad/empty"
	refused "a text is refused" "$bad/text"
	refused "a script is refused" "$bad/script"
	refused "an ELF file without its magic is refused" "$bad/nomagic"
	refused "a directory is refused" "$bad"
	refused "a missing file is refused" "$bad/absent"
	refused "a file in a missing directory is refused" "$bad/absent/program"
	refused "a program of the host is refused" "$(readlink -f /bin/true)"
	refused "a device is refused" /dev/null
	mkfifo "$bad/fifo"
	refused "a fifo is refused" "$bad/fifo"
	for n in 1 4 16 40 63 64 65 120 $((size / 100)) $((size / 4)) $((size / 2)); do
		head -c "$n" "$good" >"$bad/cut_$n"
		refused "a program cut to $n bytes is refused" "$bad/cut_$n"
	done
	riscv64-linux-gnu-gcc -O1 -c -o "$bad/object.o" "$here/endless.c"
	refused "an object file is refused" "$bad/object.o"
	riscv64-linux-gnu-gcc -O1 -o "$bad/dynamic" "$here/endless.c"
	refused "a dynamic program without --sysroot is refused" "$bad/dynamic"
	mkdir "$bad/sysroot"
	refused "a dynamic program with an empty sysroot is refused" "$bad/dynamic" \
		--sysroot "$bad/sysroot"
	report "the message names the interpreter or the option" \
		"$(yes_if said 'ld-linux\|sysroot\|interpreter')" "expected ld-linux or --sysroot"
	if [ "$(id -u)" = 0 ]; then
		skip "an unreadable file is refused" "root can read everything"
	else
		cp "$good" "$bad/unreadable"
		chmod 0 "$bad/unreadable"
		refused "an unreadable file is refused" "$bad/unreadable"
	fi

	# Bytes of the headers become 0xff and 0: any result is allowed except a crash.
	! tap_wants_all || near=1 far=5
	for n in 255 0; do
		holds=yes
		at=0
		while [ $at -lt 400 ] && [ $holds = yes ]; do
			cp "$good" "$bad/flipped"
			# shellcheck disable=SC2059
			printf "\\$(printf %o $n)" |
				dd of="$bad/flipped" bs=1 seek=$at conv=notrunc 2>/dev/null
			exec_tool --max-insns 2000000 --timeout 10 -- "$bad/flipped" read /absent
			case $status in
			3?? | hangs) holds=no ;;
			esac
			said "internal error\|AddressSanitizer\|runtime error" && holds=no
			at=$((at + (at < 64 ? near : far)))
		done
		report "headers with a byte changed to $n are survived" $holds "up to byte $at"
	done

	exec_tool
	gives "no program at all is a usage error" 2 "" "^cyclestack: "
	exec_tool --no-such-option -- "$good"
	gives "an unknown option is a usage error that names it" 2 "" no-such-option
	exec_tool --mount nonsense -- "$good"
	gives "a mount without = is a usage error" 2 "" "mount\|nonsense"
	exec_tool --mount "/data=$bad/absent" -- "$good" list /data
	holds=no
	ended_with 2 125 && said absent && holds=yes
	report "a mount of a missing directory is refused by name" $holds \
		"expected 2 or 125 and the directory's name"
	exec_tool --memory lots -- "$good"
	gives "a memory size that is none is a usage error" 2 "" "memory\|lots"
	exec_tool --max-insns -5 -- "$good"
	gives "a negative number of instructions is a usage error" 2 "" max-insns
}

ulimit -c 0
command -v $CC >/dev/null || missing "$CC is not installed"
[ -x "$CYCLESTACK" ] || missing "$CYCLESTACK has not been built"
mkdir -p "$BUILD"
BUILD=$(cd "$BUILD" && pwd -P)
for source in "$here"/*.c; do
	program=$BUILD/$(basename "$source" .c)
	[ "$program" -nt "$source" ] && continue
	# shellcheck disable=SC2086
	$CC $CFLAGS -o "$program" "$source" || {
		echo "Bail out! $source does not build"
		exit 1
	}
done

[ $# -gt 0 ] || set -- "${groups[@]}"
for group; do
	work=$BUILD/work.$group
	rm -rf "$work"
	mkdir -p "$work"
	: >"$work/err"
	: >"$work/out"
	mounts=()
	"group_$group"
done
echo "1..$number"
[ $failed -eq 0 ] || echo "# $failed of $number failed"
[ $failed -eq 0 ]
