#include "report/text/judge_text.h"

#include <math.h>
#include <string.h>

#include "count/truth.h"
#include "report/text/grid.h"
#include "value/component.h"
#include "value/member.h"

static void set_percent(struct grid *grid, size_t row, size_t column, double part)
{
	char text[GRID_CELL_BYTES];

	snprintf(text, sizeof(text), "%.2f", 100 * part);
	grid_set(grid, row, column, text);
}

/* Sets a row of components in percent of the cycles: those that the truth has. */
static void set_stack(struct grid *grid, size_t row, const json_t *truth, const json_t *components,
		      double cycles)
{
	struct stack stack;
	size_t column = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = member_whole(components, component_rows[i].name);
	truth_fold(&stack);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (json_object_get(truth, component_rows[i].name))
			set_percent(grid, row, column++, (double)stack.cycles[i] / cycles);
}

/* The same of means, which need not be whole. */
static void set_means(struct grid *grid, size_t row, const json_t *truth, const json_t *means,
		      double cycles)
{
	size_t column = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (json_object_get(truth, component_rows[i].name))
			set_percent(grid, row, column++,
				    member_number(means, component_rows[i].name) / cycles);
}

/* The three rows that all orders give. */
static size_t set_all_orders(struct grid *grid, size_t row, const json_t *truth, const json_t *all,
			     double cycles)
{
	grid_set_row(grid, row, "all orders, lowest");
	set_stack(grid, row++, truth, json_object_get(all, "lowest"), cycles);
	grid_set_row(grid, row, "all orders, mean");
	set_means(grid, row++, truth, json_object_get(all, "mean"), cycles);
	grid_set_row(grid, row, "all orders, highest");
	set_stack(grid, row++, truth, json_object_get(all, "highest"), cycles);
	return row;
}

static void print_stacks(FILE *out, const json_t *program, const struct terminal *terminal)
{
	const json_t *truth = json_object_get(program, "truth");
	const json_t *b = json_object_get(truth, "b"), *all = json_object_get(truth, "all_orders");
	json_t *a = json_object_get(truth, "a"), *value;
	json_t *methods = json_object_get(program, "methods");
	size_t columns = json_object_size(a), row = 2, column = 0;
	struct grid *grid =
		grid_create(json_object_size(methods) + (all ? 5 : 2), columns + (all ? 3 : 1));
	double cycles = member_number(program, "cycles");
	const char *name;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		if (json_object_get(a, component_rows[i].name))
			grid_set_column(grid, column++, component_rows[i].name);
	grid_set_column(grid, columns, "error");
	if (all) {
		grid_set_column(grid, columns + 1, "range");
		grid_set_column(grid, columns + 2, "mean");
	}
	grid_set_row(grid, 0, "simulated, order A");
	grid_set_row(grid, 1, "simulated, order B");
	set_stack(grid, 0, a, a, cycles);
	set_stack(grid, 1, a, b, cycles);
	if (all)
		row = set_all_orders(grid, row, a, all, cycles);
	json_object_foreach(methods, name, value)
	{
		grid_set_row(grid, row, name);
		set_stack(grid, row, a, json_object_get(value, "components"), cycles);
		if (all) {
			set_percent(grid, row, columns + 1,
				    member_number(value, "distance_to_range"));
			set_percent(grid, row, columns + 2,
				    member_number(value, "distance_to_mean"));
		}
		set_percent(grid, row++, columns, member_number(value, "max_error"));
	}
	fputc('\n', out);
	terminal_put_all(out, terminal, member_text(program, "name"));
	fprintf(out, ": %.0f instructions, %.0f cycles, CPI %.3f; in %% of the cycles\n",
		member_number(program, "instructions"), cycles,
		cycles / member_number(program, "instructions"));
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* One row and one column for each component that has an interaction, in the order of all reports.
 */
static void print_interactions(FILE *out, const json_t *program, const struct terminal *terminal)
{
	const json_t *list = json_object_get(
		json_object_get(json_object_get(program, "truth"), "all_orders"), "interactions");
	size_t place[COMPONENT_COUNT], count = 0, i;
	bool is_there[COMPONENT_COUNT] = {false};
	json_t *pair;

	json_array_foreach(list, i, pair)
	{
		const int first = component_named(member_text(pair, "first"));
		const int second = component_named(member_text(pair, "second"));

		if (first >= 0 && second >= 0)
			is_there[first] = is_there[second] = true;
	}
	for (int k = 0; k < COMPONENT_COUNT; k++)
		place[k] = is_there[k] ? count++ : 0;
	if (!count)
		return;
	struct grid *grid = grid_create(count, count);
	for (int k = 0; k < COMPONENT_COUNT; k++) {
		if (!is_there[k])
			continue;
		grid_set_row(grid, place[k], component_rows[k].name);
		grid_set_column(grid, place[k], component_rows[k].name);
	}
	json_array_foreach(list, i, pair)
	{
		const int first = component_named(member_text(pair, "first"));
		const int second = component_named(member_text(pair, "second"));
		const double part =
			member_number(pair, "cycles") / member_number(program, "cycles");

		if (first < 0 || second < 0)
			continue;
		set_percent(grid, place[first], place[second], part);
		set_percent(grid, place[second], place[first], part);
	}
	fputs("\nInteractions in ", out);
	terminal_put_all(out, terminal, member_text(program, "name"));
	fputs(", in percent of the cycles\n", out);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* One row per program, one column per method; the last row is the mean. */
static void print_by_method(FILE *out, const json_t *programs, const char *member,
			    const json_t *means, const char *title, const struct terminal *terminal)
{
	json_t *first = json_object_get(json_array_get(programs, 0), "methods"), *value;
	size_t rows = json_array_size(programs), columns = json_object_size(first), column = 0;
	struct grid *grid = grid_create(rows + 1, columns);
	const char *name;

	json_object_foreach(first, name, value)
	{
		grid_set_column(grid, column, name);
		for (size_t i = 0; i < rows; i++) {
			json_t *program = json_array_get(programs, i);

			set_percent(
				grid, i, column,
				member_number(
					json_object_get(json_object_get(program, "methods"), name),
					member));
		}
		set_percent(grid, rows, column++, member_number(means, name));
	}
	for (size_t i = 0; i < rows; i++)
		grid_set_row(grid, i, member_text(json_array_get(programs, i), "name"));
	grid_set_row(grid, rows, "mean");
	fprintf(out, "\n%s, in percent of the run's cycles\n", title);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* The component whose two values differ most, in a column and the one after it. */
static void set_widest(struct grid *grid, size_t row, size_t column, const json_t *one,
		       const json_t *other, double cycles)
{
	double most = -1;
	int widest = 0;

	for (int i = 0; i < COMPONENT_COUNT; i++) {
		const double apart = fabs(member_number(one, component_rows[i].name) -
					  member_number(other, component_rows[i].name));

		if (apart > most) {
			most = apart;
			widest = i;
		}
	}
	set_percent(grid, row, column, most / cycles);
	grid_set(grid, row, column + 1, component_rows[widest].name);
}

/* How far two orders, and all of them, are apart in the component in which they differ most. */
static void print_widths(FILE *out, const json_t *programs, const struct terminal *terminal)
{
	static const char *const headings[] = {"A and B", "in", "all orders", "in"};
	const size_t rows = json_array_size(programs);
	struct grid *grid = grid_create(rows, 4);

	for (size_t k = 0; k < 4; k++)
		grid_set_column(grid, k, headings[k]);
	for (size_t i = 0; i < rows; i++) {
		const json_t *program = json_array_get(programs, i);
		const json_t *truth = json_object_get(program, "truth");
		const json_t *all = json_object_get(truth, "all_orders");
		const double cycles = member_number(program, "cycles");

		grid_set_row(grid, i, member_text(program, "name"));
		set_widest(grid, i, 0, json_object_get(truth, "a"), json_object_get(truth, "b"),
			   cycles);
		set_widest(grid, i, 2, json_object_get(all, "lowest"),
			   json_object_get(all, "highest"), cycles);
	}
	fputs("\nHow far orders are apart, in percent of the run's cycles\n", out);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* What the columns and rows of all orders mean. */
static void print_orders(FILE *out, const json_t *program, const struct terminal *terminal)
{
	const json_t *all = json_object_get(json_object_get(program, "truth"), "all_orders");
	char text[768];

	snprintf(
		text, sizeof(text),
		"All orders: the %.0f in which structures can become real one after the other, each "
		"after those without which it has no effect, on %.0f machines. range: the largest "
		"distance of a component from what lies between lowest and highest; mean: from the "
		"mean, as error is from orders A and B. An interaction is what two structures cost "
		"together beyond what each costs alone: positive if each makes the other worse, "
		"negative if they hide each other.",
		member_number(all, "orders"), member_number(all, "machines"));
	fputc('\n', out);
	terminal_put_words(out, terminal, 2, text);
}

static void print_events(FILE *out, const json_t *programs, const char *event, const char *title,
			 const struct terminal *terminal)
{
	size_t rows = json_array_size(programs), columns = 0;
	json_t *names = NULL, *value;
	const char *name;

	/* A program without such an event has no methods to name the columns. */
	for (size_t i = 0; i < rows && !columns; i++) {
		names = json_object_get(json_object_get(json_array_get(programs, i), "per_event"),
					event);
		columns = json_object_size(names);
	}
	if (!columns)
		return;
	struct grid *grid = grid_create(rows, columns + 1);
	for (size_t i = 0; i < rows; i++) {
		const json_t *program = json_array_get(programs, i);
		const json_t *costs = json_object_get(json_object_get(program, "per_event"), event);
		char text[GRID_CELL_BYTES];
		size_t column = 0;

		grid_set_row(grid, i, member_text(program, "name"));
		terminal_short(text, member_number(json_object_get(program, "events"), event));
		grid_set(grid, i, column++, text);
		json_object_foreach(names, name, value)
		{
			if (json_object_get(costs, name))
				snprintf(text, sizeof(text), "%.1f", member_number(costs, name));
			else
				snprintf(text, sizeof(text), "-");
			grid_set(grid, i, column++, text);
		}
	}
	size_t column = 0;
	grid_set_column(grid, column++, "events");
	json_object_foreach(names, name, value) grid_set_column(grid, column++, name);
	fprintf(out, "\n%s\n", title);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

static void print_overlap(FILE *out, const json_t *programs, const struct terminal *terminal)
{
	static const char *const headings[] = {"overlap %", "full %", "older lost", "younger lost",
					       "wrong kept"};
	size_t rows = json_array_size(programs);

	if (!json_object_get(json_array_get(programs, 0), "overlap"))
		return;
	struct grid *grid = grid_create(rows, 5);
	for (size_t k = 0; k < 5; k++)
		grid_set_column(grid, k, headings[k]);
	for (size_t i = 0; i < rows; i++) {
		const json_t *program = json_array_get(programs, i);
		const json_t *losses = json_object_get(program, "sfmt_losses");
		const json_t *commit = json_object_get(losses, "sfmt");
		const json_t *resolve = json_object_get(losses, "sfmt-resolve");
		double cycles = member_number(program, "cycles");

		grid_set_row(grid, i, member_text(program, "name"));
		set_percent(grid, i, 0, member_number(program, "overlap"));
		set_percent(grid, i, 1, member_number(program, "overlap_full"));
		set_percent(grid, i, 2, member_number(resolve, "older_lost") / cycles);
		set_percent(grid, i, 3, member_number(commit, "younger_lost") / cycles);
		set_percent(grid, i, 4, member_number(commit, "wrong_path_kept") / cycles);
	}
	fputc('\n', out);
	terminal_put_words(
		out, terminal, 0,
		"Overlap of frontend and long data miss penalties, all and with a full "
		"window; what clearing loses in sFMT: older counts (sfmt-resolve), younger "
		"counts and wrong-path counts kept (sfmt); in percent of the run's cycles");
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

static void print_bits(FILE *out, const json_t *program, const struct terminal *terminal)
{
	json_t *methods = json_object_get(program, "methods"), *value;
	struct grid *grid = grid_create(1, json_object_size(methods));
	size_t column = 0;
	const char *name;

	grid_set_row(grid, 0, "bits");
	json_object_foreach(methods, name, value)
	{
		char text[GRID_CELL_BYTES] = "-";
		const json_t *bits = json_object_get(value, "bits");

		if (json_is_integer(bits))
			snprintf(text, sizeof(text), "%.0f", json_number_value(bits));
		grid_set_column(grid, column, name);
		grid_set(grid, 0, column++, text);
	}
	fputs("\nStorage\n", out);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

/* What the components are that the truth has. */
static void print_meanings(FILE *out, const json_t *program, const struct terminal *terminal)
{
	const json_t *truth = json_object_get(json_object_get(program, "truth"), "a");

	fputc('\n', out);
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		char text[256];

		if (!json_object_get(truth, component_rows[i].name))
			continue;
		snprintf(text, sizeof(text), "%s: %s%s", component_rows[i].name,
			 component_rows[i].meaning,
			 i == COMPONENT_BASE ? ", with what methods call resource" : "");
		terminal_put_words(out, terminal, 2, text);
	}
}

/* Which methods the machine has no room for, and why. */
static void print_left_out(FILE *out, const json_t *result, const struct terminal *terminal)
{
	char text[512] = "Left out, because they count what only an out-of-order core has: ";
	size_t i;
	json_t *name;

	if (!json_array_size(json_object_get(result, "left_out")))
		return;
	json_array_foreach(json_object_get(result, "left_out"), i, name)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? ", " : "",
			 json_string_value(name));
	snprintf(text + strlen(text), sizeof(text) - strlen(text), ".");
	fputc('\n', out);
	terminal_put_words(out, terminal, 2, text);
}

void judge_text_print(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *programs = json_object_get(result, "programs");
	const json_t *summary = json_object_get(result, "summary");
	const json_t *range = json_object_get(summary, "mean_distance_to_range");
	const json_t *mean = json_object_get(summary, "mean_distance_to_mean");

	for (size_t i = 0; i < json_array_size(programs); i++) {
		print_stacks(out, json_array_get(programs, i), terminal);
		print_interactions(out, json_array_get(programs, i), terminal);
	}
	if (!json_array_size(programs))
		return;
	if (mean)
		print_orders(out, json_array_get(programs, 0), terminal);
	print_meanings(out, json_array_get(programs, 0), terminal);
	print_left_out(out, result, terminal);
	print_events(out, programs, "l1i", "Cycles per L1I miss of the right path", terminal);
	print_events(out, programs, "branch", "Cycles per committed misprediction", terminal);
	print_events(out, programs, "l2d", "Cycles per long data miss of the right path", terminal);
	print_overlap(out, programs, terminal);
	print_bits(out, json_array_get(programs, 0), terminal);
	if (mean)
		print_widths(out, programs, terminal);
	if (range)
		print_by_method(out, programs, "distance_to_range", range,
				"Largest distance from the range of all orders", terminal);
	if (mean)
		print_by_method(out, programs, "distance_to_mean", mean,
				"Largest distance from the mean of all orders", terminal);
	print_by_method(out, programs, "max_error", json_object_get(summary, "mean_error"),
			"Largest error of a component", terminal);
}
