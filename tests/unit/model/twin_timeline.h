/*
 * twin_timeline.h - the timeline of timeline.h, slow and obvious: dependences are looked for from
 * nothing, and every rule looks at everything that came before.
 */
#ifndef TWIN_TIMELINE_H
#define TWIN_TIMELINE_H

#include <stdlib.h>

#include "base/array.h"
#include "model/technique.h"
#include "twin_window.h"

struct twin_step {
	bool is_miss, is_store_miss;
	long start;  /* of chains through it: itself, or the store whose block it hits */
	long parent; /* where the latest chain begins that it depends on; -1: none */
	long value;  /* the same of its result */
	long address;
	double left, issued;
};

static inline long twin_later(long a, long b)
{
	return a > b ? a : b;
}

/* A chain that begins so far back is in no window. */
static inline long twin_in_reach(const struct twin_trace *t, size_t i, long start)
{
	return twin_near(t, i, start) ? start : -1;
}

static inline long twin_register(const struct twin_trace *t, const struct twin_step *all, size_t i,
				 uint8_t source)
{
	for (long k = (long)i - 1; k >= 0 && source; k--) {
		const uint8_t *d = t->steps[k].op->destinations;

		if (d[0] == source || d[1] == source)
			return twin_in_reach(t, i, all[k].value);
	}
	return -1;
}

/* The access before i that last fetched its block; -1 if there is none in reach. */
static inline long twin_fetcher(const struct twin_trace *t, const struct twin_step *all, size_t i)
{
	for (long k = (long)i - 1; k >= 0; k--)
		if (t->steps[k].op->access_bytes && t->labels[k].block == t->labels[i].block &&
		    (all[k].is_miss || all[k].is_store_miss))
			return twin_in_reach(t, i, k);
	return -1;
}

static inline void twin_depend(const struct twin_trace *t, const struct technique *technique,
			       uint32_t forward_most, struct twin_step *all, size_t i)
{
	const struct trace_op *op = t->steps[i].op;
	struct twin_step *s = &all[i];
	long depends = -1;
	bool is_forwarded = true;

	s->address = -1;
	for (unsigned k = 0; k < TRACE_SOURCES; k++) {
		depends = twin_later(depends, twin_register(t, all, i, op->sources[k]));
		if (k < op->address_sources)
			s->address = depends;
	}
	for (long k = 0; op->is_load && technique->store_addresses && k <= (long)i; k++)
		if (t->steps[k].op->is_store)
			depends = twin_later(depends, twin_in_reach(t, i, all[k].address));
	long fetcher = twin_fetcher(t, all, i);
	for (unsigned b = 0; op->is_load && b < op->access_bytes; b++) {
		long store = twin_store_of(t, i, t->steps[i].address + b);

		if (twin_near(t, i, store))
			depends = twin_later(depends, twin_in_reach(t, i, all[store].value));
		is_forwarded &=
			store >= fetcher && store >= 0 && (long)i - store < (long)forward_most;
	}
	s->is_store_miss = !op->is_load && op->is_store && t->labels[i].data == DATA_LONG_MISS;
	s->is_miss = op->is_load && t->labels[i].data == DATA_LONG_MISS;
	s->start = (long)i;
	s->parent = s->value = depends;
	bool waits = op->is_load && !s->is_miss && technique->pending_hits && fetcher >= 0 &&
		     !is_forwarded;
	if (waits && all[fetcher].is_store_miss && technique->store_fills_miss) {
		s->is_miss = true;
		s->start = fetcher;
	} else if (waits) {
		s->value = twin_later(depends, twin_in_reach(t, i, all[fetcher].value));
	}
	if (s->is_miss)
		s->value = twin_later(s->start, depends);
}

static inline double twin_max(double a, double b)
{
	return a > b ? a : b;
}

/* Takes the MSHR that became free last before `from`, or the next one that does. */
static inline double twin_mshr(double *mshrs, uint32_t count, double from, double held)
{
	double *best = NULL;

	for (uint32_t i = 0; i < count; i++)
		if (mshrs[i] <= from && (!best || mshrs[i] > *best))
			best = &mshrs[i];
	for (uint32_t i = 0; !best && i < count; i++) {
		bool is_first = true;

		for (uint32_t k = 0; k < count; k++)
			is_first &= mshrs[i] <= mshrs[k];
		if (is_first)
			best = &mshrs[i];
	}
	if (!best)
		return from;
	from = twin_max(from, *best);
	*best = from + held;
	return from;
}

static inline double twin_timeline(const struct technique *technique,
				   const struct design_point *point, const struct twin_trace *t)
{
	struct twin_step *all = mem_alloc_array(t->count + 1, sizeof(*all));
	uint32_t limit =
		technique->mshr_aware && point->mshrs != MSHRS_UNLIMITED ? point->mshrs : 0;
	double *mshrs = mem_alloc_array(limit + (size_t)1, sizeof(*mshrs));
	double step = 1.0 / point->width, end = (double)t->labels[t->count - 1].base_left;
	double rate = end / (double)t->count;
	double held = point->memory_latency_cycles + point->hit_latency_cycles;
	double base = (double)t->labels[0].base_left, entered = 0, worked = base, left = base;
	size_t at = 0, served = 0, last_miss = 0;

	for (size_t i = 0; i < t->count; i++) {
		twin_depend(t, technique, point->rob_size, all, i);
		if (all[i].is_miss)
			last_miss = i;
	}
	for (size_t i = 0; i < t->count; i++) {
		struct twin_step *s = &all[i];
		bool is_end = i + 1 == t->count;

		for (int round = 0; round < 2; round++) {
			/* The last instruction is looked at once more, as the end of the trace. */
			if (round == 0 ? !s->is_miss && !(s->is_store_miss && i < last_miss)
				       : !is_end)
				continue;
			double now = technique->base_times || round ? (double)t->labels[i].base_left
								    : (double)i * rate;
			double issue = technique->base_times ? (double)t->labels[i].base_issued
							     : (double)i * rate;
			double steps = (double)(i - at),
			       each = steps > 0 ? (now - base) / steps : 0;

			entered += twin_max(steps * step, now - base);
			worked += now - base;
			for (size_t k = 0; k < i; k++) {
				double rest = (double)i - (double)k - point->rob_size;

				if (!all[k].is_miss || k + point->rob_size > i ||
				    k + point->rob_size <= at)
					continue;
				entered = twin_max(entered,
						   all[k].left + rest * twin_max(step, each));
				worked = twin_max(worked, all[k].left + rest * each);
			}
			entered = twin_max(entered, worked - point->rob_size * rate);
			left = twin_max(left + steps * step, worked);
			at = i;
			base = now;
			if (round == 0 && s->is_miss) {
				double issued = entered + 1;

				if (technique->base_times)
					issued = twin_max(issued, worked - (now - issue));
				for (size_t k = 0; k < i; k++) {
					double parent_issue =
						technique->base_times
							? (double)t->labels[k].base_issued
							: (double)k * rate;

					if (s->parent >= 0 && all[k].is_miss &&
					    all[k].start == s->parent)
						issued = twin_max(
							issued,
							all[k].issued + issue - parent_issue +
								point->memory_latency_cycles);
				}
				if (s->start == (long)i) {
					for (; technique->store_mshrs && served < i; served++) {
						if (!all[served].is_store_miss)
							continue;
						if (all[served].left > issued)
							break;
						twin_mshr(mshrs, limit, all[served].left, held);
					}
					issued = twin_mshr(mshrs, limit, issued, held);
				} else if (all[s->start].left < issued) {
					issued = all[s->start].left;
				}
				left = twin_max(left, issued + held);
				s->issued = issued;
			}
			s->left = left;
		}
	}
	free(mshrs);
	free(all);
	return left - end;
}

#endif
