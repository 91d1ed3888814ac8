/*
 * windows.c - compares the windows of swam-mlp with the simulated timeline, instruction by
 * instruction: tools/compare-windows builds it. Prints a row of two tables.
 *
 * An instruction waits for long misses by what it leaves the window later than the one before it,
 * beyond what that takes when long misses are served by the last cache. These waits add up to the
 * simulated CPI of long data misses. Those of more than WAIT_CYCLES are put down to what waited;
 * all the others together, mostly negative, are what is hidden: work done while a miss was waited
 * for. So beside each other stand
 *
 *   actual   = waits at load misses + at blocks that stores fetch + elsewhere - hidden
 *   modelled = serialized misses x latency - compensation
 *
 * A window of the model is compared with what passed from its start to the start of the next.
 */
#include "load.h"
#include "model/model.h"
#include "trace/record.h"

#define WAIT_CYCLES 20
#define BLOCKS	    (1U << 22)
#define STEPS_MOST  60000000

enum waiter { WAITS_OTHER, WAITS_MISS, WAITS_NEAR_STORE, WAITS_FAR_STORE, WAITERS };

struct block {
	uint64_t number_plus_1, sequence;
	bool is_store;
};

struct study {
	struct config config;
	uint32_t *real, *base; /* when each instruction left */
	uint8_t *waiters;
	struct block *blocks;
	struct labeller *labeller;
	struct model *model;
	uint64_t count;
	/* Of windows with one miss in the longest chain, and of those with more. */
	double window_actual[2], window_modelled[2], window_count[2];
	struct model_window last_window; /* of no misses before the first */
	struct technique_result result;
	double mean_distance;
};

struct commits {
	uint32_t *times;
	uint64_t count;
};

static void note_cycle(void *context, const struct cs_cycle *cycle)
{
	struct commits *c = context;

	/* Cycles that repeat commit nothing or the same number each. */
	for (uint64_t r = 0; cycle->committed && r < cycle->repeat; r++)
		for (uint32_t i = 0; i < cycle->committed && c->count < STEPS_MOST; i++)
			c->times[c->count++] = (uint32_t)(cycle->number + r);
}

/* When each instruction leaves; returns how many there were. */
static uint64_t simulate(const char *elf, char **settings, bool is_base, const char *disambiguation,
			 uint32_t *times)
{
	struct commits commits = {times, 0};
	const struct cs_observer observer = {
		.size = sizeof(observer), .context = &commits, .on_cycle = note_cycle};
	struct cs_machine *m = load_machine(elf, settings[0]);

	if (!cs_set_parameter(m, "l2.mshrs", settings[1]) ||
	    !cs_set_parameter(m, "lsq.disambiguation", disambiguation) ||
	    !cs_set_parameter(m, "ideal.l2d", is_base ? "true" : "false") ||
	    !cs_attach(m, &observer) || !cs_start(m))
		fail(cs_error(m));
	while (cs_simulate(m, UINT64_MAX, 1000000) == CS_RUNNING)
		;
	cs_close(m);
	return commits.count;
}

static struct block *find_block(struct study *s, uint64_t number)
{
	for (uint64_t at = number * UINT64_C(0x9e3779b97f4a7c15) >> 32;; at++) {
		struct block *b = &s->blocks[at % BLOCKS];

		if (!b->number_plus_1 || b->number_plus_1 == number + 1)
			return b;
	}
}

static bool add_steps(void *context, const struct trace_step *steps, size_t count)
{
	struct study *s = context;

	for (size_t i = 0; i < count && s->count < STEPS_MOST; i++, s->count++) {
		struct label label;

		labeller_next(s->labeller, &steps[i], &label, 1);
		if (!steps[i].op->access_bytes)
			continue;
		struct block *b = find_block(s, label.block);
		if (label.data == DATA_LONG_MISS) {
			*b = (struct block){label.block + 1, s->count, !steps[i].op->is_load};
			s->waiters[s->count] = steps[i].op->is_load ? WAITS_MISS : WAITS_OTHER;
		} else if (steps[i].op->is_load && b->number_plus_1 && b->is_store) {
			s->waiters[s->count] = s->count - b->sequence < s->config.rob_size
						       ? WAITS_NEAR_STORE
						       : WAITS_FAR_STORE;
		}
	}
	return model_add(s->model, steps, count);
}

/* What was lost up to and with the instruction before `sequence`. */
static double lost_before(const struct study *s, uint64_t sequence)
{
	return sequence ? (double)s->real[sequence - 1] - (double)s->base[sequence - 1] : 0;
}

static void close_window(struct study *s, uint64_t next)
{
	const struct model_window *w = &s->last_window;
	const struct design_point point = model_design_point(&s->config);
	unsigned kind = w->chain > 1;

	if (!w->misses)
		return;
	s->window_count[kind]++;
	s->window_actual[kind] += lost_before(s, next) - lost_before(s, w->start);
	s->window_modelled[kind] += (double)w->chain * point.memory_latency_cycles -
				    s->mean_distance / point.width * w->misses;
}

static void visit(void *context, const struct model_window *window)
{
	struct study *s = context;

	close_window(s, window->start);
	s->last_window = *window;
}

static double per_window(const double sums[2], const double counts[2], unsigned kind)
{
	return counts[kind] > 0 ? sums[kind] / counts[kind] : 0;
}

static void print(struct study *s, const char *name, double perfect)
{
	const struct design_point point = model_design_point(&s->config);
	struct model_components components;
	double waits[WAITERS] = {0}, rest = 0, n = (double)s->count;

	model_evaluate(s->model, 0, 0, &components, &s->result, NULL);
	s->mean_distance = s->result.mean_distance;
	const struct technique_observer observer = {.window = visit, .context = s};
	model_evaluate(s->model, 0, 0, &components, &s->result, &observer);
	close_window(s, s->count);
	for (uint64_t i = 0; i < s->count; i++) {
		double wait = lost_before(s, i + 1) - lost_before(s, i);

		if (wait > WAIT_CYCLES)
			waits[s->waiters[i]] += wait;
		else
			rest += wait;
	}
	double actual = lost_before(s, s->count);
	printf("| %s | %.3f | %.3f | %+.1f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
	       name, actual / n, s->result.cycles / n, 100 * (s->result.cycles / actual - 1),
	       (double)s->result.serialized * point.memory_latency_cycles / n,
	       waits[WAITS_MISS] / n, waits[WAITS_NEAR_STORE] / n, waits[WAITS_FAR_STORE] / n,
	       waits[WAITS_OTHER] / n, s->result.compensation_cycles / n, -rest / n, perfect / n);
	printf("> | %s | %.0f | %.1f | %.1f | %.0f | %.1f | %.1f |\n", name, s->window_count[0],
	       per_window(s->window_modelled, s->window_count, 0),
	       per_window(s->window_actual, s->window_count, 0), s->window_count[1],
	       per_window(s->window_modelled, s->window_count, 1),
	       per_window(s->window_actual, s->window_count, 1));
}

/* windows ELF NAME SIZE MSHRS */
int main(int argc, char **argv)
{
	struct study *s = mem_alloc(sizeof(*s));
	struct err err = {.text = ""};
	char mshrs[64];

	if (argc != 5)
		fail("expects ELF NAME SIZE MSHRS");
	snprintf(mshrs, sizeof(mshrs), "l2.mshrs=%s", argv[4]);
	load_config(&s->config, mshrs);
	s->real = mem_alloc_array(STEPS_MOST, sizeof(*s->real));
	s->base = mem_alloc_array(STEPS_MOST, sizeof(*s->base));
	s->waiters = mem_alloc_array(STEPS_MOST, sizeof(*s->waiters));
	s->blocks = mem_alloc_array(BLOCKS, sizeof(*s->blocks));
	s->labeller = labeller_create(&s->config, &err);
	s->model = model_create(&s->config, 1, &technique_default, 1, false, &err);
	if (!s->labeller || !s->model)
		fail(err.text);
	uint64_t count = simulate(argv[1], argv + 3, false, "perfect", s->real);
	simulate(argv[1], argv + 3, true, "perfect", s->base);
	double perfect = lost_before(s, count);
	simulate(argv[1], argv + 3, false, "conservative", s->real);
	simulate(argv[1], argv + 3, true, "conservative", s->base);
	size_t bytes;
	uint8_t *image = read_whole(argv[1], &bytes);
	struct process *process = load_process(image, bytes, argv[2], argv[3]);
	struct recorder *recorder = recorder_create(process);
	recorder_run(recorder, STEPS_MOST, add_steps, s);
	if (s->count != count)
		fail("the simulation committed other instructions than the model saw");
	print(s, argv[2], perfect);
	recorder_destroy(recorder);
	process_destroy(process);
	model_destroy(s->model);
	labeller_destroy(s->labeller);
	free(s->real);
	free(s->base);
	free(s->waiters);
	free(s->blocks);
	free(s);
	free(image);
	return 0;
}
