/*
 * Every signal counts what its name says: a second reading of the names, in words of their own,
 * gives for each the same value of a random record, the same amount of every possible event, the
 * same running total, unit, category and owner. A signal whose name has no such reading fails.
 */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "signal/signal.h"
#include "value/counted.h"

static const char *const fetch_words[] = {
	[FETCH_NONE] = "none",
	[FETCH_ITLB] = "itlb",
	[FETCH_L1I] = "l1i",
	[FETCH_L2I] = "l2i",
	[FETCH_L3I] = "l3i",
	[FETCH_BUFFER] = "buffer",
	[FETCH_MISFETCH] = "misfetch",
	[FETCH_TAKEN] = "taken",
	[FETCH_BRANCHES] = "branches",
	[FETCH_NOWHERE] = "nowhere",
	[FETCH_SERIALISE] = "serialise",
	[FETCH_DONE] = "done",
};
static const char *const dispatch_words[] = {
	[DISPATCH_NONE] = "none",
	[DISPATCH_EMPTY] = "empty",
	[DISPATCH_ROB] = "rob",
	[DISPATCH_IQ] = "iq",
	[DISPATCH_LSQ] = "lsq",
	[DISPATCH_ORDER] = "order",
	[DISPATCH_SERIALISE] = "serialise",
	[DISPATCH_BRANCHES] = "branches",
};
static const char *const head_words[] = {
	[HEAD_EMPTY] = "empty", [HEAD_DONE] = "done",	      [HEAD_STORE] = "store",
	[HEAD_WAITS] = "waits", [HEAD_EXECUTES] = "executes", [HEAD_UNIT] = "unit",
	[HEAD_DTLB] = "dtlb",	[HEAD_L1D] = "l1d",	      [HEAD_L2D] = "l2d",
	[HEAD_L3D] = "l3d",	[HEAD_MSHR] = "mshr",
};
static const char *const late_words[] = {
	[LATE_NONE] = "none",
	[LATE_INT_ALU] = "int_alu",
	[LATE_INT_MULDIV] = "int_muldiv",
	[LATE_MEMORY] = "memory",
	[LATE_FP_ADD] = "fp_add",
	[LATE_FP_MULDIV] = "fp_muldiv",
	[LATE_WAIT] = "wait",
	[LATE_STORE_DTLB] = "store.dtlb",
	[LATE_STORE_L1D] = "store.l1d",
	[LATE_STORE_L2D] = "store.l2d",
	[LATE_STORE_L3D] = "store.l3d",
	[LATE_STORE_MSHR] = "store.mshr",
};
static const char *const class_words[CLASS_COUNT] = {
	[CLASS_INTEGER] = "integer",
	[CLASS_MULTIPLY] = "multiply",
	[CLASS_DIVIDE] = "divide",
	[CLASS_LOAD] = "load",
	[CLASS_STORE] = "store",
	[CLASS_ATOMIC] = "atomic",
	[CLASS_FP_ADD] = "fp_add",
	[CLASS_FP_MULTIPLY] = "fp_multiply",
	[CLASS_FP_DIVIDE] = "fp_divide",
	[CLASS_FENCE] = "fence",
	[CLASS_CSR] = "csr",
	[CLASS_SYSTEM] = "system",
	[CLASS_CONDITIONAL] = "conditional",
	[CLASS_JUMP] = "jump",
	[CLASS_CALL] = "call",
	[CLASS_INDIRECT] = "indirect",
	[CLASS_INDIRECT_CALL] = "indirect_call",
	[CLASS_RETURN] = "return",
};

#define NONE SIZE_MAX

static size_t word_in(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return NONE;
}
#define WORD_IN(words, word) word_in(words, ARRAY_COUNT(words), word)

/* What follows `prefix` in the name; NULL if the name begins otherwise. */
static const char *after(const char *name, const char *prefix)
{
	size_t bytes = strlen(prefix);

	return strncmp(name, prefix, bytes) == 0 ? name + bytes : NULL;
}

/* The state of a cycle. */

static const struct {
	const char *name;
	size_t field;
} fields[] = {
#define FIELD(name, field)                          \
	{                                           \
		name, offsetof(struct cycle, field) \
	}
	FIELD("fetched", fetched),
	FIELD("fetched.useful", useful_fetched),
	FIELD("fed", fed),
	FIELD("dispatched", dispatched),
	FIELD("dispatched.useful", useful_dispatched),
	FIELD("issued", issued),
	FIELD("issued.useful", useful_issued),
	FIELD("committed", committed),
	FIELD("squashed", squashed),
	FIELD("fetch_buffer.used", buffer_used),
	FIELD("rob.used", rob_used),
	FIELD("iq.used", iq_used),
	FIELD("lsq.used", lsq_used),
	FIELD("store_buffer.used", store_buffer_used),
	FIELD("slots", width),
#undef FIELD
};

static bool value_by_words(const char *name, const struct cycle *c, uint64_t *value)
{
	const uint64_t lost = (uint64_t)c->width - c->dispatched;
	const char *rest;
	size_t at;

	if ((rest = after(name, "fetch.")) && (at = WORD_IN(fetch_words, rest)) != NONE)
		*value = c->fetch_stall == at;
	else if ((rest = after(name, "dispatch.")) && (at = WORD_IN(dispatch_words, rest)) != NONE)
		*value = c->dispatch_stall == at;
	else if ((rest = after(name, "head.")) && (at = WORD_IN(head_words, rest)) != NONE)
		*value = c->head_state == at;
	else if ((rest = after(name, "late.")) && (at = WORD_IN(late_words, rest)) != NONE)
		*value = c->head_late == at;
	else if ((rest = after(name, "lost.fetch.")) && (at = WORD_IN(fetch_words, rest)) != NONE)
		*value = c->dispatch_stall == DISPATCH_EMPTY && c->fetch_stall == at ? lost : 0;
	else if ((rest = after(name, "lost.window.")) && (at = WORD_IN(head_words, rest)) != NONE)
		*value =
			(c->dispatch_stall == DISPATCH_ROB || c->dispatch_stall == DISPATCH_IQ ||
			 c->dispatch_stall == DISPATCH_LSQ || c->dispatch_stall == DISPATCH_ORDER ||
			 c->dispatch_stall == DISPATCH_BRANCHES) &&
					c->head_state == at
				? lost
				: 0;
	else
		return false;
	return true;
}

static bool value_of_name(const char *name, const struct cycle *c, uint64_t *value)
{
	for (size_t i = 0; i < ARRAY_COUNT(fields); i++)
		if (strcmp(fields[i].name, name) == 0) {
			*value = *(const uint16_t *)((const char *)c + fields[i].field);
			return true;
		}
	if (value_by_words(name, c, value))
		return true;
#define IS(text) (strcmp(name, text) == 0)
	if (IS("cycles"))
		*value = 1;
	else if (IS("fetched.wrong_path"))
		*value = (uint64_t)c->fetched - c->useful_fetched;
	else if (IS("fetch.walk"))
		*value = c->excess / EXCESS_FETCH_WALK % 2;
	else if (IS("fetch.bandwidth"))
		*value = c->excess / EXCESS_FETCH_BANDWIDTH % 2;
	else if (IS("head.walk"))
		*value = c->excess / EXCESS_HEAD_WALK % 2;
	else if (IS("head.bandwidth"))
		*value = c->excess / EXCESS_HEAD_BANDWIDTH % 2;
	else if (IS("fetch.wrong_path"))
		*value = c->wrong_path;
	else if (IS("starved"))
		*value = !c->fed && !c->buffer_used && !c->fetched;
	else if (IS("rob.empty"))
		*value = c->head_state == HEAD_EMPTY && c->committed == 0;
	else if (IS("commit.none"))
		*value = c->committed == 0;
	else if (IS("lost"))
		*value = (uint64_t)c->width - c->dispatched;
	else if (IS("lost.wrong_path"))
		*value = (uint64_t)c->dispatched - c->useful_dispatched;
	else if (IS("lost.serialise"))
		*value = c->dispatch_stall == DISPATCH_SERIALISE
				 ? (uint64_t)c->width - c->dispatched
				 : 0;
	else
		return false;
#undef IS
	return true;
}

/* Numbers of entries are all different, so that one taken for another is noticed; the others are
 * often 0. */
static struct cycle random_record(struct rng *rng)
{
	struct cycle c = {
		.repeat = 1 + rng_below(rng, 3),
		.fetched = (uint16_t)(rng_below(rng, 3) ? 4 + rng_below(rng, 5) : 0),
		.fed = (uint16_t)(rng_below(rng, 2) * (9 + rng_below(rng, 5))),
		.issued = (uint16_t)(20 + rng_below(rng, 8)),
		.committed = (uint16_t)(rng_below(rng, 2) * (30 + rng_below(rng, 8))),
		.squashed = (uint16_t)(40 + rng_below(rng, 8)),
		.fetch_stall = (uint16_t)rng_below(rng, FETCH_DONE + 1),
		.dispatch_stall = (uint16_t)rng_below(rng, DISPATCH_BRANCHES + 1),
		.head_state = (uint16_t)rng_below(rng, HEAD_MSHR + 1),
		.head_late = (uint16_t)rng_below(rng, LATE_STORE_MSHR + 1),
		.excess = (uint16_t)rng_below(rng, 16),
		.wrong_path = (uint16_t)rng_below(rng, 2),
		.buffer_used = (uint16_t)(rng_below(rng, 2) * (50 + rng_below(rng, 8))),
		.rob_used = (uint16_t)(100 + rng_below(rng, 50)),
		.iq_used = (uint16_t)(200 + rng_below(rng, 50)),
		.lsq_used = (uint16_t)(300 + rng_below(rng, 50)),
		.store_buffer_used = (uint16_t)(400 + rng_below(rng, 50)),
		.width = (uint16_t)(70 + rng_below(rng, 4)),
		.head_pc = 0x1000,
		.fetch_pc = 0x2000,
	};

	c.dispatched = (uint16_t)(60 + rng_below(rng, 8));
	c.useful_fetched = (uint16_t)rng_below(rng, c.fetched + 1u);
	c.useful_dispatched = (uint16_t)rng_below(rng, c.dispatched + 1u);
	c.useful_issued = (uint16_t)rng_below(rng, c.issued + 1u);
	return c;
}

TEST(every_value_is_what_its_name_says)
{
	struct rng rng = {1};

	for (unsigned n = 0; n < 5000; n++) {
		struct cycle c = random_record(&rng);

		for (size_t i = 0; i < signal_count(); i++) {
			const struct signal_row *row = &signal_rows[i];
			uint64_t wanted = 0;

			if (!row->value)
				continue;
			if (!value_of_name(row->name, &c, &wanted))
				fail_msg("what is the value of %s?", row->name);
			if (row->value(&c) != wanted)
				fail_msg("%s is %llu instead of %llu", row->name,
					 (unsigned long long)row->value(&c),
					 (unsigned long long)wanted);
			assert_int_equal(signal_sum(row, &c), wanted * c.repeat);
		}
	}
}

/* Events. */

#define KIND(name) EVENT_BIT(EVENT_##name)
#define COMMITS	   (KIND(COMMIT) | KIND(COMMIT_PLAIN))
#define FETCHES	   KIND(FETCH_ACCESS)
#define LOADS	   KIND(LOAD_ACCESS)
#define STORES	   KIND(STORE_ACCESS)

/* A name read: the kinds of events that it counts, and what one event adds if it is of these. */
struct reading {
	uint32_t kinds;
	uint64_t amount;
};

static const struct {
	const char *name;
	size_t place, count; /* the first of its MEMORY_EVENTs, and how many there are in a row */
	uint32_t kinds;
} places[] = {
#define PLACE(name, member, kinds)                   \
	{                                            \
		name, MEMORY_EVENT(member), 1, kinds \
	}
#define ALL (FETCHES | LOADS | STORES)
#define CACHE(name, which)                                                   \
	PLACE(name ".prefetch.issued", prefetch[which].issued, ALL),         \
		PLACE(name ".prefetch.useful", prefetch[which].useful, ALL), \
		PLACE(name ".prefetch.late", prefetch[which].late, ALL),     \
		PLACE(name ".prefetch.unused", prefetch[which].unused, ALL)
#define LOWER(name, which)                                              \
	PLACE("mshr." name ".taken", mshr[which].taken, ALL),           \
		PLACE("mshr." name ".cycles", mshr[which].cycles, ALL), \
		PLACE(name ".write_backs", write_backs[which], ALL),    \
		PLACE(name ".write_backs.saved", write_backs_saved[which], ALL)
	CACHE("l1i", CACHE_L1I),
	CACHE("l1d", CACHE_L1D),
	CACHE("l2", CACHE_L2),
	CACHE("l3", CACHE_L3),
	LOWER("l1d", CACHE_L1D),
	LOWER("l2", CACHE_L2),
	LOWER("l3", CACHE_L3),
	PLACE("itlb.walks", walks[SIDE_INSTRUCTION], FETCHES),
	PLACE("dtlb.walks", walks[SIDE_DATA], LOADS | STORES),
	PLACE("walk.loads", walk_loads, ALL),
	PLACE("walk.misses", walk_misses, ALL),
	PLACE("mshr.blocked", blocked, LOADS | STORES),
	{"memory.reads", MEMORY_EVENT(memory_reads), 2, ALL},
	PLACE("memory.reads.instructions", memory_reads[SIDE_INSTRUCTION], FETCHES),
	PLACE("memory.reads.data", memory_reads[SIDE_DATA], LOADS | STORES),
	PLACE("memory.prefetches", memory_prefetches, ALL),
	PLACE("memory.walks", memory_walks, ALL),
	PLACE("memory.writes", memory_writes, ALL),
	PLACE("memory.busy", memory_busy, ALL),
	PLACE("memory.queue", memory_queue, ALL),
	PLACE("memory.row_hits", rows[0], ALL),
	PLACE("memory.row_closed", rows[1], ALL),
	PLACE("memory.row_conflicts", rows[2], ALL),
#undef PLACE
#undef CACHE
#undef LOWER
};

/* Look-ups of one side: where its events begin, and whether plain hits are look-ups there. Hits,
 * pending hits and misses are the first three; a cache has three more. */
static const struct {
	const char *name;
	size_t place;
	bool is_data, is_first, is_cache;
} lookups[] = {
	{"l1i", MEMORY_EVENT(cache[CACHE_L1I][SIDE_INSTRUCTION]), false, true, true},
	{"l1d", MEMORY_EVENT(cache[CACHE_L1D][SIDE_DATA]), true, true, true},
	{"l2.instructions", MEMORY_EVENT(cache[CACHE_L2][SIDE_INSTRUCTION]), false, false, true},
	{"l2.data", MEMORY_EVENT(cache[CACHE_L2][SIDE_DATA]), true, false, true},
	{"l3.instructions", MEMORY_EVENT(cache[CACHE_L3][SIDE_INSTRUCTION]), false, false, true},
	{"l3.data", MEMORY_EVENT(cache[CACHE_L3][SIDE_DATA]), true, false, true},
	{"itlb", MEMORY_EVENT(tlb[SIDE_INSTRUCTION]), false, true, false},
	{"dtlb", MEMORY_EVENT(tlb[SIDE_DATA]), true, true, false},
	{"tlb2.instructions", MEMORY_EVENT(tlb2[SIDE_INSTRUCTION]), false, false, false},
	{"tlb2.data", MEMORY_EVENT(tlb2[SIDE_DATA]), true, false, false},
};

/* `rest` is what follows the name of the structure, with its dot. */
static bool read_lookup(size_t i, const char *rest, const struct cycle_event *e, struct reading *r)
{
	const size_t place = e->detail - lookups[i].place;
	const bool is_plain =
		lookups[i].is_first &&
		(lookups[i].is_data ? e->detail == MEMORY_EVENT(plain[ACCESS_LOAD]) ||
					      e->detail == MEMORY_EVENT(plain[ACCESS_STORE])
				    : e->detail == MEMORY_EVENT(plain[ACCESS_FETCH]));
	/* What is counted, by place: 0 hits, 1 pending, 2 misses. */
	const bool hits = place == 0 || is_plain, pending = place == 1, misses = place == 2;
	const bool any = hits || pending || misses;
	const uint32_t side = lookups[i].is_data ? LOADS | STORES : FETCHES;
	const struct {
		const char *rest;
		uint32_t kinds;
		bool counts, only_cache, only_data;
	} rows[] = {
		{".accesses", side, any, false, false},
		{".hits", side, hits, false, false},
		{".pending", side, pending, false, false},
		{".misses", side, misses, false, false},
		{".accesses.wrong_path", side, any && e->wrong_path, false, false},
		{".misses.wrong_path", side, misses && e->wrong_path, false, false},
		{".loads", LOADS, any, false, true},
		{".loads.pending", LOADS, pending, false, true},
		{".loads.misses", LOADS, misses, false, true},
		{".stores", STORES, any, false, true},
		{".stores.pending", STORES, pending, false, true},
		{".stores.misses", STORES, misses, false, true},
		{".crossed", side, place == 3, true, false},
		{".evicted.instructions", ALL, place == 4, true, false},
		{".evicted.data", ALL, place == 5, true, false},
	};

	for (size_t n = 0; n < ARRAY_COUNT(rows); n++)
		if (strcmp(rows[n].rest, rest) == 0 &&
		    (!rows[n].only_cache || lookups[i].is_cache) &&
		    (!rows[n].only_data || lookups[i].is_data)) {
			*r = (struct reading){rows[n].kinds, rows[n].counts ? e->amount : 0};
			return true;
		}
	return false;
}

static bool read_memory(const char *name, const struct cycle_event *e, struct reading *r)
{
	for (size_t i = 0; i < ARRAY_COUNT(places); i++)
		if (strcmp(places[i].name, name) == 0) {
			bool counts = (size_t)e->detail - places[i].place < places[i].count;

			*r = (struct reading){places[i].kinds, counts ? e->amount : 0};
			return true;
		}
	for (size_t i = 0; i < ARRAY_COUNT(lookups); i++) {
		const char *rest = after(name, lookups[i].name);

		if (rest && *rest == '.' && read_lookup(i, rest, e, r))
			return true;
	}
	return false;
}

static bool read_stage(const char *name, const struct cycle_event *e, struct reading *r)
{
	static const struct {
		const char *name;
		uint32_t kinds;
	} stages[] = {{"fetched", KIND(FETCH)},
		      {"dispatched", KIND(DISPATCH)},
		      {"issued", KIND(ISSUE)},
		      {"squashed", KIND(SQUASH)},
		      {"committed", COMMITS}};

	for (size_t i = 0; i < ARRAY_COUNT(stages); i++) {
		const char *rest = after(name, stages[i].name);

		if (!rest)
			continue;
		r->kinds = stages[i].kinds;
		if (!*rest)
			r->amount = 1;
		else if (strcmp(rest, ".useful") == 0)
			r->amount = !e->wrong_path && !e->again;
		else if (strcmp(rest, ".wrong_path") == 0)
			r->amount = e->wrong_path || e->again;
		else if (*rest == '.' && WORD_IN(class_words, rest + 1) != NONE)
			r->amount = e->insn_class == WORD_IN(class_words, rest + 1);
		else
			return false;
		return true;
	}
	return false;
}

static bool read_branch(const char *name, const struct cycle_event *e, struct reading *r)
{
	const bool is_branch = e->detail & COMMIT_BRANCH, is_taken = e->detail & COMMIT_TAKEN;
	const bool is_wrong = e->detail & COMMIT_MISPREDICTED;
	const bool is_conditional = e->insn_class == CLASS_CONDITIONAL;
	const bool is_indirect =
		e->insn_class == CLASS_INDIRECT || e->insn_class == CLASS_INDIRECT_CALL;
	const bool is_return = e->insn_class == CLASS_RETURN;
	const struct {
		const char *rest;
		uint32_t kinds;
		bool counts;
	} rows[] = {
		{"", KIND(COMMIT), is_branch},
		{".mispredicted", KIND(COMMIT), is_wrong},
		{".taken", KIND(COMMIT), is_branch && is_taken},
		{".conditional", KIND(COMMIT), is_conditional},
		{".conditional.mispredicted", KIND(COMMIT), is_conditional && is_wrong},
		{".conditional.taken", KIND(COMMIT), is_conditional && is_taken},
		{".conditional.not_taken", KIND(COMMIT), is_conditional && !is_taken},
		{".conditional.taken.mispredicted", KIND(COMMIT),
		 is_conditional && is_taken && is_wrong},
		{".conditional.not_taken.mispredicted", KIND(COMMIT),
		 is_conditional && !is_taken && is_wrong},
		{".indirect", KIND(COMMIT), is_indirect && is_branch},
		{".indirect.mispredicted", KIND(COMMIT), is_indirect && is_wrong},
		{".return", KIND(COMMIT), is_return},
		{".return.mispredicted", KIND(COMMIT), is_return && is_wrong},
		{".misfetched", KIND(MISFETCH), !e->wrong_path},
		{".misfetched.all", KIND(MISFETCH), true},
		{".fetched", KIND(BRANCH_FETCH), true},
		{".fetched.wrong_path", KIND(BRANCH_FETCH), e->wrong_path},
		{".dispatched", KIND(BRANCH_DISPATCH), true},
		{".recovered", KIND(MISPREDICT), true},
		{".recovered.wrong_path", KIND(MISPREDICT), e->wrong_path},
	};
	const char *rest = after(name, "branches");

	for (size_t i = 0; rest && i < ARRAY_COUNT(rows); i++)
		if (strcmp(rows[i].rest, rest) == 0) {
			*r = (struct reading){rows[i].kinds, rows[i].counts};
			return true;
		}
	return false;
}

static bool read_other(const char *name, const struct cycle_event *e, struct reading *r)
{
	static const struct {
		const char *name;
		uint16_t bit;
		bool is_data;
	} misses[] = {
		{"itlb", FETCH_MISS_TLB, false}, {"l1i", FETCH_MISS_L1, false},
		{"l2i", FETCH_MISS_L2, false},	 {"l3i", FETCH_MISS_L3, false},
		{"dtlb", DATA_MISS_TLB, true},	 {"l1d", DATA_MISS_L1, true},
		{"l2d", DATA_MISS_L2, true},	 {"l3d", DATA_MISS_L3, true},
	};
	const unsigned c = e->insn_class;
	const struct {
		const char *name;
		uint32_t kinds;
		uint64_t amount;
	} rows[] = {
		{"serialised", COMMITS,
		 c == CLASS_ATOMIC || c == CLASS_FENCE || c == CLASS_CSR || c == CLASS_SYSTEM},
		{"thread_switches", KIND(THREAD_SWITCH), 1},
		{"loads", COMMITS, c == CLASS_LOAD || c == CLASS_ATOMIC},
		{"stores", COMMITS, e->detail & COMMIT_WRITES ? 1 : 0},
		{"loads.forwarded", KIND(FORWARD), 1},
		{"loads.forwarded.wrong_path", KIND(FORWARD), e->wrong_path},
		{"loads.replayed", KIND(REPLAY), 1},
		{"loads.replayed.wrong_path", KIND(REPLAY), e->wrong_path},
		{"miss.queue", KIND(FETCH_MISS) | KIND(LOAD_MISS) | KIND(STORE_MISS), e->amount},
	};
	const char *rest = after(name, "miss.");

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0) {
			*r = (struct reading){rows[i].kinds, rows[i].amount};
			return true;
		}
	for (size_t i = 0; rest && i < ARRAY_COUNT(misses); i++) {
		const char *end = after(rest, misses[i].name);

		if (!end)
			continue;
		r->kinds =
			misses[i].is_data ? KIND(LOAD_MISS) | KIND(STORE_MISS) : KIND(FETCH_MISS);
		/* Stores miss after they have committed. */
		if (strcmp(end, ".committed") == 0)
			r->kinds = KIND(COMMIT) | (misses[i].is_data ? KIND(STORE_MISS) : 0);
		r->amount = e->detail & misses[i].bit ? 1 : 0;
		return true;
	}
	return false;
}

static struct reading read_name(const char *name, const struct cycle_event *e)
{
	struct reading r = {0, 0};

	if (!read_stage(name, e, &r) && !read_branch(name, e, &r) && !read_memory(name, e, &r) &&
	    !read_other(name, e, &r))
		fail_msg("what does %s count?", name);
	return r;
}

static void compare_event(const struct signal_row *row, const struct cycle_event *e)
{
	struct reading r = read_name(row->name, e);

	assert_int_equal(row->events, r.kinds);
	if (r.kinds & EVENT_BIT(e->kind) && row->amount(e) != r.amount)
		fail_msg("%s, event of kind %u, class %u, detail %u: %llu instead of %llu",
			 row->name, e->kind, e->insn_class, e->detail,
			 (unsigned long long)row->amount(e), (unsigned long long)r.amount);
}

/* Every class with every single tag and every memory event; also random sets of tags. */
TEST(every_event_adds_what_the_name_says)
{
	struct rng rng = {2};

	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];

		for (unsigned kind = 0; row->amount && kind < EVENT_KINDS; kind++) {
			if (!(row->events & EVENT_BIT(kind)))
				continue;
			for (unsigned n = 0; n < 16 + MEMORY_EVENT_COUNT + 64; n++) {
				struct cycle_event e = {
					.kind = (uint8_t)kind,
					.wrong_path = (uint8_t)rng_below(&rng, 2),
					.again = (uint8_t)rng_below(&rng, 2),
					.amount = 2 + (uint32_t)rng_below(&rng, 100),
				};
				if (n < 16)
					e.detail = (uint16_t)(1u << n);
				else if (n < 16 + MEMORY_EVENT_COUNT)
					e.detail = (uint16_t)(n - 16);
				else
					e.detail = (uint16_t)rng_next(&rng);
				for (unsigned class = 0; class < CLASS_COUNT; class ++) {
					e.insn_class = (uint8_t) class;
					compare_event(row, &e);
				}
			}
		}
	}
}

/* Running totals. */

static uint64_t total_of_core(const char *name, const struct core_totals *n, bool *is_known)
{
	const struct {
		const char *name;
		uint64_t total;
	} rows[] = {
		{"cycles", n->cycles},
		{"fetched", n->fetched},
		{"fetched.useful", n->fetched - n->wrong_fetched},
		{"fetched.wrong_path", n->wrong_fetched},
		{"dispatched", n->dispatched},
		{"issued", n->issued},
		{"committed", n->committed},
		{"squashed", n->squashed},
		{"serialised", n->serialised},
		{"thread_switches", n->thread_switches},
		{"loads", n->loads},
		{"stores", n->stores},
		{"loads.forwarded", n->forwarded},
		{"loads.replayed", n->replays},
		{"branches", n->branches},
		{"branches.mispredicted", n->mispredictions},
		{"branches.conditional", n->conditional},
		{"branches.conditional.mispredicted", n->conditional_mispredictions},
		{"branches.indirect.mispredicted", n->indirect_mispredictions},
		{"branches.return.mispredicted", n->return_mispredictions},
		{"branches.misfetched", n->misfetches},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (strcmp(rows[i].name, name) == 0) {
			*is_known = true;
			return rows[i].total;
		}
	return 0;
}

/* The running total of a signal over memory is that of the events it counts. */
static uint64_t total_of_memory(const char *name, const uint64_t *numbers)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < MEMORY_EVENT_COUNT; i++) {
		struct cycle_event e = {.detail = (uint16_t)i, .amount = 1};
		struct reading r = {0, 0};

		if (!read_memory(name, &e, &r))
			fail_msg("what is the total of %s?", name);
		sum += r.amount * numbers[i];
	}
	return sum;
}

TEST(every_total_is_that_of_its_name)
{
	uint64_t core[sizeof(struct core_totals) / sizeof(uint64_t)], memory[MEMORY_EVENT_COUNT];
	struct core_totals n;
	struct memory_events m;
	struct rng rng = {3};
	size_t totals = 0;

	for (size_t i = 0; i < ARRAY_COUNT(core); i++)
		core[i] = rng_next(&rng) >> 16;
	for (size_t i = 0; i < ARRAY_COUNT(memory); i++)
		memory[i] = rng_next(&rng) >> 16;
	memcpy(&n, core, sizeof(n));
	memcpy(&m, memory, sizeof(m));
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];
		bool is_core = false;
		uint64_t wanted = total_of_core(row->name, &n, &is_core);

		/* A name that is not of memory must be listed above if it has a total. */
		assert_true(!is_core || row->total);
		if (!row->total)
			continue;
		totals++;
		if (!is_core)
			wanted = total_of_memory(row->name, memory);
		if (row->total(&n, &m) != wanted)
			fail_msg("the total of %s is not that of its name", row->name);
	}
	assert_true(totals > 80);
}

/* A counted value has the name of its signal. */
TEST(counted_values_are_the_signals_they_are_called)
{
	for (const struct counted_row *row = counted_rows; row->name; row++)
		assert_string_equal(row->signal, strcmp(row->name, "instructions") == 0
							 ? "committed"
							 : row->name);
}

/* Whose pc a value belongs to, its unit and its category, by how the name begins; the first row
 * that fits counts. */
static const struct {
	const char *begin;
	enum signal_owner owner;
	const char *unit;
	enum signal_category category;
} kinds_of_names[] = {
	{"cycles", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CORE},
	{"fed", SIGNAL_OF_FETCH, "instructions", SIGNAL_CORE},
	{"fetch.itlb", SIGNAL_OF_FETCH, "cycles", SIGNAL_TLB},
	{"fetch.walk", SIGNAL_OF_FETCH, "cycles", SIGNAL_TLB},
	{"fetch.bandwidth", SIGNAL_OF_FETCH, "cycles", SIGNAL_MEMORY},
	{"fetch.l", SIGNAL_OF_FETCH, "cycles", SIGNAL_CACHE},
	{"fetch.buffer", SIGNAL_OF_FETCH, "cycles", SIGNAL_CORE},
	{"fetch.serialise", SIGNAL_OF_FETCH, "cycles", SIGNAL_CORE},
	{"fetch.", SIGNAL_OF_FETCH, "cycles", SIGNAL_BRANCH},
	{"fetch_buffer.used", SIGNAL_OF_FETCH, "entries", SIGNAL_CORE},
	{"starved", SIGNAL_OF_FETCH, "cycles", SIGNAL_CORE},
	{"dispatch.empty", SIGNAL_OF_FETCH, "cycles", SIGNAL_CORE},
	{"dispatch.", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CORE},
	{"rob.empty", SIGNAL_OF_FETCH, "cycles", SIGNAL_CORE},
	{"commit.none", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CORE},
	{"head.dtlb", SIGNAL_OF_OLDEST, "cycles", SIGNAL_TLB},
	{"head.walk", SIGNAL_OF_OLDEST, "cycles", SIGNAL_TLB},
	{"head.bandwidth", SIGNAL_OF_OLDEST, "cycles", SIGNAL_MEMORY},
	{"head.l", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CACHE},
	{"head.mshr", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CACHE},
	{"head.", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CORE},
	{"late.store.dtlb", SIGNAL_OF_OLDEST, "cycles", SIGNAL_TLB},
	{"late.store.", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CACHE},
	{"late.", SIGNAL_OF_OLDEST, "cycles", SIGNAL_CORE},
	{"rob.used", SIGNAL_OF_OLDEST, "entries", SIGNAL_CORE},
	{"iq.used", SIGNAL_OF_OLDEST, "entries", SIGNAL_CORE},
	{"lsq.used", SIGNAL_OF_OLDEST, "entries", SIGNAL_CORE},
	{"store_buffer.used", SIGNAL_OF_OLDEST, "entries", SIGNAL_CORE},
	{"slots", SIGNAL_OF_OLDEST, "slots", SIGNAL_SLOTS},
	{"lost.fetch.", SIGNAL_OF_FETCH, "slots", SIGNAL_SLOTS},
	{"lost", SIGNAL_OF_OLDEST, "slots", SIGNAL_SLOTS},
	{"thread_switches", SIGNAL_OF_EVENT, "switches", SIGNAL_CORE},
	{"serialised", SIGNAL_OF_EVENT, "instructions", SIGNAL_CORE},
	{"loads.", SIGNAL_OF_EVENT, "instructions", SIGNAL_CACHE},
	{"loads", SIGNAL_OF_EVENT, "instructions", SIGNAL_INSTRUCTION},
	{"stores", SIGNAL_OF_EVENT, "instructions", SIGNAL_INSTRUCTION},
	{"branches", SIGNAL_OF_EVENT, "branches", SIGNAL_BRANCH},
	{"itlb.walks", SIGNAL_OF_EVENT, "walks", SIGNAL_TLB},
	{"dtlb.walks", SIGNAL_OF_EVENT, "walks", SIGNAL_TLB},
	{"itlb.", SIGNAL_OF_EVENT, "accesses", SIGNAL_TLB},
	{"dtlb.", SIGNAL_OF_EVENT, "accesses", SIGNAL_TLB},
	{"tlb2.", SIGNAL_OF_EVENT, "accesses", SIGNAL_TLB},
	{"walk.", SIGNAL_OF_EVENT, "accesses", SIGNAL_TLB},
	{"mshr.blocked", SIGNAL_OF_EVENT, "attempts", SIGNAL_MEMORY},
	{"memory.busy", SIGNAL_OF_EVENT, "cycles", SIGNAL_MEMORY},
	{"memory.queue", SIGNAL_OF_EVENT, "cycles", SIGNAL_MEMORY},
	{"memory.", SIGNAL_OF_EVENT, "lines", SIGNAL_MEMORY},
	{"miss.queue", SIGNAL_OF_EVENT, "cycles", SIGNAL_MEMORY},
	{"miss.", SIGNAL_OF_EVENT, "misses", SIGNAL_CACHE},
	{"", SIGNAL_OF_EVENT, "", SIGNAL_CORE},
};

static bool ends(const char *name, const char *end)
{
	return strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
}

/* The names that no beginning tells: stages, whose classes are of another category; and caches. */
static void assert_by_end(const struct signal_row *row)
{
	const struct cycle_event e = {0};
	struct reading r;

	if (read_stage(row->name, &e, &r)) {
		bool is_class = strchr(row->name, '.') && !ends(row->name, ".useful") &&
				!ends(row->name, ".wrong_path");

		assert_string_equal(row->unit, "instructions");
		assert_int_equal(row->category, is_class ? SIGNAL_INSTRUCTION : SIGNAL_CORE);
	} else if (strstr(row->name, ".prefetch.")) {
		assert_string_equal(row->unit, "lines");
		assert_int_equal(row->category, SIGNAL_PREFETCH);
	} else if (after(row->name, "mshr.")) {
		assert_string_equal(row->unit,
				    ends(row->name, ".taken") ? "misses" : "entry-cycles");
		assert_int_equal(row->category, SIGNAL_MEMORY);
	} else {
		bool is_lines = strstr(row->name, ".evicted.") || strstr(row->name, ".write_backs");

		assert_string_equal(row->unit, is_lines ? "lines" : "accesses");
		assert_int_equal(row->category, SIGNAL_CACHE);
	}
}

TEST(owner_unit_and_category_follow_from_the_name)
{
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];
		size_t k = 0;

		while (!after(row->name, kinds_of_names[k].begin))
			k++;
		if (row->owner != kinds_of_names[k].owner)
			fail_msg("%s belongs to another instruction", row->name);
		if (!*kinds_of_names[k].unit) {
			assert_by_end(row);
			continue;
		}
		if (strcmp(row->unit, kinds_of_names[k].unit) != 0 ||
		    row->category != kinds_of_names[k].category)
			fail_msg("%s has another unit or category", row->name);
	}
}

TEST(words_for_the_columns_are_those_of_the_columns)
{
	assert_string_equal(signal_source_name(SIGNAL_HW), "hw");
	assert_string_equal(signal_source_name(SIGNAL_ORACLE), "oracle");
	assert_string_equal(signal_owner_name(SIGNAL_OF_FETCH), "fetch");
	assert_string_equal(signal_owner_name(SIGNAL_OF_OLDEST), "oldest");
	assert_string_equal(signal_owner_name(SIGNAL_OF_EVENT), "own");
	assert_string_equal(signal_category_name(SIGNAL_CORE), "core");
	assert_string_equal(signal_category_name(SIGNAL_INSTRUCTION), "instruction");
	assert_string_equal(signal_category_name(SIGNAL_BRANCH), "branch");
	assert_string_equal(signal_category_name(SIGNAL_CACHE), "cache");
	assert_string_equal(signal_category_name(SIGNAL_TLB), "tlb");
	assert_string_equal(signal_category_name(SIGNAL_PREFETCH), "prefetch");
	assert_string_equal(signal_category_name(SIGNAL_MEMORY), "memory");
	assert_string_equal(signal_category_name(SIGNAL_SLOTS), "slots");
}
