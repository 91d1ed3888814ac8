/* Adds events to the record. core->wants selects the kinds. */
#include "core/ooo/ooo.h"

void ooo_event_access(struct ooo *core, enum cycle_event_kind kind, uint32_t slot, uint64_t pc,
		      unsigned flags)
{
	for (size_t i = 0; i < core->memory->log_count; i++) {
		const struct memory_log_entry *entry = &core->memory->log[i];

		ooo_add_event(core, (struct cycle_event){.kind = (uint8_t)kind,
							 .wrong_path = !!(flags & ENTRY_WRONG),
							 .detail = (uint16_t)entry->event,
							 .amount = entry->amount,
							 .slot = slot,
							 .pc = pc});
	}
}
