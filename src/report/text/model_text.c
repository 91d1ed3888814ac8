#include "report/text/model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/grid.h"
#include "value/member.h"

#define NAME_BYTES 512

/* "rob.size=64 l2.mshrs=8", and the technique where there are several. */
static void point_name(const json_t *point, const char *only_technique, char name[NAME_BYTES])
{
	const char *key, *technique = member_text(point, "technique");
	json_t *value;
	size_t at = 0;

	name[0] = '\0';
	json_object_foreach(json_object_get(point, "set"), key, value) if (at < NAME_BYTES - 1)
		at += (size_t)snprintf(name + at, NAME_BYTES - at, "%s%s=%s", at ? " " : "", key,
				       json_string_value(value));
	if (!only_technique && at < NAME_BYTES - 1)
		snprintf(name + at, NAME_BYTES - at, "%s%s", at ? ": " : "", technique);
	else if (!at)
		snprintf(name, NAME_BYTES, "(as configured)");
}

/* The technique if all points have the same; else NULL. */
static const char *common_technique(const json_t *points)
{
	const char *first = member_text(json_array_get(points, 0), "technique");

	for (size_t i = 1; i < json_array_size(points); i++)
		if (strcmp(first, member_text(json_array_get(points, i), "technique")) != 0)
			return NULL;
	return first;
}

static void set_number(struct grid *grid, size_t row, size_t column, double value)
{
	char text[GRID_CELL_BYTES];

	snprintf(text, sizeof(text), "%.4f", value);
	grid_set(grid, row, column, text);
}

static void set_percent(struct grid *grid, size_t row, size_t column, double value)
{
	char text[GRID_CELL_BYTES];

	snprintf(text, sizeof(text), "%+.1f%%", 100 * value);
	grid_set(grid, row, column, text);
}

static void write_points(FILE *out, const json_t *points, const struct terminal *terminal)
{
	static const char *const headings[] = {"CPI",	    "base",  "branch",
					       "icache",    "dmiss", "simulated",
					       "its dmiss", "error", "of dmiss"};
	static const char *const terms[] = {"base", "branch", "icache", "dmiss"};
	bool has_simulated = json_object_get(json_array_get(points, 0), "simulated");
	const char *technique = common_technique(points);
	size_t count = json_array_size(points);
	struct grid *grid = grid_create(count, has_simulated ? 9 : 5);

	for (size_t i = 0; i < (has_simulated ? 9U : 5U); i++)
		grid_set_column(grid, i, headings[i]);
	for (size_t i = 0; i < count; i++) {
		const json_t *point = json_array_get(points, i);
		const json_t *simulated = json_object_get(point, "simulated");
		const json_t *error = json_object_get(point, "error");
		char name[NAME_BYTES];

		point_name(point, technique, name);
		grid_set_row(grid, i, name);
		set_number(grid, i, 0, member_number(point, "cpi"));
		for (size_t k = 0; k < 4; k++)
			set_number(grid, i, 1 + k,
				   member_number(json_object_get(point, "components"), terms[k]));
		if (!has_simulated)
			continue;
		set_number(grid, i, 5, member_number(simulated, "cpi"));
		set_number(grid, i, 6,
			   member_number(json_object_get(simulated, "components"), "dmiss"));
		set_percent(grid, i, 7, member_number(error, "cpi"));
		set_percent(grid, i, 8, member_number(error, "dmiss"));
	}
	if (technique)
		fprintf(out, "Long data misses by: %s\n", technique);
	grid_print(out, grid, terminal);
	grid_destroy(grid);
}

static void write_place(FILE *out, const json_t *row, const struct terminal *terminal)
{
	terminal_put_all(out, terminal, member_text(row, "function"));
	if (member_text(row, "file")[0]) {
		fputs(" ", out);
		terminal_put_all(out, terminal, member_text(row, "file"));
		fprintf(out, ":%lld", (long long)member_whole(row, "line"));
	}
}

/* "16022 on registers, 80 on pending hit": what the misses of a row depend on. */
static void write_dependences(FILE *out, const json_t *row)
{
	const char *name, *separator = "  depend on: ";
	json_t *count;

	json_object_foreach(json_object_get(row, "depends_on"), name, count)
	{
		if (!json_integer_value(count))
			continue;
		fprintf(out, "%s%s %lld", separator, name, (long long)json_integer_value(count));
		separator = ", ";
	}
}

static void write_shares(FILE *out, const json_t *rows, const struct terminal *terminal)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		fprintf(out, "%6.1f%% %10lld %10lld  ", 100 * member_number(row, "share"),
			(long long)member_whole(row, "serialized_misses"),
			(long long)member_whole(row, "misses"));
		write_place(out, row, terminal);
		write_dependences(out, row);
		fputc('\n', out);
	}
}

static void write_window(FILE *out, const json_t *row, const struct terminal *terminal)
{
	const json_t *miss;
	size_t i;

	fprintf(out,
		"%6.1f%% %lld windows like instructions %lld to %lld: %lld misses, %lld one after "
		"the other; ended by: %s\n",
		100 * member_number(row, "share"), (long long)member_whole(row, "windows"),
		(long long)member_whole(row, "from"), (long long)member_whole(row, "to") - 1,
		(long long)member_whole(row, "misses"),
		(long long)member_whole(row, "serialized_misses"), member_text(row, "ended_by"));
	json_array_foreach(json_object_get(row, "chain"), i, miss)
	{
		const char *dependence = member_text(miss, "depends_on");
		bool begins = strcmp(dependence, "nothing") == 0;

		fprintf(out, "        %s%lld x ", begins ? "     " : "then ",
			(long long)member_whole(miss, "misses"));
		write_place(out, miss, terminal);
		fprintf(out, " (%s)%s%s\n", member_text(miss, "pc"), begins ? "" : ", through ",
			begins ? "" : dependence);
	}
}

static void write_explanation(FILE *out, const json_t *explanation, const struct terminal *terminal)
{
	const json_t *row;
	size_t i;

	fputs("\nWhere the long data misses are, first point: share of dmiss, misses on longest "
	      "chains, all misses\n",
	      out);
	write_shares(out, json_object_get(explanation, "functions"), terminal);
	fputs("By line\n", out);
	write_shares(out, json_object_get(explanation, "lines"), terminal);
	fputs("What ended the windows: share of dmiss\n", out);
	json_array_foreach(json_object_get(explanation, "ends"), i, row)
		fprintf(out, "%6.1f%% %10lld windows  %s\n", 100 * member_number(row, "share"),
			(long long)member_whole(row, "windows"), member_text(row, "ended_by"));
	fputs("The windows that cost most, those with the same chain of misses as one\n", out);
	json_array_foreach(json_object_get(explanation, "windows"), i, row)
		write_window(out, row, terminal);
}

void model_text_write(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *program = json_object_get(result, "program");
	const json_t *points = json_object_get(result, "points");
	const json_t *detail = json_object_get(json_array_get(points, 0), "detail");
	double thousands = member_number(result, "instructions") / 1000;

	terminal_put_all(out, terminal, program ? member_text(program, "name") : "imported trace");
	fprintf(out, " on ");
	terminal_put_all(out, terminal,
			 member_text(json_object_get(result, "configuration"), "name"));
	fprintf(out,
		": %lld instructions; per 1000: %.2f long load misses, %.2f long store misses, %.2f "
		"mispredictions, %.2f L1I misses (first point)\n",
		(long long)member_whole(result, "instructions"),
		thousands > 0 ? member_number(detail, "load_misses") / thousands : 0,
		thousands > 0 ? member_number(detail, "store_misses") / thousands : 0,
		thousands > 0 ? member_number(detail, "mispredictions") / thousands : 0,
		thousands > 0 ? member_number(detail, "fetch_misses") / thousands : 0);
	write_points(out, points, terminal);
	if (json_object_get(result, "explanation"))
		write_explanation(out, json_object_get(result, "explanation"), terminal);
}
