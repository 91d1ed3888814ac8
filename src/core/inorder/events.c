/* Adds events to the record. core->base.wants selects the kinds. */
#include "core/inorder/inorder.h"

/* The kinds whose events carry the class of the instruction. */
static bool has_class(enum cycle_event_kind kind)
{
	return kind == EVENT_COMMIT || (kind >= EVENT_COMMIT_PLAIN && kind <= EVENT_SQUASH);
}

void inorder_add_event_of(struct inorder *core, enum cycle_event_kind kind, uint64_t sequence,
			  unsigned detail)
{
	const struct entry *e = inorder_entry(core, sequence);
	struct cycle_event event = {.kind = (uint8_t)kind,
				    .wrong_path = !!(e->flags & ENTRY_WRONG),
				    .mispredicted = !!(e->flags & ENTRY_MISPREDICTED),
				    .detail = (uint16_t)detail,
				    .slot = (uint32_t)(sequence & core->slot_mask),
				    .pc = e->pc};

	if (has_class(kind))
		event.insn_class =
			e->flags & ENTRY_CONTROL
				? (uint8_t)(CLASS_CONDITIONAL + e->control - CONTROL_CONDITIONAL)
				: core_classes[e->unit];
	core_add_event(&core->base, &event);
}

void inorder_event_miss(struct inorder *core, enum cycle_event_kind kind, uint32_t slot,
			uint64_t pc, bool is_wrong, unsigned detail,
			const struct access_result *result)
{
	const uint64_t queue = result->queue_cycles;

	core_add_event(
		&core->base,
		&(struct cycle_event){.kind = (uint8_t)kind,
				      .wrong_path = is_wrong,
				      .detail = (uint16_t)detail,
				      .amount = queue < UINT32_MAX ? (uint32_t)queue : UINT32_MAX,
				      .slot = slot,
				      .pc = pc});
}

void inorder_event_plain(struct inorder *core, enum cycle_event_kind kind, uint32_t slot,
			 uint64_t pc, bool is_wrong)
{
	core_add_event(&core->base,
		       &(struct cycle_event){.kind = (uint8_t)kind,
					     .wrong_path = is_wrong,
					     .detail = (uint16_t)(MEMORY_EVENT(plain) + kind -
								  EVENT_FETCH_ACCESS),
					     .amount = 1,
					     .slot = slot,
					     .pc = pc});
}
