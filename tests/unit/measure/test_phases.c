/* Phases: k-means and its criterion against arithmetic on paper and against trying every
 * clustering; programs made up of phases that are known. */
#include "measure/phases.h"

#include <math.h>

#include "../test.h"
#include "base/array.h"
#include "base/rng.h"

/* Rows that are these numbers in their first dimension. */
static struct phase_vectors on_a_line(const double *numbers, size_t count)
{
	struct phase_vectors vectors = {.count = count, .capacity = count};

	vectors.rows = mem_alloc_array(count, sizeof(*vectors.rows));
	vectors.instructions = mem_alloc_array(count, sizeof(*vectors.instructions));
	for (size_t i = 0; i < count; i++) {
		vectors.rows[i][0] = numbers[i];
		vectors.instructions[i] = 100;
	}
	return vectors;
}

/* 0, 2, 10 and 12: in one cluster 6 is the centre, 36 + 16 + 16 + 36 the squared distances; in two
 * 1 and 11 are, with 1 each. */
TEST(the_criterion_is_worked_out_on_paper)
{
	const double numbers[] = {0, 2, 10, 12}, d = PHASES_DIMENSIONS;
	struct phase_vectors vectors = on_a_line(numbers, 4);
	struct phase_clusters c;

	phase_clusters_find(&c, &vectors, 4, 1, 0);
	assert_float_equal(c.centres[0][0], 6, 1e-12);
	assert_float_equal(c.distortion, 104, 1e-9);
	/* Variance 104 / 3 d; 4 numbers with this density; d + 1 parameters. */
	assert_float_equal(
		phase_clusters_bic(&c, 4),
		-2 * d * log(2 * M_PI * 104 / (3 * d)) - 3 * d / 2 - (d + 1) / 2 * log(4), 1e-9);
	phase_clusters_release(&c);

	phase_clusters_find(&c, &vectors, 4, 2, 0);
	assert_float_equal(c.centres[c.cluster[0]][0], 1, 1e-12);
	assert_float_equal(c.centres[c.cluster[3]][0], 11, 1e-12);
	assert_float_equal(c.distortion, 4, 1e-9);
	/* Variance 4 / 2 d; each of 4 numbers is in one of two halves; 2 d + 2 parameters. */
	assert_float_equal(phase_clusters_bic(&c, 4),
			   -2 * d * log(2 * M_PI * 4 / (2 * d)) - 2 * d / 2 + 4 * log(0.5) -
				   (2 * d + 2) / 2 * log(4),
			   1e-9);
	phase_clusters_release(&c);
	phase_vectors_release(&vectors);
}

static double distance(const double *a, const double *b)
{
	double sum = 0;

	for (size_t d = 0; d < PHASES_DIMENSIONS; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}

/* The distortion of a clustering that is given by its digits. */
static double distortion_of(const struct phase_vectors *vectors, size_t count, unsigned code)
{
	double centres[3][PHASES_DIMENSIONS] = {{0}}, sum = 0;
	unsigned sizes[3] = {0}, digits = code;

	for (size_t i = 0; i < vectors->count; i++, digits /= (unsigned)count) {
		sizes[digits % count]++;
		for (size_t d = 0; d < PHASES_DIMENSIONS; d++)
			centres[digits % count][d] += vectors->rows[i][d];
	}
	digits = code;
	for (size_t i = 0; i < vectors->count; i++, digits /= (unsigned)count) {
		double centre[PHASES_DIMENSIONS];

		for (size_t d = 0; d < PHASES_DIMENSIONS; d++)
			centre[d] = centres[digits % count][d] / sizes[digits % count];
		sum += distance(vectors->rows[i], centre);
	}
	return sum;
}

/* Eight rows around random places: the best of some seeds is the best of all clusterings, and none
 * is better. */
TEST(k_means_is_as_good_as_trying_everything)
{
	struct rng rng = {5};

	for (unsigned round = 0; round < 20; round++) {
		const size_t count = 2 + round % 2;
		double numbers[8] = {0}, best = INFINITY, found = INFINITY;
		struct phase_vectors vectors = on_a_line(numbers, ARRAY_COUNT(numbers));
		unsigned codes = 1;

		double places[3][PHASES_DIMENSIONS];

		for (size_t k = 0; k < 3; k++)
			for (size_t d = 0; d < PHASES_DIMENSIONS; d++)
				places[k][d] = (double)rng_below(&rng, 1000) / 1000;
		for (size_t i = 0; i < vectors.count; i++, codes *= (unsigned)count)
			for (size_t d = 0; d < PHASES_DIMENSIONS; d++)
				vectors.rows[i][d] =
					places[i % count][d] + (double)rng_below(&rng, 500) / 1000;
		for (unsigned code = 0; code < codes; code++)
			best = fmin(best, distortion_of(&vectors, count, code));
		for (uint64_t seed = 0; seed < 40; seed++) {
			struct phase_clusters c;

			phase_clusters_find(&c, &vectors, vectors.count, count, seed);
			found = fmin(found, c.distortion);
			/* Each row is with its nearest centre. */
			for (size_t i = 0; i < vectors.count; i++)
				for (size_t k = 0; k < count; k++)
					assert_true(distance(vectors.rows[i],
							     c.centres[c.cluster[i]]) <=
						    distance(vectors.rows[i], c.centres[k]));
			phase_clusters_release(&c);
		}
		assert_float_equal(found, best, 1e-9);
		phase_vectors_release(&vectors);
	}
}

TEST(no_cluster_is_empty)
{
	const double numbers[] = {1, 1, 1, 1, 1, 2};
	struct phase_vectors vectors = on_a_line(numbers, 6);

	for (uint64_t seed = 0; seed < 20; seed++)
		for (size_t count = 1; count <= 6; count++) {
			struct phase_clusters c;
			unsigned sizes[6] = {0};

			phase_clusters_find(&c, &vectors, 6, count, seed);
			for (size_t i = 0; i < 6; i++)
				sizes[c.cluster[i]]++;
			for (size_t k = 0; k < count; k++)
				assert_true(sizes[k] > 0);
			phase_clusters_release(&c);
		}
	phase_vectors_release(&vectors);
}

/* An interval of a phase: 50 blocks of its own, of which each executes a little more or less. */
static void add_interval(struct phase_vectors *vectors, unsigned phase, uint64_t instructions,
			 unsigned noise, struct rng *rng)
{
	struct vector_entry entries[50];
	uint64_t left = instructions;

	for (uint32_t i = 0; i < 50; i++) {
		const uint64_t part =
			i == 49 ? left : instructions / 50 + rng_below(rng, noise + 1);

		entries[i] = (struct vector_entry){1 + phase * 40 + i, part};
		left -= part;
	}
	phase_vectors_add(vectors, entries, 50);
}

/* 30 intervals of one phase in two parts, 70 of another between, and a short one of the first. */
TEST(two_phases_are_found_with_their_weights)
{
	struct phase_vectors vectors = {0};
	struct simulation_point points[30];
	struct rng rng = {3};

	for (unsigned i = 0; i < 100; i++)
		add_interval(&vectors, i >= 20 && i < 90, 1000000, 600, &rng);
	add_interval(&vectors, 0, 500000, 300, &rng);
	assert_int_equal(phases_find(&vectors, 30, points), 2);
	assert_int_equal(points[0].cluster + points[1].cluster, 1);
	for (size_t i = 0; i < 2; i++) {
		const bool is_second = points[i].interval >= 20 && points[i].interval < 90;

		assert_int_equal(points[i].cluster, is_second);
		assert_true(points[i].interval < 100);
		assert_float_equal(points[i].weight, is_second ? 70 / 100.5 : 30.5 / 100.5, 1e-9);
	}
	assert_true(points[0].interval < points[1].interval);
	phase_vectors_release(&vectors);
}

TEST(what_is_alike_is_one_phase)
{
	struct simulation_point point;
	struct rng rng = {3};

	for (unsigned count = 1; count < 60; count += 7) {
		struct phase_vectors vectors = {0};

		for (unsigned i = 0; i < count; i++)
			add_interval(&vectors, 0, 1000000, 2, &rng);
		assert_int_equal(phases_find(&vectors, 30 < count ? 30 : count, &point), 1);
		assert_float_equal(point.weight, 1, 1e-12);
		phase_vectors_release(&vectors);
	}
}

/* Four phases: as many as are allowed, and four if more are. */
TEST(there_are_at_most_as_many_as_are_allowed)
{
	struct phase_vectors vectors = {0};
	struct simulation_point points[30];
	struct rng rng = {3};

	for (unsigned i = 0; i < 80; i++)
		add_interval(&vectors, i / 20 * 2, 1000000, 600, &rng);
	for (size_t most = 1; most <= 3; most++)
		assert_true(phases_find(&vectors, most, points) <= most);
	assert_int_equal(phases_find(&vectors, 30, points), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(points[i].interval / 20, i);
		assert_int_equal(points[i].cluster, i);
		assert_float_equal(points[i].weight, 0.25, 1e-12);
	}
	phase_vectors_release(&vectors);
}

/* What is projected is the parts of a vector, and their projections add up. */
TEST(a_projection_is_linear)
{
	const struct vector_entry one[] = {{7, 10}}, more[] = {{7, 12345}}, other[] = {{9, 1}};
	const struct vector_entry mixed[] = {{7, 30}, {9, 10}};
	struct phase_vectors v = {0};
	double least = 1, most = -1;

	phase_vectors_add(&v, one, 1);
	phase_vectors_add(&v, more, 1);
	phase_vectors_add(&v, other, 1);
	phase_vectors_add(&v, mixed, 2);
	for (size_t d = 0; d < PHASES_DIMENSIONS; d++) {
		assert_float_equal(v.rows[0][d], v.rows[1][d], 0);
		assert_float_equal(v.rows[3][d], 0.75 * v.rows[0][d] + 0.25 * v.rows[2][d], 1e-12);
		least = fmin(least, fmin(v.rows[0][d], v.rows[2][d]));
		most = fmax(most, fmax(v.rows[0][d], v.rows[2][d]));
	}
	assert_true(least >= -1 && least < -0.5 && most > 0.5 && most <= 1);
	phase_vectors_release(&v);
}
