#include "classify/pivot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define SLACK_OF_VALUE 0.05
#define ROUNDING       1e-9 /* of a column: what is left of it when it is a combination of others */

double pivot_slack(double value)
{
	return 1 + SLACK_OF_VALUE * fabs(value);
}

static double dot(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

static void subtract(double *from, double factor, const double *what, size_t count)
{
	for (size_t i = 0; i < count; i++)
		from[i] -= factor * what[i];
}

static bool is_combination(const double *left, const double *column, size_t rows)
{
	for (size_t k = 0; k < rows; k++)
		if (fabs(left[k]) > pivot_slack(column[k]))
			return false;
	return true;
}

/* The column to choose next; `columns` if none is left. */
static size_t next_pivot(const struct matrix *matrix, const double *left, const double *cost,
			 const bool *done)
{
	size_t best = matrix->columns, rows = matrix->rows;
	double best_left = 0;

	for (size_t c = 0; c < matrix->columns; c++) {
		if (done[c])
			continue;
		double most = dot(&left[c * rows], &left[c * rows], rows);

		if (best == matrix->columns || cost[c] < cost[best] ||
		    (cost[c] == cost[best] && most > best_left)) {
			best = c;
			best_left = most;
		}
	}
	return best;
}

size_t pivot_choose(const struct matrix *matrix, const double *cost, size_t *chosen)
{
	size_t rows = matrix->rows, columns = matrix->columns, count = 0;
	double *left = mem_alloc_array(rows * columns + 1, sizeof(double));
	bool *done = mem_alloc_array(columns + 1, sizeof(bool));

	memcpy(left, matrix->values, rows * columns * sizeof(double));
	while (count < rows) {
		for (size_t c = 0; c < columns; c++)
			done[c] |= is_combination(&left[c * rows], matrix_column(matrix, c), rows);
		size_t pivot = next_pivot(matrix, left, cost, done);

		if (pivot == columns)
			break;
		double *q = &left[pivot * rows];
		double length = dot(q, q, rows);

		chosen[count++] = pivot;
		done[pivot] = true;
		/* Twice, because rounding leaves something the first time. */
		for (size_t c = 0; c < columns; c++)
			for (int turn = 0; turn < 2 && !done[c]; turn++)
				subtract(&left[c * rows], dot(&left[c * rows], q, rows) / length, q,
					 rows);
	}
	free(done);
	free(left);
	return count;
}

/* Makes column j of q orthogonal to those before it, and r the factors that were taken off. */
static void orthogonalise(double *q, double *r, size_t j, size_t rows, size_t count)
{
	double *column = &q[j * rows], before = sqrt(dot(column, column, rows));

	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < j; i++) {
			double factor = dot(&q[i * rows], column, rows);

			r[i * count + j] += factor;
			subtract(column, factor, &q[i * rows], rows);
		}
	double length = sqrt(dot(column, column, rows));
	bool is_new = length > ROUNDING * before;

	r[j * count + j] = is_new ? length : 0;
	for (size_t k = 0; k < rows; k++)
		column[k] = is_new ? column[k] / length : 0;
}

void pivot_solve(const struct matrix *matrix, const size_t *columns, size_t count,
		 const double *target, double *factors)
{
	size_t rows = matrix->rows;
	double *q = mem_alloc_array(rows * count + 1, sizeof(double));
	double *r = mem_alloc_array(count * count + 1, sizeof(double));

	for (size_t j = 0; j < count; j++) {
		memcpy(&q[j * rows], matrix_column(matrix, columns[j]), rows * sizeof(double));
		orthogonalise(q, r, j, rows, count);
	}
	for (size_t j = count; j-- > 0;) {
		double sum = dot(&q[j * rows], target, rows);

		for (size_t i = j + 1; i < count; i++)
			sum -= r[j * count + i] * factors[i];
		factors[j] = r[j * count + j] > 0 ? sum / r[j * count + j] : 0;
	}
	free(q);
	free(r);
}
