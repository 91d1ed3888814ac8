/* Files of SimPoint: what is written is read, what others write is read, and what is wrong is
 * refused with its file and line. */
#include "measure/simpoint_files.h"

#include <stdlib.h>

#include "../test.h"
#include "base/array.h"

static struct simpoint_text text_of(const char *name, const char *text)
{
	return (struct simpoint_text){name, text, strlen(text)};
}

static bool read_points(const char *intervals, const char *weights, struct simulation_point *points,
			size_t *count, struct err *err)
{
	const struct simpoint_text texts[] = {text_of("s", intervals), text_of("w", weights)};

	return simpoint_read_points(&texts[0], &texts[1], points, count, err);
}

TEST(what_is_written_is_read)
{
	const struct simulation_point points[] = {{3, 1, 0.25}, {17, 2, 1.0 / 3}, {90, 0, 0.41}};
	struct simulation_point read[SIMULATION_POINTS_MOST];
	char *intervals, *weights;
	size_t bytes, count;
	struct err err;
	FILE *out = open_memstream(&intervals, &bytes);

	simpoint_write_intervals(out, points, 3);
	fclose(out);
	out = open_memstream(&weights, &bytes);
	simpoint_write_weights(out, points, 3);
	fclose(out);
	assert_string_equal(intervals, "90 0\n3 1\n17 2\n");
	assert_string_equal(weights, "0.41 0\n0.25 1\n0.3333333333 2\n");
	assert_true(read_points(intervals, weights, read, &count, &err));
	assert_int_equal(count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(read[i].interval, points[i].interval);
		assert_int_equal(read[i].cluster, points[i].cluster);
		assert_float_equal(read[i].weight, points[i].weight, 1e-9);
	}
	free(intervals);
	free(weights);
}

/* Clusters without some numbers, blanks, empty lines, carriage returns, no line feed at the end. */
TEST(what_others_write_is_read)
{
	struct simulation_point points[SIMULATION_POINTS_MOST];
	size_t count;
	struct err err;

	assert_true(
		read_points("5\t3\r\n\n  2 7 \n", "1.5e-1 7\n0.849999 3", points, &count, &err));
	assert_int_equal(count, 2);
	assert_int_equal(points[0].interval, 2);
	assert_float_equal(points[0].weight, 0.15, 0);
	assert_float_equal(points[1].weight, 0.849999, 0);
}

TEST(what_is_wrong_is_refused_with_file_and_line)
{
	static const struct {
		const char *intervals, *weights, *sentence;
	} rows[] = {
		{"", "1 0", "s has no points"},
		{"1 0\n2", "1 0", "s, line 2: expected the number of an interval"},
		{"1 0 3", "1 0", "s, line 1: expected the number of an interval"},
		{"-1 0", "1 0", "s, line 1: expected the number of an interval"},
		{"0.5 0", "1 0", "s, line 1: expected the number of an interval"},
		{"99999999999999999999 0", "1 0", "s, line 1: expected the number"},
		{"1 4294967296", "1 0", "s, line 1: expected the number"},
		{"1 0\n\n2 0", "1 0", "s, line 3: a line before it has a point of this cluster"},
		{"1 0\n1 2", "1 0", "s, line 2: a line before it has this interval"},
		{"1 0", "", "w has no weight of cluster 0"},
		{"1 0", "1 1", "w, line 1: no point is of this cluster"},
		{"1 0", "0.5 0\n0.5 0", "w, line 2: a line before it has a weight"},
		{"1 0", "0 0", "w, line 1: expected a weight above 0"},
		{"1 0", "1.2 0", "w, line 1: expected a weight above 0"},
		{"1 0", "nan 0", "w, line 1: expected a weight above 0"},
		{"1 0", "0x1p-1 0", "w, line 1: expected a weight above 0"},
		{"1 0", "0.5", "w, line 1: expected a weight above 0"},
		{"1 0", "0.5 0 0", "w, line 1: expected a weight above 0"},
		{"1 0\n2 1", "0.9 0\n0.9 1", "w: weights add up to 1.8"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct simulation_point points[SIMULATION_POINTS_MOST];
		struct err err = {.text = ""};
		size_t count;

		assert_false(read_points(rows[i].intervals, rows[i].weights, points, &count, &err));
		if (strncmp(err.text, rows[i].sentence, strlen(rows[i].sentence)) != 0)
			fail_msg("row %zu: %s", i, err.text);
	}
}

TEST(more_points_than_can_be_simulated_are_refused)
{
	struct simulation_point points[SIMULATION_POINTS_MOST];
	struct err err;
	char *text;
	size_t bytes, count;
	FILE *out = open_memstream(&text, &bytes);

	for (int i = 0; i <= SIMULATION_POINTS_MOST; i++)
		fprintf(out, "%d %d\n", i, i);
	fclose(out);
	assert_false(read_points(text, "1 0", points, &count, &err));
	assert_string_equal(err.text, "s, line 1001: more than 1000 points cannot be simulated");
	free(text);
}

static void write_vector(void *context, const struct vector_entry *entries, size_t count)
{
	vectors_write_line(context, entries, count);
}

TEST(vectors_are_read)
{
	static const struct {
		const char *text, *sentence; /* what it reads as, if there is none */
	} rows[] = {
		{"T:1:45 :2:3 \nT:7:1\n", NULL},
		{"", "v has no vectors"},
		{"T:1:45\nT\n", "v, line 2: the vector has no instructions"},
		{"T:1:0\n", "v, line 1: the vector has no instructions"},
		{"T:1\n", "v, line 1: expected T:block:instructions"},
		{"T:1:2 3:4\n", "v, line 1: expected T:block:instructions"},
		{"1:2\n", "v, line 1: expected T:block:instructions"},
		{"T:1:-2\n", "v, line 1: expected T:block:instructions"},
		{"T:1:9223372036854775807 :2:1\n", "v, line 1: expected T:block:instructions"},
		{"T:4294967296:1\n", "v, line 1: expected T:block:instructions"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct simpoint_text text = text_of("v", rows[i].text);
		struct err err = {.text = ""};
		struct bytes again = {0};

		assert_int_equal(simpoint_read_vectors(&text, write_vector, &again, &err),
				 !rows[i].sentence);
		if (rows[i].sentence &&
		    strncmp(err.text, rows[i].sentence, strlen(rows[i].sentence)) != 0)
			fail_msg("row %zu: %s", i, err.text);
		if (!rows[i].sentence) {
			bytes_put(&again, "", 1);
			assert_string_equal((char *)again.bytes, "T:1:45 :2:3\nT:7:1\n");
		}
		free(again.bytes);
	}
}
