/* What a worker that a program has taken over could still ask of the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../escape/walls_old_kernel.h"
#include "base/array.h"
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
		    !jail_enter(mounts, mount_count, &err))
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

static void nothing_forbidden_works(void **state)
{
	(void)state;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 0)
		skip();
	check_jails(true);
}

/* The filter cannot tell mounts apart: beside a writable one it lets every call pass, and Landlock
 * alone refuses what would change this one. The times of a descriptor that is open are no matter of
 * Landlock. */
static void landlock_alone_holds_a_mount_read_only(void **state)
{
	struct scene scene = {0};

	(void)state;
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

static void without_landlock_the_filter_suffices(void **state)
{
	(void)state;
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

static void a_thread_can_only_compute(void **state)
{
	struct scene scene = {0};
	unsigned wrong = 0;

	(void)state;
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

static void only_needed_descriptors_stay_open(void **state)
{
	struct scene scene = {0};

	(void)state;
	make_scene(&scene);
	int other = dup(scene.file), high = fcntl(scene.file, F_DUPFD, 900), status;
	assert_true(other >= 0 && high >= 900);
	pid_t child = fork();
	if (child == 0) {
		struct err err;
		bool ok = jail_enter(&scene.mount, 1, &err);

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

/* A child whose parent has ended already, and one whose parent ends later. */
static void a_child_does_not_outlive_its_parent(void **state)
{
	int ends[2], status;
	char byte;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_forbidden_works),
		cmocka_unit_test(a_thread_can_only_compute),
		cmocka_unit_test(only_needed_descriptors_stay_open),
		cmocka_unit_test(without_landlock_the_filter_suffices),
		cmocka_unit_test(landlock_alone_holds_a_mount_read_only),
		cmocka_unit_test(a_child_does_not_outlive_its_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
