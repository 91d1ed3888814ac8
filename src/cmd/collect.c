#include "cmd/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "classify/classify.h"
#include "cmd/progress.h"
#include "linux/files.h"

#define WORD_BYTES	    1024
#define LINE_USUAL	    64
#define PAGE_USUAL	    4096
#define HOST_BYTES	    (UINT64_C(64) << 20)
#define HOST_PAGES	    8192
#define HOST_AT_ONCE	    4
#define CODE_BYTES_MOST	    (UINT64_C(4) << 20)
#define CODE_JUMPS_MOST	    UINT64_C(65536)
#define HOST_CODE_BYTES	    (UINT64_C(1) << 20)
#define CODE_LINE_BYTES	    (UINT64_C(1) << 17)
#define CODE_PAGES_MOST	    4096
#define CODE_FAR_UNIT	    (UINT64_C(256) << 10)
#define CODE_FAR_BYTES	    (UINT64_C(256) << 20)
#define READINGS_BYTES_MOST (UINT64_C(1) << 30)
#define GUEST_MEMORY	    (UINT64_C(4) << 30)

#define BRANCH_WORDS                                                                               \
	"branch_plain", "branch_random", "branch_random_work", "branch_a", "branch_b", "branch_c", \
		"branch_d", "branch_e", "branch_f", "branch_g", "branch_indirect",                 \
		"branch_indirect_random", "branch_indirect_apart", "branch_call",                  \
		"branch_call_indirect"
#define COMPUTE_WORDS "load", "store", "multiply", "divide", "fp_add", "fp_multiply", "fp_divide"

/* The kernels of one run of the collector. */
struct part {
	char words[24][WORD_BYTES];
	size_t count;
};

struct plan {
	struct part *parts;
	size_t count, room;
};

static struct part *add_part(struct plan *plan)
{
	struct part *part = ARRAY_PUSH(plan->parts, plan->count, plan->room);

	*part = (struct part){0};
	return part;
}

static void add_word(struct part *part, const char *word)
{
	BUG_ON(part->count == ARRAY_COUNT(part->words));
	snprintf(part->words[part->count++], WORD_BYTES, "%s", word);
}

/* Powers of two from `least` to `most`, and with `is_fine` what is half-way between them. */
static void add_sweep(struct part *part, const char *kernel, uint64_t unit, uint64_t least,
		      uint64_t most, bool is_fine)
{
	char word[WORD_BYTES];
	int at = snprintf(word, sizeof(word), "%s:%llu", kernel, (unsigned long long)unit);
	char separator = ':';

	for (uint64_t size = least; size <= most; size *= 2) {
		at += snprintf(word + at, sizeof(word) - (size_t)at, "%c%llu", separator,
			       (unsigned long long)size);
		separator = ',';
		if (is_fine && size >= 2 * unit && size / 2 * 3 <= most)
			at += snprintf(word + at, sizeof(word) - (size_t)at, ",%llu",
				       (unsigned long long)(size / 2 * 3));
	}
	BUG_ON((size_t)at >= sizeof(word));
	if (separator == ',')
		add_word(part, word);
}

static uint64_t largest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t smallest(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* How far the sweeps go: four times what the largest cache and TLB have. */
struct reach {
	uint64_t bytes, pages, code_bytes, code_pages;
};

static uint64_t power_from(uint64_t value)
{
	uint64_t power = 1;

	while (power < value)
		power *= 2;
	return power;
}

static struct reach reach_of(const struct job_machine *machine)
{
	if (!machine)
		return (struct reach){HOST_BYTES, HOST_PAGES, HOST_CODE_BYTES, 1024};
	const struct config *c = &machine->config;
	uint64_t last = c->cache_levels >= 3   ? c->l3_size
			: c->cache_levels == 2 ? c->l2_size
					       : c->l1d_size;
	uint64_t code = largest(c->l1i_size, c->cache_levels >= 2 ? c->l2_size : 0);
	return (struct reach){
		4 * power_from(largest(last, 16384)),
		4 * power_from(largest(c->dtlb_entries, c->tlb2_entries)),
		smallest(4 * power_from(code), CODE_BYTES_MOST),
		smallest(4 * power_from(largest(c->itlb_entries, c->tlb2_entries)),
			 CODE_PAGES_MOST),
	};
}

static void plan_lines(struct plan *plan)
{
	add_sweep(add_part(plan), "pair", 0, 8, 65536, false);
}

static void plan_plots(struct plan *plan, uint64_t line, uint64_t most)
{
	struct part *part = add_part(plan);
	uint64_t shown = most > UINT64_C(4) << 20 ? UINT64_C(4) << 20 : most;

	/* Figure 10, and 14 to 17. */
	add_word(part, "branch_k:0:2,3,4,6,8,12,16,24,32");
	add_sweep(part, "read", 2 * line, 4096, shown, false);
	add_sweep(part, "read", 4 * line, 4096, shown, false);
	part = add_part(plan);
	add_sweep(part, "block", 4, 65536, shown, false);
	add_sweep(part, "block", 16, 65536, shown, false);
	add_sweep(part, "block", 64, 262144, shown, false);
	for (uint64_t offset = 0; offset < 3; offset++) {
		char word[WORD_BYTES];

		snprintf(word, sizeof(word), "order:%llu:16384,24576,32768,36864,40960,49152,65536",
			 (unsigned long long)offset);
		add_word(part, word);
	}
}

static void plan_kernels(struct plan *plan, const struct reach *reach, uint64_t line, uint64_t page,
			 bool is_brief)
{
	static const char *const words[] = {BRANCH_WORDS, COMPUTE_WORDS};
	struct part *part = add_part(plan);

	/* The longest first, so that the workers end together. */
	add_sweep(part, "read", line, 4 * line, reach->bytes, true);
	part = add_part(plan);
	add_sweep(part, "write", line, 4 * line, reach->bytes, false);
	add_sweep(part, "apart", line, reach->bytes, reach->bytes, false);
	part = add_part(plan);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		add_word(part, words[i]);
	part = add_part(plan);
	add_sweep(part, "page", page, 4 * page, reach->pages * page, true);
	add_sweep(part, "write", page, 4 * page, reach->pages * page, false);
	add_sweep(part, "apart", page, reach->pages * page, reach->pages * page, false);
	part = add_part(plan);
	add_sweep(part, "code", line, 8 * line, smallest(reach->code_bytes, CODE_JUMPS_MOST * line),
		  true);
	add_sweep(part, "codeline", 8, CODE_LINE_BYTES, CODE_LINE_BYTES, false);
	add_sweep(part, "codepage", page, 4 * page, reach->code_pages * page, true);
	add_sweep(part, "codefar", CODE_FAR_UNIT, CODE_FAR_BYTES, CODE_FAR_BYTES, false);
	part = add_part(plan);
	add_sweep(part, "stream", line, reach->bytes, reach->bytes, false);
	if (!is_brief)
		plan_plots(plan, line, reach->bytes);
}

void collect_add_event(struct collect_events *events, uint32_t type, uint64_t config,
		       const char *name)
{
	*ARRAY_PUSH(events->list, events->count, events->room) =
		(struct collect_event){type, config, mem_strdup(name)};
}

void collect_events_release(struct collect_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		free(events->list[i].name);
	free(events->list);
	*events = (struct collect_events){0};
}

/* "TYPE:FIRST-LAST,..." of the events from..to-1. */
static char *events_word(const struct collect_events *events, size_t from, size_t to)
{
	char *word = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&word, &bytes);

	for (size_t i = from; i < to;) {
		const struct collect_event *first = &events->list[i];
		size_t run = 1;

		while (i + run < to && first[run].type == first->type &&
		       first[run].config == first->config + run)
			run++;
		fprintf(out, "%s%u:%llu", i > from ? "," : "", first->type,
			(unsigned long long)first->config);
		if (run > 1)
			fprintf(out, "-%llu", (unsigned long long)(first->config + run - 1));
		i += run;
	}
	fclose(out);
	return word;
}

static bool kernels_path(const char *name, char path[2 * PATH_BYTES], struct err *err)
{
	char directory[PATH_BYTES];

	if (!installed_directory("kernels", "CYCLESTACK_KERNELS", directory, sizeof(directory),
				 err))
		return false;
	snprintf(path, 2 * PATH_BYTES, "%s/%s", directory, name);
	return access(path, R_OK) == 0 || err_set_errno(err, errno, "%s", path);
}

/* All that was written to the descriptor. */
static char *read_back(int fd, struct err *err)
{
	struct stat info;

	if (fstat(fd, &info) != 0 || info.st_size > (off_t)READINGS_BYTES_MOST) {
		err_set(err, "the collector printed too much");
		return NULL;
	}
	char *text = mem_alloc((size_t)info.st_size + 1);
	for (size_t at = 0; at < (size_t)info.st_size;) {
		ssize_t bytes = pread(fd, text + at, (size_t)info.st_size - at, (off_t)at);

		if (bytes <= 0) {
			err_set_errno(err, bytes ? errno : EIO, "cannot read the readings");
			free(text);
			return NULL;
		}
		at += (size_t)bytes;
	}
	if (strlen(text) != (size_t)info.st_size) {
		err_set(err, "the collector printed a zero byte");
		free(text);
		return NULL;
	}
	return text;
}

/* One run of the collector: a program for the simulator, or an argument list for exec. */
struct task {
	struct program program;
	int output, errors;
};

static bool task_init(struct task *task, const struct part *part, const char *events,
		      struct err *err)
{
	size_t count = part->count + 3;

	*task = (struct task){.output = memfd_create("readings", MFD_CLOEXEC),
			      .errors = memfd_create("errors", MFD_CLOEXEC)};
	struct program *program = &task->program;
	program->name = mem_strdup("the collector");
	program->cwd = mem_strdup("/");
	program->env = mem_alloc_array(1, sizeof(char *));
	program->seed = 1;
	program->memory_bytes = GUEST_MEMORY;
	program->max_instructions = INT64_MAX;
	program->argv = mem_alloc_array(count + 1, sizeof(char *));
	program->argv[program->argc++] = mem_strdup("collect");
	program->argv[program->argc++] = mem_strdup("-e");
	program->argv[program->argc++] = mem_strdup(events);
	for (size_t i = 0; i < part->count; i++)
		program->argv[program->argc++] = mem_strdup(part->words[i]);
	return (task->output >= 0 && task->errors >= 0) ||
	       err_set_errno(err, errno, "no memory file for the readings");
}

static void task_release(struct task *task)
{
	if (task->output >= 0)
		close(task->output);
	if (task->errors >= 0)
		close(task->errors);
	program_release(&task->program);
}

/* Adds what the collector printed, or says why it failed. */
static bool take_output(struct task *task, FILE *out, struct err *err)
{
	char *text = read_back(task->output, err), *last;

	if (!text)
		return false;
	bool is_whole = (last = strstr(text, "\nend ")) && last[strlen(last) - 1] == '\n';
	if (is_whole) {
		fputs(text, out);
	} else {
		char *errors = read_back(task->errors, err);
		const char *sentence = errors ? errors : "";
		int length = (int)strcspn(sentence, "\n");

		if (length)
			err_set(err, "%.*s", length, sentence);
		else
			err_set(err, "the collector ended before its readings did");
		free(errors);
	}
	free(text);
	return is_whole;
}

struct batch {
	struct task *tasks;
	struct progress *progress;
	size_t count, before, all;
};

static bool note_done(void *context, size_t i, json_t *result, struct err *err)
{
	(void)context;
	(void)i;
	(void)result;
	(void)err;
	return true;
}

static void show_progress(void *context, size_t done)
{
	const struct batch *batch = context;

	progress_count(batch->progress, batch->before + done, batch->all, "kernels' runs done");
}

static bool run_simulated(const struct collect_request *request, struct batch *batch,
			  bool *interrupted, struct err *err)
{
	struct job *jobs = mem_alloc_array(batch->count, sizeof(*jobs));
	char path[2 * PATH_BYTES];
	bool ok = kernels_path("collect", path, err);

	for (size_t i = 0; ok && i < batch->count; i++) {
		ok = program_read(&batch->tasks[i].program, path, err);
		jobs[i] = (struct job){
			.program = &batch->tasks[i].program,
			.machine = request->machine,
			.max_instructions = INT64_MAX,
			.output = batch->tasks[i].output,
			.errors = batch->tasks[i].errors,
			.is_whole = true,
		};
	}
	const struct job_batch job_batch = {
		.jobs = jobs,
		.count = batch->count,
		.at_once = request->at_once,
		.done = note_done,
		.progress = show_progress,
		.context = batch,
	};
	ok = ok && jobs_run(&job_batch, interrupted, err);
	free(jobs);
	return ok;
}

/* Runs it as a process of its own and waits. */
static bool run_process(const struct task *task, const char *path, struct err *err)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return err_set_errno(err, errno, "cannot start the collector");
	if (child == 0) {
		if (dup2(task->output, STDOUT_FILENO) >= 0 &&
		    dup2(task->errors, STDERR_FILENO) >= 0)
			execv(path, task->program.argv);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_set_errno(err, errno, "cannot wait for the collector");
	return true;
}

static bool run_on_host(struct batch *batch, struct err *err)
{
	char path[2 * PATH_BYTES];

	if (!kernels_path("collect-host", path, err))
		return false;
	for (size_t i = 0; i < batch->count; i++) {
		if (!run_process(&batch->tasks[i], path, err))
			return false;
		show_progress(batch, i + 1);
	}
	return true;
}

/* Runs every part of the plan for every group of events. */
static bool run_plan(const struct collect_request *request, const struct plan *plan,
		     struct progress *progress, FILE *out, bool *interrupted, struct err *err)
{
	size_t at_once = request->machine ? request->events->count : HOST_AT_ONCE;
	size_t groups = (request->events->count + at_once - 1) / at_once;
	struct batch batch = {.progress = progress, .all = plan->count * groups};
	bool ok = true;

	batch.tasks = mem_alloc_array(batch.all, sizeof(*batch.tasks));
	for (size_t g = 0; ok && g < groups; g++) {
		size_t from = g * at_once, to = from + at_once;
		char *events =
			events_word(request->events, from,
				    to < request->events->count ? to : request->events->count);

		for (size_t i = 0; ok && i < plan->count; i++)
			ok = task_init(&batch.tasks[batch.count++], &plan->parts[i], events, err);
		free(events);
	}
	ok = ok && (request->machine ? run_simulated(request, &batch, interrupted, err)
				     : run_on_host(&batch, err));
	for (size_t i = 0; ok && !*interrupted && i < batch.count; i++)
		ok = take_output(&batch.tasks[i], out, err);
	for (size_t i = 0; i < batch.count; i++)
		task_release(&batch.tasks[i]);
	free(batch.tasks);
	return ok;
}

static bool collect_steps(const struct collect_request *request, struct progress *progress,
			  FILE *out, char **text, bool *interrupted, struct err *err)
{
	const struct reach reach = reach_of(request->machine);
	unsigned long long line = 0, page = 0;
	struct plan plan = {0};

	plan_lines(&plan);
	bool ok = run_plan(request, &plan, progress, out, interrupted, err) && !*interrupted &&
		  fflush(out) == 0 && classify_lines(*text, &line, &page, err);
	plan.count = 0;
	plan_kernels(&plan, &reach, line ? line : LINE_USUAL, page ? page : PAGE_USUAL,
		     request->is_brief);
	ok = ok && run_plan(request, &plan, progress, out, interrupted, err);
	free(plan.parts);
	return ok;
}

char *collect(const struct collect_request *request, bool *interrupted, struct err *err)
{
	struct progress progress;
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	*interrupted = false;
	progress_start(&progress, request->args, 0, false);
	bool ok = collect_steps(request, &progress, out, &text, interrupted, err);
	progress_end(&progress);
	fclose(out);
	if (ok && !*interrupted)
		return text;
	free(text);
	return NULL;
}

/* Asks for one event at a time: a group may fail because of its leader. */
static bool probe_event(const struct collect_events *events, size_t i, const char *path,
			bool *opens, struct err *err)
{
	struct part part = {.count = 1, .words = {"branch_g"}};
	char *word = events_word(events, i, i + 1);
	struct task task;
	char *text = NULL;

	if (task_init(&task, &part, word, err) && run_process(&task, path, err))
		text = read_back(task.output, err);
	*opens = text && strstr(text, "\nrun ");
	bool ok = text != NULL;
	free(text);
	free(word);
	task_release(&task);
	return ok;
}

bool collect_host_probe(const struct collect_events *events, struct collect_events *opened,
			struct err *err)
{
	char path[2 * PATH_BYTES];
	bool ok = kernels_path("collect-host", path, err);

	for (size_t i = 0; ok && i < events->count; i++) {
		const struct collect_event *event = &events->list[i];
		bool opens = false;

		ok = probe_event(events, i, path, &opens, err);
		if (opens)
			collect_add_event(opened, event->type, event->config, event->name);
	}
	return ok;
}
