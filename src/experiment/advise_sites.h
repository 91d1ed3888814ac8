/*
 * advise_sites.h - where in the program a run lost its cycles, and the machines on which exactly
 * that is gone: for each kind of loss the lines that have most of it, on a machine whose ideal.at
 * spares their instructions; functions whose loss no line has most of; and the whole program, on
 * the machine of the switch.
 *
 * A place is here only if it lost ADVISE_LEAST of the slots. A loss that no machine can take away
 * has a place of the program without changes. Nothing here says what a place would gain.
 *
 * Of a line only those instructions are spared that have a hundredth of what it lost. An operation
 * that takes one cycle waits for a taken unit all the same, so where ADVISE_LEAST was lost to units
 * of more than one cycle the whole program has a place too, on a machine with units for all.
 *
 * Deliberately not here: losses of two kinds at one line taken away together; each is by itself.
 */
#ifndef EXPERIMENT_ADVISE_SITES_H
#define EXPERIMENT_ADVISE_SITES_H

#include <jansson.h>

#include "config/config.h"
#include "value/stacks.h"

#define ADVISE_LEAST	    0.01 /* of the run's slots */
#define ADVISE_SITE_CHANGES 4
#define ADVISE_HOT	    1024 /* instructions that a base run lists */
#define ADVISE_INSTRUCTIONS 8	 /* that a place lists */
#define ADVISE_ASKED	    3	 /* of these, about which facts are asked */

/* The kinds of loss: KIND(id, name, meaning). */
#define ADVISE_KINDS(KIND)                                                                      \
	KIND(BRANCH, "branch", "mispredicted branches and targets that came late")              \
	KIND(CODE, "code", "fetch that waits for instructions")                                 \
	KIND(DATA, "data", "accesses that wait for data")                                       \
	KIND(PAGES, "pages", "accesses that wait for address translation")                      \
	KIND(LATENCY, "latency", "operations of more than one cycle")                           \
	KIND(DEPENDENCE, "dependence", "chains of operations of one cycle, and loads that hit") \
	KIND(UNITS, "units", "integer units and memory ports that are taken")                   \
	KIND(STORES, "stores", "stores that find no room")                                      \
	KIND(FORWARD, "forward", "loads that wait for older stores")                            \
	KIND(ORDER, "order", "loads held back for stores, or read before them and replayed")    \
	KIND(SERIALISE, "serialise", "instructions that are alone in the core")

enum advise_kind {
#define KIND(id, name, meaning) ADVISE_##id,
	ADVISE_KINDS(KIND)
#undef KIND
		ADVISE_KIND_COUNT
};

enum advise_scope { ADVISE_LINE, ADVISE_FUNCTION, ADVISE_PROGRAM };

struct advise_site {
	enum advise_kind kind;
	enum advise_scope scope;
	/* The place; of a program the line that has most. They belong to the result. */
	const char *function, *file;
	int64_t line;
	struct stacks_slots slots; /* of the kind, there */
	/* The instructions of the result that have most of it, the one with most first. */
	const json_t *instructions[ADVISE_INSTRUCTIONS];
	size_t instruction_count;
	char *changes[ADVISE_SITE_CHANGES];
	size_t change_count; /* 0: there is no such machine */
	struct config config;
};

struct advise_sites {
	struct advise_site *list;
	size_t count, capacity;
};

/* Of a run's result that lists hot instructions, and of its stacks, on this machine. */
void advise_sites_find(struct advise_sites *sites, const json_t *result,
		       const struct stacks *stacks, const struct config *config);
void advise_sites_release(struct advise_sites *sites);

extern const char *const advise_kind_names[ADVISE_KIND_COUNT];
/* "line", "function", "program". */
extern const char *const advise_scope_names[];
/* The causes of a kind, as bits. */
uint64_t advise_kind_causes(enum advise_kind kind);

#endif
