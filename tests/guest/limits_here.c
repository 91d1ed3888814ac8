/*
 * What the simulated machine decides by itself: limits, names, numbers and the bytes it counts.
 *
 * args: one two
 * link: static
 * only: cyclestack
 */
#include "edge.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <linux/perf_event.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

#define IS(expr, expected) check_is(#expr, (long long)(expr), (long long)(expected))
#define FAILS(call, error)                          \
	(errno = 0,                                 \
	 (call) == -1 && errno == (error)           \
		 ? (void)printf("%s: yes\n", #call) \
		 : (void)printf("%s (%s instead of %s): NO\n", #call, check_error(errno), #error))

static void check_is(const char *text, long long got, long long expected)
{
	if (got == expected)
		printf("%s: yes\n", text);
	else
		printf("%s (%lld instead of %lld): NO\n", text, got, expected);
}

static void queued_signals(void)
{
	unsigned long set = 1ul << 39 | 1ul << 40, pending = 0;
	struct rlimit limit = {2, 2};
	siginfo_t info = {.si_code = SI_QUEUE};
	struct signalfd_siginfo out[4];

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
	setrlimit(RLIMIT_SIGPENDING, &limit);
	info.si_value.sival_int = 5;
	IS(syscall(SYS_rt_sigqueueinfo, getpid(), 41, &info), 0);
	info.si_value.sival_int = 6;
	IS(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), 41, &info), 0);
	FAILS(syscall(SYS_rt_sigqueueinfo, getpid(), 41, &info), EAGAIN);
	FAILS(syscall(SYS_tkill, gettid(), 41), EAGAIN);
	IS(kill(getpid(), 40), 0);
	syscall(SYS_rt_sigpending, &pending, 8);
	IS(pending, set);
	int fd = signalfd(-1, (sigset_t *)&set, SFD_NONBLOCK);
	IS(read(fd, out, sizeof(out)), 3 * 128);
	IS(out[0].ssi_signo, 40);
	IS(out[0].ssi_code, 0);
	/* That of the thread comes before that of the process. */
	IS(out[1].ssi_signo, 41);
	IS(out[1].ssi_int, 6);
	IS(out[1].ssi_code, SI_QUEUE);
	IS(out[2].ssi_int, 5);
	FAILS(read(fd, out, sizeof(out)), EAGAIN);
	IS(syscall(SYS_rt_sigqueueinfo, getpid(), 41, &info), 0);
	set = 0;
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigaction(41, &ignore, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8);
}

static void limits(void)
{
	static const struct {
		int resource;
		unsigned long soft, hard;
	} rows[] = {{RLIMIT_CPU, -1, -1},	 {RLIMIT_FSIZE, -1, -1},
		    {RLIMIT_STACK, 8388608, -1}, {RLIMIT_CORE, 0, 0},
		    {RLIMIT_RSS, -1, -1},	 {RLIMIT_NPROC, 4096, 4096},
		    {RLIMIT_NOFILE, 1024, 1024}, {RLIMIT_MEMLOCK, -1, -1},
		    {RLIMIT_LOCKS, -1, -1},	 {RLIMIT_SIGPENDING, 8192, 8192},
		    {RLIMIT_MSGQUEUE, -1, -1},	 {RLIMIT_NICE, -1, -1},
		    {RLIMIT_RTPRIO, -1, -1},	 {RLIMIT_RTTIME, -1, -1}};
	struct rlimit got, data, space;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		getrlimit(rows[i].resource, &got);
		printf("limit %d: %s\n", rows[i].resource,
		       got.rlim_cur == rows[i].soft && got.rlim_max == rows[i].hard ? "yes" : "NO");
	}
	getrlimit(RLIMIT_AS, &space);
	getrlimit(RLIMIT_DATA, &data);
	IS(space.rlim_cur, RLIM_INFINITY);
	IS(data.rlim_cur, RLIM_INFINITY);
	IS(space.rlim_max, space.rlim_cur);
	struct sysinfo info;
	memset(&info, -1, sizeof(info));
	IS(sysinfo(&info), 0);
	IS(info.totalram, (uint64_t)4 << 30);
	IS(info.freeram < info.totalram && info.freeram > info.totalram / 2, 1);
	IS(info.procs, 1);
	IS(info.mem_unit, 1);
	IS(info.uptime, 0);
	IS(info.totalswap, 0);
	IS(syscall(SYS_sysinfo, BEFORE(info)), 0);
	FAILS(syscall(SYS_sysinfo, PAST(info)), EFAULT);
	/* Less can be asked for, and then no more. */
	got = (struct rlimit){900, 1000};
	IS(setrlimit(RLIMIT_NOFILE, &got), 0);
	FAILS(fcntl(1, F_DUPFD, 900), EINVAL);
	IS(fcntl(1, F_DUPFD, 899), 899);
	FAILS(fcntl(1, F_DUPFD, 899), EMFILE);
	FAILS(dup2(1, 900), EBADF);
	IS(dup2(1, 898), 898);
	got = (struct rlimit){1000, 1001};
	FAILS(setrlimit(RLIMIT_NOFILE, &got), EPERM);
	got = (struct rlimit){1000, 999};
	FAILS(setrlimit(RLIMIT_NOFILE, &got), EINVAL);
	got = (struct rlimit){4, 1000};
	IS(setrlimit(RLIMIT_NOFILE, &got), 0);
	int fd = dup(1), pipes[2] = {77, 78};
	IS(fd, 3);
	FAILS(dup(1), EMFILE);
	FAILS(pipe(pipes), EMFILE);
	IS(close(3), 0);
	FAILS(pipe(pipes), EMFILE);
	IS(dup(1), 3);
	IS(pipes[0], 77);
	IS(pipes[1], 78);
	close(3);
	got = (struct rlimit){1000, 1000};
	IS(setrlimit(RLIMIT_NOFILE, &got), 0);
	memset(&got, 0, sizeof(got));
	IS(syscall(SYS_prlimit64, getpid(), RLIMIT_NOFILE, NULL, &got), 0);
	IS(got.rlim_cur, 1000);
}

static void identity(char **argv)
{
	struct utsname name;
	char title[17] = "";
	unsigned cpu = 7, node = 8;
	unsigned long mask[4] = {0};

	memset(&name, -1, sizeof(name));
	IS(uname(&name), 0);
	IS(strcmp(name.sysname, "Linux"), 0);
	IS(strcmp(name.nodename, "cyclestack"), 0);
	IS(strcmp(name.release, "6.1.0"), 0);
	IS(strcmp(name.version, "#1"), 0);
	IS(strcmp(name.machine, "riscv64"), 0);
	IS(strcmp(name.domainname, "(none)"), 0);
	IS(syscall(SYS_uname, BEFORE(name)), 0);
	FAILS(syscall(SYS_uname, PAST(name)), EFAULT);
	IS(getpid(), 1000);
	IS(gettid(), 1000);
	IS(getppid(), 1);
	IS(getpgrp(), 1000);
	IS(getsid(0), 1000);
	IS(getuid() | geteuid() | getgid() | getegid(), 0);
	IS(syscall(SYS_setfsuid, 5), 0);
	IS(syscall(SYS_setfsgid, 5), 0);
	IS(prctl(PR_GET_NAME, title), 0);
	IS(strcmp(title, "limits_here.sta"), 0);
	IS(prctl(PR_SET_NAME, "0123456789abcdefgh"), 0);
	IS(prctl(PR_GET_NAME, title), 0);
	IS(strcmp(title, "0123456789abcde"), 0);
	IS(prctl(PR_SET_NAME, edge_copy("abc", 3, 0)), -1);
	IS(prctl(PR_SET_NAME, edge_copy("abc", 4, 0)), 0);
	IS(prctl(PR_GET_NAME, edge_copy(title, 16, 0)), 0);
	FAILS(prctl(PR_GET_NAME, edge_copy(title, 16, 1)), EFAULT);
	IS(prctl(PR_GET_DUMPABLE), 1);
	IS(prctl(PR_SET_DUMPABLE, 0), 0);
	IS(syscall(SYS_getcpu, &cpu, &node), 0);
	IS(cpu, 0);
	IS(node, 0);
	IS(sched_getaffinity(0, sizeof(mask), (cpu_set_t *)mask), 0);
	IS(mask[0], 1);
	IS(syscall(SYS_sched_getaffinity, 0, 8, mask), 8);
	IS(syscall(SYS_sched_getaffinity, 0, 16, mask), 8);
	FAILS(syscall(SYS_sched_getaffinity, 0, 7, mask), EINVAL);
	FAILS(syscall(SYS_sched_getaffinity, 0, 12, mask), EINVAL);
	FAILS(syscall(SYS_sched_getaffinity, 5, 8, mask), ESRCH);
	mask[0] = 2;
	FAILS(syscall(SYS_sched_setaffinity, 0, 8, mask), EINVAL);
	mask[0] = 3;
	IS(syscall(SYS_sched_setaffinity, 0, 8, mask), 0);
	IS(syscall(SYS_sched_setaffinity, 0, 1, edge_copy("\1", 1, 0)), 0);
	FAILS(syscall(SYS_sched_setaffinity, 0, 2, edge_copy("\1", 1, 0)), EFAULT);
	FAILS(syscall(SYS_sched_setaffinity, 0, 0, mask), EINVAL);
	FAILS(syscall(SYS_sched_setaffinity, 5, 8, mask), ESRCH);
	IS(getauxval(AT_PAGESZ), 4096);
	IS(getauxval(AT_CLKTCK), 100);
	IS(getauxval(AT_HWCAP), 0x112d);
	IS(getauxval(AT_PHENT), 56);
	IS(getauxval(AT_FLAGS), 0);
	IS(getauxval(AT_BASE), 0);
	IS(getauxval(AT_SECURE), 0);
	IS(strcmp((char *)getauxval(AT_EXECFN), argv[0]), 0);
	IS(getauxval(AT_RANDOM) % 16, 0);
	IS(getauxval(AT_RANDOM) < (unsigned long)argv[0], 1);
	/* argc is where the stack began. */
	IS(((long *)argv)[-1], 3);
	IS((unsigned long)(argv - 1) % 16, 0);
	IS(strcmp(argv[0] + strlen(argv[0]) + 1, "one"), 0);
	IS(strcmp(argv[2], "two"), 0);
	IS(argv[3] == NULL, 1);
	IS(argv[4] == NULL, 1);
}

/* A nanosecond is an instruction, and time begins with the year 2000. */
static void clocks(void)
{
	struct timespec wall, mono, process, thread, later, resolution, pause = {2, 5};
	struct timeval day;
	struct tms used;
	struct rusage usage;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &thread);
	IS(wall.tv_sec, 946684800);
	IS(mono.tv_sec, 0);
	IS(mono.tv_nsec > wall.tv_nsec && mono.tv_nsec - wall.tv_nsec < 1000, 1);
	IS(process.tv_nsec > mono.tv_nsec && process.tv_nsec - mono.tv_nsec < 1000, 1);
	IS(thread.tv_nsec > process.tv_nsec && thread.tv_nsec - process.tv_nsec < 1000, 1);
	clock_gettime(CLOCK_TAI, &wall);
	IS(wall.tv_sec, 946684800);
	clock_gettime(CLOCK_REALTIME_COARSE, &wall);
	IS(wall.tv_sec, 946684800);
	clock_gettime(CLOCK_BOOTTIME, &wall);
	IS(wall.tv_sec, 0);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	nanosleep(&pause, NULL);
	clock_gettime(CLOCK_MONOTONIC, &later);
	long passed = (later.tv_sec - mono.tv_sec) * 1000000000 + later.tv_nsec - mono.tv_nsec;
	IS(passed >= 2000000005 && passed < 2000001005, 1);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &later);
	passed = (later.tv_sec - process.tv_sec) * 1000000000 + later.tv_nsec - process.tv_nsec;
	IS(passed > 0 && passed < 200000, 1);
	gettimeofday(&day, NULL);
	clock_gettime(CLOCK_REALTIME, &wall);
	IS(day.tv_sec, 946684802);
	IS(wall.tv_nsec / 1000 - day.tv_usec <= 1, 1);
	int zone[2] = {5, 6};
	IS(syscall(SYS_gettimeofday, NULL, zone), 0);
	IS(zone[0] | zone[1], 0);
	FAILS(syscall(SYS_gettimeofday, NULL, 1), EFAULT);
	FAILS(syscall(SYS_gettimeofday, 1, NULL), EFAULT);
	clock_getres(CLOCK_MONOTONIC, &resolution);
	IS(resolution.tv_sec, 0);
	IS(resolution.tv_nsec, 1);
	IS(times(&used) / 100, 2);
	IS(used.tms_stime | used.tms_cutime | used.tms_cstime, 0);
	for (volatile int i = 0; i < 5000000; i++)
		;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &process);
	times(&used);
	IS(used.tms_utime, process.tv_nsec / 10000000);
	getrusage(RUSAGE_SELF, &usage);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &later);
	IS(usage.ru_utime.tv_sec, 0);
	IS(usage.ru_utime.tv_usec >= process.tv_nsec / 1000 &&
		   usage.ru_utime.tv_usec <= later.tv_nsec / 1000,
	   1);
	IS(usage.ru_maxrss > 16 && usage.ru_maxrss < 8192, 1);
	IS(usage.ru_stime.tv_sec | usage.ru_stime.tv_usec, 0);
	struct sysinfo info;
	sysinfo(&info);
	IS(info.uptime, 2);
	/* The alarms need a right that nobody has here; their clocks are there. */
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	int timer;
	IS(clock_gettime(CLOCK_REALTIME_ALARM, &wall), 0);
	IS(wall.tv_sec, 2);
	FAILS(timerfd_create(CLOCK_REALTIME_ALARM, 0), EPERM);
	FAILS(timerfd_create(CLOCK_BOOTTIME_ALARM, 0), EPERM);
	FAILS(syscall(SYS_timer_create, CLOCK_REALTIME_ALARM, &none, &timer), EPERM);
	FAILS(syscall(SYS_timer_create, CLOCK_BOOTTIME_ALARM, &none, &timer), EPERM);
}

static void sockets(void)
{
	static const int rows[][2] = {{212991, 425982}, {212992, 425984}, {212993, 425984},
				      {-1, 425984},	{2304, 4608},	  {2303, 4608},
				      {2305, 4610}};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), pair[2], got;
	socklen_t room = 4;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &rows[i][0], 4);
		getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &room);
		IS(got, rows[i][1]);
	}
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	FAILS(send(pair[0], "x", 1, MSG_OOB), EOPNOTSUPP);
	FAILS(recv(pair[0], &got, 1, MSG_OOB), EOPNOTSUPP);
	FAILS(socket(AF_INET, SOCK_STREAM, 0), EAFNOSUPPORT);
	FAILS(fcntl(pair[0], F_SETPIPE_SZ, 4096), EBADF);
	int pipes[2];
	pipe(pipes);
	IS(fcntl(pipes[0], F_SETPIPE_SZ, 4096), 4096);
	IS(fcntl(pipes[1], F_SETPIPE_SZ, 65536), 65536);
	IS(fcntl(pipes[1], F_SETPIPE_SZ, 65537), 131072);
	/* A counter of the program has something to read and is not ready. */
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_TASK_CLOCK};
	int counter = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	long count[2];
	IS(counter > 0, 1);
	IS(read(counter, count, 16), 8);
	FAILS(read(counter, count, 7), ENOSPC);
	FAILS(read(counter, (void *)1, 8), EFAULT);
	FAILS(read(counter, edge_copy("1234567", 7, 0), 8), EFAULT);
	IS(ioctl(counter, PERF_EVENT_IOC_ID, count), 0);
	FAILS(ioctl(counter, PERF_EVENT_IOC_ID, 1), EFAULT);
	FAILS(ioctl(counter, PERF_EVENT_IOC_QUERY_BPF, 1), EINVAL);
	FAILS(ioctl(counter, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, 1), EOPNOTSUPP);
	FAILS(ioctl(counter, 0x1234, 1), ENOTTY);
	int second = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	IS(ioctl(second, PERF_EVENT_IOC_ID, count + 1), 0);
	IS(count[1], count[0] + 1);
}

static void files(void)
{
	struct statfs disk;
	struct stat info;
	int pipes[2], pair[2];
	char text[100];

	IS(statfs("/", &disk), 0);
	IS(disk.f_type, 0x01021994);
	IS(disk.f_bsize, 4096);
	IS(disk.f_frsize, 4096);
	IS(disk.f_blocks, 1048576);
	IS(disk.f_bfree, 524288);
	IS(disk.f_bavail, 524288);
	IS(disk.f_files, 1048576);
	IS(disk.f_ffree, 524288);
	IS(disk.f_namelen, 255);
	pipe(pipes);
	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	static const struct {
		const char *path;
		unsigned mode;
		long size;
	} rows[] = {{"/", 040755, 4096},
		    {"/dev", 040755, 4096},
		    {"/proc", 040755, 4096},
		    {"/proc/cpuinfo", 0100444, 0},
		    {"/dev/null", 020666, 0},
		    {"/dev/zero", 020666, 0},
		    {"/dev/full", 020666, 0},
		    {"/dev/urandom", 020666, 0},
		    {"/proc/self", 0120777, 4},
		    {"/dev/fd", 0120777, 13},
		    {"/dev/stdin", 0120777, 15},
		    {"/proc/self/exe", 0120777, 0},
		    {"/proc/1000/fd/1", 0120777, 0},
		    {"/sys/devices/system/cpu/online", 0100444, 4096}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&info, -1, sizeof(info));
		int got = lstat(rows[i].path, &info);
		printf("%s: %s\n", rows[i].path,
		       got == 0 && info.st_mode == rows[i].mode && info.st_size == rows[i].size &&
				       info.st_nlink == 1 && info.st_uid == 0 && info.st_gid == 0 &&
				       info.st_blksize == 4096 &&
				       info.st_blocks ==
					       (S_ISLNK(info.st_mode)
							? 0
							: (info.st_size + 4095) / 4096 * 8)
			       ? "yes"
			       : "NO");
	}
	fstat(pipes[0], &info);
	IS(info.st_mode, 010600);
	IS(info.st_dev, 2);
	IS(info.st_ino, 6);
	IS(info.st_nlink, 1);
	IS(info.st_blksize, 4096);
	fstat(pair[0], &info);
	IS(info.st_mode, 0140777);
	stat("/dev/null", &info);
	IS(info.st_rdev, 0x105);
	stat("/dev/zero", &info);
	IS(info.st_rdev, 0x106);
	stat("/dev/full", &info);
	IS(info.st_rdev, 0x10a);
	sprintf(text, "/proc/self/fd/%d", pipes[1]);
	char link[100] = "";
	IS(readlink(text, link, sizeof(link)), 8);
	IS(strcmp(link, "pipe:[7]"), 0);
	memset(link, 0, sizeof(link));
	IS(readlink("/dev/fd", link, sizeof(link)), 13);
	IS(strcmp(link, "/proc/self/fd"), 0);
	memset(link, 0, sizeof(link));
	IS(readlink("/proc/self", link, sizeof(link)), 4);
	IS(strcmp(link, "1000"), 0);
	FAILS(readlink("/dev/null", link, 10), EINVAL);
	FAILS(readlink("/proc/self/fd/00", link, 10), ENOENT);
	FAILS(readlink("/proc/self/fd/999", link, 10), ENOENT);
	FAILS(readlink("/proc/self/fd/0000000001", link, 10), ENOENT);
	int fd = open("/proc/self/comm", O_RDONLY);
	memset(text, 0, sizeof(text));
	IS(read(fd, text, 50), 4);
	IS(strcmp(text, "abc\n"), 0);
	IS(lseek(fd, 1, SEEK_SET), 1);
	IS(read(fd, text, 2), 2);
	IS(text[0], 'b');
	IS(lseek(fd, 0, SEEK_CUR), 3);
	IS(lseek(fd, -1, SEEK_END), 3);
	IS(lseek(fd, 1, SEEK_CUR), 4);
	IS(read(fd, text, 2), 0);
	FAILS(lseek(fd, -5, SEEK_END), EINVAL);
	IS(pread(fd, text, 9, 2), 2);
	IS(text[0], 'c');
	IS(lseek(fd, 0, SEEK_SET), 0);
	IS(read(fd, text, 1), 1);
	IS(lseek(fd, 0, SEEK_CUR), 1);
	IS(read(fd, text, 1), 1);
	IS(text[0], 'b');
	FAILS(lseek(fd, 0x7fffffffffffffff, SEEK_CUR), EOVERFLOW);
	FAILS(lseek(fd, 0, 5), EINVAL);
	struct pollfd one = {fd, POLLIN | POLLOUT, 0};
	IS(poll(&one, 1, 0), 1);
	IS(one.revents, POLLIN | POLLOUT);
	IS(lseek(fd, 3, SEEK_DATA), 3);
	FAILS(lseek(fd, 4, SEEK_DATA), ENXIO);
	IS(lseek(fd, 3, SEEK_HOLE), 4);
	FAILS(lseek(fd, -1, SEEK_HOLE), ENXIO);
	FAILS(write(fd, text, 1), EBADF);
	FAILS(open("/proc/self/comm", O_RDWR), EACCES);
	FAILS(open("/proc/self/comm", O_RDONLY | O_CREAT | O_EXCL, 0644), EEXIST);
	FAILS(open("/proc/self/comm", O_RDONLY | O_DIRECTORY), ENOTDIR);
	FAILS(open("/dev", O_RDWR), EISDIR);
	FAILS(open("/dev", O_RDONLY | O_CREAT, 0644), EISDIR);
	FAILS(open("/proc/self/exe", O_RDWR), ETXTBSY);
	FAILS(open("/dev/stdin", O_NOFOLLOW), ELOOP);
	FAILS(mkdir("/dev", 0755), EEXIST);
	FAILS(mkdir("/dev/null", 0755), EEXIST);
	IS(chdir("/dev"), 0);
	IS(access("null", F_OK), 0);
	FAILS(chdir("/dev/null"), ENOTDIR);
	FAILS(chdir("/dev/none"), ENOENT);
	static const char *const randoms[2] = {"/dev/random", "/dev/urandom"};
	for (int i = 0; i < 2; i++) {
		unsigned char bytes[256], is_there[256] = {0};
		int kinds = 0;

		fd = open(randoms[i], O_RDWR);
		IS(read(fd, bytes, 256), 256);
		for (int k = 0; k < 256; k++)
			kinds += !is_there[bytes[k]]++;
		/* 162 of 256 are to be expected, with a deviation of 5. */
		IS(kinds > 130 && kinds < 195, 1);
		IS(write(fd, bytes, 7), 7);
		close(fd);
	}
	fd = open("/dev/full", O_RDWR);
	FAILS(write(fd, text, 1), ENOSPC);
	IS(read(fd, text, 3), 3);
	IS(text[0] | text[1] | text[2], 0);
	fd = open("/dev", O_RDONLY);
	FAILS(read(fd, text, 1), EISDIR);
	IS(lseek(fd, 0, SEEK_SET), 0);
	FAILS(lseek(fd, 1, SEEK_SET), EINVAL);
	IS(close(open("/dev/null", O_WRONLY)), 0);
}

static void *number_of(void *unused)
{
	(void)unused;
	return (void *)(long)gettid();
}

/* Threads are numbered as they come, and a number is not given twice. */
static void threads(void)
{
	pthread_t thread;
	void *number;

	for (long i = 1; i <= 3; i++) {
		pthread_create(&thread, NULL, number_of, NULL);
		pthread_join(thread, &number);
		IS((long)number, 1000 + i);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	limits();
	identity(argv);
	clocks();
	threads();
	files();
	sockets();
	queued_signals();
	return 0;
}
