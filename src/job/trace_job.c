#include "job/trace_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/jail.h"
#include "trace/champsim.h"
#include "trace/cycles.h"
#include "trace/file.h"
#include "trace/places.h"
#include "trace/record.h"
#include "value/layout.h"

#define WATCH_INSTRUCTIONS 1000000

/* What precedes the bytes that a worker sends. */
struct product_header {
	uint64_t instructions;
	int32_t status;
	uint32_t is_partial;
	uint32_t has_error;
	char error[ERR_TEXT_BYTES]; /* of a file that is sound up to a place */
};

void trace_product_release(struct trace_product *product)
{
	free(product->bytes);
	*product = (struct trace_product){0};
}

static void send_product(struct worker *worker, const struct product_header *header,
			 const void *bytes, size_t count)
{
	uint8_t *whole = mem_alloc(sizeof(*header) + count);

	memcpy(whole, header, sizeof(*header));
	memcpy(whole + sizeof(*header), bytes, count);
	worker_send_result(worker, whole, sizeof(*header) + count);
	free(whole);
}

/* What a worker sent is bytes; only lengths are relied on. */
static bool take_product(struct worker_report *report, struct trace_product *product,
			 struct err *err)
{
	struct product_header header;

	*product = (struct trace_product){0};
	if (!report->result)
		return true;
	if (report->result_bytes < sizeof(header)) {
		free(report->result);
		report->result = NULL;
		return err_tool(err, "internal error: the worker's result is too short");
	}
	memcpy(&header, report->result, sizeof(header));
	header.error[sizeof(header.error) - 1] = '\0';
	product->count = report->result_bytes - sizeof(header);
	product->bytes = mem_alloc(product->count + 1);
	memcpy(product->bytes, report->result + sizeof(header), product->count);
	product->status = header.status & 0xff;
	product->is_partial = header.is_partial;
	product->instructions = header.instructions;
	free(report->result);
	report->result = NULL;
	return !header.has_error || err_set(err, "%s", header.error);
}

/* ---- recording ---- */

struct recording {
	const struct program *program;
	const struct job_listener *listener;
};

static void send_warning(void *worker, const char *sentence)
{
	worker_send_warning(worker, sentence);
}

static void record_in_worker(struct worker *worker, const struct program *program,
			     struct process *process)
{
	json_t *about = json_pack("{s:s, s:o}", "schema", layout_trace_head.schema, "program",
				  program_json(program));
	char *description = json_dumps(about, JSON_COMPACT);
	struct trace_writer *writer = trace_writer_create(description);
	struct recorder *recorder = recorder_create(process);
	bool has_room = true;

	while (has_room && process->state == PROCESS_RUNNING && !worker_should_stop(worker) &&
	       process->cpu.instructions < program->max_instructions) {
		uint64_t until = process->cpu.instructions + WATCH_INSTRUCTIONS;

		if (until > program->max_instructions)
			until = program->max_instructions;
		has_room = recorder_run(recorder, until, trace_writer_add, writer);
		worker_note_progress(worker, process->cpu.instructions);
	}
	const struct product_header header = {
		.instructions = process->cpu.instructions,
		.status = process_exit_status(process),
		.is_partial = process->state == PROCESS_RUNNING,
	};
	if (!has_room)
		worker_send_warning(worker, "the trace has reached the size a trace can have; what "
					    "the program did after that is not in it");
	if (process->state == PROCESS_FAILED) {
		worker_send_error(worker, &process->error);
	} else {
		char *places = trace_places_text(recorder, process);
		const struct bytes *out = trace_writer_finish(writer, places);

		send_product(worker, &header, out->bytes, out->count);
		free(places);
	}
	recorder_destroy(recorder);
	trace_writer_destroy(writer);
	free(description);
	json_decref(about);
}

static void record_body(struct worker *worker, void *context)
{
	const struct program *program = ((const struct recording *)context)->program;
	struct process_options options = program_process_options(program);
	struct err err;

	jail_close_descriptors(program->mounts, program_directories(program), worker->to_parent);
	options.warn = send_warning;
	options.warn_context = worker;
	options.note_reading = worker_note_reading;
	options.reading_context = worker;
	struct process *process = process_create(&options, &err);
	if (process)
		record_in_worker(worker, program, process);
	else
		worker_send_error(worker, &err);
	process_destroy(process);
}

static void record_warn(void *context, const char *sentence)
{
	const struct job_listener *listener = ((const struct recording *)context)->listener;

	if (listener->warn)
		listener->warn(listener->context, sentence);
}

static void record_progress(void *context, uint64_t instructions)
{
	const struct job_listener *listener = ((const struct recording *)context)->listener;

	if (listener->progress)
		listener->progress(listener->context, instructions);
}

bool trace_record_start(const struct program *program, const struct job_listener *listener,
			struct trace_product *product, struct worker_report *report,
			struct err *err)
{
	struct recording recording = {program, listener};
	const struct worker_task task = {
		.body = record_body,
		.mounts = program->mounts,
		.mount_count = program_directories(program),
		.timeout_seconds = program->timeout_seconds,
		.warn = record_warn,
		.progress = record_progress,
		.context = &recording,
	};

	*product = (struct trace_product){0};
	return job_may_start(program, err) && worker_run(&task, report, err) &&
	       take_product(report, product, err);
}

/* ---- reading ---- */

static json_t *describe(const struct trace_reader *reader, const struct trace_totals *totals)
{
	size_t bytes;
	const char *text = trace_reader_description(reader, &bytes);
	json_t *about = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
	json_t *program = json_object_get(about, "program");
	json_t *result = json_pack(
		"{s:s, s:I, s:I, s:I, s:f}", "schema", "cyclestack-trace-info-1", "instructions",
		(json_int_t)totals->steps, "frames", (json_int_t)totals->frames, "bytes",
		(json_int_t)totals->bytes, "bits_per_instruction",
		totals->steps ? 8.0 * (double)totals->bytes / (double)totals->steps : 0.0);

	if (json_is_object(program))
		json_object_set(result, "program", program);
	json_decref(about);
	return result;
}

static bool read_info(struct trace_reader *reader, bool reads_all, FILE *out, struct err *err)
{
	struct trace_totals totals;

	if ((reads_all && !trace_reader_run(reader, NULL, NULL, err)) ||
	    !trace_reader_totals(reader, &totals, err))
		return false;
	json_t *result = describe(reader, &totals);
	json_dumpf(result, out, JSON_COMPACT);
	json_decref(result);
	return true;
}

struct head {
	FILE *out;
	uint64_t step, left;
};

static bool print_steps(void *context, const struct trace_step *steps, size_t count)
{
	struct head *head = context;

	for (size_t i = 0; i < count && head->left; i++, head->left--) {
		const struct trace_op *op = steps[i].op;
		char text[INSN_TEXT_BYTES] = "(other)";

		if (op->raw)
			insn_disassemble(&op->insn, op->raw, op->pc, text);
		fprintf(head->out, "%10llu  %12llx  %-32s", (unsigned long long)head->step++,
			(unsigned long long)op->pc, text);
		if (op->access_bytes)
			fprintf(head->out, "  %s %u at %llx",
				op->is_load && op->is_store ? "load and store"
				: op->is_load		    ? "load"
							    : "store",
				op->access_bytes, (unsigned long long)steps[i].address);
		if (op->control != CONTROL_NONE)
			fprintf(head->out, "  to %llx", (unsigned long long)steps[i].next_pc);
		fputc('\n', head->out);
	}
	return head->left;
}

static bool read_head(struct trace_reader *reader, const struct trace_reading *reading, FILE *out,
		      struct err *err)
{
	struct head head = {out, reading->from, reading->count};

	/* From the beginning no index is needed. */
	if (reading->from && !trace_reader_seek(reader, reading->from, err))
		return false;
	return trace_reader_run(reader, print_steps, &head, err);
}

/* ---- recorded cycles ---- */

static void print_record(FILE *out, const struct cycle *c)
{
	fprintf(out,
		"%10llu  x%-6llu fetched %u  dispatched %u  issued %u  committed %u  in the window "
		"%u  events %u  oldest %llx\n",
		(unsigned long long)c->number, (unsigned long long)c->repeat, c->fetched,
		c->dispatched, c->issued, c->committed, c->rob_used, c->event_count,
		(unsigned long long)c->head_pc);
}

/* Hands on the records from one on, so many of them; NULL: only checks all. */
static bool read_records(struct cycles_reader *reader, uint64_t from, uint64_t count, FILE *out,
			 struct err *err)
{
	const struct cycle *cycle;
	uint64_t number = 0;

	do {
		if (!cycles_reader_next(reader, &cycle, err))
			return false;
		if (cycle && out && number >= from)
			print_record(out, cycle);
		number++;
	} while (cycle && (!out || number < from + count));
	return true;
}

static bool describe_cycles(struct cycles_reader *reader, FILE *out, struct err *err)
{
	struct cycles_totals totals;
	size_t bytes;
	const char *text = cycles_reader_description(reader, &bytes);
	json_t *about = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
	json_t *program = json_object_get(about, "program");

	if (!cycles_reader_totals(reader, &totals, err)) {
		json_decref(about);
		return false;
	}
	json_t *result = json_pack(
		"{s:s, s:I, s:I, s:I, s:I, s:f}", "schema", "cyclestack-cycles-info-1", "cycles",
		(json_int_t)totals.cycles, "records", (json_int_t)totals.records, "frames",
		(json_int_t)totals.frames, "bytes", (json_int_t)totals.bytes, "bits_per_cycle",
		totals.cycles ? 8.0 * (double)totals.bytes / (double)totals.cycles : 0.0);
	if (json_is_object(program))
		json_object_set(result, "program", program);
	json_dumpf(result, out, JSON_COMPACT);
	json_decref(result);
	json_decref(about);
	return true;
}

static bool read_cycles(const struct trace_reading *reading, FILE *out, struct err *err)
{
	struct cycles_reader *reader =
		cycles_reader_open(reading->bytes, reading->size, reading->name, err);
	bool ok = false;

	if (!reader)
		return false;
	switch (reading->task) {
	case TRACE_INFO: ok = describe_cycles(reader, out, err); break;
	case TRACE_VERIFY:
		ok = read_records(reader, 0, 0, NULL, err) && describe_cycles(reader, out, err);
		break;
	case TRACE_HEAD: ok = read_records(reader, reading->from, reading->count, out, err); break;
	default:
		ok = err_set(err, "%s holds recorded cycles, which have no other format",
			     reading->name);
	}
	cycles_reader_close(reader);
	return ok;
}

static bool read_task(const struct trace_reading *reading, FILE *out, uint64_t *instructions,
		      struct err *err)
{
	if (reading->task != TRACE_IMPORT && cycles_is_file(reading->bytes, reading->size))
		return read_cycles(reading, out, err);
	if (reading->task == TRACE_IMPORT)
		return champsim_import(reading->bytes, reading->size, reading->name, out,
				       instructions, err);
	struct trace_reader *reader =
		trace_reader_open(reading->bytes, reading->size, reading->name, err);
	bool ok = false;
	if (!reader)
		return false;
	switch (reading->task) {
	case TRACE_INFO: ok = read_info(reader, false, out, err); break;
	case TRACE_VERIFY: ok = read_info(reader, true, out, err); break;
	case TRACE_HEAD: ok = read_head(reader, reading, out, err); break;
	default: ok = champsim_export(reader, out, instructions, err); break;
	}
	trace_reader_close(reader);
	return ok;
}

static void send_memory_error(struct worker *worker)
{
	struct err err;

	err_tool(&err, "not enough memory to read a trace");
	worker_send_error(worker, &err);
}

static void read_body(struct worker *worker, void *context)
{
	const struct trace_reading *reading = context;
	struct product_header header = {0};
	struct err err;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	jail_close_descriptors(NULL, 0, worker->to_parent);
	if (!out) {
		send_memory_error(worker);
		return;
	}
	header.has_error = !read_task(reading, out, &header.instructions, &err);
	if (header.has_error)
		memcpy(header.error, err.text, sizeof(header.error));
	if (fclose(out) == 0)
		send_product(worker, &header, text, bytes);
	else
		send_memory_error(worker);
	free(text);
}

bool trace_read_start(const struct trace_reading *reading, struct trace_product *product,
		      enum worker_stop *stop, struct err *err)
{
	struct worker_report report = {0};
	union {
		const struct trace_reading *given;
		void *context;
	} reading_of = {reading};
	const struct worker_task task = {.body = read_body, .context = reading_of.context};

	*product = (struct trace_product){0};
	bool ok = worker_run(&task, &report, err);
	*stop = report.stop;
	return ok && take_product(&report, product, err);
}
