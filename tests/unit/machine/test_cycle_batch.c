/* A batch keeps what a core writes there, record by record, whatever their lists hold. */
#include "../test.h"
#include "base/array.h"
#include "machine/cycle_batch.h"

/* What record i holds. */
static unsigned events_of(unsigned i)
{
	return i % 700 == 699 ? 9000 : i % 900 == 5 ? 3000 : i % 20;
}

static unsigned useful_of(unsigned i)
{
	return i * 7 % (CYCLE_WIDTH_MAX + 1);
}

static unsigned committed_of(unsigned i)
{
	return i * 5 % (CYCLE_WIDTH_MAX + 1);
}

/* As a core does: events one by one, and more room when there is none. */
static void write_record(struct cycle_lists *lists, unsigned i)
{
	struct cycle *c = lists->record;

	c->number = i;
	c->repeat = 1 + i % 3;
	c->event_count = 0;
	while (c->event_count < events_of(i)) {
		if (c->event_count == lists->event_capacity)
			lists->grow(lists);
		lists->events[c->event_count] =
			(struct cycle_event){.pc = (uint64_t)i * c->event_count};
		c->event_count++;
	}
	c->useful_dispatched = (uint16_t)useful_of(i);
	for (unsigned k = 0; k < useful_of(i); k++)
		lists->useful_pcs[k] = i + k * k;
	c->committed = (uint16_t)committed_of(i);
	c->wait_count = committed_of(i) / 2;
	for (unsigned k = 0; k < c->committed; k++)
		lists->retired[k] = (struct cycle_retired){.pc = i ^ k};
	for (unsigned k = 0; k < c->wait_count; k++)
		lists->waits[k] = (struct cycle_waits){.unit = i + k};
	c->events = lists->events;
	c->useful_pcs = lists->useful_pcs;
	c->retired = i % 2 ? lists->retired : NULL;
	c->waits = i % 2 ? lists->waits : NULL;
}

static void assert_record(const struct cycle *c, unsigned i)
{
	assert_int_equal(c->number, i);
	assert_int_equal(c->repeat, 1 + i % 3);
	assert_int_equal(c->event_count, events_of(i));
	for (unsigned k = 0; k < c->event_count; k++)
		assert_int_equal(c->events[k].pc, (uint64_t)i * k);
	for (unsigned k = 0; k < useful_of(i); k++)
		assert_int_equal(c->useful_pcs[k], i + k * k);
	for (unsigned k = 0; c->retired && k < committed_of(i); k++)
		assert_int_equal(c->retired[k].pc, i ^ k);
	for (unsigned k = 0; c->retired && k < c->wait_count; k++)
		assert_int_equal(c->waits[k].unit, i + k);
}

TEST(a_batch_keeps_records_of_every_size)
{
	struct cycle_batch *batch = cycle_batch_create();
	unsigned seen = 0, full = 0;

	for (unsigned i = 0; i < 5000; i++) {
		write_record(&batch->lists, i);
		const bool is_full = cycle_batch_take(batch, batch->lists.record);
		assert_int_equal(is_full, batch->count == CYCLE_BATCH_RECORDS);
		/* A batch may be emptied before it is full. */
		if (!is_full && i % 1234 != 1233)
			continue;
		for (size_t k = 0; k < batch->count; k++) {
			assert_record(&batch->records[k], seen++);
			if (!k)
				continue;
			const struct cycle *c = &batch->records[k], *before = c - 1;
			assert_ptr_equal(c->events, before->events + before->event_count);
			assert_ptr_equal(c->useful_pcs,
					 before->useful_pcs + before->useful_dispatched);
		}
		full += is_full;
		cycle_batch_clear(batch);
	}
	assert_int_equal(seen + batch->count, 5000);
	assert_true(full > 10);
	cycle_batch_destroy(batch);
	cycle_batch_destroy(NULL);
}
