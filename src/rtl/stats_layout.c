#include "rtl/stats_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/shape.h"
#include "stats/unit.h"

#define COUNT_BITS 10 /* of an amount that is more than a flag */

/* Where events come from, and how many ports it has on a machine. */
static unsigned ports_of_commit(const struct config *config)
{
	return shape_commit_width(config);
}

static unsigned ports_of_fetch(const struct config *config)
{
	return shape_is_inorder(config) ? config->inorder_issue_width : config->fetch_width;
}

static unsigned ports_of_dispatch(const struct config *config)
{
	return shape_width(config);
}

static unsigned ports_of_issue(const struct config *config)
{
	return shape_issue_width(config);
}

static unsigned ports_of_memory(const struct config *config)
{
	return config->memory_ports;
}

static unsigned one_port(const struct config *config)
{
	(void)config;
	return 1;
}

enum { GROUP_OLDEST, GROUP_FETCH_PC, GROUP_EVENTS };

static const struct {
	uint32_t kinds; /* of events; 0: a state */
	unsigned (*ports)(const struct config *config);
} groups[] = {
	[GROUP_OLDEST] = {0, one_port},
	[GROUP_FETCH_PC] = {0, one_port},
	[GROUP_EVENTS] = {EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_COMMIT_PLAIN), ports_of_commit},
	{EVENT_BIT(EVENT_FETCH) | EVENT_BIT(EVENT_BRANCH_FETCH) | EVENT_BIT(EVENT_MISFETCH),
	 ports_of_fetch},
	{EVENT_BIT(EVENT_DISPATCH) | EVENT_BIT(EVENT_BRANCH_DISPATCH), ports_of_dispatch},
	{EVENT_BIT(EVENT_ISSUE) | EVENT_BIT(EVENT_FORWARD), ports_of_issue},
	{EVENT_BIT(EVENT_SQUASH), ports_of_dispatch},
	{EVENT_BIT(EVENT_MISPREDICT) | EVENT_BIT(EVENT_REPLAY) | EVENT_BIT(EVENT_THREAD_SWITCH),
	 one_port},
	{EVENT_BIT(EVENT_FETCH_MISS) | EVENT_BIT(EVENT_FETCH_ACCESS), one_port},
	{EVENT_BIT(EVENT_LOAD_MISS) | EVENT_BIT(EVENT_LOAD_ACCESS), ports_of_memory},
	{EVENT_BIT(EVENT_STORE_MISS) | EVENT_BIT(EVENT_STORE_ACCESS), one_port},
};

static bool is_at(const struct stats_layout *layout, size_t signal, unsigned group)
{
	const struct signal_row *row = layout->signals[signal];

	if (!layout->is_by_value[signal])
		return row->events & groups[group].kinds;
	return group == (row->owner == SIGNAL_OF_FETCH ? GROUP_FETCH_PC : GROUP_OLDEST);
}

/* Whether an amount is likely to be 0 or 1. A larger amount takes further places or beats. */
static bool is_flag(const struct stats_layout *layout, size_t signal)
{
	const struct signal_row *row = layout->signals[signal];
	struct cycle c;

	if (!layout->is_by_value[signal])
		return !strstr(row->unit, "cycles");
	for (unsigned byte = 0; byte < 256; byte++) {
		memset(&c, (int)byte, sizeof(c));
		if (row->value(&c) > 1)
			return false;
	}
	return true;
}

static void add_signals(struct stats_layout *layout, const struct circuit_machine *machine)
{
	size_t most = 0;

	for (size_t e = 0; e < machine->stats_count; e++)
		most += machine->stats[e].counter_count;
	layout->signals = mem_alloc_array(most, sizeof(struct signal_row *));
	layout->is_by_value = mem_alloc_array(most, sizeof(bool));
	for (size_t e = 0; e < machine->stats_count; e++)
		for (size_t i = 0; i < machine->stats[e].counter_count; i++) {
			const struct stats_selection *selection = &machine->stats[e].counters[i];
			size_t k = 0;

			while (k < layout->signal_count && layout->signals[k] != selection->signal)
				k++;
			if (k == layout->signal_count) {
				layout->signals[layout->signal_count++] = selection->signal;
				layout->is_by_value[k] = selection->signal->value;
			}
			layout->is_by_value[k] &= selection->range == STATS_ALWAYS ||
						  selection->signal->owner != SIGNAL_OF_EVENT;
		}
}

static void add_ports(struct stats_layout *layout, const struct config *config)
{
	size_t capacity = 0;

	for (unsigned group = 0; group < ARRAY_COUNT(groups); group++) {
		bool is_needed = false;

		for (size_t i = 0; i < layout->signal_count; i++)
			is_needed |= is_at(layout, i, group);
		for (unsigned i = 0; is_needed && i < groups[group].ports(config); i++)
			*ARRAY_PUSH(layout->port_groups, layout->port_count, capacity) = group;
	}
}

void stats_layout_init(struct stats_layout *layout, const struct circuit_machine *machine)
{
	*layout = (struct stats_layout){.amount_bits = 1};
	add_signals(layout, machine);
	add_ports(layout, machine->config);
	layout->places =
		mem_alloc_array(layout->port_count * layout->signal_count, sizeof(*layout->places));
	for (size_t p = 0; p < layout->port_count; p++)
		for (size_t i = 0; i < layout->signal_count; i++) {
			struct stats_place *place = &layout->places[p * layout->signal_count + i];

			*place = (struct stats_place){STATS_NOWHERE, STATS_NOWHERE};
			if (!is_at(layout, i, layout->port_groups[p]))
				continue;
			if (is_flag(layout, i))
				place->flag = (uint32_t)layout->flag_count++;
			else
				place->count = (uint32_t)layout->count_count++;
		}
	if (layout->count_count)
		layout->amount_bits = COUNT_BITS;
}

void stats_layout_release(struct stats_layout *layout)
{
	free(layout->signals);
	free(layout->is_by_value);
	free(layout->port_groups);
	free(layout->places);
	*layout = (struct stats_layout){0};
}

size_t stats_layout_signal(const struct stats_layout *layout, const struct signal_row *signal)
{
	for (size_t i = 0; i < layout->signal_count; i++)
		if (layout->signals[i] == signal)
			return i;
	BUG("the settings select no signal %s", signal->name);
}

uint64_t stats_layout_most(const struct stats_layout *layout, size_t port, size_t signal)
{
	const struct stats_place *place = &layout->places[port * layout->signal_count + signal];

	if (place->flag != STATS_NOWHERE)
		return 1;
	return place->count != STATS_NOWHERE ? (UINT64_C(1) << layout->amount_bits) - 1 : 0;
}

static void add_beat(struct stats_beats *beats, const struct stats_layout *layout)
{
	const size_t ports = layout->port_count, amounts = ports * layout->signal_count;

	if (beats->count == beats->capacity) {
		beats->capacity = 2 * beats->capacity + 1;
		beats->ports =
			mem_realloc(beats->ports, beats->capacity * ports, sizeof(*beats->ports));
		beats->amounts = mem_realloc(beats->amounts, beats->capacity * amounts,
					     sizeof(*beats->amounts));
	}
	memset(beats->ports + beats->count * ports, 0, ports * sizeof(*beats->ports));
	memset(beats->amounts + beats->count * amounts, 0, amounts * sizeof(*beats->amounts));
	beats->count++;
}

/* Brings the amount to ports of the group, in the first beats that have room. */
static void place_amount(struct stats_beats *beats, const struct stats_layout *layout,
			 unsigned group, uint64_t pc, size_t signal, uint64_t amount)
{
	for (size_t beat = 0; amount; beat++) {
		if (beat == beats->count)
			add_beat(beats, layout);
		for (size_t p = 0; amount && p < layout->port_count; p++) {
			struct stats_port *port = &beats->ports[beat * layout->port_count + p];
			uint32_t *held = &beats->amounts[(beat * layout->port_count + p) *
								 layout->signal_count +
							 signal];
			uint64_t room = stats_layout_most(layout, p, signal) - *held;

			if (layout->port_groups[p] != group || (port->is_used && port->pc != pc))
				continue;
			room = amount < room ? amount : room;
			*port = (struct stats_port){true, pc};
			*held += (uint32_t)room;
			amount -= room;
		}
	}
}

static unsigned group_of(unsigned kind)
{
	unsigned group = GROUP_EVENTS;

	while (group < ARRAY_COUNT(groups) && !(groups[group].kinds & EVENT_BIT(kind)))
		group++;
	BUG_ON(group == ARRAY_COUNT(groups));
	return group;
}

static void place_event(struct stats_beats *beats, const struct stats_layout *layout,
			const struct cycle_event *e)
{
	for (size_t i = 0; i < layout->signal_count; i++)
		if (!layout->is_by_value[i] && layout->signals[i]->events & EVENT_BIT(e->kind))
			place_amount(beats, layout, group_of(e->kind), e->pc, i,
				     layout->signals[i]->amount(e));
}

void stats_beats_make(struct stats_beats *beats, const struct stats_layout *layout,
		      const struct cycle *c)
{
	const uint64_t oldest = c->head_pc ? c->head_pc : c->fetch_pc;

	beats->count = 0;
	add_beat(beats, layout);
	for (size_t i = 0; i < layout->signal_count; i++) {
		const struct signal_row *row = layout->signals[i];
		const bool is_fetch = row->owner == SIGNAL_OF_FETCH;

		if (layout->is_by_value[i])
			place_amount(beats, layout, is_fetch ? GROUP_FETCH_PC : GROUP_OLDEST,
				     is_fetch ? c->fetch_pc : oldest, i, row->value(c));
	}
	for (uint32_t i = 0; i < c->event_count; i++)
		place_event(beats, layout, &c->events[i]);
}

void stats_beats_release(struct stats_beats *beats)
{
	free(beats->ports);
	free(beats->amounts);
	*beats = (struct stats_beats){0};
}
