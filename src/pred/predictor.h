/*
 * predictor.h - branch prediction for fetch: a branch's direction (one of the
 * kinds of pred_kind.h), its target (BTB, return stack, indirect targets), and
 * the speculative history and return stack that these use.
 *
 * The calls for a branch: predict at fetch, in fetch order, wrong path
 * included; then either update at commit, in the same order, or it is squashed
 * by the recover or restore of an older branch (or by a restore to itself). A
 * branch may be recovered several times, at decode and again when it resolves.
 *
 * Invariant: after recover or restore the predictor is, bit for bit, what it
 * would be had the squashed branches never been predicted. What predict alters
 * (history, path, return stack) is restored exactly; tables, BTB contents and
 * replacement order change only in update, so a wrong path changes none of
 * them.
 *
 * The kind of a branch is given, as by predecode bits in the instruction cache.
 * Not modelled: BTB misses that hide a branch from fetch, banks and ports,
 * training later than commit. With perfect prediction the core uses no
 * predictor.
 */
#ifndef PRED_PREDICTOR_H
#define PRED_PREDICTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum branch_kind {
	BRANCH_CONDITIONAL,
	BRANCH_JUMP,
	BRANCH_CALL,
	BRANCH_INDIRECT,
	BRANCH_INDIRECT_CALL,
	BRANCH_RETURN,
};

/* Words and numbers as in the configuration, whose keys the sentences name.
 * All "entries" and btb_sets are powers of two, but for the return stack's. */
struct predictor_params {
	const char *kind; /* static_taken static_not_taken bimodal gshare hybrid tage */
	uint32_t bimodal_entries;
	uint32_t gshare_entries;
	uint32_t gshare_history_bits; /* at most log2(gshare_entries) */
	uint32_t chooser_entries;
	uint32_t tage_tables;
	uint32_t tage_entries;
	uint32_t tage_shortest_history;
	uint32_t tage_longest_history;
	uint32_t btb_sets;
	uint32_t btb_ways;
	uint32_t return_stack_entries;
	const char *indirect_kind; /* btb history */
	uint32_t indirect_entries;
	uint32_t in_flight; /* branches predicted, not yet updated or squashed: at most this many */
};

/* The parameters of the eyerman2006 preset. */
extern const struct predictor_params predictor_params_default;

/* Kept by the core with the branch, handed back unchanged. The core reads the
 * first three fields; the rest is what recovery and training need. */
struct prediction {
	uint64_t target; /* if taken and has_target */
	bool taken;
	bool has_target;
	uint8_t flags; /* flags of the direction kind */
	uint8_t provider;
	uint32_t index;		 /* into the direction kind's table */
	uint64_t history;	 /* outcomes of the conditional branches before it, last in bit 0 */
	uint32_t position;	 /* number of conditional branches before it, modulo 2^32 */
	uint32_t indirect_index; /* the entry used for the target */
	uint32_t path;		 /* outcomes and bits of indirect targets before it */
	uint32_t sequence;	 /* number of branches before it, modulo 2^32 */
	uint32_t return_top;	 /* top of the return stack before it */
	uint32_t return_pushes;	 /* number of pushes before it, modulo 2^32 */
};

_Static_assert(sizeof(struct prediction) <= 64, "a prediction fits a cache line");

/* Wrong is 0, so that "not wrong" is a plain test. */
enum prediction_verdict {
	PREDICTION_WRONG,    /* direction, or the target of an indirect jump or return */
	PREDICTION_MISFETCH, /* direct and rightly taken, target unknown: decode supplies it */
	PREDICTION_RIGHT,
};

struct predictor;

/* NULL with a sentence if the parameters are not possible. */
struct predictor *predictor_create(const struct predictor_params *params, struct err *err);
void predictor_destroy(struct predictor *predictor); /* NULL is fine */

/* At fetch. `bytes` is the instruction's length. Taken without a target means that the
 * predictor does not know it: fetch must wait until decode (direct) or execute (indirect)
 * computes it; if fetch continued elsewhere meanwhile, recover. */
void predictor_predict(struct predictor *predictor, enum branch_kind kind, uint64_t pc,
		       unsigned bytes, struct prediction *out);

/* From now on so many branches may be in flight, if that is more than before. */
void predictor_grow(struct predictor *predictor, uint32_t in_flight);

/* Everything predicted after this branch is squashed; the branch itself stays, with the
 * outcome given here (at decode, the outcome assumed). */
void predictor_recover(struct predictor *predictor, enum branch_kind kind, uint64_t pc,
		       unsigned bytes, bool taken, uint64_t target,
		       const struct prediction *prediction);

/* This branch and everything after it is squashed. */
void predictor_restore(struct predictor *predictor, const struct prediction *prediction);

/* At commit, of every branch predicted and not squashed, oldest first. A
 * branch that was predicted wrong must have been recovered before. */
void predictor_update(struct predictor *predictor, enum branch_kind kind, uint64_t pc,
		      unsigned bytes, bool taken, uint64_t target,
		      const struct prediction *prediction);

/* Whether the prediction was right, given the outcome. */
enum prediction_verdict prediction_judge(const struct prediction *prediction, enum branch_kind kind,
					 bool taken, uint64_t target);

/* Predicts and updates a branch at once, in program order, with no branch in flight. */
enum prediction_verdict predictor_warm(struct predictor *predictor, enum branch_kind kind,
				       uint64_t pc, unsigned bytes, bool taken, uint64_t target);

/* Passes to `write`, piece by piece, everything that future predictions depend on: predictors
 * with the same parameters and the same bytes behave the same. */
void predictor_state(const struct predictor *predictor,
		     void (*write)(void *context, const void *bytes, size_t count), void *context);

#endif
