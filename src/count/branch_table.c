#include "count/branch_table.h"

#include <stdlib.h>

#include "base/array.h"

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
