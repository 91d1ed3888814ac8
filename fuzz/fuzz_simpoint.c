/*
 * Any bytes as files of SimPoint: the points and, behind the first zero byte, their weights; and
 * the same as vectors. Each reader fails with one sentence or yields what can be used: points in
 * the order of their intervals with weights that add up to 1 at most, vectors whose phases add up
 * to the program.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "measure/phases.h"
#include "measure/simpoint_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define VECTORS_MOST 40

static void check_sentence(const struct err *err)
{
	BUG_ON(!err->text[0] || strchr(err->text, '\n'));
}

static void read_points(const char *bytes, size_t size)
{
	static struct simulation_point points[SIMULATION_POINTS_MOST];
	const char *end = memchr(bytes, 0, size);
	const size_t first = end ? (size_t)(end - bytes) : size;
	const struct simpoint_text intervals = {"intervals", bytes, first};
	const struct simpoint_text weights = {"weights", end ? end + 1 : bytes,
					      end ? size - first - 1 : size};
	struct err err = {.text = ""};
	double sum = 0;
	size_t count;

	if (!simpoint_read_points(&intervals, &weights, points, &count, &err)) {
		check_sentence(&err);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		BUG_ON(i && points[i].interval <= points[i - 1].interval);
		sum += points[i].weight;
	}
	BUG_ON(!count || !(sum > 0 && sum < 1.01));
}

static void add_vector(void *context, const struct vector_entry *entries, size_t count)
{
	struct phase_vectors *vectors = context;

	if (vectors->count < VECTORS_MOST)
		phase_vectors_add(vectors, entries, count);
}

static void read_vectors(const char *bytes, size_t size)
{
	const struct simpoint_text text = {"vectors", bytes, size};
	struct phase_vectors vectors = {0};
	struct simulation_point points[5];
	struct err err = {.text = ""};
	double sum = 0;

	if (!simpoint_read_vectors(&text, add_vector, &vectors, &err))
		check_sentence(&err);
	if (vectors.count) {
		const size_t count = phases_find(&vectors, 5, points);

		for (size_t i = 0; i < count; i++) {
			BUG_ON(points[i].interval >= vectors.count);
			sum += points[i].weight;
		}
		BUG_ON(fabs(sum - 1) > 1e-9);
	}
	phase_vectors_release(&vectors);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;

	if (!size)
		return 0;
	read_points(text, size);
	read_vectors(text, size);
	return 0;
}
