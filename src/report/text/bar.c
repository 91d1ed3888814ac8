#include "report/text/bar.h"

#include <string.h>

#include "report/text/terminal.h"

void bar_segments(const struct stack *stack, double whole, unsigned columns,
		  unsigned segments[COMPONENT_COUNT])
{
	double rest[COMPONENT_COUNT] = {0}, sum = 0;
	unsigned used = 0, wanted;

	memset(segments, 0, COMPONENT_COUNT * sizeof(segments[0]));
	for (int i = 0; i < COMPONENT_COUNT; i++)
		sum += stack->cycles[i] > 0 ? (double)stack->cycles[i] : 0;
	if (sum <= 0)
		return;
	if (whole < sum)
		whole = sum;
	wanted = (unsigned)(sum / whole * columns + 0.5);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		double share = stack->cycles[i] > 0 ? (double)stack->cycles[i] / sum * wanted : 0;

		segments[i] = (unsigned)share;
		rest[i] = share - segments[i];
		used += segments[i];
	}
	for (; used < wanted; used++) {
		int most = 0;

		for (int i = 1; i < COMPONENT_COUNT; i++)
			if (rest[i] > rest[most])
				most = i;
		segments[most]++;
		rest[most] = -1;
	}
}

unsigned bar_put(FILE *out, const struct terminal *terminal, const struct stack *stack,
		 double whole, unsigned columns)
{
	unsigned segments[COMPONENT_COUNT], used = 0;

	bar_segments(stack, whole, columns, segments);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const struct component_row *row = &component_rows[i];

		if (!segments[i])
			continue;
		if (terminal->colour)
			fprintf(out, "\033[48;5;%u;38;5;%um", row->colour, row->is_dark ? 231 : 16);
		for (unsigned k = 0; k < segments[i]; k++)
			fputc(row->letter, out);
		if (terminal->colour)
			fputs("\033[0m", out);
		used += segments[i];
	}
	return used;
}
