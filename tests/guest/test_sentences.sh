#!/bin/bash
# What a program is told that ends badly or asks for what there is not: each sentence, word by word.
. "$(dirname "$0")/../head.sh"
needs "$cross"
cat >ends.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
	const char *how = argv[1];

	if (!strcmp(how, "load"))
		return *(volatile char *)0x1234;
	if (!strcmp(how, "store"))
		*(volatile char *)mmap((void *)0x70000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) = 1;
	if (!strcmp(how, "misaligned"))
		__asm__ volatile("amoadd.w zero, zero, (%0)" ::"r"(1 + (char *)mmap((void *)0x70000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)));
	if (!strcmp(how, "illegal"))
		__asm__ volatile(".word 0xffffffff");
	if (!strcmp(how, "ebreak"))
		__asm__ volatile("ebreak");
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "signal"))
		raise(atoi(argv[2]));
	if (!strcmp(how, "forged")) {
		siginfo_t info = {.si_code = SI_QUEUE};
		syscall(SYS_rt_sigqueueinfo, getpid(), SIGSEGV, &info);
	}
	if (!strcmp(how, "deadlock")) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&lock);
	}
	if (!strcmp(how, "fork"))
		for (int i = 0; i < 2; i++)
			fork(), vfork();
	if (!strcmp(how, "exec"))
		for (int i = 0; i < 2; i++)
			execv("/x", argv);
	if (!strcmp(how, "open"))
		for (int i = 2; i < argc; i++)
			open(argv[i], O_RDONLY);
	if (!strcmp(how, "network"))
		socket(AF_NETLINK, SOCK_RAW, 0), socket(AF_INET, SOCK_STREAM, 0), socket(AF_INET6, SOCK_DGRAM, 0);
	if (!strcmp(how, "create"))
		for (int i = 2; i < argc; i++)
			open(argv[i], O_WRONLY | O_CREAT, 0600);
	if (!strcmp(how, "call"))
		for (int i = 2; i < argc; i++)
			syscall(atol(argv[i]), 0);
	if (!strcmp(how, "memory"))
		for (int i = 0; i < 2; i++)
			mmap(NULL, 1ul << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return 9;
}
END
"$cross" -O1 -g -static -pthread -w -o ends ends.c 2>log || {
	tap_not_ok "the program builds" "$(cat log)"
	tap_done
}

# says TITLE STATUS SENTENCES OPTIONS... -- ARGUMENTS: exit status and standard error, with AT for a place in a function
says() {
	local title=$1 status=$2 sentences=$3 options=()
	shift 3
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	timeout 20 "$cyclestack" exec ${options[@]+"${options[@]}"} -- ./ends "$@" >out 2>err </dev/null
	tap_is "$title: exit status" $? "$status"
	tap_is "$title: sentences" "$(sed 's/0x[0-9a-f]* in [A-Za-z0-9_.]*+0x[0-9a-f]*/AT/g; s/^cyclestack: //' err)" "$sentences"
}

says "a load of nothing" 139 "the program was killed by SIGSEGV at AT: nothing is mapped at address 0x1234" -- load
says "a store to what is read only" 139 \
	"the program was killed by SIGSEGV at AT: access its mapping does not permit at address 0x70000000" -- store
says "an atomic access across its alignment" 135 \
	"the program was killed by SIGBUS at AT: misaligned atomic access at address 0x70000001" -- misaligned
says "an illegal instruction" 132 "the program was killed by SIGILL at AT: 0xffffffff belongs to no known extension: it is longer than 32 bits; executed are RV64GC, Zba, Zbb, Zbc and Zbs" -- illegal
says "a breakpoint" 133 "the program was killed by SIGTRAP at AT" -- ebreak
says "abort" 134 "the program was killed by SIGABRT at AT" -- abort
says "SIGTERM" 143 "the program was killed by SIGTERM at AT" -- signal 15
says "SIGKILL" 137 "the program was killed by SIGKILL at AT" -- signal 9
says "a real-time signal" 178 "the program was killed by SIGRT at AT" -- signal 50
says "signals that are ignored" 9 "" -- signal 17
says "a signal that looks like a fault" 139 "the program was killed by SIGSEGV at AT" -- forged
says "a deadlock" 125 \
	"deadlock: every thread waits and none can wake another: thread 1000 at AT, called from AT" -- deadlock
says "no second process" 9 "fork at AT: the program asked for a second process, which is not simulated: answered ENOSYS" -- fork
says "no network" 9 "socket at AT: the program asked for a network (IPv4), and there is none: answered EAFNOSUPPORT" -- network
mkdir given
says "no writing where it may read alone" 9 'the program tried to write "/given/x", which is mounted to be read alone: answered EROFS (to allow it: leave :ro out of its --mount; further ones are not reported)' \
	--mount /given=given:ro -- create /given/x /given/y
says "no other program" 9 "exec at AT: the program asked to become another one, which is not simulated: answered ENOSYS" -- exec
says "an absolute name" 9 'the program asked for "/etc/x/y", which no --mount covers: answered ENOENT (to allow it: --mount /etc/x=/etc/x, if that directory of the host has it; further ones are not reported)' -- open /etc/x/y /other
says "a name below the root" 9 'the program asked for "/y", which no --mount covers: answered ENOENT (to allow it: --mount /=/, if that directory of the host has it; further ones are not reported)' -- open /y
says "a relative name" 9 'the program asked for "/x/y", which no --mount covers: answered ENOENT (to allow it: --mount /=., if that directory of the host has it; further ones are not reported)' -- open x/y
says "names that describe the host" 9 "" -- open /proc/none /sys/none /dev/none
says "the first of names that counts" 9 'the program asked for "/procx", which no --mount covers: answered ENOENT (to allow it: --mount /=/, if that directory of the host has it; further ones are not reported)' -- open /proc/none /procx
says "calls that there are not" 9 "system call io_setup at AT is not implemented: answered ENOSYS
system call number 511 at AT is not implemented: answered ENOSYS" -- call 0 0 511 511
says "calls above all that there are" 9 "system call number 512 at AT is not implemented: answered ENOSYS" -- call 512 512 600
says "with --strict" 125 "system call io_setup at AT is not implemented and --strict was given" --strict -- call 0 1
timeout 20 "$cyclestack" exec --memory 100M -- ./ends memory >out 2>err
tap_is "memory: exit status" $? 9
tap_is "memory: sentences" "$(sed 's/0x[0-9a-f]* in [A-Za-z0-9_.]*+0x[0-9a-f]*/AT/g; s/and [0-9]* of/and N of/' err)" \
	"cyclestack: system call mmap at AT needs 1073741824 bytes more memory, and N of the 104857600 that --memory allows are in use: answered that there is none (to raise it: --memory SIZE; further ones are not reported)"
tap_done
