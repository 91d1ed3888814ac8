/* Packets byte by byte, what control answers, and what the sender repeats. */
#include "../test.h"

#include <sys/socket.h>
#include <unistd.h>

#include "../replace.h"
#include "base/array.h"
#include "base/crc32.h"
#include "stats/control.h"
#include "stats/link.h"
#include "stats/sender.h"

static uint8_t key_bytes[] = "a key of sixteen";
static const struct packet_key key = {key_bytes, 16}, none = {NULL, 0};

/* The check value of the bytes so far goes to their end. */
static void check(struct packet_writer *w)
{
	uint32_t crc = crc32_add(0, w->bytes, w->size);

	for (unsigned i = 0; i < 4; i++)
		w->bytes[w->size++] = (uint8_t)(crc >> 8 * i);
}

static const struct packet header = {.kind = PACKET_COUNTS,
				     .flags = PACKET_FINAL | PACKET_PARTIAL,
				     .epoch = 0x01020304,
				     .run = 0x1112131415161718,
				     .sequence = 0x2122232425262728,
				     .cycle = 0x3132333435363738};
#define HEADER(length)                                                     \
	"CSTP\x01\x02\x14\x00" length "\x00\x00\x00\x04\x03\x02\x01"       \
	"\x18\x17\x16\x15\x14\x13\x12\x11\x28\x27\x26\x25\x24\x23\x22\x21" \
	"\x38\x37\x36\x35\x34\x33\x32\x31"

static void assert_bytes(const struct packet_writer *w, const char *bytes, size_t count)
{
	struct packet_writer *want = calloc(1, sizeof(*want));

	memcpy(want->bytes, bytes, count);
	want->size = count;
	check(want);
	assert_int_equal(w->size, want->size);
	assert_memory_equal(w->bytes, want->bytes, want->size);
	free(want);
}

#define ASSERT_BYTES(w, bytes) assert_bytes(w, bytes, sizeof(bytes) - 1)

TEST(bytes_are_these)
{
	struct packet_writer *w = calloc(1, sizeof(*w));
	const struct packet_counts counts = {.number = 1,
					     .start = 2,
					     .cycles = 3,
					     .first = 4,
					     .all = 5,
					     .count = 2,
					     .counts = {{6, 7, false}, {8, 9, true}}};
	const char *names = "ab\0c\0";
	struct stats_wish wish = {.at = 5, .period_cycles = 6};

	packet_begin(w, &header);
	assert_true(packet_end(w, &none));
	ASSERT_BYTES(w, HEADER("\x2c"));
	packet_begin(w, &header);
	packet_put_counts(w, &counts);
	assert_true(packet_end(w, &none));
	ASSERT_BYTES(w, HEADER("\x6e") "\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"
				       "\x04\0\0\0\x05\0\0\0\x02\0"
				       "\x06\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0"
				       "\x08\0\0\0\0\0\0\0\x09\0\0\0\0\0\0\x80");
	packet_begin(w, &header);
	assert_int_equal(packet_put_names(w, 3, 5, 10, 32, &names), 2);
	assert_true(packet_end(w, &none));
	ASSERT_BYTES(w, HEADER("\x45") "\x03\0\0\0\x05\0\0\0\x0a\0\0\0\x20\0\0\0\x02\0"
				       "\x02\0ab\x01\0c");
	stats_wish_add(&wish, "xyz");
	packet_begin(w, &header);
	packet_put_configure(w, &wish);
	assert_true(packet_end(w, &none));
	ASSERT_BYTES(w, HEADER("\x3f") "\x05\0\0\0\0\0\0\0\x06\0\0\0\x01\0\x03\0xyz");
	stats_wish_release(&wish);
	packet_begin(w, &header);
	packet_put_acknowledge(w, 0x99);
	assert_true(packet_end(w, &none));
	ASSERT_BYTES(w, HEADER("\x34") "\x99\0\0\0\0\0\0\0");
	for (unsigned accepted = 0; accepted < 2; accepted++) {
		packet_begin(w, &header);
		packet_put_answer(w, 0x99, accepted, "no");
		assert_true(packet_end(w, &none));
		if (accepted)
			ASSERT_BYTES(w, HEADER("\x3a") "\x99\0\0\0\0\0\0\0\0\0\x02\0no");
		else
			ASSERT_BYTES(w, HEADER("\x3a") "\x99\0\0\0\0\0\0\0\x01\0\x02\0no");
	}
	packet_begin(w, &header);
	packet_put_about(w, "ab", "c\x1b");
	assert_true(packet_end(w, &none));
	ASSERT_BYTES(w, HEADER("\x34") "\x02\0ab\x02\0c?");
	/* A ticket is behind the body, and a flag. */
	struct packet ticketed = header;
	ticketed.ticket = 0x0102030405060708;
	packet_begin(w, &ticketed);
	packet_put_acknowledge(w, 0x99);
	assert_true(packet_end(w, &none));
	assert_int_equal(w->bytes[6], 0x34);
	assert_int_equal(w->size, 40 + 8 + 8 + 4);
	assert_memory_equal(w->bytes + 48, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
	struct packet back;
	assert_int_equal(packet_read(&back, w->bytes, w->size, &none), PACKET_GOOD);
	assert_int_equal(back.ticket, ticketed.ticket);
	assert_int_equal(back.body_bytes, 8);
	/* With a signature of 32 bytes, which is part of the length and a flag. */
	packet_begin(w, &header);
	assert_true(packet_end(w, &key));
	assert_int_equal(w->size, 40 + 32 + 4);
	assert_int_equal(w->bytes[6], 0x15);
	assert_int_equal(w->bytes[8], 76);
	free(w);
}

TEST(packets_have_a_length)
{
	struct packet_writer *w = calloc(1, sizeof(*w));
	struct packet packet;

	for (unsigned is_signed = 0; is_signed < 2; is_signed++)
		for (int beyond = 0; beyond < 2; beyond++) {
			const struct packet_key *with = is_signed ? &key : &none;

			packet_begin(w, &header);
			w->size = 65000 - 4 - 32 * is_signed + (size_t)beyond;
			assert_int_equal(packet_end(w, with), !beyond);
			if (beyond)
				continue;
			assert_int_equal(w->size, 65000);
			assert_int_equal(packet_read(&packet, w->bytes, w->size, with),
					 PACKET_GOOD);
			assert_int_equal(packet.body_bytes, 65000 - 44 - 32 * is_signed);
		}
	/* A text that does not fit, and one that fits to a byte. */
	for (size_t length = 64900; length < 65010; length++) {
		char *text = malloc(length + 1);
		struct stats_wish wish = {0};

		memset(text, 'x', length);
		text[length] = 0;
		stats_wish_add(&wish, text);
		packet_begin(w, &header);
		packet_put_configure(w, &wish);
		assert_int_equal(packet_end(w, &none), 40 + 14 + 2 + length + 4 <= 65000);
		stats_wish_release(&wish);
		free(text);
	}
	free(w);
}

/* Bytes with a right check value, of which one thing is wrong. */
TEST(each_fault_has_its_name)
{
	static const char *const fault_names_wanted[] = {"good",
							 "too short",
							 "not of this format",
							 "of another version",
							 "of another length than it says",
							 "with a wrong checksum",
							 "of an unknown kind",
							 "not signed",
							 "with a wrong signature",
							 "with a malformed body",
							 "old, or of another run",
							 "of a kind that is not expected here",
							 "of a run that another sender began",
							 "beyond the limit of the database's size"};
	static const struct {
		unsigned at;
		uint8_t value;
		enum packet_fault fault;
	} cases[] = {
		{0, 'C', PACKET_GOOD},
		{0, 'c', PACKET_NOT_OURS},
		{3, 'Q', PACKET_NOT_OURS},
		{4, 2, PACKET_WRONG_VERSION},
		{4, 0, PACKET_WRONG_VERSION},
		{5, 0, PACKET_UNKNOWN_KIND},
		{5, 1, PACKET_GOOD},
		{5, 8, PACKET_GOOD},
		{5, 9, PACKET_UNKNOWN_KIND},
		{6, 30, PACKET_GOOD},
		{6, 32, PACKET_WRONG_LENGTH}, /* there is no ticket */
		{6, 64, PACKET_UNKNOWN_KIND},
		{7, 1, PACKET_UNKNOWN_KIND},
		{6, 1, PACKET_WRONG_SIGNATURE},
		{8, 43, PACKET_WRONG_LENGTH},
		{8, 45, PACKET_WRONG_LENGTH},
		{11, 1, PACKET_WRONG_LENGTH},
	};
	struct packet_writer *w = calloc(1, sizeof(*w));
	struct packet packet;

	for (unsigned i = 0; i < PACKET_FAULTS; i++)
		assert_string_equal(packet_fault_name(i), fault_names_wanted[i]);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		packet_begin(w, &header);
		assert_true(packet_end(w, &none));
		w->bytes[cases[i].at] = cases[i].value;
		w->size -= 4;
		check(w);
		assert_int_equal(packet_read(&packet, w->bytes, w->size, &none), cases[i].fault);
		if (cases[i].fault == PACKET_GOOD && cases[i].at != 5)
			assert_int_equal(packet_read(&packet, w->bytes, w->size, &key),
					 PACKET_UNSIGNED);
	}
	packet_begin(w, &header);
	assert_true(packet_end(w, &none));
	assert_int_equal(packet_read(&packet, w->bytes, 44, &none), PACKET_GOOD);
	assert_int_equal(packet_read(&packet, w->bytes, 43, &none), PACKET_TOO_SHORT);
	assert_int_equal(packet.epoch, header.epoch);
	assert_int_equal(packet.run, header.run);
	assert_int_equal(packet.sequence, header.sequence);
	assert_int_equal(packet.cycle, header.cycle);
	assert_int_equal(packet.flags, header.flags);
	w->bytes[43] ^= 1;
	assert_int_equal(packet_read(&packet, w->bytes, 44, &none), PACKET_WRONG_CHECKSUM);
	/* Signed: with this key, with none, and with less than a signature. */
	packet_begin(w, &header);
	assert_true(packet_end(w, &key));
	assert_int_equal(packet_read(&packet, w->bytes, w->size, &key), PACKET_GOOD);
	assert_int_equal(packet.body_bytes, 0);
	assert_int_equal(packet_read(&packet, w->bytes, w->size, &none), PACKET_WRONG_SIGNATURE);
	w->size = 40 + 31;
	w->bytes[8] = 75;
	check(w);
	assert_int_equal(packet_read(&packet, w->bytes, w->size, &key), PACKET_WRONG_SIGNATURE);
	free(w);
}

/* A body of these fields, each of so many bytes. */
static struct packet body(uint8_t *bytes, const uint64_t fields[][2], size_t count)
{
	struct packet packet = {.body = bytes};

	for (size_t i = 0; i < count; i++)
		for (unsigned k = 0; k < fields[i][1]; k++)
			bytes[packet.body_bytes++] = (uint8_t)(fields[i][0] >> 8 * k);
	return packet;
}

TEST(counts_have_limits)
{
	const uint64_t most = INT64_MAX;
	static const struct {
		unsigned field;
		uint64_t value;
		bool ok;
	} cases[] = {
		{0, INT64_MAX, true},
		{0, INT64_MAX + UINT64_C(1), false},
		{1, INT64_MAX - 3, true},
		{1, INT64_MAX - 2, false}, /* their sum is a cycle */
		{1, INT64_MAX + UINT64_C(1), false},
		{2, INT64_MAX - 2, true},
		{2, INT64_MAX - 1, false},
		{2, INT64_MAX + UINT64_C(1), false},
		{3, 4095, true},
		{3, 4096, false},
		{3, 4097, false},
		{4, 4096, true},
		{4, 4097, false},
		{4, 1, true},
		{4, 0, false},
		{5, 0, false}, /* a count is left */
		{5, 2, false},
		{6, INT64_MAX, true},
		{6, UINT64_MAX, false},
		{7, UINT64_MAX, true},
	};
	uint8_t bytes[2000];
	struct packet_counts counts;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		uint64_t fields[][2] = {{1, 8},	   {2, 8}, {3, 8}, {0, 4},
					{4096, 4}, {1, 2}, {5, 8}, {6, 8}};

		fields[cases[i].field][0] = cases[i].value;
		struct packet packet = body(bytes, (const uint64_t(*)[2])fields, 8);
		if (packet_read_counts(&packet, &counts) != cases[i].ok)
			fail_msg("case %zu", i);
		if (!cases[i].ok)
			continue;
		assert_int_equal(counts.number, fields[0][0]);
		assert_int_equal(counts.start, fields[1][0]);
		assert_int_equal(counts.cycles, fields[2][0]);
		assert_int_equal(counts.first, fields[3][0]);
		assert_int_equal(counts.all, fields[4][0]);
		assert_int_equal(counts.count, 1);
		assert_int_equal(counts.counts[0].value, fields[6][0]);
		assert_int_equal(counts.counts[0].total, fields[7][0] & most);
		assert_int_equal(counts.counts[0].is_saturated, fields[7][0] > most);
		packet.run = most + 1;
		assert_false(packet_read_counts(&packet, &counts));
		packet.run = 0;
		packet.cycle = most + 1;
		assert_false(packet_read_counts(&packet, &counts));
		packet.cycle = most;
		assert_true(packet_read_counts(&packet, &counts));
		packet.body_bytes--;
		assert_false(packet_read_counts(&packet, &counts));
	}
	/* Sixty-four in a packet. */
	for (unsigned count = 64; count < 66; count++) {
		uint64_t fields[6 + 130][2] = {{1, 8}, {2, 8},	 {3, 8},
					       {0, 4}, {100, 4}, {count, 2}};

		for (unsigned k = 0; k < 2 * count; k++)
			fields[6 + k][1] = 8;
		struct packet packet = body(bytes, (const uint64_t(*)[2])fields, 6 + 2 * count);
		assert_int_equal(packet_read_counts(&packet, &counts), count == 64);
	}
}

TEST(texts_have_limits)
{
	static const struct {
		const char *text;
		bool as_name, as_pair;
	} cases[] = {{"abc~!", true, true},   {"a b", true, false}, {"a\x1f", false, false},
		     {"a\x7f", false, false}, {"", true, false},    {"\xff", true, true}};
	uint8_t bytes[3000];
	char text[256];
	struct packet_names names;
	struct stats_wish wish;
	uint64_t sequence;
	bool is_accepted;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		size_t length = strlen(cases[i].text);
		const uint64_t head[][2] = {{1, 4}, {2, 4}, {3, 4}, {4, 4}, {1, 2}, {length, 2}};
		struct packet packet = body(bytes, head, 6);

		memcpy(bytes + packet.body_bytes, cases[i].text, length);
		packet.body_bytes += length;
		assert_int_equal(packet_read_names(&packet, &names), cases[i].as_name);
		if (cases[i].as_name) {
			assert_int_equal(names.first, 1);
			assert_int_equal(names.all, 2);
			assert_int_equal(names.period_cycles, 3);
			assert_int_equal(names.width_bits, 4);
			assert_string_equal(names.names.pairs[0], cases[i].text);
			packet.run = UINT64_MAX;
			struct packet_names other;
			assert_false(packet_read_names(&packet, &other));
			stats_wish_release(&other.names);
		}
		stats_wish_release(&names.names);
		const uint64_t configure[][2] = {{9, 8}, {7, 4}, {1, 2}, {length, 2}};
		packet = body(bytes, configure, 4);
		memcpy(bytes + packet.body_bytes, cases[i].text, length);
		packet.body_bytes += length;
		assert_int_equal(packet_read_configure(&packet, &wish), cases[i].as_pair);
		assert_int_equal(wish.at, 9);
		assert_int_equal(wish.period_cycles, 7);
		stats_wish_release(&wish);
	}
	/* Names: as many as there are, in the place they say. */
	static const struct {
		uint64_t first, all, count;
		bool ok;
	} places[] = {{0, 4096, 0, true},
		      {0, 4097, 0, false},
		      {5, 5, 0, true},
		      {6, 5, 0, false},
		      {4, 5, 2, false}};
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		const uint64_t head[][2] = {{places[i].first, 4},
					    {places[i].all, 4},
					    {3, 4},
					    {4, 4},
					    {places[i].count, 2}};
		struct packet packet = body(bytes, head, 5);

		assert_int_equal(packet_read_names(&packet, &names), places[i].ok);
		stats_wish_release(&names.names);
	}
	/* No period, no pairs, something left. */
	const uint64_t configure[][3][2] = {{{9, 8}, {0, 4}, {1, 2}}, {{9, 8}, {7, 4}, {0, 2}}};
	for (unsigned i = 0; i < 2; i++) {
		struct packet packet = body(bytes, configure[i], 3);

		if (!i) {
			memcpy(bytes + 14, "\x01\0a", 3);
			packet.body_bytes += 3;
		}
		assert_false(packet_read_configure(&packet, &wish));
		stats_wish_release(&wish);
	}
	/* A text of 255 bytes, and of 256. */
	for (unsigned length = 255; length < 257; length++) {
		const uint64_t answer[][2] = {{3, 8}, {length & 1, 2}, {length, 2}};
		struct packet packet = body(bytes, answer, 3);

		memset(bytes + packet.body_bytes, 'x', length);
		packet.body_bytes += length;
		assert_int_equal(packet_read_answer(&packet, &sequence, &is_accepted, text),
				 length == 255);
		assert_int_equal(sequence, 3);
		assert_int_equal(is_accepted, length == 256);
		const uint64_t alone[][2] = {{77, 8}, {0, 1}};
		packet = body(bytes, alone, 2 - (length & 1));
		assert_int_equal(packet_read_acknowledge(&packet, &sequence), length == 255);
		assert_int_equal(sequence, 77);
	}
	/* A pair of 1023 bytes, and of 1024. */
	for (unsigned length = 1023; length < 1025; length++) {
		const uint64_t one[][2] = {{9, 8}, {7, 4}, {1, 2}, {length, 2}};
		struct packet packet = body(bytes, one, 4);

		memset(bytes + packet.body_bytes, 'x', length);
		packet.body_bytes += length;
		assert_int_equal(packet_read_configure(&packet, &wish), length == 1023);
		stats_wish_release(&wish);
	}
}

/* Names fill 1200 bytes, two of each for its length; long ones are cut. */
TEST(names_fill_a_packet)
{
	struct packet_writer *w = calloc(1, sizeof(*w));
	char text[2000];

	for (unsigned last = 179; last < 183; last++) {
		const char *at = text;

		/* 4 of 253 and 2 bytes, then one that fits to a byte with 178. */
		memset(text, 'n', sizeof(text));
		for (unsigned i = 0; i < 4; i++)
			text[254 * i + 253] = 0;
		text[1016 + last - 1] = 0;
		packet_begin(w, &header);
		uint16_t count = packet_put_names(w, 0, 5, 1, 1, &at);
		assert_int_equal(count, last - 1 + 2 <= 1200 - 4 * 255 ? 5 : 4);
		assert_int_equal(w->size, 40 + 18 + 4 * 255 + (count == 5 ? last + 1 : 0));
		assert_ptr_equal(at, text + 1016 + (count == 5 ? last : 0));
		if (count == 4)
			break;
	}
	memset(text, 'n', 300);
	text[300] = 0;
	const char *at = text;
	packet_begin(w, &header);
	assert_int_equal(packet_put_names(w, 0, 1, 1, 1, &at), 1);
	assert_int_equal(w->size, 40 + 18 + 2 + 255);
	assert_ptr_equal(at, text + 301);
	free(w);
}

/* ---- control ---- */

static void configure(struct packet_writer *w, uint64_t run, uint64_t sequence, uint64_t ticket,
		      const struct packet_key *with)
{
	struct stats_wish wish = {.at = 5, .period_cycles = 100};

	stats_wish_add(&wish, "cycles");
	packet_begin(w, &(struct packet){.kind = PACKET_CONFIGURE,
					 .run = run,
					 .sequence = sequence,
					 .ticket = ticket});
	packet_put_configure(w, &wish);
	assert_true(packet_end(w, with));
	stats_wish_release(&wish);
}

static void assert_answer(const struct packet_writer *w, const struct packet_key *with,
			  uint64_t sequence, bool want_accepted, const char *want)
{
	struct packet packet;
	uint64_t of;
	bool is_accepted;
	char text[256];

	assert_int_equal(packet_read(&packet, w->bytes, w->size, with), PACKET_GOOD);
	assert_int_equal(packet.kind, PACKET_ANSWER);
	assert_int_equal(packet.run, 9);
	assert_int_equal(packet.epoch, 4);
	assert_int_equal(packet.cycle, 777);
	assert_int_equal(packet.sequence, sequence);
	assert_true(packet_read_answer(&packet, &of, &is_accepted, text));
	assert_int_equal(of, sequence);
	assert_int_equal(is_accepted, want_accepted);
	assert_string_equal(text, want);
}

static bool refuse_first(void *context, const struct stats_wish *wish, struct err *err)
{
	assert_non_null(context);
	if (strcmp(wish->pairs[0], "committed") == 0)
		return true;
	return err_set(err, "%s cannot be counted", wish->pairs[0]);
}

TEST(control_answers)
{
	struct packet_writer *w = calloc(1, sizeof(*w)), *answer = calloc(1, sizeof(*w));
	struct err err;
	struct stats_mailbox *mailbox = stats_mailbox_create(&err);
	struct stats_control c = {
		.key = &none, .run = 9, .ticket = 50, .epoch = 4, .cycle = 777, .mailbox = mailbox};
	struct stats_wish taken;
	struct packet packet;

	packet_begin(w, &(struct packet){.kind = PACKET_QUERY, .run = 1, .sequence = 3});
	packet_end(w, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_GOOD);
	assert_int_equal(packet_read(&packet, answer->bytes, answer->size, &none), PACKET_GOOD);
	assert_int_equal(packet.kind, PACKET_STATUS);
	assert_int_equal(packet.run, 9);
	assert_int_equal(packet.epoch, 4);
	assert_int_equal(packet.cycle, 777);
	assert_int_equal(packet.sequence, 3);
	assert_int_equal(packet.ticket, 50);
	assert_int_equal(packet.body_bytes, 0);
	packet_begin(w, &(struct packet){.kind = PACKET_QUERY});
	packet_put_acknowledge(w, 1);
	packet_end(w, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_WRONG_BODY);
	assert_int_equal(answer->size, 0);
	packet_begin(w, &(struct packet){.kind = PACKET_STATUS});
	packet_end(w, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_UNEXPECTED);
	packet_begin(w, &(struct packet){
				.kind = PACKET_CONFIGURE, .run = 9, .sequence = 1, .ticket = 50});
	packet_end(w, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_WRONG_BODY);
	assert_int_equal(answer->size, 0);
	assert_int_equal(c.last_sequence, 0);
	/* A change, with the largest of numbers; the ticket is a new one then. */
	configure(w, 9, UINT64_MAX, 50, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &none, UINT64_MAX, true, "");
	assert_int_equal(c.accepted, 1);
	const uint64_t ticket = c.ticket;
	assert_true(ticket && ticket != 50);
	/* The same again is answered and changes nothing; so does nothing else without the ticket.
	 */
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_answer(answer, &none, UINT64_MAX, true, "");
	configure(w, 9, 4, 50, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_answer(answer, &none, 4, false, "its ticket has been used: try again");
	configure(w, 9, 4, 0, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_answer(answer, &none, 4, false, "its ticket has been used: try again");
	configure(w, 8, 5, ticket, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_int_equal(answer->size, 0);
	configure(w, 0, 5, ticket, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_int_equal(answer->size, 0);
	assert_int_equal(c.accepted, 1);
	/* One before the first is taken. */
	configure(w, 9, 6, ticket, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &none, 6, false,
		      "the change before it has not been taken yet: try again");
	assert_int_equal(c.last_sequence, UINT64_MAX);
	assert_true(stats_mailbox_take(mailbox, &taken));
	assert_int_equal(taken.at, 5);
	stats_wish_release(&taken);
	/* What was refused is not accepted later either. */
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_REPLAYED);
	assert_answer(answer, &none, 6, false, "its ticket has been used: try again");
	configure(w, 9, 1, c.ticket, &none);
	assert_int_equal(stats_control_take(&c, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &none, 1, true, "");
	assert_int_equal(c.accepted, 2);
	assert_int_equal(c.faults[PACKET_WRONG_BODY], 2);
	assert_int_equal(c.faults[PACKET_UNEXPECTED], 1);
	assert_int_equal(c.faults[PACKET_REPLAYED], 6);
	assert_int_equal(c.faults[PACKET_GOOD], 0);
	/* The first wish of all goes elsewhere, once; without a place for it nothing is accepted.
	 * What the check refuses leaves all as it was, but for the ticket, and is answered. */
	struct stats_wish first = {.period_cycles = 1};
	struct stats_control before = {.key = &key,
				       .run = 9,
				       .ticket = 71,
				       .epoch = 4,
				       .cycle = 777,
				       .first = &first,
				       .check_first = refuse_first,
				       .context = &first};
	stats_wish_add(&first, "old");
	configure(w, 9, 1, 71, &key);
	assert_int_equal(stats_control_take(&before, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &key, 1, false, "cycles cannot be counted");
	assert_false(before.has_first);
	assert_ptr_equal(before.first, &first);
	assert_string_equal(first.pairs[0], "old");
	assert_int_equal(before.accepted, 0);
	assert_int_not_equal(before.ticket, 71);
	/* What it lets pass is taken, and so is everything without a check. */
	stats_wish_release(&first);
	first = (struct stats_wish){0};
	before.ticket = 72;
	struct stats_wish passes = {.period_cycles = 100};
	stats_wish_add(&passes, "committed");
	packet_begin(w, &(struct packet){
				.kind = PACKET_CONFIGURE, .run = 9, .sequence = 1, .ticket = 72});
	packet_put_configure(w, &passes);
	assert_true(packet_end(w, &key));
	stats_wish_release(&passes);
	assert_int_equal(stats_control_take(&before, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &key, 1, true, "");
	assert_string_equal(first.pairs[0], "committed");
	before.first = &first;
	before.has_first = false;
	before.check_first = NULL;
	before.ticket = 70;
	configure(w, 9, 1, 70, &key);
	assert_int_equal(stats_control_take(&before, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &key, 1, true, "");
	assert_true(before.has_first);
	assert_null(before.first);
	assert_int_equal(first.pair_count, 1);
	assert_string_equal(first.pairs[0], "cycles");
	configure(w, 9, 2, before.ticket, &key);
	assert_int_equal(stats_control_take(&before, w->bytes, w->size, answer), PACKET_GOOD);
	assert_answer(answer, &key, 2, false,
		      "the change before it has not been taken yet: try again");
	stats_wish_release(&first);
	stats_mailbox_destroy(mailbox);
	free(w);
	free(answer);
}

/* Through a socket: a packet of the largest size is read whole, a longer one is refused. */
TEST(control_receives)
{
	struct packet_writer *w = calloc(1, sizeof(*w));
	struct stats_control c = {.key = &none, .run = 9};
	int ends[2], room = 1 << 20;
	uint8_t *bytes = calloc(1, 65002);

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	c.fd = ends[1];
	/* Right in all but its body. */
	packet_begin(w, &(struct packet){.kind = PACKET_QUERY});
	w->size = 65000 - 4;
	assert_true(packet_end(w, &none));
	assert_int_equal(send(ends[0], w->bytes, w->size, 0), 65000);
	stats_control_receive(&c);
	assert_int_equal(c.faults[PACKET_WRONG_BODY], 1);
	memcpy(bytes, w->bytes, 65000);
	assert_int_equal(send(ends[0], bytes, 65001, 0), 65001);
	assert_int_equal(send(ends[0], bytes, 10, 0), 10);
	stats_control_receive(&c);
	assert_int_equal(c.faults[PACKET_WRONG_LENGTH], 1);
	assert_int_equal(c.faults[PACKET_TOO_SHORT], 1);
	stats_control_receive(&c); /* nothing */
	/* Each query has an answer, however many come at once: at most 256 are taken at a time. */
	packet_begin(w, &(struct packet){.kind = PACKET_QUERY, .sequence = 3});
	assert_true(packet_end(w, &none));
	setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	int sent = 0;
	while (sent < 300 && send(ends[0], w->bytes, w->size, MSG_DONTWAIT) > 0)
		sent++;
	assert_true(sent > 0);
	for (int left = sent; left > 0; left -= 256) {
		int answered = 0;

		stats_control_receive(&c);
		while (recv(ends[0], bytes, 65000, MSG_DONTWAIT) > 0)
			answered++;
		assert_int_equal(answered, left < 256 ? left : 256);
	}
	close(ends[0]);
	close(ends[1]);
	free(bytes);
	free(w);
}

/* ---- sender ---- */

static int sender_end, other_end;
static double clock_seconds, clock_step;

static int connect_here(const struct link_address *to, struct err *err)
{
	if (!to) {
		err_set(err, "no");
		return -1;
	}
	return sender_end;
}
REPLACE(link_connect, connect_here);

static double the_time(void)
{
	clock_seconds += clock_step;
	return clock_seconds;
}
REPLACE(link_seconds, the_time);

/* Takes the next packet that was sent; false if there is none. */
static bool received(struct packet *packet, uint8_t *bytes)
{
	ssize_t got = recv(other_end, bytes, 65000, MSG_DONTWAIT);

	if (got < 0)
		return false;
	assert_int_equal(packet_read(packet, bytes, (size_t)got, &none), PACKET_GOOD);
	return true;
}

static void acknowledge_by(uint64_t run, uint64_t sequence, enum packet_kind kind)
{
	struct packet_writer *w = calloc(1, sizeof(*w));

	packet_begin(w, &(struct packet){.kind = kind, .run = run});
	packet_put_acknowledge(w, sequence);
	packet_end(w, &none);
	assert_true(send(other_end, w->bytes, w->size, 0) > 0);
	free(w);
}

TEST(what_must_arrive_is_repeated)
{
	static struct packet_count values[130];
	static const char names[] = "ab\0cd\0";
	const struct link_address address = {.bytes = 0};
	uint8_t *bytes = malloc(65000);
	struct packet_counts part, counts = {.number = 7, .start = 70, .cycles = 77};
	struct packet_names told;
	struct packet packet;
	struct err err;
	int ends[2];

	assert_null(stats_sender_open(NULL, &none, 1, &err));
	assert_string_equal(err.text, "no");
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	sender_end = ends[0];
	other_end = ends[1];
	clock_seconds = 0;
	struct stats_sender *s = stats_sender_open(&address, &none, 0x55, &err);
	stats_sender_names(s, 3, 2, 1000, 24, names);
	assert_true(received(&packet, bytes));
	assert_int_equal(packet.kind, PACKET_NAMES);
	assert_int_equal(packet.flags, PACKET_WANTS_ACKNOWLEDGE);
	assert_int_equal(packet.epoch, 3);
	assert_int_equal(packet.run, 0x55);
	assert_int_equal(packet.sequence, 1);
	assert_true(packet_read_names(&packet, &told));
	assert_int_equal(told.all, 2);
	assert_int_equal(told.period_cycles, 1000);
	assert_int_equal(told.width_bits, 24);
	assert_string_equal(told.names.pairs[1], "cd");
	stats_wish_release(&told.names);
	assert_false(received(&packet, bytes));
	/* An interval of 130 counters in three packets, which need not arrive. */
	for (unsigned i = 0; i < 130; i++)
		values[i] = (struct packet_count){i, 2 * i, i == 100};
	const struct packet plain = {.epoch = 3, .cycle = 147};
	stats_sender_counts(s, &plain, &counts, values, 130);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(received(&packet, bytes));
		assert_int_equal(packet.kind, PACKET_COUNTS);
		assert_int_equal(packet.flags, 0);
		assert_int_equal(packet.sequence, 2 + i);
		assert_int_equal(packet.cycle, 147);
		assert_true(packet_read_counts(&packet, &part));
		assert_int_equal(part.number, 7);
		assert_int_equal(part.first, 64 * i);
		assert_int_equal(part.all, 130);
		assert_int_equal(part.count, i == 2 ? 2 : 64);
		for (unsigned k = 0; k < part.count; k++)
			assert_int_equal(part.counts[k].value, 64 * i + k);
	}
	assert_false(received(&packet, bytes));
	/* The last of an epoch must. */
	const struct packet last = {.epoch = 3, .flags = PACKET_LAST_OF_EPOCH};
	clock_seconds = 0.05;
	stats_sender_counts(s, &last, &counts, values, 1);
	assert_true(received(&packet, bytes));
	assert_int_equal(packet.flags, PACKET_LAST_OF_EPOCH | PACKET_WANTS_ACKNOWLEDGE);
	assert_int_equal(packet.sequence, 5);
	/* After a tenth of a second each is sent again, the names first. */
	clock_seconds = 0.0625;
	stats_sender_tick(s);
	assert_false(received(&packet, bytes));
	clock_seconds = 0.1;
	stats_sender_tick(s);
	assert_true(received(&packet, bytes));
	assert_int_equal(packet.sequence, 1);
	assert_false(received(&packet, bytes));
	stats_sender_tick(s);
	assert_false(received(&packet, bytes));
	clock_seconds = 0.1875;
	stats_sender_tick(s);
	assert_true(received(&packet, bytes));
	assert_int_equal(packet.sequence, 5);
	assert_false(received(&packet, bytes));
	/* What is acknowledged is not; by another run, or with another kind, nothing is. */
	acknowledge_by(0x56, 1, PACKET_ACKNOWLEDGE);
	acknowledge_by(0x55, 1, PACKET_STATUS);
	acknowledge_by(0x55, 4, PACKET_ACKNOWLEDGE);
	assert_int_equal(send(other_end, "nonsense", 8, 0), 8);
	clock_seconds = 0.5;
	stats_sender_tick(s);
	for (unsigned sequence = 1; sequence <= 5; sequence += 4) {
		assert_true(received(&packet, bytes));
		assert_int_equal(packet.sequence, sequence);
	}
	assert_false(received(&packet, bytes));
	acknowledge_by(0x55, 1, PACKET_ACKNOWLEDGE);
	clock_seconds = 1;
	stats_sender_tick(s);
	assert_true(received(&packet, bytes));
	assert_int_equal(packet.sequence, 5);
	assert_false(received(&packet, bytes));
	/* Without patience it is given up; with an acknowledgement it is over. */
	assert_false(stats_sender_finish(s, 0));
	while (received(&packet, bytes))
		;
	acknowledge_by(0x55, 5, PACKET_ACKNOWLEDGE);
	assert_true(stats_sender_finish(s, 5));
	stats_sender_close(s);
	stats_sender_close(NULL);
	close(ends[1]);
	free(bytes);
}

static struct packet_key clear_or_signed;

/* The next packet of that key; false if there is none. */
static bool received_signed(struct packet *packet, uint8_t *bytes)
{
	ssize_t got = recv(other_end, bytes, 65000, MSG_DONTWAIT);

	if (got < 0)
		return false;
	assert_int_equal(packet_read(packet, bytes, (size_t)got, &clear_or_signed), PACKET_GOOD);
	return true;
}

static void give_ticket(uint64_t sequence, uint64_t ticket)
{
	struct packet_writer *w = calloc(1, sizeof(*w));

	packet_begin(w,
		     &(struct packet){.kind = PACKET_ACKNOWLEDGE, .run = 0x55, .ticket = ticket});
	packet_put_acknowledge(w, sequence);
	packet_end(w, &clear_or_signed);
	assert_true(send(other_end, w->bytes, w->size, 0) > 0);
	free(w);
}

/* With a key nothing but the request is sent before the ticket has come, and then everything that
 * waits, with the ticket. */
TEST(a_ticket_is_asked_for)
{
	const struct link_address address = {.bytes = 0};
	uint8_t *bytes = malloc(65000);
	const struct packet_counts counts = {.number = 1};
	const struct packet_count value = {1, 1, false};
	const struct packet plain = {.epoch = 0}, last = {.flags = PACKET_LAST_OF_EPOCH};
	struct packet_about about;
	struct packet packet;
	struct err err;
	int ends[2];

	clear_or_signed = key;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	sender_end = ends[0];
	other_end = ends[1];
	clock_seconds = 10;
	struct stats_sender *s = stats_sender_open(&address, &clear_or_signed, 0x55, &err);
	clock_step = 2; /* the time to wait is over at once */
	stats_sender_about(s, "program", "machine");
	clock_step = 0;
	clock_seconds = 20;
	give_ticket(2, 777); /* an answer to a question that was not asked yet */
	stats_sender_tick(s);
	assert_true(received_signed(&packet, bytes));
	assert_int_equal(packet.kind, PACKET_ABOUT);
	assert_int_equal(packet.ticket, 0);
	assert_int_equal(packet.sequence, 2);
	stats_sender_counts(s, &plain, &counts, &value, 1);
	stats_sender_counts(s, &last, &counts, &value, 1);
	assert_false(received_signed(&packet, bytes));
	clock_seconds = 20.25;
	stats_sender_tick(s);
	assert_true(received_signed(&packet, bytes));
	assert_int_equal(packet.kind, PACKET_ABOUT);
	const uint64_t asked = packet.sequence;
	assert_true(asked > 4);
	give_ticket(2, 777); /* the answer to an earlier question */
	give_ticket(asked, 0);
	stats_sender_tick(s);
	assert_false(received_signed(&packet, bytes));
	give_ticket(asked, 888);
	stats_sender_tick(s);
	assert_true(received_signed(&packet, bytes));
	assert_int_equal(packet.kind, PACKET_ABOUT);
	assert_int_equal(packet.ticket, 888);
	assert_true(packet_read_about(&packet, &about));
	assert_string_equal(about.program, "program");
	assert_string_equal(about.machine, "machine");
	assert_true(received_signed(&packet, bytes));
	assert_int_equal(packet.kind, PACKET_COUNTS);
	assert_int_equal(packet.ticket, 888);
	assert_false(received_signed(&packet, bytes));
	/* Where nothing is acknowledged any more, another collector may have come. */
	clock_seconds = 22;
	stats_sender_tick(s);
	assert_true(received_signed(&packet, bytes));
	assert_int_equal(packet.ticket, 0);
	give_ticket(packet.sequence, 999);
	while (received_signed(&packet, bytes))
		;
	stats_sender_tick(s);
	assert_true(received_signed(&packet, bytes));
	assert_int_equal(packet.ticket, 999);
	stats_sender_close(s);
	close(ends[1]);
	free(bytes);
}
