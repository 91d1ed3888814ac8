/*
 * sites.h - what happened at each branch, load and store: how often a branch was taken and
 * mispredicted, which misses an access began, and from where a load's data came.
 *
 * Of instructions that commit alone, so a branch of a wrong path and a load that is fetched again
 * count once or not at all; a store's misses begin after it has committed, and those it has not
 * begun when the run ends are missing. Branches are those that are predicted: conditional,
 * indirect, return.
 *
 * Data came from the furthest level that the load had to wait for. A load of a line that was on its
 * way for another one begins no miss and still waits, so more may come from a level than misses
 * began; one whose line arrived in time comes from the L1D. What a load takes from a store that is
 * not written yet counts as the L1D's, as does everything that a switch makes ideal.
 */
#ifndef COUNT_SITES_H
#define COUNT_SITES_H

#include "count/count.h"

/* From where data came: the L1D, the levels below it, memory. */
enum site_source { SITE_L1D, SITE_L2, SITE_L3, SITE_MEMORY, SITE_SOURCES };
/* The misses that an access began. */
enum site_miss { SITE_DTLB_MISS, SITE_L1D_MISS, SITE_L2D_MISS, SITE_L3D_MISS, SITE_MISSES };

struct site {
	uint64_t pc;
	uint64_t branches, taken, mispredicted;
	uint64_t loads, stores;	      /* an atomic operation is a load */
	uint64_t misses[SITE_MISSES]; /* of loads */
	uint64_t store_misses[SITE_MISSES];
	uint64_t sources[SITE_SOURCES]; /* of loads; they add up to these */
};

struct sites;

/* Not among those that a user names: one for each kind of core. */
extern const struct observer_kind count_sites, count_sites_in_order;

/* NULL if nothing happened there. */
const struct site *sites_find(const struct sites *sites, uint64_t pc);

#endif
