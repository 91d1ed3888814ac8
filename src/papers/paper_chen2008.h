/*
 * paper_chen2008.h - Chen and Aamodt, "An improved analytical superscalar microprocessor memory
 * model", 2008: its programs, machine, statements, figures and claims.
 *
 * Figures 4, 6 and 7 are examples that need no measurement: tests/unit/model has them with their
 * numbers. Figure 2 is a drawing of a principle. Figure 13 compares times, which results do not
 * contain: `make bench` measures them.
 */
#ifndef PAPERS_PAPER_CHEN2008_H
#define PAPERS_PAPER_CHEN2008_H

#include "papers/paper.h"

extern const struct paper paper_chen2008;

#endif
