/*
 * TAGE (Seznec and Michaud 2006): a bimodal table, and tagged tables indexed by
 * pc and ever longer, geometrically spaced histories; the longest history whose
 * tag matches provides the prediction.
 *
 * Taken from there: use of the alternate prediction while a provider is new
 * (one 4-bit counter decides), useful counters moved where provider and
 * alternate differ, allocation on a misprediction with odds halving from table
 * to table, and useful bits aged one at a time every 2^18 branches. From the
 * authors' later code: nothing is allocated where a new provider was right but
 * its prediction was not used. Left out: path history. Random choices come from
 * a generator that only training advances, so runs repeat exactly.
 *
 * The folded histories are kept for every position in flight, in a ring: a
 * prediction reads those of its own position and writes those of the next, so
 * recovery only sets the position, and training reads the same values as the
 * prediction.
 */
#include "pred/pred_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/rng.h"

#define TABLES_MOST	     12
#define HISTORY_MOST	     4096
#define FOLDS		     3 /* folds of each history: one for the index, two for the tag */
#define LANES		     4 /* folds that are updated at once */
#define GROUPS_MOST	     (FOLDS * TABLES_MOST / LANES)
#define TAG_BITS_MOST	     12
#define NO_TAG		     UINT16_MAX
#define COUNTER_MOST	     7
#define COUNTER_WEAKLY_TAKEN 4
#define USEFUL_MOST	     3
#define USE_ALTERNATE_MOST   15
#define USE_ALTERNATE_HALF   8
#define AGING_PERIOD	     (UINT64_C(1) << 18)

enum {
	PROVIDER_TAKEN = 1,
	ALTERNATE_TAKEN = 2,
	PROVIDER_NEW = 4,
};

struct tage_entry {
	uint16_t tag;
	uint8_t counter;
	uint8_t useful;
};

typedef uint32_t lanes __attribute__((vector_size(LANES * sizeof(uint32_t)), may_alias));

struct tage {
	uint32_t tables;
	uint32_t index_mask;
	uint32_t groups;	      /* of LANES tables; the last may be partly empty */
	uint32_t length[TABLES_MOST]; /* length of the table's history, in outcomes */
	uint32_t pc_shift[TABLES_MOST];
	uint32_t tag_mask[TABLES_MOST];
	/* By fold, then table, as in the ring: the bit just above the fold; that and the bit where
	 * it enters again; the bit where the oldest outcome leaves the fold. */
	lanes above[GROUPS_MOST];
	lanes wrapped[GROUPS_MOST];
	lanes leaving[GROUPS_MOST];
	struct tage_entry *entries[TABLES_MOST];

	uint32_t base_mask;
	uint8_t *base;

	uint8_t *outcomes; /* ring by position */
	uint32_t outcome_mask;
	lanes *folds; /* ring by position, FOLDS * groups each */
	uint32_t fold_mask;

	uint8_t use_alternate; /* upper half: use it while the provider is new */
	struct rng rng;
	uint64_t updates;
};

static void destroy(void *state)
{
	struct tage *tage = state;

	for (uint32_t t = 0; t < tage->tables; t++)
		free(tage->entries[t]);
	free(tage->base);
	free(tage->outcomes);
	free(tage->folds);
	free(tage);
}

static bool check(const struct predictor_params *params, struct err *err)
{
	if (!pred_require_power_of_two(params->bimodal_entries, "predictor.bimodal_entries", err) ||
	    !pred_require_power_of_two(params->tage_entries, "predictor.tage_entries", err))
		return false;
	if (params->tage_entries < 16)
		return err_set(err, "predictor.tage_entries is %u, but must be at least 16",
			       (unsigned)params->tage_entries);
	if (!params->tage_tables || params->tage_tables > TABLES_MOST)
		return err_set(err, "predictor.tage_tables is %u, but must be 1 to %u",
			       (unsigned)params->tage_tables, TABLES_MOST);
	if (!params->tage_shortest_history ||
	    params->tage_shortest_history > params->tage_longest_history ||
	    params->tage_longest_history > HISTORY_MOST)
		return err_set(
			err,
			"predictor.tage_shortest_history_bits (%u) must be at least 1 and at "
			"most predictor.tage_longest_history_bits (%u), and that at most %u",
			(unsigned)params->tage_shortest_history,
			(unsigned)params->tage_longest_history, HISTORY_MOST);
	return true;
}

static uint32_t ring_count(uint32_t least)
{
	uint32_t count = 1;

	while (count < least)
		count *= 2;
	return count;
}

static uint32_t history_length(const struct predictor_params *params, uint32_t t)
{
	double ratio = (double)params->tage_longest_history / params->tage_shortest_history;

	if (params->tage_tables == 1)
		return params->tage_shortest_history;
	return (uint32_t)lround(params->tage_shortest_history *
				pow(ratio, (double)t / (params->tage_tables - 1)));
}

static void init_table(struct tage *tage, const struct predictor_params *params, uint32_t t)
{
	uint32_t index_bits = bits_log2(params->tage_entries);
	uint32_t tag_bits = 8 + t < TAG_BITS_MOST ? 8 + t : TAG_BITS_MOST;
	const uint32_t widths[FOLDS] = {index_bits, tag_bits, tag_bits - 1};

	BUG_ON(!index_bits); /* check() ensures this */
	tage->length[t] = history_length(params, t);
	tage->pc_shift[t] = 1 + (index_bits > t ? index_bits - t : t - index_bits);
	tage->tag_mask[t] = (UINT32_C(1) << tag_bits) - 1;
	for (uint32_t fold = 0; fold < FOLDS; fold++) {
		uint32_t group = fold * tage->groups + t / LANES;

		tage->above[group][t % LANES] = UINT32_C(1) << widths[fold];
		tage->wrapped[group][t % LANES] = UINT32_C(1) << widths[fold] | 1;
		tage->leaving[group][t % LANES] = UINT32_C(1) << tage->length[t] % widths[fold];
	}
	tage->entries[t] = mem_alloc_array(params->tage_entries, sizeof(struct tage_entry));
	for (uint32_t i = 0; i < params->tage_entries; i++)
		tage->entries[t][i].tag = NO_TAG;
}

static bool create(const struct predictor_params *params, void **state, struct err *err)
{
	struct tage *tage;

	if (!check(params, err))
		return false;
	tage = mem_alloc(sizeof(*tage));
	tage->tables = params->tage_tables;
	tage->groups = (tage->tables + LANES - 1) / LANES;
	tage->index_mask = params->tage_entries - 1;
	for (uint32_t t = 0; t < tage->tables; t++)
		init_table(tage, params, t);
	tage->base_mask = params->bimodal_entries - 1;
	tage->base = mem_alloc(params->bimodal_entries);
	memset(tage->base, PRED_WEAKLY_TAKEN, params->bimodal_entries);
	/* The ring has one position more than branches in flight, for the next branch. */
	tage->outcome_mask = ring_count(params->in_flight + 1 + params->tage_longest_history) - 1;
	tage->outcomes = mem_alloc((size_t)tage->outcome_mask + 1);
	tage->fold_mask = ring_count(params->in_flight + 1) - 1;
	tage->folds = mem_alloc_array((size_t)tage->fold_mask + 1,
				      FOLDS * tage->groups * sizeof(*tage->folds));
	tage->use_alternate = USE_ALTERNATE_HALF;
	*state = tage;
	return true;
}

/* The rings get longer; what they hold of the positions up to the next branch stays. */
static void grow(void *state, uint32_t position, uint32_t in_flight)
{
	struct tage *tage = state;
	const size_t bytes = FOLDS * tage->groups * sizeof(*tage->folds);
	const uint32_t outcome_mask =
		ring_count(in_flight + 1 + tage->length[tage->tables - 1]) - 1;
	const uint32_t fold_mask = ring_count(in_flight + 1) - 1;

	if (outcome_mask > tage->outcome_mask) {
		uint8_t *outcomes = mem_alloc((size_t)outcome_mask + 1);

		for (uint32_t i = 1; i <= tage->outcome_mask + 1; i++)
			outcomes[(position - i) & outcome_mask] =
				tage->outcomes[(position - i) & tage->outcome_mask];
		free(tage->outcomes);
		tage->outcomes = outcomes;
		tage->outcome_mask = outcome_mask;
	}
	if (fold_mask > tage->fold_mask) {
		lanes *folds = mem_alloc_array((size_t)fold_mask + 1, bytes);

		for (uint32_t i = 0; i <= tage->fold_mask; i++)
			memcpy((char *)folds + ((position - i) & fold_mask) * bytes,
			       (const char *)tage->folds +
				       ((position - i) & tage->fold_mask) * bytes,
			       bytes);
		free(tage->folds);
		tage->folds = folds;
		tage->fold_mask = fold_mask;
	}
}

static inline lanes *lanes_at(const struct tage *tage, uint32_t position)
{
	return tage->folds + (size_t)(position & tage->fold_mask) * FOLDS * tage->groups;
}

/* The folds for the index, by table; those for the tag begin LANES * groups later. */
static inline const uint32_t *folds_at(const struct tage *tage, uint32_t position)
{
	return (const uint32_t *)lanes_at(tage, position);
}

static inline struct tage_entry *entry_at(const struct tage *tage, uint32_t t, uint64_t pc_bits,
					  const uint32_t *folds, uint32_t *index)
{
	*index = (uint32_t)(pc_bits ^ pc_bits >> tage->pc_shift[t] ^ folds[t]) & tage->index_mask;
	return &tage->entries[t][*index];
}

static inline uint32_t tag_of(const struct tage *tage, uint32_t t, uint64_t pc_bits,
			      const uint32_t *folds)
{
	const uint32_t *first = folds + (size_t)LANES * tage->groups;
	const uint32_t *second = first + (size_t)LANES * tage->groups;

	return (uint32_t)(pc_bits ^ first[t] ^ second[t] << 1) & tage->tag_mask[t];
}

static inline uint32_t oldest_of(const struct tage *tage, uint32_t t, uint32_t position)
{
	return -(uint32_t)tage->outcomes[(position - tage->length[t]) & tage->outcome_mask];
}

/* Each fold is the exclusive or over the history's outcomes, the youngest being number 0, of
 * outcome i in bit i modulo the width: one outcome later that is a rotation, with one outcome
 * entering and one leaving. The outcomes that leave are put into lanes without a detour through
 * memory, where the vectors' loads would wait for narrow stores. */
static void push(void *state, uint32_t position, bool taken)
{
	struct tage *tage = state;
	const lanes *before = lanes_at(tage, position);
	lanes *after = lanes_at(tage, position + 1);

	for (uint32_t group = 0; group < tage->groups; group++) {
		const uint32_t t = group * LANES;
		const lanes oldest = {
			oldest_of(tage, t, position), oldest_of(tage, t + 1, position),
			oldest_of(tage, t + 2, position), oldest_of(tage, t + 3, position)};

		for (uint32_t i = group; i < FOLDS * tage->groups; i += tage->groups) {
			lanes value = before[i] << 1;

			value ^= (lanes)((value & tage->above[i]) != 0) & tage->wrapped[i];
			after[i] = value ^ (uint32_t)taken ^ (tage->leaving[i] & oldest);
		}
	}
	tage->outcomes[position & tage->outcome_mask] = taken;
}

/* The prediction for a branch with the history of out->position. */
static inline bool choose(const struct tage *tage, uint64_t pc, struct prediction *out)
{
	uint64_t pc_bits = pred_pc_bits(pc);
	const uint32_t *folds = folds_at(tage, out->position);
	const struct tage_entry *provider = NULL;
	bool alternate_taken = tage->base[pc_bits & tage->base_mask] >= PRED_WEAKLY_TAKEN;
	bool taken;

	/* Table numbers are kept from 1; 0 is the bimodal table. */
	out->provider = 0;
	for (uint32_t t = tage->tables; t-- > 0;) {
		uint32_t index;
		const struct tage_entry *entry = entry_at(tage, t, pc_bits, folds, &index);

		if (entry->tag != tag_of(tage, t, pc_bits, folds))
			continue;
		if (provider) {
			alternate_taken = entry->counter >= COUNTER_WEAKLY_TAKEN;
			break;
		}
		provider = entry;
		out->provider = (uint8_t)(t + 1);
		out->index = index;
	}
	taken = alternate_taken;
	out->flags = alternate_taken ? ALTERNATE_TAKEN : 0;
	if (provider) {
		bool provider_taken = provider->counter >= COUNTER_WEAKLY_TAKEN;
		bool is_new = !provider->useful && (provider->counter == COUNTER_WEAKLY_TAKEN ||
						    provider->counter == COUNTER_WEAKLY_TAKEN - 1);

		out->flags |= (uint8_t)((provider_taken ? PROVIDER_TAKEN : 0) |
					(is_new ? PROVIDER_NEW : 0));
		if (!is_new || tage->use_alternate < USE_ALTERNATE_HALF)
			taken = provider_taken;
	}
	return taken;
}

static bool predict(void *state, uint64_t pc, struct prediction *out)
{
	bool taken = choose(state, pc, out);

	push(state, out->position, taken);
	return taken;
}

/* Allocates an entry for this branch in a table of longer history than the provider's. */
static void allocate(struct tage *tage, uint64_t pc, bool taken,
		     const struct prediction *prediction)
{
	uint64_t pc_bits = pred_pc_bits(pc);
	const uint32_t *folds = folds_at(tage, prediction->position);
	struct tage_entry *found = NULL;
	uint32_t found_table = 0, index;
	uint64_t coins = rng_next(&tage->rng);

	for (uint32_t t = prediction->provider; t < tage->tables; t++) {
		struct tage_entry *entry = entry_at(tage, t, pc_bits, folds, &index);

		if (entry->useful)
			continue;
		found = entry;
		found_table = t;
		if (coins >> t & 1)
			break;
	}
	if (found) {
		found->tag = (uint16_t)tag_of(tage, found_table, pc_bits, folds);
		found->counter = taken ? COUNTER_WEAKLY_TAKEN : COUNTER_WEAKLY_TAKEN - 1;
		return;
	}
	for (uint32_t t = prediction->provider; t < tage->tables; t++)
		entry_at(tage, t, pc_bits, folds, &index)->useful--;
}

static void age(struct tage *tage)
{
	uint8_t kept = tage->updates / AGING_PERIOD % 2 ? 1 : 2;

	for (uint32_t t = 0; t < tage->tables; t++) {
		for (uint32_t i = 0; i <= tage->index_mask; i++)
			tage->entries[t][i].useful &= kept;
	}
}

static inline void update(void *state, uint64_t pc, bool taken, const struct prediction *prediction)
{
	struct tage *tage = state;
	bool provider_right = !(prediction->flags & PROVIDER_TAKEN) == !taken;
	bool alternate_right = !(prediction->flags & ALTERNATE_TAKEN) == !taken;
	bool is_new = prediction->flags & PROVIDER_NEW;

	if (prediction->provider) {
		struct tage_entry *entry =
			&tage->entries[prediction->provider - 1][prediction->index];

		if (provider_right != alternate_right) {
			pred_count(&entry->useful, provider_right, USEFUL_MOST);
			if (is_new)
				pred_count(&tage->use_alternate, alternate_right,
					   USE_ALTERNATE_MOST);
		}
		pred_count(&entry->counter, taken, COUNTER_MOST);
	} else {
		pred_count(&tage->base[pred_pc_bits(pc) & tage->base_mask], taken,
			   PRED_COUNTER_MOST);
	}
	if (prediction->taken != taken && prediction->provider < tage->tables &&
	    !(prediction->provider && is_new && provider_right))
		allocate(tage, pc, taken, prediction);
	if (++tage->updates % AGING_PERIOD == 0)
		age(tage);
}

static bool train(void *state, uint64_t pc, uint64_t history, uint32_t position, bool taken)
{
	struct prediction prediction = {.position = position};

	(void)history;
	prediction.taken = choose(state, pc, &prediction);
	update(state, pc, taken, &prediction);
	push(state, position, taken);
	return prediction.taken;
}

static void write_state(const void *state, uint32_t position,
			void (*write)(void *context, const void *bytes, size_t count),
			void *context)
{
	const struct tage *tage = state;

	for (uint32_t t = 0; t < tage->tables; t++)
		write(context, tage->entries[t],
		      ((size_t)tage->index_mask + 1) * sizeof(struct tage_entry));
	write(context, tage->base, (size_t)tage->base_mask + 1);
	for (uint32_t i = 1; i <= tage->length[tage->tables - 1]; i++)
		write(context, &tage->outcomes[(position - i) & tage->outcome_mask], 1);
	for (uint32_t fold = 0; fold < FOLDS; fold++)
		write(context, folds_at(tage, position) + (size_t)fold * tage->groups * LANES,
		      tage->tables * sizeof(uint32_t));
	write(context, &tage->use_alternate, sizeof(tage->use_alternate));
	write(context, &tage->rng, sizeof(tage->rng));
	write(context, &tage->updates, sizeof(tage->updates));
}

CONFIG_PART(pred_tage) = {
	.name = "tage",
	.create = create,
	.destroy = destroy,
	.predict = predict,
	.push = push,
	.update = update,
	.train = train,
	.grow = grow,
	.write_state = write_state,
};
