#include "../test.h"
#include "stream.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {"static_taken", "static_not_taken", "bimodal",
				    "gshare",	    "hybrid",		"tage"};
static const char *const indirect_kinds[] = {"btb", "history"};

/* Tables so small that whole states can be compared at every step. */
static struct predictor_params small_params(const char *kind, const char *indirect)
{
	struct predictor_params params = predictor_params_default;

	params.kind = kind;
	params.indirect_kind = indirect;
	params.bimodal_entries = 16;
	params.gshare_entries = 32;
	params.gshare_history_bits = 5;
	params.chooser_entries = 8;
	params.tage_tables = 4;
	params.tage_entries = 16;
	params.tage_longest_history = 60;
	params.btb_sets = 4;
	params.btb_ways = 2;
	params.return_stack_entries = 3;
	params.indirect_entries = 8;
	params.in_flight = 20;
	return params;
}

struct bytes {
	unsigned char *items;
	size_t count, capacity;
};

static void keep(void *context, const void *bytes, size_t count)
{
	struct bytes *all = context;

	while (all->count + count > all->capacity) {
		all->capacity = all->capacity ? 2 * all->capacity : 1024;
		all->items = mem_realloc(all->items, all->capacity, 1);
	}
	memcpy(all->items + all->count, bytes, count);
	all->count += count;
}

static void assert_same_state(const struct predictor *a, const struct predictor *b)
{
	struct bytes of_a = {0}, of_b = {0};

	predictor_state(a, keep, &of_a);
	predictor_state(b, keep, &of_b);
	assert_true(of_a.count > 100);
	assert_int_equal(of_a.count, of_b.count);
	assert_memory_equal(of_a.items, of_b.items, of_a.count);
	free(of_a.items);
	free(of_b.items);
}

static void predict(struct predictor *p, const struct branch *b, struct prediction *out)
{
	predictor_predict(p, b->kind, b->pc, b->bytes, out);
}

static void recover(struct predictor *p, const struct branch *b, const struct prediction *of)
{
	predictor_recover(p, b->kind, b->pc, b->bytes, b->taken, b->target, of);
}

static void update(struct predictor *p, const struct branch *b, const struct prediction *of)
{
	predictor_update(p, b->kind, b->pc, b->bytes, b->taken, b->target, of);
}

/* Up to 18 more branches of any kind, some recovered or restored on the way. */
static void wander(struct predictor *p, const struct branch *stream, size_t count, struct rng *rng)
{
	struct prediction predictions[18];
	struct branch branches[18];
	size_t length = 0;

	for (size_t steps = rng_below(rng, 30); steps; steps--) {
		size_t i;

		if (length < 18 && (!length || rng_below(rng, 5))) {
			branches[length] = stream[rng_below(rng, count)];
			if (branches[length].kind == BRANCH_CONDITIONAL)
				branches[length].taken = rng_below(rng, 2);
			predict(p, &branches[length], &predictions[length]);
			length++;
			continue;
		}
		i = rng_below(rng, length);
		if (rng_below(rng, 3)) {
			recover(p, &branches[i], &predictions[i]);
			length = i + 1;
		} else {
			predictor_restore(p, &predictions[i]);
			length = i;
		}
	}
}

static void check_exactness(const char *kind, const char *indirect)
{
	struct predictor_params params = small_params(kind, indirect);
	struct predictor *stray = make_predictor(&params), *straight = make_predictor(&params);
	size_t count = 3000;
	struct branch *stream = make_program(17, 60, count);
	struct rng rng = {23};

	for (size_t i = 0; i < count; i++) {
		const struct branch *b = &stream[i];
		struct prediction a, c;

		predict(stray, b, &a);
		wander(stray, stream, count, &rng);
		predictor_restore(stray, &a);
		assert_same_state(stray, straight);

		predict(stray, b, &a);
		predict(straight, b, &c);
		assert_same_state(stray, straight);
		assert_int_equal(a.taken, c.taken);
		assert_int_equal(a.has_target, c.has_target);
		assert_int_equal(a.target, c.target);
		wander(stray, stream, count, &rng);
		recover(stray, b, &a);
		if (prediction_judge(&c, b->kind, b->taken, b->target) == PREDICTION_WRONG)
			recover(straight, b, &c);
		assert_same_state(stray, straight);

		update(stray, b, &a);
		update(straight, b, &c);
		assert_same_state(stray, straight);
	}
	predictor_destroy(stray);
	predictor_destroy(straight);
	free(stream);
}

TEST(a_wrong_path_leaves_no_trace)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		for (size_t j = 0; j < ARRAY_COUNT(indirect_kinds); j++)
			check_exactness(kinds[i], indirect_kinds[j]);
	}
}

TEST(warming_predicts_and_updates_at_once)
{
	struct branch *stream = make_program(31, 80, 3000);

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct predictor_params params = small_params(kinds[i], "history");
		struct predictor *warm = make_predictor(&params), *whole = make_predictor(&params);

		for (size_t j = 0; j < 3000; j++) {
			const struct branch *b = &stream[j];
			struct prediction p;

			predict(whole, b, &p);
			recover(whole, b, &p);
			update(whole, b, &p);
			assert_int_equal(
				predictor_warm(warm, b->kind, b->pc, b->bytes, b->taken, b->target),
				prediction_judge(&p, b->kind, b->taken, b->target));
			assert_same_state(warm, whole);
		}
		predictor_destroy(warm);
		predictor_destroy(whole);
	}
	free(stream);
}

TEST(the_same_run_twice_gives_the_same_state)
{
	struct branch *stream = make_program(41, 80, 10000);

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct predictor_params params = small_params(kinds[i], "history");
		struct predictor *a = make_predictor(&params), *b = make_predictor(&params);
		struct tally first = speculate(a, NULL, stream, 10000, 20, 5);
		struct tally second = speculate(b, NULL, stream, 10000, 20, 5);

		assert_memory_equal(&first, &second, sizeof(first));
		assert_same_state(a, b);
		/* A state that never changed would compare equal too. */
		predictor_warm(b, BRANCH_CONDITIONAL, 0x5550, 4, true, 0x6660);
		struct bytes of_a = {0}, of_b = {0};
		predictor_state(a, keep, &of_a);
		predictor_state(b, keep, &of_b);
		assert_memory_not_equal(of_a.items, of_b.items, of_a.count);
		free(of_a.items);
		free(of_b.items);
		predictor_destroy(a);
		predictor_destroy(b);
	}
	free(stream);
}

/* Step by step, through sizes that need longer rings and sizes that do not, each time with as many
 * branches in flight as there may be, all of them taken back. */
TEST(one_that_has_grown_predicts_as_one_that_began_large)
{
	const size_t part = 300;
	struct branch *stream = make_program(51, 80, 44 * part);
	struct prediction of_a[WINDOW_MOST], of_b[WINDOW_MOST];

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct predictor_params params = small_params(kinds[i], "history"), large;

		params.tage_longest_history = 100;
		large = params;
		large.in_flight = WINDOW_MOST;
		struct predictor *a = make_predictor(&params), *b = make_predictor(&large);

		for (uint32_t room = 20; room < WINDOW_MOST; room++) {
			const struct branch *from = &stream[(room - 20) * part];

			for (size_t k = 0; k + 1 < room; k++) {
				predict(a, &from[k], &of_a[k]);
				predict(b, &from[k], &of_b[k]);
				assert_int_equal(of_a[k].taken, of_b[k].taken);
				assert_int_equal(of_a[k].target, of_b[k].target);
			}
			predictor_grow(a, room + 1);
			predictor_restore(a, &of_a[0]);
			predictor_restore(b, &of_b[0]);
			assert_same_state(a, b);
			struct tally tally_a = speculate(a, NULL, from, part, room, 5);
			struct tally tally_b = speculate(b, NULL, from, part, room, 5);
			assert_memory_equal(&tally_a, &tally_b, sizeof(tally_a));
		}
		predictor_destroy(a);
		predictor_destroy(b);
	}
	free(stream);
}

/* Calls of two lengths at one place differ in the address to return to and in nothing else. */
TEST(the_state_has_the_addresses_to_return_to)
{
	struct predictor_params params = small_params(kinds[0], "history");
	struct predictor *a = make_predictor(&params), *b = make_predictor(&params);
	struct bytes of_a = {0}, of_b = {0};
	size_t differing = 0;

	predictor_warm(a, BRANCH_CALL, 0x5550, 2, true, 0x6660);
	predictor_warm(b, BRANCH_CALL, 0x5550, 4, true, 0x6660);
	predictor_state(a, keep, &of_a);
	predictor_state(b, keep, &of_b);
	assert_int_equal(of_a.count, of_b.count);
	for (size_t i = 0; i < of_a.count; i++)
		differing += of_a.items[i] != of_b.items[i];
	assert_int_equal(differing, 1);
	free(of_a.items);
	free(of_b.items);
	predictor_destroy(a);
	predictor_destroy(b);
}

TEST(verdicts_tell_misfetch_from_misprediction)
{
	struct prediction taken_blind = {.taken = true};
	struct prediction taken = {.taken = true, .has_target = true, .target = 64};
	struct prediction not_taken = {.taken = false};

	assert_int_equal(prediction_judge(&taken_blind, BRANCH_CONDITIONAL, true, 64),
			 PREDICTION_MISFETCH);
	assert_int_equal(prediction_judge(&taken_blind, BRANCH_CONDITIONAL, false, 64),
			 PREDICTION_WRONG);
	assert_int_equal(prediction_judge(&taken_blind, BRANCH_CALL, true, 64),
			 PREDICTION_MISFETCH);
	assert_int_equal(prediction_judge(&taken_blind, BRANCH_JUMP, true, 64),
			 PREDICTION_MISFETCH);
	assert_int_equal(prediction_judge(&taken_blind, BRANCH_INDIRECT, true, 64),
			 PREDICTION_WRONG);
	assert_int_equal(prediction_judge(&taken_blind, BRANCH_INDIRECT_CALL, true, 64),
			 PREDICTION_WRONG);
	assert_int_equal(prediction_judge(&taken_blind, BRANCH_RETURN, true, 64), PREDICTION_WRONG);
	assert_int_equal(prediction_judge(&taken, BRANCH_RETURN, true, 64), PREDICTION_RIGHT);
	assert_int_equal(prediction_judge(&taken, BRANCH_RETURN, true, 66), PREDICTION_WRONG);
	assert_int_equal(prediction_judge(&not_taken, BRANCH_CONDITIONAL, false, 64),
			 PREDICTION_RIGHT);
	assert_int_equal(prediction_judge(&not_taken, BRANCH_CONDITIONAL, true, 64),
			 PREDICTION_WRONG);
}

static void assert_refused(const struct predictor_params *params, const char *word)
{
	struct err err = {.text = ""};

	assert_null(predictor_create(params, &err));
	if (!strstr(err.text, word))
		fail_msg("'%s' does not mention %s", err.text, word);
	assert_null(predictor_create(params, NULL));
}

TEST(impossible_parameters_are_refused_by_key)
{
	static const struct {
		const char *kind;
		size_t offset;
		uint32_t value;
		const char *word;
	} cases[] = {
#define FIELD(kind, field, value, word) \
	{kind, offsetof(struct predictor_params, field), value, word}
		FIELD("bimodal", bimodal_entries, 100, "predictor.bimodal_entries is 100"),
		FIELD("bimodal", bimodal_entries, 0, "predictor.bimodal_entries"),
		FIELD("gshare", gshare_entries, 4095, "predictor.gshare_entries"),
		FIELD("gshare", gshare_history_bits, 13, "predictor.gshare_history_bits is 13"),
		FIELD("hybrid", gshare_history_bits, 64, "predictor.gshare_history_bits"),
		FIELD("hybrid", chooser_entries, 6, "predictor.chooser_entries"),
		FIELD("hybrid", bimodal_entries, 6, "predictor.bimodal_entries"),
		FIELD("tage", tage_tables, 0, "predictor.tage_tables"),
		FIELD("tage", tage_tables, 13, "predictor.tage_tables"),
		FIELD("tage", tage_entries, 8, "predictor.tage_entries"),
		FIELD("tage", tage_entries, 1000, "predictor.tage_entries"),
		FIELD("tage", tage_longest_history, 4, "predictor.tage_longest_history_bits (4)"),
		FIELD("tage", tage_shortest_history, 0, "predictor.tage_shortest_history_bits (0)"),
		FIELD("tage", tage_longest_history, 5000, "at most 4096"),
		FIELD("hybrid", btb_sets, 3, "btb.sets is 3"),
		FIELD("hybrid", btb_ways, 0, "btb.ways"),
		FIELD("hybrid", return_stack_entries, 0, "return_stack.entries"),
		FIELD("hybrid", indirect_entries, 7, "indirect.entries"),
		FIELD("hybrid", in_flight, 0, "in flight"),
		FIELD("hybrid", in_flight, 1 << 21, "in flight"),
#undef FIELD
	};
	struct predictor_params params;
	char value[16];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		params = predictor_params_default;
		params.kind = cases[i].kind;
		params.indirect_kind = "history";
		memcpy((char *)&params + cases[i].offset, &cases[i].value, sizeof(uint32_t));
		assert_refused(&params, cases[i].word);
		/* The sentence says what the value was. */
		snprintf(value, sizeof(value), "%u", (unsigned)cases[i].value);
		assert_refused(&params, value);
	}
	params = predictor_params_default;
	params.kind = "oracle";
	assert_refused(&params,
		       "there are: static_taken static_not_taken bimodal gshare hybrid tage");
	params = predictor_params_default;
	params.indirect_kind = "oracle";
	assert_refused(&params, "neither btb nor history");
}

/* The least and the most that is allowed. */
TEST(extreme_parameters_are_accepted)
{
	static const struct predictor_params extremes[] = {
		{"bimodal", 1, 2, 1, 1, 1, 16, 1, 1, 1, 1, 1, "btb", 1, 1},
		{"gshare", 1, 2, 1, 1, 1, 16, 1, 1, 1, 1, 1, "history", 2, 1},
		{"hybrid", 2, 16, 4, 2, 1, 16, 1, 1, 2, 1, 1, "history", 2, 1 << 20},
		{"tage", 1, 2, 1, 1, 1, 16, 1, 1, 1, 64, 1, "history", 2, 1},
		{"tage", 2, 2, 1, 1, 12, 16, 64, 64, 1, 1, 1, "btb", 1, 4},
		{"tage", 2, 2, 1, 1, 2, 16, 1, 4096, 1, 1, 1, "btb", 1, 4},
	};

	for (size_t i = 0; i < ARRAY_COUNT(extremes); i++) {
		struct predictor *predictor = make_predictor(&extremes[i]);

		for (uint64_t pc = 0; pc < 4000; pc += 4)
			predictor_warm(predictor, BRANCH_CONDITIONAL, pc % 40, 4, pc % 12, pc + 64);
		predictor_destroy(predictor);
	}
}

static void update_out_of_order(struct predictor *p)
{
	struct branch b = conditional(0x1000, true);
	struct prediction first, second;

	predict(p, &b, &first);
	predict(p, &b, &second);
	update(p, &b, &second);
}

static void update_twice(struct predictor *p)
{
	struct branch b = conditional(0x1000, true);
	struct prediction first;

	predict(p, &b, &first);
	update(p, &b, &first);
	update(p, &b, &first);
}

static void recover_what_was_squashed(struct predictor *p)
{
	struct branch b = conditional(0x1000, true);
	struct prediction first, second;

	predict(p, &b, &first);
	predict(p, &b, &second);
	recover(p, &b, &first);
	recover(p, &b, &second);
}

static void recover_what_was_committed(struct predictor *p)
{
	struct branch b = conditional(0x1000, true);
	struct prediction first, second;

	predict(p, &b, &first);
	predict(p, &b, &second);
	update(p, &b, &first);
	recover(p, &b, &first);
}

static void predict_too_many(struct predictor *p)
{
	struct branch b = conditional(0x1000, true);
	struct prediction prediction;

	for (size_t i = 0; i < 21; i++)
		predict(p, &b, &prediction);
}

static void predict_as_many_as_may_be(struct predictor *p)
{
	struct branch b = conditional(0x1000, true);
	struct prediction prediction;

	for (size_t i = 0; i < 20; i++)
		predict(p, &b, &prediction);
}

static bool aborts(void (*misuse)(struct predictor *))
{
	struct predictor_params params = small_params("tage", "history");
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child) {
		struct predictor *p = make_predictor(&params);

		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		misuse(p);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

TEST(a_core_that_breaks_the_order_is_stopped)
{
	assert_true(aborts(update_out_of_order));
	assert_true(aborts(update_twice));
	assert_true(aborts(recover_what_was_squashed));
	assert_true(aborts(recover_what_was_committed));
	assert_true(aborts(predict_too_many));
	assert_false(aborts(predict_as_many_as_may_be));
}
