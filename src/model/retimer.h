/*
 * retimer.h - the cycles of a trace on an out-of-order core, by one recurrence over its
 * instructions in program order.
 *
 * Each instruction is fetched, fed to decode, dispatched, issued, complete and committed in cycles
 * that follow from those of the instructions before it: widths, the fetch buffer and the stages of
 * the front end; the reorder buffer, the issue queues and the load-store queue as the cycle in
 * which the instruction so many places before leaves them; operands, and a table of the units that
 * are taken in each cycle; branches in flight; serialising instructions. Caches, TLBs, page walks,
 * prefetchers, main memory and the branch predictor are those of the simulator (src/mem, src/pred,
 * src/core/ooo/store_sets.h), and are asked at the times that the recurrence finds. A load waits
 * for the older store that it reads, or is replayed where the machine lets it start too early.
 * Stores are written behind their commit, in order, from a store buffer of limited size.
 *
 * Accesses are made in program order, though their times are not in order. So MSHRs are kept here,
 * as intervals: an access finds those taken that cover its own cycle. A load that hits a line which
 * an older load asks for at a later time is the one that asks. Stores wait until an access is made
 * at a later time than theirs.
 *
 * Not modelled: wrong paths, which are not in a trace, with what they fetch, evict and bring in;
 * the time that system calls take beyond emptying the core; accesses of page walks hold no MSHRs;
 * where operations that keep a unit for several cycles compete, the older one has it.
 */
#ifndef MODEL_RETIMER_H
#define MODEL_RETIMER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "trace/step.h"

struct retimer;

/* Of an out-of-order core. NULL with a sentence if its parts cannot be built. */
struct retimer *retimer_create(const struct config *config, struct err *err);
void retimer_destroy(struct retimer *retimer); /* NULL is accepted */
void retimer_add(struct retimer *retimer, const struct trace_step *steps, size_t count);
/* Up to the commit of the last instruction so far; 0: there was none. */
uint64_t retimer_cycles(const struct retimer *retimer);

struct retimer_events {
	uint64_t mispredictions, misfetches, replays, forwarded, mshr_waits;
};
struct retimer_events retimer_events(const struct retimer *retimer);

#endif
