/* The circuits of the statistics module (stats/module.h): that of Hough et al. 2006, and the naive
 * one with a counter for every signal in every range. Their model is the module itself: its
 * intervals are the words at each dispatch, and its settings are written into the registers. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "rtl/stats_layout.h"
#include "rtl/stimulus.h"

#define PC_BITS	       64
#define VECTOR_BITS    32768  /* what a test bench reads in a line */
#define STOPPED_CYCLES 100000 /* for which the stopped module is watched at most */

enum {
	IN_WRITE,
	IN_WRITE_KIND,
	IN_WRITE_INDEX,
	IN_WRITE_DATA,
	IN_CYCLE,
	IN_START,
	IN_ENDED,
	IN_FLAGS,
	IN_COUNTS,
	IN_PCS,
	IN_THREAD,
};

enum { WRITE_PERIOD, WRITE_LOW, WRITE_HIGH, WRITE_SELECTION };

struct stats_model {
	const struct circuit_machine *machine;
	struct stats_layout layout;
	struct stats_beats beats;
	struct stats_module *module;
	/* During a call. */
	struct stimulus *stimulus;
	uint32_t thread;
	uint64_t emitted; /* cycles of the program */
	uint32_t epoch;	  /* whose settings are in the registers; UINT32_MAX: none yet */
	bool starts;	  /* the next cycle is the first of an epoch */
	/* The words at a check. */
	const uint64_t *values; /* by counter of the epoch; NULL: all 0 */
	bool is_due;
	uint32_t dispatches;
};

static bool names_threads(const struct circuit_machine *machine)
{
	for (size_t e = 0; e < machine->stats_count; e++)
		for (size_t i = 0; i < machine->stats[e].counter_count; i++)
			if (machine->stats[e].counters[i].thread)
				return true;
	return false;
}

/* There is at least one of each, because Verilog has no arrays of none. */
static size_t range_count(const struct circuit_machine *machine)
{
	return machine->stats_ranges ? machine->stats_ranges : 1;
}

static void add_tables(const struct stats_layout *layout, struct circuit_shape *shape)
{
	const size_t places = layout->port_count * layout->signal_count;
	uint32_t *flags = mem_alloc_array(places, sizeof(*flags));
	uint32_t *counts = mem_alloc_array(places, sizeof(*counts));

	for (size_t i = 0; i < places; i++) {
		flags[i] = layout->places[i].flag;
		counts[i] = layout->places[i].count;
	}
	circuit_add_table(shape, 16, places, flags, "FLAG_OF");
	circuit_add_table(shape, 16, places, counts, "COUNT_OF");
	free(flags);
	free(counts);
}

static void add_inputs(const struct stats_layout *layout, struct circuit_shape *shape)
{
	const unsigned flags = layout->flag_count ? (unsigned)layout->flag_count : 1;
	const unsigned counts = layout->count_count ? (unsigned)layout->count_count : 1;

	circuit_add_input(shape, 1, 1, "write");
	circuit_add_input(shape, 2, 1, "write_kind");
	circuit_add_input(shape, 12, 1, "write_index");
	circuit_add_input(shape, 64, 1, "write_data");
	circuit_add_input(shape, 1, 1, "cycle");
	circuit_add_input(shape, 1, 1, "start");
	circuit_add_input(shape, 1, 1, "ended");
	circuit_add_input(shape, 1, flags, "flags");
	circuit_add_input(shape, layout->amount_bits, counts, "counts");
	circuit_add_input(shape, PC_BITS, (unsigned)layout->port_count, "pcs");
	circuit_add_input(shape, 32, 1, "thread");
	circuit_add_constant(shape, flags, "FLAGS");
	circuit_add_constant(shape, counts, "COUNTS");
	circuit_add_constant(shape, layout->amount_bits, "AMOUNT_BITS");
	circuit_add_constant(shape, layout->port_count, "PORTS");
	circuit_add_constant(shape, layout->signal_count, "SIGNALS");
}

static bool shape_of(const struct circuit_machine *machine, const struct stats_layout *layout,
		     struct circuit_shape *shape, struct err *err)
{
	const unsigned width = machine->stats[0].width_bits;
	const size_t counters = machine->stats_counters;

	if (counters * width + 64 > VECTOR_BITS)
		return err_set(err,
			       "%zu counters of %u bits are more than a test bench can read: "
			       "at most %d bits",
			       counters, width, VECTOR_BITS - 64);
	if (layout->port_count * PC_BITS + layout->flag_count +
		    layout->count_count * layout->amount_bits + 128 >
	    VECTOR_BITS)
		return err_set(err,
			       "%zu signals at %zu ports are more than a test bench can read: "
			       "count fewer signals at a time",
			       layout->signal_count, layout->port_count);
	add_inputs(layout, shape);
	add_tables(layout, shape);
	circuit_add_constant(shape, range_count(machine), "RANGES");
	circuit_add_constant(shape, counters, "COUNTERS");
	circuit_add_constant(shape, width, "WIDTH");
	circuit_add_constant(shape, PC_BITS, "PC_BITS");
	circuit_add_constant(shape, names_threads(machine), "THREADS");
	for (size_t i = 0; i < counters; i++)
		circuit_add_word(shape, width, false, "counter_%zu", i);
	circuit_add_word(shape, 1, false, "is_due");
	circuit_add_word(shape, 32, true, "dispatches");
	return true;
}

static bool shape(const struct circuit_machine *machine, struct circuit_shape *shape,
		  struct err *err)
{
	struct stats_layout layout;

	stats_layout_init(&layout, machine);
	bool ok = shape_of(machine, &layout, shape, err);
	stats_layout_release(&layout);
	return ok;
}

/* Which word of the naive design each counter of the settings is. */
static void add_words_of(const struct circuit_machine *machine, const struct stats_layout *layout,
			 struct circuit_shape *shape)
{
	uint32_t *words = mem_alloc_array(machine->stats_counters, sizeof(*words));

	for (size_t i = 0; i < machine->stats_counters; i++) {
		const struct stats_settings *settings = &machine->stats[0];
		const struct stats_selection *selection =
			&settings->counters[i < settings->counter_count ? i : 0];
		const size_t range =
			selection->range == STATS_ALWAYS ? range_count(machine) : selection->range;

		words[i] = (uint32_t)(range * layout->signal_count +
				      stats_layout_signal(layout, selection->signal));
	}
	circuit_add_table(shape, 32, machine->stats_counters, words, "WORD_OF");
	free(words);
}

static bool shape_naive(const struct circuit_machine *machine, struct circuit_shape *shape,
			struct err *err)
{
	struct stats_layout layout;

	if (machine->stats_count > 1 || names_threads(machine))
		return err_set(err, "it has no selections that could change or name a thread");
	stats_layout_init(&layout, machine);
	bool ok = shape_of(machine, &layout, shape, err);
	if (ok)
		add_words_of(machine, &layout, shape);
	stats_layout_release(&layout);
	return ok;
}

static void write_register(struct stats_model *m, unsigned kind, size_t index, uint64_t data)
{
	stimulus_clear(m->stimulus);
	stimulus_set(m->stimulus, IN_WRITE, 1);
	stimulus_set(m->stimulus, IN_WRITE_KIND, kind);
	stimulus_set(m->stimulus, IN_WRITE_INDEX, index);
	stimulus_set(m->stimulus, IN_WRITE_DATA, data);
	stimulus_emit(m->stimulus, 1);
}

/* Writes the settings of the epoch unless they are there. Ranges that it does not use hold no pc;
 * counters that it does not use count what the first one does. */
static void enter_epoch(struct stats_model *m, uint32_t epoch)
{
	const struct stats_settings *settings = &m->machine->stats[epoch];

	if (m->epoch == epoch)
		return;
	m->epoch = epoch;
	m->starts = true;
	write_register(m, WRITE_PERIOD, 0, settings->period_cycles);
	for (size_t i = 0; i < range_count(m->machine); i++) {
		const struct stats_range never = {1, 0};
		const struct stats_range *range =
			i < settings->range_count ? &settings->ranges[i] : &never;

		write_register(m, WRITE_LOW, i, range->low);
		write_register(m, WRITE_HIGH, i, range->high);
	}
	for (size_t i = 0; i < m->machine->stats_counters; i++) {
		const struct stats_selection *selection =
			&settings->counters[i < settings->counter_count ? i : 0];
		const uint64_t range = selection->range == STATS_ALWAYS ? range_count(m->machine)
									: selection->range;

		write_register(m, WRITE_SELECTION, i,
			       (uint64_t)selection->thread << 32 | range << 16 |
				       stats_layout_signal(&m->layout, selection->signal));
	}
}

static void set_beat(struct stats_model *m, size_t beat)
{
	const struct stats_layout *layout = &m->layout;

	stimulus_clear(m->stimulus);
	stimulus_set(m->stimulus, IN_CYCLE, beat == 0);
	if (names_threads(m->machine))
		stimulus_set(m->stimulus, IN_THREAD, m->thread);
	for (size_t p = 0; p < layout->port_count; p++) {
		const size_t at = beat * layout->port_count + p;

		if (!m->beats.ports[at].is_used)
			continue;
		stimulus_set_field(m->stimulus, IN_PCS, (unsigned)p, m->beats.ports[at].pc);
		for (size_t i = 0; i < layout->signal_count; i++) {
			const struct stats_place *place =
				&layout->places[p * layout->signal_count + i];
			const uint32_t amount = m->beats.amounts[at * layout->signal_count + i];

			if (place->flag != STATS_NOWHERE)
				stimulus_set_field(m->stimulus, IN_FLAGS, place->flag, amount);
			else if (place->count != STATS_NOWHERE)
				stimulus_set_field(m->stimulus, IN_COUNTS, place->count, amount);
		}
	}
}

/* Emits the vector for `cycles` cycles. The first has `start` if an epoch begins. */
static void emit_cycles(struct stats_model *m, uint64_t cycles)
{
	if (cycles && m->starts) {
		stimulus_set(m->stimulus, IN_START, 1);
		stimulus_emit(m->stimulus, 1);
		stimulus_set(m->stimulus, IN_START, 0);
		m->starts = false;
		cycles--;
	}
	if (cycles)
		stimulus_emit(m->stimulus, cycles);
}

/* Emits the record's beats for its cycles before `until`. */
static void emit_record(struct stats_model *m, uint64_t until)
{
	while (m->emitted < until) {
		const uint64_t cycles = m->beats.count == 1 ? until - m->emitted : 1;

		set_beat(m, 0);
		emit_cycles(m, cycles);
		for (size_t beat = 1; beat < m->beats.count; beat++) {
			set_beat(m, beat);
			stimulus_emit(m->stimulus, 1);
		}
		m->emitted += cycles;
	}
}

/* The inputs of the last cycle remain, and must not count. */
static void emit_ended(struct stats_model *m, uint64_t cycles)
{
	stimulus_clear(m->stimulus);
	if (m->beats.count)
		set_beat(m, 0);
	stimulus_set(m->stimulus, IN_CYCLE, 1);
	stimulus_set(m->stimulus, IN_ENDED, 1);
	emit_cycles(m, cycles);
}

static void check(struct stats_model *m, const uint64_t *values, bool is_due)
{
	m->values = values;
	m->is_due = is_due;
	stimulus_check(m->stimulus);
	m->values = NULL;
}

/* The program has ended: the timer runs on to 0, hands out the words and stops. */
static void finish(struct stats_model *m, const struct stats_interval *interval)
{
	const uint64_t period = m->machine->stats[m->epoch].period_cycles;

	emit_ended(m, interval->dispatched - m->emitted);
	check(m, interval->values, true);
	emit_ended(m, 1);
	m->dispatches++;
	check(m, NULL, false);
	emit_ended(m, period < STOPPED_CYCLES ? period + 1 : STOPPED_CYCLES);
	check(m, NULL, false);
}

static void take_interval(void *context, const struct stats_interval *interval)
{
	struct stats_model *m = context;

	enter_epoch(m, interval->epoch);
	if (interval->is_final) {
		finish(m, interval);
		return;
	}
	emit_record(m, interval->start + interval->cycles);
	check(m, interval->values, interval->cycles == m->machine->stats[m->epoch].period_cycles);
	m->dispatches++;
}

static void *create(const struct circuit_machine *machine)
{
	struct stats_model *m = mem_alloc(sizeof(*m));

	m->machine = machine;
	m->epoch = UINT32_MAX;
	stats_layout_init(&m->layout, machine);
	m->module = stats_create(&machine->stats[0], take_interval, NULL, m);
	for (size_t i = 1; i < machine->stats_count; i++)
		stats_change(m->module, &machine->stats[i], machine->stats_at[i]);
	return m;
}

static void destroy(void *context)
{
	struct stats_model *m = context;

	stats_destroy(m->module);
	stats_layout_release(&m->layout);
	stats_beats_release(&m->beats);
	free(m);
}

static void cycle(void *context, const struct cycle *c, struct stimulus *stimulus)
{
	struct stats_model *m = context;
	const uint64_t end = m->emitted + c->repeat;

	m->stimulus = stimulus;
	m->thread = c->thread;
	stats_beats_make(&m->beats, &m->layout, c);
	stats_cycle(m->module, c);
	enter_epoch(m, stats_epoch(m->module));
	emit_record(m, end);
}

static void end(void *context, struct stimulus *stimulus)
{
	struct stats_model *m = context;

	m->stimulus = stimulus;
	stats_end(m->module);
}

static void words(const void *context, uint64_t *words)
{
	const struct stats_model *m = context;
	const size_t counters = m->machine->stats_counters;
	const size_t used = m->machine->stats[m->epoch].counter_count;

	for (size_t i = 0; i < counters; i++)
		words[i] = m->values ? m->values[i < used ? i : 0] : 0;
	words[counters] = m->is_due;
	words[counters + 1] = m->dispatches;
}

static const struct circuit_kind circuit_stats = {
	.name = "stats",
	.summary = "the statistics module of Hough et al. 2006",
	.templates = (const char *const[]){"stats", "statistics_module", "statistics_parts", NULL},
	.shape = shape,
	.create = create,
	.cycle = cycle,
	.words = words,
	.end = end,
	.checks_itself = true,
	.destroy = destroy,
};

static const struct circuit_kind circuit_stats_naive = {
	.name = "stats_naive",
	.summary = "a counter for every signal in every range",
	.templates =
		(const char *const[]){"stats_naive", "statistics_naive", "statistics_parts", NULL},
	.shape = shape_naive,
	.create = create,
	.cycle = cycle,
	.words = words,
	.end = end,
	.checks_itself = true,
	.destroy = destroy,
};

const struct circuit_kind *const circuit_stats_kinds[] = {
	&circuit_stats,
	&circuit_stats_naive,
	NULL,
};
