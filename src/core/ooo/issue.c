#include "core/ooo/ooo.h"

#include <string.h>

static uint64_t *wheel_at(struct ooo *core, uint64_t cycle)
{
	return core->wheel + (cycle % WHEEL_SLOTS) * core->mask_words;
}

void ooo_unschedule(struct ooo *core, struct entry *e)
{
	uint32_t slot = ooo_slot(core, e);

	ooo_clear_ready(core, e);
	mask_clear(core->blocked, slot);
	/* Only the slot's own instruction sets its bit, so a stale place is harmless. */
	uint64_t *parked = wheel_at(core, e->parked);
	if (mask_has(parked, slot)) {
		mask_clear(parked, slot);
		core->wheel_counts[e->parked]--;
		core->wheel_total--;
	}
}

/* Parks an instruction that could not start until `at`. */
static void park(struct ooo *core, struct entry *e, uint64_t at)
{
	ooo_clear_ready(core, e);
	e->ready_at = at;
	ooo_schedule(core, e);
}

static void collect_due(struct ooo *core)
{
	uint64_t *due = wheel_at(core, core->now);

	if (core->unblock) {
		ooo_lsq_know_addresses(core);
		ooo_unblock(core);
		core->unblock = false;
	}
	if (!core->wheel_counts[core->now % WHEEL_SLOTS])
		return;
	for (uint32_t w = 0; w < core->mask_words; w++) {
		core->ready[w] |= due[w];
		due[w] = 0;
	}
	core->wheel_total -= core->wheel_counts[core->now % WHEEL_SLOTS];
	core->wheel_counts[core->now % WHEEL_SLOTS] = 0;
}

static void complete_store_data(struct ooo *core, struct entry *store, uint64_t data_at)
{
	store->flags &= (uint16_t)~ENTRY_DATA_WAIT;
	store->data_at = data_at;
	if (store->flags & ENTRY_ISSUED) {
		store->complete_at = data_at > store->ready_at ? data_at : store->ready_at;
		core->unblock = true;
	}
}

static void wake_consumers(struct ooo *core, struct entry *e)
{
	uint16_t link = e->consumers;

	while (link != NO_LINK) {
		struct entry *consumer = &core->entries[link / 4];
		unsigned operand = link % 4;

		link = consumer->next_link[operand];
		consumer->producers[operand] = NO_LINK;
		if (consumer->unit == UNIT_STORE && operand == 1) {
			complete_store_data(core, consumer, e->complete_at);
			continue;
		}
		if (e->complete_at > consumer->ready_at)
			consumer->ready_at = e->complete_at;
		if (--consumer->waiting == 0)
			ooo_schedule(core, consumer);
	}
	e->consumers = NO_LINK;
}

/* A unit of a pool in which some operations keep it busy. 0 if none is free: then
 * the instruction is parked until one is. */
static bool take_unit(struct ooo *core, struct entry *e, unsigned pool, unsigned count,
		      uint32_t busy_cycles)
{
	uint64_t *free_at = core->div_free_at[pool];
	unsigned best = 0;

	for (unsigned i = 1; i < count; i++)
		if (free_at[i] < free_at[best])
			best = i;
	if (free_at[best] > core->now) {
		park(core, e, free_at[best]);
		return false;
	}
	free_at[best] = core->now + busy_cycles;
	return true;
}

/* Tries to start an instruction; true if it issued, with complete_at set. */
static bool start(struct ooo *core, struct entry *e)
{
	const struct config *c = &core->config;
	bool ideal = c->ideal_units;
	uint32_t latency;

	switch ((enum unit)e->unit) {
	case UNIT_LOAD:
	case UNIT_AMO: return ooo_lsq_start_load(core, e);
	case UNIT_STORE:
		/* From here ready_at is when the address is known. */
		e->ready_at = core->now + 1;
		if (!(e->flags & ENTRY_DATA_WAIT))
			e->complete_at = e->data_at > e->ready_at ? e->data_at : e->ready_at;
		core->unblock = true; /* the address is known in the next cycle */
		return true;
	case UNIT_MUL:
		latency = ideal ? 1 : c->int_mul_latency;
		if (!take_unit(core, e, 0, c->int_muldiv_count, 1))
			return false;
		break;
	case UNIT_DIV:
		latency = ideal ? 1 : c->int_div_latency;
		if (!take_unit(core, e, 0, c->int_muldiv_count, latency))
			return false;
		break;
	case UNIT_FP_ADD: latency = ideal ? 1 : c->fp_add_latency; break;
	case UNIT_FP_MUL:
		latency = ideal ? 1 : c->fp_mul_latency;
		if (!take_unit(core, e, 1, c->fp_muldiv_count, 1))
			return false;
		break;
	case UNIT_FP_DIV:
		latency = ideal ? 1 : c->fp_div_latency;
		if (!take_unit(core, e, 1, c->fp_muldiv_count, latency))
			return false;
		break;
	default: latency = ideal ? 1 : c->int_alu_latency; break;
	}
	e->complete_at = core->now + latency;
	return true;
}

static void issued(struct ooo *core, struct entry *e)
{
	ooo_clear_ready(core, e);
	e->flags |= ENTRY_ISSUED;
	core->iq_used--;
	core->cycle.issued++;
	core->cycle.useful_issued += !(e->flags & ENTRY_WRONG);
	if (e->complete_at != NEVER)
		wake_consumers(core, e);
	if (e->flags & ENTRY_MISPREDICTED) {
		if (core->resolving_count == core->resolving_capacity)
			BUG("more mispredicted branches resolving than slots");
		core->resolving[core->resolving_count++] = e->sequence;
	}
}

/* How many of each queue can still be started in this cycle. */
struct openings {
	uint32_t left[QUEUE_COUNT];
	unsigned closed; /* queues used up, as bits */
};

static uint64_t closed_slots(const struct ooo *core, uint32_t word, unsigned closed)
{
	uint64_t slots = 0;

	for (; closed; closed &= closed - 1)
		slots |= core->members[__builtin_ctz(closed)][word];
	return slots;
}

/* Visits the ready instructions of one word of the mask, lowest bit first, leaving
 * out queues that are used up. */
static void issue_word(struct ooo *core, uint32_t word, uint64_t bits, struct openings *openings)
{
	bits &= ~closed_slots(core, word, openings->closed);
	while (bits && core->cycle.issued < core->config.issue_width) {
		struct entry *e = &core->entries[word * 64 + (uint32_t)__builtin_ctzll(bits)];

		bits &= bits - 1;
		if (UNLIKELY(e->ready_at > core->now)) {
			park(core, e, e->ready_at);
		} else if (start(core, e)) {
			issued(core, e);
			if (!--openings->left[e->queue]) {
				openings->closed |= 1u << e->queue;
				bits &= ~core->members[e->queue][word];
			}
		}
	}
}

void ooo_issue(struct ooo *core)
{
	const struct config *c = &core->config;
	/* The pools of long units keep their own account (take_unit). */
	struct openings openings = {.left = {[QUEUE_ALU] = c->int_alu_count,
					     [QUEUE_MEMORY] = c->memory_ports,
					     [QUEUE_INT_LONG] = UINT32_MAX,
					     [QUEUE_FP_ADD] = c->fp_add_count,
					     [QUEUE_FP_LONG] = UINT32_MAX}};
	uint32_t first = (uint32_t)(core->head & core->slot_mask), word = first / 64;

	collect_due(core);
	/* Oldest first: from the head's bit round the ring back to it. */
	uint64_t above = ~UINT64_C(0) << (first % 64);
	if (core->ready[word] & above)
		issue_word(core, word, core->ready[word] & above, &openings);
	for (uint32_t i = 1; i < core->mask_words; i++) {
		word = (word + 1) & (core->mask_words - 1);
		if (core->ready[word])
			issue_word(core, word, core->ready[word], &openings);
	}
	word = first / 64;
	if (core->ready[word] & ~above)
		issue_word(core, word, core->ready[word] & ~above, &openings);
	core->counters.issued += core->cycle.issued;
	core->progressed |= core->cycle.issued > 0;
}
