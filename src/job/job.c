#include "job/job.h"

#include <stdlib.h>

#include "base/array.h"
#include "config/config_json.h"
#include "job/libraries.h"
#include "job/part.h"
#include "linux/syscall.h"
#include "pmu/pmu.h"
#include "trace/vectors.h"
#include "value/counted.h"
#include "value/printable_json.h"

/* How often a run looks whether it should stop: a few hundredths of a second. */
#define WATCH_CYCLES	   200000
#define WATCH_INSTRUCTIONS 10000000

/* How often it is looked whether a library has been mapped. */
#define LIBRARY_INSTRUCTIONS 1000

/* Lines of vectors are sent when there are so many. */
#define SENT_BYTES 65536

#define STATUS_PARTIAL 124 /* a limit was reached, or somebody stopped it */

static bool should_stop(const struct job_watch *watch)
{
	return watch->should_stop && watch->should_stop(watch->context);
}

static void note_progress(const struct job_watch *watch, uint64_t instructions)
{
	if (watch->progress)
		watch->progress(watch->context, instructions);
}

/* Executes functionally up to an instruction count, at full speed. True while the program runs. */
static bool execute_to(struct process *process, uint64_t instructions,
		       const struct job_watch *watch)
{
	bool runs = process->state == PROCESS_RUNNING;

	while (runs && process->cpu.instructions < instructions && !should_stop(watch)) {
		uint64_t until = process->cpu.instructions + WATCH_INSTRUCTIONS;

		runs = process_run(process, until < instructions ? until : instructions);
		note_progress(watch, process->cpu.instructions);
	}
	return runs;
}

/* The same, warming what the machine will use. */
static bool warm_to(struct warm *warm, struct process *process, uint64_t instructions,
		    const struct job_watch *watch)
{
	bool runs = process->state == PROCESS_RUNNING;

	while (runs && process->cpu.instructions < instructions && !should_stop(watch)) {
		uint64_t until = process->cpu.instructions + WATCH_INSTRUCTIONS;

		runs = warm_run(warm, process, until < instructions ? until : instructions);
		note_progress(watch, process->cpu.instructions);
	}
	return runs;
}

/* The same up to a call of a function. */
static bool warm_to_call(struct warm *warm, struct process *process, struct warm_function *function,
			 uint64_t calls, const struct job_watch *watch)
{
	bool is_there = false;

	while (!is_there && process->state == PROCESS_RUNNING && !should_stop(watch)) {
		uint64_t until = process->cpu.instructions + WATCH_INSTRUCTIONS;

		is_there = warm_run_to_call(warm, process, function, calls, until);
		note_progress(watch, process->cpu.instructions);
	}
	return is_there;
}

const struct symbol *job_find_function(struct process *process, const char *option,
				       const char *name, struct err *err)
{
	const struct symbols *symbols = debug_symbols(&process->debug, err);
	struct err reason;
	const struct symbol *symbol = symbols ? symbols_select(symbols, name, &reason) : NULL;

	if (symbols && !symbol)
		err_usage(err, "--%s %s", option, reason.text);
	return symbol;
}

/* Where the function to be simulated is; what a dynamically linked program does not have may be in
 * a library that it will map, which leaves it at 0. */
static bool find_roi(struct job_simulation *run, struct err *err)
{
	struct process *process = run->process;
	const struct symbols *symbols = debug_symbols(&process->debug, NULL);

	if (process->elf.interp && symbols && !symbols_know(symbols, run->job->roi))
		return true;
	const struct symbol *symbol = job_find_function(process, "roi", run->job->roi, err);

	if (symbol)
		run->function = (struct warm_function){
			.entry = symbol->address + process->bias,
			.end = symbol->address + symbol->bytes + process->bias,
		};
	return symbol;
}

/* Executes until a library that has the --roi function is mapped, whose calls are counted from then
 * on: what follows has to relocate it before it can be called. */
static void reach_library(struct job_simulation *run, const struct job_watch *watch)
{
	struct process *process = run->process;
	struct warm_function *function = &run->function;
	struct libraries libraries = {0};
	size_t mappings = SIZE_MAX;
	uint64_t path_bytes = 0;

	while (!function->entry && process->state == PROCESS_RUNNING && !should_stop(watch)) {
		const bool is_new = process->mapping_count != mappings ||
				    process->mapping_path_bytes != path_bytes;

		mappings = process->mapping_count;
		path_bytes = process->mapping_path_bytes;
		if (is_new && libraries_locate(&libraries, process, run->job->roi, &function->entry,
					       &function->end))
			break;
		warm_run(&run->warm, process, process->cpu.instructions + LIBRARY_INSTRUCTIONS);
		note_progress(watch, process->cpu.instructions);
	}
	libraries_release(&libraries);
}

/* The instruction with which slice `number` begins; UINT64_MAX: there is none. */
static uint64_t slice_at(const struct job *job, uint64_t number)
{
	const uint64_t begin = sample_begin(&job->sample, number);

	return begin == UINT64_MAX ? UINT64_MAX : job->skip + begin;
}

/* Brings the process to where the machine takes over. */
static bool reach_start(struct job_simulation *run, const struct job_watch *watch, struct err *err)
{
	const struct job *job = run->job;
	struct process *process = run->process;
	struct warm_function *function = &run->function;
	const uint64_t start = job->sample.period ? slice_at(job, 0) : job->skip;
	bool is_first = !job->roi_call || job->roi_call == JOB_EVERY_CALL;
	bool there;

	if ((job->roi && !find_roi(run, err)) || !job_parts_admit(job, process, err))
		return false;
	if (job->is_cold)
		warm_init(&run->warm, NULL, NULL);
	else
		simulation_warm(run->simulation, &run->warm);
	if (job->roi && !function->entry)
		reach_library(run, watch);
	if (job->roi) {
		there = warm_to_call(&run->warm, process, function, is_first ? 1 : job->roi_call,
				     watch);
	} else if (job->is_cold) {
		there = execute_to(process, start, watch);
	} else {
		there = warm_to(&run->warm, process, start, watch);
	}
	if (there && (job->roi || process->cpu.instructions >= start))
		return true;
	if (process->state != PROCESS_RUNNING && job->sample.points_most)
		return err_set(err, "the program ended before the first simulation point; nothing "
				    "was simulated");
	if (process->state != PROCESS_RUNNING && job->roi && function->calls)
		return err_set(err,
			       "the program ended after %llu calls of the --roi function; nothing "
			       "was simulated",
			       (unsigned long long)function->calls);
	if (process->state != PROCESS_RUNNING)
		return err_set(err, job->roi ? "the program ended before it called the --roi "
					       "function; nothing was simulated"
					     : "the program ended within --skip; nothing was "
					       "simulated");
	return err_stopped(err, "stopped before anything was simulated");
}

/* Measures the call at whose first instruction the process is. */
static void measure_call(struct job_simulation *run)
{
	simulation_measure_call(run->simulation, run->warm.last_pc,
				run->process->cpu.hart.r[REG_RA]);
}

/* After a call has returned: brings the process to the next call of the function. False if there is
 * none. */
static bool reach_next_call(struct job_simulation *run, const struct job_watch *watch)
{
	uint64_t before = run->process->cpu.instructions;

	if (!simulation_has_returned(run->simulation))
		return false;
	warm_interrupt(&run->warm);
	bool is_there = warm_to_call(&run->warm, run->process, &run->function,
				     run->function.calls + 1, watch);
	warm_resume(&run->warm);
	run->skipped += run->process->cpu.instructions - before;
	if (is_there)
		measure_call(run);
	return is_there;
}

/* How far a job that simulates slices goes on, in instructions of the program. */
static uint64_t slices_end(const struct job *job)
{
	const uint64_t most = UINT64_MAX - job->skip;

	return job->skip + (job->max_instructions < most ? job->max_instructions : most);
}

/* The slice that begins where the process is. */
static void measure_slice(struct job_simulation *run)
{
	const uint64_t begin = run->process->cpu.instructions - run->job->skip;

	run->slice_began = simulation_instructions(run->simulation);
	simulation_measure_slice(run->simulation,
				 sample_length(&run->job->sample, run->slice, begin));
}

/* The instruction with which the next slice begins. A system call at the end of a slice may have
 * taken the process past the beginning of others; a simulation point begins late then. */
static uint64_t next_slice(struct job_simulation *run)
{
	const uint64_t at = run->process->cpu.instructions;
	uint64_t next;

	do
		next = slice_at(run->job, ++run->slice);
	while (next < at && !run->job->sample.points_most);
	return next < at ? at : next;
}

/* After a slice: brings the process to the next one. False if there is none. */
static bool reach_next_slice(struct job_simulation *run, const struct job_watch *watch)
{
	struct process *process = run->process;
	const uint64_t before = process->cpu.instructions, end = slices_end(run->job);

	if (!simulation_has_returned(run->simulation))
		return false;
	job_parts_slice_ended(run);
	const uint64_t next = next_slice(run);
	/* Of points, those were chosen that are within the limit. */
	const bool is_point = run->job->sample.points_most && next != UINT64_MAX;
	const bool is_within =
		is_point || (next <= end && sample_slice(&run->job->sample) <= end - next);
	bool runs;

	warm_interrupt(&run->warm);
	/* Nothing is simulated behind the last. */
	if (next == UINT64_MAX)
		runs = execute_to(process, end, watch);
	else
		runs = warm_to(&run->warm, process, is_within ? next : end, watch);
	warm_resume(&run->warm);
	run->skipped += process->cpu.instructions - before;
	if (!runs || !is_within || process->cpu.instructions < next)
		return false;
	measure_slice(run);
	job_parts_slice_begins(run);
	return true;
}

static bool has_ended(const struct job_simulation *run)
{
	bool has_returned = simulation_has_returned(run->simulation);

	/* Execution runs ahead of commit: the process may have ended before the core has. */
	const bool is_one = !run->job->sample.period && run->job->roi_call != JOB_EVERY_CALL;

	return (has_returned && is_one) || (run->process->state != PROCESS_RUNNING &&
					    simulation_instructions(run->simulation) ==
						    run->process->cpu.instructions - run->skipped);
}

static json_t *values_json(const struct simulation *simulation)
{
	json_t *values = json_object();

	for (const struct counted_row *row = counted_rows; row->name; row++) {
		const struct signal_row *signal = signal_find(row->signal);

		BUG_ON(!signal);
		json_object_set_new(values, row->name,
				    json_integer((json_int_t)simulation_total(simulation, signal)));
	}
	return values;
}

json_t *job_machine_json(const struct job_machine *machine)
{
	json_t *changes = json_array();
	char hash[65];

	config_hash(&machine->config, hash);
	for (size_t i = 0; i < machine->change_count; i++)
		json_array_append_new(changes, printable_json(machine->changes[i]));
	return json_pack("{s:o, s:o, s:s, s:o}", "name", printable_json(machine->name), "changes",
			 changes, "sha256", hash, "parameters",
			 config_json_parameters(&machine->config));
}

static json_t *run_json(const struct job_simulation *run, bool is_partial)
{
	const struct process *process = run->process;
	int status = is_partial				 ? STATUS_PARTIAL
		     : process->state == PROCESS_RUNNING ? 0
							 : process_exit_status(process);

	return json_pack("{s:s, s:o, s:o, s:I, s:b, s:i, s:o}", "schema",
			 job_parts_schema(run->job), "program", program_json(run->job->program),
			 "configuration", job_machine_json(run->job->machine),
			 "skipped_instructions", (json_int_t)run->skipped, "partial", is_partial,
			 "status", status, "values", values_json(run->simulation));
}

/* Lets all that the job's parts name observe. */
static void begin_observers(struct job_simulation *run, const struct job_watch *watch)
{
	const struct observer_kind **kinds = job_parts_observers(run->job);

	if (!kinds)
		return;
	run->observers = observers_create(&run->job->machine->config, kinds);
	observers_use_thread(run->observers, watch->thread);
	observers_attach(run->observers, run->simulation);
	free(kinds);
}

bool job_begin(struct job_simulation *run, const struct job *job, struct process *process,
	       const struct job_watch *watch, struct err *err)
{
	const struct config *config = &job->machine->config;

	*run = (struct job_simulation){.job = job, .process = process};
	process->machine = config;
	run->simulation = simulation_prepare(config, process, err);
	if (!run->simulation)
		return false;
	run->pmu = pmu_create(config, process, err);
	if (!run->pmu || !reach_start(run, watch, err)) {
		job_end(run);
		return false;
	}
	run->skipped = process->cpu.instructions;
	simulation_begin(run->simulation, config);
	begin_observers(run, watch);
	if (!job_parts_begin(run, watch, err)) {
		job_end(run);
		return false;
	}
	pmu_attach(run->pmu, run->simulation);
	if (job->by_cycles)
		simulation_time_by_cycles(run->simulation);
	if (job->sample.period)
		measure_slice(run);
	else if (job->roi_call == JOB_EVERY_CALL)
		measure_call(run);
	else if (job->roi)
		simulation_end_at_return(run->simulation, run->warm.last_pc,
					 process->cpu.hart.r[REG_RA]);
	return true;
}

bool job_continue(struct job_simulation *run, uint64_t cycles)
{
	const uint64_t until = simulation_cycles(run->simulation) + cycles;
	uint64_t now = until - cycles;
	bool goes_on = true;

	/* Where parts are polled depends on the run alone, not on where pieces end. */
	while (goes_on && now < until) {
		if (now >= run->poll_at) {
			job_parts_poll(run);
			run->poll_at = now + job_parts_poll_cycles(run, UINT64_MAX - now);
		}
		const uint64_t next = run->poll_at < until ? run->poll_at : until;

		/* Slices but the first are begun only if all of them is within the limit. */
		goes_on = simulation_run_to(run->simulation, next - now,
					    run->slice ? UINT64_MAX : run->job->max_instructions);
		now = simulation_cycles(run->simulation);
	}
	return goes_on;
}

enum job_ending job_ending(const struct job_simulation *run)
{
	if (run->process->state == PROCESS_FAILED)
		return JOB_FAILED;
	return has_ended(run) ? JOB_WHOLE : JOB_PARTIAL;
}

json_t *job_result(const struct job_simulation *run, struct err *err)
{
	enum job_ending ending = job_ending(run);

	if (ending == JOB_FAILED) {
		*err = run->process->error;
		return NULL;
	}
	if (!job_parts_conclude(run, err) || !simulation_check(run->simulation, err) ||
	    (run->observers && !observers_check(run->observers, err)))
		return NULL;
	json_t *result = run_json(run, ending == JOB_PARTIAL);
	if (run->observers)
		observers_describe(run->observers, result);
	job_parts_describe(run, result);
	return result;
}

void job_end(struct job_simulation *run)
{
	job_parts_end(run);
	pmu_destroy(run->pmu);
	observers_destroy(run->observers);
	simulation_destroy(run->simulation);
	*run = (struct job_simulation){0};
}

static json_t *run_simulated(const struct job *job, struct process *process,
			     const struct job_watch *watch, struct err *err)
{
	struct job_simulation run;
	json_t *result = NULL;
	bool goes_on = true;

	if (!job_begin(&run, job, process, watch, err))
		return NULL;
	while (goes_on && !should_stop(watch)) {
		goes_on = job_continue(&run, WATCH_CYCLES);
		if (!goes_on && job->roi_call == JOB_EVERY_CALL)
			goes_on = reach_next_call(&run, watch);
		else if (!goes_on && job->sample.period)
			goes_on = reach_next_slice(&run, watch);
		note_progress(watch, simulation_instructions(run.simulation));
	}
	run.is_stopped = goes_on;
	if (goes_on && job->is_whole && !has_ended(&run))
		err_stopped(err, "stopped before its end");
	else
		result = job_result(&run, err);
	job_end(&run);
	return result;
}

/* Lines of vectors, which are sent some at a time. */
struct vector_lines {
	const struct job_watch *watch;
	struct bytes text;
};

static void send_lines(struct vector_lines *lines)
{
	if (lines->watch->send && lines->text.count)
		lines->watch->send(lines->watch->context, lines->text.bytes, lines->text.count);
	lines->text.count = 0;
}

static void add_line(void *context, const struct vector_entry *entries, size_t count)
{
	struct vector_lines *lines = context;

	vectors_write_line(&lines->text, entries, count);
	if (lines->text.count >= SENT_BYTES)
		send_lines(lines);
}

/* As execute_to, counting basic blocks. */
static bool count_blocks_to(const struct job *job, struct process *process,
			    const struct job_watch *watch)
{
	struct vector_lines lines = {.watch = watch};
	struct vectors *vectors =
		vectors_create(process, job->vector_instructions, add_line, &lines);
	const uint64_t limit = job->max_instructions;
	bool runs = process->state == PROCESS_RUNNING;

	while (runs && process->cpu.instructions < limit && !should_stop(watch)) {
		const uint64_t until = process->cpu.instructions + WATCH_INSTRUCTIONS;

		runs = vectors_run(vectors, until < limit ? until : limit);
		note_progress(watch, process->cpu.instructions);
	}
	vectors_finish(vectors);
	send_lines(&lines);
	vectors_destroy(vectors);
	free(lines.text.bytes);
	return runs;
}

static json_t *syscalls_json(const struct process *process)
{
	json_t *counts = json_object();
	char text[32];

	for (uint64_t i = 0; i < ARRAY_COUNT(process->syscall_counts); i++)
		if (process->syscall_counts[i])
			json_object_set_new(counts, syscall_name(i, text),
					    json_integer((json_int_t)process->syscall_counts[i]));
	return counts;
}

static json_t *run_functional(const struct job *job, struct process *process,
			      const struct job_watch *watch, struct err *err)
{
	struct pmu *pmu = pmu_create(NULL, process, err);
	bool is_partial = job->vector_instructions
				  ? count_blocks_to(job, process, watch)
				  : execute_to(process, job->max_instructions, watch);
	json_t *threads = json_array();

	pmu_destroy(pmu);

	if (process->state == PROCESS_FAILED) {
		*err = process->error;
		json_decref(threads);
		return NULL;
	}
	process_charge_thread(process);
	for (size_t i = 0; i < process->thread_count; i++)
		json_array_append_new(threads,
				      json_integer((json_int_t)process->threads[i]->instructions));
	return json_pack("{s:s, s:o, s:I, s:b, s:i, s:I, s:I, s:o, s:o}", "schema",
			 "cyclestack-exec-1", "program", program_json(job->program), "instructions",
			 (json_int_t)process->cpu.instructions, "partial", is_partial, "status",
			 is_partial ? STATUS_PARTIAL : process_exit_status(process), "memory_bytes",
			 (json_int_t)process->memory.charged_bytes, "unknown_syscalls",
			 (json_int_t)process->unknown_calls, "syscalls", syscalls_json(process),
			 "live_thread_instructions", threads);
}

json_t *job_run(const struct job *job, struct process *process, const struct job_watch *watch,
		struct err *err)
{
	return job->machine ? run_simulated(job, process, watch, err)
			    : run_functional(job, process, watch, err);
}
