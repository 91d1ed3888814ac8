#include "doc/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "doc/cell.h"
#include "doc/text_bar.h"

#define LEAST_BAR   10 /* columns below which a bar is left out */
#define MOST_BAR    100
#define LEAST_WORDS 12 /* columns to which words and names are cut at most */
#define LEAST_WHOLE 24 /* columns that words ask for which are not cut */
#define INDENT	    2  /* columns by which a row below another is indented */

/* A column of the table as it is printed. */
struct shown {
	const struct doc_column *column;
	size_t index;
	unsigned width;
	unsigned whole; /* width that the longest of its cells needs */
	double most;	/* of the values of a bar */
	bool is_out;	/* there is no room for it */
};

struct layout {
	FILE *out;
	const struct doc_table *table;
	const struct terminal *terminal;
	struct shown *columns;
	size_t count;
	size_t end;	  /* of the columns of the block that is printed */
	unsigned names;	  /* width of the column of names, 0 if there is none */
	bool has_letters; /* rows have the letters of their colours before their names */
	bool has_short;	  /* counts are written as 1.23M */
	unsigned marks;	  /* width of the column in which > marks what stands out */
};

static bool is_bar(const struct doc_column *column)
{
	return column->unit == DOC_BAR || column->unit == DOC_STACK || column->unit == DOC_SPARK;
}

static bool is_left(const struct doc_column *column)
{
	return is_bar(column) || column->unit == DOC_WORDS || column->unit == DOC_CODE;
}

/* Rows of the first level, up to the limit, and what is below them unless it is folded and not
 * kept. */
struct walk {
	const struct doc_table *table;
	size_t next, shown;
	/* What is below the last row of the first level: */
	bool is_beyond; /* the limit */
	bool is_folded;
};

static const struct doc_row *walk_next(struct walk *walk)
{
	while (walk->next < walk->table->row_count) {
		const struct doc_row *row = &walk->table->rows[walk->next++];
		const size_t limit = walk->table->text_limit;

		if (!(row->where & DOC_IN_TEXT))
			continue;
		if (row->level == 0) {
			walk->is_folded = row->is_folded;
			walk->is_beyond = limit && !row->is_total && walk->shown++ >= limit;
		}
		if (!walk->is_beyond && (row->level == 0 || !walk->is_folded || row->is_kept))
			return row;
	}
	return NULL;
}

static const char *text_of(const struct layout *l, const struct doc_row *row,
			   const struct shown *shown, char text[CELL_BYTES])
{
	return cell_text(text, l->table, row, shown->index, l->has_short ? CELL_SHORT : CELL_PLAIN);
}

/* The lines of a listing. */
static bool is_source(const struct layout *l, const struct shown *shown)
{
	return shown->column->unit == DOC_CODE && l->table->is_listing;
}

/* Words that continue below. */
static bool is_whole(const struct layout *l, const struct shown *shown)
{
	return (shown->column->flags & DOC_WHOLE) && shown == &l->columns[l->count - 1];
}

static unsigned heading_width(const struct layout *l, const struct shown *shown)
{
	return terminal_columns(l->terminal, shown->column->title);
}

static void measure(struct layout *l, struct shown *shown)
{
	struct walk walk = {.table = l->table};
	char text[CELL_BYTES];

	/* What gets the room that is left asks for little. */
	const bool is_open = is_bar(shown->column) || is_source(l, shown);

	shown->width = is_open ? LEAST_BAR : heading_width(l, shown);
	for (const struct doc_row *row; !is_open && (row = walk_next(&walk));) {
		const unsigned needed = terminal_columns(l->terminal, text_of(l, row, shown, text));

		shown->width = needed > shown->width ? needed : shown->width;
	}
	shown->whole = shown->width;
	if (is_whole(l, shown) && shown->width > LEAST_WHOLE)
		shown->width = LEAST_WHOLE;
}

static unsigned name_indent(const struct layout *l, const struct doc_row *row)
{
	return INDENT * row->level + (l->has_letters ? 2 : 0);
}

/* Words beside the lines of a listing take a quarter at most. */
static void limit_words(struct layout *l)
{
	const unsigned quarter = l->terminal->width / 4;
	const unsigned most = quarter > LEAST_WORDS ? quarter : LEAST_WORDS;

	for (size_t i = 0; i < l->count && l->table->is_listing; i++)
		if (l->columns[i].column->unit == DOC_WORDS && l->columns[i].width > most)
			l->columns[i].width = most;
}

static void measure_names(struct layout *l)
{
	struct walk walk = {.table = l->table};

	if (!l->table->has_names)
		return;
	l->names = terminal_columns(l->terminal, l->table->names) + (l->has_letters ? 2 : 0);
	for (const struct doc_row *row; (row = walk_next(&walk));) {
		const unsigned needed =
			name_indent(l, row) + terminal_columns(l->terminal, row->name);

		l->names = needed > l->names ? needed : l->names;
	}
}

static unsigned sum_of(const struct layout *l)
{
	unsigned sum = l->marks + l->names;

	for (size_t i = 0; i < l->count; i++)
		if (!l->columns[i].is_out)
			sum += l->columns[i].width + (sum ? 1 : 0);
	return sum;
}

static bool fits(const struct layout *l)
{
	return sum_of(l) <= l->terminal->width;
}

/* Takes from a width what the table has too much of. */
static void shrink(const struct layout *l, unsigned *width, unsigned least)
{
	const unsigned sum = sum_of(l),
		       over = sum > l->terminal->width ? sum - l->terminal->width : 0;

	if (*width > least)
		*width = *width - least > over ? *width - over : least;
}

/* The widest column of words, for as long as it can give. */
static void shrink_words(struct layout *l)
{
	for (;;) {
		struct shown *widest = NULL;

		for (size_t i = 0; i < l->count; i++) {
			struct shown *s = &l->columns[i];

			if ((s->column->unit == DOC_WORDS || s->column->unit == DOC_CODE) &&
			    !s->is_out && s->width > LEAST_WORDS &&
			    (!widest || s->width > widest->width))
				widest = s;
		}
		if (fits(l) || !widest)
			return;
		widest->width--;
	}
}

static void drop_optional(struct layout *l, bool bars)
{
	for (size_t i = l->count; i-- > 0 && !fits(l);)
		if (bars ? is_bar(l->columns[i].column)
			 : (l->columns[i].column->flags & DOC_OPTIONAL))
			l->columns[i].is_out = true;
}

static void measure_all(struct layout *l)
{
	for (size_t i = 0; i < l->count; i++)
		measure(l, &l->columns[i]);
}

/* Bars, and the lines of a listing, get what is left. */
static void widen(struct layout *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct shown *s = &l->columns[i];
		const unsigned sum = sum_of(l);

		if (s->is_out || sum >= l->terminal->width)
			continue;
		if (is_bar(s->column) || is_source(l, s))
			s->width += l->terminal->width - sum;
		if (is_bar(s->column) && s->width > MOST_BAR)
			s->width = MOST_BAR;
		if (is_whole(l, s))
			s->width = s->whole < s->width + l->terminal->width - sum
					   ? s->whole
					   : s->width + l->terminal->width - sum;
	}
}

/* What needs a second block anyway has its numbers in full there. */
static void spread(struct layout *l)
{
	l->has_short = false;
	measure_all(l);
	for (size_t i = 0; i < l->count; i++)
		l->columns[i].is_out =
			is_bar(l->columns[i].column) ||
			(l->table->is_listing && (l->columns[i].column->flags & DOC_OPTIONAL));
	shrink_words(l);
}

static void lay_out(struct layout *l)
{
	const unsigned width = l->terminal->width, third = width * 35 / 100;
	const unsigned usual = third > LEAST_WORDS ? third : LEAST_WORDS;
	/* Beside the longest names there is room for one column of words. */
	const unsigned most = width - LEAST_WORDS - 1;
	const unsigned whole = 2 * third < most ? 2 * third : most;
	const unsigned least = l->table->has_whole_names ? whole : usual;

	measure_all(l);
	measure_names(l);
	limit_words(l);
	if (!fits(l)) {
		l->has_short = true;
		measure_all(l);
		limit_words(l);
	}
	drop_optional(l, false);
	shrink(l, &l->names, least);
	shrink_words(l);
	drop_optional(l, true);
	const unsigned names = l->names;
	if (!l->table->has_whole_names)
		shrink(l, &l->names, LEAST_WORDS);
	/* What is written in several blocks has room for the names in each. */
	if (!fits(l)) {
		l->names = names;
		spread(l);
	}
	widen(l);
}

/* Spaces follow it if something else does. */
static void put_name(const struct layout *l, const struct doc_row *row, bool is_last)
{
	const unsigned indent = name_indent(l, row);
	const unsigned needed = terminal_columns(l->terminal, row->name);
	char codes[32];

	if (!l->names)
		return;
	if (l->has_letters && row->colour.kind && row->level == 0) {
		snprintf(codes, sizeof(codes), "1;38;5;%u", doc_colour_terminal(row->colour));
		terminal_style(l->out, l->terminal, codes);
		fputc(doc_colour_letter(row->colour), l->out);
		terminal_plain(l->out, l->terminal);
		fprintf(l->out, "%*s", (int)indent - 1, "");
	} else {
		fprintf(l->out, "%*s", (int)(indent < l->names ? indent : l->names), "");
	}
	if (indent < l->names)
		terminal_put(l->out, l->terminal, row->name,
			     is_last && needed < l->names - indent ? needed : l->names - indent);
}

/* Returns the columns it took. */
static unsigned put_bar(const struct layout *l, const struct doc_row *row,
			const struct shown *shown)
{
	const struct doc_cell *cell = &row->cells[shown->index];

	if (cell->kind != DOC_VALUE)
		return 0;
	if (shown->column->unit == DOC_SPARK)
		return text_bar_spark(l->out, l->terminal, cell->values, cell->value_count,
				      shown->width);
	if (shown->column->unit == DOC_STACK)
		return text_bar_stack(l->out, l->terminal, l->table->parts, cell->values,
				      cell->value_count < l->table->part_count
					      ? cell->value_count
					      : l->table->part_count,
				      0, shown->width);
	return text_bar_one(l->out, l->terminal,
			    cell->colour.kind ? cell->colour : shown->column->colour,
			    shown->most > 0 ? cell->value / shown->most : 0, shown->width);
}

/* Spaces follow it if something else does. */
static void put_bar_cell(const struct layout *l, const struct doc_row *row,
			 const struct shown *shown, bool is_last)
{
	const unsigned used = put_bar(l, row, shown);

	if (!is_last)
		fprintf(l->out, "%*s", (int)(shown->width - used), "");
}

/* Whether anything is to be seen in this cell, or in one after it. */
static bool is_blank(const struct layout *l, const struct doc_row *row, const struct shown *shown)
{
	const struct doc_cell *cell = &row->cells[shown->index];
	char text[CELL_BYTES];

	if (shown->is_out)
		return true;
	if (shown->column->unit == DOC_BAR)
		return cell->kind != DOC_VALUE || !(cell->value > 0) ||
		       cell->value / shown->most * shown->width <
			       (l->terminal->utf8 ? 0.0625 : 0.5);
	if (is_bar(shown->column))
		return cell->kind != DOC_VALUE ||
		       (shown->column->unit == DOC_STACK && !(cell->value > 0));
	return !*text_of(l, row, shown, text);
}

/* The columns of what stands right of it, for a line that has nothing there. */
static unsigned room_after(const struct layout *l, const struct shown *shown)
{
	unsigned room = 0;

	for (const struct shown *s = shown + 1; s < l->columns + l->end; s++)
		room += s->is_out ? 0 : s->width + 1;
	return room;
}

/* As many of "this, that, third" as fit whole, and at least the beginning of the first. */
static void put_list(const struct layout *l, const char *words, unsigned width)
{
	size_t end = strlen(words);

	while (end > width) {
		const char *comma = memrchr(words, ',', end);

		if (!comma)
			break;
		end = (size_t)(comma - words);
	}
	char *copy = mem_strndup(words, end);

	terminal_put_start(l->out, l->terminal, copy, 0, width);
	free(copy);
}

/* Words in as many lines as they need, in the columns from `at` on. */
static void put_whole(const struct layout *l, const char *words, unsigned at, unsigned width)
{
	struct terminal narrow = *l->terminal;
	char *text = NULL, *rest;
	size_t bytes;
	FILE *out = mem_stream_open(&text, &bytes);

	narrow.width = width;
	terminal_put_words(out, &narrow, INDENT, words);
	mem_stream_close(out);
	text[bytes - 1] = '\0';
	rest = text;
	for (char *line, *first = text; (line = strsep(&rest, "\n"));)
		fprintf(l->out, "%s%*s%s", line == first ? "" : "\n", line == first ? 0 : (int)at,
			"", line);
	free(text);
}

/* Where a column begins, if the line begins with column `first`. */
static unsigned begin_of(const struct layout *l, size_t first, const struct shown *shown)
{
	unsigned at = l->marks + l->names;

	for (const struct shown *s = &l->columns[first]; s < shown; s++)
		if (!s->is_out)
			at += s->width + (at ? 1 : 0);
	return at + (at ? 1 : 0);
}

static void put_cell(const struct layout *l, const struct doc_row *row, const struct shown *shown,
		     size_t first, bool is_last)
{
	const struct doc_cell *cell = &row->cells[shown->index];
	const bool stands_out = cell_stands_out(l->table, row, shown->index);
	char text[CELL_BYTES];
	const char *words = text_of(l, row, shown, text);

	if (stands_out)
		terminal_style(l->out, l->terminal, cell->value < 0 ? "1;31" : "1");
	if (is_bar(shown->column))
		put_bar_cell(l, row, shown, is_last);
	else if (!is_left(shown->column))
		fprintf(l->out, "%*s%s", (int)(shown->width - terminal_columns(l->terminal, words)),
			"", words);
	else if (shown->column->unit == DOC_CODE)
		terminal_put_start(l->out, l->terminal, words, is_last ? 0 : shown->width,
				   is_last ? shown->width + room_after(l, shown) : shown->width);
	else if (l->table->is_listing)
		put_list(l, words, shown->width);
	else if (is_whole(l, shown))
		put_whole(l, words, begin_of(l, first, shown), shown->width);
	else if (is_last && terminal_columns(l->terminal, words) <= shown->width)
		terminal_put_all(l->out, l->terminal, words);
	else
		terminal_put(l->out, l->terminal, words, shown->width);
	if (stands_out)
		terminal_plain(l->out, l->terminal);
}

/* The columns from `first` on that fit beside the names; at least one. */
static size_t block_end(const struct layout *l, size_t first)
{
	unsigned used = l->marks + l->names;
	size_t end = first;

	for (; end < l->count; end++) {
		const struct shown *s = &l->columns[end];
		const unsigned needed = s->is_out ? 0 : s->width + (used ? 1 : 0);

		if (end > first && used + needed > l->terminal->width)
			break;
		used += needed;
	}
	return end;
}

static void put_headings(const struct layout *l, size_t first, size_t end)
{
	bool is_first = !l->names;
	size_t last = end;

	terminal_put(l->out, l->terminal, "", l->marks + (l->has_letters ? 2 : 0));
	if (l->names)
		terminal_put(l->out, l->terminal, l->table->names,
			     l->names - (l->has_letters ? 2 : 0));
	while (last > first &&
	       (l->columns[last - 1].is_out || is_bar(l->columns[last - 1].column) ||
		!*l->columns[last - 1].column->title))
		last--;
	for (size_t i = first; i < last; i++) {
		const struct shown *s = &l->columns[i];
		const char *title = is_bar(s->column) ? "" : s->column->title;
		const unsigned needed = terminal_columns(l->terminal, title);

		if (s->is_out)
			continue;
		fputs(is_first ? "" : " ", l->out);
		is_first = false;
		if (is_left(s->column))
			terminal_put(l->out, l->terminal, title,
				     i + 1 < last || needed > s->width ? s->width : needed);
		else
			fprintf(l->out, "%*s%s", (int)(s->width > needed ? s->width - needed : 0),
				"", title);
	}
	fputc('\n', l->out);
}

static bool has_headings(const struct layout *l)
{
	bool any = *l->table->names;

	for (size_t i = 0; i < l->count; i++)
		any |= !l->columns[i].is_out && !is_bar(l->columns[i].column) &&
		       *l->columns[i].column->title;
	return any;
}

static void put_line(const struct layout *l, const struct doc_row *row, size_t first, size_t end)
{
	bool is_first = !l->names;
	size_t last = end;

	while (last > first && is_blank(l, row, &l->columns[last - 1]))
		last--;
	if (row->is_hot)
		terminal_style(l->out, l->terminal, "1;31");
	if (l->marks)
		fputc(row->is_hot ? '>' : ' ', l->out);
	put_name(l, row, last == first);
	for (size_t i = first; i < last; i++) {
		if (l->columns[i].is_out)
			continue;
		fputs(is_first ? "" : " ", l->out);
		is_first = false;
		put_cell(l, row, &l->columns[i], first, i + 1 == last);
	}
	if (row->is_hot)
		terminal_plain(l->out, l->terminal);
	fputc('\n', l->out);
}

static void put_block(const struct layout *l, size_t first, size_t end)
{
	struct walk walk = {.table = l->table};

	if (has_headings(l))
		put_headings(l, first, end);
	for (const struct doc_row *row; (row = walk_next(&walk));)
		put_line(l, row, first, end);
}

static void put_rest(const struct layout *l)
{
	const struct doc_table *table = l->table;
	size_t rows = 0;

	for (size_t i = 0; i < table->row_count; i++)
		rows += table->rows[i].level == 0 && !table->rows[i].is_total &&
			(table->rows[i].where & DOC_IN_TEXT);
	if (!table->text_limit || rows <= table->text_limit)
		return;
	if (table->rest)
		terminal_put_words(l->out, l->terminal, 2, table->rest);
	else
		fprintf(l->out, "and %zu more\n", rows - table->text_limit);
}

/* The columns that text has, and the largest value of bars. */
static void choose_columns(struct layout *l)
{
	const struct doc_table *table = l->table;

	l->marks = table->is_listing;
	l->columns = mem_alloc_array(table->column_count + 1, sizeof(*l->columns));
	for (size_t i = 0; i < table->column_count; i++) {
		struct shown *shown = &l->columns[l->count];

		if (!(table->columns[i].where & DOC_IN_TEXT))
			continue;
		*shown = (struct shown){.column = &table->columns[i], .index = i};
		for (size_t k = 0; k < table->row_count; k++)
			shown->most = fmax(shown->most, table->rows[k].cells[i].value);
		l->count++;
	}
	for (size_t i = 0; i < table->row_count; i++)
		l->has_letters |= table->rows[i].colour.kind == DOC_COMPONENT;
}

void text_table_print(FILE *out, const struct doc_table *table, const struct terminal *terminal)
{
	struct layout layout = {.out = out, .table = table, .terminal = terminal};

	choose_columns(&layout);
	lay_out(&layout);
	for (size_t first = 0, end; first < layout.count || !first; first = end) {
		end = layout.end = block_end(&layout, first);
		if (first)
			fputc('\n', out);
		put_block(&layout, first, end);
		if (end == first)
			break;
	}
	put_rest(&layout);
	free(layout.columns);
}
