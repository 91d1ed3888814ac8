/*
 * branch_table.h - the frontend miss event table of Eyerman et al. 2006, section 4.1: a circular
 * table with a row for each conditional, indirect and return branch in flight, which FMT and sFMT
 * share.
 *
 * Rows are in program order and three numbers divide them:
 *
 *     head <= tail <= fetch
 *       [head, tail)   branches that have dispatched
 *       [tail, fetch)  branches in the front end
 *       fetch          the row of the next branch: it collects the stalls before it
 *
 * The paper's rows each count the cycles since their branch dispatched. Here a row stores the
 * value of one running count of these cycles at dispatch, and the difference is the same number.
 * Local counters saturate at COUNT_LOCAL_MOST.
 */
#ifndef COUNT_BRANCH_TABLE_H
#define COUNT_BRANCH_TABLE_H

#include "base/err.h"
#include "count/count.h"

#define I_COUNTERS 4 /* COMPONENT_L1I .. COMPONENT_ITLB */

struct branch_row {
	uint32_t stalls[I_COUNTERS]; /* I-side stalls before the branch, saturated */
	uint64_t since;		     /* the running count at the branch's dispatch */
	uint64_t penalty;	     /* after resolution: the cycles since dispatch */
};

struct branch_table {
	struct branch_row *rows;
	uint64_t *row_of; /* by slot: the row of the branch in that slot */
	uint64_t row_mask;
	uint64_t head, tail, fetch;
};

void branch_table_init(struct branch_table *table, uint32_t slots);
void branch_table_release(struct branch_table *table);

static inline struct branch_row *branch_table_row(const struct branch_table *table, uint64_t number)
{
	return &table->rows[number & table->row_mask];
}

/* The row of the next branch to be fetched. */
static inline struct branch_row *branch_table_next(const struct branch_table *table)
{
	return branch_table_row(table, table->fetch);
}

static inline void branch_table_fetch(struct branch_table *table)
{
	table->fetch++;
	BUG_ON(table->fetch - table->head > table->row_mask);
	*branch_table_next(table) = (struct branch_row){0};
}

static inline void branch_table_dispatch(struct branch_table *table, uint32_t slot,
					 uint64_t running)
{
	BUG_ON(table->tail == table->fetch);
	table->row_of[slot] = table->tail;
	branch_table_row(table, table->tail++)->since = running;
}

/* The row of the branch that was mispredicted; the rows of all younger branches are removed. */
static inline struct branch_row *branch_table_resolve(struct branch_table *table, uint32_t slot)
{
	uint64_t number = table->row_of[slot];

	table->tail = table->fetch = number + 1;
	*branch_table_next(table) = (struct branch_row){0};
	return branch_table_row(table, number);
}

/* Removes the rows of the youngest `branches` branches, which will be fetched again. */
static inline void branch_table_replay(struct branch_table *table, uint32_t branches)
{
	BUG_ON(table->fetch - table->head < branches);
	table->fetch -= branches;
	if (table->tail > table->fetch)
		table->tail = table->fetch;
	*branch_table_next(table) = (struct branch_row){0};
}

/* The row of the branch that commits, valid until the next fetch. */
static inline struct branch_row *branch_table_commit(struct branch_table *table)
{
	BUG_ON(table->head == table->tail);
	return branch_table_row(table, table->head++);
}

static inline uint64_t count_saturated(uint64_t count)
{
	return count < COUNT_LOCAL_MOST ? count : COUNT_LOCAL_MOST;
}

#endif
