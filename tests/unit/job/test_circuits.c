/* Pieces of stimulus on their way to the parent, and which recorded cycles are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "job/circuits.c" /* with its static functions */

struct sent {
	uint8_t bytes[4000];
	size_t size, count;
};

static void keep(void *context, const void *bytes, size_t size)
{
	struct sent *sent = context;

	assert_true(size <= sizeof(sent->bytes));
	memcpy(sent->bytes, bytes, size);
	sent->size = size;
	sent->count++;
}

static void pieces_are_read_back(void **unused)
{
	static const size_t sizes[] = {5, 0, 3000, 6, 3001};
	static uint8_t text[3001];
	struct sent sent = {.size = 0};
	struct job_circuits circuits = {.send = keep, .context = &sent};
	struct circuits_piece piece;

	(void)unused;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(text, 'a' + (int)i, sizeof(text));
		send_piece(&circuits, 3 + i, i % 2 ? STIMULUS_EXPECTED : STIMULUS_VECTORS, text,
			   sizes[i]);
		assert_int_equal(sent.count, i + 1);
		assert_true(circuits_piece_read(&piece, 4 + i, sent.bytes, sent.size));
		assert_int_equal(piece.circuit, 3 + i);
		assert_int_equal(piece.file, i % 2);
		assert_int_equal(piece.size, sizes[i]);
		assert_memory_equal(piece.text, text, sizes[i]);
		/* For fewer circuits it is none. */
		assert_false(circuits_piece_read(&piece, 3 + i, sent.bytes, sent.size));
	}
	/* Nobody to send it to. */
	circuits.send = NULL;
	send_bytes(&circuits, 1, 1, text, 10);
	assert_int_equal(sent.count, 5);
	free(circuits.piece);
	/* A plan is the last kind; a head has eight bytes. */
	uint32_t head[2] = {0, 2};
	assert_true(circuits_piece_read(&piece, 1, head, 8));
	assert_int_equal(piece.file, CIRCUITS_PLAN);
	assert_int_equal(piece.size, 0);
	assert_false(circuits_piece_read(&piece, 1, head, 7));
	head[1] = 3;
	assert_false(circuits_piece_read(&piece, 1, head, 8));
	job_circuits_end(NULL);
}

static void long_records_are_refused(void **unused)
{
	const struct cycle cycle = {.number = 12345678901, .repeat = 100};
	struct circuits_reading reading = {.repeat_most = 0};
	struct err err = {""};

	(void)unused;
	assert_true(is_short(&cycle, &reading, &err));
	reading.repeat_most = 100;
	assert_true(is_short(&cycle, &reading, &err));
	reading.repeat_most = 99;
	assert_false(is_short(&cycle, &reading, &err));
	assert_string_equal(err.text,
			    "the record of cycle 12345678901 stands for 100 cycles: at most "
			    "99 can be counted in intervals");
}

struct recorded {
	uint8_t *bytes;
	size_t count;
};

static void take(void *context, const void *bytes, size_t size)
{
	struct recorded *file = context;

	file->bytes = mem_realloc(file->bytes, file->count + size, 1);
	memcpy(file->bytes + file->count, bytes, size);
	file->count += size;
}

static struct recorded record(const char *description, uint64_t second)
{
	struct recorded file = {NULL, 0};
	struct cycles_writer *writer = cycles_writer_create(description, take, &file);

	cycles_writer_add(writer, &(struct cycle){.number = 0, .repeat = 50});
	cycles_writer_add(writer, &(struct cycle){.number = second, .repeat = 60});
	cycles_writer_finish(writer);
	cycles_writer_destroy(writer);
	return file;
}

static void no_data(void *context, const void *bytes, size_t size)
{
	(void)context, (void)bytes, (void)size;
}

static void recorded_cycles_are_read_in_a_worker(void **unused)
{
	struct job_machine machine = {.name = "m"};
	char right[200], other[200], hash[65];
	static const char another[] =
		"f: the cycles were recorded on another machine than that of --config and --set";

	(void)unused;
	config_default(&machine.config);
	config_hash(&machine.config, hash);
	snprintf(right, sizeof(right), "{\"configuration\":{\"sha256\":\"%s\"}}", hash);
	hash[0] = hash[0] == '0' ? '1' : '0';
	snprintf(other, sizeof(other), "{\"configuration\":{\"sha256\":\"%s\"}}", hash);
	const struct {
		const char *description;
		uint64_t second, repeat_most;
		const char *sentence;
	} cases[] = {
		{right, 50, 0, NULL},
		{right, 50, 60, NULL},
		{right, 50, 59,
		 "f: the record of cycle 50 stands for 60 cycles: at most 59 can be counted in "
		 "intervals"},
		{right, 51, 0,
		 "f: cycle 51: a record does not follow the one before it: these are not cycles of "
		 "this machine"},
		{other, 50, 0, another},
		{"{}", 50, 0, another},
		{"nonsense", 50, 0, another},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct recorded file = record(cases[i].description, cases[i].second);
		struct circuits_reading reading = {.bytes = file.bytes,
						   .size = file.count,
						   .name = "f",
						   .machine = &machine,
						   .repeat_most = cases[i].repeat_most,
						   .data = no_data};
		enum worker_stop stop = WORKER_TIMEOUT;
		struct err err = {""};

		assert_int_equal(circuits_read_start(&reading, &stop, &err), !cases[i].sentence);
		assert_string_equal(err.text, cases[i].sentence ? cases[i].sentence : "");
		assert_int_equal(stop, WORKER_GO_ON);
		/* One that is cut off. */
		reading.size--;
		assert_false(circuits_read_start(&reading, &stop, &err));
		free(file.bytes);
	}
}

static void data_is_passed_on(void **unused)
{
	struct sent sent = {.size = 0};
	struct circuits_reading reading = {.data = keep, .context = &sent};

	(void)unused;
	pass_data(&reading, "abc", 3);
	assert_int_equal(sent.size, 3);
	assert_memory_equal(sent.bytes, "abc", 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_read_back),
		cmocka_unit_test(long_records_are_refused),
		cmocka_unit_test(recorded_cycles_are_read_in_a_worker),
		cmocka_unit_test(data_is_passed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
