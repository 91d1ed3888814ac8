/*
 * wild FIRST LAST: every system call in the range gets wild pointers, lengths and
 * descriptors in every argument. The program must survive, and pages it may not write
 * must keep their contents. The exit status is the report (0 survived, 3 a page
 * changed), since any descriptor may be closed during the run.
 *
 * Left out are the calls whose rightful effect would be to end, stop or unmap this
 * program or to signal others; pointers.c and code.c take them one by one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static const int left_out[] = {
	SYS_exit,
	SYS_exit_group,
	SYS_rt_sigreturn,
	SYS_munmap,
	SYS_mremap,
	SYS_mmap,
	SYS_mprotect,
	SYS_pkey_mprotect,
	SYS_madvise,
	SYS_process_madvise,
	SYS_clone,
	SYS_clone3,
	SYS_execve,
	SYS_execveat,
	SYS_kill,
	SYS_tkill,
	SYS_tgkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_pidfd_send_signal,
	SYS_ppoll,
	SYS_pselect6,
	SYS_epoll_pwait,
	SYS_epoll_pwait2,
	SYS_futex,
	SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait,
	SYS_wait4,
	SYS_waitid,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_reboot,
	SYS_shmat,
	SYS_remap_file_pages,
	449,
};

static unsigned char *scratch, *readonly, *none, *gone;
static uint64_t state = 99;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static int is_left_out(long number)
{
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
		if (left_out[i] == number)
			return 1;
	return 0;
}

static void call(long number, const long *a)
{
	syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	for (int i = 0; i < PAGE; i += 8)
		if (*(uint64_t *)(readonly + i) != 0xaaaaaaaaaaaaaaaau)
			_exit(3);
}

/* Calls close descriptors and make others in their place, some of which could block. */
static void renew_descriptors(void)
{
	int ends[2];

	for (int fd = 0; fd < 1100; fd++)
		if (fd != 2)
			close(fd);
	if (pipe2(ends, O_NONBLOCK))
		_exit(4);
	dup2(ends[0], 20);
	dup2(ends[1], 21);
}

int main(int argc, char **argv)
{
	long first = argc > 2 ? atol(argv[1]) : 0, last = argc > 2 ? atol(argv[2]) : 450;

	scratch = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(scratch, 0xaa, 4 * PAGE);
	readonly = scratch + PAGE;
	none = scratch + 2 * PAGE;
	gone = scratch + 3 * PAGE;
	mprotect(readonly, PAGE, PROT_READ);
	mprotect(none, PAGE, PROT_NONE);
	munmap(gone, PAGE);

	const long wild[] = {0,
			     1,
			     -1,
			     -8,
			     (long)0xffffffff80000000u,
			     1l << 40,
			     INT64_MAX,
			     INT64_MIN,
			     (long)gone,
			     (long)none,
			     (long)readonly,
			     (long)readonly - 4,
			     (long)readonly + PAGE - 3,
			     (long)scratch,
			     1l << 31,
			     20,
			     21};
	const int count = sizeof(wild) / sizeof(wild[0]);
	const long bases[][6] = {{21, (long)scratch, 16, 0, 0, 0},
				 {20, (long)scratch, 16, 0, 0, 0},
				 {-100, (long)scratch, (long)scratch, (long)scratch, 0, 0},
				 {(long)scratch, (long)scratch, 8, 8, 8, 8}};

	for (long number = first; number <= last; number++) {
		if (is_left_out(number))
			continue;
		renew_descriptors();
		for (int w = 0; w < count; w++) {
			long all[6] = {wild[w], wild[w], wild[w], wild[w], wild[w], wild[w]};

			call(number, all);
			for (size_t b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
				for (int position = 0; position < 6; position++) {
					long args[6];

					memcpy(args, bases[b], sizeof(args));
					args[position] = wild[w];
					call(number, args);
				}
			}
		}
		for (int round = 0; round < 60; round++) {
			long args[6];

			for (int i = 0; i < 6; i++)
				args[i] = wild[next() % count];
			call(number, args);
		}
	}
	_exit(0);
}
