/*
 * diff_paths.h - the part of a comparison that goes by calls: the paths whose own cycles differ,
 * and both runs as one flame graph.
 */
#ifndef REPORT_DIFF_PATHS_H
#define REPORT_DIFF_PATHS_H

#include "report/report.h"

/* Nothing unless both runs have followed calls. False with a sentence if the result says what
 * cannot be. */
bool diff_paths(struct doc *doc, const json_t *result, struct err *err);

#endif
