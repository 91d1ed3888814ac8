/*
 * blocked.h - the cycles in which a full window waits for its oldest instruction, as FMT and sFMT
 * charge them (Eyerman et al. 2006, sections 4.2 and 4.3).
 *
 * A cycle belongs to the miss that the oldest instruction waits for, otherwise to `resource`. If
 * that is a load that missed in the D-TLB and in a cache as well, the paper does not say which of
 * the two is charged. By the phase it is in, the D-TLB would hardly ever be: its phase comes first
 * and is over while the window still fills. But without the D-TLB miss the data would have come
 * so much earlier, so the load's first dtlb.miss_cycles blocked cycles are charged to the D-TLB
 * (in the order of time, of those in which it waits for a miss), and the rest by phase.
 *
 * A core would read a bit of the oldest load and count down. The record shows the bit only at the
 * load's commit; until then the two sums are kept apart. For a load that has not committed when the
 * run ends all its cycles are charged by phase.
 *
 * With page walks (tlb.miss = walk) no number of cycles is fixed, and all cycles are charged by
 * phase.
 */
#ifndef COUNT_BLOCKED_H
#define COUNT_BLOCKED_H

#include "base/bits.h"
#include "count/count.h"

struct count_blocked {
	uint64_t budget, left; /* cycles that a D-TLB miss may be charged, and those left */
	bool is_waiting;       /* there are cycles of an oldest instruction that is still there */
	uint64_t pc;	       /* of that instruction */
	uint64_t early[COMPONENT_COUNT];  /* its cycles within the budget, by phase */
	uint64_t cycles[COMPONENT_COUNT]; /* all other cycles */
};

static inline void count_blocked_init(struct count_blocked *blocked, const struct config *config)
{
	*blocked = (struct count_blocked){0};
	blocked->budget = config->tlb_miss == TLB_MISS_FIXED ? config->dtlb_miss : 0;
	blocked->left = blocked->budget;
}

/* So many cycles of the record have a full window. */
static inline void count_blocked_add(struct count_blocked *blocked, const struct cycle *c,
				     uint64_t cycles)
{
	const enum component head = count_head_miss(c);

	if (head == COMPONENT_BASE) {
		blocked->cycles[COMPONENT_RESOURCE] += cycles;
		return;
	}
	const uint64_t early = cycles < blocked->left ? cycles : blocked->left;
	blocked->early[head] += early;
	blocked->left -= early;
	blocked->cycles[head] += cycles - early;
	blocked->is_waiting = true;
	blocked->pc = c->head_pc;
}

/* Whether the instruction that was waited for commits in this record and has missed in the D-TLB:
 * a miss is a tag, so it is the first of the commits that are events. */
static inline bool count_blocked_was_tlb(const struct count_blocked *blocked, const struct cycle *c)
{
	for (uint32_t i = 0; i < c->event_count; i++)
		if (c->events[i].kind == EVENT_COMMIT)
			return c->events[i].pc == blocked->pc &&
			       c->events[i].detail & DATA_MISS_TLB;
	return false;
}

/* It must be called for every record, before count_blocked_add: the oldest instruction that was
 * waited for commits, or is fetched again. */
static inline void count_blocked_follow(struct count_blocked *blocked, const struct cycle *c)
{
	if (!blocked->is_waiting || (!c->committed && c->head_state != HEAD_EMPTY))
		return;
	const bool was_tlb = count_blocked_was_tlb(blocked, c);
	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		blocked->cycles[was_tlb ? COMPONENT_DTLB : i] += blocked->early[i];
		blocked->early[i] = 0;
	}
	blocked->left = blocked->budget;
	blocked->is_waiting = false;
}

/* A bit for every load or store in flight, and the counter of the budget. */
static inline uint64_t count_blocked_bits(const struct config *config)
{
	if (config->tlb_miss != TLB_MISS_FIXED || !config->dtlb_miss)
		return 0;
	return config->lsq_size + bits_log2(config->dtlb_miss) + 1;
}

#endif
