/*
 * twin_state.h - the state of the twin, shared by its files: twin.c has the stages from dispatch
 * on, twin_fetch.c those before it, twin_sets.c the store sets.
 */
#ifndef TESTS_CORE_TWIN_STATE_H
#define TESTS_CORE_TWIN_STATE_H

#include "isa/branch.h"
#include "isa/undo.h"
#include "twin.h"

#define NEVER		     UINT64_MAX
#define NO_INSTRUCTION	     0	  /* no instruction has this number */
#define STORE_BUFFER_ENTRIES 4096 /* the number that "unlimited" stands for */
#define UNITS_MAX	     16
#define SHORT_MOST	     2048 /* more than a front end has stages */

/* AGAIN: executed, and to be fetched again after a replay. */
enum stage { AGAIN, IN_BUFFER, IN_FRONT_END, WAITING, ISSUED };

struct instruction {
	uint64_t number;
	enum stage stage;
	uint64_t pc, next_pc; /* next_pc is the actual one */
	unsigned bytes, unit, rd, rs[3];
	enum control control;
	uint64_t address; /* address of its memory access */
	unsigned access_bytes;
	uint64_t sp, stack_low, stack_high; /* before it executed; the stack of its thread */

	/* Its kind. */
	bool is_load, is_store, is_branch, is_serialising;
	bool is_atomic_write; /* an atomic that writes: all but load-reserved */
	bool is_wrong;	      /* on a wrong path */
	bool is_taken;	      /* the branch is actually taken */
	bool is_predicted;    /* the predictor was used */
	bool is_mispredicted; /* fetch continued at another address than next_pc */
	bool is_unresolved;   /* mispredicted and not resolved */

	/* The times of its stages. */
	uint64_t may_dispatch_at;
	uint64_t may_issue_at; /* for a load that found no MSHR */
	uint64_t issued_at;
	uint64_t complete_at;  /* NEVER until known */
	uint64_t usable_at;    /* in order: when its result can be used */
	uint64_t producers[3]; /* numbers of the instructions that produce its sources */

	/* For a load: the level that its access reaches and the ends of its phases. */
	uint64_t tlb_done_at, near_done_at;
	uint64_t walk_cycles, queue_cycles; /* the part of TLB phase and wait that is excess */
	enum memory_level level;
	bool has_no_mshr; /* the last attempt found no MSHR */
	unsigned tags;	  /* its misses and waits: detail of its commit event */

	/* What it did before a replay. */
	bool was_fetched, was_dispatched, was_issued;

	/* With store sets. */
	unsigned set;
	uint64_t waits_for; /* the store that its set holds it back for, or NO_INSTRUCTION */
	uint64_t held_from; /* 0: was not held back; NEVER: rightly */
	uint64_t held_cycles;
	uint64_t read_from;  /* for a load, the store in the window that it read */
	uint64_t ready_from; /* the first cycle in which its sources were available; 0: not yet */
	bool was_refused;    /* a load that had a port, and had to wait for something else */
	/* Once issued: the cycle from which on it is late, and why. */
	uint64_t late_from;
	enum head_late late;

	struct prediction prediction;
};

/* The most events in one cycle, in which a whole store buffer may be written. */
#define EVENTS_MOST 65536

struct committed_store {
	uint64_t pc, address;
	unsigned bytes;
	bool is_written;
	/* Valid once it is written; the phases are those of the later of two accesses. */
	uint64_t done_at, tlb_done_at, near_done_at;
	enum memory_level level;
};

struct twin {
	struct config config;
	struct process *process;
	struct cpu *cpu;
	struct hierarchy *memory;
	struct predictor *predictor;
	uint32_t slots;
	uint64_t now;

	struct instruction *instructions; /* number n is at index n modulo slots, a power of two */
	struct checkpoint *checkpoints;	  /* of mispredicted branches, with the same index */
	uint64_t oldest, next;		  /* the instructions in flight are [oldest, next) */

	bool is_draining; /* the process was called: fetch continues when nothing is in flight */
	bool is_ended;
	uint64_t found_empty_at; /* when fetch wanted to read counters and nothing was in flight */
	bool is_nowhere;	 /* the wrong path has no next instruction */
	uint64_t lines_held[2];	 /* lines that have arrived and are not used yet; NEVER: none */
	uint64_t line_here_at, line_tlb_until, line_near_until, line_walk_cycles, line_queue_cycles;
	enum memory_level line_level; /* the level that the line comes from */
	unsigned line_tags;	      /* tags of the instruction that waits for lines */
	uint32_t thread;
	uint64_t misfetched; /* the branch whose target decode must supply, or NO_INSTRUCTION */
	uint64_t misfetch_until;
	struct undo_log undo;
	/* By cycle, modulo their number: the front end got too little because core.max_branches had
	 * held fetch. Only the last such cycles in a row are kept. */
	bool was_short[SHORT_MOST];
	bool is_short;
	unsigned branches_since; /* fetched since fetch was held last */

	/* The call that is measured, or at whose return the run ends: calls made at the same place
	 * and not returned from, in what was fetched or has committed. */
	enum twin_call { CALL_NONE, CALL_MEASURED, CALL_LAST } call;
	uint64_t call_site, return_to, calls_inside;
	bool call_is_fetched, has_returned;

	/* In order. */
	uint64_t bubble_until; /* fetch does nothing before, because of bubble_reason */
	enum fetch_stall bubble_reason;
	uint64_t held_until; /* nothing issues before, because of this instruction */
	uint64_t holder, holder_miss_until[MISS_LEVELS];
	uint64_t load_retry_at;
	struct access_result writing;	  /* of the last store written that waited for a line */
	uint64_t unit_user[2][UNITS_MAX]; /* pcs of the last users of multipliers and dividers */
	bool has_sets;
	unsigned *set_of_pc; /* 0: none */
	uint64_t *last_of_set;
	unsigned sets_made;

	uint64_t int_muldiv_free_at[UNITS_MAX], fp_muldiv_free_at[UNITS_MAX];

	/* By enum head_late: the number of cycles, up to the last one, in each of which all units
	 * of the kind were taken. */
	uint64_t taken_cycles[LATE_FP_MULDIV + 1];

	/* Committed stores, oldest first; the written ones precede the others. */
	struct committed_store *stores;
	unsigned store_count;
	uint64_t stores_retry_at;

	uint64_t useful_pcs[UNITS_MAX];
	struct twin_counters counters;
	struct cycle cycle;
	struct cycle_event events[EVENTS_MOST];
};

static inline struct instruction *numbered(const struct twin *twin, uint64_t number)
{
	return &twin->instructions[number & (twin->slots - 1)];
}

/* The instructions in flight, found by a search. */
unsigned twin_count_in(const struct twin *twin, enum stage stage);
struct instruction *twin_oldest_in(const struct twin *twin, enum stage stage);
unsigned twin_branches_in_flight(const struct twin *twin);
/* Whether the front end got too little as many cycles ago as it has stages. */
bool twin_was_short(const struct twin *twin);
void twin_forget_short(struct twin *twin);
bool twin_on_wrong_path(const struct twin *twin);

void twin_event(struct twin *twin, enum cycle_event_kind kind, unsigned detail, bool is_wrong,
		uint64_t number, uint64_t pc);
void twin_event_of(struct twin *twin, enum cycle_event_kind kind, const struct instruction *i,
		   unsigned detail);
/* That of a branch, which is no longer mispredicted once it has resolved. */
void twin_event_of_branch(struct twin *twin, enum cycle_event_kind kind,
			  const struct instruction *i);
/* The same as twin_event_of with the instruction's class. */
void twin_event_of_class(struct twin *twin, enum cycle_event_kind kind, const struct instruction *i,
			 unsigned detail);
/* Adds an event for each counter that the last access to memory changed. */
void twin_event_of_miss(struct twin *twin, enum cycle_event_kind kind, unsigned detail,
			bool is_wrong, uint64_t number, uint64_t pc,
			const struct access_result *result);
void twin_event_access(struct twin *twin, enum cycle_event_kind kind, bool is_wrong,
		       uint64_t number, uint64_t pc);
/* The time at which the wait of an access becomes one for memory. */
uint64_t twin_near(const struct twin *twin, const struct access_result *result);
/* The misses that begin with an access, as FETCH_MISS bits. */
unsigned twin_misses(const struct twin *twin, const struct access_result *result);

/* Replaces the lines that fetch holds by these. */
void twin_hold_lines(struct twin *twin, uint64_t line, uint64_t other);
/* The line that fetch waits for is not used. */
void twin_abandon_fetch(struct twin *twin);
bool twin_has_address(const struct twin *twin, const struct instruction *store);
/* For a run that ends with a return: whether it ends before this instruction commits. */
bool twin_ends_before(struct twin *twin, const struct instruction *i);
/* An instruction has committed. */
void twin_note_call(struct twin *twin, const struct instruction *i);
bool twin_overlap(uint64_t a, unsigned a_bytes, uint64_t b, unsigned b_bytes);

/* twin_sets.c */
void twin_sets_init(struct twin *twin);
void twin_sets_release(struct twin *twin);
void twin_sets_begin_cycle(struct twin *twin);
void twin_sets_dispatch(struct twin *twin, struct instruction *i);
void twin_sets_leave(struct twin *twin, const struct instruction *i);
/* True if the load or store, which could start, has to wait for a store of its set. */
bool twin_sets_hold(struct twin *twin, struct instruction *i);
void twin_sets_check(struct twin *twin);

void twin_end_slice(struct twin *twin);
void twin_fetch(struct twin *twin);
/* Squashes everything behind the branch, which resolves. */
void twin_take_back_after(struct twin *twin, struct instruction *branch);
void twin_commit_control(struct twin *twin, struct instruction *i);
unsigned twin_latency_of(const struct twin *twin, const struct instruction *i);
/* twin_ideal.c: whether ideal.at has this event for the instruction at `pc`; what it leaves, in
 * percent, of its latency (`time` counts too) or of its data's time. */
bool twin_is_ideal(const struct twin *twin, uint64_t pc, enum ideal_at_event event);
unsigned twin_percent(const struct twin *twin, uint64_t pc, enum ideal_at_event event);
/* An access for the instruction at `for_pc`. */
void twin_access(struct twin *twin, enum hierarchy_operation operation, uint64_t for_pc,
		 uint64_t pc, uint64_t address, struct access_result *result);
/* twin_inorder.c: a cycle of an in-order core. */
const struct cycle *twin_inorder_step(struct twin *twin);
/* Adds the rest of a line to a miss. */
void twin_fill(const struct twin *twin, enum hierarchy_side side, uint64_t pc,
	       struct access_result *result);

static inline bool is_inorder(const struct twin *twin)
{
	return twin->config.core_kind == CORE_INORDER;
}
void twin_feed(struct twin *twin);

#endif
