#include "rtl/fmt_inputs.h"

#include <stdlib.h>

#include "base/array.h"

enum {
	IN_COMMITTING,
	IN_DISPATCHING,
	IN_FED,
	IN_FETCH_STALL,
	IN_HEAD_STATE,
	IN_DISPATCH_STALL,
	IN_ROB_USED,
	IN_MISSED_TLB,
	IN_MISPREDICT,
	IN_MISPREDICT_SLOT,
	IN_REPLAY,
	IN_REPLAY_BRANCHES,
	IN_COMMIT_BRANCH,
	IN_COMMIT_MISPREDICTED,
	IN_DISPATCH_BRANCHES,
	IN_DISPATCH_SLOTS,
	IN_FETCH_BRANCHES,
	IN_COUNT
};
_Static_assert(IN_COUNT == FMT_INPUTS, "the circuit's own inputs follow");

/* Phases of a data miss, in the order of the words. */
static const enum component phases[] = {COMPONENT_L1D, COMPONENT_L2D, COMPONENT_L3D,
					COMPONENT_DTLB};

static uint64_t budget_of(const struct config *config)
{
	struct count_blocked blocked;

	count_blocked_init(&blocked, config);
	return blocked.budget;
}

/* The bits of a bank number. The table has enough banks, a power of two, for the branches that are
 * fetched, dispatched or committed in one cycle. */
static unsigned bank_bits(const struct config *config)
{
	uint32_t most = config->commit_width;

	most = config->dispatch_width > most ? config->dispatch_width : most;
	most = config->fetch_width > most ? config->fetch_width : most;
	return circuit_bits_for(most - 1);
}

/* The rows of the table. It has at least as many as the model, and every bank has the same
 * number. */
static uint32_t table_rows(const struct config *config)
{
	const uint32_t banks = UINT32_C(1) << bank_bits(config);

	return (count_branch_rows(config) + banks - 1) / banks * banks;
}

static void add_constants(const struct config *config, struct circuit_shape *shape)
{
	const uint32_t rows = table_rows(config), slots = components_slots(config);
	unsigned has_stall = 0;

	for (unsigned i = 0; i < I_COUNTERS; i++)
		has_stall |= (unsigned)components_has(config, COMPONENT_L1I + i) << i;
	const struct circuit_constant constants[] = {
		{"ROB_SIZE", config->rob_size},
		{"ROB_BITS", circuit_bits_for(config->rob_size)},
		{"DISPATCH_ROB", DISPATCH_ROB},
		{"DISPATCH_IQ", DISPATCH_IQ},
		{"DISPATCH_LSQ", DISPATCH_LSQ},
		{"DISPATCH_BRANCHES", DISPATCH_BRANCHES},
		{"FETCH_BRANCHES", FETCH_BRANCHES},
		{"BUDGET", budget_of(config)},
		{"EARLY_BITS", circuit_bits_for(budget_of(config))},
		{"ROWS", rows},
		{"ROW_BITS", circuit_bits_for(rows - 1)},
		{"BANKS", UINT64_C(1) << bank_bits(config)},
		{"BANK_BITS", bank_bits(config)},
		{"SLOTS", slots},
		{"SLOT_BITS", circuit_bits_for(slots - 1)},
		{"LOCAL_BITS", COUNT_LOCAL_BITS},
		{"COMMITS", config->commit_width},
		{"DISPATCHES", config->dispatch_width},
		{"DISPATCH_BITS", circuit_bits_for(config->dispatch_width)},
		{"FETCH_BITS", circuit_bits_for(config->fetch_width)},
		/* The sum of all branches that commit, or of a load's cycles within its budget. */
		{"AMOUNT_BITS",
		 circuit_bits_for(config->commit_width * COUNT_LOCAL_MOST + budget_of(config) + 1)},
		{"HAS_STALL", has_stall},
	};

	for (size_t i = 0; i < ARRAY_COUNT(constants); i++)
		circuit_add_constant(shape, constants[i].value, "%s", constants[i].name);
}

bool fmt_inputs_add(const struct circuit_machine *machine, const struct observer_kind *kind,
		    struct circuit_shape *shape, struct err *err)
{
	const struct observer_kind *const kinds[] = {kind, NULL};
	const struct config *config = machine->config;
	const unsigned slot_bits = circuit_bits_for(components_slots(config) - 1);

	if (!observers_fit(kinds, config, err))
		return false;
	components_add_states(shape);
	add_constants(config, shape);
	circuit_add_input(shape, 1, 1, "is_committing");
	circuit_add_input(shape, 1, 1, "is_dispatching");
	circuit_add_input(shape, 1, 1, "is_fed");
	circuit_add_input(shape, 4, 1, "fetch_stall");
	circuit_add_input(shape, 4, 1, "head_state");
	circuit_add_input(shape, 3, 1, "dispatch_stall");
	circuit_add_input(shape, circuit_bits_for(config->rob_size), 1, "rob_used");
	circuit_add_input(shape, 1, 1, "oldest_missed_tlb");
	circuit_add_input(shape, 1, 1, "mispredict");
	circuit_add_input(shape, slot_bits, 1, "mispredict_slot");
	circuit_add_input(shape, 1, 1, "replay");
	circuit_add_input(shape, circuit_bits_for(table_rows(config) - 1), 1, "replay_branches");
	circuit_add_input(shape, 1, config->commit_width, "commit_branch");
	circuit_add_input(shape, 1, config->commit_width, "commit_mispredicted");
	circuit_add_input(shape, circuit_bits_for(config->dispatch_width), 1, "dispatch_branches");
	circuit_add_input(shape, slot_bits, config->dispatch_width, "dispatch_slots");
	circuit_add_input(shape, circuit_bits_for(config->fetch_width), 1, "fetch_branches");
	return true;
}

void fmt_words_add(const struct config *config, unsigned stall_bits, const char *prefix,
		   struct circuit_shape *shape)
{
	components_add(config, "cycles", shape);
	for (size_t i = 0; i < ARRAY_COUNT(phases); i++)
		circuit_add_word(shape, circuit_bits_for(budget_of(config)), true, "early_%s",
				 component_rows[phases[i]].name);
	for (unsigned i = 0; i < I_COUNTERS; i++)
		circuit_add_word(shape, stall_bits, true, "%s_%s", prefix,
				 component_rows[COMPONENT_L1I + i].name);
}

void *fmt_model_create(const struct circuit_machine *machine, const struct observer_kind *kind,
		       void (*read)(const void *counter, struct fmt_words *words))
{
	struct fmt_model *model = mem_alloc(sizeof(*model));

	model->config = machine->config;
	model->kind = kind;
	model->read = read;
	model->counter = kind->create(machine->config, components_slots(machine->config));
	return model;
}

void fmt_model_destroy(void *context)
{
	struct fmt_model *model = context;

	model->kind->destroy(model->counter);
	free(model);
}

/* Whether the oldest instruction commits in this record and has missed in the D-TLB. A commit with
 * a tag, such as that miss, is an event; so the oldest is the first commit among the events. */
static bool oldest_missed_tlb(const struct fmt_model *model, const struct cycle *c)
{
	for (uint32_t i = 0; i < c->event_count; i++)
		if (c->events[i].kind == EVENT_COMMIT)
			return c->events[i].pc == model->head_pc &&
			       c->events[i].detail & DATA_MISS_TLB;
	return false;
}

static void set_events(const struct cycle *c, struct stimulus *stimulus)
{
	unsigned commits = 0, dispatches = 0, fetches = 0;

	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		switch ((enum cycle_event_kind)e->kind) {
		case EVENT_MISPREDICT:
			stimulus_set(stimulus, IN_MISPREDICT, 1);
			stimulus_set(stimulus, IN_MISPREDICT_SLOT, e->slot);
			break;
		case EVENT_REPLAY:
			stimulus_set(stimulus, IN_REPLAY, 1);
			stimulus_set(stimulus, IN_REPLAY_BRANCHES, e->amount);
			break;
		case EVENT_COMMIT:
			stimulus_set_field(stimulus, IN_COMMIT_BRANCH, commits,
					   !!(e->detail & COMMIT_BRANCH));
			stimulus_set_field(stimulus, IN_COMMIT_MISPREDICTED, commits,
					   !!(e->detail & COMMIT_MISPREDICTED));
			commits++;
			break;
		case EVENT_BRANCH_DISPATCH:
			stimulus_set_field(stimulus, IN_DISPATCH_SLOTS, dispatches++, e->slot);
			break;
		case EVENT_BRANCH_FETCH: fetches++; break;
		default: break;
		}
	}
	stimulus_set(stimulus, IN_DISPATCH_BRANCHES, dispatches);
	stimulus_set(stimulus, IN_FETCH_BRANCHES, fetches);
}

void fmt_inputs_set(struct fmt_model *model, const struct cycle *c, struct stimulus *stimulus)
{
	stimulus_clear(stimulus);
	stimulus_set(stimulus, IN_COMMITTING, c->committed != 0);
	stimulus_set(stimulus, IN_DISPATCHING, c->dispatched != 0);
	stimulus_set(stimulus, IN_FED, c->fed || c->buffer_used);
	stimulus_set(stimulus, IN_FETCH_STALL, c->fetch_stall);
	stimulus_set(stimulus, IN_HEAD_STATE, c->head_state);
	stimulus_set(stimulus, IN_DISPATCH_STALL, c->dispatch_stall);
	stimulus_set(stimulus, IN_ROB_USED, c->rob_used);
	stimulus_set(stimulus, IN_MISSED_TLB, oldest_missed_tlb(model, c));
	if (c->event_kinds)
		set_events(c, stimulus);
	model->head_pc = c->head_pc;
}

void fmt_model_cycle(struct fmt_model *model, const struct cycle *c, struct stimulus *stimulus)
{
	stimulus_emit(stimulus, c->repeat);
	model->cycles += c->repeat;
	model->kind->cycle(model->counter, c);
}

void fmt_model_words(const void *context, uint64_t *words)
{
	const struct fmt_model *model = context;
	struct fmt_words read;
	struct stack stack;
	size_t count;

	model->read(model->counter, &read);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = (int64_t)read.global[i];
	stack.cycles[COMPONENT_BASE] = (int64_t)model->cycles;
	count = components_words(model->config, &stack, words);
	for (size_t i = 0; i < ARRAY_COUNT(phases); i++)
		words[count++] = read.early[phases[i]];
	for (unsigned i = 0; i < I_COUNTERS; i++)
		words[count++] = read.stalls[i];
}
