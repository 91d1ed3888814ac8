#include "signal/signal.h"

#include <string.h>

#define IS_SERIALISING(class_) \
	((class_) == CLASS_ATOMIC || ((class_) >= CLASS_FENCE && (class_) <= CLASS_SYSTEM))

/* Functions of each row, named by its id. */
#define NO_TOTAL 0
#define VALUE(id, expression)                             \
	static uint64_t value_##id(const struct cycle *c) \
	{                                                 \
		(void)c;                                  \
		return (uint64_t)(expression);            \
	}
#define AMOUNT(id, expression)                                   \
	static uint64_t amount_##id(const struct cycle_event *e) \
	{                                                        \
		(void)e;                                         \
		return (uint64_t)(expression);                   \
	}
#define TOTAL(id, expression)                                                                  \
	static uint64_t total_##id(const struct core_totals *n, const struct memory_events *m) \
	{                                                                                      \
		(void)n;                                                                       \
		(void)m;                                                                       \
		return (uint64_t)(expression);                                                 \
	}
#define CYCLE(id, name, source, unit, category, owner, value, meaning) VALUE(id, value)
#define COUNT(id, name, source, unit, category, owner, value, total, meaning) \
	VALUE(id, value)                                                      \
	TOTAL(id, total)
#define EVENT(id, name, source, unit, category, kinds, amount, total, meaning) \
	AMOUNT(id, amount)                                                     \
	TOTAL(id, total)
#define STEP(id, name, source, unit, category, kinds, amount, value, total, meaning) \
	VALUE(id, value)                                                             \
	AMOUNT(id, amount)                                                           \
	TOTAL(id, total)
#include "signal/signals.def"
#undef CYCLE
#undef COUNT
#undef EVENT
#undef STEP

/* The text of the argument, before macro replacement, shows whether it is NO_TOTAL. */
#define HAS_TOTAL(text)		 (sizeof(text) != sizeof("NO_TOTAL") || (text)[0] != 'N')
#define TOTAL_OR_NULL(id, total) (HAS_TOTAL(#total) ? total_##id : NULL)
#undef NO_TOTAL

const struct signal_row signal_rows[] = {
#define CYCLE(id, name, source, unit, category, owner, value, meaning)                           \
	{name, SIGNAL_##source, unit, SIGNAL_##category, SIGNAL_OF_##owner, 0, value_##id, NULL, \
	 NULL, meaning},
#define COUNT(id, name, source, unit, category, owner, value, total, meaning) \
	{name, SIGNAL_##source, unit, SIGNAL_##category, SIGNAL_OF_##owner,   \
	 0,    value_##id,	NULL, total_##id,	 meaning},
#define EVENT(id, name, source, unit, category, kinds, amount, total, meaning) \
	{name,                                                                 \
	 SIGNAL_##source,                                                      \
	 unit,                                                                 \
	 SIGNAL_##category,                                                    \
	 SIGNAL_OF_EVENT,                                                      \
	 kinds,                                                                \
	 NULL,                                                                 \
	 amount_##id,                                                          \
	 TOTAL_OR_NULL(id, total),                                             \
	 meaning},
#define STEP(id, name, source, unit, category, kinds, amount, value, total, meaning)     \
	{name,	SIGNAL_##source, unit,	      SIGNAL_##category,	SIGNAL_OF_EVENT, \
	 kinds, value_##id,	 amount_##id, TOTAL_OR_NULL(id, total), meaning},
#include "signal/signals.def"
#undef CYCLE
#undef COUNT
#undef EVENT
#undef STEP
};

size_t signal_count(void)
{
	return sizeof(signal_rows) / sizeof(signal_rows[0]);
}

const struct signal_row *signal_find(const char *name)
{
	for (size_t i = 0; i < signal_count(); i++)
		if (strcmp(signal_rows[i].name, name) == 0)
			return &signal_rows[i];
	return NULL;
}

const char *signal_source_name(enum signal_source source)
{
	return source == SIGNAL_HW ? "hw" : "oracle";
}

const char *signal_category_name(enum signal_category category)
{
	static const char *const names[] = {
		[SIGNAL_CORE] = "core",	    [SIGNAL_INSTRUCTION] = "instruction",
		[SIGNAL_BRANCH] = "branch", [SIGNAL_CACHE] = "cache",
		[SIGNAL_TLB] = "tlb",	    [SIGNAL_PREFETCH] = "prefetch",
		[SIGNAL_MEMORY] = "memory", [SIGNAL_SLOTS] = "slots",
	};

	return names[category];
}

const char *signal_owner_name(enum signal_owner owner)
{
	static const char *const names[] = {
		[SIGNAL_OF_FETCH] = "fetch",
		[SIGNAL_OF_OLDEST] = "oldest",
		[SIGNAL_OF_EVENT] = "own",
	};

	return names[owner];
}

static uint64_t sum_events(const struct signal_row *row, const struct cycle *cycle, uint64_t low,
			   uint64_t high)
{
	uint64_t sum = 0;

	if (!(cycle->event_kinds & row->events))
		return 0;
	for (uint32_t i = 0; i < cycle->event_count; i++) {
		const struct cycle_event *e = &cycle->events[i];

		if (row->events & EVENT_BIT(e->kind) && e->pc >= low && e->pc < high)
			sum += row->amount(e);
	}
	return sum;
}

uint64_t signal_sum(const struct signal_row *row, const struct cycle *cycle)
{
	if (row->value)
		return row->value(cycle) * cycle->repeat;
	return sum_events(row, cycle, 0, UINT64_MAX);
}

uint64_t signal_sum_in(const struct signal_row *row, const struct cycle *cycle, uint64_t low,
		       uint64_t high)
{
	uint64_t pc = cycle->fetch_pc;

	if (row->owner == SIGNAL_OF_EVENT)
		return sum_events(row, cycle, low, high);
	if (row->owner == SIGNAL_OF_OLDEST && cycle->head_pc)
		pc = cycle->head_pc;
	return pc >= low && pc < high ? row->value(cycle) * cycle->repeat : 0;
}
