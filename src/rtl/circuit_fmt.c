/* The circuit of fmt (count/count_fmt.c), with the rule that charges every cycle once. */
#include "rtl/fmt_inputs.h"

/* Enough for the sum over all rows. */
#define SUM_BITS 32

static bool shape(const struct circuit_machine *machine, struct circuit_shape *shape,
		  struct err *err)
{
	if (!fmt_inputs_add(machine, &count_fmt, shape, err))
		return false;
	circuit_add_constant(shape, 0, "CLEARS");
	fmt_words_add(machine->config, SUM_BITS, "rows", shape);
	return true;
}

static void *create(const struct circuit_machine *machine)
{
	return fmt_model_create(machine, &count_fmt, fmt_read_words);
}

static void cycle(void *model, const struct cycle *c, struct stimulus *stimulus)
{
	fmt_inputs_set(model, c, stimulus);
	fmt_model_cycle(model, c, stimulus);
}

static const char *const templates[] = {"fmt",		"window",   "blocked",
					"branch_table", "counters", NULL};

const struct circuit_kind circuit_fmt = {
	.name = "fmt",
	.summary = "frontend miss event table, every cycle charged once",
	.events = EVENTS_USUAL,
	.templates = templates,
	.common = "tables",
	.shape = shape,
	.create = create,
	.cycle = cycle,
	.words = fmt_model_words,
	.destroy = fmt_model_destroy,
};
