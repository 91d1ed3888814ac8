#include "measure/pattern.h"

#include <stdio.h>
#include <string.h>

const struct pattern_row pattern_rows[PATTERN_COUNT] = {
#define PATTERN(id, text, about, what_helps) [PATTERN_##id] = {text, about, what_helps},
#include "measure/patterns.def"
#undef PATTERN
};

int pattern_named(const char *name)
{
	for (int i = 0; i < PATTERN_COUNT; i++)
		if (strcmp(pattern_rows[i].name, name) == 0)
			return i;
	return -1;
}

void pattern_find(const struct facts *facts, uint64_t pc, const uint64_t slots[CAUSE_COUNT],
		  const struct pattern_namer *namer, struct pattern_finding *finding)
{
	const struct fact *fact = facts_find(facts, pc);

	(void)slots;
	(void)namer;
	*finding = (struct pattern_finding){.pattern = PATTERN_NONE, .about = pc};
	if (!fact)
		return;
	snprintf(finding->evidence, sizeof(finding->evidence), "executed %llu times",
		 (unsigned long long)fact->executed);
}
