/*
 * phases.h - the phases of a program, from the basic-block vectors of its intervals, and for each
 * phase the interval that stands for it (Sherwood, Perelman, Hamerly and Calder 2002; Hamerly,
 * Perelman, Lau and Calder 2005).
 *
 * Each vector, divided by its sum, is projected at random to PHASES_DIMENSIONS numbers. For every
 * number of clusters from 1 to the most that are allowed, k-means begins at the intervals that each
 * of PHASES_SEEDS seeds draws, and the clustering with the best Bayesian information criterion
 * (BIC) is kept. Of these, the one of fewest clusters is taken whose criterion lies at least
 * PHASES_THRESHOLD of the way from the worst to the best. A phase is a cluster; its weight is its
 * part of the program's instructions; the interval nearest to its centre stands for it.
 *
 * The criterion is that of spherical Gaussians with one variance (Pelleg and Moore 2000). The
 * variance is at least PHASES_VARIANCE_LEAST: intervals that differ in a thousandth of what they
 * execute are alike. An interval that is shorter than the first is not clustered: it belongs to the
 * nearest phase. Every random number is from a fixed stream; nothing depends on the host.
 */
#ifndef MEASURE_PHASES_H
#define MEASURE_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/simpoint_files.h"

#define PHASES_DIMENSIONS     15
#define PHASES_SEEDS	      5
#define PHASES_ROUNDS_MOST    100
#define PHASES_THRESHOLD      0.9
#define PHASES_VARIANCE_LEAST 1e-6

/* Vectors after projection, one row each. */
struct phase_vectors {
	double (*rows)[PHASES_DIMENSIONS];
	uint64_t *instructions; /* of each interval */
	size_t count, capacity, instruction_capacity;
};

void phase_vectors_release(struct phase_vectors *vectors);
/* Adds an interval: how many instructions each block executed in it, at least one. */
void phase_vectors_add(struct phase_vectors *vectors, const struct vector_entry *counts,
		       size_t count);

struct phase_clusters {
	size_t count;	   /* of the clusters */
	uint32_t *cluster; /* of each row */
	double (*centres)[PHASES_DIMENSIONS];
	double distortion; /* the sum of squared distances to the centres */
};

void phase_clusters_release(struct phase_clusters *clusters);
/* k-means of the first `rows` rows, from a seed; no cluster is empty. `count` is at most `rows`. */
void phase_clusters_find(struct phase_clusters *clusters, const struct phase_vectors *vectors,
			 size_t rows, size_t count, uint64_t seed);
/* The criterion: the higher, the better. */
double phase_clusters_bic(const struct phase_clusters *clusters, size_t rows);

/* The points of the program's phases, in the order of their intervals, into `points`, which has
 * room for most_clusters; returns how many there are. Clusters are numbered by their first
 * interval. */
size_t phases_find(const struct phase_vectors *vectors, size_t most_clusters,
		   struct simulation_point *points);

#endif
