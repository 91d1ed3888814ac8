#include "doc/doc_csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "doc/number.h"

/* A spreadsheet computes what begins like this, unless it is a number. */
static bool is_formula(const char *text)
{
	size_t digits = strspn(text + (*text == '-' || *text == '+'), "0123456789");

	return *text && strchr("=+-@\t\r", *text) && (!digits || text[1 + digits]);
}

/* Standard output may be a terminal: what would be a command to it is replaced. */
static void put_field(FILE *out, const char *text)
{
	const bool is_quoted = strpbrk(text, "\",\r\n");
	const size_t length = strlen(text);
	char *shown = mem_alloc(length + 1);

	if (is_quoted)
		fputc('"', out);
	if (is_formula(text))
		fputc('\'', out);
	printable_copy(shown, length, (const uint8_t *)text, length);
	for (const char *c = shown; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	if (is_quoted)
		fputc('"', out);
	free(shown);
}

struct writer {
	FILE *out;
	const struct doc_table *table;
	unsigned levels;      /* columns of names */
	const char **parents; /* the last name of each level */
	bool is_begun;	      /* the line has a field */
};

static void next_field(struct writer *w)
{
	if (w->is_begun)
		fputc(',', w->out);
	w->is_begun = true;
}

static void put_text(struct writer *w, const char *text)
{
	next_field(w);
	put_field(w->out, text);
}

static void put_number(struct writer *w, double value)
{
	char text[NUMBER_BYTES];

	next_field(w);
	fputs(number_exact(text, value), w->out);
}

static void end_line(struct writer *w)
{
	fputs("\n", w->out);
	w->is_begun = false;
}

/* A bar repeats a number of another column. */
static bool is_written(const struct doc_column *column)
{
	return (column->where & DOC_IN_CSV) && column->unit != DOC_BAR;
}

static void put_titles(struct writer *w)
{
	const struct doc_table *table = w->table;

	for (unsigned i = 0; i < w->levels; i++) {
		char title[64];

		snprintf(title, sizeof(title), i ? "%s, level %u" : "%s", table->names, i + 1);
		put_text(w, title);
	}
	for (size_t i = 0; i < table->column_count; i++) {
		const struct doc_column *column = &table->columns[i];

		if (!is_written(column))
			continue;
		if (column->unit != DOC_STACK)
			put_text(w, column->title);
		for (size_t k = 0; column->unit == DOC_STACK && k < table->part_count; k++)
			put_text(w, table->parts[k].name);
	}
	end_line(w);
}

/* The values of a curve are one field, with spaces between. */
static void put_values(struct writer *w, const struct doc_cell *cell)
{
	char text[NUMBER_BYTES];

	next_field(w);
	for (size_t i = 0; i < cell->value_count; i++)
		fprintf(w->out, "%s%s", i ? " " : "", number_exact(text, cell->values[i]));
}

static void put_cell(struct writer *w, const struct doc_column *column, const struct doc_cell *cell)
{
	if (column->unit == DOC_STACK)
		for (size_t i = 0; i < w->table->part_count; i++)
			if (i < cell->value_count)
				put_number(w, cell->values[i]);
			else
				put_text(w, "");
	else if (column->unit == DOC_SPARK)
		put_values(w, cell);
	else if (cell->kind == DOC_VALUE)
		put_number(w, cell->value);
	else
		put_text(w, cell->kind == DOC_TEXT ? cell->words : "");
}

static void put_row(struct writer *w, const struct doc_row *row)
{
	const struct doc_table *table = w->table;

	if (table->has_names)
		w->parents[row->level] = row->name;
	for (unsigned i = 0; i < w->levels; i++)
		put_text(w, i <= row->level ? w->parents[i] : "");
	for (size_t i = 0; i < table->column_count; i++)
		if (is_written(&table->columns[i]))
			put_cell(w, &table->columns[i], &row->cells[i]);
	end_line(w);
}

static void write_table(FILE *out, const struct doc_table *table)
{
	struct writer w = {.out = out, .table = table};

	for (size_t i = 0; table->has_names && i < table->row_count; i++)
		if (table->rows[i].level + 1 > w.levels)
			w.levels = table->rows[i].level + 1;
	if (table->has_names && !w.levels)
		w.levels = 1;
	w.parents = mem_alloc_array(w.levels + 1, sizeof(*w.parents));
	put_titles(&w);
	for (size_t i = 0; i < table->row_count; i++)
		if (table->rows[i].where & DOC_IN_CSV)
			put_row(&w, &table->rows[i]);
	free(w.parents);
}

static bool has_csv(const struct doc_block *block)
{
	return block->kind == DOC_TABLE && block->id && (block->where & DOC_IN_CSV);
}

/* No such table: says which there are. */
static bool refuse(const struct doc *doc, const char *id, struct err *err)
{
	char names[512] = "";

	for (const struct doc_block *block = &doc->root; block; block = doc_next(block))
		if (has_csv(block))
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				 *names ? ", " : "", block->id);
	if (!*names)
		return err_set(err, "this result has no table to write as CSV");
	return err_set(err, "there is no table \"%s\" in this result; there is %s", id, names);
}

bool doc_csv_write(FILE *out, const struct doc *doc, const char *id, struct err *err)
{
	const struct doc_block *block = &doc->root;

	while (block && !(has_csv(block) && (!id || strcmp(block->id, id) == 0)))
		block = doc_next(block);
	if (!block)
		return refuse(doc, id ? id : "", err);
	write_table(out, block->table);
	return true;
}
