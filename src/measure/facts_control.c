/* Branches and jumps: what is regular about their outcomes and targets. */
#include "core/branch_kind.h"
#include "measure/facts_state.h"

#define COUNT_MOST UINT16_MAX

/* Predicts by the more frequent outcome behind the history so far, taken if both are as frequent,
 * then learns. True if it was wrong. */
static bool predict_simply(struct outcome_counts *counts, uint32_t history, bool taken)
{
	uint16_t *of = counts->of[history % HISTORY_CONTEXTS];
	bool predicted = of[1] >= of[0];

	if (of[taken] == COUNT_MOST) {
		of[0] /= 2;
		of[1] /= 2;
	}
	of[taken]++;
	return predicted != taken;
}

static void note_outcome(const struct facts *f, struct fact_place *place, bool taken,
			 enum prediction_verdict verdict)
{
	struct fact_branch *b = place->fact.branch;
	struct branch_state *state = place->branch;

	if (b->outcomes && state->last != taken) {
		b->changes++;
		state->run = 0;
	}
	state->run++;
	state->last = taken;
	if (state->run > b->longest_run)
		b->longest_run = state->run;
	b->outcomes++;
	b->taken += taken;
	b->wrong += verdict == PREDICTION_WRONG;
	b->misfetched += verdict == PREDICTION_MISFETCH;
	b->wrong_own += predict_simply(&state->own, state->history, taken);
	b->wrong_all += predict_simply(&state->all, f->history, taken);
	state->history = state->history << 1 | taken;
}

/* True if a stack of as many return addresses as the machine's has lost this return's. */
static bool follow_calls(struct facts *f, enum control control)
{
	struct return_stack *stack = &f->returns[f->thread % FLOW_THREADS];

	if (control == CONTROL_CALL || control == CONTROL_INDIRECT_CALL) {
		stack->depth++;
		if (stack->held < f->config.ras_entries)
			stack->held++;
	}
	if (control != CONTROL_RETURN || !stack->depth)
		return false;
	stack->depth--;
	if (!stack->held)
		return true;
	stack->held--;
	return false;
}

static void note_target(struct fact_place *place, uint64_t target, bool is_wrong, bool overflows)
{
	struct fact_jump *j = place->fact.jump;

	j->changes += j->jumps && place->last_target != target;
	j->jumps++;
	j->wrong += is_wrong;
	j->overflows += overflows;
	distinct_add(&j->targets, target);
	frequent_add(&j->often, target);
	place->last_target = target;
}

void facts_control(struct facts *f, struct fact_place *place, const struct trace_step *step)
{
	const struct trace_op *op = step->op;
	enum control control = op->control;
	bool taken = control != CONTROL_CONDITIONAL || step->next_pc != op->pc + op->bytes;
	enum prediction_verdict verdict = PREDICTION_RIGHT;

	if (f->predictor)
		verdict = predictor_warm(f->predictor, branch_kind_of(control), op->pc, op->bytes,
					 taken, step->next_pc);
	else if (f->config.predictor_kind == PREDICTOR_NONE && taken)
		verdict = PREDICTION_WRONG;
	bool overflows = follow_calls(f, control) && verdict == PREDICTION_WRONG;
	if (place && place->fact.branch && control == CONTROL_CONDITIONAL)
		note_outcome(f, place, taken, verdict);
	if (place && place->fact.jump && op->unit == UNIT_JUMP_INDIRECT)
		note_target(place, step->next_pc, verdict == PREDICTION_WRONG, overflows);
	if (control == CONTROL_CONDITIONAL)
		f->history = f->history << 1 | taken;
}
