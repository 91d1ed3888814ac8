/* A worker that is no longer honest cannot keep its parent waiting. */
#include "../test.h"

#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "job/jail.h"
#include "job/worker.h"
#include "machine/observer_thread.h"

#define TIMEOUT_SECONDS 0.3
#define LATE_SECONDS	5 /* the timeout, the two seconds a worker is given, and a slow machine */

static _Noreturn void sleep_forever(void)
{
	for (;;)
		nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

static void sleep_instead(struct worker *worker, void *context)
{
	(void)worker;
	(void)context;
	sleep_forever();
}

static void send_half_a_header(struct worker *worker, void *context)
{
	(void)context;
	(void)!write(worker->to_parent, "r", 1);
	sleep_forever();
}

static void send_half_a_body(struct worker *worker, void *context)
{
	const uint32_t header[2] = {'r', 1000};

	(void)context;
	(void)!write(worker->to_parent, header, sizeof(header));
	(void)!write(worker->to_parent, "{", 1);
	sleep_forever();
}

static void send_warnings_forever(struct worker *worker, void *context)
{
	(void)context;
	for (;;)
		worker_send_warning(worker, "again");
}

static void send_nonsense(struct worker *worker, void *context)
{
	const uint32_t header[2] = {'r', UINT32_MAX};

	(void)context;
	(void)!write(worker->to_parent, header, sizeof(header));
	sleep_forever();
}

static void send_in_pieces(struct worker *worker, void *context)
{
	const uint32_t header[2] = {'r', 5};
	char frame[sizeof(header) + 5];

	(void)context;
	memcpy(frame, header, sizeof(header));
	memcpy(frame + sizeof(header), "whole", 5);
	worker_send_warning(worker, "");
	for (size_t i = 0; i < sizeof(frame); i++) {
		(void)!write(worker->to_parent, frame + i, 1);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void ends_at_its_timeout(void (*body)(struct worker *, void *))
{
	const struct worker_task task = {.body = body, .timeout_seconds = TIMEOUT_SECONDS};
	struct worker_report report;
	struct err err;
	double before = now_seconds();

	assert_true(worker_run(&task, &report, &err));
	assert_true(now_seconds() - before < LATE_SECONDS);
	assert_int_equal(report.stop, WORKER_TIMEOUT);
	assert_null(report.result);
}

TEST(half_a_frame_does_not_delay_the_timeout)
{
	ends_at_its_timeout(send_half_a_header);
	ends_at_its_timeout(send_half_a_body);
}

TEST(endless_warnings_do_not_delay_the_timeout)
{
	ends_at_its_timeout(send_warnings_forever);
}

TEST(a_frame_may_come_in_pieces)
{
	const struct worker_task task = {.body = send_in_pieces};
	struct worker_report report;
	struct err err;

	assert_true(worker_run(&task, &report, &err));
	assert_int_equal(report.result_bytes, 5);
	assert_string_equal(report.result, "whole");
	free(report.result);
}

#ifndef __SANITIZE_ADDRESS__
static void take_all_memory(struct worker *worker, void *context)
{
	(void)context;
	for (;;)
		worker->page = mem_alloc((size_t)1 << 28);
}
#endif

static void ends_with_a_sentence(void (*body)(struct worker *, void *), const char *words)
{
	const struct worker_task task = {.body = body, .timeout_seconds = 60};
	struct worker_report report;
	struct err err;

	assert_false(worker_run(&task, &report, &err));
	assert_non_null(strstr(err.text, words));
}

TEST(running_out_of_memory_is_a_sentence)
{
#ifdef __SANITIZE_ADDRESS__
	skip(); /* its allocator fills what it gives, all of the address space that is reserved */
#else
	ends_with_a_sentence(take_all_memory, "allows itself");
#endif
}

TEST(a_frame_that_is_too_long_is_an_error)
{
	ends_with_a_sentence(send_nonsense, "nonsense");
}

static void send_a_huge_result(struct worker *worker, void *context)
{
	(void)context;
	worker_send_result(worker, "", (size_t)3 << 30);
}

TEST(a_result_that_is_too_large_is_a_sentence)
{
	ends_with_a_sentence(send_a_huge_result, "the result would take 3072 MB");
}

/* A body whose work is done in another thread. */
struct observed {
	struct observer observer;
	struct observer_thread *thread;
};

static bool start_thread(void *context, struct err *err)
{
	struct observed *observed = context;

	observed->thread = observer_thread_create(jail_enter_thread, NULL, err);
	return observed->thread;
}

static void observe_one_cycle(struct worker *worker, void *context)
{
	struct observed *observed = context;

	observer_thread_begin(observed->thread, observed->observer);
	observer_thread_take(
		observed->thread,
		&(struct cycle){.repeat = 1,
				.events = observer_thread_lists(observed->thread)->events});
	observer_thread_destroy(observed->thread);
	worker_send_result(worker, "{}", 2);
}

static bool run_observed(void (*cycle)(void *, const struct cycle *), struct worker_report *report,
			 struct err *err)
{
	struct observed observed = {.observer.cycle = cycle};
	const struct worker_task task = {.prepare = start_thread,
					 .body = observe_one_cycle,
					 .timeout_seconds = 60,
					 .context = &observed};

	return worker_run(&task, report, err);
}

static void see(void *context, const struct cycle *cycle)
{
	(void)context;
	BUG_ON(cycle->repeat != 1);
}

static void see_a_defect(void *context, const struct cycle *cycle)
{
	(void)context;
	BUG_ON(cycle->repeat == 1);
}

#ifndef __SANITIZE_ADDRESS__
static void see_too_far(void *context, const struct cycle *cycle)
{
	*(volatile uint64_t *)context = cycle->repeat; /* NULL */
}

static void keep_everything(void *context, const struct cycle *cycle)
{
	(void)context;
	for (volatile char *p;; *p = (char)cycle->repeat)
		p = mem_alloc((size_t)1 << 28);
}
#endif

TEST(a_crash_in_another_thread_is_a_sentence)
{
	struct worker_report report;
	struct err err;

	assert_true(run_observed(see, &report, &err));
	assert_string_equal(report.result, "{}");
	free(report.result);
	assert_false(run_observed(see_a_defect, &report, &err));
	assert_non_null(strstr(err.text, "killed by signal 6"));
	assert_null(report.result);
#ifndef __SANITIZE_ADDRESS__
	assert_false(run_observed(see_too_far, &report, &err));
	assert_non_null(strstr(err.text, "killed by signal 11"));
	assert_false(run_observed(keep_everything, &report, &err));
	assert_non_null(strstr(err.text, "allows itself"));
#endif
}

static bool refuse(void *context, struct err *err)
{
	(void)context;
	return err_set(err, "there are no threads");
}

TEST(a_worker_that_cannot_prepare_says_so)
{
	const struct worker_task task = {.prepare = refuse, .body = sleep_instead};
	struct worker_report report;
	struct err err;

	assert_false(worker_run(&task, &report, &err));
	assert_string_equal(err.text, "there are no threads");
}
