#include "job/facts_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "job/insn_text.h"
#include "job/jail.h"
#include "job/origin.h"
#include "measure/facts.h"
#include "measure/pattern.h"
#include "value/layout.h"

/* ---- the answer ---- */

struct answer {
	const struct facts *facts;
	struct process *process;
	struct libraries libraries;
};

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)(value < INT64_MAX ? value : INT64_MAX));
}

static json_t *hexadecimal(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_string(text);
}

/* "sort.c:9"; without a line "main+0x14", or the address. */
static const char *name_place(void *context, uint64_t pc, char text[PATTERN_PLACE_BYTES])
{
	struct answer *a = context;
	struct origin origin = origin_of(&a->libraries, a->process, pc);

	if (origin.line) {
		const char *slash = strrchr(origin.file, '/');

		snprintf(text, PATTERN_PLACE_BYTES, "%s:%u", slash ? slash + 1 : origin.file,
			 (unsigned)origin.line);
	} else if (origin.symbol) {
		snprintf(text, PATTERN_PLACE_BYTES, "%s+0x%llx", origin.function,
			 (unsigned long long)(pc - origin.entry));
	} else {
		snprintf(text, PATTERN_PLACE_BYTES, "0x%llx", (unsigned long long)pc);
	}
	return text;
}

/* Adds where the instruction is: pc, text, function, file, line. */
static void add_place(struct answer *a, json_t *object, uint64_t pc)
{
	struct origin origin = origin_of(&a->libraries, a->process, pc);
	char text[INSN_TEXT_BYTES];

	insn_text_read(&a->process->memory, pc, text);
	json_object_set_new(object, "pc", hexadecimal(pc));
	json_object_set_new(object, "text", json_string(text));
	json_object_set_new(object, "function", origin_name(&origin));
	json_object_set_new(object, "file", json_string(origin.file));
	json_object_set_new(object, "line", json_integer(origin.line));
}

static json_t *feeders(struct answer *a, const struct frequent *frequent)
{
	struct frequent_item items[FREQUENT_ITEMS];
	unsigned count = frequent_sorted(frequent, items);
	json_t *list = json_array();

	for (unsigned i = 0; i < count; i++) {
		json_t *one = json_object();

		add_place(a, one, items[i].key);
		json_object_set_new(one, "times", number(items[i].count));
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *memory_object(struct answer *a, const struct fact_memory *m)
{
	struct frequent_item items[FREQUENT_ITEMS];
	json_t *strides = json_array(), *caches = json_array();
	unsigned count = frequent_sorted(&m->strides, items);

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(strides,
				      json_pack("{s:I, s:o}", "bytes", (json_int_t)items[i].key,
						"times", number(items[i].count)));
	for (unsigned level = 0; level < facts_config(a->facts)->cache_levels; level++) {
		const struct fact_conflicts *c = &m->conflicts[level];
		json_t *sets = json_array();

		count = frequent_sorted(&c->sets, items);
		for (unsigned i = 0; i < count; i++)
			json_array_append_new(sets,
					      json_pack("{s:o, s:o}", "set", number(items[i].key),
							"times", number(items[i].count)));
		json_array_append_new(
			caches,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "hits", number(m->found[level]),
				  "conflicts", number(c->misses), "conflict_lines",
				  number(distinct_count(&c->lines)), "conflict_sets",
				  number(distinct_count(&c->set_count)), "sets", sets));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, "
			 "s:o}",
			 "accesses", number(m->accesses), "caches", caches, "from_memory",
			 number(m->found[LEVEL_MEMORY]), "first", number(m->first), "tlb_misses",
			 number(m->tlb_misses), "walks", number(m->tlb_walks), "lines",
			 number(distinct_count(&m->lines)), "pages",
			 number(distinct_count(&m->pages)), "exact",
			 distinct_is_exact(&m->lines) && distinct_is_exact(&m->pages), "strides",
			 strides, "line_splits", number(m->line_splits), "page_splits",
			 number(m->page_splits), "forwarded", number(m->forwarded), "partial",
			 number(m->partial), "stores", feeders(a, &m->stores));
}

static json_t *branch_object(const struct fact_branch *b)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "outcomes",
			 number(b->outcomes), "taken", number(b->taken), "changes",
			 number(b->changes), "longest_run", number(b->longest_run), "mispredicted",
			 number(b->wrong), "misfetched", number(b->misfetched), "wrong_by_own",
			 number(b->wrong_own), "wrong_by_all", number(b->wrong_all));
}

static json_t *jump_object(struct answer *a, const struct fact_jump *j)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "jumps", number(j->jumps),
			 "changes", number(j->changes), "mispredicted", number(j->wrong),
			 "overflows", number(j->overflows), "targets",
			 number(distinct_count(&j->targets)), "exact",
			 distinct_is_exact(&j->targets), "often", feeders(a, &j->often));
}

static void add_fact(struct answer *a, json_t *object, const struct fact *fact)
{
	unsigned links;

	json_object_set_new(object, "executed", number(fact->executed));
	json_object_set_new(object, "changed", json_boolean(fact->changed));
	json_object_set_new(object, "loads", feeders(a, &fact->loads));
	json_object_set_new(object, "fed", number(fact->fed));
	json_object_set_new(object, "fed_anew", number(fact->fed_anew));
	json_object_set_new(object, "feeds_itself",
			    json_boolean(facts_feeds_itself(a->facts, fact, &links)));
	json_object_set_new(object, "operations", feeders(a, &fact->operations));
	json_object_set_new(object, "serial",
			    json_boolean(facts_is_serial(a->facts, fact, &links)));
	json_object_set_new(object, "chain_cycles", number(fact->chain_cycles));
	json_object_set_new(object, "chain_links", number(fact->chain_links));
	json_object_set_new(object, "near_sum", number(fact->near_sum));
	json_object_set_new(object, "near_most", number(fact->near_most));
	json_object_set_new(object, "fetch_misses", number(fact->fetch_misses));
	json_object_set_new(object, "fetch_conflicts", number(fact->fetch_conflicts));
	json_object_set_new(object, "fetch_tlb_misses", number(fact->fetch_tlb_misses));
	if (fact->memory)
		json_object_set_new(object, "memory", memory_object(a, fact->memory));
	if (fact->branch)
		json_object_set_new(object, "branch", branch_object(fact->branch));
	if (fact->jump)
		json_object_set_new(object, "jump", jump_object(a, fact->jump));
}

static json_t *pattern_object(struct answer *a, const struct facts_charge *charge)
{
	const struct pattern_namer namer = {name_place, a};
	struct pattern_finding finding;

	pattern_find(a->facts, charge->pc, charge->slots, &namer, &finding);
	const struct pattern_row *row = &pattern_rows[finding.pattern];
	json_t *about = json_object();
	add_place(a, about, finding.about);
	return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", row->name, "meaning", row->meaning,
			 "evidence", finding.evidence, "helps", row->helps, "about", about);
}

static json_t *place_object(struct answer *a, uint64_t pc, const struct facts_charge *charge)
{
	const struct fact *fact = facts_find(a->facts, pc);
	json_t *object = json_object();

	add_place(a, object, pc);
	if (fact && fact->executed)
		add_fact(a, object, fact);
	if (charge)
		json_object_set_new(object, "pattern", pattern_object(a, charge));
	return object;
}

static int by_executions(const void *left, const void *right)
{
	const struct fact *a = *(const struct fact *const *)left;
	const struct fact *b = *(const struct fact *const *)right;

	if (a->executed != b->executed)
		return a->executed > b->executed ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static json_t *most_executed(struct answer *a)
{
	size_t count = facts_count(a->facts);
	const struct fact **sorted = mem_alloc_array(count + 1, sizeof(struct fact *));
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		sorted[i] = facts_at(a->facts, i);
	if (count)
		qsort(sorted, count, sizeof(struct fact *), by_executions);
	for (size_t i = 0; i < count && i < FACTS_CHARGES_MOST; i++)
		json_array_append_new(list, place_object(a, sorted[i]->pc, NULL));
	free(sorted);
	return list;
}

static json_t *answer_object(struct answer *a, const struct facts_request *request)
{
	const struct fact_code *c = facts_code(a->facts);
	json_t *places = request->charge_count ? json_array() : most_executed(a);

	for (size_t i = 0; i < request->charge_count; i++)
		json_array_append_new(
			places, place_object(a, request->charges[i].pc, &request->charges[i]));
	return json_pack("{s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}, s:o}",
			 "instructions", number(facts_steps(a->facts)), "left_out",
			 number(facts_left_out(a->facts)), "code", "bytes", number(c->bytes),
			 "lines", number(c->lines), "pages", number(c->pages), "busiest_lines",
			 number(c->busiest_lines), "busiest_pages", number(c->busiest_pages),
			 "fetches", number(c->fetches), "misses", number(c->misses), "conflicts",
			 number(c->conflicts), "places", places);
}

/* ---- running ---- */

static bool should_stop(void *context, uint64_t instructions)
{
	const struct job_watch *watch = context;

	if (watch->progress)
		watch->progress(watch->context, instructions);
	return watch->should_stop && watch->should_stop(watch->context);
}

static uint64_t end_of(const struct facts_request *request)
{
	return request->max_instructions < INT64_MAX - request->skip
		       ? request->skip + request->max_instructions
		       : INT64_MAX;
}

json_t *facts_describe_process(const struct facts_request *request, struct process *process,
			       const struct job_watch *watch, struct err *err)
{
	uint64_t *pcs = mem_alloc_array(request->charge_count + 1, sizeof(*pcs));
	struct job_watch copy = *watch;

	for (size_t i = 0; i < request->charge_count; i++)
		pcs[i] = request->charges[i].pc;
	struct facts *facts = facts_create(request->config, pcs, request->charge_count, err);
	free(pcs);
	if (!facts)
		return NULL;
	if (request->skip)
		process_run(process, request->skip);
	facts_run(facts, process, end_of(request), should_stop, &copy);
	json_t *result = NULL;
	if (process->state == PROCESS_FAILED) {
		*err = process->error;
	} else if (watch->should_stop && watch->should_stop(watch->context)) {
		err_stopped(err, "interrupted");
	} else {
		struct answer answer = {.facts = facts, .process = process};

		result = answer_object(&answer, request);
		libraries_release(&answer.libraries);
	}
	facts_destroy(facts);
	return result;
}

struct facts_work {
	const struct facts_request *request;
	const struct job_listener *listener;
};

static bool worker_stops(void *context)
{
	return worker_should_stop(context);
}

static void send_progress(void *context, uint64_t instructions)
{
	worker_note_progress(context, instructions);
}

void facts_work(const struct facts_request *request, struct worker *worker)
{
	struct process_options options = program_process_options(request->program);
	const struct job_watch watch = {
		.should_stop = worker_stops, .progress = send_progress, .context = worker};
	struct err err;

	jail_close_descriptors(request->program->mounts, program_directories(request->program),
			       worker->to_parent);
	options.silent = true;
	options.note_reading = worker_note_reading;
	options.reading_context = worker;
	struct process *process = process_create(&options, &err);
	json_t *result = process ? facts_describe_process(request, process, &watch, &err) : NULL;
	if (result) {
		char *text = json_dumps(result, JSON_COMPACT);

		worker_send_result(worker, text, strlen(text));
		free(text);
		json_decref(result);
	} else if (err.kind != ERR_STOPPED) {
		worker_send_error(worker, &err);
	}
	process_destroy(process);
}

static void facts_body(struct worker *worker, void *context)
{
	facts_work(((const struct facts_work *)context)->request, worker);
}

void facts_fill_task(const struct facts_request *request, struct worker_task *task)
{
	*task = (struct worker_task){
		.mounts = request->program->mounts,
		.mount_count = program_directories(request->program),
		.timeout_seconds = request->program->timeout_seconds,
	};
}

json_t *facts_read(const struct facts_request *request, const char *bytes, size_t count,
		   struct err *err)
{
	json_t *answer = json_loadb(bytes, strnlen(bytes, count), JSON_REJECT_DUPLICATES, NULL);

	if (!answer)
		err_set(err, "it is not JSON");
	else if (!layout_check(answer, layout_facts, err))
		;
	else if (!request->charge_count ||
		 json_array_size(json_object_get(answer, "places")) == request->charge_count)
		return answer;
	else
		err_set(err, "it has not the places that were asked for");
	json_decref(answer);
	return NULL;
}

static void facts_progress(void *context, uint64_t instructions)
{
	const struct job_listener *listener = ((const struct facts_work *)context)->listener;

	if (listener->progress)
		listener->progress(listener->context, instructions);
}

bool facts_start(const struct facts_request *request, const struct job_listener *listener,
		 json_t **result, struct worker_report *report, struct err *err)
{
	struct facts_work work = {request, listener};
	struct worker_task task;

	*result = NULL;
	*report = (struct worker_report){0};
	if (request->charge_count > FACTS_CHARGES_MOST)
		return err_tool(err, "internal error: facts of too many instructions");
	if (!job_may_start(request->program, err))
		return false;
	facts_fill_task(request, &task);
	task.body = facts_body;
	task.progress = facts_progress;
	task.context = &work;
	bool ok = worker_run(&task, report, err);
	if (ok && report->result) {
		*result = facts_read(request, report->result, report->result_bytes, err);
		ok = *result;
		if (!ok) {
			err_as_tool(err);
			err_prefix(err, "internal error: the worker's facts");
		}
	}
	free(report->result);
	report->result = NULL;
	return ok;
}
