/*
 * stream.h - a random but consistent tape: a pipeline without a program.
 *
 * Instructions are fetched, dispatched and committed in order, in slots of a ring; some are
 * branches, some of these mispredicted, on wrong paths too; a misprediction that resolves removes
 * everything younger; fetch waits for misses in phases and tags the instruction waited for; the
 * oldest instruction waits for various reasons for a while. Within a cycle the stages are in the
 * core's order. Everything that only signals show is random: why dispatch stopped, what the head
 * waits for, and how long. Occasionally a record repeats for longer than a local counter can
 * count.
 *
 * With replays, some instruction in the window, on the right or a wrong path, and everything
 * younger is fetched again: also while the last replay's instructions are being fetched, and in the
 * cycle in which a branch resolves.
 */
#ifndef TESTS_COUNT_STREAM_H
#define TESTS_COUNT_STREAM_H

#include "base/rng.h"
#include "isa/insn.h"
#include "tape.h"

#define STREAM_SLOTS 64

struct stream_insn {
	bool is_branch, is_mispredicted, is_resolved, is_wrong, was_dispatched;
	unsigned tags;
	uint64_t pc;
};

struct stream {
	struct rng rng;
	const struct config *config;
	struct tape *tape;
	struct cycle cycle; /* the current cycle */
	struct cycle_event events[256];
	uint64_t pcs[16];
	struct cycle_retired retired[16];
	struct cycle_waits waits[16];
	struct stream_insn insns[STREAM_SLOTS];
	uint64_t head, dispatched, fetched;
	uint64_t again_end; /* those from `fetched` up to here are fetched again */
	bool replays;
	unsigned wait_left[4]; /* cycles by phase: I-TLB, L1I, L2I, L3I */
	unsigned fetch_tags;
	unsigned head_left, head_state; /* the oldest instruction's state, and how long it lasts */
	bool is_alive;			/* something has changed in this cycle */
};

static inline bool stream_chance(struct stream *s, unsigned one_in)
{
	return rng_below(&s->rng, one_in) == 0;
}

static inline struct stream_insn *stream_insn(struct stream *s, uint64_t sequence)
{
	return &s->insns[sequence % STREAM_SLOTS];
}

static inline void stream_event(struct stream *s, enum cycle_event_kind kind, uint64_t sequence,
				unsigned detail)
{
	const struct stream_insn *insn = stream_insn(s, sequence);

	s->events[s->cycle.event_count++] =
		(struct cycle_event){.kind = (uint8_t)kind,
				     .wrong_path = insn->is_wrong,
				     .mispredicted = insn->is_mispredicted,
				     .detail = (uint16_t)detail,
				     .slot = (uint32_t)(sequence % STREAM_SLOTS),
				     .pc = insn->pc};
	s->is_alive = true;
}

static inline bool stream_is_unresolved(const struct stream_insn *insn)
{
	return insn->is_mispredicted && !insn->is_resolved;
}

static inline bool stream_is_lost(struct stream *s)
{
	for (uint64_t n = s->head; n < s->fetched; n++)
		if (stream_is_unresolved(stream_insn(s, n)))
			return true;
	return false;
}

static inline void stream_resolve(struct stream *s)
{
	for (uint64_t n = s->head; n < s->dispatched; n++) {
		struct stream_insn *insn = stream_insn(s, n);

		if (!stream_is_unresolved(insn) || !stream_chance(s, 6))
			continue;
		insn->is_resolved = true;
		s->cycle.squashed = (uint16_t)(s->fetched - n - 1);
		s->fetched = s->dispatched = s->again_end = n + 1;
		memset(s->wait_left, 0, sizeof(s->wait_left));
		s->fetch_tags = 0;
		stream_event(s, EVENT_MISPREDICT, n, 0);
		return;
	}
}

static inline void stream_replay(struct stream *s)
{
	if (!s->replays || s->head == s->dispatched || !stream_chance(s, 25))
		return;
	uint64_t n = s->head + rng_below(&s->rng, s->dispatched - s->head);
	unsigned branches = 0;

	if (stream_insn(s, n)->is_branch)
		return;
	for (uint64_t i = n; i < s->fetched; i++)
		branches += stream_insn(s, i)->is_branch;
	stream_event(s, EVENT_REPLAY, n, 0);
	s->events[s->cycle.event_count - 1].amount = branches;
	if (s->again_end < s->fetched)
		s->again_end = s->fetched;
	s->cycle.squashed = (uint16_t)(s->cycle.squashed + s->fetched - n);
	s->fetched = s->dispatched = n;
	memset(s->wait_left, 0, sizeof(s->wait_left));
	s->fetch_tags = 0;
	if (n == s->head)
		s->head_left = 0;
}

/* An instruction that commits, as far as timing it again goes. What a core guarantees holds: parts
 * of waits are not longer than these, and an instruction whose tags or marks need waits has them.
 */
static inline struct cycle_retired stream_retired(struct stream *s, const struct stream_insn *insn,
						  struct cycle_waits *waits)
{
	static const uint8_t units[] = {UNIT_ALU,    UNIT_ALU,	  UNIT_ALU,   UNIT_MUL,
					UNIT_DIV,    UNIT_LOAD,	  UNIT_LOAD,  UNIT_STORE,
					UNIT_FP_ADD, UNIT_FP_MUL, UNIT_FP_DIV};
	struct cycle_retired r = {.pc = insn->pc,
				  .address = 0x10000 + rng_below(&s->rng, 3000),
				  .rd = (uint8_t)(1 + rng_below(&s->rng, 12)),
				  .unit = units[rng_below(&s->rng, 11)],
				  .bytes = 4,
				  .tags = (uint16_t)insn->tags};

	*waits = (struct cycle_waits){0};
	for (unsigned i = 0; i < 2; i++)
		r.rs[i] = (uint8_t)rng_below(&s->rng, 12);
	if (insn->is_branch) {
		r.unit = UNIT_BRANCH;
		r.rd = REG_SINK;
		r.marks = (uint16_t)(RETIRED_BRANCH | (stream_chance(s, 2) ? RETIRED_TAKEN : 0) |
				     (insn->is_mispredicted ? RETIRED_MISPREDICTED : 0));
	} else if (r.unit == UNIT_LOAD || r.unit == UNIT_STORE) {
		r.accessed = (uint8_t)(1u << rng_below(&s->rng, 4));
		r.marks = r.unit == UNIT_LOAD ? RETIRED_LOADS : RETIRED_STORES;
	} else if (stream_chance(s, 60)) {
		r.marks = stream_chance(s, 2) ? RETIRED_SERIALISES : RETIRED_DRAINED;
	}
	if (r.unit == UNIT_STORE)
		r.rd = REG_SINK;
	for (unsigned i = 0; i < 4; i++)
		if (r.tags & FETCH_WAIT_TLB << i)
			waits->fetch[i] = 1 + (uint32_t)rng_below(&s->rng, 9);
	r.tags &= (uint16_t) ~(DATA_MISS_TLB | DATA_MISS_L1 | DATA_MISS_L2 | DATA_MISS_L3);
	if (r.unit == UNIT_LOAD && stream_chance(s, 4)) {
		waits->data[1] = 1 + (uint32_t)rng_below(&s->rng, 6);
		r.tags |= DATA_MISS_L1;
		if (stream_chance(s, 3)) {
			waits->data[2] = 1 + (uint32_t)rng_below(&s->rng, 12);
			waits->data_queue = (uint32_t)rng_below(&s->rng, waits->data[2]);
			r.tags |= DATA_MISS_L2;
		}
		if (stream_chance(s, 6)) {
			waits->data[0] = 1 + (uint32_t)rng_below(&s->rng, 9);
			waits->data_walk = (uint32_t)rng_below(&s->rng, waits->data[0]);
			r.tags |= DATA_MISS_TLB;
		}
	} else if (r.unit == UNIT_LOAD && stream_chance(s, 8)) {
		r.marks |= RETIRED_DATA_BROUGHT;
		waits->data_brought = (uint32_t)rng_below(&s->rng, 20);
	}
	const bool waits_to_store = r.unit == UNIT_STORE && stream_chance(s, 6);
	if (waits_to_store) {
		for (unsigned i = 0; i < 5; i++)
			waits->store[i] = (uint32_t)rng_below(&s->rng, 9);
		waits->store_walk = (uint32_t)rng_below(&s->rng, waits->store[0] + 1);
		waits->store_queue = (uint32_t)rng_below(&s->rng, waits->store[2] + 1);
	}
	if (!r.tags && stream_chance(s, 30)) {
		r.marks |= RETIRED_FETCH_BROUGHT;
		waits->fetch_brought = (uint32_t)rng_below(&s->rng, 20);
	}
	r.has_waits = waits_to_store || r.tags & (FETCH_WAITS | DATA_MISS_L1) ||
		      r.marks & (RETIRED_FETCH_BROUGHT | RETIRED_DATA_BROUGHT);
	return r;
}

static inline void stream_commit(struct stream *s)
{
	struct cycle *c = &s->cycle;
	unsigned most = (unsigned)rng_below(&s->rng, s->config->commit_width + 1);

	if (stream_chance(s, 9))
		stream_event(s, EVENT_STORE_MISS, s->head, DATA_MISS_L1 << rng_below(&s->rng, 2));
	c->is_fronted = s->head == s->dispatched && s->dispatched < s->fetched;
	if (c->is_fronted)
		c->front_waits = (uint16_t)(stream_insn(s, s->dispatched)->tags & FETCH_WAITS);
	if (!s->head_left && s->head < s->dispatched && stream_chance(s, 12)) {
		unsigned states = s->config->cache_levels == 3 ? 7 : 6;
		static const uint8_t kept_by[] = {HEAD_WAITS, HEAD_UNIT, HEAD_DTLB, HEAD_L1D,
						  HEAD_MSHR,  HEAD_L2D,	 HEAD_L3D};

		s->head_state = kept_by[rng_below(&s->rng, states)];
		s->head_left = 1 + (unsigned)rng_below(&s->rng, stream_chance(s, 8) ? 60 : 12);
	}
	while (!s->head_left && c->committed < most && s->head < s->dispatched) {
		const struct stream_insn *insn = stream_insn(s, s->head);

		if (insn->is_wrong || stream_is_unresolved(insn))
			break;
		if (insn->tags || insn->is_branch)
			stream_event(s, EVENT_COMMIT, s->head,
				     insn->tags | (insn->is_branch ? COMMIT_BRANCH : 0) |
					     (insn->is_mispredicted ? COMMIT_MISPREDICTED : 0));
		struct cycle_waits *waits = &s->waits[c->committed];
		s->retired[c->committed] = stream_retired(s, insn, waits);
		s->head++;
		c->committed++;
	}
	if (s->head_left) {
		s->head_left--;
		c->head_state = (uint16_t)s->head_state;
		if (c->head_state == HEAD_DTLB && s->head_left % 3 == 0)
			c->excess |= EXCESS_HEAD_WALK;
		if (c->head_state >= HEAD_L1D && c->head_state <= HEAD_L3D && s->head_left < 4)
			c->excess |= EXCESS_HEAD_BANDWIDTH;
	} else if (s->head < s->dispatched) {
		static const uint8_t states[] = {HEAD_DONE, HEAD_STORE, HEAD_EXECUTES, HEAD_WAITS};

		c->head_state = states[rng_below(&s->rng, 4)];
	}
	s->is_alive |= c->committed > 0;
}

static inline void stream_dispatch(struct stream *s)
{
	static const uint8_t stalls[] = {DISPATCH_ROB, DISPATCH_IQ, DISPATCH_LSQ,
					 DISPATCH_SERIALISE};
	struct cycle *c = &s->cycle;
	unsigned width = s->config->dispatch_width, useful = 0;
	unsigned most = stream_chance(s, 3) ? (unsigned)rng_below(&s->rng, width + 1) : width;

	if (s->dispatched > s->head && stream_chance(s, 7)) {
		uint64_t n = s->head + rng_below(&s->rng, s->dispatched - s->head);

		unsigned misses = DATA_MISS_L1 | (stream_chance(s, 2) ? DATA_MISS_TLB : 0);

		stream_insn(s, n)->tags |= misses;
		stream_event(s, EVENT_LOAD_MISS, n, misses);
	}
	while (c->dispatched < most && s->dispatched < s->fetched &&
	       s->dispatched - s->head < s->config->rob_size) {
		struct stream_insn *insn = stream_insn(s, s->dispatched);

		if (!insn->is_wrong && !insn->was_dispatched)
			s->pcs[useful++] = insn->pc;
		c->again_dispatched += !insn->is_wrong && insn->was_dispatched;
		insn->was_dispatched = true;
		if (insn->is_branch)
			stream_event(s, EVENT_BRANCH_DISPATCH, s->dispatched, 0);
		s->dispatched++;
		c->dispatched++;
	}
	c->useful_dispatched = (uint16_t)useful;
	if (c->dispatched == width)
		c->dispatch_stall = DISPATCH_NONE;
	else if (s->dispatched == s->fetched)
		c->dispatch_stall = s->dispatched - s->head > c->dispatched && stream_chance(s, 3)
					    ? DISPATCH_BRANCHES
					    : DISPATCH_EMPTY;
	else if (s->dispatched - s->head == s->config->rob_size)
		c->dispatch_stall = DISPATCH_ROB;
	else
		c->dispatch_stall = stalls[rng_below(&s->rng, 4)];
	s->is_alive |= c->dispatched > 0;
}

static inline void stream_miss(struct stream *s)
{
	unsigned deepest = (unsigned)rng_below(&s->rng, s->config->cache_levels + 1), detail = 0;

	for (unsigned phase = deepest && stream_chance(s, 2); phase <= deepest; phase++) {
		s->wait_left[phase] = 1 + (unsigned)rng_below(&s->rng, 15);
		detail |= FETCH_WAIT_TLB << phase;
		detail |= stream_chance(s, 4) ? 0 : FETCH_MISS_TLB << phase;
	}
	s->fetch_tags |= detail;
	/* The instruction is not delivered yet; it is on a wrong path if fetch is. */
	if (s->fetched >= s->again_end)
		*stream_insn(s, s->fetched) = (struct stream_insn){
			.is_wrong = stream_is_lost(s), .pc = 0x1000 + s->fetched * 4 % 4096};
	stream_event(s, EVENT_FETCH_MISS, s->fetched, detail);
}

/* The phase that fetch waits in, or 4 if it does not wait. */
static inline unsigned stream_phase(const struct stream *s)
{
	unsigned phase = 0;

	while (phase < 4 && !s->wait_left[phase])
		phase++;
	return phase;
}

static inline void stream_fetch_again(struct stream *s)
{
	struct stream_insn *insn = stream_insn(s, s->fetched);

	insn->tags = s->fetch_tags;
	s->fetch_tags = 0;
	s->cycle.fetched++;
	if (insn->is_branch)
		stream_event(s, EVENT_BRANCH_FETCH, s->fetched, 0);
	s->fetched++;
}

static inline void stream_fetch_one(struct stream *s)
{
	if (s->fetched < s->again_end) {
		stream_fetch_again(s);
		return;
	}
	bool is_branch = stream_chance(s, 4);

	*stream_insn(s, s->fetched) =
		(struct stream_insn){.is_branch = is_branch,
				     .is_mispredicted = is_branch && stream_chance(s, 4),
				     .is_wrong = stream_is_lost(s),
				     .tags = s->fetch_tags,
				     .pc = 0x1000 + s->fetched * 4 % 4096};
	s->fetch_tags = 0;
	s->cycle.useful_fetched += !stream_insn(s, s->fetched)->is_wrong;
	s->cycle.fetched++;
	if (is_branch)
		stream_event(s, EVENT_BRANCH_FETCH, s->fetched, 0);
	s->fetched++;
}

static inline void stream_fetch(struct stream *s)
{
	static const uint8_t others[] = {FETCH_BUFFER, FETCH_MISFETCH, FETCH_BRANCHES,
					 FETCH_NOWHERE, FETCH_SERIALISE};
	struct cycle *c = &s->cycle;
	unsigned phase = stream_phase(s);

	c->wrong_path = stream_is_lost(s);
	c->fetch_pc = 0x1000 + s->fetched * 4 % 4096;
	/* One slot stays free, for the instruction that a miss delays. */
	uint64_t room = STREAM_SLOTS - 1 - (s->fetched - s->head);
	if (phase == 4 && room && stream_chance(s, 8)) {
		stream_miss(s);
		phase = stream_phase(s);
	} else if (phase == 4 && room && !stream_chance(s, 5)) {
		for (uint64_t n = 1 + rng_below(&s->rng, s->config->fetch_width); n && room; n--) {
			stream_fetch_one(s);
			room--;
		}
		/* A group can end in a wait for the second line of its next instruction. */
		if (room && stream_chance(s, 10))
			stream_miss(s);
		c->fetch_stall = FETCH_NONE;
		s->is_alive = true;
		return;
	}
	if (phase < 4) {
		c->fetch_stall = (uint16_t)(FETCH_ITLB + phase);
		s->wait_left[phase]--;
		if (s->wait_left[phase] < 3)
			c->excess |= phase ? EXCESS_FETCH_BANDWIDTH : EXCESS_FETCH_WALK;
	} else {
		c->fetch_stall = others[rng_below(&s->rng, 5)];
	}
}

static inline void stream_end_cycle(struct stream *s)
{
	struct cycle *c = &s->cycle;
	unsigned event_count = c->event_count;

	c->buffer_used = c->fetched;
	c->fed = stream_chance(s, 8) ? 0 : c->fetched;
	if (!c->fetched && stream_chance(s, 5)) {
		c->buffer_used = 1;
		c->fed = (uint16_t)rng_below(&s->rng, 2);
	}
	c->rob_used = (uint16_t)(s->dispatched - s->head);
	c->iq_used = (uint16_t)rng_below(&s->rng, c->rob_used + 1);
	c->issued = (uint16_t)rng_below(&s->rng, 3);
	c->useful_issued = (uint16_t)rng_below(&s->rng, c->issued + 1);
	c->head_pc = c->rob_used ? stream_insn(s, s->head)->pc : 0;
	c->repeat = 1;
	if (!s->is_alive && !c->fed && stream_chance(s, 2)) {
		c->issued = c->useful_issued = 0;
		c->repeat += rng_below(&s->rng, stream_chance(s, 100) ? 6000 : 30);
	}
	tape_add(s->tape, *c);
	for (unsigned i = 0; i < event_count; i++)
		tape_event(s->tape, s->events[i]);
	for (unsigned i = 0; i < c->useful_dispatched; i++)
		tape_pc(s->tape, s->pcs[i]);
	for (unsigned i = 0; i < c->committed; i++)
		tape_retire(s->tape, s->retired[i], s->retired[i].has_waits ? &s->waits[i] : NULL);
}

/* Makes records for a machine of that configuration: dispatch and commit at most 8 wide, reorder
 * buffer smaller than the ring. */
static inline struct tape stream_make_with(uint64_t seed, const struct config *config,
					   unsigned records, bool replays)
{
	struct tape tape = {0};
	struct stream *s = calloc(1, sizeof(*s));

	s->rng.state = seed;
	s->config = config;
	s->tape = &tape;
	s->replays = replays;
	for (unsigned i = 0; i < records; i++) {
		s->cycle = (struct cycle){.thread = 1 + i / 1000 % 2};
		s->is_alive = false;
		stream_resolve(s);
		stream_replay(s);
		stream_commit(s);
		stream_dispatch(s);
		stream_fetch(s);
		stream_end_cycle(s);
	}
	free(s);
	return tape;
}

static inline struct tape stream_make(uint64_t seed, const struct config *config, unsigned records)
{
	return stream_make_with(seed, config, records, false);
}

/* Machines that differ in parameters that counters use. */
static inline void stream_config(struct config *config, uint64_t seed)
{
	static const uint32_t rob_sizes[] = {8, 16, 31, 48};
	static const uint32_t widths[] = {1, 2, 4, 8};

	config_reset(config);
	config->cache_levels = (uint32_t)(1 + seed % 3);
	config->rob_size = rob_sizes[seed / 3 % 4];
	config->dispatch_width = widths[seed / 2 % 4];
	config->commit_width = widths[seed / 5 % 4];
	config->frontend_depth = (uint32_t)(1 + seed % 7);
	config->dtlb_miss = (uint32_t)(seed % 4 * 7);
	if (seed % 11 == 0)
		config->tlb_miss = TLB_MISS_WALK;
}

#endif
