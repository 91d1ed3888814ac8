#include "trace/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/index.h"
#include "isa/noted.h"

/* As many as warming executes at a time, for the same reason (machine/warm.c). */
#define BATCH_INSNS 1024
/* Blocks that were found last, by address, which spares most look-ups in the table. */
#define RECENT 4096
#define NONE   UINT32_MAX

struct block {
	uint64_t pc, end;      /* the address after its last instruction, */
	uint32_t instructions; /* and how many it has, */
	uint64_t epoch;	       /* found out in this epoch; 0: not found out */
	uint64_t executed;     /* instructions, in this interval */
};

/* A thread in the middle of a block, which was another thread's turn. */
struct waiting {
	int thread;
	uint64_t pc;
	uint32_t block;
};

struct vectors {
	struct process *process;
	uint64_t interval, ends; /* instructions; in all, at which the interval ends */
	vectors_sink *sink;
	void *context;
	struct block *blocks;
	size_t count, capacity;
	struct index index;
	uint32_t recent[RECENT];
	uint32_t block; /* that is under way; NONE: one begins */
	/* What a block has is found out again in every epoch: code may have changed. */
	uint64_t epoch;
	uint32_t *executed; /* the blocks of this interval */
	size_t executed_count, executed_capacity;
	struct waiting *waiting;
	size_t waiting_count, waiting_capacity;
	struct vector_entry *entries;
	size_t entry_capacity;
};

struct vectors *vectors_create(struct process *process, uint64_t interval, vectors_sink *sink,
			       void *context)
{
	struct vectors *v = mem_alloc(sizeof(*v));

	BUG_ON(!interval);
	v->process = process;
	v->interval = interval;
	v->ends = process->cpu.instructions + interval;
	v->sink = sink;
	v->context = context;
	v->block = NONE;
	v->epoch = 1;
	memset(v->recent, 0xff, sizeof(v->recent));
	return v;
}

void vectors_destroy(struct vectors *v)
{
	if (!v)
		return;
	free(v->blocks);
	index_release(&v->index);
	free(v->executed);
	free(v->waiting);
	free(v->entries);
	free(v);
}

static bool is_block(const void *context, size_t number)
{
	const struct vectors *v = context;

	return v->blocks[number].pc == v->blocks[v->count].pc;
}

/* The number of the block that begins at an address. */
static uint32_t find_block(struct vectors *v, uint64_t pc)
{
	uint32_t *recent = &v->recent[pc / 2 % RECENT];

	if (LIKELY(*recent != NONE && v->blocks[*recent].pc == pc))
		return *recent;
	const uint64_t hash = index_hash_number(0, pc);

	/* The one behind the last is what is looked for. */
	BUG_ON(v->count == NONE - 1);
	*ARRAY_PUSH(v->blocks, v->count, v->capacity) = (struct block){.pc = pc};
	v->count--;
	size_t number = index_find(&v->index, hash, is_block, v);

	if (number == INDEX_NONE) {
		number = v->count++;
		index_add(&v->index, hash, number);
	}
	return *recent = (uint32_t)number;
}

/* The instructions from one address up to another, both in the same straight-line code. */
static uint32_t count_between(const struct vectors *v, uint64_t pc, uint64_t end)
{
	uint32_t count = 0;
	uint64_t fault;

	for (; pc < end; count++) {
		const struct insn *insn = code_at(v->process->cpu.code, pc, &fault);

		BUG_ON(!insn);
		pc += insn->bytes;
	}
	BUG_ON(pc != end);
	return count;
}

static void add_to_block(struct vectors *v, uint64_t pc, uint64_t instructions)
{
	if (!instructions)
		return;
	if (v->block == NONE)
		v->block = find_block(v, pc);
	struct block *block = &v->blocks[v->block];

	if (!block->executed)
		*ARRAY_PUSH(v->executed, v->executed_count, v->executed_capacity) = v->block;
	block->executed += instructions;
}

/* How many instructions the block under way has from `pc` to `end`, its end. */
static uint32_t instructions_to_end(struct vectors *v, uint64_t pc, uint64_t end)
{
	if (v->block == NONE)
		v->block = find_block(v, pc);
	struct block *block = &v->blocks[v->block];

	if (UNLIKELY(block->pc != pc))
		return count_between(v, pc, end);
	if (UNLIKELY(block->epoch != v->epoch || block->end != end)) {
		block->instructions = count_between(v, pc, end);
		block->end = end;
		block->epoch = v->epoch;
	}
	return block->instructions;
}

/* So many instructions were executed from `pc` on. */
static void add_batch(struct vectors *v, const struct note *note, const struct note *end,
		      uint64_t pc, uint64_t executed)
{
	for (; note < end; note++) {
		if (note_kind_of(note) != NOTE_CONTROL)
			continue;
		const uint32_t instructions = instructions_to_end(v, pc, note_end(note));

		BUG_ON(instructions > executed);
		add_to_block(v, pc, instructions);
		executed -= instructions;
		pc = note_next_pc(note);
		v->block = NONE;
	}
	add_to_block(v, pc, executed);
}

/* Executes one instruction of any kind. */
static enum cpu_stop run_alone(struct vectors *v)
{
	struct cpu *cpu = &v->process->cpu;
	const uint64_t pc = cpu->hart.pc, before = cpu->instructions;
	const struct insn *slot = code_at(cpu->code, pc, &cpu->fault_address);

	if (!slot)
		return STOP_FETCH_FAULT;
	const struct insn insn = *slot; /* a store may empty the slot */
	const enum cpu_stop stop = cpu_step(cpu);

	add_to_block(v, pc, cpu->instructions - before);
	if (stop == STOP_LIMIT && insn_control(&insn) != CONTROL_NONE)
		v->block = NONE;
	if (insn.unit != UNIT_CSR)
		v->epoch++;
	return stop;
}

static enum cpu_stop run_batch(struct vectors *v, uint64_t limit)
{
	struct note notes[BATCH_INSNS * NOTES_PER_INSN_MOST];
	struct cpu *cpu = &v->process->cpu;
	const uint64_t pc = cpu->hart.pc, before = cpu->instructions;

	if (limit > before + BATCH_INSNS)
		limit = before + BATCH_INSNS;
	const struct note *end = cpu_run_noted(cpu, notes, limit, NO_STOP_PC);

	if (cpu->instructions == before)
		return run_alone(v);
	add_batch(v, notes, end, pc, cpu->instructions - before);
	return STOP_LIMIT;
}

/* The block in which the thread goes on that runs now: its own, if it is where it was. */
static uint32_t take_waiting(struct vectors *v)
{
	const struct process *process = v->process;

	for (size_t i = 0; i < v->waiting_count; i++) {
		const struct waiting waiting = v->waiting[i];

		if (waiting.thread != process->current->tid)
			continue;
		v->waiting[i] = v->waiting[--v->waiting_count];
		return waiting.pc == process->cpu.hart.pc ? waiting.block : NONE;
	}
	return NONE;
}

/* Lets the process handle what stopped it. */
static void handle(struct vectors *v, enum cpu_stop stop)
{
	struct process *process = v->process;
	const uint64_t pc = process->cpu.hart.pc, before = process->cpu.instructions;

	if (stop == STOP_LIMIT && v->block != NONE)
		*ARRAY_PUSH(v->waiting, v->waiting_count, v->waiting_capacity) =
			(struct waiting){process->current->tid, pc, v->block};
	process_handle(process, stop);
	add_to_block(v, pc, process->cpu.instructions - before);
	v->epoch++;
	v->block = process->state == PROCESS_RUNNING ? take_waiting(v) : NONE;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

	return (first > second) - (first < second);
}

static void end_interval(struct vectors *v)
{
	const size_t count = v->executed_count;

	if (count > v->entry_capacity) {
		v->entry_capacity = 2 * count;
		v->entries = mem_realloc(v->entries, v->entry_capacity, sizeof(*v->entries));
	}
	qsort(v->executed, count, sizeof(*v->executed), by_number);
	for (size_t i = 0; i < count; i++) {
		struct block *block = &v->blocks[v->executed[i]];

		v->entries[i] = (struct vector_entry){v->executed[i] + 1, block->executed};
		block->executed = 0;
	}
	v->executed_count = 0;
	v->ends += v->interval;
	v->sink(v->context, v->entries, count);
}

bool vectors_run(struct vectors *v, uint64_t instructions)
{
	struct process *process = v->process;
	const struct cpu *cpu = &process->cpu;

	while (process->state == PROCESS_RUNNING && cpu->instructions < instructions) {
		const uint64_t turn_ends = process_slice_end(process);
		uint64_t until = instructions < turn_ends ? instructions : turn_ends;
		enum cpu_stop stop = STOP_LIMIT;

		if (v->ends < until)
			until = v->ends;
		if (cpu->instructions < until)
			stop = run_batch(v, until);
		if (stop != STOP_LIMIT || cpu->instructions >= turn_ends)
			handle(v, stop);
		if (cpu->instructions >= v->ends)
			end_interval(v);
	}
	return process->state == PROCESS_RUNNING;
}

void vectors_finish(struct vectors *v)
{
	if (v->executed_count)
		end_interval(v);
}

void vectors_write_line(struct bytes *to, const struct vector_entry *entries, size_t count)
{
	char text[64];

	bytes_put(to, "T", 1);
	for (size_t i = 0; i < count; i++)
		bytes_put(to, text,
			  (size_t)snprintf(text, sizeof(text), "%s:%u:%llu", i ? " " : "",
					   entries[i].block,
					   (unsigned long long)entries[i].instructions));
	bytes_put(to, "\n", 1);
}
