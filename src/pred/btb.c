#include "pred/btb.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"

bool btb_init(struct btb *btb, uint32_t sets, uint32_t ways, struct err *err)
{
	if (!bits_is_power_of_two(sets))
		return err_set(err, "btb.sets is %u, but must be a power of two", (unsigned)sets);
	if (!ways)
		return err_set(err, "btb.ways is 0, but must be at least 1");
	btb->set_mask = sets - 1;
	btb->ways = ways;
	btb->entries = mem_alloc_array((size_t)sets * ways, sizeof(*btb->entries));
	for (size_t i = 0; i < (size_t)sets * ways; i++)
		btb->entries[i].pc = BTB_NO_PC;
	return true;
}

void btb_release(struct btb *btb)
{
	free(btb->entries);
	btb->entries = NULL;
}

void btb_update(struct btb *btb, uint64_t pc, uint64_t target)
{
	struct btb_entry *set = btb_set(btb, pc);
	struct btb_entry moved = {pc, target};

	/* Each entry moves back by one way, up to the branch's old way or, if it had none, to
	 * the least recently used way, whose entry is lost. */
	for (uint32_t way = 0; way < btb->ways; way++) {
		struct btb_entry old = set[way];

		set[way] = moved;
		if (old.pc == pc)
			return;
		moved = old;
	}
}
