#include "experiment/advise_steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/core.h"
#include "count/truth.h"
#include "machine/storage.h"

/* One parameter of a step. */
struct change {
	enum config_id id;
	enum { PUT_VALUE, MULTIPLY, DIVIDE, ADD, SUBTRACT, ADD_BITS } how;
	uint32_t value;
};

struct rule {
	const char *what;
	uint64_t causes;
	bool fits;
	struct change changes[ADVISE_CHANGES_MOST];
	size_t count;
};

#define BIT_OF(cause) (UINT64_C(1) << (cause))
#define BIT(id)	      BIT_OF(CAUSE_##id)

/* What a part made ideal is, by the switch. */
static const struct {
	enum config_id ideal;
	const char *what;
} bounds[] = {
	{CONFIG_ideal_branch, "all branches and targets predicted"},
	{CONFIG_ideal_l1i, "no fetch waits for an L1I miss"},
	{CONFIG_ideal_l2i, "no fetch waits for an L2 miss"},
	{CONFIG_ideal_l3i, "no fetch waits for an L3 miss"},
	{CONFIG_ideal_itlb, "no fetch waits for an I-TLB miss"},
	{CONFIG_ideal_l1d, "no access waits for an L1D miss"},
	{CONFIG_ideal_l2d, "no access waits for an L2 miss"},
	{CONFIG_ideal_l3d, "no access waits for an L3 miss"},
	{CONFIG_ideal_dtlb, "no access waits for a D-TLB miss"},
	{CONFIG_ideal_walk, "page walks always hit in the L1D"},
	{CONFIG_ideal_bandwidth, "memory that is never busy"},
	{CONFIG_ideal_units, "every operation takes a cycle"},
	{CONFIG_ideal_dependence, "no operation waits for another's result"},
	{CONFIG_ideal_int_alu, "integer units for all"},
	{CONFIG_ideal_int_muldiv, "integer multiply and divide units for all"},
	{CONFIG_ideal_memory_ports, "memory ports for all"},
	{CONFIG_ideal_fp_add, "floating-point adders for all"},
	{CONFIG_ideal_fp_muldiv, "floating-point multiply and divide units for all"},
	{CONFIG_ideal_queues, "queues as long as the reorder buffer"},
	{CONFIG_ideal_max_branches, "any number of branches in flight"},
	{CONFIG_ideal_mshrs, "no access waits for an MSHR"},
	{CONFIG_ideal_store, "a store buffer that is never full"},
	{CONFIG_ideal_forwarding, "no load waits for the store it reads"},
	{CONFIG_ideal_replay, "loads wait only for stores they depend on"},
};

static const struct {
	enum cause cause;
	enum config_id ideal;
} of_components[] = {
	{CAUSE_L1I, CONFIG_ideal_l1i},	     {CAUSE_L2I, CONFIG_ideal_l2i},
	{CAUSE_L3I, CONFIG_ideal_l3i},	     {CAUSE_ITLB, CONFIG_ideal_itlb},
	{CAUSE_BTB, CONFIG_ideal_branch},    {CAUSE_TAKEN, CONFIG_ideal_branch},
	{CAUSE_BRANCH, CONFIG_ideal_branch}, {CAUSE_L1D, CONFIG_ideal_l1d},
	{CAUSE_L2D, CONFIG_ideal_l2d},	     {CAUSE_L3D, CONFIG_ideal_l3d},
	{CAUSE_DTLB, CONFIG_ideal_dtlb},     {CAUSE_WALK, CONFIG_ideal_walk},
	{CAUSE_WAIT, CONFIG_ideal_replay},   {CAUSE_BANDWIDTH, CONFIG_ideal_bandwidth},
};

enum config_id advise_ideal_of(enum cause cause)
{
	for (size_t i = 0; i < TRUTH_PARTS; i++)
		if (truth_parts[i].cause == cause)
			return truth_parts[i].ideal;
	for (size_t i = 0; i < ARRAY_COUNT(of_components); i++)
		if (of_components[i].cause == cause)
			return of_components[i].ideal;
	return CONFIG_COUNT;
}

static const char *bound_what(enum config_id ideal)
{
	for (size_t i = 0; i < ARRAY_COUNT(bounds); i++)
		if (bounds[i].ideal == ideal)
			return bounds[i].what;
	BUG("the switch %d has no words", (int)ideal);
}

static uint32_t changed_value(const struct config *config, const struct change *change)
{
	const uint32_t now = config_get(config, change->id), most = config_rows[change->id].most,
		       least = config_rows[change->id].least;
	uint64_t value = change->value;

	switch (change->how) {
	case PUT_VALUE: break;
	case MULTIPLY: value = (uint64_t)now * change->value; break;
	case DIVIDE: value = now / change->value; break;
	case ADD: value = (uint64_t)now + change->value; break;
	case SUBTRACT: value = now > change->value ? now - change->value : 0; break;
	case ADD_BITS: return now | change->value;
	}
	return value > most ? most : value < least ? least : (uint32_t)value;
}

/* False if the machine has no such parameter, or no limit there. */
static bool make_change(struct config *to, const struct config *from, const struct change *change)
{
	/* What another change of the step brings may be new. */
	if (!config_applies(from, change->id) || (config_rows[change->id].type == CONFIG_IS_COUNT &&
						  config_get(from, change->id) == UNLIMITED))
		return false;
	const uint32_t value = changed_value(from, change);
	if (value == config_get(from, change->id))
		return false;
	config_put(to, change->id, value);
	return true;
}

static bool is_new(const struct advise_steps *steps, const struct config *run,
		   const struct config *made)
{
	enum config_id ids[CONFIG_COUNT];

	if (!config_diff(run, made, ids))
		return false;
	for (size_t i = 0; i < steps->count; i++)
		if (!config_diff(&steps->list[i].config, made, ids))
			return false;
	return true;
}

static char *change_text(const struct config *config, enum config_id id)
{
	char value[CONFIG_TEXT_BYTES], *text;

	config_value_text(config, id, value);
	text = mem_alloc(strlen(config_rows[id].key) + strlen(value) + 2);
	strcat(strcat(strcpy(text, config_rows[id].key), "="), value);
	return text;
}

static int64_t bits_beyond(const struct config *run, const struct config *made)
{
	const struct storage before = storage_of(run), after = storage_of(made);

	return (int64_t)storage_sum(&after) - (int64_t)storage_sum(&before);
}

/* Adds the machine that these changes make, unless it is impossible or there already. */
static void add(struct advise_steps *steps, const struct config *run, const struct rule *rule,
		uint64_t causes, bool is_bound)
{
	struct advise_step step = {
		.what = rule->what, .is_bound = is_bound, .causes = causes, .config = *run};
	bool is_changed[ADVISE_CHANGES_MOST] = {false};
	struct err err;

	for (size_t i = 0; i < rule->count; i++)
		is_changed[i] = make_change(&step.config, run, &rule->changes[i]);
	if (!config_settle(&step.config, &err) || !core_kind_of(&step.config, &err) ||
	    !is_new(steps, run, &step.config))
		return;
	for (size_t i = 0; i < rule->count; i++)
		if (is_changed[i])
			step.changes[step.change_count++] =
				change_text(&step.config, rule->changes[i].id);
	step.bits = is_bound ? 0 : bits_beyond(run, &step.config);
	*ARRAY_PUSH(steps->list, steps->count, steps->capacity) = step;
}

/* All causes that the switch takes away. */
static uint64_t causes_of_switch(enum config_id ideal, uint64_t causes)
{
	uint64_t found = 0;

	for (enum cause i = 0; i < CAUSE_COUNT; i++)
		if (causes & BIT_OF(i) && advise_ideal_of(i) == ideal)
			found |= BIT_OF(i);
	return found;
}

static void add_bounds(struct advise_steps *steps, const struct config *run, uint64_t causes)
{
	for (enum cause i = 0; i < CAUSE_COUNT; i++) {
		const enum config_id ideal = advise_ideal_of(i);
		const struct rule rule = {.what = ideal == CONFIG_COUNT ? "" : bound_what(ideal),
					  .changes = {{ideal, PUT_VALUE, true}},
					  .count = 1};

		if (causes & BIT_OF(i) && ideal != CONFIG_COUNT)
			add(steps, run, &rule, causes_of_switch(ideal, causes), true);
	}
	/* The switch is of store sets alone. */
	const struct rule perfect = {
		.what = "loads wait only for stores they depend on",
		.changes = {{CONFIG_disambiguation, PUT_VALUE, DISAMBIGUATION_PERFECT}},
		.count = 1};
	if (causes & BIT(WAIT) && run->disambiguation == DISAMBIGUATION_CONSERVATIVE)
		add(steps, run, &perfect, BIT(WAIT), true);
}

void advise_steps_make(struct advise_steps *steps, const struct config *config, uint64_t causes)
{
	const struct config *c = config;
	const struct rule rules[] = {
#define PUT(field, to)                        \
	{                                     \
		CONFIG_##field, PUT_VALUE, to \
	}
#define TWICE(field)                        \
	{                                   \
		CONFIG_##field, MULTIPLY, 2 \
	}
#define HALF(field)                       \
	{                                 \
		CONFIG_##field, DIVIDE, 2 \
	}
#define MORE(field, by)                 \
	{                               \
		CONFIG_##field, ADD, by \
	}
#define LESS(field, by)                      \
	{                                    \
		CONFIG_##field, SUBTRACT, by \
	}
#define WITH(field, bits)                      \
	{                                      \
		CONFIG_##field, ADD_BITS, bits \
	}
#define STEP(what, causes, condition, ...) \
	{what, causes, condition, {__VA_ARGS__}, ARRAY_COUNT(((struct change[]){__VA_ARGS__}))},
#include "experiment/advise_steps.def"
	};

	*steps = (struct advise_steps){0};
	add_bounds(steps, config, causes);
	for (size_t i = 0; i < ARRAY_COUNT(rules); i++)
		if (rules[i].causes & causes && rules[i].fits)
			add(steps, config, &rules[i], rules[i].causes & causes, false);
}

void advise_steps_release(struct advise_steps *steps)
{
	for (size_t i = 0; i < steps->count; i++)
		for (size_t k = 0; k < steps->list[i].change_count; k++)
			free(steps->list[i].changes[k]);
	free(steps->list);
}
