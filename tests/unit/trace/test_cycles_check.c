/* Records that cannot be those of the machine: each rule at its limit and one beyond. */
#include "../test.h"
#include "base/array.h"
#include "core/core.h"
#include "trace/cycles_check.h"

#define EVENTS_MOST 12

/* A cycle in which everything is as wide as it can be. */
struct tried {
	struct cycle cycle;
	struct cycle_event events[EVENTS_MOST];
	struct cycle_retired retired[5];
	struct cycle_waits waits[5];
};

static void machine(struct config *config)
{
	config_default(config);
	config->fetch_width = 6;
	config->dispatch_width = 4;
	config->commit_width = 5;
	config->rob_size = 20;
	config->max_branches = 3;
}

static void plain(struct tried *t, uint64_t number)
{
	memset(t, 0, sizeof(*t));
	t->cycle = (struct cycle){
		.number = number, .repeat = 1, .fetched = 6, .dispatched = 4, .committed = 5};
	t->cycle.events = t->events;
	t->cycle.retired = t->retired;
	t->cycle.waits = t->waits;
}

static void assert_says(struct cycles_check *check, const struct tried *t, const char *what)
{
	struct err err = {.text = ""};
	char sentence[300] = "";

	if (what)
		snprintf(sentence, sizeof(sentence),
			 "cycle %llu: %s: these are not cycles of this machine",
			 (unsigned long long)t->cycle.number, what);
	assert_int_equal(cycles_check_record(check, &t->cycle, &err), !what);
	assert_string_equal(err.text, sentence);
}

/* ---- branches ---- */

#define F	       EVENT_BRANCH_FETCH
#define D	       EVENT_BRANCH_DISPATCH
#define M	       EVENT_MISPREDICT
#define R	       EVENT_REPLAY
#define C	       EVENT_COMMIT
#define TOO_MANY       "more branches are in flight than the machine allows"
#define NOT_FETCHED    "a branch dispatches that was not fetched"
#define NOT_THERE      "a branch resolves that is not in the window"
#define MORE_AGAIN     "more branches are fetched again than are in flight"
#define NOT_DISPATCHED "a branch commits that did not dispatch"

/* Events, one in a cycle each; the last is refused with the sentence, or is not if there is none.
 */
static const struct {
	uint8_t events[10][3]; /* kind, slot, amount */
	const char *sentence;
} histories[] = {
	{{{F}, {F}, {F}}, NULL},
	{{{F}, {F}, {F}, {F}}, TOO_MANY},
	{{{F}, {F}, {F}, {D, 1}, {F}}, TOO_MANY},
	{{{F}, {F}, {F}, {D, 1}, {C, 1}, {F}}, NULL},
	{{{F}, {F}, {F}, {D, 1}, {C, 1}, {F}, {F}}, TOO_MANY},
	{{{D, 1}}, NOT_FETCHED},
	{{{F}, {D, 1}}, NULL},
	{{{F}, {D, 1}, {D, 2}}, NOT_FETCHED},
	{{{F}, {F}, {D, 1}, {D, 2}}, NULL},
	{{{M, 0}}, NOT_THERE},
	{{{F}, {M, 0}}, NOT_THERE},
	{{{F}, {D, 3}, {M, 3}}, NULL},
	{{{F}, {D, 3}, {M, 3}, {M, 3}}, NULL},
	{{{F}, {D, 3}, {C, 3}, {M, 3}}, NOT_THERE},
	{{{F}, {F}, {D, 3}, {D, 4}, {M, 4}}, NULL},
	{{{F}, {F}, {D, 3}, {D, 4}, {M, 3}, {M, 4}}, NOT_THERE},
	{{{F}, {F}, {D, 3}, {D, 4}, {M, 4}, {M, 3}}, NULL},
	/* Younger ones are no more: there is room for two again, to be fetched before dispatch. */
	{{{F}, {F}, {F}, {D, 3}, {M, 3}, {F}, {F}}, NULL},
	{{{F}, {F}, {F}, {D, 3}, {M, 3}, {F}, {F}, {F}}, TOO_MANY},
	{{{F}, {F}, {F}, {D, 3}, {M, 3}, {D, 4}}, NOT_FETCHED},
	{{{F}, {F}, {F}, {D, 3}, {M, 3}, {F}, {D, 4}, {M, 4}}, NULL},
	{{{R, 0, 0}}, NULL},
	{{{R, 0, 1}}, MORE_AGAIN},
	{{{F}, {F}, {R, 0, 2}}, NULL},
	{{{F}, {F}, {R, 0, 3}}, MORE_AGAIN},
	{{{F}, {F}, {D, 1}, {C, 1}, {R, 0, 1}}, NULL},
	{{{F}, {F}, {D, 1}, {C, 1}, {R, 0, 2}}, MORE_AGAIN},
	{{{F}, {F}, {R, 0, 2}, {F}, {F}, {F}}, NULL},
	{{{F}, {F}, {R, 0, 2}, {F}, {F}, {F}, {F}}, TOO_MANY},
	{{{F}, {F}, {R, 0, 2}, {D, 1}}, NOT_FETCHED},
	{{{F}, {F}, {R, 0, 1}, {D, 1}}, NULL},
	{{{F}, {F}, {D, 1}, {D, 2}, {R, 0, 1}, {M, 2}}, NOT_THERE},
	{{{F}, {F}, {D, 1}, {D, 2}, {R, 0, 1}, {M, 1}}, NULL},
	{{{F}, {F}, {D, 1}, {D, 2}, {R, 0, 1}, {D, 2}}, NOT_FETCHED},
	{{{F}, {F}, {F}, {D, 1}, {R, 0, 1}, {D, 2}}, NULL},
	{{{C, 1}}, NOT_DISPATCHED},
	{{{F}, {C, 1}}, NOT_DISPATCHED},
	{{{F}, {D, 1}, {C, 1}}, NULL},
	{{{F}, {D, 1}, {C, 1}, {C, 1}}, NOT_DISPATCHED},
	{{{EVENT_LOAD_MISS, 1}, {EVENT_COMMIT_PLAIN, 1}}, NULL},
};

TEST(branches_are_followed)
{
	struct config config;
	struct tried t;

	machine(&config);
	for (size_t i = 0; i < ARRAY_COUNT(histories); i++) {
		struct cycles_check *check = cycles_check_create(&config);
		unsigned count = ARRAY_COUNT(histories[i].events);

		/* Empty rows at the end are commits of slot 0, which no history has. */
		while (!histories[i].events[count - 1][0] && !histories[i].events[count - 1][1])
			count--;
		for (unsigned k = 0; k < count; k++) {
			plain(&t, k);
			t.cycle.event_count = 1;
			t.events[0] = (struct cycle_event){.kind = histories[i].events[k][0],
							   .slot = histories[i].events[k][1],
							   .amount = histories[i].events[k][2],
							   .detail = COMMIT_BRANCH};
			assert_says(check, &t, k + 1 == count ? histories[i].sentence : NULL);
		}
		cycles_check_destroy(check);
	}
	cycles_check_destroy(NULL);
}

/* An instruction that is no branch commits without one. */
TEST(other_commits_are_free)
{
	struct config config;
	struct tried t;

	machine(&config);
	struct cycles_check *check = cycles_check_create(&config);
	plain(&t, 0);
	t.cycle.event_count = 1;
	t.events[0] =
		(struct cycle_event){.kind = EVENT_COMMIT, .detail = (uint16_t)~COMMIT_BRANCH};
	assert_says(check, &t, NULL);
	cycles_check_destroy(check);
}

/* ---- the events of one cycle ---- */

/* After two branches that were fetched, dispatched at slots 0 and 1, and a third fetched. */
static struct cycles_check *with_branches(void)
{
	struct config config;
	struct tried t;

	machine(&config);
	struct cycles_check *check = cycles_check_create(&config);
	for (unsigned i = 0; i < 2; i++) {
		plain(&t, i);
		for (unsigned k = 0; k < 2 + !i; k++)
			t.events[k] = (struct cycle_event){.kind = i ? D : F, .slot = k};
		t.cycle.event_count = 2 + !i;
		assert_says(check, &t, NULL);
	}
	return check;
}

#define TOO_MUCH "there are more events than the core can have in a cycle"
#define ORDER	 "events are not in the order of the core's stages"

TEST(a_cycle_has_so_many_events)
{
	static const struct {
		uint8_t kinds[6], count;
		uint8_t fetched, dispatched, committed;
		const char *sentence;
	} cases[] = {
		{{M, R, C, D}, 4, 0, 1, 1, NOT_FETCHED},
		{{R, C, D}, 3, 0, 1, 1, NULL},
		{{C, D, F}, 3, 1, 1, 1, NULL},
		{{R, M}, 2, 6, 4, 5, ORDER},
		{{C, R}, 2, 6, 4, 5, ORDER},
		{{D, C}, 2, 6, 4, 5, ORDER},
		{{C, D, F, D}, 4, 6, 4, 5, ORDER},
		{{C, F, C}, 3, 6, 4, 5, ORDER},
		/* The others may stand anywhere. */
		{{EVENT_FETCH, C, EVENT_ISSUE, D, EVENT_SQUASH, F}, 6, 6, 4, 5, NULL},
		{{M}, 1, 0, 0, 0, NULL},
		{{M, M}, 2, 6, 4, 5, TOO_MUCH},
		{{R}, 1, 0, 0, 0, NULL},
		{{R, R}, 2, 6, 4, 5, TOO_MUCH},
		{{C, C}, 2, 6, 4, 2, NULL},
		{{C, C}, 2, 6, 4, 1, TOO_MUCH},
		{{D}, 1, 6, 1, 0, NULL},
		{{D}, 1, 6, 0, 5, TOO_MUCH},
		{{C, F}, 2, 1, 4, 5, NULL},
		{{C, F}, 2, 0, 4, 5, TOO_MUCH},
		{{C, C, F, F}, 4, 2, 4, 5, NULL},
		{{C, C, F, F}, 4, 1, 4, 5, TOO_MUCH},
	};
	struct tried t;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct cycles_check *check = with_branches();

		plain(&t, 2);
		t.cycle.event_count = cases[i].count;
		t.cycle.fetched = cases[i].fetched;
		t.cycle.dispatched = cases[i].dispatched;
		t.cycle.committed = cases[i].committed;
		for (unsigned k = 0; k < cases[i].count; k++)
			t.events[k] = (struct cycle_event){.kind = cases[i].kinds[k],
							   .detail = COMMIT_BRANCH};
		assert_says(check, &t, cases[i].sentence);
		cycles_check_destroy(check);
	}
}

TEST(slots_are_those_of_the_machine)
{
	struct config config;
	struct tried t;

	machine(&config);
	for (unsigned beyond = 0; beyond < 2; beyond++) {
		struct cycles_check *check = cycles_check_create(&config);

		plain(&t, 0);
		t.cycle.event_count = 1;
		t.events[0] = (struct cycle_event){
			.kind = EVENT_FETCH,
			.slot = core_kind_of(&config, NULL)->in_flight(&config) - 1 + beyond};
		assert_says(check, &t, beyond ? "an event's slot is not one of the machine" : NULL);
		cycles_check_destroy(check);
	}
}

/* ---- counts ---- */

TEST(counts_fit_the_machine)
{
	static const char wide[] = "a cycle has more instructions than the core is wide";
	static const char many[] = "a record of many cycles has events";
	static const struct {
		uint64_t number, repeat;
		uint16_t fetched, dispatched, committed, rob_used, events;
		const char *sentence;
	} cases[] = {
		{7, 1, 6, 4, 5, 20, 0, NULL},
		{6, 1, 0, 0, 0, 0, 0, "a record does not follow the one before it"},
		{8, 1, 0, 0, 0, 0, 0, "a record does not follow the one before it"},
		{7, 1, 7, 0, 0, 0, 0, wide},
		{7, 1, 0, 5, 0, 0, 0, wide},
		{7, 1, 0, 0, 6, 0, 0, wide},
		{7, 1, 0, 0, 0, 21, 0, "more instructions are in the window than fit"},
		{7, 9, 0, 0, 0, 20, 0, NULL},
		{7, 2, 1, 0, 0, 0, 0, many},
		{7, 2, 0, 1, 0, 0, 0, many},
		{7, 2, 0, 0, 1, 0, 0, many},
		{7, 2, 0, 0, 0, 0, 1, many},
		{7, 1, 0, 0, 0, 0, 1, NULL},
	};
	struct config config;
	struct tried t;

	machine(&config);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct cycles_check *check = cycles_check_create(&config);

		/* Seven cycles come before. */
		plain(&t, 0);
		t.cycle.fetched = t.cycle.dispatched = t.cycle.committed = 0;
		t.cycle.repeat = 7;
		assert_says(check, &t, NULL);
		plain(&t, cases[i].number);
		t.cycle.repeat = cases[i].repeat;
		t.cycle.fetched = cases[i].fetched;
		t.cycle.dispatched = cases[i].dispatched;
		t.cycle.committed = cases[i].committed;
		t.cycle.rob_used = cases[i].rob_used;
		t.cycle.event_count = cases[i].events;
		t.events[0].kind = EVENT_FETCH;
		assert_says(check, &t, cases[i].sentence);
		cycles_check_destroy(check);
	}
}

/* In-order cores list nothing, out-of-order ones everything. */
TEST(what_retires_is_listed)
{
	struct config config;
	struct tried t;

	machine(&config);
	for (unsigned in_order = 0; in_order < 2; in_order++) {
		config.core_kind = in_order ? CORE_INORDER : CORE_OOO;
		struct cycles_check *check = cycles_check_create(&config);

		plain(&t, 0);
		t.cycle.fetched = t.cycle.dispatched = t.cycle.committed = 0;
		t.cycle.retired = NULL;
		assert_says(check, &t, NULL);
		t.cycle.number = 1;
		t.cycle.committed = 1;
		assert_says(check, &t, in_order ? NULL : "instructions retire that are not listed");
		cycles_check_destroy(check);
	}
}

TEST(waits_make_sense)
{
	static const char walk[] = "a page walk takes longer than the TLB miss it is part of";
	static const char brought[] = "an instruction without waits has a line from a wrong path";
	static const struct {
		uint16_t marks;
		uint8_t has_waits;
		uint32_t fetch, data, store, fetch_walk, data_walk, store_walk;
		const char *sentence;
	} cases[] = {
		{16383, 1, 0, 0, 0, 0, 0, 0, NULL},
		{16384, 1, 0, 0, 0, 0, 0, 0, "an instruction has a mark that there is not"},
		{1024, 0, 0, 0, 0, 0, 0, 0, brought},
		{4096, 0, 0, 0, 0, 0, 0, 0, brought},
		{1024 + 4096, 1, 0, 0, 0, 0, 0, 0, NULL},
		{16383 - 1024 - 4096, 0, 0, 0, 0, 0, 0, 0, NULL},
		{0, 1, 10, 20, 30, 10, 20, 30, NULL},
		{0, 1, 10, 20, 30, 11, 20, 30, walk},
		{0, 1, 10, 20, 30, 10, 21, 30, walk},
		{0, 1, 10, 20, 30, 10, 20, 31, walk},
		/* Waits that are of no instruction. */
		{0, 0, 10, 20, 30, 11, 21, 31, NULL},
	};
	struct config config;
	struct tried t;

	machine(&config);
	/* The last of five; the third has waits, too. */
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct cycles_check *check = cycles_check_create(&config);

		plain(&t, 0);
		t.retired[2].has_waits = 1;
		t.waits[0] = (struct cycle_waits){.fetch = {5}, .fetch_walk = 5};
		t.retired[4].marks = cases[i].marks;
		t.retired[4].has_waits = cases[i].has_waits;
		t.waits[1] = (struct cycle_waits){.fetch = {cases[i].fetch},
						  .data = {cases[i].data},
						  .store = {cases[i].store},
						  .fetch_walk = cases[i].fetch_walk,
						  .data_walk = cases[i].data_walk,
						  .store_walk = cases[i].store_walk};
		assert_says(check, &t, cases[i].sentence);
		cycles_check_destroy(check);
	}
}
