#include "job/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/array.h"
#include "guest/memory.h"
#include "isa/code.h"

/* What computing and talking over inherited descriptors takes. */
static const int always[] = {
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(readv),
	SCMP_SYS(writev),
	SCMP_SYS(pread64),
	SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(close_range),
	SCMP_SYS(fstat),
	SCMP_SYS(dup),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	SCMP_SYS(futex),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(getrandom),
	SCMP_SYS(sched_yield),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(restart_syscall),
	/* Files in memory; what is open for reading only cannot be changed. */
	SCMP_SYS(memfd_create),
	SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate),
};

static const int with_mounts[] = {
	SCMP_SYS(openat2),
	SCMP_SYS(getdents64),
	SCMP_SYS(readlinkat),
};

static const int with_writable_mounts[] = {
	SCMP_SYS(mkdirat),   SCMP_SYS(unlinkat), SCMP_SYS(symlinkat), SCMP_SYS(linkat),
	SCMP_SYS(renameat2), SCMP_SYS(fchmod),	 SCMP_SYS(fsync),     SCMP_SYS(fdatasync),
};

/* What a thread that only computes takes: memory, waiting for others, ending by itself or with a
 * sentence. */
static const int in_threads[] = {
	SCMP_SYS(munmap),	  SCMP_SYS(mremap),	 SCMP_SYS(madvise),    SCMP_SYS(brk),
	SCMP_SYS(futex),	  SCMP_SYS(getpid),	 SCMP_SYS(gettid),     SCMP_SYS(exit),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack), SCMP_SYS(exit_group),
};

/* What is allowed with some arguments only: all comparisons of a row must hold. */
struct rule {
	int call;
	unsigned count;
	struct scmp_arg_cmp arguments[2];
};

#define IS(n, value)	    SCMP_CMP(n, SCMP_CMP_EQ, (scmp_datum_t)(value), 0)
#define HAS(n, mask, value) SCMP_CMP(n, SCMP_CMP_MASKED_EQ, mask, value)

static int allow_list(scmp_filter_ctx filter, const int *list, size_t count)
{
	int failed = 0;

	for (size_t i = 0; !failed && i < count; i++)
		failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, list[i], 0);
	return failed;
}

static int allow_rules(scmp_filter_ctx filter, const struct rule *rules, size_t count)
{
	int failed = 0;

	for (size_t i = 0; !failed && i < count; i++)
		failed = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, rules[i].call,
						rules[i].count, rules[i].arguments);
	return failed;
}

/* Memory of the process's own, and signals to the calling thread, as when it aborts. */
static int allow_memory(scmp_filter_ctx filter)
{
	const struct rule rules[] = {
		{SCMP_SYS(mmap), 2, {HAS(2, PROT_EXEC, 0), HAS(3, MAP_ANONYMOUS, MAP_ANONYMOUS)}},
		{SCMP_SYS(mprotect), 1, {HAS(2, PROT_EXEC, 0)}},
		{SCMP_SYS(tgkill), 2, {IS(0, getpid()), IS(1, gettid())}},
	};

	return allow_rules(filter, rules, ARRAY_COUNT(rules));
}

/* What fork, and nothing else that makes a thread or process, passes. */
#define FORK_FLAGS (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD)

/* Copies of the process, in the same jail, that die with it. */
static int allow_copies(scmp_filter_ctx filter)
{
	static const int calls[] = {SCMP_SYS(wait4), SCMP_SYS(getppid), SCMP_SYS(set_robust_list)};
	const struct rule rules[] = {
		{SCMP_SYS(clone), 1, {IS(0, FORK_FLAGS)}},
		{SCMP_SYS(prctl), 2, {IS(0, PR_SET_PDEATHSIG), IS(1, SIGKILL)}},
	};
	const int failed = allow_list(filter, calls, ARRAY_COUNT(calls));

	return failed ? failed : allow_rules(filter, rules, ARRAY_COUNT(rules));
}

static int allow_descriptors(scmp_filter_ctx filter)
{
	const struct rule rules[] = {
		{SCMP_SYS(fcntl), 1, {IS(1, F_GETFL)}},
		{SCMP_SYS(fcntl), 1, {IS(1, F_SETFL)}},
		{SCMP_SYS(fcntl), 1, {IS(1, F_GETFD)}},
		{SCMP_SYS(fcntl), 1, {IS(1, F_SETFD)}},
		{SCMP_SYS(fcntl), 1, {IS(1, F_ADD_SEALS)}},
		{SCMP_SYS(fcntl), 1, {IS(1, F_GET_SEALS)}},
	};

	return allow_rules(filter, rules, ARRAY_COUNT(rules));
}

/* Without a name it is the times of a descriptor that are set. */
static int allow_times(scmp_filter_ctx filter)
{
	const struct rule rule = {SCMP_SYS(utimensat), 1, {IS(1, NULL)}};

	return allow_rules(filter, &rule, 1);
}

/* A sentence about what went wrong. */
static int allow_errors(scmp_filter_ctx filter)
{
	const struct rule rule = {SCMP_SYS(write), 1, {IS(0, STDERR_FILENO)}};

	return allow_rules(filter, &rule, 1);
}

/* The C library of glibc 2.33 to 2.38 makes fstat(fd) a newfstatat(fd, "", AT_EMPTY_PATH), and a
 * filter cannot see whether a name is empty. So the call is trapped, and this does an fstat. */
#if defined(__x86_64__)
#define REGISTER(context, n)                               \
	((context)->uc_mcontext.gregs[(n) == 0	 ? REG_RDI \
				      : (n) == 1 ? REG_RSI \
				      : (n) == 2 ? REG_RDX \
						 : REG_R10])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define REGISTER(context, n) ((context)->uc_mcontext.regs[n])
#define RESULT(context)	     ((context)->uc_mcontext.regs[0])
#endif

#ifdef RESULT
static void stat_descriptor(int number, siginfo_t *unused, void *trapped)
{
	ucontext_t *context = trapped;
	const char *name = (const char *)(uintptr_t)REGISTER(context, 1);
	int saved = errno;
	long result = -EPERM;

	(void)number;
	(void)unused;
	if (REGISTER(context, 3) == AT_EMPTY_PATH && name && !*name) {
		result = syscall(SYS_fstat, (int)REGISTER(context, 0), REGISTER(context, 2));
		result = result < 0 ? -errno : result;
	}
	RESULT(context) = (__typeof__(RESULT(context)))result;
	errno = saved;
}

static int allow_fstat(scmp_filter_ctx filter)
{
	struct sigaction action = {.sa_sigaction = stat_descriptor, .sa_flags = SA_SIGINFO};

	return sigaction(SIGSYS, &action, NULL) != 0
		       ? -errno
		       : seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(newfstatat), 0);
}
#else
static int allow_fstat(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), 1,
				IS(3, AT_EMPTY_PATH));
}
#endif

/* Puts the filter in place for the calling thread, unless making it failed, and frees it. */
static bool load(scmp_filter_ctx filter, int failed, struct err *err)
{
	if (!failed)
		failed = seccomp_load(filter);
	seccomp_release(filter);
	return failed ? err_set_errno(err, -failed,
				      "cannot install the seccomp filter that jails "
				      "the guest")
		      : true;
}

static bool enter_seccomp(const struct mount *mounts, size_t mount_count, bool copies,
			  struct err *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int failed = filter ? 0 : -ENOMEM;
	bool is_writable = false;

	for (size_t i = 0; i < mount_count; i++)
		is_writable |= !mounts[i].read_only;
	if (!failed)
		failed = allow_list(filter, always, ARRAY_COUNT(always));
	if (!failed)
		failed = allow_memory(filter);
	if (!failed && copies)
		failed = allow_copies(filter);
	if (!failed)
		failed = allow_descriptors(filter);
	if (!failed && is_writable)
		failed = allow_times(filter);
	if (!failed)
		failed = allow_fstat(filter);
	if (!failed && mount_count)
		failed = allow_list(filter, with_mounts, ARRAY_COUNT(with_mounts));
	if (!failed && is_writable)
		failed =
			allow_list(filter, with_writable_mounts, ARRAY_COUNT(with_writable_mounts));
	return load(filter, failed, err);
}

static bool enter_thread_seccomp(struct err *err)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int failed = filter ? allow_list(filter, in_threads, ARRAY_COUNT(in_threads)) : -ENOMEM;

	if (!failed)
		failed = allow_memory(filter);
	if (!failed)
		failed = allow_errors(filter);
	return load(filter, failed, err);
}

#define LANDLOCK_READ \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
/* Everything version 1 knows. */
#define LANDLOCK_ALL ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
/* Since version 3; a file opened for reading could be truncated before. */
#define LANDLOCK_TRUNCATE (LANDLOCK_ACCESS_FS_REFER << 1)

/* Below 1 if there is no Landlock. */
static long landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool jail_has_landlock(void)
{
	return landlock_version() >= 1;
}

static bool enter_landlock(const struct mount *mounts, size_t mount_count, struct err *err)
{
	struct landlock_ruleset_attr all = {.handled_access_fs = LANDLOCK_ALL};
	long version = landlock_version();

	if (version < 1)
		return true;
	/* Version 1 forbids every rename and link across directories; since
	 * version 2 that is a right of its own, which must be asked for. */
	if (version >= 2)
		all.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
	if (version >= 3)
		all.handled_access_fs |= LANDLOCK_TRUNCATE;
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);
	bool ok = ruleset >= 0;
	for (size_t i = 0; ok && i < mount_count; i++) {
		struct landlock_path_beneath_attr beneath = {
			.allowed_access =
				mounts[i].read_only ? LANDLOCK_READ : all.handled_access_fs,
			.parent_fd = mounts[i].fd,
		};

		ok = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath,
			     0) == 0;
	}
	ok = ok && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	int reason = errno;
	if (ruleset >= 0)
		close(ruleset);
	return ok ? true
		  : err_set_errno(err, reason,
				  "cannot confine the guest to its mounts by Landlock");
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

static bool give_up_privileges(struct err *err)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ||
	       err_set_errno(err, errno, "cannot give up gaining privileges");
}

bool jail_enter_thread(struct err *err)
{
	return give_up_privileges(err) && enter_landlock(NULL, 0, err) && enter_thread_seccomp(err);
}

bool jail_enter(const struct mount *mounts, size_t mount_count, bool copies, struct err *err)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	limit_memory();
	return give_up_privileges(err) && enter_landlock(mounts, mount_count, err) &&
	       enter_seccomp(mounts, mount_count, copies, err);
}

static int by_number(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

/* Descriptors that a kernel before 5.9, which closes them one by one, looks for. */
#define DESCRIPTORS_MOST 65536

static void close_between(unsigned first, unsigned last)
{
	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	for (unsigned fd = first; fd <= last && fd < DESCRIPTORS_MOST; fd++)
		close((int)fd);
}

void jail_close_descriptors(const struct mount *mounts, size_t mount_count, int kept)
{
	int *needed = mem_alloc_array(mount_count + 1, sizeof(*needed));
	unsigned next = STDERR_FILENO + 1;

	needed[0] = kept;
	for (size_t i = 0; i < mount_count; i++)
		needed[i + 1] = mounts[i].fd;
	qsort(needed, mount_count + 1, sizeof(*needed), by_number);
	for (size_t i = 0; i <= mount_count; i++) {
		if (needed[i] < (int)next)
			continue;
		close_between(next, (unsigned)needed[i] - 1);
		next = (unsigned)needed[i] + 1;
	}
	close_between(next, UINT32_MAX);
	free(needed);
}
