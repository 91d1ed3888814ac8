/* The circuit of sfmt (count/count_sfmt.c), cleared when a mispredicted branch commits. */
#include "rtl/fmt_inputs.h"

enum {
	IN_FETCHED = FMT_INPUTS,
	IN_MISS,
	IN_MISS_SLOT,
	IN_COMMIT_WAITED,
	IN_COMMIT_SLOTS,
};

static bool shape(const struct circuit_machine *machine, struct circuit_shape *shape,
		  struct err *err)
{
	const struct config *config = machine->config;

	if (!fmt_inputs_add(machine, &count_sfmt, shape, err))
		return false;
	const unsigned slot_bits = circuit_bits_for(components_slots(config) - 1);
	circuit_add_constant(shape, 1, "CLEARS");
	circuit_add_input(shape, 1, 1, "fetched");
	circuit_add_input(shape, 1, 1, "miss");
	circuit_add_input(shape, slot_bits, 1, "miss_slot");
	circuit_add_input(shape, 1, config->commit_width, "commit_waited");
	circuit_add_input(shape, slot_bits, config->commit_width, "commit_slots");
	fmt_words_add(config, COUNT_LOCAL_BITS, "shared", shape);
	return true;
}

static void *create(const struct circuit_machine *machine)
{
	return fmt_model_create(machine, &count_sfmt, sfmt_read_words);
}

static void cycle(void *model, const struct cycle *c, struct stimulus *stimulus)
{
	unsigned commits = 0;

	fmt_inputs_set(model, c, stimulus);
	stimulus_set(stimulus, IN_FETCHED, c->fetched != 0);
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->kind == EVENT_FETCH_MISS) {
			stimulus_set(stimulus, IN_MISS, 1);
			stimulus_set(stimulus, IN_MISS_SLOT, e->slot);
		} else if (e->kind == EVENT_COMMIT) {
			stimulus_set_field(stimulus, IN_COMMIT_WAITED, commits,
					   !!(e->detail & FETCH_WAITS));
			stimulus_set_field(stimulus, IN_COMMIT_SLOTS, commits++, e->slot);
		}
	}
	fmt_model_cycle(model, c, stimulus);
}

static const char *const templates[] = {"sfmt",		"window",   "blocked",
					"branch_table", "counters", NULL};

const struct circuit_kind circuit_sfmt = {
	.name = "sfmt",
	.summary = "shared frontend miss event table, cleared at commit",
	.events = EVENTS_USUAL,
	.templates = templates,
	.common = "tables",
	.shape = shape,
	.create = create,
	.cycle = cycle,
	.words = fmt_model_words,
	.destroy = fmt_model_destroy,
};
