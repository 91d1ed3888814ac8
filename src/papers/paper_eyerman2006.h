/*
 * paper_eyerman2006.h - Eyerman, Eeckhout, Karkhanis and Smith, "A Performance Counter
 * Architecture for Computing Accurate CPI Components" (2006), as data: see paper.h.
 *
 * Its measurements are a judgement (schema cyclestack-judge-1, member "judge") over the workloads
 * that stand for its programs, and interval plots (member "plots", described in
 * papers/eyerman2006_plots.h). A further member of the result is "clearing": {"programs": [{"name",
 * "iside" (simulated I-side cycles), "older_lost", "younger_lost", "wrong_path_kept": {"cycles",
 * "of_run", "of_iside" (null without I-side cycles)}}], "total": the same over all programs,
 * "answer": in words}.
 */
#ifndef PAPERS_PAPER_EYERMAN2006_H
#define PAPERS_PAPER_EYERMAN2006_H

#include "papers/paper.h"

extern const struct paper paper_eyerman2006;
extern const struct paper_program paper_eyerman2006_programs[];
extern const struct claim paper_eyerman2006_claims[];

/* Adds the member "clearing". */
void paper_eyerman2006_derive(json_t *result);

#endif
