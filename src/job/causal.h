/*
 * causal.h - which lines a causal profile is about, and the machines on which each of them takes a
 * part of its time (the part `causal`, parts.h).
 *
 * A place is a source line, with all its instructions, wherever they were inlined or copied to;
 * instructions without a line are a place by function. A person may name a place as FILE:LINE,
 * where FILE is the name of the file or the end of its path, or as a function, which is all its
 * instructions. The hottest places are those with the most slots of `exact` in the whole run, known
 * when it is over: the windows of a causal profile wait for that (windows.h). So which they are
 * depends on nothing but the run.
 *
 * The time of a place is what ideal.at can take from its instructions (config/ideal_at.h), to a
 * part of P percent: its operations take P percent of their latency, at least one cycle; its loads
 * and stores wait P percent of the time for data and pages beyond a hit; of its mispredicted
 * branches P percent are. Not part of it: the slots of fetch, dispatch and commit that its
 * instructions take, hits, units that are taken by others, what is waited for until operands are
 * there, misses of fetch, which are those of the code around it, and the time of functions that it
 * calls. So a place that "takes no time" still fills the machine's width.
 *
 * Invariant: ranges have instructions of their place alone, of those that had slots, and at most as
 * many as the machine has room for; of a place in more pieces the hottest are taken, and `covered`
 * says how many of its slots are in them.
 */
#ifndef JOB_CAUSAL_H
#define JOB_CAUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "job/origin.h"

/* How much of its time a place has left on its machines, in percent. */
#define CAUSAL_PERCENTS       \
	{                     \
		0, 25, 50, 75 \
	}
#define CAUSAL_POINTS 4

/* A place that a person names, as its text and what that means. */
struct causal_name {
	const char *text;
	bool is_line;
	size_t file_bytes; /* of a line: the beginning of the text */
	uint32_t line;
	const struct symbol *symbol; /* of a function of the program; or NULL */
};

struct causal_place {
	const struct causal_name *name; /* NULL: one of the hottest */
	const struct origin *origin; /* its instruction with the most slots; NULL: none had any */
	uint64_t slots, covered, executed;
	struct ideal_at at; /* its ranges, without events */
};

/* Reads FILE:LINE or FUNCTION; the symbol is not looked for. False with a sentence. */
bool causal_name_read(struct causal_name *name, const char *text, struct err *err);
/* Whether the place is of this file, by its name or the end of its path. */
bool causal_name_is_file(const struct causal_name *name, const char *file);

/* Chooses the named places, in their order, and then up to `hottest` others, the hottest first, of
 * all instructions that had slots, which are sorted by address here. No place has more than
 * `ranges` ranges. Returns how many there are. */
size_t causal_choose(struct origin *origins, size_t count, const struct causal_name *names,
		     size_t name_count, size_t hottest, size_t ranges, struct causal_place *places);

/* The machine that runs, but for what is ideal for the place, of whose time this part is left. */
void causal_machine(struct config *machine, const struct config *run,
		    const struct causal_place *place, unsigned percent);

#endif
