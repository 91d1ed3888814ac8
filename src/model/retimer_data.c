/* Loads and stores of the recurrence (retimer.h). */
#include "base/array.h"
#include "model/retimer_state.h"

#define GRANULE_BITS 3

/* ---- MSHRs ---- */

/* The first cycle from `at` on in which fewer misses than the limit are under way. */
static uint64_t free_at(const struct retimer_misses *m, uint64_t at)
{
	for (;;) {
		uint64_t next = UINT64_MAX;
		uint32_t taken = 0;

		for (size_t i = 0; i < m->count; i++) {
			const struct retimer_miss *miss = &m->list[i];

			if (miss->start > at || miss->end <= at)
				continue;
			taken++;
			next = miss->end < next ? miss->end : next;
		}
		if (taken < m->limit)
			return at;
		at = next;
	}
}

/* When the access finds an MSHR free in every cache that does not hold its line. */
static uint64_t wait_for_mshrs(struct retimer *r, uint64_t address, uint64_t at)
{
	uint64_t from = at;

	for (unsigned i = 0; i < r->config.cache_levels; i++) {
		if (cache_holds(&r->memory->level[CACHE_L1D + i].cache, address))
			break;
		if (r->misses[i].limit != MSHR_UNLIMITED)
			at = retimer_later(at, free_at(&r->misses[i], at));
	}
	r->events.mshr_waits += at != from;
	return at;
}

/* No access is made before this cycle any more. */
static uint64_t past(const struct retimer *r)
{
	return r->last.dispatched;
}

static void add_miss(struct retimer *r, struct retimer_misses *m, struct retimer_miss miss)
{
	size_t kept = 0;

	if (m->count == m->capacity) {
		for (size_t i = 0; i < m->count; i++)
			if (m->list[i].end > past(r))
				m->list[kept++] = m->list[i];
		m->count = kept;
	}
	*ARRAY_PUSH(m->list, m->count, m->capacity) = miss;
}

static struct retimer_miss *find_miss(struct retimer_misses *m, uint64_t line)
{
	for (size_t i = m->count; i-- > 0;)
		if (m->list[i].line == line)
			return &m->list[i];
	return NULL;
}

/* ---- accesses ---- */

/* An access to one line in cycle `at`, in which MSHRs are free; returns when it is done. */
static uint64_t access_line(struct retimer *r, enum hierarchy_operation operation, uint64_t pc,
			    uint64_t address, uint64_t at)
{
	const uint64_t line = hierarchy_line_of(r->memory, SIDE_DATA, address);
	struct access_result result;

	if (operation == ACCESS_STORE)
		hierarchy_store(r->memory, pc, address, at, &result);
	else
		hierarchy_load(r->memory, pc, address, at, &result);
	if (result.tag_level == LEVEL_L1 && !result.pending)
		return result.done_at;
	struct retimer_miss *miss = find_miss(&r->misses[0], line);

	if (result.tag_level == LEVEL_L1 && miss && result.done_at <= miss->end &&
	    miss->start > at) {
		miss->end = at + (miss->end - miss->start);
		miss->start = at;
		return miss->end;
	}
	for (unsigned i = 0; i < r->config.cache_levels && i < result.tag_level; i++)
		add_miss(r, &r->misses[i], (struct retimer_miss){line, at, result.done_at});
	return result.done_at;
}

/* When the access can begin in all lines that it touches, and then when it is done. */
static uint64_t access_lines(struct retimer *r, enum hierarchy_operation operation,
			     const struct retimer_store *what, uint64_t *at)
{
	const uint64_t last = what->address + what->bytes - 1;
	uint64_t done;

	*at = wait_for_mshrs(r, what->address, *at);
	done = access_line(r, operation, what->pc, what->address, *at);
	if (!hierarchy_same_line(r->memory, SIDE_DATA, what->address, last)) {
		*at = wait_for_mshrs(r, last, *at);
		done = retimer_later(done, access_line(r, operation, what->pc, last, *at));
	}
	return done;
}

/* ---- stores ---- */

static void write_next(struct retimer *r)
{
	struct retimer_store *s = retimer_store(r, r->stores_begun);
	const uint64_t before = r->stores_begun ? retimer_store(r, r->stores_begun - 1)->freed : 0;
	uint64_t at = retimer_later(s->committed + 1, r->last_write);

	s->written = access_lines(r, ACCESS_STORE, s, &at);
	s->freed = retimer_later(before, s->written);
	r->last_write = at;
	r->stores_begun++;
}

/* Writes the stores whose time has come by then. */
static void write_until(struct retimer *r, uint64_t at)
{
	while (r->stores_begun < r->store_number &&
	       retimer_later(retimer_store(r, r->stores_begun)->committed + 1, r->last_write) <= at)
		write_next(r);
}

static void write_up_to(struct retimer *r, uint64_t number)
{
	while (r->stores_begun <= number)
		write_next(r);
}

uint64_t retimer_store_room(struct retimer *r)
{
	if (r->store_number < r->buffer_size)
		return 0;
	const uint64_t number = r->store_number - r->buffer_size;

	write_up_to(r, number);
	return retimer_store(r, number)->freed;
}

/* Since when the last store of the load's or store's set has an address. */
static uint64_t set_known(struct retimer *r, uint32_t set)
{
	const uint64_t number = set ? r->sets.last_store[set] : 0;

	return number && r->store_number - (number - 1) <= RETIMER_KEPT
		       ? retimer_store(r, number - 1)->known
		       : 0;
}

struct retimer_access retimer_issue_store(struct retimer *r, const struct trace_step *step,
					  uint64_t dispatched, uint64_t ready, uint64_t data)
{
	struct retimer_access access = {0};

	if (r->has_sets) {
		const uint32_t set = store_sets_find(&r->sets, step->op->pc, dispatched);

		ready = retimer_later(ready, set_known(r, set));
		if (set)
			store_sets_enter(&r->sets, set, r->store_number + 1);
	}
	access.issued = retimer_take_unit(r, step->op->unit, ready);
	access.complete = retimer_later(access.issued + 1, data);
	return access;
}

/* The last store to the granule of an address, or to one that shares its place. */
static uint64_t *granule(struct retimer *r, uint64_t address)
{
	return &r->granules[(address >> GRANULE_BITS) % RETIMER_GRANULES];
}

void retimer_put_store(struct retimer *r, const struct trace_step *step,
		       const struct retimer_access *access, uint64_t committed)
{
	uint64_t *const first = granule(r, step->address);
	uint64_t *const last = granule(r, step->address + step->op->access_bytes - 1);

	if (r->store_number - r->stores_begun == RETIMER_KEPT)
		write_next(r);
	*retimer_store(r, r->store_number++) = (struct retimer_store){
		.address = step->address,
		.pc = step->op->pc,
		.sequence = r->number,
		.known = access->issued + 1,
		.complete = access->complete,
		.committed = committed,
		.before = {*first, *last},
		.bytes = step->op->access_bytes,
	};
	*first = *last = r->store_number;
	if (step->op->unit != UNIT_AMO)
		r->stores_known = retimer_later(r->stores_known, access->issued + 1);
}

/* ---- loads ---- */

static bool overlaps(const struct retimer_store *s, const struct retimer_store *load)
{
	return s->address < load->address + load->bytes && load->address < s->address + s->bytes;
}

/* The youngest store to the granule of `end` that overlaps the load and may not be written by `at`:
 * its number plus 1; 0: there is none. */
static uint64_t find_store_to(struct retimer *r, const struct retimer_store *load, uint64_t end,
			      uint64_t at)
{
	const uint64_t *const place = granule(r, end);
	uint64_t number = *place;

	while (number && r->store_number - number < RETIMER_KEPT - 1) {
		const struct retimer_store *s = retimer_store(r, number - 1);

		if (overlaps(s, load))
			return number;
		if (number <= r->stores_begun && s->freed <= at)
			return 0;
		number = s->before[granule(r, s->address) != place];
	}
	return 0;
}

/* The same of all granules of the load. */
static uint64_t find_store(struct retimer *r, const struct retimer_store *load, uint64_t at)
{
	const uint64_t first = find_store_to(r, load, load->address, at);

	if (granule(r, load->address) == granule(r, load->address + load->bytes - 1))
		return first;
	return retimer_later(first, find_store_to(r, load, load->address + load->bytes - 1, at));
}

static bool covers(const struct retimer_store *s, const struct retimer_store *load)
{
	return s->address <= load->address && load->address + load->bytes <= s->address + s->bytes;
}

/* Whether the store has been written by then. */
static bool is_written(struct retimer *r, uint64_t number, uint64_t at)
{
	write_until(r, at);
	return number < r->stores_begun && retimer_store(r, number)->written <= at;
}

static struct retimer_access read_cache(struct retimer *r, const struct trace_step *step,
					const struct retimer_store *load, uint64_t ready)
{
	struct retimer_access access = {0};

	write_until(r, ready);
	uint64_t at = retimer_take_unit(r, step->op->unit, wait_for_mshrs(r, load->address, ready));
	access.complete = access_lines(r, ACCESS_LOAD, load, &at);
	access.issued = at;
	return access;
}

/* The load reads from a store that is not written yet. */
static struct retimer_access read_store(struct retimer *r, const struct trace_step *step,
					const struct retimer_store *load, uint64_t number,
					uint64_t ready)
{
	const struct retimer_store *s = retimer_store(r, number);

	if (!covers(s, load)) {
		write_up_to(r, number);
		return read_cache(r, step, load, retimer_later(ready, s->written));
	}
	const uint64_t at = retimer_take_unit(r, step->op->unit, retimer_later(ready, s->complete));

	r->events.forwarded++;
	return (struct retimer_access){.issued = at, .complete = at + r->config.l1d_latency};
}

/* The load starts before the store that it should read has an address. */
static struct retimer_access replay(struct retimer *r, const struct trace_step *step,
				    const struct retimer_store *store)
{
	store_sets_join(&r->sets, step->op->pc, store->pc, store->known);
	r->events.replays++;
	return (struct retimer_access){.replay = store->known};
}

struct retimer_access retimer_load(struct retimer *r, const struct trace_step *step,
				   uint64_t dispatched, uint64_t ready)
{
	const struct retimer_store load = {
		.address = step->address, .pc = step->op->pc, .bytes = step->op->access_bytes};
	uint64_t number;

	if (r->rule.is_conservative)
		ready = retimer_later(ready, r->stores_known);
	if (r->has_sets)
		ready = retimer_later(ready,
				      set_known(r, store_sets_find(&r->sets, load.pc, dispatched)));
	number = find_store(r, &load, ready);
	if (!number || is_written(r, number - 1, ready))
		return read_cache(r, step, &load, ready);
	const struct retimer_store *s = retimer_store(r, number - 1);

	if (r->has_sets && r->rule.has_replay && ready < s->known)
		return replay(r, step, s);
	return read_store(r, step, &load, number - 1, ready);
}
