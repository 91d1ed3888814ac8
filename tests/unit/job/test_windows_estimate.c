/* windows_estimate: of windows that are kept, weighed by cycles, with what a machine gains for each
 * cycle charged to the instructions for which it is ideal; on windows made by hand. */
#include "../replace.h"
#include "../test.h"
#include "base/array.h"
#include "job/windows_state.h"

static struct reading run;

static uint64_t run_instructions(const struct simulation *simulation)
{
	(void)simulation;
	return run.instructions;
}
REPLACE(simulation_instructions, run_instructions);

static uint64_t run_cycles(const struct simulation *simulation)
{
	(void)simulation;
	return run.cycles;
}
REPLACE(simulation_cycles, run_cycles);

#define WINDOW 1000 /* instructions */

/* A run of strata, each with a window that is like all of it. */
struct made {
	struct windows windows;
	struct stratum list[32];
};

static void begin(struct made *made)
{
	*made = (struct made){.windows = {.plan = {.count = 1,
						   .schedule = {.keeps = 32},
						   .counts_slots = true,
						   .counts_at = true}}};
	made->windows.list = made->list;
	run = (struct reading){0};
}

/* `at` of a hundred slots are charged to the instructions; `gained` of a hundred cycles go away. */
static void add(struct made *made, uint64_t windows, uint64_t cycles, uint64_t at, uint64_t gained)
{
	struct readings *r = calloc(1, sizeof(*r) + 2 * sizeof(struct measured) + sizeof(uint64_t));
	struct stratum *s = &made->list[made->windows.count++];

	s->begin = run;
	run.instructions += windows * WINDOW;
	run.cycles += windows * cycles;
	s->end = run;
	s->readings = r;
	r->slots[CAUSE_BASE] = 100;
	*slots_at(r, 1) = at;
	r->measured[0].all = (struct reading){WINDOW, cycles};
	r->measured[0].half = (struct reading){WINDOW / 2, cycles / 2};
	cycles -= cycles * gained / 100;
	r->measured[1].all = (struct reading){WINDOW, cycles};
	r->measured[1].half = (struct reading){WINDOW / 2, cycles / 2};
}

static struct windows_estimate ask(const struct made *made, double cycles_at)
{
	return windows_estimate(&made->windows, &(struct windows_question){.machine = 0,
									   .less = WINDOWS_RUN,
									   .cycles_at = cycles_at});
}

static void end(struct made *made)
{
	for (size_t i = 0; i < made->windows.count; i++)
		free(made->list[i].readings);
}

static void check_near(double value, double expected, double off)
{
	if (value < expected - off || value > expected + off)
		fail_msg("%g is not %g +- %g", value, expected, off);
}

/* Strata count by their cycles: the slow one is most of the run. */
TEST(strata_weigh_by_cycles)
{
	struct made made;

	begin(&made);
	for (unsigned i = 0; i < 8; i++)
		add(&made, 1, 1000, 0, 0);
	add(&made, 1, 8000, 0, 50);
	const struct windows_estimate e = ask(&made, 0);
	assert_int_equal(e.windows, 9);
	check_near(e.cycles, -4000, 0.01);
	/* All of it is in windows: what is left is that state changes slowly. */
	check_near(e.error, 0.003 * 16000 + 0.02 * 4000, 0.01);
	end(&made);
}

/* Each charged cycle gains half: the whole run has more of them than the windows show. */
TEST(what_is_charged_in_the_whole_run_counts)
{
	struct made made;

	begin(&made);
	for (unsigned i = 0; i < 20; i++)
		add(&made, 10, 2000, i % 4 * 10, i % 4 * 5);
	const double seen = 200 * 2000 * 0.15;
	struct windows_estimate e = ask(&made, seen);
	check_near(e.cycles, -seen / 2, 1);
	check_near(e.error, 0.003 * 400000 + 0.02 * seen / 2, 1);
	e = ask(&made, 1.2 * seen);
	check_near(e.cycles, -0.6 * seen, 1);
	/* Without comparing, the differences of neighbours are all there is to tell how firm it is.
	 */
	const struct windows_estimate plain = ask(&made, 0);
	check_near(plain.cycles, -seen / 2, 1);
	assert_true(plain.error > 2 * e.error);
	end(&made);
}

/* No window has any of the charged cycles: they may all go away, or none. */
TEST(what_no_window_has_seen_is_not_known)
{
	struct made made;

	begin(&made);
	for (unsigned i = 0; i < 20; i++)
		add(&made, 10, 2000, 0, 0);
	const struct windows_estimate e = ask(&made, 30000);
	check_near(e.cycles, 0, 0.01);
	check_near(e.error, 30000 + 0.003 * 400000, 0.01);
	end(&made);
}

/* Seen in few windows, which differ: what lies outside of them counts whole, or as they differ. */
TEST(what_few_windows_have_seen_is_known_less)
{
	struct made made;

	begin(&made);
	for (unsigned i = 0; i < 20; i++)
		add(&made, 1, 2000, i < 2 ? 40 : 0, i < 2 ? 20 : 0);
	const double seen = 2 * 2000 * 0.4;
	const struct windows_estimate inside = ask(&made, seen), outside = ask(&made, 2 * seen);
	check_near(inside.cycles, -seen / 2, 1);
	check_near(outside.cycles, -seen, 1);
	check_near(outside.error - inside.error, seen, 1);
	end(&made);
}

/* With few windows nothing is fitted to them: they are taken as they are. */
TEST(few_windows_are_taken_as_they_are)
{
	struct made made;

	begin(&made);
	for (unsigned i = 0; i < 5; i++)
		add(&made, 1, 2000, 20, 10);
	const struct windows_estimate e = ask(&made, 2 * 2000.0);
	check_near(e.cycles, -1000, 0.01);
	assert_true(e.error > 2000 - 1);
	end(&made);
}
