/*
 * profile.h - the stacks of a result of `run` (schema cyclestack-run-2) as C values, checked once,
 * so that reports can rely on them.
 *
 * The JSON may come from any file. profile_read checks it against its layout (layout.h) and then
 * what no layout can express: slots are conserved, the lines of a function add up to the function
 * and the functions to the run, cause by cause. Slots that the result leaves out of its lists are
 * added as line 0 of the function and as a function "(other)"; threads, intervals and the
 * annotated instructions never have more than the run. Only components of a method's stack may be
 * negative. Strings belong to the JSON, which must outlive the profile.
 */
#ifndef VALUE_PROFILE_H
#define VALUE_PROFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "value/component.h"

struct profile_slots {
	int64_t causes[CAUSE_COUNT];
	int64_t total;
};

struct profile_line {
	const char *file; /* "" if unknown */
	int64_t line;	  /* 0 if unknown */
	int64_t executed;
	struct profile_slots slots;
};

struct profile_function {
	const char *name;
	const char *file;
	int64_t line;
	int64_t executed;
	struct profile_slots slots;
	struct profile_line *lines;
	size_t line_count;
};

struct profile_thread {
	int64_t id;
	struct profile_slots slots;
};

struct profile_interval {
	int64_t instructions, cycles;
	struct profile_slots slots;
};

struct profile_instruction {
	const char *pc, *text, *file;
	const char *directory; /* where the compiler ran, if the file is relative; "": not known */
	int64_t line;
	int64_t executed;
	struct profile_slots slots;
};

/* The instructions of one function. */
struct profile_annotation {
	const char *function;
	struct profile_instruction *insns;
	size_t insn_count;
};

/* A stack of the whole run in cycles: by a counter architecture, or at a stage of the pipeline. */
struct profile_method {
	const char *name;
	struct stack stack;
	bool has[COMPONENT_COUNT];
	int64_t bits; /* bits of storage; -1 if there is no such number */
};

struct profile_topdown {
	const char *name;
	unsigned level; /* 1 or 2 */
	int64_t slots;
};

struct profile {
	const char *program;
	const json_t *arguments; /* a list of strings; may be NULL */
	int64_t cycles, instructions;
	unsigned levels;	 /* number of cache levels */
	int64_t slots_per_cycle; /* at least 1 */
	struct profile_slots slots;
	struct profile_method *methods; /* "exact" is the first */
	size_t method_count;
	struct profile_method *stages;
	size_t stage_count;
	int64_t topdown_slots_per_cycle;
	struct profile_topdown *topdown;
	size_t topdown_count;
	struct profile_function *functions; /* in the order of the result; "(other)" is the last */
	size_t function_count;
	struct profile_thread *threads;
	size_t thread_count;
	struct profile_interval *intervals;
	size_t interval_count;
	struct profile_annotation *annotations;
	size_t annotation_count;
};

/* False with a sentence that names the member; then the profile holds nothing to release. */
bool profile_read(struct profile *profile, const json_t *result, struct err *err);
void profile_release(struct profile *profile);

/* The files that its functions and lines name, sorted, without repetition; the caller frees the
 * list. */
const char **profile_files(const struct profile *profile, size_t *count);

/* Slots by component. */
struct stack profile_stack(const struct profile *profile, const struct profile_slots *slots);
/* Slots converted to cycles, with their fraction. */
double profile_cycles(const struct profile *profile, int64_t slots);
void profile_slots_add(struct profile_slots *sum, const struct profile_slots *more);

#endif
