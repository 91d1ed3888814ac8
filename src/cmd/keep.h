/*
 * keep.h - finished simulations of `judge` and `reproduce` on disk, so that a command that was
 * interrupted, or killed, goes on from them when it is given again.
 *
 * An entry is a file named by a SHA-256 of everything that decides a result: this tool's own bytes,
 * the program's, its arguments and environment, the complete configuration, the observers, limits.
 * It holds one line with that name and the SHA-256 of what follows, then the result as the worker
 * sent it. It is written aside, synced and renamed; one that is damaged is ignored with a sentence
 * and made anew. A result found is checked as one from a worker is.
 *
 * With --keep DIR entries stay. Without, they lie in the user's cache directory
 * ($XDG_CACHE_HOME/cyclestack, else ~/.cache/cyclestack) until the command has all it needs, then
 * it removes them; those of commands that were never given again go after KEEP_DAYS days. Where
 * there is no such directory nothing is kept.
 *
 * A program that can read files of the host (--mount, --sysroot) is simulated anew each time: what
 * it would find there is not part of the name.
 */
#ifndef CMD_KEEP_H
#define CMD_KEEP_H

#include "cmd/command.h"
#include "job/job.h"

#define KEEP_DAYS 30

struct keep {
	int directory;	 /* -1: nothing is kept */
	bool is_lasting; /* --keep */
	char tool[65];	 /* SHA-256 of this program */
	char **names;	 /* of the entries found or made */
	size_t count, capacity, found;
	struct job_shelf shelf;
};

/* The shelf of --keep, or the usual one. False with a sentence if --keep names what cannot be used.
 * Close either way. */
bool keep_open(struct keep *keep, const struct args *args, struct err *err);
/* The shelf for jobs_run; NULL if nothing is kept. */
const struct job_shelf *keep_shelf(const struct keep *keep);
/* `is_whole`: the command has all its results. Else says on standard error what is kept. */
void keep_close(struct keep *keep, bool is_whole);

#endif
