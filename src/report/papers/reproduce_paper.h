/*
 * reproduce_paper.h - the programs of Eyerman et al. (2006), for the interval plots, which are
 * taken from these.
 */
#ifndef REPORT_PAPERS_REPRODUCE_PAPER_H
#define REPORT_PAPERS_REPRODUCE_PAPER_H

#include "report/papers/paper_eyerman2006.h"

#define paper_programs paper_eyerman2006_programs

#endif
