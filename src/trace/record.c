#include "trace/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "isa/undo.h"

#define BATCH_STEPS 4096
#define RUN_MOST    64 /* instructions of one run; a power of two */
/* A program that rewrites its code has ever more ops; the recorder then forgets them all. */
#define OPS_MOST (UINT32_C(1) << 20)
/* Ops are allocated in blocks, so that pointers to them stay valid. */
#define BLOCK_OPS 4096

struct recorder {
	struct process *process;
	struct trace_op *blocks[OPS_MOST / BLOCK_OPS];
	uint32_t *following; /* of each op: the op looked up after it last, plus 1 */
	size_t following_capacity;
	uint32_t op_count;
	uint32_t *table; /* by pc: op number plus 1; open addressing */
	uint32_t table_mask;
	uint32_t last; /* the op looked up last, plus 1 */
	struct trace_step *steps;
	size_t step_count;
	struct step_access accesses[RUN_MOST];
	uint32_t thread;
	bool was_interrupted;
};

struct recorder *recorder_create(struct process *process)
{
	struct recorder *r = mem_alloc(sizeof(*r));

	r->process = process;
	r->steps = mem_alloc_array(BATCH_STEPS + RUN_MOST, sizeof(*r->steps));
	r->table_mask = 8191;
	r->table = mem_alloc_array(r->table_mask + 1, sizeof(*r->table));
	return r;
}

void recorder_destroy(struct recorder *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(r->blocks); i++)
		free(r->blocks[i]);
	free(r->following);
	free(r->table);
	free(r->steps);
	free(r);
}

uint32_t recorder_thread(const struct recorder *r)
{
	return r->thread;
}

bool recorder_was_interrupted(const struct recorder *r)
{
	return r->was_interrupted;
}

static struct trace_op *op_at(const struct recorder *r, uint32_t number)
{
	return &r->blocks[number / BLOCK_OPS][number % BLOCK_OPS];
}

size_t recorder_op_count(const struct recorder *r)
{
	return r->op_count;
}

const struct trace_op *recorder_op(const struct recorder *r, size_t index)
{
	return op_at(r, (uint32_t)index);
}

static void forget_ops(struct recorder *r)
{
	memset(r->table, 0, (r->table_mask + (size_t)1) * sizeof(*r->table));
	r->op_count = r->last = 0;
}

static bool is_op(const struct trace_op *op, uint64_t pc, const struct insn *insn)
{
	return op->pc == pc && op->insn.imm == insn->imm &&
	       memcmp(&op->insn.rd, &insn->rd, sizeof(*insn) - offsetof(struct insn, rd)) == 0;
}

/* The slot of the op, or the empty one where it belongs. */
static uint32_t *table_slot(const struct recorder *r, uint64_t pc, const struct insn *insn)
{
	uint32_t at = (uint32_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 40);

	for (;; at++) {
		uint32_t *slot = &r->table[at & r->table_mask];

		if (!*slot || is_op(op_at(r, *slot - 1), pc, insn))
			return slot;
	}
}

static void grow_table(struct recorder *r)
{
	free(r->table);
	r->table_mask = 2 * r->table_mask + 1;
	r->table = mem_alloc_array(r->table_mask + (size_t)1, sizeof(*r->table));
	for (uint32_t i = 0; i < r->op_count; i++) {
		const struct trace_op *op = op_at(r, i);

		*table_slot(r, op->pc, &op->insn) = i + 1;
	}
}

static uint32_t add_op(struct recorder *r, uint64_t pc, const struct insn *insn)
{
	const uint8_t *code = r->process->memory.base + pc;
	uint32_t number = r->op_count++, raw = 0;

	if (!r->blocks[number / BLOCK_OPS])
		r->blocks[number / BLOCK_OPS] = mem_alloc_array(BLOCK_OPS, sizeof(struct trace_op));
	if (number >= r->following_capacity) {
		r->following_capacity = 2 * (size_t)number + 64;
		r->following =
			mem_realloc(r->following, r->following_capacity, sizeof(*r->following));
	}
	r->following[number] = 0;
	memcpy(&raw, code, insn->bytes);
	trace_op_init(op_at(r, number), pc, insn, raw);
	op_at(r, number)->number = number;
	*table_slot(r, pc, insn) = number + 1;
	if (r->op_count > r->table_mask / 2)
		grow_table(r);
	return number + 1;
}

/* Tries the op that followed the one looked up last before it searches. */
static const struct trace_op *find_op(struct recorder *r, uint64_t pc, const struct insn *insn)
{
	uint32_t number = r->last ? r->following[r->last - 1] : 0;

	if (UNLIKELY(!number || !is_op(op_at(r, number - 1), pc, insn))) {
		number = *table_slot(r, pc, insn);
		if (!number)
			number = add_op(r, pc, insn);
		if (r->last)
			r->following[r->last - 1] = number;
	}
	r->last = number;
	return op_at(r, number - 1);
}

/* Whether an instruction can be followed by others in one run. */
static bool goes_on(const struct insn *insn)
{
	switch (insn->unit) {
	case UNIT_BRANCH:
	case UNIT_JUMP:
	case UNIT_JUMP_INDIRECT:
	case UNIT_AMO:
	case UNIT_FENCE:
	case UNIT_CSR:
	case UNIT_SYSTEM: return false;
	default: return insn->op != OP_ILLEGAL;
	}
}

static bool stands_alone(const struct insn *insn)
{
	return !goes_on(insn) && insn->unit != UNIT_BRANCH && insn->unit != UNIT_JUMP &&
	       insn->unit != UNIT_JUMP_INDIRECT;
}

/* Executes a run from hart.pc on, `most` instructions at most. */
static enum cpu_stop record_run(struct recorder *r, uint64_t most)
{
	struct cpu *cpu = &r->process->cpu;
	const struct insn *first = code_at(cpu->code, cpu->hart.pc, &cpu->fault_address);
	const struct step_ring ring = {r->accesses, RUN_MOST - 1};
	struct trace_step *steps = r->steps + r->step_count;
	uint64_t pc = cpu->hart.pc;
	uint32_t count = 0;

	if (!first)
		return STOP_FETCH_FAULT;
	if (most > RUN_MOST)
		most = RUN_MOST;
	for (const struct insn *insn = first; count < most && insn->bytes;
	     insn += insn->bytes / 2) {
		if (count && stands_alone(insn))
			break;
		steps[count++].op = find_op(r, pc, insn);
		pc += insn->bytes;
		if (!goes_on(insn))
			break;
	}
	struct step_end end = cpu_run_watched(cpu, first, &ring, 0, count);
	if (end.stop == STOP_ECALL)
		end.count = 1;
	for (uint32_t i = 0; i < end.count; i++) {
		const struct trace_op *op = steps[i].op;

		steps[i].address = op->access_bytes ? r->accesses[i].address : 0;
		steps[i].next_pc = op->pc + op->bytes;
	}
	if (end.count)
		r->last = steps[end.count - 1].op->number + 1;
	r->step_count += end.count;
	return end.stop;
}

static bool flush(struct recorder *r, trace_sink *sink, void *context)
{
	size_t count = r->step_count;

	if (!count)
		return true;
	r->steps[count - 1].next_pc = r->process->cpu.hart.pc;
	r->step_count = 0;
	return sink(context, r->steps, count);
}

/* The same; afterwards there is room for the ops of another run. */
static bool hand_out(struct recorder *r, trace_sink *sink, void *context)
{
	bool wanted = flush(r, sink, context);

	if (r->op_count > OPS_MOST - RUN_MOST) {
		forget_ops(r);
		wanted = sink(context, NULL, 0) && wanted;
	}
	return wanted;
}

/* Lets the process handle what stopped it. True if another thread or a signal handler goes on. */
static bool handle(struct process *process, enum cpu_stop stop)
{
	uint64_t pc = process->cpu.hart.pc;
	int thread = process->current->tid;

	process_handle(process, stop);
	return process->state == PROCESS_RUNNING &&
	       (process->current->tid != thread ||
		(stop != STOP_ECALL && process->cpu.hart.pc != pc));
}

bool recorder_run(struct recorder *r, uint64_t limit, trace_sink *sink, void *context)
{
	struct process *process = r->process;
	bool wanted = true;

	while (wanted && process->state == PROCESS_RUNNING && process->cpu.instructions < limit) {
		uint64_t until = process_slice_end(process);

		if (r->step_count)
			r->steps[r->step_count - 1].next_pc = process->cpu.hart.pc;
		if (r->step_count >= BATCH_STEPS) {
			wanted = hand_out(r, sink, context);
			continue;
		}
		r->thread = (uint32_t)process->current->tid;
		if (until > limit)
			until = limit;
		if (until <= process->cpu.instructions)
			until = process->cpu.instructions + 1;
		enum cpu_stop stop = record_run(r, until - process->cpu.instructions);
		if (stop != STOP_LIMIT || process->cpu.instructions >= process_slice_end(process))
			if (handle(process, stop)) {
				r->was_interrupted = true;
				wanted = hand_out(r, sink, context);
				r->was_interrupted = false;
			}
	}
	return flush(r, sink, context) && wanted;
}
