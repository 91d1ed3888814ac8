#include "experiment/readings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define WORD_BYTES	    1024
#define LINE_USUAL	    64
#define PAGE_USUAL	    4096
#define HOST_BYTES	    (UINT64_C(64) << 20)
#define HOST_PAGES	    8192
#define HOST_AT_ONCE	    4 /* events, on the host */
#define CODE_BYTES_MOST	    (UINT64_C(4) << 20)
#define CODE_JUMPS_MOST	    UINT64_C(65536)
#define HOST_CODE_BYTES	    (UINT64_C(1) << 20)
#define CODE_LINE_BYTES	    (UINT64_C(1) << 17)
#define CODE_PAGES_MOST	    4096
#define CODE_SPARSE_JUMPS   UINT64_C(16384)
#define CODE_SPARSE_MOST    (UINT64_C(256) << 20)
#define HALVES_LEAST	    8 /* blocks that stay in the smallest cache */
#define HALVES_MOST	    4096
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

struct parts {
	struct part *list;
	size_t count, room;
};

static struct part *add_part(struct parts *parts)
{
	struct part *part = ARRAY_PUSH(parts->list, parts->count, parts->room);

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

/* How far the sweeps go: four times what the largest cache and TLB have; with instructions in each
 * line, four times what the second level has, and in some of them, what the third has. */
struct reach {
	uint64_t bytes, pages, code_bytes, code_sparse, code_pages;
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
		return (struct reach){HOST_BYTES, HOST_PAGES, HOST_CODE_BYTES, HOST_BYTES, 1024};
	const struct config *c = &machine->config;
	uint64_t last = c->cache_levels >= 3   ? c->l3_size
			: c->cache_levels == 2 ? c->l2_size
					       : c->l1d_size;
	uint64_t code = largest(c->l1i_size, c->cache_levels >= 2 ? c->l2_size : 0);
	return (struct reach){
		4 * power_from(largest(last, 16384)),
		4 * power_from(largest(c->dtlb_entries, c->tlb2_entries)),
		smallest(4 * power_from(code), CODE_BYTES_MOST),
		c->cache_levels >= 3 ? smallest(4 * power_from(c->l3_size), CODE_SPARSE_MOST) : 0,
		smallest(4 * power_from(largest(c->itlb_entries, c->tlb2_entries)),
			 CODE_PAGES_MOST),
	};
}

static void plan_lines(struct parts *parts)
{
	add_sweep(add_part(parts), "pair", 0, 8, 65536, false);
}

static void plan_plots(struct parts *parts, uint64_t line, uint64_t most)
{
	struct part *part = add_part(parts);
	uint64_t shown = most > UINT64_C(4) << 20 ? UINT64_C(4) << 20 : most;

	/* Figure 10, and 14 to 17. */
	add_word(part, "branch_k:0:2,3,4,6,8,12,16,24,32");
	add_sweep(part, "read", 2 * line, 4096, shown, false);
	add_sweep(part, "read", 4 * line, 4096, shown, false);
	part = add_part(parts);
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

/* Blocks of what a miss brings in, and of half of it: is each half a line? As many as stay in a
 * cache, up to twice what the largest one has. */
static void plan_halves(struct parts *parts, uint64_t block, uint64_t most_bytes)
{
	uint64_t most = smallest(most_bytes / 2 / block, HALVES_MOST);

	for (uint64_t unit = block; most >= HALVES_LEAST && unit >= 32 && unit >= block / 2;
	     unit /= 2) {
		struct part *part = add_part(parts);

		add_sweep(part, "half", unit, HALVES_LEAST, most, false);
		add_sweep(part, "whole", unit, HALVES_LEAST, most, false);
	}
}

/* Jumps in each line, and beyond that in few enough of them to be prepared in a short time. Of a
 * cache as many bytes are exceeded either way, because the sets in between are not used. */
static void plan_code(struct part *part, const struct reach *reach, uint64_t line)
{
	uint64_t dense = smallest(reach->code_bytes, CODE_JUMPS_MOST * line);
	uint64_t unit = largest(2 * line, reach->code_sparse / CODE_SPARSE_JUMPS);

	add_sweep(part, "code", line, 8 * line, dense, true);
	add_sweep(part, "code", unit, 2 * dense, reach->code_sparse, true);
}

/* One page less than powers of two and what is half-way between them: the loop that starts each
 * round is in one too. */
static void plan_code_pages(struct part *part, uint64_t most, uint64_t page)
{
	char word[WORD_BYTES];
	int at = snprintf(word, sizeof(word), "codepage:%llu", (unsigned long long)page);

	for (uint64_t pages = 4; pages <= most; pages *= 2) {
		at += snprintf(word + at, sizeof(word) - (size_t)at, "%c%llu",
			       pages == 4 ? ':' : ',', (unsigned long long)((pages - 1) * page));
		if (pages / 2 * 3 <= most)
			at += snprintf(word + at, sizeof(word) - (size_t)at, ",%llu",
				       (unsigned long long)((pages / 2 * 3 - 1) * page));
	}
	BUG_ON((size_t)at >= sizeof(word));
	add_word(part, word);
}

static void plan_kernels(struct parts *parts, const struct reach *reach, uint64_t line,
			 uint64_t page, bool is_brief)
{
	static const char *const words[] = {BRANCH_WORDS, COMPUTE_WORDS};
	struct part *part = add_part(parts);

	/* The longest first, so that the workers end together. */
	add_sweep(part, "read", line, 4 * line, reach->bytes, true);
	part = add_part(parts);
	add_sweep(part, "write", line, 4 * line, reach->bytes, false);
	add_sweep(part, "apart", line, reach->bytes, reach->bytes, false);
	part = add_part(parts);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		add_word(part, words[i]);
	part = add_part(parts);
	add_sweep(part, "page", page, 4 * page, reach->pages * page, true);
	add_sweep(part, "write", page, 4 * page, reach->pages * page, false);
	add_sweep(part, "apart", page, reach->pages * page, reach->pages * page, false);
	part = add_part(parts);
	plan_code(part, reach, line);
	add_sweep(part, "codeline", 8, CODE_LINE_BYTES, CODE_LINE_BYTES, false);
	plan_code_pages(part, reach->code_pages, page);
	add_sweep(part, "codefar", CODE_FAR_UNIT, CODE_FAR_BYTES, CODE_FAR_BYTES, false);
	plan_halves(parts, line, reach->bytes);
	part = add_part(parts);
	add_sweep(part, "stream", line, reach->bytes, reach->bytes, false);
	if (!is_brief)
		plan_plots(parts, line, reach->bytes);
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
	FILE *out = mem_stream_open(&word, &bytes);

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
	mem_stream_close(out);
	return word;
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
static bool take_output(const struct task *task, FILE *out, struct err *err)
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

struct collection {
	struct task *tasks; /* one for each point */
	size_t count;
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	(void)plan;
	(void)i;
	(void)result;
	(void)err;
	return true; /* what is wanted is what the program printed */
}

static void release(struct plan *plan)
{
	struct collection *collection = plan->own;

	for (size_t i = 0; i < collection->count; i++)
		task_release(&collection->tasks[i]);
	free(collection->tasks);
}

static struct plan *create_plan(size_t points)
{
	static const struct plan functions = {.take = take, .release = release};
	struct plan *plan = plan_create(sizeof(struct collection), &functions);
	struct collection *collection = plan->own;

	collection->tasks = mem_alloc_array(points, sizeof(*collection->tasks));
	return plan;
}

/* A run of some kernels that counts the events from..to-1. */
static bool add_point(struct plan *plan, const struct collect_request *request,
		      const struct part *part, size_t from, size_t to, struct err *err)
{
	struct collection *collection = plan->own;
	struct task *task = &collection->tasks[collection->count++];
	char *events = events_word(request->events, from, to);
	bool ok = task_init(task, part, events, err) &&
		  (!request->machine || program_read(&task->program, request->path, err));

	free(events);
	if (ok) {
		struct point point = point_of(&task->program, request->machine);

		point.output = task->output;
		point.errors = task->errors;
		plan_add(plan, &point);
	}
	return ok;
}

/* Every part for every group of events. */
static struct plan *plan_parts(const struct collect_request *request, struct parts *parts,
			       struct err *err)
{
	const size_t all = request->events->count, most = request->machine ? all : HOST_AT_ONCE;
	const size_t groups = all ? (all + most - 1) / most : 0;
	struct plan *plan = create_plan(parts->count * groups);
	bool ok = true;

	for (size_t from = 0; from < all; from += most)
		for (size_t i = 0; ok && i < parts->count; i++)
			ok = add_point(plan, request, &parts->list[i], from,
				       smallest(from + most, all), err);
	free(parts->list);
	if (ok)
		return plan;
	plan_destroy(plan);
	return NULL;
}

struct plan *collect_plan_lines(const struct collect_request *request, struct err *err)
{
	struct parts parts = {0};

	plan_lines(&parts);
	return plan_parts(request, &parts, err);
}

struct plan *collect_plan_kernels(const struct collect_request *request, uint64_t line,
				  uint64_t page, struct err *err)
{
	const struct reach reach = reach_of(request->machine);
	struct parts parts = {0};

	plan_kernels(&parts, &reach, line ? line : LINE_USUAL, page ? page : PAGE_USUAL,
		     request->is_brief);
	return plan_parts(request, &parts, err);
}

struct plan *collect_plan_probe(const struct collect_request *request, struct err *err)
{
	const struct part part = {.count = 1, .words = {"branch_g"}};
	struct plan *plan = create_plan(request->events->count);
	bool ok = true;

	for (size_t i = 0; ok && i < request->events->count; i++)
		ok = add_point(plan, request, &part, i, i + 1, err);
	if (ok)
		return plan;
	plan_destroy(plan);
	return NULL;
}

bool collect_read(const struct plan *plan, FILE *out, struct err *err)
{
	const struct collection *collection = plan->own;
	bool ok = true;

	for (size_t i = 0; ok && i < collection->count; i++)
		ok = take_output(&collection->tasks[i], out, err);
	return ok;
}

bool collect_has_opened(const struct plan *plan, size_t i, bool *opens, struct err *err)
{
	char *text = read_back(plan->points[i].output, err);
	bool ok = text;

	*opens = text && strstr(text, "\nrun ");
	free(text);
	return ok;
}
