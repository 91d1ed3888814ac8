/*
 * pipeview_text.h - a pipeline in the terminal: a row per instruction, a column per cycle.
 *
 * Cycles that do not fit beside each other follow below, with the instructions in flight in them.
 * A column has the first letter of the stage, R where the instruction retires; rows of flushed
 * instructions are dim, and their letters small, so that they differ without colour too. The last
 * row of each part has the first letter of the cause of each lost cycle; the line below names the
 * causes with their cycles.
 */
#ifndef REPORT_TEXT_PIPEVIEW_TEXT_H
#define REPORT_TEXT_PIPEVIEW_TEXT_H

#include "report/file/kanata.h"
#include "report/text/terminal.h"

/* A window of `run`, and time for its last instructions to end. */
#define PIPEVIEW_CYCLES_MAX 20000

struct pipeview_range {
	uint64_t from, to; /* the first and the last cycle; fewer than PIPEVIEW_CYCLES_MAX */
};

void pipeview_text_print(FILE *out, const struct kanata *kanata, const struct pipeview_range *range,
			 const struct terminal *terminal);

#endif
