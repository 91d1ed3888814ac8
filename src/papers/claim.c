#include "papers/claim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "papers/path.h"
#include "value/member.h"

json_t *claim_object(const struct claim *claim, const struct claim_outcome *outcome)
{
	json_t *holds = outcome->verdict == CLAIM_UNDECIDED
				? json_null()
				: json_boolean(outcome->verdict == CLAIM_HOLDS);
	json_t *object = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "id", claim->id, "claim",
				   claim->claim, "section", claim->section, "test", claim->test,
				   "ours", outcome->ours, "holds", holds);

	if (outcome->is_counted) {
		json_object_set_new(object, "on", json_integer((json_int_t)outcome->on));
		json_object_set_new(object, "of", json_integer((json_int_t)outcome->of));
	}
	if (outcome->verdict == CLAIM_FAILS)
		json_object_set_new(object, "reason",
				    json_string(claim->reason ? claim->reason : "not known"));
	return object;
}

void claim_say(struct claim_outcome *outcome, const char *format, ...)
{
	size_t used = strlen(outcome->ours);
	va_list list;

	va_start(list, format);
	vsnprintf(outcome->ours + used, sizeof(outcome->ours) - used, format, list);
	va_end(list);
}

void claim_say_program(struct claim_outcome *outcome, const char *before, const json_t *program,
		       const char *after)
{
	const char *name = member_text(program, "name");

	name += *name == '@';
	claim_say(outcome, "%s%.*s%s", before, (int)strcspn(name, ":"), name, after);
}

void claim_set(struct claim_outcome *outcome, bool holds)
{
	outcome->verdict = holds ? CLAIM_HOLDS : CLAIM_FAILS;
}

void claim_set_counted(struct claim_outcome *outcome, const struct claim *claim, size_t on,
		       size_t of)
{
	outcome->is_counted = true;
	outcome->on = on;
	outcome->of = of;
	if (of)
		claim_set(outcome, claim->is_most ? 2 * on > of : on == of);
	else
		snprintf(outcome->ours, sizeof(outcome->ours), "no program has such events");
}

const json_t *claim_largest(const json_t *programs, claim_value *value, const char *path)
{
	const json_t *largest = NULL;
	json_t *program;
	size_t i;

	json_array_foreach(programs, i, program)
	{
		if (!largest || value(program, path) > value(largest, path))
			largest = program;
	}
	return largest;
}

size_t claim_count_within(const json_t *programs, claim_value *value, const char *path,
			  double limit)
{
	size_t i, count = 0;
	json_t *program;

	json_array_foreach(programs, i, program) count += value(program, path) <= limit;
	return count;
}

/* Adds, for example, "mean error naive 77.14 %, fmt 5.16 %"; returns the object with the values. */
static const json_t *say_percents(struct claim_outcome *outcome, const struct claim *claim,
				  const json_t *result, int places)
{
	const json_t *values = path_value(result, claim->path);

	for (size_t i = 0; claim->methods[i]; i++)
		claim_say(outcome, "%s%s %.*f %%", i ? ", " : claim->words, claim->methods[i],
			  places, 100 * member_number(values, claim->methods[i]));
	return values;
}

void claim_decide_falling(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *programs)
{
	const json_t *values = say_percents(outcome, claim, result, 2);
	bool holds = true;

	(void)programs;
	for (size_t i = 1; claim->methods[i]; i++)
		holds &= member_number(values, claim->methods[i]) <
			 member_number(values, claim->methods[i - 1]);
	claim_set(outcome, holds);
}

void claim_decide_above(struct claim_outcome *outcome, const struct claim *claim,
			const json_t *result, const json_t *programs)
{
	const json_t *values = say_percents(outcome, claim, result, 1);
	bool holds = true;

	(void)programs;
	for (size_t i = 0; claim->methods[i]; i++)
		holds &= member_number(values, claim->methods[i]) > claim->limit;
	claim_set(outcome, holds);
}

void claim_decide_little_more(struct claim_outcome *outcome, const struct claim *claim,
			      const json_t *result, const json_t *programs)
{
	const json_t *values = say_percents(outcome, claim, result, 2);

	(void)programs;
	claim_set(outcome, member_number(values, claim->methods[1]) -
					   member_number(values, claim->methods[0]) <=
				   claim->limit);
}

void claim_decide_each_below(struct claim_outcome *outcome, const struct claim *claim,
			     const json_t *result, const json_t *programs)
{
	size_t on = 0, of = json_array_size(programs), i;
	double sum = 0;
	json_t *program;

	(void)result;
	json_array_foreach(programs, i, program) sum += claim->value(program, claim->path);
	claim_say(
		outcome, "largest %.2f %%, mean %.2f %%",
		100 * claim->value(claim_largest(programs, claim->value, claim->path), claim->path),
		100 * sum / (double)of);
	json_array_foreach(programs, i, program)
	{
		if (claim->value(program, claim->path) < claim->limit) {
			on++;
			continue;
		}
		claim_say_program(outcome, "; ", program, "");
		claim_say(outcome, " %.2f %%", 100 * claim->value(program, claim->path));
	}
	claim_set_counted(outcome, claim, on, of);
}

void claim_decide_each_within(struct claim_outcome *outcome, const struct claim *claim,
			      const json_t *result, const json_t *programs)
{
	const json_t *worst = claim_largest(programs, claim->value, claim->path);

	(void)result;
	claim_say(outcome, "at most %.2f %%", 100 * claim->value(worst, claim->path));
	claim_say_program(outcome, " (", worst, ")");
	claim_set_counted(outcome, claim,
			  claim_count_within(programs, claim->value, claim->path, claim->limit),
			  json_array_size(programs));
}

void claim_decide_each(struct claim_outcome *outcome, const struct claim *claim,
		       const json_t *result, const json_t *programs)
{
	struct claim_outcome against = {.ours = ""};
	size_t on = 0, of = 0, i;
	json_t *program;

	(void)result;
	json_array_foreach(programs, i, program)
	{
		if (claim->events && path_number(program, claim->events) <= 0)
			continue;
		of++;
		if (claim->holds_on(path_value(program, claim->path)))
			on++;
		else
			claim_say_program(&against, against.ours[0] ? ", " : "; not on ", program,
					  "");
	}
	for (size_t k = 0; claim->methods[k]; k++) {
		double sum = 0;

		json_array_foreach(programs, i, program)
		{
			if (!claim->events || path_number(program, claim->events) > 0)
				sum += member_number(path_value(program, claim->path),
						     claim->methods[k]);
		}
		claim_say(outcome, "%s%s %.1f", k ? ", " : claim->words, claim->methods[k],
			  sum / (double)of);
	}
	claim_say(outcome, "%s", against.ours);
	claim_set_counted(outcome, claim, on, of);
}
