#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/run.h"

/* Of the cycles, and of what its instructions take at full width: what base takes beyond that is
 * named if it is at least so much. */
#define SLOW_SHARE  0.1
#define SLOW_RATIO  0.5
#define PLACE_SHARE 0.01 /* of the cycles, for it to be said where a component lost them */

/* A share of the cycles, in percent. */
static void say_share(const struct run_report *run, struct doc_text *text, double cycles)
{
	doc_bold(text, "%s %%", doc_decimal(run->doc, 100 * common_ratio(cycles, run->cycles), 1));
}

/* Which cause most of a component's cycles go to, if it is one that the component's name does not
 * say. */
static void say_main_cause(const struct run_report *run, struct doc_text *text, int component)
{
	const struct stacks *p = run->stacks;
	int64_t all = 0;
	int main = 0;

	for (int i = 0; i < CAUSE_COUNT; i++) {
		if ((int)cause_component(p->levels, (enum cause)i) != component)
			continue;
		all += p->slots.causes[i];
		if (p->slots.causes[i] > p->slots.causes[main] || !main)
			main = i;
	}
	if (2 * p->slots.causes[main] <= all ||
	    strcmp(cause_rows[main].name, component_rows[component].name) == 0)
		return;
	doc_say(text, "; most of it to ");
	doc_bold(text, "%s", cause_rows[main].name);
	doc_say(text, ": %s", cause_rows[main].meaning);
}

/* A program can lose little to misses and yet leave most slots empty, because each of its
 * operations waits for the one before: what base takes beyond its instructions at full width, and
 * to what. */
static void say_slow_base(const struct run_report *run, struct doc_text *text)
{
	const struct stacks *p = run->stacks;
	const double least = run->instructions / (double)p->slots_per_cycle;
	double parts[CAUSE_COUNT] = {0}, beyond = 0;
	int main = CAUSE_BASE;

	for (int i = 0; i < CAUSE_COUNT; i++) {
		if (cause_component(p->levels, (enum cause)i) != COMPONENT_BASE)
			continue;
		parts[i] = stacks_cycles(p, p->slots.causes[i]) - (i == CAUSE_BASE ? least : 0);
		beyond += parts[i];
		if (parts[i] > parts[main])
			main = i;
	}
	if (beyond < SLOW_SHARE * run->cycles || beyond < SLOW_RATIO * least)
		return;
	doc_say(text, " A further ");
	say_share(run, text, beyond);
	doc_say(text,
		" are base, more than the instructions take at full width; the largest part, ");
	say_share(run, text, parts[main]);
	doc_say(text, ", to ");
	doc_bold(text, "%s", main == CAUSE_BASE ? "fetch" : cause_rows[main].name);
	doc_say(text, ": %s.",
		main == CAUSE_BASE ? "slots it could not fill" : cause_rows[main].meaning);
}

/* How much of a whole a part is. */
static const char *amount_word(int64_t part, int64_t whole)
{
	return part >= whole		? "all"
	       : 10 * part >= 9 * whole ? "nearly all"
	       : 2 * part >= whole	? "most"
					: "the largest part";
}

/* Where the cycles of a component were lost, in slots. */
struct concentration {
	int64_t all;				/* slots of the component in the run */
	size_t functions;			/* the fewest that have nearly all of them */
	const struct stacks_function *function; /* that has most; NULL if none has any */
	int64_t of_function;
	const struct stacks_line *line;	      /* of any function; NULL if no line is known */
	const struct stacks_function *around; /* the function of the line */
	int64_t of_line;
	const struct stacks_line *inner; /* the same of the lines of `function` */
	int64_t of_inner;
};

static void concentrate_lines(const struct stacks *p, int component,
			      const struct stacks_function *f, struct concentration *found)
{
	bool is_most = found->function == f;

	for (size_t i = 0; i < f->line_count; i++) {
		const struct stacks_line *line = &f->lines[i];
		const int64_t slots = stacks_of_slots(p, &line->slots).cycles[component];

		if (!*line->file || !line->line)
			continue;
		if (slots > found->of_line) {
			found->line = line;
			found->around = f;
			found->of_line = slots;
		}
		if (is_most && slots > found->of_inner) {
			found->inner = line;
			found->of_inner = slots;
		}
	}
}

static int by_size(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a < b) - (a > b);
}

/* The fewest numbers that add up to nearly all of a whole; sorts them. */
static size_t count_largest(int64_t *numbers, size_t count, int64_t whole)
{
	int64_t sum = 0;
	size_t i = 0;

	if (count)
		qsort(numbers, count, sizeof(*numbers), by_size);
	while (i < count && 10 * sum < 9 * whole)
		sum += numbers[i++];
	return i;
}

static struct concentration concentrate(const struct stacks *p, int component)
{
	int64_t *by_slots = mem_alloc_array(p->function_count, sizeof(*by_slots));
	struct concentration found = {.all = stacks_of_slots(p, &p->slots).cycles[component]};

	for (size_t i = 0; i < p->function_count; i++) {
		const struct stacks_function *f = &p->functions[i];
		const int64_t slots = stacks_of_slots(p, &f->slots).cycles[component];

		by_slots[i] = slots;
		if (slots > found.of_function) {
			found.function = f;
			found.of_function = slots;
		}
	}
	for (size_t i = 0; i < p->function_count; i++)
		concentrate_lines(p, component, &p->functions[i], &found);
	found.functions = count_largest(by_slots, p->function_count, found.all);
	free(by_slots);
	return found;
}

/* A function by its name, or what code without one is. */
static void say_function(struct doc_text *text, const struct stacks_function *f)
{
	if (strcmp(f->name, "(unknown)") == 0)
		doc_say(text, "code without a symbol");
	else
		doc_word(text, f->name);
}

/* At which line, in which function, or over how many functions a component lost its cycles. */
static void say_where(const struct run_report *run, struct doc_text *text, int component)
{
	const struct stacks *p = run->stacks;
	const struct concentration at = concentrate(p, component);

	/* "(other)" is what the result does not list. */
	if (!at.function || strcmp(at.function->name, "(other)") == 0 ||
	    stacks_cycles(p, at.all) < PLACE_SHARE * run->cycles)
		return;
	if (2 * at.of_line >= at.all) {
		doc_say(text, "; %s of that at ", amount_word(at.of_line, at.all));
		doc_word(text, common_place(run->doc, at.line->file, at.line->line));
		doc_say(text, " in ");
		say_function(text, at.around);
	} else if (2 * at.of_function >= at.all) {
		doc_say(text, "; %s of that in ", amount_word(at.of_function, at.all));
		say_function(text, at.function);
		if (!at.inner)
			return;
		doc_say(text, ", %s of it, ", amount_word(at.of_inner, at.of_function));
		say_share(run, text, stacks_cycles(p, at.of_inner));
		doc_say(text, ", at ");
		doc_word(text, common_place(run->doc, at.inner->file, at.inner->line));
	} else {
		doc_say(text, "; nearly all of that in %zu functions, of which ", at.functions);
		say_function(text, at.function);
		doc_say(text, " has most, ");
		say_share(run, text, stacks_cycles(p, at.of_function));
	}
}

/* By one rule for every run: how much is lost, to what most, and where. */
void run_verdict(const struct run_report *run)
{
	const int64_t *cycles = run->stacks->methods[0].stack.cycles;
	const int64_t lost = run->stacks->cycles - cycles[COMPONENT_BASE];
	struct doc_text *text = doc_text(run->doc, DOC_VERDICT);
	int worst = COMPONENT_BASE + 1;

	for (int i = worst + 1; i < COMPONENT_COUNT; i++)
		if (cycles[i] > cycles[worst])
			worst = i;
	say_share(run, text, (double)lost);
	doc_say(text, " of the cycles are lost");
	if (cycles[worst] > 0) {
		doc_say(text, ", %s%s, ", amount_word(cycles[worst], lost),
			2 * cycles[worst] >= lost ? " of them" : "");
		say_share(run, text, (double)cycles[worst]);
		doc_say(text, ", to ");
		doc_swatch(text, doc_component(worst));
		doc_bold(text, "%s", component_rows[worst].name);
		doc_say(text, ": %s", component_rows[worst].meaning);
		if (worst == COMPONENT_RESOURCE)
			say_main_cause(run, text, worst);
		say_where(run, text, worst);
	}
	doc_say(text, ".");
	say_slow_base(run, text);
}
