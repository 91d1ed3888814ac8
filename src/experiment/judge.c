#include "experiment/judge.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "count/count.h"
#include "count/truth.h"
#include "experiment/judge_box.h"
#include "value/member.h"
#include "value/printable_json.h"

#define OBSERVERS_MOST 32

/* The results of one program so far, one for each machine of the plan. */
struct program_runs {
	uint64_t *cycles, *instructions;
	size_t done;
	json_t *real; /* the result of the real machine, which all methods observed */
};

struct judging {
	const struct subject *subject;
	const struct judge_options *options;
	struct truth_plan plan;
	struct job_machine *machines; /* those that are simulated */
	size_t machine_count, real;   /* of them; the one that all methods observe */
	struct program_runs *programs;
	/* The methods that fit the machine, and behind them what else observes the real one. */
	const struct observer_kind *observers[OBSERVERS_MOST];
	size_t methods;
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct judging *judging = plan->own;
	struct program_runs *runs = &judging->programs[i / judging->machine_count];
	const size_t run = i % judging->machine_count;
	const json_t *values = json_object_get(result, "values");

	(void)err;
	runs->cycles[run] = (uint64_t)member_whole(values, "cycles");
	runs->instructions[run] = (uint64_t)member_whole(values, "instructions");
	if (run == judging->real)
		runs->real = json_incref(result);
	runs->done++;
	return true;
}

static bool same_instructions(const struct judging *judging, const struct program *program,
			      const struct program_runs *runs, struct err *err)
{
	uint64_t real = runs->instructions[judging->real];

	for (size_t i = 0; i < judging->machine_count; i++)
		if (runs->instructions[i] != real)
			return err_set(err,
				       "%s: an idealised machine committed %llu instructions, the "
				       "real one %llu; such runs cannot be compared (does the "
				       "program look at the time?)",
				       program->name, (unsigned long long)runs->instructions[i],
				       (unsigned long long)real);
	return true;
}

/* The components that a method found. */
static json_t *components_of(const struct program_runs *runs, const char *method)
{
	return json_object_get(json_object_get(json_object_get(runs->real, "stacks"), method),
			       "components");
}

static void read_stack(const json_t *components, struct stack *stack)
{
	*stack = (struct stack){0};
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		stack->cycles[i] = member_whole(components, component_rows[i].name);
}

/* The components that the truth has. */
static json_t *truth_object(const struct config *config, const struct stack *stack)
{
	json_t *object = json_object();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (truth_has(config, i))
			json_object_set_new(object, component_rows[i].name,
					    json_integer(stack->cycles[i]));
	return object;
}

/* What components consist of, by cause. */
static json_t *parts_object(const struct truth_plan *plan, const uint64_t *cycles)
{
	json_t *object = json_object();
	int64_t parts[TRUTH_PARTS];

	truth_read_parts(plan, cycles, parts);
	for (unsigned i = 0; i < TRUTH_PARTS; i++)
		json_object_set_new(object, cause_rows[truth_parts[i].cause].name,
				    json_integer(parts[i]));
	return object;
}

/* The lowest and the highest cycles or the means of the components that the truth has. */
static json_t *costs_object(const struct config *config, const struct truth_all *all,
			    json_t *(*value)(const struct orders_cost *cost))
{
	json_t *object = json_object();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (truth_has(config, i))
			json_object_set_new(object, component_rows[i].name, value(&all->costs[i]));
	return object;
}

static json_t *lowest(const struct orders_cost *cost)
{
	return json_integer(cost->lowest);
}

static json_t *highest(const struct orders_cost *cost)
{
	return json_integer(cost->highest);
}

static json_t *mean(const struct orders_cost *cost)
{
	return json_real(cost->mean);
}

/* Each pair once. */
static json_t *interactions_list(const struct truth_all *all)
{
	json_t *list = json_array();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		for (enum component k = i + 1; k < COMPONENT_COUNT; k++)
			if (all->interact[i][k])
				json_array_append_new(list,
						      json_pack("{s:s, s:s, s:f}", "first",
								component_rows[i].name, "second",
								component_rows[k].name, "cycles",
								all->interactions[i][k]));
	return list;
}

static json_t *orders_object(const struct judging *judging, const struct truth_all *all)
{
	const struct config *config = &judging->subject->machine.config;
	const struct orders *orders = &judging->plan.orders;

	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "machines",
			 (json_int_t)orders->set_count, "orders", (json_int_t)orders_all(orders),
			 "lowest", costs_object(config, all, lowest), "highest",
			 costs_object(config, all, highest), "mean",
			 costs_object(config, all, mean), "interactions", interactions_list(all));
}

/* What a method is compared with. */
struct judge_truth {
	struct stack orders[TRUTH_ORDERS]; /* of a quick judgement, both are order A */
	struct truth_all all;		   /* if all orders were asked for */
	struct judge_box box;		   /* of a quick judgement */
};

/* How the windows of the real run measured the truth. */
static const json_t *gain_of(const struct program_runs *runs)
{
	return json_object_get(runs->real, "gain");
}

static void read_quick_truth(const struct judging *judging, const struct program_runs *runs,
			     struct judge_truth *truth)
{
	const struct config *config = &judging->subject->machine.config;
	const json_t *costs = json_object_get(gain_of(runs), "costs"),
		     *errors = json_object_get(gain_of(runs), "errors");
	const double cycles = (double)runs->cycles[judging->real];
	int64_t causes[CAUSE_COUNT];

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		causes[i] = member_whole(costs, cause_rows[i].name);
	stack_roll_up(&truth->orders[TRUTH_A], causes, config->cache_levels);
	truth->orders[TRUTH_B] = truth->orders[TRUTH_A];
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		truth->box.has[i] = truth_has(config, i);
		truth->box.at[i] = (double)truth->orders[TRUTH_A].cycles[i] / cycles;
		truth->box.off[i] = member_number(errors, component_rows[i].name) / cycles;
	}
}

static void read_truth(const struct judging *judging, const struct program_runs *runs,
		       struct judge_truth *truth)
{
	*truth = (struct judge_truth){0};
	if (judging->options->is_quick) {
		read_quick_truth(judging, runs, truth);
		return;
	}
	truth_read(&judging->plan, runs->cycles, TRUTH_A, &truth->orders[TRUTH_A]);
	truth_read(&judging->plan, runs->cycles, TRUTH_B, &truth->orders[TRUTH_B]);
	if (judging->plan.has_orders)
		truth_read_all(&judging->plan, runs->cycles, &truth->all);
}

/* What a method says, as parts of the cycles. */
static struct judge_told told_of(const struct judging *judging, const struct program_runs *runs,
				 const struct stack *stack)
{
	struct judge_told told;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		told.at[i] = (double)stack->cycles[i] / (double)runs->cycles[judging->real];
	return told;
}

/* Adds resource to base, as truth_fold does. */
static void fold(struct judge_truth *truth)
{
	struct orders_cost *base = &truth->all.costs[COMPONENT_BASE],
			   *resource = &truth->all.costs[COMPONENT_RESOURCE];

	truth_fold(&truth->orders[TRUTH_A]);
	truth_fold(&truth->orders[TRUTH_B]);
	base->lowest += resource->lowest;
	base->highest += resource->highest;
	base->mean += resource->mean;
	*resource = (struct orders_cost){0};
	judge_box_fold(&truth->box);
}

/* The largest distances of a method's components from what all orders say. */
static void add_distances(const struct judging *judging, const struct program_runs *runs,
			  const struct stack *stack, const struct truth_all *all, json_t *verdict)
{
	const struct config *config = &judging->subject->machine.config;
	struct truth_distance most = {0};

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		if (!truth_has(config, i))
			continue;
		struct truth_distance d =
			truth_distance_of(stack, all, i, runs->cycles[judging->real]);
		most.range = fmax(most.range, d.range);
		most.mean = fmax(most.mean, d.mean);
	}
	json_object_set_new(verdict, "distance_to_range", json_real(most.range));
	json_object_set_new(verdict, "distance_to_mean", json_real(most.mean));
}

/* What the largest error may be if the truth is within its intervals. */
static void add_range(const struct judging *judging, const struct program_runs *runs,
		      const struct stack *stack, const struct judge_truth *truth, json_t *largest)
{
	const struct judge_told told = told_of(judging, runs, stack);
	const struct judge_range range = judge_box_error(&truth->box, &told);

	json_object_set_new(largest, "max_error_low", json_real(range.low));
	json_object_set_new(largest, "max_error_high", json_real(range.high));
}

/* The largest errors of a stack; sets the error of each component in `errors`. */
static json_t *largest_errors(const struct judging *judging, const struct program_runs *runs,
			      const struct stack *stack, const struct judge_truth *truth,
			      json_t *errors)
{
	const struct config *config = &judging->subject->machine.config;
	struct truth_error most = {0};
	enum component worst = COMPONENT_BASE;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		if (!truth_has(config, i))
			continue;
		struct truth_error e =
			truth_error_of(stack, &truth->orders[TRUTH_A], &truth->orders[TRUTH_B], i,
				       runs->cycles[judging->real]);
		json_object_set_new(errors, component_rows[i].name, json_real(e.largest));
		if (e.largest > most.largest)
			worst = i;
		most.a = fmax(most.a, e.a);
		most.b = fmax(most.b, e.b);
		most.largest = fmax(most.largest, e.largest);
		most.interval = fmax(most.interval, e.interval);
	}
	json_t *largest = json_pack("{s:f, s:f, s:s}", "max_error", most.largest, "max_error_a",
				    most.a, "worst", component_rows[worst].name);
	if (judging->options->is_quick) {
		add_range(judging, runs, stack, truth, largest);
		return largest;
	}
	json_object_set_new(largest, "max_error_b", json_real(most.b));
	json_object_set_new(largest, "max_error_interval", json_real(most.interval));
	if (judging->plan.has_orders)
		add_distances(judging, runs, stack, &truth->all, largest);
	return largest;
}

/* The errors of a method if resource is a part of base, both in what it says and in the truth. */
static json_t *folded_errors(const struct judging *judging, const struct program_runs *runs,
			     struct stack stack, struct judge_truth truth)
{
	json_t *errors = json_object();

	truth_fold(&stack);
	fold(&truth);
	json_t *folded = largest_errors(judging, runs, &stack, &truth, errors);
	json_object_set(folded, "base", json_object_get(errors, "base"));
	json_decref(errors);
	return folded;
}

static json_t *verdict_on(const struct judging *judging, const struct observer_kind *kind,
			  const struct program_runs *runs, const struct judge_truth *truth)
{
	const struct config *config = &judging->subject->machine.config;
	json_t *components = components_of(runs, kind->name), *errors = json_object();
	struct stack stack;

	read_stack(components, &stack);
	json_t *largest = largest_errors(judging, runs, &stack, truth, errors);
	json_t *verdict = json_pack("{s:O, s:o}", "components", components, "errors", errors);
	json_object_update(verdict, largest);
	json_decref(largest);
	json_object_set_new(verdict, "folded", folded_errors(judging, runs, stack, *truth));
	json_object_set_new(verdict, "bits",
			    kind->bits ? json_integer((json_int_t)kind->bits(config))
				       : json_null());
	return verdict;
}

/* Cycles per event, by every method and by the simulated difference. */
static json_t *per_event(const struct judging *judging, const struct program_runs *runs,
			 enum component component, int64_t count, const struct stack *truth)
{
	double events = (double)count;
	json_t *object = json_object();

	if (events == 0) /* there is no such event to divide by */
		return object;
	for (size_t i = 0; i < judging->methods; i++) {
		const char *name = judging->observers[i]->name;
		struct stack stack;

		read_stack(components_of(runs, name), &stack);
		json_object_set_new(object, name,
				    json_real((double)stack.cycles[component] / events));
	}
	json_object_set_new(object, "simulated",
			    json_real((double)truth->cycles[component] / events));
	return object;
}

/* Events of the right path and what they cost, if the method that counts them was there. */
static void add_events(const struct judging *judging, const struct program_runs *runs,
		       const struct stack *truth, json_t *object)
{
	const struct config *config = &judging->subject->machine.config;
	/* The last cache for data, of which long misses are. */
	const enum component charged = component_long(config->cache_levels);
	const json_t *misses =
		json_object_get(json_object_get(runs->real, "misses"), count_naive_nonspec.name);
	const int64_t l1i = member_whole(misses, "l1i"), branch = member_whole(misses, "branch"),
		      longest = member_whole(misses, component_rows[charged].name);

	if (!misses)
		return;
	json_object_set_new(object, "events",
			    json_pack("{s:I, s:I, s:I}", "l1i", (json_int_t)l1i, "branch",
				      (json_int_t)branch, "l2d", (json_int_t)longest));
	json_object_set_new(object, "per_event",
			    json_pack("{s:o, s:o, s:o}", "l1i",
				      per_event(judging, runs, COMPONENT_L1I, l1i, truth), "branch",
				      per_event(judging, runs, COMPONENT_BRANCH, branch, truth),
				      "l2d", per_event(judging, runs, charged, longest, truth)));
}

/* What table 1 of the paper needs, as far as it was observed. */
static void add_overlap(const struct program_runs *runs, double cycles, json_t *object)
{
	const json_t *overlap = json_object_get(runs->real, "overlap");
	json_t *losses = json_object_get(runs->real, "losses");

	if (overlap) {
		json_object_set_new(object, "overlap",
				    json_real(member_number(overlap, "cycles") / cycles));
		json_object_set_new(object, "overlap_full",
				    json_real(member_number(overlap, "full_cycles") / cycles));
	}
	if (losses) {
		json_object_set(object, "sfmt", json_object_get(losses, count_sfmt.name));
		json_object_set(object, "sfmt_losses", losses);
	}
}

static json_t *truth_json(const struct judging *judging, const struct program_runs *runs,
			  const struct judge_truth *truth)
{
	const struct config *config = &judging->subject->machine.config;
	json_t *object = json_pack("{s:o}", "a", truth_object(config, &truth->orders[TRUTH_A]));

	if (judging->options->is_quick) {
		json_object_set_new(object, "measured", json_deep_copy(gain_of(runs)));
		return object;
	}
	json_object_set_new(object, "b", truth_object(config, &truth->orders[TRUTH_B]));
	json_object_set_new(object, "parts", parts_object(&judging->plan, runs->cycles));
	if (judging->plan.has_orders)
		json_object_set_new(object, "all_orders", orders_object(judging, &truth->all));
	return object;
}

static json_t *program_object(const struct judging *judging, const struct program *program,
			      const struct program_runs *runs)
{
	const uint64_t cycles = runs->cycles[judging->real];
	struct judge_truth truth;
	json_t *methods = json_object(), *object = program_json(program);

	read_truth(judging, runs, &truth);
	for (size_t i = 0; i < judging->methods; i++)
		json_object_set_new(methods, judging->observers[i]->name,
				    verdict_on(judging, judging->observers[i], runs, &truth));
	json_object_set_new(object, "name", printable_json(program->name));
	json_object_set_new(object, "instructions",
			    json_integer((json_int_t)runs->instructions[judging->real]));
	json_object_set_new(object, "cycles", json_integer((json_int_t)cycles));
	json_object_set_new(object, "truth", truth_json(judging, runs, &truth));
	json_object_set_new(object, "methods", methods);
	add_events(judging, runs, &truth.orders[TRUTH_A], object);
	add_overlap(runs, (double)cycles, object);
	return object;
}

/* A verdict, or what it says if resource is a part of base. */
static const json_t *verdict_of(const json_t *program, const char *method, bool is_folded)
{
	const json_t *verdict = json_object_get(json_object_get(program, "methods"), method);

	return is_folded ? json_object_get(verdict, "folded") : verdict;
}

/* The mean over the programs and the largest, by method, of a member of its verdict. */
static void add_summary(const struct judging *judging, const json_t *programs, bool is_folded,
			const char *member, const char *mean_name, const char *largest_name,
			json_t *totals)
{
	json_t *means = json_object(), *largest = json_object(), *program;
	size_t count = json_array_size(programs), i;

	for (size_t k = 0; k < judging->methods && count; k++) {
		const char *name = judging->observers[k]->name;
		double sum = 0, most = 0;

		json_array_foreach(programs, i, program)
		{
			double e = member_number(verdict_of(program, name, is_folded), member);

			sum += e;
			most = fmax(most, e);
		}
		json_object_set_new(means, name, json_real(sum / (double)count));
		json_object_set_new(largest, name, json_real(most));
	}
	json_object_set_new(totals, mean_name, means);
	json_object_set_new(totals, largest_name, largest);
}

static json_t *summary(const struct judging *judging, const json_t *programs, bool is_folded)
{
	json_t *totals = json_object();

	add_summary(judging, programs, is_folded, "max_error", "mean_error", "largest_error",
		    totals);
	if (judging->plan.has_orders) {
		add_summary(judging, programs, is_folded, "distance_to_range",
			    "mean_distance_to_range", "largest_distance_to_range", totals);
		add_summary(judging, programs, is_folded, "distance_to_mean",
			    "mean_distance_to_mean", "largest_distance_to_mean", totals);
	}
	if (judging->options->is_quick) {
		add_summary(judging, programs, is_folded, "max_error_low", "mean_error_low",
			    "largest_error_low", totals);
		add_summary(judging, programs, is_folded, "max_error_high", "mean_error_high",
			    "largest_error_high", totals);
	}
	return totals;
}

/* By how much the mean error of one method exceeds that of another at least. */
static double excess(const struct judging *judging, const char *worse, const char *better)
{
	double sum = 0;

	for (size_t i = 0; i < judging->subject->program_count; i++) {
		const struct program_runs *runs = &judging->programs[i];
		struct judge_truth truth;
		struct stack stacks[2];

		if (runs->done < judging->machine_count)
			continue;
		read_truth(judging, runs, &truth);
		read_stack(components_of(runs, worse), &stacks[0]);
		read_stack(components_of(runs, better), &stacks[1]);
		const struct judge_told told[] = {told_of(judging, runs, &stacks[0]),
						  told_of(judging, runs, &stacks[1])};

		sum += judge_box_excess(&truth.box, &told[0], &told[1]);
	}
	return sum;
}

/* The pairs of methods of which either may have the smaller mean error; the one that seems to
 * first. */
static json_t *open_list(const struct judging *judging, const json_t *means)
{
	json_t *list = json_array();

	for (size_t i = 0; i < judging->methods; i++)
		for (size_t k = i + 1; k < judging->methods; k++) {
			const char *first = judging->observers[i]->name,
				   *second = judging->observers[k]->name;

			if (member_number(means, first) > member_number(means, second)) {
				first = second;
				second = judging->observers[i]->name;
			}
			if (excess(judging, second, first) <= 0)
				json_array_append_new(list, json_pack("{s:s, s:s}", "first", first,
								      "second", second));
		}
	return list;
}

static bool is_measured(const struct judging *judging, const struct program *program,
			const struct program_runs *runs, struct err *err)
{
	return !judging->options->is_quick || member_whole(gain_of(runs), "windows") ||
	       err_set(err,
		       "%s: no window of its run could be simulated on other machines, so that its "
		       "truth is not known; without --quick these are simulated from the beginning",
		       program->name);
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct judging *judging = plan->own;
	const struct subject *subject = judging->subject;
	json_t *programs = json_array();

	(void)interrupted;
	for (size_t i = 0; i < subject->program_count; i++) {
		const struct program_runs *runs = &judging->programs[i];

		if (runs->done < judging->machine_count)
			continue;
		if (!same_instructions(judging, &subject->programs[i], runs, err) ||
		    !is_measured(judging, &subject->programs[i], runs, err)) {
			json_decref(programs);
			return NULL;
		}
		json_array_append_new(programs,
				      program_object(judging, &subject->programs[i], runs));
	}
	json_t *totals = summary(judging, programs, false), *left_out = json_array();
	json_object_set_new(totals, "folded", summary(judging, programs, true));
	if (judging->options->is_quick)
		json_object_set_new(totals, "open",
				    open_list(judging, json_object_get(totals, "mean_error")));
	for (size_t i = 0; i < observer_methods(); i++)
		if (!observer_fits(observer_kinds[i], &subject->machine.config))
			json_array_append_new(left_out, json_string(observer_kinds[i]->name));
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "schema", "cyclestack-judge-1",
			 "configuration", job_machine_json(&subject->machine), "programs", programs,
			 "summary", totals, "left_out", left_out);
}

/* All methods that fit the machine, and what else is needed of the real one: the observer of table
 * 1 of the paper, and `exact` if it is the truth. */
static void choose_observers(struct judging *judging)
{
	const struct config *config = &judging->subject->machine.config;
	const bool is_quick = judging->options->is_quick;
	size_t count = observer_methods(), last;

	BUG_ON(count + 2 > OBSERVERS_MOST);
	for (size_t i = 0; i < count; i++)
		if (observer_fits(observer_kinds[i], config) &&
		    !(is_quick && observer_kinds[i] == &count_exact))
			judging->observers[judging->methods++] = observer_kinds[i];
	last = judging->methods;
	if (observer_fits(&count_overlap, config))
		judging->observers[last++] = &count_overlap;
	if (is_quick)
		judging->observers[last] = &count_exact;
}

struct judge_work judge_work_of(const struct subject *subject, const struct judge_options *options)
{
	struct truth_plan plan;

	truth_plan_init(&plan, &subject->machine.config, options->all_orders);
	const size_t machines = options->is_quick ? 1 : plan.count;
	const struct judge_work work = {
		.machines = machines,
		.simulations = machines * subject->program_count,
		.orders = plan.has_orders ? orders_all(&plan.orders) : 0,
	};
	truth_plan_release(&plan);
	return work;
}

static void release(struct plan *plan)
{
	struct judging *judging = plan->own;

	for (size_t i = 0; i < judging->subject->program_count; i++) {
		json_decref(judging->programs[i].real);
		free(judging->programs[i].cycles);
		free(judging->programs[i].instructions);
	}
	truth_plan_release(&judging->plan);
	free(judging->programs);
	free(judging->machines);
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

/* All machines of one program. */
static void add_points(struct plan *plan, size_t program)
{
	struct judging *judging = plan->own;
	const size_t machines = judging->machine_count;

	judging->programs[program].cycles = mem_alloc_array(machines, sizeof(uint64_t));
	judging->programs[program].instructions = mem_alloc_array(machines, sizeof(uint64_t));
	for (size_t i = 0; i < machines; i++) {
		struct point point =
			point_of(&judging->subject->programs[program], &judging->machines[i]);

		if (i == judging->real)
			point.observers = judging->observers;
		if (judging->options->is_quick) {
			point.gain = &judging->options->gain;
			point.gain_copies = judging->options->copies;
		}
		plan_add(plan, &point);
	}
}

struct plan *judge_plan(const struct subject *subject, const struct judge_options *options)
{
	struct plan *plan = plan_create(sizeof(struct judging), &functions);
	struct judging *judging = plan->own;

	BUG_ON(options->is_quick && options->all_orders);
	judging->subject = subject;
	judging->options = options;
	choose_observers(judging);
	truth_plan_init(&judging->plan, &subject->machine.config, options->all_orders);
	judging->machine_count = options->is_quick ? 1 : judging->plan.count;
	judging->real = options->is_quick ? 0 : judging->plan.real;
	judging->machines = mem_alloc_array(judging->machine_count, sizeof(*judging->machines));
	for (size_t i = 0; i < judging->machine_count; i++) {
		judging->machines[i] = subject->machine;
		if (!options->is_quick)
			judging->machines[i].config = judging->plan.machines[i].config;
	}
	judging->programs = mem_alloc_array(subject->program_count, sizeof(*judging->programs));
	for (size_t i = 0; i < subject->program_count; i++)
		add_points(plan, i);
	return plan;
}
