/* Changes of what is counted that come while a program runs: which are refused with a sentence, and
 * which give way. The module is the true one, and no cycle passes. */
#include "../replace.h"
#include "../test.h"
#include "base/array.h"
#include "job/stat.h"
#include "stats/module.h"

static struct {
	struct job_stat *stat;
	struct stats_module *module;
	char refused[512]; /* the last sentence; "" for none since it was asked */
	unsigned epochs;   /* of which the names were sent */
} seen;

REPLACED(stats_create);

static struct stats_module *create(const struct stats_settings *settings, stats_sink *sink,
				   stats_poll *poll, void *context)
{
	return seen.module = __real_stats_create(settings, sink, poll, context);
}
REPLACE(stats_create, create);

static void attach(struct simulation *simulation, struct observer observer)
{
	(void)simulation, (void)observer;
}
REPLACE(simulation_attach, attach);

static void take_frame(void *context, const void *bytes, size_t size)
{
	struct stat_frame frame;
	void *copy = malloc(size); /* aligned */

	assert_ptr_equal(context, &seen);
	memcpy(copy, bytes, size);
	assert_true(stat_frame_read(&frame, copy, size));
	if (frame.head.kind == STAT_FRAME_REFUSED)
		snprintf(seen.refused, sizeof(seen.refused), "%s", frame.text);
	else
		seen.epochs++;
	free(copy);
}

static struct stats_request request;

static bool begin(const char *pair, uint32_t period_cycles, bool is_foreign, struct err *err)
{
	static struct process process = {.bias = 0};

	memset(&seen, 0, sizeof(seen));
	request = (struct stats_request){.width_bits = 32,
					 .counters_most = 4096,
					 .ranges_most = 4,
					 .is_watched = true,
					 .first_is_foreign = is_foreign};
	request.first.period_cycles = period_cycles;
	stats_wish_add(&request.first, pair);
	request.mailbox = stats_mailbox_create(err);
	seen.stat = job_stat_begin(&request, &process, NULL, take_frame, &seen, err);
	return seen.stat;
}

static void end(void)
{
	job_stat_end(seen.stat);
	stats_mailbox_destroy(request.mailbox);
	stats_request_release(&request);
}

/* The sentence about a change, or "". */
static const char *change(uint64_t at, uint32_t period_cycles, const char *pairs)
{
	struct stats_wish wish = {.at = at, .period_cycles = period_cycles};
	char copy[512], *rest = copy;

	snprintf(copy, sizeof(copy), "%s", pairs);
	for (const char *pair; (pair = strsep(&rest, " "));)
		stats_wish_add(&wish, pair);
	assert_true(stats_mailbox_post(request.mailbox, &wish));
	stats_wish_release(&wish);
	seen.refused[0] = '\0';
	job_stat_poll(seen.stat);
	return seen.refused;
}

TEST(changes_that_cannot_be_counted_change_nothing)
{
	struct err err;

	assert_true(begin("cycles", 1000, false, &err));
	assert_string_equal(change(500, 100, "committed"), "");
	assert_int_equal(stats_waiting(seen.module), 1);
	assert_string_equal(
		change(600, 1, "committed cycles"),
		"2 pairs every 1 cycles: while a program runs, a period has at least as "
		"many cycles as there are pairs");
	assert_string_equal(change(600, 2, "committed cycles"), "");
	assert_non_null(strstr(change(700, 100, "comitted"), "committed"));
	assert_non_null(strstr(change(700, 100, "none*"), "no signal matches \"none*\""));
	assert_string_not_equal(change(700, 0, "cycles"), "");
	assert_int_equal(stats_waiting(seen.module), 2);
	assert_int_equal(stats_last_change(seen.module), 600);
	assert_int_equal(seen.epochs, 1);
	end();
}

/* At most 64 wait for their cycle: one that is earlier than the last takes its place. */
TEST(of_too_many_changes_the_last_gives_way)
{
	struct err err;

	assert_true(begin("cycles", 1000, false, &err));
	for (uint64_t i = 0; i < STAT_WAITING_MOST; i++)
		assert_string_equal(
			change(10000 + 10 * (i * 37 % STAT_WAITING_MOST), 100, "cycles"), "");
	assert_int_equal(stats_waiting(seen.module), STAT_WAITING_MOST);
	assert_int_equal(stats_last_change(seen.module), 10630);
	assert_string_equal(change(10630, 100, "cycles"),
			    "64 changes wait for their cycle, and this one is later than all");
	assert_string_equal(change(20000, 100, "cycles"),
			    "64 changes wait for their cycle, and this one is later than all");
	for (uint64_t at = 5000; at > 4995; at--) {
		const uint64_t last = stats_last_change(seen.module);

		assert_string_equal(change(at, 100, "cycles"), "");
		assert_int_equal(stats_waiting(seen.module), STAT_WAITING_MOST);
		assert_int_equal(stats_last_change(seen.module), last - 10);
	}
	end();
}

/* All changes of a run together have so many pairs, and no more. */
TEST(pairs_of_all_changes_are_bounded)
{
	char pairs[512] = "";
	struct err err;
	unsigned accepted = 0;

	/* 15 pairs, and one for the change: 4096 of them. */
	for (int i = 0; i < 15; i++)
		snprintf(pairs + strlen(pairs), sizeof(pairs) - strlen(pairs), "%s%s", i ? " " : "",
			 signal_rows[i].name);
	assert_true(begin("cycles", 1000, false, &err));
	while (!*change(100000 - accepted, 1000, pairs))
		accepted++;
	assert_int_equal(accepted, STAT_ALL_PAIRS_MOST / 16);
	assert_string_equal(seen.refused, "the changes of this run have more than 65536 pairs "
					  "already");
	assert_string_not_equal(change(1, 1000, "cycles"), "");
	end();
}

/* What a run begins with came from somebody else: it is refused, and told to whom it came from. */
TEST(a_foreign_beginning_is_bounded_too)
{
	struct err err;

	assert_false(begin("cycles", 0, true, &err));
	assert_string_equal(seen.refused, err.text);
	end();
	assert_false(begin("none", 100, true, &err));
	assert_string_equal(seen.refused, err.text);
	end();
	assert_false(begin("*", 5, true, &err));
	assert_string_equal(seen.refused, err.text);
	assert_non_null(strstr(err.text, "pairs every 5 cycles: while a program runs"));
	end();
	/* The user's own may cost what it wants, and is told by the command alone. */
	assert_true(begin("*", 5, false, &err));
	end();
	assert_false(begin("none", 100, false, &err));
	assert_string_equal(seen.refused, "");
	end();
	assert_true(begin("cycles", 1, true, &err));
	end();
}

TEST(formulas_that_are_none_end_it_before_it_begins)
{
	static struct process process = {.bias = 0};
	struct stats_plan plan;
	struct err err;

	request = (struct stats_request){.width_bits = 32, .counters_most = 4, .ranges_most = 4};
	request.first.period_cycles = 100;
	stats_wish_add(&request.first, "cycles");
	stats_request_add_formula(&request, "good = cycles", NULL);
	stats_request_add_formula(&request, "bad = cycles /", NULL);
	stats_request_add_formula(&request, "unread = ", NULL);
	assert_null(job_stat_begin(&request, &process, NULL, take_frame, &seen, &err));
	assert_non_null(strstr(err.text, "formula \"bad\""));
	assert_false(job_stat_plan(&request, NULL, &plan, &err));
	assert_non_null(strstr(err.text, "formula \"bad\""));
	stats_plan_release(&plan);
	stats_request_release(&request);
}
