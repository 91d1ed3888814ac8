/*
 * pivot.h - which columns of a matrix are enough to make all of them, and the combination of
 * columns that comes nearest to a target.
 *
 * Columns are chosen one after the other, as in a QR factorisation with column pivoting: what of a
 * column is a combination of those already chosen is taken off. What is left decides whether it can
 * be chosen, and its cost whether it is chosen before others; usual pivoting takes the column of
 * which most is left, which prefers events that count much to those that count one thing. The idea
 * is that of Barry, Danalis and Dongarra (IPDPSW 2024); the costs are given by the caller.
 *
 * A column is a combination of the chosen ones when what is left is within 1 and a twentieth of the
 * column in every row: rows come divided by the noise that is expected in them.
 *
 * Not done: scaling of columns, and rows that are missing.
 */
#ifndef CLASSIFY_PIVOT_H
#define CLASSIFY_PIVOT_H

#include <stdbool.h>
#include <stddef.h>

/* By column: value(row, column) is values[column * rows + row]. */
struct matrix {
	size_t rows, columns;
	double *values;
};

static inline double *matrix_column(const struct matrix *matrix, size_t column)
{
	return &matrix->values[column * matrix->rows];
}

/* What a row may be off by, in units of its noise, where its value is `value`. */
double pivot_slack(double value);

/* Writes the numbers of the chosen columns, the cheapest first, into `chosen`, which has room for
 * all columns; gives how many. Of columns that cost the same the one of which most is left is
 * chosen, then the first. */
size_t pivot_choose(const struct matrix *matrix, const double *cost, size_t *chosen);

/* The factors of the `count` columns by which their sum is nearest to the target, in the sum of
 * squares. A column that is a combination of those before it gets 0. */
void pivot_solve(const struct matrix *matrix, const size_t *columns, size_t count,
		 const double *target, double *factors);

#endif
