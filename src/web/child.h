/*
 * child.h - this program started again as a process of its own, with another command line.
 *
 * Everything that touches a guest, an uploaded file or a result happens in such a process, and
 * there in the jailed worker that the command starts. It has pipes in place of the standard
 * descriptors, nothing else of the server's, a limit on the size of its files, and it is killed
 * when the server ends, however that ends.
 */
#ifndef WEB_CHILD_H
#define WEB_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/* Its standard output, its standard error, and descriptor 3, for what a guest says on its. */
enum child_pipe { CHILD_OUTPUT, CHILD_ERRORS, CHILD_GUEST_ERRORS, CHILD_PIPES };

struct child {
	pid_t pid;		/* 0: none */
	int pipes[CHILD_PIPES]; /* negative: closed; they do not block */
};

/* In that directory, with files of at most so many bytes. False with a sentence. */
bool child_start(struct child *child, char **arguments, int directory, uint64_t file_bytes,
		 struct err *err);
/* Whether it has ended; *status is then its exit status, or 128 and the signal. */
bool child_has_ended(struct child *child, int *status);
void child_signal(const struct child *child, int signal);
/* Closes what is open. */
void child_release(struct child *child);

#endif
