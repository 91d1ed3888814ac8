/* What a worker that a program has taken over could still ask of the kernel. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../escape/walls_old_kernel.h"
#include "base/array.h"
#include "base/rng.h"
#include "guest/memory.h"
#include "isa/code.h"
#include "job/jail.h"

/* What an attempt may use; made before the jail is entered. */
struct scene {
	char directory[64]; /* holds "in" and "out", each with a file "f" of mode 0600 */
	struct mount mount; /* of "in" */
	struct mount other; /* of "beside" */
	int file;	    /* a regular file, opened for reading and writing */
	pid_t parent;
	void *page; /* of memory */
};

static char outside[128], inside[128];

/* Each returns what the system call does, with errno. */
#define ATTEMPT(name, call)                         \
	static long name(const struct scene *scene) \
	{                                           \
		(void)scene;                        \
		return (long)(call);                \
	}
static struct stat info;
static const struct timespec times[2];

ATTEMPT(open_file, syscall(SYS_openat, AT_FDCWD, outside, O_RDONLY))
ATTEMPT(open_by_name, syscall(SYS_open, outside, O_RDONLY))
static long open_how(const struct scene *scene)
{
	struct open_how how = {.flags = O_RDONLY};

	(void)scene;
	return syscall(SYS_openat2, AT_FDCWD, outside, &how, sizeof(how));
}
ATTEMPT(stat_by_name, syscall(SYS_newfstatat, AT_FDCWD, outside, &info, 0))
ATTEMPT(stat_by_name_with_flag, syscall(SYS_newfstatat, AT_FDCWD, outside, &info, AT_EMPTY_PATH))
ATTEMPT(stat_extended, syscall(SYS_statx, AT_FDCWD, outside, 0, STATX_ALL, &info))
ATTEMPT(stat_old, syscall(SYS_stat, outside, &info))
ATTEMPT(access_file, syscall(SYS_faccessat, AT_FDCWD, outside, R_OK))
ATTEMPT(kill_parent, kill(scene->parent, 0))
ATTEMPT(tgkill_parent, syscall(SYS_tgkill, scene->parent, scene->parent, 0))
ATTEMPT(set_times, syscall(SYS_utimensat, AT_FDCWD, outside, times, 0))
ATTEMPT(change_mode, syscall(SYS_fchmodat, AT_FDCWD, outside, 0777))
ATTEMPT(new_process, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))
ATTEMPT(new_program, execl("/bin/true", "true", (char *)NULL))
ATTEMPT(new_socket, socket(AF_UNIX, SOCK_STREAM, 0))
ATTEMPT(trace_parent, syscall(SYS_ptrace, 16 /* PTRACE_ATTACH */, scene->parent, 0, 0))
ATTEMPT(read_parent, syscall(SYS_process_vm_readv, scene->parent, NULL, 0, NULL, 0, 0))
ATTEMPT(executable_memory,
	(intptr_t)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
ATTEMPT(executable_page, mprotect(scene->page, 4096, PROT_READ | PROT_EXEC))
ATTEMPT(map_file, (intptr_t)mmap(NULL, 4096, PROT_READ, MAP_SHARED, scene->file, 0))
ATTEMPT(be_dumpable, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))
ATTEMPT(terminal_input, ioctl(0, TIOCSTI, "x"))
ATTEMPT(send_signals, fcntl(scene->file, F_SETOWN, scene->parent))
ATTEMPT(lock_file, fcntl(scene->file, F_SETLEASE, F_WRLCK))

/* The soft limit of memory is below the hard one, up to which a process may raise it. */
ATTEMPT(raise_limit, setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}))
ATTEMPT(raise_limit_of_itself,
	syscall(SYS_prlimit64, 0, RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}, NULL))

ATTEMPT(stat_descriptor, fstat(scene->file, &info) != 0 || !S_ISREG(info.st_mode) ? -1 : 0)
ATTEMPT(memory,
	(intptr_t)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
ATTEMPT(signal_itself, raise(0))
ATTEMPT(read_descriptor, read(scene->file, &info, 1))
ATTEMPT(times_of_descriptor, futimens(scene->file, times))
static long open_in_mount(const struct scene *scene)
{
	struct open_how how = {.flags = O_RDONLY, .resolve = RESOLVE_IN_ROOT};

	return syscall(SYS_openat2, scene->mount.fd, "f", &how, sizeof(how));
}
static long write_in_mount(const struct scene *scene)
{
	struct open_how how = {.flags = O_WRONLY, .resolve = RESOLVE_IN_ROOT};

	return syscall(SYS_openat2, scene->mount.fd, "f", &how, sizeof(how));
}
static long empty_in_mount(const struct scene *scene)
{
	struct open_how how = {.flags = O_RDONLY | O_TRUNC, .resolve = RESOLVE_IN_ROOT};

	return syscall(SYS_openat2, scene->mount.fd, "f", &how, sizeof(how));
}
ATTEMPT(make_in_mount, mkdirat(scene->mount.fd, "new", 0700))
ATTEMPT(link_in_mount, symlinkat("f", scene->mount.fd, "new"))
ATTEMPT(remove_in_mount, unlinkat(scene->mount.fd, "f", 0))

ATTEMPT(write_descriptor, write(scene->file, "", 1))
ATTEMPT(write_error, write(STDERR_FILENO, "", 0))
/* The first thread of the process. */
ATTEMPT(signal_leader, syscall(SYS_tgkill, getpid(), getpid(), 0))

enum kind {
	NEVER,	       /* EPERM in every jail */
	LANDLOCK,      /* refused with EPERM or EACCES, with mounts by Landlock alone */
	ALWAYS,	       /* works in every jail */
	COMPUTING,     /* works even in a thread that only computes, in which nothing else does */
	WITH_MOUNTS,   /* works with mounts, EPERM without */
	WITH_WRITABLE, /* works with a writable mount, refused without */
};

static const struct {
	const char *name;
	long (*run)(const struct scene *scene);
	enum kind kind;
} attempts[] = {
#define ROW(name, kind)           \
	{                         \
#name, name, kind \
	}
	ROW(open_file, NEVER),
	ROW(open_by_name, NEVER),
	ROW(open_how, LANDLOCK),
	ROW(stat_by_name, NEVER),
	ROW(stat_by_name_with_flag, NEVER),
	ROW(stat_extended, NEVER),
	ROW(stat_old, NEVER),
	ROW(access_file, NEVER),
	ROW(kill_parent, NEVER),
	ROW(tgkill_parent, NEVER),
	ROW(set_times, NEVER),
	ROW(change_mode, NEVER),
	ROW(new_process, NEVER),
	ROW(new_program, NEVER),
	ROW(new_socket, NEVER),
	ROW(trace_parent, NEVER),
	ROW(read_parent, NEVER),
	ROW(executable_memory, NEVER),
	ROW(executable_page, NEVER),
	ROW(map_file, NEVER),
	ROW(be_dumpable, NEVER),
	ROW(terminal_input, NEVER),
	ROW(send_signals, NEVER),
	ROW(lock_file, NEVER),
	ROW(raise_limit, NEVER),
	ROW(raise_limit_of_itself, NEVER),
	ROW(stat_descriptor, ALWAYS),
	ROW(memory, COMPUTING),
	ROW(signal_itself, COMPUTING),
	ROW(write_error, COMPUTING),
	ROW(read_descriptor, ALWAYS),
	ROW(write_descriptor, ALWAYS),
	ROW(signal_leader, ALWAYS),
	ROW(times_of_descriptor, WITH_WRITABLE),
	ROW(open_in_mount, WITH_MOUNTS),
	ROW(write_in_mount, WITH_WRITABLE),
	ROW(empty_in_mount, WITH_WRITABLE),
	ROW(make_in_mount, WITH_WRITABLE),
	ROW(link_in_mount, WITH_WRITABLE),
	ROW(remove_in_mount, WITH_WRITABLE),
};

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
}

static void make_scene(struct scene *scene)
{
	char path[128];
	struct err err;

	snprintf(scene->directory, sizeof(scene->directory), P_tmpdir "/jail.XXXXXX");
	assert_non_null(mkdtemp(scene->directory));
	snprintf(path, sizeof(path), "%s/out", scene->directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/beside", scene->directory);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(mount_open(&scene->other, "/beside", path, false, &err));
	snprintf(path, sizeof(path), "%s/in", scene->directory);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(mount_open(&scene->mount, "/data", path, false, &err));
	snprintf(outside, sizeof(outside), "%s/out/f", scene->directory);
	snprintf(inside, sizeof(inside), "%s/in/f", scene->directory);
	make_file(outside);
	make_file(inside);
	scene->file = open(inside, O_RDWR | O_CLOEXEC);
	assert_true(scene->file >= 0);
	scene->parent = getpid();
	scene->page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void remove_scene(struct scene *scene)
{
	char command[160];

	mount_close(&scene->mount);
	mount_close(&scene->other);
	close(scene->file);
	munmap(scene->page, 4096);
	snprintf(command, sizeof(command), "rm -rf '%s'", scene->directory);
	assert_int_equal(system(command), 0);
}

#define NO_JAIL 255

/* The attempt's errno in a child jailed with the first of these mounts; 0 if it worked. A child
 * that is killed is as good as EPERM. */
static int try_in_jail(const struct scene *scene, size_t attempt, size_t mount_count,
		       bool has_landlock)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		const struct mount mounts[] = {scene->mount, scene->other};
		struct err err;

		if ((!has_landlock && !old_kernel_lose_landlock()) ||
		    !jail_enter(mounts, mount_count, false, &err))
			_exit(NO_JAIL);
		_exit(attempts[attempt].run(scene) < 0 ? errno : 0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

static bool is_refused(int error)
{
	return error == EPERM || error == EACCES;
}

static void check_attempts(const struct scene *scene, size_t mount_count, bool has_landlock)
{
	bool is_writable = mount_count && !scene->mount.read_only;
	unsigned wrong = 0;

	for (size_t i = 0; i < ARRAY_COUNT(attempts); i++) {
		int error = try_in_jail(scene, i, mount_count, has_landlock);
		bool is_right = false;

		switch (attempts[i].kind) {
		case NEVER: is_right = error == EPERM; break;
		case LANDLOCK:
			is_right = is_refused(error) || (mount_count && !has_landlock);
			break;
		case ALWAYS:
		case COMPUTING: is_right = error == 0; break;
		case WITH_MOUNTS: is_right = mount_count ? error == 0 : error == EPERM; break;
		case WITH_WRITABLE:
			/* What only Landlock refuses is no promise without it. */
			is_right = is_writable
					   ? error == 0
					   : is_refused(error) || (mount_count && !has_landlock);
			break;
		}
		wrong += !is_right;
		if (!is_right)
			print_error("%s: %s\n", attempts[i].name,
				    error ? strerrorname_np(error) : "it works");
		unlinkat(scene->mount.fd, "new", AT_REMOVEDIR);
		unlinkat(scene->mount.fd, "new", 0);
		make_file(inside);
	}
	assert_int_equal(wrong, 0);
}

static void check_jails(bool has_landlock)
{
	struct scene scene = {0};

	make_scene(&scene);
	print_message("without mounts\n");
	check_attempts(&scene, 0, has_landlock);
	print_message("with a writable mount\n");
	check_attempts(&scene, 1, has_landlock);
	print_message("with a read-only mount\n");
	scene.mount.read_only = true;
	check_attempts(&scene, 1, has_landlock);
	remove_scene(&scene);
}

TEST(nothing_forbidden_works)
{
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0)
		skip();
	check_jails(true);
}

/* The filter cannot tell mounts apart: beside a writable one it lets every call pass, and Landlock
 * alone refuses what would change this one. The times of a descriptor that is open are no matter of
 * Landlock. */
TEST(landlock_alone_holds_a_mount_read_only)
{
	struct scene scene = {0};

	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0)
		skip();
	make_scene(&scene);
	for (int is_read_only = 0; is_read_only < 2; is_read_only++) {
		scene.mount.read_only = is_read_only;
		for (size_t i = 0; i < ARRAY_COUNT(attempts); i++) {
			if (attempts[i].kind != WITH_WRITABLE ||
			    attempts[i].run == times_of_descriptor)
				continue;
			int error = try_in_jail(&scene, i, 2, true);

			if (is_read_only ? error != EACCES : error != 0)
				fail_msg("%s: %s", attempts[i].name,
					 error ? strerrorname_np(error) : "it works");
			unlinkat(scene.mount.fd, "new", AT_REMOVEDIR);
			unlinkat(scene.mount.fd, "new", 0);
			make_file(inside);
		}
	}
	remove_scene(&scene);
}

TEST(without_landlock_the_filter_suffices)
{
	check_jails(false);
}

/* An attempt in a thread of a process that has a writable mount. */
struct thread_attempt {
	const struct scene *scene;
	size_t attempt;
	int error;
};

static void *run_attempt(void *context)
{
	struct thread_attempt *t = context;
	struct err err;

	t->error = !jail_enter_thread(&err)		    ? NO_JAIL
		   : attempts[t->attempt].run(t->scene) < 0 ? errno
							    : 0;
	return NULL;
}

static int try_in_thread(const struct scene *scene, size_t attempt)
{
	struct thread_attempt t = {scene, attempt, NO_JAIL};
	pid_t child = fork();
	int status;

	if (child == 0) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, run_attempt, &t) != 0 ||
		    pthread_join(thread, NULL) != 0)
			_exit(NO_JAIL);
		_exit(t.error);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}

TEST(a_thread_can_only_compute)
{
	struct scene scene = {0};
	unsigned wrong = 0;

	make_scene(&scene);
	for (size_t i = 0; i < ARRAY_COUNT(attempts); i++) {
		int error = try_in_thread(&scene, i);
		bool is_right = error == (attempts[i].kind == COMPUTING ? 0 : EPERM);

		wrong += !is_right;
		if (!is_right)
			print_error("%s: %s\n", attempts[i].name,
				    error ? strerrorname_np(error) : "it works");
	}
	assert_int_equal(wrong, 0);
	remove_scene(&scene);
}

TEST(only_needed_descriptors_stay_open)
{
	struct scene scene = {0};

	make_scene(&scene);
	int other = dup(scene.file), high = fcntl(scene.file, F_DUPFD, 900), status;
	assert_true(other >= 0 && high >= 900);
	pid_t child = fork();
	if (child == 0) {
		struct err err;
		bool ok = jail_enter(&scene.mount, 1, false, &err);

		jail_close_descriptors(&scene.mount, 1, scene.file);
		_exit(!(ok && fcntl(scene.file, F_GETFD) >= 0 &&
			fcntl(scene.mount.fd, F_GETFD) >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0 &&
			fcntl(other, F_GETFD) < 0 && fcntl(high, F_GETFD) < 0));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(other);
	close(high);
	remove_scene(&scene);
}

/* Each wall by itself: a child does, in the jail, what no other wall forbids. Its status is what it
 * returns. */
static int jailed(int (*attempt)(uint64_t argument), uint64_t argument)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct err err;

		_exit(jail_enter(NULL, 0, false, &err) ? attempt(argument) : NO_JAIL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int take_memory(uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? errno : 0;
}

static int grow_memory(uint64_t bytes)
{
	void *at = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mremap(at, 4096, bytes, MREMAP_MAYMOVE) == MAP_FAILED ? errno : 0;
}

/* Bytes that this process has mapped: far more than `most` below under the address sanitizer. */
static uint64_t address_space(void)
{
	unsigned long long pages = 0;
	FILE *in = fopen("/proc/self/statm", "r");

	assert_non_null(in);
	assert_int_equal(fscanf(in, "%llu", &pages), 1);
	fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The filter allows all mappings, and there is address space: the limit alone refuses. */
TEST(the_limit_of_memory_holds_alone)
{
	const uint64_t most = MEMORY_RESERVED_BYTES + CODE_RESERVED_BYTES + JAIL_TOOL_BYTES;
	struct rlimit before, low;

	getrlimit(RLIMIT_AS, &before);
	if (before.rlim_cur != RLIM_INFINITY)
		skip();
	pid_t child = fork();
	if (child == 0)
		_exit(take_memory(most + 4096));
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(jailed(take_memory, most - (1 << 20)), 0);
	assert_int_equal(jailed(take_memory, most + 4096), ENOMEM);
	assert_int_equal(jailed(grow_memory, most + 4096), ENOMEM);
	/* One that is lower already stays. */
	low = (struct rlimit){address_space() + most / 2, before.rlim_max};
	setrlimit(RLIMIT_AS, &low);
	assert_int_equal(jailed(take_memory, most / 4), 0);
	assert_int_equal(jailed(take_memory, most / 4 * 3), ENOMEM);
	setrlimit(RLIMIT_AS, &before);
}

static int wait_for_end(uint64_t fd)
{
	char byte;

	return write((int)fd + 1, "x", 1) == 1 && read((int)fd, &byte, 1) == 0 ? 0 : 1;
}

/* The limit that the parent reads is 0: no core file is written. */
TEST(no_core_file_is_left)
{
	struct rlimit before, all;
	int to[2], from[2], status;
	char byte;

	getrlimit(RLIMIT_CORE, &before);
	all = before;
	all.rlim_cur = all.rlim_max;
	if (!all.rlim_max)
		skip();
	setrlimit(RLIMIT_CORE, &all);
	assert_int_equal(pipe(to) | pipe(from), 0);
	pid_t child = fork();
	if (child == 0) {
		struct err err;

		close(to[1]);
		dup2(to[0], 100);
		dup2(from[1], 101);
		_exit(jail_enter(NULL, 0, false, &err) ? wait_for_end(100) : NO_JAIL);
	}
	close(from[1]);
	assert_int_equal(read(from[0], &byte, 1), 1);
	struct rlimit seen = {1, 1};
	assert_int_equal(prlimit(child, RLIMIT_CORE, NULL, &seen), 0);
	assert_int_equal(seen.rlim_cur | seen.rlim_max, 0);
	close(to[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(to[0]);
	close(from[0]);
	setrlimit(RLIMIT_CORE, &before);
}

/* A descriptor can be read in the jail: only that it is closed keeps a worker from it. Whatever the
 * numbers of those that stay, next to each other, in any order or twice, no other does. */
static int keep_some(uint64_t seed)
{
	struct rng rng = {seed};
	struct mount mounts[3];
	bool is_kept[40] = {true, true, true};
	size_t count = rng_below(&rng, 4);
	int kept = (int)rng_below(&rng, 40);

	struct err err;

	for (int fd = 3; fd < 40; fd++)
		dup2(0, fd);
	if (!jail_enter(NULL, 0, false, &err))
		return NO_JAIL;
	is_kept[kept] = true;
	for (size_t i = 0; i < count; i++) {
		mounts[i] = (struct mount){.fd = (int)(3 + rng_below(&rng, seed & 1 ? 6 : 37))};
		is_kept[mounts[i].fd] = true;
	}
	jail_close_descriptors(mounts, count, kept);
	for (int fd = 0; fd < 40; fd++)
		if ((fcntl(fd, F_GETFD) >= 0) != is_kept[fd])
			return 1;
	return 0;
}

TEST(descriptors_are_closed_whatever_their_numbers)
{
	for (uint64_t seed = 0; seed < 200; seed++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(keep_some(seed));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

/* A child whose parent has ended already, and one whose parent ends later. */
TEST(a_child_does_not_outlive_its_parent)
{
	int ends[2], status;
	char byte;

	pid_t orphan = fork();
	if (orphan == 0) {
		/* Its parent is another than the one named, as if that had ended before. */
		jail_die_with(getpid());
		_exit(0);
	}
	assert_int_equal(waitpid(orphan, &status, 0), orphan);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);

	assert_int_equal(pipe(ends), 0);
	pid_t parent = fork();
	if (parent == 0) {
		pid_t self = getpid();

		if (fork() == 0) {
			alarm(30); /* it ends even where this fails */
			jail_die_with(self);
			if (write(ends[1], "x", 1) == 1)
				for (;;)
					pause();
		}
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	/* The other end is closed once the child is gone as well. */
	struct pollfd end = {ends[0], POLLIN, 0};
	assert_int_equal(poll(&end, 1, 10000), 1);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

/* Each is refused whether or not copies are allowed: threads, namespaces, other processes. */
static int try_more_than_copies(void)
{
	const long calls[][6] = {
		{SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0},
		{SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0},
		{SYS_clone, SIGCHLD | CLONE_VM, 0, 0, 0, 0},
		{SYS_clone3, 0, 0, 0, 0, 0},
		{SYS_vfork, 0, 0, 0, 0, 0},
		{SYS_kill, getppid(), 0, 0, 0, 0},
		{SYS_execve, 0, 0, 0, 0, 0},
		{SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0},
		{SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0},
		{SYS_ptrace, 0, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_COUNT(calls); i++) {
		const long *c = calls[i];

		if (syscall(c[0], c[1], c[2], c[3], c[4], c[5]) != -1 || errno != EPERM)
			return (int)i + 10;
	}
	return 0;
}

static int forks_in_jail(bool copies)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct err err;
		int seen;

		if (!jail_enter(NULL, 0, copies, &err))
			_exit(NO_JAIL);
		const pid_t copy = fork();
		if (copy == 0)
			_exit(try_more_than_copies() ? 8 : 7);
		if (copy < 0)
			_exit(errno == EPERM ? 1 : 2);
		if (waitpid(copy, &seen, 0) != copy || !WIFEXITED(seen) || WEXITSTATUS(seen) != 7)
			_exit(3);
		_exit(try_more_than_copies());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(a_jail_with_copies_lets_a_process_fork_and_nothing_more)
{
	assert_int_equal(forks_in_jail(true), 0);
	assert_int_equal(forks_in_jail(false), 1);
}
