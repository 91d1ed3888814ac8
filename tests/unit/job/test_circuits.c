/* Pieces of stimulus on their way to the parent, and which recorded cycles are read. */
#include "heapsort.h"
#include "base/array.h"
#include "job/circuits.h"
#include "job/parts.h"
#include "rtl/stats_plan.h"
#include "stats/request.h"
#include "trace/cycles.h"

#define CIRCUITS 2

TEST(only_pieces_are_read)
{
	struct {
		uint32_t circuit, file;
		char text[4];
	} bytes = {3, STIMULUS_EXPECTED, "abc"};
	struct circuits_piece piece;

	assert_true(circuits_piece_read(&piece, 4, &bytes, sizeof(bytes)));
	assert_int_equal(piece.circuit, 3);
	assert_int_equal(piece.file, STIMULUS_EXPECTED);
	assert_int_equal(piece.size, 4);
	assert_memory_equal(piece.text, "abc", 4);
	/* For fewer circuits it is none. */
	assert_false(circuits_piece_read(&piece, 3, &bytes, sizeof(bytes)));
	/* A plan is the last kind; a head has eight bytes. */
	bytes.file = CIRCUITS_PLAN;
	assert_true(circuits_piece_read(&piece, 4, &bytes, 8));
	assert_int_equal(piece.size, 0);
	assert_false(circuits_piece_read(&piece, 4, &bytes, 7));
	bytes.file = CIRCUITS_PLAN + 1;
	assert_false(circuits_piece_read(&piece, 4, &bytes, 8));
}

/* What came in pieces, put together by circuit and file. */
struct sent {
	char *texts[CIRCUITS][CIRCUITS_PLAN + 1];
	size_t sizes[CIRCUITS][CIRCUITS_PLAN + 1];
	size_t count;
};

static void take_piece(void *context, const void *bytes, size_t size)
{
	struct sent *sent = context;
	struct circuits_piece piece;

	assert_true(circuits_piece_read(&piece, CIRCUITS, bytes, size));
	char **text = &sent->texts[piece.circuit][piece.file];
	size_t *used = &sent->sizes[piece.circuit][piece.file];
	*text = mem_realloc(*text, *used + piece.size + 1, 1);
	memcpy(*text + *used, piece.text, piece.size);
	*used += piece.size;
	sent->count++;
}

static void release(struct sent *sent)
{
	for (size_t i = 0; i < CIRCUITS; i++)
		for (size_t k = 0; k <= CIRCUITS_PLAN; k++)
			free(sent->texts[i][k]);
}

/* Runs a little of the program with one part, which sends to `send`. */
static bool run(const struct job_part *part, void (*send)(void *, const void *, size_t),
		void *context, struct err *err)
{
	const struct job_part *const parts[] = {part, NULL};
	const struct job job = {
		.program = &program, .machine = &machine, .parts = parts, .max_instructions = 3000};
	const struct job_watch watch = {.send = send, .context = context};
	struct process_options options = program_process_options(&program);

	options.silent = true;
	struct process *process = process_create(&options, err);
	assert_non_null(process);
	json_t *result = job_run(&job, process, &watch, err);
	process_destroy(process);
	const bool ok = result;
	json_decref(result);
	return ok;
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

/* The stimulus of a run is that of its recorded cycles, which a worker reads. */
TEST(a_run_and_its_record_send_the_same)
{
	const struct circuit_machine of = {.config = &machine.config};
	struct circuit circuits[CIRCUITS] = {{0}};
	struct part_circuits part;
	struct part_recorder recorder;
	struct recorded file = {NULL, 0};
	struct sent live = {.count = 0}, read = {.count = 0};
	enum worker_stop stop;
	struct err err;

	assert_true(circuit_init(&circuits[0], circuit_kind_named("power5"), &of, &err));
	assert_true(circuit_init(&circuits[1], circuit_kind_named("fmt"), &of, &err));
	part_circuits_init(&part, circuits, CIRCUITS);
	assert_true(run(&part.part, take_piece, &live, &err));
	assert_true(run(part_recorder_init(&recorder), take, &file, &err));
	const struct circuits_reading reading = {.bytes = file.bytes,
						 .size = file.count,
						 .name = "f",
						 .machine = &machine,
						 .circuits = circuits,
						 .count = CIRCUITS,
						 .data = take_piece,
						 .context = &read};
	assert_true(circuits_read_start(&reading, &stop, &err));
	for (size_t i = 0; i < CIRCUITS; i++) {
		for (size_t k = 0; k < STIMULUS_FILES; k++) {
			assert_true(live.sizes[i][k] > 0);
			assert_int_equal(live.sizes[i][k], read.sizes[i][k]);
			assert_memory_equal(live.texts[i][k], read.texts[i][k], live.sizes[i][k]);
		}
		assert_int_equal(live.sizes[i][CIRCUITS_PLAN], 0);
		circuit_release(&circuits[i]);
	}
	release(&live);
	release(&read);
	free(file.bytes);
}

TEST(nobody_needs_to_hear)
{
	const struct circuit_machine of = {.config = &machine.config};
	struct circuit circuit = {0};
	struct part_circuits part;
	struct part_recorder recorder;
	struct err err;

	assert_true(circuit_init(&circuit, circuit_kind_named("fmt"), &of, &err));
	assert_true(run(part_circuits_init(&part, &circuit, 1), NULL, NULL, &err));
	assert_true(run(part_recorder_init(&recorder), NULL, NULL, &err));
	circuit_release(&circuit);
}

/* The settings of the statistics module come before its stimulus. */
TEST(the_plan_is_sent)
{
	struct stats_request request = {.width_bits = 20, .counters_most = 4, .ranges_most = 4};
	struct part_stat_circuits part;
	struct sent sent = {.count = 0};
	struct stats_plan plan;
	struct err err;

	stats_wish_add(&request.first, "cycles@main");
	request.first.period_cycles = 500;
	assert_true(run(part_stat_circuits_init(&part, &request), take_piece, &sent, &err));
	assert_true(stats_plan_unpack(&plan, sent.texts[0][CIRCUITS_PLAN],
				      sent.sizes[0][CIRCUITS_PLAN]));
	assert_int_equal(plan.count, 1);
	assert_int_equal(plan.settings[0].period_cycles, 500);
	assert_true(sent.sizes[0][STIMULUS_VECTORS] > 0);
	stats_plan_release(&plan);
	release(&sent);
	stats_wish_add(&request.first, "cycles@qqqqqqqqqqqq");
	sent = (struct sent){.count = 0};
	assert_false(run(&part.part, take_piece, &sent, &err));
	assert_string_equal(err.text, "the program has no function \"qqqqqqqqqqqq\"");
	assert_int_equal(sent.count, 0);
	stats_request_release(&request);
}

static void no_data(void *context, const void *bytes, size_t size)
{
	(void)context, (void)bytes, (void)size;
}

TEST(recorded_cycles_are_read_in_a_worker)
{
	char right[200], other[200], hash[65];
	static const char another[] =
		"f: the cycles were recorded on another machine than that of --config and --set";

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
		struct err err = {.text = ""};

		assert_int_equal(circuits_read_start(&reading, &stop, &err), !cases[i].sentence);
		assert_string_equal(err.text, cases[i].sentence ? cases[i].sentence : "");
		assert_int_equal(stop, WORKER_GO_ON);
		/* One that is cut off. */
		reading.size--;
		assert_false(circuits_read_start(&reading, &stop, &err));
		free(file.bytes);
	}
}
