/*
 * stream.h - branches for the tests of the predictors, and a null core that
 * fetches, mispredicts, follows wrong paths, resolves, squashes and commits
 * them, and at every prediction compares with a twin: the same predictor
 * written from its definition in the slowest obvious way.
 *
 * The twin is given the path: every branch before this one with the outcome
 * believed for it at this moment, wrong path included. It keeps no history and
 * so has nothing to restore.
 */
#ifndef TESTS_PRED_STREAM_H
#define TESTS_PRED_STREAM_H

#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "pred/predictor.h"

struct branch {
	enum branch_kind kind;
	uint64_t pc;
	unsigned bytes;
	bool taken;
	uint64_t target;
};

struct answer {
	bool says_direction, says_target; /* what this twin has an opinion on */
	bool taken, has_target;
	uint64_t target;
	uint32_t note[64]; /* from the twin to itself, for training */
};

struct twin {
	void *state;
	void (*predict)(void *state, const struct branch *path, size_t count,
			const struct branch *branch, struct answer *answer);
	void (*train)(void *state, const struct branch *branch, const struct answer *answer);
};

struct tally {
	size_t branches, wrong, wrong_path, recoveries, nested, restores, compared;
};

static inline struct predictor *make_predictor(const struct predictor_params *params)
{
	struct err err;
	struct predictor *predictor = predictor_create(params, &err);

	if (!predictor)
		fail_msg("%s", err.text);
	return predictor;
}

/* Sites with fixed kinds and habits, walked mostly in circles. Returns go where
 * the calls say. */
static inline struct branch *make_program(uint64_t seed, size_t sites, size_t count)
{
	static const enum branch_kind mix[16] = {
		BRANCH_CONDITIONAL, BRANCH_CONDITIONAL,	  BRANCH_CONDITIONAL, BRANCH_CONDITIONAL,
		BRANCH_CONDITIONAL, BRANCH_CONDITIONAL,	  BRANCH_CONDITIONAL, BRANCH_CONDITIONAL,
		BRANCH_JUMP,	    BRANCH_CALL,	  BRANCH_CALL,	      BRANCH_INDIRECT,
		BRANCH_INDIRECT,    BRANCH_INDIRECT_CALL, BRANCH_RETURN,      BRANCH_RETURN};
	struct rng rng = {seed};
	struct branch *stream = mem_alloc_array(count, sizeof(*stream));
	uint64_t *pcs = mem_alloc_array(sites, sizeof(*pcs));
	uint64_t *calls = mem_alloc_array(count + 1, sizeof(*calls));
	size_t depth = 0, site = 0;
	bool last = false;

	for (size_t i = 0; i < sites; i++)
		pcs[i] = (i % 8 ? 0x10000 : UINT64_C(0xffffff8000000000)) + i * 64 +
			 2 * rng_below(&rng, 30);
	for (size_t i = 0; i < count; i++) {
		struct branch *b = &stream[i];

		b->pc = pcs[site];
		b->kind = mix[b->pc / 2 * 7 % 16];
		b->bytes = b->pc / 4 % 2 ? 2 : 4;
		b->taken = true;
		b->target = b->pc + 1000;
		switch (b->kind) {
		case BRANCH_CONDITIONAL:
			switch (site % 4) {
			case 0: b->taken = rng_below(&rng, 16) != 0; break;
			case 1: b->taken = i % 2; break;
			case 2: b->taken = !last; break;
			default: b->taken = rng_below(&rng, 2); break;
			}
			last = b->taken;
			break;
		case BRANCH_INDIRECT:
		case BRANCH_INDIRECT_CALL:
			b->target = 0x80000 + (last ? 64 : 0) + 128 * rng_below(&rng, 3);
			break;
		case BRANCH_RETURN: b->target = depth ? calls[--depth] : 0x90000 + 2 * i; break;
		default: break;
		}
		if (b->kind == BRANCH_CALL || b->kind == BRANCH_INDIRECT_CALL)
			calls[depth++] = b->pc + b->bytes;
		site = rng_below(&rng, 10) ? (site + 1) % sites : rng_below(&rng, sites);
	}
	free(pcs);
	free(calls);
	return stream;
}

struct flight {
	struct branch actual;
	struct prediction prediction;
	struct answer answer;
	bool from_stream;
	bool wrong; /* mispredicted, and what follows is not yet squashed */
	bool resolved;
};

#define WINDOW_MOST 64

struct null_core {
	struct predictor *predictor;
	const struct twin *twin;
	const struct branch *stream;
	size_t count, next;
	struct branch *path; /* committed, then in flight as believed */
	size_t committed;
	struct flight flights[WINDOW_MOST];
	size_t in_flight;
	struct rng rng;
	struct tally tally;
};

static inline bool null_core_is_astray(const struct null_core *core)
{
	for (size_t i = 0; i < core->in_flight; i++) {
		if (core->flights[i].wrong)
			return true;
	}
	return false;
}

static inline void null_core_compare(struct null_core *core, const struct flight *flight)
{
	const struct prediction *p = &flight->prediction;
	const struct answer *a = &flight->answer;

	if (a->says_direction) {
		assert_int_equal(p->taken, a->taken);
		core->tally.compared++;
	}
	if (a->says_target && p->taken) {
		assert_int_equal(p->has_target, a->has_target);
		if (a->has_target)
			assert_int_equal(p->target, a->target);
		core->tally.compared++;
	}
}

static inline void null_core_recover(struct null_core *core, size_t i, bool taken)
{
	struct flight *f = &core->flights[i];
	const struct branch *b = &f->actual;

	predictor_recover(core->predictor, b->kind, b->pc, b->bytes, taken, b->target,
			  &f->prediction);
	core->in_flight = i + 1;
	core->path[core->committed + i].taken = taken;
	core->path[core->committed + i].target = b->target;
}

static inline void null_core_fetch(struct null_core *core)
{
	struct flight *f = &core->flights[core->in_flight];
	struct branch *believed = &core->path[core->committed + core->in_flight];
	bool astray = null_core_is_astray(core);
	enum prediction_verdict verdict;

	if (!astray && core->next == core->count)
		return;
	memset(f, 0, sizeof(*f));
	f->from_stream = !astray;
	if (astray) {
		f->actual = core->stream[rng_below(&core->rng, core->count)];
		if (f->actual.kind == BRANCH_CONDITIONAL)
			f->actual.taken = rng_below(&core->rng, 2);
		core->tally.wrong_path++;
	} else {
		f->actual = core->stream[core->next++];
	}
	predictor_predict(core->predictor, f->actual.kind, f->actual.pc, f->actual.bytes,
			  &f->prediction);
	if (core->twin) {
		core->twin->predict(core->twin->state, core->path,
				    core->committed + core->in_flight, &f->actual, &f->answer);
		null_core_compare(core, f);
	}
	*believed = f->actual;
	believed->taken = f->prediction.taken;
	believed->target = f->prediction.has_target ? f->prediction.target : 0;
	verdict =
		prediction_judge(&f->prediction, f->actual.kind, f->actual.taken, f->actual.target);
	f->wrong = verdict == PREDICTION_WRONG;
	core->in_flight++;
	/* Decode puts a direct target right, whatever the direction will be. */
	if (verdict == PREDICTION_MISFETCH && rng_below(&core->rng, 2))
		null_core_recover(core, core->in_flight - 1, f->prediction.taken);
}

static inline void null_core_resolve(struct null_core *core)
{
	size_t i = rng_below(&core->rng, core->in_flight);
	struct flight *f = &core->flights[i];

	f->resolved = true;
	if (!f->wrong)
		return;
	null_core_recover(core, i, f->actual.taken);
	f->wrong = false;
	core->tally.recoveries++;
	core->tally.nested += null_core_is_astray(core);
}

static inline void null_core_restore(struct null_core *core)
{
	size_t i = rng_below(&core->rng, core->in_flight);

	predictor_restore(core->predictor, &core->flights[i].prediction);
	for (size_t j = i; j < core->in_flight; j++)
		core->next -= core->flights[j].from_stream;
	core->in_flight = i;
	core->tally.restores++;
}

static inline void null_core_commit(struct null_core *core)
{
	struct flight *f = &core->flights[0];
	const struct branch *b = &f->actual;

	if (!f->resolved)
		return;
	assert_true(f->from_stream);
	predictor_update(core->predictor, b->kind, b->pc, b->bytes, b->taken, b->target,
			 &f->prediction);
	if (core->twin)
		core->twin->train(core->twin->state, b, &f->answer);
	core->path[core->committed++] = *b;
	core->tally.branches++;
	core->tally.wrong +=
		prediction_judge(&f->prediction, b->kind, b->taken, b->target) == PREDICTION_WRONG;
	memmove(f, f + 1, --core->in_flight * sizeof(*f));
}

/* Runs the stream to its end with up to `window` branches in flight. */
static inline struct tally speculate(struct predictor *predictor, const struct twin *twin,
				     const struct branch *stream, size_t count, size_t window,
				     uint64_t seed)
{
	struct null_core *core = mem_alloc(sizeof(*core));
	struct tally tally;

	core->predictor = predictor;
	core->twin = twin;
	core->stream = stream;
	core->count = count;
	core->path = mem_alloc_array(count + WINDOW_MOST, sizeof(*core->path));
	core->rng.state = seed;
	while (core->committed < count) {
		uint64_t dice = rng_below(&core->rng, 200);

		if (core->in_flight < window && dice < 80)
			null_core_fetch(core);
		else if (core->in_flight && dice < 130)
			null_core_resolve(core);
		else if (core->in_flight && dice < 131)
			null_core_restore(core);
		else if (core->in_flight)
			null_core_commit(core);
	}
	tally = core->tally;
	free(core->path);
	free(core);
	return tally;
}

/* A twin's run over random programs: the stream must have exercised what the
 * comparison is for. */
static inline void compare_with_twin(const struct predictor_params *params, const struct twin *twin,
				     uint64_t seed, size_t sites, size_t count)
{
	struct branch *stream = make_program(seed, sites, count);
	struct predictor *predictor = make_predictor(params);
	struct tally tally = speculate(predictor, twin, stream, count,
				       params->in_flight < 32 ? params->in_flight : 32, seed);

	assert_int_equal(tally.branches, count);
	assert_true(tally.compared > count / 4);
	assert_true(tally.wrong_path > count / 8);
	assert_true(tally.recoveries > count / 50);
	assert_true(tally.nested > count / 500);
	assert_true(tally.restores > count / 500);
	predictor_destroy(predictor);
	free(stream);
}

/* Outcome of the conditional branch `back` conditional branches ago. */
static inline unsigned path_outcome(const struct branch *path, size_t count, size_t back)
{
	for (size_t i = count; i-- > 0;) {
		if (path[i].kind == BRANCH_CONDITIONAL && back-- == 0)
			return path[i].taken;
	}
	return 0;
}

/* The branches judged wrong, of a hundred, after the first `skipped`. */
static inline double warm_percent_wrong(const struct predictor_params *params,
					const struct branch *stream, size_t count, size_t skipped)
{
	struct predictor *predictor = make_predictor(params);
	size_t wrong = 0;

	for (size_t i = 0; i < count; i++) {
		const struct branch *b = &stream[i];

		if (predictor_warm(predictor, b->kind, b->pc, b->bytes, b->taken, b->target) ==
			    PREDICTION_WRONG &&
		    i >= skipped)
			wrong++;
	}
	predictor_destroy(predictor);
	return 100.0 * (double)wrong / (double)(count - skipped);
}

static inline struct branch conditional(uint64_t pc, bool taken)
{
	return (struct branch){BRANCH_CONDITIONAL, pc, 4, taken, pc + 400};
}

/* Random outcomes, which no predictor can learn. */
static inline struct branch *make_tosses(size_t count)
{
	struct branch *stream = mem_alloc_array(count, sizeof(*stream));
	struct rng rng = {99};

	for (size_t i = 0; i < count; i++)
		stream[i] = conditional(0x1000 + i % 8 * 16, rng_below(&rng, 2));
	return stream;
}

#define ASSERT_BETWEEN(value, low, high)                                                         \
	do {                                                                                     \
		double measured = (value);                                                       \
		if (!(measured >= (low) && measured <= (high)))                                  \
			fail_msg("%s is %.3f, not in %g .. %g", #value, measured, (double)(low), \
				 (double)(high));                                                \
	} while (0)

#endif
