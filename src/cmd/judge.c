#include "cmd/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/guest_job.h"
#include "count/counters.h"
#include "count/naive.h"
#include "count/sfmt.h"
#include "count/truth.h"
#include "machine/simulation.h"
#include "job/worker_pool.h"
#include "job/run_json.h"

#define LOOK_UP_CYCLES 200000

/* One simulation: a program on one of the machines of the plan. */
struct judge_task {
	const struct program *program;
	const struct config *config;
	bool has_counters;
};

/* Everything known of a program so far. */
struct case_file {
	uint64_t cycles[TRUTH_RUNS_MAX], instructions[TRUTH_RUNS_MAX];
	unsigned done;
	json_t *real; /* what the counters said */
};

struct court {
	const struct judge_request *request;
	struct truth_plan plan;
	struct judge_task *tasks; /* program by program; context of the worker's body */
	struct case_file *cases;
	bool shows_progress, has_line;
};

static json_t *losses_object(const struct counters *counters, const struct count_kind *kind)
{
	struct sfmt_losses losses;

	sfmt_read_losses(counters_of(counters, kind), &losses);
	return json_pack("{s:I, s:I, s:I}", "older_lost", (json_int_t)losses.older, "younger_lost",
			 (json_int_t)losses.younger, "wrong_path_kept", (json_int_t)losses.wrong);
}

/* What the counters say of the real machine. */
static json_t *testimony(const struct config *config, const struct counters *counters)
{
	const struct naive *misses = counters_of(counters, &count_naive_nonspec);
	const struct overlap *overlap = counters_overlap(counters);
	enum component last = COMPONENT_L1D + config->cache_levels - 1;
	json_t *stacks = json_object(), *losses = json_object();

	for (size_t i = 0; i < counters_count(counters); i++) {
		struct stack stack;

		counters_read(counters, i, &stack);
		json_object_set_new(stacks, counters_kind(counters, i)->name,
				    run_json_components(config, &stack));
	}
	json_object_set_new(losses, "sfmt", losses_object(counters, &count_sfmt));
	json_object_set_new(losses, "sfmt-resolve", losses_object(counters, &count_sfmt_resolve));
	json_object_set_new(losses, "sfmt-counters", losses_object(counters, &count_sfmt_counters));
	json_object_set_new(losses, "sfmt-resolve-counters",
			    losses_object(counters, &count_sfmt_resolve_counters));
	return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "stacks", stacks, "losses", losses,
			 "l1i", (json_int_t)misses->misses[COMPONENT_L1I], "branch",
			 (json_int_t)misses->misses[COMPONENT_BRANCH], "long",
			 (json_int_t)misses->misses[last], "overlap", (json_int_t)overlap->cycles,
			 "overlap_full", (json_int_t)overlap->full_cycles);
}

/* In the worker. */
static void simulate(struct worker *worker, const struct judge_task *task, struct process *process,
		     struct counters *counters)
{
	struct err err;
	struct simulation *simulation = simulation_create(task->config, process, &err);
	bool goes_on = true;

	if (!simulation) {
		worker_send_error(worker, err.text);
		return;
	}
	if (counters)
		counters_attach(counters, simulation);
	while (goes_on && !worker_should_stop(worker))
		goes_on = simulation_run_to(simulation, LOOK_UP_CYCLES,
					    task->program->max_instructions);
	if (process->state == PROCESS_FAILED)
		worker_send_error(worker, process->error.text);
	else if (!simulation_check(simulation, &err) ||
		 (counters && !counters_check(counters, &err)))
		worker_send_error(worker, err.text);
	else if (!goes_on)
		guest_job_send(
			worker,
			json_pack("{s:I, s:I, s:o}", "cycles",
				  (json_int_t)simulation_cycles(simulation), "instructions",
				  (json_int_t)simulation_instructions(simulation), "counters",
				  counters ? testimony(task->config, counters) : json_null()));
	simulation_destroy(simulation);
}

static void body(struct worker *worker, void *context)
{
	const struct judge_task *task = context;
	struct process_options options = program_process_options(task->program);
	struct err err;

	options.silent = true;
	struct process *process = process_create(&options, &err);
	if (!process) {
		worker_send_error(worker, err.text);
		return;
	}
	struct counters *counters =
		task->has_counters ? counters_create(task->config, NULL, COUNTERS_OVERLAP) : NULL;
	simulate(worker, task, process, counters);
	counters_destroy(counters);
	process_destroy(process);
}

static void assign(void *context, size_t i, struct worker_task *task)
{
	struct court *court = context;
	const struct program *program = court->tasks[i].program;

	*task = (struct worker_task){.body = body,
				     .mounts = program->mounts,
				     .mount_count = program->mount_count,
				     .timeout_seconds = program->timeout_seconds,
				     .context = &court->tasks[i]};
}

static bool hear(void *context, size_t i, const char *bytes, size_t count, struct err *err)
{
	struct court *court = context;
	struct case_file *file = &court->cases[i / court->plan.count];
	unsigned run = (unsigned)(i % court->plan.count);
	json_t *result = json_loadb(bytes, count, 0, NULL);

	if (!result)
		return err_set(err, "internal error: the worker's result is not JSON");
	file->cycles[run] = (uint64_t)json_integer_value(json_object_get(result, "cycles"));
	file->instructions[run] =
		(uint64_t)json_integer_value(json_object_get(result, "instructions"));
	if (run == court->plan.real)
		file->real = json_incref(json_object_get(result, "counters"));
	file->done++;
	json_decref(result);
	return true;
}

static void show_progress(void *context, size_t done)
{
	struct court *court = context;

	if (!court->shows_progress)
		return;
	fprintf(stderr, "\r\033[K%zu of %zu simulations done\r", done,
		court->request->program_count * court->plan.count);
	fflush(stderr);
	court->has_line = true;
}

static bool same_instructions(const struct court *court, const struct program *program,
			      const struct case_file *file, struct err *err)
{
	for (unsigned i = 0; i < court->plan.count; i++)
		if (file->instructions[i] != file->instructions[court->plan.real])
			return err_set(err,
				       "%s: an idealised machine committed %llu instructions, the "
				       "real one %llu; such runs cannot be compared (does the "
				       "program look at the time?)",
				       program->name, (unsigned long long)file->instructions[i],
				       (unsigned long long)file->instructions[court->plan.real]);
	return true;
}

static void read_stack(const json_t *components, struct stack *stack)
{
	*stack = (struct stack){0};
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		stack->cycles[i] =
			json_integer_value(json_object_get(components, component_rows[i].name));
}

/* The components the truth has. */
static json_t *truth_object(const struct config *config, const struct stack *stack)
{
	json_t *object = json_object();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (truth_has(config, i))
			json_object_set_new(object, component_rows[i].name,
					    json_integer(stack->cycles[i]));
	return object;
}

static json_t *verdict_on(const struct court *court, const struct count_kind *kind,
			  const struct case_file *file, const struct stack truth[TRUTH_ORDERS])
{
	const struct config *config = &court->request->config;
	json_t *components = json_object_get(json_object_get(file->real, "stacks"), kind->name);
	json_t *errors = json_object();
	struct truth_error most = {0};
	enum component worst = COMPONENT_BASE;
	struct stack stack;

	read_stack(components, &stack);
	truth_fold(&stack);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		if (!truth_has(config, i))
			continue;
		struct truth_error e = truth_error_of(&stack, &truth[TRUTH_A], &truth[TRUTH_B], i,
						      file->cycles[court->plan.real]);
		json_object_set_new(errors, component_rows[i].name, json_real(e.largest));
		if (e.largest > most.largest)
			worst = i;
		most.a = fmax(most.a, e.a);
		most.b = fmax(most.b, e.b);
		most.largest = fmax(most.largest, e.largest);
		most.interval = fmax(most.interval, e.interval);
	}
	json_t *bits = kind->bits ? json_integer((json_int_t)kind->bits(config)) : json_null();
	return json_pack("{s:O, s:o, s:f, s:f, s:f, s:f, s:s, s:o}", "components", components,
			 "errors", errors, "max_error", most.largest, "max_error_a", most.a,
			 "max_error_b", most.b, "max_error_interval", most.interval, "worst",
			 component_rows[worst].name, "bits", bits);
}

/* Cycles per event, by every method and by the simulated difference. */
static json_t *per_event(const struct case_file *file, enum component component, const char *event,
			 const struct stack *truth)
{
	double events = (double)json_integer_value(json_object_get(file->real, event));
	json_t *object = json_object();

	if (events == 0) /* nothing to divide by: no such event */
		return object;
	for (size_t i = 0; count_kinds[i]; i++) {
		struct stack stack;

		read_stack(json_object_get(json_object_get(file->real, "stacks"),
					   count_kinds[i]->name),
			   &stack);
		truth_fold(&stack);
		json_object_set_new(object, count_kinds[i]->name,
				    json_real((double)stack.cycles[component] / events));
	}
	json_object_set_new(object, "simulated",
			    json_real((double)truth->cycles[component] / events));
	return object;
}

static json_t *case_object(const struct court *court, const struct program *program,
			   const struct case_file *file)
{
	const struct config *config = &court->request->config;
	uint64_t cycles = file->cycles[court->plan.real];
	enum component last = config->cache_levels == 1 ? COMPONENT_L1D : COMPONENT_L2D;
	struct stack truth[TRUTH_ORDERS];
	json_t *methods = json_object(), *object = guest_job_program(program);

	truth_read(&court->plan, file->cycles, TRUTH_A, &truth[TRUTH_A]);
	truth_read(&court->plan, file->cycles, TRUTH_B, &truth[TRUTH_B]);
	for (size_t i = 0; count_kinds[i]; i++)
		json_object_set_new(methods, count_kinds[i]->name,
				    verdict_on(court, count_kinds[i], file, truth));
	json_object_set_new(object, "name", json_string(program->name));
	json_object_set_new(object, "instructions",
			    json_integer((json_int_t)file->instructions[court->plan.real]));
	json_object_set_new(object, "cycles", json_integer((json_int_t)cycles));
	json_object_set_new(object, "truth",
			    json_pack("{s:o, s:o, s:I}", "a", truth_object(config, &truth[TRUTH_A]),
				      "b", truth_object(config, &truth[TRUTH_B]),
				      "base_without_units",
				      (json_int_t)file->cycles[court->plan.units]));
	json_object_set_new(object, "methods", methods);
	json_object_set_new(object, "events",
			    json_pack("{s:O, s:O, s:O}", "l1i", json_object_get(file->real, "l1i"),
				      "branch", json_object_get(file->real, "branch"), "l2d",
				      json_object_get(file->real, "long")));
	json_object_set_new(object, "per_event",
			    json_pack("{s:o, s:o, s:o}", "l1i",
				      per_event(file, COMPONENT_L1I, "l1i", &truth[TRUTH_A]),
				      "branch",
				      per_event(file, COMPONENT_BRANCH, "branch", &truth[TRUTH_A]),
				      "l2d", per_event(file, last, "long", &truth[TRUTH_A])));
	json_object_set_new(
		object, "overlap",
		json_real((double)json_integer_value(json_object_get(file->real, "overlap")) /
			  (double)cycles));
	json_object_set_new(
		object, "overlap_full",
		json_real((double)json_integer_value(json_object_get(file->real, "overlap_full")) /
			  (double)cycles));
	json_t *losses = json_object_get(file->real, "losses");
	json_object_set(object, "sfmt", json_object_get(losses, "sfmt"));
	json_object_set(object, "sfmt_losses", losses);
	return object;
}

/* Means and maxima over the programs. */
static json_t *summary(const json_t *programs)
{
	json_t *means = json_object(), *largest = json_object(), *program;
	size_t count = json_array_size(programs), i;

	for (size_t k = 0; count_kinds[k] && count; k++) {
		double sum = 0, most = 0;

		json_array_foreach(programs, i, program)
		{
			double e = json_real_value(
				json_object_get(json_object_get(json_object_get(program, "methods"),
								count_kinds[k]->name),
						"max_error"));

			sum += e;
			most = fmax(most, e);
		}
		json_object_set_new(means, count_kinds[k]->name, json_real(sum / (double)count));
		json_object_set_new(largest, count_kinds[k]->name, json_real(most));
	}
	return json_pack("{s:o, s:o}", "mean_error", means, "largest_error", largest);
}

static json_t *result_of(const struct court *court, struct err *err)
{
	const struct judge_request *request = court->request;
	json_t *programs = json_array(), *changes = json_array();
	char hash[65];

	config_hash(&request->config, hash);
	for (size_t i = 0; i < request->change_count; i++)
		json_array_append_new(changes, json_string(request->changes[i]));
	for (size_t i = 0; i < request->program_count; i++) {
		const struct case_file *file = &court->cases[i];

		if (file->done < court->plan.count)
			continue;
		if (!same_instructions(court, &request->programs[i], file, err)) {
			json_decref(programs);
			json_decref(changes);
			return NULL;
		}
		json_array_append_new(programs, case_object(court, &request->programs[i], file));
	}
	json_t *totals = summary(programs);
	return json_pack("{s:s, s:{s:s, s:o, s:s}, s:o, s:o}", "schema", "cyclestack-judge-1",
			 "configuration", "name", request->config_name, "changes", changes,
			 "sha256", hash, "programs", programs, "summary", totals);
}

json_t *judge_run(const struct judge_request *request, bool *interrupted, struct err *err)
{
	struct court court = {.request = request, .shows_progress = isatty(STDERR_FILENO)};
	json_t *result = NULL;

	truth_plan_init(&court.plan, &request->config);
	size_t count = request->program_count * court.plan.count;
	court.cases = mem_alloc_array(request->program_count, sizeof(*court.cases));
	court.tasks = mem_alloc_array(count, sizeof(*court.tasks));
	for (size_t i = 0; i < count; i++) {
		unsigned run = (unsigned)(i % court.plan.count);

		court.tasks[i] =
			(struct judge_task){&request->programs[i / court.plan.count],
					    &court.plan.config[run], run == court.plan.real};
	}
	struct worker_pool pool = {.task = assign,
				   .done = hear,
				   .progress = show_progress,
				   .context = &court,
				   .count = count,
				   .at_once = request->jobs};
	bool ok = worker_pool_run(&pool, interrupted, err);
	if (court.has_line)
		fputs("\r\033[K", stderr);
	if (ok)
		result = result_of(&court, err);
	for (size_t i = 0; i < request->program_count; i++)
		json_decref(court.cases[i].real);
	free(court.cases);
	free(court.tasks);
	return result;
}

/* Splits "program argument argument"; what it gives points into `text`. */
static char **split(char *text, size_t *count)
{
	char **words = NULL, *rest = NULL;
	size_t capacity = 0;

	*count = 0;
	for (char *word = strtok_r(text, " \t\n", &rest); word;
	     word = strtok_r(NULL, " \t\n", &rest))
		*ARRAY_PUSH(words, *count, capacity) = word;
	*ARRAY_PUSH(words, *count, capacity) = NULL;
	--*count;
	return words;
}

bool judge_open(struct judge_request *request, const struct args *args, int *status,
		struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG), *slash = name ? strrchr(name, '/') : NULL;
	uint64_t jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	*request = (struct judge_request){
		.config_name = slash  ? slash + 1
			       : name ? name
				      : "eyerman2006",
		.changes = args->values[OPTION_SET],
		.change_count = args->counts[OPTION_SET],
	};
	if (!config_from_args(&request->config, args, status, err))
		return false;
	*status = EXIT_USAGE;
	if (!args_get_count(args, OPTION_JOBS, 1, 1024, &jobs, err))
		return false;
	request->jobs = (unsigned)jobs;
	if (!args->rest_count)
		return err_set(err, "which programs? Give RISC-V ELF files or workloads such as "
				    "@chess");
	request->programs = mem_alloc_array(args->rest_count, sizeof(*request->programs));
	for (size_t i = 0; i < args->rest_count; i++) {
		char *text = mem_strdup(args->rest[i]);
		struct args one = *args;

		one.rest = split(text, &one.rest_count);
		bool ok = program_open(&request->programs[request->program_count++], &one, status,
				       err);
		free(one.rest);
		free(text);
		if (!ok)
			return false;
	}
	return true;
}

void judge_release(struct judge_request *request)
{
	for (size_t i = 0; i < request->program_count; i++)
		program_release(&request->programs[i]);
	free(request->programs);
}
