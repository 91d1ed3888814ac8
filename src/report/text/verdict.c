#include "report/text/verdict.h"

#include <math.h>
#include <stdlib.h>

/* printf is not used for decimals: the user's locale may write them with a comma. */
static void put_percent(FILE *out, double part, double whole, const struct verdict_marks *marks)
{
	long tenths = whole > 0 ? lround(1000 * part / whole) : 0;

	fprintf(out, "%s%ld.%ld %%%s", marks->strong, tenths / 10, labs(tenths % 10), marks->plain);
}

void verdict_write(FILE *out, const struct profile *profile, const struct verdict_marks *marks)
{
	const int64_t *cycles = profile->methods[0].stack.cycles;
	double whole = (double)profile->cycles;
	int worst = COMPONENT_BASE + 1;

	for (int i = worst + 1; i < COMPONENT_COUNT; i++)
		if (cycles[i] > cycles[worst])
			worst = i;
	put_percent(out, whole - (double)cycles[COMPONENT_BASE], whole, marks);
	fputs(" of the cycles are lost", out);
	if (cycles[worst] > 0) {
		const struct component_row *row = &component_rows[worst];

		fputs("; the largest part, ", out);
		put_percent(out, (double)cycles[worst], whole, marks);
		fprintf(out, ", to %s", marks->strong);
		if (marks->before_colour)
			fprintf(out, "%s%s%s", marks->before_colour, row->name,
				marks->after_colour);
		fprintf(out, "%s%s: %s", row->name, marks->plain, row->meaning);
	}
	fputs(".", out);
}
