#include "web/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIRST_FD 16 /* above those that the child has */

/* A pipe whose ends are none of the descriptors that the child gets. */
static bool make_pipe(int ends[2])
{
	int made[2];

	ends[0] = ends[1] = -1;
	if (pipe2(made, O_CLOEXEC) != 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, FIRST_FD);
		close(made[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/* In the child: only calls that are safe behind a fork of a process with threads. */
_Noreturn static void become(char **arguments, int directory, uint64_t file_bytes, pid_t parent,
			     int ends[CHILD_PIPES][2])
{
	const struct rlimit none = {0, 0}, files = {file_bytes, file_bytes};
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t signals;
	bool ok;

	sigemptyset(&signals);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	ok = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && setpgid(0, 0) == 0 &&
	     setrlimit(RLIMIT_CORE, &none) == 0 && setrlimit(RLIMIT_FSIZE, &files) == 0 &&
	     fchdir(directory) == 0 && null >= 0 && dup2(null, STDIN_FILENO) == STDIN_FILENO;
	for (int i = 0; ok && i < CHILD_PIPES; i++)
		ok = dup2(ends[i][1], STDOUT_FILENO + i) == STDOUT_FILENO + i;
	ok = ok && syscall(SYS_close_range, STDOUT_FILENO + CHILD_PIPES, ~0u, 0) == 0;
	if (ok)
		execv("/proc/self/exe", arguments);
	_exit(125);
}

bool child_start(struct child *child, char **arguments, int directory, uint64_t file_bytes,
		 struct err *err)
{
	int ends[CHILD_PIPES][2];
	const pid_t parent = getpid();
	bool ok = true;

	*child = (struct child){0, {-1, -1, -1}};
	for (int i = 0; i < CHILD_PIPES; i++)
		ok = make_pipe(ends[i]) && ok;
	child->pid = ok ? fork() : -1;
	if (child->pid == 0)
		become(arguments, directory, file_bytes, parent, ends);
	ok = child->pid > 0 || err_set_errno(err, errno, "cannot start a process");
	for (int i = 0; i < CHILD_PIPES; i++) {
		if (ends[i][1] >= 0)
			close(ends[i][1]);
		if (ok)
			child->pipes[i] = ends[i][0];
		else if (ends[i][0] >= 0)
			close(ends[i][0]);
	}
	if (!ok)
		child->pid = 0;
	return ok;
}

bool child_has_ended(struct child *child, int *status)
{
	int how;

	if (!child->pid || waitpid(child->pid, &how, WNOHANG) != child->pid)
		return false;
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
	child->pid = 0;
	return true;
}

void child_signal(const struct child *child, int signal)
{
	if (child->pid)
		kill(child->pid, signal);
}

void child_release(struct child *child)
{
	for (int i = 0; i < CHILD_PIPES; i++) {
		if (child->pipes[i] >= 0)
			close(child->pipes[i]);
		child->pipes[i] = -1;
	}
}
