/*
 * paper_hough2006.h - "Cycle-Accurate Microarchitecture Performance Evaluation" by Hough et al.,
 * Workshop on Introspective Architecture 2006: the statistics module, its size (figure 3), memory
 * writes by cache policy (figure 4) and variations of the instruction cache (figure 5).
 *
 * Its measurement (member "variations", made by papers/hough2006_variations.c) is runs of each
 * workload on leon2 and its variations, twice each, and with a write-back and a write-through data
 * cache; the storage of the module is computed (stats/module.h), in bits.
 *
 * The paper does not describe the cache policy that saves write-backs in its figure 4, and our
 * caches have no such policy: the figure compares the two that they have.
 */
#ifndef PAPERS_PAPER_HOUGH2006_H
#define PAPERS_PAPER_HOUGH2006_H

#include "papers/paper.h"

/* A machine of figure 5: leon2 with changes "key=value,key=value". */
struct hough2006_machine {
	const char *name, *changes;
};

extern const struct paper paper_hough2006;
extern const struct hough2006_machine hough2006_machines[]; /* the base first; ends with NULLs */

#endif
