/*
 * stages.h - three CPI stacks of one run, measured at dispatch, issue and commit (Eyerman,
 * Heirman, Du Bois and Hur 2018).
 *
 * Each stage can pass W instructions per cycle, where W is the narrowest width of the three. The
 * share of a cycle that it passes on the right path is base, the rest is charged to one cause:
 * with an empty window, or a front end that delivers nothing, to the misprediction or I-side miss;
 * else to what the oldest instruction waits for. A stage that passes more than W in a cycle
 * carries the surplus to the next cycle. Where the three differ, the truth is between them: commit
 * charges most to the data side, dispatch to the instruction side.
 */
#ifndef COUNT_STAGES_H
#define COUNT_STAGES_H

#include "count/held.h"
#include "count/shadow.h"

enum stage_view { STAGE_DISPATCH, STAGE_ISSUE, STAGE_COMMIT, STAGE_COUNT };

struct stages {
	struct config config;
	uint32_t width;
	uint64_t shares[STAGE_COUNT][COMPONENT_COUNT]; /* in units of 1/W cycle */
	uint64_t surplus[STAGE_COUNT];
	struct count_shadow shadow;
	struct count_held held; /* of dispatch */
};

/* As an observer: the caller frees it. */
void *stages_create(const struct config *config, uint32_t slots);
void stages_cycle(void *stages, const struct cycle *cycle);
/* Whole cycles, which add up to the cycles seen. */
void stages_read(const struct stages *stages, enum stage_view view, struct stack *stack);
const char *stage_view_name(enum stage_view view);
/* What the stack of that stage is, in a line. */
const char *stage_view_meaning(enum stage_view view);

#endif
