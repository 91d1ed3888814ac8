/*
 * pattern.h - names what an instruction that loses cycles does: one of a table of patterns, with
 * the numbers that prove it.
 *
 * A pattern follows from two things: which causes the instruction's lost slots are charged to
 * (value/causes.def), and its facts. The causes say which kind of loss it is, the facts why. The
 * rules look at nothing else; where none holds the pattern is PATTERN_NONE, and the evidence says
 * what is known. An instruction whose code changed while the program ran has no pattern.
 */
#ifndef MEASURE_PATTERN_H
#define MEASURE_PATTERN_H

#include <stdint.h>

#include "measure/facts.h"
#include "value/component.h"

enum pattern {
#define PATTERN(id, name, meaning, helps) PATTERN_##id,
#include "measure/patterns.def"
#undef PATTERN
	PATTERN_COUNT
};

struct pattern_row {
	const char *name, *meaning, *helps;
};

extern const struct pattern_row pattern_rows[PATTERN_COUNT];

#define PATTERN_EVIDENCE_BYTES 512
#define PATTERN_PLACE_BYTES    128

/* Writes where an instruction is, such as sort.c:9, and returns the text. */
struct pattern_namer {
	const char *(*name)(void *context, uint64_t pc, char text[PATTERN_PLACE_BYTES]);
	void *context;
};

struct pattern_finding {
	enum pattern pattern;
	/* "taken 50.3 % of 1200000, entropy 0.99 bit; tests what sort.c:9 loads" */
	char evidence[PATTERN_EVIDENCE_BYTES];
	uint64_t
		about; /* the pc that the facts are of: its own, or that of the load it waits for */
};

/* The index of a name; -1 if there is none. */
int pattern_named(const char *name);

/* slots: lost ones of the instruction, by cause. */
void pattern_find(const struct facts *facts, uint64_t pc, const uint64_t slots[CAUSE_COUNT],
		  const struct pattern_namer *namer, struct pattern_finding *finding);

#endif
