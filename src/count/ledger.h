/*
 * ledger.h - dispatch slots charged to causes: of the whole run, by instruction, thread and
 * interval.
 *
 * A core that dispatches W instructions per cycle has W slots per cycle. The observer that has a
 * ledger charges all of them, so they add up to W times the cycles, exactly, in any grouping.
 * Nothing is negative. Does not define what is charged: see slot_rule.h and count_exact.c.
 */
#ifndef COUNT_LEDGER_H
#define COUNT_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "config/config.h"
#include "value/component.h"

struct ledger_row {
	uint64_t pc;
	uint64_t executed; /* committed */
	uint64_t slots[CAUSE_COUNT];
};

struct ledger_thread {
	uint32_t id;
	uint64_t slots[CAUSE_COUNT];
};

struct ledger_interval {
	uint64_t instructions, cycles;
	uint64_t slots[CAUSE_COUNT];
};

#define LEDGER_PAGE_BITS	 12
#define LEDGER_PAGE_INSTRUCTIONS (1u << (LEDGER_PAGE_BITS - 1))
#define LEDGER_CACHED_PAGES	 64

/* What is added to a row for almost every instruction that is dispatched, apart from the rows,
 * which are far larger, until ledger_fold: how often it was, and how often its slot is not base. */
struct ledger_used {
	uint64_t executed, unfilled;
};

/* Indices of the rows of the instructions in one page of code, by address; 0: no row yet. */
struct ledger_page {
	uint64_t number;
	uint32_t rows[LEDGER_PAGE_INSTRUCTIONS];
};

/* Open for the inline path only. */
struct ledger {
	struct ledger_page **pages; /* in ascending order of number */
	size_t page_count, page_capacity;
	/* By the low bits of the page number; may be NULL. */
	struct ledger_page *cached[LEDGER_CACHED_PAGES];
	struct ledger_row *rows;  /* row 0 belongs to no instruction */
	struct ledger_used *used; /* by row */
	size_t row_count, row_capacity, used_capacity;
	uint32_t shared_row; /* the one of instructions beyond the limits; 0: none yet */

	uint64_t slots[CAUSE_COUNT];
	struct ledger_thread *threads;
	size_t thread_count, thread_capacity, thread;
	uint64_t thread_before[CAUSE_COUNT]; /* the sums when the thread began to run */

	uint64_t interval; /* length in instructions; 0: no intervals */
	struct ledger_interval *intervals;
	size_t interval_count, interval_capacity;
	struct ledger_interval before; /* the sums at the end of the last interval */
	uint64_t committed, cycles;
};

void ledger_init(struct ledger *ledger);
void ledger_release(struct ledger *ledger);

/* The index of its row, which is created if there is none. */
size_t ledger_find_row(struct ledger *ledger, uint64_t pc);

/* The instruction's page; NULL if it is not known at once. */
static inline const struct ledger_page *ledger_cached_page(const struct ledger *ledger, uint64_t pc)
{
	const uint64_t number = pc >> LEDGER_PAGE_BITS;
	const struct ledger_page *page = ledger->cached[number % LEDGER_CACHED_PAGES];

	return LIKELY(page && page->number == number) ? page : NULL;
}

static inline size_t ledger_index_of(struct ledger *ledger, uint64_t pc)
{
	const struct ledger_page *page = ledger_cached_page(ledger, pc);
	const uint32_t row = LIKELY(page) ? page->rows[pc / 2 % LEDGER_PAGE_INSTRUCTIONS] : 0;

	return LIKELY(row) ? row : ledger_find_row(ledger, pc);
}

static inline struct ledger_row *ledger_row_of(struct ledger *ledger, uint64_t pc)
{
	const size_t index = ledger_index_of(ledger, pc);

	return &ledger->rows[index];
}

/* An instruction was dispatched so often, and its slot is base in so many of these cases. The sum
 * of the run is the caller's to keep. */
static inline void ledger_use(struct ledger *ledger, uint64_t pc, uint64_t executed, uint64_t base)
{
	const size_t index = ledger_index_of(ledger, pc);
	struct ledger_used *used = &ledger->used[index];

	used->executed += executed;
	used->unfilled += executed - base;
}
/* Adds to the rows what `used` has counted. */
void ledger_fold(struct ledger *ledger);

static inline void ledger_charge(struct ledger *ledger, enum cause cause, uint64_t pc,
				 uint64_t slots)
{
	ledger_row_of(ledger, pc)->slots[cause] += slots;
	ledger->slots[cause] += slots;
}

/* Whether a record is of another thread than the last. All slots of earlier records must be charged
 * before ledger_set_thread. */
static inline bool ledger_is_other_thread(const struct ledger *ledger, uint32_t id)
{
	return !ledger->thread_count || ledger->threads[ledger->thread].id != id;
}
void ledger_set_thread(struct ledger *ledger, uint32_t id);

/* Adds cycles and committed instructions; true if an interval is over. All slots must be charged
 * before ledger_end_interval. */
static inline bool ledger_advance(struct ledger *ledger, uint64_t cycles, uint64_t committed)
{
	ledger->cycles += cycles;
	ledger->committed += committed;
	return ledger->interval &&
	       ledger->committed - ledger->before.instructions >= ledger->interval;
}
void ledger_end_interval(struct ledger *ledger);

/* Rows in no particular order, valid until the next charge. */
const struct ledger_row *ledger_rows(const struct ledger *ledger, size_t *count);
const struct ledger_thread *ledger_threads(struct ledger *ledger, size_t *count);
/* Ends the current interval. */
const struct ledger_interval *ledger_intervals(struct ledger *ledger, size_t *count);

/* A stack of such slots, in whole cycles. */
void ledger_stack(const uint64_t slots[CAUSE_COUNT], const struct config *config, uint32_t width,
		  struct stack *stack);

#endif
