#include "measure/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/rng.h"

#define DIMENSIONS PHASES_DIMENSIONS
/* Of a block's row of the projection, and of where k-means begins. */
#define PROJECTION_SEED UINT64_C(0x51b0)
#define CLUSTER_SEED	UINT64_C(0xc105)

void phase_vectors_release(struct phase_vectors *vectors)
{
	free(vectors->rows);
	free(vectors->instructions);
	*vectors = (struct phase_vectors){0};
}

/* A number from -1 to 1. */
static double next_weight(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

void phase_vectors_add(struct phase_vectors *vectors, const struct vector_entry *counts,
		       size_t count)
{
	double *row = *ARRAY_PUSH(vectors->rows, vectors->count, vectors->capacity);
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += counts[i].instructions;
	BUG_ON(!sum);
	memset(row, 0, DIMENSIONS * sizeof(*row));
	for (size_t i = 0; i < count; i++) {
		struct rng rng = {PROJECTION_SEED + ((uint64_t)counts[i].block << 16)};
		const double part = (double)counts[i].instructions / (double)sum;

		for (size_t d = 0; d < DIMENSIONS; d++)
			row[d] += part * next_weight(&rng);
	}
	if (vectors->count > vectors->instruction_capacity) {
		vectors->instruction_capacity = vectors->capacity;
		vectors->instructions =
			mem_realloc(vectors->instructions, vectors->instruction_capacity,
				    sizeof(*vectors->instructions));
	}
	vectors->instructions[vectors->count - 1] = sum;
}

void phase_clusters_release(struct phase_clusters *clusters)
{
	free(clusters->cluster);
	free(clusters->centres);
	*clusters = (struct phase_clusters){0};
}

static double squared_distance(const double *a, const double *b)
{
	double sum = 0;

	for (size_t d = 0; d < DIMENSIONS; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}

static uint32_t nearest_centre(const struct phase_clusters *c, const double *row, double *squared)
{
	uint32_t nearest = 0;

	*squared = INFINITY;
	for (uint32_t k = 0; k < c->count; k++) {
		const double distance = squared_distance(row, c->centres[k]);

		if (distance < *squared) {
			*squared = distance;
			nearest = k;
		}
	}
	return nearest;
}

/* Each centre is a row, and no two are the same. */
static void draw_centres(struct phase_clusters *c, const struct phase_vectors *vectors, size_t rows,
			 uint64_t seed)
{
	struct rng rng = {CLUSTER_SEED + seed};
	size_t *order = mem_alloc_array(rows, sizeof(*order));

	for (size_t i = 0; i < rows; i++)
		order[i] = i;
	for (size_t k = 0; k < c->count; k++) {
		const size_t other = k + (size_t)rng_below(&rng, rows - k), drawn = order[other];

		order[other] = order[k];
		order[k] = drawn;
		memcpy(c->centres[k], vectors->rows[drawn], sizeof(c->centres[k]));
	}
	free(order);
}

/* The row that is farthest from its centre, of a cluster that has others. */
static size_t farthest_row(const struct phase_clusters *c, const struct phase_vectors *vectors,
			   size_t rows, const size_t *sizes)
{
	size_t farthest = rows;
	double most = -1;

	for (size_t i = 0; i < rows; i++) {
		const uint32_t k = c->cluster[i];
		const double distance = squared_distance(vectors->rows[i], c->centres[k]);

		if (sizes[k] > 1 && distance > most) {
			most = distance;
			farthest = i;
		}
	}
	BUG_ON(farthest == rows);
	return farthest;
}

/* Every row to its nearest centre, and a row to each cluster that would be empty. True if one
 * changed. */
static bool assign(struct phase_clusters *c, const struct phase_vectors *vectors, size_t rows)
{
	size_t *sizes = mem_alloc_array(c->count, sizeof(*sizes));
	bool has_changed = false;
	double squared;

	for (size_t i = 0; i < rows; i++) {
		const uint32_t k = nearest_centre(c, vectors->rows[i], &squared);

		has_changed |= c->cluster[i] != k;
		c->cluster[i] = k;
		sizes[k]++;
	}
	for (uint32_t k = 0; k < c->count; k++) {
		if (sizes[k])
			continue;
		const size_t row = farthest_row(c, vectors, rows, sizes);

		sizes[c->cluster[row]]--;
		c->cluster[row] = k;
		sizes[k] = 1;
		memcpy(c->centres[k], vectors->rows[row], sizeof(c->centres[k]));
		has_changed = true;
	}
	free(sizes);
	return has_changed;
}

static void move_centres(struct phase_clusters *c, const struct phase_vectors *vectors, size_t rows)
{
	size_t *sizes = mem_alloc_array(c->count, sizeof(*sizes));

	memset(c->centres, 0, c->count * sizeof(*c->centres));
	for (size_t i = 0; i < rows; i++) {
		sizes[c->cluster[i]]++;
		for (size_t d = 0; d < DIMENSIONS; d++)
			c->centres[c->cluster[i]][d] += vectors->rows[i][d];
	}
	for (size_t k = 0; k < c->count; k++)
		for (size_t d = 0; d < DIMENSIONS; d++)
			c->centres[k][d] /= (double)sizes[k];
	free(sizes);
}

void phase_clusters_find(struct phase_clusters *c, const struct phase_vectors *vectors, size_t rows,
			 size_t count, uint64_t seed)
{
	BUG_ON(!count || count > rows);
	*c = (struct phase_clusters){
		.count = count,
		.cluster = mem_alloc_array(rows, sizeof(*c->cluster)),
		.centres = mem_alloc_array(count, sizeof(*c->centres)),
	};
	draw_centres(c, vectors, rows, seed);
	assign(c, vectors, rows);
	move_centres(c, vectors, rows);
	for (int round = 0; round < PHASES_ROUNDS_MOST && assign(c, vectors, rows); round++)
		move_centres(c, vectors, rows);
	for (size_t i = 0; i < rows; i++)
		c->distortion += squared_distance(vectors->rows[i], c->centres[c->cluster[i]]);
}

double phase_clusters_bic(const struct phase_clusters *c, size_t rows)
{
	const double n = (double)rows, k = (double)c->count, free_rows = fmax(n - k, 1);
	const double variance =
		fmax(c->distortion / (DIMENSIONS * free_rows), PHASES_VARIANCE_LEAST);
	const double parameters = k - 1 + DIMENSIONS * k + 1;
	size_t *sizes = mem_alloc_array(c->count, sizeof(*sizes));
	double likelihood =
		-n * DIMENSIONS / 2 * log(2 * M_PI * variance) - c->distortion / (2 * variance);

	for (size_t i = 0; i < rows; i++)
		sizes[c->cluster[i]]++;
	for (size_t i = 0; i < c->count; i++)
		likelihood += (double)sizes[i] * log((double)sizes[i] / n);
	free(sizes);
	return likelihood - parameters / 2 * log(n);
}

/* The best of all seeds. */
static double best_clusters(struct phase_clusters *best, const struct phase_vectors *vectors,
			    size_t rows, size_t count)
{
	double most = -INFINITY;

	*best = (struct phase_clusters){0};
	for (uint64_t seed = 0; seed < PHASES_SEEDS; seed++) {
		struct phase_clusters clusters;

		phase_clusters_find(&clusters, vectors, rows, count, seed);
		const double bic = phase_clusters_bic(&clusters, rows);

		if (bic > most || !best->count) {
			most = bic;
			phase_clusters_release(best);
			*best = clusters;
		} else {
			phase_clusters_release(&clusters);
		}
	}
	return most;
}

/* The clustering whose criterion is good enough, of fewest clusters. */
static void choose_clusters(struct phase_clusters *chosen, const struct phase_vectors *vectors,
			    size_t rows, size_t most)
{
	struct phase_clusters *all = mem_alloc_array(most, sizeof(*all));
	double *criteria = mem_alloc_array(most, sizeof(*criteria));
	double best = -INFINITY, worst = INFINITY;
	size_t taken = 0;

	for (size_t i = 0; i < most; i++) {
		criteria[i] = best_clusters(&all[i], vectors, rows, i + 1);
		best = fmax(best, criteria[i]);
		worst = fmin(worst, criteria[i]);
	}
	while (criteria[taken] < worst + PHASES_THRESHOLD * (best - worst))
		taken++;
	*chosen = all[taken];
	for (size_t i = 0; i < most; i++)
		if (i != taken)
			phase_clusters_release(&all[i]);
	free(all);
	free(criteria);
}

/* Intervals as long as the first; the last may be shorter. */
static size_t whole_intervals(const struct phase_vectors *vectors)
{
	size_t count = vectors->count;

	while (count > 1 && vectors->instructions[count - 1] < vectors->instructions[0])
		count--;
	return count;
}

/* The number that each cluster gets: clusters in the order of their first intervals. */
static void number_clusters(const struct phase_clusters *c, size_t rows, uint32_t *numbers)
{
	uint32_t given = 0;

	for (size_t k = 0; k < c->count; k++)
		numbers[k] = UINT32_MAX;
	for (size_t i = 0; i < rows; i++)
		if (numbers[c->cluster[i]] == UINT32_MAX)
			numbers[c->cluster[i]] = given++;
}

size_t phases_find(const struct phase_vectors *vectors, size_t most_clusters,
		   struct simulation_point *points)
{
	const size_t rows = whole_intervals(vectors);
	struct phase_clusters c;
	double all = 0, squared;

	BUG_ON(!vectors->count || !most_clusters);
	choose_clusters(&c, vectors, rows, most_clusters < rows ? most_clusters : rows);
	uint32_t *numbers = mem_alloc_array(c.count, sizeof(*numbers));
	double *nearest = mem_alloc_array(c.count, sizeof(*nearest));

	number_clusters(&c, rows, numbers);
	for (size_t k = 0; k < c.count; k++) {
		points[numbers[k]] = (struct simulation_point){.cluster = numbers[k]};
		nearest[numbers[k]] = INFINITY;
	}
	for (size_t i = 0; i < vectors->count; i++) {
		const uint32_t k =
			i < rows ? c.cluster[i] : nearest_centre(&c, vectors->rows[i], &squared);
		struct simulation_point *point = &points[numbers[k]];

		squared = squared_distance(vectors->rows[i], c.centres[k]);
		point->weight += (double)vectors->instructions[i];
		all += (double)vectors->instructions[i];
		if (i < rows && squared < nearest[numbers[k]]) {
			nearest[numbers[k]] = squared;
			point->interval = i;
		}
	}
	const size_t count = c.count;

	for (size_t k = 0; k < count; k++)
		points[k].weight /= all;
	simpoint_sort(points, count);
	free(numbers);
	free(nearest);
	phase_clusters_release(&c);
	return count;
}
