/*
 * retime.h - times committed instructions again, in program order, on other machines: by
 * recurrence, from what the record says of each (struct cycle_retired), without caches, predictor
 * or wrong paths.
 *
 * A machine is a struct config of an out-of-order core. Its widths, sizes, units, latencies and
 * ideal switches are respected; which instructions miss, and where, mispredict or misfetch, is
 * taken from the run. So a machine may differ from the one that runs in core.max_branches, fetch.*,
 * decode.*, frontend.depth, dispatch.width, issue.*, commit.width, rob.size, lsq.*, units,
 * their latencies and that of the L1D, and ideal.*; all else, and above all caches, TLBs,
 * prefetchers, memory and predictor, must be the same (machine/live.def lists most keys). With n an
 * instruction's number, and for each machine:
 *
 * - fetch: with the instruction before, or in the cycle after it, if that was taken, filled the
 *   width or ended the line; not before the fetch buffer has room, a misprediction has resolved, a
 *   drained core is empty; plus the waits of its fetch that the machine has
 * - feed: after fetch; decode.width a cycle; not before the front end has room
 * - dispatch: feed + stages; dispatch.width a cycle; not before the ROB, the issue queue and the
 *   LSQ have room; a serialising instruction alone
 * - issue: the first cycle after dispatch, and with its sources, in which a unit is free; a load
 *   not before older stores have addresses or the store it depends on has its data
 * - complete: issue + latency; for a load, plus the TLB phase and the misses that the machine has.
 *   A load from a line, or page, that is on its way in this machine's time waits for it
 * - commit: complete; in order; commit.width a cycle
 *
 * Not modelled: wrong paths, except for what they do to the run itself; issue in the order of age
 * if an older instruction becomes ready later than a younger one has issued; the misses of stores,
 * except for what the run says of full store buffers; a busy memory, except for the run's own
 * waits.
 */
#ifndef COUNT_RETIME_H
#define COUNT_RETIME_H

#include "config/config.h"
#include "signal/cycle.h"

struct retime;

/* All machines have the caches and TLBs of the machine that runs. Neighbours that differ only in
 * ideal.* of branches, caches, TLBs, walks, bandwidth and pending hits are timed together, and
 * faster. */
struct retime *retime_create(const struct config *machines, unsigned count);

/* The sizes of tables that hardware would have. `stores`, `lines` (of L1 and again of L2), `pages`
 * and `unit_cycles` say how many recent stores, lines and pages on their way, and cycles of units
 * are kept; each is a power of two. A time is kept as its distance from the last commit, before or
 * after it, in `stamp_bits` bits, at most 12, and saturates. Addresses are told apart by their
 * lower `address_bits` bits. 0 bits: as many as are ever needed. */
struct retime_limits {
	uint32_t stores, lines, pages, unit_cycles, stamp_bits, address_bits;
	bool is_portable; /* without vector instructions that not every host has: a test's */
};
struct retime *retime_create_limited(const struct config *machines, unsigned count,
				     const struct retime_limits *limits);
/* The storage of one machine's tables and times, and of what the machines share, in bits: those
 * of the circuit (rtl/circuit_vclk.c), with as many rows as are used. */
uint64_t retime_bits(const struct config *machine, const struct retime_limits *limits);
uint64_t retime_shared_bits(const struct config *machine, const struct retime_limits *limits);
void retime_destroy(struct retime *retime); /* NULL is allowed */

/* The number of instructions that are timed in one batch. */
#define RETIME_BATCH 64

/* Adds the next instruction to the batch; `waits` is NULL if it has none. True if the batch is full
 * and retime_run must be called. */
bool retime_add(struct retime *retime, const struct cycle_retired *insn,
		const struct cycle_waits *waits);
/* Times the batch. Writes the cycles in which its instructions commit on machine m to commits[m],
 * from `first` on, and returns how many instructions there are. */
unsigned retime_run(struct retime *retime, uint64_t (*commits)[RETIME_BATCH], unsigned first);

/* Both: times the next instruction on every machine. */
void retime_step(struct retime *retime, const struct cycle_retired *insn,
		 const struct cycle_waits *waits);
/* Times all instructions of a record. */
void retime_cycle(struct retime *retime, const struct cycle *cycle);

/* By machine, the cycle in which the last instruction has committed; the first cycle is 0. */
const uint64_t *retime_commits(struct retime *retime);

#endif
