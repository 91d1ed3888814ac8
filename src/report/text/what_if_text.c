#include "report/text/what_if_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/member.h"

#define WIDE_FROM      60 /* columns of a terminal in which cycles are printed in full */
#define CYCLES_COLUMNS 12
#define SHORT_COLUMNS  6
#define CELL_COLUMNS   7

static const char *const shares[] = {"gain", "mean_error", "largest_error"};

struct table {
	FILE *out;
	const struct terminal *terminal;
	double instructions;
	int cycles;	/* columns of the cycles */
	unsigned names; /* columns of the changes */
};

/* The changes, with spaces between; to be freed. */
static char *name_of(const json_t *answer)
{
	const json_t *changes = json_object_get(answer, "changes");
	size_t bytes = 1, i;
	json_t *change;

	json_array_foreach(changes, i, change) bytes += strlen(json_string_value(change)) + 1;
	char *text = mem_alloc(bytes);
	json_array_foreach(changes, i, change)
	{
		strcat(text, i ? " " : "");
		strcat(text, json_string_value(change));
	}
	return text;
}

/* A name that is too long has lines of its own. */
static void put_name(const struct table *t, const char *name)
{
	if (terminal_columns(t->terminal, name) > t->names) {
		terminal_put_words(t->out, t->terminal, 2, name);
		name = "";
	}
	terminal_put(t->out, t->terminal, name, t->names);
}

static void put_cycles(const struct table *t, double cycles)
{
	char count[TERMINAL_NUMBER_BYTES], cpi[TERMINAL_NUMBER_BYTES];

	if (t->cycles == SHORT_COLUMNS)
		terminal_short(count, cycles);
	else
		snprintf(count, sizeof(count), "%.0f", cycles);
	fprintf(t->out, " %*s %*s", t->cycles, count, CELL_COLUMNS,
		terminal_ratio(cpi, cycles, t->instructions));
}

static void print_answer(const struct table *t, const json_t *answer)
{
	char *name = name_of(answer), text[TERMINAL_NUMBER_BYTES];

	put_name(t, name);
	free(name);
	put_cycles(t, member_number(answer, "cycles"));
	for (size_t i = 0; i < ARRAY_COUNT(shares); i++)
		fprintf(t->out, " %*s", CELL_COLUMNS,
			terminal_percent(text, member_number(answer, shares[i]), 1));
	fputc('\n', t->out);
}

static unsigned names_columns(const struct table *t, const json_t *answers)
{
	const unsigned others = (unsigned)t->cycles + 1 + 4 * (CELL_COLUMNS + 1);
	unsigned widest = (unsigned)strlen("this run");
	json_t *answer;
	size_t i;

	json_array_foreach(answers, i, answer)
	{
		char *name = name_of(answer);
		unsigned columns = terminal_columns(t->terminal, name);

		free(name);
		/* One that does not fit anyway makes no room for itself. */
		if (columns > widest && columns + others <= t->terminal->width)
			widest = columns;
	}
	return widest + others <= t->terminal->width ? widest : 1;
}

void what_if_text_print(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *answers = json_object_get(result, "what_if");
	const json_t *values = json_object_get(result, "values");
	struct table t = {.out = out,
			  .terminal = terminal,
			  .instructions = member_number(values, "instructions"),
			  .cycles = terminal->width < WIDE_FROM ? SHORT_COLUMNS : CYCLES_COLUMNS};
	json_t *answer;
	size_t i;

	if (!json_array_size(answers))
		return;
	t.names = names_columns(&t, answers);
	fputc('\n', out);
	terminal_style(out, terminal, "1");
	terminal_put_words(out, terminal, 2, "What if the machine were another one");
	terminal_plain(out, terminal);
	fprintf(out, "%*s %*s %*s %*s %*s %*s\n", (int)t.names, "", t.cycles, "cycles",
		CELL_COLUMNS, "CPI", CELL_COLUMNS, "gain", CELL_COLUMNS, "error", CELL_COLUMNS,
		"at most");
	put_name(&t, "this run");
	put_cycles(&t, member_number(values, "cycles"));
	fputc('\n', out);
	json_array_foreach(answers, i, answer) print_answer(&t, answer);
	terminal_put_words(out, terminal, 2, WHAT_IF_NOTE);
}
