/*
 * paper_danalis2017.h - "Counter Inspection Toolkit: Making Sense out of Hardware Performance
 * Events" by Danalis, Jagode, Hanumantharayappa, Ragate and Dongarra, 2017: section 2 (figures 1, 2
 * and 5), figures 10 and 12 to 17, and table 1.
 *
 * Its measurement (member "inspection") is a whole result of `inspect` on one machine, points of
 * the plots included. Events are found by their verdicts. It has no programs: the kernels are part
 * of the inspection, and a size plays no part.
 *
 * The paper's machine has a third level of 32 MB, whose sweep takes long; ours is midcore, and the
 * table of parameters says where it differs.
 */
#ifndef PAPERS_PAPER_DANALIS2017_H
#define PAPERS_PAPER_DANALIS2017_H

#include "papers/paper.h"

extern const struct paper paper_danalis2017;

#endif
