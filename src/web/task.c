#include "web/task.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "stats/link.h"
#include "web/order.h"
#include "web/said.h"

#define FILE_BYTES_MOST (UINT64_C(1) << 20)

static void task_free(struct task *task)
{
	child_signal(&task->child, SIGKILL);
	child_release(&task->child);
	order_arguments_free(task->arguments);
	free(task->key);
	free(task->text);
	free(task->waiters);
	free(task);
}

void tasks_release(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->count; i++)
		task_free(tasks->items[i]);
	free(tasks->items);
	tasks->items = NULL;
	tasks->count = tasks->capacity = 0;
}

static char *key_of(char **arguments)
{
	char *text;
	size_t bytes;
	FILE *out = mem_stream_open(&text, &bytes);

	for (char **one = arguments; *one; one++)
		fprintf(out, "%zu:%s", strlen(*one), *one);
	mem_stream_close(out);
	return text;
}

static void remove_at(struct tasks *tasks, size_t i)
{
	task_free(tasks->items[i]);
	tasks->items[i] = tasks->items[--tasks->count];
}

struct task *tasks_begin(struct tasks *tasks, char **arguments, bool is_kept)
{
	char *key = key_of(arguments);
	size_t waiting = 0;

	for (size_t i = 0; i < tasks->count; i++) {
		struct task *task = tasks->items[i];

		waiting += task->state == TASK_WAITS;
		if (!is_kept || !task->is_kept || strcmp(task->key, key) != 0)
			continue;
		free(key);
		order_arguments_free(arguments);
		task->holders++;
		task->used_at = ++tasks->now;
		return task;
	}
	if (waiting >= tasks->waiting_most) {
		free(key);
		order_arguments_free(arguments);
		return NULL;
	}
	struct task *task = mem_alloc(sizeof(*task));
	*task = (struct task){
		.arguments = arguments,
		.key = key,
		.is_kept = is_kept,
		.child = {0, {-1, -1, -1}},
		.holders = 1,
		.used_at = ++tasks->now,
	};
	*ARRAY_PUSH(tasks->items, tasks->count, tasks->capacity) = task;
	return task;
}

void tasks_drop(struct tasks *tasks, struct task *task)
{
	BUG_ON(!task->holders);
	task->holders--;
	(void)tasks;
}

void task_wait(struct task *task, void *waiter)
{
	*ARRAY_PUSH(task->waiters, task->waiter_count, task->waiter_capacity) = waiter;
}

void task_forget_waiter(struct task *task, void *waiter)
{
	for (size_t i = 0; i < task->waiter_count; i++)
		if (task->waiters[i] == waiter) {
			task->waiters[i] = task->waiters[--task->waiter_count];
			return;
		}
}

static void finish(struct tasks *tasks, struct task *task, int status)
{
	task_receive(task);
	child_release(&task->child);
	task->state = TASK_ENDED;
	task->status = task->is_too_long ? 125 : status;
	/* What failed may succeed next time. */
	task->is_kept &= task->status == 0;
	for (size_t i = 0; i < task->waiter_count; i++)
		tasks->tell(task->waiters[i]);
	task->waiter_count = 0;
}

static void start(struct tasks *tasks, struct task *task)
{
	struct err err;

	task->began = link_seconds();
	task->state = TASK_RUNS;
	if (child_start(&task->child, task->arguments, tasks->directory, FILE_BYTES_MOST, &err))
		return;
	task->error_bytes =
		(size_t)snprintf(task->errors, sizeof(task->errors), "cyclestack: %s\n", err.text);
	finish(tasks, task, 125);
}

/* What nobody waits for, and the oldest of what is kept beyond the limit. */
static void forget_some(struct tasks *tasks)
{
	uint64_t bytes = 0;
	size_t oldest = tasks->count;

	for (size_t i = 0; i < tasks->count; i++) {
		const struct task *task = tasks->items[i];

		if (!task->holders && (!task->is_kept || task->state == TASK_WAITS)) {
			remove_at(tasks, i--);
			continue;
		}
		bytes += task->bytes;
		if (!task->holders && task->state == TASK_ENDED &&
		    (oldest == tasks->count || task->used_at < tasks->items[oldest]->used_at))
			oldest = i;
	}
	if (bytes > TASK_KEPT_MOST && oldest < tasks->count)
		remove_at(tasks, oldest);
}

void tasks_tick(struct tasks *tasks)
{
	unsigned running = 0;

	forget_some(tasks);
	for (size_t i = 0; i < tasks->count; i++) {
		const struct task *task = tasks->items[i];

		running += task->state == TASK_RUNS;
		if (task->state == TASK_RUNS && link_seconds() - task->began > TASK_SECONDS_MOST)
			child_signal(&task->child, SIGKILL);
	}
	while (running < tasks->at_once) {
		struct task *first = NULL;

		for (size_t i = 0; i < tasks->count; i++)
			if (tasks->items[i]->state == TASK_WAITS &&
			    (!first || tasks->items[i]->used_at < first->used_at))
				first = tasks->items[i];
		if (!first)
			return;
		start(tasks, first);
		running += first->state == TASK_RUNS;
	}
}

static void receive_output(struct task *task)
{
	for (;;) {
		if (task->bytes + 65536 > task->capacity) {
			task->capacity = task->capacity ? 2 * task->capacity : 131072;
			task->text = mem_realloc(task->text, task->capacity, 1);
		}
		const ssize_t got =
			read(task->child.pipes[CHILD_OUTPUT], task->text + task->bytes, 65535);

		if (got <= 0)
			return;
		task->bytes += (size_t)got;
		if (task->bytes > TASK_OUTPUT_MOST) {
			task->is_too_long = true;
			child_signal(&task->child, SIGKILL);
			return;
		}
	}
}

void task_receive(struct task *task)
{
	char ignored[4096];

	if (task->child.pipes[CHILD_OUTPUT] < 0)
		return;
	if (!task->is_too_long)
		receive_output(task);
	for (;;) {
		const size_t room = sizeof(task->errors) - 1 - task->error_bytes;
		const ssize_t got = read(task->child.pipes[CHILD_ERRORS],
					 room ? task->errors + task->error_bytes : ignored,
					 room ? room : sizeof(ignored));

		if (got <= 0)
			return;
		task->error_bytes += room ? (size_t)got : 0;
	}
}

void tasks_collect(struct tasks *tasks)
{
	for (size_t i = 0; i < tasks->count; i++) {
		struct task *task = tasks->items[i];
		int status;

		if (task->state == TASK_RUNS && child_has_ended(&task->child, &status))
			finish(tasks, task, status);
	}
}

void task_sentence(const struct task *task, char *text, size_t bytes)
{
	struct said said;

	if (task->is_too_long) {
		snprintf(text, bytes, "the answer is longer than the server allows");
		return;
	}
	said_init(&said);
	said_take(&said, task->errors, task->error_bytes);
	said_end(&said);
	snprintf(text, bytes, "%s",
		 said.count ? said.items[said.count - 1].text
			    : "the command failed without a word");
	said_release(&said);
}
