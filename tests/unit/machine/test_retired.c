/*
 * What a record says of the instructions that commit, `retired` and `waits`, is what its events and
 * its states say: instruction by instruction where there is an event, else summed over a run.
 */
#include "../test.h"
#include "base/array.h"
#include "image/image.h"
#include "isa/insn.h"
#include "machine/simulation.h"
#include "../../harness.h"

#define SLOTS  4096
#define ALL    (EVENTS_RETIRED | (EVENT_BIT(EVENT_KINDS) - 1))
#define PHASES 4

struct sums {
	struct config config;
	uint32_t amount[SLOTS];	  /* cycles from issue to completion, by slot */
	bool is_forwarded[SLOTS]; /* since it has issued */
	uint64_t fetch[PHASES], fetch_walk, fetched[PHASES], fetched_walk;
	uint64_t store, stored;
	uint64_t misfetches, misfetched, replays, replayed, loads_with_waits, exact[PHASES];
	uint64_t next_pc; /* 0: not known */
};

static bool has_class(unsigned class, enum insn_class first, enum insn_class last)
{
	return class >= first && class <= last;
}

/* The event of a commit and the row of the same instruction. */
static void compare_commit(const struct cycle_event *e, const struct cycle_retired *r)
{
	const unsigned class = e->insn_class, tags = FETCH_MISS_TLB | FETCH_MISS_L1 |
						     FETCH_MISS_L2 | FETCH_MISS_L3 | FETCH_WAITS |
						     DATA_MISS_TLB | DATA_MISS_L1 | DATA_MISS_L2 |
						     DATA_MISS_L3;
	const unsigned marks = r->marks;

	assert_int_equal(r->pc, e->pc);
	assert_int_equal(r->tags, e->detail & tags);
	assert_int_equal(!!(marks & RETIRED_BRANCH), !!(e->detail & COMMIT_BRANCH));
	assert_int_equal(!!(marks & RETIRED_TAKEN), !!(e->detail & COMMIT_TAKEN));
	assert_int_equal(!!(marks & RETIRED_MISPREDICTED), !!(e->detail & COMMIT_MISPREDICTED));
	assert_int_equal(!!(marks & RETIRED_LOADS), class == CLASS_LOAD || class == CLASS_ATOMIC);
	if (class != CLASS_ATOMIC)
		assert_int_equal(!!(marks & RETIRED_STORES), !!(e->detail & COMMIT_WRITES));
	assert_int_equal(!!(marks & RETIRED_SERIALISES),
			 class == CLASS_ATOMIC || has_class(class, CLASS_FENCE, CLASS_SYSTEM));
	assert_int_equal(!!r->accessed, has_class(class, CLASS_LOAD, CLASS_ATOMIC));
	assert_true(r->bytes == 2 || r->bytes == 4);
}

static uint64_t sum_of(const uint32_t *waits)
{
	return (uint64_t)waits[0] + waits[1] + waits[2] + waits[3];
}

/* A load is complete so long after it has issued as the L1D takes and its waits add up to. A miss
 * that begins with it takes the latency of its level, unless a second line takes longer. */
static void compare_load(struct sums *s, const struct cycle_event *e, const struct cycle_retired *r,
			 const struct cycle_waits *w)
{
	static const struct cycle_waits none;
	const struct config *c = &s->config;
	const uint32_t levels[] = {c->dtlb_miss, c->l2_latency,
				   c->cache_levels > 2 ? c->l3_latency : c->memory_latency,
				   c->memory_latency};
	const bool is_in_one_line =
		r->address / c->l1d_line == (r->address + r->accessed - 1) / c->l1d_line;

	if (e->insn_class != CLASS_LOAD || s->is_forwarded[e->slot])
		return;
	assert_int_equal(c->l1d_latency + sum_of(w ? w->data : none.data), s->amount[e->slot]);
	s->loads_with_waits += w && sum_of(w->data);
	for (unsigned i = 0; i < PHASES && is_in_one_line; i++)
		if (r->tags & DATA_MISS_TLB << i) {
			assert_non_null(w);
			assert_int_equal(w->data[i], levels[i]);
			s->exact[i]++;
		}
}

static void take_event(struct sums *s, const struct cycle_event *e)
{
	if (e->kind == EVENT_ISSUE) {
		s->amount[e->slot] = e->amount;
		s->is_forwarded[e->slot] = false;
	} else if (e->kind == EVENT_FORWARD) {
		s->is_forwarded[e->slot] = true;
	} else if (e->kind == EVENT_MISFETCH) {
		s->misfetches += !e->wrong_path;
	} else if (e->kind == EVENT_REPLAY) {
		s->replays += !e->wrong_path;
	}
}

static void take_states(struct sums *s, const struct cycle *c)
{
	const unsigned stall = c->fetch_stall;

	if (stall >= FETCH_ITLB && stall <= FETCH_L3I && !c->wrong_path) {
		s->fetch[stall - FETCH_ITLB] += c->repeat;
		if (c->excess & EXCESS_FETCH_WALK)
			s->fetch_walk += c->repeat;
	}
	if (c->head_state == HEAD_STORE)
		s->store += c->repeat;
}

static void see(void *context, const struct cycle *c)
{
	struct sums *s = context;
	const struct cycle_waits *waits = c->waits;
	unsigned commits = 0;

	take_states(s, c);
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (e->kind != EVENT_COMMIT && e->kind != EVENT_COMMIT_PLAIN)
			continue;
		const struct cycle_retired *r = &c->retired[commits++];
		const struct cycle_waits *w = r->has_waits ? waits++ : NULL;

		compare_commit(e, r);
		if (s->next_pc)
			assert_int_equal(r->pc, s->next_pc);
		/* System calls may go anywhere. */
		s->next_pc = r->marks & (RETIRED_TAKEN | RETIRED_SERIALISES) ? 0 : r->pc + r->bytes;
		compare_load(s, e, r, w);
		s->misfetched += !!(r->marks & RETIRED_MISFETCHED);
		s->replayed += !!(r->marks & RETIRED_REPLAYED);
		for (unsigned k = 0; w && k < PHASES; k++)
			s->fetched[k] += w->fetch[k];
		s->fetched_walk += w ? w->fetch_walk : 0;
		for (unsigned k = 0; w && k < 5; k++)
			s->stored += w->store[k];
	}
	assert_int_equal(commits, c->committed);
	/* A slot is free again once its instruction has committed. */
	for (uint32_t i = 0; i < c->event_count; i++)
		take_event(s, &c->events[i]);
}

static uint8_t *read_workload(const char *name, size_t *bytes)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build", name);
	return image_read(path, bytes, NULL);
}

static void run(const char *name, const struct config *config, struct sums *sums)
{
	char *argv[] = {strdup(name), (char[]){"test"}, NULL};
	size_t bytes;
	struct err err = {.text = ""};
	uint8_t *image = read_workload(name, &bytes);

	if (!image)
		skip();
	struct process *process = harness_process(argv, image, bytes, &err);
	struct simulation *simulation = simulation_create(config, process, &err);

	assert_non_null(simulation);
	*sums = (struct sums){.config = *config};
	simulation_attach(simulation, (struct observer){see, sums, ALL});
	simulation_run_to(simulation, UINT64_C(1) << 40, 60000);
	simulation_destroy(simulation);
	process_destroy(process);
	free(image);
	free(argv[0]);
}

static struct config unequal_machine(void)
{
	struct config c;

	config_reset(&c);
	c.cache_levels = 3;
	c.l1d_size = 2048;
	c.l1d_ways = 2;
	c.l2_size = 16384;
	c.l3_size = 65536;
	c.l1i_latency = 2;
	c.l1d_latency = 3;
	c.l2_latency = 11;
	c.l3_latency = 37;
	c.memory_latency = 211;
	c.itlb_entries = c.itlb_ways = 4;
	c.dtlb_entries = c.dtlb_ways = 8;
	c.itlb_miss = 41;
	c.dtlb_miss = 43;
	return c;
}

TEST(waits_are_those_of_events_and_states)
{
	static const char *const names[] = {"compiler", "objdb", "interp"};
	struct sums *sums = malloc(sizeof(*sums));

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		struct config config = unequal_machine();

		config.store_buffer = 2;
		config.l1d_mshrs = i ? UNLIMITED : 2;
		run(names[i], &config, sums);
		assert_true(sums->loads_with_waits > 100);
		for (unsigned k = 0; k < PHASES; k++) {
			assert_true(sums->exact[k] > 0);
			/* A wait that begins in a cycle in which fetch delivers something is longer
			 * than fetch stalls; the last one may not have committed. */
			if (sums->fetched[k] + 300 < sums->fetch[k] ||
			    sums->fetched[k] > sums->fetch[k] + sums->fetch[k] / 50)
				fail_msg(
					"%s: instructions waited %llu cycles in phase %u of fetch, "
					"fetch %llu",
					names[i], (unsigned long long)sums->fetched[k], k,
					(unsigned long long)sums->fetch[k]);
		}
		/* The last one may not have committed. */
		if (sums->stored > sums->store || sums->stored + 300 < sums->store)
			fail_msg("%s: stores waited %llu cycles, commit %llu", names[i],
				 (unsigned long long)sums->stored, (unsigned long long)sums->store);
		/* The branch of the last misfetch may not have committed. */
		assert_in_range(sums->misfetched, sums->misfetches - 2, sums->misfetches);
		assert_int_equal(sums->replayed, 0);
	}
	free(sums);
}

TEST(loads_that_read_too_early_are_marked)
{
	struct sums *sums = malloc(sizeof(*sums));
	struct config config = unequal_machine();

	config.disambiguation = DISAMBIGUATION_PREDICT;
	config.store_sets_clear = 200;
	run("interp", &config, sums);
	assert_true(sums->replays > 0);
	/* A load may read too early again. */
	assert_in_range(sums->replayed, 1, sums->replays);
	free(sums);
}
