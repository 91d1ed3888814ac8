/*
 * compare.c - two record streams side by side.
 *
 *   compare EXPECTED ACTUAL   names the first sequence whose records differ and
 *                             what differs in it; status 1 if any does
 *   compare --state FILE      prints the last record of a stream
 *
 * An actual stream that ends early means that the sequence after its last
 * record never ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "layout.h"

#define MAX_SHOWN 12

struct stream {
	uint64_t (*records)[RECORD_SLOTS];
	size_t count;
	size_t spare_bytes; /* of a record that was cut off */
};

static const char *const x_names[32] = {
	"zero", "ra", "sp", "gp", "tp",	 "t0",	"t1", "t2", "s0", "s1", "a0",
	"a1",	"a2", "a3", "a4", "a5",	 "a6",	"a7", "s2", "s3", "s4", "s5",
	"s6",	"s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const f_names[32] = {
	"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
	"fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
	"fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

static bool stream_read(struct stream *stream, const char *path, struct err *err)
{
	FILE *file = fopen(path, "rb");
	size_t capacity = 0;
	size_t got;

	*stream = (struct stream){0};
	if (!file)
		return err_set_errno(err, errno, "cannot read %s", path);
	do {
		if (stream->count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			stream->records = mem_realloc(stream->records, capacity, RECORD_BYTES);
		}
		got = fread(stream->records[stream->count], 1, RECORD_BYTES, file);
		if (got == RECORD_BYTES)
			stream->count++;
	} while (got == RECORD_BYTES);
	stream->spare_bytes = got;
	if (ferror(file) | fclose(file))
		return err_set(err, "cannot read all of %s", path);
	return true;
}

static void slot_name(char *text, size_t size, unsigned slot)
{
	if (slot == SLOT_FCSR)
		snprintf(text, size, "fcsr");
	else if (slot < SLOT_F)
		snprintf(text, size, "x%u (%s)", slot - SLOT_X, x_names[slot - SLOT_X]);
	else if (slot < SLOT_WINDOW)
		snprintf(text, size, "f%u (%s)", slot - SLOT_F, f_names[slot - SLOT_F]);
	else if (slot < SLOT_NUMBER)
		snprintf(text, size, "memory 0x%x", WINDOW_ADDRESS + (slot - SLOT_WINDOW) * 8);
	else
		snprintf(text, size, "sequence number");
}

static void print_differences(const uint64_t *expected, const uint64_t *actual)
{
	unsigned shown = 0;
	unsigned different = 0;

	for (unsigned slot = 0; slot < RECORD_SLOTS; slot++) {
		char name[32];

		if (expected[slot] == actual[slot] || different++ >= MAX_SHOWN)
			continue;
		shown++;
		slot_name(name, sizeof(name), slot);
		printf("%-18s expected 0x%016" PRIx64 "  actual 0x%016" PRIx64 "\n", name,
		       expected[slot], actual[slot]);
	}
	if (different > shown)
		printf("and %u more\n", different - shown);
}

/* True if equal. The first line printed is "sequence N" with no more in it. */
static bool compare(const struct stream *expected, const struct stream *actual)
{
	for (size_t i = 0; i < expected->count; i++) {
		const uint64_t *record = expected->records[i];

		if (i < actual->count && !memcmp(record, actual->records[i], RECORD_BYTES))
			continue;
		printf("sequence %" PRIu64 "\n", record[SLOT_NUMBER]);
		if (i < actual->count)
			print_differences(record, actual->records[i]);
		else
			printf("no record: the program ended or was stopped in this sequence\n");
		return false;
	}
	if (actual->count > expected->count || actual->spare_bytes) {
		printf("sequence none\nmore output than expected: %zu records and %zu bytes\n",
		       actual->count - expected->count, actual->spare_bytes);
		return false;
	}
	return true;
}

static void print_state(const struct stream *stream)
{
	for (unsigned slot = 0; stream->count && slot < RECORD_SLOTS; slot++) {
		char name[32];

		slot_name(name, sizeof(name), slot);
		printf("%-18s 0x%016" PRIx64 "\n", name, stream->records[stream->count - 1][slot]);
	}
}

int main(int argc, char **argv)
{
	bool state = argc == 3 && !strcmp(argv[1], "--state");
	struct stream expected, actual;
	struct err err;
	int status = 2;

	if (argc != 3) {
		fprintf(stderr, "usage: compare EXPECTED ACTUAL | compare --state FILE\n");
		return 2;
	}
	if (!stream_read(&actual, argv[2], &err) ||
	    !stream_read(&expected, argv[state ? 2 : 1], &err)) {
		fprintf(stderr, "compare: %s\n", err.text);
		return 2;
	}
	if (state) {
		print_state(&actual);
		status = 0;
	} else if (!expected.count || expected.spare_bytes) {
		fprintf(stderr, "compare: %s is not a whole number of records\n", argv[1]);
	} else {
		status = compare(&expected, &actual) ? 0 : 1;
	}
	free(expected.records);
	free(actual.records);
	return status;
}
