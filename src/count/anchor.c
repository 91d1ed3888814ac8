#include "count/anchor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/portion.h"

/* Parts of a row's slots that are charged, before they are scaled, as those of the instructions
 * near it are, and as all are. */
#define NEAR	    1e-3
#define TRACE	    1e-7
#define NEAR_BITS   8 /* of addresses that are near each other */
#define ROUNDS_MOST 300
#define NEAR_ENOUGH                                                                  \
	1e-7 /* of all slots, by which a column may be wrong before it is made whole \
	      */

#define INLINE static inline __attribute__((always_inline))
#ifdef __x86_64__
#define HAS_WIDE()  __builtin_cpu_supports("avx2")
#define WIDE_TARGET __attribute__((target("avx2")))
#else
#define HAS_WIDE() false
#define WIDE_TARGET
#endif

/* Cells side by side, of so many columns of a row or rows of a column. */
#define LANES	    4
#define GROUPS_MOST ((CAUSE_COUNT + LANES - 1) / LANES)
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

/* A table of `count` rows by causes. */
struct table {
	uint64_t **rows;
	size_t count;
	double *sums;		     /* of the rows */
	double *scales;		     /* of the rows */
	double columns[CAUSE_COUNT]; /* scales */
	const uint64_t *wanted;	     /* the sums of the columns */
	double all;
	const double *const *near; /* by row, the share of each cause near it; or NULL */
	/* The causes that are wanted at all, and by row the cells of these before any scale. */
	unsigned causes[CAUSE_COUNT], cause_count;
	/* In groups of LANES causes, and of rows up to a multiple of LANES; zeros fill them. */
	unsigned group_count;
	size_t rows_filled;
	lanes *cells;
};

static uint64_t sum_of(const uint64_t *slots)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += slots[i];
	return sum;
}

static double cell(const struct table *t, size_t row, unsigned cause)
{
	const double near = t->near ? NEAR * t->near[row][cause] : 0;
	const double trace = TRACE * (double)t->wanted[cause] / t->all;

	return (double)t->rows[row][cause] + t->sums[row] * (near + trace);
}

static void find_cells(struct table *t)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		if (t->wanted[i])
			t->causes[t->cause_count++] = i;
	t->group_count = (t->cause_count + LANES - 1) / LANES;
	t->rows_filled = (t->count + LANES - 1) / LANES * LANES;
	t->cells = mem_alloc_array(t->rows_filled * t->group_count, sizeof(*t->cells));
	for (size_t row = 0; row < t->count; row++)
		for (unsigned i = 0; i < t->cause_count; i++)
			t->cells[row * t->group_count + i / LANES][i % LANES] =
				cell(t, row, t->causes[i]);
}

/* Scales LANES rows from `row` on, of `groups` groups, and adds them to the sums of the columns.
 * Each sum is that of the same numbers in the same order as if it were made by itself. */
INLINE void scale_some(struct table *t, size_t row, const lanes *scales, lanes *sums)
{
	const unsigned groups = t->group_count;
	const lanes *unscaled = &t->cells[row * groups];
	lanes cells[LANES][GROUPS_MOST], found = {0};
	double row_scales[LANES];

	for (unsigned g = 0; g < groups; g++) {
		const lanes a = cells[0][g] = unscaled[g] * scales[g],
			    b = cells[1][g] = unscaled[groups + g] * scales[g],
			    c = cells[2][g] = unscaled[2 * groups + g] * scales[g],
			    d = cells[3][g] = unscaled[3 * groups + g] * scales[g];
		const lanes ab = __builtin_shufflevector(a, b, 0, 4, 2, 6),
			    cd = __builtin_shufflevector(c, d, 0, 4, 2, 6),
			    ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
			    cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);

		found += __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
		found += __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
		found += __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
		found += __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
	}
	for (unsigned i = 0; i < LANES; i++)
		t->scales[row + i] = row_scales[i] = found[i] > 0 ? t->sums[row + i] / found[i] : 0;
	for (unsigned g = 0; g < groups; g++) {
		lanes sum = sums[g];

		for (unsigned i = 0; i < LANES; i++)
			sum += cells[i][g] * row_scales[i];
		sums[g] = sum;
	}
}

INLINE void scale_all(struct table *t, const lanes *scales, lanes *sums)
{
	for (size_t row = 0; row < t->rows_filled; row += LANES)
		scale_some(t, row, scales, sums);
}

static void scale_narrow(struct table *t, const lanes *scales, lanes *sums)
{
	scale_all(t, scales, sums);
}

WIDE_TARGET static void scale_wide(struct table *t, const lanes *scales, lanes *sums)
{
	scale_all(t, scales, sums);
}

/* Scales the rows; `found` are the sums of the columns then. With cells found once, and those of
 * causes that nobody wants left out, the fit of a run of 5 M instructions takes 6 ms; it took 40.
 * With lanes it takes two thirds of that. */
static void scale_rows(struct table *t, double found[CAUSE_COUNT])
{
	lanes scales[GROUPS_MOST] = {0}, sums[GROUPS_MOST] = {0};

	for (unsigned i = 0; i < t->cause_count; i++)
		scales[i / LANES][i % LANES] = t->columns[t->causes[i]];
	if (HAS_WIDE())
		scale_wide(t, scales, sums);
	else
		scale_narrow(t, scales, sums);
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		found[i] = 0;
	for (unsigned i = 0; i < t->cause_count; i++)
		found[t->causes[i]] = sums[i / LANES][i % LANES];
}

static void fit(struct table *t)
{
	double found[CAUSE_COUNT];

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		t->columns[i] = t->wanted[i] ? 1 : 0;
	for (unsigned round = 0; round < ROUNDS_MOST; round++) {
		double worst = 0;

		scale_rows(t, found);
		for (unsigned i = 0; i < CAUSE_COUNT; i++)
			worst = fmax(worst, fabs(found[i] - (double)t->wanted[i]));
		if (worst <= NEAR_ENOUGH * t->all)
			return;
		for (unsigned i = 0; i < CAUSE_COUNT; i++)
			if (found[i] > 0)
				t->columns[i] *= (double)t->wanted[i] / found[i];
	}
	scale_rows(t, found);
}

/* Rounds the cells of a row down; what the row then lacks. */
static uint64_t round_row(const struct table *t, size_t row, int64_t lacks[CAUSE_COUNT])
{
	uint64_t *slots = t->rows[row], left = sum_of(slots), values[CAUSE_COUNT];

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		const double value = floor(cell(t, row, i) * t->columns[i] * t->scales[row]);

		values[i] = value < (double)left ? (uint64_t)value : left;
		left -= values[i];
	}
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		slots[i] = values[i];
		lacks[i] -= (int64_t)values[i];
	}
	return left;
}

/* Takes from a row what its columns have too much; what the row then lacks. */
static uint64_t take_back(uint64_t *slots, int64_t lacks[CAUSE_COUNT])
{
	uint64_t taken = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		const uint64_t over = lacks[i] < 0 ? (uint64_t)-lacks[i] : 0;
		const uint64_t back = over < slots[i] ? over : slots[i];

		slots[i] -= back;
		lacks[i] += (int64_t)back;
		taken += back;
	}
	return taken;
}

/* Gives a row what it lacks, of what columns lack: first of causes that it has. */
static void fill_row(uint64_t *slots, uint64_t row_lacks, int64_t lacks[CAUSE_COUNT])
{
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < CAUSE_COUNT && row_lacks; i++) {
			uint64_t more = lacks[i] > 0 ? (uint64_t)lacks[i] : 0;

			if (!pass && !slots[i])
				continue;
			more = more < row_lacks ? more : row_lacks;
			slots[i] += more;
			lacks[i] -= (int64_t)more;
			row_lacks -= more;
		}
}

/* Makes the columns of the rows add up to these sums, which have all slots of the rows. `near` may
 * be NULL. */
static void rake(uint64_t **rows, size_t count, const uint64_t wanted[CAUSE_COUNT],
		 const double *const *near)
{
	struct table t = {.rows = rows, .count = count, .wanted = wanted, .near = near};
	int64_t lacks[CAUSE_COUNT];

	t.sums = mem_alloc_array(count + LANES, sizeof(*t.sums));
	t.scales = mem_alloc_array(count + LANES, sizeof(*t.scales));
	uint64_t *row_lacks = mem_alloc_array(count, sizeof(*row_lacks));
	for (size_t row = 0; row < count; row++)
		t.all += t.sums[row] = (double)sum_of(rows[row]);
	find_cells(&t);
	fit(&t);
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		lacks[i] = (int64_t)wanted[i];
	for (size_t row = 0; row < count; row++)
		row_lacks[row] = round_row(&t, row, lacks);
	for (size_t row = 0; row < count; row++)
		row_lacks[row] += take_back(rows[row], lacks);
	for (size_t row = 0; row < count; row++)
		fill_row(rows[row], row_lacks[row], lacks);
	free(row_lacks);
	free(t.cells);
	free(t.sums);
	free(t.scales);
}

void anchor_rows(uint64_t **rows, size_t count, const uint64_t wanted[CAUSE_COUNT])
{
	rake(rows, count, wanted, NULL);
}

/* The causes of a group share as they were charged, or the first has all. */
static void find_wanted(const uint64_t *charged, const struct anchor_group *groups, size_t count,
			uint64_t wanted[CAUSE_COUNT])
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		wanted[i] = 0;
	for (size_t g = 0; g < count; g++) {
		uint64_t shares[CAUSE_COUNT] = {0}, parts[CAUSE_COUNT], all = 0;

		for (unsigned i = 0; i < CAUSE_COUNT; i++)
			if (groups[g].causes >> i & 1)
				all += shares[i] = charged[i];
		if (!all)
			shares[__builtin_ctzll(groups[g].causes)] = 1;
		portion_split(groups[g].slots, shares, CAUSE_COUNT, parts);
		for (unsigned i = 0; i < CAUSE_COUNT; i++)
			wanted[i] += parts[i];
	}
}

static void *copy_of(const void *array, size_t count, size_t bytes)
{
	void *copy = mem_alloc_array(count, bytes);

	if (count)
		memcpy(copy, array, count * bytes);
	return copy;
}

/* Rakes the slots in an array of structs. */
#define RAKE(array, count, wanted, near)                                   \
	do {                                                               \
		uint64_t **rows_ = mem_alloc_array(count, sizeof(*rows_)); \
                                                                           \
		for (size_t i_ = 0; i_ < (count); i_++)                    \
			rows_[i_] = (array)[i_].slots;                     \
		rake(rows_, count, wanted, near);                          \
		free(rows_);                                               \
	} while (0)

/* The causes of code that is near each other, as shares of its slots. */
struct block {
	double shares[CAUSE_COUNT];
};

static int by_address(const void *left, const void *right)
{
	const struct ledger_row *a = *(const struct ledger_row *const *)left;
	const struct ledger_row *b = *(const struct ledger_row *const *)right;

	return (a->pc > b->pc) - (a->pc < b->pc);
}

/* Of rows in the order of their addresses. */
static void fill_blocks(const struct ledger_row *const *sorted, size_t count, struct block *blocks,
			const double **near, const struct ledger_row *rows)
{
	for (size_t i = 0, end; i < count; i = end) {
		const uint64_t number = sorted[i]->pc >> NEAR_BITS;
		struct block *block = blocks++;
		double all = 0;

		for (end = i; end < count && sorted[end]->pc >> NEAR_BITS == number; end++) {
			for (unsigned k = 0; k < CAUSE_COUNT; k++)
				block->shares[k] += (double)sorted[end]->slots[k];
			all += (double)sum_of(sorted[end]->slots);
			near[sorted[end] - rows] = block->shares;
		}
		for (unsigned k = 0; k < CAUSE_COUNT; k++)
			block->shares[k] /= all > 0 ? all : 1;
	}
}

static void rake_rows(struct ledger_row *rows, size_t count, const uint64_t wanted[CAUSE_COUNT])
{
	const struct ledger_row **sorted = mem_alloc_array(count, sizeof(*sorted));
	const double **near = mem_alloc_array(count, sizeof(*near));
	size_t block_count = 1;

	for (size_t i = 0; i < count; i++)
		sorted[i] = &rows[i];
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 1; i < count; i++)
		block_count += sorted[i]->pc >> NEAR_BITS != sorted[i - 1]->pc >> NEAR_BITS;
	struct block *blocks = mem_alloc_array(block_count, sizeof(*blocks));
	fill_blocks(sorted, count, blocks, near, rows);
	RAKE(rows, count, wanted, near);
	free(blocks);
	free(near);
	free(sorted);
}

void anchor_ledger(struct ledger *from, const struct anchor_group *groups, size_t count,
		   struct ledger *to)
{
	uint64_t wanted[CAUSE_COUNT];
	size_t threads, intervals;
	const struct ledger_thread *thread_list = ledger_threads(from, &threads);
	const struct ledger_interval *interval_list = ledger_intervals(from, &intervals);

	find_wanted(from->slots, groups, count, wanted);
	*to = (struct ledger){.committed = from->committed, .cycles = from->cycles};
	to->rows = copy_of(from->rows, from->row_count, sizeof(*to->rows));
	to->row_count = from->row_count;
	to->threads = copy_of(thread_list, threads, sizeof(*to->threads));
	to->thread_count = threads;
	to->intervals = copy_of(interval_list, intervals, sizeof(*to->intervals));
	to->interval_count = intervals;
	memcpy(to->slots, wanted, sizeof(wanted));
	memcpy(to->thread_before, wanted, sizeof(wanted));
	rake_rows(to->rows, to->row_count, wanted);
	if (threads)
		RAKE(to->threads, threads, wanted, NULL);
	if (intervals)
		RAKE(to->intervals, intervals, wanted, NULL);
}
