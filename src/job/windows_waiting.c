#include "job/windows_state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/array.h"

/* Up to this part of the slots charged to what two machines differ by, they may be alike. */
#define DULL_SLOTS 0.005
/* Of so many strata, one keeps its window if the run goes on. */
#define STRATA_A_WINDOW 3
/* Windows that follow in any case, whatever the budget. */
#define LATE_WINDOWS 3

/* A copy ends at once, whatever it does, and what it has measured does not count. */
void windows_drop(struct copy *copy)
{
	const pid_t pid = copy->pid;

	if (pid) {
		__atomic_store_n(&copy->order->is_dropped, true, __ATOMIC_RELAXED);
		if (copy->waits)
			sem_post(&copy->order->go);
		while (wait4(pid, NULL, 0, NULL) < 0 && errno == EINTR)
			;
	}
	copy->pid = 0;
	copy->waits = false;
}

/* Of all machines, as bits, those to simulate. */
uint64_t windows_choose_machines(const struct windows *w, struct readings *to,
				 struct leaving_out without)
{
	uint64_t chosen = 0;

	for (size_t i = w->plan.count; i-- > 0;) {
		const struct windows_like *like = &w->plan.like[i];
		const uint64_t bit = UINT64_C(1) << i;
		const bool is_dull =
			without.dull & bit && part_of_slots(to, like->causes) <= DULL_SLOTS;
		const bool is_known =
			like->machine == WINDOWS_RUN || !(to->passed_over >> like->machine & 1);

		if (without.parts & bit)
			to->passed_over |= bit;
		else if (is_known && (is_dull || !(to->differs & bit)))
			to->spared |= to->differs & bit;
		else
			chosen |= bit;
	}
	return chosen;
}

/* What a copy would have measured had it been told before what to leave out. */
static void leave_out_later(const struct windows *w, struct copy *copy)
{
	struct readings *to = copy->shared;

	to->spared = to->passed_over = 0;
	to->simulated = windows_choose_machines(w, to, copy->order->without);
	for (size_t i = 0; i < w->plan.count; i++)
		if (to->passed_over >> i & 1)
			to->measured[i + 1] = (struct measured){0};
}

/* All copies that wait simulate, in the order in which they were made, as many at once as may. What
 * they leave out does not depend on what others have said, and so not on how many those are.
 * Otherwise than `for_good` they go on waiting, with what they have measured: nobody knows yet what
 * they are to leave out. */
void windows_release_all(struct windows *w, uint64_t parts_every, bool for_good)
{
	unsigned at_work = 0, oldest = w->plan.copies, waiting = 0;

	for (unsigned i = 0; i < w->plan.copies; i++)
		windows_take(w, &w->copies[i], 0);
	for (unsigned i = w->plan.copies; i < windows_copy_count(w); i++)
		waiting += w->copies[i].waits && w->copies[i].pid;
	for (unsigned i = w->plan.copies; i < windows_copy_count(w); i++) {
		struct copy *copy = &w->copies[i];

		if (!copy->waits)
			continue;
		for (size_t k = 0; parts_every && k < w->plan.count; k++)
			if (w->plan.like[k].is_part && copy->stratum % parts_every)
				copy->order->without.parts |= UINT64_C(1) << k;
		copy->waits = !for_good;
		if (!copy->pid) {
			if (for_good) {
				leave_out_later(w, copy);
				windows_add_readings(w, copy);
			}
			continue;
		}
		for (; at_work == w->plan.copies; oldest++) {
			at_work -= w->copies[oldest].pid != 0;
			windows_take(w, &w->copies[oldest], 0);
		}
		copy->order->machines = w->machines;
		copy->order->lanes = waiting < w->plan.copies ? w->plan.copies / waiting : 1;
		at_work++;
		sem_post(&copy->order->go);
	}
	for (unsigned i = w->plan.copies; !for_good && i < windows_copy_count(w); i++)
		windows_take(w, &w->copies[i], 0);
}

void windows_drop_all(struct windows *w)
{
	for (unsigned i = 0; i < windows_copy_count(w); i++)
		windows_drop(&w->copies[i]);
}

/* Keeps the window of one stratum, drawn by their lengths, of the strata [first, end), which become
 * one. */
static void keep_one(struct windows *w, size_t first, size_t end, size_t place)
{
	const struct reading begin = w->list[first].begin, last = w->list[end - 1].end;
	const uint64_t drawn = rng_below(&w->rng, windows_extent(w, since(begin, last)));
	size_t kept = first;

	while (kept + 1 < end && windows_extent(w, since(begin, w->list[kept].end)) <= drawn)
		kept++;
	for (unsigned i = w->plan.copies; i < windows_copy_count(w); i++) {
		struct copy *copy = &w->copies[i];

		if (!copy->waits || copy->stratum < first || copy->stratum >= end)
			continue;
		if (copy->stratum == kept) {
			copy->stratum = place;
			continue;
		}
		windows_drop(copy);
		w->spent -= windows_cost_of_one(w);
	}
	struct readings *readings = w->list[kept].readings;
	for (size_t i = first; i < end; i++)
		if (i != kept)
			free(w->list[i].readings);
	w->list[place] = (struct stratum){begin, last, readings};
}

/* The run is not a short one: of its first windows few are simulated. */
void windows_thin_out(struct windows *w)
{
	size_t count = 0;

	w->is_thin = true;
	windows_take_all(w, 0);
	for (size_t i = 0; i < w->count; i += STRATA_A_WINDOW) {
		const size_t end = i + STRATA_A_WINDOW;

		keep_one(w, i, end < w->count ? end : w->count, count++);
	}
	w->count = count;
	w->allowance = fmin(w->allowance, w->spent + LATE_WINDOWS * windows_cost_of_one(w));
	windows_release_all(w, PARTS_EVERY, true);
}

/* Of each two neighbours one keeps its window, and what follows is divided as coarsely. */
void windows_halve(struct windows *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->count; i += 2) {
		const size_t end = i + 2;

		keep_one(w, i, end < w->count ? end : w->count, count++);
	}
	w->count = count;
	w->kept_length =
		w->is_by_cycles ? 2 * w->kept_length : w->list[count - 1].end.cycles / count;
	w->is_by_cycles = true;
}
