#include "count/branch_table.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

/* There is a row for each instruction that can be in flight, and one for the next branch. */
void branch_table_init(struct branch_table *table, uint32_t slots)
{
	uint64_t rows = 2;

	while (rows < (uint64_t)slots + 1)
		rows *= 2;
	*table = (struct branch_table){
		.rows = mem_alloc_array(rows, sizeof(struct branch_row)),
		.row_of = mem_alloc_array(slots, sizeof(uint64_t)),
		.row_mask = rows - 1,
	};
}

void branch_table_release(struct branch_table *table)
{
	free(table->rows);
	free(table->row_of);
}

void branch_table_fetch(struct branch_table *table)
{
	table->fetch++;
	BUG_ON(table->fetch - table->head > table->row_mask);
	*branch_table_next(table) = (struct branch_row){0};
}

void branch_table_dispatch(struct branch_table *table, uint32_t slot, uint64_t running)
{
	BUG_ON(table->tail == table->fetch);
	table->row_of[slot] = table->tail;
	branch_table_row(table, table->tail++)->since = running;
}

struct branch_row *branch_table_resolve(struct branch_table *table, uint32_t slot)
{
	uint64_t number = table->row_of[slot];

	table->tail = table->fetch = number + 1;
	*branch_table_next(table) = (struct branch_row){0};
	return branch_table_row(table, number);
}

void branch_table_replay(struct branch_table *table, uint32_t branches)
{
	BUG_ON(table->fetch - table->head < branches);
	table->fetch -= branches;
	if (table->tail > table->fetch)
		table->tail = table->fetch;
	*branch_table_next(table) = (struct branch_row){0};
}

struct branch_row *branch_table_commit(struct branch_table *table)
{
	BUG_ON(table->head == table->tail);
	return branch_table_row(table, table->head++);
}
