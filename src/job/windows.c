#include "job/windows.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "count/slots.h"
#include "isa/code.h"
#include "job/jail.h"
#include "job/windows_state.h"

/* In instructions: what is not counted if a system call has just emptied the core. */
#define WINDOW_RESUMES 200
#define WINDOW_TRIES   16 /* windows of a stratum, if something cuts them short */
/* Making copies costs something, however soon they end: at least this part of a whole window. */
#define WINDOW_COST_LEAST 0.25
/* A machine tells little in a window if it takes as long as another one but for this part of the
 * cycles, and may again if few of the slots are charged to their difference. Then it is left out of
 * so many windows. */
#define DULL_CHANGE  0.002
#define DULL_WINDOWS 3
#define WAITING_MOST 16 /* early windows that wait */

static size_t readings_bytes(const struct windows *w)
{
	const size_t bytes = sizeof(struct readings) +
			     (w->plan.count + 1) * sizeof(struct measured) +
			     (w->plan.counts_at ? w->plan.count * sizeof(uint64_t) : 0);

	return (bytes + 63) / 64 * 64;
}

/* Those at work, and then those that may wait. */
unsigned windows_copy_count(const struct windows *w)
{
	return w->plan.copies + (w->plan.schedule.spares ? WAITING_MOST : 0) +
	       w->plan.schedule.keeps;
}

static size_t shared_bytes(const struct windows *w)
{
	return windows_copy_count(w) * (readings_bytes(w) + sizeof(struct order));
}

struct windows *windows_create(const struct windows_plan *plan, struct err *err)
{
	struct windows *w = mem_alloc(sizeof(*w));

	BUG_ON(plan->schedule.keeps % 2 || (plan->schedule.keeps && plan->like) ||
	       (plan->counts_at && !plan->counts_slots));
	BUG_ON(plan->like ? plan->count > MACHINES_MOST ||
				    (plan->schedule.spares && !plan->counts_slots)
			  : plan->schedule.spares);
	w->plan = *plan;
	w->rng.state = 1;
	w->allowance = plan->schedule.allowance;
	w->machines = plan->count;
	w->kept_length = plan->schedule.length;
	w->copies = mem_alloc_array(windows_copy_count(w), sizeof(*w->copies));
	w->shared = mmap(NULL, shared_bytes(w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	if (w->shared == MAP_FAILED) {
		err_set_errno(err, errno, "cannot get memory for windows on other machines");
		free(w->copies);
		free(w);
		return NULL;
	}
	struct order *orders =
		(struct order *)(w->shared + windows_copy_count(w) * readings_bytes(w));
	for (unsigned i = 0; i < windows_copy_count(w); i++) {
		w->copies[i].shared = (struct readings *)(w->shared + i * readings_bytes(w));
		w->copies[i].order = &orders[i];
		sem_init(&orders[i].go, 1, 0);
	}
	return w;
}

static void add(struct reading *sum, const struct reading *more)
{
	sum->instructions += more->instructions;
	sum->cycles += more->cycles;
}

int windows_failure_of(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? ECHILD : ECANCELED;
}

void windows_add_readings(struct windows *w, const struct copy *copy)
{
	struct readings *sum = w->list[copy->stratum].readings;

	sum->simulated |= copy->shared->simulated;
	sum->spared |= copy->shared->spared;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum->slots[i] += copy->shared->slots[i];
	for (size_t i = 0; i <= w->plan.count; i++) {
		add(&sum->measured[i].all, &copy->shared->measured[i].all);
		add(&sum->measured[i].half, &copy->shared->measured[i].half);
		sum->measured[i].waiting += copy->shared->measured[i].waiting;
		sum->measured[i].written += copy->shared->measured[i].written;
	}
	for (size_t i = 0; w->plan.counts_at && i < w->plan.count; i++)
		slots_at(sum, w->plan.count)[i] += slots_at(copy->shared, w->plan.count)[i];
}

void windows_take(struct windows *w, struct copy *copy, int options)
{
	int status;
	pid_t pid;

	if (!copy->pid)
		return;
	do
		pid = wait4(copy->pid, &status, options, NULL);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return;
	copy->pid = 0;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		w->error = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status)
							: windows_failure_of(status);
		if (w->error == ECHILD && w->plan.is_worker)
			raise(SIGKILL);
		return;
	}
	if (!copy->waits)
		windows_add_readings(w, copy);
}

void windows_take_all(struct windows *w, int options)
{
	for (unsigned i = 0; i < windows_copy_count(w); i++)
		if (!w->copies[i].waits)
			windows_take(w, &w->copies[i], options);
}

/* Adds up what copies that wait have measured, too, until the run goes on. */
static void read_waiting(struct windows *w)
{
	w->unread = mem_alloc_array(w->count, sizeof(*w->unread));
	w->unread_count = w->count;
	for (size_t i = 0; i < w->count; i++) {
		w->unread[i] = w->list[i].readings;
		w->list[i].readings = mem_alloc(readings_bytes(w));
		memcpy(w->list[i].readings, w->unread[i], readings_bytes(w));
	}
	for (unsigned i = w->plan.copies; i < windows_copy_count(w); i++)
		if (w->copies[i].waits)
			windows_add_readings(w, &w->copies[i]);
}

/* What windows do later does not depend on what has been read before. */
static void read_on(struct windows *w)
{
	for (size_t i = 0; i < w->unread_count; i++) {
		free(w->list[i].readings);
		w->list[i].readings = w->unread[i];
	}
	free(w->unread);
	w->unread = NULL;
	w->unread_count = 0;
}

bool windows_finish(struct windows *w, bool is_stopped, struct err *err)
{
	if (is_stopped) {
		windows_take_all(w, WNOHANG);
		windows_drop_all(w);
	} else {
		read_on(w);
		windows_release_all(w, 0, false);
		read_waiting(w);
	}
	if (w->count)
		w->list[w->count - 1].end = now(w->plan.simulation);
	if (!w->error)
		return true;
	if (w->error == ECANCELED)
		return err_tool(err, "internal error: a copy of the worker, in which another "
				     "machine is simulated, did not work to its end; please "
				     "report this");
	return w->error == ECHILD
		       ? err_set(err, "a copy of this process, in which another machine is "
				      "simulated, was killed from outside (SIGKILL)")
		       : err_set_errno(
				 err, w->error,
				 "cannot make a copy of the worker, in which another machine "
				 "is simulated; without --what-if and --causal, --gain-budget "
				 "none makes none");
}

void windows_destroy(struct windows *w)
{
	if (!w)
		return;
	windows_drop_all(w);
	read_on(w);
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i].readings);
	munmap(w->shared, shared_bytes(w));
	free(w->copies);
	free(w->list);
	free(w);
}

double windows_cost_of_one(const struct windows *w)
{
	return (double)(w->plan.schedule.settles + w->plan.schedule.length) *
	       (double)(w->plan.count + 1);
}

void windows_set_machines(struct windows *w, size_t count)
{
	BUG_ON(!w->plan.schedule.keeps || count > w->plan.count);
	w->machines = count;
}

/* Whether a machine took as long as the one it may be like, but for a little. */
static bool is_alike(const struct windows *w, const struct readings *r, size_t machine)
{
	const double own = cost_of(&r->measured[machine + 1].all);
	const double other = cost_of(&r->measured[place_of(w->plan.like[machine].machine)].all);

	return fabs(own - other) <= DULL_CHANGE * cost_of(&r->measured[0].all);
}

/* Whether a machine has told little in the last two windows that it simulated, and has not been
 * left out of too many since. */
static bool is_dull(const struct windows *w, size_t machine)
{
	unsigned left_out = 0, alike = 0;

	for (size_t i = w->count; i-- > 0 && alike < 2;) {
		const struct readings *r = w->list[i].readings;

		if (r->simulated >> machine & 1) {
			if (!is_alike(w, r, machine))
				return false;
			alike++;
		} else if (r->spared >> machine & 1 && ++left_out == DULL_WINDOWS) {
			return false;
		}
	}
	return alike == 2;
}

/* Waits for what the windows before have said. */
static struct leaving_out leave_out(struct windows *w, uint64_t at)
{
	const bool is_late = at >= w->plan.schedule.early;
	struct leaving_out without = {0};

	if (!w->plan.schedule.spares)
		return without;
	windows_take_all(w, 0);
	for (size_t i = 0; i < w->plan.count; i++) {
		without.dull |= (uint64_t)is_dull(w, i) << i;
		if (is_late && w->plan.like[i].is_part && w->count % PARTS_EVERY)
			without.parts |= UINT64_C(1) << i;
	}
	return without;
}

/* For the next window: one that waits, if all do, or if that is early and there is room; or one to
 * be at work. */
static struct copy *choose_copy(struct windows *w, uint64_t at)
{
	if (w->plan.schedule.keeps ||
	    (w->plan.schedule.spares && !w->is_thin && at < w->plan.schedule.early))
		for (unsigned i = w->plan.copies; i < windows_copy_count(w); i++)
			if (!w->copies[i].waits) {
				w->copies[i].waits = true;
				return &w->copies[i];
			}
	struct copy *copy = &w->copies[w->next_copy];

	windows_take(w, copy, 0);
	w->next_copy = (w->next_copy + 1) % w->plan.copies;
	return copy;
}

static void open_window(struct windows *w, uint64_t settles, uint64_t length)
{
	const pid_t parent = getpid();
	const uint64_t at = now(w->plan.simulation).instructions;
	struct copy *copy = choose_copy(w, at);

	copy->order->is_dropped = false;
	/* It may be the only one. */
	copy->order->lanes = length > w->plan.schedule.length && !at ? w->plan.copies : 1;
	copy->order->machines = w->plan.count;
	copy->order->without = copy->waits ? (struct leaving_out){0} : leave_out(w, at);
	w->spent += windows_cost_of_one(w);
	observer_thread_drain(w->plan.thread);
	memset(copy->shared, 0, readings_bytes(w));
	copy->stratum = w->count - 1;
	const pid_t pid = fork();
	if (pid == 0)
		windows_run_copy(w, copy, parent, settles, length);
	if (pid < 0)
		w->error = errno;
	copy->pid = pid > 0 ? pid : 0;
	copy->waits &= pid > 0;
}

/* How long the stratum from here on is. */
static uint64_t stratum_length(struct windows *w, uint64_t at)
{
	const struct windows_schedule *s = &w->plan.schedule;
	const double passed = (double)at, window = (double)s->length;

	if (s->keeps)
		return w->kept_length;
	const bool is_late = s->later > 0 && at >= s->early;
	double length = is_late ? fmin(s->later * passed, (double)s->longest) : s->growth * passed;

	length = fmax(length, window);
	if (w->plan.wants_more) {
		windows_take_all(w, 0);
		observer_thread_drain(w->plan.thread);
		if (w->plan.wants_more(w->plan.context))
			return s->length;
	}
	/* So long that the budget has grown to what its window will cost. */
	const double wanted = w->spent + windows_cost_of_one(w) - w->allowance;
	if (wanted > 0)
		length = fmax(length, wanted / s->budget - passed);
	return length < 1e15 ? (uint64_t)length : (uint64_t)1e15;
}

/* The next stratum, from here on, and where its window is. */
static void begin_stratum(struct windows *w, struct reading at)
{
	const struct windows_schedule *schedule = &w->plan.schedule;
	const uint64_t length = stratum_length(w, at.instructions);
	struct stratum *stratum = ARRAY_PUSH(w->list, w->count, w->capacity);

	*stratum = (struct stratum){
		.begin = at,
		.readings = mem_alloc(readings_bytes(w)),
	};
	w->tries = 0;
	if (w->is_by_cycles) {
		const double window = (double)(schedule->settles + schedule->length) * cost_of(&at);
		const uint64_t most = window < (double)length ? length - (uint64_t)window : 0;

		w->stratum_end = at.cycles + length;
		w->open_at = at.cycles + rng_below(&w->rng, most + 1);
		return;
	}
	w->stratum_end = at.instructions + length;
	/* The first window counts from its beginning: the next one opens before it ends. */
	if (!at.instructions)
		w->stratum_end -= schedule->settles;
	w->open_at = at.instructions + rng_below(&w->rng, length - schedule->length + 1);
}

/* Whether something outside has cut the last window short. What its copies did not simulate is not
 * spent. */
static bool was_cut(struct windows *w, struct reading at)
{
	if (!w->tries || at.instructions >= w->window_end ||
	    w->plan.process->outside_count == w->outside)
		return false;
	const double unused =
		(double)(w->window_end - at.instructions) * (double)(w->plan.count + 1);

	w->spent -= fmin(unused, windows_cost_of_one(w) * (1 - WINDOW_COST_LEAST));
	w->window_end = at.instructions;
	return true;
}

/* How long a window is to be that begins here. */
static uint64_t window_length(const struct windows *w, struct reading at)
{
	const struct windows_schedule *s = &w->plan.schedule;
	const double dense = s->growth > 0 ? (double)s->length / s->growth : INFINITY;
	const double rest = dense - (double)at.instructions;

	if (s->stretch && rest > (double)s->length)
		return (uint64_t)fmin((double)s->stretch, rest);
	/* The next one opens before the first one ends. */
	return s->length - (at.instructions ? 0 : s->settles);
}

/* Whether the stratum goes on with its window, which nothing has ended. The next one opens before
 * it ends. */
static bool is_stretching(struct windows *w, struct reading at)
{
	w->is_stretched &= at.instructions + w->plan.schedule.settles < w->window_end;
	return w->is_stretched;
}

/* To compare with where the stratum ends and its window opens. */
static uint64_t place_in(const struct windows *w, struct reading at)
{
	return w->is_by_cycles ? at.cycles : at.instructions;
}

/* Whether the last window, which was kept and cut short here, says too little; then it is dropped.
 */
static bool drop_short(struct windows *w, struct reading at)
{
	if (at.instructions >= w->counted_from + WINDOW_LEAST)
		return false;
	for (unsigned i = w->plan.copies; i < windows_copy_count(w); i++)
		if (w->copies[i].waits && w->copies[i].stratum + 1 == w->count)
			windows_drop(&w->copies[i]);
	return true;
}

void windows_poll(struct windows *w)
{
	const struct windows_schedule *schedule = &w->plan.schedule;
	const struct reading at = now(w->plan.simulation);
	const bool is_cut = was_cut(w, at);

	read_on(w);
	if (!w->count || (place_in(w, at) >= w->stratum_end && !is_stretching(w, at))) {
		if (w->count)
			w->list[w->count - 1].end = at;
		if (schedule->spares && !w->is_thin && at.instructions >= schedule->early)
			windows_thin_out(w);
		if (schedule->keeps && w->count == schedule->keeps)
			windows_halve(w);
		begin_stratum(w, at);
	}
	/* A stratum whose window was cut short gets another. */
	const bool is_again = is_cut && w->tries && w->tries < WINDOW_TRIES;
	if (place_in(w, at) < w->open_at && !is_again)
		return;
	const uint64_t settles = !at.instructions ? 0 : is_cut ? WINDOW_RESUMES : schedule->settles;
	const uint64_t begin = at.instructions + settles;
	const uint64_t left = w->plan.last > begin ? w->plan.last - begin : 0;
	const uint64_t most = window_length(w, at);
	const uint64_t length = left < most ? left : most;

	w->open_at = UINT64_MAX;
	/* One window of a stratum is kept: the next one takes the place of one that was cut so
	 * short that it says little. */
	if (schedule->keeps && w->tries && !drop_short(w, at))
		return;
	w->window_end = begin + length;
	w->is_stretched = most > schedule->length;
	w->counted_from = begin;
	w->outside = w->plan.process->outside_count;
	w->tries++;
	if (length && process_can_look_ahead(w->plan.process))
		open_window(w, settles, length);
}
