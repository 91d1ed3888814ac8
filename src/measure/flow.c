#include "measure/flow.h"

#include <stdlib.h>

#include "base/array.h"

#define WORD_BYTES     8
#define REG_S0	       8
#define INORDER_WINDOW 16 /* instructions; what an in-order core's write buffer may hold */
#define LATENCY_SERIAL 1  /* of what stands alone in a core */

void flow_init(struct flow *f, const struct config *c)
{
	*f = (struct flow){.window = c->core_kind == CORE_OOO ? c->rob_size : INORDER_WINDOW};
	for (unsigned i = 0; i < UNIT_COUNT; i++)
		f->latency[i] = LATENCY_SERIAL;
	f->latency[UNIT_ALU] = c->int_alu_latency;
	f->latency[UNIT_BRANCH] = c->int_alu_latency;
	f->latency[UNIT_JUMP] = c->int_alu_latency;
	f->latency[UNIT_JUMP_INDIRECT] = c->int_alu_latency;
	f->latency[UNIT_MUL] = c->int_mul_latency;
	f->latency[UNIT_DIV] = c->int_div_latency;
	f->latency[UNIT_FP_ADD] = c->fp_add_latency;
	f->latency[UNIT_FP_MUL] = c->fp_mul_latency;
	f->latency[UNIT_FP_DIV] = c->fp_div_latency;
	f->latency[UNIT_LOAD] = f->latency[UNIT_AMO] = c->l1d_latency;
	f->words = mem_alloc_array(RECENT_WORDS, sizeof(*f->words));
	flow_switch(f, 0);
}

void flow_release(struct flow *f)
{
	free(f->words);
	*f = (struct flow){0};
}

void flow_forget(struct flow *f)
{
	struct flow_thread *t = f->current;

	*t = (struct flow_thread){.thread = t->thread, .is_used = true};
}

void flow_switch(struct flow *f, uint32_t thread)
{
	struct flow_thread *t = &f->threads[thread % FLOW_THREADS];

	f->current = t;
	if (t->is_used && t->thread == thread)
		return;
	t->thread = thread;
	flow_forget(f);
}

/* Which of two loads says more about a value: one whose address changes, unless it was long before
 * the other, or else the later. */
static bool is_better(const struct flow_value *a, const struct flow_value *b)
{
	uint64_t distance =
		a->load_at > b->load_at ? a->load_at - b->load_at : b->load_at - a->load_at;

	if (a->is_anew != b->is_anew && distance <= FLOW_LONG_BEFORE)
		return a->is_anew;
	return a->load_at > b->load_at;
}

/* What is known of a value that is made of two. */
static struct flow_value combine(const struct flow_value *a, const struct flow_value *b)
{
	struct flow_value both = *a;
	bool takes_load = b->load && (!a->load || is_better(b, a));

	if (takes_load) {
		both.load = b->load;
		both.load_at = b->load_at;
		both.is_anew = b->is_anew;
	}
	if (b->depth > a->depth) {
		both.slow = b->slow;
		both.slow_at = b->slow_at;
		both.depth = b->depth;
	}
	return both;
}

static struct flow_value combine_sources(const struct flow *f, const uint8_t *sources,
					 unsigned count)
{
	struct flow_value value = {0};

	for (unsigned i = 0; i < count; i++)
		if (sources[i] && sources[i] < FLOW_REGISTERS)
			value = combine(&value, &f->current->registers[sources[i]]);
	return value;
}

static struct flow_word *word_of(const struct flow *f, uint64_t address)
{
	return &f->words[address / WORD_BYTES % RECENT_WORDS];
}

/* Whether the access goes by way of the stack pointer, or of s0 where that points near it. */
static bool is_on_stack(struct flow *f, const struct trace_step *step)
{
	unsigned base = step->op->sources[0];
	struct flow_thread *t = f->current;

	if (base == REG_SP) {
		t->stack_address = step->address;
		return true;
	}
	return base == REG_S0 && t->stack_address &&
	       step->address - t->stack_address + FLOW_STACK_NEAR < 2 * FLOW_STACK_NEAR;
}

static void store(struct flow *f, const struct trace_step *step, uint32_t number, uint64_t now,
		  const struct flow_value *value, bool is_stack)
{
	for (unsigned i = 0; i < step->op->access_bytes; i++) {
		uint64_t address = step->address + i;
		struct flow_word *word = word_of(f, address);

		if (word->word != address / WORD_BYTES + 1)
			*word = (struct flow_word){.word = address / WORD_BYTES + 1};
		word->at[address % WORD_BYTES] = now;
		word->by[address % WORD_BYTES] = number;
		word->value = *value;
		word->address = step->address;
		word->bytes = step->op->access_bytes;
		word->is_stack = is_stack;
		word->thread = f->current->thread;
	}
}

/* Of the bytes of a load: which step wrote the last of them, and whether it wrote all. */
static enum flow_meeting meet(const struct flow *f, const struct trace_step *step, uint64_t now,
			      uint32_t *met)
{
	uint64_t last = 0, least = UINT64_MAX;

	*met = 0;
	for (unsigned i = 0; i < step->op->access_bytes; i++) {
		uint64_t address = step->address + i;
		const struct flow_word *word = word_of(f, address);
		uint64_t at =
			word->word == address / WORD_BYTES + 1 ? word->at[address % WORD_BYTES] : 0;

		if (at + f->window < now)
			at = 0;
		if (at > last) {
			last = at;
			*met = word->by[address % WORD_BYTES];
		}
		if (at < least)
			least = at;
	}
	if (!last)
		return FLOW_MEETS_NONE;
	return least == last ? FLOW_FORWARDS : FLOW_PARTIAL;
}

/* The word of the store that wrote exactly what the step loads, in this thread; NULL if none did.
 */
static const struct flow_word *same_store(const struct flow *f, const struct trace_step *step)
{
	const struct flow_word *word = word_of(f, step->address);

	return word->word == step->address / WORD_BYTES + 1 && word->address == step->address &&
			       word->bytes == step->op->access_bytes &&
			       word->thread == f->current->thread
		       ? word
		       : NULL;
}

static struct flow_value load(struct flow *f, const struct trace_step *step, uint32_t number,
			      uint64_t now, bool is_anew, bool is_stack, struct flow_step *out)
{
	struct flow_value value = {.load = number, .load_at = now, .is_anew = is_anew};
	const struct flow_word *stored = same_store(f, step);
	uint64_t depth = out->in.depth;

	out->meeting = meet(f, step, now, &out->met);
	value.slow = out->in.slow;
	value.slow_at = out->in.slow_at;
	if (stored && is_stack && stored->is_stack) {
		value.load = stored->value.load;
		value.load_at = stored->value.load_at;
		value.is_anew = stored->value.is_anew;
	}
	const struct flow_word *last = word_of(f, step->address);
	if (out->meeting != FLOW_MEETS_NONE && last->thread == f->current->thread &&
	    last->value.depth > depth) {
		depth = last->value.depth;
		value.slow = last->value.slow;
		value.slow_at = last->value.slow_at;
	}
	value.depth = depth + f->latency[step->op->unit];
	return value;
}

struct flow_step flow_take(struct flow *f, const struct trace_step *step, uint32_t number,
			   uint64_t now, bool is_anew)
{
	const struct trace_op *op = step->op;
	struct flow_step out = {0};
	bool is_stack = op->access_bytes && is_on_stack(f, step);

	out.in = combine_sources(f, op->sources,
				 op->access_bytes ? op->address_sources : TRACE_SOURCES);
	if (op->is_load) {
		out.out = load(f, step, number, now, is_anew, is_stack, &out);
	} else {
		out.out = out.in;
		out.out.depth += f->latency[op->unit];
		if (f->latency[op->unit] > 1 && !op->access_bytes) {
			out.out.slow = number;
			out.out.slow_at = now;
		}
	}
	if (op->is_store) {
		struct flow_value data = combine_sources(f, op->sources + op->address_sources,
							 TRACE_SOURCES - op->address_sources);

		if (op->is_load && out.out.depth > data.depth)
			data.depth = out.out.depth;
		store(f, step, number, now, &data, is_stack);
	}
	if (op->unit == UNIT_SYSTEM)
		f->current->registers[REG_A0] = (struct flow_value){0};
	for (unsigned i = 0; i < TRACE_DESTINATIONS; i++)
		if (op->destinations[i] && op->destinations[i] < FLOW_REGISTERS)
			f->current->registers[op->destinations[i]] = out.out;
	return out;
}
