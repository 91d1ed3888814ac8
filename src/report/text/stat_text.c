#include "report/text/stat_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/member.h"

#define NAME_LEAST    20
#define NAME_MOST     52
#define TOTAL_COLUMNS 17
#define SPARK_LEVELS  8
#define SPARK_MOST    60

static double mean_of(const double *values, size_t first, size_t end)
{
	double sum = 0;

	for (size_t i = first; i < end; i++)
		sum += values[i];
	return end > first ? sum / (double)(end - first) : 0;
}

void stat_text_spark(FILE *out, const struct terminal *terminal, const double *values, size_t count,
		     unsigned columns)
{
	static const char *const bars[SPARK_LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
						       "\u2585", "\u2586", "\u2587", "\u2588"};
	size_t shown = count < columns ? count : columns;
	double most = 0;

	for (size_t i = 0; i < shown; i++) {
		double mean = mean_of(values, i * count / shown, (i + 1) * count / shown);

		most = mean > most ? mean : most;
	}
	for (size_t i = 0; i < shown; i++) {
		double mean = mean_of(values, i * count / shown, (i + 1) * count / shown);
		unsigned level = most > 0 && mean > 0
					 ? (unsigned)(mean / most * (SPARK_LEVELS - 1) + 0.5)
					 : 0;

		if (terminal->utf8)
			fputs(bars[level], out);
		else
			fputc('0' + (int)level, out);
	}
}

static void name_of(const json_t *item, const char *member, char *name, size_t bytes)
{
	const char *where = member_text(item, "where");

	snprintf(name, bytes, "%s%s%s", member_text(item, member), *where ? "@" : "", where);
}

static unsigned name_columns(const json_t *result, const struct terminal *terminal)
{
	unsigned widest = NAME_LEAST;
	char name[2048];
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(result, "counters"), i, item)
	{
		name_of(item, "signal", name, sizeof(name));
		unsigned columns = terminal_columns(terminal, name);
		widest = columns > widest ? columns : widest;
	}
	unsigned most = terminal->width / 2 < NAME_MOST ? terminal->width / 2 : NAME_MOST;
	return widest < most ? widest : most;
}

static void print_spark(FILE *out, const struct terminal *terminal, const json_t *list,
			unsigned columns)
{
	size_t count = json_array_size(list);
	double *values = mem_alloc_array(count, sizeof(*values));

	for (size_t i = 0; i < count; i++)
		values[i] = json_number_value(json_array_get(list, i));
	stat_text_spark(out, terminal, values, count, columns);
	free(values);
}

static void print_epoch(FILE *out, const json_t *result, size_t number)
{
	const json_t *epoch = json_array_get(json_object_get(result, "epochs"), number);

	if (json_array_size(json_object_get(result, "epochs")) > 1)
		fprintf(out, "\nfrom cycle %lld\n", (long long)member_whole(epoch, "cycle"));
	fprintf(out, "  every %lld cycles\n", (long long)member_whole(epoch, "every"));
}

static void print_counters(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const unsigned names = name_columns(result, terminal);
	const unsigned used = 2 + names + 1 + TOTAL_COLUMNS + 2;
	unsigned columns = terminal->width > used ? terminal->width - used : 0;
	int64_t before = -1;
	json_t *item;
	size_t i;

	columns = columns > SPARK_MOST ? SPARK_MOST : columns;
	json_array_foreach(json_object_get(result, "counters"), i, item)
	{
		bool is_saturated = json_is_true(json_object_get(item, "saturated"));
		char name[2048], total[TERMINAL_NUMBER_BYTES];

		if (member_whole(item, "epoch") != before)
			print_epoch(out, result, (size_t)member_whole(item, "epoch"));
		before = member_whole(item, "epoch");
		name_of(item, "signal", name, sizeof(name));
		snprintf(total, sizeof(total), "%s%lld", is_saturated ? ">=" : "",
			 (long long)member_whole(item, "total"));
		fputs("  ", out);
		terminal_put(out, terminal, name, names);
		fprintf(out, " %*s  ", TOTAL_COLUMNS, total);
		print_spark(out, terminal, json_object_get(item, "intervals"), columns);
		fputc('\n', out);
	}
}

static void print_derived(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *derived = json_object_get(result, "derived");
	const unsigned names = name_columns(result, terminal);
	json_t *item;
	size_t i;

	if (json_array_size(derived))
		fputc('\n', out);
	json_array_foreach(derived, i, item)
	{
		char name[2048];

		name_of(item, "name", name, sizeof(name));
		fputs("  ", out);
		terminal_put(out, terminal, name, names);
		if (json_is_null(json_object_get(item, "value")))
			fprintf(out, " %*s\n", TOTAL_COLUMNS, "-");
		else
			fprintf(out, " %*.4f%s\n", TOTAL_COLUMNS, member_number(item, "value"),
				json_is_true(json_object_get(item, "saturated"))
					? "  from counts that are lower bounds"
					: "");
	}
}

void stat_text_print(FILE *out, const json_t *result, const struct terminal *terminal)
{
	const json_t *values = json_object_get(result, "values");
	const json_t *module = json_object_get(result, "module");
	bool is_saturated = false;
	json_t *item;
	size_t i;

	print_counters(out, result, terminal);
	print_derived(out, result, terminal);
	json_array_foreach(json_object_get(result, "counters"), i, item)
	{
		is_saturated |= json_is_true(json_object_get(item, "saturated"));
	}
	fprintf(out, "\n  %lld cycles, %lld instructions, %zu intervals\n",
		(long long)member_whole(values, "cycles"),
		(long long)member_whole(values, "instructions"),
		json_array_size(json_object_get(result, "intervals")));
	if (json_is_true(json_object_get(result, "intervals_cut")))
		fputs("  there were more intervals than are kept; totals are of all of them\n",
		      out);
	if (is_saturated)
		fprintf(out,
			"  >= : a counter of %lld bits reached all ones within an interval; take "
			"--every shorter or --width larger\n",
			(long long)member_whole(module, "width"));
}
