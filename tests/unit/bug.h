/*
 * bug.h - whether a call ends in BUG(), as the wrong use of a function does. It is called in a
 * child without standard error. Includes what cmocka wants.
 */
#ifndef TESTS_UNIT_BUG_H
#define TESTS_UNIT_BUG_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static inline bool is_bug(void (*call)(void *context), void *context)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		signal(SIGABRT, SIG_DFL);
		close(STDERR_FILENO);
		call(context);
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGABRT;
}

#endif
