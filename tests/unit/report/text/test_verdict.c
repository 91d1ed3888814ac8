/* The sentence a report of a run opens with. */
#include "../printed.h"

#include "report/text/verdict.h"

static const struct verdict_marks none = {"", "", NULL, NULL};

/* 1000 cycles unless told otherwise. */
static void is_verdict(const struct stack *stack, int64_t cycles, const struct verdict_marks *marks,
		       const char *wanted)
{
	struct profile_method methods[2] = {{.stack = *stack}, {.stack = {.cycles = {[1] = 999}}}};
	struct profile profile = {.cycles = cycles, .methods = methods, .method_count = 2};
	struct printed p;

	verdict_write(printed_open(&p), &profile, marks);
	printed_is(&p, wanted);
}

#define STACK(...) (&(const struct stack){.cycles = {__VA_ARGS__}})

static void the_largest_component_but_base_is_named(void **state)
{
	(void)state;
	is_verdict(STACK([COMPONENT_BASE] = 600, [COMPONENT_L1I] = 251, [COMPONENT_BRANCH] = 149),
		   1000, &none,
		   "40.0 % of the cycles are lost; the largest part, 25.1 %, to l1i: first-level "
		   "instruction cache misses.");
	is_verdict(STACK([COMPONENT_BASE] = 877, [COMPONENT_L1I] = 1, [COMPONENT_L2I] = 122), 1000,
		   &none,
		   "12.3 % of the cycles are lost; the largest part, 12.2 %, to l2i: second-level "
		   "instruction misses.");
	is_verdict(STACK([COMPONENT_BASE] = 100, [COMPONENT_BANDWIDTH] = 400,
			 [COMPONENT_RESOURCE] = 500),
		   1000, &none,
		   "90.0 % of the cycles are lost; the largest part, 50.0 %, to resource: long "
		   "operations, units taken, full store buffers, loads held back or replayed.");
	/* Of equal ones the first. */
	is_verdict(STACK([COMPONENT_BASE] = 200, [COMPONENT_BRANCH] = 400, [COMPONENT_L1D] = 400),
		   1000, &none,
		   "80.0 % of the cycles are lost; the largest part, 40.0 %, to branch: "
		   "mispredicted branches.");
	is_verdict(STACK([COMPONENT_BASE] = 999999, [COMPONENT_L1I] = 1), 1000000, &none,
		   "0.0 % of the cycles are lost; the largest part, 0.0 %, to l1i: first-level "
		   "instruction cache misses.");
}

/* 12.35 % and -12.35 % are rounded away from zero. */
static void without_a_loss_no_component_is_named(void **state)
{
	(void)state;
	is_verdict(STACK([COMPONENT_BASE] = 1000), 1000, &none, "0.0 % of the cycles are lost.");
	is_verdict(STACK([COMPONENT_BASE] = 8765), 10000, &none, "12.4 % of the cycles are lost.");
	is_verdict(STACK([COMPONENT_BASE] = 11235), 10000, &none,
		   "-12.4 % of the cycles are lost.");
	is_verdict(STACK([COMPONENT_BASE] = 5), 0, &none, "0.0 % of the cycles are lost.");
	is_verdict(STACK([COMPONENT_BASE] = 0), 1, &none, "100.0 % of the cycles are lost.");
}

static void marks_surround_what_matters(void **state)
{
	static const struct verdict_marks marks = {"<b>", "</b>", "<i ", ">"};

	(void)state;
	is_verdict(STACK([COMPONENT_BASE] = 600, [COMPONENT_DTLB] = 400), 1000, &marks,
		   "<b>40.0 %</b> of the cycles are lost; the largest part, <b>40.0 %</b>, to "
		   "<b><i dtlb>dtlb</b>: data TLB misses.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_component_but_base_is_named),
		cmocka_unit_test(without_a_loss_no_component_is_named),
		cmocka_unit_test(marks_surround_what_matters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
