#include "report/text/diff_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANGES_SHOWN  10 /* with the other lines, about one screen */
#define NUMBER_COLUMNS 54 /* columns of A, B, difference and percent */
#define NUMBER_BYTES   64

static void print_headings(FILE *out, unsigned columns, const char *title)
{
	fprintf(out, "%-*s  %14s %14s %14s %9s\n", (int)columns, title, "A", "B", "difference",
		"percent");
}

static void number_text(char text[NUMBER_BYTES], const struct compare_row *row, double value,
			bool sign)
{
	if (isnan(value))
		snprintf(text, NUMBER_BYTES, "-");
	else if (row->is_whole)
		snprintf(text, NUMBER_BYTES, sign && value != 0 ? "%+.0f" : "%.0f", value);
	else
		snprintf(text, NUMBER_BYTES, sign && value != 0 ? "%+.3f" : "%.3f", value);
}

static void print_row(FILE *out, const struct compare_row *row, unsigned columns)
{
	char a[NUMBER_BYTES], b[NUMBER_BYTES], change[NUMBER_BYTES], relative[NUMBER_BYTES] = "-";
	double percent = compare_percent(row);

	number_text(a, row, row->a, false);
	number_text(b, row, row->b, false);
	number_text(change, row, row->b - row->a, true);
	if (isfinite(percent))
		snprintf(relative, sizeof(relative), row->a != row->b ? "%+.2f%%" : "%.2f%%",
			 percent);
	fprintf(out, "%-*s  %14s %14s %14s %9s\n", (int)columns, row->name, a, b, change, relative);
}

/* A name such as main (sort.c) or src/sort.c:12. The caller owns it. */
static char *change_name(const struct change *change)
{
	const char *file = change->file ? change->file : "", *slash = strrchr(file, '/');
	char *text = NULL;
	int bytes;

	if (!change->name && !change->line)
		bytes = asprintf(&text, "%s, line unknown", *file ? file : "?");
	else if (!change->name)
		bytes = asprintf(&text, "%s:%" PRId64, *file ? file : "?", change->line);
	else if (*file)
		bytes = asprintf(&text, "%s (%s)", change->name, slash ? slash + 1 : file);
	else
		bytes = asprintf(&text, "%s", change->name);
	BUG_ON(bytes < 0);
	return text;
}

static void print_change(FILE *out, const struct change *change, const struct terminal *terminal,
			 unsigned columns, const char *name)
{
	double difference = change->b - change->a;
	char a[NUMBER_BYTES] = "-", b[NUMBER_BYTES] = "-", relative[NUMBER_BYTES] = "-";

	if (change->is_in_a)
		snprintf(a, sizeof(a), "%.0f", change->a);
	if (change->is_in_b)
		snprintf(b, sizeof(b), "%.0f", change->b);
	if (change->a > 0)
		snprintf(relative, sizeof(relative), "%+.2f%%", 100 * difference / change->a);
	terminal_put(out, terminal, name, columns);
	/* A change of less than a cycle must not be shown as 0. */
	fprintf(out, "  %14s %14s %+14.*f %9s\n", a, b, fabs(difference) <= 0.5 ? 2 : 0, difference,
		relative);
}

static void print_changes(FILE *out, const char *title, const struct change *changes, size_t count,
			  const struct terminal *terminal)
{
	unsigned columns = (unsigned)strlen(title);
	unsigned most = terminal->width > 2 + NUMBER_COLUMNS + columns
				? terminal->width - 2 - NUMBER_COLUMNS
				: columns;
	char *names[CHANGES_SHOWN + 1];
	/* A line "and 1 more" would take as much space as that change. */
	size_t shown_count = count <= CHANGES_SHOWN + 1 ? count : CHANGES_SHOWN;

	for (size_t i = 0; i < shown_count; i++) {
		names[i] = change_name(&changes[i]);
		unsigned needed = terminal_columns(terminal, names[i]);

		columns = needed > columns ? needed : columns;
	}
	if (columns > most)
		columns = most;
	print_headings(out, columns, title);
	for (size_t i = 0; i < shown_count; i++) {
		print_change(out, &changes[i], terminal, columns, names[i]);
		free(names[i]);
	}
	if (shown_count < count)
		fprintf(out, "and %zu more\n", count - shown_count);
	fputc('\n', out);
}

void diff_text_print(FILE *out, const struct comparison *c, const struct terminal *terminal)
{
	unsigned columns = 12;

	for (size_t i = 0; i < json_array_size(c->notes); i++) {
		fputs("note: ", out);
		terminal_put_all(out, terminal, json_string_value(json_array_get(c->notes, i)));
		fputc('\n', out);
	}
	if (json_array_size(c->notes))
		fputc('\n', out);
	for (size_t i = 0; i < c->row_count; i++)
		if (strlen(c->rows[i].name) > columns)
			columns = (unsigned)strlen(c->rows[i].name);
	print_headings(out, columns, "");
	for (size_t i = 0; i < c->first_count; i++)
		print_row(out, &c->rows[i], columns);
	fputc('\n', out);
	for (size_t i = 0; i < COMPARE_SECTIONS; i++)
		if (c->change_counts[i])
			print_changes(out, compare_sections[i].title, c->changes[i],
				      c->change_counts[i], terminal);
	for (size_t i = c->first_count; i < c->row_count && c->difference_count; i++)
		print_row(out, &c->rows[i], columns);
	if (!c->difference_count)
		fputs("no value differs\n", out);
}
