/*
 * random_calls.c - makes random system calls, and prints what each answers.
 *
 *	random_calls SEED COUNT DIRECTORY
 *
 * Every call of the table below gets arguments of the kinds it wants, each drawn from valid,
 * borderline and wild values with names. A line has the call, its arguments by name, and its
 * result: the name of the error, or the value where every machine must give the same, or "ok".
 *
 * Invariants: what a call may change is limited to the objects made here and to DIRECTORY, which
 * must be empty, and is put back before each call, so that each line stands for itself. No call
 * waits: descriptors do not block and timeouts are short. No call reaches another process or a
 * setting of the machine. Values whose answer depends on the host's file system, limits, user or
 * path names are not in the lists.
 *
 * It compiles for any 64-bit Linux, so that the kernel of the host can be asked as well.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PAGE	 4096
#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

struct value {
	const char *name;
	int64_t value;
};

/* The kinds of arguments; each has a list of values. */
enum kind {
	NONE,
	FD, /* a descriptor */
	AT, /* a directory's descriptor */
	PATH,
	OUT, /* memory to be filled */
	IN,  /* memory to be read: zeros */
	LENGTH,
	OFFSET,
	WHENCE,
	OPEN_FLAGS,
	MODE,
	SMALL, /* commands and choices */
	FLAGS, /* bits */
	FCNTL,
	TIME,  /* a struct timespec */
	ITIME, /* a struct itimerspec */
	CLOCK,
	SIGNAL,
	SET, /* a signal set */
	SET_SIZE,
	VECTOR,	 /* struct iovec */
	VECTORS, /* how many */
	EXTENT,	 /* bytes of that region, or no sensible number */
	ADDRESS, /* within a region that is mapped anew for each call */
	PROT,
	MAP_FLAGS,
	ADVICE,
	POLLS,
	POLL_COUNT,
	LIMIT,
	EPOLL_OP,
	EPOLL_EVENT,
	ID,
	WHO,   /* whose priority */
	WHICH, /* whose kind of priority may be set: no one else's */
	REMAP_FLAGS,
	TARGET,	      /* where a region may be moved to */
	FAR_OUT,      /* memory to be filled, with room for anything or for nothing */
	FAR_LENGTH,   /* enough for anything or for nothing */
	MEMORY_FLAGS, /* of memfd_create */
	RENAME_FLAGS,
	SAME,	  /* an id that leaves the one there is */
	POSITION, /* a pointer to an offset */
	SPLICE_FLAGS,
	FAMILY,
	SOCKET_TYPE,
	MESSAGE_FLAGS,
	MESSAGE,
	NAME, /* a socket's address */
	NAME_LENGTH,
	NAME_ROOM, /* a pointer to the bytes there are for an address or option */
	LEVEL,
	OPTION,
	CLOSE_FROM,
	CLOSE_TO,
	LOCK_COMMAND,
	LOCK,
	LOCK_OPERATION,
	CONTROL, /* of ioctl */
	PROCESS_CONTROL,
	SIGNAL_EVENT,
	TIMER,
	WORD,
	FUTEX_OPERATION,
	ONLY_SELF,
	NO_SIGNAL, /* a signal number that sends nothing */
	GROUP_ROOM,
	FD_COUNT,
	WAIT,	     /* qemu sleeps for a time of its own where it cannot read one */
	MASK_LENGTH, /* qemu takes what is asked for from its stack: nothing long */
	KINDS
};

/* What may be printed of a result that is no error. */
enum result { VALUE, OK, NEW_FD };

struct call {
	const char *name;
	long number;
	enum result result;
	enum kind kinds[6];
};

#define CALL(name, result, ...)            \
	{                                  \
#name, SYS_##name, result, \
		{                          \
			__VA_ARGS__        \
		}                          \
	}

static const struct call calls[] = {
	CALL(read, VALUE, FD, OUT, LENGTH),
	CALL(write, VALUE, FD, IN, LENGTH),
	CALL(pread64, VALUE, FD, OUT, LENGTH, OFFSET),
	CALL(pwrite64, VALUE, FD, IN, LENGTH, OFFSET),
	CALL(readv, VALUE, FD, VECTOR, VECTORS),
	CALL(writev, VALUE, FD, VECTOR, VECTORS),
	CALL(preadv, VALUE, FD, VECTOR, VECTORS, OFFSET),
	CALL(pwritev, VALUE, FD, VECTOR, VECTORS, OFFSET),
	CALL(lseek, VALUE, FD, OFFSET, WHENCE),
	CALL(ftruncate, VALUE, FD, OFFSET),
	CALL(truncate, VALUE, PATH, OFFSET),
	CALL(fallocate, VALUE, FD, SMALL, OFFSET, OFFSET),
	CALL(fsync, VALUE, FD),
	CALL(fdatasync, VALUE, FD),
	CALL(openat, NEW_FD, AT, PATH, OPEN_FLAGS, MODE),
	CALL(faccessat, VALUE, AT, PATH, SMALL),
	CALL(newfstatat, OK, AT, PATH, OUT, FLAGS),
	CALL(fstat, OK, FD, OUT),
	CALL(statx, OK, AT, PATH, FLAGS, SMALL, OUT),
	CALL(mkdirat, VALUE, AT, PATH, MODE),
	CALL(unlinkat, VALUE, AT, PATH, FLAGS),
	CALL(symlinkat, VALUE, PATH, AT, PATH),
	CALL(linkat, VALUE, AT, PATH, AT, PATH, FLAGS),
	CALL(renameat2, VALUE, AT, PATH, AT, PATH, RENAME_FLAGS),
	CALL(readlinkat, OK, AT, PATH, OUT, LENGTH),
	CALL(fchmod, VALUE, FD, MODE),
	CALL(fchmodat, VALUE, AT, PATH, MODE),
	CALL(utimensat, VALUE, AT, PATH, TIME, FLAGS),
	CALL(getdents64, OK, FD, OUT, LENGTH),
	CALL(getcwd, OK, FAR_OUT, FAR_LENGTH),
	CALL(dup, NEW_FD, FD),
	CALL(dup3, VALUE, FD, FD, OPEN_FLAGS),
	CALL(fcntl, OK, FD, FCNTL, SMALL),
	CALL(pipe2, OK, OUT, OPEN_FLAGS),
	CALL(eventfd2, NEW_FD, SMALL, OPEN_FLAGS),
	CALL(epoll_create1, NEW_FD, OPEN_FLAGS),
	CALL(epoll_ctl, VALUE, FD, EPOLL_OP, FD, EPOLL_EVENT),
	CALL(epoll_pwait, VALUE, FD, OUT, SMALL, NONE, SET, SET_SIZE),
	CALL(timerfd_create, NEW_FD, CLOCK, OPEN_FLAGS),
	CALL(timerfd_settime, VALUE, FD, SMALL, ITIME, OUT),
	CALL(timerfd_gettime, OK, FD, OUT),
	CALL(memfd_create, NEW_FD, PATH, MEMORY_FLAGS),
	CALL(ppoll, VALUE, POLLS, POLL_COUNT, TIME, SET, SET_SIZE),
	CALL(clock_gettime, OK, CLOCK, OUT),
	CALL(clock_getres, OK, CLOCK, OUT),
	CALL(nanosleep, VALUE, WAIT, OUT),
	CALL(clock_nanosleep, VALUE, CLOCK, NONE, TIME, OUT),
	CALL(gettimeofday, OK, OUT, OUT),
	CALL(getitimer, OK, SMALL, OUT),
	CALL(rt_sigprocmask, VALUE, SMALL, SET, OUT, SET_SIZE),
	CALL(rt_sigaction, VALUE, SIGNAL, NONE, OUT, SET_SIZE),
	CALL(rt_sigpending, VALUE, OUT, SET_SIZE),
	CALL(rt_sigtimedwait, VALUE, SET, OUT, TIME, SET_SIZE),
	CALL(sigaltstack, VALUE, NONE, OUT),
	CALL(mmap, OK, ADDRESS, EXTENT, PROT, MAP_FLAGS, FD, OFFSET),
	CALL(munmap, VALUE, ADDRESS, EXTENT),
	CALL(mprotect, VALUE, ADDRESS, EXTENT, PROT),
	CALL(mremap, OK, ADDRESS, EXTENT, EXTENT, REMAP_FLAGS, TARGET),
	CALL(msync, VALUE, ADDRESS, EXTENT, SMALL),
	CALL(madvise, VALUE, ADDRESS, EXTENT, ADVICE),
	CALL(mincore, VALUE, ADDRESS, EXTENT, OUT),
	CALL(getrlimit, OK, LIMIT, OUT),
	CALL(prlimit64, OK, ID, LIMIT, NONE, OUT),
	CALL(getrusage, OK, SMALL, OUT),
	CALL(uname, OK, OUT),
	CALL(sched_getparam, VALUE, ID, OUT),
	CALL(sched_getscheduler, VALUE, ID),
	CALL(sched_get_priority_max, VALUE, SMALL),
	CALL(sched_get_priority_min, VALUE, SMALL),
	CALL(getrandom, VALUE, OUT, LENGTH, SMALL),
	CALL(getpriority, OK, SMALL, WHO),
	CALL(setpriority, VALUE, WHICH, WHO),
	CALL(umask, OK, MODE),
	CALL(chdir, VALUE, PATH),
	CALL(fchdir, VALUE, FD),
	CALL(fchown, VALUE, FD, SAME, SAME),
	CALL(fchownat, VALUE, AT, PATH, SAME, SAME, FLAGS),
	CALL(fadvise64, VALUE, FD, OFFSET, OFFSET, SMALL),
	CALL(flock, VALUE, FD, LOCK_OPERATION),
	{"fcntl", SYS_fcntl, VALUE, {FD, LOCK_COMMAND, LOCK}},
	CALL(ioctl, OK, FD, CONTROL, OUT),
	CALL(close_range, VALUE, CLOSE_FROM, CLOSE_TO, SMALL),
	CALL(pselect6, VALUE, FD_COUNT, OUT, OUT, OUT, TIME),
	CALL(signalfd4, NEW_FD, FD, SET, SET_SIZE, OPEN_FLAGS),
	CALL(splice, VALUE, FD, POSITION, FD, POSITION, LENGTH, SPLICE_FLAGS),
	CALL(tee, VALUE, FD, FD, LENGTH, SPLICE_FLAGS),
	CALL(vmsplice, VALUE, FD, VECTOR, VECTORS, SPLICE_FLAGS),
	CALL(sendfile, VALUE, FD, FD, POSITION, LENGTH),
	CALL(copy_file_range, VALUE, FD, POSITION, FD, POSITION, LENGTH, SMALL),
	CALL(socket, NEW_FD, FAMILY, SOCKET_TYPE, SMALL),
	CALL(socketpair, OK, FAMILY, SOCKET_TYPE, SMALL, OUT),
	CALL(sendto, VALUE, FD, IN, LENGTH, MESSAGE_FLAGS, NAME, NAME_LENGTH),
	CALL(recvfrom, VALUE, FD, OUT, LENGTH, MESSAGE_FLAGS, OUT, NAME_ROOM),
	CALL(sendmsg, VALUE, FD, MESSAGE, MESSAGE_FLAGS),
	CALL(recvmsg, VALUE, FD, MESSAGE, MESSAGE_FLAGS),
	CALL(connect, VALUE, FD, NAME, NAME_LENGTH),
	CALL(listen, VALUE, FD, SMALL),
	CALL(accept4, NEW_FD, FD, OUT, NAME_ROOM, SOCKET_TYPE),
	CALL(shutdown, VALUE, FD, SMALL),
	CALL(getsockname, VALUE, FD, OUT, NAME_ROOM),
	CALL(getpeername, VALUE, FD, OUT, NAME_ROOM),
	CALL(getsockopt, VALUE, FD, LEVEL, OPTION, OUT, NAME_ROOM),
	CALL(setsockopt, VALUE, FD, LEVEL, OPTION, IN, LENGTH),
	CALL(timer_create, OK, CLOCK, SIGNAL_EVENT, OUT),
	CALL(timer_settime, VALUE, TIMER, SMALL, ITIME, OUT),
	CALL(timer_gettime, VALUE, TIMER, OUT),
	CALL(timer_getoverrun, VALUE, TIMER),
	CALL(setitimer, VALUE, SMALL, ITIME, OUT),
	CALL(futex, VALUE, WORD, FUTEX_OPERATION, SMALL, TIME, WORD, SMALL),
	CALL(kill, VALUE, ONLY_SELF, NO_SIGNAL),
	CALL(tgkill, VALUE, ID, ONLY_SELF, NO_SIGNAL),
	CALL(setresuid, VALUE, SAME, SAME, SAME),
	CALL(setresgid, VALUE, SAME, SAME, SAME),
	CALL(setreuid, VALUE, SAME, SAME),
	CALL(setuid, VALUE, SAME),
	CALL(getresuid, OK, OUT, OUT, OUT),
	CALL(getgroups, OK, GROUP_ROOM, OUT),
	CALL(sched_getaffinity, OK, ID, MASK_LENGTH, FAR_OUT),
	CALL(sched_setaffinity, VALUE, ID, MASK_LENGTH, IN),
	CALL(sched_yield, VALUE),
	CALL(personality, OK, SAME),
	CALL(prctl, OK, PROCESS_CONTROL, OUT),
	CALL(sysinfo, OK, OUT),
	CALL(times, OK, OUT),
	CALL(getcpu, OK, OUT, OUT),
	CALL(mlock, VALUE, ADDRESS, EXTENT),
	CALL(munlock, VALUE, ADDRESS, EXTENT),
};

/* The descriptors: each has its number, and the numbers between are free. */
enum { FIRST = 20, DIRECTORY = FIRST, OTHER = 33, LAST = 34, CLOSED = 99 };

static struct {
	uint64_t random;
	uint8_t *buffer, *last, *read_only, *unmapped, *region;
	int file, directory, pipe_read, pipe_write, event, epoll, timer, path_only, other, stream,
		datagram, full_pipe, mail;
	char long_path[PATH_MAX + 16], long_name[300];
	struct timespec zero[2], past_second, negative, short_wait;
	struct itimerspec timer_off, timer_bad;
	sigset_t empty, full;
	/* Lists of the longest length there is: what follows the first elements is empty. */
	struct iovec vectors[1025], bad_vector[1025], huge_vector[1025];
	struct msghdr message, bad_message, many_message, control_message;
	struct sockaddr_un missing_name, wrong_family;
	int64_t position, position_past, position_negative;
	struct flock lock, lock_wrong_type, lock_wrong_whence;
	struct sigevent event_none, event_signal, event_wrong_signal, event_wrong_kind;
	uint32_t room, no_room, negative_room, word;
	int posix_timer;
	struct pollfd polls[4];
	struct epoll_event event_in;
} now;

static uint64_t draw(uint64_t below)
{
	now.random += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = now.random;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (z ^ (z >> 31)) % below;
}

#define POINTER(name, p)                     \
	{                                    \
		name, (int64_t)(intptr_t)(p) \
	}
#define NUMBER(n)     \
	{             \
#n, n \
	}

/* Draws a value of the kind. */
static struct value choose(enum kind kind)
{
	const struct value descriptors[] = {{"file", now.file},
					    {"directory", now.directory},
					    {"pipe-read", now.pipe_read},
					    {"pipe-write", now.pipe_write},
					    {"event", now.event},
					    {"epoll", now.epoll},
					    {"timer", now.timer},
					    {"path-only", now.path_only},
					    {"other", now.other},
					    {"stream", now.stream},
					    {"datagram", now.datagram},
					    {"full-pipe", now.full_pipe},
					    {"mail", now.mail},
					    {"closed", CLOSED},
					    NUMBER(-1),
					    NUMBER(INT_MIN),
					    {"many", 1 << 20}};
	const struct value at[] = {{"here", now.directory}, {"here", now.directory},
				   {"here", now.directory}, {"file", now.file},
				   {"closed", CLOSED},	    {"path-only", now.path_only}};
	const struct value paths[] = {POINTER("f", "f"),
				      POINTER("d", "d"),
				      POINTER("f2", "f2"),
				      POINTER("missing", "missing"),
				      POINTER("f/x", "f/x"),
				      POINTER("d/", "d/"),
				      POINTER("f/", "f/"),
				      POINTER("d/..", "d/.."),
				      POINTER("link", "link"),
				      POINTER("loop", "loop"),
				      POINTER("gone", "gone"),
				      POINTER("missing/x", "missing/x"),
				      POINTER("empty", ""),
				      POINTER(".", "."),
				      POINTER("null", NULL),
				      POINTER("unmapped", now.unmapped),
				      POINTER("long", now.long_path),
				      POINTER("long-name", now.long_name)};
	const struct value out[] = {
		POINTER("buffer", now.buffer),	     POINTER("buffer", now.buffer),
		POINTER("last-4", now.last - 4),     POINTER("last-64", now.last - 64),
		POINTER("read-only", now.read_only), POINTER("null", NULL),
		POINTER("unmapped", now.unmapped),   {"kernel", INT64_MIN}};
	const struct value in[] = {
		POINTER("zeros", now.read_only),   POINTER("zeros", now.read_only),
		POINTER("last-4", now.last - 4),   POINTER("null", NULL),
		POINTER("unmapped", now.unmapped), {"kernel", INT64_MIN}};
	const struct value lengths[] = {NUMBER(0),    NUMBER(1),
					NUMBER(7),    NUMBER(8),
					NUMBER(24),   NUMBER(100),
					NUMBER(PAGE), NUMBER(3 * PAGE),
					NUMBER(-1),   {"1<<47", INT64_C(1) << 47}};
	const struct value extents[] = {NUMBER(0), NUMBER(1), NUMBER(PAGE), NUMBER(PAGE + 1),
					NUMBER(3 * PAGE)};
	const struct value offsets[] = {NUMBER(0),	   NUMBER(1),	     NUMBER(100),
					NUMBER(PAGE),	   NUMBER(-1),	     {"1<<20", 1 << 20},
					NUMBER(INT64_MAX), NUMBER(INT64_MIN)};
	const struct value whences[] = {NUMBER(SEEK_SET), NUMBER(SEEK_CUR), NUMBER(SEEK_END),
					NUMBER(5), NUMBER(-1)};
	const struct value open_flags[] = {NUMBER(O_RDONLY),
					   NUMBER(O_WRONLY),
					   NUMBER(O_RDWR),
					   {"nonblock", O_NONBLOCK},
					   {"cloexec", O_CLOEXEC},
					   {"create", O_CREAT | O_RDWR},
					   {"exclusive", O_CREAT | O_EXCL | O_RDWR},
					   {"directory", O_DIRECTORY},
					   {"nofollow", O_NOFOLLOW},
					   {"truncate", O_TRUNC | O_WRONLY},
					   {"path", O_PATH},
					   {"both", O_CLOEXEC | O_NONBLOCK}};
	const struct value modes[] = {NUMBER(0), NUMBER(0644), NUMBER(0777), NUMBER(0200)};
	const struct value small[] = {NUMBER(0), NUMBER(1),  NUMBER(2),	 NUMBER(3),
				      NUMBER(4), NUMBER(-1), NUMBER(64), NUMBER(INT_MAX)};
	const struct value flags[] = {NUMBER(0),
				      NUMBER(0),
				      {"nofollow", AT_SYMLINK_NOFOLLOW},
				      {"empty-path", AT_EMPTY_PATH},
				      {"remove-dir", AT_REMOVEDIR},
				      {"follow", AT_SYMLINK_FOLLOW},
				      NUMBER(3),
				      {"wild", 0x40000000}};
	const struct value fcntls[] = {NUMBER(F_GETFD), NUMBER(F_SETFD), NUMBER(F_GETFL),
				       NUMBER(F_SETFL), NUMBER(F_DUPFD), NUMBER(F_GETPIPE_SZ),
				       NUMBER(999),	NUMBER(-1)};
	const struct value times[] = {POINTER("zero", now.zero),
				      POINTER("short", &now.short_wait),
				      POINTER("past-second", &now.past_second),
				      POINTER("negative", &now.negative),
				      POINTER("unmapped", now.unmapped),
				      {"kernel", INT64_MIN}};
	const struct value itimes[] = {POINTER("off", &now.timer_off),
				       POINTER("bad", &now.timer_bad), POINTER("null", NULL),
				       POINTER("unmapped", now.unmapped)};
	const struct value clocks[] = {
		NUMBER(CLOCK_REALTIME), NUMBER(CLOCK_MONOTONIC), NUMBER(4), NUMBER(7), NUMBER(20),
		NUMBER(INT_MAX)};
	const struct value signals[] = {NUMBER(0),	 NUMBER(SIGINT),  NUMBER(SIGKILL),
					NUMBER(SIGSTOP), NUMBER(SIGUSR1), NUMBER(64),
					NUMBER(65),	 NUMBER(-1)};
	const struct value sets[] = {POINTER("empty", &now.empty), POINTER("empty", &now.empty),
				     POINTER("null", NULL), POINTER("unmapped", now.unmapped)};
	const struct value set_sizes[] = {NUMBER(8), NUMBER(8),	 NUMBER(8),
					  NUMBER(4), NUMBER(16), NUMBER(0)};
	const struct value vectors[] = {POINTER("good", now.vectors),
					POINTER("bad-base", now.bad_vector),
					POINTER("too-much", now.huge_vector), POINTER("null", NULL),
					POINTER("unmapped", now.unmapped)};
	const struct value vector_counts[] = {NUMBER(0),    NUMBER(1),	  NUMBER(2),
					      NUMBER(1024), NUMBER(1025), NUMBER(-1)};
	const struct value addresses[] = {
		POINTER("region", now.region), POINTER("region", now.region),
		POINTER("page-2", now.region + PAGE), POINTER("odd", now.region + 1),
		POINTER("hole", now.region + 3 * PAGE)};
	const struct value prots[] = {
		NUMBER(PROT_NONE), NUMBER(PROT_READ), {"read-write", 3}, {"wild", 0x40}};
	const struct value map_flags[] = {
		{"private-anonymous-fixed", MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED},
		{"private-fixed", MAP_PRIVATE | MAP_FIXED},
		{"shared-fixed", MAP_SHARED | MAP_FIXED},
		{"no-kind", MAP_ANONYMOUS | MAP_FIXED},
		{"no-replace", MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE}};
	const struct value advices[] = {NUMBER(MADV_NORMAL), NUMBER(MADV_WILLNEED),
					NUMBER(MADV_DONTNEED), NUMBER(200), NUMBER(-1)};
	const struct value polls[] = {POINTER("polls", now.polls), POINTER("polls", now.polls),
				      POINTER("null", NULL), POINTER("unmapped", now.unmapped)};
	const struct value poll_counts[] = {
		NUMBER(0), NUMBER(1), NUMBER(4), {"too-many", INT64_C(1) << 31}};
	const struct value limits[] = {NUMBER(RLIMIT_NOFILE), NUMBER(RLIMIT_STACK), NUMBER(15),
				       NUMBER(16), NUMBER(-1)};
	const struct value epoll_ops[] = {NUMBER(EPOLL_CTL_ADD), NUMBER(EPOLL_CTL_DEL),
					  NUMBER(EPOLL_CTL_MOD), NUMBER(0), NUMBER(9)};
	const struct value epoll_events[] = {POINTER("event", &now.event_in),
					     POINTER("event", &now.event_in), POINTER("null", NULL),
					     POINTER("unmapped", now.unmapped)};
	const struct value ids[] = {NUMBER(0), NUMBER(-1), {"self", getpid()}};
	const struct value who[] = {NUMBER(0), NUMBER(-1)};
	const struct value which[] = {NUMBER(PRIO_PROCESS), NUMBER(-1), NUMBER(3), NUMBER(INT_MAX)};
	const struct value remap_flags[] = {NUMBER(0),
					    NUMBER(MREMAP_MAYMOVE),
					    NUMBER(MREMAP_FIXED),
					    {"move-fixed", MREMAP_MAYMOVE | MREMAP_FIXED},
					    NUMBER(8),
					    NUMBER(-1)};
	const struct value targets[] = {POINTER("hole", now.region + 4 * PAGE),
					POINTER("odd-hole", now.region + 4 * PAGE + 8),
					POINTER("page-2", now.region + PAGE),
					{"kernel", INT64_MIN}};
	const struct value far_out[] = {
		POINTER("buffer", now.buffer),	     POINTER("buffer", now.buffer),
		POINTER("read-only", now.read_only), POINTER("null", NULL),
		POINTER("unmapped", now.unmapped),   {"kernel", INT64_MIN}};
	const struct value far_lengths[] = {NUMBER(0), NUMBER(1), NUMBER(PAGE), NUMBER(3 * PAGE)};
	const struct value memory_flags[] = {
		NUMBER(0),   NUMBER(MFD_CLOEXEC), NUMBER(MFD_ALLOW_SEALING),
		{"both", 3}, NUMBER(0x20),	  NUMBER(INT_MIN),
		NUMBER(64)};
	const struct value rename_flags[] = {NUMBER(0),
					     NUMBER(0),
					     NUMBER(RENAME_NOREPLACE),
					     NUMBER(RENAME_EXCHANGE),
					     {"both", 3},
					     NUMBER(8),
					     NUMBER(-1)};
	const struct value same[] = {NUMBER(-1), {"-1 in 32 bits", UINT32_MAX}};
	const struct value positions[] = {POINTER("null", NULL),
					  POINTER("null", NULL),
					  POINTER("at-100", &now.position),
					  POINTER("past-end", &now.position_past),
					  POINTER("negative", &now.position_negative),
					  POINTER("unmapped", now.unmapped)};
	const struct value splice_flags[] = {
		NUMBER(0), NUMBER(0), {"nonblock", 2}, NUMBER(16), NUMBER(-1)};
	const struct value families[] = {NUMBER(AF_UNIX), NUMBER(AF_UNIX), NUMBER(AF_UNIX),
					 NUMBER(99), NUMBER(-1)};
	const struct value socket_types[] = {NUMBER(SOCK_STREAM),
					     NUMBER(SOCK_DGRAM),
					     NUMBER(SOCK_SEQPACKET),
					     {"stream-nonblock", SOCK_STREAM | SOCK_NONBLOCK},
					     {"nonblock", SOCK_NONBLOCK},
					     NUMBER(0),
					     NUMBER(9),
					     NUMBER(0x100),
					     NUMBER(-1)};
	const struct value message_flags[] = {NUMBER(0),
					      NUMBER(0),
					      NUMBER(MSG_PEEK),
					      NUMBER(MSG_DONTWAIT),
					      NUMBER(MSG_NOSIGNAL),
					      NUMBER(MSG_TRUNC)};
	const struct value messages[] = {POINTER("message", &now.message),
					 POINTER("message", &now.message),
					 POINTER("bad-vector", &now.bad_message),
					 POINTER("too-many", &now.many_message),
					 POINTER("bad-control", &now.control_message),
					 POINTER("null", NULL),
					 POINTER("unmapped", now.unmapped)};
	const struct value names[] = {POINTER("null", NULL), POINTER("null", NULL),
				      POINTER("missing-name", &now.missing_name),
				      POINTER("wrong-family", &now.wrong_family),
				      POINTER("unmapped", now.unmapped)};
	const struct value name_lengths[] = {NUMBER(0),	  NUMBER(1),   NUMBER(2), NUMBER(20),
					     NUMBER(110), NUMBER(200), NUMBER(-1)};
	const struct value name_spaces[] = {POINTER("room", &now.room),
					    POINTER("room", &now.room),
					    POINTER("no-room", &now.no_room),
					    POINTER("negative", &now.negative_room),
					    POINTER("null", NULL),
					    POINTER("unmapped", now.unmapped)};
	const struct value levels[] = {NUMBER(SOL_SOCKET), NUMBER(SOL_SOCKET), NUMBER(99)};
	const struct value options[] = {
		NUMBER(SO_TYPE),   NUMBER(SO_ERROR),	NUMBER(SO_ACCEPTCONN),
		NUMBER(SO_DOMAIN), NUMBER(SO_PASSCRED), NUMBER(999),
		NUMBER(-1)};
	const struct value close_from[] = {NUMBER(60), NUMBER(99), {"many", 1 << 20}, NUMBER(-1)};
	const struct value close_to[] = {NUMBER(59), NUMBER(99), {"many", 1 << 20}, NUMBER(-1)};
	const struct value lock_commands[] = {NUMBER(F_GETLK), NUMBER(F_SETLK), NUMBER(F_SETLKW),
					      NUMBER(F_OFD_SETLK)};
	const struct value locks[] = {POINTER("lock", &now.lock),
				      POINTER("lock", &now.lock),
				      POINTER("wrong-type", &now.lock_wrong_type),
				      POINTER("wrong-whence", &now.lock_wrong_whence),
				      POINTER("null", NULL),
				      POINTER("unmapped", now.unmapped)};
	const struct value lock_operations[] = {
		NUMBER(LOCK_SH), NUMBER(LOCK_EX), NUMBER(LOCK_UN), {"try", LOCK_EX | LOCK_NB},
		NUMBER(0),	 NUMBER(3),	  NUMBER(-1)};
	const struct value controls[] = {NUMBER(FIONREAD),   NUMBER(FIONREAD), NUMBER(TCGETS),
					 NUMBER(TIOCGWINSZ), NUMBER(FIOCLEX),  NUMBER(FIONBIO),
					 NUMBER(0),	     NUMBER(-1)};
	const struct value process_controls[] = {
		NUMBER(PR_GET_NAME),	  NUMBER(PR_SET_NAME), NUMBER(PR_GET_DUMPABLE),
		NUMBER(PR_GET_PDEATHSIG), NUMBER(9999),	       NUMBER(-1)};
	const struct value signal_events[] = {POINTER("null", NULL),
					      POINTER("none", &now.event_none),
					      POINTER("signal", &now.event_signal),
					      POINTER("wrong-signal", &now.event_wrong_signal),
					      POINTER("wrong-kind", &now.event_wrong_kind),
					      POINTER("unmapped", now.unmapped)};
	const struct value timers[] = {{"timer", now.posix_timer},
				       {"timer", now.posix_timer},
				       NUMBER(-1),
				       NUMBER(INT_MAX)};
	const struct value words[] = {POINTER("word", &now.word),
				      POINTER("word", &now.word),
				      POINTER("odd-word", (char *)&now.word + 1),
				      POINTER("null", NULL),
				      POINTER("unmapped", now.unmapped),
				      {"kernel", INT64_MIN}};
	const struct value futex_operations[] = {
		{"wait", FUTEX_WAIT | FUTEX_PRIVATE_FLAG},
		{"wake", FUTEX_WAKE | FUTEX_PRIVATE_FLAG},
		{"wait-bits", FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG},
		{"wake-bits", FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG},
		{"unlock-pi", FUTEX_UNLOCK_PI | FUTEX_PRIVATE_FLAG},
		{"wake-realtime", FUTEX_WAKE | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME},
		{"wait-shared", FUTEX_WAIT},
		NUMBER(99),
		NUMBER(-1)};
	const struct value only_self[] = {{"self", getpid()}};
	const struct value no_signals[] = {NUMBER(0), NUMBER(65), NUMBER(-1), NUMBER(INT_MAX)};
	const struct value group_spaces[] = {NUMBER(0), NUMBER(-1), NUMBER(INT_MIN)};
	const struct value fd_counts[] = {NUMBER(0), NUMBER(4), NUMBER(64), NUMBER(-1)};
	const struct value waits[] = {POINTER("zero", now.zero), POINTER("short", &now.short_wait),
				      POINTER("past-second", &now.past_second),
				      POINTER("negative", &now.negative)};
	const struct value mask_lengths[] = {NUMBER(0), NUMBER(1),  NUMBER(7),
					     NUMBER(8), NUMBER(24), NUMBER(100)};
#define PICK(list) return (list)[draw(COUNT(list))]
	switch (kind) {
	case FD: PICK(descriptors);
	case AT: PICK(at);
	case PATH: PICK(paths);
	case OUT: PICK(out);
	case IN: PICK(in);
	case LENGTH: PICK(lengths);
	case OFFSET: PICK(offsets);
	case WHENCE: PICK(whences);
	case OPEN_FLAGS: PICK(open_flags);
	case MODE: PICK(modes);
	case SMALL: PICK(small);
	case FLAGS: PICK(flags);
	case FCNTL: PICK(fcntls);
	case TIME: PICK(times);
	case ITIME: PICK(itimes);
	case CLOCK: PICK(clocks);
	case SIGNAL: PICK(signals);
	case SET: PICK(sets);
	case SET_SIZE: PICK(set_sizes);
	case VECTOR: PICK(vectors);
	case VECTORS: PICK(vector_counts);
	case EXTENT: PICK(extents);
	case ADDRESS: PICK(addresses);
	case PROT: PICK(prots);
	case MAP_FLAGS: PICK(map_flags);
	case ADVICE: PICK(advices);
	case POLLS: PICK(polls);
	case POLL_COUNT: PICK(poll_counts);
	case LIMIT: PICK(limits);
	case EPOLL_OP: PICK(epoll_ops);
	case EPOLL_EVENT: PICK(epoll_events);
	case ID: PICK(ids);
	case WHO: PICK(who);
	case WHICH: PICK(which);
	case REMAP_FLAGS: PICK(remap_flags);
	case TARGET: PICK(targets);
	case FAR_OUT: PICK(far_out);
	case FAR_LENGTH: PICK(far_lengths);
	case MEMORY_FLAGS: PICK(memory_flags);
	case RENAME_FLAGS: PICK(rename_flags);
	case SAME: PICK(same);
	case POSITION: PICK(positions);
	case SPLICE_FLAGS: PICK(splice_flags);
	case FAMILY: PICK(families);
	case SOCKET_TYPE: PICK(socket_types);
	case MESSAGE_FLAGS: PICK(message_flags);
	case MESSAGE: PICK(messages);
	case NAME: PICK(names);
	case NAME_LENGTH: PICK(name_lengths);
	case NAME_ROOM: PICK(name_spaces);
	case LEVEL: PICK(levels);
	case OPTION: PICK(options);
	case CLOSE_FROM: PICK(close_from);
	case CLOSE_TO: PICK(close_to);
	case LOCK_COMMAND: PICK(lock_commands);
	case LOCK: PICK(locks);
	case LOCK_OPERATION: PICK(lock_operations);
	case CONTROL: PICK(controls);
	case PROCESS_CONTROL: PICK(process_controls);
	case SIGNAL_EVENT: PICK(signal_events);
	case TIMER: PICK(timers);
	case WORD: PICK(words);
	case FUTEX_OPERATION: PICK(futex_operations);
	case ONLY_SELF: PICK(only_self);
	case NO_SIGNAL: PICK(no_signals);
	case GROUP_ROOM: PICK(group_spaces);
	case FD_COUNT: PICK(fd_counts);
	case WAIT: PICK(waits);
	case MASK_LENGTH: PICK(mask_lengths);
	default: return (struct value){NULL, 0};
	}
}

static void must(bool is_true, const char *what)
{
	if (!is_true) {
		fprintf(stderr, "random_calls: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static void give_number(int fd, int *number, int wanted)
{
	must(fd >= 0 && dup2(fd, wanted) == wanted, "descriptor");
	close(fd);
	*number = wanted;
}

static void make_descriptors(const char *directory)
{
	int ends[2];

	for (int fd = 3; fd < 70; fd++)
		if (fd < FIRST || fd > LAST)
			close(fd);
	close(CLOSED);
	give_number(open(directory, O_RDONLY | O_DIRECTORY), &now.directory, DIRECTORY);
	must(fchdir(now.directory) == 0, directory);
	must(pipe2(ends, O_NONBLOCK) == 0, "pipe");
	give_number(ends[0], &now.pipe_read, 21);
	give_number(ends[1], &now.pipe_write, 22);
	give_number(eventfd(0, EFD_NONBLOCK), &now.event, 23);
	give_number(epoll_create1(0), &now.epoll, 24);
	give_number(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), &now.timer, 25);
	give_number(open(directory, O_PATH), &now.path_only, 26);
	/* A pipe with something in it, whose other end stays open as well. */
	must(pipe2(ends, O_NONBLOCK) == 0 && write(ends[1], "contents", 8) == 8, "pipe");
	give_number(ends[0], &now.full_pipe, 27);
	give_number(ends[1], &ends[1], 28);
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "sockets");
	give_number(ends[0], &now.stream, 29);
	give_number(ends[1], &ends[1], 30);
	must(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends) == 0 &&
		     write(ends[1], "letter", 6) == 6,
	     "sockets");
	give_number(ends[0], &now.mail, 31);
	give_number(ends[1], &now.datagram, 32);
}

static void make_files(void)
{
	static const char *const names[] = {"missing", "f2", "gone", "link", "loop", "f", "d"};

	must(fchmod(now.directory, 0755) == 0, "directory");
	for (size_t i = 0; i < COUNT(names); i++) {
		unlinkat(now.directory, names[i], 0);
		unlinkat(now.directory, names[i], AT_REMOVEDIR);
	}
	umask(022);
	must(mkdirat(now.directory, "d", 0755) == 0, "d");
	must(symlinkat("f", now.directory, "link") == 0, "link");
	must(symlinkat("loop", now.directory, "loop") == 0, "loop");
	give_number(openat(now.directory, "f", O_CREAT | O_RDWR, 0644), &now.file, LAST);
	must(write(now.file, now.read_only, 200) == 200, "f");
	must(lseek(now.file, 0, SEEK_SET) == 0, "f");
	give_number(openat(now.directory, "f2", O_CREAT | O_RDWR, 0644), &now.other, OTHER);
}

/* What calls read, and may write. */
static void fill_arguments(void)
{
	now.zero[0] = now.zero[1] = (struct timespec){0, 0};
	now.past_second = (struct timespec){0, 1000000000};
	now.negative = (struct timespec){-1, 0};
	now.short_wait = (struct timespec){0, 1000};
	now.timer_off = (struct itimerspec){0};
	now.timer_bad = (struct itimerspec){.it_value.tv_nsec = -1};
	sigemptyset(&now.empty);
	for (size_t i = 0; i < 4; i++)
		now.vectors[i] = (struct iovec){now.buffer + 64 * i, 16};
	now.bad_vector[0] = (struct iovec){now.unmapped, 8};
	now.huge_vector[0] = (struct iovec){now.buffer, SIZE_MAX / 2};
	now.huge_vector[1] = (struct iovec){now.buffer, 2};
	for (size_t i = 0; i < COUNT(now.polls); i++)
		now.polls[i] =
			(struct pollfd){(const int[]){22, 23, -1, 99}[i], POLLIN | POLLOUT, 0};
	now.event_in = (struct epoll_event){.events = EPOLLIN, .data.u64 = 7};
	now.message = (struct msghdr){.msg_iov = now.vectors, .msg_iovlen = 2};
	now.bad_message = (struct msghdr){.msg_iov = now.bad_vector, .msg_iovlen = 1};
	now.many_message = (struct msghdr){.msg_iov = now.vectors, .msg_iovlen = 1025};
	now.control_message = now.message;
	now.control_message.msg_control = now.unmapped;
	now.control_message.msg_controllen = 24;
	now.missing_name = (struct sockaddr_un){AF_UNIX, "missing/socket"};
	now.wrong_family = (struct sockaddr_un){99, "missing/socket"};
	now.position = 100;
	now.position_past = 1 << 20;
	now.position_negative = -1;
	now.lock = (struct flock){.l_type = F_WRLCK, .l_len = 10};
	now.lock_wrong_type = (struct flock){.l_type = 9};
	now.lock_wrong_whence = (struct flock){.l_type = F_RDLCK, .l_whence = 9};
	now.event_none = (struct sigevent){.sigev_notify = SIGEV_NONE};
	now.event_signal = (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	now.event_wrong_signal = (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = 65};
	now.event_wrong_kind = (struct sigevent){.sigev_notify = 99, .sigev_signo = SIGUSR1};
	now.room = 64;
	now.no_room = 0;
	now.negative_room = (uint32_t)-1;
	now.word = 1;
}

/* Everything a call may have changed is as at the start. */
static void restore(const char *directory)
{
	make_descriptors(directory);
	make_files();
	must(mmap(now.region, 3 * PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == now.region,
	     "region");
	munmap(now.region + 3 * PAGE, 5 * PAGE);
	memset(now.buffer, 0, 2 * PAGE);
	fill_arguments();
}

static void begin(void)
{
	uint8_t *memory =
		mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(memory != MAP_FAILED, "memory");
	now.buffer = memory;
	now.last = memory + 2 * PAGE;
	now.unmapped = memory + 2 * PAGE;
	now.read_only = memory + 4 * PAGE;
	now.region = memory + 8 * PAGE;
	munmap(now.unmapped, PAGE);
	mprotect(now.read_only, PAGE, PROT_READ);
	memset(now.long_path, 'a', sizeof(now.long_path) - 1);
	memset(now.long_name, 'b', sizeof(now.long_name) - 1);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	must(syscall(SYS_timer_create, CLOCK_MONOTONIC, &none, &now.posix_timer) == 0, "timer");
}

/* A large file is made or not as the host's file system likes, and what the end of a directory is
 * only it knows. */
static bool is_left_out(const struct call *call, const struct value *values)
{
	bool is_long = false;

	for (int i = 0; i < 6; i++)
		is_long |= (call->kinds[i] == LENGTH || call->kinds[i] == OFFSET) &&
			   values[i].value > 1 << 20;
	if (is_long && (call->number == SYS_ftruncate || call->number == SYS_truncate ||
			call->number == SYS_fallocate || call->number == SYS_pwrite64 ||
			call->number == SYS_pwritev))
		return true;
	return call->number == SYS_lseek && values[0].value == DIRECTORY &&
	       values[2].value == SEEK_END;
}

int main(int argc, char **argv)
{
	char directory[PATH_MAX];

	/* Calls change the working directory. */
	if (argc != 4 || !realpath(argv[3], directory))
		return 2;
	begin();
	setvbuf(stdout, NULL, _IOLBF, 0);
	now.random = strtoull(argv[1], NULL, 10) << 32;
	for (long n = strtol(argv[2], NULL, 10); n > 0;) {
		const struct call *call = &calls[draw(COUNT(calls))];
		struct value values[6];
		char line[512];
		int used;

		for (int i = 0; i < 6; i++)
			values[i] = choose(call->kinds[i]);
		if (is_left_out(call, values))
			continue;
		n--;
		restore(directory);
		used = snprintf(line, sizeof(line), "%s(", call->name);
		for (int i = 0; i < 6; i++)
			if (values[i].name)
				used += snprintf(line + used, sizeof(line) - (size_t)used, "%s%s",
						 i ? ", " : "", values[i].name);
		errno = 0;
		long result =
			syscall(call->number, values[0].value, values[1].value, values[2].value,
				values[3].value, values[4].value, values[5].value);
		int reason = errno;
		if (result == -1 && reason)
			printf("%s) = %s\n", line, strerrorname_np(reason));
		else if (call->result == VALUE)
			printf("%s) = %ld\n", line, result);
		else
			printf("%s) = ok\n", line);
		if (call->number == SYS_timer_create && result == 0)
			syscall(SYS_timer_delete, *(int *)(intptr_t)values[2].value);
	}
	return 0;
}
