/* Records taken several at once are counted as one by one: by `slots`, down to the order of its
 * rows, and by the usual observers in one pass. */
#include "../test.h"
#include "base/rng.h"
#include "count/slots.h"
#include "count/stages.h"
#include "count/topdown.h"
#include "count/usual.h"
#include "stream.h"

#define SEEDS	60
#define RECORDS 4000
#define MOST	300 /* records in a batch */

/* Passes the tape on in batches of random lengths, the first ones of a single record. */
static void play_batches(const struct tape *tape, uint64_t seed,
			 void (*see)(void *context, const struct cycle *cycles, size_t count),
			 void *context)
{
	struct cycle batch[MOST];
	struct rng rng = {seed};

	for (size_t first = 0, count; first < tape->count; first += count) {
		const size_t left = tape->count - first;

		count = 1 + rng_below(&rng, first < 20 ? 1 : MOST);
		count = count < left ? count : left;
		for (size_t i = 0; i < count; i++) {
			batch[i] = tape->records[first + i];
			batch[i].events = tape->events + tape->first_event[first + i];
			batch[i].useful_pcs = tape->pcs + tape->first_pc[first + i];
		}
		see(context, batch, count);
	}
}

static void assert_same_ledger(struct ledger *a, struct ledger *b)
{
	size_t count, other;
	const struct ledger_row *rows = ledger_rows(a, &count), *others = ledger_rows(b, &other);

	assert_int_equal(count, other);
	assert_memory_equal(rows, others, count * sizeof(*rows));
	const struct ledger_thread *threads = ledger_threads(a, &count);
	const struct ledger_thread *other_threads = ledger_threads(b, &other);
	assert_int_equal(count, other);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(threads[i].id, other_threads[i].id);
		assert_memory_equal(threads[i].slots, other_threads[i].slots,
				    sizeof(threads[i].slots));
	}
	const struct ledger_interval *intervals = ledger_intervals(a, &count);
	const struct ledger_interval *other_intervals = ledger_intervals(b, &other);
	assert_int_equal(count, other);
	assert_memory_equal(intervals, other_intervals, count * sizeof(*intervals));
	assert_memory_equal(a->slots, b->slots, sizeof(a->slots));
	assert_true(a->row_count > 1 && a->thread_count > 0);
}

/* Instructions of few addresses, so that most batches have only known ones, in records of one cycle
 * if they are dispatched: a core repeats no others. */
static void make_likely(struct tape *tape, struct rng *rng)
{
	for (size_t i = 0; i < tape->pc_count; i++)
		tape->pcs[i] = 0x10000 + 2 * rng_below(rng, i < 2000 ? 500 : 600);
	tape->cycles = 0;
	for (size_t i = 0; i < tape->count; i++) {
		struct cycle *c = &tape->records[i];

		c->repeat = c->useful_dispatched ? 1 : c->repeat;
		c->number = tape->cycles;
		tape->cycles += c->repeat;
	}
}

TEST(slots_are_the_same_in_batches)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct rng rng = {seed};
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make_with(seed, &config, RECORDS, seed & 1);
		if (seed & 2)
			make_likely(&tape, &rng);
		struct slots *one = count_slots.create(&config, STREAM_SLOTS);
		struct slots *batches = count_slots.create(&config, STREAM_SLOTS);
		slots_set_interval(one, seed % 3 * 777);
		slots_set_interval(batches, seed % 3 * 777);
		for (unsigned round = 0; round < 2; round++) {
			tape_play(&tape, false, count_slots.cycle, one);
			play_batches(&tape, seed, count_slots.cycles, batches);
			assert_same_ledger(slots_ledger(one), slots_ledger(batches));
		}
		count_slots.destroy(one);
		count_slots.destroy(batches);
		tape_release(&tape);
	}
}

static void see_together(void *context, const struct cycle *cycles, size_t count)
{
	count_usual.cycles(context, cycles, count);
}

TEST(the_usual_observers_together_are_each_as_alone)
{
	void *alone[16], *together[16];
	struct stack all = {0};

	assert_in_range(count_usual.count, 9, ARRAY_COUNT(alone));
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct config config;

		stream_config(&config, seed);
		struct tape tape = stream_make_with(seed, &config, RECORDS, seed & 1);
		for (size_t i = 0; i < count_usual.count; i++) {
			const struct observer_kind *kind = count_usual.kinds[i];

			assert_ptr_equal(kind->group, &count_usual);
			alone[i] = tape_count(&tape, false, kind, &config, STREAM_SLOTS);
			together[i] = kind->create(&config, STREAM_SLOTS);
		}
		play_batches(&tape, seed, see_together, together);
		for (size_t i = 0; i < count_usual.count; i++) {
			const struct observer_kind *kind = count_usual.kinds[i];
			struct stack a, b;

			if (kind->read) {
				kind->read(alone[i], tape.cycles, &a);
				kind->read(together[i], tape.cycles, &b);
				assert_memory_equal(&a, &b, sizeof(a));
				for (unsigned k = 0; k < COMPONENT_COUNT; k++)
					all.cycles[k] += a.cycles[k];
			} else if (kind == &count_topdown) {
				assert_memory_equal(alone[i], together[i], sizeof(struct topdown));
			} else {
				assert_ptr_equal(kind, &count_stages);
				assert_memory_equal(alone[i], together[i], sizeof(struct stages));
			}
			kind->destroy(alone[i]);
			kind->destroy(together[i]);
		}
		tape_release(&tape);
	}
	/* No hardware method tells a page walk's misses or a busy memory from others. */
	for (enum component k = COMPONENT_L1I; k < COMPONENT_COUNT; k++)
		assert_int_equal(all.cycles[k] > 0,
				 k != COMPONENT_WALK && k != COMPONENT_BANDWIDTH);
}
