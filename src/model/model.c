#include "model/model.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "core/frontend.h"
#include "model/label.h"
#include "model/state.h"

#define STEPS_AT_ONCE 256

static uint32_t last_mshrs(const struct config *c)
{
	uint32_t most = c->l1d_mshrs;

	/* A miss holds a register of every limited cache it passes. */
	if (c->cache_levels > 1 && c->l2_mshrs < most)
		most = c->l2_mshrs;
	if (c->cache_levels > 2 && c->l3_mshrs < most)
		most = c->l3_mshrs;
	return most;
}

struct design_point model_design_point(const struct config *c)
{
	return (struct design_point){
		.rob_size = c->rob_size,
		.width = c->dispatch_width,
		.mshrs = c->ideal_mshrs || last_mshrs(c) == UNLIMITED ? MSHRS_UNLIMITED
								      : last_mshrs(c),
		.hit_latency_cycles = c->l1d_latency + (c->cache_levels > 1 ? c->l2_latency : 0) +
				      (c->cache_levels > 2 ? c->l3_latency : 0),
		.memory_latency_cycles =
			c->ideal_l3d || c->ideal_l2d || c->ideal_l1d ? 0 : c->memory_latency,
	};
}

static size_t geometry_of(struct model *model, const struct config *config)
{
	for (size_t i = 0; i < model->geometry_count; i++)
		if (labeller_same_geometry(&model->geometries[i].config, config))
			return i;
	*ARRAY_PUSH(model->geometries, model->geometry_count, model->geometry_capacity) =
		(struct geometry){.config = *config};
	return model->geometry_count - 1;
}

static size_t set_of(struct geometry *geometry, const struct config *config)
{
	for (size_t i = 0; i < geometry->set_count; i++)
		if (curve_same_machine(&geometry->sets[i].config, config))
			return i;
	struct curve_set *set =
		ARRAY_PUSH(geometry->sets, geometry->set_count, geometry->set_capacity);
	*set = (struct curve_set){.config = *config};
	return geometry->set_count - 1;
}

/* The state at a window; NULL if no point so far has it. */
static struct window_state *find_window(struct curve_set *set, uint32_t window)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->windows[i].rob_size == window)
			return &set->windows[i];
	return NULL;
}

static bool has_mispredictions(const struct config *config)
{
	return !config->ideal_branch && config->predictor_kind != PREDICTOR_PERFECT;
}

static bool add_window(struct curve_set *set, uint32_t window, struct err *err)
{
	if (find_window(set, window))
		return true;
	if (set->count == CURVE_SIZES)
		return err_set(err, "more than %d different sizes of the window in one call",
			       CURVE_SIZES);
	struct window_state *state = &set->windows[set->count++];
	state->rob_size = window;
	state->mispredicts = has_mispredictions(&set->config);
	state->curve = curve_create(&set->config, window, false);
	if (state->mispredicts)
		state->mispredicting = curve_create(&set->config, window, true);
	return true;
}

static bool add_point(struct model *model, const struct config *config, struct err *err)
{
	struct point *point = &model->points[model->point_count++];

	if (config->core_kind != CORE_OOO)
		return err_set(err, "the model is of out-of-order cores, and core.kind is inorder: "
				    "simulate it with run");
	if (config->ideal_at.count)
		return err_set(err, "the model is of machines without ideal.at");
	point->config = *config;
	point->geometry = geometry_of(model, config);
	struct geometry *geometry = &model->geometries[point->geometry];
	if (config->rob_size > geometry->window_most)
		geometry->window_most = config->rob_size;
	point->set = set_of(geometry, config);
	return add_window(&geometry->sets[point->set], config->rob_size, err);
}

/* Loads wait for the addresses of older stores if the technique asks for that and the machine does
 * so. */
static bool waits_for_stores(const struct technique *t, const struct config *config)
{
	return t->windows == WINDOWS_TIMELINE && t->store_addresses &&
	       config->disambiguation == DISAMBIGUATION_CONSERVATIVE;
}

/* Where the skeleton of a point by a technique is. */
static struct skeleton_builder **skeleton_slot(const struct model *model, const struct point *point,
					       const struct technique *t)
{
	struct geometry *g = &model->geometries[point->geometry];
	unsigned kind = t->pending_hits | t->store_fills_miss << 1 |
			waits_for_stores(t, &point->config) << 2;

	return t->windows == WINDOWS_TIMELINE
		       ? &find_window(&g->sets[point->set], point->config.rob_size)->timelines[kind]
		       : &g->skeletons[kind];
}

static void add_skeletons(struct model *model, const struct point *point, bool explains)
{
	for (size_t i = 0; i < model->technique_count; i++) {
		const struct technique *t = &model->techniques[i];
		struct skeleton_builder **slot = skeleton_slot(model, point, t);
		uint32_t window_most = model->geometries[point->geometry].window_most;
		bool is_timeline = t->windows == WINDOWS_TIMELINE;
		const struct skeleton_options options = {
			/* Blocks that stores fetch are on their way after the store has left. */
			.window_most = is_timeline ? SKELETON_WINDOW_MOST : window_most,
			.forward_most = is_timeline ? point->config.rob_size : window_most,
			.pending_hits = t->pending_hits,
			.store_fills_miss = t->store_fills_miss,
			.store_addresses = waits_for_stores(t, &point->config),
			.links = explains,
		};

		if (!*slot)
			*slot = skeleton_builder_create(&options);
	}
}

bool model_retimes(const struct model *model)
{
	for (size_t i = 0; i < model->technique_count; i++)
		if (model->techniques[i].windows == WINDOWS_RETIME)
			return true;
	return false;
}

static bool add_retimers(struct model *model, struct err *err)
{
	for (size_t i = 0; model_retimes(model) && i < model->point_count; i++) {
		struct point *point = &model->points[i];

		point->retimed = retimer_stack_create(&point->config, err);
		if (!point->retimed)
			return false;
	}
	return true;
}

struct model *model_create(const struct config *points, size_t point_count,
			   const struct technique *techniques, size_t technique_count,
			   bool explains, struct err *err)
{
	struct model *model = mem_alloc(sizeof(*model));
	bool ok = true;

	model->points = mem_alloc_array(point_count, sizeof(*model->points));
	model->techniques = mem_alloc_array(technique_count, sizeof(*model->techniques));
	for (size_t i = 0; i < technique_count; i++)
		model->techniques[model->technique_count++] = techniques[i];
	for (size_t i = 0; ok && i < point_count; i++)
		ok = add_point(model, &points[i], err);
	for (size_t i = 0; ok && i < point_count; i++)
		add_skeletons(model, &model->points[i], explains);
	for (size_t i = 0; ok && i < model->geometry_count; i++) {
		struct geometry *geometry = &model->geometries[i];

		geometry->labeller = labeller_create(&geometry->config, err);
		ok = geometry->labeller;
	}
	if (ok && add_retimers(model, err))
		return model;
	model_destroy(model);
	return NULL;
}

static void release_window(struct window_state *window)
{
	curve_destroy(window->curve);
	curve_destroy(window->mispredicting);
	for (unsigned k = 0; k < SKELETON_KINDS; k++)
		skeleton_builder_destroy(window->timelines[k]);
}

void model_destroy(struct model *model)
{
	if (!model)
		return;
	for (size_t i = 0; i < model->geometry_count; i++) {
		struct geometry *g = &model->geometries[i];

		labeller_destroy(g->labeller);
		for (unsigned k = 0; k < SKELETON_KINDS; k++)
			skeleton_builder_destroy(g->skeletons[k]);
		for (size_t k = 0; k < g->set_count; k++)
			for (size_t n = 0; n < g->sets[k].count; n++)
				release_window(&g->sets[k].windows[n]);
		free(g->sets);
	}
	for (size_t i = 0; i < model->point_count; i++)
		retimer_stack_destroy(model->points[i].retimed);
	free(model->geometries);
	free(model->points);
	free(model->techniques);
	free(model);
}

static void add_to_skeletons(struct skeleton_builder *const skeletons[SKELETON_KINDS],
			     const struct trace_step *steps, const struct label *labels,
			     size_t count)
{
	for (unsigned k = 0; k < SKELETON_KINDS; k++)
		if (skeletons[k])
			skeleton_builder_add(skeletons[k], steps, labels, count);
}

static void add_steps(struct geometry *g, const struct trace_step *steps, struct label *labels,
		      size_t count)
{
	labeller_next(g->labeller, steps, labels, count);
	add_to_skeletons(g->skeletons, steps, labels, count);
	for (size_t i = 0; i < g->set_count; i++)
		for (size_t n = 0; n < g->sets[i].count; n++) {
			struct window_state *window = &g->sets[i].windows[n];

			curve_add(window->curve, steps, labels, count);
			if (window->mispredicting)
				curve_add(window->mispredicting, steps, labels, count);
			add_to_skeletons(window->timelines, steps, labels, count);
		}
}

static void note_totals(struct geometry *g)
{
	const struct label_totals totals = labeller_totals(g->labeller);

	g->mispredictions = totals.mispredictions;
	for (unsigned i = 0; i < LEVEL_COUNT; i++)
		g->fetches[i] = totals.fetches[i];
	g->fetch_tlb_misses = totals.fetch_tlb_misses;
}

static void note_cycles(struct geometry *g)
{
	for (size_t i = 0; i < g->set_count; i++)
		for (size_t n = 0; n < g->sets[i].count; n++) {
			struct window_state *window = &g->sets[i].windows[n];

			window->cycles = curve_cycles(window->curve);
			if (window->mispredicting)
				window->mispredicting_cycles = curve_cycles(window->mispredicting);
		}
}

/* Each part of the model sees some steps before the next part does, so that what is in the host's
 * caches and predictors is its own. Steps and labels of so many fit into the first cache. */
bool model_add(void *context, const struct trace_step *steps, size_t count)
{
	struct model *model = context;
	struct label labels[STEPS_AT_ONCE];

	for (size_t g = 0; g < model->geometry_count; g++) {
		struct geometry *geometry = &model->geometries[g];

		for (size_t i = 0; i < count; i += STEPS_AT_ONCE)
			add_steps(geometry, steps + i, labels,
				  count - i < STEPS_AT_ONCE ? count - i : STEPS_AT_ONCE);
		note_totals(geometry);
		note_cycles(geometry);
	}
	for (size_t i = 0; i < model->point_count; i++)
		if (model->points[i].retimed)
			retimer_stack_add(model->points[i].retimed, steps, count);
	model->instructions += count;
	return true;
}

uint64_t model_instructions(const struct model *model)
{
	return model->instructions;
}

size_t model_labellings(const struct model *model)
{
	return model->geometry_count;
}

const struct skeleton *model_skeleton(const struct model *model, size_t point, size_t technique)
{
	return skeleton_builder_result(
		*skeleton_slot(model, &model->points[point], &model->techniques[technique]));
}

void model_events(const struct model *model, size_t point, struct model_events *events)
{
	const struct geometry *g = &model->geometries[model->points[point].geometry];

	*events = (struct model_events){
		.mispredictions = g->mispredictions,
		.fetch_misses =
			g->fetches[LEVEL_L2] + g->fetches[LEVEL_L3] + g->fetches[LEVEL_MEMORY],
		.fetch_long_misses = g->fetches[LEVEL_MEMORY],
	};
	events->store_misses = model_skeleton(model, point, 0)->store_count;
}

static const struct window_state *window_of(const struct model *model, size_t point)
{
	const struct point *p = &model->points[point];

	return find_window(&model->geometries[p->geometry].sets[p->set], p->config.rob_size);
}

double model_instructions_per_cycle(const struct model *model, size_t point)
{
	const struct window_state *window = window_of(model, point);

	return window->cycles ? (double)model->instructions / (double)window->cycles
			      : model->points[point].config.dispatch_width;
}

static double fetch_cycles(const struct geometry *g, const struct config *c)
{
	double cycles = c->ideal_itlb ? 0 : (double)g->fetch_tlb_misses * c->itlb_miss;
	double leave_l1 =
		(double)(g->fetches[LEVEL_L2] + g->fetches[LEVEL_L3] + g->fetches[LEVEL_MEMORY]);

	if (c->ideal_l1i)
		return cycles;
	if (c->cache_levels > 1)
		cycles += leave_l1 * c->l2_latency;
	if (c->ideal_l2i)
		return cycles;
	if (c->cache_levels > 2)
		cycles += (double)(g->fetches[LEVEL_L3] + g->fetches[LEVEL_MEMORY]) * c->l3_latency;
	if (c->ideal_l3i)
		return cycles;
	return cycles + (double)g->fetches[LEVEL_MEMORY] * c->memory_latency;
}

void model_evaluate(const struct model *model, size_t point, size_t technique,
		    struct model_components *out, struct technique_result *result,
		    const struct technique_observer *observer)
{
	const struct config *c = &model->points[point].config;
	const struct geometry *g = &model->geometries[model->points[point].geometry];
	const struct design_point design = model_design_point(c);
	const double instructions = (double)model->instructions;
	const struct window_state *window = window_of(model, point);

	*out = (struct model_components){0};
	*result = (struct technique_result){0};
	if (model->techniques[technique].windows == WINDOWS_RETIME) {
		retimer_stack_components(model->points[point].retimed, model->instructions, out);
		return;
	}
	technique_evaluate(&model->techniques[technique], &design,
			   model_skeleton(model, point, technique), result, observer);
	if (!model->instructions)
		return;
	out->base = 1 / model_instructions_per_cycle(model, point);
	if (window->mispredicts)
		out->branch = ((double)window->mispredicting_cycles - (double)window->cycles) /
			      instructions;
	out->icache = fetch_cycles(g, c) / instructions;
	/* Without long misses there is nothing to compensate. */
	out->dmiss = design.memory_latency_cycles ? result->cycles / instructions : 0;
	out->cpi = out->base + out->branch + out->icache + out->dmiss;
}
