#include "report/text/run_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/text/bar.h"
#include "report/text/verdict.h"
#include "value/profile.h"
#include "value/component.h"
#include "value/topdown.h"

#define CAUSE_COLUMNS	 11 /* width of " dependence"; longer names are cut */
#define WIDE_COLUMNS	 16 /* width of " unit.int_muldiv" */
#define WIDE_FROM	 72 /* columns of a terminal that has room for these */
#define SHORT_COLUMNS	 6
#define RATIO_COLUMNS	 7
#define PERCENT_COLUMNS	 6
#define SHARE_COLUMNS	 5 /* a sign, two digits, a point and a decimal */
#define LEAST_BAR	 10
#define MEANING_SHARE	 0.01 /* of the cycles, for a name to be explained */
#define TOPDOWN_COLUMNS	 20
#define METHOD_LEAST	 10
#define INTERVALS_LEAST	 8
#define SHORT_INTERVAL	 0.9 /* of the longest: one below it does not set the axis */
#define INTERVALS_AROUND 6   /* lines of the screen that are used for other text */

struct report {
	FILE *out;
	const struct terminal *terminal;
	const struct profile *profile;
	bool has_legend; /* the legend has been printed, above the first bar */
};

static void heading(const struct report *r, const char *text)
{
	fputc('\n', r->out);
	terminal_style(r->out, r->terminal, "1");
	terminal_put_words(r->out, r->terminal, 2, text);
	terminal_plain(r->out, r->terminal);
}

/* Prints the bar of one component: in eighths of a block if the terminal has such characters,
 * else in its letter. */
static void put_component_bar(const struct report *r, int component, double share, unsigned columns)
{
	static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	const struct component_row *row = &component_rows[component];
	struct stack stack = {0};
	char codes[32];

	if (!r->terminal->utf8) {
		stack.cycles[component] = 1;
		bar_put(r->out, r->terminal, &stack, 1, (unsigned)(share * columns + 0.5));
		return;
	}
	unsigned parts = (unsigned)(share * columns * 8 + 0.5);
	snprintf(codes, sizeof(codes), "38;5;%u", row->colour);
	terminal_style(r->out, r->terminal, codes);
	for (unsigned i = 0; i < parts / 8; i++)
		fputs("█", r->out);
	fputs(eighths[parts % 8], r->out);
	terminal_plain(r->out, r->terminal);
}

/* Column widths of the first table; its bar gets the remaining columns. */
struct stack_layout {
	bool is_short; /* cycles are printed as 12.3M */
	int names;
	int cycles;
	unsigned bar;
};

static struct stack_layout lay_out_stack(const struct report *r)
{
	struct stack_layout layout = {0};
	layout.names = r->terminal->width < WIDE_FROM ? CAUSE_COLUMNS : WIDE_COLUMNS;
	int fixed = 2 + layout.names + 1 + 1 + RATIO_COLUMNS + 1 + PERCENT_COLUMNS + 1;

	layout.cycles = snprintf(NULL, 0, "%lld", (long long)r->profile->cycles);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		int needed = snprintf(NULL, 0, "%lld",
				      (long long)r->profile->methods[0].stack.cycles[i]);

		layout.cycles = needed > layout.cycles ? needed : layout.cycles;
	}
	if (layout.cycles < SHORT_COLUMNS)
		layout.cycles = SHORT_COLUMNS;
	layout.is_short = fixed + layout.cycles + LEAST_BAR > (int)r->terminal->width;
	if (layout.is_short)
		layout.cycles = SHORT_COLUMNS;
	layout.bar = r->terminal->width - (unsigned)(fixed + layout.cycles);
	return layout;
}

static void put_numbers(const struct report *r, const struct stack_layout *layout, double cycles)
{
	char count[TERMINAL_NUMBER_BYTES], cpi[TERMINAL_NUMBER_BYTES],
		percent[TERMINAL_NUMBER_BYTES];

	if (layout->is_short)
		terminal_short(count, cycles);
	else
		snprintf(count, sizeof(count), "%.0f", cycles);
	fprintf(r->out, " %*s %*s %*s", layout->cycles, count, RATIO_COLUMNS,
		terminal_ratio(cpi, cycles, (double)r->profile->instructions), PERCENT_COLUMNS,
		terminal_percent(percent, cycles, (double)r->profile->cycles));
}

/* Prints the causes of a component if their names add information. */
static void print_causes(const struct report *r, const struct stack_layout *layout, int component)
{
	const struct profile *p = r->profile;
	bool says_more = false;

	for (int i = 0; i < CAUSE_COUNT; i++)
		says_more |= (int)cause_component(p->levels, (enum cause)i) == component &&
			     p->slots.causes[i] &&
			     strcmp(cause_rows[i].name, component_rows[component].name) != 0;
	for (int i = 0; i < CAUSE_COUNT && says_more; i++) {
		if ((int)cause_component(p->levels, (enum cause)i) != component ||
		    !p->slots.causes[i])
			continue;
		fprintf(r->out, "   %-*.*s", layout->names - 1, layout->names - 1,
			cause_rows[i].name);
		put_numbers(r, layout, profile_cycles(p, p->slots.causes[i]));
		fputc('\n', r->out);
	}
}

/* The sentence that the page opens with. */
static void print_verdict(const struct report *r)
{
	static const struct verdict_marks marks = {"", "", NULL, NULL};
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return;
	verdict_write(out, r->profile, &marks);
	fclose(out);
	terminal_put_words(r->out, r->terminal, 0, text);
	free(text);
}

/* What the names above mean, as far as they matter in this run. */
static void print_meanings(const struct report *r)
{
	const struct profile *p = r->profile;
	char text[4096] = "";
	size_t used = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		if ((double)p->methods[0].stack.cycles[i] < MEANING_SHARE * (double)p->cycles)
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s: %s",
					 used ? "; " : "", component_rows[i].name,
					 component_rows[i].meaning);
		for (int k = 0; k < CAUSE_COUNT; k++)
			if ((int)cause_component(p->levels, (enum cause)k) == i &&
			    strcmp(cause_rows[k].name, component_rows[i].name) != 0 &&
			    (double)p->slots.causes[k] >= MEANING_SHARE * (double)p->slots.total)
				used += (size_t)snprintf(text + used, sizeof(text) - used,
							 "; %s: %s", cause_rows[k].name,
							 cause_rows[k].meaning);
	}
	if (used)
		terminal_put_words(r->out, r->terminal, 2, text);
}

static void print_stack(const struct report *r)
{
	const struct profile *p = r->profile;
	const struct profile_method *exact = &p->methods[0];
	struct stack_layout layout = lay_out_stack(r);
	char text[160], cpi[TERMINAL_NUMBER_BYTES];
	double most = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		most = fmax(most, (double)exact->stack.cycles[i]);
	snprintf(text, sizeof(text),
		 "Where the cycles went: %lld cycles, %lld instructions, CPI %s",
		 (long long)p->cycles, (long long)p->instructions,
		 terminal_ratio(cpi, (double)p->cycles, (double)p->instructions));
	heading(r, text);
	fprintf(r->out, "  %-*s %*s %*s %*s\n", layout.names, "component", layout.cycles, "cycles",
		RATIO_COLUMNS, "CPI", PERCENT_COLUMNS, "share");
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		int64_t cycles = exact->stack.cycles[i];

		if (!exact->has[i])
			continue;
		snprintf(text, sizeof(text), "1;38;5;%u", component_rows[i].colour);
		terminal_style(r->out, r->terminal, text);
		fputc(component_rows[i].letter, r->out);
		terminal_plain(r->out, r->terminal);
		fprintf(r->out, " %-*s", layout.names, component_rows[i].name);
		put_numbers(r, &layout, (double)cycles);
		if (cycles > 0 && (double)cycles / most * layout.bar >= 0.5) {
			fputc(' ', r->out);
			put_component_bar(r, i, (double)cycles / most, layout.bar);
		}
		fputc('\n', r->out);
		print_causes(r, &layout, i);
	}
	print_meanings(r);
}

/* Percent in SHARE_COLUMNS; the sign is never cut. */
static const char *table_percent(char text[TERMINAL_NUMBER_BYTES], double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : NAN;

	if (isnan(percent))
		return strcpy(text, "-");
	if (percent >= 9999.5 || percent <= -999.5)
		return strcpy(text, percent > 0 ? ">9999" : "<-999");
	if (fabs(percent) < 0.05)
		percent = 0;
	snprintf(text, TERMINAL_NUMBER_BYTES,
		 percent < 999.95 && percent > -99.95 ? "%.1f" : "%.0f", percent);
	return text;
}

struct table {
	const struct profile_method **rows;
	size_t row_count;
	int columns[COMPONENT_COUNT +
		    1]; /* widths of the components' columns; the last is that of the storage */
	size_t column_count;
	unsigned name;
};

#define BITS_COLUMN COMPONENT_COUNT

static unsigned cell_columns(int column)
{
	unsigned name = column == BITS_COLUMN ? SHORT_COLUMNS
					      : (unsigned)strlen(component_rows[column].name);

	return name > SHARE_COLUMNS ? name : SHARE_COLUMNS;
}

static void put_cell(const struct report *r, const struct profile_method *method, int column)
{
	char text[TERMINAL_NUMBER_BYTES] = "-";
	bool is_negative = false;

	if (column == BITS_COLUMN) {
		if (method->bits >= 0)
			terminal_short(text, (double)method->bits);
	} else if (method->has[column]) {
		is_negative = method->stack.cycles[column] < 0;
		table_percent(text, (double)method->stack.cycles[column],
			      (double)r->profile->cycles);
	}
	if (is_negative)
		terminal_style(r->out, r->terminal, "1;31");
	fprintf(r->out, " %*s", (int)cell_columns(column), text);
	if (is_negative)
		terminal_plain(r->out, r->terminal);
}

/* Prints as many columns as fit, from `first` on; returns the first that does not. */
static size_t print_block(const struct report *r, const struct table *table, size_t first)
{
	size_t end = first;
	unsigned used = table->name;

	while (end < table->column_count &&
	       used + 1 + cell_columns(table->columns[end]) <= r->terminal->width)
		used += 1 + cell_columns(table->columns[end++]);
	if (first)
		fputc('\n', r->out);
	terminal_put(r->out, r->terminal, "", table->name);
	for (size_t i = first; i < end; i++) {
		int column = table->columns[i];

		fprintf(r->out, " %*s", (int)cell_columns(column),
			column == BITS_COLUMN ? "bits" : component_rows[column].name);
	}
	fputc('\n', r->out);
	for (size_t k = 0; k < table->row_count; k++) {
		terminal_put(r->out, r->terminal, table->rows[k]->name, table->name);
		for (size_t i = first; i < end; i++)
			put_cell(r, table->rows[k], table->columns[i]);
		fputc('\n', r->out);
	}
	return end;
}

static void print_table(const struct report *r, struct table *table)
{
	unsigned most = r->terminal->width / 3;

	table->name = METHOD_LEAST;
	for (size_t k = 0; k < table->row_count; k++) {
		unsigned needed = terminal_columns(r->terminal, table->rows[k]->name);

		table->name = needed > table->name ? needed : table->name;
	}
	if (table->name > most)
		table->name = most;
	for (int i = 0; i <= BITS_COLUMN; i++) {
		bool is_there = false;

		for (size_t k = 0; k < table->row_count; k++)
			is_there |= i == BITS_COLUMN ? table->rows[k]->bits >= 0
						     : table->rows[k]->has[i];
		if (is_there)
			table->columns[table->column_count++] = i;
	}
	for (size_t first = 0; first < table->column_count;)
		first = print_block(r, table, first);
}

static void print_methods(const struct report *r, const char *title,
			  const struct profile_method *methods, size_t count)
{
	struct table table = {0};

	heading(r, title);
	table.rows = mem_alloc_array(count, sizeof(*table.rows));
	for (size_t i = 0; i < count; i++)
		table.rows[table.row_count++] = &methods[i];
	print_table(r, &table);
	free(table.rows);
}

static void print_topdown_row(const struct report *r, const struct profile_topdown *row,
			      double whole)
{
	unsigned bar = r->terminal->width - 2 - TOPDOWN_COLUMNS - 1 - PERCENT_COLUMNS - 1;
	char percent[TERMINAL_NUMBER_BYTES];
	double share = whole > 0 ? fmin(1, (double)row->slots / whole) : 0;
	unsigned indent = 2 * (row->level - 1);

	fprintf(r->out, "  %*s", (int)indent, "");
	terminal_put(r->out, r->terminal, row->name, TOPDOWN_COLUMNS - indent);
	/* The second level cannot exceed the first in our results, but the file may come from
	 * elsewhere. */
	if (whole > 0 && (double)row->slots > whole)
		snprintf(percent, sizeof(percent), ">100%%");
	else
		terminal_percent(percent, (double)row->slots, whole);
	fprintf(r->out, " %*s", PERCENT_COLUMNS, percent);
	unsigned columns = row->level == 1 ? (unsigned)(share * bar + 0.5) : 0;
	if (columns)
		fputc(' ', r->out);
	while (columns--)
		fputc('#', r->out);
	fputc('\n', r->out);
}

/* Rows of the second level that belong to a group; a group that has only itself is not repeated. */
static void print_topdown_parts(const struct report *r, const char *group, double whole)
{
	const struct profile *p = r->profile;

	for (size_t i = 0; i < p->topdown_count; i++) {
		const struct profile_topdown *row = &p->topdown[i];

		if (row->level == 2 && strcmp(row->name, group) != 0 &&
		    strcmp(topdown_group_of(row->name), group) == 0)
			print_topdown_row(r, row, whole);
	}
}

static void print_topdown(const struct report *r)
{
	const struct profile *p = r->profile;
	double whole = 0;

	heading(r, "Top-down: what became of the slots for instructions");
	for (size_t i = 0; i < p->topdown_count; i++)
		whole += p->topdown[i].level == 1 ? (double)p->topdown[i].slots : 0;
	for (size_t i = 0; i < p->topdown_count; i++)
		if (p->topdown[i].level == 1) {
			print_topdown_row(r, &p->topdown[i], whole);
			print_topdown_parts(r, p->topdown[i].name, whole);
		}
	print_topdown_parts(r, "", whole);
}

static void print_legend(struct report *r)
{
	char text[256] = "";
	size_t used = 0;

	if (r->has_legend)
		return;
	r->has_legend = true;
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (r->profile->methods[0].has[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%c:%s",
						 used ? " " : "", component_rows[i].letter,
						 component_rows[i].name);
	terminal_put_words(r->out, r->terminal, 2, text);
}

static void print_bar_line(const struct report *r, const struct profile_slots *slots,
			   unsigned columns)
{
	struct stack stack = profile_stack(r->profile, slots);

	if (slots->total > 0)
		fputc(' ', r->out);
	bar_put(r->out, r->terminal, &stack, 0, columns);
	fputc('\n', r->out);
}

static void print_functions(struct report *r, unsigned limit)
{
	const struct profile *p = r->profile;
	size_t count = p->function_count < limit ? p->function_count : limit;
	unsigned name = 12, width = r->terminal->width, most = width * 35 / 100;
	char share[TERMINAL_NUMBER_BYTES], cpi[TERMINAL_NUMBER_BYTES], text[96];
	int64_t rest = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned needed = terminal_columns(r->terminal, p->functions[i].name);

		name = needed > name ? needed : name;
	}
	name = name < most ? name : most < 12 ? 12 : most;
	snprintf(text, sizeof(text), "The hottest %zu of %zu functions, each bar its own stack",
		 count, p->function_count);
	heading(r, text);
	print_legend(r);
	terminal_put(r->out, r->terminal, "function", name);
	fprintf(r->out, " %*s %*s\n", PERCENT_COLUMNS, "share", RATIO_COLUMNS, "CPI");
	for (size_t i = 0; i < count; i++) {
		const struct profile_function *f = &p->functions[i];

		terminal_put(r->out, r->terminal, f->name, name);
		fprintf(r->out, " %*s %*s", PERCENT_COLUMNS,
			terminal_percent(share, (double)f->slots.total, (double)p->slots.total),
			RATIO_COLUMNS,
			terminal_ratio(cpi, profile_cycles(p, f->slots.total),
				       (double)f->executed));
		print_bar_line(r, &f->slots,
			       width - name - 1 - PERCENT_COLUMNS - 1 - RATIO_COLUMNS - 1);
	}
	for (size_t i = count; i < p->function_count; i++)
		rest += p->functions[i].slots.total;
	if (count == p->function_count)
		return;
	snprintf(text, sizeof(text), "%zu more %s %s of the cycles", p->function_count - count,
		 p->function_count - count == 1 ? "function has" : "functions have",
		 terminal_percent(share, (double)rest, (double)p->slots.total));
	terminal_put_words(r->out, r->terminal, 2, text);
}

static void print_threads(struct report *r)
{
	const struct profile *p = r->profile;
	unsigned fixed = 12 + 1 + PERCENT_COLUMNS + 1;

	heading(r, "By thread");
	print_legend(r);
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *thread = &p->threads[i];
		char name[48], share[TERMINAL_NUMBER_BYTES];

		snprintf(name, sizeof(name), "thread %lld", (long long)thread->id);
		terminal_put(r->out, r->terminal, name, 12);
		fprintf(r->out, " %*s", PERCENT_COLUMNS,
			terminal_percent(share, (double)thread->slots.total,
					 (double)p->slots.total));
		print_bar_line(r, &thread->slots, r->terminal->width - fixed);
	}
}

static double interval_cpi(const struct profile_interval *interval)
{
	return interval->instructions ? (double)interval->cycles / (double)interval->instructions
				      : 0;
}

static struct profile_interval merged(const struct profile *p, size_t first, size_t count)
{
	struct profile_interval sum = {0};

	for (size_t i = first; i < first + count && i < p->interval_count; i++) {
		sum.instructions += p->intervals[i].instructions;
		sum.cycles += p->intervals[i].cycles;
		profile_slots_add(&sum.slots, &p->intervals[i].slots);
	}
	return sum;
}

static int64_t max_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void print_intervals(struct report *r)
{
	const struct profile *p = r->profile;
	size_t lines = r->terminal->height > INTERVALS_LEAST + INTERVALS_AROUND
			       ? r->terminal->height - INTERVALS_AROUND
			       : INTERVALS_LEAST;
	size_t each = (p->interval_count + lines - 1) / lines;
	unsigned bar = r->terminal->width - SHORT_COLUMNS - 1 - RATIO_COLUMNS - 1;
	char end[TERMINAL_NUMBER_BYTES], cpi[TERMINAL_NUMBER_BYTES], text[160];
	const struct profile_interval last = merged(p, (p->interval_count - 1) / each * each, each);
	int64_t instructions = 0, longest = 0;
	double most = 0;

	for (size_t i = 0; i < p->interval_count; i += each)
		longest = max_of(longest, merged(p, i, each).instructions);
	/* What is left at the end of a run may be few instructions that took long. */
	for (size_t i = 0; i < p->interval_count; i += each) {
		struct profile_interval line = merged(p, i, each);

		if ((double)line.instructions >= SHORT_INTERVAL * (double)longest)
			most = fmax(most, interval_cpi(&line));
	}
	snprintf(text, sizeof(text), "Over time: %zu intervals, %zu a line; a full bar is CPI %s%s",
		 p->interval_count, each, terminal_ratio(cpi, most, 1),
		 (double)last.instructions < SHORT_INTERVAL * (double)longest
			 ? ", the last line is a shorter time"
			 : "");
	heading(r, text);
	print_legend(r);
	fprintf(r->out, "%*s %*s\n", SHORT_COLUMNS, "up to", RATIO_COLUMNS, "CPI");
	for (size_t i = 0; i < p->interval_count; i += each) {
		struct profile_interval line = merged(p, i, each);
		double share = most > 0 ? fmin(1, interval_cpi(&line) / most) : 0;

		instructions += line.instructions;
		fprintf(r->out, "%*s %*s", SHORT_COLUMNS, terminal_short(end, (double)instructions),
			RATIO_COLUMNS,
			terminal_ratio(cpi, (double)line.cycles, (double)line.instructions));
		print_bar_line(r, &line.slots, (unsigned)(share * bar + 0.5));
	}
}

void run_text_print(FILE *out, const json_t *result, const struct terminal *terminal,
		    unsigned functions)
{
	struct profile profile;
	struct report r = {out, terminal, &profile, false};
	struct err err;

	if (!profile_read(&profile, result, &err)) {
		err_prefix(&err, "the stacks of this result cannot be shown");
		terminal_put_words(out, terminal, 2, err.text);
		return;
	}
	print_verdict(&r);
	print_stack(&r);
	if (profile.method_count > 1)
		print_methods(&r, "What each way of counting says, in percent of the cycles",
			      profile.methods, profile.method_count);
	if (profile.stage_count)
		print_methods(&r, "The same, seen at each stage of the pipeline", profile.stages,
			      profile.stage_count);
	if (profile.topdown_count)
		print_topdown(&r);
	if (functions && profile.function_count)
		print_functions(&r, functions);
	if (profile.thread_count > 1)
		print_threads(&r);
	if (profile.interval_count)
		print_intervals(&r);
	profile_release(&profile);
}
