#include "cmd/stat_rows.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/stat_request.h"
#include "pmu/events.h"
#include "stats/formula.h"
#include "value/member.h"

#define NS_A_SECOND 1000000000ull

/* One row. A metric has no count. */
struct row {
	const char *name, *where;
	const char *unit;
	bool is_metric, is_lower_bound;
	double value;	 /* NAN: it has none */
	double variance; /* of several runs, in percent; NAN: it does not vary */
	double run_ns, share;
};

bool stat_rows_wanted(const struct args *args, enum option_id *asked)
{
	*asked = args_get(args, OPTION_FIELD_SEPARATOR) ? OPTION_FIELD_SEPARATOR
							: OPTION_INTERVAL_PRINT;
	return args_get(args, *asked);
}

void stat_rows_init(struct stat_rows *rows, const struct args *args, const struct config *config,
		    const struct stats_request *request)
{
	*rows = (struct stat_rows){
		.separator = args_get(args, OPTION_FIELD_SEPARATOR),
		.is_live = args_get(args, OPTION_INTERVAL_PRINT),
		.has_variance = args_get(args, OPTION_REPEAT),
		.shows_all = args->counts[OPTION_GROUP],
		.request = request,
	};
	const char **asked = mem_alloc_array(args->counts[OPTION_EVENTS] + 1, sizeof(*asked));
	for (size_t i = 0; i < args->counts[OPTION_EVENTS]; i++)
		if (!stat_request_is_event(args->values[OPTION_EVENTS][i], config))
			asked[rows->asked_count++] = args->values[OPTION_EVENTS][i];
	rows->asked = asked;
	rows->formulas = mem_alloc_array(request->formula_count + 1, sizeof(*rows->formulas));
	for (size_t i = 0; i < request->formula_count; i++) {
		struct err ignored; /* it was read before */

		formula_read(&rows->formulas[i], request->formulas[i].text, &ignored);
	}
}

static void forget_names(struct stat_rows *rows)
{
	for (size_t i = 0; i < rows->name_count; i++)
		free(rows->names[i]);
	free(rows->names);
	rows->names = NULL;
	rows->name_count = 0;
}

void stat_rows_release(struct stat_rows *rows)
{
	union {
		const char *const *given;
		void *list;
	} asked = {rows->asked};

	forget_names(rows);
	free(rows->formulas);
	free(asked.list);
}

/* A name that perf has too. */
static bool is_event(const char *name)
{
	for (size_t i = 0; i < generic_event_count(); i++)
		if (strcmp(generic_events[i].name, name) == 0)
			return true;
	return false;
}

/* Whether somebody asked for the signal by its own name or a pattern: everywhere, or in some place.
 */
static bool is_asked(const struct stat_rows *rows, const char *signal, const char *where)
{
	char pattern[128];

	for (size_t i = 0; i < rows->asked_count; i++) {
		snprintf(pattern, sizeof(pattern), "%.*s", (int)strcspn(rows->asked[i], "@"),
			 rows->asked[i]);
		if (!strchr(rows->asked[i], '@') == !*where && fnmatch(pattern, signal, 0) == 0)
			return true;
	}
	return rows->shows_all;
}

/* A signal that is counted for the sake of perf's names alone has no row. */
static bool is_shown(const struct stat_rows *rows, const char *signal, const char *where)
{
	if (is_asked(rows, signal, where))
		return true;
	for (size_t f = 0; f < rows->request->formula_count; f++)
		for (size_t k = 0; k < rows->formulas[f].signal_count; k++)
			if (is_event(rows->formulas[f].name) &&
			    strcmp(rows->formulas[f].signals[k]->name, signal) == 0)
				return false;
	return true;
}

static void put_name(FILE *out, const struct row *row)
{
	print_printable(out, row->name);
	if (*row->where)
		fputc('@', out);
	print_printable(out, row->where);
}

static void warn_of_separator(struct stat_rows *rows, const struct row *row)
{
	if (rows->has_warned ||
	    (!strstr(row->name, rows->separator) && !strstr(row->where, rows->separator)))
		return;
	rows->has_warned = true;
	say_warning(NULL, "the separator occurs in the name of an event, and names are not quoted: "
			  "choose another, such as -x ';'");
}

/* Counts as whole numbers; means may have two places. */
static void put_count(FILE *out, double value)
{
	fprintf(out, value == floor(value) ? "%.0f" : "%.2f", value);
}

static void put_metric(FILE *out, double value)
{
	if (!isnan(value))
		fprintf(out, "%.4f", value);
}

/* What perf says beside instructions: how many a cycle. */
static bool has_ipc(const struct row *row)
{
	return !*row->where && row->run_ns > 0 &&
	       (strcmp(row->name, "committed") == 0 || strcmp(row->name, "instructions") == 0);
}

static void put_fields(struct stat_rows *rows, const struct row *row)
{
	const char *s = rows->separator;
	FILE *out = rows->out;

	warn_of_separator(rows, row);
	if (row->is_metric) {
		fprintf(out, "%s%s%s%s%s%s", s, s, s, s, rows->has_variance ? s : "", s);
		put_metric(out, row->value);
		fputs(s, out);
		put_name(out, row);
	} else {
		put_count(out, row->value);
		fprintf(out, "%s%s%s", s, row->unit, s);
		put_name(out, row);
		fputs(rows->has_variance ? s : "", out);
		if (rows->has_variance && !isnan(row->variance))
			fprintf(out, row->variance < 0.005 ? "%.2g%%" : "%.2f%%", row->variance);
		fprintf(out, "%s%.0f%s%.2f%s", s, row->run_ns, s, 100 * row->share, s);
		if (row->is_lower_bound)
			fprintf(out, "%slower bound", s);
		else if (has_ipc(row))
			fprintf(out, "%.2f%sinsn per cycle", row->value / row->run_ns, s);
		else
			fputs(s, out);
	}
	fputc('\n', out);
}

static void put_columns(const struct stat_rows *rows, const struct row *row)
{
	char value[64];

	if (row->is_metric && isnan(row->value))
		snprintf(value, sizeof(value), "-");
	else if (row->is_metric)
		snprintf(value, sizeof(value), "%.4f", row->value);
	else
		snprintf(value, sizeof(value), "%s%.0f", row->is_lower_bound ? ">=" : "",
			 row->value);
	fprintf(rows->out, " %18s %-14s ", value, row->unit);
	put_name(rows->out, row);
	fputc('\n', rows->out);
}

/* With the seconds, of intervals, at which they ended. */
static void put_row(struct stat_rows *rows, const struct row *row, uint64_t end_ns)
{
	if (rows->is_live && !rows->separator && !rows->has_heading)
		fprintf(rows->out, "#%15s %18s %-14s %s\n", "time", "counts", "unit", "events");
	rows->has_heading = true;
	if (rows->is_live)
		fprintf(rows->out, "%6llu.%09llu", (unsigned long long)(end_ns / NS_A_SECOND),
			(unsigned long long)(end_ns % NS_A_SECOND));
	if (!rows->separator) {
		put_columns(rows, row);
		return;
	}
	if (rows->is_live)
		fputs(rows->separator, rows->out);
	put_fields(rows, row);
}

static void take_names(struct stat_rows *rows, const struct stat_frame *frame)
{
	const char *name = frame->text;

	forget_names(rows);
	rows->names = mem_alloc_array(frame->head.count + 1, sizeof(char *));
	for (; rows->name_count < frame->head.count; name += strlen(name) + 1)
		rows->names[rows->name_count++] = mem_strdup(name);
}

/* The place in "SIGNAL@WHERE". */
static const char *where_of(const char *name)
{
	const char *at = strchrnul(name, '@');

	return *at ? at + 1 : at;
}

static bool is_signal(const char *name, const char *signal, const char *where)
{
	const size_t length = strlen(signal);

	return strncmp(name, signal, length) == 0 && (!name[length] || name[length] == '@') &&
	       strcmp(where_of(name), where) == 0;
}

/* A formula where the name of that number was counted; false if its signals were not. */
static bool formula_at(const struct stat_rows *rows, const struct formula *formula,
		       const char *where, const struct stat_frame *frame, struct row *row)
{
	double values[FORMULA_SIGNALS_MOST] = {0};

	for (size_t k = 0; k < formula->signal_count; k++) {
		size_t i = 0;

		while (i < rows->name_count &&
		       !is_signal(rows->names[i], formula->signals[k]->name, where))
			i++;
		if (i == rows->name_count)
			return false;
		values[k] = (double)frame->counts[i].value;
		row->is_lower_bound |= frame->counts[i].is_saturated;
	}
	if (!formula_value(formula, values, &row->value))
		row->value = NAN;
	return true;
}

static void put_interval_formulas(struct stat_rows *rows, const struct stat_frame *frame,
				  uint64_t end)
{
	for (size_t f = 0; f < rows->request->formula_count; f++)
		for (size_t i = 0; i < rows->name_count; i++) {
			const struct formula *formula = &rows->formulas[f];
			const char *where = where_of(rows->names[i]);
			const char *wanted = rows->request->formulas[f].where;
			struct row row = {.name = formula->name,
					  .where = where,
					  .unit = "",
					  .is_metric = !is_event(formula->name),
					  .variance = NAN,
					  .run_ns = (double)frame->head.cycles,
					  .share = 1};
			size_t first = 0;

			while (strcmp(where_of(rows->names[first]), where) != 0)
				first++;
			if (first == i &&
			    (!wanted || strcmp(wanted, where) == 0 ||
			     fnmatch(wanted, where, 0) == 0) &&
			    formula_at(rows, formula, where, frame, &row))
				put_row(rows, &row, end);
		}
}

static void put_interval(struct stat_rows *rows, const struct stat_frame *frame)
{
	const uint64_t end = frame->head.start + frame->head.cycles;
	char name[128];

	for (size_t i = 0; i < rows->name_count; i++) {
		const char *where = where_of(rows->names[i]);

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(rows->names[i], "@"),
			 rows->names[i]);
		const struct signal_row *signal = signal_find(name);
		const struct row row = {.name = name,
					.where = where,
					.unit = signal ? signal->unit : "",
					.is_lower_bound = frame->counts[i].is_saturated,
					.value = (double)frame->counts[i].value,
					.variance = NAN,
					.run_ns = (double)frame->head.cycles,
					.share = 1};

		if (is_shown(rows, name, where))
			put_row(rows, &row, end);
	}
	put_interval_formulas(rows, frame, end);
	fflush(rows->out);
}

void stat_rows_take(struct stat_rows *rows, const struct stat_frame *frame)
{
	if (!rows->out || !rows->is_live)
		return;
	if (frame->head.kind == STAT_FRAME_EPOCH)
		take_names(rows, frame);
	/* The program may end with an interval. */
	if (frame->head.kind == STAT_FRAME_INTERVAL && frame->head.count == rows->name_count &&
	    frame->head.cycles)
		put_interval(rows, frame);
}

/* The cycles of an epoch, up to the next or the end of the run. */
static double epoch_cycles(const json_t *result, size_t number)
{
	const json_t *epochs = json_object_get(result, "epochs");
	const json_t *next = json_array_get(epochs, number + 1);
	const double end = next ? member_number(next, "cycle")
				: member_number(json_object_get(result, "values"), "cycles");

	return fmax(0, end - member_number(json_array_get(epochs, number), "cycle"));
}

/* `value`: the member that has the count or the mean. */
static void put_total(struct stat_rows *rows, const json_t *item, const char *name,
		      const char *value, double run_ns, double whole_ns)
{
	const json_t *number = json_object_get(item, value), *spread;
	const struct row row = {
		.name = member_text(item, name),
		.where = member_text(item, "where"),
		.unit = member_text(item, "unit"),
		.is_metric = strcmp(name, "name") == 0 && !is_event(member_text(item, "name")),
		.is_lower_bound = json_is_true(json_object_get(item, "saturated")),
		.value = json_is_number(number) ? json_number_value(number) : NAN,
		.variance = (spread = json_object_get(item, "spread")) && json_is_number(spread)
				    ? 100 * json_number_value(spread)
				    : NAN,
		.run_ns = run_ns,
		.share = whole_ns > 0 ? run_ns / whole_ns : 1,
	};

	if (strcmp(name, "name") == 0 || is_shown(rows, row.name, row.where))
		put_row(rows, &row, 0);
}

void stat_rows_result(struct stat_rows *rows, const json_t *result)
{
	static const struct {
		const char *list, *name, *value;
	} lists[] = {{"counters", "signal", "total"}, {"derived", "name", "value"}};
	const json_t *epochs = json_object_get(result, "epochs"), *item;
	const double cycles = epochs ? member_number(json_object_get(result, "values"), "cycles")
				     : member_number(json_object_get(result, "cycles"), "mean");
	size_t i;

	if (!rows->out || rows->is_live)
		return;
	for (size_t l = 0; l < ARRAY_COUNT(lists); l++)
		json_array_foreach(json_object_get(result, lists[l].list), i, item)
		{
			const double run =
				epochs ? epoch_cycles(result, (size_t)member_whole(item, "epoch"))
				       : cycles;

			put_total(rows, item, lists[l].name, epochs ? lists[l].value : "mean", run,
				  cycles);
		}
}
