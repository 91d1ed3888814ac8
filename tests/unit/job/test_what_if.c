/* Machines that a run is supposed to have had: which changes make one, and which are refused. */
#include "../test.h"

#include "base/array.h"
#include "job/what_if.h"

static struct config run;

static void machine_of_run(const char *const *changes)
{
	struct err err;

	config_default(&run);
	for (; *changes; changes++)
		assert_true(config_set(&run, *changes, &err));
	assert_true(config_settle(&run, &err));
}

#define RUN(...) machine_of_run((const char *const[]){__VA_ARGS__, NULL})

TEST(changes_make_another_machine_and_leave_the_run_as_it_is)
{
	struct config machine, before;
	struct err err;

	RUN("rob.size=64");
	before = run;
	assert_true(what_if_read(&machine, &run, "rob.size=32,fetch.width=2", &err));
	assert_int_equal(machine.rob_size, 32);
	assert_int_equal(machine.fetch_width, 2);
	machine.rob_size = run.rob_size;
	machine.fetch_width = run.fetch_width;
	assert_memory_equal(&machine, &run, sizeof(run));
	assert_memory_equal(&run, &before, sizeof(run));
	/* The last of two changes of one parameter counts, as with --set. */
	assert_true(what_if_read(&machine, &run, "rob.size=32,rob.size=48", &err));
	assert_int_equal(machine.rob_size, 48);
	/* Whether a change matters is asked of the machine that all of them make. */
	assert_true(what_if_read(&machine, &run, "ideal.branch=true,rob.size=16", &err));
	assert_true(machine.ideal_branch);
}

TEST(what_cannot_be_answered_is_refused)
{
	static const struct {
		const char *changes, *sentence;
	} rows[] = {
		{"rob.sise=32", "did you mean rob.size"},
		{"rob.size=32,,fetch.width=2", "key=value"},
		{"", "key=value"},
		{"rob.size", "key=value"},
		{"rob.size=0", "rob.size"},
		{"rob.size=32,l1d.size_bytes=8192",
		 "l1d.size_bytes cannot be answered from this run: its caches hold what "
		 "those of its own machine do"},
		{"core.kind=inorder", "core.kind cannot be answered from this run"},
		/* On a machine without a store set. */
		{"lsq.disambiguation=predict", "lsq.disambiguation=predict cannot be answered from "
					       "this run, which has learnt no store sets"},
		/* Of another kind of core. */
		{"inorder.load_use_bubble_cycles=3", "inorder.load_use_bubble_cycles"},
	};
	struct config machine;
	struct err err;

	RUN("lsq.disambiguation=conservative");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (what_if_read(&machine, &run, rows[i].changes, &err))
			fail_msg("%s is accepted", rows[i].changes);
		if (!strstr(err.text, rows[i].sentence))
			fail_msg("%s: %s", rows[i].changes, err.text);
	}
	/* What a run has learnt can be left out, and used again. */
	RUN("lsq.disambiguation=predict");
	assert_true(what_if_read(&machine, &run, "lsq.disambiguation=predict,rob.size=32", &err));
	assert_true(what_if_read(&machine, &run, "lsq.disambiguation=conservative", &err));
	assert_int_equal(machine.disambiguation, DISAMBIGUATION_CONSERVATIVE);
}
