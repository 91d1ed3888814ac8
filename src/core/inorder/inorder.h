/*
 * inorder.h - the in-order core, a pipeline of five stages (fetch, decode, execute, memory,
 * write-back) that issues one or two instructions a cycle: its state, shared by the files of this
 * folder.
 *
 * Instructions are in one ring of slots from fetch to write-back:
 *
 *     head <= issued <= fetched
 *       [head, issued)      the window: executing, in memory, waiting to be written back
 *       [issued, fetched)   fetch and decode
 *
 * Timing. An instruction fetched in cycle t issues at t + frontend_stages() at the earliest, in
 * program order. One that issues in cycle x executes in x, its result can be used by one that
 * issues in x + latency, and it is written back (commits) in x + latency + 1, in program order. All
 * results are bypassed. A load makes its access when it issues; l1d.latency_cycles counts from
 * there. A store's data is needed one cycle later than its address. A branch resolves at the end of
 * its cycle of execute; fetch is redirected in the next, or later by what inorder.mispredict_cycles
 * says beyond the front end's stages. So nothing behind a mispredicted branch ever issues: a wrong
 * path reaches the I-TLB and the I-cache, and no data.
 *
 * Pairs. Two instructions issue together if the second neither reads nor writes what the first
 * writes, the first is no jump or branch, neither is serialising, there is a unit for each, and
 * inorder.pairing allows it.
 *
 * The data cache is blocking: a load that misses holds the pipeline until its line is there, and
 * one data miss is outstanding at a time (the hierarchy has one MSHR). Stores wait in the write
 * buffer, which writes one after the other; a load that such a store covers is forwarded its data,
 * one that overlaps it otherwise waits until it is written. Fences and atomics wait for an empty
 * buffer.
 *
 * Each instruction is executed functionally when fetched, as in the out-of-order core; a branch
 * that goes another way than predicted takes a checkpoint, and what was fetched behind it is undone
 * when it resolves.
 *
 * Deliberately not modelled: exceptions that flush the pipeline, contention of the write buffer and
 * of loads for the cache, the order in which the words of a line arrive: what waits for a line
 * waits for all of it (inorder.fill_word_cycles), and the hierarchy counts it as there with its
 * first.
 */
#ifndef CORE_INORDER_INORDER_H
#define CORE_INORDER_INORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "core/branch_kind.h"
#include "core/core.h"
#include "core/fetch_common.h"
#include "core/frontend.h"
#include "isa/undo.h"

#define NEVER		 UINT64_MAX
#define SLOTS_MAX	 4096
#define WIDTH_MAX	 2
#define UNITS_MAX	 16
#define WRITE_BUFFER_MAX 64

enum entry_flags {
	ENTRY_WRONG = 1,	/* on a wrong path (oracle) */
	ENTRY_MISPREDICTED = 2, /* fetch continued at another address than the branch's target */
	ENTRY_LOAD = 4,		/* a load or an atomic */
	ENTRY_STORE = 8,
	ENTRY_WRITES = 16, /* a store, or an atomic that stores */
	ENTRY_BRANCH = 32, /* conditional, indirect or return */
	ENTRY_CONTROL = 64,
	ENTRY_TAKEN = 128,
	ENTRY_SERIALISE = 256, /* must be alone in the window */
	ENTRY_PREDICTED = 512, /* the predictor predicted it and must be updated at commit */
	ENTRY_LONG = 1024,     /* executes for more than one cycle */
	ENTRY_FENCE = 2048,    /* waits for an empty write buffer */
};

/* One instruction in flight. */
struct entry {
	uint64_t pc;
	uint64_t issue_from; /* the first cycle in which it may issue */
	uint64_t result_at;  /* from when on its result can be used */
	uint64_t written_at; /* the cycle of write-back, if those before it are written back */
	uint64_t next_pc;    /* of a control transfer: where the program goes on */
	uint8_t rd, rs[3];   /* rd to rm are the same eight bytes as in struct insn */
	uint16_t op;
	uint8_t unit;
	uint8_t bytes : 3, rm : 5;
	uint16_t flags;
	uint16_t tags;	  /* FETCH_MISS_TLB .. DATA_MISS_L3 */
	uint16_t control; /* enum control, if ENTRY_CONTROL */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct entry) == 64, "a cache line");

/* When a register can be read: by an instruction that computes with it, and by a load, store or
 * atomic that has its address in it. */
struct reg_state {
	uint64_t at, address_at;
	uint64_t writer, pc; /* sequence number and pc of the last instruction that wrote it */
};

/* A unit of multiplication and division: when it is free, and what uses it until then. */
struct long_unit {
	uint64_t free_at, pc;
};

struct buffered_store {
	uint64_t address, pc;
	uint8_t bytes;
};

/* The phases of a wait for memory, each until the cycle given: the TLB's, then those of misses. */
struct wait {
	uint64_t until; /* the end of the wait; 0: none so far */
	uint64_t tlb_until, miss_until[MISS_LEVELS];
	/* From when on a phase goes on because of misses of the page walk, a busy memory. */
	uint64_t walk_from, queue_from;
};

/* A part of the stack that is not in use. */
struct dead_range {
	uint64_t low, high;
};

struct inorder {
	struct core base;
	struct config config;
	struct predictor *predictor;

	struct entry *entries;
	struct step_ring accesses;	/* same index as entries */
	struct prediction *predictions; /* same index as entries */
	/* Same index: what was below the stack pointer when the instruction executed. NULL but with
	 * l1d.write = live. */
	struct dead_range *dead;
	uint32_t slot_mask, width, stages, queue_most;
	uint32_t latency[UNIT_COUNT]; /* of every unit but those of memory */
	uint32_t redirect_cycles;     /* from the resolution of a misprediction to the next fetch */
	uint32_t fill_cycles[SIDE_COUNT];
	bool is_predicting;		/* there is a predictor, and branches are not ideal */
	uint64_t head, issued, fetched; /* sequence numbers */

	/* Fetch. */
	struct wait fetch_wait; /* until the cycle in which an outstanding access delivers */
	uint64_t counters_at;	/* the cycle in which an empty core may read counters */
	uint64_t arrived[2];	/* lines that fetch has waited for; NEVER if none */
	uint16_t fetch_tags;	/* tags of the instruction that fetch waits for */
	uint64_t bubble_until;
	uint8_t bubble_reason; /* enum fetch_stall in the cycles before bubble_until */
	struct decoded_chunk chunk;

	/* The mispredicted branch of the right path that is not resolved, and the cycle in which it
	 * resolves: NEVER until it has issued. */
	bool is_wrong;
	uint64_t culprit, resolve_at;
	struct checkpoint checkpoint;
	struct undo_log undo;

	/* Issue. */
	struct reg_state regs[REG_COUNT];
	bool window_serialised;
	/* What holds the pipeline: the instruction, until when; and if it is a load, its wait. */
	uint64_t blocker, blocked_until;
	struct wait load_wait;
	uint64_t load_retry_at;		      /* the load that is next finds no MSHR free before */
	uint64_t stopped_until;		      /* if issue stopped: NEVER, or when to look again */
	struct long_unit units[2][UNITS_MAX]; /* [0] integer, [1] floating point */

	struct buffered_store write_buffer[WRITE_BUFFER_MAX];
	uint64_t buffer_first, buffer_last;
	uint64_t write_done_at; /* of the first store; NEVER: its write has not begun */
	uint64_t write_retry_at;
	struct wait write_wait; /* of the last store that did not hit */
};

static inline struct entry *inorder_entry(struct inorder *core, uint64_t sequence)
{
	return &core->entries[sequence & core->slot_mask];
}

static inline bool inorder_wants(const struct inorder *core, enum cycle_event_kind kind)
{
	return UNLIKELY(core->base.wants & EVENT_BIT(kind));
}

/* Whether a list was asked for, such as EVENTS_ACCESSES. */
static inline bool inorder_wants_list(const struct inorder *core, uint32_t list)
{
	return UNLIKELY(core->base.wants & list);
}

/* events.c */
void inorder_add_event_of(struct inorder *core, enum cycle_event_kind kind, uint64_t sequence,
			  unsigned detail);
/* An event of the instruction in flight with that sequence number, with its class. */
static inline void inorder_event(struct inorder *core, enum cycle_event_kind kind,
				 uint64_t sequence, unsigned detail)
{
	if (inorder_wants(core, kind))
		inorder_add_event_of(core, kind, sequence, detail);
}
/* An event of a miss that begins. */
void inorder_event_miss(struct inorder *core, enum cycle_event_kind kind, uint32_t slot,
			uint64_t pc, bool is_wrong, unsigned detail,
			const struct access_result *result);
/* An event of a plain hit. */
void inorder_event_plain(struct inorder *core, enum cycle_event_kind kind, uint32_t slot,
			 uint64_t pc, bool is_wrong);

/* The cycles by which an access of the instruction at `pc` takes longer than a hit, the rest of a
 * filled line included; adds these also to the end of the wait's phases. `latency` is that of a
 * hit. */
static inline uint64_t inorder_wait(const struct inorder *core, enum hierarchy_side side,
				    uint64_t pc, uint32_t latency, struct access_result *result)
{
	const uint64_t end = result->done_at;

	if (result->level > LEVEL_L1) {
		uint64_t fill = core->fill_cycles[side];

		if (UNLIKELY(core->base.ideal_at) && side == SIDE_DATA)
			fill = ideal_at_part(fill,
					     ideal_at_find(core->base.ideal_at, pc).data_percent);
		result->done_at += fill;
		for (unsigned i = 0; i < MISS_LEVELS; i++)
			if (result->miss_until[i] == end)
				result->miss_until[i] = result->done_at;
	}
	return result->done_at - (core->base.now + latency);
}

/* The wait for an access that has just been made; it ends, and so do its phases, `later` cycles
 * after the access would be done if a hit took no time. */
static inline void inorder_set_wait(struct wait *wait, const struct access_result *result,
				    uint32_t latency, uint64_t later)
{
	wait->until = result->done_at - latency + later;
	wait->tlb_until = result->tlb_done_at + later;
	for (unsigned i = 0; i < MISS_LEVELS; i++)
		wait->miss_until[i] = result->miss_until[i] - latency + later;
	wait->walk_from = wait->tlb_until - result->walk_cycles;
	wait->queue_from = wait->until - result->queue_cycles;
}

/* The phase of a wait: 0 for the TLB, then 1 to 3 for the level that missed. */
static inline unsigned inorder_phase(const struct wait *wait, uint64_t now)
{
	return now < wait->tlb_until ? 0 : 1 + core_wait_level(now, wait->miss_until);
}

_Static_assert(FETCH_L3I - FETCH_ITLB == MISS_LEVELS && HEAD_L3D - HEAD_DTLB == MISS_LEVELS,
	       "the phases of a wait in their order");

/* Why the phase goes on, as enum cycle_excess bits of the head. */
static inline unsigned inorder_excess(const struct wait *wait, uint64_t now)
{
	if (now < wait->tlb_until)
		return now >= wait->walk_from ? EXCESS_HEAD_WALK : 0;
	return now >= wait->queue_from && now < wait->until ? EXCESS_HEAD_BANDWIDTH : 0;
}

/* The same bits for fetch. */
#define FETCH_EXCESS_SHIFT 2
_Static_assert(EXCESS_HEAD_WALK << FETCH_EXCESS_SHIFT == EXCESS_FETCH_WALK &&
		       EXCESS_HEAD_BANDWIDTH << FETCH_EXCESS_SHIFT == EXCESS_FETCH_BANDWIDTH,
	       "the same two bits");

/* What an instruction is doing, in the words of the record: an enum head_state, and enum
 * cycle_excess bits. */
struct doing {
	uint8_t state, excess;
};

/* The stages; one file each, write-back in step.c. */
void inorder_fetch(struct inorder *core);
void inorder_issue(struct inorder *core);
/* step.c: what an instruction of the window is doing. */
struct doing inorder_doing(const struct inorder *core, uint64_t sequence);
/* fetch.c: the branch `culprit` resolves: squashes everything behind it. */
void inorder_resolve(struct inorder *core);

/* write_buffer.c */
void inorder_write_buffer_drain(struct inorder *core);
static inline bool inorder_write_buffer_is_empty(const struct inorder *core)
{
	return core->buffer_first == core->buffer_last;
}
static inline bool inorder_write_buffer_has_room(const struct inorder *core)
{
	return core->buffer_last - core->buffer_first < core->config.inorder_write_buffer;
}
/* What the store being written waits for; HEAD_STORE if for no line. */
struct doing inorder_write_buffer_doing(const struct inorder *core);
void inorder_write_buffer_put(struct inorder *core, const struct step_access *access, uint64_t pc);
/* What a buffered store means for a load: nothing, it supplies the data, or the load waits. */
enum buffer_match { BUFFER_NONE, BUFFER_FORWARDS, BUFFER_OVERLAPS };
enum buffer_match inorder_write_buffer_find(const struct inorder *core,
					    const struct step_access *load);

#endif
