/* What watchers of a run get, and what commands say. */
#include "../test.h"

#include "web/events.h"
#include "web/said.h"

TEST(events_have_numbers_and_stay_until_there_are_too_many_bytes)
{
	struct events events;
	uint64_t number = 0;

	events_init(&events, 400);
	assert_null(events_at(&events, &number));
	for (int i = 0; i < 100; i++)
		events_add(&events, "x", json_pack("{s:i}", "n", i));
	assert_int_equal(events_next(&events), 101);
	assert_true(events.bytes <= 400);
	/* One who comes late begins with the oldest there is. */
	number = 1;
	const char *text = events_at(&events, &number);
	assert_non_null(text);
	assert_true(number > 50);
	number = 100;
	assert_string_equal(events_at(&events, &number), "id: 100\nevent: x\ndata: {\"n\":99}\n\n");
	number = 101;
	assert_null(events_at(&events, &number));
	events_release(&events);
}

static void take(struct said *said, const char *text)
{
	said_take(said, text, strlen(text));
}

TEST(progress_is_told_from_sentences)
{
	struct said said;

	said_init(&said);
	take(&said, "cyclestack: 12.3 M instructions, 23 %, 40 s left, 5.0 MIPS\n");
	assert_int_equal(said.count, 0);
	assert_true(said.has_progress);
	assert_true(said.share > 0.229 && said.share < 0.231);
	take(&said, "cyclestack: 3 of 10 simulations, 3");
	take(&said, "0 %, 2 s left\n");
	assert_true(said.share > 0.299 && said.share < 0.301);
	take(&said, "cyclestack: no signal matches \"x\" (see: cyclestack stat --help)\n");
	assert_int_equal(said.count, 1);
	assert_string_equal(said.items[0], "no signal matches \"x\"");
	assert_false(said.is_partial);
	take(&said, "cyclestack: stopped by --timeout after 5 instructions: the result is partial");
	said_end(&said);
	assert_true(said.is_partial);
	said_release(&said);
}

TEST(what_is_said_is_printable_and_bounded)
{
	struct said said;

	said_init(&said);
	for (int i = 0; i < 3 * SAID_MOST; i++)
		take(&said, "\033[31m\xff a warning\n");
	assert_int_equal(said.count, SAID_MOST);
	assert_int_equal(said.left_out, 2 * SAID_MOST);
	assert_string_equal(said.items[0], "?[31m? a warning");
	said_release(&said);
}
