#include "papers/hough2006_synthesis.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define N_MOST	     4096
#define POINTS_LEAST 3 /* for a line with residuals */

#define FIGURE "synthesis" /* the list of figure 3, whose series must be there */

static const struct {
	const char *name, *title;
	const char *list, *member; /* of the result */
} series[] = {
	{"ranges", "N ranges", FIGURE, "ranges"},
	{"signals", "N signals", FIGURE, "signals"},
	{"counters", "N counters", FIGURE, "counters"},
	{"naive", "naive, N x N", FIGURE, "naive"},
	{"ports", "N pc ports", "pc_ports", "module"},
	{"width", "counters of N bits", "widths", "module"},
	{"fmt-branches", "fmt, N branch rows", "branch_rows", "fmt"},
	{"sfmt-branches", "sfmt, N branch rows", "branch_rows", "sfmt"},
	{"power5-rob", "power5, ROB of N", "rob_sizes", "power5"},
	{"fmt-rob", "fmt, ROB of N", "rob_sizes", "fmt"},
	{"sfmt-rob", "sfmt, ROB of N", "rob_sizes", "sfmt"},
	{"vclk-rob", "vclk, ROB of N", "rob_sizes", "vclk"},
};

#define SERIES_COUNT ARRAY_COUNT(series)

/* By series and N; 0: not synthesised. */
struct points {
	uint64_t luts[SERIES_COUNT][N_MOST + 1];
};

static bool read_line(struct points *points, const char *line, struct err *err)
{
	char name[32];
	unsigned n;
	unsigned long long luts;
	const char *at = strstr(line, " luts=");

	if (sscanf(line, "%31s %5u", name, &n) != 2 || !n || n > N_MOST || !at ||
	    sscanf(at, " luts=%12llu", &luts) != 1 || !luts)
		return err_set(err, "expected SERIES N ... luts=N, as tools/evaluate synthesis "
				    "writes it");
	for (size_t i = 0; i < SERIES_COUNT; i++)
		if (strcmp(series[i].name, name) == 0)
			points->luts[i][n] = luts;
	return true;
}

static size_t count_points(const uint64_t luts[N_MOST + 1])
{
	size_t count = 0;

	for (unsigned n = 1; n <= N_MOST; n++)
		count += luts[n] != 0;
	return count;
}

static bool read_lines(struct points *points, char *text, struct err *err)
{
	char *rest = NULL;
	unsigned number = 0;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		number++;
		if (*line != '#' && !read_line(points, line, err))
			return err_prefix(err, "line %u", number);
	}
	for (size_t i = 0; i < SERIES_COUNT; i++) {
		const size_t count = count_points(points->luts[i]);

		if (count < POINTS_LEAST && strcmp(series[i].list, FIGURE) == 0)
			return err_set(err, "the series %s has %zu points: at least %d are needed",
				       series[i].name, count, POINTS_LEAST);
	}
	return true;
}

/* The rows of one list of the result. */
static json_t *rows_json(const struct points *points, const char *list)
{
	json_t *rows = json_array();

	for (unsigned n = 1; n <= N_MOST; n++) {
		json_t *row = json_object();
		char text[16];

		snprintf(text, sizeof(text), "%u", n);
		for (size_t i = 0; i < SERIES_COUNT; i++)
			if (points->luts[i][n] && strcmp(series[i].list, list) == 0)
				json_object_set_new(row, series[i].member,
						    json_integer((json_int_t)points->luts[i][n]));
		if (json_object_size(row)) {
			json_object_set_new(row, "n", json_string(text));
			json_array_append(rows, row);
		}
		json_decref(row);
	}
	return rows;
}

/* The line through one series, and how far the points are from it. */
static json_t *slope_json(size_t which, const uint64_t luts[N_MOST + 1])
{
	double count = 0, sum_n = 0, sum_y = 0, sum_nn = 0, sum_ny = 0, left = 0, all = 0;
	double residual = 0, percent = 0;

	for (unsigned n = 1; n <= N_MOST; n++)
		if (luts[n]) {
			const double y = (double)luts[n];

			count++;
			sum_n += n;
			sum_y += y;
			sum_nn += (double)n * n;
			sum_ny += n * y;
		}
	const double slope = (count * sum_ny - sum_n * sum_y) / (count * sum_nn - sum_n * sum_n);
	const double base = (sum_y - slope * sum_n) / count;
	for (unsigned n = 1; n <= N_MOST; n++)
		if (luts[n]) {
			const double y = (double)luts[n], difference = y - (base + slope * n);

			left += difference * difference;
			all += (y - sum_y / count) * (y - sum_y / count);
			if (fabs(difference) > fabs(residual)) {
				residual = difference;
				percent = 100 * difference / y;
			}
		}
	return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:I}", "name", series[which].title, "base",
			 base, "slope", slope, "residual", residual, "percent", percent,
			 "explained", all > 0 ? 1 - left / all : 1, "points", (json_int_t)count);
}

bool hough2006_synthesis(const char *text, json_t *variations, struct err *err)
{
	struct points *points = mem_alloc(sizeof(*points));
	char *copy = mem_strdup(text);
	bool ok = read_lines(points, copy, err);

	if (ok) {
		json_t *slopes = json_array();

		for (size_t i = 0; i < SERIES_COUNT; i++) {
			const char *list = series[i].list;

			if (count_points(points->luts[i]) >= POINTS_LEAST)
				json_array_append_new(slopes, slope_json(i, points->luts[i]));
			if (!json_object_get(variations, list))
				json_object_set_new(variations, list, rows_json(points, list));
		}
		json_object_set_new(variations, "slopes", slopes);
	}
	free(points);
	free(copy);
	return ok;
}
