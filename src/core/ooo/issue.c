#include "core/ooo/ooo.h"

/* Takes the slots of `bits` out of word `word` of all queues' masks. */
static void drop(uint64_t *masks, uint32_t words, uint32_t word, uint64_t bits)
{
	for (unsigned queue = 0; queue < QUEUE_COUNT; queue++)
		masks[queue * words + word] &= ~bits;
}

void ooo_unschedule(struct ooo *core, uint32_t first, uint32_t count)
{
	uint32_t words = core->mask_words, left;

	for (; count; count -= left, first = (first + left) & core->slot_mask) {
		uint32_t word = first / 64;

		left = 64 - first % 64 < count ? 64 - first % 64 : count;
		uint64_t bits = ~UINT64_C(0) >> (64 - left) << first % 64;

		drop(core->ready, words, word, bits);
		core->blocked[word] &= ~bits;
		for (uint32_t i = 0; i < WHEEL_SLOTS / 64; i++)
			for (uint64_t used = core->wheel_used[i]; used; used &= used - 1)
				drop(core->wheel + (i * 64 + (uint32_t)__builtin_ctzll(used)) *
							   QUEUE_COUNT * words,
				     words, word, bits);
	}
}

static inline __attribute__((always_inline)) void collect_due(struct ooo *core,
							      const uint32_t words)
{
	uint32_t place = core->now % WHEEL_SLOTS;
	uint64_t *due = core->wheel + place * QUEUE_COUNT * words;

	if (core->unblock) {
		ooo_lsq_know_addresses(core);
		ooo_unblock(core);
		core->unblock = false;
	}
	if (!(core->wheel_used[place / 64] >> place % 64 & 1))
		return;
	mask_clear(core->wheel_used, place);
	for (uint32_t w = 0; w < QUEUE_COUNT * words; w++) {
		core->ready[w] |= due[w];
		due[w] = 0;
	}
}

static void complete_store_data(struct ooo *core, struct entry *store, uint64_t data_at)
{
	store->flags &= (uint16_t)~ENTRY_DATA_WAIT;
	core->details[ooo_slot(core, store)].data_at = data_at;
	if (store->flags & ENTRY_ISSUED) {
		store->complete_at = data_at > store->ready_at ? data_at : store->ready_at;
		core->unblock = true;
	}
}

static inline __attribute__((always_inline)) void wake_consumers(struct ooo *core,
								 const struct entry *e,
								 uint32_t words)
{
	const uint64_t complete_at = e->complete_at;
	uint16_t link = e->consumers;

	do {
		uint32_t slot = link / 4, operand = link % 4;
		struct entry *consumer = &core->entries[slot];

		link = consumer->next_link[operand];
		consumer->producers[operand] = NO_LINK;
		if (UNLIKELY(operand == OPERAND_DATA) && consumer->flags & ENTRY_STORE) {
			complete_store_data(core, consumer, complete_at);
			continue;
		}
		if (complete_at > consumer->ready_at)
			consumer->ready_at = complete_at;
		if (--consumer->waiting == 0)
			ooo_schedule(core, core->wheel, consumer->queue, slot, core->now,
				     consumer->ready_at, words);
	} while (link != NO_LINK);
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
		ooo_park(core, e, free_at[best]);
		return false;
	}
	free_at[best] = core->now + busy_cycles;
	return true;
}

/* How many units are free in this cycle; the pools of long ones keep their own account. */
struct openings {
	uint32_t alu, memory, fp_add;
};

static inline void start_store(struct ooo *core, struct entry *e, uint32_t slot)
{
	/* From here ready_at is when the address is known. */
	e->ready_at = core->now + 1;
	if (!(e->flags & ENTRY_DATA_WAIT)) {
		uint64_t data_at = core->details[slot].data_at;

		e->complete_at = data_at > e->ready_at ? data_at : e->ready_at;
	}
	core->unblock = true; /* the address is known in the next cycle */
}

/* Tries to start an instruction of QUEUE_OTHER; true if it issued, with complete_at set. */
static bool start_other(struct ooo *core, struct entry *e, struct openings *openings)
{
	const struct config *c = &core->config;
	bool ideal = c->ideal_units;
	uint32_t latency;

	switch ((enum unit)e->unit) {
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
	default:
		latency = ideal ? 1 : c->fp_add_latency;
		if (!openings->fp_add)
			return false;
		openings->fp_add--;
		break;
	}
	e->complete_at = core->now + latency;
	return true;
}

static inline __attribute__((always_inline)) void issued(struct ooo *core, struct entry *e,
							 uint32_t slot, uint32_t words)
{
	struct reg_state *rd = &core->regs[e->rd];
	unsigned flags = e->flags;

	e->flags = (uint16_t)(flags | ENTRY_ISSUED);
	/* A slot is enough: who has been there since would have written rd itself. */
	rd->at = (rd->writer & core->slot_mask) == slot ? e->complete_at : rd->at;
	if (e->consumers != NO_LINK && e->complete_at != NEVER) {
		wake_consumers(core, e, words);
		e->consumers = NO_LINK;
	}
	if (UNLIKELY(flags & ENTRY_MISPREDICTED)) {
		if (core->resolving_count == core->resolving_capacity)
			BUG("more mispredicted branches resolving than slots");
		core->resolving[core->resolving_count++] = core->head + ooo_age(core, slot);
	}
}

/* Visits the ready instructions, oldest first. The number of words of a mask is a constant where
 * this is inlined. */
static inline __attribute__((always_inline)) void issue_ready(struct ooo *core,
							      const uint32_t words)
{
	const struct config *c = &core->config;
	const uint64_t now = core->now, first = core->head / 64;
	const uint64_t last = (core->dispatched - 1) / 64, above = ~UINT64_C(0) << core->head % 64;
	const uint64_t alu_done = now + (c->ideal_units ? 1 : c->int_alu_latency);
	struct openings openings = {c->int_alu_count, c->memory_ports, c->fp_add_count};
	uint32_t left = c->issue_width, wrong = 0;
	uint64_t alu_open = ~UINT64_C(0), memory_open = ~UINT64_C(0); /* 0: units used up */

	collect_due(core, words);
	for (uint64_t w = first; w <= last; w++) {
		const uint32_t word = w & (words - 1);
		uint64_t *const alu = &core->ready[word], *const memory = alu + words;
		uint64_t *const other = memory + words;
		uint64_t bits = (*alu & alu_open) | (*memory & memory_open) | *other;

		/* A window round the whole ring has the head's word at both ends. */
		if (UNLIKELY(last - first == words))
			bits &= w == first ? above : w == last ? ~above : ~UINT64_C(0);
		while (bits) {
			const uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
			const uint64_t bit = bits & -bits;
			struct entry *const e = &core->entries[slot];

			bits ^= bit;
			if (UNLIKELY(e->ready_at > now)) {
				ooo_park(core, e, e->ready_at);
				continue;
			}
			if (e->queue == QUEUE_ALU) {
				e->complete_at = alu_done;
				*alu ^= bit;
				if (!--openings.alu) {
					alu_open = 0;
					bits &= ~*alu;
				}
			} else if (e->queue == QUEUE_MEMORY) {
				if (e->flags & ENTRY_STORE)
					start_store(core, e, slot);
				else if (!ooo_lsq_start_load(core, e, slot))
					continue;
				*memory ^= bit;
				if (!--openings.memory) {
					memory_open = 0;
					bits &= ~*memory;
				}
			} else {
				if (!start_other(core, e, &openings))
					continue;
				*other ^= bit;
			}
			wrong += e->flags & ENTRY_WRONG;
			issued(core, e, slot, words);
			if (!--left)
				goto full;
		}
	}
full:;
	uint32_t count = c->issue_width - left;
	core->iq_used -= count;
	core->cycle.issued = (uint16_t)count;
	core->cycle.useful_issued = (uint16_t)(count - wrong);
	core->counters.issued += count;
	core->progressed |= count > 0;
}

void ooo_issue(struct ooo *core)
{
	if (LIKELY(core->mask_words == 4))
		issue_ready(core, 4);
	else
		issue_ready(core, core->mask_words);
}
