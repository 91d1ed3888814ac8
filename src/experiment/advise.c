#include "experiment/advise.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "count/count.h"
#include "experiment/advise_sites.h"
#include "experiment/advise_steps.h"
#include "job/parts.h"
#include "machine/live.h"
#include "machine/storage.h"
#include "value/layout.h"
#include "value/member.h"
#include "value/printable_json.h"

struct base {
	const struct advise_request *request;
	struct part_places places;
	json_t *result;
};

static bool take_base(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct base *base = plan->own;

	(void)i;
	(void)err;
	base->result = json_incref(result);
	return true;
}

static json_t *conclude_base(struct plan *plan, bool interrupted, struct err *err)
{
	const struct base *base = plan->own;

	if (!base->result && interrupted)
		err_stopped(err, "interrupted before the program had been simulated once");
	return json_incref(base->result);
}

static void release_base(struct plan *plan)
{
	struct base *base = plan->own;

	json_decref(base->result);
}

struct plan *advise_base_plan(const struct advise_request *request)
{
	static const struct observer_kind *const observers[] = {&count_exact, NULL};
	static const struct gain_options usual = {.budget = GAIN_BUDGET};
	static const struct plan functions = {
		.take = take_base, .conclude = conclude_base, .release = release_base};
	struct plan *plan = plan_create(sizeof(struct base), &functions);
	struct base *base = plan->own;
	struct point point = point_of(request->program, request->machine);

	base->request = request;
	point.observers = observers;
	point.gain = &usual;
	point.gain_copies = request->copies;
	point.places = part_places_init(&base->places);
	base->places.hot = ADVISE_HOT;
	plan_add(plan, &point);
	return plan;
}

/* One machine to be simulated, and what came of it. */
struct trial {
	struct job_machine machine;
	const char **changes; /* of the machine, those of the user first */
	char *together;	      /* those beyond the user's, as --what-if takes them */
	bool is_live;	      /* in windows */
	size_t answer;	      /* its place among those in windows */
	bool is_done;
	uint64_t windows;
	double gain, error; /* in cycles */
};

struct advise {
	const struct advise_request *request;
	const json_t *base;
	struct stacks stacks;
	struct advise_sites sites;
	struct advise_steps steps;
	struct trial *trials; /* of sites, then of steps; one without changes is not run */
	size_t trial_count;
	size_t *trial_of; /* by point, or one of these */
	struct part_what_if windows;
	struct config *window_machines;
	const char **window_changes;
	size_t window_count;
	/* What is asked about instructions, for each place those of `charge_of`. */
	struct facts_request facts;
	struct facts_charge *charges;
	size_t *site_of; /* by charge */
	size_t charge_count;
	json_t *known; /* the answer; NULL until it is there */
	int nowhere;   /* where the program's errors go, of which the base run has had one copy */
};

#define POINT_WINDOWS SIZE_MAX
#define POINT_FACTS   (SIZE_MAX - 1)

static char *join(char *const *changes, size_t count)
{
	char *text;
	size_t bytes;
	FILE *out = mem_stream_open(&text, &bytes);

	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", changes[i]);
	mem_stream_close(out);
	return text;
}

static void make_trial(const struct advise *advise, struct trial *trial,
		       const struct config *config, char *const *changes, size_t count)
{
	const struct job_machine *run = advise->request->machine;
	struct err err;

	trial->machine = *run;
	if (!count)
		return;
	trial->machine.config = *config;
	trial->changes = mem_alloc_array(run->change_count + count, sizeof(*trial->changes));
	for (size_t i = 0; i < run->change_count; i++)
		trial->changes[i] = run->changes[i];
	for (size_t i = 0; i < count; i++)
		trial->changes[run->change_count + i] = changes[i];
	trial->machine.changes = trial->changes;
	trial->machine.change_count = run->change_count + count;
	trial->together = join(changes, count);
	trial->is_live = (uint64_t)advise->stacks.instructions > advise->request->whole_most &&
			 live_check(&run->config, config, &err);
}

static void make_trials(struct advise *advise)
{
	const struct advise_sites *sites = &advise->sites;
	const struct advise_steps *steps = &advise->steps;

	advise->trial_count = sites->count + steps->count;
	advise->trials = mem_alloc_array(advise->trial_count, sizeof(*advise->trials));
	for (size_t i = 0; i < sites->count; i++)
		make_trial(advise, &advise->trials[i], &sites->list[i].config,
			   sites->list[i].changes, sites->list[i].change_count);
	for (size_t i = 0; i < steps->count; i++)
		make_trial(advise, &advise->trials[sites->count + i], &steps->list[i].config,
			   steps->list[i].changes, steps->list[i].change_count);
}

/* All that are answered by windows are one point. */
static void add_windows(struct plan *plan, struct advise *advise)
{
	struct point point = point_of(advise->request->program, advise->request->machine);

	advise->window_machines =
		mem_alloc_array(advise->trial_count, sizeof(*advise->window_machines));
	advise->window_changes =
		mem_alloc_array(advise->trial_count, sizeof(*advise->window_changes));
	for (size_t i = 0; i < advise->trial_count; i++) {
		struct trial *trial = &advise->trials[i];

		if (!trial->is_live)
			continue;
		trial->answer = advise->window_count;
		advise->window_machines[advise->window_count] = trial->machine.config;
		advise->window_changes[advise->window_count++] = trial->together;
	}
	if (!advise->window_count)
		return;
	point.part =
		part_what_if_init(&advise->windows, advise->window_machines, advise->window_changes,
				  advise->window_count, advise->request->copies);
	point.dropped_errors = advise->nowhere;
	advise->trial_of[plan->count] = POINT_WINDOWS;
	plan_add(plan, &point);
}

/* The slots of its kind that an instruction of a place lost. */
static void add_charge(struct advise *advise, size_t i, const json_t *insn)
{
	const struct stacks_slots slots = stacks_read_slots(insn, "slots");
	const uint64_t causes = advise_kind_causes(advise->sites.list[i].kind);
	struct facts_charge *charge = &advise->charges[advise->charge_count];

	*charge = (struct facts_charge){
		.pc = strtoull(json_string_value(json_object_get(insn, "pc")), NULL, 16)};
	for (int cause = 0; cause < CAUSE_COUNT; cause++)
		if (causes >> cause & 1)
			charge->slots[cause] = (uint64_t)slots.causes[cause];
	advise->site_of[advise->charge_count++] = i;
}

static void add_facts(struct plan *plan, struct advise *advise)
{
	const struct program *program = advise->request->program;
	const size_t most = advise->sites.count * ADVISE_ASKED;

	advise->charges = mem_alloc_array(most, sizeof(*advise->charges));
	advise->site_of = mem_alloc_array(most, sizeof(*advise->site_of));
	for (size_t i = 0; i < advise->sites.count; i++) {
		const struct advise_site *site = &advise->sites.list[i];

		for (size_t k = 0; k < site->instruction_count && k < ADVISE_ASKED; k++)
			add_charge(advise, i, site->instructions[k]);
	}
	if (!advise->charge_count)
		return;
	advise->facts = (struct facts_request){
		.program = program,
		.config = &advise->request->machine->config,
		.charges = advise->charges,
		.charge_count = advise->charge_count,
		.max_instructions = program->max_instructions,
	};
	struct point point = {.kind = &point_facts,
			      .program = program,
			      .machine = advise->request->machine,
			      .max_instructions = program->max_instructions,
			      .dropped_errors = advise->nowhere,
			      .facts = &advise->facts};
	advise->trial_of[plan->count] = POINT_FACTS;
	plan_add(plan, &point);
}

/* An earlier trial of the same machine: what the whole program would gain without a loss is a bound
 * of the machine, too. NULL: there is none. */
static const struct trial *same_before(const struct advise *advise, const struct trial *trial)
{
	for (const struct trial *t = advise->trials; t < trial; t++)
		if (t->changes && strcmp(t->together, trial->together) == 0)
			return t;
	return NULL;
}

static void add_points(struct plan *plan, struct advise *advise)
{
	advise->trial_of = mem_alloc_array(advise->trial_count + 2, sizeof(*advise->trial_of));
	add_facts(plan, advise);
	add_windows(plan, advise);
	for (size_t i = 0; i < advise->trial_count; i++) {
		const struct trial *trial = &advise->trials[i];

		if (!trial->changes || trial->is_live || same_before(advise, trial))
			continue;
		advise->trial_of[plan->count] = i;
		struct point point = point_of(advise->request->program, &trial->machine);
		point.dropped_errors = advise->nowhere;
		plan_add(plan, &point);
	}
}

static bool take_windows(struct advise *advise, const json_t *result, struct err *err)
{
	const json_t *answers = json_object_get(result, "what_if");

	if (json_array_size(answers) != advise->window_count)
		return err_set(err, "the run with windows answers %zu of %zu questions",
			       json_array_size(answers), advise->window_count);
	for (size_t i = 0; i < advise->trial_count; i++) {
		struct trial *trial = &advise->trials[i];
		const json_t *answer = json_array_get(answers, trial->answer);

		if (!trial->is_live)
			continue;
		trial->windows = (uint64_t)member_whole(answer, "windows");
		trial->is_done = trial->windows > 0;
		trial->gain = member_number(answer, "gain") * (double)advise->stacks.cycles;
		trial->error = member_number(answer, "error") * (double)advise->stacks.cycles;
	}
	return true;
}

/* What a machine changes are cycles; a program that executes other instructions there is not the
 * same any more. */
static bool take_whole(struct advise *advise, const struct trial *trial, const json_t *result,
		       struct err *err)
{
	const json_t *values = json_object_get(result, "values");

	if (member_whole(values, "instructions") != advise->stacks.instructions)
		return err_set(err,
			       "with %s the program executes %lld instructions instead of %lld: "
			       "what it does depends on the machine, so no gain can be told",
			       trial->together, (long long)member_whole(values, "instructions"),
			       (long long)advise->stacks.instructions);
	for (size_t i = 0; i < advise->trial_count; i++) {
		struct trial *same = &advise->trials[i];

		if (!same->changes || strcmp(same->together, trial->together) != 0)
			continue;
		same->gain = (double)(advise->stacks.cycles - member_whole(values, "cycles"));
		same->is_done = true;
	}
	return true;
}

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct advise *advise = plan->own;
	const size_t trial = advise->trial_of[i];

	if (trial == POINT_FACTS) {
		advise->known = json_incref(result);
		return true;
	}
	return trial == POINT_WINDOWS ? take_windows(advise, result, err)
				      : take_whole(advise, &advise->trials[trial], result, err);
}

static json_t *changes_json(char *const *changes, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(changes[i]));
	return list;
}

static json_t *causes_json(const struct stacks_slots *slots)
{
	json_t *object = json_object();

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (slots->causes[i])
			json_object_set_new(object, cause_rows[i].name,
					    json_integer(slots->causes[i]));
	return object;
}

/* How a row was measured, and what came of it. */
static void add_gain(json_t *row, const struct trial *trial)
{
	const char *measured = !trial->is_done ? "nothing" : trial->is_live ? "windows" : "whole";

	json_object_set_new(row, "measured", json_string(measured));
	json_object_set_new(row, "gain", trial->is_done ? json_real(trial->gain) : json_null());
	json_object_set_new(row, "error", trial->is_done ? json_real(trial->error) : json_null());
	if (trial->is_live)
		json_object_set_new(row, "windows", json_integer((json_int_t)trial->windows));
}

static json_t *instructions_json(const struct advise_site *site)
{
	static const char *const members[] = {"function", "pc",	      "text", "file",
					      "line",	  "executed", "slots"};
	json_t *list = json_array();

	for (size_t i = 0; i < site->instruction_count; i++) {
		json_t *one = json_object();

		for (size_t k = 0; k < ARRAY_COUNT(members); k++)
			json_object_set(one, members[k],
					json_object_get(site->instructions[i], members[k]));
		json_array_append_new(list, one);
	}
	return list;
}

/* A text of the answer, which nobody has checked. */
static json_t *text_json(const json_t *object, const char *name)
{
	return json_string(member_text(object, name));
}

static json_t *about_json(const json_t *about)
{
	const int64_t line = member_whole(about, "line");

	return json_pack("{s:o, s:o, s:o, s:o, s:I}", "function", text_json(about, "function"),
			 "pc", text_json(about, "pc"), "text", text_json(about, "text"), "file",
			 text_json(about, "file"), "line", (json_int_t)(line > 0 ? line : 0));
}

/* That of the first of its instructions which has one that is known by name; NULL if nothing is
 * known of any. */
static json_t *pattern_json(const struct advise *advise, const struct advise_site *site)
{
	const json_t *places = json_object_get(advise->known, "places"), *found = NULL, *of = NULL;

	for (size_t i = 0; i < advise->charge_count; i++) {
		const json_t *place = json_array_get(places, i);
		const json_t *pattern = json_object_get(place, "pattern");
		const bool is_named = strcmp(member_text(pattern, "name"), "none") != 0;

		if (&advise->sites.list[advise->site_of[i]] != site || !pattern ||
		    (found && !is_named))
			continue;
		found = pattern;
		of = place;
		if (is_named)
			break;
	}
	if (!found)
		return NULL;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", text_json(found, "name"),
			 "meaning", text_json(found, "meaning"), "evidence",
			 text_json(found, "evidence"), "helps", text_json(found, "helps"), "pc",
			 text_json(of, "pc"), "about", about_json(json_object_get(found, "about")));
}

static json_t *site_json(const struct advise *advise, const struct advise_site *site,
			 const struct trial *trial)
{
	json_t *row =
		json_pack("{s:s, s:s, s:s, s:s, s:I, s:o, s:f, s:o, s:o}", "kind",
			  advise_kind_names[site->kind], "scope", advise_scope_names[site->scope],
			  "function", site->function, "file", site->file, "line",
			  (json_int_t)site->line, "slots", causes_json(&site->slots), "lost",
			  stacks_cycles(&advise->stacks, site->slots.total), "instructions",
			  instructions_json(site), "changes",
			  changes_json(site->changes, site->change_count));

	BUG_ON(!row);
	add_gain(row, trial);
	json_t *pattern = pattern_json(advise, site);
	if (pattern)
		json_object_set_new(row, "pattern", pattern);
	return row;
}

static json_t *step_json(const struct advise_step *step, const struct trial *trial)
{
	json_t *causes = json_array();

	for (int i = 0; i < CAUSE_COUNT; i++)
		if (step->causes >> i & 1)
			json_array_append_new(causes, json_string(cause_rows[i].name));
	json_t *row = json_pack("{s:s, s:b, s:o, s:o, s:o}", "what", step->what, "bound",
				step->is_bound, "causes", causes, "changes",
				changes_json(step->changes, step->change_count), "bits",
				step->is_bound ? json_null() : json_integer(step->bits));

	BUG_ON(!row);
	add_gain(row, trial);
	return row;
}

struct ranked {
	json_t *row;
	bool is_known;
	double gain;
	size_t index;
};

static int by_gain(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->is_known != b->is_known)
		return a->is_known ? -1 : 1;
	if (a->gain != b->gain)
		return a->gain > b->gain ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Sorts the rows, which it takes over, those of unknown gain last. */
static json_t *ranked_json(struct ranked *rows, size_t count)
{
	json_t *list = json_array();

	if (count)
		qsort(rows, count, sizeof(*rows), by_gain);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, rows[i].row);
	free(rows);
	return list;
}

/* A row whose machine was to be simulated and was not is left out. */
static json_t *software_json(const struct advise *advise)
{
	struct ranked *rows = mem_alloc_array(advise->sites.count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < advise->sites.count; i++) {
		const struct trial *trial = &advise->trials[i];

		if (trial->changes && !trial->is_done)
			continue;
		rows[count++] =
			(struct ranked){site_json(advise, &advise->sites.list[i], trial),
					trial->is_done, trial->is_done ? trial->gain : 0, i};
	}
	return ranked_json(rows, count);
}

static json_t *machine_json(const struct advise *advise)
{
	struct ranked *rows = mem_alloc_array(advise->steps.count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < advise->steps.count; i++) {
		const struct trial *trial = &advise->trials[advise->sites.count + i];

		if (trial->is_done)
			rows[count++] = (struct ranked){step_json(&advise->steps.list[i], trial),
							true, trial->gain, i};
	}
	return ranked_json(rows, count);
}

/* Whether the change gains enough to be advised, whatever windows leave open. */
static bool is_worth(const struct advise *advise, const struct trial *trial)
{
	return trial->is_done &&
	       trial->gain - trial->error >= ADVISE_WORTH * (double)advise->stacks.cycles;
}

/* A loss that no machine can take away may be worth more than any that one can. */
static bool is_lost(const struct advise *advise, size_t i)
{
	return !advise->trials[i].changes &&
	       stacks_cycles(&advise->stacks, advise->sites.list[i].slots.total) >=
		       ADVISE_WORTH * (double)advise->stacks.cycles;
}

static bool is_nothing(const struct advise *advise)
{
	for (size_t i = 0; i < advise->trial_count; i++) {
		const bool is_place = i < advise->sites.count;

		if (is_place && is_lost(advise, i))
			return false;
		if ((is_place || !advise->steps.list[i - advise->sites.count].is_bound) &&
		    is_worth(advise, &advise->trials[i]))
			return false;
	}
	return true;
}

static size_t left_out(const struct advise *advise)
{
	size_t count = 0;

	for (size_t i = 0; i < advise->trial_count; i++)
		count += advise->trials[i].changes && !advise->trials[i].is_done;
	return count;
}

static json_t *storage_json(const struct config *config)
{
	const struct storage storage = storage_of(config);
	json_t *object = json_object();

	for (unsigned i = 0; i < STORAGE_PARTS_COUNT; i++)
		if (storage.bits[i])
			json_object_set_new(object, storage_names[i],
					    json_integer((json_int_t)storage.bits[i]));
	return object;
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct advise *advise = plan->own;
	const json_t *base = advise->base;
	json_t *exact = json_object_get(base, "exact");
	json_t *stack = json_object_get(json_object_get(base, "stacks"), count_exact.name);

	(void)interrupted;
	(void)err;
	return json_pack(
		"{s:s, s:O, s:O, s:O, s:O, s:I, s:I, s:I, s:O, s:O, s:o, s:f, s:b, s:I, "
		"s:o, s:o}",
		"schema", layout_advise.schema, "program", json_object_get(base, "program"),
		"configuration", json_object_get(base, "configuration"), "partial",
		json_object_get(base, "partial"), "status", json_object_get(base, "status"),
		"instructions", (json_int_t)advise->stacks.instructions, "cycles",
		(json_int_t)advise->stacks.cycles, "slots_per_cycle",
		(json_int_t)advise->stacks.slots_per_cycle, "components",
		json_object_get(stack, "components"), "causes", json_object_get(exact, "causes"),
		"storage", storage_json(&advise->request->machine->config), "worth", ADVISE_WORTH,
		"nothing", is_nothing(advise), "left_out", (json_int_t)left_out(advise), "software",
		software_json(advise), "machine", machine_json(advise));
}

static void release(struct plan *plan)
{
	struct advise *advise = plan->own;

	for (size_t i = 0; i < advise->trial_count; i++) {
		free(advise->trials[i].changes);
		free(advise->trials[i].together);
	}
	free(advise->trials);
	free(advise->trial_of);
	free(advise->charges);
	free(advise->site_of);
	json_decref(advise->known);
	if (advise->nowhere > 0)
		close(advise->nowhere);
	free(advise->window_machines);
	free(advise->window_changes);
	advise_sites_release(&advise->sites);
	advise_steps_release(&advise->steps);
	stacks_release(&advise->stacks);
}

/* The causes that lost enough. What instructions take at full width is no loss, so base is none. */
static uint64_t lossy_causes(const struct stacks *stacks)
{
	const double least =
		ADVISE_LEAST * (double)stacks->cycles * (double)stacks->slots_per_cycle;
	uint64_t causes = 0;

	for (int i = CAUSE_BASE + 1; i < CAUSE_COUNT; i++)
		if ((double)stacks->slots.causes[i] >= least)
			causes |= UINT64_C(1) << i;
	return causes;
}

struct plan *advise_plan(const struct advise_request *request, const json_t *base, struct err *err)
{
	static const struct plan functions = {
		.take = take, .conclude = conclude, .release = release};
	struct stacks stacks;

	if (!stacks_read(&stacks, base, err))
		return NULL;
	struct plan *plan = plan_create(sizeof(struct advise), &functions);
	struct advise *advise = plan->own;

	advise->stacks = stacks;
	advise->request = request;
	advise->base = base;
	/* Without it the program says again and again what it says of its own. */
	advise->nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (advise->nowhere < 0)
		advise->nowhere = 0;
	advise_sites_find(&advise->sites, base, &advise->stacks, &request->machine->config);
	advise_steps_make(&advise->steps, &request->machine->config, lossy_causes(&advise->stacks));
	make_trials(advise);
	add_points(plan, advise);
	return plan;
}
