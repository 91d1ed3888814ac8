#include "report/papers/reproduce_text.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/text/grid.h"
#include "value/component.h"
#include "value/member.h"

/* The paper's methods and ours that are worth a column; variants of one rule are not. */
static const char *const methods[] = {"naive", "naive-nonspec", "power5", "fmt",
				      "sfmt",  "afmt",		"exact"};

static void set_number(struct grid *grid, size_t row, size_t column, const char *format,
		       double value) __attribute__((format(printf, 4, 0)));

static void set_number(struct grid *grid, size_t row, size_t column, const char *format,
		       double value)
{
	char text[GRID_CELL_BYTES];

	snprintf(text, sizeof(text), format, value);
	grid_set(grid, row, column, text);
}

/* "twolf: annealer", so that nobody takes one for the other. */
static void set_program(struct grid *grid, size_t row, const json_t *result, const json_t *program)
{
	const char *name = member_text(program, "name");
	char text[128];
	json_t *pair;
	size_t i;

	snprintf(text, sizeof(text), "%s", name);
	json_array_foreach(json_object_get(result, "programs"), i, pair)
	{
		if (strcmp(member_text(pair, "name"), name) == 0)
			snprintf(text, sizeof(text), "%s: %s", member_text(pair, "paper"),
				 member_text(pair, "ours"));
	}
	grid_set_row(grid, row, text);
}

static const json_t *judged(const json_t *result)
{
	return json_object_get(json_object_get(result, "judge"), "programs");
}

static const json_t *method_of(const json_t *program, const char *method)
{
	return json_object_get(json_object_get(program, "methods"), method);
}

/* Heading, what it shows, and what the paper states. */
static void print_heading(FILE *out, const struct terminal *terminal, const json_t *figure)
{
	char text[1024];
	json_t *statement;
	size_t i;

	fputc('\n', out);
	terminal_style(out, terminal, "1");
	fprintf(out, "%s. %s", member_text(figure, "label"), member_text(figure, "title"));
	terminal_plain(out, terminal);
	fputc('\n', out);
	terminal_put_words(out, terminal, 2, member_text(figure, "shows"));
	json_array_foreach(json_object_get(figure, "paper"), i, statement)
	{
		const char *section = member_text(statement, "section");

		snprintf(text, sizeof(text), "paper, %s%s: %s",
			 strncmp(section, "table", 5) == 0 ? "" : "section ", section,
			 member_text(statement, "text"));
		terminal_put_words(out, terminal, 2, text);
	}
	if (json_is_true(json_object_get(figure, "figure_only")))
		fputs("paper, other numbers: figure only\n", out);
}

static void print_example(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *example = NULL;
	json_t *program;
	size_t i;

	json_array_foreach(judged(result), i, program)
	{
		if (strcmp(member_text(program, "name"), member_text(result, "example")) == 0)
			example = program;
	}
	if (!example) {
		fputs("not finished\n", out);
		return;
	}
	struct grid *grid = grid_create(2, COMPONENT_COUNT + 1);
	const json_t *rows[] = {json_object_get(method_of(example, "exact"), "components"),
				json_object_get(json_object_get(example, "truth"), "a")};
	double instructions = member_number(example, "instructions");
	size_t column = 0;
	grid_set_row(grid, 0, "exact");
	grid_set_row(grid, 1, "simulated, order A");
	for (int k = 0; k < COMPONENT_COUNT; k++) {
		if (!json_object_get(rows[0], component_rows[k].name))
			continue;
		grid_set_column(grid, column, component_rows[k].name);
		for (size_t row = 0; row < 2; row++)
			if (json_object_get(rows[row], component_rows[k].name))
				set_number(grid, row, column, "%.3f",
					   member_number(rows[row], component_rows[k].name) /
						   instructions);
			else
				grid_set(grid, row, column, "-");
		column++;
	}
	grid_set_column(grid, column, "CPI");
	set_number(grid, 0, column, "%.3f", member_number(example, "cycles") / instructions);
	set_number(grid, 1, column, "%.3f", member_number(example, "cycles") / instructions);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* Means of as many cycles as one digit must stand for. */
static void print_curve(FILE *out, const json_t *values, size_t columns, double unit)
{
	size_t count = json_array_size(values), each = (count + columns - 1) / columns;

	for (size_t i = 0; i < count; i += each) {
		size_t end = i + each < count ? i + each : count;
		double sum = 0;

		for (size_t k = i; k < end; k++)
			sum += json_number_value(json_array_get(values, k));
		int digit = (int)lround(sum / (double)(end - i) / unit);
		fputc(digit == 0 ? '.' : '0' + (digit < 9 ? digit : 9), out);
	}
	fputc('\n', out);
}

static void print_plot(FILE *out, const json_t *result, unsigned figure,
		       const struct terminal *terminal)
{
	size_t columns = terminal->width > 26 ? terminal->width - 14 : 12, i;
	json_t *plot;

	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if ((unsigned)member_number(plot, "figure") != figure)
			continue;
		bool is_stretch = strcmp(member_text(plot, "kind"), "stretch") == 0;
		const json_t *shown = json_object_get(plot, is_stretch ? "example" : "mean");
		size_t length = json_array_size(json_object_get(shown, "useful_issued"));

		fprintf(out,
			"%s, %.0f clean event%s; %s; cycles %d to %d, %zu to a digit, . is below "
			"a half\n",
			member_text(plot, "program"), member_number(plot, "found"),
			member_number(plot, "found") == 1 ? "" : "s",
			is_stretch ? "the first" : "mean of all",
			-(int)member_number(plot, "before"),
			(int)length - 1 - (int)member_number(plot, "before"),
			(length + columns - 1) / columns);
		fputs("issued       ", out);
		print_curve(out, json_object_get(shown, "useful_issued"), columns, 1);
		fputs("dispatched   ", out);
		print_curve(out, json_object_get(shown, "useful_dispatched"), columns, 1);
		fputs("committed    ", out);
		print_curve(out, json_object_get(shown, "committed"), columns, 1);
		fputs("window / 16  ", out);
		print_curve(out, json_object_get(shown, "rob_used"), columns, 16);
		return;
	}
	fputs("no clean event found\n", out);
}

static void print_per_event(FILE *out, const json_t *result, const char *event,
			    const struct terminal *terminal)
{
	const json_t *programs = judged(result);
	size_t rows = json_array_size(programs), last = ARRAY_COUNT(methods) + 1;
	struct grid *grid = grid_create(rows, last + 1);

	grid_set_column(grid, 0, "events");
	for (size_t k = 0; k < ARRAY_COUNT(methods); k++)
		grid_set_column(grid, k + 1, methods[k]);
	grid_set_column(grid, last, "simulated");
	for (size_t i = 0; i < rows; i++) {
		const json_t *program = json_array_get(programs, i);
		const json_t *costs = json_object_get(json_object_get(program, "per_event"), event);
		char text[GRID_CELL_BYTES];

		set_program(grid, i, result, program);
		grid_set(grid, i, 0,
			 terminal_short(text,
					member_number(json_object_get(program, "events"), event)));
		for (size_t k = 1; k <= last; k++) {
			const char *name = k == last ? "simulated" : methods[k - 1];

			if (json_object_get(costs, name))
				set_number(grid, i, k, "%.1f", member_number(costs, name));
			else
				grid_set(grid, i, k, "-");
		}
	}
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

static void print_overlap(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *programs = judged(result);
	size_t rows = json_array_size(programs), k;
	struct grid *grid = grid_create(rows, 3);
	json_t *pair;

	grid_set_column(grid, 0, "paper %");
	grid_set_column(grid, 1, "ours %");
	grid_set_column(grid, 2, "with a full window %");
	for (size_t i = 0; i < rows; i++) {
		const json_t *program = json_array_get(programs, i);

		set_program(grid, i, result, program);
		json_array_foreach(json_object_get(result, "programs"), k, pair)
		{
			if (strcmp(member_text(pair, "name"), member_text(program, "name")) == 0)
				set_number(grid, i, 0, "%.2f",
					   100 * member_number(pair, "overlap"));
		}
		set_number(grid, i, 1, "%.2f", 100 * member_number(program, "overlap"));
		set_number(grid, i, 2, "%.2f", 100 * member_number(program, "overlap_full"));
	}
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* All of them, the variants too: bits and errors. */
static void print_methods(FILE *out, const json_t *result, const struct terminal *terminal)
{
	json_t *all = json_object_get(json_array_get(judged(result), 0), "methods"), *method;
	const json_t *summary = json_object_get(json_object_get(result, "judge"), "summary");
	struct grid *grid = grid_create(json_object_size(all), 3);
	const char *name;
	size_t row = 0;

	grid_set_column(grid, 0, "bits");
	grid_set_column(grid, 1, "mean error %");
	grid_set_column(grid, 2, "largest error %");
	json_object_foreach(all, name, method)
	{
		grid_set_row(grid, row, name);
		if (json_is_integer(json_object_get(method, "bits")))
			set_number(grid, row, 0, "%.0f", member_number(method, "bits"));
		else
			grid_set(grid, row, 0, "-");
		set_number(grid, row, 1, "%.2f",
			   100 * member_number(json_object_get(summary, "mean_error"), name));
		set_number(grid, row++, 2, "%.2f",
			   100 * member_number(json_object_get(summary, "largest_error"), name));
	}
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

static void print_machine(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *machine = json_object_get(result, "machine");
	struct grid *grid = grid_create(json_array_size(machine), 2);
	json_t *parameter;
	size_t i;

	grid_set_column(grid, 0, "paper");
	grid_set_column(grid, 1, "ours");
	json_array_foreach(machine, i, parameter)
	{
		grid_set_row(grid, i, member_text(parameter, "what"));
		grid_set(grid, i, 0, member_text(parameter, "paper"));
		grid_set(grid, i, 1, member_text(parameter, "ours"));
	}
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* In the components the truth has: units count as base. */
static void set_stack(struct grid *grid, size_t row, json_t *truth, const json_t *components,
		      double cycles)
{
	const char *name;
	json_t *value;
	size_t column = 0;

	json_object_foreach(truth, name, value)
	{
		double part = member_number(components, name);

		if (strcmp(name, "base") == 0)
			part += member_number(components, "resource");
		set_number(grid, row, column++, "%.1f", 100 * part / cycles);
	}
}

static void print_stacks(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *programs = judged(result);
	json_t *program, *value;
	const char *name;
	size_t i;

	fputs("in percent of the run's cycles; base with the stalls behind long units\n", out);
	json_array_foreach(programs, i, program)
	{
		json_t *a = json_object_get(json_object_get(program, "truth"), "a");
		const json_t *b = json_object_get(json_object_get(program, "truth"), "b");
		size_t columns = json_object_size(a), column = 0;
		double cycles = member_number(program, "cycles");
		struct grid *grid = grid_create(ARRAY_COUNT(methods) + 3, columns);

		json_object_foreach(a, name, value) grid_set_column(grid, column++, name);
		set_program(grid, 0, result, program);
		grid_set_row(grid, 1, "  simulated, order A");
		grid_set_row(grid, 2, "  simulated, order B");
		set_stack(grid, 1, a, a, cycles);
		set_stack(grid, 2, a, b, cycles);
		for (size_t k = 0; k < ARRAY_COUNT(methods); k++) {
			char text[64];

			snprintf(text, sizeof(text), "  %s", methods[k]);
			grid_set_row(grid, k + 3, text);
			set_stack(grid, k + 3, a,
				  json_object_get(method_of(program, methods[k]), "components"),
				  cycles);
		}
		grid_print(out, grid, terminal);
		grid_destroy(grid);
	}
}

static void print_errors(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *programs = judged(result);
	const json_t *means = json_object_get(
		json_object_get(json_object_get(result, "judge"), "summary"), "mean_error");
	size_t rows = json_array_size(programs);
	struct grid *grid = grid_create(rows + 1, ARRAY_COUNT(methods));

	for (size_t k = 0; k < ARRAY_COUNT(methods); k++) {
		grid_set_column(grid, k, methods[k]);
		for (size_t i = 0; i < rows; i++)
			set_number(grid, i, k, "%.2f",
				   100 * member_number(
						 method_of(json_array_get(programs, i), methods[k]),
						 "max_error"));
		set_number(grid, rows, k, "%.2f", 100 * member_number(means, methods[k]));
	}
	for (size_t i = 0; i < rows; i++)
		set_program(grid, i, result, json_array_get(programs, i));
	grid_set_row(grid, rows, "mean");
	fputs("in percent of the run's cycles\n", out);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

static void print_clearing(FILE *out, const json_t *result, const struct terminal *terminal)
{
	static const char *const names[] = {"older_lost", "younger_lost", "wrong_path_kept"};
	static const char *const headings[] = {"older lost",   "% of run", "% of I-side",
					       "younger lost", "% of run", "% of I-side",
					       "wrong kept",   "% of run", "% of I-side"};
	const json_t *clearing = json_object_get(result, "clearing");
	const json_t *programs = json_object_get(clearing, "programs");
	size_t rows = json_array_size(programs);
	struct grid *grid = grid_create(rows + 1, ARRAY_COUNT(headings));

	fputc('\n', out);
	terminal_style(out, terminal, "1");
	fputs("What does clearing the sFMT lose?", out);
	terminal_plain(out, terminal);
	fputs("\nOlder counts, by clearing at resolution (sfmt-resolve); younger right-path counts "
	      "and\nwrong-path counts that stay, by clearing at commit (sfmt); in cycles\n",
	      out);
	for (size_t k = 0; k < ARRAY_COUNT(headings); k++)
		grid_set_column(grid, k, headings[k]);
	for (size_t i = 0; i <= rows; i++) {
		const json_t *program =
			i < rows ? json_array_get(programs, i) : json_object_get(clearing, "total");

		set_program(grid, i, result, program);
		for (size_t k = 0; k < ARRAY_COUNT(names); k++) {
			const json_t *loss = json_object_get(program, names[k]);

			set_number(grid, i, 3 * k, "%.0f", member_number(loss, "cycles"));
			set_number(grid, i, 3 * k + 1, "%.2f", 100 * member_number(loss, "of_run"));
			if (json_is_number(json_object_get(loss, "of_iside")))
				set_number(grid, i, 3 * k + 2, "%.1f",
					   100 * member_number(loss, "of_iside"));
			else
				grid_set(grid, i, 3 * k + 2, "-");
		}
	}
	grid_print(out, grid, terminal);
	grid_destroy(grid);
	terminal_put_words(out, terminal, 2, member_text(clearing, "answer"));
}

static void print_claims(FILE *out, const json_t *result, const struct terminal *terminal)
{
	json_t *claim;
	size_t i;

	fputc('\n', out);
	terminal_style(out, terminal, "1");
	fputs("The paper's claims", out);
	terminal_plain(out, terminal);
	fputc('\n', out);
	json_array_foreach(json_object_get(result, "claims"), i, claim)
	{
		const json_t *holds = json_object_get(claim, "holds");
		char text[2048];

		snprintf(text, sizeof(text), "%s: %s (section %s)",
			 json_is_true(holds)	? "HOLDS"
			 : json_is_false(holds) ? "DOES NOT HOLD"
						: "NOT MEASURED",
			 member_text(claim, "claim"), member_text(claim, "section"));
		terminal_style(out, terminal, json_is_true(holds) ? "32" : "33");
		terminal_put_words(out, terminal, 2, text);
		terminal_plain(out, terminal);
		if (json_object_get(claim, "of"))
			snprintf(text, sizeof(text), "test: %s; on %.0f of %.0f programs",
				 member_text(claim, "test"), member_number(claim, "on"),
				 member_number(claim, "of"));
		else
			snprintf(text, sizeof(text), "test: %s", member_text(claim, "test"));
		terminal_put_words(out, terminal, 2, text);
		snprintf(text, sizeof(text), "ours: %s", member_text(claim, "ours"));
		terminal_put_words(out, terminal, 2, text);
	}
}

static void print_figure(FILE *out, const json_t *result, const char *id,
			 const struct terminal *terminal)
{
	static const struct {
		const char *id;
		void (*print)(FILE *out, const json_t *result, const struct terminal *terminal);
	} tables[] = {
		{"figure-1", print_example},  {"table-1", print_overlap},
		{"figure-10", print_methods}, {"table-2", print_machine},
		{"figure-11", print_stacks},  {"figure-12", print_errors},
	};
	static const struct {
		const char *id, *event;
	} events[] = {{"figure-4", "l1i"}, {"figure-6", "branch"}, {"figure-9", "l2d"}};
	static const struct {
		const char *id;
		unsigned figure;
	} plots[] = {{"figure-2", 2},
		     {"figure-3", 3},
		     {"figure-5", 5},
		     {"figure-7", 7},
		     {"figure-8", 8}};

	for (size_t i = 0; i < ARRAY_COUNT(tables); i++)
		if (strcmp(tables[i].id, id) == 0)
			tables[i].print(out, result, terminal);
	for (size_t i = 0; i < ARRAY_COUNT(events); i++)
		if (strcmp(events[i].id, id) == 0)
			print_per_event(out, result, events[i].event, terminal);
	for (size_t i = 0; i < ARRAY_COUNT(plots); i++)
		if (strcmp(plots[i].id, id) == 0)
			print_plot(out, result, plots[i].figure, terminal);
}

void reproduce_text_print(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *paper = json_object_get(result, "paper");
	json_t *figure, *author;
	size_t i, count = json_array_size(json_object_get(paper, "authors"));

	json_array_foreach(json_object_get(paper, "authors"), i, author)
		fprintf(out, "%s%s", json_string_value(author),
			i + 2 < count	? ", "
			: i + 1 < count ? " and "
					: "\n");
	fprintf(out, "%s\n%s; with our programs at size %s%s\n", member_text(paper, "title"),
		member_text(paper, "venue"), member_text(result, "size"),
		json_is_true(json_object_get(result, "partial"))
			? "; interrupted: what was not finished is left out"
			: "");
	json_array_foreach(json_object_get(result, "figures"), i, figure)
	{
		print_heading(out, terminal, figure);
		print_figure(out, result, member_text(figure, "id"), terminal);
	}
	print_clearing(out, result, terminal);
	print_claims(out, result, terminal);
}
