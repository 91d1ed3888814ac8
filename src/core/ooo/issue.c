#include "core/ooo/ooo.h"

/* Clears `bits` in word `word` of the masks of all queues. */
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
		core->hidden[word] &= ~bits;
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
	uint32_t place = core->base.now % WHEEL_SLOTS;
	uint64_t *due = core->wheel + place * QUEUE_COUNT * words;

	if (core->unblock) {
		ooo_lsq_know_addresses(core);
		ooo_unblock(core);
		core->unblock = false;
	}
	if (!(core->wheel_used[place / 64] >> place % 64 & 1))
		return;
	mask_clear(core->wheel_used, place);
	if (UNLIKELY(core->base.now >= core->visit_at)) {
		ooo_unblock(core);
		core->visit_at = NEVER;
	}
	for (uint32_t w = 0; w < QUEUE_COUNT * words; w++) {
		core->ready[w] |= due[w];
		due[w] = 0;
	}
}

static void complete_store_data(struct ooo *core, struct entry *store, uint64_t data_at);

static inline __attribute__((always_inline)) void wake_consumers(struct ooo *core, struct entry *e,
								 uint32_t words)
{
	const uint64_t complete_at = e->complete_at;
	uint16_t link = e->consumers;

	e->consumers = NO_LINK;
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
			ooo_schedule(core, core->wheel, consumer->queue, slot, core->base.now,
				     consumer->ready_at, words);
	} while (link != NO_LINK);
}

/* Loads that wait for the data are woken too. */
static void complete_store_data(struct ooo *core, struct entry *store, uint64_t data_at)
{
	store->flags &= (uint16_t)~ENTRY_DATA_WAIT;
	core->details[ooo_slot(core, store)].data_at = data_at;
	if (store->flags & ENTRY_ISSUED) {
		store->complete_at = data_at > store->ready_at ? data_at : store->ready_at;
		core->unblock = true;
		if (store->consumers != NO_LINK)
			wake_consumers(core, store, core->mask_words);
	}
}

/* Units that are free in this cycle; those of struct pool are counted separately. */
struct free_units {
	uint32_t alu, memory, fp_add;
};

/* Units that an operation can occupy for several cycles. */
struct pool {
	uint64_t *free_at;
	unsigned count;
	enum head_late kind;
};

/* The unit that is free first. */
static inline unsigned first_free(const struct pool *pool)
{
	unsigned best = 0;

	for (unsigned i = 1; UNLIKELY(i < pool->count); i++)
		if (pool->free_at[i] < pool->free_at[best])
			best = i;
	return best;
}

/* Waits for a unit of a pool. For a wait of one cycle the operation stays ready: with one
 * multiplier, all instructions that wait for it would be parked in every cycle. */
static void wait_for_unit(struct ooo *core, struct entry *e, uint64_t free_at)
{
	if (free_at <= core->base.now + 1)
		return;
	if (!(e->flags & ENTRY_DELAYED)) {
		e->flags |= ENTRY_DELAYED;
		core->details[ooo_slot(core, e)].wanted_at = e->ready_at;
	}
	ooo_park(core, e, free_at);
}

/* Notes how long an operation that was ready in cycle `ready` has waited for one of a wrong path;
 * or that it is one. */
static void note_wrong(struct ooo *core, const struct entry *e, bool is_fp, uint64_t ready,
		       uint32_t busy_cycles)
{
	uint64_t *until = &core->div_wrong_until[is_fp], now = core->base.now;

	if (e->flags & ENTRY_WRONG)
		*until = now + busy_cycles;
	core->unit_waits[ooo_slot(core, e)] =
		ready < now && ready < *until
			? ooo_at_most_32_bits((*until < now ? *until : now) - ready)
			: 0;
}

/* Starts an operation on the unit of the pool that is free first. If it is not free yet, the
 * instruction waits until it is. `next` becomes the cycle in which a unit is free next. */
static inline bool start_long(struct ooo *core, struct entry *e, const struct pool *pool,
			      uint32_t latency, uint32_t busy_cycles, uint64_t *next)
{
	const uint64_t now = core->base.now;
	uint64_t *free_at = &pool->free_at[first_free(pool)];

	*next = *free_at;
	if (*next > now) {
		wait_for_unit(core, e, *next);
		return false;
	}
	*free_at = now + busy_cycles;
	e->complete_at = now + latency;
	uint64_t ready = e->ready_at;

	if (ready < now || UNLIKELY(e->flags & ENTRY_DELAYED)) {
		if (e->flags & ENTRY_DELAYED) {
			e->flags &= (uint16_t)~ENTRY_DELAYED;
			ready = core->details[ooo_slot(core, e)].wanted_at;
		}
		if (ready < now && ooo_was_taken(core, pool->kind))
			ooo_delay(core, e, pool->kind, ready);
	}
	note_wrong(core, e, pool->kind == LATE_FP_MULDIV, ready, busy_cycles);
	*next = pool->free_at[first_free(pool)];
	if (*next > now)
		ooo_take_all(core, pool->kind, *next);
	return true;
}

static bool start_fp_long(struct ooo *core, struct entry *e, const struct pool *pool,
			  uint64_t *next)
{
	const struct config *c = &core->config;
	bool divides = e->unit == UNIT_FP_DIV;
	uint32_t latency = c->ideal_units ? 1 : divides ? c->fp_div_latency : c->fp_mul_latency;

	latency = core_latency(&core->base, e->pc, latency);
	return start_long(core, e, pool, latency, divides && !c->ideal_fp_muldiv ? latency : 1,
			  next);
}

/* Integer multiplication and division, floating-point addition and the like. */
static bool start_other(struct ooo *core, struct entry *e, struct free_units *free_units)
{
	const struct config *c = &core->config;

	if (e->unit == UNIT_FP_ADD) {
		if (!free_units->fp_add)
			return false;
		e->complete_at =
			core->base.now +
			core_latency(&core->base, e->pc, c->ideal_units ? 1 : c->fp_add_latency);
		if (e->ready_at < core->base.now && ooo_was_taken(core, LATE_FP_ADD))
			ooo_delay(core, e, LATE_FP_ADD, e->ready_at);
		if (!--free_units->fp_add)
			ooo_take_all(core, LATE_FP_ADD, core->base.now + 1);
		return true;
	}
	const struct pool pool = {core->div_free_at[0], c->int_muldiv_count, LATE_INT_MULDIV};
	bool divides = e->unit == UNIT_DIV;
	uint32_t latency = c->ideal_units ? 1 : divides ? c->int_div_latency : c->int_mul_latency;
	uint64_t next;

	latency = core_latency(&core->base, e->pc, latency);
	return start_long(core, e, &pool, latency, divides && !c->ideal_int_muldiv ? latency : 1,
			  &next);
}

static inline void start_store(struct ooo *core, struct entry *e, uint32_t slot)
{
	/* From now on ready_at is the cycle in which the address is known. */
	e->ready_at = core->base.now + 1;
	if (!(e->flags & ENTRY_DATA_WAIT)) {
		uint64_t data_at = core->details[slot].data_at;

		e->complete_at = data_at > e->ready_at ? data_at : e->ready_at;
	}
	core->unblock = true; /* the address is known in the next cycle */
}

static inline __attribute__((always_inline)) void issued(struct ooo *core, struct entry *e,
							 uint32_t slot, uint32_t words)
{
	struct reg_state *rd = &core->regs[e->rd];
	unsigned flags = e->flags;

	e->flags = (uint16_t)(flags | ENTRY_ISSUED);
	/* Comparing slots is enough: a later instruction in the same slot would have written rd
	 * itself. */
	const uint64_t is_other = (((uint32_t)rd->writer ^ slot) & core->slot_mask) != 0;
	rd->at = e->complete_at ^ ((e->complete_at ^ rd->at) & -is_other);
	if (e->consumers != NO_LINK && e->complete_at != NEVER) {
		wake_consumers(core, e, words);
	}
	if (UNLIKELY(flags & ENTRY_MISPREDICTED) && !(flags & ENTRY_RESOLVED)) {
		if (core->resolving_count == core->resolving_capacity)
			BUG("more mispredicted branches resolving than slots");
		core->resolving[core->resolving_count++] = core->head + ooo_age(core, slot);
	}
}

/* What is done for each instruction that issues if there are events of this stage, store sets or
 * several issue queues. */
static inline void note_issued(struct ooo *core, struct entry *e, uint32_t slot)
{
	if (core->is_split)
		core->split_used[issue_class_of(e)]--;
	if (core->has_sets && e->flags & ENTRY_STORE)
		ooo_sets_store_issued(core, slot);
	if (!ooo_wants(core, EVENT_ISSUE))
		return;
	ooo_event_of_class(core, EVENT_ISSUE, e, 0, e->flags & ENTRY_REISSUE);
	if (!(e->flags & ENTRY_STORE) && e->complete_at != NEVER)
		core->base.lists->events[core->base.record->event_count - 1].amount =
			(uint32_t)(e->complete_at - core->base.now);
}

/* Visits the ready instructions, oldest first. The number of words of a mask, whether there are
 * neither events of this stage nor store sets nor several issue queues, and whether some
 * instructions are ideal, are constants where this is inlined. */
static inline __attribute__((always_inline)) void issue_ready(struct ooo *core,
							      const uint32_t words,
							      const bool is_plain,
							      const bool has_ideal)
{
	const struct config *c = &core->config;
	const uint64_t now = core->base.now, first = core->head / 64;
	const uint64_t last = (core->dispatched - 1) / 64, above = ~UINT64_C(0) << core->head % 64;
	const uint32_t alu_latency = c->ideal_units ? 1 : c->int_alu_latency;
	const uint64_t alu_done = now + alu_latency;
	struct free_units free_units = {c->int_alu_count, c->memory_ports, c->fp_add_count};
	uint32_t left = c->issue_width, wrong = 0;
	/* A mask of 0 excludes a queue whose units are used up. */
	uint64_t alu_open = ~UINT64_C(0), memory_open = ~UINT64_C(0), fp_long_open = ~UINT64_C(0);
	const struct pool fp_long_pool = {core->div_free_at[1], c->fp_muldiv_count, LATE_FP_MULDIV};

	/* What completes in the next cycle is never seen to be late. */
	const bool alu_was_taken = ooo_was_taken(core, LATE_INT_ALU) & (alu_done > now + 1);
	const bool memory_was_taken = ooo_was_taken(core, LATE_MEMORY);

	collect_due(core, words);
	for (uint64_t w = first; w <= last; w++) {
		const uint32_t word = w & (words - 1);
		uint64_t *const alu = &core->ready[word], *const memory = alu + words;
		uint64_t *const fp_long = memory + words, *const other = fp_long + words;
		uint64_t bits = (*alu & alu_open) | (*memory & memory_open) |
				(*fp_long & fp_long_open) | *other;

		/* If the window extends round the whole ring, the head's word contains both its
		 * oldest and its youngest instructions. */
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
				e->complete_at = has_ideal ? now + core_latency(&core->base, e->pc,
										alu_latency)
							   : alu_done;
				if (UNLIKELY(alu_was_taken & (e->ready_at < now)))
					ooo_delay(core, e, LATE_INT_ALU, e->ready_at);
				*alu ^= bit;
				if (!--free_units.alu) {
					ooo_take_all(core, LATE_INT_ALU, now + 1);
					alu_open = 0;
					bits &= ~*alu;
				}
			} else if (e->queue == QUEUE_MEMORY) {
				if (e->flags & ENTRY_STORE) {
					if (!is_plain && core->has_sets &&
					    ooo_sets_hold_store(core, slot))
						continue;
					start_store(core, e, slot);
				} else {
					const bool was_refused = e->flags & ENTRY_DELAYED;

					if (!ooo_lsq_start_load(core, e, slot))
						continue;
					if (UNLIKELY(memory_was_taken & !was_refused &
						     (e->ready_at < now)))
						ooo_delay(core, e, LATE_MEMORY, e->ready_at);
				}
				*memory ^= bit;
				if (!--free_units.memory) {
					ooo_take_all(core, LATE_MEMORY, now + 1);
					memory_open = 0;
					bits &= ~*memory;
				}
			} else if (e->queue == QUEUE_FP_LONG) {
				uint64_t free_at;
				bool starts = start_fp_long(core, e, &fp_long_pool, &free_at);

				*fp_long &= ~(starts ? bit : 0);
				/* If the wait is longer than one cycle, the other instructions
				 * are parked one by one. */
				if (free_at > now && (starts || free_at == now + 1)) {
					fp_long_open = 0;
					bits &= ~*fp_long;
				}
				if (!starts)
					continue;
			} else {
				if (!start_other(core, e, &free_units))
					continue;
				*other ^= bit;
			}
			wrong += is_plain ? !!(e->flags & ENTRY_WRONG)
					  : !!(e->flags & (ENTRY_WRONG | ENTRY_REISSUE));
			issued(core, e, slot, words);
			if (!is_plain)
				note_issued(core, e, slot);
			if (!--left)
				goto full;
		}
	}
full:;
	uint32_t count = c->issue_width - left;
	core->iq_used -= count;
	core->base.record->issued = (uint16_t)count;
	core->base.record->useful_issued = (uint16_t)(count - wrong);
	core->base.totals.issued += count;
	core->base.progressed |= count > 0;
}

#define STAGE(name, words, is_plain, has_ideal)                \
	static void name(struct ooo *core)                     \
	{                                                      \
		issue_ready(core, words, is_plain, has_ideal); \
	}
STAGE(issue_plain_4, 4, true, false)
STAGE(issue_plain_8, 8, true, false)
STAGE(issue_plain, core->mask_words, true, false)
STAGE(issue_any_4, 4, false, false)
STAGE(issue_any_8, 8, false, false)
STAGE(issue_any, core->mask_words, false, false)
STAGE(issue_ideal, core->mask_words, false, true)
#undef STAGE

ooo_stage *ooo_choose_issue(const struct ooo *core)
{
	if (core->base.ideal_at)
		return issue_ideal;
	if (ooo_wants(core, EVENT_ISSUE) || core->has_sets || core->is_split)
		return core->mask_words == 4   ? issue_any_4
		       : core->mask_words == 8 ? issue_any_8
					       : issue_any;
	return core->mask_words == 4   ? issue_plain_4
	       : core->mask_words == 8 ? issue_plain_8
				       : issue_plain;
}
