#include "model/timeline.h"

#include <stdlib.h>

#include "base/array.h"

/* A miss in flight or in the window, or the last one. */
struct entry {
	uint64_t sequence;
	uint64_t
		start; /* where chains through it begin: itself, or the store whose block it hits */
	double left;   /* the time at which it leaves the window */
	double issued; /* the same of its access to memory */
	double base_issued;
};

#define RING SKELETON_WINDOW_MOST /* misses that can be in the window of a miss */

struct store_entry {
	uint64_t sequence;
	double left;
};

struct timeline {
	const struct technique *technique;
	const struct design_point *point;
	const struct skeleton *skeleton;
	struct entry ring[RING];
	struct store_entry stores[RING];
	uint64_t store_count;	/* store misses entered so far */
	uint64_t stores_served; /* of these, those that have taken an MSHR */
	uint64_t count;		/* misses entered in the ring so far */
	uint64_t behind;   /* the first of them that has not been passed by rob_size instructions */
	double step;	   /* cycles per instruction at the machine's width */
	double rate;	   /* cycles per instruction of the base machine */
	uint64_t sequence; /* the last instruction looked at */
	double base;	   /* its time on the base machine */
	double entered, worked, left;
	double held;   /* cycles from an access to its data */
	double *mshrs; /* until when each is taken */
	uint32_t mshr_count;
};

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* Takes an MSHR from `from` on: the one that became free last before that, so that accesses which
 * are looked at later and begin earlier find the others; if none is free, the next one that will
 * be. Returns when the access can begin. */
static double take_mshr(struct timeline *t, double from)
{
	uint32_t best = 0;

	if (!t->mshr_count)
		return from;
	for (uint32_t i = 1; i < t->mshr_count; i++) {
		double a = t->mshrs[best], b = t->mshrs[i];

		if (a <= from ? b <= from && b > a : b < a)
			best = i;
	}
	from = later(from, t->mshrs[best]);
	t->mshrs[best] = from + t->held;
	return from;
}

/* Moves on to an instruction: when it enters, and when the base machine's work up to it is done. */
static void advance(struct timeline *t, uint64_t sequence, double base)
{
	const double width_steps = (double)(sequence - t->sequence) * t->step;
	const double base_steps = base - t->base;
	const double per_instruction =
		sequence > t->sequence ? base_steps / (double)(sequence - t->sequence) : 0;
	/* The front end delivers no faster than on the base machine, because lines and taken
	 * branches are the same. */
	double entered = t->entered + later(width_steps, base_steps),
	       worked = t->worked + base_steps;

	/* Misses that left the window up to here let the instruction rob_size after them enter. */
	while (t->behind < t->count &&
	       t->ring[t->behind % RING].sequence + t->point->rob_size <= sequence) {
		const struct entry *e = &t->ring[t->behind % RING];
		double rest = (double)(sequence - e->sequence - t->point->rob_size);

		entered = later(entered, e->left + rest * later(t->step, per_instruction));
		worked = later(worked, e->left + rest * per_instruction);
		t->behind++;
	}
	/* Without misses the window is full when execution is rob_size instructions behind. */
	t->entered = later(entered, worked - t->point->rob_size * t->rate);
	t->worked = worked;
	t->left = later(t->left + width_steps, worked);
	t->sequence = sequence;
	t->base = base;
}

/* The miss of the ring that a chain with this start begins with; NULL if it is not in the ring. */
static const struct entry *find_miss(const struct timeline *t, uint64_t start)
{
	for (uint64_t i = t->count; i-- > 0 && t->count - i <= RING;) {
		const struct entry *e = &t->ring[i % RING];

		if (e->start == start)
			return e;
		if (e->sequence <= start)
			return NULL;
	}
	return NULL;
}

/* When the store at that sequence number has left; false if it is no miss that is remembered. */
static bool find_store(const struct timeline *t, uint64_t sequence, double *left)
{
	for (uint64_t i = t->store_count; i-- > 0 && t->store_count - i <= RING;) {
		const struct store_entry *e = &t->stores[i % RING];

		*left = e->left;
		if (e->sequence <= sequence)
			return e->sequence == sequence;
	}
	return false;
}

static double base_time(const struct timeline *t, uint64_t sequence, uint64_t measured)
{
	return t->technique->base_times ? (double)measured : (double)sequence * t->rate;
}

/* When the load can access memory. */
static double find_issue(const struct timeline *t, const struct skeleton_miss *miss,
			 double base_issued)
{
	const struct entry *parent =
		miss->parent_distance ? find_miss(t, miss->sequence - miss->parent_distance) : NULL;
	/* A cycle passes between entering the window and issue. */
	double issued = t->entered + 1;

	/* A load on the base machine's critical path issues when the work has come to it: as long
	 * before it leaves as on that machine. */
	if (t->technique->base_times)
		issued = later(issued, t->worked - (t->base - base_issued));
	if (parent)
		issued = later(issued, parent->issued + t->point->memory_latency_cycles +
					       base_issued - parent->base_issued);
	return issued;
}

/* Stores that have left by then have taken their MSHRs. */
static void serve_stores(struct timeline *t, double until)
{
	if (!t->technique->store_mshrs)
		return;
	if (t->store_count - t->stores_served > RING)
		t->stores_served = t->store_count - RING;
	while (t->stores_served < t->store_count &&
	       t->stores[t->stores_served % RING].left <= until)
		take_mshr(t, t->stores[t->stores_served++ % RING].left);
}

static void add_load(struct timeline *t, const struct skeleton_miss *miss)
{
	const uint16_t *distances = t->skeleton->distances + miss->first;
	double base_issued = base_time(t, miss->sequence, miss->base_issued), store_left;

	advance(t, miss->sequence, base_time(t, miss->sequence, miss->base_left));
	double issued = find_issue(t, miss, base_issued);
	/* The block of a store is asked for when the store leaves, or by the load before that. */
	if (!distances[0]) {
		serve_stores(t, issued);
		issued = take_mshr(t, issued);
	} else if (!find_store(t, miss->sequence - distances[0], &store_left)) {
		return;
	} else if (store_left < issued) {
		issued = store_left;
	}
	t->left = later(t->left, issued + t->held);
	t->ring[t->count++ % RING] = (struct entry){miss->sequence, miss->sequence - distances[0],
						    t->left, issued, base_issued};
}

static void add_store(struct timeline *t, const struct skeleton_store *store)
{
	advance(t, store->sequence, base_time(t, store->sequence, store->base_left));
	t->stores[t->store_count++ % RING] = (struct store_entry){store->sequence, t->left};
}

static void charge(const struct technique_observer *observer, size_t miss, double lost,
		   double *charged)
{
	observer->miss(observer->context, miss, lost - *charged);
	*charged = lost;
}

double timeline_cycles(const struct technique *technique, const struct design_point *point,
		       const struct skeleton *s, const struct technique_observer *observer)
{
	const bool is_observed = observer && observer->miss;
	struct timeline *t = mem_alloc(sizeof(*t));
	bool is_limited = technique->mshr_aware && point->mshrs != MSHRS_UNLIMITED;
	size_t store = 0;
	double cycles = 0, charged = 0;

	t->technique = technique;
	t->point = point;
	t->skeleton = s;
	t->step = 1.0 / point->width;
	t->held = point->memory_latency_cycles + point->hit_latency_cycles;
	t->rate = s->instructions ? (double)s->base_cycles / (double)s->instructions : 0;
	t->base = t->worked = t->left = (double)s->base_start;
	t->mshr_count = is_limited ? point->mshrs : 0;
	t->mshrs = mem_alloc_array(t->mshr_count + (size_t)1, sizeof(*t->mshrs));
	for (size_t i = 0; i < s->count; i++) {
		for (; store < s->store_count && s->stores[store].sequence < s->misses[i].sequence;
		     store++)
			add_store(t, &s->stores[store]);
		/* What follows the last miss is charged to it, so that all adds up. */
		if (is_observed && i)
			charge(observer, i - 1, t->left - t->base, &charged);
		add_load(t, &s->misses[i]);
	}
	if (s->instructions) {
		advance(t, s->instructions - 1, (double)s->base_cycles);
		cycles = t->left - (double)s->base_cycles;
	}
	if (is_observed && s->count)
		charge(observer, s->count - 1, cycles, &charged);
	free(t->mshrs);
	free(t);
	return cycles;
}
