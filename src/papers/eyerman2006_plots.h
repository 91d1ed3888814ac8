/*
 * eyerman2006_plots.h - interval plots from real runs: searches for clean events in the first few
 * million instructions of every program that stands for one of the paper's, and takes each kind
 * from the program that has the most of them.
 */
#ifndef PAPERS_EYERMAN2006_PLOTS_H
#define PAPERS_EYERMAN2006_PLOTS_H

#include "papers/measurement.h"

/* Concludes [{"figure", "kind", "program", "instructions" (simulated of each program), "found",
 * "before", "first_cycle", "pc", "found_by_program": {name: N}, "example": {series: [N...],
 * "events": [{"cycle", "what"}]}, "mean": {series: [x...]}}]: one for each of figures 2, 3, 5, 7
 * and 8 for which an event was found; series are useful_issued, dispatched, useful_dispatched,
 * committed and rob_used, and "cycle" counts from the event. Nothing if the user interrupted. NULL
 * with a sentence if a program cannot be opened. */
struct plan *eyerman2006_plots(const struct measurement_request *request, struct err *err);

#endif
