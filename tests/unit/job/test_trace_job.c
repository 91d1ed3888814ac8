/* What the commands of traces print, of small traces made by hand. */
#include "../replace.h"
#include "../test.h"
#include "base/array.h"
#include "job/trace_job.h"
#include "trace/cycles.h"
#include "trace/file.h"

static struct trace_op ops[4];

/* Three instructions of RISC-V, and one of other origin. */
static struct trace_writer *write_trace(const char *description)
{
	static const uint32_t raws[] = {0x0005b503, 0x00a5b023, 0x00b50463};
	struct trace_writer *writer = trace_writer_create(description);

	for (uint32_t i = 0; i < 3; i++) {
		const struct insn insn = insn_decode(raws[i]);

		trace_op_init(&ops[i], 0x10000 + 4 * i, &insn, raws[i]);
		ops[i].number = i;
	}
	ops[3] = (struct trace_op){.pc = 0x7fff0008,
				   .insn = {.op = OP_ILLEGAL},
				   .number = 3,
				   .bytes = 7,
				   .unit = UNIT_AMO,
				   .access_bytes = 16,
				   .is_load = true,
				   .is_store = true};
	const struct trace_step steps[] = {{&ops[0], 0x2000, 0x10004},
					   {&ops[1], 0xabcdef, 0x10008},
					   {&ops[2], 0, 0x7fff0008},
					   {&ops[3], 0x77, 0x1234}};
	assert_true(trace_writer_add(writer, steps, 4));
	return writer;
}

/* In a worker, as the commands do it; the text is freed by the caller. */
static bool read_it(const struct bytes *bytes, enum trace_task task, uint64_t from, uint64_t count,
		    char **text, struct err *err)
{
	const struct trace_reading reading = {.task = task,
					      .bytes = bytes->bytes,
					      .size = bytes->count,
					      .name = "t",
					      .from = from,
					      .count = count};
	struct trace_product product;
	enum worker_stop stop = WORKER_TIMEOUT;

	err->text[0] = 0;
	bool ok = trace_read_start(&reading, &product, &stop, err);
	assert_int_equal(stop, WORKER_GO_ON);
	if (task == TRACE_EXPORT && ok) {
		assert_int_equal(product.instructions, 4);
		assert_int_equal(product.count, 4 * 64);
	}
	*text = strndup((const char *)product.bytes, product.count);
	trace_product_release(&product);
	return ok;
}

TEST(lines_of_steps)
{
	char insn[3][INSN_TEXT_BYTES], lines[4][200], *text;
	struct trace_writer *writer = write_trace("{}");
	const struct bytes *bytes = trace_writer_finish(writer, "");
	struct err err;

	for (unsigned i = 0; i < 3; i++)
		insn_disassemble(&ops[i].insn, ops[i].raw, ops[i].pc, insn[i]);
	snprintf(lines[0], 200, "         0         10000  %-32s  load 8 at 2000\n", insn[0]);
	snprintf(lines[1], 200, "         1         10004  %-32s  store 8 at abcdef\n", insn[1]);
	snprintf(lines[2], 200, "         2         10008  %-32s  to 7fff0008\n", insn[2]);
	snprintf(lines[3], 200, "         3      7fff0008  %-32s  load and store 16 at 77\n",
		 "(other)");
	for (unsigned from = 0; from <= 5; from++)
		for (unsigned count = 1; count <= 5; count++) {
			char want[900] = "";

			for (unsigned i = from; i < 4 && i < from + count; i++)
				strcat(want, lines[i]);
			assert_true(read_it(bytes, TRACE_HEAD, from, count, &text, &err));
			assert_string_equal(text, want);
			free(text);
		}
	trace_writer_destroy(writer);
}

TEST(about_a_trace)
{
	static const char *const descriptions[] = {"{\"program\":{\"name\":\"p\"}}",
						   "{\"program\":7}", "not JSON"};
	struct err err;
	char *text;

	for (unsigned i = 0; i < 3; i++) {
		struct trace_writer *writer = write_trace(descriptions[i]);
		const struct bytes *bytes = trace_writer_finish(writer, "");

		for (unsigned verify = 0; verify < 2; verify++) {
			assert_true(read_it(bytes, verify ? TRACE_VERIFY : TRACE_INFO, 0, 0, &text,
					    &err));
			json_t *info = json_loads(text, 0, NULL);
			assert_string_equal(json_string_value(json_object_get(info, "schema")),
					    "cyclestack-trace-info-1");
			assert_int_equal(json_integer_value(json_object_get(info, "instructions")),
					 4);
			assert_int_equal(json_integer_value(json_object_get(info, "frames")), 1);
			assert_int_equal(json_integer_value(json_object_get(info, "bytes")),
					 bytes->count);
			assert_true(
				json_number_value(json_object_get(info, "bits_per_instruction")) ==
				2.0 * (double)bytes->count);
			assert_int_equal(json_object_get(info, "program") != NULL, i == 0);
			json_decref(info);
			free(text);
		}
		assert_true(read_it(bytes, TRACE_EXPORT, 0, 0, &text, &err));
		free(text);
		/* A byte of the frame is changed: only who reads it all notices. */
		bytes->bytes[bytes->count / 2] ^= 1;
		assert_true(read_it(bytes, TRACE_INFO, 0, 0, &text, &err));
		free(text);
		assert_false(read_it(bytes, TRACE_VERIFY, 0, 0, &text, &err));
		assert_non_null(strstr(err.text, "t: damaged at byte "));
		assert_string_equal(text, "");
		free(text);
		trace_writer_destroy(writer);
	}
	/* Nothing executed: no bits per instruction. */
	struct trace_writer *writer = trace_writer_create("{}");
	const struct bytes *bytes = trace_writer_finish(writer, "");
	assert_true(read_it(bytes, TRACE_INFO, 0, 0, &text, &err));
	assert_non_null(strstr(text, "\"bits_per_instruction\":0.0"));
	free(text);
	/* An import reads something else, and a trace is none. */
	assert_false(read_it(bytes, TRACE_IMPORT, 0, 0, &text, &err));
	free(text);
	trace_writer_destroy(writer);
	const struct bytes empty = {.count = 0};
	assert_false(read_it(&empty, TRACE_INFO, 0, 0, &text, &err));
	assert_non_null(strstr(err.text, "t is empty"));
	free(text);
}

static void take(void *context, const void *bytes, size_t size)
{
	struct bytes *to = context;

	to->bytes = mem_realloc(to->bytes, to->count + size, 1);
	memcpy(to->bytes + to->count, bytes, size);
	to->count += size;
}

TEST(recorded_cycles)
{
	static const char *const lines[] = {
		"         0  x1      fetched 1  dispatched 2  issued 3  committed 0  in the window 5  "
		"events 0  oldest abc0\n",
		"         1  x30     fetched 0  dispatched 0  issued 0  committed 0  in the window 6  "
		"events 0  oldest abc4\n",
		"        31  x1      fetched 7  dispatched 8  issued 9  committed 0  in the window 10  "
		"events 1  oldest abc8\n",
	};
	const struct cycle_event event = {.kind = EVENT_FETCH};
	const struct cycle records[] = {
		{.number = 0,
		 .repeat = 1,
		 .fetched = 1,
		 .dispatched = 2,
		 .issued = 3,
		 .rob_used = 5,
		 .head_pc = 0xabc0},
		{.number = 1, .repeat = 30, .rob_used = 6, .head_pc = 0xabc4},
		{.number = 31,
		 .repeat = 1,
		 .fetched = 7,
		 .dispatched = 8,
		 .issued = 9,
		 .rob_used = 10,
		 .event_count = 1,
		 .events = &event,
		 .head_pc = 0xabc8},
	};
	struct bytes file = {.count = 0};
	struct err err;
	char *text;

	struct cycles_writer *writer =
		cycles_writer_create("{\"program\":{\"name\":\"p\"}}", take, &file);
	for (unsigned i = 0; i < 3; i++)
		cycles_writer_add(writer, &records[i]);
	cycles_writer_finish(writer);
	cycles_writer_destroy(writer);
	for (unsigned verify = 0; verify < 2; verify++) {
		assert_true(read_it(&file, verify ? TRACE_VERIFY : TRACE_INFO, 0, 0, &text, &err));
		json_t *info = json_loads(text, 0, NULL);
		assert_string_equal(json_string_value(json_object_get(info, "schema")),
				    "cyclestack-cycles-info-1");
		assert_int_equal(json_integer_value(json_object_get(info, "cycles")), 32);
		assert_int_equal(json_integer_value(json_object_get(info, "records")), 3);
		assert_int_equal(json_integer_value(json_object_get(info, "frames")), 1);
		assert_int_equal(json_integer_value(json_object_get(info, "bytes")), file.count);
		assert_true(json_number_value(json_object_get(info, "bits_per_cycle")) ==
			    (double)file.count / 4);
		assert_non_null(json_object_get(info, "program"));
		json_decref(info);
		free(text);
	}
	for (unsigned from = 0; from <= 4; from++)
		for (unsigned count = 1; count <= 4; count++) {
			char want[900] = "";

			for (unsigned i = from; i < 3 && i < from + count; i++)
				strcat(want, lines[i]);
			assert_true(read_it(&file, TRACE_HEAD, from, count, &text, &err));
			assert_string_equal(text, want);
			free(text);
		}
	assert_false(read_it(&file, TRACE_EXPORT, 0, 0, &text, &err));
	assert_string_equal(err.text, "t holds recorded cycles, which have no other format");
	free(text);
	/* Damage in a frame is for who reads it; without an end nobody says anything. */
	file.bytes[file.count - 40] ^= 1;
	assert_true(read_it(&file, TRACE_INFO, 0, 0, &text, &err));
	free(text);
	assert_false(read_it(&file, TRACE_VERIFY, 0, 0, &text, &err));
	assert_string_equal(text, "");
	free(text);
	file.bytes[file.count - 40] ^= 1;
	file.count--;
	assert_false(read_it(&file, TRACE_INFO, 0, 0, &text, &err));
	free(text);
	free(file.bytes);
}

/* ---- a worker that is made up ---- */

static struct {
	bool is_used;
	const uint8_t *bytes; /* what it sends; NULL: nothing */
	size_t count;
} made;

REPLACED(worker_run);

static bool answer(const struct worker_task *task, struct worker_report *report, struct err *err)
{
	if (!made.is_used)
		return __real_worker_run(task, report, err);
	if (task->warn)
		task->warn(task->context, "a sentence");
	if (task->progress)
		task->progress(task->context, 77);
	*report = (struct worker_report){.result_bytes = made.count};
	if (made.bytes) {
		report->result = malloc(made.count + 1);
		memcpy(report->result, made.bytes, made.count);
	}
	return true;
}
REPLACE(worker_run, answer);

static bool take_it(const uint8_t *bytes, size_t count, struct trace_product *product,
		    struct err *err)
{
	const struct trace_reading reading = {.name = "t"};
	struct trace_product into;
	enum worker_stop stop;

	made.is_used = true;
	made.bytes = bytes;
	made.count = count;
	bool ok = trace_read_start(&reading, &into, &stop, err);
	made.is_used = false;
	*product = into;
	return ok;
}

#define SENT_MOST 4096

/* It is not trusted: only lengths are relied on. */
TEST(what_a_worker_sends)
{
	static uint8_t zeros[SENT_MOST], ones[SENT_MOST];
	struct trace_product product;
	struct err err = {.text = ""};
	size_t least = 0;

	/* Too short, up to what precedes the bytes of a product. */
	while (least < SENT_MOST && !take_it(zeros, least, &product, &err)) {
		assert_string_equal(err.text, "internal error: the worker's result is too short");
		assert_null(product.bytes);
		least++;
	}
	assert_true(least > ERR_TEXT_BYTES && least < SENT_MOST);
	assert_int_equal(product.count, 0);
	assert_int_equal(product.instructions, 0);
	assert_false(product.is_partial);
	trace_product_release(&product);
	memcpy(zeros + least, "abcde", 5);
	assert_true(take_it(zeros, least + 5, &product, &err));
	assert_int_equal(product.count, 5);
	assert_memory_equal(product.bytes, "abcde", 5);
	trace_product_release(&product);
	assert_null(product.bytes);
	assert_int_equal(product.count, 0);
	/* A sentence that does not end, and a status of more than a byte. */
	memset(ones, 0xff, sizeof(ones));
	assert_false(take_it(ones, least + 2, &product, &err));
	assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
	assert_int_equal(product.count, 2);
	assert_int_equal(product.status, 255);
	assert_true(product.is_partial);
	trace_product_release(&product);
	assert_true(take_it(NULL, 0, &product, &err));
	assert_null(product.bytes);
}

struct heard {
	char sentence[32];
	uint64_t instructions;
};

static void hear(void *context, const char *sentence)
{
	strcpy(((struct heard *)context)->sentence, sentence);
}

static void see(void *context, uint64_t instructions)
{
	((struct heard *)context)->instructions = instructions;
}

TEST(the_listener_hears)
{
	struct heard heard = {.instructions = 0};
	const struct job_listener listener = {.warn = hear, .progress = see, .context = &heard};
	const struct job_listener deaf = {.context = &heard};
	const struct program program = {.mount_count = 0};
	struct trace_product product;
	struct worker_report report;
	struct err err;

	made.is_used = true;
	made.bytes = NULL;
	assert_true(trace_record_start(&program, &deaf, &product, &report, &err));
	assert_string_equal(heard.sentence, "");
	assert_int_equal(heard.instructions, 0);
	assert_true(trace_record_start(&program, &listener, &product, &report, &err));
	assert_string_equal(heard.sentence, "a sentence");
	assert_int_equal(heard.instructions, 77);
	made.is_used = false;
}

/* What is before damage is there; and much that follows little. */
TEST(products_are_what_there_is)
{
	struct trace_writer *writer = write_trace("{}");
	const struct bytes *bytes = trace_writer_finish(writer, "");
	struct trace_reading reading = {.task = TRACE_HEAD,
					.bytes = bytes->bytes,
					.size = bytes->count - 1,
					.name = "t",
					.count = 9};
	struct trace_product product;
	enum worker_stop stop = WORKER_TIMEOUT;
	struct err err;

	assert_false(trace_read_start(&reading, &product, &stop, &err));
	assert_non_null(strstr(err.text, "expected the trailer here"));
	/* What is before the damage is there. */
	assert_non_null(product.bytes);
	assert_memory_equal(product.bytes, "         0         10000  ", 26);
	trace_product_release(&product);
	trace_writer_destroy(writer);
	/* Much longer than what precedes it. */
	writer = write_trace("{}");
	const struct trace_step again = {&ops[0], 0x2008, 0x10000};
	for (unsigned i = 0; i < 5000; i++)
		trace_writer_add(writer, &again, 1);
	bytes = trace_writer_finish(writer, "");
	reading = (struct trace_reading){
		.task = TRACE_EXPORT, .bytes = bytes->bytes, .size = bytes->count, .name = "t"};
	assert_true(trace_read_start(&reading, &product, &stop, &err));
	assert_int_equal(product.count, 5004 * 64);
	trace_product_release(&product);
	trace_writer_destroy(writer);
}
