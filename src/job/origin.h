/*
 * origin.h - where in the program an instruction is: its function, its source line, and what was
 * inlined there.
 *
 * An address that nothing is known of has a function all the same: that of the file that is mapped
 * there, or else "(unknown)". What is not mapped any more is not known.
 */
#ifndef JOB_ORIGIN_H
#define JOB_ORIGIN_H

#include <jansson.h>

#include "job/libraries.h"

struct ledger_row;

/* One instruction with its function and source line. */
struct origin {
	const struct ledger_row *row; /* the user's own; or NULL */
	const char *function;
	const char *library; /* the file of the function, if it is not the program's; or NULL */
	uint64_t entry;	     /* the function's address; 0 if nothing is known of it */
	uint64_t unnamed;    /* of a function without a symbol, its address in the library */
	/* What is known of the file, and the function's symbol; NULL if there are none. */
	const struct debug *debug;
	const struct symbol *symbol;
	const char *file, *directory;
	uint32_t line; /* 0: unknown */
	/* What was inlined here, the outermost call first. */
	const struct inlined_call *calls;
	size_t call_count;
};

/* Of code in the program or in a file that it has mapped. Strings belong to process and libraries.
 */
struct origin origin_of(struct libraries *libraries, struct process *process, uint64_t pc);
/* The same without line and inlined calls. */
struct origin origin_of_function(struct libraries *libraries, struct process *process, uint64_t pc);
bool origin_same_function(const struct origin *a, const struct origin *b);
/* A function's name, of a library's with the library: work@libwork.so, or libwork.so+0x4f2 if it
 * has no symbol. */
json_t *origin_name(const struct origin *origin);

#endif
