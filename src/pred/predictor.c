#include "pred/predictor.h"

#include <stdlib.h>

#include "base/array.h"
#include "pred/btb.h"
#include "pred/indirect_kind.h"
#include "pred/pred_kind.h"
#include "pred/return_stack.h"

#define IN_FLIGHT_MOST (UINT32_C(1) << 20)

struct predictor {
	const struct pred_kind *kind;
	void *kind_state;
	uint64_t history;
	uint32_t position;
	uint32_t path;
	uint32_t sequence; /* sequence number of the next branch to predict */
	uint32_t oldest;   /* sequence number of the next branch to update */
	uint32_t in_flight;
	struct btb btb;
	struct return_stack returns;
	const struct indirect_kind *indirect;
	void *indirect_state;
};

const struct predictor_params predictor_params_default = {
	.kind = "hybrid",
	.bimodal_entries = 4096,
	.gshare_entries = 4096,
	.gshare_history_bits = 12,
	.chooser_entries = 4096,
	.tage_tables = 6,
	.tage_entries = 1024,
	.tage_shortest_history = 5,
	.tage_longest_history = 130,
	.btb_sets = 512,
	.btb_ways = 4,
	.return_stack_entries = 8,
	.indirect_kind = "btb",
	.indirect_entries = 512,
	.in_flight = 1024,
};

struct predictor *predictor_create(const struct predictor_params *params, struct err *err)
{
	const struct pred_kind *kind = pred_kind_find(params->kind, err);
	const struct indirect_kind *indirect;
	struct predictor *predictor;

	if (!kind)
		return NULL;
	indirect = indirect_kind_find(params->indirect_kind, err);
	if (!indirect)
		return NULL;
	if (!params->in_flight || params->in_flight > IN_FLIGHT_MOST) {
		err_set(err, "%u branches in flight cannot be predicted: 1 to %u can",
			(unsigned)params->in_flight, (unsigned)IN_FLIGHT_MOST);
		return NULL;
	}
	predictor = mem_alloc(sizeof(*predictor));
	predictor->kind = kind;
	predictor->indirect = indirect;
	predictor->in_flight = params->in_flight;
	if (kind->create && !kind->create(params, &predictor->kind_state, err))
		goto failed;
	if (indirect->create && !indirect->create(params, &predictor->indirect_state, err))
		goto failed;
	if (!btb_init(&predictor->btb, params->btb_sets, params->btb_ways, err) ||
	    !return_stack_init(&predictor->returns, params->return_stack_entries, params->in_flight,
			       err))
		goto failed;
	return predictor;
failed:
	predictor_destroy(predictor);
	return NULL;
}

void predictor_destroy(struct predictor *predictor)
{
	if (!predictor)
		return;
	if (predictor->kind_state)
		predictor->kind->destroy(predictor->kind_state);
	if (predictor->indirect_state)
		predictor->indirect->destroy(predictor->indirect_state);
	btb_release(&predictor->btb);
	return_stack_release(&predictor->returns);
	free(predictor);
}

void predictor_grow(struct predictor *predictor, uint32_t in_flight)
{
	if (in_flight <= predictor->in_flight)
		return;
	BUG_ON(in_flight > IN_FLIGHT_MOST);
	predictor->in_flight = in_flight;
	return_stack_grow(&predictor->returns, in_flight);
	if (predictor->kind->grow)
		predictor->kind->grow(predictor->kind_state, predictor->position, in_flight);
}

static inline void push_direction(struct predictor *predictor, bool taken)
{
	predictor->history = predictor->history << 1 | taken;
	predictor->position++;
	predictor->path = indirect_path_conditional(predictor->path, taken);
}

void predictor_predict(struct predictor *predictor, enum branch_kind kind, uint64_t pc,
		       unsigned bytes, struct prediction *out)
{
	BUG_ON(predictor->sequence - predictor->oldest >= predictor->in_flight);
	out->history = predictor->history;
	out->position = predictor->position;
	out->path = predictor->path;
	out->return_top = predictor->returns.top;
	out->return_pushes = predictor->returns.pushes;
	out->sequence = predictor->sequence++;
	out->taken = true;
	out->has_target = false;
	out->target = 0;
	switch (kind) {
	case BRANCH_CONDITIONAL:
		out->taken = predictor->kind->predict(predictor->kind_state, pc, out);
		push_direction(predictor, out->taken);
		if (out->taken)
			out->has_target = btb_lookup(&predictor->btb, pc, &out->target);
		return;
	case BRANCH_CALL:
		return_stack_push(&predictor->returns, pc + bytes);
		/* fall through */
	case BRANCH_JUMP: out->has_target = btb_lookup(&predictor->btb, pc, &out->target); return;
	case BRANCH_INDIRECT_CALL:
		return_stack_push(&predictor->returns, pc + bytes);
		/* fall through */
	case BRANCH_INDIRECT:
		out->has_target = predictor->indirect->predict(predictor->indirect_state,
							       &predictor->btb, pc, out);
		predictor->path = indirect_path_target(predictor->path, out->target);
		return;
	case BRANCH_RETURN:
		out->target = return_stack_pop(&predictor->returns);
		out->has_target = out->target != 0;
		return;
	}
	BUG("branch kind %d", (int)kind);
}

void predictor_restore(struct predictor *predictor, const struct prediction *prediction)
{
	BUG_ON(predictor->sequence - prediction->sequence >
	       predictor->sequence - predictor->oldest);
	predictor->history = prediction->history;
	predictor->position = prediction->position;
	predictor->path = prediction->path;
	predictor->sequence = prediction->sequence;
	return_stack_restore(&predictor->returns, prediction->return_top,
			     prediction->return_pushes);
}

void predictor_recover(struct predictor *predictor, enum branch_kind kind, uint64_t pc,
		       unsigned bytes, bool taken, uint64_t target,
		       const struct prediction *prediction)
{
	BUG_ON(prediction->sequence == predictor->sequence);
	predictor_restore(predictor, prediction);
	predictor->sequence++;
	switch (kind) {
	case BRANCH_CONDITIONAL:
		if (predictor->kind->push)
			predictor->kind->push(predictor->kind_state, prediction->position, taken);
		push_direction(predictor, taken);
		return;
	case BRANCH_CALL: return_stack_push(&predictor->returns, pc + bytes); return;
	case BRANCH_JUMP: return;
	case BRANCH_INDIRECT_CALL:
		return_stack_push(&predictor->returns, pc + bytes);
		/* fall through */
	case BRANCH_INDIRECT:
		predictor->path = indirect_path_target(predictor->path, target);
		return;
	case BRANCH_RETURN: return_stack_pop(&predictor->returns); return;
	}
	BUG("branch kind %d", (int)kind);
}

void predictor_update(struct predictor *predictor, enum branch_kind kind, uint64_t pc,
		      unsigned bytes, bool taken, uint64_t target,
		      const struct prediction *prediction)
{
	(void)bytes;
	BUG_ON(prediction->sequence != predictor->oldest ||
	       predictor->oldest == predictor->sequence);
	predictor->oldest++;
	switch (kind) {
	case BRANCH_CONDITIONAL:
		predictor->kind->update(predictor->kind_state, pc, taken, prediction);
		break;
	case BRANCH_INDIRECT_CALL:
	case BRANCH_INDIRECT:
		if (predictor->indirect->update)
			predictor->indirect->update(predictor->indirect_state, pc, target,
						    prediction);
		break;
	case BRANCH_RETURN: return; /* the return stack predicts it, so it needs no entry */
	case BRANCH_CALL:
	case BRANCH_JUMP: break;
	}
	if (taken)
		btb_update(&predictor->btb, pc, target);
}

enum prediction_verdict prediction_judge(const struct prediction *prediction, enum branch_kind kind,
					 bool taken, uint64_t target)
{
	if (prediction->taken != taken)
		return PREDICTION_WRONG;
	if (!taken || (prediction->has_target && prediction->target == target))
		return PREDICTION_RIGHT;
	return kind == BRANCH_CONDITIONAL || kind == BRANCH_JUMP || kind == BRANCH_CALL
		       ? PREDICTION_MISFETCH
		       : PREDICTION_WRONG;
}

/* The direction predicted for a conditional branch, of which the kind learns the outcome. */
static bool train_direction(struct predictor *predictor, uint64_t pc, bool taken)
{
	const struct pred_kind *kind = predictor->kind;
	void *state = predictor->kind_state;

	if (kind->train)
		return kind->train(state, pc, predictor->history, predictor->position, taken);
	struct prediction prediction = {.history = predictor->history,
					.position = predictor->position};
	prediction.taken = kind->predict(state, pc, &prediction);
	if (kind->push && prediction.taken != taken)
		kind->push(state, predictor->position, taken);
	kind->update(state, pc, taken, &prediction);
	return prediction.taken;
}

/* Whether the BTB had the target of a branch that is taken, which it now has. */
static bool train_target(struct predictor *predictor, uint64_t pc, uint64_t target)
{
	struct btb_entry *recent = btb_set(&predictor->btb, pc);
	uint64_t known;

	if (recent->pc == pc) {
		bool is_same = recent->target == target;

		recent->target = target;
		return is_same;
	}
	bool had = btb_lookup(&predictor->btb, pc, &known) && known == target;

	btb_update(&predictor->btb, pc, target);
	return had;
}

enum prediction_verdict predictor_warm(struct predictor *predictor, enum branch_kind kind,
				       uint64_t pc, unsigned bytes, bool taken, uint64_t target)
{
	struct prediction prediction = {.path = predictor->path};
	bool right = true;

	/* What predict, recover and update do one after the other, without what they keep for
	 * branches in flight. */
	BUG_ON(predictor->sequence != predictor->oldest);
	predictor->oldest = ++predictor->sequence;
	switch (kind) {
	case BRANCH_CONDITIONAL:
		right = train_direction(predictor, pc, taken) == taken;
		push_direction(predictor, taken);
		break;
	case BRANCH_CALL: return_stack_push(&predictor->returns, pc + bytes); break;
	case BRANCH_JUMP: break;
	case BRANCH_INDIRECT_CALL:
		return_stack_push(&predictor->returns, pc + bytes);
		/* fall through */
	case BRANCH_INDIRECT:
		right = predictor->indirect->predict(predictor->indirect_state, &predictor->btb, pc,
						     &prediction) &&
			prediction.target == target;
		predictor->path = indirect_path_target(predictor->path, target);
		if (predictor->indirect->update)
			predictor->indirect->update(predictor->indirect_state, pc, target,
						    &prediction);
		if (taken)
			btb_update(&predictor->btb, pc, target);
		return right && taken ? PREDICTION_RIGHT : PREDICTION_WRONG;
	case BRANCH_RETURN:
		right = return_stack_pop(&predictor->returns) == target && target;
		return right && taken ? PREDICTION_RIGHT : PREDICTION_WRONG;
	default: BUG("branch kind %d", (int)kind);
	}
	if (kind != BRANCH_CONDITIONAL && !taken)
		return PREDICTION_WRONG;
	if (taken && !train_target(predictor, pc, target) && right)
		return PREDICTION_MISFETCH;
	return right ? PREDICTION_RIGHT : PREDICTION_WRONG;
}

void predictor_state(const struct predictor *predictor,
		     void (*write)(void *context, const void *bytes, size_t count), void *context)
{
	const struct btb *btb = &predictor->btb;
	const struct return_stack *returns = &predictor->returns;

	write(context, &predictor->history, sizeof(predictor->history));
	write(context, &predictor->path, sizeof(predictor->path));
	write(context, btb->entries, (btb->set_mask + 1) * btb->ways * sizeof(btb->entries[0]));
	write(context, &returns->top, sizeof(returns->top));
	write(context, returns->addresses, returns->count * sizeof(returns->addresses[0]));
	if (predictor->kind->write_state)
		predictor->kind->write_state(predictor->kind_state, predictor->position, write,
					     context);
	if (predictor->indirect->write_state)
		predictor->indirect->write_state(predictor->indirect_state, write, context);
}
