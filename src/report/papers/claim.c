#include "report/papers/claim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void claim_say_program(struct claim_outcome *outcome, const json_t *program)
{
	const char *name = member_text(program, "name");

	name += *name == '@';
	claim_say(outcome, "%.*s", (int)strcspn(name, ":"), name);
}

void claim_say_where(struct claim_outcome *outcome, const json_t *program)
{
	claim_say(outcome, " (");
	claim_say_program(outcome, program);
	claim_say(outcome, ")");
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

void claim_say_percents(struct claim_outcome *outcome, const char *const *names,
			const json_t *values, int places)
{
	for (size_t i = 0; names[i]; i++)
		claim_say(outcome, "%s%s %.*f %%", i ? ", " : "", names[i], places,
			  100 * member_number(values, names[i]));
}

const json_t *claim_largest(const json_t *programs, claim_value *value, const char *of)
{
	const json_t *largest = NULL;
	json_t *program;
	size_t i;

	json_array_foreach(programs, i, program)
	{
		if (!largest || value(program, of) > value(largest, of))
			largest = program;
	}
	return largest;
}

size_t claim_count_within(const json_t *programs, claim_value *value, const char *of, double limit)
{
	size_t i, count = 0;
	json_t *program;

	json_array_foreach(programs, i, program) count += value(program, of) <= limit;
	return count;
}
