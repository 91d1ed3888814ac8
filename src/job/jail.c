#include "job/jail.h"

#include <errno.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "guest/memory.h"
#include "isa/code.h"

/* What computing and talking over inherited descriptors takes. */
static const int always[] = {
	SCMP_SYS(read),		  SCMP_SYS(write),
	SCMP_SYS(readv),	  SCMP_SYS(writev),
	SCMP_SYS(pread64),	  SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),	  SCMP_SYS(close),
	SCMP_SYS(fstat),	  SCMP_SYS(newfstatat),
	SCMP_SYS(fcntl),	  SCMP_SYS(dup),
	SCMP_SYS(poll),		  SCMP_SYS(ppoll),
	SCMP_SYS(mmap),		  SCMP_SYS(munmap),
	SCMP_SYS(mprotect),	  SCMP_SYS(mremap),
	SCMP_SYS(madvise),	  SCMP_SYS(brk),
	SCMP_SYS(futex),	  SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),	  SCMP_SYS(getpid),
	SCMP_SYS(gettid),	  SCMP_SYS(tgkill),
	SCMP_SYS(getuid),	  SCMP_SYS(geteuid),
	SCMP_SYS(clock_gettime),  SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),	  SCMP_SYS(getrandom),
	SCMP_SYS(sched_yield),	  SCMP_SYS(exit),
	SCMP_SYS(exit_group),	  SCMP_SYS(restart_syscall),
};

static const int with_mounts[] = {
	SCMP_SYS(openat2),   SCMP_SYS(getdents64), SCMP_SYS(mkdirat),	SCMP_SYS(unlinkat),
	SCMP_SYS(symlinkat), SCMP_SYS(linkat),	   SCMP_SYS(renameat2), SCMP_SYS(readlinkat),
	SCMP_SYS(ftruncate), SCMP_SYS(fallocate),  SCMP_SYS(fchmod),	SCMP_SYS(utimensat),
	SCMP_SYS(fsync),     SCMP_SYS(fdatasync),
};

static int allow_list(scmp_filter_ctx filter, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, list[i], 0);

		if (failed)
			return failed;
	}
	return 0;
}

static bool enter_seccomp(size_t mount_count, struct err *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int failed = filter ? 0 : -ENOMEM;

	if (!failed)
		failed = allow_list(filter, always, ARRAY_COUNT(always));
	if (!failed && mount_count)
		failed = allow_list(filter, with_mounts, ARRAY_COUNT(with_mounts));
	if (!failed)
		failed = seccomp_load(filter);
	seccomp_release(filter);
	return failed ? err_set_errno(err, -failed,
				      "cannot install the seccomp filter that jails "
				      "the guest")
		      : true;
}

#define LANDLOCK_READ \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* Everything version 1 knows. */
#define LANDLOCK_ALL ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

static void enter_landlock(const struct mount *mounts, size_t mount_count)
{
	struct landlock_ruleset_attr all = {.handled_access_fs = LANDLOCK_ALL};
	long version =
		syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	/* Version 1 forbids every rename and link across directories; since
	 * version 2 that is a right of its own, which must be asked for. */
	if (version >= 2)
		all.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	if (ruleset < 0)
		return; /* an older kernel: the other lock holds */
	for (size_t i = 0; i < mount_count; i++) {
		struct landlock_path_beneath_attr beneath = {
			.allowed_access =
				mounts[i].read_only ? LANDLOCK_READ : all.handled_access_fs,
			.parent_fd = mounts[i].fd,
		};

		syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
	}
	syscall(SYS_landlock_restrict_self, ruleset, 0);
	close(ruleset);
}

void jail_die_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A parent that ended before this call sends no signal. */
	if (getppid() != parent)
		_exit(1);
}

/* The address space that the process has, in bytes; 0 if the host does not say. */
static uint64_t address_space_bytes(void)
{
	FILE *in = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;

	if (in && fscanf(in, "%llu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* What the guest reserves is the same for every guest, so the address space shows what the tool
 * itself takes. */
static void limit_memory(void)
{
	uint64_t used = address_space_bytes();
	uint64_t bytes = used + MEMORY_RESERVED_BYTES + CODE_RESERVED_BYTES + JAIL_TOOL_BYTES;
	struct rlimit limit;

	if (!used || getrlimit(RLIMIT_AS, &limit) != 0)
		return;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes)
		limit.rlim_cur = bytes;
	setrlimit(RLIMIT_AS, &limit);
}

bool jail_enter(const struct mount *mounts, size_t mount_count, struct err *err)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	limit_memory();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return err_set_errno(err, errno, "cannot give up gaining privileges");
	enter_landlock(mounts, mount_count);
	return enter_seccomp(mount_count, err);
}
