/*
 * reproduce_plots.h - interval plots from real runs: searches for clean events in the first few
 * million instructions of every program that stands for one of the paper's, and takes each kind
 * from the program that has the most of them.
 */
#ifndef CMD_REPRODUCE_PLOTS_H
#define CMD_REPRODUCE_PLOTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"
#include "cmd/command.h"
#include "job/judge.h"

/* [{"figure", "kind", "program", "instructions" (simulated of each program), "found", "before",
 * "first_cycle", "pc", "found_by_program": {name: N}, "example": {series: [N...], "events":
 * [{"cycle", "what"}]}, "mean": {series: [x...]}}]: one for each of figures 2, 3, 5, 7 and 8 for
 * which an event was found; series are useful_issued, dispatched, useful_dispatched, committed
 * and rob_used, and "cycle" counts from the event. NULL with a sentence; if the user interrupted,
 * an empty list and *interrupted. The caller owns it. */
json_t *reproduce_plots(const struct judge_request *request, const struct args *args,
			bool *interrupted, struct err *err);

#endif
