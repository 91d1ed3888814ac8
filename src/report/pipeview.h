/*
 * pipeview.h - the document of a pipeline file: a row for each instruction, a column for each
 * cycle.
 */
#ifndef REPORT_PIPEVIEW_H
#define REPORT_PIPEVIEW_H

#include "doc/doc.h"
#include "report/file/kanata.h"

/* A window of `run`, and time for its last instructions to end. */
#define PIPEVIEW_CYCLES_MAX 20000

/* The cycles from..to, both shown: fewer than PIPEVIEW_CYCLES_MAX. */
void pipeview_build(struct doc *doc, const struct kanata *kanata, uint64_t from, uint64_t to);

#endif
