#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/guest_job.h"
#include "count/counters.h"
#include "machine/simulation.h"
#include "image/symbols.h"
#include "report/text/annotate.h"
#include "report/file/callgrind.h"
#include "report/file/csv.h"
#include "report/file/file.h"
#include "report/file/folded.h"
#include "report/page/run_page.h"
#include "job/run_json.h"
#include "report/text/run_text.h"

#define LOOK_UP_CYCLES	     200000
#define LOOK_UP_INSTRUCTIONS 10000000
#define COUNTED_MAX	     128
#define COUNTERS_MOST	     32

struct run_job {
	struct guest_job guest; /* first: see guest_job.h */
	struct config config;
	char config_hash[65];
	const char *config_name; /* without its directory */
	const char **changes;	 /* by --set */
	size_t change_count;
	uint64_t skip;
	const char *roi;
	bool by_cycles;				       /* --time cycles */
	const struct count_kind *kinds[COUNTERS_MOST]; /* NULL-terminated; exact first */
	unsigned views;				       /* enum counters_view */
	const char *annotate;
	uint64_t interval;  /* 0: none */
	uint64_t functions; /* to show */
};

/* Functionally up to an instruction count, or the entry of a function. */
static bool skip_to(struct worker *worker, struct process *process, uint64_t instructions)
{
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < instructions &&
	       !worker_should_stop(worker)) {
		uint64_t until = process->cpu.instructions + LOOK_UP_INSTRUCTIONS;

		process_run(process, until < instructions ? until : instructions);
	}
	return process->state == PROCESS_RUNNING;
}

/* *call is the address the function is called from. */
static bool skip_to_function(struct worker *worker, struct process *process, uint64_t entry,
			     uint64_t *call)
{
	for (uint64_t i = 1; process->state == PROCESS_RUNNING && process->cpu.hart.pc != entry;
	     i++) {
		*call = process->cpu.hart.pc;
		enum cpu_stop stop = cpu_step(&process->cpu);

		if (stop != STOP_LIMIT || process->cpu.instructions >= process_slice_end(process))
			process_handle(process, stop);
		if (i % LOOK_UP_INSTRUCTIONS == 0 && worker_should_stop(worker))
			return false;
	}
	return process->state == PROCESS_RUNNING;
}

static bool find_function(const struct run_job *job, const struct process *process, uint64_t *entry,
			  struct err *err)
{
	struct symbols *symbols =
		symbols_read(job->guest.program.image, job->guest.program.image_bytes,
			     job->guest.program.name, err);
	const struct symbol *symbol = symbols ? symbols_by_name(symbols, job->roi) : NULL;

	if (symbols && !symbol)
		err_set(err, "--roi %s: the program has no function of that name", job->roi);
	if (symbol)
		*entry = symbol->address + process->bias;
	symbols_free(symbols);
	return symbol;
}

static bool simulate(struct worker *worker, struct run_job *job, struct process *process,
		     struct simulation *simulation, bool has_roi, uint64_t call)
{
	uint64_t before = process->cpu.instructions;
	bool goes_on = true;

	if (has_roi)
		simulation_end_at_return(simulation, call, process->cpu.hart.r[REG_RA]);
	while (goes_on && !worker_should_stop(worker)) {
		goes_on = simulation_run_to(simulation, LOOK_UP_CYCLES,
					    job->guest.program.max_instructions);
		worker_note_progress(worker, simulation_instructions(simulation));
	}
	/* Execution runs ahead of commit: the process may have ended before the core has. */
	return simulation_has_returned(simulation) ||
	       (process->state != PROCESS_RUNNING &&
		simulation_instructions(simulation) == process->cpu.instructions - before);
}

static json_t *describe(const struct run_job *job, const struct process *process,
			const struct simulation *simulation, uint64_t skipped, bool is_complete)
{
	struct counted counted[COUNTED_MAX];
	size_t count = simulation_count(simulation, counted, COUNTED_MAX);
	json_t *values = json_object();

	for (size_t i = 0; i < count; i++)
		json_object_set_new(values, counted[i].name,
				    json_integer((json_int_t)counted[i].value));
	json_t *changes = json_array();
	for (size_t k = 0; k < job->change_count; k++)
		json_array_append_new(changes, json_string(job->changes[k]));
	return json_pack("{s:s, s:o, s:{s:s, s:o, s:s}, s:I, s:b, s:i, s:o}", "schema",
			 "cyclestack-run-2", "program", guest_job_program(&job->guest.program),
			 "configuration", "name", job->config_name, "changes", changes, "sha256",
			 job->config_hash, "skipped_instructions", (json_int_t)skipped, "partial",
			 !is_complete, "status",
			 !is_complete			     ? EXIT_PARTIAL
			 : process->state != PROCESS_RUNNING ? process_exit_status(process)
							     : 0,
			 "values", values);
}

static bool add_counters(const struct run_job *job, const struct process *process,
			 struct counters *counters, json_t *result, struct err *err)
{
	const struct run_json_program program = {
		.image = job->guest.program.image,
		.image_bytes = job->guest.program.image_bytes,
		.name = job->guest.program.name,
		.process = process,
		.annotate = job->annotate,
	};

	return run_json_add(result, counters, &program, err);
}

/* Asked before the run, which may be long. */
static bool check_annotated(const struct run_job *job, struct err *err)
{
	struct symbols *symbols =
		symbols_read(job->guest.program.image, job->guest.program.image_bytes,
			     job->guest.program.name, err);
	bool ok = symbols;

	if (ok && !symbols_by_name(symbols, job->annotate))
		ok = err_set(err, "--annotate %s: the program has no function of that name",
			     job->annotate);
	symbols_free(symbols);
	return ok;
}

static void run_process(struct worker *worker, struct run_job *job, struct process *process)
{
	uint64_t entry = 0, call = 0, skipped;
	struct err err;

	if (job->roi && !find_function(job, process, &entry, &err)) {
		worker_send_error(worker, err.text);
		return;
	}
	if (job->annotate && !check_annotated(job, &err)) {
		worker_send_error(worker, err.text);
		return;
	}
	bool there = job->roi ? skip_to_function(worker, process, entry, &call)
			      : skip_to(worker, process, job->skip);
	if (!there && process->state != PROCESS_RUNNING) {
		worker_send_error(worker, job->roi ? "the program ended before it called the --roi "
						     "function; nothing was simulated"
						   : "the program ended within --skip; nothing was "
						     "simulated");
		return;
	}
	skipped = process->cpu.instructions;
	if (!there) {
		snprintf(err.text, sizeof(err.text),
			 "stopped after skipping %llu instructions; nothing was simulated",
			 (unsigned long long)skipped);
		worker_send_error(worker, err.text);
		return;
	}
	struct simulation *simulation = simulation_create(&job->config, process, &err);
	if (!simulation) {
		worker_send_error(worker, err.text);
		return;
	}
	if (job->by_cycles)
		simulation_time_by_cycles(simulation);
	struct counters *counters = NULL;
	if (job->kinds[0]) {
		counters = counters_create(&job->config, job->kinds, job->views);
		exact_set_interval(counters_of(counters, &count_exact), job->interval);
		counters_attach(counters, simulation);
	}
	bool is_complete = simulate(worker, job, process, simulation, job->roi, call);
	if (process->state == PROCESS_FAILED) {
		worker_send_error(worker, process->error.text);
	} else if (!simulation_check(simulation, &err) ||
		   (counters && !counters_check(counters, &err))) {
		worker_send_error(worker, err.text);
	} else {
		json_t *result = describe(job, process, simulation, skipped, is_complete);

		if (counters && !add_counters(job, process, counters, result, &err)) {
			worker_send_error(worker, err.text);
			json_decref(result);
		} else {
			guest_job_send(worker, result);
		}
	}
	counters_destroy(counters);
	simulation_destroy(simulation);
}

static void run_body(struct worker *worker, void *context)
{
	struct run_job *job = context;
	struct process *process = guest_job_start(&job->guest, worker);

	if (process)
		run_process(worker, job, process);
	process_destroy(process);
}

static uint64_t value_of(const json_t *values, const char *name)
{
	return (uint64_t)json_integer_value(json_object_get(values, name));
}

static double ratio(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void print_structure(const json_t *values, const char *title, const char *name)
{
	char key[64];
	uint64_t instructions = value_of(values, "instructions");

	snprintf(key, sizeof(key), "%s.accesses", name);
	uint64_t accesses = value_of(values, key);
	snprintf(key, sizeof(key), "%s.misses", name);
	uint64_t misses = value_of(values, key);
	snprintf(key, sizeof(key), "%s.pending", name);
	uint64_t pending = value_of(values, key);
	if (accesses)
		printf("  %-18s %12llu %12llu %12llu %8.2f %9.2f%%\n", title,
		       (unsigned long long)accesses, (unsigned long long)misses,
		       (unsigned long long)pending, 1000 * ratio(misses, instructions),
		       100 * ratio(misses, accesses));
}

static void print_title(const struct run_job *job, const json_t *result)
{
	printf("\n%s on %s", job->guest.program.name, job->config_name);
	for (size_t i = 0; i < job->change_count; i++)
		printf("%s %s", i ? "," : " with", job->changes[i]);
	puts(json_is_true(json_object_get(result, "partial")) ? " (partial)" : "");
}

static void print_summary(const json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	uint64_t cycles = value_of(values, "cycles"), insns = value_of(values, "instructions");
	uint64_t wrong = value_of(values, "branches.mispredicted");

	printf("  cycles             %12llu\n", (unsigned long long)cycles);
	printf("  instructions       %12llu   IPC %.3f, CPI %.3f\n", (unsigned long long)insns,
	       ratio(insns, cycles), ratio(cycles, insns));
	printf("  fetched            %12llu   %.1f%% on wrong paths\n",
	       (unsigned long long)value_of(values, "fetched"),
	       100 * ratio(value_of(values, "fetched.wrong_path"), value_of(values, "fetched")));
	printf("  issued             %12llu\n", (unsigned long long)value_of(values, "issued"));
	printf("  squashed           %12llu\n", (unsigned long long)value_of(values, "squashed"));
	printf("  mispredictions     %12llu   %.2f per 1000 instructions, %.2f%% of branches\n",
	       (unsigned long long)wrong, 1000 * ratio(wrong, insns),
	       100 * ratio(wrong, value_of(values, "branches")));
	printf("\n  %-18s %12s %12s %12s %8s %10s\n", "", "accesses", "misses", "pending",
	       "per 1000", "miss rate");
	print_structure(values, "L1I", "l1i");
	print_structure(values, "L1D", "l1d");
	print_structure(values, "L2, instructions", "l2.instructions");
	print_structure(values, "L2, data", "l2.data");
	print_structure(values, "L3, instructions", "l3.instructions");
	print_structure(values, "L3, data", "l3.data");
	print_structure(values, "I-TLB", "itlb");
	print_structure(values, "D-TLB", "dtlb");
}

static void print_result(const struct run_job *job, const json_t *result)
{
	struct terminal terminal;

	terminal_init(&terminal, stdout);
	print_title(job, result);
	if (job->kinds[0])
		run_text_print(stdout, result, &terminal, (unsigned)job->functions);
	if (job->annotate) {
		puts("");
		annotate_print(stdout, result, &terminal);
	}
	puts("");
	print_summary(result);
}

/* A report that goes into a file whole or not at all. */
struct file_report {
	enum option_id option;
	report_writer *write;
};

static const struct file_report file_reports[] = {
	{OPTION_HTML, page_write},
	{OPTION_CSV, csv_write},
	{OPTION_FOLDED, folded_write},
	{OPTION_CALLGRIND, callgrind_write},
};

static bool write_reports(const struct args *args, const json_t *result, struct err *err)
{
	for (size_t i = 0; i < ARRAY_COUNT(file_reports); i++) {
		const char *path = args_get(args, file_reports[i].option);

		if (path && !report_write_result(path, file_reports[i].write, result, err))
			return false;
	}
	return true;
}

/* Nobody wants text and a machine's format mixed on standard output. */
static bool is_machine_output(const struct args *args)
{
	const char *json = args_get(args, OPTION_JSON);
	bool is = json && strcmp(json, "-") == 0;

	for (size_t i = 0; i < ARRAY_COUNT(file_reports); i++) {
		const char *path = args_get(args, file_reports[i].option);

		is |= path && strcmp(path, "-") == 0;
	}
	return is;
}

static int finish(const struct args *args, const struct run_job *job, const json_t *result,
		  const struct worker_report *report)
{
	struct err err;

	if (!result) {
		fail_tool(report->stop == WORKER_INTERRUPTED
				  ? "interrupted before anything was simulated"
				  : "no result came within the time given");
		return report->stop == WORKER_INTERRUPTED ? EXIT_INTERRUPTED : EXIT_PARTIAL;
	}
	if (!is_machine_output(args))
		print_result(job, result);
	if (!guest_job_write(args, result, &err) || !write_reports(args, result, &err))
		return fail_tool(err.text);
	if (json_is_true(json_object_get(result, "partial")))
		return guest_job_explain(
			report, value_of(json_object_get(result, "values"), "instructions"));
	return (int)json_integer_value(json_object_get(result, "status"));
}

static bool add_kind(struct run_job *job, const struct count_kind *kind)
{
	size_t i = 0;

	while (job->kinds[i] && job->kinds[i] != kind)
		i++;
	job->kinds[i] = kind;
	return true;
}

/* One word of --counters. */
static bool add_counter(struct run_job *job, const char *name, struct err *err)
{
	const struct count_kind *kind = count_kind_named(name);

	if (strcmp(name, "all") == 0) {
		for (size_t i = 0; count_main_kinds[i]; i++)
			add_kind(job, count_main_kinds[i]);
		job->views |= COUNTERS_TOPDOWN | COUNTERS_STAGES;
		return true;
	}
	if (strcmp(name, "topdown") == 0 || strcmp(name, "stages") == 0)
		return job->views |= name[0] == 't' ? COUNTERS_TOPDOWN : COUNTERS_STAGES;
	if (kind)
		return add_kind(job, kind);
	char known[512] = "all, none, topdown, stages";
	for (size_t i = 0; count_kinds[i]; i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), ", %s",
			 count_kinds[i]->name);
	return err_set(err, "--counters: there is no \"%s\"; there are %s", name, known);
}

/* Functions and lines are exact's, so it is always among them. */
static bool read_counters(struct run_job *job, const char *list, struct err *err)
{
	char *copy = mem_strdup(list), *rest = NULL;
	bool ok = add_kind(job, &count_exact);

	for (char *name = strtok_r(copy, ",", &rest); ok && name; name = strtok_r(NULL, ",", &rest))
		ok = add_counter(job, name, err);
	free(copy);
	return ok;
}

static bool read_counter_options(struct run_job *job, const struct args *args, struct err *err)
{
	const char *which = args_get(args, OPTION_COUNTERS);
	static const enum option_id needy[] = {OPTION_ANNOTATE, OPTION_INTERVALS, OPTION_HTML,
					       OPTION_CSV,	OPTION_FOLDED,	  OPTION_CALLGRIND};

	if ((!which || strcmp(which, "none") != 0) &&
	    !read_counters(job, which ? which : "all", err))
		return false;
	for (size_t i = 0; !job->kinds[0] && i < ARRAY_COUNT(needy); i++)
		if (args->counts[needy[i]])
			return err_set(err, "--%s has nothing to show with --counters none",
				       option_rows[needy[i]].name);
	job->annotate = args_get(args, OPTION_ANNOTATE);
	job->functions = 10;
	return args_get_count(args, OPTION_FUNCTIONS, 0, 1000000, &job->functions, err) &&
	       args_get_count(args, OPTION_INTERVALS, 1, INT64_MAX, &job->interval, err);
}

static bool read_options(struct run_job *job, const struct args *args, int *status, struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG);

	const char *slash = name ? strrchr(name, '/') : NULL;

	job->config_name = slash ? slash + 1 : name ? name : "eyerman2006";
	job->changes = args->values[OPTION_SET];
	job->change_count = args->counts[OPTION_SET];
	job->roi = args_get(args, OPTION_ROI);
	if (!config_from_args(&job->config, args, status, err))
		return false;
	config_hash(&job->config, job->config_hash);
	*status = EXIT_USAGE;
	const char *time = args_get(args, OPTION_TIME);
	job->by_cycles = time && strcmp(time, "cycles") == 0;
	if (time && !job->by_cycles && strcmp(time, "insns") != 0)
		return err_set(err, "--time: \"%s\" is neither insns nor cycles", time);
	if (job->roi && args_get(args, OPTION_SKIP))
		return err_set(err, "--roi and --skip say two different places to start");
	return read_counter_options(job, args, err) &&
	       args_get_count(args, OPTION_SKIP, 0, INT64_MAX, &job->skip, err);
}

int cmd_run(const struct args *args)
{
	struct run_job job = {0};
	struct worker_report report = {0};
	struct err err;
	json_t *result;
	int status;

	if (!report_check_path(args_get(args, OPTION_JSON), &err))
		return fail_tool(err.text);
	for (size_t i = 0; i < ARRAY_COUNT(file_reports); i++)
		if (!report_check_path(args_get(args, file_reports[i].option), &err))
			return fail_tool(err.text);
	if (!read_options(&job, args, &status, &err) ||
	    !program_open(&job.guest.program, args, &status, &err))
		status = status == EXIT_USAGE ? fail_usage(command_named("run"), err.text)
					      : fail_tool(err.text);
	else if (!guest_job_run(&job.guest, run_body, &result, &report, &err))
		status = fail_tool(err.text);
	else {
		status = finish(args, &job, result, &report);
		json_decref(result);
	}
	program_release(&job.guest.program);
	return status;
}
