/*
 * facts.h - what single instructions of a program do: what their accesses, outcomes and operands
 * are like, in program order and without time.
 *
 * A machine that runs says how many cycles an instruction costs; this says what it is about the
 * program that makes it so: that the address of a load comes from its own last value, that a branch
 * tests what another line loads and follows no order, that the lines a load misses crowd in few
 * sets. Caches, TLBs and predictor are the machine's own, used as when they are warmed
 * (machine/warm.h), so what is said of misses depends on the configuration; times are not known,
 * nor are wrong paths.
 *
 * Everything is counted in whole numbers from the steps of a recorder (trace/record.h), so the same
 * steps give the same facts. Memory is bounded, whatever the program does:
 *   - FACTS_PLACES_MOST instructions have facts, those that were asked for and then the first
 *     executed; the executions of others are counted in `left_out`.
 *   - Distinct lines, pages and targets are exact up to DISTINCT_MOST, then estimated within about
 *     a tenth (distinct.h).
 *   - The most frequent strides, feeders, sets and targets are found by counters that may miss some
 *     (frequent.h): each count is at most the true one.
 *   - Where a value comes from is followed through registers, and through memory for what was
 *     stored by way of the stack pointer (or s0 near it) into RECENT_WORDS words; of two loads that
 *     a value comes from the later counts, but one whose
 *     address changes before one whose does not, if it is at most FLOW_LONG_BEFORE steps older.
 *   - FLOW_THREADS threads have registers of their own. A signal, or a thread beyond these, makes
 *     what registers hold unknown.
 * An instruction whose code changes while the program runs is marked; its facts are those of
 * all that was executed at its address.
 */
#ifndef MEASURE_FACTS_H
#define MEASURE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "measure/distinct.h"
#include "measure/frequent.h"
#include "mem/hierarchy.h"
#include "trace/record.h"

#define FACTS_PLACES_MOST  8192
#define FACTS_HISTORY	   8 /* outcomes that the two simple predictors look at */
#define FACTS_NEAR	   64 /* instructions, among which those that use the same unit are counted */
#define FACTS_WINDOW_INSNS 100000 /* in each of which the lines of code are counted */

/* Misses of a cache in lines that one of the same size without sets would have held. */
struct fact_conflicts {
	uint64_t misses;
	struct frequent sets; /* by the set's number */
	struct distinct lines, set_count;
};

/* Of the accesses of a load, store or atomic. */
struct fact_memory {
	uint64_t accesses;
	uint64_t found[LEVEL_COUNT]; /* accesses whose line was first held there */
	uint64_t first;		     /* of the misses in the L1D: of lines never accessed before */
	struct fact_conflicts conflicts[LEVEL_MEMORY]; /* of the L1D, the L2, the L3 */
	uint64_t tlb_misses, tlb_walks;		       /* in the D-TLB; in the last TLB */
	uint64_t line_splits, page_splits;
	uint64_t forwarded;	 /* loads of what one store wrote within the window before them */
	uint64_t partial;	 /* loads of bytes of which one store wrote only a part */
	struct frequent stores;	 /* the instructions whose stores they meet */
	struct frequent strides; /* the distance from its own last access, as a 64-bit number */
	struct distinct lines, pages;
	uint64_t last_address;
};

/* Of the outcomes of a conditional branch. */
struct fact_branch {
	uint64_t outcomes, taken;
	uint64_t changes;     /* outcomes other than the one before */
	uint64_t longest_run; /* of equal outcomes */
	uint64_t wrong;	      /* by the machine's own predictor */
	uint64_t misfetched;  /* right, but the target was not known */
	/* If each outcome were predicted to be the more frequent one so far behind the same last
	 * FACTS_HISTORY outcomes: of the branch itself; of all branches. */
	uint64_t wrong_own, wrong_all;
};

/* Of the targets of an indirect jump, call or return. */
struct fact_jump {
	uint64_t jumps;
	uint64_t changes;   /* targets other than the one before */
	uint64_t wrong;	    /* by the machine's own predictor */
	uint64_t overflows; /* returns to callers that a stack of return_stack.entries has lost */
	struct distinct targets;
	struct frequent often;
};

struct fact {
	uint64_t pc;
	struct trace_op op; /* as it was executed first */
	bool is_asked;	    /* for */
	bool changed;	    /* its code did */
	uint64_t executed;
	/* The loads from which its address comes, or what it tests or jumps to, or its operands: by
	 * pc, how often such a load was executed since the instruction itself last was. */
	struct frequent loads;
	/* The same, if the load's own address was another one than the time before. */
	uint64_t fed, fed_anew;
	/* The operations of more than one cycle (loads apart) at the end of the longest chain that
	 * feeds it, by pc. */
	struct frequent operations;
	uint64_t serial; /* executions that such an operation fed since the one before */
	/* By how many cycles the longest chain of results that leads to its own became longer from
	 * one execution to the next, in all, with the latencies of hits; and of how many. */
	uint64_t chain_cycles, chain_links;
	/* Instructions for the same kind of unit among the last FACTS_NEAR, itself too: summed
	 * over executions, and the most. */
	uint64_t near_sum, near_most;
	uint64_t fetch_misses, fetch_conflicts; /* in the L1I, of lines that it begins or enters */
	uint64_t fetch_tlb_misses;
	struct fact_memory *memory; /* NULL: accesses none */
	struct fact_branch *branch; /* NULL: is none */
	struct fact_jump *jump;	    /* NULL: is none */
};

/* Of all code executed. */
struct fact_code {
	uint64_t bytes;		/* of distinct instructions */
	uint64_t lines, pages;	/* distinct, in lines of the L1I */
	uint64_t busiest_lines; /* the most in any FACTS_WINDOW_INSNS instructions */
	uint64_t busiest_pages;
	uint64_t fetches, misses, conflicts; /* of lines, in the L1I */
};

struct facts;

/* Of the instructions at these addresses, which come first among those that have facts; others may
 * have some too. NULL with a sentence if the machine cannot be built. */
struct facts *facts_create(const struct config *config, const uint64_t *pcs, size_t count,
			   struct err *err);
void facts_destroy(struct facts *facts); /* NULL is accepted */

/* The next steps, of one thread. was_interrupted: another thread or a signal handler goes on after
 * the last of them, so what it led to is not known. No steps: the numbers of ops begin anew. */
void facts_add(struct facts *facts, const struct trace_step *steps, size_t count, uint32_t thread,
	       bool was_interrupted);

/* Executes the process from where it is until it ends or cpu.instructions reaches `limit`, or until
 * should_stop says so, if it is not NULL. */
void facts_run(struct facts *facts, struct process *process, uint64_t limit,
	       bool (*should_stop)(void *context, uint64_t instructions), void *context);

/* NULL: nothing is known of it. */
const struct fact *facts_find(const struct facts *facts, uint64_t pc);
/* In the order of their first execution, those asked for first. */
size_t facts_count(const struct facts *facts);
const struct fact *facts_at(const struct facts *facts, size_t index);
const struct fact_code *facts_code(const struct facts *facts);
uint64_t facts_steps(const struct facts *facts);
uint64_t facts_left_out(const struct facts *facts); /* executions of instructions without facts */
const struct config *facts_config(const struct facts *facts);

/* Whether the value that feeds the instruction comes from its own last result, perhaps by way of
 * other loads, most of the times; `links` loads, itself too, are then in that chain. */
bool facts_feeds_itself(const struct facts *facts, const struct fact *fact, unsigned *links);
/* The same of operations of more than one cycle. */
bool facts_is_serial(const struct facts *facts, const struct fact *fact, unsigned *links);

#endif
