/* The circuit of power5 (count/count_power5.c): one counter for each component, of which one
 * advances in each cycle. The FETCH_WAITS bits of the instructions in the window stay in the
 * core. */
#include <stdlib.h>

#include "base/array.h"
#include "rtl/components.h"
#include "rtl/stimulus.h"

enum {
	IN_COMMITTING,
	IN_DISPATCHING,
	IN_FETCHED,
	IN_FED,
	IN_FETCH_STALL,
	IN_HEAD_STATE,
	IN_FRONTED,
	IN_FRONT_WAITS,
	IN_MISPREDICT,
	IN_REPLAY,
	IN_MISS_WAITS,
};

struct power5_model {
	const struct config *config;
	void *observer;
};

static bool shape(const struct circuit_machine *machine, struct circuit_shape *shape,
		  struct err *err)
{
	const struct observer_kind *const kinds[] = {&count_power5, NULL};

	if (!observers_fit(kinds, machine->config, err))
		return false;
	components_add(machine->config, "base", shape);
	components_add_states(shape);
	circuit_add_input(shape, 1, 1, "is_committing");
	circuit_add_input(shape, 1, 1, "is_dispatching");
	circuit_add_input(shape, 1, 1, "fetched");
	circuit_add_input(shape, 1, 1, "is_fed");
	circuit_add_input(shape, 4, 1, "fetch_stall");
	circuit_add_input(shape, 4, 1, "head_state");
	circuit_add_input(shape, 1, 1, "is_fronted");
	circuit_add_input(shape, 4, 1, "front_waits");
	circuit_add_input(shape, 1, 1, "mispredict");
	circuit_add_input(shape, 1, 1, "replay");
	circuit_add_input(shape, 4, 1, "miss_waits");
	return true;
}

static void *create(const struct circuit_machine *machine)
{
	struct power5_model *model = mem_alloc(sizeof(*model));

	model->config = machine->config;
	model->observer = count_power5.create(machine->config, components_slots(machine->config));
	return model;
}

static void destroy(void *context)
{
	struct power5_model *model = context;

	count_power5.destroy(model->observer);
	free(model);
}

static unsigned waits_of(unsigned detail)
{
	return (detail & FETCH_WAITS) / FETCH_WAIT_TLB;
}

static void cycle(void *context, const struct cycle *c, struct stimulus *stimulus)
{
	struct power5_model *model = context;
	unsigned miss_waits = 0;

	for (uint32_t i = 0; i < c->event_count; i++)
		if (c->events[i].kind == EVENT_FETCH_MISS)
			miss_waits |= waits_of(c->events[i].detail);
	stimulus_set(stimulus, IN_COMMITTING, c->committed != 0);
	stimulus_set(stimulus, IN_DISPATCHING, c->dispatched != 0);
	stimulus_set(stimulus, IN_FETCHED, c->fetched != 0);
	stimulus_set(stimulus, IN_FED, c->fed || c->buffer_used);
	stimulus_set(stimulus, IN_FETCH_STALL, c->fetch_stall);
	stimulus_set(stimulus, IN_HEAD_STATE, c->head_state);
	stimulus_set(stimulus, IN_FRONTED, c->is_fronted);
	stimulus_set(stimulus, IN_FRONT_WAITS, waits_of(c->front_waits));
	stimulus_set(stimulus, IN_MISPREDICT, !!(c->event_kinds & EVENT_BIT(EVENT_MISPREDICT)));
	stimulus_set(stimulus, IN_REPLAY, !!(c->event_kinds & EVENT_BIT(EVENT_REPLAY)));
	stimulus_set(stimulus, IN_MISS_WAITS, miss_waits);
	stimulus_emit(stimulus, c->repeat);
	count_power5.cycle(model->observer, c);
}

static void words(const void *context, uint64_t *words)
{
	const struct power5_model *model = context;
	struct stack stack;

	count_power5.read(model->observer, 0, &stack);
	components_words(model->config, &stack, words);
}

static const char *const templates[] = {"power5", "counters", NULL};

const struct circuit_kind circuit_power5 = {
	.name = "power5",
	.summary = "cycles in which nothing commits, by what keeps the oldest instruction",
	.events = EVENTS_USUAL,
	.templates = templates,
	.shape = shape,
	.create = create,
	.cycle = cycle,
	.words = words,
	.destroy = destroy,
};
