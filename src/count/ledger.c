#include "count/ledger.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

/* A program that executes more pages or instructions than this is there to fill memory: about 0.5
 * and 0.8 GB. Further instructions share one row. */
#define PAGES_MAX (1u << 16)
#define ROWS_MAX  (1u << 22)

static uint32_t push_row(struct ledger *ledger, uint64_t pc)
{
	size_t count = ledger->row_count;

	*ARRAY_PUSH(ledger->used, count, ledger->used_capacity) = (struct ledger_used){0};
	*ARRAY_PUSH(ledger->rows, ledger->row_count, ledger->row_capacity) =
		(struct ledger_row){.pc = pc};
	return (uint32_t)(ledger->row_count - 1);
}

void ledger_init(struct ledger *ledger)
{
	*ledger = (struct ledger){0};
	push_row(ledger, 0);
}

void ledger_release(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->page_count; i++)
		free(ledger->pages[i]);
	free(ledger->pages);
	free(ledger->rows);
	free(ledger->used);
	free(ledger->threads);
	free(ledger->intervals);
}

/* The index of the page, or the index at which it would be inserted. */
static size_t page_place(const struct ledger *ledger, uint64_t number)
{
	size_t low = 0, high = ledger->page_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ledger->pages[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* NULL if there are too many. */
static struct ledger_page *find_page(struct ledger *ledger, uint64_t number)
{
	size_t place = page_place(ledger, number);

	if (place == ledger->page_count || ledger->pages[place]->number != number) {
		if (ledger->page_count >= PAGES_MAX)
			return NULL;
		struct ledger_page *page = mem_alloc(sizeof(*page));

		page->number = number;
		ARRAY_PUSH(ledger->pages, ledger->page_count, ledger->page_capacity);
		for (size_t i = ledger->page_count - 1; i > place; i--)
			ledger->pages[i] = ledger->pages[i - 1];
		ledger->pages[place] = page;
	}
	ledger->cached[number % LEDGER_CACHED_PAGES] = ledger->pages[place];
	return ledger->pages[place];
}

static uint32_t shared_row(struct ledger *ledger)
{
	if (!ledger->shared_row)
		ledger->shared_row = push_row(ledger, 0);
	return ledger->shared_row;
}

size_t ledger_find_row(struct ledger *ledger, uint64_t pc)
{
	struct ledger_page *page = find_page(ledger, pc >> LEDGER_PAGE_BITS);

	if (UNLIKELY(!page))
		return shared_row(ledger);
	uint32_t *row = &page->rows[pc / 2 % LEDGER_PAGE_INSTRUCTIONS];
	if (!*row)
		*row = ledger->row_count < ROWS_MAX ? push_row(ledger, pc) : shared_row(ledger);
	return *row;
}

void ledger_fold(struct ledger *ledger)
{
	for (size_t i = 0; i < ledger->row_count; i++) {
		ledger->rows[i].executed += ledger->used[i].executed;
		ledger->rows[i].slots[CAUSE_BASE] +=
			ledger->used[i].executed - ledger->used[i].unfilled;
		ledger->used[i] = (struct ledger_used){0};
	}
}

static void close_thread(struct ledger *ledger)
{
	for (unsigned i = 0; ledger->thread_count && i < CAUSE_COUNT; i++) {
		ledger->threads[ledger->thread].slots[i] +=
			ledger->slots[i] - ledger->thread_before[i];
		ledger->thread_before[i] = ledger->slots[i];
	}
}

void ledger_set_thread(struct ledger *ledger, uint32_t id)
{
	close_thread(ledger);
	for (ledger->thread = 0; ledger->thread < ledger->thread_count; ledger->thread++)
		if (ledger->threads[ledger->thread].id == id)
			return;
	*ARRAY_PUSH(ledger->threads, ledger->thread_count, ledger->thread_capacity) =
		(struct ledger_thread){.id = id};
}

void ledger_end_interval(struct ledger *ledger)
{
	struct ledger_interval *last = &ledger->before;
	struct ledger_interval *interval =
		ARRAY_PUSH(ledger->intervals, ledger->interval_count, ledger->interval_capacity);

	interval->instructions = ledger->committed - last->instructions;
	interval->cycles = ledger->cycles - last->cycles;
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		interval->slots[i] = ledger->slots[i] - last->slots[i];
		last->slots[i] = ledger->slots[i];
	}
	last->instructions = ledger->committed;
	last->cycles = ledger->cycles;
}

const struct ledger_row *ledger_rows(const struct ledger *ledger, size_t *count)
{
	*count = ledger->row_count - 1;
	return ledger->rows + 1;
}

const struct ledger_thread *ledger_threads(struct ledger *ledger, size_t *count)
{
	close_thread(ledger);
	*count = ledger->thread_count;
	return ledger->threads;
}

const struct ledger_interval *ledger_intervals(struct ledger *ledger, size_t *count)
{
	if (ledger->interval && ledger->cycles > ledger->before.cycles)
		ledger_end_interval(ledger);
	*count = ledger->interval_count;
	return ledger->intervals;
}

void ledger_stack(const uint64_t slots[CAUSE_COUNT], const struct config *config, uint32_t width,
		  struct stack *stack)
{
	uint64_t shares[COMPONENT_COUNT] = {0};

	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		shares[cause_component(config->cache_levels, i)] += slots[i];
	apportion(shares, COMPONENT_COUNT, width, stack->cycles);
}
