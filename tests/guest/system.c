/*
 * What the system says about itself: machine, page size, limits, usage, identity.
 */
#include "check.h"
#include <sched.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(void)
{
	unsigned char bytes[256] = {0}, others[256] = {0};
	struct utsname name;
	struct rlimit limit;
	struct rusage usage;
	struct sysinfo info;
	int distinct = 0;

	TRY(uname(&name));
	printf("%s %s\n", name.sysname, name.machine);
	TRUTH(name.release[0] != '\0' && name.version[0] != '\0');
	SHOW(sysconf(_SC_PAGESIZE));
	SHOW(getpagesize());
	TRUTH(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
	TRUTH(sysconf(_SC_OPEN_MAX) > 0);
	SHOW(sysconf(_SC_CLK_TCK));

	TRY(getrlimit(RLIMIT_STACK, &limit));
	TRUTH(limit.rlim_cur > 0);
	TRY(getrlimit(RLIMIT_NOFILE, &limit));
	TRUTH(limit.rlim_cur <= limit.rlim_max);
	TRY(getrlimit(RLIMIT_AS, &limit));
	TRY(getrlimit(999, &limit));
	TRY(getrusage(RUSAGE_SELF, &usage));
	TRUTH(usage.ru_utime.tv_usec >= 0 && usage.ru_utime.tv_usec < 1000000);
	TRY(getrusage(RUSAGE_CHILDREN, &usage));
	TRY(getrusage(12345, &usage));
	TRY(sysinfo(&info));
	TRUTH(info.totalram > 0 && info.freeram <= info.totalram && info.mem_unit > 0);

	SHOW(getrandom(bytes, sizeof(bytes), 0));
	SHOW(getrandom(others, 100, GRND_NONBLOCK));
	TRUTH(memcmp(bytes, others, 100) != 0);
	for (int i = 0; i < 256; i++)
		distinct += bytes[i] != bytes[0];
	TRUTH(distinct > 200);
	SHOW(getentropy(bytes, 16));
	TRY(getentropy(bytes, 1000));

	TRUTH(getpid() > 0 && getppid() >= 0 && gettid() == getpid());
	TRUTH(getuid() == geteuid() && getgid() == getegid());
	TRUTH(getpgrp() > 0);
	TRY(sched_yield());
	umask(022);
	printf("%o\n", umask(077));
	printf("%o\n", umask(0));
	SHOW(isatty(0));
	TRUTH(getpriority(PRIO_PROCESS, 0) <= 20);
	return 0;
}
