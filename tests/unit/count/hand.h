/*
 * hand.h - functions that make the records for tests of single architectures, on a machine of two
 * cache levels, 4 wide, with a reorder buffer of 16.
 */
#ifndef TESTS_COUNT_HAND_H
#define TESTS_COUNT_HAND_H

#include "tape.h"

#define HAND_SLOTS 32

static inline struct config hand_config(void)
{
	struct config config;

	config_reset(&config);
	config.rob_size = 16;
	return config;
}

/* Adds cycles in which fetch waits, nothing else happens and the window is empty. */
static inline void hand_stall(struct tape *tape, enum fetch_stall stall, uint64_t cycles)
{
	tape_add(tape, (struct cycle){.repeat = cycles,
				      .fetch_stall = (uint16_t)stall,
				      .dispatch_stall = DISPATCH_EMPTY});
}

/* Adds cycles in which nothing happens and nothing is waited for. */
static inline void hand_idle(struct tape *tape, uint64_t cycles)
{
	hand_stall(tape, FETCH_NOWHERE, cycles);
}

/* Adds cycles in which the window is full and its oldest instruction is in the given state. */
static inline void hand_full(struct tape *tape, enum head_state head, uint64_t cycles)
{
	tape_add(tape, (struct cycle){.repeat = cycles,
				      .fetch_stall = FETCH_BUFFER,
				      .buffer_used = 4,
				      .dispatch_stall = DISPATCH_ROB,
				      .head_state = (uint16_t)head,
				      .rob_used = 16});
}

/* Adds a cycle in which an instruction is dispatched. */
static inline void hand_dispatch(struct tape *tape)
{
	tape_add(tape, (struct cycle){.dispatched = 1,
				      .dispatch_stall = DISPATCH_EMPTY,
				      .fetch_stall = FETCH_NOWHERE,
				      .head_state = HEAD_WAITS,
				      .rob_used = 1});
}

/* Adds a cycle in which an instruction is fetched and fed into the pipeline. */
static inline void hand_fetch(struct tape *tape)
{
	tape_add(tape, (struct cycle){.fetched = 1,
				      .fed = 1,
				      .buffer_used = 1,
				      .dispatch_stall = DISPATCH_EMPTY});
}

/* Adds a cycle that commits one instruction and does nothing else. */
static inline void hand_commit(struct tape *tape)
{
	tape_add(tape, (struct cycle){.committed = 1,
				      .fetch_stall = FETCH_NOWHERE,
				      .dispatch_stall = DISPATCH_EMPTY});
}

/* Adds an event to the last record. */
static inline void hand_event(struct tape *tape, enum cycle_event_kind kind, uint32_t slot,
			      unsigned detail)
{
	tape_event(tape, (struct cycle_event){
				 .kind = (uint8_t)kind, .slot = slot, .detail = (uint16_t)detail});
}

static inline void hand_branch_fetch(struct tape *tape, uint32_t slot)
{
	hand_fetch(tape);
	hand_event(tape, EVENT_BRANCH_FETCH, slot, 0);
}

static inline void hand_branch_dispatch(struct tape *tape, uint32_t slot)
{
	hand_dispatch(tape);
	hand_event(tape, EVENT_BRANCH_DISPATCH, slot, 0);
}

/* The method's stack of the whole tape must be `wanted`. Ends the tape. */
static inline void hand_expect(struct tape *tape, const struct observer_kind *kind,
			       const struct stack *wanted)
{
	struct config config = hand_config();
	struct stack got = tape_stack(tape, false, kind, &config, HAND_SLOTS);

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (i != COMPONENT_BASE && got.cycles[i] != wanted->cycles[i])
			fail_msg("%s: %s is %lld instead of %lld", kind->name,
				 component_rows[i].name, (long long)got.cycles[i],
				 (long long)wanted->cycles[i]);
	assert_int_equal(stack_sum(&got), tape->cycles);
}

#define HAND_EXPECT(tape, kind, ...) hand_expect(tape, kind, &(const struct stack){{__VA_ARGS__}})

#endif
