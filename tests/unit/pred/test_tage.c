#include "../test.h"
#include "stream.h"

#include <math.h>

/* TAGE from its definition: no folded registers, no rings; every index and tag
 * is worked out from the outcomes on the path. */
#define TABLES	12
#define ENTRIES 1024
#define LONGEST 300

struct row {
	int tag, counter, useful; /* counter -4 .. 3, taken from 0 on */
};

struct plain {
	size_t tables, entries, index_bits, base_entries;
	size_t length[TABLES], tag_bits[TABLES];
	struct row rows[TABLES][ENTRIES];
	int base[4096];
	int use_alternate; /* -8 .. 7 */
	uint64_t trained;
	struct rng rng;
};

/* What a prediction leaves for training. */
enum {
	PROVIDER,      /* table from 1; 0 is the base */
	PROVIDER_SAID, /* direction */
	ALTERNATE_SAID,
	IS_NEW,
	SAID,
	INDEX,		      /* one for each table */
	TAG = INDEX + TABLES, /* the same */
};

static struct plain *plain_create(const struct predictor_params *params)
{
	struct plain *plain = mem_alloc(sizeof(*plain));

	plain->tables = params->tage_tables;
	plain->entries = params->tage_entries;
	plain->base_entries = params->bimodal_entries;
	while ((size_t)1 << plain->index_bits < plain->entries)
		plain->index_bits++;
	for (size_t t = 0; t < plain->tables; t++) {
		double exponent = t ? (double)t / (double)(plain->tables - 1) : 0;

		plain->length[t] = (size_t)floor(params->tage_shortest_history *
							 pow((double)params->tage_longest_history /
								     params->tage_shortest_history,
							     exponent) +
						 0.5);
		plain->tag_bits[t] = t < 4 ? 8 + t : 12;
		for (size_t i = 0; i < plain->entries; i++)
			plain->rows[t][i] = (struct row){-1, -4, 0};
	}
	for (size_t i = 0; i < plain->base_entries; i++)
		plain->base[i] = 2;
	return plain;
}

static uint64_t fold(const unsigned *outcomes, size_t length, size_t width)
{
	uint64_t folded = 0;

	for (size_t i = 0; i < length; i++)
		folded ^= (uint64_t)outcomes[i] << i % width;
	return folded;
}

static void plain_predict(void *state, const struct branch *path, size_t count,
			  const struct branch *branch, struct answer *answer)
{
	const struct plain *plain = state;
	unsigned outcomes[LONGEST] = {0};
	uint64_t pc = branch->pc / 2;
	bool said[1 + TABLES];
	size_t matches[1 + TABLES], found = 0;

	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	for (size_t i = count, n = 0; i-- > 0 && n < LONGEST;) {
		if (path[i].kind == BRANCH_CONDITIONAL)
			outcomes[n++] = path[i].taken;
	}
	said[0] = plain->base[pc % plain->base_entries] >= 2;
	matches[found++] = 0;
	for (size_t t = 0; t < plain->tables; t++) {
		size_t length = plain->length[t], bits = plain->tag_bits[t];
		size_t shift = 1 + (size_t)labs((long)plain->index_bits - (long)t);
		uint64_t index = pc ^ (pc >> shift) ^ fold(outcomes, length, plain->index_bits);
		uint64_t tag =
			pc ^ fold(outcomes, length, bits) ^ (fold(outcomes, length, bits - 1) * 2);
		const struct row *row = &plain->rows[t][index % plain->entries];

		answer->note[INDEX + t] = (uint32_t)(index % plain->entries);
		answer->note[TAG + t] = (uint32_t)(tag % (UINT64_C(1) << bits));
		said[t + 1] = row->counter >= 0;
		if (row->tag == (int)answer->note[TAG + t])
			matches[found++] = t + 1;
	}
	answer->note[PROVIDER] = (uint32_t)matches[found - 1];
	answer->note[PROVIDER_SAID] = answer->note[ALTERNATE_SAID] = said[matches[found - 1]];
	answer->taken = said[matches[found - 1]];
	if (found > 1) {
		size_t t = matches[found - 1] - 1;
		const struct row *row = &plain->rows[t][answer->note[INDEX + t]];

		answer->note[ALTERNATE_SAID] = said[matches[found - 2]];
		answer->note[IS_NEW] =
			row->useful == 0 && (row->counter == 0 || row->counter == -1);
		if (answer->note[IS_NEW] && plain->use_alternate >= 0)
			answer->taken = answer->note[ALTERNATE_SAID];
	}
	answer->note[SAID] = answer->taken;
	answer->says_direction = true;
}

static int clamp(int value, int low, int high)
{
	return value < low ? low : value > high ? high : value;
}

static void plain_allocate(struct plain *plain, const struct branch *branch,
			   const struct answer *answer)
{
	uint64_t coins = rng_next(&plain->rng);
	size_t candidates[TABLES], count = 0, chosen = 0;

	for (size_t t = answer->note[PROVIDER]; t < plain->tables; t++) {
		if (plain->rows[t][answer->note[INDEX + t]].useful == 0)
			candidates[count++] = t;
	}
	if (!count) {
		for (size_t t = answer->note[PROVIDER]; t < plain->tables; t++)
			plain->rows[t][answer->note[INDEX + t]].useful--;
		return;
	}
	while (chosen + 1 < count && !(coins >> candidates[chosen] & 1))
		chosen++;
	plain->rows[candidates[chosen]][answer->note[INDEX + candidates[chosen]]] = (struct row){
		(int)answer->note[TAG + candidates[chosen]], branch->taken ? 0 : -1, 0};
}

static void plain_train(void *state, const struct branch *branch, const struct answer *answer)
{
	struct plain *plain = state;
	size_t provider = answer->note[PROVIDER];
	bool taken = branch->taken;
	int step = taken ? 1 : -1;
	bool spared = false;

	if (branch->kind != BRANCH_CONDITIONAL)
		return;
	if (provider == 0) {
		int *base = &plain->base[branch->pc / 2 % plain->base_entries];

		*base = clamp(*base + step, 0, 3);
	} else {
		struct row *row = &plain->rows[provider - 1][answer->note[INDEX + provider - 1]];
		bool provider_right = answer->note[PROVIDER_SAID] == taken;
		bool alternate_right = answer->note[ALTERNATE_SAID] == taken;

		if (provider_right && !alternate_right)
			row->useful = clamp(row->useful + 1, 0, 3);
		if (!provider_right && alternate_right)
			row->useful = clamp(row->useful - 1, 0, 3);
		if (answer->note[IS_NEW] && provider_right != alternate_right)
			plain->use_alternate =
				clamp(plain->use_alternate + (alternate_right ? 1 : -1), -8, 7);
		row->counter = clamp(row->counter + step, -4, 3);
		spared = answer->note[IS_NEW] && provider_right;
	}
	if (answer->note[SAID] != taken && provider < plain->tables && !spared)
		plain_allocate(plain, branch, answer);
	plain->trained++;
	if (plain->trained % 262144)
		return;
	for (size_t t = 0; t < plain->tables; t++) {
		for (size_t i = 0; i < plain->entries; i++) {
			int *useful = &plain->rows[t][i].useful;

			*useful = plain->trained / 262144 % 2 ? *useful % 2 : *useful / 2 * 2;
		}
	}
}

TEST(agrees_with_outcomes_read_off_the_path)
{
	static const uint32_t shapes[][6] = {
		/* tables, entries, shortest, longest, base, in flight */
		{6, 1024, 5, 240, 4096, 64}, {1, 16, 3, 3, 16, 32},   {4, 64, 5, 130, 128, 33},
		{12, 256, 2, 300, 1024, 32}, {3, 32, 7, 29, 64, 200},
	};
	struct predictor_params params = predictor_params_default;

	params.kind = "tage";
	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++) {
		struct plain *plain;
		struct twin twin = {NULL, plain_predict, plain_train};

		params.tage_tables = shapes[i][0];
		params.tage_entries = shapes[i][1];
		params.tage_shortest_history = shapes[i][2];
		params.tage_longest_history = shapes[i][3];
		params.bimodal_entries = shapes[i][4];
		params.in_flight = shapes[i][5];
		plain = plain_create(&params);
		twin.state = plain;
		compare_with_twin(&params, &twin, i + 1, 60 + 40 * i, 10000);
		free(plain);
	}
}

TEST(agrees_over_three_ageings)
{
	struct predictor_params params = predictor_params_default;
	struct predictor *predictor;
	struct branch *path = mem_alloc_array(800000, sizeof(*path));
	struct rng rng = {3};
	struct plain *plain;

	params.kind = "tage";
	params.tage_tables = 3;
	params.tage_entries = 32;
	params.tage_longest_history = 24;
	params.bimodal_entries = 16;
	predictor = make_predictor(&params);
	plain = plain_create(&params);
	for (size_t i = 0; i < 800000; i++) {
		struct answer answer;
		struct prediction prediction;
		struct branch *b = &path[i];

		*b = conditional(0x1000 + i % 5 * 6, i % 23 < 9 || rng_below(&rng, 8) == 0);
		memset(answer.note, 0, sizeof(answer.note));
		plain_predict(plain, path, i, b, &answer);
		predictor_predict(predictor, b->kind, b->pc, b->bytes, &prediction);
		assert_int_equal(prediction.taken, answer.taken);
		if (prediction.taken != b->taken)
			predictor_recover(predictor, b->kind, b->pc, b->bytes, b->taken, b->target,
					  &prediction);
		predictor_update(predictor, b->kind, b->pc, b->bytes, b->taken, b->target,
				 &prediction);
		plain_train(plain, b, &answer);
	}
	predictor_destroy(predictor);
	free(plain);
	free(path);
}

TEST(learns_a_long_loop_that_gshare_cannot)
{
	struct predictor_params params = predictor_params_default;
	struct branch stream[20000];

	for (size_t i = 0; i < 20000; i++)
		stream[i] = conditional(0x1000, i % 40 != 39);
	params.kind = "tage";
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 20000, 10000), 0, 0);
	params.kind = "gshare";
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 20000, 10000), 2.5, 2.5);
	/* Nor can TAGE itself, once its longest history is shorter than the loop. */
	params.kind = "tage";
	params.tage_longest_history = 30;
	ASSERT_BETWEEN(warm_percent_wrong(&params, stream, 20000, 10000), 2.5, 2.5);
}

TEST(cannot_learn_tosses)
{
	struct predictor_params params = predictor_params_default;
	struct branch *tosses = make_tosses(40000);

	params.kind = "tage";
	ASSERT_BETWEEN(warm_percent_wrong(&params, tosses, 40000, 1000), 48, 52);
	free(tosses);
}
