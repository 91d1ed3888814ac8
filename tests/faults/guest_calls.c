/*
 * guest_calls SEED FROM TO: makes the random system calls FROM to TO-1 of the sequence that SEED
 * gives. Every call depends on SEED and its own number alone, so a part of the range repeats the
 * calls that it had in the whole. Numbers are those of Linux and some far from them, arguments are
 * at the edges of what is valid. Signals are caught; calls that end the program are left out, and
 * what else ends it (an unmapped stack, a lost program text) is the program's own end.
 *
 * Prints the seed and the number of calls in the end, if there still is a descriptor for that.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PAGE 4096

static sigjmp_buf again;

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void caught(int number)
{
	if (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE)
		siglongjmp(again, 1);
}

/* Handlers may have been changed by the calls before. */
static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = caught, .sa_flags = SA_NODEFER};

	for (int number = 1; number < 32; number++)
		if (number != SIGKILL && number != SIGSTOP)
			sigaction(number, &action, NULL);
}

/* Objects of every kind, so that small numbers are their descriptors. */
static void open_objects(void)
{
	int pair[2];

	for (int round = 0; round < 2; round++) {
		pipe2(pair, round ? O_NONBLOCK : 0);
		socketpair(AF_UNIX, round ? SOCK_STREAM : SOCK_SEQPACKET, 0, pair);
		socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
		eventfd(1, round ? EFD_SEMAPHORE : 0);
		timerfd_create(CLOCK_MONOTONIC, 0);
		epoll_create1(0);
		memfd_create("guest", MFD_ALLOW_SEALING);
		socket(AF_UNIX, SOCK_STREAM, 0);
	}
}

/* The structures that calls read: a message with control data, an event, a time, a name. */
static void fill_structures(unsigned char *at, uint64_t *state)
{
	struct iovec *range = (struct iovec *)(at + 256);
	struct msghdr *message = (struct msghdr *)at;
	struct cmsghdr *control = (struct cmsghdr *)(at + 384);
	struct sockaddr_un *name = (struct sockaddr_un *)(at + 512);
	int64_t *times = (int64_t *)(at + 768);
	uint32_t *event = (uint32_t *)(at + 896);

	*range = (struct iovec){at + 1024, next(state) % 256};
	*message = (struct msghdr){.msg_iov = range, .msg_iovlen = next(state) % 3};
	message->msg_control = next(state) % 2 ? control : NULL;
	message->msg_controllen = next(state) % 64;
	message->msg_name = next(state) % 2 ? name : NULL;
	message->msg_namelen = next(state) % 112;
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = 16 + 4 * (next(state) % 4);
	for (int i = 0; i < 4; i++)
		((int *)(control + 1))[i] = (int)(next(state) % 24);
	name->sun_family = AF_UNIX;
	memcpy(name->sun_path, next(state) % 2 ? "\0name" : "/tmp/s", 7);
	for (int i = 0; i < 4; i++)
		times[i] = (int64_t)(next(state) % 3);
	event[0] = (uint32_t)next(state) & 0xf800301f;
}

static long random_number(uint64_t *state)
{
	/* Half of the calls are about objects that can be waited for. */
	static const long waiting[] = {
		SYS_eventfd2,
		SYS_epoll_create1,
		SYS_epoll_ctl,
		SYS_epoll_ctl,
		SYS_epoll_pwait,
		SYS_epoll_pwait2,
		SYS_signalfd4,
		SYS_vmsplice,
		SYS_splice,
		SYS_tee,
		SYS_sendfile,
		SYS_timerfd_create,
		SYS_timerfd_settime,
		SYS_timerfd_gettime,
		SYS_timer_create,
		SYS_timer_settime,
		SYS_timer_gettime,
		SYS_timer_getoverrun,
		SYS_timer_delete,
		SYS_socket,
		SYS_socketpair,
		SYS_bind,
		SYS_listen,
		SYS_accept4,
		SYS_connect,
		SYS_getsockname,
		SYS_getpeername,
		SYS_sendto,
		SYS_recvfrom,
		SYS_setsockopt,
		SYS_getsockopt,
		SYS_shutdown,
		SYS_sendmsg,
		SYS_recvmsg,
		SYS_sendmmsg,
		SYS_recvmmsg,
		SYS_memfd_create,
		SYS_ftruncate,
		SYS_copy_file_range,
		SYS_ppoll,
		SYS_pselect6,
		SYS_futex,
		SYS_futex,
		SYS_read,
		SYS_write,
		SYS_dup,
		SYS_dup3,
		SYS_close,
		SYS_fcntl,
		SYS_lseek,
		SYS_fstat,
		SYS_pipe2,
	};
	static const long wild[] = {468, 1000, 1 << 20, INT_MAX, INT_MIN, -1, LONG_MAX, LONG_MIN};
	long number;

	do
		number = next(state) % 32
				 ? next(state) % 2 ? waiting[next(state) %
							     (sizeof(waiting) / sizeof(waiting[0]))]
						   : (long)(next(state) % 468)
				 : wild[next(state) % 8];
	while (number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn ||
	       /* A thread with a wild stack or thread pointer ends the program, so few are made. */
	       ((number == SYS_clone || number == SYS_clone3) && next(state) % 256));
	return number;
}

static long random_argument(uint64_t *state, unsigned char *pages)
{
	static const char *const paths[] = {"/tmp/a", "/tmp", "/tmp/../..", "", "/tmp/b/c", "."};
	static const long edges[] = {0,	       1,	 -1,	  -100,	    8,	      PAGE,
				     PAGE - 1, INT_MIN,	 INT_MAX, 1l << 31, 1l << 32, 1l << 40,
				     LONG_MAX, LONG_MIN, 0xfff,	  0777};
	uint64_t which = next(state);

	switch (next(state) % 8) {
	case 0:
	case 1: return edges[which % 16];
	case 2: return (long)(which % 28); /* descriptors, signals, flags, small lengths */
	case 3: return (long)paths[which % 6];
	case 4: return (long)caught + (long)(which % 8); /* executable and not writable */
	case 5: return (long)pages + (long)(which % 6) * PAGE - (long)(next(state) % 9);
	case 6: return 1l << which % 64;
	default:
		return (long)pages +
		       (which % 2 ? (long)(which / 2 % 8) * 128 : (long)(which % PAGE));
	}
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	long from = argc > 2 ? atol(argv[2]) : 0, to = argc > 3 ? atol(argv[3]) : 1000;
	unsigned char *pages =
		mmap(NULL, 6 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct itimerval soon = {{0, 0}, {0, 1000}};
	volatile long n = from;

	mprotect(pages + 2 * PAGE, PAGE, PROT_READ);
	mprotect(pages + 3 * PAGE, PAGE, PROT_NONE);
	munmap(pages + 4 * PAGE, PAGE);
	/* What the tool says must not be mixed with what random writes would put there. */
	close(STDERR_FILENO);
	open_objects();
	sigsetjmp(again, 1);
	while (n < to) {
		uint64_t state = seed * 1000003 + (uint64_t)n++;
		long number = random_number(&state), a[6];

		for (int i = 0; i < 6; i++)
			a[i] = random_argument(&state, pages);
		catch_signals();
		setitimer(ITIMER_REAL, &soon, NULL); /* ends a wait */
		fill_structures(pages, &state);
		syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	printf("seed %llu, %ld calls\n", (unsigned long long)seed, to - from);
	fflush(stdout);
	_exit(0);
}
