/* Fetch and branches of the recurrence (retimer.h). */
#include "core/branch_kind.h"
#include "core/frontend.h"
#include "model/retimer_state.h"

/* Accesses the line of an address in cycle `at`; returns when its instructions are there, as if
 * they had been asked for by then. */
static uint64_t fetch_line(struct retimer *r, uint64_t address, uint64_t at)
{
	struct access_result result;

	hierarchy_fetch(r->memory, address, at, &result);
	return result.done_at - r->config.l1i_latency;
}

static bool is_counted_branch(const struct trace_op *op)
{
	return op->unit == UNIT_BRANCH || op->unit == UNIT_JUMP_INDIRECT;
}

/* When the fetch buffer has room, and another branch may be in flight. */
static uint64_t room_at(const struct retimer *r, const struct trace_op *op)
{
	uint64_t at = retimer_before(r, r->rule.fetch_buffer)->fed;

	at += r->number >= r->rule.fetch_buffer;
	if (r->rule.max_branches != UNLIMITED && is_counted_branch(op))
		at = retimer_later(
			at, r->branches[(r->branch_number - r->rule.max_branches) % RETIMER_KEPT]);
	return retimer_later(at, r->front.resumes);
}

uint64_t retimer_fetch(struct retimer *r, const struct trace_step *step)
{
	struct retimer_front *f = &r->front;
	const struct trace_op *op = step->op;
	const uint64_t line = hierarchy_line_of(r->memory, SIDE_INSTRUCTION, op->pc);
	const uint64_t last = op->pc + op->bytes - 1, room = room_at(r, op);
	const bool begins =
		f->ends || line != f->line || f->used >= r->rule.fetch_width || room > f->cycle;

	if (begins) {
		f->cycle = fetch_line(r, op->pc, retimer_later(f->cycle + 1, room));
		f->used = 0;
	}
	f->ends = step->next_pc != op->pc + op->bytes;
	if (hierarchy_line_of(r->memory, SIDE_INSTRUCTION, last) != line) {
		f->cycle = fetch_line(r, last, f->cycle);
		f->ends = true;
	}
	f->line = line;
	f->used++;
	return f->cycle;
}

/* Tells the predictor of the branches that have committed by then. */
static void update(struct retimer *r, uint64_t at)
{
	while (r->updated < r->control_number) {
		const struct retimer_branch *b = &r->controls[r->updated % RETIMER_KEPT];

		if (b->committed > at && r->control_number - r->updated < r->in_flight)
			return;
		predictor_update(r->predictor, (enum branch_kind)b->kind, b->pc, b->bytes, b->taken,
				 b->next_pc, &b->prediction);
		r->updated++;
	}
}

static void predict(struct retimer *r, const struct trace_step *step, uint64_t fetched,
		    uint64_t fed, uint64_t complete, uint64_t committed)
{
	const struct trace_op *op = step->op;
	const enum control control = (enum control)op->control;
	const enum branch_kind kind = branch_kind_of(control);
	struct retimer_branch *b;

	update(r, fetched);
	b = &r->controls[r->control_number++ % RETIMER_KEPT];
	*b = (struct retimer_branch){
		.pc = op->pc,
		.next_pc = step->next_pc,
		.committed = committed,
		.kind = (uint8_t)kind,
		.bytes = op->bytes,
		.taken = control != CONTROL_CONDITIONAL || step->next_pc != op->pc + op->bytes,
	};
	predictor_predict(r->predictor, kind, op->pc, op->bytes, &b->prediction);
	switch (prediction_judge(&b->prediction, kind, b->taken, step->next_pc)) {
	case PREDICTION_WRONG:
		predictor_recover(r->predictor, kind, op->pc, op->bytes, b->taken, step->next_pc,
				  &b->prediction);
		r->events.mispredictions++;
		r->front.resumes = complete;
		r->front.ends = true;
		break;
	case PREDICTION_MISFETCH:
		r->events.misfetches++;
		r->front.resumes = fed + FRONTEND_DECODE_REDIRECT_CYCLES;
		break;
	case PREDICTION_RIGHT: break;
	}
}

void retimer_follow(struct retimer *r, const struct trace_step *step, uint64_t fetched,
		    uint64_t fed, uint64_t complete, uint64_t committed)
{
	if (is_counted_branch(step->op))
		r->branches[r->branch_number++ % RETIMER_KEPT] = committed;
	if (r->predictor)
		predict(r, step, fetched, fed, complete, committed);
}
