/* Columns chosen and least squares: by arithmetic on paper, and against normal equations that are
 * solved by elimination. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "classify/pivot.h"

#define MOST 12

static uint64_t state = 1;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(state >> 33) / (double)(UINT64_C(1) << 31);
}

TEST(a_line_through_three_points)
{
	/* 1, 2, 4 at 0, 1, 2: the slope is 3/2 and the line begins at 5/6. */
	double values[] = {1, 1, 1, 0, 1, 2}, factors[2];
	const struct matrix matrix = {3, 2, values};

	pivot_solve(&matrix, (size_t[]){0, 1}, 2, (double[]){1, 2, 4}, factors);
	assert_float_equal(factors[0], 5.0 / 6, 1e-12);
	assert_float_equal(factors[1], 1.5, 1e-12);
}

TEST(a_column_that_others_make_gets_no_factor)
{
	double values[] = {10, 0, 0, 10, 10, 10}, factors[3];
	const struct matrix matrix = {2, 3, values};

	pivot_solve(&matrix, (size_t[]){0, 1, 2}, 3, (double[]){20, 30}, factors);
	assert_float_equal(factors[0], 2, 1e-12);
	assert_float_equal(factors[1], 3, 1e-12);
	assert_float_equal(factors[2], 0, 1e-12);
}

TEST(cheap_columns_are_chosen_and_what_they_make_is_not)
{
	/* The third is the sum of the first two, the fourth is within the noise of the first. */
	double values[] = {40, 0, 0, 0, 40, 0, 40, 40, 0, 41, 0, 0.5, 0, 0, 40};
	const struct matrix matrix = {3, 5, values};
	size_t chosen[5];

	assert_int_equal(pivot_choose(&matrix, (double[]){1, 1, 2, 3, 1}, chosen), 3);
	assert_int_equal(chosen[0], 0);
	assert_int_equal(chosen[1], 1);
	assert_int_equal(chosen[2], 4);
	/* If the sum is cheapest, one of its parts is left out. */
	assert_int_equal(pivot_choose(&matrix, (double[]){1, 1, 0, 3, 1}, chosen), 3);
	assert_int_equal(chosen[0], 2);
	/* Of equal cost the one that counts most. */
	assert_int_equal(pivot_choose(&matrix, (double[]){1, 1, 1, 1, 1}, chosen), 3);
	assert_int_equal(chosen[0], 2);
}

TEST(nothing_is_chosen_of_noise)
{
	double values[] = {1, -1, 0.5, 0, 0, 0};
	size_t chosen[2];

	assert_int_equal(pivot_choose(&(struct matrix){3, 2, values}, (double[]){0, 0}, chosen), 0);
	assert_int_equal(pivot_choose(&(struct matrix){0, 0, values}, NULL, chosen), 0);
}

/* Solves A'A x = A'b by elimination with pivoting. */
static void slow_solve(const struct matrix *matrix, const double *target, long double *x)
{
	const size_t n = matrix->columns;
	long double a[MOST][MOST + 1] = {{0}};

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < matrix->rows; k++) {
			long double value = matrix_column(matrix, i)[k];

			for (size_t j = 0; j < n; j++)
				a[i][j] += value * matrix_column(matrix, j)[k];
			a[i][n] += value * target[k];
		}
	for (size_t c = 0; c < n; c++) {
		size_t pivot = c;

		for (size_t i = c; i < n; i++)
			if (fabsl(a[i][c]) > fabsl(a[pivot][c]))
				pivot = i;
		for (size_t j = 0; j <= n; j++) {
			long double other = a[pivot][j];

			a[pivot][j] = a[c][j];
			a[c][j] = other;
		}
		for (size_t i = 0; i < n; i++)
			for (size_t j = n + 1; i != c && j-- > c;)
				a[i][j] -= a[c][j] * (a[i][c] / a[c][c]);
	}
	for (size_t i = 0; i < n; i++)
		x[i] = a[i][n] / a[i][i];
}

TEST(random_least_squares_are_those_of_normal_equations)
{
	for (int round = 0; round < 200; round++) {
		size_t columns = 1 + (size_t)(uniform() * 8),
		       rows = columns + (size_t)(uniform() * 20);
		double values[32 * MOST], target[32], factors[MOST];
		size_t all[MOST];
		long double slow[MOST];
		const struct matrix matrix = {rows, columns, values};

		for (size_t i = 0; i < rows * columns; i++)
			values[i] = uniform() * 20 - 10;
		for (size_t i = 0; i < rows; i++)
			target[i] = uniform() * 20 - 10;
		for (size_t i = 0; i < columns; i++)
			all[i] = i;
		pivot_solve(&matrix, all, columns, target, factors);
		slow_solve(&matrix, target, slow);
		for (size_t i = 0; i < columns; i++)
			assert_true(fabsl(factors[i] - slow[i]) < 1e-6L * (1 + fabsl(slow[i])));
	}
}

/* Columns that are whole sums of a few others: as many are chosen as there are others, and they
 * make every column. */
TEST(the_chosen_columns_make_all_columns)
{
	for (int round = 0; round < 100; round++) {
		enum { ROWS = 20, COLUMNS = 10 };
		size_t rank = 1 + (size_t)(uniform() * 6), chosen[COLUMNS];
		double base[ROWS * COLUMNS], values[ROWS * COLUMNS] = {0}, cost[COLUMNS];
		const struct matrix matrix = {ROWS, COLUMNS, values};

		for (size_t i = 0; i < ROWS * rank; i++)
			base[i] = 100 * (uniform() < 0.5);
		for (size_t c = 0; c < COLUMNS; c++) {
			cost[c] = floor(uniform() * 4);
			for (size_t b = 0; b < rank; b++) {
				double times = floor(uniform() * 3);

				for (size_t k = 0; k < ROWS; k++)
					values[c * ROWS + k] += times * base[b * ROWS + k];
			}
		}
		size_t count = pivot_choose(&matrix, cost, chosen);

		assert_true(count <= rank);
		for (size_t c = 0; c < COLUMNS; c++) {
			double factors[COLUMNS];

			pivot_solve(&matrix, chosen, count, matrix_column(&matrix, c), factors);
			for (size_t k = 0; k < ROWS; k++) {
				double left = matrix_column(&matrix, c)[k];

				for (size_t i = 0; i < count; i++)
					left -= factors[i] * matrix_column(&matrix, chosen[i])[k];
				assert_true(fabs(left) <= 2 * pivot_slack(values[c * ROWS + k]));
			}
		}
	}
}
