#include "isa/undo.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void undo_init(struct undo_log *log)
{
	*log = (struct undo_log){0};
}

void undo_release(struct undo_log *log)
{
	free(log->stores);
	*log = (struct undo_log){0};
}

void checkpoint_take(struct checkpoint *checkpoint, const struct cpu *cpu,
		     const struct undo_log *log)
{
	checkpoint->hart = cpu->hart;
	checkpoint->mark = log->count;
}

void checkpoint_restore(const struct checkpoint *checkpoint, struct cpu *cpu, struct undo_log *log)
{
	while (log->count > checkpoint->mark) {
		const struct undo_store *store = &log->stores[--log->count];

		memory_before_store(cpu->memory, store->address, store->bytes);
		memcpy(cpu->memory->base + store->address, &store->old, store->bytes);
	}
	cpu->hart = checkpoint->hart;
}
