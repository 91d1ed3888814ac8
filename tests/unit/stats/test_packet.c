/* Packets: what is written is read back; everything else is dropped with its fault, counted, and
 * changes nothing. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "stats/control.h"

#define MALFORMED 1000000

static uint8_t key_bytes[32] = "a key of thirty-two bytes in all";
static const struct packet_key key = {key_bytes, sizeof(key_bytes)}, none;
static uint8_t other_bytes[32] = "another key of so many bytes yes";
static const struct packet_key other = {other_bytes, sizeof(other_bytes)};

#define TICKET 70

static void make_configure(struct packet_writer *w, uint64_t run, uint64_t sequence,
			   const struct packet_key *with)
{
	struct stats_wish wish = {.at = 5, .period_cycles = 100};

	stats_wish_add(&wish, "committed@main");
	stats_wish_add(&wish, "cycles");
	packet_begin(w, &(struct packet){.kind = PACKET_CONFIGURE,
					 .run = run,
					 .sequence = sequence,
					 .ticket = TICKET});
	packet_put_configure(w, &wish);
	assert_true(packet_end(w, with));
	stats_wish_release(&wish);
}

TEST(counts_are_read_back)
{
	struct packet_writer *w = mem_alloc(sizeof(*w));
	struct packet_counts counts = {.number = 3,
				       .start = 300,
				       .cycles = 99,
				       .first = 64,
				       .all = 66,
				       .count = 2,
				       .counts = {{7, 1000, false}, {1, INT64_MAX, true}}};
	struct packet_counts back;
	struct packet packet;

	for (int is_signed = 0; is_signed < 2; is_signed++) {
		const struct packet_key *with = is_signed ? &key : &none;

		packet_begin(w, &(struct packet){.kind = PACKET_COUNTS,
						 .flags = PACKET_FINAL,
						 .epoch = 2,
						 .run = 77,
						 .sequence = 5,
						 .cycle = 400});
		packet_put_counts(w, &counts);
		assert_true(packet_end(w, with));
		assert_int_equal(packet_read(&packet, w->bytes, w->size, with), PACKET_GOOD);
		assert_int_equal(packet.kind, PACKET_COUNTS);
		assert_int_equal(packet.epoch, 2);
		assert_int_equal(packet.run, 77);
		assert_int_equal(packet.cycle, 400);
		assert_true(packet.flags & PACKET_FINAL);
		assert_true(packet_read_counts(&packet, &back));
		assert_int_equal(back.first, 64);
		assert_int_equal(back.counts[1].total, INT64_MAX);
		assert_true(back.counts[1].is_saturated && !back.counts[0].is_saturated);
	}
	free(w);
}

TEST(names_take_as_many_packets_as_they_need)
{
	enum { NAMES = 100 };
	struct packet_writer *w = mem_alloc(sizeof(*w));
	char text[NAMES * 40], *end = text;
	const char *at = text;
	uint32_t first = 0;

	for (int i = 0; i < NAMES; i++)
		end += sprintf(end, "signal.number.%d@function", i) + 1;
	while (first < NAMES) {
		struct packet_names names;
		struct packet packet;

		packet_begin(w, &(struct packet){.kind = PACKET_NAMES, .run = 1});
		uint16_t put = packet_put_names(w, first, NAMES, 10, 32, &at);
		assert_true(put > 0 && packet_end(w, &none) && w->size < 1400);
		assert_int_equal(packet_read(&packet, w->bytes, w->size, &none), PACKET_GOOD);
		assert_true(packet_read_names(&packet, &names));
		assert_int_equal(names.count, put);
		for (uint16_t i = 0; i < put; i++) {
			char wanted[40];

			sprintf(wanted, "signal.number.%d@function", (int)first + i);
			assert_string_equal(names.names.pairs[i], wanted);
		}
		stats_wish_release(&names.names);
		first += put;
	}
	free(w);
}

TEST(each_fault_is_named)
{
	struct packet_writer *w = mem_alloc(sizeof(*w)), *answer = mem_alloc(sizeof(*w));
	struct stats_wish first = {0};
	struct stats_control c = {.key = &key, .run = 9, .ticket = TICKET, .first = &first};

	make_configure(w, 9, 1, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_UNSIGNED);
	make_configure(w, 9, 1, &other);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_WRONG_SIGNATURE);
	make_configure(w, 8, 1, &key); /* of another run */
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	make_configure(w, 0, 1, &key); /* of any run: not with a key */
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	make_configure(w, 9, 1, &key);
	for (size_t size = 0; size < w->size; size++)
		assert_int_not_equal(stats_control_take(&c, w->bytes, size, answer), PACKET_GOOD);
	for (size_t bit = 0; bit < 8 * w->size; bit++) {
		w->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_not_equal(stats_control_take(&c, w->bytes, w->size, answer),
				     PACKET_GOOD);
		assert_int_equal(answer->size, 0);
		w->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_false(c.has_first);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_GOOD);
	assert_true(c.has_first && answer->size);
	assert_int_equal(first.pair_count, 2);
	assert_string_equal(first.pairs[0], "committed@main");
	assert_int_equal(first.period_cycles, 100);
	/* Once more: refused, and without effect. */
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_int_equal(c.accepted, 1);
	stats_wish_release(&first);
	free(w);
	free(answer);
}

TEST(malformed_packets_change_nothing_and_are_counted)
{
	struct packet_writer *w = mem_alloc(sizeof(*w)), *answer = mem_alloc(sizeof(*w));
	struct stats_wish first = {0};
	struct stats_control c = {.key = &none, .run = 9, .ticket = TICKET, .first = &first};
	struct rng rng = {14};
	uint64_t counted = 0;

	for (int i = 0; i < MALFORMED; i++) {
		make_configure(w, 9, 1, &none);
		size_t size = w->size;

		if (i % 4 == 0) {
			size = rng_below(&rng, 200);
			for (size_t k = 0; k < size; k++)
				w->bytes[k] = (uint8_t)rng_next(&rng);
		} else if (i % 4 == 1) {
			size = rng_below(&rng, size);
		} else if (i % 4 == 2) {
			w->bytes[rng_below(&rng, size)] ^= (uint8_t)(1 + rng_below(&rng, 255));
		} else {
			/* A body that is cut, under a right checksum. */
			w->size = PACKET_HEADER_BYTES +
				  rng_below(&rng, size - PACKET_HEADER_BYTES - 13);
			assert_true(packet_end(w, &none));
			size = w->size;
		}
		assert_int_not_equal(stats_control_take(&c, w->bytes, size, answer), PACKET_GOOD);
		assert_int_equal(answer->size, 0);
	}
	for (int i = 0; i < PACKET_FAULTS; i++)
		counted += c.faults[i];
	assert_int_equal(counted, MALFORMED);
	assert_true(!c.has_first && !c.accepted && !c.last_sequence && !first.pair_count);
	free(w);
	free(answer);
}
