#include "cmd/reproduce_synthesis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/stat_request.h"

#define FILE_BYTES_MOST (1u << 20)
#define N_MOST		4096
#define POINTS_LEAST	3 /* for a line with residuals */

static const struct {
	const char *name, *title;
} series[] = {
	{"ranges", "N ranges"},
	{"signals", "N signals"},
	{"counters", "N counters"},
	{"naive", "naive, N x N"},
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
		size_t count = 0;

		for (unsigned n = 1; n <= N_MOST; n++)
			count += points->luts[i][n] != 0;
		if (count < POINTS_LEAST)
			return err_set(err, "the series %s has %zu points: at least %d are needed",
				       series[i].name, count, POINTS_LEAST);
	}
	return true;
}

static json_t *rows_json(const struct points *points)
{
	json_t *rows = json_array();

	for (unsigned n = 1; n <= N_MOST; n++) {
		json_t *row = json_object();
		char text[16];

		snprintf(text, sizeof(text), "%u", n);
		for (size_t i = 0; i < SERIES_COUNT; i++)
			if (points->luts[i][n])
				json_object_set_new(row, series[i].name,
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

bool reproduce_synthesis(const char *path, json_t *variations, struct err *err)
{
	size_t bytes;
	char *text = read_small_file(path, FILE_BYTES_MOST, &bytes, err);
	struct points *points = mem_alloc(sizeof(*points));
	bool ok = text && (strlen(text) == bytes || err_set(err, "it is no text"));

	ok = ok && read_lines(points, text, err);
	if (ok) {
		json_t *slopes = json_array();

		for (size_t i = 0; i < SERIES_COUNT; i++)
			json_array_append_new(slopes, slope_json(i, points->luts[i]));
		json_object_set_new(variations, "synthesis", rows_json(points));
		json_object_set_new(variations, "slopes", slopes);
	}
	free(points);
	free(text);
	return ok || err_prefix(err, "--synthesis %s", path);
}
