#include "measure/simpoint_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* SimPoint writes weights with six digits behind the point, which may add up to a little more. */
#define SUM_MOST 1.001

/* A place in a text, line by line. */
struct lines {
	const struct simpoint_text *text;
	const char *at, *end; /* what is left of the line */
	const char *next;     /* the line after it */
	size_t number;
};

static struct lines lines_of(const struct simpoint_text *text)
{
	return (struct lines){.text = text, .next = text->bytes};
}

static void skip_blanks(struct lines *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
}

/* The next line that is not empty. */
static bool next_line(struct lines *l)
{
	const char *const end = l->text->bytes + l->text->count;

	while (l->next < end) {
		const char *feed = memchr(l->next, '\n', (size_t)(end - l->next));

		l->at = l->next;
		l->end = feed ? feed : end;
		l->next = feed ? feed + 1 : end;
		l->number++;
		skip_blanks(l);
		if (l->at < l->end)
			return true;
	}
	return false;
}

static bool is_over(struct lines *l)
{
	skip_blanks(l);
	return l->at == l->end;
}

static bool refuse(const struct lines *l, const char *expected, struct err *err)
{
	return err_set(err, "%s, line %zu: %s", l->text->name, l->number, expected);
}

static bool take_number(struct lines *l, uint64_t most, uint64_t *value)
{
	const char *const begin = l->at;

	for (*value = 0; l->at < l->end && *l->at >= '0' && *l->at <= '9'; l->at++) {
		const uint64_t digit = (uint64_t)(*l->at - '0');

		if (*value > (most - digit) / 10)
			return false;
		*value = 10 * *value + digit;
	}
	return l->at > begin;
}

/* Digits, a point and an exponent, and nothing else that strtod would take. */
static bool take_weight(struct lines *l, double *value)
{
	char text[64];
	size_t count = 0;
	char *end;

	while (l->at < l->end && strchr("0123456789.eE+-", *l->at) && *l->at &&
	       count < sizeof(text) - 1)
		text[count++] = *l->at++;
	text[count] = '\0';
	*value = strtod(text, &end);
	return count && !*end && *value > 0 && *value <= SUM_MOST;
}

static bool take_character(struct lines *l, char wanted)
{
	return l->at < l->end && *l->at++ == wanted;
}

/* One line of vectors. */
static bool read_vector(struct lines *l, struct vector_entry **counts, size_t *count,
			size_t *capacity, struct err *err)
{
	uint64_t block, instructions, sum = 0;
	bool ok = take_character(l, 'T');

	for (*count = 0; ok && !is_over(l);) {
		ok = take_character(l, ':') && take_number(l, UINT32_MAX, &block) &&
		     take_character(l, ':') && take_number(l, INT64_MAX, &instructions) &&
		     sum <= INT64_MAX - instructions;
		if (!ok)
			break;
		sum += instructions;
		*ARRAY_PUSH(*counts, *count, *capacity) =
			(struct vector_entry){(uint32_t)block, instructions};
	}
	if (ok && sum)
		return true;
	return refuse(
		l,
		ok ? "the vector has no instructions"
		   : "expected T:block:instructions :block:instructions ... with whole numbers",
		err);
}

bool simpoint_read_vectors(const struct simpoint_text *text, simpoint_add_vector *add,
			   void *context, struct err *err)
{
	struct lines l = lines_of(text);
	struct vector_entry *counts = NULL;
	size_t count = 0, capacity = 0;
	bool ok = true, is_empty = true;

	while (ok && next_line(&l)) {
		ok = read_vector(&l, &counts, &count, &capacity, err);
		if (ok)
			add(context, counts, count);
		is_empty = false;
	}
	free(counts);
	if (is_empty)
		return err_set(err, "%s has no vectors: expected lines T:block:instructions ...",
			       text->name);
	return ok;
}

static struct simulation_point *point_of(struct simulation_point *points, size_t count,
					 uint64_t cluster)
{
	for (size_t i = 0; i < count; i++)
		if (points[i].cluster == cluster)
			return &points[i];
	return NULL;
}

static bool read_intervals(const struct simpoint_text *text, struct simulation_point *points,
			   size_t *count, struct err *err)
{
	struct lines l = lines_of(text);
	uint64_t interval, cluster;

	for (*count = 0; next_line(&l);) {
		if (!take_number(&l, INT64_MAX, &interval) || is_over(&l) ||
		    !take_number(&l, UINT32_MAX, &cluster) || !is_over(&l))
			return refuse(&l,
				      "expected the number of an interval and that of its cluster, "
				      "as in 17 0",
				      err);
		if (*count == SIMULATION_POINTS_MOST)
			return refuse(&l, "more than 1000 points cannot be simulated", err);
		if (point_of(points, *count, cluster))
			return refuse(&l, "a line before it has a point of this cluster", err);
		for (size_t i = 0; i < *count; i++)
			if (points[i].interval == interval)
				return refuse(&l, "a line before it has this interval", err);
		points[(*count)++] = (struct simulation_point){interval, (uint32_t)cluster, 0};
	}
	return *count || err_set(err, "%s has no points: expected lines as 17 0", text->name);
}

static bool read_weights(const struct simpoint_text *text, struct simulation_point *points,
			 size_t count, struct err *err)
{
	struct lines l = lines_of(text);
	double weight, sum = 0;
	uint64_t cluster;

	while (next_line(&l)) {
		if (!take_weight(&l, &weight) || is_over(&l) ||
		    !take_number(&l, UINT32_MAX, &cluster) || !is_over(&l))
			return refuse(
				&l,
				"expected a weight above 0 and at most 1, and the number of its "
				"cluster, as in 0.25 0",
				err);
		struct simulation_point *point = point_of(points, count, cluster);

		if (!point)
			return refuse(&l, "no point is of this cluster", err);
		if (point->weight > 0)
			return refuse(&l, "a line before it has a weight of this cluster", err);
		point->weight = weight;
		sum += weight;
	}
	for (size_t i = 0; i < count; i++)
		if (points[i].weight <= 0)
			return err_set(err, "%s has no weight of cluster %u, which has a point",
				       text->name, points[i].cluster);
	return sum <= SUM_MOST ||
	       err_set(err, "%s: weights add up to %g, and not to 1 at most", text->name, sum);
}

static int by_interval(const void *a, const void *b)
{
	const struct simulation_point *first = a, *second = b;

	return (first->interval > second->interval) - (first->interval < second->interval);
}

void simpoint_sort(struct simulation_point *points, size_t count)
{
	qsort(points, count, sizeof(*points), by_interval);
}

bool simpoint_read_points(const struct simpoint_text *intervals,
			  const struct simpoint_text *weights, struct simulation_point *points,
			  size_t *count, struct err *err)
{
	if (!read_intervals(intervals, points, count, err) ||
	    !read_weights(weights, points, *count, err))
		return false;
	simpoint_sort(points, *count);
	return true;
}

void simpoint_write_intervals(FILE *out, const struct simulation_point *points, size_t count)
{
	for (uint32_t cluster = 0; cluster < count; cluster++)
		for (size_t i = 0; i < count; i++)
			if (points[i].cluster == cluster)
				fprintf(out, "%llu %u\n", (unsigned long long)points[i].interval,
					cluster);
}

void simpoint_write_weights(FILE *out, const struct simulation_point *points, size_t count)
{
	for (uint32_t cluster = 0; cluster < count; cluster++)
		for (size_t i = 0; i < count; i++)
			if (points[i].cluster == cluster)
				fprintf(out, "%.10g %u\n", points[i].weight, cluster);
}
