/*
 * stacks.h - the stacks of a result of `run` (schema cyclestack-run-2) as C values, checked once,
 * so that reports can rely on them.
 *
 * The JSON may come from any file. stacks_read checks it against its layout (layout.h) and then
 * what no layout can express: slots are conserved, the lines of a function add up to the function
 * and the functions to the run, cause by cause; what was inlined into a function is a tree and
 * never has more than the function. Slots that the result leaves out of its lists are added as line
 * 0 of the function and as a function "(other)"; threads, intervals and the annotated instructions
 * never have more than the run. Only components of a method's stack may be negative. Strings belong
 * to the JSON, which must outlive the stacks.
 */
#ifndef VALUE_STACKS_H
#define VALUE_STACKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "value/component.h"

#define STACKS_INLINED_MOST 64 /* depth of calls that were inlined into each other */

struct stacks_slots {
	int64_t causes[CAUSE_COUNT];
	int64_t total;
};

struct stacks_line {
	const char *file; /* "" if unknown */
	int64_t line;	  /* 0 if unknown */
	int64_t executed;
	struct stacks_slots slots;
};

/* A function that the compiler inlined, with all that was inlined into it. */
struct stacks_inlined {
	const char *function;
	unsigned depth; /* 1: into the function itself; n: into the last before it of depth n - 1 */
	int64_t executed;
	struct stacks_slots slots;
};

struct stacks_function {
	const char *name;
	const char *file;
	int64_t line;
	int64_t executed;
	struct stacks_slots slots;
	struct stacks_line *lines;
	size_t line_count;
	struct stacks_inlined *inlined; /* as a tree, each before what is in it */
	size_t inlined_count;
};

struct stacks_thread {
	int64_t id;
	struct stacks_slots slots;
};

struct stacks_interval {
	int64_t instructions, cycles;
	struct stacks_slots slots;
};

/* In the order of the names under which a result has them. */
enum stacks_miss { STACKS_DTLB, STACKS_L1D, STACKS_L2D, STACKS_L3D, STACKS_MISSES };
enum stacks_source {
	STACKS_FROM_L1D,
	STACKS_FROM_L2,
	STACKS_FROM_L3,
	STACKS_FROM_MEMORY,
	STACKS_SOURCES
};
extern const char *const stacks_misses[STACKS_MISSES], *const stacks_sources[STACKS_SOURCES];

/* What happened at an instruction, or at several. */
struct stacks_site {
	bool is_known; /* the result says it */
	int64_t branches, taken, mispredicted;
	int64_t loads, stores;
	int64_t misses[STACKS_MISSES], store_misses[STACKS_MISSES]; /* that these began */
	int64_t sources[STACKS_SOURCES];			    /* of loads */
};

struct stacks_instruction {
	const char *pc, *text, *file;
	const char *directory; /* where the compiler ran, if the file is relative; "": not known */
	int64_t line;
	int64_t executed;
	struct stacks_site site;
	struct stacks_slots slots;
};

/* The instructions of one function. */
struct stacks_annotation {
	const char *function;
	bool is_hot; /* nobody named it: it is among the hottest */
	struct stacks_instruction *insns;
	size_t insn_count;
};

/* A stack of the whole run in cycles: by a counter architecture, or at a stage of the pipeline. */
struct stacks_method {
	const char *name;
	struct stack stack;
	bool has[COMPONENT_COUNT];
	int64_t bits; /* bits of storage; -1 if there is no such number */
};

struct stacks_topdown {
	const char *name;
	unsigned level; /* 1 or 2 */
	int64_t slots;
};

struct stacks {
	const char *program;
	const json_t *arguments; /* a list of strings; may be NULL */
	int64_t cycles, instructions;
	unsigned levels;	 /* number of cache levels */
	int64_t slots_per_cycle; /* at least 1 */
	struct stacks_slots slots;
	struct stacks_method *methods; /* "exact" is the first */
	size_t method_count;
	struct stacks_method *stages;
	size_t stage_count;
	int64_t topdown_slots_per_cycle;
	struct stacks_topdown *topdown;
	size_t topdown_count;
	struct stacks_function *functions; /* in the order of the result; "(other)" is the last */
	size_t function_count;
	struct stacks_thread *threads;
	size_t thread_count;
	struct stacks_interval *intervals;
	size_t interval_count;
	struct stacks_annotation *annotations; /* those that were named first */
	size_t annotation_count;
};

/* False with a sentence that names the member; then there is nothing to release. */
bool stacks_read(struct stacks *stacks, const json_t *result, struct err *err);
void stacks_release(struct stacks *stacks);
/* Adds what happened at one instruction to that of others. */
void stacks_site_add(struct stacks_site *sum, const struct stacks_site *site);

/* The files that its functions and lines name, sorted, without repetition; the caller frees the
 * list. */
const char **stacks_files(const struct stacks *stacks, size_t *count);

/* The slots by cause that a member of that name has; the layout has been checked. */
struct stacks_slots stacks_read_slots(const json_t *in, const char *name);
/* Slots by component. */
struct stack stacks_of_slots(const struct stacks *stacks, const struct stacks_slots *slots);
/* Slots converted to cycles, with their fraction. */
double stacks_cycles(const struct stacks *stacks, int64_t slots);
void stacks_slots_add(struct stacks_slots *sum, const struct stacks_slots *more);

#endif
