/*
 * hough2006_synthesis.h - figure 3 of Hough et al. 2006 from a synthesis of the circuits.
 *
 * The file of --synthesis is what the step synthesis of tools/evaluate writes: for each point a
 * line "SERIES N ... luts=N ...", of which the series ranges, signals, counters and naive are the
 * figure's and must be there. Others that are known are shown beside it. Synthesis takes minutes
 * and a program that not everybody has, so it is no part of a run.
 */
#ifndef PAPERS_HOUGH2006_SYNTHESIS_H
#define PAPERS_HOUGH2006_SYNTHESIS_H

#include <jansson.h>

#include "base/err.h"

/* Sets "synthesis" and a list for each other number that grows (LUTs by N), and "slopes" (a
 * straight line through each series, by least squares) in `variations`. False with a sentence that
 * names the line. */
bool hough2006_synthesis(const char *text, json_t *variations, struct err *err);

#endif
