#include "core/core.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"

/* By enum core_kind of the configuration. */
static const struct core_kind *const kinds[] = {
	[CORE_OOO] = &core_ooo,
	[CORE_INORDER] = &core_inorder,
};

const struct core_kind *core_kind_of(const struct config *config, struct err *err)
{
	const struct core_kind *kind = kinds[config->core_kind];

	return kind->fits(config, err) ? kind : NULL;
}

const uint8_t core_classes[UNIT_COUNT] = {
	[UNIT_ALU] = CLASS_INTEGER,	 [UNIT_MUL] = CLASS_MULTIPLY,
	[UNIT_DIV] = CLASS_DIVIDE,	 [UNIT_LOAD] = CLASS_LOAD,
	[UNIT_STORE] = CLASS_STORE,	 [UNIT_AMO] = CLASS_ATOMIC,
	[UNIT_FP_ADD] = CLASS_FP_ADD,	 [UNIT_FP_MUL] = CLASS_FP_MULTIPLY,
	[UNIT_FP_DIV] = CLASS_FP_DIVIDE, [UNIT_FENCE] = CLASS_FENCE,
	[UNIT_CSR] = CLASS_CSR,		 [UNIT_SYSTEM] = CLASS_SYSTEM,
};

static void grow(struct cycle_lists *lists)
{
	lists->event_capacity *= 2;
	lists->events = mem_realloc(lists->events, lists->event_capacity, sizeof(*lists->events));
}

void core_create_lists(struct core *core)
{
	core->own = (struct cycle_lists){
		.events = mem_alloc_array(256, sizeof(struct cycle_event)),
		.event_capacity = 256,
		.useful_pcs = mem_alloc_array(CYCLE_WIDTH_MAX, sizeof(uint64_t)),
		.retired = mem_alloc_array(CYCLE_WIDTH_MAX, sizeof(struct cycle_retired)),
		.waits = mem_alloc_array(CYCLE_WIDTH_MAX, sizeof(struct cycle_waits)),
		.grow = grow,
	};
	core->lists = &core->own;
}

void core_destroy_lists(struct core *core)
{
	free(core->own.events);
	free(core->own.useful_pcs);
	free(core->own.retired);
	free(core->own.waits);
}

bool core_identity(const char *identity, uint64_t left, uint64_t right, struct err *err)
{
	return left == right ? true
			     : err_set(err,
				       "internal error: %s does not hold: %" PRIu64
				       " is not %" PRIu64 "; please report this",
				       identity, left, right);
}
