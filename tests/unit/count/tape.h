/*
 * tape.h - records that a test writes and passes to counter architectures, without a core.
 *
 * Records are numbered as they are added. Played singly, a record that repeats becomes as many
 * records of one cycle; the results of an observer must not differ.
 */
#ifndef TESTS_COUNT_TAPE_H
#define TESTS_COUNT_TAPE_H

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/count.h"
#include "signal/cycle.h"

struct tape {
	struct cycle *records; /* their pointers are not set */
	size_t count, capacity;
	size_t *first_event, *first_pc; /* index of each record's first event and first pc */
	size_t first_event_count, first_event_capacity, first_pc_count, first_pc_capacity;
	struct cycle_event *events;
	size_t event_count, event_capacity;
	uint64_t *pcs;
	size_t pc_count, pc_capacity;
	/* A record without these has plain instructions, which wait for nothing. */
	struct cycle_retired *retired;
	size_t retired_count, retired_capacity;
	struct cycle_waits *waits;
	size_t wait_count, wait_capacity;
	size_t *first_retired, *first_wait;
	size_t first_retired_count, first_retired_capacity, first_wait_count, first_wait_capacity;
	uint64_t cycles;
};

static inline void tape_release(struct tape *tape)
{
	free(tape->records);
	free(tape->first_event);
	free(tape->first_pc);
	free(tape->events);
	free(tape->pcs);
	free(tape->retired);
	free(tape->waits);
	free(tape->first_retired);
	free(tape->first_wait);
	*tape = (struct tape){0};
}

/* Adds a record; its events follow. Without `repeat` it is one cycle. */
static inline void tape_add(struct tape *tape, struct cycle record)
{
	record.number = tape->cycles;
	record.repeat += !record.repeat;
	record.event_count = 0;
	record.event_kinds = 0;
	tape->cycles += record.repeat;
	*ARRAY_PUSH(tape->records, tape->count, tape->capacity) = record;
	*ARRAY_PUSH(tape->first_event, tape->first_event_count, tape->first_event_capacity) =
		tape->event_count;
	*ARRAY_PUSH(tape->first_pc, tape->first_pc_count, tape->first_pc_capacity) = tape->pc_count;
	*ARRAY_PUSH(tape->first_retired, tape->first_retired_count, tape->first_retired_capacity) =
		tape->retired_count;
	*ARRAY_PUSH(tape->first_wait, tape->first_wait_count, tape->first_wait_capacity) =
		tape->wait_count;
}

/* Adds an event to the last record. */
static inline void tape_event(struct tape *tape, struct cycle_event event)
{
	struct cycle *record = &tape->records[tape->count - 1];

	*ARRAY_PUSH(tape->events, tape->event_count, tape->event_capacity) = event;
	record->event_count++;
	record->event_kinds |= (uint16_t)(1u << event.kind);
}

/* Adds the address of one of the last record's useful_dispatched instructions. */
static inline void tape_pc(struct tape *tape, uint64_t pc)
{
	*ARRAY_PUSH(tape->pcs, tape->pc_count, tape->pc_capacity) = pc;
}

/* Adds one of the last record's committed instructions; `waits` may be NULL. */
static inline void tape_retire(struct tape *tape, struct cycle_retired insn,
			       const struct cycle_waits *waits)
{
	insn.has_waits = waits != NULL;
	*ARRAY_PUSH(tape->retired, tape->retired_count, tape->retired_capacity) = insn;
	if (waits)
		*ARRAY_PUSH(tape->waits, tape->wait_count, tape->wait_capacity) = *waits;
}

static inline void tape_play(const struct tape *tape, bool singly,
			     void (*see)(void *context, const struct cycle *cycle), void *context)
{
	static const struct cycle_retired plain[64];

	for (size_t i = 0; i < tape->count; i++) {
		struct cycle c = tape->records[i];
		uint64_t times = singly ? c.repeat : 1;

		c.events = tape->events + tape->first_event[i];
		c.useful_pcs = tape->pcs + tape->first_pc[i];
		c.retired = tape->retired_count > tape->first_retired[i]
				    ? tape->retired + tape->first_retired[i]
				    : plain;
		c.waits = tape->waits + tape->first_wait[i];
		c.repeat = singly ? 1 : c.repeat;
		for (uint64_t n = 0; n < times; n++, c.number++)
			see(context, &c);
	}
}

/* A counter that has observed the whole tape; the caller destroys it. */
static inline void *tape_count(const struct tape *tape, bool singly,
			       const struct observer_kind *kind, const struct config *config,
			       uint32_t slots)
{
	void *counter = kind->create(config, slots);

	tape_play(tape, singly, kind->cycle, counter);
	return counter;
}

static inline struct stack tape_stack(const struct tape *tape, bool singly,
				      const struct observer_kind *kind, const struct config *config,
				      uint32_t slots)
{
	void *counter = tape_count(tape, singly, kind, config, slots);
	struct stack stack;

	kind->read(counter, tape->cycles, &stack);
	kind->destroy(counter);
	return stack;
}

#endif
