/* Directories, each mounted for writing or not: in the jail a file can be opened for writing in
 * exactly those that allow it, whatever is mounted before. */
#include "../test.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/jail.h"

#define MOUNTS 3

static void make_mounts(const char *directory, struct mount *mounts, unsigned read_only)
{
	for (unsigned i = 0; i < MOUNTS; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%u", directory, i);
		mkdir(path, 0700);
		mounts[i] = (struct mount){.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
					   .read_only = read_only >> i & 1};
		assert_true(mounts[i].fd >= 0);
		int file = openat(mounts[i].fd, "f", O_RDWR | O_CREAT, 0600);
		assert_true(file >= 0);
		close(file);
	}
}

/* The mounts, as bits, in which a jailed child opens a file for writing. */
static unsigned opened_in_jail(const struct mount *mounts)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct open_how how = {.flags = O_RDWR};
		unsigned opened = 0;
		struct err err;

		if (!jail_enter(mounts, MOUNTS, false, &err))
			_exit(255);
		for (unsigned i = 0; i < MOUNTS; i++)
			if (syscall(SYS_openat2, mounts[i].fd, "f", &how, sizeof(how)) >= 0)
				opened |= 1u << i;
		_exit((int)opened);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return (unsigned)WEXITSTATUS(status);
}

TEST(each_mount_has_its_own_rights)
{
	char directory[] = "/tmp/jail-mounts-XXXXXX", command[64];

	if (!jail_has_landlock())
		skip();
	assert_non_null(mkdtemp(directory));
	for (unsigned read_only = 0; read_only < 1u << MOUNTS; read_only++) {
		struct mount mounts[MOUNTS];

		make_mounts(directory, mounts, read_only);
		assert_int_equal(opened_in_jail(mounts), ~read_only & ((1u << MOUNTS) - 1));
		for (unsigned i = 0; i < MOUNTS; i++)
			close(mounts[i].fd);
	}
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	assert_int_equal(system(command), 0);
}
