/*
 * Becoming the user one is, and giving files to oneself, succeeds; nobody else is known.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <grp.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uid_t u = getuid(), r, e, s;
	gid_t g = getgid(), groups[4] = {g};
	int fd;

	check_enter(argc, argv, chdir);
	TRY(setuid(u));
	TRY(setgid(g));
	TRY(setreuid(u, u));
	TRY(setreuid(-1, -1));
	TRY(setregid(-1, g));
	TRY(setresuid(u, -1, u));
	TRY(setresgid(g, g, g));
	TRY(seteuid(u));
	TRY(setuid(-1));
	TRUTH(setfsuid(u) == (int)u && setfsgid(g) == (int)g);
	getresuid(&r, &e, &s);
	TRUTH(r == u && e == u && s == u);
	TRUTH(getauxval(AT_UID) == u && getauxval(AT_EGID) == g && !getauxval(AT_SECURE));
	fd = open("file", O_CREAT | O_RDWR, 0644);
	TRY(fchown(fd, u, g));
	TRY(fchown(fd, -1, -1));
	TRY(chown("file", u, -1));
	TRY(lchown("file", -1, g));
	TRY(fchownat(fd, "", u, g, AT_EMPTY_PATH));
	TRY(chown("absent", u, g));
	TRY(fchown(99, u, g));
	TRY(fchownat(AT_FDCWD, "file", u, g, 0x8));
	if (u == 0) {
		TRY(setgroups(1, groups));
		TRY(getgroups(4, groups));
		TRY(setgroups(0, NULL));
		TRY(getgroups(4, groups));
		SHOW(setgroups(70000, groups));
	}
	return 0;
}
