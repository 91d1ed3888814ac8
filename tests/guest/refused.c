/*
 * fork, vfork, execve and what libc builds on them are refused, and the program goes on.
 *
 * only: cyclestack
 * stderr: fork
 * stderr: exec
 */
#include "check.h"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int failures;

static void expect(const char *what, int holds)
{
	printf("%s: %s\n", what, holds ? "yes" : "NO");
	failures += !holds;
}

int main(void)
{
	char *words[] = {"true", NULL};
	pid_t child;

	errno = 0;
	child = fork();
	if (child == 0)
		_exit(77);
	expect("fork is refused with ENOSYS", child == -1 && errno == ENOSYS);
	errno = 0;
	child = vfork();
	if (child == 0)
		_exit(77);
	expect("vfork is refused with ENOSYS", child == -1 && errno == ENOSYS);
	errno = 0;
	expect("execve is refused with ENOSYS",
	       execve("/bin/true", words, environ) == -1 && errno == ENOSYS);
	expect("posix_spawn is refused",
	       posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) != 0);
	expect("system is refused", system("true") != 0);
	expect("popen is refused", popen("true", "r") == NULL);
	errno = 0;
	expect("wait finds no children", wait(NULL) == -1 && errno == ECHILD);
	return failures;
}
