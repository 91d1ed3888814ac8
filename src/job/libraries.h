/*
 * libraries.h - the functions, lines and inlined calls of code that a dynamically linked program
 * has mapped: its loader and shared libraries.
 *
 * Each file is read through the program's mounts when code in it is first asked about, by the
 * jailed worker. If there is a file of its build id that its debugging information was split off
 * to, in a directory of --debug-dir or where the program sees it (/usr/lib/debug/.build-id), that
 * is used. A file that is not mapped any more is not known.
 */
#ifndef JOB_LIBRARIES_H
#define JOB_LIBRARIES_H

#include "image/frames.h"
#include "linux/process.h"

struct library;

struct libraries {
	struct library **items; /* pointers, since the tables of each are given out */
	size_t count, capacity;
};

/* What is known of the file mapped at pc, the address of pc in that file, and the function there by
 * its unwinding record, or NULL. NULL if no file is mapped there or it cannot be read. Zeros are no
 * libraries. */
struct debug *libraries_find(struct libraries *libraries, struct process *process, uint64_t pc,
			     uint64_t *address, const struct frame_range **frame);
/* The same for data: the name of the file that is mapped at an address, or whose data without
 * content
 * (.bss) is there, without its directory; NULL if there is none. *debug is NULL if nothing is known
 * of the file. */
const char *libraries_find_data(struct libraries *libraries, struct process *process,
				uint64_t address, struct debug **debug, uint64_t *in_file);
/* The next of the files that were read with a function that a person means by NAME or NAME@FILE,
 * from *next on, which goes up; NULL if there is no other. */
struct debug *libraries_select(struct libraries *libraries, size_t *next, const char *wanted,
			       const struct symbol **symbol);
/* The same of the files that are mapped now: where the function begins, and the address after it.
 * False if none of them has it. */
bool libraries_locate(struct libraries *libraries, struct process *process, const char *wanted,
		      uint64_t *entry, uint64_t *end);
void libraries_release(struct libraries *libraries);

#endif
