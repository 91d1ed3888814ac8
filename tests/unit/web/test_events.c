/* What watchers of a run get, and what commands say. */
#include "../test.h"

#include "web/events.h"
#include "web/said.h"

TEST(events_have_numbers_and_stay_until_there_are_too_many_bytes)
{
	struct events events;
	uint64_t number = 0;

	events_init(&events, 1, 400);
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

TEST(who_asked_another_server_before_begins_with_the_first)
{
	struct events events;
	uint64_t number = 900;

	events_init(&events, 1000, 400);
	events_add(&events, "x", json_pack("{s:i}", "n", 1));
	assert_string_equal(events_at(&events, &number), "id: 1000\nevent: x\ndata: {\"n\":1}\n\n");
	assert_int_equal(number, 1000);
	/* The next is waited for; one beyond it nobody has given. */
	number = 1001;
	assert_null(events_at(&events, &number));
	assert_int_equal(number, 1001);
	number = 1002;
	assert_non_null(events_at(&events, &number));
	assert_int_equal(number, 1000);
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
	assert_string_equal(said.items[0].text, "no signal matches \"x\"");
	assert_false(said.is_partial);
	take(&said, "cyclestack: stopped by --timeout after 5 instructions: the result is partial");
	said_end(&said);
	assert_true(said.is_partial);
	said_release(&said);
}

TEST(what_a_program_tried_is_said_to_who_ordered_it)
{
	struct said said;

	said_init(&said);
	take(&said,
	     "cyclestack: a.out: the program asked for \"/etc/passwd\", which no --mount covers: "
	     "answered ENOENT (to allow it: --mount /etc=/etc)\n");
	take(&said,
	     "the program asked for \"/x\", which no --mount covers: says the program itself\n");
	take(&said,
	     "cyclestack: fork at 0x1 in main: the program asked for a second process, which is "
	     "not simulated: answered ENOSYS\n");
	assert_int_equal(said.count, 3);
	assert_true(said.items[0].is_contained);
	assert_non_null(strstr(said.items[0].text, "tried to open \"/etc/passwd\","));
	assert_null(strstr(said.items[0].text, "--"));
	assert_false(said.items[1].is_contained);
	assert_true(said.items[2].is_contained);
	assert_non_null(strstr(said.items[2].text, "another process (fork):"));
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
	assert_string_equal(said.items[0].text, "?[31m? a warning");
	said_release(&said);
}
