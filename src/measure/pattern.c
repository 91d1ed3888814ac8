#include "measure/pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the rules go by; parts of executions, accesses or misses. */
#define MOSTLY	     0.5 /* fed by a load, conflicts among misses, overflows among mispredictions */
#define REGULAR	     0.6 /* accesses at the most frequent distance */
#define SPLIT_LEAST  0.25 /* accesses in two lines */
#define MEET_LEAST   0.1  /* loads that meet a store */
#define MISS_LEAST   0.01 /* accesses that miss */
#define CHAIN_PART   0.8  /* of an operation's latency by which its chain grows each time */
#define CHAIN_CYCLES 2.0  /* growth from which a chain of short operations is one */
#define LEARNT	     0.5  /* mispredictions left by a simple predictor beside the machine's */
#define OFTEN	     0.1  /* targets, from which one is worth saying */
#define ALONE_NEAR   32	  /* bytes of code on either side of what is charged */
#define SETS_CROWDED 0.5  /* of the sets: in more than these misses are not crowded */

const struct pattern_row pattern_rows[PATTERN_COUNT] = {
#define PATTERN(id, text, about, what_helps) [PATTERN_##id] = {text, about, what_helps},
#include "measure/patterns.def"
#undef PATTERN
};

int pattern_named(const char *name)
{
	for (int i = 0; i < PATTERN_COUNT; i++)
		if (strcmp(pattern_rows[i].name, name) == 0)
			return i;
	return -1;
}

/* ---- what is known ---- */

struct question {
	const struct facts *facts;
	const struct config *config;
	const struct fact *fact;
	const uint64_t *slots;
	const struct pattern_namer *namer;
	struct pattern_finding *finding;
};

static double part(uint64_t of, uint64_t all)
{
	return all ? (double)of / (double)all : 0.0;
}

static double percent(uint64_t of, uint64_t all)
{
	return 100.0 * part(of, all);
}

static void say(struct question *q, enum pattern pattern, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct question *q, enum pattern pattern, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(q->finding->evidence, sizeof(q->finding->evidence), format, list);
	va_end(list);
	q->finding->pattern = pattern;
	q->finding->about = q->fact->pc;
}

/* Adds to what was said, as far as there is room. */
static void add(struct question *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct question *q, const char *format, ...)
{
	size_t length = strlen(q->finding->evidence);
	va_list list;

	va_start(list, format);
	vsnprintf(q->finding->evidence + length, sizeof(q->finding->evidence) - length, format,
		  list);
	va_end(list);
}

/* Adds "; WHAT sort.c:9 loads" by the most frequent of the feeders, if there is one. */
static void add_feeder(struct question *q, const char *before, const struct frequent *feeders,
		       const char *after)
{
	char text[PATTERN_PLACE_BYTES];
	struct frequent_item most;

	if (frequent_most(feeders, &most))
		add(q, "; %s%s%s", before, q->namer->name(q->namer->context, most.key, text),
		    after);
}

/* Of one outcome of two, in bits. */
static double entropy(uint64_t of, uint64_t all)
{
	double p = part(of, all);

	return p <= 0.0 || p >= 1.0 ? 0.0 : -p * log2(p) - (1.0 - p) * log2(1.0 - p);
}

/* The instruction that feeds this one most often; NULL if none does mostly. */
static const struct fact *feeder(const struct question *q, const struct frequent *feeders)
{
	struct frequent_item most;

	if (part(feeders->seen, q->fact->executed) < MOSTLY || !frequent_most(feeders, &most))
		return NULL;
	return facts_find(q->facts, most.key);
}

/* ---- data ---- */

/* Who needs the value of a load may be charged with what the load waits for. The question is then
 * about the load; false if there is none. */
static bool turn_to_load(struct question *q)
{
	const struct fact *load = q->fact->memory ? q->fact : feeder(q, &q->fact->loads);

	if (!load || !load->memory)
		return false;
	q->fact = load;
	return true;
}

struct geometry {
	uint64_t bytes, line_bytes, sets, ways;
	const char *name;
};

static struct geometry geometry_of(const struct config *c, enum memory_level level)
{
	struct geometry g = {c->l1d_size, c->l1d_line, 0, c->l1d_ways, "L1D"};

	if (level == LEVEL_L2)
		g = (struct geometry){c->l2_size, c->l2_line, 0, c->l2_ways, "L2"};
	if (level == LEVEL_L3)
		g = (struct geometry){c->l3_size, c->l3_line, 0, c->l3_ways, "L3"};
	g.sets = g.bytes / g.line_bytes / g.ways;
	return g;
}

/* The cache whose misses cost most. */
static enum memory_level costly_level(const struct question *q)
{
	const uint64_t *s = q->slots;
	const enum memory_level last = (enum memory_level)(q->config->cache_levels - 1);
	uint64_t of[LEVEL_MEMORY] = {s[CAUSE_L1D], s[CAUSE_L2D], s[CAUSE_L3D]};
	enum memory_level most = LEVEL_L1;

	of[last] += s[CAUSE_MSHR] + s[CAUSE_BANDWIDTH];
	for (enum memory_level level = LEVEL_L2; level <= last; level++)
		if (of[level] > of[most])
			most = level;
	return most;
}

static uint64_t misses_of(const struct fact_memory *m, enum memory_level level)
{
	uint64_t misses = 0;

	for (unsigned i = level + 1; i < LEVEL_COUNT; i++)
		misses += m->found[i];
	return misses;
}

static void add_misses(struct question *q, const struct fact_memory *m, const struct geometry *g,
		       enum memory_level level)
{
	add(q,
	    "; %.1f %% of %" PRIu64 " accesses miss in the %s, of %" PRIu64 " KB; %s%" PRIu64
	    " lines, %" PRIu64 " KB",
	    percent(misses_of(m, level), m->accesses), m->accesses, g->name, g->bytes >> 10,
	    distinct_is_exact(&m->lines) ? "" : "about ", distinct_count(&m->lines),
	    distinct_count(&m->lines) * q->config->l1d_line >> 10);
}

static bool says_conflict(struct question *q, const struct fact_memory *m, const struct geometry *g,
			  enum memory_level level)
{
	const struct fact_conflicts *c = &m->conflicts[level];
	struct frequent_item sets[FREQUENT_ITEMS];
	unsigned count = frequent_sorted(&c->sets, sets);
	uint64_t misses = misses_of(m, level), crowded = distinct_count(&c->set_count);

	if (part(c->misses, misses) < MOSTLY || part(misses, m->accesses) < MISS_LEAST ||
	    (double)crowded > SETS_CROWDED * (double)g->sets)
		return false;
	say(q, PATTERN_CONFLICT,
	    "%.1f %% of its %" PRIu64 " misses in the %s would be hits if its sets did not matter: "
	    "%" PRIu64 " lines in %" PRIu64 " of %" PRIu64 " sets of %" PRIu64 " ways",
	    percent(c->misses, misses), misses, g->name, distinct_count(&c->lines), crowded,
	    g->sets, g->ways);
	for (unsigned i = 0; i < count && i < 4; i++)
		add(q, "%s%" PRIu64, i ? ", " : count > 1 ? "; sets " : "; set ", sets[i].key);
	if (crowded > 4)
		add(q, " ...");
	return true;
}

static bool says_chase(struct question *q)
{
	unsigned links;

	if (!q->fact->op.is_load)
		return false;
	if (facts_feeds_itself(q->facts, q->fact, &links)) {
		say(q, PATTERN_POINTER_CHASE,
		    "its address comes from its own last value in %.1f %% of %" PRIu64
		    " executions",
		    percent(q->fact->fed, q->fact->executed), q->fact->executed);
		if (links > 1)
			add(q, ", by way of %u loads", links - 1);
		return true;
	}
	/* Another member of what is followed. */
	const struct fact *load = feeder(q, &q->fact->loads);
	if (!load || !facts_feeds_itself(q->facts, load, &links) ||
	    part(q->fact->fed_anew, q->fact->executed) < MOSTLY)
		return false;
	say(q, PATTERN_POINTER_CHASE,
	    "its address comes from a chain of loads in %.1f %% of %" PRIu64 " executions",
	    percent(q->fact->fed, q->fact->executed), q->fact->executed);
	add_feeder(q, "mostly that of ", &q->fact->loads, ", each from the one before");
	return true;
}

/* Of an instruction that accesses memory. */
static void say_pages(struct question *q)
{
	const struct config *c = q->config;
	const struct fact_memory *m = q->fact->memory;
	bool is_over = distinct_count(&m->pages) > c->dtlb_entries ||
		       part(m->tlb_misses, m->accesses) >= MISS_LEAST;

	say(q, is_over ? PATTERN_PAGES : PATTERN_NONE,
	    "%s%" PRIu64 " pages, and the TLB knows %" PRIu32 "; %.1f %% of %" PRIu64
	    " accesses miss in it",
	    distinct_is_exact(&m->pages) ? "" : "about ", distinct_count(&m->pages),
	    c->dtlb_entries, percent(m->tlb_misses, m->accesses), m->accesses);
	if (c->tlb2_entries)
		add(q, ", %.1f %% also in the second of %" PRIu32,
		    percent(m->tlb_walks, m->accesses), c->tlb2_entries);
}

static void ask_pages(struct question *q)
{
	if (turn_to_load(q))
		say_pages(q);
}

static bool is_beyond_page(const struct config *c, uint64_t stride)
{
	return stride + c->page_bytes > 2 * (uint64_t)c->page_bytes;
}

static void ask_data(struct question *q)
{
	enum memory_level level = costly_level(q);
	const struct geometry g = geometry_of(q->config, level);

	if (!turn_to_load(q))
		return;
	const struct fact_memory *m = q->fact->memory;
	struct frequent_item stride = {0};
	frequent_most(&m->strides, &stride);
	bool is_regular = stride.key && part(stride.count, m->accesses) >= REGULAR;

	if (says_conflict(q, m, &g, level))
		return;
	/* Each access on another page: what takes the time is that no TLB knows it. */
	if (is_regular && is_beyond_page(q->config, stride.key) &&
	    part(m->tlb_misses, m->accesses) >= MOSTLY) {
		say_pages(q);
		return;
	}
	if (!q->fact->op.is_load) {
		say(q, PATTERN_STORE_MISS, "a store");
		if (is_regular)
			add(q, ", each %" PRId64 " bytes from the last", (int64_t)stride.key);
		if (part(misses_of(m, LEVEL_L1), m->accesses) < MISS_LEAST)
			add(q, ", that waits for stores before it");
	} else if (says_chase(q)) {
		;
	} else if (!is_regular && part(q->fact->fed_anew, q->fact->executed) >= MOSTLY) {
		say(q, PATTERN_DEPENDENT_LOAD,
		    "its address comes from another load in %.1f %% of %" PRIu64 " executions",
		    percent(q->fact->fed, q->fact->executed), q->fact->executed);
		add_feeder(q, "mostly what ", &q->fact->loads, " loads");
	} else if (is_regular) {
		say(q, PATTERN_STREAM,
		    "each %" PRId64 " bytes from the last in %.1f %% of accesses",
		    (int64_t)stride.key, percent(stride.count, m->accesses));
	} else if (part(misses_of(m, LEVEL_L1), m->accesses) >= MISS_LEAST) {
		say(q, PATTERN_SCATTERED, "no distance between accesses has more than %.1f %%",
		    percent(stride.count, m->accesses));
	} else {
		say(q, PATTERN_NONE, "in program order");
	}
	add_misses(q, m, &g, level);
}

/* ---- branches ---- */

static void ask_condition(struct question *q)
{
	const struct fact_branch *b = q->fact->branch;
	uint64_t simple = b->wrong_own < b->wrong_all ? b->wrong_own : b->wrong_all;
	bool on_data = part(q->fact->fed_anew, q->fact->executed) >= MOSTLY;
	enum pattern pattern = on_data ? PATTERN_DATA_BRANCH : PATTERN_BRANCH;

	if (!b->wrong)
		pattern = PATTERN_NONE;
	else if ((double)simple < LEARNT * (double)b->wrong)
		pattern = PATTERN_BRANCH_OTHERS;
	say(q, pattern,
	    "taken %.1f %% of %" PRIu64 ", entropy %.2f bit; %.1f %% mispredicted; wrong after its "
	    "own last %d outcomes %.1f %%, after those of all branches %.1f %%; the same %.1f times "
	    "in a row",
	    percent(b->taken, b->outcomes), b->outcomes, entropy(b->taken, b->outcomes),
	    percent(b->wrong, b->outcomes), FACTS_HISTORY, percent(b->wrong_own, b->outcomes),
	    percent(b->wrong_all, b->outcomes), (double)b->outcomes / (double)(b->changes + 1));
	if (on_data)
		add_feeder(q, "tests what ", &q->fact->loads, " loads");
}

static void ask_jump(struct question *q)
{
	const struct fact_jump *j = q->fact->jump;
	struct frequent_item most = {0};

	frequent_most(&j->often, &most);
	if (q->fact->op.control == CONTROL_RETURN) {
		bool overflows = j->overflows && part(j->overflows, j->wrong) >= MOSTLY;

		say(q, overflows ? PATTERN_RETURN_STACK : PATTERN_NONE,
		    "%.1f %% of %" PRIu64
		    " returns mispredicted, %.1f %% to callers that a stack of "
		    "%" PRIu32 " has lost",
		    percent(j->wrong, j->jumps), j->jumps, percent(j->overflows, j->jumps),
		    q->config->ras_entries);
		return;
	}
	uint64_t targets = distinct_count(&j->targets);
	say(q, j->wrong && targets > 1 ? PATTERN_INDIRECT : PATTERN_NONE,
	    "%s%" PRIu64 " targets in %" PRIu64
	    " times, another than the last in %.1f %%; %.1f %% mispredicted",
	    distinct_is_exact(&j->targets) ? "" : "about ", targets, j->jumps,
	    percent(j->changes, j->jumps), percent(j->wrong, j->jumps));
	if (part(most.count, j->jumps) >= OFTEN)
		add(q, "; one is at least %.1f %% of them", percent(most.count, j->jumps));
	add_feeder(q, "goes where ", &q->fact->loads, " says");
}

static void ask_branch(struct question *q)
{
	if (q->fact->branch)
		ask_condition(q);
	else if (q->fact->jump)
		ask_jump(q);
}

static void ask_targets(struct question *q)
{
	const struct fact_branch *b = q->fact->branch;

	if (q->fact->op.control == CONTROL_NONE)
		return;
	say(q, PATTERN_TARGETS, "%" PRIu64 " executions", q->fact->executed);
	if (b)
		add(q, ", %.1f %% rightly taken without a target",
		    percent(b->misfetched, b->outcomes));
}

/* ---- code ---- */

static void ask_code(struct question *q)
{
	const struct fact_code *c = facts_code(q->facts);
	const struct config *config = q->config;
	uint64_t bytes = c->busiest_lines * config->l1i_line;
	enum pattern pattern = PATTERN_NONE;

	if (bytes > config->l1i_size)
		pattern = PATTERN_CODE;
	else if (part(c->conflicts, c->misses) >= MOSTLY)
		pattern = PATTERN_CODE_CONFLICT;
	say(q, pattern,
	    "up to %" PRIu64 " KB of code in %d instructions, %" PRIu64 " KB in all, and the L1I "
	    "has %" PRIu32 " KB; %.1f %% of %" PRIu64 " lines entered miss in it",
	    bytes >> 10, FACTS_WINDOW_INSNS, c->lines * config->l1i_line >> 10,
	    config->l1i_size >> 10, percent(c->misses, c->fetches), c->fetches);
	if (pattern == PATTERN_CODE_CONFLICT)
		add(q, ", %.1f %% of them for its sets alone", percent(c->conflicts, c->misses));
}

static void ask_code_pages(struct question *q)
{
	const struct fact_code *c = facts_code(q->facts);

	say(q, c->busiest_pages > q->config->itlb_entries ? PATTERN_CODE_PAGES : PATTERN_NONE,
	    "up to %" PRIu64
	    " pages of code in %d instructions, and the instruction TLB knows %" PRIu32,
	    c->busiest_pages, FACTS_WINDOW_INSNS, q->config->itlb_entries);
}

/* ---- stores ---- */

static void ask_store(struct question *q)
{
	const struct fact *f = q->fact;

	if (!f->memory)
		return;
	uint64_t misses = misses_of(f->memory, LEVEL_L1);
	bool is_miss = part(misses, f->memory->accesses) >= MEET_LEAST;
	say(q, is_miss ? PATTERN_STORE_MISS : PATTERN_STORE_BURST,
	    "%.1f stores among the %d instructions around it, %" PRIu64
	    " at most; %.1f %% of %" PRIu64 " miss in the L1D",
	    part(f->near_sum, f->executed), FACTS_NEAR, f->near_most,
	    percent(misses, f->memory->accesses), f->memory->accesses);
}

static void ask_forward(struct question *q)
{
	enum pattern pattern = PATTERN_NONE;

	if (!turn_to_load(q))
		return;
	const struct fact_memory *m = q->fact->memory;
	if (part(m->partial, m->accesses) >= MEET_LEAST)
		pattern = PATTERN_FORWARD_FAILS;
	else if (part(m->forwarded, m->accesses) >= MEET_LEAST)
		pattern = PATTERN_FORWARD_CHAIN;
	say(q, pattern,
	    "of %" PRIu64 " loads %.1f %% meet a store shortly before that wrote a part of their "
	    "bytes, %.1f %% one that wrote all",
	    m->accesses, percent(m->partial, m->accesses), percent(m->forwarded, m->accesses));
	add_feeder(q, "mostly that of ", &m->stores, "");
}

static void ask_order(struct question *q, enum pattern pattern)
{
	if (!turn_to_load(q))
		return;
	const struct fact_memory *m = q->fact->memory;
	say(q, pattern, "%" PRIu64 " loads, of which %.1f %% meet a store shortly before",
	    m->accesses, percent(m->forwarded + m->partial, m->accesses));
	add_feeder(q, "mostly that of ", &m->stores, "");
}

/* ---- operations ---- */

static const char *const unit_names[UNIT_COUNT] = {
	[UNIT_ALU] = "an integer operation",
	[UNIT_MUL] = "a multiplication",
	[UNIT_DIV] = "a division",
	[UNIT_BRANCH] = "a branch",
	[UNIT_JUMP] = "a jump",
	[UNIT_JUMP_INDIRECT] = "an indirect jump",
	[UNIT_LOAD] = "a load",
	[UNIT_STORE] = "a store",
	[UNIT_AMO] = "an atomic",
	[UNIT_FP_ADD] = "a floating-point addition",
	[UNIT_FP_MUL] = "a floating-point multiplication",
	[UNIT_FP_DIV] = "a floating-point division",
	[UNIT_FENCE] = "a fence",
	[UNIT_CSR] = "an access to a control register",
	[UNIT_SYSTEM] = "a system call",
};

static uint32_t latency_of(const struct config *c, enum unit unit)
{
	switch (unit) {
	case UNIT_MUL: return c->int_mul_latency;
	case UNIT_DIV: return c->int_div_latency;
	case UNIT_FP_ADD: return c->fp_add_latency;
	case UNIT_FP_MUL: return c->fp_mul_latency;
	case UNIT_FP_DIV: return c->fp_div_latency;
	case UNIT_LOAD:
	case UNIT_AMO: return c->l1d_latency;
	default: return c->int_alu_latency;
	}
}

static double growth_of(const struct fact *fact)
{
	return part(fact->chain_cycles, fact->chain_links);
}

static void ask_latency(struct question *q)
{
	unsigned links = 0;

	if (latency_of(q->config, q->fact->op.unit) <= 1) {
		const struct fact *operation = feeder(q, &q->fact->operations);

		if (!operation)
			return;
		q->fact = operation;
	}
	const struct fact *f = q->fact;
	uint32_t latency = latency_of(q->config, f->op.unit);
	bool is_own = facts_is_serial(q->facts, f, &links);
	bool is_chain = is_own || growth_of(f) >= CHAIN_PART * latency;

	say(q, is_chain ? PATTERN_LATENCY_CHAIN : PATTERN_LONG_OPERATION,
	    "%s of %" PRIu32 " cycles, %" PRIu64 " times; the chain that leads to it grows by %.1f "
	    "cycles each time",
	    unit_names[f->op.unit], latency, f->executed, growth_of(f));
	if (is_own && links > 1)
		add(q, ", through %u such operations back to itself", links);
	else if (is_own)
		add(q, ", through its own last result");
}

static bool says_split(struct question *q, const struct fact *fact)
{
	const struct fact_memory *m = fact ? fact->memory : NULL;

	if (!m || part(m->line_splits, m->accesses) < SPLIT_LEAST)
		return false;
	q->fact = fact;
	say(q, PATTERN_SPLIT,
	    "%.1f %% of %" PRIu64 " accesses reach into a second line, %.1f %% into "
	    "a second page",
	    percent(m->line_splits, m->accesses), m->accesses,
	    percent(m->page_splits, m->accesses));
	return true;
}

/* Whether the cause is a wait for the kind of unit that the instruction needs. */
static bool is_of_cause(const struct fact *fact, enum cause cause)
{
	switch (fact->op.unit) {
	case UNIT_MUL:
	case UNIT_DIV: return cause == CAUSE_UNIT_INT_MULDIV;
	case UNIT_LOAD:
	case UNIT_STORE:
	case UNIT_AMO: return cause == CAUSE_UNIT_MEMORY;
	case UNIT_FP_ADD: return cause == CAUSE_UNIT_FP_ADD;
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return cause == CAUSE_UNIT_FP_MULDIV;
	default: return cause == CAUSE_UNIT_INT_ALU;
	}
}

static void ask_unit(struct question *q)
{
	enum cause most = CAUSE_UNIT_INT_ALU;

	for (enum cause cause = CAUSE_UNIT_INT_ALU; cause <= CAUSE_UNIT_FP_MULDIV; cause++)
		if (q->slots[cause] > q->slots[most])
			most = cause;
	if (says_split(q, q->fact))
		return;
	/* Who needs the result waits as long. */
	if (!is_of_cause(q->fact, most)) {
		const struct fact *operation = feeder(q, &q->fact->operations);

		if (!operation || !is_of_cause(operation, most))
			return;
		q->fact = operation;
	}
	const struct fact *f = q->fact;
	say(q, PATTERN_UNIT_TAKEN,
	    "%s; %.1f of the %d instructions around it need the same kind of unit, %" PRIu64
	    " at most",
	    unit_names[f->op.unit], part(f->near_sum, f->executed), FACTS_NEAR, f->near_most);
}

static void ask_dependence(struct question *q)
{
	const struct fact *f = q->fact, *load = feeder(q, &f->loads);

	if (says_split(q, f) || says_split(q, load) || says_chase(q))
		return;
	say(q, growth_of(f) >= CHAIN_CYCLES ? PATTERN_DEPENDENCE_CHAIN : PATTERN_NONE,
	    "the chain that leads to it grows by %.1f cycles each of %" PRIu64 " times",
	    growth_of(f), f->executed);
	if (load)
		add_feeder(q, "it goes through what ", &f->loads, " loads");
}

static bool is_alone(const struct fact *fact)
{
	switch (fact->op.unit) {
	case UNIT_AMO:
	case UNIT_FENCE:
	case UNIT_CSR:
	case UNIT_SYSTEM: return fact->executed > 0;
	default: return false;
	}
}

/* What is alone in the core holds its neighbours up: the nearest one of them, the later of two. */
static void ask_serialise(struct question *q)
{
	const uint64_t pc = q->fact->pc;

	for (uint64_t distance = 0; distance <= ALONE_NEAR; distance += 2)
		for (unsigned i = 0; i < 2; i++) {
			const struct fact *fact =
				facts_find(q->facts, i ? pc - distance : pc + distance);

			if (!fact || !is_alone(fact))
				continue;
			q->fact = fact;
			say(q, PATTERN_SERIALISING, "%s, %" PRIu64 " times",
			    unit_names[fact->op.unit], fact->executed);
			return;
		}
}

/* ---- which question ---- */

enum group {
	GROUP_CODE,
	GROUP_CODE_PAGES,
	GROUP_TARGETS,
	GROUP_BRANCH,
	GROUP_DATA,
	GROUP_PAGES,
	GROUP_LATENCY,
	GROUP_UNIT,
	GROUP_STORE,
	GROUP_FORWARD,
	GROUP_WAIT,
	GROUP_REPLAY,
	GROUP_DEPENDENCE,
	GROUP_SERIALISE,
	GROUP_OTHER,
	GROUP_COUNT
};

static const uint8_t group_of_cause[CAUSE_COUNT] = {
	[CAUSE_BASE] = GROUP_OTHER,
	[CAUSE_DEPENDENCE] = GROUP_DEPENDENCE,
	[CAUSE_SERIALISE] = GROUP_SERIALISE,
	[CAUSE_LATENCY] = GROUP_LATENCY,
	[CAUSE_UNIT_INT_ALU] = GROUP_UNIT,
	[CAUSE_UNIT_INT_MULDIV] = GROUP_UNIT,
	[CAUSE_UNIT_MEMORY] = GROUP_UNIT,
	[CAUSE_UNIT_FP_ADD] = GROUP_UNIT,
	[CAUSE_UNIT_FP_MULDIV] = GROUP_UNIT,
	[CAUSE_QUEUES] = GROUP_OTHER,
	[CAUSE_MAX_BRANCHES] = GROUP_OTHER,
	[CAUSE_STORE] = GROUP_STORE,
	[CAUSE_FORWARD] = GROUP_FORWARD,
	[CAUSE_WAIT] = GROUP_WAIT,
	[CAUSE_REPLAY] = GROUP_REPLAY,
	[CAUSE_MSHR] = GROUP_DATA,
	[CAUSE_L1I] = GROUP_CODE,
	[CAUSE_L2I] = GROUP_CODE,
	[CAUSE_L3I] = GROUP_CODE,
	[CAUSE_ITLB] = GROUP_CODE_PAGES,
	[CAUSE_BTB] = GROUP_TARGETS,
	[CAUSE_TAKEN] = GROUP_OTHER,
	[CAUSE_BRANCH] = GROUP_BRANCH,
	[CAUSE_L1D] = GROUP_DATA,
	[CAUSE_L2D] = GROUP_DATA,
	[CAUSE_L3D] = GROUP_DATA,
	[CAUSE_DTLB] = GROUP_PAGES,
	[CAUSE_WALK] = GROUP_PAGES,
	[CAUSE_BANDWIDTH] = GROUP_DATA,
};

/* The kind of loss that has most; GROUP_OTHER if nothing was lost. */
static enum group costly_group(const struct fact *fact, const uint64_t slots[CAUSE_COUNT])
{
	uint64_t sums[GROUP_COUNT] = {0};
	enum group most = GROUP_OTHER;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		if (i != CAUSE_BASE)
			sums[group_of_cause[i]] += slots[i];
	/* A walk or a busy memory makes a miss of code longer, too. */
	uint64_t shared = slots[CAUSE_WALK] + slots[CAUSE_BANDWIDTH];
	if (!fact->memory && sums[GROUP_CODE] + sums[GROUP_CODE_PAGES] >= shared) {
		sums[GROUP_CODE] += slots[CAUSE_BANDWIDTH];
		sums[GROUP_DATA] -= slots[CAUSE_BANDWIDTH];
		sums[GROUP_CODE_PAGES] += slots[CAUSE_WALK];
		sums[GROUP_PAGES] -= slots[CAUSE_WALK];
	}
	for (enum group group = 0; group < GROUP_COUNT; group++)
		if (sums[group] > sums[most])
			most = group;
	return most;
}

static void ask(struct question *q)
{
	switch (costly_group(q->fact, q->slots)) {
	case GROUP_CODE: ask_code(q); break;
	case GROUP_CODE_PAGES: ask_code_pages(q); break;
	case GROUP_TARGETS: ask_targets(q); break;
	case GROUP_BRANCH: ask_branch(q); break;
	case GROUP_DATA: ask_data(q); break;
	case GROUP_PAGES: ask_pages(q); break;
	case GROUP_LATENCY: ask_latency(q); break;
	case GROUP_UNIT: ask_unit(q); break;
	case GROUP_STORE: ask_store(q); break;
	case GROUP_FORWARD: ask_forward(q); break;
	case GROUP_WAIT: ask_order(q, PATTERN_HELD_LOAD); break;
	case GROUP_REPLAY: ask_order(q, PATTERN_REPLAYED); break;
	case GROUP_DEPENDENCE: ask_dependence(q); break;
	case GROUP_SERIALISE: ask_serialise(q); break;
	default: break;
	}
}

void pattern_find(const struct facts *facts, uint64_t pc, const uint64_t slots[CAUSE_COUNT],
		  const struct pattern_namer *namer, struct pattern_finding *finding)
{
	struct question q = {.facts = facts,
			     .config = facts_config(facts),
			     .fact = facts_find(facts, pc),
			     .slots = slots,
			     .namer = namer,
			     .finding = finding};

	*finding = (struct pattern_finding){.pattern = PATTERN_NONE, .about = pc};
	if (!q.fact || !q.fact->executed)
		return;
	say(&q, PATTERN_NONE, "executed %" PRIu64 " times", q.fact->executed);
	if (q.fact->changed)
		add(&q, "; its code changed meanwhile");
	else
		ask(&q);
}
