#include "mem/main_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"

bool main_memory_check(const struct main_memory_parameters *p, struct err *err)
{
	if (!p->banks)
		return true;
	if (!bits_is_power_of_two(p->banks) || !bits_is_power_of_two(p->row_bytes))
		return err_set(err,
			       "%" PRIu32 " banks with rows of %" PRIu32
			       " bytes: both must be powers of two",
			       p->banks, p->row_bytes);
	if (p->row_hit_cycles > p->row_closed_cycles ||
	    p->row_closed_cycles > p->row_conflict_cycles)
		return err_set(err,
			       "a row hit of %" PRIu32 ", a closed row of %" PRIu32
			       " and a row conflict of %" PRIu32
			       " cycles are not in ascending order",
			       p->row_hit_cycles, p->row_closed_cycles, p->row_conflict_cycles);
	return true;
}

void main_memory_init(struct main_memory *memory, const struct main_memory_parameters *p)
{
	*memory = (struct main_memory){.p = *p};
	if (!p->banks)
		return;
	memory->banks = mem_alloc_array(p->banks, sizeof(*memory->banks));
	memory->row_bits = (uint8_t)bits_log2(p->row_bytes);
	memory->bank_bits = (uint8_t)bits_log2(p->banks);
}

void main_memory_release(struct main_memory *memory)
{
	for (uint32_t i = 0; i < memory->p.banks; i++)
		schedule_release(&memory->banks[i].taken);
	free(memory->banks);
	schedule_release(&memory->channel);
	*memory = (struct main_memory){0};
}

void main_memory_change_times(struct main_memory *memory, const struct main_memory_parameters *p)
{
	BUG_ON(p->banks != memory->p.banks || p->row_bytes != memory->p.row_bytes ||
	       p->closes_rows != memory->p.closes_rows);
	memory->p = *p;
}

/* Accesses the row, and returns how long that takes. */
static uint32_t open_row(const struct main_memory *memory, struct main_memory_bank *bank,
			 uint64_t address, enum memory_row *row)
{
	uint64_t wanted = (address >> memory->row_bits >> memory->bank_bits) + 1;
	uint64_t open = bank->open_row;

	bank->open_row = memory->p.closes_rows ? 0 : wanted;
	*row = open == wanted ? ROW_HIT : open ? ROW_CONFLICT : ROW_CLOSED;
	return open == wanted ? memory->p.row_hit_cycles
	       : open	      ? memory->p.row_conflict_cycles
			      : memory->p.row_closed_cycles;
}

void main_memory_request(struct main_memory *memory, uint64_t now, uint64_t at, uint64_t address,
			 bool occupies, struct main_memory_answer *answer)
{
	const struct main_memory_parameters *p = &memory->p;
	struct main_memory_bank *bank = NULL;
	uint64_t row_cycles = 0, begin = at;

	answer->row = ROW_NONE;
	if (p->banks) {
		bank = &memory->banks[address >> memory->row_bits & (p->banks - 1)];
		row_cycles = open_row(memory, bank, address, &answer->row);
	}
	if (occupies) {
		if (bank)
			begin = schedule_take(&bank->taken, now, begin,
					      row_cycles - p->row_hit_cycles);
		begin += row_cycles;
		if (p->line_cycles)
			begin = schedule_take(&memory->channel, now, begin, p->line_cycles);
	} else {
		begin += row_cycles;
	}
	answer->queue_cycles = begin - row_cycles - at;
	answer->done_at = begin + p->latency_cycles;
}
